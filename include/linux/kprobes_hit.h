/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_HIT_H
#define _LINUX_KPROBES_HIT_H
/*
 * A hit, for an architecture with __ARCH_WANT_KPROBE_FRAMES: enter a frame, and
 * call the pre handlers. The verdict says what the architecture has to do next;
 * then it leaves the frame. Include linux/kprobes.h, which includes this.
 *
 * However a point is reached (breakpoint, jump, ftrace), there are three functions
 * for it. kprobe_hit_usual() is inline in the path of each hit: one pre handler is to
 * be called, and no frame of the CPU is in use. kprobe_hit_several() is likewise for
 * several pre handlers. kprobe_hit_any() is for all hits, and so is called out of
 * line. The first two return KPROBE_UNUSUAL for a hit that they are not for.
 */

#ifndef _LINUX_KPROBES_ARCH_H
#error "include linux/kprobes.h"
#endif

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
 * Return: whether it does; the subscriber may have a post handler, too, and no other
 * one has any.
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

/**
 * kprobe_has_single() - is there one pre handler, and no other handler?
 * @probe: the point's kprobe
 *
 * Return: whether there is.
 */
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
	/* Pairs with smp_store_release() in kprobe_update_handlers(). */
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
	/* Written by kprobe_update_handlers(). */
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
 * enum kprobe_verdict - what has become of a hit
 * @KPROBE_CONTINUE: the pre handlers have been called. Carry out the instruction,
 *	and call the post handlers
 * @KPROBE_REDIRECTED: a pre handler has changed the path. The registers say where
 *	to go on, and no post handler is called
 * @KPROBE_MISSED: a handler is running in this context, or there is no frame left.
 *	The miss has been counted, and there is no frame. Carry out the instruction
 * @KPROBE_UNUSUAL: nothing has been done: kprobe_hit_any() has to
 */
enum kprobe_verdict {
	KPROBE_CONTINUE,
	KPROBE_REDIRECTED,
	KPROBE_MISSED,
	KPROBE_UNUSUAL,
};

/**
 * kprobe_hit_enter_first() - take the first frame of a CPU for a hit
 * @p: the point's kprobe
 * @regs: the registers
 *
 * The point and @regs are kept in the frame, from where kprobe_hit_point() and
 * kprobe_hit_regs() have them: in registers they would have to be saved.
 *
 * Context: any, preemption disabled.
 * Return: true with the hit counted, or false if a frame is in use.
 */
static __always_inline bool kprobe_hit_enter_first(struct kprobe *p,
						   struct pt_regs *regs)
{
	if (unlikely(!kprobe_frame_enter_first(p)))
		return false;
	raw_cpu_write(kprobe_ctlblk.frame[0].regs, regs);
	kprobe_count_hit(p);
	return true;
}

/**
 * kprobe_hit_usual() - a hit of a point with one pre handler, no frame in use
 * @p: the point's kprobe
 * @regs: the registers
 * @chain: the value of &kprobe_hot.pre_chain
 * @usual: says of @chain whether the caller is prepared for the point's handlers
 * @only: gets the subscriber out of @chain, if so
 *
 * @usual and @only are kprobe_chain_is_single() with kprobe_chain_single(), or, for
 * ftrace sites, with kprobe_chain_single_ftrace(): no post handler is to be called.
 * Or, if the caller calls kprobe_call_post(), kprobe_chain_is_trap() with
 * kprobe_chain_head(). When a handler changes the path no other subscriber misses the
 * hit, so kprobe_path_changed() need not be called.
 *
 * Context: any, preemption disabled.
 * Return: KPROBE_CONTINUE or KPROBE_REDIRECTED, with a frame; or KPROBE_UNUSUAL.
 * kprobe_frame_leave_first() leaves the frame if its status has not been changed,
 * else kprobe_frame_leave().
 */
static __always_inline enum kprobe_verdict
kprobe_hit_usual(struct kprobe *p, struct pt_regs *regs, unsigned long chain,
		 bool (*usual)(unsigned long chain),
		 struct kprobe *(*only)(unsigned long chain))
{
	struct kprobe *kp;

	if (unlikely(!usual(chain) || !kprobe_hit_enter_first(p, regs)))
		return KPROBE_UNUSUAL;
	kp = only(chain);
	return unlikely(kp->pre_handler(kp, regs)) ? KPROBE_REDIRECTED : KPROBE_CONTINUE;
}

/**
 * kprobe_hit_several() - a hit of a point with pre handlers only, no frame in use
 * @p: the point's kprobe
 * @regs: the registers
 * @chain: the value of &kprobe_hot.pre_chain
 *
 * As kprobe_hit_usual(), but calls all handlers of a chain.
 *
 * Context: any, preemption disabled.
 * Return: as kprobe_hit_usual().
 */
static __always_inline enum kprobe_verdict
kprobe_hit_several(struct kprobe *p, struct pt_regs *regs, unsigned long chain)
{
	if (unlikely(!kprobe_chain_is_plain(chain) ||
		     !kprobe_hit_enter_first(p, regs)))
		return KPROBE_UNUSUAL;
	if (kprobe_call_chain(NULL, (struct kprobe *)chain, regs))
		return KPROBE_REDIRECTED;
	return KPROBE_CONTINUE;
}

/**
 * kprobe_hit_point() - the point of the hit that is in the CPU's first frame
 *
 * Context: after kprobe_hit_usual() or kprobe_hit_several(), before the frame is left.
 * Return: the point's kprobe.
 */
static __always_inline struct kprobe *kprobe_hit_point(void)
{
	return raw_cpu_read(kprobe_ctlblk.frame[0].kp);
}

/**
 * kprobe_hit_regs() - the registers of the hit that is in the CPU's first frame
 *
 * Context: as kprobe_hit_point(); and before &kprobe_frame.flags is written, which
 * lies there, too.
 * Return: the registers.
 */
static __always_inline struct pt_regs *kprobe_hit_regs(void)
{
	return raw_cpu_read(kprobe_ctlblk.frame[0].regs);
}

/**
 * kprobe_hit_frame() - the frame of a hit
 *
 * Context: after one of the functions that enter it, before it is left.
 * Return: the frame. It is a recorded one, as any that a hit enters.
 */
static __always_inline struct kprobe_frame *kprobe_hit_frame(void)
{
	return kprobe_frame_of(get_kprobe_ctlblk()->depth);
}

/**
 * kprobe_hit_any() - a hit
 * @p: the point's kprobe
 * @regs: the registers
 * @trap: what the trap that led here has added to the preempt count
 *
 * Context: any, preemption disabled.
 * Return: KPROBE_CONTINUE or KPROBE_REDIRECTED, with a frame that
 * kprobe_frame_leave() leaves; or KPROBE_MISSED.
 */
static __always_inline enum kprobe_verdict
kprobe_hit_any(struct kprobe *p, struct pt_regs *regs, unsigned int trap)
{
	if (unlikely(!kprobe_frame_enter(p, trap))) {
		kprobes_inc_nmissed_count(p);
		return KPROBE_MISSED;
	}
	return kprobe_call_pre(p, regs) ? KPROBE_REDIRECTED : KPROBE_CONTINUE;
}

#endif /* _LINUX_KPROBES_HIT_H */
