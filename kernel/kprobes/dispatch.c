// SPDX-License-Identifier: GPL-2.0
/*
 * The hit path: from a point to its subscribers.
 *
 * The architecture calls the handlers of the point's kprobe, which call the
 * subscribers, the newest first; or, for pre handlers, the subscribers
 * themselves, which are linked for that (linux/kprobes_frame.h). Everything here
 * runs with preemption disabled in any context, and nothing here may be probed.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/atomic.h>
#include <linux/export.h>
#include <linux/printk.h>

#include "stats.h"

#ifdef __ARCH_WANT_KPROBE_FRAMES
DEFINE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);
static const bool kprobe_reads_once = true;
#else
static const bool kprobe_reads_once;
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

static int kprobe_dispatch_pre(struct kprobe *probe, struct pt_regs *regs)
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

/* No subscriber is enabled, and the point is about to be disarmed. */
static int kprobe_dispatch_off(struct kprobe *probe, struct pt_regs *regs)
{
	kprobe_count_miss(kprobe_point_of(probe), KPROBE_MISS_DISABLED);
	return 0;
}

NOKPROBE_SYMBOL(kprobe_dispatch_off);

static void kprobe_dispatch_post(struct kprobe *probe, struct pt_regs *regs,
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

static int kprobe_dispatch_fault(struct kprobe *probe, struct pt_regs *regs,
				 int trapnr)
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

/**
 * kprobe_call_fault() - let the subscribers of a point see a fault
 * @p: the running kprobe: a point's kprobe, or that of a return probe
 * @regs: the registers at the fault
 * @trapnr: the architecture's trap number
 *
 * Context: any, preemption disabled.
 * Return: 1 when one of them dealt with it, else 0.
 */
int kprobe_call_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	kprobe_fault_handler_t fault = READ_ONCE(p->fault_handler);

	return fault ? fault(p, regs, trapnr) : 0;
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

/**
 * kprobes_inc_nmissed_count() - a hit could not be handled
 * @p: the point's kprobe
 *
 * A handler runs in this context already, so this is a recursion; at a point
 * that is disabled it would have been a miss without that.
 *
 * Context: any, preemption disabled.
 */
void kprobes_inc_nmissed_count(struct kprobe *p)
{
	kprobe_point_missed(kprobe_point_of(p),
			    kprobe_disabled(p) ? KPROBE_MISS_DISABLED :
						 KPROBE_MISS_RECURSION);
}

NOKPROBE_SYMBOL(kprobes_inc_nmissed_count);

/*
 * Link the active subscribers that have a pre handler, from the oldest to the
 * newest, each to the next older one. Hits run meanwhile. No hit calls a
 * subscriber twice: what is stored to ->hlist.next is always an older subscriber,
 * and a subscriber that is registered again, as the newest, is so after a grace
 * period, when no hit has come to its old position. No hit skips a subscriber
 * that is active all the time:
 *
 * - A new subscriber is stored to the newer one, or to the point's kprobe, after
 *   it has been linked itself. A hit that is past that position does not call
 *   it.
 * - A subscriber that is removed or disabled keeps its ->hlist.next. A hit that
 *   has come to it goes on to the one that was next then. If that one has been
 *   removed since, it has kept its ->hlist.next, too, and its memory, until the
 *   hit ends. If another one between the two was enabled since, that one was
 *   disabled when the hit began: while a subscriber is in the chain, its
 *   ->hlist.next is up to date.
 */
static unsigned long kprobe_link_chain(struct kprobe_point *pt)
{
	struct kprobe *kp, *next = NULL;

	list_for_each_entry_reverse(kp, &pt->hot.subs, list) {
		if (!kprobe_sub_active(kp) || !kp->pre_handler)
			continue;
		/*
		 * Pairs with the address dependency from reading ->hlist.next of a
		 * newer subscriber in kprobe_call_chain(): @next is linked.
		 */
		smp_store_release(&kp->hlist.next,
				  (struct hlist_node *)next);
		next = kp;
	}
	if (!next)
		return KPROBE_CHAIN_SLOW;
	return (unsigned long)next | (kprobe_next_pre(next) ? 0 : KPROBE_CHAIN_SINGLE);
}

/*
 * The value of &kprobe_hot.pre_chain, see KPROBE_CHAIN_SINGLE. A subscriber that
 * has a post handler only misses the hit if the pre handler of another one
 * changes the path. That has to be counted, so KPROBE_CHAIN_TRAP is not set
 * then.
 */
static unsigned long kprobe_chain_of(struct kprobe_point *pt,
				     struct kprobe *only_post,
				     bool post, bool fault)
{
	unsigned long chain = kprobe_link_chain(pt);
	struct kprobe *sole = (struct kprobe *)(chain & ~KPROBE_CHAIN_BITS);
	bool alone = !post || only_post == sole;

	if ((chain & KPROBE_CHAIN_SINGLE) && alone && !fault &&
	    !kprobe_ftrace(&pt->probe))
		chain |= KPROBE_CHAIN_TRAP;
	if (post || fault)
		chain = (chain & ~KPROBE_CHAIN_SINGLE) | KPROBE_CHAIN_SLOW;
	return chain;
}

/**
 * kprobe_update_handlers() - choose the handlers of a point's kprobe
 * @pt: a point
 *
 * A post or fault handler that is NULL lets the architecture take a shorter
 * way. The pre handler is never NULL: it also counts. Hits read the fields
 * meanwhile, each of them once. Architectures without frames may read a field
 * twice, so a post handler that has been set for them is never cleared again.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_update_handlers(struct kprobe_point *pt)
{
	bool post = false, fault = false, on = false;
	struct kprobe *kp, *only_post = NULL;
	u32 flags = pt->probe.flags;
	unsigned long chain;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(kp, &pt->hot.subs, list) {
		if (!kprobe_sub_active(kp))
			continue;
		on = true;
		if (kp->post_handler)
			only_post = post ? NULL : kp;
		post |= !!kp->post_handler;
		fault |= !!kp->fault_handler;
	}
	pt->posts = post;
	if (!kprobe_reads_once)
		post |= !!pt->probe.post_handler;
	chain = kprobe_chain_of(pt, only_post, post, fault);
	/*
	 * Pairs with the address dependency from READ_ONCE() of ->pre_chain in
	 * the hit paths of kprobes_frame.h and the architecture.
	 */
	smp_store_release(&pt->hot.pre_chain, chain);
	WRITE_ONCE(pt->probe.pre_handler,
		   on ? kprobe_dispatch_pre : kprobe_dispatch_off);
	WRITE_ONCE(pt->hot.only_post, only_post);
	WRITE_ONCE(pt->probe.post_handler, post ? kprobe_dispatch_post : NULL);
	WRITE_ONCE(pt->probe.fault_handler,
		   fault ? kprobe_dispatch_fault : NULL);
	if (on)
		flags &= ~KPROBE_FLAG_DISABLED;
	else
		flags |= KPROBE_FLAG_DISABLED;
	WRITE_ONCE(pt->probe.flags, flags);
}

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
	preempt_enable_no_resched_notrace();
}

/**
 * kprobe_busy_begin() - count hits in this context as missed from here on
 *
 * For code that shares its handlers with kprobes, or runs handlers on its own.
 * Disables preemption until kprobe_busy_end(). May be nested.
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
	__this_cpu_write(current_kprobe, &kprobe_busy);
	get_kprobe_ctlblk()->kprobe_status = KPROBE_HIT_ACTIVE;
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
