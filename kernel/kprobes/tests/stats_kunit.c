// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the counters: that each hit and each miss is counted once,
 * where it belongs, in each way in which a point can be reached.
 */
#include <linux/cpu.h>
#include <linux/ftrace.h>
#include <linux/smp.h>
#include <linux/string.h>

#include "../stats.h"
#include "crowd.h"
#include "ways.h"

static const void *stats_ways(const void *prev, char *desc)
{
	const struct ktest_way *way = prev ? (const struct ktest_way *)prev + 1 : ktest_ways;

	if (!way->name)
		return NULL;
	strscpy(desc, way->name, KUNIT_PARAM_DESC_SIZE);
	return way;
}

static const char *stats_mode(struct ktest_probe *p)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_stats_mode(kprobe_find_registered(&p->kp));
}

static struct ktest_probe *stats_alloc(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = ktest_probe_alloc(test, way->at ?: way->fn);

	if (way->post)
		p->kp.post_handler = ktest_post;
	if (way->fault)
		p->kp.fault_handler = ktest_fault;
	return p;
}

/* Register, and wait until the point is reached as it shall be. */
static void stats_register(struct kunit *test, struct ktest_probe *p)
{
	const struct ktest_way *way = test->param_value;

	if (way->mode && !strcmp(way->mode, "ftrace"))
		ktest_need_ftrace(test);
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	if (way->mode)
		KUNIT_ASSERT_STREQ(test, way->mode, stats_mode(p));
}

static __nocfi void stats_calls(struct kunit *test, int n)
{
	const struct ktest_way *way = test->param_value;

	while (n--)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
}

/* The figures of a point, all of them. */
#define STATS_EXPECT_PATH(test, pt, hits, recursion, ftrace, off, instance, path) \
	stats_expect(test, pt, (const unsigned long[])			\
		     { hits, recursion, ftrace, off, instance, path }, __LINE__)
#define STATS_EXPECT(test, pt, hits, recursion, ftrace, off, instance)	\
	STATS_EXPECT_PATH(test, pt, hits, recursion, ftrace, off, instance, 0)

static void stats_expect(struct kunit *test, struct kprobe_point *pt,
			 const unsigned long *want, int line)
{
	struct kprobe_totals sum;
	int i;

	kprobe_stats_sum(pt, &sum);
	KUNIT_EXPECT_EQ_MSG(test, want[0], sum.hits, "line %d: hits", line);
	for (i = 0; i < KPROBE_NR_MISSES; i++)
		KUNIT_EXPECT_EQ_MSG(test, want[i + 1], sum.missed[i],
				    "line %d: cause %d", line, i);
}

/* Each call is a hit, and counted from the registration on. */
static void stats_hits(struct kunit *test)
{
	struct ktest_probe *p = stats_alloc(test);
	int i;

	for (i = 0; i < 2; i++) {
		stats_register(test, p);
		STATS_EXPECT(test, ktest_point(p), 0, 0, 0, 0, 0);
		stats_calls(test, KTEST_CALLS);
		STATS_EXPECT(test, ktest_point(p), KTEST_CALLS, 0, 0, 0, 0);
		unregister_kprobe(&p->kp);
	}
}

/* One hit, however many there are to be called, and whatever they have. */
static void stats_subscribers(struct kunit *test)
{
	struct ktest_probe *p = stats_alloc(test), *q = stats_alloc(test);

	p->kp.pre_handler = NULL;
	stats_register(test, p);
	stats_calls(test, KTEST_CALLS);
	STATS_EXPECT(test, ktest_point(p), KTEST_CALLS, 0, 0, 0, 0);
	stats_register(test, q);
	stats_calls(test, KTEST_CALLS);
	STATS_EXPECT(test, ktest_point(p), 2 * KTEST_CALLS, 0, 0, 0, 0);
	unregister_kprobe(&p->kp);
	stats_calls(test, 1);
	STATS_EXPECT(test, ktest_point(q), 2 * KTEST_CALLS + 1, 0, 0, 0, 0);
}

static int stats_elsewhere(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)ktest_other);
	return 1;
}

/* A hit is one also when a handler takes another path. */
static __nocfi void stats_changed_path(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = stats_alloc(test);
	int i;

	ktest_heed_path(test);
	p->then = stats_elsewhere;
	stats_register(test, p);
	for (i = 0; i < KTEST_CALLS; i++)
		way->fn(i);
	STATS_EXPECT(test, ktest_point(p), KTEST_CALLS, 0, 0, 0, 0);
}

