/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_STATS_H
#define _KPROBES_STATS_H
/*
 * How often a point was reached, and what came of it.
 *
 * Every time that a point is reached is either a hit or a miss of the first
 * three causes. The others are counted in addition, for each subscriber: a call
 * that a return probe could not follow, and a hit that ended before a
 * subscriber's turn, since the handler of another had changed the path.
 *
 * The counters belong to a CPU, which increments them by one instruction. So
 * nothing is lost, whatever interrupts, no cache line goes from CPU to CPU, and
 * nothing is called. They are added up when somebody reads.
 */
#include <linux/percpu.h>

#include "internal.h"

struct seq_file;

/**
 * enum kprobe_miss - why handlers did not run
 * @KPROBE_MISS_RECURSION: a handler was running in the same context
 * @KPROBE_MISS_FTRACE: ftrace's guard against recursion refused the call
 * @KPROBE_MISS_DISABLED: nobody was enabled any more, or yet
 * @KPROBE_MISS_INSTANCE: a return probe had no instance left
 * @KPROBE_MISS_PATH: another subscriber's handler had changed the path
 * @KPROBE_NR_MISSES: how many causes there are
 */
enum kprobe_miss {
	KPROBE_MISS_RECURSION,
	KPROBE_MISS_FTRACE,
	KPROBE_MISS_DISABLED,
	KPROBE_MISS_INSTANCE,
	KPROBE_MISS_PATH,
	KPROBE_NR_MISSES,
};

/**
 * struct kprobe_counts - what a CPU has counted for a point
 * @hits: the handlers were called. The first, for kprobe_face_hit()
 * @missed: they were not; modulo 2^32, since the memory is for all possible
 *	CPUs and each point. KPROBE_MISS_PATH is in &kprobe_point.path_missed
 */
struct kprobe_counts {
	unsigned long hits;
	u32 missed[KPROBE_MISS_PATH];
};

/**
 * struct kprobe_totals - the sum over all CPUs
 * @hits: the handlers were called
 * @missed: they were not
 */
struct kprobe_totals {
	unsigned long hits;
	unsigned long missed[KPROBE_NR_MISSES];
};

/* dispatch.c */
void kprobe_point_missed(struct kprobe_point *pt, enum kprobe_miss why);

#ifdef CONFIG_KPROBE_STATS

static __always_inline struct kprobe_counts __percpu *
kprobe_counts_of(struct kprobe_point *pt)
{
	return (struct kprobe_counts __percpu *)pt->kp.counts;
}

static __always_inline void kprobe_count_hit(struct kprobe_point *pt)
{
	this_cpu_inc(kprobe_counts_of(pt)->hits);
}

static __always_inline void kprobe_count_miss(struct kprobe_point *pt,
					      enum kprobe_miss why)
{
	this_cpu_inc(kprobe_counts_of(pt)->missed[why]);
}

/* The point may be on its way out, and not be found any more. */
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

static inline void kprobe_count_hit(struct kprobe_point *pt) { }
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
