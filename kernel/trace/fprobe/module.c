// SPDX-License-Identifier: GPL-2.0
/*
 * Text that comes and goes: modules, and their init sections.
 */
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/string.h>

#include "internal.h"

static void fprobe_forget_mem(struct module *mod, enum mod_mem_type type)
{
	unsigned long base = (unsigned long)mod->mem[type].base;

	if (mod->mem[type].size)
		fprobe_change_forget(base, base + mod->mem[type].size);
}

static bool fprobe_slot_names(const struct fprobe_slot *slot,
			      const struct module *mod)
{
	size_t len;

	if (!slot->filter)
		return false;
	len = fprobe_filter_module(slot->filter);
	return strlen(mod->name) == len && !strncmp(slot->filter, mod->name, len);
}

static void fprobe_slot_rearm(struct fprobe_slot *slot)
{
	struct fprobe_sites sites = {};
	int ret;

	ret = fprobe_resolve_filter(&sites, slot->filter, slot->notfilter);
	if (!ret)
		ret = fprobe_change_add(&slot, &sites, 1);
	fprobe_sites_free(&sites);
	if (ret)
		pr_warn("fprobe: %s is not armed again: %pe\n", slot->filter,
			ERR_PTR(ret));
}

/* Before its init function runs: that may be armed, too. */
static int fprobe_module_coming(struct module *mod)
{
	struct fprobe_slot *slot;
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_coming_add(mod);
	if (ret)
		return ret;
	list_for_each_entry(slot, &fprobe_slots, list) {
		if (fprobe_slot_names(slot, mod))
			fprobe_slot_rearm(slot);
	}
	return 0;
}

static void fprobe_module_live(struct module *mod)
{
	guard(mutex)(&fprobe_mutex);
	fprobe_coming_del(mod);
	fprobe_forget_mem(mod, MOD_INIT_TEXT);
}

/* A module whose init function has failed still has init text. */
static void fprobe_module_going(struct module *mod)
{
	guard(mutex)(&fprobe_mutex);
	fprobe_coming_del(mod);
	fprobe_forget_mem(mod, MOD_INIT_TEXT);
	fprobe_forget_mem(mod, MOD_TEXT);
}

static int fprobe_module_event(struct notifier_block *nb, unsigned long event,
			       void *mod)
{
	int ret = 0;

	switch (event) {
	case MODULE_STATE_COMING:
		ret = fprobe_module_coming(mod);
		break;
	case MODULE_STATE_LIVE:
		fprobe_module_live(mod);
		break;
	case MODULE_STATE_GOING:
		fprobe_module_going(mod);
		break;
	}
	return notifier_from_errno(ret);
}

/* Before others that use fprobes; ftrace drops the sites behind all of them. */
static struct notifier_block fprobe_module_nb = {
	.notifier_call = fprobe_module_event,
	.priority = INT_MAX - 1,
};

static int __init fprobe_module_init(void)
{
	return register_module_notifier(&fprobe_module_nb);
}
core_initcall(fprobe_module_init);
