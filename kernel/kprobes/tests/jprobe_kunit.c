// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of hits of jprobes, in each way in which a point is reached: handlers of
 * all sorts, and others at the same function.
 */
#include <linux/irq_work.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>

#include "../stats.h"
#include "jprobe_testing.h"

/* It has not heard of jprobe_return(). */
static int jp_handler_returns(int x)
{
	jp_seen.hits++;
	jp_seen.arg = x;
	return -1;
}

static noinline unsigned long jp_return_from(int depth)
{
	unsigned long kept[8] = {};

	barrier_data(kept);
	if (!depth)
		jprobe_return();
	else
		kept[depth % 8] = jp_return_from(depth - 1);
	barrier_data(kept);
	return kept[1] + depth;
}

/* A function that it calls ends it. */
static int jp_handler_deep(int x)
{
	jp_seen.hits++;
	jp_seen.arg = x;
	jp_return_from(x % 10);
	jp_seen.back++;
	return -1;
}

static void jp_count_post(struct kprobe *kp, struct pt_regs *regs,
			  unsigned long flags)
{
	jp_seen.back++;
}

static int jp_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	/* Not the end of the jprobe's handler: this comes back. */
	jprobe_return();
	jp_seen.faults++;
	return 0;
}

#ifdef CONFIG_KPROBE_STATS
/* Is a point reached as the way says? */
static void jp_expect_mode(struct kunit *test, const struct ktest_way *way,
			   struct jprobe *jp)
{
	guard(mutex)(&kprobe_mutex);
	if (way->mode)
		KUNIT_EXPECT_STREQ(test, way->mode,
				   kprobe_stats_mode(kprobe_table_find(jp->kp.addr)));
}

static void jp_expect_counted(struct kunit *test, struct jprobe *jp,
			      unsigned long hits)
{
	struct kprobe_totals sum;

	guard(mutex)(&kprobe_mutex);
	kprobe_stats_sum(kprobe_table_find(jp->kp.addr), &sum);
	KUNIT_EXPECT_EQ(test, hits, sum.hits);
}
#else
static void jp_expect_mode(struct kunit *test, const struct ktest_way *way,
			   struct jprobe *jp)
{
}

static void jp_expect_counted(struct kunit *test, struct jprobe *jp,
			      unsigned long hits)
{
}
#endif

static void jp_expect_hits(struct kunit *test, struct jprobe *jp,
			   unsigned long hits)
{
	jp_expect_counted(test, jp, hits);
	KUNIT_EXPECT_EQ(test, 0, jp->kp.nmissed);
}

/* In each way: each call is a hit, and has its argument and its result. */
static __nocfi void jp_calls(struct kunit *test, void *handler)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, handler);
	int n;

	if (way->fn == ktest_traced)
		ktest_need_ftrace(test);
	jp->kp.post_handler = way->post ? jp_count_post : NULL;
	jp->kp.fault_handler = way->fault ? jp_fault : NULL;
	jp_register(test, jp);
	jp_expect_mode(test, way, jp);
	for (n = 0; n < KTEST_CALLS; n++) {
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
		KUNIT_EXPECT_EQ(test, n, jp_seen.arg);
	}
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, way->post ? KTEST_CALLS : 0, jp_seen.back);
	jp_expect_hits(test, jp, KTEST_CALLS);
	unregister_jprobe(jp);
	KUNIT_EXPECT_EQ(test, 2, way->fn(1));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
}

static void jp_usual(struct kunit *test)
{
	jp_calls(test, JPROBE_ENTRY(jp_handler));
}

static void jp_returns(struct kunit *test)
{
	jp_calls(test, JPROBE_ENTRY(jp_handler_returns));
}

static void jp_deep(struct kunit *test)
{
	jp_calls(test, JPROBE_ENTRY(jp_handler_deep));
}

static void *jp_nowhere;

static void jp_read_nowhere(int x)
{
	long value;

	jp_seen.back += !!copy_from_kernel_nofault(&value, jp_nowhere, sizeof(value));
}

static void jp_free(void *page)
{
	vfree(page);
}

/* The fault handler is asked about the faults of the handler. */
static __nocfi void jp_faults(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler));
	void *page = vmalloc(PAGE_SIZE);
	int n;

	KUNIT_ASSERT_NOT_NULL(test, page);
	ktest_set_at_end(test, jp_free, page);
	/* There is a page between two areas. */
	jp_nowhere = page + PAGE_SIZE;
	jp_seen.then = jp_read_nowhere;
	jp->kp.fault_handler = jp_fault;
	jp_register(test, jp);
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.back);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.faults);
}

/* How much of the stack is compared. */
#define JP_STACK	256

/**
 * struct jp_before - what a function had before the handler
 * @regs: its registers
 * @stack: its stack
 * @compared: how often it was compared with what it had afterwards
 * @changed: how often that was something else
 */
static struct jp_before {
	struct pt_regs regs;
	u8 stack[JP_STACK];
	unsigned int compared;
	unsigned int changed;
} jp_before;

