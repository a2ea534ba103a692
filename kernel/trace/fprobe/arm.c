// SPDX-License-Identifier: GPL-2.0
/*
 * Arming: what ftrace is told.
 *
 * For each way there is one ftrace_ops, whose filter has the sites of the way's
 * table. They are static, so that ftrace need not wait for tasks that may be in their
 * trampolines when they are taken out: the callbacks may be called at any time, and
 * find nothing in the table then. To change a filter is expensive (ftrace walks over
 * all functions of the kernel, twice), however many sites change. So the sites of
 * many fprobes are armed at once.
 *
 * A site too many in a filter costs time, and does no harm else. So if one cannot be
 * taken out, it is tried again when the next one is.
 */
#include <linux/ftrace.h>

#include "../trace.h"
#include "internal.h"

/**
 * struct fprobe_filter - what ftrace knows of a way
 * @ops: registered while the filter has sites: without any it would be called for
 *	all functions
 * @registered: whether it is
 * @stale: there may be sites in the filter that the table does not have
 */
struct fprobe_filter {
	struct ftrace_ops ops;
	bool registered;
	bool stale;
};

/* Under fprobe_mutex. */
static struct fprobe_filter fprobe_filters[FPROBE_NR_WAYS] = {
	[FPROBE_FULL] = { .ops = {
		.func = fprobe_full_callback,
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	} },
#ifdef FPROBE_HAS_ARGS
	[FPROBE_ARGS] = { .ops = {
		.func = fprobe_args_callback,
		.flags = FTRACE_OPS_FL_SAVE_ARGS,
	} },
#endif
};

/* Make the filter what the table is. */
static int fprobe_filter_renew(enum fprobe_way way)
{
	struct fprobe_filter *f = &fprobe_filters[way];
	struct fprobe_sites all = {};
	struct fprobe_entry *e;
	unsigned int pos = 0;
	int ret = 0;

	while (!ret && (e = fprobe_table_next(way, &pos))) {
		/* ftrace may have forgotten a site that was freed. */
		if (ftrace_location(e->ip) == e->ip)
			ret = fprobe_sites_add(&all, e->ip);
	}
	if (!ret && all.nr)
		ret = ftrace_set_filter_ips(&f->ops, all.ips, all.nr, 0, 1);
	f->stale = ret || !all.nr;
	fprobe_sites_free(&all);
	return ret;
}

static void fprobe_filter_clear(struct fprobe_filter *f)
{
	if (unregister_ftrace_function(&f->ops))
		return;
	f->registered = false;
	f->stale = false;
	ftrace_set_filter(&f->ops, NULL, 0, 1);
}

static int fprobe_filter_start(struct fprobe_filter *f,
			       struct fprobe_sites *sites)
{
	int ret;

	ret = ftrace_set_filter_ips(&f->ops, sites->ips, sites->nr, 0, 1);
	if (!ret)
		ret = register_ftrace_function(&f->ops);
	f->registered = !ret;
	return ret;
}

/**
 * fprobe_arm() - have ftrace call out from some sites
 * @way: in which way
 * @sites: the sites; those that it does call out from do not matter. They are in
 *	the table
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0, or an error of ftrace, with some sites armed perhaps: -EINVAL if one is
 * none, -ENOMEM, -EBUSY, or -ENODEV if ftrace is dead.
 */
int fprobe_arm(enum fprobe_way way, struct fprobe_sites *sites)
{
	struct fprobe_filter *f = &fprobe_filters[way];
	int ret;

	lockdep_assert_held(&fprobe_mutex);
	if (ftrace_is_dead())
		return -ENODEV;
	if (!sites->nr)
		return 0;
	if (!f->registered)
		return fprobe_filter_start(f, sites);
	ret = ftrace_set_filter_ips(&f->ops, sites->ips, sites->nr, 0, 0);
	/* If ftrace dies of it, that is not said. */
	if (!ret && ftrace_is_dead())
		ret = -ENODEV;
	f->stale |= !!ret;
	return ret;
}

/**
 * fprobe_disarm() - have ftrace call out from some sites no more
 * @way: in which way
 * @sites: the sites, which are not in the table any more; NULL if there was no
 *	memory to collect them
 *
 * Context: process context, fprobe_mutex held. May sleep.
 */
void fprobe_disarm(enum fprobe_way way, struct fprobe_sites *sites)
{
	struct fprobe_filter *f = &fprobe_filters[way];

	lockdep_assert_held(&fprobe_mutex);
	if (!f->registered)
		return;
	if (!fprobe_table_live(way)) {
		fprobe_filter_clear(f);
		return;
	}
	if (sites && !sites->nr && !f->stale)
		return;
	if (!sites || f->stale ||
	    ftrace_set_filter_ips(&f->ops, sites->ips, sites->nr, 1, 0))
		fprobe_filter_renew(way);
}
