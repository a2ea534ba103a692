// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of breakpoints in user space whose instruction pointer looks like one
 * of the kernel: a task of a 32-bit kernel may have a code segment that begins
 * anywhere (modify_ldt()), or be in virtual-8086 mode.
 */
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/processor-flags.h>
#include <asm/segment.h>
#include <asm/text-patching.h>

#include "targets_plain.h"

/* The registers behind a breakpoint at @addr. */
static struct pt_regs int3_regs(void *addr, u16 cs, unsigned long flags)
{
	return (struct pt_regs){
		.ip = (unsigned long)addr + INT3_INSN_SIZE,
		.cs = cs,
		.flags = X86_EFLAGS_FIXED | X86_EFLAGS_IF | flags,
		.sp = 0x1000,
	};
}

static int int3_handle(struct pt_regs *regs)
{
	guard(irqsave)();
	return kprobe_int3_handler(regs);
}

/* It is no hit, whatever instruction is probed. */
static void int3_user_try(struct kunit *test, int (*fn)(int x), u16 cs,
			  unsigned long flags)
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);
	struct pt_regs regs, before;

	ktest_register(test, p);
	before = int3_regs(p->kp.addr, cs, flags);
	regs = before;
	KUNIT_EXPECT_EQ(test, 0, int3_handle(&regs));
	KUNIT_EXPECT_MEMEQ(test, &before, &regs, sizeof(regs));
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, fn(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	unregister_kprobe(&p->kp);
	/* Nor is a breakpoint that is not there. */
	KUNIT_EXPECT_EQ(test, 0, int3_handle(&regs));
	KUNIT_EXPECT_MEMEQ(test, &before, &regs, sizeof(regs));
}

static __nocfi void int3_user_segment(struct kunit *test)
{
	int3_user_try(test, ktest_fixed, __USER_CS, 0);
	int3_user_try(test, ktest_plain, SEGMENT_LDT | USER_RPL, 0);
}

static __nocfi void int3_user_vm86(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_VM86))
		kunit_skip(test, "no virtual-8086 mode");
	int3_user_try(test, ktest_fixed, __KERNEL_CS, X86_EFLAGS_VM);
}

static struct kunit_case int3_user_cases[] = {
	KUNIT_CASE(int3_user_segment),
	KUNIT_CASE(int3_user_vm86),
	{}
};

static struct kunit_suite int3_user_suite = {
	.name = "x86_kprobes_int3_user",
	.test_cases = int3_user_cases,
};

kunit_test_suite(int3_user_suite);
