// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of probes at both ends of the boot: before kprobes have started, and in
 * the kernel's init text when that is given up. Some of it still runs after
 * kprobe_free_init_mem(), free_initmem() is there itself.
 */
#include <linux/console.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "testing.h"

#define INIT_TEXT	32

static noinline notrace __init int init_called(int x)
{
	/* Three instructions at least. */
	OPTIMIZER_HIDE_VAR(x);
	x += 3;
	OPTIMIZER_HIDE_VAR(x);
	return x - 2;
}

/* What asks core_kernel_text() about init text is told then that it is none. */
static void init_free_mem(void)
{
	enum system_states state = system_state;

	WRITE_ONCE(system_state, SYSTEM_FREEING_INITMEM);
	kprobe_free_init_mem();
	WRITE_ONCE(system_state, state);
}

/* Runs while the system boots, when init_called() is still there. */
static void __ref init_given_up(struct kunit *test, bool jump)
{
	struct ktest_probe *p;
	u8 before[INIT_TEXT], now[INIT_TEXT];

	if (system_state >= SYSTEM_FREEING_INITMEM)
		kunit_skip(test, "init text is gone already");
	p = ktest_probe_alloc(test, init_called);
	copy_from_kernel_nofault(before, init_called, INIT_TEXT);
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	ktest_assert_way(test, p, init_called, jump);
	KUNIT_EXPECT_EQ(test, 5, init_called(4));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	init_free_mem();
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&p->kp));
	copy_from_kernel_nofault(now, init_called, INIT_TEXT);
	KUNIT_ASSERT_MEMEQ(test, before, now, INIT_TEXT);
	KUNIT_EXPECT_EQ(test, 6, init_called(5));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_EQ(test, 7, init_called(6));
}

static void init_breakpoint(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_OPTPROBES))
		ktest_optimization(test, false);
	init_given_up(test, false);
}

static void init_jump(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_OPTPROBES))
		kunit_skip(test, "no jumps");
	ktest_optimization(test, true);
	init_given_up(test, true);
}

static struct kprobe init_early_kp = { .symbol_name = "init_called" };
static int init_early_ret, init_early_both_ret;

/* Consoles come up before the first of the other initcalls, and so before kprobes. */
static int __init init_register_early(void)
{
	struct kprobe *kps[] = { &init_early_kp, &init_early_kp };

	init_early_ret = register_kprobe(&init_early_kp);
	init_early_both_ret = register_kprobes(kps, 2);
	return 0;
}
console_initcall(init_register_early);

static void init_too_early(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, -EAGAIN, init_early_ret);
	KUNIT_EXPECT_EQ(test, -EAGAIN, init_early_both_ret);
	KUNIT_EXPECT_NULL(test, init_early_kp.addr);
	KUNIT_EXPECT_EQ(test, 0, init_early_kp.flags);
}

static struct kunit_case init_cases[] = {
	KUNIT_CASE(init_too_early),
	KUNIT_CASE(init_breakpoint),
	KUNIT_CASE(init_jump),
	{}
};

static struct kunit_suite init_suite = {
	.name = "kprobes_init",
	.test_cases = init_cases,
};

kunit_test_suite(init_suite);
