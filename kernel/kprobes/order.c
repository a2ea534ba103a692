// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the probes of a batch are looked at.
 *
 * To learn all about a function takes long, and what is known is that of the
 * last one. Users have their probes in any order. So a batch goes by address if
 * nobody can tell the difference.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

/* An architecture may mean another place than the address that it is given. */
#define KPROBE_ORDER_NEAR	16

static int kprobe_order_cmp(const void *a, const void *b)
{
	struct kprobe *const *x = *(struct kprobe **const *)a;
	struct kprobe *const *y = *(struct kprobe **const *)b;

	if ((*x)->addr != (*y)->addr)
		return (*x)->addr < (*y)->addr ? -1 : 1;
	return x < y ? -1 : 1;
}

/* Where there is nothing to be sorted, or not by what is known yet. */
static bool kprobe_order_leave(struct kprobe **kps, int num)
{
	bool sorted = true;
	int i;

	for (i = 0; i < num; i++) {
		if (!kps[i]->addr || kps[i]->offset)
			return true;
		sorted = sorted && (!i || kps[i - 1]->addr <= kps[i]->addr);
	}
	return sorted;
}

/* Those of one place are called in the order in which they came. */
static bool kprobe_order_keeps_turns(struct kprobe ***at, int num)
{
	int i;

	for (i = 1; i < num; i++) {
		unsigned long distance = (unsigned long)(*at[i])->addr -
					 (unsigned long)(*at[i - 1])->addr;

		if (at[i] < at[i - 1] && distance < KPROBE_ORDER_NEAR)
			return false;
	}
	return true;
}

/**
 * kprobe_batch_order() - sort the probes of a batch by address
 * @kps: the probes
 * @num: how many there are
 *
 * Not if some are to be found by their symbols, and not if that could change who
 * is called first at a place.
 *
 * Context: process context. May sleep.
 * Return: the probes in order, to be freed with kvfree(); NULL if they are best
 * taken as they are, or there is no memory.
 */
struct kprobe **kprobe_batch_order(struct kprobe **kps, int num)
{
	struct kprobe ***at, **sorted;
	int i;

	if (kprobe_order_leave(kps, num))
		return NULL;
	at = kvmalloc_array(num, sizeof(*at), GFP_KERNEL | __GFP_NOWARN);
	if (!at)
		return NULL;
	for (i = 0; i < num; i++)
		at[i] = &kps[i];
	sort(at, num, sizeof(*at), kprobe_order_cmp, NULL);
	if (!kprobe_order_keeps_turns(at, num)) {
		kvfree(at);
		return NULL;
	}
	sorted = (struct kprobe **)at;
	for (i = 0; i < num; i++)
		sorted[i] = *at[i];
	return sorted;
}
