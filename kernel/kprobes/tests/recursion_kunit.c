// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of hits in handlers: each is a miss of each probe that is hit, and
 * the probed code is executed. All of it for each way in which a point can be
 * reached.
 */
#include <linux/context_tracking.h>
#include <linux/ring_buffer.h>
#include <linux/trace_events.h>

#include "testing.h"

/**
 * struct recursion_way - a way in which a point is reached
 * @name: what to call it
 * @fn: a function whose entry is reached like this
 * @inner: another one, called by handlers
 * @jump: it is optimized, where jumps are for all handlers
 */
struct recursion_way {
	const char *name;
	int (*fn)(int x);
	int (*inner)(int x);
	bool jump;
};

static const struct recursion_way recursion_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", ktest_traced, ktest_traced2 },
#endif
	{ "breakpoint", ktest_fixed, ktest_break },
	{ "jump", ktest_plain, ktest_plain2, .jump = true },
};

KUNIT_ARRAY_PARAM_DESC(recursion_ways, recursion_ways, name);

static struct ktest_probe *recursion_probe(struct kunit *test)
{
	const struct recursion_way *way = test->param_value;

	return ktest_probe_alloc(test, way->fn);
}

/* Register, and wait until the point is reached as it shall be. */
static void recursion_register(struct kunit *test, struct ktest_probe *p)
{
	const struct recursion_way *way = test->param_value;

	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	ktest_assert_way(test, p, way->fn, way->jump);
}

static __nocfi int recursion_call(struct kunit *test, int x)
{
	const struct recursion_way *way = test->param_value;

	return way->fn(x);
}

static int (*recursion_inner)(int x);

static __nocfi int recursion_call_inner(struct ktest_probe *p, struct pt_regs *regs)
{
	recursion_inner(1);
	return 0;
}

/* Probes that are hit in a handler miss it: each of them, each time. */
static __nocfi void recursion_pre(struct kunit *test)
{
	struct ktest_probe *outer = recursion_probe(test), *in[3];
	int w, i, n;

	outer->then = recursion_call_inner;
	recursion_register(test, outer);
	for (w = 0; w < ARRAY_SIZE(recursion_ways); w++) {
		recursion_inner = recursion_ways[w].inner;
		for (i = 0; i < 3; i++) {
			in[i] = ktest_probe_alloc(test, recursion_inner);
			ktest_register(test, in[i]);
		}
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&in[2]->kp));
		wait_for_kprobe_optimizer();
		for (n = 0; n < KTEST_CALLS; n++)
			KUNIT_EXPECT_EQ(test, n + 1, recursion_call(test, n));
		KTEST_EXPECT_COUNTS(test, outer, (w + 1) * KTEST_CALLS, 0, 0);
		/* A probe that is disabled misses nothing. */
		KTEST_EXPECT_COUNTS(test, in[0], 0, 0, KTEST_CALLS);
		KTEST_EXPECT_COUNTS(test, in[1], 0, 0, KTEST_CALLS);
		KTEST_EXPECT_COUNTS(test, in[2], 0, 0, 0);
		KUNIT_EXPECT_EQ(test, 2, recursion_inner(1));
		KTEST_EXPECT_COUNTS(test, in[0], 1, 0, KTEST_CALLS);
		for (i = 0; i < 3; i++)
			unregister_kprobe(&in[i]->kp);
	}
}

static __nocfi void recursion_post_inner(struct kprobe *kp, struct pt_regs *regs,
					 unsigned long flags)
{
	ktest_post(kp, regs, flags);
	recursion_inner(1);
}

/* Likewise in a post handler. */
static void recursion_post(struct kunit *test)
{
	struct ktest_probe *outer = recursion_probe(test), *in;
	int w, n;

	outer->kp.post_handler = recursion_post_inner;
	recursion_register(test, outer);
	for (w = 0; w < ARRAY_SIZE(recursion_ways); w++) {
		recursion_inner = recursion_ways[w].inner;
		in = ktest_probe_alloc(test, recursion_inner);
		in->kp.post_handler = ktest_post;
		ktest_register(test, in);
		for (n = 0; n < KTEST_CALLS; n++)
			KUNIT_EXPECT_EQ(test, n + 1, recursion_call(test, n));
		KTEST_EXPECT_COUNTS(test, in, 0, 0, KTEST_CALLS);
		unregister_kprobe(&in->kp);
	}
	n = ARRAY_SIZE(recursion_ways) * KTEST_CALLS;
	KTEST_EXPECT_COUNTS(test, outer, n, n, 0);
}

/* A handler may even call the function it is a handler of. */
static void recursion_self(struct kunit *test)
{
	const struct recursion_way *way = test->param_value;
	struct ktest_probe *p = recursion_probe(test);
	int n;

	recursion_inner = way->fn;
	p->then = recursion_call_inner;
	recursion_register(test, p);
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, recursion_call(test, n));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, KTEST_CALLS);
}

#ifndef __ARCH_WANT_KPROBE_FRAMES
/* What a task has left that died in a handler keeps later hits from being processed. */
static void recursion_died(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	struct kprobe *left;

	ktest_register(test, p);
	local_irq_disable();
	__this_cpu_write(current_kprobe, &p->kp);
	kprobe_flush_frames();
	left = kprobe_running();
	reset_current_kprobe();
	local_irq_enable();
	KUNIT_EXPECT_NULL(test, left);
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}
#endif

#if defined(CONFIG_RCU_TRACE) && defined(CONFIG_EVENT_TRACING) && \
	defined(CONFIG_CONTEXT_TRACKING_IDLE)
#define RECURSION_RCU_EVENT

static void recursion_no_event(void *unused)
{
	trace_set_clr_event("rcu", "rcu_watching", 0);
}

/*
 * RCU is told of an NMI, and writes an event. A breakpoint may be told like an NMI: that
 * of a probe in what the event calls must not lead to an event.
 */
static void recursion_rcu_event(struct kunit *test)
{
	struct ktest_probe *in = ktest_probe_alloc(test, ring_buffer_lock_reserve);

	if (IS_ENABLED(CONFIG_OPTPROBES))
		ktest_optimization(test, false);
	ktest_register(test, in);
	KUNIT_EXPECT_FALSE(test, kprobe_ftrace(&in->kp));
	KUNIT_ASSERT_EQ(test, 0, trace_set_clr_event("rcu", "rcu_watching", 1));
	ktest_set_at_end(test, recursion_no_event, NULL);
	local_irq_disable();
	ct_nmi_enter();
	ct_nmi_exit();
	local_irq_enable();
	recursion_no_event(NULL);
	KUNIT_EXPECT_GE(test, atomic_read(&in->pre), 2);
}
#endif

#define RECURSION_CASE(fn)	KUNIT_CASE_PARAM(fn, recursion_ways_gen_params)

static struct kunit_case recursion_cases[] = {
	RECURSION_CASE(recursion_pre),
	RECURSION_CASE(recursion_post),
	RECURSION_CASE(recursion_self),
#ifdef RECURSION_RCU_EVENT
	KUNIT_CASE(recursion_rcu_event),
#endif
#ifndef __ARCH_WANT_KPROBE_FRAMES
	KUNIT_CASE(recursion_died),
#endif
	{}
};

static struct kunit_suite recursion_suite = {
	.name = "kprobes_recursion",
	.test_cases = recursion_cases,
};

kunit_test_suite(recursion_suite);
