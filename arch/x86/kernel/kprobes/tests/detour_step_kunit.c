// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of detours, slots and stubs, with a trap after each instruction: at
 * each of them, a stack trace shows the callers of the probed function.
 */
#include <linux/kdebug.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/unwind.h>

#include "detour_register.h"

#define DET_TRACE	64

/* The function that is stepped through. */
static const struct ktest_target *det_target;

static bool det_step_in_target(unsigned long addr)
{
	unsigned long fn = (unsigned long)det_target->fn;

	return addr >= fn && addr < fn + 256;
}

/**
 * struct det_stepped - a probe whose function is stepped through
 * @kp: the probe
 * @how: the way in which it is reached
 */
struct det_stepped {
	struct kprobe kp;
	enum det_how how;
};

static int det_step_pre(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static unsigned int det_posts;

static void det_step_post(struct kprobe *kp, struct pt_regs *regs,
			  unsigned long flags)
{
	det_posts++;
}

static struct det_stepped *det_step_alloc(struct kunit *test,
					  kprobe_post_handler_t post)
{
	struct det_stepped *run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	run->kp.pre_handler = det_step_pre;
	run->kp.post_handler = post;
	run->how = DET_JUMP;
	return run;
}

/**
 * struct det_steps - what is seen while a function is stepped through
 * @task: the task that steps
 * @nr: how many callers the function has
 * @trace: these
 * @steps: how many steps were in a detour or a slot
 * @wrong: in how many of them the callers were others
 * @bad_ip: the first of them
 */
struct det_steps {
	struct task_struct *task;
	unsigned int nr;
	unsigned long trace[DET_TRACE];
	unsigned int steps;
	unsigned int wrong;
	unsigned long bad_ip;
};

static struct det_steps det_steps;

/* The callers of what is interrupted at @regs. Returns 0 if in doubt. */
static unsigned int det_callers(struct pt_regs *regs, unsigned long *trace)
{
	struct unwind_state state;
	unsigned int nr = 0;

	for (unwind_start(&state, current, regs, NULL);
	     !unwind_done(&state) && nr < DET_TRACE; unwind_next_frame(&state))
		trace[nr++] = unwind_get_return_address(&state);
	return unwind_error(&state) ? 0 : nr;
}

/*
 * An unwinder that guesses finds addresses in the registers that a detour has saved,
 * too. All it can tell is that the callers come last.
 */
static bool det_step_ends_right(const unsigned long *trace, unsigned int nr)
{
	unsigned int want = det_steps.nr - (det_target->fn == ktest_back);

	if (nr < want)
		return false;
	return !memcmp(trace + nr - want, det_steps.trace + det_steps.nr - want,
		       want * sizeof(*trace));
}

/* A step is right when it shows the same callers. */
static bool det_step_right(struct pt_regs *regs)
{
	unsigned long trace[DET_TRACE], *got = trace, *want = det_steps.trace;
	unsigned int nr = det_callers(regs, trace);

	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		return det_step_ends_right(trace, nr);
	if (nr == det_steps.nr + 1 && det_step_in_target(trace[0])) {
		/* An emulated call is left for the callee. */
		got++;
		nr--;
	} else if (nr == det_steps.nr - 1 && det_target->fn == ktest_back) {
		/* An emulated return is left for the caller. */
		want++;
	} else if (nr != det_steps.nr) {
		return false;
	}
	return !memcmp(got, want, nr * sizeof(*trace));
}

static int det_step(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;

	if (event != DIE_DEBUG || current != det_steps.task || user_mode(regs))
		return NOTIFY_DONE;
	if (regs->ip == (unsigned long)det_target->fn)
		det_steps.nr = det_callers(regs, det_steps.trace);
	if (is_kprobe_optinsn_slot(regs->ip) || is_kprobe_insn_slot(regs->ip)) {
		det_steps.steps++;
		if (!det_step_right(regs) && !det_steps.wrong++)
			det_steps.bad_ip = regs->ip;
	}
	return NOTIFY_STOP;
}

static struct notifier_block det_step_nb = {
	.notifier_call = det_step,
};

/* For a message: where what was stepped through begins. */
static unsigned long det_begin(struct det_stepped *run)
{
	struct arch_optimized_insn *oi = &det_op(&run->kp)->optinsn;

	return (unsigned long)(run->how == DET_STUB ? oi->stub : oi->insn);
}

static void det_step_through(struct kunit *test, struct det_stepped *run,
			     const struct ktest_target *t, unsigned int least)
{
	long plain = ktest_call_clean(t->fn, 2), stepped;

	memset(&det_steps, 0, sizeof(det_steps));
	det_target = t;
	det_steps.task = current;
	/* The trap flag must not be inherited by another task. */
	preempt_disable();
	stepped = ktest_call_stepped(t->fn, 2);
	preempt_enable();
	det_steps.task = NULL;
	KUNIT_EXPECT_EQ_MSG(test, plain, stepped, "%s", t->name);
	KUNIT_EXPECT_GE_MSG(test, det_steps.steps, least, "%s", t->name);
	KUNIT_EXPECT_GT_MSG(test, det_steps.nr, 4, "%s", t->name);
	KUNIT_EXPECT_EQ_MSG(test, 0, det_steps.wrong, "%s: first at %lx",
			    t->name, det_steps.bad_ip - det_begin(run));
}

static void det_unregister_stepper(void *unused)
{
	unregister_die_notifier(&det_step_nb);
}

/* The kernel's C code is entered once, and again for post handlers of what is not emulated. */
static unsigned int det_entries(struct det_stepped *run)
{
	return run->kp.post_handler && kprobe_detour_needs_after(det_op(&run->kp)) ? 2 : 1;
}

/*
 * Wherever in a detour an interrupt comes, the callers are found.
 */
static void det_interrupted(struct kunit *test)
{
	static const kprobe_post_handler_t posts[] = { NULL, det_step_post };
	struct det_stepped *run;
	unsigned int i, k;

	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&det_step_nb));
	ktest_set_at_end(test, det_unregister_stepper, NULL);
	for (k = 0; k < 2; k++) {
		run = det_step_alloc(test, posts[k]);
		for (i = 0; i < ktest_nr_targets; i++) {
			if (ktest_targets[i].nojump)
				continue;
			det_register(test, &run->kp, &ktest_targets[i], DET_JUMP);
			det_step_through(test, run, &ktest_targets[i],
					 det_entries(run) * KTEST_ENTRY_INSNS);
			unregister_kprobe(&run->kp);
		}
	}
}

