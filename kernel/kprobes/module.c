// SPDX-License-Identifier: GPL-2.0
/*
 * Text that goes away: modules, their init sections, the kernel's own.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <asm/sections.h>

#include "internal.h"

/* Drop what has been found out about text that may go away. */
static void kprobe_forget_text(void)
{
	kprobe_symbol_forget();
	kprobe_reserved_forget();
	arch_forget_kprobe_text();
}

static bool kprobe_point_within(struct kprobe_point *pt, unsigned long start,
				unsigned long end)
{
	unsigned long addr = (unsigned long)pt->probe.addr;

	return addr >= start && addr < end;
}

/**
 * kprobe_kill_range() - disarm and mark the points of text that goes away
 * @start: its first byte
 * @end: the byte after its last
 *
 * The text exists until this returns, and may be executed until it is freed.
 *
 * Context: process context. May sleep.
 */
void kprobe_kill_range(unsigned long start, unsigned long end)
{
	struct kprobe_point *pt;
	LIST_HEAD(todo);

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(pt, &kprobe_points, all) {
		if (kprobe_point_within(pt, start, end))
			list_add_tail(&pt->todo, &todo);
	}
	kprobe_kill_points(&todo);
	/* Last: to disarm the points, the text may have been looked up. */
	kprobe_forget_text();
}

/**
 * kprobe_free_init_mem() - disarm the points in the kernel's init text
 *
 * Called before it is freed. Some of it still runs: the functions that free it.
 */
void kprobe_free_init_mem(void)
{
	kprobe_kill_range((unsigned long)__init_begin,
			  (unsigned long)__init_end);
}

#ifdef CONFIG_MODULES
/*
 * The modules that have been announced to our notifier as coming, until it is
 * called because they are live or going. Before that, a livepatch can still
 * refuse a module, and afterwards another notifier may have refused it: in both
 * cases its text is freed without a call of our notifier. Under kprobe_mutex.
 */
static LIST_HEAD(kprobe_modules_coming);

struct kprobe_module_coming {
	struct list_head list;
	struct module *mod;
};

static int kprobe_module_announce(struct module *mod)
{
	struct kprobe_module_coming *c = kmalloc(sizeof(*c), GFP_KERNEL);
	int ret;

	if (!c)
		return -ENOMEM;
	/* Extend the blacklist before the module can be probed. */
	ret = kprobe_blacklist_add_module(mod);
	if (ret) {
		kfree(c);
		return ret;
	}
	c->mod = mod;
	guard(mutex)(&kprobe_mutex);
	list_add(&c->list, &kprobe_modules_coming);
	kprobe_forget_text();
	return 0;
}

static struct kprobe_module_coming *kprobe_find_coming(struct module *mod)
{
	struct kprobe_module_coming *c;

	list_for_each_entry(c, &kprobe_modules_coming, list) {
		if (c->mod == mod)
			return c;
	}
	return NULL;
}

/* It is live; or it goes away, and from here on no probe is placed in it. */
static void kprobe_module_settle(struct module *mod)
{
	struct kprobe_module_coming *c;

	guard(mutex)(&kprobe_mutex);
	c = kprobe_find_coming(mod);
	if (!c)
		return;
	list_del(&c->list);
	kfree(c);
}

/* Will our notifier be called before the text of @mod goes away? */
static bool kprobe_module_announced(struct module *mod)
{
	enum module_state state = READ_ONCE(mod->state);

	lockdep_assert_held(&kprobe_mutex);
	return state == MODULE_STATE_LIVE ||
	       (state == MODULE_STATE_COMING && kprobe_find_coming(mod));
}

/**
 * kprobe_module_has_text() - has a module text at an address now?
 * @mod: the module
 * @addr: the address
 *
 * Context: any, while the module stays.
 * Return: whether it has. Init text is there only until the module is live.
 */
bool kprobe_module_has_text(struct module *mod, unsigned long addr)
{
	return within_module_mem_type(addr, mod, MOD_TEXT) ||
	       (mod->state == MODULE_STATE_COMING &&
		within_module_mem_type(addr, mod, MOD_INIT_TEXT));
}

/**
 * kprobe_module_get() - keep a module whose text may be probed
 * @addr: any address
 * @mod: filled with the module, of which the caller has a reference then
 *
 * A reference does not keep a module that fails to load. But our notifier will
 * be called then, and waits for kprobe_mutex.
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0, -EINVAL (no module's text), -ENOENT (the module is not loaded far
 * enough, or is being unloaded, or its init text is gone).
 */
int kprobe_module_get(unsigned long addr, struct module **mod)
{
	struct module *m;

	guard(preempt)();
	m = __module_text_address(addr);
	if (!m)
		return -EINVAL;
	if (!kprobe_module_announced(m) || !kprobe_module_has_text(m, addr) ||
	    !try_module_get(m))
		return -ENOENT;
	*mod = m;
	return 0;
}

/**
 * kprobe_text_announced() - is some text that of an announced module?
 * @addr: any address
 *
 * Context: process context, kprobe_mutex held.
 * Return: whether it is, and not init text: then our notifier is called before
 * the text goes away.
 */
bool kprobe_text_announced(unsigned long addr)
{
	struct module *mod;

	guard(preempt)();
	mod = __module_text_address(addr);
	return mod && kprobe_module_announced(mod) &&
	       !within_module_init(addr, mod);
}

static void kprobe_kill_module_mem(struct module *mod, enum mod_mem_type type)
{
	unsigned long base = (unsigned long)mod->mem[type].base;

	if (mod->mem[type].size)
		kprobe_kill_range(base, base + mod->mem[type].size);
}

static int kprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct module *mod = data;
	int ret = 0;

	switch (event) {
	case MODULE_STATE_COMING:
		ret = kprobe_module_announce(mod);
		break;
	case MODULE_STATE_LIVE:
		kprobe_module_settle(mod);
		/* Tasks that init text has started may still run in it. */
		kprobe_kill_module_mem(mod, MOD_INIT_TEXT);
		break;
	case MODULE_STATE_GOING:
		kprobe_module_settle(mod);
		/*
		 * As above. And a module whose init function has failed still
		 * has its init text.
		 */
		kprobe_kill_module_mem(mod, MOD_INIT_TEXT);
		kprobe_kill_module_mem(mod, MOD_TEXT);
		kprobe_blacklist_del_module(mod);
		break;
	}
	return notifier_from_errno(ret);
}

/*
 * Before all other notifiers: when a module is coming, some place probes in it,
 * and need the blacklist; when it is going, ftrace drops its sites.
 */
static struct notifier_block kprobe_module_nb = {
	.notifier_call = kprobe_module_event,
	.priority = INT_MAX,
};

/**
 * kprobe_module_init() - register the notifier of modules
 *
 * Return: 0 or an error.
 */
int __init kprobe_module_init(void)
{
	return register_module_notifier(&kprobe_module_nb);
}
#endif /* CONFIG_MODULES */
