// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the hit path: what handlers see, and what they may change, for
 * each way in which a point can be reached.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "targets.h"
#include "targets_plain.h"

/**
 * struct dispatch_way - a way in which a point is reached
 * @name: what to call it
 * @fn: a function whose entry is reached like this
 * @state: the state that the point is in then
 * @ftrace: whether ftrace is behind it
 */
struct dispatch_way {
	const char *name;
	int (*fn)(int x);
	enum kprobe_state state;
	bool ftrace;
};

/* What a point becomes that a jump fits at. */
#define DISPATCH_JUMP	(IS_ENABLED(CONFIG_OPTPROBES) ? KPROBE_OPTIMIZED : KPROBE_ARMED)

static const struct dispatch_way dispatch_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", ktest_traced, KPROBE_ARMED, true },
#endif
	{ "breakpoint", ktest_fixed, KPROBE_ARMED, false },
	{ "jump", ktest_plain, DISPATCH_JUMP, false },
};

KUNIT_ARRAY_PARAM_DESC(dispatch_ways, dispatch_ways, name);

/* Register, and wait until the point is reached as it shall be. */
static void dispatch_register(struct kunit *test, struct ktest_probe *p,
			      const struct dispatch_way *way)
{
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, way->ftrace, kprobe_ftrace(&p->kp));
	/* Whether it has a post handler or not. */
	KUNIT_ASSERT_EQ(test, way->state, ktest_state(p));
}

static struct ktest_probe *dispatch_probe(struct kunit *test)
{
	const struct dispatch_way *way = test->param_value;

	return ktest_probe_alloc(test, way->fn);
}

static __nocfi int dispatch_call(struct kunit *test, int x)
{
	const struct dispatch_way *way = test->param_value;

	return way->fn(x);
}

/* What the last handlers saw. */
static struct {
	unsigned long arg;
	unsigned long ip;
	unsigned long post_ip;
	unsigned long flags;
	struct kprobe *post_running;
	bool preemptible;
	bool irqs_on;
} dispatch_seen;

static int dispatch_look(struct ktest_probe *p, struct pt_regs *regs)
{
	dispatch_seen.arg = regs_get_kernel_argument(regs, 0);
	dispatch_seen.ip = instruction_pointer(regs);
	dispatch_seen.flags = regs->flags;
	dispatch_seen.preemptible = preemptible();
	dispatch_seen.irqs_on = !irqs_disabled();
	return 0;
}

static void dispatch_look_post(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
	dispatch_seen.post_ip = instruction_pointer(regs);
	dispatch_seen.post_running = kprobe_running();
	ktest_post(kp, regs, flags);
}

/* The registers are those of the probed function at the probed place. */
static void dispatch_registers(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	int x;

	p->then = dispatch_look;
	dispatch_register(test, p, test->param_value);
	for (x = 1; x <= KTEST_CALLS; x++) {
		KUNIT_EXPECT_EQ(test, x + 1, dispatch_call(test, x));
		KUNIT_EXPECT_EQ(test, x, dispatch_seen.arg);
	}
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	KUNIT_EXPECT_EQ(test, (unsigned long)p->kp.addr + INT3_INSN_SIZE,
			dispatch_seen.ip);
	KUNIT_EXPECT_FALSE(test, dispatch_seen.preemptible);
	KUNIT_EXPECT_PTR_EQ(test, &ktest_point(p)->probe, p->running);
	KUNIT_EXPECT_NULL(test, kprobe_running());
}

static void dispatch_post(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	int x;

	p->kp.post_handler = dispatch_look_post;
	dispatch_register(test, p, test->param_value);
	for (x = 1; x <= KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, dispatch_call(test, x));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, KTEST_CALLS, 0);
	KUNIT_EXPECT_GT(test, dispatch_seen.post_ip, (unsigned long)p->kp.addr);
	KUNIT_EXPECT_LE(test, dispatch_seen.post_ip,
			(unsigned long)p->kp.addr + MAX_INSN_SIZE);
	KUNIT_EXPECT_PTR_EQ(test, &ktest_point(p)->probe,
			    dispatch_seen.post_running);
	/* It is called without a pre handler, too. */
	unregister_kprobe(&p->kp);
	p->kp.pre_handler = NULL;
	dispatch_register(test, p, test->param_value);
	KUNIT_EXPECT_EQ(test, 2, dispatch_call(test, 1));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, KTEST_CALLS + 1, 0);
}

