// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of the points: their memory, their sums, and what is shown.
 *
 * Counting itself is in stats.h, and done by the hit path.
 */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/xarray.h>

#include "stats.h"

/* How many points share an allocation: as many as a word has bits. */
#define KPROBE_BLOCK_POINTS	BITS_PER_LONG

/**
 * struct kprobe_hits - what a CPU has counted for some points
 * @hits: a counter for each of them
 *
 * Its alignment is its size, so its address follows from that of a counter.
 */
struct kprobe_hits {
	unsigned long hits[KPROBE_BLOCK_POINTS];
};

/**
 * struct kprobe_hits_block - the counters of some points
 * @list: links the blocks, those with room first
 * @used: which counters are in use
 * @hits: the counters
 *
 * An allocation for each point would take thousands of instructions.
 */
struct kprobe_hits_block {
	struct list_head list;
	unsigned long used;
	struct kprobe_hits __percpu *hits;
};

/* Guards the blocks. Taken inside of kprobe_mutex, or alone. */
static DEFINE_MUTEX(kprobe_hits_mutex);
static LIST_HEAD(kprobe_hits_blocks);

/* The blocks, by the address of the first CPU's counters. */
static DEFINE_XARRAY(kprobe_hits_by_address);

static unsigned long kprobe_hits_index(const void __percpu *p)
{
	int cpu = cpumask_first(cpu_possible_mask);

	return (unsigned long)per_cpu_ptr(p, cpu) / sizeof(struct kprobe_hits);
}

static void kprobe_hits_block_free(struct kprobe_hits_block *b)
{
	free_percpu(b->hits);
	kfree(b);
}

static struct kprobe_hits_block *kprobe_hits_block_new(void)
{
	struct kprobe_hits_block *b = kzalloc(sizeof(*b), GFP_KERNEL);

	if (!b)
		return NULL;
	b->hits = __alloc_percpu(sizeof(*b->hits), sizeof(*b->hits));
	if (!b->hits ||
	    xa_is_err(xa_store(&kprobe_hits_by_address,
			       kprobe_hits_index(b->hits), b, GFP_KERNEL))) {
		kprobe_hits_block_free(b);
		return NULL;
	}
	list_add(&b->list, &kprobe_hits_blocks);
	return b;
}

static struct kprobe_hits_block *kprobe_hits_block_with_room(void)
{
	struct kprobe_hits_block *b;

	b = list_first_entry_or_null(&kprobe_hits_blocks,
				     struct kprobe_hits_block, list);
	return b && ~b->used ? b : kprobe_hits_block_new();
}

/**
 * kprobe_stats_alloc() - make the counters of a point
 * @pt: a new point, which no CPU can hit yet
 *
 * Context: process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_stats_alloc(struct kprobe_point *pt)
{
	struct kprobe_hits_block *b;
	unsigned int i, cpu;

	guard(mutex)(&kprobe_hits_mutex);
	b = kprobe_hits_block_with_room();
	if (!b)
		return -ENOMEM;
	i = ffz(b->used);
	__set_bit(i, &b->used);
	if (!~b->used)
		list_move_tail(&b->list, &kprobe_hits_blocks);
	pt->hot.hit_counts = &b->hits->hits[i];
	/* The counters may have been those of another point. */
	for_each_possible_cpu(cpu)
		WRITE_ONCE(*per_cpu_ptr(pt->hot.hit_counts, cpu), 0);
	return 0;
}

/**
 * kprobe_stats_free() - free the counters of a point
 * @pt: a point that no CPU can hit any more
 *
 * Context: process context. May sleep.
 */
void kprobe_stats_free(struct kprobe_point *pt)
{
	unsigned long index = kprobe_hits_index(pt->hot.hit_counts);
	struct kprobe_hits_block *b;

	guard(mutex)(&kprobe_hits_mutex);
	b = xa_load(&kprobe_hits_by_address, index);
	if (WARN_ON_ONCE(!b))
		return;
	__clear_bit(pt->hot.hit_counts - b->hits->hits, &b->used);
	list_move(&b->list, &kprobe_hits_blocks);
	/* The last block stays, for the next point. */
	if (b->used || list_is_singular(&kprobe_hits_blocks))
		return;
	list_del(&b->list);
	xa_erase(&kprobe_hits_by_address, index);
	kprobe_hits_block_free(b);
}

/**
 * kprobe_stats_sum() - add up what has been counted
 * @pt: a point
 * @sum: the result; it may contain hits that occur meanwhile
 */
void kprobe_stats_sum(struct kprobe_point *pt, struct kprobe_totals *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu)
		sum->hits += READ_ONCE(*per_cpu_ptr(pt->hot.hit_counts, cpu));
	for (i = 0; i < KPROBE_NR_MISSES; i++)
		sum->missed[i] = (u32)atomic_read(&pt->missed[i]);
}

static const char * const kprobe_way_names[] = {
	[KPROBE_WAY_STEPPED]	= "stepped",
	[KPROBE_WAY_BOOSTED]	= "boosted",
	[KPROBE_WAY_STUB]	= "stub",
	[KPROBE_WAY_EMULATED]	= "emulated",
	[KPROBE_WAY_DETOUR]	= "detour",
};

/**
 * kprobe_stats_mode() - how a point is reached now
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 * Return: a word.
 */
const char *kprobe_stats_mode(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	switch (pt->state) {
	case KPROBE_DISARMED:
		return kprobe_disabled(&pt->probe) ? "disabled" : "disarmed";
	case KPROBE_GONE:
		return "gone";
	case KPROBE_OPTIMIZED:
		return "optimized";
	default:
		if (kprobe_ftrace(&pt->probe))
			return "ftrace";
		return kprobe_way_names[arch_kprobe_way(&pt->probe)];
	}
}

/**
 * kprobe_stats_print_head() - print the names of kprobe_stats_print()'s columns
 * @m: where to
 */
void kprobe_stats_print_head(struct seq_file *m)
{
	seq_puts(m, " mode      hits recursion ftrace disabled instance path uncalled reason\n");
}

/* How many subscribers have a handler that is never called? */
static unsigned int kprobe_uncalled(struct kprobe_point *pt)
{
	unsigned int n = 0;
	struct kprobe *kp;

	list_for_each_entry(kp, &pt->hot.subs, list)
		n += kp->fault_handler && !kprobe_has_fault_handler(kp);
	return n;
}

/**
 * kprobe_stats_print() - print the rest of a point's line, behind its location
 * @m: where to
 * @pt: the point
 *
 * Context: kprobe_mutex held.
 */
void kprobe_stats_print(struct seq_file *m, struct kprobe_point *pt)
{
	const char *reason = kprobe_optimizer_reason(pt);
	struct kprobe_totals sum;
	unsigned int i;

	kprobe_stats_sum(pt, &sum);
	seq_printf(m, " %-9s %lu", kprobe_stats_mode(pt), sum.hits);
	for (i = 0; i < KPROBE_NR_MISSES; i++)
		seq_printf(m, " %lu", sum.missed[i]);
	seq_printf(m, " %u %s\n", kprobe_uncalled(pt), reason ?: "-");
}
