// SPDX-License-Identifier: GPL-2.0
/*
 * The counters of the points: their memory, their sums, and what is shown.
 *
 * Counting itself is in stats.h, and done by the hit path.
 */
#include <linux/array_size.h>
#include <linux/cpumask.h>
#include <linux/percpu.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "stats.h"

/**
 * kprobe_stats_alloc() - make the counters of a point
 * @pt: a new point, which nobody can hit yet
 *
 * Context: process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_stats_alloc(struct kprobe_point *pt)
{
	BUILD_BUG_ON(offsetof(struct kprobe_counts, hits));
	pt->kp.counts = (unsigned long __percpu *)
			alloc_percpu(struct kprobe_counts);
	return pt->kp.counts ? 0 : -ENOMEM;
}

/**
 * kprobe_stats_free() - free the counters of a point
 * @pt: a point that nobody can hit any more
 */
void kprobe_stats_free(struct kprobe_point *pt)
{
	free_percpu(kprobe_counts_of(pt));
}

/**
 * kprobe_stats_sum() - add up what the CPUs have counted
 * @pt: a point
 * @sum: the result; hits that come meanwhile may be in it or not
 */
void kprobe_stats_sum(struct kprobe_point *pt, struct kprobe_totals *sum)
{
	unsigned int cpu, i;

	memset(sum, 0, sizeof(*sum));
	for_each_possible_cpu(cpu) {
		struct kprobe_counts *c = per_cpu_ptr(kprobe_counts_of(pt), cpu);

		sum->hits += READ_ONCE(c->hits);
		for (i = 0; i < ARRAY_SIZE(c->missed); i++)
			sum->missed[i] += READ_ONCE(c->missed[i]);
	}
	sum->missed[KPROBE_MISS_PATH] = (u32)atomic_read(&pt->path_missed);
}

/**
 * arch_kprobe_mode() - how a point with a breakpoint executes its instruction
 * @p: the face of the point
 *
 * An architecture that has more than one way has its own.
 *
 * Return: "stepped", "boosted" or "emulated".
 */
const char * __weak arch_kprobe_mode(struct kprobe *p)
{
	return "stepped";
}

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
		return kprobe_disabled(&pt->kp) ? "disabled" : "disarmed";
	case KPROBE_GONE:
		return "gone";
	case KPROBE_OPTIMIZED:
		return "optimized";
	default:
		return kprobe_ftrace(&pt->kp) ? "ftrace" :
						arch_kprobe_mode(&pt->kp);
	}
}

/**
 * kprobe_stats_print_head() - name the columns that kprobe_stats_print() has
 * @m: where to
 */
void kprobe_stats_print_head(struct seq_file *m)
{
	seq_puts(m, " mode      hits recursion ftrace disabled instance path reason\n");
}

/**
 * kprobe_stats_print() - the rest of a point's line, behind its place
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
	seq_printf(m, " %s\n", reason ?: "-");
}
