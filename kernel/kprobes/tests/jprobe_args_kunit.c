// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the arguments that handlers of jprobes have: these are compared with
 * those that the function is called with, and the function must not notice what the
 * handler does to its own.
 */
#include <linux/irq_work.h>
#include <linux/stdarg.h>
#include <linux/string.h>

#include "jprobe_targets.h"
#include "testing.h"

/**
 * struct jargs_way - a way in which a point is reached
 * @name: what to call it
 * @traced: it is an ftrace site
 * @jump: points may be optimized
 */
struct jargs_way {
	const char *name;
	bool traced;
	bool jump;
};

static const struct jargs_way jargs_ways[] = {
	{ "ftrace", .traced = true },
	{ "breakpoint" },
	{ "jump", .jump = true },
};

KUNIT_ARRAY_PARAM_DESC(jargs_ways, jargs_ways, name);

/* What the handlers have found, and whether they call jprobe_return(). */
static u64 jargs_seen;
static unsigned int jargs_hits;
static bool jargs_just_return;

static void jargs_note(u64 sum)
{
	jargs_seen = sum;
	jargs_hits++;
}

static void jargs_spoil(void **arg, int n)
{
	while (n--)
		jt_spoil(arg[n], 1);
}

static void jargs_end(void)
{
	if (!jargs_just_return)
		jprobe_return();
}

#define JARGS_END(...)							\
do {									\
	void *arg[] = { __VA_ARGS__ };					\
									\
	jargs_spoil(arg, ARRAY_SIZE(arg));				\
	jargs_end();							\
} while (0)

static JT_ONE(jargs_one)
{
	jargs_note(JT_SUM(a));
	JARGS_END(&a);
	return 0;
}

static JT_SIX(jargs_six)
{
	jargs_note(JT_SUM(a, b, c, d, e, g));
	JARGS_END(&a, &b, &c, &d, &e, &g);
	return 0;
}

static JT_SEVEN(jargs_seven)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h);
	return 0;
}

static JT_EIGHT(jargs_eight)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i);
	return 0;
}

static JT_NINE(jargs_nine)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i, j));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i, &j);
	return 0;
}

static JT_TEN(jargs_ten)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i, j, k));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i, &j, &k);
	return 0;
}

static JT_ELEVEN(jargs_eleven)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i, j, k, l));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i, &j, &k, &l);
	return 0;
}

static JT_TWELVE(jargs_twelve)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i, j, k, l, m));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i, &j, &k, &l, &m);
	return 0;
}

static JT_SMALL(jargs_small)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i, j));
	JARGS_END(&a, &b, &d, &e, &g, &h, &i);
	return 0;
}

static JT_WIDE(jargs_wide)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h);
	return 0;
}

static JT_ASM(jargs_asm)
{
	jargs_note(JT_SUM(a, b, c, d, e, g, h, i));
	JARGS_END(&a, &b, &c, &d, &e, &g, &h, &i);
	return 0;
}

static JT_PAIR(jargs_pair)
{
	jargs_note(JT_SUM(a, p.a, p.b, b, q.a, q.b));
	JARGS_END(&a, &p.a, &p.b, &b, &q.a, &q.b);
	return 0;
}

static JT_BIG(jargs_big)
{
	jargs_note(JT_SUM(s.c[0], s.c[1], s.c[2], a, big.v[0], big.v[1],
			  big.v[2], big.v[3], big.v[4], p.a, p.b, b));
	JARGS_END(&s, &a, &big.v[0], &big.v[4], &p.a, &p.b, &b);
	return 0;
}

static JT_HUGE(jargs_huge)
{
	jargs_note(jt_sum_bytes(huge.byte, sizeof(huge.byte)));
	jt_spoil(&huge, sizeof(huge));
	jargs_end();
	return 0;
}

static JT_VARIADIC(jargs_variadic)
{
	unsigned int left = n;
	u64 sum = n;
	va_list list;

	va_start(list, n);
	while (left--)
		sum = sum * 31 + va_arg(list, long);
	va_end(list);
	jargs_note(sum);
	JARGS_END(&n);
	return 0;
}

/* What the compiler hands over to put the result in belongs to the function. */
static JT_STRUCT(jargs_struct)
{
	jargs_note(JT_SUM(a, b, a + b, a - b, a * b));
	JARGS_END(&a, &b);
	return (struct jt_big){};
}

