// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of handlers that go on at an instruction which the jump of another
 * point covers: its copy is executed.
 */
#include <asm/text-patching.h>

#include "targets_plain.h"

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

static struct kunit_case redirect_cases[] = {
	KUNIT_CASE_PARAM(redirect_into_jump, redirect_gen_params),
	{}
};

static struct kunit_suite redirect_suite = {
	.name = "kprobes_redirect",
	.test_cases = redirect_cases,
};

kunit_test_suite(redirect_suite);
