// SPDX-License-Identifier: GPL-2.0
/*
 * Text that goes away: modules, their init sections, the kernel's own.
 */
#include <linux/init.h>
#include <linux/list.h>
#include <linux/module.h>
#include <asm/sections.h>

#include "internal.h"

static bool kprobe_point_within(struct kprobe_point *pt, unsigned long start,
				unsigned long end)
{
	unsigned long addr = (unsigned long)pt->probe.addr;

	return addr >= start && addr < end;
}

/* Disarm and mark the points from @start up to @end. */
static void kprobe_kill_within(unsigned long start, unsigned long end)
{
	struct kprobe_point *pt;
	LIST_HEAD(todo);

	list_for_each_entry(pt, &kprobe_points, all) {
		if (kprobe_point_within(pt, start, end))
			list_add_tail(&pt->todo, &todo);
	}
	kprobe_kill_points(&todo);
}

/**
 * kprobe_kill_range() - disarm and mark the points of some text, for tests
 * @start: its first byte
 * @end: the byte after its last
 *
 * The text exists until this returns, and may be executed until it is freed. What
 * is known of it stays.
 *
 * Context: process context. May sleep.
 */
void kprobe_kill_range(unsigned long start, unsigned long end)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_kill_within(start, end);
}

/**
 * kprobe_free_init_mem() - disarm the points in the kernel's init text
 *
 * Called before it is freed. Some of it still runs: the functions that free it.
 */
void kprobe_free_init_mem(void)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_kill_within((unsigned long)__init_begin,
			   (unsigned long)__init_end);
	/* Last: to disarm the points, the text may have been looked up. */
	kprobe_text_finalize(&kprobe_kernel_text);
}

#ifdef CONFIG_MODULES
static void kprobe_kill_module_mem(struct module *mod, enum mod_mem_type type)
{
	unsigned long base = (unsigned long)mod->mem[type].base;

	if (mod->mem[type].size)
		kprobe_kill_within(base, base + mod->mem[type].size);
}

/* Extend the blacklist before the module can be probed. */
static int kprobe_module_coming(struct module *mod)
{
	int ret = kprobe_blacklist_add_module(mod);

	if (ret)
		return ret;
	scoped_guard(mutex, &kprobe_mutex)
		ret = kprobe_text_announce(mod);
	if (ret)
		kprobe_blacklist_del_module(mod);
	return ret;
}

/*
 * Tasks that init text has started may still run in it. Its ranges leave the blacklist
 * when it cannot be probed any more, and before the module forgets where it was.
 */
static void kprobe_module_live(struct module *mod)
{
	scoped_guard(mutex, &kprobe_mutex) {
		struct kprobe_text *text = kprobe_text_of(mod);

		kprobe_kill_module_mem(mod, MOD_INIT_TEXT);
		kprobe_text_finalize(text);
	}
	kprobe_blacklist_del_init(mod);
}

/* As above. And a module whose init function has failed still has init text. */
static void kprobe_module_going(struct module *mod)
{
	scoped_guard(mutex, &kprobe_mutex) {
		kprobe_kill_module_mem(mod, MOD_INIT_TEXT);
		kprobe_kill_module_mem(mod, MOD_TEXT);
		kprobe_text_remove(kprobe_text_of(mod));
	}
	kprobe_blacklist_del_module(mod);
}

static int kprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	int ret = 0;

	switch (event) {
	case MODULE_STATE_COMING:
		ret = kprobe_module_coming(data);
		break;
	case MODULE_STATE_LIVE:
		kprobe_module_live(data);
		break;
	case MODULE_STATE_GOING:
		kprobe_module_going(data);
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
