// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of detours: what the probed function, the handlers and a stack
 * trace see is what they see with a breakpoint. detour_step_kunit.c looks at
 * each instruction.
 */
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "detour_register.h"

#define DET_ARGS	4
#define DET_TRACE	24

/**
 * struct det_trace - the callers that a handler has
 * @nr: how many
 * @at: these, from the probed function on
 */
struct det_trace {
	unsigned long nr;
	unsigned long at[DET_TRACE];
};

/**
 * struct det_seen - what was seen during a call
 * @result: what the function returned
 * @pre: how often the pre handler ran
 * @post: how often the post handler ran
 * @pre_regs: what it saw first
 * @post_regs: what it saw first
 * @pre_trace: from where it was called
 * @post_trace: from where it was called
 */
struct det_seen {
	long result;
	int pre;
	int post;
	struct pt_regs pre_regs;
	struct pt_regs post_regs;
	struct det_trace pre_trace;
	struct det_trace post_trace;
};

static struct det_seen *det_now;
static const struct ktest_target *det_target;

static bool det_in_target(unsigned long addr)
{
	unsigned long fn = (unsigned long)det_target->fn;

	return addr >= fn && addr < fn + 256;
}

/*
 * Where a trace gets to the probed function. An unwinder that guesses takes all of
 * the stack that may be an address, and what traps and detours leave there differs:
 * then it is where a trace has left the function.
 */
static unsigned int det_first_caller(const unsigned long *all, unsigned int nr)
{
	unsigned int i, behind = 0;

	for (i = 0; i < nr && !det_in_target(all[i]); i++)
		;
	if (!IS_ENABLED(CONFIG_UNWINDER_GUESS))
		return i;
	for (; i < nr; i++)
		behind = det_in_target(all[i]) ? i + 1 : behind;
	return behind;
}

/* The trace, without the handler and what calls it. */
static void det_take_trace(struct det_trace *t)
{
	unsigned long all[4 * DET_TRACE];
	unsigned int nr, i;

	nr = stack_trace_save(all, ARRAY_SIZE(all), 0);
	i = det_first_caller(all, nr);
	t->nr = min_t(unsigned int, nr - i, DET_TRACE);
	memcpy(t->at, all + i, t->nr * sizeof(*all));
}

/* Segments: what is not a register's, or may differ. */
#ifdef CONFIG_X86_64
static void det_take_segments(struct pt_regs *to)
{
	/* May be 0 in the kernel; the detour does not look. */
	to->ss = 0;
}
#else
static void det_take_segments(struct pt_regs *to)
{
	to->__dsh = 0;
	to->__esh = 0;
	to->__fsh = 0;
	to->__csh = 0;
	to->__ssh = 0;
	/* A trap leaves the address of its handler there. */
	to->gs = 0;
	to->__gsh = 0;
}
#endif

static void det_take_regs(struct pt_regs *to, const struct pt_regs *regs)
{
	*to = *regs;
	to->flags &= ~X86_EFLAGS_RF;
	det_take_segments(to);
}

static int det_pre(struct kprobe *kp, struct pt_regs *regs)
{
	if (det_now && !det_now->pre++) {
		det_take_regs(&det_now->pre_regs, regs);
		det_take_trace(&det_now->pre_trace);
	}
	return 0;
}

static void det_post(struct kprobe *kp, struct pt_regs *regs,
		     unsigned long flags)
{
	if (det_now && !det_now->post++) {
		det_take_regs(&det_now->post_regs, regs);
		det_take_trace(&det_now->post_trace);
	}
}

static int det_skip(struct kprobe *kp, struct pt_regs *regs)
{
	det_pre(kp, regs);
	instruction_pointer_set(regs, (unsigned long)det_target->fn +
				      *det_target->next);
	return 1;
}

/**
 * struct det_run - what a test compares
 * @seen: for each argument and each way to reach the probe
 * @kp: the probe
 * @how: the way that is compared with the breakpoint
 */
