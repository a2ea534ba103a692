// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of handlers that go on at an instruction which the jump of another
 * point covers: its copy is executed.
 */
#include <asm/text-patching.h>

#include "../detour.h"
#include "targets_plain.h"

/* How often the optimizer is switched on, if a point has its jump too soon to look. */
#define REDIRECT_TRIES	20

/**
 * struct redirect_way - how the point with the handler is reached
 * @name: the way
 * @fn: the function that it stands in
 * @many: an older probe there has a post handler, so that the hit is no usual one
 */
struct redirect_way {
	const char *name;
	int (*fn)(int x);
	bool many;
};

static const struct redirect_way redirect_ways[] = {
	{ "breakpoint", ktest_fixed },
	{ "breakpoint, unusual", ktest_fixed, .many = true },
	{ "jump", ktest_plain2 },
	{ "jump, unusual", ktest_plain2, .many = true },
	{ "ftrace", ktest_traced },
	{ "ftrace, unusual", ktest_traced, .many = true },
};

KUNIT_ARRAY_PARAM_DESC(redirect, redirect_ways, name);

/* Go on where ktest_plain() takes 2 off. */
static int redirect_then(struct ktest_probe *p, struct pt_regs *regs)
{
	regs->ax = regs->KTEST_REGS_ARG1 + 3;
	instruction_pointer_set(regs, (unsigned long)ktest_plain + ktest_plain_last);
	return 1;
}

/* An older subscriber of the point at @fn: it misses the hits. */
static struct ktest_probe *redirect_older(struct kunit *test, int (*fn)(int x))
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);

	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	return p;
}

static __nocfi void redirect_into_jump(struct kunit *test)
{
	const struct redirect_way *way = test->param_value;
	struct ktest_probe *older = way->many ? redirect_older(test, way->fn) : NULL;
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	struct ktest_probe *from = ktest_probe_alloc(test, way->fn);
	int x;

	from->then = redirect_then;
	ktest_register(test, to);
	ktest_register(test, from);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, JMP32_INSN_OPCODE, ktest_text(to->kp.addr));
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, way->fn(x));
	KTEST_EXPECT_COUNTS(test, from, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, to, 0, 0, 0);
	if (older)
		KTEST_EXPECT_COUNTS(test, older, 0, 0, KTEST_CALLS);
}

/* Where a handler at @from goes on that wants to go to ktest_plain_last. */
static unsigned long redirect_of(struct ktest_probe *from)
{
	guard(preempt)();
	return kprobe_redirect_ip((unsigned long)ktest_plain + ktest_plain_last,
				  get_kprobe(from->kp.addr));
}

/* If @to waits for its jump, which the lock holds up, look where the path leads. */
static bool redirect_while_queued(struct kunit *test, struct ktest_probe *to)
{
	unsigned long last = (unsigned long)ktest_plain + ktest_plain_last;

	guard(mutex)(&kprobe_mutex);
	if (kprobe_table_find(to->kp.addr)->state != KPROBE_QUEUED)
		return false;
	KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(to->kp.addr));
	KUNIT_EXPECT_NE(test, 0, kprobe_trapping_detours);
	KUNIT_EXPECT_NE(test, last, redirect_of(to));
	return true;
}

/* A breakpoint that will become a jump is regarded as one; another one is not. */
static void redirect_into_queued(struct kunit *test)
{
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	unsigned long last = (unsigned long)ktest_plain + ktest_plain_last;
	int tries = REDIRECT_TRIES;
	bool queued;

	ktest_register(test, to);
	do {
		ktest_optimization(test, false);
		KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(to->kp.addr));
		KUNIT_EXPECT_EQ(test, 0, kprobe_trapping_detours);
		KUNIT_EXPECT_EQ(test, last, redirect_of(to));
		ktest_optimization(test, true);
		queued = redirect_while_queued(test, to);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, 0, kprobe_trapping_detours);
		KUNIT_EXPECT_NE(test, last, redirect_of(to));
	} while (!queued && --tries);
	KUNIT_EXPECT_TRUE(test, queued);
}

/* Four bytes are read in the text of a point's module, from its first to its last. */
static void redirect_reads_module(struct kunit *test)
{
	unsigned long start = MODULES_VADDR + PAGE_SIZE, end = start + 3 * PAGE_SIZE;
	struct optimized_kprobe op = {
		.kp.addr = (kprobe_opcode_t *)start + PAGE_SIZE + 100,
		.optinsn = { .before = 1, .others = 2 },
	};

	KUNIT_EXPECT_FALSE(test, kprobe_reads_near(&op.kp, start - 1));
	KUNIT_EXPECT_TRUE(test, kprobe_reads_near(&op.kp, start));
	KUNIT_EXPECT_TRUE(test, kprobe_reads_near(&op.kp, end - sizeof(u32)));
	KUNIT_EXPECT_FALSE(test, kprobe_reads_near(&op.kp, end - sizeof(u32) + 1));
	KUNIT_EXPECT_FALSE(test, kprobe_reads_near(&op.kp, 0));
}

/* The kernel's text is known without: besides, it is the page of the point. */
static void redirect_notes_text(struct kunit *test)
{
	struct optimized_kprobe op = {
		.kp.addr = (kprobe_opcode_t *)ktest_plain,
		.optinsn = { .before = 1, .others = 1 },
	};

	guard(mutex)(&kprobe_mutex);
	kprobe_note_text(&op.kp);
	KUNIT_EXPECT_EQ(test, 0, op.optinsn.before);
	KUNIT_EXPECT_EQ(test, 0, op.optinsn.others);
}

static struct kunit_case redirect_cases[] = {
	KUNIT_CASE_PARAM(redirect_into_jump, redirect_gen_params),
	KUNIT_CASE(redirect_into_queued),
	KUNIT_CASE(redirect_reads_module),
	KUNIT_CASE(redirect_notes_text),
	{}
};

static struct kunit_suite redirect_suite = {
	.name = "kprobes_redirect",
	.test_cases = redirect_cases,
};

kunit_test_suite(redirect_suite);
