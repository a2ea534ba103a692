// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of jprobes at a function that is called at the very end of a stack: the
 * handler has a copy of what is left there, and what is behind that is not read. With
 * VMAP_STACK, there is no page behind the stacks of interrupts.
 */
#include <linux/bottom_half.h>
#include <linux/interrupt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <asm/stacktrace.h>

#include "../jprobe.h"
#include "kprobes/tests/jprobe_testing.h"

/**
 * struct js_call - the call of the function that the test has caused
 * @task: the task of the test
 * @wanted: the next call in that task is it
 * @stack: what lies behind the return address
 * @left: how many bytes there are until the end of the stack
 * @calls: how many of them there were
 * @few: how many with fewer bytes than a handler has otherwise
 * @hits: how often the handler was called
 * @differ: how often its copy was another one
 */
static struct js_call {
	struct task_struct *task;
	bool wanted;
	u8 *stack;
	long left;
	unsigned int calls;
	unsigned int few;
	unsigned int hits;
	unsigned int differ;
} js_call;

static unsigned int js_ran;

static void js_tasklet_fn(struct tasklet_struct *t)
{
	js_ran++;
}

static DECLARE_TASKLET(js_tasklet, js_tasklet_fn);

/* Runs before the handler of the jprobe, since it is registered after that. */
static int js_look(struct ktest_probe *p, struct pt_regs *regs)
{
	unsigned long sp = kernel_stack_pointer(regs);
	struct stack_info info;

	if (!READ_ONCE(js_call.wanted) || current != js_call.task)
		return 0;
	if (get_stack_info((unsigned long *)sp, current, &info, NULL))
		return 0;
	js_call.stack = (u8 *)sp + sizeof(long);
	js_call.left = (u8 *)info.end - js_call.stack;
	js_call.calls++;
	js_call.few += js_call.left < JPROBE_STACK_BYTES;
	return 0;
}

/* Not to be instrumented: there are variables of other functions. */
static __no_sanitize_address bool js_same(const u8 *a, const u8 *b, long n)
{
	while (n-- > 0) {
		if (*a++ != *b++)
			return false;
	}
	return true;
}

/* What lies on the stack behind its return address is the copy. */
static asmlinkage void js_handler(void)
{
	u8 *copy = __builtin_frame_address(0) + 2 * sizeof(long);

	if (!READ_ONCE(js_call.wanted) || current != js_call.task)
		return;
	WRITE_ONCE(js_call.wanted, false);
	js_call.hits++;
	js_call.differ += !js_same(copy, js_call.stack,
				   min_t(long, js_call.left, JPROBE_STACK_BYTES));
	jprobe_return();
}

/* Softirqs run now, on a stack of their own, which is empty. */
static void js_run_softirqs(void)
{
	local_bh_disable();
	WRITE_ONCE(js_call.wanted, true);
	tasklet_schedule(&js_tasklet);
	local_bh_enable();
}

static void js_end_of_stack(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, NULL, JPROBE_ENTRY(js_handler));
	struct ktest_probe *look = ktest_probe_alloc(test, NULL);
	int n;

	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are threads");
	memset(&js_call, 0, sizeof(js_call));
	js_call.task = current;
	js_ran = 0;
	jp->kp.symbol_name = "__do_softirq";
	jp_register(test, jp);
	look->kp.symbol_name = "__do_softirq";
	look->then = js_look;
	ktest_register(test, look);
	wait_for_kprobe_optimizer();
	for (n = 0; n < KTEST_CALLS; n++)
		js_run_softirqs();
	unregister_jprobe(jp);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, js_ran);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, js_call.calls);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, js_call.few);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, js_call.hits);
	KUNIT_EXPECT_EQ(test, 0, js_call.differ);
	KUNIT_EXPECT_EQ(test, 0, jp->kp.nmissed);
}

static struct kunit_case js_cases[] = {
	KUNIT_CASE(js_end_of_stack),
	{}
};

static struct kunit_suite js_suite = {
	.name = "x86_kprobes_jprobe_stack",
	.test_cases = js_cases,
};

kunit_test_suite(js_suite);
