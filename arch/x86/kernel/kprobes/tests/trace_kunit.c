// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of stack traces from an interrupt that has come while a copy of the
 * probed instruction was executed: whatever the unwinder, they show the probed
 * function, and not the copy. (Traces from handlers: see detour_kunit.c.)
 */
#include <linux/irq_work.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "targets_plain.h"

/* A guess shows much that is left on the stack, before what was interrupted. */
#define TRACE_MAX	(IS_ENABLED(CONFIG_UNWINDER_GUESS) ? 512 : 64)

/* The functions made of assembly are shorter. */
#define TRACE_FN_MAX	64

/**
 * struct trace_way - how the probed instruction is reached
 * @name: what to call it
 * @fn: a function that is probed at its entry
 * @post: whether there is a post handler
 * @in_slot: the interrupt comes in the slot
 */
struct trace_way {
	const char *name;
	int (*fn)(int x);
	bool post;
	bool in_slot;
};

static const struct trace_way trace_ways[] = {
	{ "boosted", ktest_fixed, .in_slot = true },
#ifdef CONFIG_OPTPROBES
	{ "stub", ktest_fixed, .post = true },
#endif
};

KUNIT_ARRAY_PARAM_DESC(trace_ways, trace_ways, name);

/**
 * struct trace_seen - what the interrupts have seen
 * @work: the interrupt
 * @fn: the probed function
 * @sp: the stack pointer at the probed instruction
 * @taken: how many there were
 * @in_slot: how many of them came while a slot was executed
 * @found: how many traces hold the probed function
 * @copies: how many entries of traces were in copies
 */
static struct trace_seen {
	struct irq_work work;
	int (*fn)(int x);
	unsigned long *sp;
	int taken;
	int in_slot;
	int found;
	int copies;
} trace;

static bool trace_in_copy(unsigned long ip)
{
	return is_kprobe_insn_slot(ip) || is_kprobe_optinsn_slot(ip);
}

/* The interrupted address lies right below the stack of the interrupted code. */
static bool trace_slot_interrupted(void)
{
	int i;

	for (i = 1; i <= 8; i++) {
		if (is_kprobe_insn_slot(READ_ONCE_NOCHECK(trace.sp[-i])))
			return true;
	}
	return false;
}

static void trace_take(struct irq_work *work)
{
	static unsigned long entry[TRACE_MAX];
	unsigned int i, nr = stack_trace_save(entry, TRACE_MAX, 0);
	bool found = false;

	trace.taken++;
	trace.in_slot += trace_slot_interrupted();
	for (i = 0; i < nr; i++) {
		found |= entry[i] - (unsigned long)trace.fn < TRACE_FN_MAX;
		trace.copies += trace_in_copy(entry[i]);
	}
	trace.found += found;
}

static int trace_raise(struct ktest_probe *p, struct pt_regs *regs)
{
	trace.sp = (unsigned long *)regs->sp;
	irq_work_queue(&trace.work);
	return 0;
}

static void trace_end(void *unused)
{
	irq_work_sync(&trace.work);
}

static __nocfi void trace_interrupt(struct kunit *test)
{
	const struct trace_way *way = test->param_value;
	struct ktest_probe *p = ktest_probe_alloc(test, way->fn);
	int i;

	if (!arch_irq_work_has_interrupt())
		kunit_skip(test, "without an APIC the interrupt waits for the next tick");
	memset(&trace, 0, sizeof(trace));
	trace.work = IRQ_WORK_INIT_HARD(trace_take);
	trace.fn = way->fn;
	ktest_set_at_end(test, trace_end, NULL);
	p->then = trace_raise;
	p->kp.post_handler = way->post ? ktest_post : NULL;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	for (i = 0; i < KTEST_CALLS; i++) {
		KUNIT_EXPECT_EQ(test, i + 1, way->fn(i));
		irq_work_sync(&trace.work);
	}
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, way->post ? KTEST_CALLS : 0, 0);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, trace.taken);
	KUNIT_EXPECT_EQ(test, way->in_slot ? KTEST_CALLS : 0, trace.in_slot);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, trace.found);
	KUNIT_EXPECT_EQ(test, 0, trace.copies);
}

static struct kunit_case trace_cases[] = {
	KUNIT_CASE_PARAM(trace_interrupt, trace_ways_gen_params),
	{}
};

static struct kunit_suite trace_suite = {
	.name = "x86_kprobes_trace",
	.test_cases = trace_cases,
};

kunit_test_suite(trace_suite);
