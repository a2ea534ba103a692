/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_STATS_H
#define _KPROBES_STATS_H
/*
 * How often a point was hit and missed.
 *
 * Each time that a CPU reaches a point it is counted once: as a hit, which means
 * here that handlers are called, or as a miss of the first three causes. Two things
 * are counted in addition to a hit. Where the architecture calls the post handlers in
 * a frame of their own, and that is refused, that is a miss of its cause, a recursion.
 * The other causes are counted for each subscriber: a call for which a return probe had
 * no instance, and a hit that ended before the subscriber was called, since the handler
 * of another one had changed the path.
 *
 * Each CPU counts its hits by one instruction, in a counter of its own. So no
 * interrupt can lose one, no cache line goes from CPU to CPU, and no function
 * is called. They are added up when the file is read. Misses are rare: the CPUs
 * share the counters of these, and a point takes no memory for them on each
 * CPU.
 */
#include <linux/atomic.h>
#include <linux/percpu.h>

#include "internal.h"

struct seq_file;

/**
 * struct kprobe_totals - the sum over all CPUs
 * @hits: how often the handlers were called
 * @missed: how often they were not, by cause
 */
struct kprobe_totals {
	unsigned long hits;
	unsigned long missed[KPROBE_NR_MISSES];
};

/* dispatch.c */
void kprobe_point_missed(struct kprobe_point *pt, enum kprobe_miss why);

#ifdef CONFIG_KPROBE_STATS

/**
 * kprobe_count_miss() - count a miss of a point
 * @pt: the point
 * @why: the cause
 *
 * Context: any.
 */
static __always_inline void kprobe_count_miss(struct kprobe_point *pt,
					      enum kprobe_miss why)
{
	raw_atomic_inc(&pt->missed[why]);
}

/**
 * kprobe_count_miss_at() - count a miss of the point at an address
 * @addr: the address; if there is no point any more, nothing is counted
 * @why: the cause
 *
 * Context: any, preemption disabled.
 */
static __always_inline void kprobe_count_miss_at(kprobe_opcode_t *addr,
						 enum kprobe_miss why)
{
	struct kprobe_point *pt = kprobe_table_find(addr);

	if (pt)
		kprobe_count_miss(pt, why);
}

/* stats.c */
int kprobe_stats_alloc(struct kprobe_point *pt);
void kprobe_stats_free(struct kprobe_point *pt);
void kprobe_stats_sum(struct kprobe_point *pt, struct kprobe_totals *sum);
const char *kprobe_stats_mode(struct kprobe_point *pt);
void kprobe_stats_print(struct seq_file *m, struct kprobe_point *pt);
void kprobe_stats_print_head(struct seq_file *m);

#else /* !CONFIG_KPROBE_STATS */

static inline void kprobe_count_miss(struct kprobe_point *pt,
				     enum kprobe_miss why) { }
static inline void kprobe_count_miss_at(kprobe_opcode_t *addr,
					enum kprobe_miss why) { }
static inline int kprobe_stats_alloc(struct kprobe_point *pt) { return 0; }
static inline void kprobe_stats_free(struct kprobe_point *pt) { }
static inline void kprobe_stats_print(struct seq_file *m,
				      struct kprobe_point *pt) { }
static inline void kprobe_stats_print_head(struct seq_file *m) { }

#endif /* CONFIG_KPROBE_STATS */

#endif /* _KPROBES_STATS_H */
