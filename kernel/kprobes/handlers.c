// SPDX-License-Identifier: GPL-2.0
/*
 * The handlers of a point's kprobe: chosen anew whenever a subscriber comes, goes,
 * is enabled or disabled. Hits read them meanwhile (dispatch.c, linux/kprobes_hit.h).
 */
#include "dispatch.h"
#include "internal.h"

#ifdef __ARCH_WANT_KPROBE_FRAMES
static const bool kprobe_reads_once = true;
#else
static const bool kprobe_reads_once;
#endif

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
 * The value of &kprobe_hot.pre_chain, see KPROBE_CHAIN_SINGLE. A subscriber with a post
 * handler and no pre handler misses the hit when the pre handler of another subscriber
 * changes the path. The short way of a breakpoint does not count misses, so
 * KPROBE_CHAIN_TRAP is not set then. It is set where KPROBE_CHAIN_SINGLE is, except on
 * ftrace sites: kprobe_chain_single() relies on that.
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
		fault |= kprobe_has_fault_handler(kp);
	}
	pt->posts = post;
	if (!kprobe_reads_once)
		post |= !!pt->probe.post_handler;
	chain = kprobe_chain_of(pt, only_post, post, fault);
	/*
	 * Pairs with the address dependency from READ_ONCE() of ->pre_chain in
	 * the hit paths of kprobes_hit.h and the architecture.
	 */
	smp_store_release(&pt->hot.pre_chain, chain);
	WRITE_ONCE(pt->probe.pre_handler,
		   on ? kprobe_dispatch_pre : kprobe_dispatch_off);
	/* Pairs likewise with READ_ONCE() of it in kprobe_call_post(). */
	smp_store_release(&pt->hot.only_post, only_post);
	WRITE_ONCE(pt->probe.post_handler, post ? kprobe_dispatch_post : NULL);
	WRITE_ONCE(pt->probe.fault_handler,
		   fault ? kprobe_dispatch_fault : NULL);
	if (on)
		flags &= ~KPROBE_FLAG_DISABLED;
	else
		flags |= KPROBE_FLAG_DISABLED;
	WRITE_ONCE(pt->probe.flags, flags);
}
