// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of handlers that go on at an instruction which the jump of another
 * point covers: its copy is executed.
 */
#include <linux/kprobes.h>
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

static unsigned long redirect_last(void) { return (unsigned long)ktest_plain + ktest_plain_last; }

static __nocfi void redirect_calls(struct kunit *test, int (*fn)(int x))
{
	int x;

	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, fn(x));
}

static void redirect_into_jump(struct kunit *test)
{
	const struct redirect_way *way = test->param_value;
	struct ktest_probe *older = way->many ? redirect_older(test, way->fn) : NULL;
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	struct ktest_probe *from = ktest_probe_alloc(test, way->fn);

	from->then = redirect_then;
	ktest_register(test, to);
	ktest_register(test, from);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, JMP32_INSN_OPCODE, ktest_text(to->kp.addr));
	redirect_calls(test, way->fn);
	KTEST_EXPECT_COUNTS(test, from, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, to, 0, 0, 0);
	if (older)
		KTEST_EXPECT_COUNTS(test, older, 0, 0, KTEST_CALLS);
}

/* Does this CPU remember that no jump covers the address? */
static bool redirect_remembers(unsigned long ip)
{
	guard(preempt)();
	return kprobe_is_clear(ip);
}

/* An address without a jump is remembered until there is one. */
static void redirect_remembered(struct kunit *test)
{
	const struct redirect_way *way = test->param_value;
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	struct ktest_probe *from = ktest_probe_alloc(test, way->fn);

	/* Each CPU remembers for itself. */
	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	if (way->many)
		redirect_older(test, way->fn);
	from->then = redirect_then;
	ktest_register(test, from);
	wait_for_kprobe_optimizer();
	redirect_calls(test, way->fn);
	KUNIT_EXPECT_TRUE(test, redirect_remembers(redirect_last()));
	ktest_register(test, to);
	redirect_calls(test, way->fn);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_FALSE(test, redirect_remembers(redirect_last()));
	KUNIT_ASSERT_EQ(test, JMP32_INSN_OPCODE, ktest_text(to->kp.addr));
	redirect_calls(test, way->fn);
	KUNIT_EXPECT_FALSE(test, redirect_remembers(redirect_last()));
	unregister_kprobe(&to->kp);
	redirect_calls(test, way->fn);
	KUNIT_EXPECT_TRUE(test, redirect_remembers(redirect_last()));
	KTEST_EXPECT_COUNTS(test, from, 4 * KTEST_CALLS, 0, 0);
}

/* Where a handler goes on that wants to go to @ip, with so many frames in use. */
static unsigned long redirect_in_frame(unsigned long ip, int frames)
{
	unsigned long to;
	int i;

	for (i = 0; i < frames; i++)
		kprobe_busy_begin();
	to = kprobe_redirect_ip(ip);
	for (i = 0; i < frames; i++)
		kprobe_busy_end();
	return to;
}

/* Have this CPU remember another address in the place of @ip. */
static void redirect_evict(unsigned long ip)
{
	redirect_in_frame(ip + 8 * KPROBE_CLEAR_NR, 1);
}

/* Another CPU remembers the address, and must not when there is a jump. */
static void redirect_elsewhere(struct kunit *test)
{
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	unsigned int here = raw_smp_processor_id(), there;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs two CPUs");
	there = cpumask_any_but(cpu_online_mask, here);
	wait_for_kprobe_optimizer();
	set_cpus_allowed_ptr(current, cpumask_of(there));
	redirect_in_frame(redirect_last(), 1);
	KUNIT_EXPECT_TRUE(test, redirect_remembers(redirect_last()));
	set_cpus_allowed_ptr(current, cpumask_of(here));
	ktest_register(test, to);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, JMP32_INSN_OPCODE, ktest_text(to->kp.addr));
	set_cpus_allowed_ptr(current, cpumask_of(there));
	KUNIT_EXPECT_FALSE(test, redirect_remembers(redirect_last()));
}

/* What interrupts the hit in the first frame must not change what that is remembering. */
static void redirect_nested(struct kunit *test)
{
	unsigned long ip = (unsigned long)ktest_plain2;
	int frames;

	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	wait_for_kprobe_optimizer();
	redirect_evict(ip);
	KUNIT_ASSERT_FALSE(test, redirect_remembers(ip));
	for (frames = 2; frames <= 3; frames++) {
		KUNIT_EXPECT_EQ(test, ip, redirect_in_frame(ip, frames));
		KUNIT_EXPECT_FALSE(test, redirect_remembers(ip));
	}
	KUNIT_EXPECT_EQ(test, ip, redirect_in_frame(ip, 1));
	KUNIT_EXPECT_TRUE(test, redirect_remembers(ip));
}

/*
 * If @to waits for its jump, which the lock holds up, look where the path leads if the CPU
 * does not remember the address, and that it is not remembered.
 */
static bool redirect_while_queued(struct kunit *test, struct ktest_probe *to)
{
	guard(mutex)(&kprobe_mutex);
	if (kprobe_table_find(to->kp.addr)->state != KPROBE_QUEUED)
		return false;
	KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(to->kp.addr));
	redirect_evict(redirect_last());
	KUNIT_EXPECT_NE(test, redirect_last(), redirect_in_frame(redirect_last(), 1));
	KUNIT_EXPECT_FALSE(test, redirect_remembers(redirect_last()));
	return true;
}

/* A breakpoint that will become a jump is regarded as one; another one is not. */
static void redirect_into_queued(struct kunit *test)
{
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	int tries = REDIRECT_TRIES;
	bool queued;

	set_cpus_allowed_ptr(current, cpumask_of(raw_smp_processor_id()));
	ktest_register(test, to);
	do {
		ktest_optimization(test, false);
		KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(to->kp.addr));
		KUNIT_EXPECT_EQ(test, redirect_last(), redirect_in_frame(redirect_last(), 1));
		ktest_optimization(test, true);
		queued = redirect_while_queued(test, to);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_NE(test, redirect_last(), redirect_in_frame(redirect_last(), 1));
	} while (!queued && --tries);
	KUNIT_EXPECT_TRUE(test, queued);
}

static struct kunit_case redirect_cases[] = {
	KUNIT_CASE_PARAM(redirect_into_jump, redirect_gen_params),
	KUNIT_CASE_PARAM(redirect_remembered, redirect_gen_params),
	KUNIT_CASE(redirect_elsewhere),
	KUNIT_CASE(redirect_nested),
	KUNIT_CASE(redirect_into_queued),
	{}
};

static struct kunit_suite redirect_suite = {
	.name = "kprobes_redirect",
	.test_cases = redirect_cases,
};

kunit_test_suite(redirect_suite);
