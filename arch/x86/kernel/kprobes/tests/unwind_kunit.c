// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reliable stack traces, as live patching takes them: of a task
 * that was preempted in a handler of a probe, or at any instruction of a slot, a
 * detour or a stub. With ORC, they show the probed function and its callers; with
 * frame pointers they are refused, as of any task that was interrupted.
 */
#include <linux/irq_work.h>
#include <linux/kdebug.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <asm/unwind.h>
#include <uapi/linux/sched/types.h>

#include "kprobes/tests/testing.h"
#include "../detour.h"
#include "targets_detour.h"

#define UNW_TRACE	64

/* The functions made of assembly are shorter. */
#define UNW_FN_MAX	256

/**
 * struct unw - a task whose stack is walked, and one that walks it
 * @task: the first
 * @walker: the second, which preempts the first whenever it is woken
 * @work: an interrupt that wakes it
 * @target: the probed function
 * @call: what calls the target
 * @asked: the walker has something to do
 * @stepping: the task runs with a trap after each instruction
 * @nr_callers: how many callers there are behind unw_call()
 * @caller: these
 * @at: where the task was interrupted
 * @walks: how often its stack was walked; when stepping, while it was in a copy
 * @wrong: how often the answer was wrong
 * @bad_at: @at of the first wrong one
 * @bad_nr: what the first wrong one returned
 */
static struct unw {
	struct task_struct *task;
	struct task_struct *walker;
	struct irq_work work;
	const struct ktest_target *target;
	long (*call)(long (*fn)(long x), long x);
	bool asked;
	bool stepping;
	unsigned int nr_callers;
	unsigned long caller[UNW_TRACE];
	unsigned long at;
	unsigned int walks;
	unsigned int wrong;
	unsigned long bad_at;
	int bad_nr;
} unw;

static bool unw_in(unsigned long addr, void *fn)
{
	return addr - (unsigned long)fn < UNW_FN_MAX;
}

/*
 * Does a trace hold the probed function, what calls that, and all the others? A
 * probed jump may have led to the function that is called by others, and a
 * probed return to the caller.
 */
static bool unw_complete(const unsigned long *trace, unsigned int nr)
{
	/* In unw.call, and in unw_call(). */
	unsigned int tail = unw.nr_callers + 2;

	if (nr <= tail)
		return false;
	trace += nr - tail;
	if (!unw_in(trace[0], unw.call) ||
	    memcmp(trace + 2, unw.caller, unw.nr_callers * sizeof(*trace)))
		return false;
	return unw_in(trace[-1], unw.target->fn) ||
	       unw_in(trace[-1], ktest_callee) || unw.target->fn == ktest_back;
}

static bool unw_right(const unsigned long *trace, int nr)
{
	if (IS_ENABLED(CONFIG_FRAME_POINTER))
		return nr == -EINVAL;
	return nr > 0 && unw_complete(trace, nr);
}

/* Where was the task when it was interrupted? 0 if it was not. */
static unsigned long unw_interrupted_at(void)
{
	struct unwind_state state;
	struct pt_regs *regs;

	for (unwind_start(&state, unw.task, NULL, NULL); !unwind_done(&state);
	     unwind_next_frame(&state)) {
		regs = unwind_get_entry_regs(&state, NULL);
		if (regs)
			return regs->ip;
	}
	return 0;
}

static bool unw_in_copy(unsigned long ip)
{
	return is_kprobe_insn_slot(ip) || is_kprobe_optinsn_slot(ip);
}

static void unw_look(void)
{
	static unsigned long trace[UNW_TRACE];
	int nr = stack_trace_save_tsk_reliable(unw.task, trace, UNW_TRACE);

	unw.at = unw_interrupted_at();
	unw.walks += !unw.stepping || unw_in_copy(unw.at);
	if (unw_right(trace, nr) || unw.wrong++)
		return;
	unw.bad_at = unw.at;
	unw.bad_nr = nr;
}

static int unw_walk(void *unused)
{
	for (;;) {
		set_current_state(TASK_INTERRUPTIBLE);
		if (kthread_should_stop())
			break;
		if (READ_ONCE(unw.asked)) {
			__set_current_state(TASK_RUNNING);
			unw_look();
			WRITE_ONCE(unw.asked, false);
		} else {
			schedule();
		}
	}
	__set_current_state(TASK_RUNNING);
	return 0;
}