/* And one that an older subscriber has missed. */
static __nocfi void stats_path(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *older = stats_alloc(test), *p = stats_alloc(test);
	int i;

	ktest_heed_path(test);
	stats_register(test, older);
	p->then = stats_elsewhere;
	stats_register(test, p);
	for (i = 0; i < KTEST_CALLS; i++)
		way->fn(i);
	STATS_EXPECT_PATH(test, ktest_point(p), KTEST_CALLS, 0, 0, 0, 0,
			  KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, older, 0, 0, KTEST_CALLS);
}

static int (*stats_inner)(int x);

static __nocfi int stats_call_inner(struct ktest_probe *p, struct pt_regs *regs)
{
	stats_inner(1);
	return 0;
}

/* What a handler calls is missed, and that is the inner point's affair. */
static void stats_recursion(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *outer = ktest_probe_alloc(test, ktest_break2);
	struct ktest_probe *p = stats_alloc(test);
	int i;

	stats_inner = way->fn;
	outer->then = stats_call_inner;
	ktest_register(test, outer);
	stats_register(test, p);
	for (i = 0; i < KTEST_CALLS; i++)
		ktest_break2(i);
	STATS_EXPECT(test, ktest_point(outer), KTEST_CALLS, 0, 0, 0, 0);
	STATS_EXPECT(test, ktest_point(p), 0, KTEST_CALLS, 0, 0, 0);
	stats_calls(test, 3);
	STATS_EXPECT(test, ktest_point(p), 3, KTEST_CALLS, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, (int)p->kp.nmissed);
}

/* As far as the hit path can see: what stands in the text is left alone. */
static void stats_switch(struct ktest_probe *p, bool on)
{
	guard(mutex)(&kprobe_mutex);
	if (on)
		p->kp.flags &= ~KPROBE_FLAG_DISABLED;
	else
		p->kp.flags |= KPROBE_FLAG_DISABLED;
	kprobe_update_handlers(kprobe_find_registered(&p->kp));
}

static void stats_switch_on(void *p)
{
	stats_switch(p, true);
}

/* The moment between switching off and disarming, made longer. */
static __nocfi void stats_disabled(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = stats_alloc(test);
	int i;

	ktest_need_frames(test, "a jump to a disabled point need not be counted");
	stats_register(test, p);
	ktest_set_at_end(test, stats_switch_on, p);
	stats_switch(p, false);
	stats_calls(test, KTEST_CALLS);
	STATS_EXPECT(test, ktest_point(p), 0, 0, 0, KTEST_CALLS, 0);
	/* In a handler it makes no difference. */
	kprobe_busy_begin();
	for (i = 0; i < 5; i++)
		way->fn(i);
	kprobe_busy_end();
	STATS_EXPECT(test, ktest_point(p), 0, 0, 0, KTEST_CALLS + 5, 0);
	stats_switch(p, true);
	stats_calls(test, 2);
	STATS_EXPECT(test, ktest_point(p), 2, 0, 0, KTEST_CALLS + 5, 0);
	KTEST_EXPECT_COUNTS(test, p, 2, way->post ? 2 : 0, 0);
}

/* Once it is disarmed nothing is counted, and nothing forgotten. */
static void stats_disarmed(struct kunit *test)
{
	struct ktest_probe *p = stats_alloc(test);
	const char *mode;

	stats_register(test, p);
	mode = stats_mode(p);
	stats_calls(test, KTEST_CALLS);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	KUNIT_EXPECT_STREQ(test, "disabled", stats_mode(p));
	stats_calls(test, KTEST_CALLS);
	STATS_EXPECT(test, ktest_point(p), KTEST_CALLS, 0, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_STREQ(test, mode, stats_mode(p));
	stats_calls(test, 1);
	STATS_EXPECT(test, ktest_point(p), KTEST_CALLS + 1, 0, 0, 0, 0);
}

static void stats_rearm(void *unused)
{
	kprobe_set_all_disarmed(false);
}

static void stats_all_disarmed(struct kunit *test)
{
	struct ktest_probe *p = stats_alloc(test);

	stats_register(test, p);
	ktest_set_at_end(test, stats_rearm, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	KUNIT_EXPECT_STREQ(test, "disarmed", stats_mode(p));
	stats_calls(test, KTEST_CALLS);
	STATS_EXPECT(test, ktest_point(p), 0, 0, 0, 0, 0);
}

static __nocfi void stats_call_on_cpu(void *data)
{
	int (*fn)(int x) = data;
	int i;

	for (i = 0; i <= (int)smp_processor_id(); i++)
		fn(i);
}

/* Each CPU has its own, and the sum is of all of them. */
static void stats_cpus(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = stats_alloc(test);
	struct kprobe_point *pt;
	unsigned long all = 0;
	int cpu;

	stats_register(test, p);
	/* kprobe_mutex is taken outside of the CPUs' lock. */
	pt = ktest_point(p);
	cpus_read_lock();
	for_each_online_cpu(cpu)
		smp_call_function_single(cpu, stats_call_on_cpu, way->fn, 1);
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, cpu + 1,
				*per_cpu_ptr(pt->hot.hit_counts, cpu));
		all += cpu + 1;
	}
	cpus_read_unlock();
	STATS_EXPECT(test, pt, all, 0, 0, 0, 0);
}

