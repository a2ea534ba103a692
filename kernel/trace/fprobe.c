// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes: call handlers at the entries and the exits of functions.
 *
 * Registration finds the ftrace sites of the functions, gives the fprobe a slot,
 * enters it in the tables that a hit looks at, and then has ftrace call out from the
 * sites. Unregistration lets the fprobe be found alive no more, undoes the rest,
 * and waits until no CPU runs a handler. See fprobe/internal.h.
 */
#include <linux/atomic.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/export.h>
#include <linux/fprobe.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fprobe/internal.h"

/**
 * struct fprobe_batch - fprobes that are registered together
 * @fps: the fprobes
 * @filters: what each is registered for; NULL if that is not by a filter
 * @notfilter: what is left out, or NULL
 * @num: how many there are
 * @slots: their slots
 * @sites: the sites of each
 * @dropped: the slots of those that were registered and are not any more
 */
struct fprobe_batch {
	struct fprobe **fps;
	const char **filters;
	const char *notfilter;
	unsigned int num;
	struct fprobe_slot **slots;
	struct fprobe_sites *sites;
	struct list_head dropped;
};

static void fprobe_batch_free(struct fprobe_batch *b)
{
	unsigned int i;

	for (i = 0; b->sites && i < b->num; i++)
		fprobe_sites_free(&b->sites[i]);
	kvfree(b->sites);
	kvfree(b->slots);
}

static int fprobe_batch_init(struct fprobe_batch *b, struct fprobe **fps,
			     unsigned int num)
{
	memset(b, 0, sizeof(*b));
	INIT_LIST_HEAD(&b->dropped);
	b->fps = fps;
	b->num = num;
	b->slots = kvcalloc(num, sizeof(*b->slots), GFP_KERNEL);
	b->sites = kvcalloc(num, sizeof(*b->sites), GFP_KERNEL);
	if (b->slots && b->sites)
		return 0;
	fprobe_batch_free(b);
	return -ENOMEM;
}

/* Memory that is used again may have any value in &fprobe.slot. */
static bool fprobe_registered(const struct fprobe *fp)
{
	return fprobe_slot_of(fp);
}

/* So that it can be armed again when the module comes back. */
static int fprobe_keep_filter(struct fprobe_slot *slot, const char *filter,
			      const char *notfilter)
{
	if (!fprobe_filter_module(filter))
		return 0;
	slot->filter = kstrdup(filter, GFP_KERNEL);
	slot->notfilter = kstrdup(notfilter, GFP_KERNEL);
	return slot->filter && !slot->notfilter == !notfilter ? 0 : -ENOMEM;
}

static int fprobe_batch_take(struct fprobe_batch *b, unsigned int i)
{
	struct fprobe *fp = b->fps[i];
	struct fprobe_slot *slot;

	if (fprobe_registered(fp))
		return -EBUSY;
	if (fp->entry_data_size > FPROBE_MAX_DATA_SIZE)
		return -E2BIG;
	slot = fprobe_slot_take(fp);
	if (IS_ERR(slot))
		return PTR_ERR(slot);
	b->slots[i] = slot;
	if (!b->filters)
		return 0;
	return fprobe_keep_filter(slot, b->filters[i], b->notfilter);
}

/* With the lock held since the sites of all have been found. */
static int fprobe_batch_arm(struct fprobe_batch *b)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < b->num && !ret; i++)
		ret = fprobe_batch_take(b, i);
	if (!ret)
		ret = fprobe_change_add(b->slots, b->sites, b->num);
	if (!ret)
		return 0;
	for (i = 0; i < b->num; i++) {
		if (b->slots[i])
			fprobe_slot_drop(b->slots[i], &b->dropped);
	}
	fprobe_change_tidy();
	return ret;
}

/* Wait until no handler of these fprobes runs, and let their slots be used again. */
static void fprobe_release(struct list_head *dropped)
{
	struct fprobe_slot *slot, *next;

	if (list_empty(dropped))
		return;
	/* RCU does not wait for a CPU that is on its way down or up, and calls functions. */
	cpus_read_lock();
	cpus_read_unlock();
	synchronize_rcu();
	guard(mutex)(&fprobe_mutex);
	list_for_each_entry_safe(slot, next, dropped, list)
		fprobe_slot_free(slot);
}

static int fprobe_batch_end(struct fprobe_batch *b, int ret)
{
	fprobe_release(&b->dropped);
	fprobe_batch_free(b);
	return ret;
}