struct det_run {
	struct det_seen seen[DET_HOWS][DET_ARGS];
	struct kprobe kp;
	enum det_how how;
};

static noinline void det_call_all(struct det_run *run,
				  const struct ktest_target *t,
				  enum det_how how)
{
	long x;

	det_target = t;
	for (x = 0; x < DET_ARGS; x++) {
		det_now = &run->seen[how][x];
		det_now->result = ktest_call_clean(t->fn, x);
	}
	det_now = NULL;
}

static struct det_run *det_alloc(struct kunit *test,
				 kprobe_pre_handler_t pre,
				 kprobe_post_handler_t post)
{
	struct det_run *run = kunit_kzalloc(test, sizeof(*run), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, run);
	run->kp.pre_handler = pre;
	run->kp.post_handler = post;
	run->how = DET_JUMP;
	return run;
}

static void det_expect_same(struct kunit *test, const struct ktest_target *t,
			    const struct det_seen *want,
			    const struct det_seen *got, long x)
{
	KUNIT_EXPECT_EQ_MSG(test, want->result, got->result, "%s(%ld)",
			    t->name, x);
	KUNIT_EXPECT_EQ_MSG(test, want->pre, got->pre, "%s(%ld)", t->name, x);
	KUNIT_EXPECT_EQ_MSG(test, want->post, got->post, "%s(%ld)", t->name, x);
	/* A branch may go round it, in those that are fit for no jump. */
	if (t->nojump && !want->pre)
		return;
	KUNIT_EXPECT_GT_MSG(test, want->pre, 0, "%s(%ld)", t->name, x);
	KUNIT_EXPECT_MEMEQ_MSG(test, &want->pre_regs, &got->pre_regs,
			       sizeof(want->pre_regs), "%s(%ld)", t->name, x);
	KUNIT_EXPECT_MEMEQ_MSG(test, &want->post_regs, &got->post_regs,
			       sizeof(want->post_regs), "%s(%ld)", t->name, x);
	KUNIT_EXPECT_GT_MSG(test, want->pre_trace.nr, 4, "%s(%ld)", t->name, x);
	KUNIT_EXPECT_MEMEQ_MSG(test, &want->pre_trace, &got->pre_trace,
			       sizeof(want->pre_trace), "%s(%ld)", t->name, x);
	/* What an earlier call has left on the stack is guessed to be of this one. */
	if (IS_ENABLED(CONFIG_UNWINDER_GUESS))
		return;
	KUNIT_EXPECT_MEMEQ_MSG(test, &want->post_trace, &got->post_trace,
			       sizeof(want->post_trace), "%s(%ld)", t->name, x);
}

/* Both ways, and the function undisturbed. */
static void det_compare(struct kunit *test, struct det_run *run,
			const struct ktest_target *t, bool as_unprobed)
{
	/* All calls are made from one return address. */
	unsigned int way, how, ways = 2;
	long plain[DET_ARGS], x;

	OPTIMIZER_HIDE_VAR(ways);
	memset(run->seen, 0, sizeof(run->seen));
	for (x = 0; x < DET_ARGS; x++)
		plain[x] = ktest_call_clean(t->fn, x);
	for (way = 0; way < ways; way++) {
		how = way ? run->how : DET_BREAKPOINT;
		det_register(test, &run->kp, t, how);
		det_call_all(run, t, how);
		unregister_kprobe(&run->kp);
	}
	for (x = 0; x < DET_ARGS; x++) {
		det_expect_same(test, t, &run->seen[DET_BREAKPOINT][x],
				&run->seen[run->how][x], x);
		if (as_unprobed)
			KUNIT_EXPECT_EQ_MSG(test, plain[x],
					    run->seen[run->how][x].result,
					    "%s(%ld)", t->name, x);
	}
}