static void unw_ask(void)
{
	if (current != unw.task || !unw.target)
		return;
	WRITE_ONCE(unw.asked, true);
	wake_up_process(unw.walker);
}

static void unw_interrupt(struct irq_work *work)
{
	unw_ask();
}

/* The interrupt comes before the next instruction. */
static int unw_step(struct notifier_block *nb, unsigned long event, void *data)
{
	struct pt_regs *regs = ((struct die_args *)data)->regs;

	if (event != DIE_DEBUG || user_mode(regs) || !unw.stepping)
		return NOTIFY_DONE;
	if (current != unw.task)
		regs->flags &= ~X86_EFLAGS_TF;
	else if (unw_in_copy(regs->ip))
		irq_work_queue(&unw.work);
	return NOTIFY_STOP;
}

static struct notifier_block unw_step_nb = {
	.notifier_call = unw_step,
};

static noinline __nocfi long unw_call(long x)
{
	unsigned long trace[UNW_TRACE];
	long ret;

	unw.nr_callers = stack_trace_save(trace, UNW_TRACE, 0) - 1;
	memcpy(unw.caller, trace + 1, unw.nr_callers * sizeof(*trace));
	ret = unw.call(unw.target->fn, x);
	barrier();
	return ret;
}

static void unw_end(void)
{
	sched_set_normal(current, 0);
	migrate_enable();
	unregister_die_notifier(&unw_step_nb);
	irq_work_sync(&unw.work);
	kthread_stop(unw.walker);
}

/*
 * The walker runs on this CPU, before this task goes on. No other task shall, or
 * the trap flag would be passed on to that.
 */
static void unw_begin(struct kunit *test)
{
	if (!preempt_model_preemptible())
		kunit_skip(test, "needs preempt=full");
	memset(&unw, 0, sizeof(unw));
	unw.task = current;
	unw.work = IRQ_WORK_INIT_HARD(unw_interrupt);
	unw.walker = kthread_create(unw_walk, NULL, "ktest_walker");
	KUNIT_ASSERT_FALSE(test, IS_ERR(unw.walker));
	migrate_disable();
	kthread_bind(unw.walker, smp_processor_id());
	sched_set_fifo(unw.walker);
	sched_set_fifo_low(current);
	wake_up_process(unw.walker);
	KUNIT_EXPECT_EQ(test, 0, register_die_notifier(&unw_step_nb));
}

/**
 * struct unw_way - how the probe is reached, and what its handlers do
 * @name: what to call it
 * @pre: the pre handler
 * @post: the post handler
 * @jump: there is a jump; if not, a breakpoint
 * @skip: the pre handler skips the instruction
 * @least: how many instructions there are in copies, at least
 */
struct unw_way {
	const char *name;
	kprobe_pre_handler_t pre;
	kprobe_post_handler_t post;
	bool jump;
	bool skip;
	unsigned int least;
};

