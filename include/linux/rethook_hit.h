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

/* The rare cases, in rethook.c and rethook_pool.c. Preemption disabled. */
unsigned long rethook_return_slow(struct pt_regs *regs, unsigned long frame);
void rethook_push(struct rethook_node *node);
void rethook_drop(struct rethook_node *node);

/**
 * rethook_node_of() - the node of a list entry
 * @n: its &rethook_node.llist
 *
 * Return: the node.
 */
static __always_inline struct rethook_node *rethook_node_of(struct llist_node *n)
{
	return container_of(n, struct rethook_node, llist);
}

/**
 * rethook_rcu_watches() - does RCU watch this CPU?
 *
 * As rcu_is_watching(), but inline where that is a function.
 *
 * Context: preemption disabled.
 * Return: whether it does.
 */
static __always_inline bool rethook_rcu_watches(void)
{
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	return rcu_is_watching_curr_cpu();
#else
	return rcu_is_watching();
#endif
}

/**
 * rethook_get_cached() - take the node in the cache of this CPU
 * @rh: a return hook
 *
 * Context: any, preemption disabled.
 * Return: the node; NULL if rethook_try_get() has to look for one.
 */
static __always_inline
struct rethook_node *rethook_get_cached(struct rethook *rh)
{
	/* rethook_stop() clears it. What has read it before, RCU waits for. */
	if (unlikely(!READ_ONCE(rh->handler) || !rethook_rcu_watches()))
		return NULL;
	/* Other CPUs may take it at the same time: rethook_take_cached(). */
	return xchg(raw_cpu_ptr(rh->cpu_cache), NULL);
}

/**
 * __rethook_recycle() - rethook_recycle(), inline
 * @node: a node that hooks no call
 *
 * Context: any, preemption disabled.
 */
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

/**
 * __rethook_hook() - rethook_hook(), inline
 * @node: a node from rethook_try_get()
 * @regs: the registers at the entry of the function
 * @mcount: do they come from ftrace?
 *
 * Context: any, preemption disabled, on the stack that the function will
 * return on.
 */
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
	 * Pairs with program order in an unwinder in an NMI, which calls
	 * rethook_find_ret_addr(): if it finds the trampoline on the stack, it
	 * finds the node in the list.
	 */
	barrier();
	arch_rethook_prepare(node, regs, mcount);
}

/**
 * rethook_return() - call the handler of a call that was hooked once
 * @node: the newest node of the task, which is that of the call
 * @regs: the registers at the return of the function
 *
 * Context: that of the function, preemption disabled.
 * Return: the address to return to.
 */
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
	 * Pairs with program order in an unwinder in an NMI, as above: if it
	 * does not find the node in the list, it finds the address on the stack.
	 */
	barrier();
	WRITE_ONCE(current->rethooks.first, node->llist.next);
	__rethook_recycle(node);
	return ret_addr;
}

/**
 * rethook_is_call() - is the newest node of a task that of a call?
 * @first: the newest node of the task, or NULL
 * @frame: the frame of the call
 *
 * Return: whether it is, and the only one of the call.
 */
static __always_inline bool rethook_is_call(struct llist_node *first,
					    unsigned long frame)
{
	struct rethook_node *node = rethook_node_of(first);

	return first && node->frame == frame &&
	       !is_rethook_trampoline(node->ret_addr);
}

/**
 * __rethook_trampoline_handler() - rethook_trampoline_handler(), inline
 * @regs: the registers at the return of the function
 * @frame: the frame that arch_rethook_prepare() would have set for the call
 *
 * Context: that of the function; called by the architecture's trampoline.
 * Return: the address to return to.
 */
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