/* The interrupt flag of the probed code survives, and handlers see it. */
static void dispatch_irq_flag(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	bool off_inside, off_after;

	p->then = dispatch_look;
	dispatch_register(test, p, test->param_value);
	dispatch_call(test, 1);
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_TRUE(test, dispatch_seen.flags & X86_EFLAGS_IF);

	local_irq_disable();
	dispatch_call(test, 1);
	off_inside = !dispatch_seen.irqs_on;
	off_after = irqs_disabled();
	local_irq_enable();
	KUNIT_EXPECT_TRUE(test, off_inside);
	KUNIT_EXPECT_TRUE(test, off_after);
	KUNIT_EXPECT_FALSE(test, dispatch_seen.flags & X86_EFLAGS_IF);
}

static int dispatch_double_arg(struct ktest_probe *p, struct pt_regs *regs)
{
	regs->KTEST_REGS_ARG1 *= 2;
	return 0;
}

/* What a pre handler puts into a register, the function finds in there. */
static void dispatch_change_register(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	int x;

	p->then = dispatch_double_arg;
	dispatch_register(test, p, test->param_value);
	for (x = 1; x <= KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, 2 * x + 1, dispatch_call(test, x));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

static int dispatch_go_elsewhere(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)ktest_other);
	return 1;
}

/* Non-zero: go on where the handler says, and do not ask the others. */
static void dispatch_change_path(struct kunit *test)
{
	struct ktest_probe *p[3];
	int i;

	for (i = 0; i < 3; i++) {
		p[i] = dispatch_probe(test);
		dispatch_register(test, p[i], test->param_value);
	}
	p[1]->then = dispatch_go_elsewhere;
	for (i = 0; i < KTEST_CALLS; i++)
		KUNIT_EXPECT_EQ(test, i + 1000, dispatch_call(test, i));
	KTEST_EXPECT_COUNTS(test, p[2], KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, p[1], KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, p[0], 0, 0, KTEST_CALLS);
	/* And nothing is left behind. */
	KUNIT_EXPECT_NULL(test, kprobe_running());
	p[1]->then = NULL;
	KUNIT_EXPECT_EQ(test, 2, dispatch_call(test, 1));
	KTEST_EXPECT_COUNTS(test, p[0], 1, 0, KTEST_CALLS);
}

/* The probed instruction was not executed: there is no "after" it. */
static void dispatch_change_path_post(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	struct ktest_probe *other = dispatch_probe(test);

	p->kp.post_handler = ktest_post;
	other->kp.post_handler = ktest_post;
	p->then = dispatch_go_elsewhere;
	dispatch_register(test, other, test->param_value);
	dispatch_register(test, p, test->param_value);
	KUNIT_EXPECT_EQ(test, 1001, dispatch_call(test, 1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, other, 0, 0, 1);
}

static int dispatch_return_now(struct ktest_probe *p, struct pt_regs *regs)
{
	regs_set_return_value(regs, 77);
	instruction_pointer_set(regs, *(unsigned long *)regs->sp);
	regs->sp += sizeof(unsigned long);
	return 1;
}

/* Likewise without a change of the stack, which ftrace does not allow. */
static int dispatch_return_by_return(struct ktest_probe *p,
				     struct pt_regs *regs)
{
	regs_set_return_value(regs, 77);
	instruction_pointer_set(regs, (unsigned long)ktest_return);
	return 1;
}

/* The way fault injection does it: the function returns before it began. */
static void dispatch_override(struct kunit *test)
{
	const struct dispatch_way *way = test->param_value;
	struct ktest_probe *p = dispatch_probe(test);
	int i;

	p->then = way->ftrace ? dispatch_return_by_return : dispatch_return_now;
	dispatch_register(test, p, way);
	for (i = 0; i < KTEST_CALLS; i++)
		KUNIT_EXPECT_EQ(test, 77, dispatch_call(test, i));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

/* For code that runs handlers on its own. */
static void dispatch_busy(struct kunit *test)
{
	struct ktest_probe *p = dispatch_probe(test);
	struct kprobe *inside, *after_one;

	dispatch_register(test, p, test->param_value);
	kprobe_busy_begin();
	dispatch_call(test, 1);
	kprobe_busy_begin();
	inside = kprobe_running();
	dispatch_call(test, 1);
	kprobe_busy_end();
	after_one = kprobe_running();
	dispatch_call(test, 1);
	kprobe_busy_end();
	KUNIT_EXPECT_NOT_NULL(test, inside);
	KUNIT_EXPECT_NOT_NULL(test, after_one);
	KUNIT_EXPECT_NULL(test, kprobe_running());
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 3);
	dispatch_call(test, 1);
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 3);
	KUNIT_EXPECT_EQ(test, preempt_count(), 0);
}

