/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_FRAME_H
#define _LINUX_KPROBES_FRAME_H
/*
 * The recursion guard of an architecture with __ARCH_WANT_KPROBE_FRAMES. Include
 * linux/kprobes.h, which includes this.
 *
 * All of it runs at each hit, so the usual case is inline: no other probe is
 * being processed on the CPU.
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
 * @KPROBE_FRAME_FAULT: a fault handler runs
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
	KPROBE_FRAME_FAULT,
};

/**
 * struct kprobe_frame - one probe being processed
 * @kp: the point's kprobe; or, with KPROBE_FRAME_HANDLER and KPROBE_FRAME_FAULT,
 *	perhaps the kprobe of a return probe; or, with KPROBE_FRAME_HANDLER, that of
 *	kprobe_busy_begin(). Those are part of no point:
 *	kprobe_call_fault() takes them, kprobe_hot_of() and kprobe_call_post() do
 *	not. NULL while the frame is being filled or emptied, which an NMI may see
 * @inside: the preempt count that the handler runs with, which names its
 *	context
 * @outside: the context that the probed code runs in; valid while stepping. For
 *	an emulation in a detour, a value that is none
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

/*
 * Four contexts, each with a handler and one frame inside of it: of a return handler, of
 * a fault handler, or of kprobe_busy_begin().
 */
#define KPROBE_MAX_FRAMES	8

/**
 * struct kprobe_ctlblk - the frames of a CPU
 * @depth: how many frames are in use. May exceed KPROBE_MAX_FRAMES, then the topmost
 *	ones are not recorded. They are of return handlers, fault handlers and
 *	kprobe_busy_begin(), which push a frame without a check; a hit is refused by
 *	kprobe_frame_enter_inner() when all recorded frames are in use
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

/*
 * dispatch.c: kprobe_frame_enter() of a CPU with frames in use. It refuses a hit when
 * all frames are in use, and a hit that the innermost frame covers. The context that was
 * hit is that of the preempt count less @trap, which the trap of this hit has added.
 */
unsigned int kprobe_frame_enter_inner(struct kprobe *p, unsigned int trap);

/**
 * kprobe_frame_enter_first() - the recursion guard of a CPU without a frame in use
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
	/* In the order of kprobe_frame_push(); each barrier() pairs as the one there. */
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
 * kprobe_frame_leave() - drop the innermost frame, which is most often the first
 *
 * Does what kprobe_frame_pop() does. Whatever the status of the frame is, it is
 * KPROBE_FRAME_HANDLER afterwards.
 *
 * Context: that of kprobe_frame_enter().
 */
static __always_inline void kprobe_frame_leave(void)
{
	if (unlikely(raw_cpu_read(kprobe_ctlblk.depth) != 1)) {
		kprobe_frame_pop();
		return;
	}
	/* In the order of kprobe_frame_pop(). */
	raw_cpu_write(kprobe_ctlblk.frame[0].kp, NULL);
	raw_cpu_write(kprobe_ctlblk.frame[0].status, KPROBE_FRAME_HANDLER);
	/* Pairs with program order in kprobe_frame_push(), in an NMI. */
	barrier();
	raw_cpu_write(kprobe_ctlblk.depth, 0);
}

/**
 * kprobe_frame_enter() - the recursion guard
 * @p: the kprobe of the point that was hit
 * @trap: what the trap that led here has added to the preempt count
 *
 * Context: any, with preemption disabled.
 * Return: the level of the new frame, at most KPROBE_MAX_FRAMES, which
 * kprobe_frame_pop() drops; or 0 when the hit is a miss because the innermost frame
 * covers it (most often since a handler runs in this context already), or because
 * there is no frame.
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
 * @level: a level that the caller has entered on this CPU, at most
 *	KPROBE_MAX_FRAMES: that of kprobe_frame_push() may be higher
 *
 * Return: the frame.
 */
static __always_inline struct kprobe_frame *kprobe_frame_of(unsigned int level)
{
	return &get_kprobe_ctlblk()->frame[level - 1];
}

/**
 * kprobe_running() - the probe whose handler the caller is in
 *
 * Where it is not NULL, hits are misses. So it is not NULL, either, in a kprobe_busy
 * section, and while a fault of a stepped copy is handled whose frame is still there.
 *
 * Context: preemption disabled; otherwise the answer may be stale.
 * Return: the point's kprobe, also for such a fault; the kretprobe's &kretprobe.kp in a
 * return handler; after kprobe_busy_begin() one that belongs to no user. NULL
 * elsewhere, also in an interrupt that came during a handler, and in a handler whose
 * frame is not recorded (see &kprobe_ctlblk.depth).
 */
static __always_inline struct kprobe *kprobe_running(void)
{
	struct kprobe_frame *f = kprobe_frame_top();

	if (likely(!f) || !kprobe_frame_covers(f, kprobe_context(preempt_count())))
		return NULL;
	return f->kp;
}

#endif /* _LINUX_KPROBES_FRAME_H */
