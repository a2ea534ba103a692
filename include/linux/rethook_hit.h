/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RETHOOK_HIT_H
#define _LINUX_RETHOOK_HIT_H
/*
 * What runs at each call that is hooked, inline: for the trampolines of
 * architectures, and for kretprobes, which hook the most. The functions are
 * named after those in linux/rethook.h that do the same out of line.
 *
 * Nothing here may be probed: the hooked return of a function called from here
 * would lead here again. A function that cannot be marked is inlined, or called
 * only for hooks that are stopped.
 */
#include <linux/compiler.h>
#include <linux/container_of.h>
#include <linux/context_tracking.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/sched.h>

/* The rare cases, out of line. */
unsigned long rethook_return_slow(struct pt_regs *regs, unsigned long frame);
void rethook_push(struct rethook_node *node);
void rethook_drop(struct rethook_node *node);

static __always_inline struct rethook_node *rethook_node_of(struct llist_node *n)
{
	return container_of(n, struct rethook_node, llist);
}

/* As rcu_is_watching(), which is a call. */
static __always_inline bool rethook_rcu_watches(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return rcu_is_watching();
#endif
}

/*
 * The node in this CPU's cache; NULL if rethook_try_get() has to look for one.
 */
static __always_inline
struct rethook_node *rethook_get_cached(struct rethook *rh)
{
	if (unlikely(!READ_ONCE(rh->handler) || !rethook_rcu_watches()))
		return NULL;
	/* Other CPUs may take it at the same time: rethook_take_cached(). */
	return xchg(raw_cpu_ptr(rh->cpu_cache), NULL);
}

static __always_inline void __rethook_recycle(struct rethook_node *node)
{
	struct rethook *rh = node->rethook;
	struct rethook_node *none = NULL;

	if (unlikely(!READ_ONCE(rh->handler)))
		rethook_drop(node);
	else if (unlikely(!try_cmpxchg(raw_cpu_ptr(rh->cpu_cache),
				       &none, node)))
		rethook_push(node);
}

static __always_inline void __rethook_hook(struct rethook_node *node,
					   struct pt_regs *regs, bool mcount)
{
	struct llist_head *hooks = &current->rethooks;

	/*
	 * An NMI may unwind the stack at any point of this. So the node is in
	 * the list before the trampoline is on the stack, and until it has the
	 * return address, unwinders skip it: @ret_addr is the trampoline.
	 */
	node->ret_addr = (unsigned long)arch_rethook_trampoline;
	node->llist.next = hooks->first;
	/*
	 * Pairs with the address dependency from READ_ONCE() of the first node
	 * in rethook_resume(), on another CPU: the node that it finds is
	 * linked.
	 */
	smp_store_release(&hooks->first, &node->llist);
	/*
	 * Pairs with program order in an unwinder in an NMI: if it finds the
	 * trampoline on the stack, it finds the node in the list.
	 */
	barrier();
	arch_rethook_prepare(node, regs, mcount);
}

/* The usual case: the newest node is that of the call. */
static __always_inline unsigned long rethook_return(struct rethook_node *node,
						    struct pt_regs *regs)
{
	unsigned long ret_addr = READ_ONCE(node->ret_addr);
	struct rethook *rh = node->rethook;
	rethook_handler_t handler = READ_ONCE(rh->handler);

	/*
	 * While the handler runs, the node stays in the list: a stack trace
	 * finds the real return address there until it is on the stack again.
	 */
	instruction_pointer_set(regs, ret_addr);
	if (likely(handler))
		handler(node, rh->data, ret_addr, regs);
	/* Reload it: cheaper than a register that is kept over the handler. */
	ret_addr = READ_ONCE(node->ret_addr);
	arch_rethook_fixup_return(regs, ret_addr);
	/*
	 * Pairs with program order in an unwinder in an NMI: if it does not
	 * find the node in the list, it finds the address on the stack.
	 */
	barrier();
	WRITE_ONCE(current->rethooks.first, node->llist.next);
	__rethook_recycle(node);
	return ret_addr;
}

static __always_inline bool rethook_is_call(struct llist_node *first,
					    unsigned long frame)
{
	struct rethook_node *node = rethook_node_of(first);

	return first && node->frame == frame &&
	       !is_rethook_trampoline(node->ret_addr);
}

static __always_inline unsigned long
__rethook_trampoline_handler(struct pt_regs *regs, unsigned long frame)
{
	struct llist_node *first;
	unsigned long ret_addr;

	/* Keeps the hooks from being freed, and the handlers on one CPU. */
	preempt_disable_notrace();
	first = READ_ONCE(current->rethooks.first);
	if (likely(rethook_is_call(first, frame)))
		ret_addr = rethook_return(rethook_node_of(first), regs);
	else
		ret_addr = rethook_return_slow(regs, frame);
	preempt_enable_notrace();

	return ret_addr;
}

#endif /* _LINUX_RETHOOK_HIT_H */
