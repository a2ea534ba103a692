// SPDX-License-Identifier: GPL-2.0
/*
 * Points on ftrace sites are reached through ftrace.
 *
 * Two ftrace_ops call the architecture's handler. One also claims IPMODIFY,
 * the right to change the instruction pointer, which ftrace gives to one owner
 * per function: so a live patch and a probe that redirects one function do not
 * silently override each other. A post handler is taken as the sign of such a
 * probe, as fault injection uses it. If such a probe is registered at a point
 * that is armed without IPMODIFY, a third ftrace_ops claims it and does nothing
 * else: to move the point from the first to the second would lose hits, or
 * count them twice.
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/list.h>
#include <linux/workqueue.h>

#include "ftrace.h"
#include "internal.h"

/**
 * struct kprobe_ftrace_ops - an ftrace_ops and its users
 * @ops: what is registered with ftrace
 * @users: how many sites are in its filter
 */
struct kprobe_ftrace_ops {
	struct ftrace_ops ops;
	unsigned int users;
};

/* Indexed by &kprobe_point.ipmodify. Under kprobe_mutex. */
static struct kprobe_ftrace_ops kprobe_ftrace_ops[2] = {
	{ .ops = {
		.func = kprobe_ftrace_handler,
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	} },
	{ .ops = {
		.func = kprobe_ftrace_handler,
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	} },
};

/* For points with &kprobe_point.ipmodify_claimed. Under kprobe_mutex. */
static struct kprobe_ftrace_ops kprobe_ftrace_claim_ops = {
	.ops = {
		.func = kprobe_ftrace_no_handler,
		.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
	},
};

/* At most how often sites are added if a user of direct calls there is busy. */
#define KPROBE_FTRACE_TRIES	10

/* The sites that ftrace is called for. Under kprobe_mutex. */
static unsigned long kprobe_ftrace_ips[KPROBE_CHUNK];

/*
 * An ftrace_ops with an empty filter would be called for every function. One
 * that is not registered may have sites in its filter that could not be taken
 * out for want of memory: the first sites that are put in replace them.
 */
static int kprobe_ftrace_try_add(struct kprobe_ftrace_ops *kops,
				 unsigned long *ips, unsigned int nr)
{
	int ret = ftrace_set_filter_ips(&kops->ops, ips, nr, 0, !kops->users);

	if (ret)
		return ret;
	if (!kops->users) {
		ret = register_ftrace_function(&kops->ops);
		if (ret) {
			ftrace_set_filter_ips(&kops->ops, ips, nr, 1, 0);
			return ret;
		}
	}
	kops->users += nr;
	return 0;
}

/*
 * A user of direct calls there is told of IPMODIFY; of its end, if this is not the last
 * site that ends, it is not, and BPF goes on without its shortcut. While BPF is busy, it
 * waits for a millisecond and says -EAGAIN.
 */
static int kprobe_ftrace_add(struct kprobe_ftrace_ops *kops, unsigned long *ips,
			     unsigned int nr)
{
	int tries = 0, ret;

	do {
		ret = kprobe_ftrace_try_add(kops, ips, nr);
	} while (ret == -EAGAIN && ++tries < KPROBE_FTRACE_TRIES);
	return ret;
}

static int kprobe_ftrace_del(struct kprobe_ftrace_ops *kops, unsigned long *ips,
			     unsigned int nr)
{
	int ret;

	if (kops->users == nr) {
		ret = unregister_ftrace_function(&kops->ops);
		if (ret)
			return ret;
		kops->users = 0;
		ftrace_set_filter_ips(&kops->ops, ips, nr, 1, 0);
		return 0;
	}
	ret = ftrace_set_filter_ips(&kops->ops, ips, nr, 1, 0);
	if (!ret)
		kops->users -= nr;
	return ret;
}

/* Without memory, a site stays in the filter. As it is of no use there, it does not count. */
static void kprobe_ftrace_forget(struct kprobe_ftrace_ops *kops)
{
	if (!--kops->users)
		unregister_ftrace_function(&kops->ops);
}

/**
 * kprobe_forget_ftrace() - the text of a point goes away
 * @pt: a point, which may be on an ftrace site
 *
 * There was no memory to take the site out of the filter, if it is still there. Another
 * module may get its address, and a probe there: then it is in the filter already, and
 * counted once.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_forget_ftrace(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (pt->filtered)
		kprobe_ftrace_forget(&kprobe_ftrace_ops[pt->ipmodify]);
	if (pt->ipmodify_claimed)
		kprobe_ftrace_forget(&kprobe_ftrace_claim_ops);
	WRITE_ONCE(pt->filtered, false);
	pt->ipmodify_claimed = false;
}

/* Put the sites of the @pts with this @ipmodify in the filter, or take them out. */
static int kprobe_ftrace_apply(struct kprobe_point **pts, unsigned int num,
			       bool ipmodify, bool add)
{
	struct kprobe_ftrace_ops *kops = &kprobe_ftrace_ops[ipmodify];
	unsigned long *ips = kprobe_ftrace_ips;
	unsigned int i, nr = 0;
	int ret;

	for (i = 0; i < num; i++) {
		if (pts[i]->ipmodify == ipmodify && pts[i]->filtered != add)
			ips[nr++] = (unsigned long)pts[i]->probe.addr;
	}
	if (!nr)
		return 0;
	ret = add ? kprobe_ftrace_add(kops, ips, nr) :
		    kprobe_ftrace_del(kops, ips, nr);
	for (i = 0; i < num && !ret; i++) {
		if (pts[i]->ipmodify == ipmodify)
			WRITE_ONCE(pts[i]->filtered, add);
	}
	return ret;
}