static int fprobe_batch_filters(struct fprobe_batch *b)
{
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_resolve_filters(b->sites, b->filters, b->notfilter, b->num);
	return ret ?: fprobe_batch_arm(b);
}

static int fprobe_register_filters(struct fprobe **fps, const char **filters,
				   const char *notfilter, unsigned int num)
{
	struct fprobe_batch b;
	int ret = fprobe_batch_init(&b, fps, num);

	if (ret)
		return ret;
	b.filters = filters;
	b.notfilter = notfilter;
	return fprobe_batch_end(&b, fprobe_batch_filters(&b));
}

/**
 * register_fprobe() - probe the functions with a name, or like a pattern
 * @fp: the fprobe
 * @filter: a name of functions, or a pattern with "*", "?" and "[]". With "module:"
 *	in front, only functions of that module are meant. Then they are probed
 *	again when the module is loaded again. Or a list of names and patterns, with
 *	"," between them; "!" before one leaves it out, and only the first may name a
 *	module
 * @notfilter: likewise, for functions to leave out, but no list; or NULL
 *
 * The handlers may be called before this returns.
 *
 * Context: process context, may sleep. No lock may be held that a handler takes.
 * Return: 0; -EINVAL if an argument is NULL, if &fprobe.nr_maxactive is negative or too
 * large and there is an exit handler, if @notfilter is a list, or a list names a module
 * behind its first word; -E2BIG if &fprobe.entry_data_size is too large; -ENOENT if there
 * is no such function that can be traced; -EBUSY if the fprobe is registered; -ENODEV if
 * ftrace has disabled itself; -ENOMEM.
 */
int register_fprobe(struct fprobe *fp, const char *filter,
		    const char *notfilter)
{
	if (!fp || !filter)
		return -EINVAL;
	return fprobe_register_filters(&fp, &filter, notfilter, 1);
}
EXPORT_SYMBOL_GPL(register_fprobe);

/**
 * register_fprobes() - register several fprobes at once
 * @fps: the fprobes
 * @filters: for each the name or the pattern, as for register_fprobe()
 * @num: how many there are
 *
 * Most of the time that a registration takes does not depend on how many fprobes
 * there are. They are registered in this order.
 *
 * Context: as register_fprobe().
 * Return: 0, or with none of them registered the error of one, as register_fprobe().
 */
int register_fprobes(struct fprobe **fps, const char **filters, int num)
{
	int i;

	if (!fps || !filters || num <= 0)
		return -EINVAL;
	for (i = 0; i < num; i++) {
		if (!fps[i] || !filters[i])
			return -EINVAL;
	}
	return fprobe_register_filters(fps, filters, NULL, num);
}
EXPORT_SYMBOL_GPL(register_fprobes);

static int fprobe_batch_ips(struct fprobe_batch *b, const unsigned long *addrs,
			    unsigned int num)
{
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_resolve_ips(b->sites, addrs, num);
	return ret ?: fprobe_batch_arm(b);
}

/**
 * register_fprobe_ips() - probe functions by their addresses
 * @fp: the fprobe
 * @addrs: addresses of functions, or of their ftrace sites
 * @num: how many there are. One may be named twice
 *
 * Context: as register_fprobe().
 * Return: 0; -EINVAL if an address is neither, if an argument is NULL or @num is not
 * positive; else as register_fprobe().
 */
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num)
{
	struct fprobe_batch b;
	int ret;

	if (!fp || !addrs || num <= 0)
		return -EINVAL;
	ret = fprobe_batch_init(&b, &fp, 1);
	if (ret)
		return ret;
	return fprobe_batch_end(&b, fprobe_batch_ips(&b, addrs, num));
}
EXPORT_SYMBOL_GPL(register_fprobe_ips);

static int fprobe_batch_syms(struct fprobe_batch *b, const char **syms,
			     unsigned int num)
{
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_resolve_syms(b->sites, syms, num);
	return ret ?: fprobe_batch_arm(b);
}

/**
 * register_fprobe_syms() - probe functions by their names
 * @fp: the fprobe
 * @syms: the names, in any order. "module:" may be in front of one
 * @num: how many there are
 *
 * Context: as register_fprobe().
 * Return: 0; -ENOENT if for one of the names there is no function that can be traced;
 * -EINVAL if an argument or a name is NULL or @num is not positive; else as
 * register_fprobe().
 */
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num)
{
	struct fprobe_batch b;
	int ret;

	if (!fp || !syms || num <= 0)
		return -EINVAL;
	ret = fprobe_batch_init(&b, &fp, 1);
	if (ret)
		return ret;
	return fprobe_batch_end(&b, fprobe_batch_syms(&b, syms, num));
}
EXPORT_SYMBOL_GPL(register_fprobe_syms);

