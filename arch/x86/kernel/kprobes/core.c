// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the breakpoint, and executing the instruction it
 * replaced.
 *
 * What happens at a hit, after the pre handlers, says enum kprobe_way:
 *
 *	DETOUR		a jump is being put in: as from the jump, see detour.c
 *	EMULATED	what insn.c has a function for; then the post handlers
 *	STEPPED		a copy and a breakpoint, then the post handlers: if there
 *			is a fault handler, or no stub for the post handlers
 *	STUB		a copy, the post handlers, a jump back: see detour.c
 *	BOOSTED		a copy and a jump back: without post handlers
 *
 * A missed hit is executed without post handlers, and never stepped: that needs no
 * frame, so nothing can recurse. Between the two traps of a
 * stepped instruction, a frame stays on its CPU. All else runs as the original
 * would, and may be interrupted and preempted, so that the copies are freed
 * only when no task can be in one (kernel/kprobes/retire.c).
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <asm/text-patching.h>

#include "core.h"
#include "detour.h"
#include "insn.h"

/* The trap itself counts as an NMI: see irqentry_nmi_enter(). */
#define KPROBE_TRAP_OFFSET	(NMI_OFFSET + HARDIRQ_OFFSET)

/* Emulate the instruction. Returns false if it needs a copy. */
static bool kprobe_emulate(struct kprobe *p, struct pt_regs *regs)
{
	const struct kprobe_insn_class *class = p->ainsn.class;

	if (class->how != KPROBE_INSN_EMULATE)
		return false;
	regs->ip = (unsigned long)p->addr;
	return class->em.fn(&class->em, regs);
}

NOKPROBE_SYMBOL(kprobe_emulate);

#ifdef CONFIG_OPTPROBES
/*
 * While a jump is being put into the text or taken out, no task may enter the
 * region behind the first instruction: all of it is executed in the detour.
 */
static void kprobe_execute_region(struct kprobe *p, struct pt_regs *regs,
				  struct kprobe_frame *frame)
{
	struct optimized_kprobe *op = kprobe_op_of(p);

	if (frame && kprobe_detour_post(op, regs, frame))
		regs->ip = kprobe_detour_ip(op, regs->ip);
	else
		regs->ip = kprobe_detour_copy(op);
}

/* A copy that calls the post handlers by itself, if there is one. */
static kprobe_opcode_t *kprobe_stub(struct kprobe *p)
{
	return READ_ONCE(kprobe_op_of(p)->optinsn.stub);
}
#else
static void kprobe_execute_region(struct kprobe *p, struct pt_regs *regs,
				  struct kprobe_frame *frame)
{
}

static kprobe_opcode_t *kprobe_stub(struct kprobe *p)
{
	return NULL;
}
#endif /* CONFIG_OPTPROBES */

NOKPROBE_SYMBOL(kprobe_execute_region);
NOKPROBE_SYMBOL(kprobe_stub);

/* How the copy of an instruction is executed. */
static __always_inline enum kprobe_way kprobe_way_of_copy(struct kprobe *p,
							  bool post)
{
	if (READ_ONCE(p->fault_handler))
		return KPROBE_WAY_STEPPED;
	if (!post)
		return KPROBE_WAY_BOOSTED;
	return kprobe_stub(p) ? KPROBE_WAY_STUB : KPROBE_WAY_STEPPED;
}

/* How the instruction at a breakpoint takes effect. */
static __always_inline enum kprobe_way kprobe_way_of(struct kprobe *p, bool post)
{
	if (kprobe_optimized(p))
		return KPROBE_WAY_DETOUR;
	if (p->ainsn.class->how == KPROBE_INSN_EMULATE)
		return KPROBE_WAY_EMULATED;
	return kprobe_way_of_copy(p, post);
}

enum kprobe_way arch_kprobe_way(struct kprobe *p)
{
	return kprobe_way_of(p, p->post_handler);
}

/* Can the boosted copy be executed, if there is no post handler? */
static __always_inline bool kprobe_may_boost(struct kprobe *p)
{
	return p->ainsn.class->how != KPROBE_INSN_EMULATE && !kprobe_optimized(p);
}

/**
 * kprobe_pin() - keep the frame of a stepped instruction on its CPU
 * @p: the point's kprobe
 * @regs: the registers that the copy will run with
 * @frame: the frame
 *
 * Between the two traps interrupts are off. No probed instruction notices,
 * since those that read or write the interrupt flag are emulated. A string
 * instruction may run for long: for it, preemption is off instead. (Not for
 * all, since an instruction that reads the preempt count would notice.)
 */
void kprobe_pin(struct kprobe *p, struct pt_regs *regs,
		struct kprobe_frame *frame)
{
	frame->flags = regs->flags;
	if (p->ainsn.class->rep_string)
		preempt_disable_notrace();
	else
		regs->flags &= ~X86_EFLAGS_IF;
}

NOKPROBE_SYMBOL(kprobe_pin);

/**
 * kprobe_unpin() - undo kprobe_pin()
 * @p: the point's kprobe
 * @regs: the registers that execution will go on with
 * @frame: the frame that was stepping
 */