/**
 * kprobe_arm_ftrace() - have ftrace call the handler for several points
 * @pts: the points
 * @num: how many there are, at most KPROBE_CHUNK
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0, or with nothing armed: -ENODEV (ftrace is dead), -EBUSY (another
 * ftrace_ops may change the instruction pointer there, or has a direct call that
 * cannot be shared), -EAGAIN (such a one is busy), -ENOMEM.
 */
int kprobe_arm_ftrace(struct kprobe_point **pts, unsigned int num)
{
	unsigned int i;
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_ftrace_disabled)
		return -ENODEV;
	for (i = 0; i < num; i++)
		pts[i]->ipmodify = pts[i]->posts;
	ret = kprobe_ftrace_apply(pts, num, false, true);
	if (ret)
		return ret;
	ret = kprobe_ftrace_apply(pts, num, true, true);
	if (ret)
		kprobe_ftrace_apply(pts, num, false, false);
	return ret;
}

/* Collect the sites of @pts whose IPMODIFY was claimed later, or was not. */
static unsigned int kprobe_ipmodify_sites(struct kprobe_point **pts,
					  unsigned int num, bool claimed)
{
	unsigned long *ips = kprobe_ftrace_ips;
	unsigned int i, nr = 0;

	for (i = 0; i < num; i++) {
		if (!pts[i]->ipmodify &&
		    pts[i]->ipmodify_claimed == claimed)
			ips[nr++] = (unsigned long)pts[i]->probe.addr;
	}
	return nr;
}

static void kprobe_ipmodify_mark(struct kprobe_point **pts, unsigned int num,
				 bool claimed)
{
	unsigned int i;

	for (i = 0; i < num; i++)
		pts[i]->ipmodify_claimed = claimed && !pts[i]->ipmodify;
}

/**
 * kprobe_claim_ipmodify() - claim IPMODIFY for points that are armed already
 * @pts: armed points on ftrace sites
 * @num: how many there are, at most KPROBE_CHUNK
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0, or with nothing claimed that was not: -EBUSY (another user may
 * change the instruction pointer there), -EAGAIN, -ENOMEM, -ENODEV.
 */
int kprobe_claim_ipmodify(struct kprobe_point **pts, unsigned int num)
{
	unsigned int nr = kprobe_ipmodify_sites(pts, num, false);
	struct kprobe_ftrace_ops *kops = &kprobe_ftrace_claim_ops;
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	if (!nr)
		return 0;
	if (kprobe_ftrace_disabled)
		return -ENODEV;
	ret = kprobe_ftrace_add(kops, kprobe_ftrace_ips, nr);
	if (!ret)
		kprobe_ipmodify_mark(pts, num, true);
	return ret;
}

static int kprobe_release_ipmodify(struct kprobe_point **pts, unsigned int num)
{
	unsigned int nr = kprobe_ipmodify_sites(pts, num, true);
	struct kprobe_ftrace_ops *kops = &kprobe_ftrace_claim_ops;
	int ret;

	if (!nr)
		return 0;
	ret = kprobe_ftrace_del(kops, kprobe_ftrace_ips, nr);
	if (!ret)
		kprobe_ipmodify_mark(pts, num, false);
	return ret;
}

static void kprobe_claim_later_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(kprobe_claim_later_work, kprobe_claim_later_fn);

/*
 * What ftrace goes on to call must keep the claim that it had. There was no memory to
 * disarm it, so there may be none for this either: then a work tries again, as it does
 * if a direct call is busy. If another has the right now (-EBUSY), there is nothing to
 * wait for.
 */
static void kprobe_claim_or_later(struct kprobe_point *pt)
{
	int ret = kprobe_claim_ipmodify(&pt, 1);

	if (ret == -ENOMEM || ret == -EAGAIN)
		queue_delayed_work(system_long_wq, &kprobe_claim_later_work, HZ);
}

/* Points that could not be disarmed, and have their text and post handlers still. */
static void kprobe_claim_later_fn(struct work_struct *work)
{
	struct kprobe_point *pt;

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(pt, &kprobe_points, all) {
		if (kprobe_point_armed(pt) && pt->filtered && pt->posts)
			kprobe_claim_or_later(pt);
	}
}

static void kprobe_claim_again(struct kprobe_point **pts, unsigned int num,
			       const unsigned long *claimed)
{
	unsigned int i;

	for_each_set_bit(i, claimed, num) {
		if (pts[i]->filtered)
			kprobe_claim_or_later(pts[i]);
	}
}

/**
 * kprobe_disarm_ftrace() - have ftrace call the handler no more
 * @pts: the points
 * @num: how many there are, at most KPROBE_CHUNK
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0, or the first error of ftrace; then this may be tried again, with
 * all of the points or with one at a time.
 */
int kprobe_disarm_ftrace(struct kprobe_point **pts, unsigned int num)
{
	DECLARE_BITMAP(claimed, KPROBE_CHUNK);
	unsigned int i;
	int ret;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_ftrace_disabled)
		return 0;
	bitmap_zero(claimed, KPROBE_CHUNK);
	for (i = 0; i < num; i++)
		__assign_bit(i, claimed, pts[i]->ipmodify_claimed);
	ret = kprobe_release_ipmodify(pts, num);
	if (ret)
		return ret;
	ret = kprobe_ftrace_apply(pts, num, false, false) ?:
	      kprobe_ftrace_apply(pts, num, true, false);
	if (ret)
		kprobe_claim_again(pts, num, claimed);
	return ret;
}
