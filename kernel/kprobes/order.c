// SPDX-License-Identifier: GPL-2.0
/*
 * The order in which the probes of a batch are looked at.
 *
 * To find out about a function takes long, and only the last function is kept.
 * Users have their probes in any order. So the probes of a batch are sorted by
 * address, unless that would change the order in which the handlers of one point
 * are called, or a probe is given by a symbol or an offset.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

/* arch_adjust_kprobe_addr() moves an address by less than this many bytes. */
#define KPROBE_BATCH_NEAR	16

static int kprobe_batch_cmp(const void *a, const void *b)
{
	struct kprobe *const *x = *(struct kprobe **const *)a;
	struct kprobe *const *y = *(struct kprobe **const *)b;

	if ((*x)->addr != (*y)->addr)
		return (*x)->addr < (*y)->addr ? -1 : 1;
	return x < y ? -1 : 1;
}

/* True if the probes are sorted, or if one has no address yet. */
static bool kprobe_batch_keep_as_is(struct kprobe **kps, int num)
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

/* True if no two probes that may be at one address change their order. */
static bool kprobe_batch_is_stable(struct kprobe ***refs, int num)
{
	int i;

	for (i = 1; i < num; i++) {
		unsigned long distance = (unsigned long)(*refs[i])->addr -
					 (unsigned long)(*refs[i - 1])->addr;

		if (refs[i] < refs[i - 1] && distance < KPROBE_BATCH_NEAR)
			return false;
	}
	return true;
}

/**
 * kprobe_sort_batch() - sort the probes of a batch by address
 * @kps: the probes
 * @num: how many there are
 *
 * Not if some are to be found by their symbols, and not if that could change
 * the order of the subscribers of a point.
 *
 * Context: process context. May sleep.
 * Return: the probes in order, to be freed with kvfree(); NULL if they are best
 * taken as they are, or there is no memory.
 */
struct kprobe **kprobe_sort_batch(struct kprobe **kps, int num)
{
	struct kprobe ***refs, **sorted;
	int i;

	if (kprobe_batch_keep_as_is(kps, num))
		return NULL;
	refs = kvmalloc_array(num, sizeof(*refs), GFP_KERNEL | __GFP_NOWARN);
	if (!refs)
		return NULL;
	for (i = 0; i < num; i++)
		refs[i] = &kps[i];
	sort(refs, num, sizeof(*refs), kprobe_batch_cmp, NULL);
	if (!kprobe_batch_is_stable(refs, num)) {
		kvfree(refs);
		return NULL;
	}
	/* From here on the array holds the probes that its entries pointed to. */
	sorted = (struct kprobe **)refs;
	for (i = 0; i < num; i++)
		sorted[i] = *refs[i];
	return sorted;
}
