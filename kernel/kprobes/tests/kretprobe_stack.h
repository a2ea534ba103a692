/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_KRETPROBE_STACK_H
#define _KPROBES_TESTS_KRETPROBE_STACK_H
/*
 * The instances of return probes without rethook, counted. The hit path takes
 * them with preemption disabled; to hold some needs nothing.
 */
#include <kunit/test.h>
#include <linux/preempt.h>

#include "../kretprobe.h"

/* More than any pool of these tests has. */
#define KENG_MAX	16

/**
 * keng_take_all() - take instances until there are none
 * @rp: the kretprobe
 * @ri: where to put them
 * @max: how many there is room for
 *
 * Return: how many.
 */
static inline unsigned int keng_take_all(struct kretprobe *rp,
					 struct kretprobe_instance **ri,
					 unsigned int max)
{
	unsigned int n = 0;

	guard(preempt)();
	while (n < max && (ri[n] = kretprobe_get(rp)))
		n++;
	return n;
}

/**
 * keng_give_back() - give instances back
 * @ri: the instances
 * @n: how many
 */
static inline void keng_give_back(struct kretprobe_instance **ri, unsigned int n)
{
	guard(preempt)();
	while (n)
		kretprobe_put(ri[--n]);
}

/**
 * keng_count_free() - how many instances are not in use
 * @rp: the kretprobe
 */
static inline unsigned int keng_count_free(struct kretprobe *rp)
{
	struct kretprobe_instance *ri[KENG_MAX];
	unsigned int n = keng_take_all(rp, ri, KENG_MAX);

	keng_give_back(ri, n);
	return n;
}

#endif /* _KPROBES_TESTS_KRETPROBE_STACK_H */
