/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_FRAME_H
#define _LINUX_KPROBES_FRAME_H
/*
 * The hit path of an architecture with __ARCH_WANT_KPROBE_FRAMES: the recursion
 * guard, and the calls of the handlers. Include linux/kprobes.h, which includes
 * this.
 *
 * All of it runs at each hit, so the usual case is inline: no other probe is
 * being processed on the CPU, and there is one handler to call.
 */

#ifndef _LINUX_KPROBES_ARCH_H
#error "include linux/kprobes.h"
#endif

#include <linux/compiler.h>
#include <linux/percpu.h>
#include <linux/preempt.h>

/**
 * enum kprobe_frame_status - what the probe of a frame is doing
 * @KPROBE_FRAME_HANDLER: a handler runs
 * @KPROBE_FRAME_STEPPING: the copy of the instruction runs, or its emulation
 * @KPROBE_FRAME_AFTER: a post handler runs
 *
 * An interrupt may arrive while a handler runs, and hit another probe whose
 * handlers are to run, too. So recursion is judged per context (task, softirq,
 * hardirq, NMI), and the frames of a CPU form a stack, just as the contexts
 * do; the innermost is the last.
 */
enum kprobe_frame_status {
	KPROBE_FRAME_HANDLER,
	KPROBE_FRAME_STEPPING,
	KPROBE_FRAME_AFTER,
};

/**
 * struct kprobe_frame - one probe being processed
 * @kp: the point's kprobe, or the kprobe of a return probe; NULL while the
 *	frame is being filled or emptied, which an NMI may see
 * @inside: the preempt count that the handler runs with, which names its
 *	context
 * @outside: the context that the probed code runs in; valid while stepping
 * @status: what runs now; KPROBE_FRAME_HANDLER in free frames
 * @flags: what the architecture must restore when stepping ends
 * @regs: for the architecture, while a handler runs
 */
struct kprobe_frame {
	struct kprobe *kp;
	unsigned int inside;
	unsigned int outside;
	enum kprobe_frame_status status;
	union {
		unsigned long flags;
		struct pt_regs *regs;
	};
};

/* Four contexts, each with a handler and a return handler inside it. */
#define KPROBE_MAX_FRAMES	8

/**
 * struct kprobe_ctlblk - the frames of a CPU
 * @depth: how many frames are in use; may exceed KPROBE_MAX_FRAMES, then the
 *	topmost ones are not recorded
 * @frame: the frames
 */
struct kprobe_ctlblk {
	unsigned int depth;
	struct kprobe_frame frame[KPROBE_MAX_FRAMES];
};

DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);

/**
 * kprobe_context() - the part of a preempt count that names the context
 * @count: a value of preempt_count()
 *
 * Return: those bits of it.
 */
static __always_inline unsigned int kprobe_context(unsigned int count)
{
	return count & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET);
}

/**
 * get_kprobe_ctlblk() - the frames of this CPU
 *
 * Context: preemption disabled.
 * Return: the frames.
 */
static __always_inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return raw_cpu_ptr(&kprobe_ctlblk);
}

/**
 * kprobe_frame_top() - the innermost frame of this CPU
 *
 * Context: preemption disabled.
 * Return: the frame; NULL if there is none, or if it is not recorded.
 */
static __always_inline struct kprobe_frame *kprobe_frame_top(void)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();

	if (!kcb->depth || kcb->depth > KPROBE_MAX_FRAMES)
		return NULL;
	return &kcb->frame[kcb->depth - 1];
}

/**
 * kprobe_frame_covers() - does code run on behalf of a frame?
 * @f: the frame, or NULL
 * @context: the context that the code runs in, see kprobe_context()
 *
 * Return: whether the code is part of the handler of @f, or the probed code
 * that @f steps.
 */
static __always_inline bool kprobe_frame_covers(const struct kprobe_frame *f,
						unsigned int context)
{
	if (!f || !READ_ONCE(f->kp))
		return false;
	if (f->status == KPROBE_FRAME_STEPPING)
		return f->outside == context;
	return kprobe_context(f->inside) == context;
}

/**
 * kprobe_frame_push() - push a frame without a look at recursion
 * @p: the point's kprobe, or that of a return probe
 *
 * The depth is raised first, so an NMI that arrives in between uses the next
 * frame. @p is stored last, so an NMI does not take the half-filled frame for
 * one of its own context.
 *
 * Context: any, with preemption disabled.
 * Return: the level of the frame.
 */