/**
 * fprobe_is_registered() - is an fprobe registered?
 * @fp: the fprobe, or NULL
 *
 * Context: process context, may sleep.
 * Return: whether it is.
 */
bool fprobe_is_registered(struct fprobe *fp)
{
	guard(mutex)(&fprobe_mutex);
	return fp && fprobe_registered(fp);
}

/* Those that are not registered are left out. */
static int fprobe_drop(struct fprobe **fps, int num, struct list_head *dropped)
{
	struct fprobe_slot *slot;
	int i, ret = 0;

	guard(mutex)(&fprobe_mutex);
	for (i = 0; i < num; i++) {
		slot = fps[i] ? fprobe_slot_of(fps[i]) : NULL;
		if (slot)
			fprobe_slot_drop(slot, dropped);
		else
			ret = -EINVAL;
	}
	if (!list_empty(dropped))
		fprobe_change_tidy();
	return ret;
}

/**
 * unregister_fprobe() - unregister an fprobe
 * @fp: the fprobe
 *
 * No handler of it runs any more when this returns, whatever calls are still under
 * way. It may be freed then.
 *
 * Context: process context, not within cpus_read_lock(). Sleeps for a grace period, and
 * while a CPU goes down or comes up.
 * Return: 0, or -EINVAL if it is not registered.
 */
int unregister_fprobe(struct fprobe *fp)
{
	return unregister_fprobes(&fp, 1);
}
EXPORT_SYMBOL_GPL(unregister_fprobe);

/**
 * unregister_fprobes() - unregister several fprobes at once
 * @fps: the fprobes
 * @num: how many there are
 *
 * Context: as unregister_fprobe(), for one grace period.
 * Return: 0, or -EINVAL if one was not registered, or @num is not positive. The
 * others are unregistered.
 */
int unregister_fprobes(struct fprobe **fps, int num)
{
	LIST_HEAD(dropped);
	int ret;

	if (!fps || num <= 0)
		return -EINVAL;
	ret = fprobe_drop(fps, num, &dropped);
	fprobe_release(&dropped);
	return ret;
}
EXPORT_SYMBOL_GPL(unregister_fprobes);

/**
 * fprobe_read_stats() - what is known of an fprobe
 * @fp: the fprobe
 * @stats: filled with it
 *
 * Context: process context, may sleep.
 * Return: 0, or -EINVAL if it is not registered.
 */
int fprobe_read_stats(struct fprobe *fp, struct fprobe_stats *stats)
{
	struct fprobe_slot *slot;
	unsigned int i;

	guard(mutex)(&fprobe_mutex);
	slot = fp ? fprobe_slot_of(fp) : NULL;
	if (!slot)
		return -EINVAL;
	for (i = 0; i < FPROBE_NR_MISSES; i++)
		stats->missed[i] = READ_ONCE(fp->missed[i]);
	stats->sites = fprobe_change_sites(slot);
	return 0;
}
EXPORT_SYMBOL_GPL(fprobe_read_stats);

/**
 * fprobe_list_functions() - which functions could be probed?
 * @filter: as for register_fprobe()
 * @ips: gets their sites, to be freed with kvfree()
 *
 * Context: process context, may sleep.
 * Return: their number, or an error of fprobe_count_functions().
 */
int fprobe_list_functions(const char *filter, unsigned long **ips)
{
	struct fprobe_sites sites = {};
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_resolve_filter(&sites, filter, NULL);
	if (ret) {
		fprobe_sites_free(&sites);
		return ret;
	}
	*ips = sites.ips;
	return sites.nr;
}

/**
 * fprobe_count_functions() - how many functions could be probed?
 * @filter: as for register_fprobe()
 *
 * Context: process context, may sleep.
 * Return: the number; -ENOENT if there is none, or none for a part of the filter;
 * -EINVAL if a list names a module behind its first word; -ENOMEM.
 */
int fprobe_count_functions(const char *filter)
{
	struct fprobe_sites sites = {};
	int ret;

	guard(mutex)(&fprobe_mutex);
	ret = fprobe_resolve_filter(&sites, filter, NULL);
	if (!ret)
		ret = sites.nr;
	fprobe_sites_free(&sites);
	return ret;
}
