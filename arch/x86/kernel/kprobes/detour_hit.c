// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: hits in detours. detour.c says what a detour is.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/cpufeature.h>
#include <linux/kprobes.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"

/* Tell objtool that the address of @fn is only used to make direct calls. */
#define DETOUR_CALLS(fn)						\
	asm(".pushsection .discard.noendbr\n"				\
	    "	.long	" #fn "\n"					\
	    "	.popsection\n")

/* Emulate the instruction as at a breakpoint, and call the post handlers. */
static bool kprobe_detour_emulate(struct optimized_kprobe *op,
				  struct pt_regs *regs,
				  struct kprobe_frame *frame)
{
	const struct kprobe_emulation *em = &op->kp.ainsn.class->em;
	unsigned long ip = regs->ip;
	bool done;

	/* No context: a load that faults here is not a handler's fault. */
	frame->outside = ~0U;
	/* Pairs with program order in kprobe_frame_covers(), in an NMI. */
	barrier();
	WRITE_ONCE(frame->status, KPROBE_FRAME_STEPPING);
	regs->ip = em->ip;
	done = em->fn(em, regs);
	WRITE_ONCE(frame->status, KPROBE_FRAME_AFTER);
	/* If the emulation would fault, execute the copy, which does fault. */
	if (done)
		kprobe_call_post(&op->kp, regs);
	else
		regs->ip = ip;
	return done;
}

NOKPROBE_SYMBOL(kprobe_detour_emulate);

/**
 * kprobe_detour_post() - let the post handlers of an optimized point be called
 * @op: the point; its pre handlers have been called
 * @regs: the registers
 * @frame: the frame of this hit
 *
 * Context: any, with preemption disabled.
 * Return: whether @regs say where to go on; if not, at the copy of the region.
 */
bool kprobe_detour_post(struct optimized_kprobe *op, struct pt_regs *regs,
			struct kprobe_frame *frame)
{
	kprobe_opcode_t *after;

	if (likely(!READ_ONCE(op->kp.post_handler)))
		return false;
	if (op->kp.ainsn.class->how == KPROBE_INSN_EMULATE)
		return kprobe_detour_emulate(op, regs, frame);
	/* The registration of the post handler has not made it yet. */
	after = READ_ONCE(op->optinsn.after);
	if (!after)
		return false;
	regs->ip = (unsigned long)after;
	return true;
}

NOKPROBE_SYMBOL(kprobe_detour_post);

