// SPDX-License-Identifier: GPL-2.0
/*
 * Jprobes: a kprobe on the entry of a function, whose pre handler (jprobe_hit.c) calls
 * a function of the user's with the arguments of the call.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/init.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <asm/sections.h>

#include "internal.h"
#include "jprobe.h"

/*
 * Is the address in text of the kernel or of a module, and not in init text? When init
 * text is freed, the points in it are marked as gone. But if only the handler of a jprobe
 * is in init text, its point stays armed, and a hit would call freed text.
 */
static bool jprobe_text_stays(unsigned long addr)
{
	struct module *mod;

	if (core_kernel_text(addr))
		return !is_kernel_inittext(addr);
	guard(preempt)();
	mod = __module_text_address(addr);
	return mod && !within_module_init(addr, mod);
}

/* Does a function that stays begin at @entry? */
static bool jprobe_entry_exists(unsigned long entry)
{
	const struct kprobe_symbol *sym;

	if (!jprobe_text_stays(entry))
		return false;
	sym = kprobe_symbol_at(entry);
	return sym && sym->start == entry && !sym->reserved && !sym->part;
}

/* Changes nothing in @jp. */
static int jprobe_check(struct jprobe *jp)
{
	kprobe_pre_handler_t pre = jp->kp.pre_handler;
	kprobe_opcode_t *addr;
	bool on_func_entry;
	int ret;

	guard(mutex)(&kprobe_mutex);
	/* After an earlier registration, the pre handler is still ours. */
	if (pre && pre != jprobe_pre_handler)
		return -EINVAL;
	if (!jprobe_entry_exists((unsigned long)jp->entry))
		return -EINVAL;
	ret = kprobe_resolve(&jp->kp, &addr, &on_func_entry);
	if (ret)
		return ret;
	if (!on_func_entry)
		return -EINVAL;
	/* It may be registered as a kprobe, whose handler must not change. */
	return kprobe_refuse_registered(&jp->kp, addr);
}

/* An array of pointers to jprobes is one of pointers to their kprobes. */
static struct kprobe **jprobe_kprobes(struct jprobe **jps)
{
	static_assert(!offsetof(struct jprobe, kp));
	return (struct kprobe **)jps;
}

/* A jprobe that another caller has registered meanwhile keeps its pre handler. */
static void jprobe_take_handlers_back(struct jprobe **jps, int num)
{
	int i;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < num; i++) {
		if (!kprobe_find_registered(&jps[i]->kp))
			jps[i]->kp.pre_handler = NULL;
	}
}

/**
 * register_jprobes() - register several jprobes, all or none
 * @jps: the jprobes
 * @num: how many there are
 *
 * Any number of jprobes may be at a function, beside kprobes and return probes.
 *
 * Context: process context. May sleep.
 *
 * Return: 0, or with none registered what register_kprobes() says, and:
 *
 * * -EINVAL - also: not the entry of a function; @entry is not where a function of
 *   the kernel or of a module begins, or that is in init text; there is a pre handler
 */
int register_jprobes(struct jprobe **jps, int num)
{
	int i, ret;

	if (num <= 0 || !jps)
		return -EINVAL;
	for (i = 0; i < num; i++) {
		ret = jprobe_check(jps[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < num; i++)
		jps[i]->kp.pre_handler = jprobe_pre_handler;
	ret = register_kprobes(jprobe_kprobes(jps), num);
	if (ret)
		jprobe_take_handlers_back(jps, num);
	return ret;
}
EXPORT_SYMBOL_GPL(register_jprobes);

/**
 * register_jprobe() - register a jprobe
 * @jp: the jprobe; its memory must stay in place until it is unregistered
 *
 * See register_jprobes() for context and errors.
 *
 * Return: 0 or an error.
 */
int register_jprobe(struct jprobe *jp)
{
	return register_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(register_jprobe);

/**
 * unregister_jprobes() - unregister several jprobes
 * @jps: the jprobes
 * @num: how many there are
 *
 * When this returns, no handler of theirs runs or will run; so its module may go.
 *
 * Context: process context. Sleeps for a grace period.
 */
void unregister_jprobes(struct jprobe **jps, int num)
{
	unregister_kprobes(jprobe_kprobes(jps), num);
}
EXPORT_SYMBOL_GPL(unregister_jprobes);

/**
 * unregister_jprobe() - unregister a jprobe
 * @jp: the jprobe
 *
 * See unregister_jprobes().
 */
void unregister_jprobe(struct jprobe *jp)
{
	unregister_jprobes(&jp, 1);
}
EXPORT_SYMBOL_GPL(unregister_jprobe);

#ifdef CONFIG_MODULES
/* Is the jprobe, or its handler, in the memory of the module? */
static bool jprobe_needs_module(struct kprobe *kp, struct module *mod)
{
	struct jprobe *jp = container_of(kp, struct jprobe, kp);

	return kprobe_is_jprobe(kp) &&
	       (within_module((unsigned long)jp->entry, mod) ||
		within_module((unsigned long)jp, mod));
}

/*
 * Find a registered jprobe that needs the module. kprobe_unsubscribe_all() will look it
 * up by its address and flags, which the user may have overwritten: write both again.
 */
static struct kprobe *jprobe_find_needing(struct module *mod)
{
	struct kprobe_point *pt;
	struct kprobe *kp;

	list_for_each_entry(pt, &kprobe_points, all) {
		list_for_each_entry(kp, &pt->hot.subs, list) {
			if (!jprobe_needs_module(kp, mod))
				continue;
			kp->addr = pt->probe.addr;
			kp->flags |= pt->probe.flags & KPROBE_FLAG_GONE;
			return kp;
		}
	}
	return NULL;
}

/**
 * jprobe_forget_module() - unregister the jprobes that a module has left
 * @mod: a module that goes away
 *
 * The module cannot be kept by a reference for each jprobe, since most modules
 * unregister theirs when they go. So they may go, and what is registered yet is
 * unregistered for them.
 *
 * Context: process context. Sleeps for a grace period if there are any.
 * Return: how many there were.
 */
unsigned int jprobe_forget_module(struct module *mod)
{
	unsigned int nr = 0;
	struct kprobe *kp;

	scoped_guard(mutex, &kprobe_mutex) {
		while ((kp = jprobe_find_needing(mod))) {
			kprobe_unsubscribe_all(&kp, 1);
			nr++;
		}
	}
	if (nr)
		kprobe_wait_for_handlers();
	return nr;
}

static int jprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct module *mod = data;
	unsigned int nr = 0;

	if (event == MODULE_STATE_GOING)
		nr = jprobe_forget_module(mod);
	if (nr)
		pr_warn("%s goes, and has left %u jprobes registered\n",
			mod->name, nr);
	return NOTIFY_DONE;
}

static struct notifier_block jprobe_module_nb = {
	.notifier_call = jprobe_module_event,
};

static int __init jprobe_init(void)
{
	return register_module_notifier(&jprobe_module_nb);
}
core_initcall(jprobe_init);
#endif /* CONFIG_MODULES */
