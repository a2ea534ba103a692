// SPDX-License-Identifier: GPL-2.0
/*
 * The hit path: from a point to its subscribers.
 *
 * The architecture calls the handlers of the point's kprobe, which call the
 * subscribers, the newest first; or, for pre handlers, the subscribers
 * themselves, which are linked for that (linux/kprobes_hit.h). Everything here
 * runs with preemption disabled in any context, and nothing here may be probed.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/printk.h>

#include "dispatch.h"
#include "jprobe.h"
#include "stats.h"

#ifdef __ARCH_WANT_KPROBE_FRAMES
DEFINE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);
#endif

#ifdef CONFIG_PREEMPTION
/*
 * Detours and the trampolines of returns and of ftrace call this when they
 * enable preemption. A probe at its beginning would call it again, and again:
 * only further on does it disable preemption itself.
 */
NOKPROBE_SYMBOL(preempt_schedule_notrace);
#endif

/*
 * Unregistration waits for all handlers, so the list is safe to walk with
 * preemption disabled. list_for_each_entry_rcu() would call lockdep to check
 * that, and lockdep can be probed.
 */
#define for_each_sub(kp, pt)						\
	list_for_each_entry_lockless(kp, &(pt)->hot.subs, list)

static void kprobe_sub_missed(struct kprobe *kp)
{
	/*
	 * Atomic, so exact. Misses are rare: a shared cache line does not
	 * matter.
	 */
	raw_atomic_long_inc((atomic_long_t *)&kp->nmissed);
}

NOKPROBE_SYMBOL(kprobe_sub_missed);

static void kprobe_sub_missed_path(struct kprobe_point *pt, struct kprobe *kp)
{
	if (!kprobe_sub_active(kp))
		return;
	kprobe_sub_missed(kp);
	kprobe_count_miss(pt, KPROBE_MISS_PATH);
}

NOKPROBE_SYMBOL(kprobe_sub_missed_path);

/**
 * kprobe_path_changed() - a pre handler has changed the path of execution
 * @probe: the point's kprobe. It may have left the table, and another point may be
 *	at its address, but it stays until the hit has ended
 * @by: the subscriber whose handler it was
 *
 * The subscribers behind @by are not called: the registers are not those of the
 * probed code any more. Nor are those that have a post handler only, wherever
 * they are: the probed instruction is not executed. Each has missed the hit.
 *
 * Context: any, preemption disabled.
 */
void kprobe_path_changed(struct kprobe *probe, struct kprobe *by)
{
	struct kprobe_point *pt = kprobe_point_of(probe);
	struct kprobe *kp;

	for_each_sub(kp, pt) {
		if (!kp->pre_handler && kp->post_handler)
			kprobe_sub_missed_path(pt, kp);
	}
	/* @by may have been unlinked; its link stays for a grace period. */
	kp = by;
	list_for_each_entry_continue_rcu(kp, &pt->hot.subs, list) {
		if (kp->pre_handler)
			kprobe_sub_missed_path(pt, kp);
	}
}

NOKPROBE_SYMBOL(kprobe_path_changed);

/**
 * kprobe_dispatch_pre() - the pre handler of a point's kprobe
 * @probe: the point's kprobe
 * @regs: the registers
 *
 * Context: any, preemption disabled.
 * Return: 1 if a subscriber has changed the path, else 0.
 */
int kprobe_dispatch_pre(struct kprobe *probe, struct pt_regs *regs)
{
	struct kprobe_point *pt = kprobe_point_of(probe);
	struct kprobe *kp;

	kprobe_count_hit(probe);
	for_each_sub(kp, pt) {
		if (!kp->pre_handler || !kprobe_sub_active(kp))
			continue;
		if (kp->pre_handler(kp, regs)) {
			kprobe_path_changed(probe, kp);
			return 1;
		}
	}
	return 0;
}

NOKPROBE_SYMBOL(kprobe_dispatch_pre);

/**
 * kprobe_dispatch_off() - the pre handler when no subscriber is enabled
 * @probe: the kprobe of a point that is about to be disarmed
 * @regs: the registers
 *
 * Context: any, preemption disabled.
 * Return: 0.
 */
int kprobe_dispatch_off(struct kprobe *probe, struct pt_regs *regs)
{
	kprobe_count_miss(kprobe_point_of(probe), KPROBE_MISS_DISABLED);
	return 0;
}

NOKPROBE_SYMBOL(kprobe_dispatch_off);

/**
 * kprobe_dispatch_post() - the post handler of a point's kprobe
 * @probe: the point's kprobe
 * @regs: the registers
 * @flags: 0
 *
 * Context: any, preemption disabled.
 */