/*
 * The return thunk that tracks the depth of calls counts a return, which changes
 * the flags: but those in the exit are the probed code's. So the exit returns
 * without the thunk, and the return is counted here, by one instruction as there.
 * When the count is 0 then, the next thunk fills the return stack buffer, one
 * return late, for which there is room.
 */
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
static __always_inline void kprobe_count_return(void)
{
	if (cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		asm volatile("shlq	$5, " __percpu_arg([depth])
			     : [depth] "+m" (__my_cpu_var(pcpu_hot.call_depth))
			     : : "cc");
}
#else
static __always_inline void kprobe_count_return(void) { }
#endif

/*
 * Put the address where the exit takes it: below the stack pointer that it
 * restores. Until preemption is enabled again, no other task can unwind the
 * stack of this one: it finds either what the handlers found, or what the exit
 * will find.
 */
static void kprobe_detour_leave(struct pt_regs *regs, unsigned long ip)
{
	WRITE_ONCE(regs->ip, 0);
	/*
	 * Pairs with program order in kprobe_unwind_handler(), in an NMI: as
	 * long as it reads another address than 0, regs->sp has not been
	 * changed.
	 */
	barrier();
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = ip;
	kprobe_count_return();
}

NOKPROBE_SYMBOL(kprobe_detour_leave);

/* A hit that kprobe_hit_any() is for. The caller has disabled preemption. */
static noinline bool kprobe_detour_slow(struct optimized_kprobe *op,
					struct pt_regs *regs)
{
	enum kprobe_verdict verdict = kprobe_hit_any(&op->kp, regs, 0);
	bool leave = verdict == KPROBE_REDIRECTED;
	unsigned long ip = 0;

	if (verdict == KPROBE_CONTINUE)
		leave = kprobe_detour_post(op, regs, kprobe_hit_frame());
	if (verdict == KPROBE_REDIRECTED)
		ip = kprobe_redirect_ip(regs->ip);
	else if (leave)
		ip = kprobe_resume_ip(op, regs->ip);
	if (verdict != KPROBE_MISSED)
		kprobe_frame_leave();
	if (leave)
		kprobe_detour_leave(regs, ip);
	preempt_enable_notrace();
	return leave;
}

NOKPROBE_SYMBOL(kprobe_detour_slow);

/* A hit in the first frame goes on at @ip. */
static __always_inline bool kprobe_detour_leave_first(struct pt_regs *regs,
						      unsigned long ip)
{
	kprobe_frame_leave_first();
	kprobe_detour_leave(regs, ip);
	preempt_enable_notrace();
	return true;
}

/* There may be a jump where the hit in the first frame goes on. */
static noinline bool kprobe_detour_into_jump(struct pt_regs *regs)
{
	return kprobe_detour_leave_first(regs, kprobe_redirect_ip(regs->ip));
}

NOKPROBE_SYMBOL(kprobe_detour_into_jump);

/* A pre handler has changed the path, in the first frame. */
static noinline bool kprobe_detour_redirect(struct pt_regs *regs)
{
	if (unlikely(!kprobe_is_clear(regs->ip)))
		return kprobe_detour_into_jump(regs);
	return kprobe_detour_leave_first(regs, regs->ip);
}

NOKPROBE_SYMBOL(kprobe_detour_redirect);

/* The end of a hit in the first frame. Returns whether to leave by the exit. */
static __always_inline bool kprobe_detour_finish(enum kprobe_verdict verdict)
{
	if (unlikely(verdict == KPROBE_REDIRECTED))
		return kprobe_detour_redirect(kprobe_hit_regs());
	kprobe_frame_leave_first();
	preempt_enable_notrace();
	return false;
}

/* Not one pre handler, but perhaps several, and no other handlers. */
static noinline __noendbr int kprobe_detour_chain(struct optimized_kprobe *op,
						  struct pt_regs *regs,
						  unsigned long chain)
{
	enum kprobe_verdict verdict = kprobe_hit_several(&op->kp, regs, chain);

	if (unlikely(verdict == KPROBE_UNUSUAL))
		return kprobe_detour_slow(op, regs);
	return kprobe_detour_finish(verdict);
}

NOKPROBE_SYMBOL(kprobe_detour_chain);

/**
 * kprobe_detour_before() - what the entry of a detour calls
 * @op: the point
 * @regs: the registers
 *
 * Context: any.
 * Return: whether to leave by the exit.
 */
__noendbr int kprobe_detour_before(struct optimized_kprobe *op,
				   struct pt_regs *regs)
{
	enum kprobe_verdict verdict;
	unsigned long chain;

	preempt_disable_notrace();
	chain = READ_ONCE(kprobe_hot_of(&op->kp)->pre_chain);
	verdict = kprobe_hit_usual(&op->kp, regs, chain, kprobe_chain_is_single,
				   kprobe_chain_single);
	if (unlikely(verdict == KPROBE_UNUSUAL))
		return kprobe_detour_chain(op, regs, chain);
	return kprobe_detour_finish(verdict);
}

NOKPROBE_SYMBOL(kprobe_detour_before);
DETOUR_CALLS(kprobe_detour_before);

/**
 * kprobe_detour_after() - what a second buffer or a stub calls
 * @op: the point, whose first instruction was a hit and has been executed
 * @regs: the registers
 *
 * Context: any.
 * Return: whether to leave by the exit.
 */
__noendbr int kprobe_detour_after(struct optimized_kprobe *op,
				  struct pt_regs *regs)
{
	kprobe_opcode_t *next = op->kp.addr + op->kp.ainsn.class->len;

	preempt_disable_notrace();
	if (likely(kprobe_frame_enter(&op->kp, 0))) {
		WRITE_ONCE(kprobe_hit_frame()->status, KPROBE_FRAME_AFTER);
		kprobe_call_post(&op->kp, regs);
		kprobe_frame_leave();
	} else {
		/* The context is not that of the pre handlers any more. */
		kprobe_post_missed(&op->kp);
	}
	if (likely(regs->ip == (unsigned long)next)) {
		preempt_enable_notrace();
		return false;
	}
	kprobe_detour_leave(regs, kprobe_redirect_find(regs->ip));
	preempt_enable_notrace();
	return true;
}

NOKPROBE_SYMBOL(kprobe_detour_after);
DETOUR_CALLS(kprobe_detour_after);
