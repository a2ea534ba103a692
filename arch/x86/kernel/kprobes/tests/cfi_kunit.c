// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of a kCFI check, and of a jump in front of it: when the check fails, its
 * first two instructions are decoded, so they must stay in the text.
 */
#include <linux/cfi.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../insn.h"
#include "kprobes/tests/testing.h"

#define CFI_TEXT	64

static noinline notrace int cfi_add(int x)
{
	return x + 1;
}

/* A nop of three bytes, right in front of the check of an indirect call. */
static noinline notrace int cfi_call(int (*fn)(int x), int x)
{
	asm volatile("nopl	(%%rax)" : "+r" (fn), "+D" (x));
	return fn(x) + 1;
}

/* The nop, or NULL if the compiler has put something behind it. */
static u8 *cfi_find(void)
{
	static const u8 pattern[] = { 0x0f, 0x1f, 0x00, 0x41, 0xba };
	static u8 text[CFI_TEXT];
	unsigned int i;

	if (copy_from_kernel_nofault(text, cfi_call, CFI_TEXT))
		return NULL;
	for (i = 0; i + sizeof(pattern) <= CFI_TEXT; i++) {
		if (!memcmp(text + i, pattern, sizeof(pattern)))
			return (u8 *)cfi_call + i;
	}
	return NULL;
}

static void cfi_jump(struct kunit *test)
{
	struct ktest_probe *p;
	u8 *nop = cfi_find();
	int x;

	if (!IS_ENABLED(CONFIG_CFI_CLANG))
		kunit_skip(test, "the kernel has no kCFI");
	KUNIT_ASSERT_NOT_NULL_MSG(test, nop, "no check right behind the nop");
	KUNIT_EXPECT_TRUE(test, is_cfi_trap((unsigned long)nop + 3 + 12));
	p = ktest_probe_alloc(test, nop);
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, KPROBE_NOJUMP_TRAP);
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 2, cfi_call(cfi_add, x));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

/* Nor is there a probe on what is decoded: movl $-hash, %r10d; addl -4(%reg), %r10d. */
static void cfi_inside(struct kunit *test)
{
	u8 *nop = cfi_find();

	if (!IS_ENABLED(CONFIG_CFI_CLANG))
		kunit_skip(test, "the kernel has no kCFI");
	KUNIT_ASSERT_NOT_NULL_MSG(test, nop, "no check right behind the nop");
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ktest_try_register(test, ktest_probe_alloc(test, nop + 3)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ktest_try_register(test, ktest_probe_alloc(test, nop + 9)));
}

static struct kunit_case cfi_cases[] = {
	KUNIT_CASE(cfi_jump),
	KUNIT_CASE(cfi_inside),
	{}
};

static struct kunit_suite cfi_suite = {
	.name = "kprobes_cfi",
	.test_cases = cfi_cases,
};

kunit_test_suite(cfi_suite);