/* The calls; each argument has bits all over it. */
#define V(n)	((long)((n) * 0x0123456789abcdefULL))
#define VI(n)	((int)((n) * 0x89abcdefU))
#define CALL(kind, ...)							\
static u64 jargs_call_##kind(void *fn)					\
{									\
	typeof(jt_##kind) *call = fn;					\
									\
	return call(__VA_ARGS__);					\
}

static const struct jt_pair jargs_p = { V(21), V(22) }, jargs_q = { V(23), V(24) };
static const struct jt_bytes jargs_s = { { 1, -2, 3 } };
static const struct jt_big jargs_b = { { V(31), V(32), V(33), V(34), V(35) } };
static struct jt_huge jargs_h;

CALL(one, V(1))
CALL(six, V(1), V(2), V(3), V(4), V(5), V(6))
CALL(seven, V(1), V(2), V(3), V(4), V(5), V(6), V(7))
CALL(eight, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8))
CALL(nine, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9))
CALL(ten, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10))
CALL(eleven, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11))
CALL(twelve, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9), V(10), V(11), V(12))
CALL(small, -1, -20000, true, 0xf1, 0xf1f2, VI(3), 'x', 12345, false)
CALL(wide, VI(1), V(2), V(3), VI(4), V(5), 'x', V(6))
CALL(asm, VI(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8))
CALL(pair, VI(1), jargs_p, V(2), jargs_q)
CALL(big, jargs_s, V(1), jargs_b, jargs_p, V(2))
CALL(huge, jargs_h)
CALL(variadic, 9, V(1), V(2), V(3), V(4), V(5), V(6), V(7), V(8), V(9))

static u64 jargs_call_struct(void *fn)
{
	typeof(jt_struct) *call = fn;
	struct jt_big big = call(V(1), V(2));

	return JT_SUM(big.v[0], big.v[1], big.v[2], big.v[3], big.v[4]);
}

/**
 * struct jargs_kind - a kind of arguments
 * @name: what to call it
 * @plain: a function that has them
 * @traced: another one, which has an ftrace site
 * @handler: a handler for either
 * @call: calls one of the functions; returns a figure of the result
 */
struct jargs_kind {
	const char *name;
	void *plain;
	void *traced;
	void *handler;
	u64 (*call)(void *fn);
};

