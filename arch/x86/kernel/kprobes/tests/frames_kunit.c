// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the frames: the recursion guard by itself, in contexts that
 * are made up.
 */
#include <linux/irqflags.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/processor-flags.h>

#include "../core.h"
#include "../insn.h"
#include "kprobes/tests/testing.h"

/* Each is interrupted by the next. */
static const unsigned int frames_contexts[] = {
	0, SOFTIRQ_OFFSET, HARDIRQ_OFFSET, HARDIRQ_OFFSET + NMI_OFFSET,
};

#define FRAMES_CONTEXTS	ARRAY_SIZE(frames_contexts)

static struct kprobe frames_kp[KPROBE_MAX_FRAMES + 2];

/* What each step said; expectations wait until the context is real again. */
static struct {
	unsigned int entered;
	unsigned int again;
	unsigned int other;
	struct kprobe *before;
	struct kprobe *inside;
	struct kprobe *after;
} frames_step[FRAMES_CONTEXTS];

static int frames_init(struct kunit *test)
{
	memset(frames_step, 0, sizeof(frames_step));
	return 0;
}

/* Nothing that is called in here may look at the context or be probed. */
static void frames_nest(unsigned int i)
{
	if (i == FRAMES_CONTEXTS)
		return;
	__preempt_count_add(frames_contexts[i]);
	frames_step[i].before = kprobe_running();
	frames_step[i].entered = kprobe_frame_enter(&frames_kp[i], 0);
	frames_step[i].inside = kprobe_running();
	frames_step[i].again = kprobe_frame_enter(&frames_kp[i], 0);
	frames_step[i].other = kprobe_frame_enter(&frames_kp[7], 0);
	frames_nest(i + 1);
	frames_step[i].after = kprobe_running();
	kprobe_frame_pop();
	__preempt_count_sub(frames_contexts[i]);
}

/* In each context one, and in none a second one. */
static void frames_nesting(struct kunit *test)
{
	unsigned int i, depth;

	scoped_guard(irqsave) {
		frames_nest(0);
		depth = get_kprobe_ctlblk()->depth;
	}
	KUNIT_EXPECT_EQ(test, 0, depth);
	for (i = 0; i < FRAMES_CONTEXTS; i++) {
		KUNIT_EXPECT_NULL(test, frames_step[i].before);
		KUNIT_EXPECT_EQ(test, i + 1, frames_step[i].entered);
		KUNIT_EXPECT_PTR_EQ(test, &frames_kp[i], frames_step[i].inside);
		KUNIT_EXPECT_EQ(test, 0, frames_step[i].again);
		KUNIT_EXPECT_EQ(test, 0, frames_step[i].other);
		KUNIT_EXPECT_PTR_EQ(test, &frames_kp[i], frames_step[i].after);
	}
}

/*
 * A handler runs in another context than the code it was hit in (a breakpoint
 * is a trap like an NMI); while the copy runs, it is that of the code again.
 */
static void frames_stepping(struct kunit *test)
{
	bool in_handler, in_code, in_code_stepping, in_handler_stepping;
	unsigned int trap, level;
	struct kprobe_frame *f;

	scoped_guard(irqsave) {
		__preempt_count_add(NMI_OFFSET + HARDIRQ_OFFSET);
		trap = kprobe_context(preempt_count());
		level = kprobe_frame_enter(&frames_kp[0],
					   NMI_OFFSET + HARDIRQ_OFFSET);
		f = kprobe_frame_of(level);
		in_handler = kprobe_frame_covers(f, trap);
		in_code = kprobe_frame_covers(f, 0);
		f->outside = 0;
		f->status = KPROBE_FRAME_STEPPING;
		in_handler_stepping = kprobe_frame_covers(f, trap);
		in_code_stepping = kprobe_frame_covers(f, 0);
		kprobe_frame_pop();
		__preempt_count_sub(NMI_OFFSET + HARDIRQ_OFFSET);
	}
	KUNIT_EXPECT_TRUE(test, in_handler);
	KUNIT_EXPECT_FALSE(test, in_code);
	KUNIT_EXPECT_FALSE(test, in_handler_stepping);
	KUNIT_EXPECT_TRUE(test, in_code_stepping);
}

/* An NMI may find a frame half filled: it belongs to no probe yet. */
static void frames_half_filled(struct kunit *test)
{
	unsigned int first, second;
	struct kprobe *running;

	scoped_guard(irqsave) {
		first = kprobe_frame_enter(&frames_kp[0], 0);
		kprobe_frame_of(first)->kp = NULL;
		running = kprobe_running();
		second = kprobe_frame_enter(&frames_kp[1], 0);
		if (second)
			kprobe_frame_pop();
		kprobe_frame_pop();
	}
	KUNIT_EXPECT_NULL(test, running);
	KUNIT_EXPECT_EQ(test, 1, first);
	KUNIT_EXPECT_EQ(test, 2, second);
}

/* The short way out of the first frame leaves it as empty as the long one. */
static void frames_leave(struct kunit *test)
{
	struct kprobe_frame *first, left[2];
	unsigned int depth[2], i;

	scoped_guard(irqsave) {
		first = kprobe_frame_of(1);
		for (i = 0; i < 2; i++) {
			kprobe_frame_push(&frames_kp[0]);
			first->status = KPROBE_FRAME_AFTER;
			kprobe_frame_push(&frames_kp[1]);
			kprobe_frame_leave();
			depth[i] = get_kprobe_ctlblk()->depth;
			if (i)
				kprobe_frame_leave();
			else
				kprobe_frame_pop();
			left[i] = *first;
		}
	}
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, 1, depth[i]);
		KUNIT_EXPECT_NULL(test, left[i].kp);
		KUNIT_EXPECT_EQ(test, KPROBE_FRAME_HANDLER, left[i].status);
	}
}