/* Nor in a slot, with the copy that goes on and the one that is stepped. */
static void det_interrupted_slot(struct kunit *test)
{
	static const kprobe_fault_handler_t faults[] = { NULL, det_fault };
	struct det_stepped *run = det_step_alloc(test, NULL);
	const struct ktest_target *t;
	unsigned int i, k;

	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&det_step_nb));
	ktest_set_at_end(test, det_unregister_stepper, NULL);
	for (i = 0; i < ktest_nr_targets; i++) {
		t = &ktest_targets[i];
		if (strcmp(t->name, "ktest_sleeps") && strcmp(t->name,
							      "ktest_label"))
			continue;
		for (k = 0; k < 2; k++) {
			run->kp.addr = (void *)t->fn + *t->at;
			run->kp.flags = 0;
			run->kp.fault_handler = faults[k];
			KUNIT_ASSERT_EQ(test, 0, register_kprobe(&run->kp));
			det_step_through(test, run, t, 1);
			unregister_kprobe(&run->kp);
		}
	}
}

/* Nor in a stub: the copy, and an entry behind it. */
static void det_interrupted_stub(struct kunit *test)
{
	struct det_stepped *run = det_step_alloc(test, det_step_post);
	unsigned int i, least, stubs = 0, hits = 0;

	run->how = DET_STUB;
	ktest_optimization(test, false);
	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&det_step_nb));
	ktest_set_at_end(test, det_unregister_stepper, NULL);
	for (i = 0; i < ktest_nr_targets; i++) {
		det_register(test, &run->kp, &ktest_targets[i], DET_STUB);
		least = det_op(&run->kp)->optinsn.stub ?
			KTEST_ENTRY_INSNS + 1 : 0;
		det_posts = 0;
		det_step_through(test, run, &ktest_targets[i], least);
		unregister_kprobe(&run->kp);
		stubs += !!least;
		hits += !!det_posts;
	}
	KUNIT_EXPECT_GT(test, stubs, 10);
	/* The probed instruction of ktest_short() is never executed. */
	KUNIT_EXPECT_EQ(test, ktest_nr_targets - 1, hits);
}

static struct kunit_case det_step_cases[] = {
	KUNIT_CASE(det_interrupted),
	KUNIT_CASE(det_interrupted_slot),
	KUNIT_CASE(det_interrupted_stub),
	{}
};

static struct kunit_suite det_step_suite = {
	.name = "kprobes_detour_step",
	.test_cases = det_step_cases,
};

kunit_test_suite(det_step_suite);