void kprobe_unpin(struct kprobe *p, struct pt_regs *regs,
		  struct kprobe_frame *frame)
{
	if (p->ainsn.class->rep_string)
		preempt_enable_no_resched_notrace();
	else
		regs->flags |= frame->flags & X86_EFLAGS_IF;
}

NOKPROBE_SYMBOL(kprobe_unpin);

/* The instruction is executed in @frame from here on. */
static __always_inline void kprobe_frame_step(struct kprobe_frame *frame)
{
	/* A load that faults here is not a handler's fault. */
	frame->outside = kprobe_context(preempt_count() - KPROBE_TRAP_OFFSET);
	/* Pairs with program order in kprobe_frame_covers(), in an NMI. */
	barrier();
	WRITE_ONCE(frame->status, KPROBE_FRAME_STEPPING);
}

static bool kprobe_emulate_in(struct kprobe_frame *frame, struct kprobe *p,
			      struct pt_regs *regs)
{
	kprobe_frame_step(frame);
	if (!kprobe_emulate(p, regs))
		return false;
	WRITE_ONCE(frame->status, KPROBE_FRAME_AFTER);
	kprobe_call_post(p, regs);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_in);

/*
 * Carry out the instruction, and call the post handlers now or later. Returns
 * false when the frame is needed until a second trap.
 */
static bool kprobe_execute(struct kprobe *p, struct pt_regs *regs,
			   struct kprobe_frame *frame)
{
	bool post = READ_ONCE(p->post_handler);
	enum kprobe_way way = kprobe_way_of(p, post);

	if (way == KPROBE_WAY_EMULATED) {
		if (kprobe_emulate_in(frame, p, regs))
			return true;
		/* The emulation would fault. The copy does. */
		way = kprobe_way_of_copy(p, post);
	}
	switch (way) {
	case KPROBE_WAY_DETOUR:
		kprobe_execute_region(p, regs, frame);
		return true;
	case KPROBE_WAY_STUB:
		regs->ip = (unsigned long)kprobe_stub(p);
		return true;
	case KPROBE_WAY_BOOSTED:
		regs->ip = (unsigned long)p->ainsn.insn;
		return true;
	default:
		kprobe_frame_step(frame);
		kprobe_pin(p, regs, frame);
		regs->ip = (unsigned long)p->ainsn.insn + KPROBE_STEP_OFFSET;
		return false;
	}
}

NOKPROBE_SYMBOL(kprobe_execute);

/*
 * Execute the instruction and call no post handler, at a miss or without one.
 */
static void kprobe_execute_alone(struct kprobe *p, struct pt_regs *regs)
{
	if (kprobe_optimized(p))
		kprobe_execute_region(p, regs, NULL);
	else if (!kprobe_emulate(p, regs))
		regs->ip = (unsigned long)p->ainsn.insn;
}

NOKPROBE_SYMBOL(kprobe_execute_alone);

static __noendbr int kprobe_int3_elsewhere(struct pt_regs *regs);

/* All that a breakpoint may find. Returns whether it is one of kprobes. */
static noinline __noendbr int kprobe_int3_slow(struct kprobe *p,
					       struct pt_regs *regs)
{
	if (unlikely(kprobe_ftrace(p)))
		return kprobe_int3_elsewhere(regs);
	switch (kprobe_hit_any(p, regs, KPROBE_TRAP_OFFSET)) {
	case KPROBE_MISSED:
		kprobe_execute_alone(p, regs);
		return 1;
	case KPROBE_REDIRECTED:
		regs->ip = kprobe_redirect_ip(regs->ip);
		break;
	default:
		if (!kprobe_execute(p, regs, kprobe_hit_frame()))
			return 1;
	}
	kprobe_frame_leave();
	return 1;
}

NOKPROBE_SYMBOL(kprobe_int3_slow);

/* A usual hit, with a post handler. */
static noinline __noendbr int kprobe_int3_post(struct kprobe *p,
					       struct pt_regs *regs)
{
	if (kprobe_execute(p, regs, kprobe_frame_of(1)))
		kprobe_frame_leave();
	return 1;
}

NOKPROBE_SYMBOL(kprobe_int3_post);

/*
 * A usual hit, with nothing to call behind the instruction, and without a boosted copy:
 * emulate the instruction, or go on in the detour.
 */
static noinline __noendbr int kprobe_int3_alone(struct kprobe *p,
						struct pt_regs *regs)
{
	/*
	 * The emulation changes regs->ip. In an NMI, kprobe_unwind_trapped() takes a
	 * frame with a handler of this point for a trap whose regs->ip is one byte behind
	 * the point; so it is behind an instruction of one byte. Clear the kprobe first.
	 */
	raw_cpu_write(kprobe_ctlblk.frame[0].kp, NULL);
	kprobe_execute_alone(p, regs);
	kprobe_frame_leave_first();
	return 1;
}

NOKPROBE_SYMBOL(kprobe_int3_alone);