static int unw_pre(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

static int unw_pre_skip(struct kprobe *kp, struct pt_regs *regs)
{
	if (!unw.target)
		return 0;
	instruction_pointer_set(regs, (unsigned long)unw.target->fn +
				      *unw.target->next);
	return 1;
}

static int unw_pre_ask(struct kprobe *kp, struct pt_regs *regs)
{
	unw_ask();
	return 0;
}

static int unw_pre_ask_skip(struct kprobe *kp, struct pt_regs *regs)
{
	unw_ask();
	return unw_pre_skip(kp, regs);
}

static void unw_post(struct kprobe *kp, struct pt_regs *regs,
		     unsigned long flags)
{
}

static void unw_post_ask(struct kprobe *kp, struct pt_regs *regs,
			 unsigned long flags)
{
	unw_ask();
}

/* From a breakpoint there is no step to the first instruction of a copy. */
static int unw_pre_raise(struct kprobe *kp, struct pt_regs *regs)
{
	irq_work_queue(&unw.work);
	return 0;
}

/* Once for each call: at the end of the handler it is preempted. */
static const struct unw_way unw_handler_ways[] = {
	{ "pre", unw_pre_ask, NULL, .jump = true, .least = 1 },
	{ "post", unw_pre, unw_post_ask, .jump = true, .least = 1 },
	{ "skip", unw_pre_ask_skip, NULL, .jump = true, .skip = true, .least = 1 },
};

static const struct unw_way unw_step_ways[] = {
	{ "jump", unw_pre, NULL, .jump = true, .least = KTEST_ENTRY_INSNS },
	{ "jump, post", unw_pre, unw_post, .jump = true, .least = 2 * KTEST_ENTRY_INSNS },
	{ "jump, skip", unw_pre_skip, NULL, .jump = true, .skip = true,
	  .least = KTEST_ENTRY_INSNS },
	{ "slot", unw_pre_raise, NULL, .least = 2 },
	{ "stub", unw_pre_raise, unw_post, .least = KTEST_ENTRY_INSNS + 1 },
};

KUNIT_ARRAY_PARAM_DESC(unw_handler, unw_handler_ways, name);
KUNIT_ARRAY_PARAM_DESC(unw_step, unw_step_ways, name);

/* Are there copies to be in? Not of what is emulated at a breakpoint. */
static bool unw_fits(const struct ktest_target *t, const struct unw_way *way)
{
	if (way->skip && !t->skip)
		return false;
	/* Its point is never reached. */
	if (t->fn == ktest_short)
		return false;
	return !way->jump || !t->nojump;
}

static bool unw_emulated(struct kprobe *kp)
{
	struct kprobe *p;

	guard(mutex)(&kprobe_mutex);
	p = get_kprobe(kp->addr);
	return p && !kprobe_detour_needs_after(kprobe_op_of(p));
}

/* What is emulated has no second entry for post handlers, and no copy in a slot. */
static unsigned int unw_least(const struct unw_way *way, struct kprobe *kp)
{
	if (!unw_emulated(kp))
		return way->least;
	return way->jump ? umin(way->least, KTEST_ENTRY_INSNS) : 0;
}

static unsigned int unw_try(struct kunit *test, const struct ktest_target *t,
			    const struct unw_way *way, bool stepping)
{
	struct kprobe kp = {
		.addr = (void *)t->fn + *t->at,
		.pre_handler = way->pre,
		.post_handler = way->post,
	};
	int ret = register_kprobe(&kp);
	unsigned int least;

	KUNIT_EXPECT_EQ_MSG(test, 0, ret, "%s", t->name);
	if (ret)
		return 0;
	wait_for_kprobe_optimizer();
	least = unw_least(way, &kp);
	unw.walks = 0;
	unw.wrong = 0;
	unw.call = stepping ? ktest_call_stepped : ktest_call_clean;
	unw.target = t;
	unw.stepping = stepping;
	unw_call(2);
	unw.stepping = false;
	unw.target = NULL;
	unregister_kprobe(&kp);
	KUNIT_EXPECT_GE_MSG(test, unw.walks, least, "%s", t->name);
	KUNIT_EXPECT_EQ_MSG(test, 0, unw.wrong, "%s: %d of %d, at %pS: %d",
			    t->name, unw.wrong, unw.walks, (void *)unw.bad_at,
			    unw.bad_nr);
	return unw.walks;
}

static void unw_try_all(struct kunit *test, bool stepping)
{
	const struct unw_way *way = test->param_value;
	unsigned int i, walks = 0;

	ktest_optimization(test, way->jump);
	unw_begin(test);
	for (i = 0; i < ktest_nr_targets; i++) {
		if (unw_fits(&ktest_targets[i], way))
			walks += unw_try(test, &ktest_targets[i], way,
					 stepping);
	}
	unw_end();
	kunit_info(test, "%u stacks walked", walks);
}

static void unw_in_handler(struct kunit *test)
{
	unw_try_all(test, false);
}

static void unw_at_each_insn(struct kunit *test)
{
	unw_try_all(test, true);
}

static struct kunit_case unw_cases[] = {
	KUNIT_CASE_PARAM(unw_in_handler, unw_handler_gen_params),
	KUNIT_CASE_PARAM(unw_at_each_insn, unw_step_gen_params),
	{}
};

static struct kunit_suite unw_suite = {
	.name = "kprobes_unwind",
	.test_cases = unw_cases,
};

kunit_test_suite(unw_suite);