static __always_inline unsigned int kprobe_frame_push(struct kprobe *p)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	unsigned int depth = kcb->depth;
	struct kprobe_frame *f;

	WRITE_ONCE(kcb->depth, depth + 1);
	/* Pairs with program order in kprobe_frame_push(), in an NMI. */
	barrier();
	if (unlikely(depth >= KPROBE_MAX_FRAMES))
		return depth + 1;
	f = &kcb->frame[depth];
	f->inside = arch_kprobe_preempt_count();
	f->status = KPROBE_FRAME_HANDLER;
	/* Pairs with program order in kprobe_frame_covers(), in an NMI. */
	barrier();
	WRITE_ONCE(f->kp, p);
	return depth + 1;
}

/**
 * kprobe_frame_pop() - drop the innermost frame of this CPU
 *
 * Context: that of kprobe_frame_push().
 */
static __always_inline void kprobe_frame_pop(void)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	unsigned int depth = kcb->depth - 1;

	if (likely(depth < KPROBE_MAX_FRAMES)) {
		WRITE_ONCE(kcb->frame[depth].kp, NULL);
		kcb->frame[depth].status = KPROBE_FRAME_HANDLER;
	}
	/*
	 * Pairs with program order in kprobe_frame_push(), in an NMI: a frame
	 * that an NMI may use is empty.
	 */
	barrier();
	WRITE_ONCE(kcb->depth, depth);
}

unsigned int kprobe_frame_enter_inner(struct kprobe *p, unsigned int trap);

/**
 * kprobe_frame_enter_first() - the recursion guard of an unused CPU
 * @p: the kprobe of the point that was hit
 *
 * Context: any, with preemption disabled.
 * Return: true with the CPU's first frame taken, or false if it was in use:
 * then kprobe_frame_enter_inner() has to decide.
 */
static __always_inline bool kprobe_frame_enter_first(struct kprobe *p)
{
	if (unlikely(!arch_kprobe_is_zero(kprobe_ctlblk.depth)))
		return false;
	/* In the order of kprobe_frame_push(); its barriers' pairs are these. */
	raw_cpu_write(kprobe_ctlblk.depth, 1);
	barrier();
	raw_cpu_write(kprobe_ctlblk.frame[0].inside,
		      arch_kprobe_preempt_count());
	barrier();
	raw_cpu_write(kprobe_ctlblk.frame[0].kp, p);
	return true;
}

/**
 * kprobe_frame_leave_first() - release the frame of kprobe_frame_enter_first()
 *
 * Its status must be KPROBE_FRAME_HANDLER. The barrier is that of
 * kprobe_frame_pop().
 */
static __always_inline void kprobe_frame_leave_first(void)
{
	raw_cpu_write(kprobe_ctlblk.frame[0].kp, NULL);
	barrier();
	raw_cpu_write(kprobe_ctlblk.depth, 0);
}

/**
 * kprobe_frame_enter() - the recursion guard
 * @p: the kprobe of the point that was hit
 * @trap: what the trap that led here has added to the preempt count
 *
 * Context: any, with preemption disabled.
 * Return: the level of the new frame, which kprobe_frame_pop() drops, or 0 when
 * the hit is a miss because a handler runs in this context already.
 */
static __always_inline unsigned int kprobe_frame_enter(struct kprobe *p,
						       unsigned int trap)
{
	if (likely(kprobe_frame_enter_first(p)))
		return 1;
	return kprobe_frame_enter_inner(p, trap);
}

/**
 * kprobe_frame_of() - the frame of a level
 * @level: a level that the caller has entered on this CPU
 *
 * Return: the frame.
 */
static __always_inline struct kprobe_frame *kprobe_frame_of(unsigned int level)
{
	return &get_kprobe_ctlblk()->frame[level - 1];
}

/**
 * kprobe_chain_is_single() - is one pre handler the only handler to call?
 * @chain: a value of &kprobe_hot.pre_chain
 *
 * Return: whether it is.
 */
static __always_inline bool kprobe_chain_is_single(unsigned long chain)
{
	return chain & KPROBE_CHAIN_SINGLE;
}

/**
 * kprobe_chain_single_ftrace() - the subscriber of a single chain
 * @chain: a value for which kprobe_chain_is_single(), of a point on an ftrace
 *	site
 *
 * Return: the subscriber.
 */
static __always_inline
struct kprobe *kprobe_chain_single_ftrace(unsigned long chain)
{
	return (struct kprobe *)(chain - KPROBE_CHAIN_SINGLE);
}

/**
 * kprobe_chain_single() - the subscriber of a single chain
 * @chain: a value for which kprobe_chain_is_single(), of a point that is not
 *	on an ftrace site: it has KPROBE_CHAIN_TRAP, too
 *
 * Return: the subscriber.
 */
static __always_inline struct kprobe *kprobe_chain_single(unsigned long chain)
{
	return (struct kprobe *)(chain - KPROBE_CHAIN_SINGLE -
				 KPROBE_CHAIN_TRAP);
}

