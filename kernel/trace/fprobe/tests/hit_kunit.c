// SPDX-License-Identifier: GPL-2.0
/*
 * Hits of function probes: what handlers see, in which order they are called, and
 * what is counted when they are not.
 */
#include <linux/delay.h>
#include <linux/error-injection.h>
#include <linux/ftrace.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "testing.h"

/* Each call is seen once on the way in and once on the way out. */
static void hit_counts(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned long offset = 0;
	int i;

	fptest_register(test, p, "fptest_double");
	for (i = 0; i < FPTEST_CALLS; i++) {
		KUNIT_ASSERT_EQ(test, 2 * i, fptest_double(i));
		KUNIT_ASSERT_EQ(test, 2 * i, (int)p->value);
	}
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
	KUNIT_EXPECT_EQ(test, p->ret_ip, p->exit_ret_ip);
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(p->ret_ip, NULL, &offset));
	KUNIT_EXPECT_EQ(test, (unsigned long)hit_counts, p->ret_ip - offset);
	KUNIT_EXPECT_FALSE(test, p->preemptible);
	KUNIT_EXPECT_FALSE(test, p->bad_data);
}

/* Of two, only the one that refuses loses its exit; that is no miss. */
static void hit_refuse(struct kunit *test)
{
	struct fptest_probe *a = fptest_alloc(test, 'a');
	struct fptest_probe *b = fptest_alloc(test, 'b');

	a->refuse = true;
	fptest_register(test, a, "fptest_double");
	fptest_double(1);
	KUNIT_EXPECT_STREQ(test, "a", fptest_log);
	fptest_register(test, b, "fptest_double");
	fptest_double(1);
	KUNIT_EXPECT_STREQ(test, "aabB", fptest_log);
	KUNIT_EXPECT_EQ(test, 0UL, a->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 0UL, b->fp.nmissed);
}

static void hit_data(struct kunit *test)
{
	static const size_t sizes[] = { 0, 1, 8, 13, 100, 4096,
					FPROBE_MAX_DATA_SIZE };
	struct fptest_probe *p;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		p = fptest_alloc(test, 'd');
		p->fp.entry_data_size = sizes[i];
		fptest_register(test, p, "fptest_double");
		for (j = 0; j < FPTEST_CALLS; j++)
			fptest_double(j);
		KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p->exits));
		KUNIT_EXPECT_FALSE(test, p->bad_data);
	}
}

/* Without an exit handler there are no data, whatever their size. */
static void hit_data_entry_only(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 'd');

	p->fp.entry_data_size = 64;
	p->fp.exit_handler = NULL;
	fptest_register(test, p, "fptest_double");
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->entries));
	KUNIT_EXPECT_FALSE(test, p->bad_data);
}

/* Data that are too many for one node go into several. */
static void hit_data_many(struct kunit *test)
{
	struct fptest_probe *p[6];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = fptest_alloc(test, 'a' + i);
		p[i]->fp.entry_data_size = FPROBE_MAX_DATA_SIZE - 1000 * i;
		fptest_register(test, p[i], "fptest_double");
	}
	for (j = 0; j < FPTEST_CALLS; j++)
		KUNIT_ASSERT_EQ(test, 2 * j, fptest_double(j));
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p[i]->exits));
		KUNIT_EXPECT_FALSE(test, p[i]->bad_data);
		KUNIT_EXPECT_EQ(test, 0UL, p[i]->fp.nmissed);
	}
}

/* Entries in the order of registration, exits in the reverse order. */
static void hit_ten(struct kunit *test)
{
	struct fptest_probe *p[10];
	int i, j;

	for (i = 0; i < ARRAY_SIZE(p); i++) {
		p[i] = fptest_alloc(test, 'a' + i);
		if (i % 2)
			p[i]->fp.exit_handler = NULL;
		p[i]->fp.entry_data_size = 7 * i;
		fptest_register(test, p[i], "fptest_double");
	}
	fptest_double(1);
	KUNIT_EXPECT_STREQ(test, "abcdefghijIGECA", fptest_log);
	for (j = 1; j < FPTEST_CALLS; j++)
		fptest_double(j);
	for (i = 0; i < ARRAY_SIZE(p); i++) {
		KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p[i]->entries));
		KUNIT_EXPECT_EQ(test, i % 2 ? 0 : FPTEST_CALLS,
				atomic_read(&p[i]->exits));
		KUNIT_EXPECT_FALSE(test, p[i]->bad_data);
	}
	/* The others are not disturbed when one goes. */
	unregister_fprobe(&p[4]->fp);
	memset(fptest_log, 0, sizeof(fptest_log));
	fptest_double(1);
	KUNIT_EXPECT_STREQ(test, "abcdfghijIGCA", fptest_log);
}

