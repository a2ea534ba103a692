// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of fault handlers on every architecture: they are called, or it is as if
 * they were not there.
 */
#include <linux/string.h>
#include <linux/uaccess.h>

#include "ways.h"

static const void *uncalled_ways(const void *prev, char *desc)
{
	const struct ktest_way *way = prev ? (const struct ktest_way *)prev + 1 : ktest_ways;

	if (!way->name)
		return NULL;
	strscpy(desc, way->name, KUNIT_PARAM_DESC_SIZE);
	return way;
}

static long uncalled_fixed;

/* Reads what is not there, with a fixup. */
static int uncalled_read(struct ktest_probe *p, struct pt_regs *regs)
{
	long word;

	uncalled_fixed += get_kernel_nofault(word, (long *)-4096L) == -EFAULT;
	return 0;
}

/* The handler may be called or not: the fixup is applied, and nothing is missed. */
static __nocfi void uncalled_fault(struct kunit *test)
{
	const struct ktest_way *way = test->param_value;
	struct ktest_probe *p = ktest_probe_alloc(test, way->at ?: way->fn);
	int x;

	uncalled_fixed = 0;
	p->then = uncalled_read;
	p->kp.fault_handler = ktest_fault;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_FAULT_HANDLERS,
			!!READ_ONCE(ktest_point(p)->probe.fault_handler));
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, way->fn(x));
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, uncalled_fixed);
	KUNIT_EXPECT_EQ(test, KPROBE_FAULT_HANDLERS ? KTEST_CALLS : 0,
			atomic_read(&p->fault));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

static const char uncalled_text[] = ": this architecture calls no fault handlers";

/* Said of the first probe with a fault handler, and of no other one. */
static void uncalled_said(struct kunit *test)
{
	void *const fns[] = { ktest_break, ktest_break2, ktest_break };
	struct ktest_probe *p;
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		p = ktest_probe_alloc(test, fns[i]);
		p->kp.fault_handler = ktest_fault;
		ktest_register(test, p);
	}
	KUNIT_EXPECT_EQ(test, KPROBE_FAULT_HANDLERS ? 0 : 1,
			ktest_said(test, uncalled_text));
}

static struct kunit_case uncalled_cases[] = {
	KUNIT_CASE_PARAM(uncalled_fault, uncalled_ways),
	KUNIT_CASE(uncalled_said),
	{}
};

static struct kunit_suite uncalled_suite = {
	.name = "kprobes_uncalled",
	.test_cases = uncalled_cases,
};

kunit_test_suite(uncalled_suite);