/* Deeper than there is room for: misses, no overrun, and the way back. */
static void frames_overflow(struct kunit *test)
{
	unsigned int level[KPROBE_MAX_FRAMES + 2], entered, i, depth[2];
	struct kprobe_frame *top;

	scoped_guard(irqsave) {
		for (i = 0; i < ARRAY_SIZE(level); i++)
			level[i] = kprobe_frame_push(&frames_kp[i]);
		depth[0] = get_kprobe_ctlblk()->depth;
		top = kprobe_frame_top();
		__preempt_count_add(HARDIRQ_OFFSET);
		entered = kprobe_frame_enter(&frames_kp[0], 0);
		__preempt_count_sub(HARDIRQ_OFFSET);
		for (i = ARRAY_SIZE(level); i--;)
			kprobe_frame_pop();
		depth[1] = get_kprobe_ctlblk()->depth;
	}
	for (i = 0; i < ARRAY_SIZE(level); i++)
		KUNIT_EXPECT_EQ(test, i + 1, level[i]);
	KUNIT_EXPECT_EQ(test, ARRAY_SIZE(level), depth[0]);
	KUNIT_EXPECT_NULL(test, top);
	KUNIT_EXPECT_EQ(test, 0, entered);
	KUNIT_EXPECT_EQ(test, 0, depth[1]);
}

/* Which bits of the preempt count name a context. */
static void frames_context(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, kprobe_context(0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_context(5 * PREEMPT_OFFSET));
	/* Softirqs that are kept off are the task's own affair. */
	KUNIT_EXPECT_EQ(test, 0, kprobe_context(SOFTIRQ_DISABLE_OFFSET));
	KUNIT_EXPECT_NE(test, 0, kprobe_context(SOFTIRQ_OFFSET));
	KUNIT_EXPECT_EQ(test, kprobe_context(SOFTIRQ_OFFSET),
			kprobe_context(SOFTIRQ_OFFSET + SOFTIRQ_DISABLE_OFFSET +
				       PREEMPT_OFFSET));
	KUNIT_EXPECT_NE(test, kprobe_context(HARDIRQ_OFFSET),
			kprobe_context(HARDIRQ_OFFSET + SOFTIRQ_OFFSET));
	KUNIT_EXPECT_NE(test, kprobe_context(HARDIRQ_OFFSET),
			kprobe_context(HARDIRQ_OFFSET + NMI_OFFSET));
}

/* What frames_pin_insn() saw of an instruction that is kept on its CPU. */
static struct {
	int before;
	int pinned;
	int after;
	unsigned long pinned_flags;
	unsigned long after_flags;
} frames_pinned;

/* No expectation while it is pinned: that may sleep. */
static void frames_pin_insn(const u8 *bytes)
{
	struct pt_regs regs = { .flags = X86_EFLAGS_FIXED | X86_EFLAGS_IF };
	struct kprobe_insn_class class;
	struct kprobe_frame frame = {};
	struct kprobe p = { .ainsn.class = &class };

	kprobe_insn_classify(bytes, KPROBE_INSN_WINDOW, 0, &class);
	frames_pinned.before = preempt_count();
	kprobe_pin(&p, &regs, &frame);
	frames_pinned.pinned = preempt_count();
	frames_pinned.pinned_flags = regs.flags;
	kprobe_unpin(&p, &regs, &frame);
	frames_pinned.after = preempt_count();
	frames_pinned.after_flags = regs.flags;
}

/* Interrupts are off between the two traps, but not for long: then it is preemption. */
static void frames_pin(struct kunit *test)
{
	static const u8 nop[KPROBE_INSN_WINDOW] = { 0x90 };
	static const u8 rep_movsb[KPROBE_INSN_WINDOW] = { 0xf3, 0xa4 };

	frames_pin_insn(nop);
	KUNIT_EXPECT_EQ(test, frames_pinned.before, frames_pinned.pinned);
	KUNIT_EXPECT_EQ(test, X86_EFLAGS_FIXED, frames_pinned.pinned_flags);
	KUNIT_EXPECT_EQ(test, frames_pinned.before, frames_pinned.after);
	KUNIT_EXPECT_EQ(test, X86_EFLAGS_FIXED | X86_EFLAGS_IF, frames_pinned.after_flags);
	frames_pin_insn(rep_movsb);
	KUNIT_EXPECT_EQ(test, frames_pinned.before + IS_ENABLED(CONFIG_PREEMPT_COUNT),
			frames_pinned.pinned);
	KUNIT_EXPECT_EQ(test, X86_EFLAGS_FIXED | X86_EFLAGS_IF, frames_pinned.pinned_flags);
	KUNIT_EXPECT_EQ(test, frames_pinned.before, frames_pinned.after);
	KUNIT_EXPECT_EQ(test, X86_EFLAGS_FIXED | X86_EFLAGS_IF, frames_pinned.after_flags);
}

static struct kunit_case frames_cases[] = {
	KUNIT_CASE(frames_context),
	KUNIT_CASE(frames_nesting),
	KUNIT_CASE(frames_stepping),
	KUNIT_CASE(frames_half_filled),
	KUNIT_CASE(frames_leave),
	KUNIT_CASE(frames_overflow),
	KUNIT_CASE(frames_pin),
	{}
};

static struct kunit_suite frames_suite = {
	.name = "kprobes_frames",
	.init = frames_init,
	.test_cases = frames_cases,
};

kunit_test_suite(frames_suite);