/* Three deep, with a limit of one: the outermost call is followed. */
static void hit_limit(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	int round;

	p->fp.nr_maxactive = 1;
	fptest_register(test, p, "fptest_recurse");
	for (round = 1; round <= 10; round++) {
		KUNIT_EXPECT_EQ(test, 3, fptest_recurse(2));
		KUNIT_EXPECT_EQ(test, round, atomic_read(&p->exits));
		KUNIT_EXPECT_EQ(test, round, atomic_read(&p->entries));
		KUNIT_EXPECT_EQ(test, 2UL * round, p->fp.nmissed);
	}
	KUNIT_EXPECT_EQ(test, 20UL, fptest_missed(p, FPROBE_MISS_NODE));
	/* Its counts outlive it. */
	unregister_fprobe(&p->fp);
	KUNIT_EXPECT_EQ(test, 20UL, p->fp.missed[FPROBE_MISS_NODE]);
	KUNIT_EXPECT_EQ(test, 20UL, p->fp.nmissed);
	fptest_register(test, p, "fptest_recurse");
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.missed[FPROBE_MISS_NODE]);
}

static void hit_no_limit(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	fptest_register(test, p, "fptest_recurse");
	KUNIT_EXPECT_EQ(test, 3, fptest_recurse(2));
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
}

/* The limit of one is no limit for the other, and both get their data. */
static void hit_limit_beside(struct kunit *test)
{
	struct fptest_probe *a = fptest_alloc(test, 'a');
	struct fptest_probe *b = fptest_alloc(test, 'b');

	a->fp.nr_maxactive = 2;
	a->fp.entry_data_size = 24;
	fptest_register(test, a, "fptest_recurse");
	fptest_register(test, b, "fptest_recurse");
	KUNIT_EXPECT_EQ(test, 5, fptest_recurse(4));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&a->exits));
	KUNIT_EXPECT_EQ(test, 3UL, a->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 5, atomic_read(&b->exits));
	KUNIT_EXPECT_EQ(test, 0UL, b->fp.nmissed);
}

static void hit_call_triple(struct fptest_probe *p, struct pt_regs *regs)
{
	fptest_triple(1);
}

/*
 * The guard lets one more call pass, then no more: the handler on fptest_triple()
 * that calls fptest_triple() itself is called twice, and misses the third call.
 */
static void hit_recursion(struct kunit *test)
{
	struct fptest_probe *a = fptest_alloc(test, 'a');
	struct fptest_probe *b = fptest_alloc(test, 'b');

	a->then = hit_call_triple;
	fptest_register(test, a, "fptest_triple");
	fptest_register(test, b, "fptest_triple");
	fptest_triple(1);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&a->entries));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&b->entries));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&b->exits));
	KUNIT_EXPECT_EQ(test, 1UL, a->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 1UL, b->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 1UL, fptest_missed(a, FPROBE_MISS_RECURSION));
	KUNIT_EXPECT_EQ(test, 1UL, fptest_missed(b, FPROBE_MISS_RECURSION));
}

static int hit_depth;

/*
 * A second user of both functions, so that ftrace calls its users one after the other. Its
 * guard lets one more call pass, then no more.
 */
static void notrace hit_nest(unsigned long ip, unsigned long parent_ip,
			     struct ftrace_ops *ops, struct ftrace_regs *regs)
{
	if (hit_depth == 2)
		return;
	if (hit_depth++)
		fptest_triple(1);
	else
		fptest_double(1);
}

static struct ftrace_ops hit_ops = { .func = hit_nest };

static void hit_drop_ops(void *unused)
{
	unregister_ftrace_function(&hit_ops);
	/* The suite may be run again: no filter is as good as one that was never set. */
	ftrace_set_filter(&hit_ops, NULL, 0, 1);
}

static void hit_add_ops(struct kunit *test)
{
	unsigned long ips[] = {
		ftrace_location((unsigned long)fptest_triple),
		ftrace_location((unsigned long)fptest_double),
	};

	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&hit_ops, ips, 2, 0, 0));
	/* Idle until the test wants it. */
	hit_depth = 2;
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&hit_ops));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, hit_drop_ops, NULL));
}