static unsigned int det_compare_all(struct kunit *test, struct det_run *run,
				    bool skip)
{
	unsigned int i, done = 0;

	for (i = 0; i < ktest_nr_targets; i++) {
		if ((ktest_targets[i].nojump && run->how == DET_JUMP) ||
		    (skip && !ktest_targets[i].skip))
			continue;
		det_compare(test, run, &ktest_targets[i], !skip);
		done++;
	}
	return done;
}

static void det_same_pre(struct kunit *test)
{
	struct det_run *run = det_alloc(test, det_pre, NULL);

	KUNIT_EXPECT_EQ(test, KTEST_NR_JUMPS, det_compare_all(test, run, false));
}

static void det_same_post(struct kunit *test)
{
	struct det_run *run = det_alloc(test, det_pre, det_post);

	KUNIT_EXPECT_EQ(test, KTEST_NR_JUMPS, det_compare_all(test, run, false));
	KUNIT_EXPECT_EQ(test, 1, run->seen[DET_JUMP][0].post);
}

/* Likewise at points that keep their breakpoints: all can have a stub. */
static void det_same_stub(struct kunit *test)
{
	struct det_run *run = det_alloc(test, det_pre, det_post);

	run->how = DET_STUB;
	ktest_optimization(test, false);
	KUNIT_EXPECT_EQ(test, ktest_nr_targets,
			det_compare_all(test, run, false));
}

static void det_same_skip(struct kunit *test)
{
	struct det_run *run = det_alloc(test, det_skip, NULL);

	KUNIT_EXPECT_EQ(test, KTEST_NR_SKIPS, det_compare_all(test, run, true));
}

/* A hit between the decision and the jump goes by a breakpoint to the detour. */
static void det_same_queued(struct kunit *test)
{
	struct det_run *run = det_alloc(test, det_pre, det_post);
	const struct ktest_target *t;
	struct kprobe *kp = &run->kp;
	unsigned int i, queued = 0;
	long plain, x;

	det_now = NULL;
	for (i = 0; i < ktest_nr_targets; i++) {
		t = &ktest_targets[i];
		if (t->nojump)
			continue;
		plain = ktest_call_clean(t->fn, 2);
		kp->addr = (void *)t->fn + *t->at;
		kp->flags = 0;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(kp));
		memset(run->seen, 0, sizeof(run->seen));
		det_target = t;
		queued += ktest_text(kp->addr) == INT3_INSN_OPCODE;
		for (x = 0; x < 2; x++) {
			det_now = &run->seen[x][0];
			KUNIT_EXPECT_EQ_MSG(test, plain,
					    ktest_call_clean(t->fn, 2),
					    "%s", t->name);
			det_now = NULL;
			KUNIT_EXPECT_EQ_MSG(test, run->seen[x][0].pre,
					    run->seen[x][0].post, "%s", t->name);
			wait_for_kprobe_optimizer();
		}
		KUNIT_EXPECT_MEMEQ_MSG(test, &run->seen[0][0].post_regs,
				       &run->seen[1][0].post_regs,
				       sizeof(struct pt_regs), "%s", t->name);
		unregister_kprobe(kp);
	}
	KUNIT_EXPECT_GT(test, queued, 10);
}

/* Where there can be no jump the reason is exact, and the function works. */
static void det_unfit(struct kunit *test)
{
	const struct ktest_target *t;
	struct ktest_probe *p;
	unsigned int i;
	long plain;

	for (i = 0; i < ktest_nr_targets; i++) {
		t = &ktest_targets[i];
		plain = ktest_call_clean(t->fn, 3);
		p = ktest_probe_alloc(test, (void *)t->fn + *t->at);
		ktest_register(test, p);
		wait_for_kprobe_optimizer();
		ktest_expect_reason(test, p, t->nojump);
		KUNIT_EXPECT_EQ_MSG(test, plain, ktest_call_clean(t->fn, 3),
				    "%s",
				    t->name);
		unregister_kprobe(&p->kp);
	}
}