#define KIND(kind)							\
	{ #kind, jt_##kind, jt_traced_##kind, JPROBE_ENTRY(jargs_##kind), \
	  jargs_call_##kind }

static const struct jargs_kind jargs_kinds[] = {
	KIND(one), KIND(six), KIND(seven), KIND(eight), KIND(nine), KIND(ten),
	KIND(eleven), KIND(twelve), KIND(small), KIND(wide), KIND(asm), KIND(pair),
	KIND(big), KIND(huge), KIND(variadic), KIND(struct),
};

static void *jargs_fn(struct kunit *test, const struct jargs_kind *kind)
{
	const struct jargs_way *way = test->param_value;

	return way->traced ? kind->traced : kind->plain;
}

static void jargs_unregister(void *jp)
{
	unregister_jprobe(jp);
}

/* How the point is reached is part of the test. */
static void jargs_expect_way(struct kunit *test, const struct jargs_kind *kind,
			     struct jprobe *jp)
{
	const struct jargs_way *way = test->param_value;
	struct kprobe_point *pt;

	guard(mutex)(&kprobe_mutex);
	pt = kprobe_table_find(jp->kp.addr);
	KUNIT_EXPECT_EQ_MSG(test, way->traced, kprobe_ftrace(&jp->kp),
			    "%s", kind->name);
	KUNIT_EXPECT_EQ_MSG(test, way->jump && IS_ENABLED(CONFIG_OPTPROBES),
			    pt->state == KPROBE_OPTIMIZED, "%s", kind->name);
}

static struct jprobe *jargs_register(struct kunit *test,
				     const struct jargs_kind *kind)
{
	const struct jargs_way *way = test->param_value;
	struct jprobe *jp = kunit_kzalloc(test, sizeof(*jp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, jp);
	if (way->traced)
		ktest_need_ftrace(test);
	else if (IS_ENABLED(CONFIG_OPTPROBES))
		ktest_optimization(test, way->jump);
	jp->kp.addr = jargs_fn(test, kind);
	jp->entry = kind->handler;
	KUNIT_ASSERT_EQ_MSG(test, 0, register_jprobe(jp), "%s", kind->name);
	ktest_set_at_end(test, jargs_unregister, jp);
	wait_for_kprobe_optimizer();
	jargs_expect_way(test, kind, jp);
	jargs_hits = 0;
	return jp;
}

/* Some calls: each is a hit, with the right arguments and the right result. */
static void jargs_expect_calls(struct kunit *test, const struct jargs_kind *kind,
			       u64 expected)
{
	unsigned int wrong_result = 0, wrong_arguments = 0, n;

	jargs_hits = 0;
	for (n = 0; n < KTEST_CALLS; n++) {
		jargs_seen = ~expected;
		wrong_result += kind->call(jargs_fn(test, kind)) != expected;
		wrong_arguments += jargs_seen != expected;
	}
	KUNIT_EXPECT_EQ_MSG(test, KTEST_CALLS, jargs_hits, "%s", kind->name);
	KUNIT_EXPECT_EQ_MSG(test, 0, wrong_result, "%s", kind->name);
	KUNIT_EXPECT_EQ_MSG(test, 0, wrong_arguments, "%s", kind->name);
}

static void jargs_try(struct kunit *test, const struct jargs_kind *kind)
{
	u64 expected = kind->call(jargs_fn(test, kind));
	struct jprobe *jp = jargs_register(test, kind);

	jargs_just_return = false;
	jargs_expect_calls(test, kind, expected);
	jargs_just_return = true;
	jargs_expect_calls(test, kind, expected);
	KUNIT_EXPECT_EQ_MSG(test, 0, jp->kp.nmissed, "%s", kind->name);
	unregister_jprobe(jp);
	jargs_hits = 0;
	KUNIT_EXPECT_EQ(test, expected, kind->call(jargs_fn(test, kind)));
	KUNIT_EXPECT_EQ(test, 0, jargs_hits);
}

static void jargs_all_kinds(struct kunit *test)
{
	int i;

	for (i = 0; i < sizeof(jargs_h.byte); i++)
		jargs_h.byte[i] = 7 * i;
	for (i = 0; i < ARRAY_SIZE(jargs_kinds); i++)
		jargs_try(test, &jargs_kinds[i]);
}

static const struct jargs_kind jargs_deep_kind = KIND(twelve);

/* Call from all over a page of the stack, so that arguments cross its end. */
static noinline unsigned int jargs_descend(void *fn, u64 expected, void *top)
{
	unsigned int wrong;
	void *here = &wrong;

	OPTIMIZER_HIDE_VAR(here);
	jargs_seen = ~expected;
	wrong = jargs_deep_kind.call(fn) != expected;
	wrong += jargs_seen != expected;
	if (top - here < PAGE_SIZE)
		wrong += jargs_descend(fn, expected, top);
	return wrong;
}

static void jargs_pages(struct kunit *test)
{
	void *fn = jargs_fn(test, &jargs_deep_kind);
	u64 expected = jargs_deep_kind.call(fn);

	jargs_just_return = false;
	jargs_register(test, &jargs_deep_kind);
	KUNIT_EXPECT_EQ(test, 0, jargs_descend(fn, expected, &fn));
	/* A frame is far less than a sixteenth of a page. */
	KUNIT_EXPECT_GT(test, jargs_hits, 16);
}

/**
 * struct jargs_irq - calls on another stack than the task's
 * @work: the interrupt
 * @fn: the function to call
 * @result: what that has returned
 */
static struct jargs_irq {
	struct irq_work work;
	void *fn;
	u64 result;
} jargs_irq;

static void jargs_irq_fn(struct irq_work *work)
{
	jargs_irq.result = jargs_deep_kind.call(jargs_irq.fn);
}

/* Near the end of a stack, which an interrupt may have for itself. */
static void jargs_interrupt(struct kunit *test)
{
	u64 expected;
	int n;

	jargs_irq.fn = jargs_fn(test, &jargs_deep_kind);
	expected = jargs_deep_kind.call(jargs_irq.fn);
	jargs_just_return = false;
	jargs_register(test, &jargs_deep_kind);
	init_irq_work(&jargs_irq.work, jargs_irq_fn);
	for (n = 0; n < KTEST_CALLS; n++) {
		jargs_seen = ~expected;
		irq_work_queue(&jargs_irq.work);
		irq_work_sync(&jargs_irq.work);
		KUNIT_EXPECT_EQ(test, expected, jargs_irq.result);
		KUNIT_EXPECT_EQ(test, expected, jargs_seen);
	}
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jargs_hits);
}

#define JARGS_CASE(fn)	KUNIT_CASE_PARAM(fn, jargs_ways_gen_params)

static struct kunit_case jargs_cases[] = {
	JARGS_CASE(jargs_all_kinds),
	JARGS_CASE(jargs_pages),
	JARGS_CASE(jargs_interrupt),
	{}
};

static struct kunit_suite jargs_suite = {
	.name = "kprobes_jprobe_args",
	.test_cases = jargs_cases,
};

kunit_test_suite(jargs_suite);