/* A call of each point's function. */
static __nocfi void stats_register_many(struct kunit *test, struct ktest_probe **p,
					unsigned int num)
{
	unsigned int i, j;

	for (i = 0; i < num; i++) {
		ktest_register(test, p[i]);
		for (j = 0; j < num; j++)
			KUNIT_ASSERT_EQ(test, j + 2, ktest_crowd[j](1));
	}
}

/* More points than share an allocation. */
static void stats_many(struct kunit *test)
{
	struct ktest_probe *p[2 * BITS_PER_LONG + 2];
	unsigned int i, calls, bad = 0;

	BUILD_BUG_ON(ARRAY_SIZE(p) > KTEST_CROWD);
	for (i = 0; i < ARRAY_SIZE(p); i++)
		p[i] = ktest_probe_alloc(test, ktest_crowd[i]);
	stats_register_many(test, p, ARRAY_SIZE(p));
	/* The first ones go, and come again: nothing is left of what was counted. */
	for (i = 0; i < BITS_PER_LONG; i++)
		unregister_kprobe(&p[i]->kp);
	kprobe_retire_flush();
	stats_register_many(test, p, BITS_PER_LONG);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		struct kprobe_totals sum;

		kprobe_stats_sum(ktest_point(p[i]), &sum);
		calls = i < BITS_PER_LONG ? BITS_PER_LONG - i : ARRAY_SIZE(p) - i;
		bad += sum.hits != calls;
	}
	KUNIT_EXPECT_EQ(test, 0, bad);
}

/* Without memory for the counters there is no point, and nothing is left. */
static void stats_no_memory(struct kunit *test)
{
	struct ktest_probe *fail = ktest_probe_alloc(test, kprobe_stats_alloc);
	struct ktest_probe *p = stats_alloc(test);

	ktest_heed_path(test);
	ktest_need_redirect(test, kprobe_stats_alloc);
	stats_register(test, p);
	unregister_kprobe(&p->kp);
	fail->then = ktest_no_memory;
	ktest_register(test, fail);
	KUNIT_EXPECT_EQ(test, -ENOMEM, register_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&fail->pre));
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(p->kp.addr));
	stats_calls(test, KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
	unregister_kprobe(&fail->kp);
	stats_register(test, p);
	stats_calls(test, 1);
	STATS_EXPECT(test, ktest_point(p), 1, 0, 0, 0, 0);
}

static noinline __noclone int stats_recurse(int depth)
{
	int below = depth ? stats_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

static void stats_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

/* The entry was hit, but the return is not followed. */
static void stats_instance(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, stats_recurse);
	struct kretprobe *rp;

	rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->kp.addr = ktest_entry(stats_recurse);
	rp->maxactive = 3;
	ktest_register(test, p);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ktest_set_at_end(test, stats_unregister, rp);
	KUNIT_EXPECT_EQ(test, 20, stats_recurse(19));
	STATS_EXPECT(test, ktest_point(p), 20, 0, 0, 0, 17);
	KUNIT_EXPECT_EQ(test, 17, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 0, (int)rp->kp.nmissed);
	KUNIT_EXPECT_EQ(test, 3, stats_recurse(2));
	STATS_EXPECT(test, ktest_point(p), 23, 0, 0, 0, 17);
}

/* A return probe whose entry is not reached has missed a call. */
static void stats_path_return(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, stats_recurse);
	struct kretprobe *rp;

	rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rp);
	ktest_heed_path(test);
	ktest_need_redirect(test, stats_recurse);
	rp->kp.addr = ktest_entry(stats_recurse);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ktest_set_at_end(test, stats_unregister, rp);
	p->then = stats_elsewhere;
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, 1007, stats_recurse(7));
	STATS_EXPECT_PATH(test, ktest_point(p), 1, 0, 0, 0, 0, 1);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 1, (int)rp->kp.nmissed);
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static int stats_depth;

