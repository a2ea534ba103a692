// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the parts of a function that the compiler moved elsewhere
 * (.cold): the jump optimizer has to find them, because a branch in one of them
 * may lead into the region of a jump.
 */
#include <linux/cleanup.h>
#include <linux/kallsyms.h>

#include "../detour.h"
#include "targets_plain.h"

static unsigned int partners_find(unsigned long addr,
				  struct kprobe_partners *ps, bool again)
{
	guard(mutex)(&kprobe_mutex);
	if (again)
		kprobe_text_forget(&kprobe_kernel_text);
	return kprobe_find_partners(&kprobe_kernel_text, addr, ps);
}

static bool partners_have(const struct kprobe_partners *ps, unsigned long addr)
{
	unsigned int i;

	for (i = 0; i < ps->nr && ps->addr[i] != addr; i++)
		;
	return i < ps->nr;
}

/* The parts of a function are found from each other, and none for others. */
static void partners_both(struct kunit *test)
{
	unsigned long whole = (unsigned long)ktest_parted;
	unsigned long cold = kallsyms_lookup_name("ktest_parted.cold");
	struct kprobe_partners *ps;

	ps = kunit_kzalloc(test, sizeof(*ps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, ps);
	KUNIT_ASSERT_NE(test, 0, cold);

	KUNIT_EXPECT_EQ(test, 0, partners_find(whole, ps, true));
	KUNIT_EXPECT_TRUE(test, partners_have(ps, cold));
	KUNIT_EXPECT_EQ(test, 0, partners_find(cold, ps, true));
	KUNIT_EXPECT_TRUE(test, partners_have(ps, whole));
	KUNIT_EXPECT_EQ(test, 0,
			partners_find((unsigned long)ktest_plain, ps, true));
	KUNIT_EXPECT_TRUE(test, ps->known);
	KUNIT_EXPECT_EQ(test, 0, ps->nr);
}

/* A branch in the part that was moved away leads into the region. */
static void partners_branch(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_parted);

	ktest_register(test, p);
	ktest_expect_reason(test, p, KPROBE_NOJUMP_BRANCH);
	KUNIT_EXPECT_EQ(test, 2, ktest_parted(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

/* Such a part is jumped to: there is no return to hook, but it may be probed. */
static void partners_no_return(struct kunit *test)
{
	struct kretprobe rp = { .kp.symbol_name = "ktest_parted.cold" };
	void *cold = (void *)kallsyms_lookup_name("ktest_parted.cold");
	struct ktest_probe *p = ktest_probe_alloc(test, cold);

	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(&rp));
	unregister_kretprobe(&rp);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			kprobe_on_func_entry(NULL, "ktest_parted.cold", 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, kprobe_on_func_entry(cold, NULL, 0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_on_func_entry(NULL, "ktest_parted", 0));
	ktest_register(test, p);
	KUNIT_EXPECT_FALSE(test, p->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
}

static struct kunit_case partners_cases[] = {
	KUNIT_CASE(partners_both),
	KUNIT_CASE(partners_branch),
	KUNIT_CASE(partners_no_return),
	{}
};

static struct kunit_suite partners_suite = {
	.name = "kprobes_partners",
	.test_cases = partners_cases,
};

kunit_test_suite(partners_suite);