/* A call that the guard of ftrace keeps from all users is missed, with that cause. */
static void hit_list(struct kunit *test)
{
	struct fptest_probe *outer = fptest_alloc(test, 0);
	struct fptest_probe *inner = fptest_alloc(test, 0);
	int i;

	fptest_register(test, outer, "fptest_triple");
	fptest_register(test, inner, "fptest_double");
	hit_add_ops(test);
	for (i = 0; i < FPTEST_CALLS; i++) {
		preempt_disable();
		hit_depth = 0;
		fptest_triple(1);
		preempt_enable();
	}
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&outer->exits));
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&inner->exits));
	KUNIT_EXPECT_EQ(test, 1UL * FPTEST_CALLS, outer->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 1UL * FPTEST_CALLS, fptest_missed(outer, FPROBE_MISS_LIST));
	KUNIT_EXPECT_EQ(test, 0UL, inner->fp.nmissed);
}

static bool hit_irq_done;

static void hit_irq_func(struct irq_work *work)
{
	fptest_triple(1);
	WRITE_ONCE(hit_irq_done, true);
}

static DEFINE_IRQ_WORK(hit_irq_work, hit_irq_func);

static void hit_wait_for_irq(struct fptest_probe *p, struct pt_regs *regs)
{
	int i;

	irq_work_queue(&hit_irq_work);
	for (i = 0; i < 20000 && !READ_ONCE(hit_irq_done); i++)
		udelay(5);
}

/* A call from an interrupt that comes while a handler runs is no recursion. */
static void hit_irq(struct kunit *test)
{
	struct fptest_probe *a = fptest_alloc(test, 0);
	struct fptest_probe *b = fptest_alloc(test, 0);

	if (!arch_irq_work_has_interrupt())
		kunit_skip(test, "no interrupt of its own for irq_work");
	hit_irq_done = false;
	a->then = hit_wait_for_irq;
	fptest_register(test, a, "fptest_double");
	fptest_register(test, b, "fptest_triple");
	fptest_double(1);
	irq_work_sync(&hit_irq_work);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&a->exits));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&b->exits));
	KUNIT_EXPECT_EQ(test, 0UL, b->fp.nmissed);
}

#ifdef CONFIG_KPROBES
static int hit_kprobe_pre(struct kprobe *kp, struct pt_regs *regs)
{
	fptest_triple(1);
	return 0;
}

static void hit_unregister_kprobe(void *kp)
{
	unregister_kprobe(kp);
}

/* As on powerpc: then what a handler calls is not followed to its return. */
static bool hit_trampoline_is_probe(void)
{
	guard(preempt)();
	return get_kprobe(arch_rethook_trampoline);
}

/* Called by a handler of a kprobe: missed if the handlers are shared. */
static void hit_kprobe(struct kunit *test)
{
	bool missed = hit_trampoline_is_probe();
	static struct kprobe kp = { .pre_handler = hit_kprobe_pre };
	struct fptest_probe *shared = fptest_alloc(test, 0);
	struct fptest_probe *other = fptest_alloc(test, 0);

	kp = (struct kprobe){ .pre_handler = hit_kprobe_pre,
			      .symbol_name = "fptest_double" };
	shared->fp.flags = FPROBE_FL_KPROBE_SHARED;
	fptest_register(test, shared, "fptest_triple");
	fptest_register(test, other, "fptest_triple");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test,
							   hit_unregister_kprobe, &kp));
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&shared->entries));
	KUNIT_EXPECT_EQ(test, 1UL, fptest_missed(shared, FPROBE_MISS_KPROBE));
	KUNIT_EXPECT_EQ(test, 1UL, shared->fp.nmissed);
	KUNIT_EXPECT_EQ(test, missed ? 0 : 1, atomic_read(&other->exits));
	KUNIT_EXPECT_EQ(test, missed ? 1UL : 0UL, other->fp.nmissed);
	fptest_triple(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&shared->exits));
	KUNIT_EXPECT_EQ(test, 1UL, shared->fp.nmissed);
}

static void hit_call_double(struct fptest_probe *p, struct pt_regs *regs)
{
	fptest_double(1);
}

