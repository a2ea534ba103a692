// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the probes of a batch are looked at.
 *
 * To learn all about a function takes long, and what is known is that of the
 * last one. Users have their probes in any order. So a batch goes by address.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

/* Those of one address stay in the order in which they are to be called. */
static int kprobe_order_cmp(const void *a, const void *b)
{
	struct kprobe *const *x = *(struct kprobe **const *)a;
	struct kprobe *const *y = *(struct kprobe **const *)b;

	if ((*x)->addr != (*y)->addr)
		return (*x)->addr < (*y)->addr ? -1 : 1;
	return x < y ? -1 : 1;
}

static bool kprobe_in_order(struct kprobe **kps, int num)
{
	while (--num > 0) {
		if (kps[num - 1]->addr > kps[num]->addr)
			return false;
	}
	return true;
}

/**
 * kprobe_batch_order() - sort the probes of a batch by address
 * @kps: the probes; those that are found by their symbol come first
 * @num: how many there are
 *
 * Context: process context. May sleep.
 * Return: the probes in order, to be freed with kvfree(); NULL if they are in
 * order as they are, or there is no memory.
 */
struct kprobe **kprobe_batch_order(struct kprobe **kps, int num)
{
	struct kprobe ***at, **sorted;
	int i;

	if (kprobe_in_order(kps, num))
		return NULL;
	at = kvmalloc_array(num, sizeof(*at), GFP_KERNEL);
	if (!at)
		return NULL;
	for (i = 0; i < num; i++)
		at[i] = &kps[i];
	sort(at, num, sizeof(*at), kprobe_order_cmp, NULL);
	sorted = (struct kprobe **)at;
	for (i = 0; i < num; i++)
		sorted[i] = *at[i];
	return sorted;
}