void kprobe_dispatch_post(struct kprobe *probe, struct pt_regs *regs,
			  unsigned long flags)
{
	struct kprobe_point *pt = kprobe_point_of(probe);
	struct kprobe *kp;

	for_each_sub(kp, pt) {
		if (kp->post_handler && kprobe_sub_active(kp))
			kp->post_handler(kp, regs, flags);
	}
}

NOKPROBE_SYMBOL(kprobe_dispatch_post);

/**
 * kprobe_dispatch_fault() - the fault handler of a point's kprobe
 * @probe: the point's kprobe
 * @regs: the registers
 * @trapnr: the architecture's trap number
 *
 * Context: any, preemption disabled.
 * Return: 1 if a subscriber dealt with the fault, else 0.
 */
int kprobe_dispatch_fault(struct kprobe *probe, struct pt_regs *regs, int trapnr)
{
	struct kprobe_point *pt = kprobe_point_of(probe);
	struct kprobe *kp;

	for_each_sub(kp, pt) {
		if (kp->fault_handler && kprobe_sub_active(kp) &&
		    kp->fault_handler(kp, regs, trapnr))
			return 1;
	}
	return 0;
}

NOKPROBE_SYMBOL(kprobe_dispatch_fault);

#ifdef CONFIG_OPTPROBES
/**
 * opt_pre_handler() - run the pre handlers of a point that a detour reached
 * @p: the point's kprobe
 * @regs: the registers
 *
 * For architectures whose detours ignore a change of the path.
 */
void opt_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	kprobe_pre_handler_t pre = READ_ONCE(p->pre_handler);

	if (pre)
		pre(p, regs);
}

NOKPROBE_SYMBOL(opt_pre_handler);
#endif

#ifdef __ARCH_WANT_KPROBE_FRAMES
/* Is the caller in a fault handler? Its faults are like those of any other code. */
static bool kprobe_in_fault_handler(void)
{
	struct kprobe_frame *f = kprobe_frame_top();

	return f && f->status == KPROBE_FRAME_FAULT &&
	       kprobe_frame_covers(f, kprobe_context(preempt_count()));
}

/* A frame on top of that of the handler, if any: what is hit from here on is a miss. */
static void kprobe_fault_begin(struct kprobe *p)
{
	unsigned int level = kprobe_frame_push(p);

	if (level <= KPROBE_MAX_FRAMES)
		WRITE_ONCE(kprobe_frame_of(level)->status, KPROBE_FRAME_FAULT);
}

static void kprobe_fault_end(void)
{
	kprobe_frame_pop();
}
#else
static bool kprobe_in_fault_handler(void)
{
	return false;
}

static void kprobe_fault_begin(struct kprobe *p) { }
static void kprobe_fault_end(void) { }
#endif

NOKPROBE_SYMBOL(kprobe_in_fault_handler);
NOKPROBE_SYMBOL(kprobe_fault_begin);
NOKPROBE_SYMBOL(kprobe_fault_end);

/**
 * kprobe_call_fault() - let the subscribers of a point see a fault
 * @p: the running kprobe: a point's kprobe, or that of a return probe
 * @regs: the registers at the fault
 * @trapnr: the architecture's trap number
 *
 * A fault of a fault handler is offered to none: it may be that fault once more.
 *
 * Context: any, preemption disabled.
 * Return: 1 when one of them dealt with it, else 0.
 */
int kprobe_call_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	kprobe_fault_handler_t fault = READ_ONCE(p->fault_handler);
	int ret;

	if (!fault || kprobe_in_fault_handler())
		return 0;
	kprobe_fault_begin(p);
	ret = fault(p, regs, trapnr);
	kprobe_fault_end();
	return ret;
}

NOKPROBE_SYMBOL(kprobe_call_fault);

/**
 * kprobe_point_missed() - a point was reached, and its handlers do not run
 * @pt: the point
 * @why: the cause
 *
 * Context: any, preemption disabled.
 */
void kprobe_point_missed(struct kprobe_point *pt, enum kprobe_miss why)
{
	struct kprobe *kp;

	kprobe_count_miss(pt, why);
	for_each_sub(kp, pt) {
		if (kprobe_sub_active(kp))
			kprobe_sub_missed(kp);
	}
}

NOKPROBE_SYMBOL(kprobe_point_missed);

/*
 * The cause of a miss when no frame was given. At a point without an enabled subscriber,
 * no handler would have been called in any case.
 */
static enum kprobe_miss kprobe_refusal(struct kprobe *p)
{
	return kprobe_disabled(p) ? KPROBE_MISS_DISABLED : KPROBE_MISS_RECURSION;
}