/**
 * kprobe_chain_is_trap() - does a breakpoint call one pre handler?
 * @chain: a value of &kprobe_hot.pre_chain
 *
 * Return: whether it does; there may be post handlers, too.
 */
static __always_inline bool kprobe_chain_is_trap(unsigned long chain)
{
	return chain & KPROBE_CHAIN_TRAP;
}

/**
 * kprobe_chain_is_plain() - are several pre handlers the only handlers to call?
 * @chain: a value of &kprobe_hot.pre_chain
 *
 * Return: whether they are. Then the value is the pointer to the first
 * subscriber.
 */
static __always_inline bool kprobe_chain_is_plain(unsigned long chain)
{
	return !(chain & (KPROBE_CHAIN_SINGLE | KPROBE_CHAIN_SLOW));
}

/**
 * kprobe_chain_head() - the subscriber whose pre handler is called first
 * @chain: a value of &kprobe_hot.pre_chain
 *
 * Return: the subscriber; NULL if there is none.
 */
static __always_inline struct kprobe *kprobe_chain_head(unsigned long chain)
{
	return (struct kprobe *)(chain & ~KPROBE_CHAIN_BITS);
}

/* Is there one pre handler, and no other handler? */
static __always_inline bool kprobe_has_single(struct kprobe *probe)
{
	return kprobe_chain_is_single(READ_ONCE(kprobe_hot_of(probe)->pre_chain));
}

/**
 * kprobe_call_chain() - call the pre handlers of a chain
 * @probe: the point's kprobe; NULL if its frame is the first of this CPU, which
 *	has it: to keep it while the handlers run would cost a register
 * @kp: the first subscriber
 * @regs: the registers
 *
 * The newest subscriber is called first, until one changes the path.
 * kprobe_link_chain() says why no subscriber is skipped or called twice while
 * subscribers are added and removed. Inline, so that the check costs nothing
 * if the path has not changed.
 *
 * Context: any, preemption disabled, in a frame of the point.
 * Return: whether a handler has changed the path.
 */
static __always_inline bool kprobe_call_chain(struct kprobe *probe,
					      struct kprobe *kp,
					      struct pt_regs *regs)
{
	do {
		if (unlikely(kp->pre_handler(kp, regs))) {
			if (!probe)
				probe = raw_cpu_read(kprobe_ctlblk.frame[0].kp);
			/* Other subscribers may have missed it. */
			if (!kprobe_has_single(probe))
				kprobe_path_changed(probe, kp);
			return true;
		}
		kp = kprobe_next_pre(kp);
	} while (kp);
	return false;
}

/**
 * kprobe_call_pre() - call the pre handlers of a point
 * @p: the point's kprobe
 * @regs: the registers
 *
 * Context: any, preemption disabled, in a frame of the point.
 * Return: whether a handler has changed the path.
 */
static __always_inline bool kprobe_call_pre(struct kprobe *p,
					    struct pt_regs *regs)
{
	struct kprobe *head = kprobe_chain_head(READ_ONCE(kprobe_hot_of(p)->pre_chain));
	kprobe_pre_handler_t pre;

	if (unlikely(!head)) {
		pre = READ_ONCE(p->pre_handler);
		return pre(p, regs);
	}
	kprobe_count_hit(p);
	return kprobe_call_chain(p, head, regs);
}

/**
 * kprobe_call_post() - call the post handlers of a point, if there are any
 * @p: the point's kprobe
 * @regs: the registers
 *
 * Most often there is exactly one, which is found without the list.
 *
 * Context: any, preemption disabled, in a frame of the point.
 */
static __always_inline void kprobe_call_post(struct kprobe *p,
					     struct pt_regs *regs)
{
	struct kprobe *only = READ_ONCE(kprobe_hot_of(p)->only_post);
	kprobe_post_handler_t post;

	if (likely(only)) {
		only->post_handler(only, regs, 0);
		return;
	}
	/* kprobe_update_handlers() may clear it at any time: read it once. */
	post = READ_ONCE(p->post_handler);
	if (post)
		post(p, regs, 0);
}

/**
 * kprobe_running() - the probe whose handler the caller is in
 *
 * Context: preemption disabled; otherwise the answer may be stale.
 * Return: the point's kprobe, or the kretprobe's &kretprobe.kp in a return
 * handler; NULL outside of handlers, also in an interrupt that came during one.
 */
static __always_inline struct kprobe *kprobe_running(void)
{
	struct kprobe_frame *f = kprobe_frame_top();

	if (likely(!f) || !kprobe_frame_covers(f, kprobe_context(preempt_count())))
		return NULL;
	return f->kp;
}

#endif /* _LINUX_KPROBES_FRAME_H */