/* An instruction that is emulated instead of copied. */
static void dispatch_emulated(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_flags);
	unsigned long flags;
	int i;

	ktest_register(test, p);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_TRUE(test, ktest_flags() & X86_EFLAGS_IF);
		local_irq_disable();
		flags = ktest_flags();
		local_irq_enable();
		KUNIT_EXPECT_FALSE(test, flags & X86_EFLAGS_IF);
		if (i)
			break;
		unregister_kprobe(&p->kp);
		p->kp.post_handler = ktest_post;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
	}
	KTEST_EXPECT_COUNTS(test, p, 4, 2, 0);
	/* The instruction of a missed hit is emulated, too. */
	kprobe_busy_begin();
	flags = ktest_flags();
	kprobe_busy_end();
	KUNIT_EXPECT_TRUE(test, flags & X86_EFLAGS_IF);
	KTEST_EXPECT_COUNTS(test, p, 4, 2, 1);
}

#define DISPATCH_TURNS	5

/* All hits are at one address, until the last one leaves it. */
static int dispatch_leave(struct ktest_probe *p, struct pt_regs *regs)
{
	if (atomic_read(&p->pre) % DISPATCH_TURNS)
		return 0;
	instruction_pointer_set(regs, (unsigned long)ktest_spin + ktest_spin_out);
	return 1;
}

/* A jump to itself is hit each time that it is taken. */
static void dispatch_spin(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_spin + ktest_spin_at);

	p->then = dispatch_leave;
	/* With one, it stays a breakpoint. */
	p->kp.fault_handler = ktest_fault;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, 3, ktest_spin(2));
	KTEST_EXPECT_COUNTS(test, p, DISPATCH_TURNS, 0, 0);
	unregister_kprobe(&p->kp);
	p->kp.fault_handler = NULL;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, DISPATCH_JUMP, ktest_state(p));
	KUNIT_EXPECT_EQ(test, 3, ktest_spin(2));
	KTEST_EXPECT_COUNTS(test, p, 2 * DISPATCH_TURNS, 0, 0);
}

#define DISPATCH_CASE(fn)	KUNIT_CASE_PARAM(fn, dispatch_ways_gen_params)

static struct kunit_case dispatch_cases[] = {
	DISPATCH_CASE(dispatch_registers),
	DISPATCH_CASE(dispatch_post),
	DISPATCH_CASE(dispatch_irq_flag),
	DISPATCH_CASE(dispatch_change_register),
	DISPATCH_CASE(dispatch_change_path),
	DISPATCH_CASE(dispatch_change_path_post),
	DISPATCH_CASE(dispatch_override),
	DISPATCH_CASE(dispatch_busy),
	KUNIT_CASE(dispatch_emulated),
	KUNIT_CASE(dispatch_spin),
	{}
};

static struct kunit_suite dispatch_suite = {
	.name = "kprobes_dispatch",
	.test_cases = dispatch_cases,
};

kunit_test_suite(dispatch_suite);
