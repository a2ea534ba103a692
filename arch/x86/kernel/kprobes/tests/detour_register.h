/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TESTS_DETOUR_REGISTER_H
#define _X86_KPROBES_TESTS_DETOUR_REGISTER_H
/*
 * For suites that probe the functions of targets.h in each way in which such a
 * probe can be reached.
 */
#include <linux/kprobes.h>
#include <asm/text-patching.h>

#include "kprobes/tests/testing.h"
#include "../detour.h"
#include "targets_detour.h"

/* How the probe is reached. */
enum det_how {
	DET_BREAKPOINT,
	DET_JUMP,
	DET_STUB,
	DET_HOWS,
};

static inline int det_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	return 0;
}

/* What the optimizer keeps of a registered probe's point. */
static inline struct optimized_kprobe *det_op(struct kprobe *kp)
{
	guard(mutex)(&kprobe_mutex);
	return container_of(get_kprobe(kp->addr), struct optimized_kprobe, kp);
}

/* With a post handler, and no jumps at all: which ones have no stub is known. */
static inline void det_expect_stub(struct kunit *test, struct kprobe *kp,
				   const struct ktest_target *t)
{
	struct optimized_kprobe *op = det_op(kp);
	bool stub = kprobe_detour_needs_after(op) &&
		    t->nojump != KPROBE_NOJUMP_SEGMENT;

	KUNIT_EXPECT_EQ_MSG(test, stub, !!op->optinsn.stub, "%s", t->name);
}

/* The breakpoint is asked for by a fault handler that never has to do. */
static inline void det_register(struct kunit *test, struct kprobe *kp,
				const struct ktest_target *t, enum det_how how)
{
	kp->addr = (void *)t->fn + *t->at;
	kp->flags = 0;
	kp->fault_handler = how == DET_BREAKPOINT ? det_fault : NULL;
	KUNIT_ASSERT_EQ_MSG(test, 0, register_kprobe(kp), "%s", t->name);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ_MSG(test, how == DET_JUMP ? JMP32_INSN_OPCODE :
						    INT3_INSN_OPCODE,
			    ktest_text(kp->addr), "%s", t->name);
	if (how == DET_STUB)
		det_expect_stub(test, kp, t);
}

#endif /* _X86_KPROBES_TESTS_DETOUR_REGISTER_H */