/* There may be a jump where a usual hit goes on. */
static noinline __noendbr int kprobe_int3_into_jump(struct pt_regs *regs)
{
	regs->ip = kprobe_redirect_ip(regs->ip);
	kprobe_frame_leave_first();
	return 1;
}

NOKPROBE_SYMBOL(kprobe_int3_into_jump);

/*
 * The hit of a point. The rare cases are functions of their own: so no registers
 * have to be saved here.
 */
static __always_inline int kprobe_int3_point(struct kprobe *p,
					     struct pt_regs *regs)
{
	unsigned long chain = READ_ONCE(kprobe_hot_of(p)->pre_chain);

	switch (kprobe_hit_usual(p, regs, chain, kprobe_chain_is_trap,
				 kprobe_chain_head)) {
	case KPROBE_UNUSUAL:
		return kprobe_int3_slow(p, regs);
	case KPROBE_REDIRECTED:
		regs = kprobe_hit_regs();
		if (unlikely(!kprobe_is_clear(regs->ip)))
			return kprobe_int3_into_jump(regs);
		break;
	default:
		p = kprobe_hit_point();
		regs = kprobe_hit_regs();
		if (READ_ONCE(p->post_handler))
			return kprobe_int3_post(p, regs);
		if (unlikely(!kprobe_may_boost(p)))
			return kprobe_int3_alone(p, regs);
		regs->ip = (unsigned long)p->ainsn.insn;
	}
	kprobe_frame_leave_first();
	return 1;
}

/* Is @ip where a stepped copy of @p ends? */
static bool kprobe_step_done(struct kprobe *p, unsigned long ip)
{
	return ip == (unsigned long)p->ainsn.insn + KPROBE_STEP_OFFSET +
		     p->ainsn.class->len;
}

NOKPROBE_SYMBOL(kprobe_step_done);

/**
 * kprobe_stepping_at() - the frame that steps on this CPU
 * @ip: where in its copy, or behind
 *
 * Context: any, preemption disabled.
 * Return: the frame, or NULL if none is stepping through a copy around @ip.
 */
struct kprobe_frame *kprobe_stepping_at(unsigned long ip)
{
	struct kprobe_frame *frame = kprobe_frame_top();
	unsigned long start;

	if (!frame || !READ_ONCE(frame->kp) ||
	    frame->status != KPROBE_FRAME_STEPPING)
		return NULL;
	start = (unsigned long)frame->kp->ainsn.insn + KPROBE_STEP_OFFSET;
	return ip >= start && ip <= start + MAX_INSN_SIZE ? frame : NULL;
}

NOKPROBE_SYMBOL(kprobe_stepping_at);

/*
 * The second breakpoint of a stepped copy: the instruction has been executed.
 */
static bool kprobe_finish_step(struct pt_regs *regs, unsigned long ip)
{
	struct kprobe_frame *frame = kprobe_stepping_at(ip);
	struct kprobe *p;

	if (!frame || !kprobe_step_done(frame->kp, ip))
		return false;
	p = frame->kp;
	regs->ip = (unsigned long)p->addr + p->ainsn.class->len;
	WRITE_ONCE(frame->status, KPROBE_FRAME_AFTER);
	kprobe_unpin(p, regs, frame);
	kprobe_call_post(p, regs);
	kprobe_frame_pop();
	return true;
}

NOKPROBE_SYMBOL(kprobe_finish_step);

/* A breakpoint without a point: the end of a copy, or it was just removed. */
static noinline __noendbr int kprobe_int3_elsewhere(struct pt_regs *regs)
{
	unsigned long addr = regs->ip - INT3_INSN_SIZE;

	if (user_mode(regs))
		return 0;
	if (kprobe_finish_step(regs, addr))
		return 1;
	/*
	 * It was removed after this CPU's trap: execute the instruction there.
	 */
	if (*(u8 *)addr != INT3_INSN_OPCODE) {
		regs->ip = addr;
		return 1;
	}
	return 0;
}

NOKPROBE_SYMBOL(kprobe_int3_elsewhere);

/*
 * No point is at an address of user space. But a task of a 32-bit kernel may have a
 * code segment that does not begin at 0, and with that any instruction pointer.
 */
static __always_inline bool kprobe_int3_of_user(struct pt_regs *regs)
{
	return IS_ENABLED(CONFIG_X86_32) && user_mode(regs);
}

/**
 * kprobe_int3_handler() - a breakpoint was executed
 * @regs: the registers, the instruction pointer behind the breakpoint
 *
 * Context: interrupts off, in a trap from any context.
 * Return: 1 when it was ours, else 0.
 */
__noendbr int kprobe_int3_handler(struct pt_regs *regs)
{
	void *addr = (void *)(regs->ip - INT3_INSN_SIZE);
	struct kprobe *p;

	if (kprobe_int3_of_user(regs))
		return 0;
	p = kprobe_table_lookup(addr);
	if (unlikely(!p))
		return kprobe_int3_elsewhere(regs);
	return kprobe_int3_point(p, regs);
}

NOKPROBE_SYMBOL(kprobe_int3_handler);
