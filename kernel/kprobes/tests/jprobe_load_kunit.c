// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of handlers of jprobes that run on several CPUs while others come and go,
 * and of stack traces from within a handler.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/stacktrace.h>

#include "jprobe_testing.h"

/**
 * struct jl_way - a way in which a point is reached
 * @name: what to call it
 * @fn: a function whose entry is reached like this
 */
struct jl_way {
	const char *name;
	int (*fn)(int x);
};

static const struct jl_way jl_ways[] = {
	{ "ftrace", ktest_traced },
	{ "breakpoint", ktest_fixed },
	{ "jump", ktest_plain },
};

KUNIT_ARRAY_PARAM_DESC(jl_ways, jl_ways, name);

#define JL_CALLERS	3
/* How long others come and go, and how many calls that are at least. */
#define JL_LOAD		msecs_to_jiffies(300)
#define JL_CALLS	100

static atomic_t jl_hits;

static noinline int jl_return_from(int depth)
{
	int kept[4] = {};

	barrier_data(kept);
	if (!depth)
		jprobe_return();
	else
		kept[0] = jl_return_from(depth - 1);
	barrier_data(kept);
	return kept[0];
}

static int jl_handler(int x)
{
	atomic_inc(&jl_hits);
	return jl_return_from(x % 4);
}

static int jl_handler_returns(int x)
{
	return 0;
}

static int jl_handler_ends(int x)
{
	jprobe_return();
	return 0;
}

/* Returns how often a registration failed. */
static unsigned int jl_come_and_go(struct kunit *test, struct ktest_caller **c)
{
	const struct jl_way *way = test->param_value;
	struct jprobe *a = jp_alloc(test, way->fn, JPROBE_ENTRY(jl_handler_returns));
	struct jprobe *b = jp_alloc(test, way->fn, JPROBE_ENTRY(jl_handler_ends));
	unsigned long end = jiffies + JL_LOAD;
	unsigned int errors = 0;

	while (time_before(jiffies, end) || READ_ONCE(c[0]->calls) < JL_CALLS) {
		errors += !!register_jprobe(a);
		errors += !!register_jprobe(b);
		usleep_range(50, 100);
		unregister_jprobe(a);
		usleep_range(50, 100);
		unregister_jprobe(b);
	}
	return errors;
}

/* Each call on each CPU is a hit of the one that stays. */
static void jl_load(struct kunit *test)
{
	const struct jl_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jl_handler));
	struct ktest_caller *c[JL_CALLERS];
	unsigned long calls = 0;
	int i;

	jp_register(test, jp);
	atomic_set(&jl_hits, 0);
	for (i = 0; i < JL_CALLERS; i++)
		c[i] = ktest_caller_start(test, way->fn);
	KUNIT_EXPECT_EQ(test, 0, jl_come_and_go(test, c));
	for (i = 0; i < JL_CALLERS; i++) {
		ktest_caller_stop(c[i]);
		KUNIT_EXPECT_EQ(test, 0, c[i]->wrong);
		calls += c[i]->calls;
	}
	KUNIT_EXPECT_GE(test, calls, JL_CALLS);
	KUNIT_EXPECT_EQ(test, calls, atomic_read(&jl_hits));
	KUNIT_EXPECT_EQ(test, 0, jp->kp.nmissed);
}

#ifdef CONFIG_STACKTRACE
#define JL_ENTRIES	64

static unsigned long jl_trace[JL_ENTRIES];
static unsigned int jl_entries;

static void jl_save_trace(int x)
{
	jl_entries = stack_trace_save(jl_trace, JL_ENTRIES, 0);
}

/* Where in the trace is @fn? A number past its end if it is not there. */
static unsigned int jl_find(void *fn)
{
	unsigned long size, offset;
	unsigned int i;

	for (i = 0; i < jl_entries; i++) {
		if (kallsyms_lookup_size_offset(jl_trace[i], &size, &offset) &&
		    jl_trace[i] - offset == (unsigned long)fn)
			break;
	}
	return i;
}

static noinline __nocfi int jl_caller(struct kunit *test)
{
	const struct jl_way *way = test->param_value;
	int ret = way->fn(1);

	barrier();
	return ret;
}

/*
 * It leads from the handler to the function that has called the probed one; or to the
 * next one, since at its entry a function has no frame yet.
 */
static void jl_traces(struct kunit *test)
{
	const struct jl_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler));

	jp_register(test, jp);
	jp_seen.then = jl_save_trace;
	KUNIT_EXPECT_EQ(test, 2, jl_caller(test));
	KUNIT_EXPECT_LT(test, jl_find(jl_traces), jl_entries);
	/* A guess shows them in any order, and others with them. */
	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		return;
	KUNIT_EXPECT_LT(test, jl_find(jp_handler), jl_find(jl_traces));
	if (!IS_ENABLED(CONFIG_UNWINDER_FRAME_POINTER)) {
		KUNIT_EXPECT_LT(test, jl_find(jp_handler), jl_find(jl_caller));
		KUNIT_EXPECT_LT(test, jl_find(jl_caller), jl_find(jl_traces));
	}
}
#endif

#define JL_CASE(fn)	KUNIT_CASE_PARAM(fn, jl_ways_gen_params)

static struct kunit_case jl_cases[] = {
	JL_CASE(jl_load),
#ifdef CONFIG_STACKTRACE
	JL_CASE(jl_traces),
#endif
	{}
};

static struct kunit_suite jl_suite = {
	.name = "kprobes_jprobe_load",
	.test_cases = jl_cases,
};

kunit_test_suite(jl_suite);