NOKPROBE_SYMBOL(kprobe_refusal);

/**
 * kprobes_inc_nmissed_count() - a hit could not be handled
 * @p: the point's kprobe
 *
 * No frame was given: a handler runs in this context already, or all frames are in use.
 * That is a recursion; or, at a point without an enabled subscriber, a hit of a disabled
 * point.
 *
 * Context: any, preemption disabled.
 */
void kprobes_inc_nmissed_count(struct kprobe *p)
{
	kprobe_point_missed(kprobe_point_of(p), kprobe_refusal(p));
}

NOKPROBE_SYMBOL(kprobes_inc_nmissed_count);

/**
 * kprobe_post_missed() - the post handlers of a hit could not be called
 * @p: the point's kprobe, whose pre handlers have been called
 *
 * As kprobes_inc_nmissed_count(), where the architecture calls the post handlers in a
 * frame of their own. Subscribers without a post handler have missed nothing.
 *
 * Context: any, preemption disabled.
 */
void kprobe_post_missed(struct kprobe *p)
{
	struct kprobe_point *pt = kprobe_point_of(p);
	struct kprobe *kp;

	kprobe_count_miss(pt, kprobe_refusal(p));
	for_each_sub(kp, pt) {
		if (kp->post_handler && kprobe_sub_active(kp))
			kprobe_sub_missed(kp);
	}
}

NOKPROBE_SYMBOL(kprobe_post_missed);

static struct kprobe kprobe_busy = {
	.addr = (void *)get_kprobe,
};

#ifdef __ARCH_WANT_KPROBE_FRAMES
/**
 * kprobe_frame_enter_inner() - the recursion guard of a CPU with frames in use
 * @p: the kprobe of the point that was hit
 * @trap: what the trap that led here has added to the preempt count
 *
 * Context: any, with preemption disabled.
 * Return: as kprobe_frame_enter().
 */
noinline unsigned int kprobe_frame_enter_inner(struct kprobe *p,
					       unsigned int trap)
{
	unsigned int outside = kprobe_context(preempt_count() - trap);

	if (get_kprobe_ctlblk()->depth >= KPROBE_MAX_FRAMES ||
	    kprobe_frame_covers(kprobe_frame_top(), outside))
		return 0;
	return kprobe_frame_push(p);
}

NOKPROBE_SYMBOL(kprobe_frame_enter_inner);

/**
 * kprobe_flush_frames() - drop all frames of this CPU
 *
 * The current task has died in an oops, and returns to no handler. Handlers of
 * jumps and ftrace sites run in the context of the task, with preemption off, so
 * the task has not left the CPU since, and the frames of the CPU are all of
 * that task. A frame that stayed would make all hits in task context misses,
 * and refer to a probe that may be freed.
 *
 * Context: task context.
 */
void kprobe_flush_frames(void)
{
	preempt_disable_notrace();
	while (get_kprobe_ctlblk()->depth)
		kprobe_frame_pop();
	jprobe_flush_calls();
	preempt_enable_no_resched_notrace();
}

/**
 * kprobe_busy_begin() - count hits in this context as missed from here on
 *
 * For code that shares its handlers with kprobes, or runs handlers on its own.
 * Disables preemption until kprobe_busy_end(). May be nested, and called in a
 * handler, where __ARCH_WANT_KPROBE_FRAMES is defined; elsewhere it may not.
 *
 * Context: any.
 */
void kprobe_busy_begin(void)
{
	preempt_disable_notrace();
	kprobe_frame_push(&kprobe_busy);
}

/**
 * kprobe_busy_end() - undo kprobe_busy_begin()
 *
 * Context: that of the matching kprobe_busy_begin().
 */
void kprobe_busy_end(void)
{
	kprobe_frame_pop();
	preempt_enable_notrace();
}
#else
void kprobe_busy_begin(void)
{
	preempt_disable();
	kprobe_set_running(&kprobe_busy);
}

void kprobe_busy_end(void)
{
	__this_cpu_write(current_kprobe, NULL);
	preempt_enable();
}

/**
 * dump_kprobe() - report a probe that was hit where none may be hit
 * @kp: the point's kprobe
 *
 * The architecture stops the machine next.
 *
 * Context: any.
 */
void dump_kprobe(struct kprobe *kp)
{
	pr_err("point at %pS, offset 0x%x of %s\n", kp->addr, kp->offset,
	       kp->symbol_name ?: "no symbol");
}

NOKPROBE_SYMBOL(dump_kprobe);
#endif /* __ARCH_WANT_KPROBE_FRAMES */
NOKPROBE_SYMBOL(kprobe_busy_begin);
NOKPROBE_SYMBOL(kprobe_busy_end);
