// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes: is a structure registered?
 *
 * It is its user's memory, which was perhaps never cleared, or has been changed since it
 * was registered. So its links and flags are not believed: it is looked for among the
 * subscribers of points.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/printk.h>

#include "internal.h"

static bool kprobe_subscribes(struct kprobe *kp, struct kprobe_point *pt)
{
	struct kprobe *sub;

	list_for_each_entry(sub, &pt->hot.subs, list) {
		if (sub == kp)
			return true;
	}
	return false;
}

static struct kprobe_point *kprobe_find_at(struct kprobe *kp, kprobe_opcode_t *addr)
{
	struct kprobe_point *pt = kprobe_table_find(addr);

	return pt && kprobe_subscribes(kp, pt) ? pt : NULL;
}

/* Among those whose text is gone: at @addr, or anywhere if that is NULL. */
static struct kprobe_point *kprobe_find_gone(struct kprobe *kp, kprobe_opcode_t *addr)
{
	struct kprobe_point *pt;

	/* Others are not in the list, which may be long. */
	if (!kprobe_gone(kp))
		return NULL;
	list_for_each_entry(pt, &kprobe_gone_points, end) {
		if (addr && addr != pt->probe.addr)
			continue;
		if (kprobe_subscribes(kp, pt))
			return pt;
	}
	return NULL;
}

/**
 * kprobe_find_registered() - the point that a probe subscribes to
 * @kp: perhaps a registered probe. The user owns it, so its links are not
 *	trusted
 *
 * Context: kprobe_mutex held.
 * Return: the point, or NULL when @kp is not registered.
 */
struct kprobe_point *kprobe_find_registered(struct kprobe *kp)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_find_at(kp, kp->addr) ?: kprobe_find_gone(kp, kp->addr);
}

/**
 * kprobe_left_registered() - has a probe been left somewhere?
 * @kp: one that kprobe_find_registered() has not found by its address. This walks over
 *	all points
 *
 * Context: process context, without kprobe_mutex. May sleep.
 * Return: whether it subscribes to a point.
 */
bool kprobe_left_registered(struct kprobe *kp)
{
	struct kprobe_point *pt;

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(pt, &kprobe_points, all) {
		if (kprobe_subscribes(kp, pt))
			return true;
	}
	return false;
}

/**
 * kprobe_refuse_twice() - say that a structure is registered already
 * @kp: the kprobe, or that of a return probe
 *
 * Return: -EINVAL
 */
int kprobe_refuse_twice(struct kprobe *kp)
{
	if (kp->addr)
		pr_warn("%pS: probe is registered already\n", kp->addr);
	else
		pr_warn("%s: probe is registered already\n", kp->symbol_name);
	return -EINVAL;
}

/**
 * kprobe_refuse_registered() - refuse a probe that is registered
 * @kp: a probe that is to be registered. If it is already, its user may have cleared
 *	its address since, or set it anew
 * @addr: the address that it resolves to
 *
 * Context: kprobe_mutex held.
 * Return: 0, or -EINVAL
 */
int kprobe_refuse_registered(struct kprobe *kp, kprobe_opcode_t *addr)
{
	if (kprobe_find_at(kp, kp->addr) || kprobe_find_gone(kp, NULL))
		return kprobe_refuse_twice(kp);
	if (addr != kp->addr && kprobe_find_at(kp, addr))
		return kprobe_refuse_twice(kp);
	return 0;
}

/**
 * kprobe_own_point() - the point that a kprobe is part of
 * @kp: a kprobe; that of a point is not its user's to register
 *
 * Context: kprobe_mutex held.
 * Return: the point, or NULL.
 */
struct kprobe_point *kprobe_own_point(struct kprobe *kp)
{
	struct kprobe_point *pt = kprobe_table_find(kp->addr);

	return pt && &pt->probe == kp ? pt : NULL;
}