/* And the other way round: a kprobe that a shared handler hits is missed. */
static void hit_kprobe_in_handler(struct kunit *test)
{
	static struct kprobe kp;
	struct fptest_probe *p = fptest_alloc(test, 0);

	kp = (struct kprobe){ .pre_handler = hit_kprobe_pre,
			      .symbol_name = "fptest_double" };
	p->fp.flags = FPROBE_FL_KPROBE_SHARED;
	p->then = hit_call_double;
	fptest_register(test, p, "fptest_sum");
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test,
							   hit_unregister_kprobe, &kp));
	fptest_sum(1, 2, 3, 4, 5, 6);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 1, (int)kp.nmissed);
}
#endif

static struct fptest_probe *hit_switched;

static void hit_disable(struct fptest_probe *p, struct pt_regs *regs)
{
	disable_fprobe(&hit_switched->fp);
}

/* A call that returns while the fprobe is disabled calls no handler. */
static void hit_switch(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	hit_switched = p;
	fptest_register(test, p, "fptest_double");
	disable_fprobe(&p->fp);
	KUNIT_EXPECT_TRUE(test, fprobe_disabled(&p->fp));
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->entries));
	enable_fprobe(&p->fp);
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
	p->then = hit_disable;
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
}

static u64 hit_arguments;

static void hit_read_arguments(struct fptest_probe *p, struct pt_regs *regs)
{
	int i;

	for (i = 0; i < 6; i++)
		hit_arguments = 10 * hit_arguments +
				(u32)regs_get_kernel_argument(regs, i);
}

/* The two ways at one function: each once, and both see the arguments. */
static void hit_ways(struct kunit *test)
{
	struct fptest_probe *full = fptest_alloc(test, 'f');
	struct fptest_probe *args = fptest_alloc(test, 'a');
	int i;

	if (!IS_ENABLED(CONFIG_X86_64))
		kunit_skip(test, "not all six arguments are in registers");
	full->then = hit_read_arguments;
	args->then = hit_read_arguments;
	args->fp.flags = FPROBE_FL_ARGS;
	fptest_register(test, args, "fptest_sum");
	hit_arguments = 0;
	KUNIT_EXPECT_EQ(test, 21, fptest_sum(1, 2, 3, 4, 5, 6));
	KUNIT_EXPECT_EQ(test, 123456ULL, hit_arguments);
	KUNIT_EXPECT_STREQ(test, "aA", fptest_log);
	fptest_register(test, full, "fptest_sum");
	hit_arguments = 0;
	KUNIT_EXPECT_EQ(test, 21, fptest_sum(1, 2, 3, 4, 5, 6));
	KUNIT_EXPECT_EQ(test, 123456123456ULL, hit_arguments);
	for (i = 2; i < FPTEST_CALLS; i++)
		fptest_sum(1, 2, 3, 4, 5, 6);
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&args->exits));
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS - 1, atomic_read(&full->exits));
	KUNIT_EXPECT_EQ(test, 21UL, full->value);
	KUNIT_EXPECT_EQ(test, full->entry_ip, args->entry_ip);
}

#ifdef CONFIG_FUNCTION_ERROR_INJECTION
static void hit_override(struct fptest_probe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, 42);
	override_function_with_return(regs);
}

/* A handler leaves the function out: the exit handler sees the value it has set. */
static void hit_skip(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 'p');

	p->then = hit_override;
	fptest_register(test, p, "fptest_double");
	KUNIT_EXPECT_EQ(test, 42, fptest_double(1));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 42UL, p->value);
}
#endif

static struct kunit_case hit_cases[] = {
	KUNIT_CASE(hit_counts),
	KUNIT_CASE(hit_refuse),
	KUNIT_CASE(hit_data),
	KUNIT_CASE(hit_data_entry_only),
	KUNIT_CASE(hit_data_many),
	KUNIT_CASE(hit_ten),
	KUNIT_CASE(hit_limit),
	KUNIT_CASE(hit_no_limit),
	KUNIT_CASE(hit_limit_beside),
	KUNIT_CASE(hit_recursion),
	KUNIT_CASE(hit_list),
	KUNIT_CASE(hit_irq),
#ifdef CONFIG_KPROBES
	KUNIT_CASE(hit_kprobe),
	KUNIT_CASE(hit_kprobe_in_handler),
#endif
	KUNIT_CASE(hit_switch),
	KUNIT_CASE(hit_ways),
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
	KUNIT_CASE(hit_skip),
#endif
	{}
};

static struct kunit_suite hit_suite = {
	.name = "fprobe_hit",
	.init = fptest_init,
	.test_cases = hit_cases,
};

kunit_test_suite(hit_suite);
