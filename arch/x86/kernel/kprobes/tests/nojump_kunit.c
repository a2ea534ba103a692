// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reasons against a jump that the code of the functions in targets.h
 * cannot give: another subsystem says no, what is behind the code is none, the sysctl
 * is off, the text is gone.
 */
#include <linux/ftrace.h>
#include <linux/memory.h>
#include <asm/alternative.h>
#include <asm/text-patching.h>

#include "../text.h"
#include "targets_plain.h"

static struct ktest_probe *nojump_probe(struct kunit *test, void *addr)
{
	struct ktest_probe *p = ktest_probe_alloc(test, addr);

	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	return p;
}

/* The region of ktest_locked() is one of ftrace's, or of the alternatives'. */
static noinline __noclone unsigned long nojump_owned(unsigned long start, unsigned long end)
{
	barrier();
	/* Not the point itself: it is not to be refused. */
	return end - start > 1 ? start + 1 : 0;
}

static int nojump_answer(struct ktest_probe *p, struct pt_regs *regs)
{
	if (regs->KTEST_REGS_ARG1 != (unsigned long)ktest_locked + ktest_locked_at)
		return 0;
	instruction_pointer_set(regs, (unsigned long)nojump_owned);
	return 1;
}

/* Have @fn say that a byte of the region is another subsystem's. */
static void __maybe_unused nojump_says(struct kunit *test, void *fn, enum kprobe_nojump nojump)
{
	void *addr = (void *)ktest_locked + ktest_locked_at;
	struct ktest_probe *answer = nojump_probe(test, fn);
	struct ktest_probe *p;

	answer->then = nojump_answer;
	p = nojump_probe(test, addr);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, nojump);
	KUNIT_EXPECT_EQ(test, 2, ktest_locked(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

#ifdef CONFIG_DYNAMIC_FTRACE
static void nojump_ftrace_site(struct kunit *test)
{
	nojump_says(test, ftrace_location_range, KPROBE_NOJUMP_FTRACE_SITE);
}
#endif

#ifdef CONFIG_SMP
/* As they do in a kernel that has one CPU yet: the prefix comes with the second one. */
static void nojump_alternative(struct kunit *test)
{
	nojump_says(test, alternatives_text_reserved, KPROBE_NOJUMP_ALTERNATIVE);
}
#endif

static void nojump_write(const void *bytes, size_t len)
{
	guard(mutex)(&kprobe_mutex);
	scoped_guard(mutex, &text_mutex)
		text_poke((void *)ktest_tailed + ktest_tailed_tail, bytes, len);
	arch_forget_kprobe_text();
}

/* ANDN, but for the VEX prefix that makes it an instruction. */
static const u8 nojump_bad[] = { 0x0f, 0x38, 0xf2 };
static u8 nojump_good[sizeof(nojump_bad)];

static void nojump_restore(void *unused)
{
	nojump_write(nojump_good, sizeof(nojump_good));
}

/* Data behind the code. Without it there is a jump. */
static void nojump_decode(struct kunit *test)
{
	struct ktest_probe *p = nojump_probe(test, ktest_tailed);

	ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	unregister_kprobe(&p->kp);
	memcpy(nojump_good, (void *)ktest_tailed + ktest_tailed_tail, sizeof(nojump_good));
	nojump_write(nojump_bad, sizeof(nojump_bad));
	ktest_set_at_end(test, nojump_restore, NULL);
	p = nojump_probe(test, ktest_tailed);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, KPROBE_NOJUMP_DECODE);
	KUNIT_EXPECT_EQ(test, 2, ktest_tailed(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

/* The sysctl takes the jump away, and puts it back. */
static void nojump_off(struct kunit *test)
{
	struct ktest_probe *p = nojump_probe(test, ktest_plain);

	ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	ktest_optimization(test, false);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, KPROBE_NOJUMP_OFF);
	ktest_optimization(test, true);
	wait_for_kprobe_optimizer();
	ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
}

/* The point is not found by its address any more. */
static void nojump_gone(struct kunit *test)
{
	struct ktest_probe *p = nojump_probe(test, ktest_plain);
	unsigned long addr = (unsigned long)p->kp.addr;
	struct kprobe_point *pt = ktest_point(p);
	const char *reason;

	ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	kprobe_kill_range(addr, addr + 1);
	scoped_guard(mutex, &kprobe_mutex)
		reason = kprobe_optimizer_reason(pt);
	KUNIT_EXPECT_STREQ(test, kprobe_nojump_text(KPROBE_NOJUMP_GONE), reason);
}

static struct kunit_case nojump_cases[] = {
#ifdef CONFIG_DYNAMIC_FTRACE
	KUNIT_CASE(nojump_ftrace_site),
#endif
#ifdef CONFIG_SMP
	KUNIT_CASE(nojump_alternative),
#endif
	KUNIT_CASE(nojump_decode),
	KUNIT_CASE(nojump_off),
	KUNIT_CASE(nojump_gone),
	{}
};

static struct kunit_suite nojump_suite = {
	.name = "kprobes_nojump",
	.test_cases = nojump_cases,
};

kunit_test_suite(nojump_suite);
