// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of jprobes with what waits for the returns of calls, the function graph
 * tracer and function probes: jprobe_return() skips returns.
 */
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/sched.h>

#include "jprobe_testing.h"

static noinline __noclone int jg_inner(int x)
{
	barrier();
	jprobe_return();
	barrier();
	return x + 1;
}

static noinline __noclone int jg_outer(int x)
{
	x = jg_inner(x);
	barrier();
	return x + 1;
}

/* Ends two calls deep, in functions that the tracer would follow. */
static noinline __noclone int jg_handler(int x)
{
	jp_seen.hits++;
	jp_seen.arg = jg_outer(x);
	jp_seen.back++;
	return 0;
}

/**
 * struct jg_traced - a function that the tracer follows
 * @fn: the function
 * @site: its site of ftrace, or 0
 * @calls: how many calls the tracer has seen
 * @returns: how many returns
 */
struct jg_traced {
	void *fn;
	unsigned long site;
	unsigned int calls;
	unsigned int returns;
};

enum { JG_HANDLER, JG_OUTER, JG_INNER, JG_TRACED, JG_TRACED2 };

/* Called by the task of the test only. */
static struct jg_traced jg_traced[] = {
	[JG_HANDLER] = { jg_handler },
	[JG_OUTER] = { jg_outer },
	[JG_INNER] = { jg_inner },
	[JG_TRACED] = { ktest_traced },
	[JG_TRACED2] = { ktest_traced2 },
};

static notrace struct jg_traced *jg_find(unsigned long site)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(jg_traced); i++) {
		if (jg_traced[i].site == site)
			return &jg_traced[i];
	}
	return NULL;
}

static notrace int jg_call(struct ftrace_graph_ent *trace, struct fgraph_ops *gops)
{
	struct jg_traced *t = jg_find(trace->func);

	if (t)
		t->calls++;
	return !!t;
}

static notrace void jg_return(struct ftrace_graph_ret *trace, struct fgraph_ops *gops)
{
	struct jg_traced *t = jg_find(trace->func);

	if (t)
		t->returns++;
}

static struct fgraph_ops jg_ops;

static void jg_free_filter(void *unused)
{
	ftrace_free_filter(&jg_ops.ops);
}

static void jg_stop(void *unused)
{
	unregister_ftrace_graph(&jg_ops);
}

/* Follow the functions until the end of the test. */
static void jg_start(struct kunit *test)
{
	struct jg_traced *t;
	int i;

	jg_ops = (struct fgraph_ops){ .entryfunc = jg_call, .retfunc = jg_return };
	ktest_set_at_end(test, jg_free_filter, NULL);
	for (i = 0; i < ARRAY_SIZE(jg_traced); i++) {
		t = &jg_traced[i];
		t->calls = 0;
		t->returns = 0;
		t->site = ftrace_location((unsigned long)t->fn);
		KUNIT_ASSERT_NE(test, 0, t->site);
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&jg_ops.ops, t->site, 0, 0));
	}
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&jg_ops));
	ktest_set_at_end(test, jg_stop, NULL);
}

static void jg_expect(struct kunit *test, int i, unsigned int calls)
{
	KUNIT_EXPECT_EQ_MSG(test, calls, jg_traced[i].calls, "%ps", jg_traced[i].fn);
	KUNIT_EXPECT_EQ_MSG(test, calls, jg_traced[i].returns, "%ps", jg_traced[i].fn);
}

/* What a handler calls is not followed; all the rest is, during that and after. */
static __nocfi void jg_paused(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jg_handler));
	int n, depth;

	jg_start(test);
	depth = current->curr_ret_stack;
	jp_register(test, jp);
	for (n = 0; n < KTEST_CALLS; n++) {
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
		KUNIT_EXPECT_EQ(test, n + 1, ktest_traced2(n));
	}
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 0, jp_seen.back);
	jg_expect(test, JG_HANDLER, 0);
	jg_expect(test, JG_OUTER, 0);
	jg_expect(test, JG_INNER, 0);
	jg_expect(test, JG_TRACED, way->fn == ktest_traced ? KTEST_CALLS : 0);
	jg_expect(test, JG_TRACED2, KTEST_CALLS);
	KUNIT_EXPECT_EQ(test, depth, current->curr_ret_stack);
	unregister_jprobe(jp);
	/* Not in a handler: it comes back, and all of them are followed. */
	KUNIT_EXPECT_EQ(test, 0, jg_handler(1));
	KUNIT_EXPECT_EQ(test, 3, jp_seen.arg);
	jg_expect(test, JG_HANDLER, 1);
	jg_expect(test, JG_OUTER, 1);
	jg_expect(test, JG_INNER, 1);
	KUNIT_EXPECT_EQ(test, depth, current->curr_ret_stack);
}

static unsigned int jg_entries, jg_exits;

static int jg_enter(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	jg_entries++;
	return 0;
}

static void jg_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	jg_exits++;
}

static struct fprobe jg_fprobe;

static void jg_unhook(void *unused)
{
	unregister_fprobe(&jg_fprobe);
}

static void jg_hook(struct kunit *test)
{
	unsigned long sites[] = { (unsigned long)jg_outer, (unsigned long)jg_inner };

	if (!IS_ENABLED(CONFIG_FPROBE))
		kunit_skip(test, "no function probes");
	jg_entries = 0;
	jg_exits = 0;
	jg_fprobe = (struct fprobe){ .entry_handler = jg_enter, .exit_handler = jg_exit };
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&jg_fprobe, sites, ARRAY_SIZE(sites)));
	ktest_set_at_end(test, jg_unhook, NULL);
}

/* Of function probes, no call is left that they wait for. */
static __nocfi void jg_hooked(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jg_handler));
	struct llist_node *newest = rethook_newest_call();
	int n;

	jg_hook(test);
	jp_register(test, jp);
	for (n = 0; n < KTEST_CALLS; n++) {
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
		KUNIT_EXPECT_PTR_EQ(test, newest, rethook_newest_call());
	}
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 2 * KTEST_CALLS, jg_entries);
	KUNIT_EXPECT_EQ(test, 0, jg_exits);
	unregister_jprobe(jp);
	KUNIT_EXPECT_EQ(test, 0, jg_handler(1));
	KUNIT_EXPECT_EQ(test, 2, jg_exits);
	KUNIT_EXPECT_PTR_EQ(test, newest, rethook_newest_call());
}

static struct kunit_case jg_cases[] = {
	KUNIT_CASE_PARAM(jg_hooked, jp_ways_gen),
	KUNIT_CASE_PARAM(jg_paused, jp_ways_gen),
	{}
};

static struct kunit_suite jg_suite = {
	.name = "kprobes_jprobe_graph",
	.test_cases = jg_cases,
};

kunit_test_suite(jg_suite);