/* A fault in the detour is one at the original address, and has its fixup. */
static void det_faults(struct kunit *test)
{
	struct ktest_probe *late, *first;
	long here = 42;

	late = ktest_probe_alloc(test,
				 (void *)ktest_late_msr + ktest_late_msr_at);
	first = ktest_probe_alloc(test, (void *)ktest_first + ktest_first_at);
	ktest_register(test, late);
	ktest_register(test, first);
	wait_for_kprobe_optimizer();
	ktest_expect_reason(test, late, KPROBE_NOJUMP_NONE);
	ktest_expect_reason(test, first, KPROBE_NOJUMP_NONE);
	KUNIT_EXPECT_EQ(test, 42, ktest_late_msr((long)&here));
	KUNIT_EXPECT_EQ(test, -EIO, ktest_late_msr(KTEST_NO_ADDRESS));
	KTEST_EXPECT_COUNTS(test, late, 2, 0, 0);
	KUNIT_EXPECT_EQ(test, 42, ktest_first((long)&here));
	KUNIT_EXPECT_EQ(test, -EFAULT, ktest_first(KTEST_NO_ADDRESS));
	KUNIT_EXPECT_EQ(test, -EFAULT, ktest_first(-4096));
	KTEST_EXPECT_COUNTS(test, first, 3, 0, 0);
}

static int det_nr_faults;

static int det_count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	det_nr_faults++;
	return 0;
}

/*
 * A fault of an emulated load is neither a handler's nor the instruction's: it is
 * tried again by the copy. A fault handler that comes while the jump is there must
 * not see it, with the registers of the emulation.
 */
static void det_faults_emulated(struct kunit *test)
{
	struct ktest_probe *p;
	struct kprobe *point;

	p = ktest_probe_alloc(test, (void *)ktest_call_where +
				    ktest_call_where_at);
	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	point = &ktest_point(p)->probe;
	det_nr_faults = 0;
	WRITE_ONCE(point->fault_handler, det_count_fault);
	KUNIT_EXPECT_EQ(test, -EFAULT, ktest_call_where(KTEST_NO_ADDRESS));
	KUNIT_EXPECT_EQ(test, -EFAULT, ktest_call_where(-8192));
	WRITE_ONCE(point->fault_handler, NULL);
	KUNIT_EXPECT_EQ(test, 0, det_nr_faults);
	KTEST_EXPECT_COUNTS(test, p, 2, 0, 0);
}

/* Nor in a stub, where the post handler is called for what did not fault. */
static void det_faults_stub(struct kunit *test)
{
	struct ktest_probe *first;
	long here = 42;
	int i;

	ktest_optimization(test, false);
	first = ktest_probe_alloc(test, (void *)ktest_first + ktest_first_at);
	first->kp.post_handler = ktest_post;
	ktest_register(test, first);
	KUNIT_EXPECT_NOT_NULL(test, ktest_point(first)->op.optinsn.stub);
	for (i = 1; i <= KTEST_CALLS; i++) {
		KUNIT_EXPECT_EQ(test, 42, ktest_first((long)&here));
		KUNIT_EXPECT_EQ(test, -EFAULT, ktest_first(KTEST_NO_ADDRESS));
		KUNIT_EXPECT_EQ(test, -EFAULT, ktest_first(-4096));
		KTEST_EXPECT_COUNTS(test, first, 3 * i, i, 0);
		KUNIT_EXPECT_NULL(test, kprobe_running());
	}
}

static struct kunit_case det_cases[] = {
	KUNIT_CASE(det_same_pre),
	KUNIT_CASE(det_same_post),
	KUNIT_CASE(det_same_stub),
	KUNIT_CASE(det_same_skip),
	KUNIT_CASE(det_same_queued),
	KUNIT_CASE(det_unfit),
	KUNIT_CASE(det_faults),
	KUNIT_CASE(det_faults_emulated),
	KUNIT_CASE(det_faults_stub),
	{}
};

static struct kunit_suite det_suite = {
	.name = "kprobes_detour",
	.test_cases = det_cases,
};

kunit_test_suite(det_suite);
