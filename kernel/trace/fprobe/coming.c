// SPDX-License-Identifier: GPL-2.0
/*
 * Modules that are being loaded, and of which fprobe_module_coming() was told.
 *
 * Before the loader calls the notifiers, it asks live patching. If that refuses the
 * module, the loader frees the module and calls no notifier, so nothing would disarm
 * sites in its text. Until a module is in this list, its functions are not probed.
 */
#include <linux/list.h>
#include <linux/module.h>
#include <linux/slab.h>

#include "internal.h"

/**
 * struct fprobe_coming - a module that is being loaded
 * @list: links all of them
 * @mod: the module
 */
struct fprobe_coming {
	struct list_head list;
	const struct module *mod;
};

/* Under fprobe_mutex. */
static LIST_HEAD(fprobe_comings);

static struct fprobe_coming *fprobe_coming_find(const struct module *mod)
{
	struct fprobe_coming *c;

	list_for_each_entry(c, &fprobe_comings, list) {
		if (c->mod == mod)
			return c;
	}
	return NULL;
}

/**
 * fprobe_coming_add() - from now on, the functions of a module may be probed
 * @mod: the module, of which the notifier has heard
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int fprobe_coming_add(const struct module *mod)
{
	struct fprobe_coming *c = kmalloc(sizeof(*c), GFP_KERNEL);

	lockdep_assert_held(&fprobe_mutex);
	if (!c)
		return -ENOMEM;
	c->mod = mod;
	list_add(&c->list, &fprobe_comings);
	return 0;
}

/**
 * fprobe_coming_del() - a module is not being loaded any more
 * @mod: the module; it is there, or gone
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_coming_del(const struct module *mod)
{
	struct fprobe_coming *c;

	lockdep_assert_held(&fprobe_mutex);
	c = fprobe_coming_find(mod);
	if (!c)
		return;
	list_del(&c->list);
	kfree(c);
}

/**
 * fprobe_coming_is_known() - has the notifier heard of a module?
 * @mod: a module that is being loaded
 *
 * Context: any, fprobe_mutex held.
 * Return: whether it has.
 */
bool fprobe_coming_is_known(const struct module *mod)
{
	lockdep_assert_held(&fprobe_mutex);
	return fprobe_coming_find(mod);
}