/*
 * A second user of both functions, so that ftrace calls its users one after the
 * other. Its guard lets the first call in a call pass: it might have come from
 * an interrupt. So it refuses the third.
 */
static void notrace stats_nest(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	if (stats_depth == 2)
		return;
	if (stats_depth++)
		ktest_traced(1);
	else
		ktest_traced2(1);
}

static struct ftrace_ops stats_ops = { .func = stats_nest };

static void stats_drop_ops(void *unused)
{
	unregister_ftrace_function(&stats_ops);
	/* The suite may be run again: no filter is as good as one that was never set. */
	ftrace_set_filter(&stats_ops, NULL, 0, 1);
}

static void stats_add_ops(struct kunit *test)
{
	unsigned long ips[] = {
		ftrace_location((unsigned long)ktest_traced),
		ftrace_location((unsigned long)ktest_traced2),
	};

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&stats_ops, ips, 2, 0, 0));
	/* Idle until the test wants it. */
	stats_depth = 2;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&stats_ops));
	ktest_set_at_end(test, stats_drop_ops, NULL);
}

static void stats_ftrace(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *q = ktest_probe_alloc(test, ktest_traced2);
	int i;

	ktest_need_ftrace(test);
	ktest_register(test, p);
	ktest_register(test, q);
	stats_add_ops(test);
	for (i = 0; i < KTEST_CALLS; i++) {
		preempt_disable();
		stats_depth = 0;
		ktest_traced(1);
		preempt_enable();
	}
	STATS_EXPECT(test, ktest_point(p), KTEST_CALLS, 0, KTEST_CALLS, 0, 0);
	STATS_EXPECT(test, ktest_point(q), KTEST_CALLS, 0, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, (int)p->kp.nmissed);
}

/* A guard of ftrace's that keeps calls from others is no miss of ours. */
static void stats_ftrace_disarmed(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_traced);

	ktest_need_ftrace(test);
	ktest_register(test, p);
	ktest_set_at_end(test, stats_rearm, NULL);
	KUNIT_ASSERT_EQ(test, 0, kprobe_set_all_disarmed(true));
	preempt_disable();
	kprobe_ftrace_missed((unsigned long)p->kp.addr);
	preempt_enable();
	STATS_EXPECT(test, ktest_point(p), 0, 0, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, (int)p->kp.nmissed);
	KUNIT_ASSERT_EQ(test, 0, kprobe_set_all_disarmed(false));
	kprobe_ftrace_missed((unsigned long)p->kp.addr);
	STATS_EXPECT(test, ktest_point(p), 0, 0, 1, 0, 0);
}
#endif /* CONFIG_KPROBES_ON_FTRACE */

/* The text is gone, the figures stay until it is unregistered. */
static void stats_gone(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_traced);
	struct kprobe_point *pt;
	unsigned long addr;

	ktest_register(test, p);
	pt = ktest_point(p);
	addr = (unsigned long)p->kp.addr;
	ktest_traced(1);
	kprobe_kill_range(addr, addr + 1);
	ktest_traced(1);
	KUNIT_EXPECT_STREQ(test, "gone", stats_mode(p));
	STATS_EXPECT(test, pt, 1, 0, 0, 0, 0);
}

#define STATS_CASE(fn)	KUNIT_CASE_PARAM(fn, stats_ways)

static struct kunit_case stats_cases[] = {
	STATS_CASE(stats_hits),
	STATS_CASE(stats_subscribers),
	STATS_CASE(stats_changed_path),
	STATS_CASE(stats_path),
	STATS_CASE(stats_recursion),
	STATS_CASE(stats_disabled),
	STATS_CASE(stats_disarmed),
	STATS_CASE(stats_all_disarmed),
	STATS_CASE(stats_cpus),
	STATS_CASE(stats_no_memory),
	KUNIT_CASE(stats_many),
	KUNIT_CASE(stats_instance),
	KUNIT_CASE(stats_path_return),
#ifdef CONFIG_KPROBES_ON_FTRACE
	KUNIT_CASE(stats_ftrace),
	KUNIT_CASE(stats_ftrace_disarmed),
#endif
	KUNIT_CASE(stats_gone),
	{}
};

static struct kunit_suite stats_suite = {
	.name = "kprobes_stats",
	.test_cases = stats_cases,
};

kunit_test_suite(stats_suite);