/* Not to be instrumented: there are variables of other functions. */
static __no_sanitize_address size_t jp_differs(u8 *copy, struct pt_regs *regs,
					       bool save)
{
	u8 *stack = (u8 *)kernel_stack_pointer(regs);
	size_t i, differs = 0;

	for (i = 0; i < JP_STACK; i++) {
		if (save)
			copy[i] = stack[i];
		differs += copy[i] != stack[i];
	}
	return differs;
}

static int jp_save(struct ktest_probe *p, struct pt_regs *regs)
{
	memcpy(&jp_before.regs, regs, sizeof(*regs));
	jp_differs(jp_before.stack, regs, true);
	return 0;
}

static int jp_compare(struct ktest_probe *p, struct pt_regs *regs)
{
	jp_before.compared++;
	jp_before.changed += !!memcmp(&jp_before.regs, regs, sizeof(*regs));
	jp_before.changed += !!jp_differs(jp_before.stack, regs, false);
	return 0;
}

/* Registers and stack: between a kprobe that is called before and one after. */
static __nocfi void jp_restores(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *after = ktest_probe_alloc(test, way->fn);
	struct ktest_probe *before = ktest_probe_alloc(test, way->fn);
	struct jprobe *jp = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler_deep));
	int n;

	memset(&jp_before, 0, sizeof(jp_before));
	after->then = jp_compare;
	before->then = jp_save;
	ktest_register(test, after);
	jp_register(test, jp);
	ktest_register(test, before);
	wait_for_kprobe_optimizer();
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_before.compared);
	KUNIT_EXPECT_EQ(test, 0, jp_before.changed);
}

static char jp_order[KTEST_LOG_SIZE];

static void jp_note(char c)
{
	size_t len = strlen(jp_order);

	if (len < sizeof(jp_order) - 1)
		jp_order[len] = c;
}

static int jp_handler_1(int x)
{
	jp_note('1');
	jp_seen.arg += x;
	jprobe_return();
	return 0;
}

static int jp_handler_2(int x)
{
	jp_note('2');
	jp_seen.arg += x;
	return 0;
}

static int jp_handler_3(int x)
{
	jp_note('3');
	jp_seen.arg += x;
	jp_return_from(3);
	return 0;
}

static int jp_note_pre(struct ktest_probe *p, struct pt_regs *regs)
{
	jp_note(p->name);
	return 0;
}

static int jp_note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	jp_note('R');
	return 0;
}

static int jp_note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	jp_note('r');
	return 0;
}

static void jp_unregister_return(void *rp)
{
	unregister_kretprobe(rp);
}

static void jp_register_return(struct kunit *test, struct kretprobe *rp, void *fn)
{
	rp->kp.addr = ktest_entry(fn);
	rp->handler = jp_note_return;
	rp->entry_handler = jp_note_entry;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ktest_set_at_end(test, jp_unregister_return, rp);
}

static __nocfi void jp_expect_order(struct kunit *test, const char *order)
{
	const struct ktest_way *way = test->param_value;
	int i, jprobes = 0, hits = 0;

	for (i = 0; order[i]; i++)
		jprobes += order[i] >= '1' && order[i] <= '3';
	for (i = 0; i < KTEST_CALLS; i++) {
		memset(jp_order, 0, sizeof(jp_order));
		jp_seen.arg = 0;
		KUNIT_EXPECT_EQ(test, i + 1, way->fn(i));
		KUNIT_EXPECT_STREQ(test, order, jp_order);
		hits += jp_seen.arg == i * jprobes;
	}
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, hits);
}

/* Three jprobes, two kprobes, and a return probe, on one function. */
static void jp_several(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *one = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler_1));
	struct jprobe *two = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler_2));
	struct jprobe *three = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler_3));
	struct ktest_probe *pre = ktest_probe_alloc(test, way->fn);
	struct ktest_probe *post = ktest_probe_alloc(test, way->fn);
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rp);
	pre->name = 'k';
	pre->then = jp_note_pre;
	post->name = 'p';
	post->then = jp_note_pre;
	post->kp.post_handler = ktest_post;
	jp_register(test, one);
	ktest_register(test, pre);
	jp_register(test, two);
	jp_register_return(test, rp, way->fn);
	jp_register(test, three);
	wait_for_kprobe_optimizer();
	jp_expect_order(test, "3r2k1R");
	ktest_register(test, post);
	wait_for_kprobe_optimizer();
	jp_expect_order(test, "p3r2k1R");
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, atomic_read(&post->post));
	KUNIT_EXPECT_EQ(test, 0, disable_jprobe(two));
	jp_expect_order(test, "p3rk1R");
	KUNIT_EXPECT_EQ(test, 0, enable_jprobe(two));
	unregister_jprobe(three);
	jp_expect_order(test, "pr2k1R");
	KUNIT_EXPECT_EQ(test, 4 * KTEST_CALLS, atomic_read(&pre->pre));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
}

static int (*jp_inner)(int x);

static __nocfi void jp_call_inner(int x)
{
	jp_seen.back += jp_inner(x) == x + 1;
}

/* What a handler calls may be probed, and is missed: by jprobes, too. */
static __nocfi void jp_recursion(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *in = ktest_probe_alloc(test, ktest_break2);
	struct jprobe *jin = jp_alloc(test, ktest_break2, JPROBE_ENTRY(jp_handler));
	struct jprobe *out = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler));
	int n;

	jp_seen.then = jp_call_inner;
	jp_inner = ktest_break2;
	ktest_register(test, in);
	jp_register(test, jin);
	jp_register(test, out);
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.back);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jin->kp.nmissed);
	KTEST_EXPECT_COUNTS(test, in, 0, 0, KTEST_CALLS);
	/* The function that the handler is for, too. */
	jp_inner = way->fn;
	KUNIT_EXPECT_EQ(test, 2, way->fn(1));
	KUNIT_EXPECT_EQ(test, 1, out->kp.nmissed);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS + 1, jp_seen.hits);
}

/**
 * struct jp_irq - an interrupt that comes during a handler
 * @work: the interrupt
 * @came: how often it came
 * @hits: how often the handler was called that is hit in it
 * @back: how often jprobe_return() came back from that
 * @late: how often it did not come while the handler waited
 */
static struct jp_irq {
	struct irq_work work;
	unsigned int came;
	unsigned int hits;
	unsigned int back;
	unsigned int late;
} jp_irq;

static int jp_irq_handler(int x)
{
	jp_irq.hits += x == 77;
	jp_return_from(2);
	jp_irq.back++;
	return 0;
}

static void jp_irq_fn(struct irq_work *work)
{
	/* Not the handler of this: it comes back. */
	jprobe_return();
	jp_irq.back += ktest_break2(77) != 78;
	WRITE_ONCE(jp_irq.came, jp_irq.came + 1);
}

static void jp_wait_for_irq(int x)
{
	unsigned int came = READ_ONCE(jp_irq.came);
	int patience = 20000000;

	irq_work_queue(&jp_irq.work);
	while (READ_ONCE(jp_irq.came) == came && patience--)
		cpu_relax();
	jp_irq.late += READ_ONCE(jp_irq.came) == came;
}

/* The handler of an interrupt within one of a task: each ends where it began. */
static __nocfi void jp_interrupted(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct jprobe *in = jp_alloc(test, ktest_break2, JPROBE_ENTRY(jp_irq_handler));
	struct jprobe *out = jp_alloc(test, way->fn, JPROBE_ENTRY(jp_handler));
	int n;

	jp_register(test, in);
	jp_register(test, out);
	jp_seen.then = jp_note_irqs;
	KUNIT_EXPECT_EQ(test, 2, way->fn(1));
	if (!jp_irqs_on)
		kunit_skip(test, "interrupts are disabled in handlers");
	memset(&jp_irq, 0, sizeof(jp_irq));
	jp_irq.work = IRQ_WORK_INIT_HARD(jp_irq_fn);
	jp_seen.then = jp_wait_for_irq;
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
	irq_work_sync(&jp_irq.work);
	KUNIT_EXPECT_EQ(test, 0, jp_irq.late);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_irq.came);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_irq.hits);
	KUNIT_EXPECT_EQ(test, 0, jp_irq.back);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS + 1, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 0, jp_seen.back);
	KUNIT_EXPECT_EQ(test, 0, in->kp.nmissed);
}

static int jp_return_in_kprobe(struct ktest_probe *p, struct pt_regs *regs)
{
	jprobe_return();
	jp_seen.back++;
	return 0;
}

static const char jp_outside_text[] =
	"jprobe_return() outside of the handler of a jprobe, from ";

/* Where no handler of a jprobe runs, it comes back; what it says, it says once. */
static __nocfi void jp_outside(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = ktest_probe_alloc(test, way->fn);
	int n;

	memset(&jp_seen, 0, sizeof(jp_seen));
	jprobe_return();
	p->then = jp_return_in_kprobe;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	for (n = 0; n < KTEST_CALLS; n++)
		KUNIT_EXPECT_EQ(test, n + 1, way->fn(n));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, jp_seen.back);
	scoped_guard(irqsave)
		jprobe_return();
	KUNIT_EXPECT_EQ(test, 1, ktest_said(test, jp_outside_text));
}

#define JP_CASE(fn)	KUNIT_CASE_PARAM(fn, jp_ways_gen)

static struct kunit_case jp_cases[] = {
	JP_CASE(jp_usual),
	JP_CASE(jp_returns),
	JP_CASE(jp_deep),
	JP_CASE(jp_faults),
	JP_CASE(jp_restores),
	JP_CASE(jp_several),
	JP_CASE(jp_recursion),
	JP_CASE(jp_interrupted),
	JP_CASE(jp_outside),
	{}
};

static struct kunit_suite jp_suite = {
	.name = "kprobes_jprobe",
	.test_cases = jp_cases,
};

kunit_test_suite(jp_suite);
