// SPDX-License-Identifier: GPL-2.0
/*
 * Return hooks: call a handler when a function returns.
 *
 * A task's hooked calls form a list, newest first. Only the task itself and
 * the interrupts and NMIs on its stack change the list, and these restore it
 * before they return. So a plain store adds or removes calls, without a lock
 * and from any context. Other CPUs may read the list while the task sleeps.
 *
 * The code that runs at each hooked call is in linux/rethook_hit.h.
 */
#include <linux/bug.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook_hit.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>

#include "rethook_pool.h"

/**
 * rethook_alloc() - make a return hook
 * @data: handed to the handler
 * @handler: called when a hooked function returns
 * @size: bytes of a node, at least those of struct rethook_node
 * @num: how many calls may be under way at a time
 *
 * Context: process context, may sleep.
 * Return: the hook, ERR_PTR(-EINVAL) if an argument is out of range, or
 * ERR_PTR(-ENOMEM).
 */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size,
			      int num)
{
	return rethook_new(data, handler, size, num, false);
}

/**
 * rethook_alloc_growing() - make a return hook that misses no call
 * @data: handed to the handler
 * @handler: called when a hooked function returns
 * @size: bytes of a node, at least those of struct rethook_node
 * @num: how many calls are likely to be under way at a time
 *
 * There are fewer nodes at first, if @num is large. When most are in use, nodes
 * are added in the background, and freed when they have not been needed for a
 * while.
 *
 * Context: process context, may sleep.
 * Return: as rethook_alloc().
 */
struct rethook *rethook_alloc_growing(void *data, rethook_handler_t handler,
				      int size, int num)
{
	return rethook_new(data, handler, size, num, true);
}

/**
 * rethook_stop() - hook no more calls and call the handler no more
 * @rh: a return hook
 *
 * A grace period later the handler has run for the last time, and the hook does
 * not use what @data points to any more.
 *
 * Context: any.
 */
void rethook_stop(struct rethook *rh)
{
	WRITE_ONCE(rh->handler, NULL);
}

/* From here on, no CPU puts a node in its cache. */
static void rethook_free_rcu(struct rcu_head *head)
{
	rethook_let_go(container_of(head, struct rethook, rcu));
}

/**
 * rethook_free() - free a return hook
 * @rh: a return hook that will not be passed to rethook_try_get() any more
 *
 * Calls that are hooked return normally. The memory is freed when the last of
 * them has returned.
 *
 * Context: any but NMI.
 */
void rethook_free(struct rethook *rh)
{
	rethook_stop(rh);
	call_rcu(&rh->rcu, rethook_free_rcu);
}

/**
 * rethook_try_get() - take a node, to hook a call with it
 * @rh: a return hook
 *
 * Give the node to rethook_hook() or rethook_recycle() before preemption is
 * enabled again.
 *
 * Context: any, preemption disabled. rethook_free() waits for such a context
 * with RCU, so no node is given where RCU does not watch.
 * Return: a node, or NULL if none is left, or the hook is stopped, or RCU does
 * not watch.
 */
struct rethook_node *rethook_try_get(struct rethook *rh)
{
	struct rethook_node *node;

	lockdep_assert_preemption_disabled();
	node = rethook_get_cached(rh);
	if (likely(node))
		return node;
	if (!READ_ONCE(rh->handler) || !rethook_rcu_watches())
		return NULL;
	return rethook_get_slow(rh);
}

NOKPROBE_SYMBOL(rethook_try_get);

/**
 * rethook_recycle() - give a node back
 * @node: a node that hooks no call
 *
 * Context: any, preemption disabled.
 */
void rethook_recycle(struct rethook_node *node)
{
	lockdep_assert_preemption_disabled();
	__rethook_recycle(node);
}

NOKPROBE_SYMBOL(rethook_recycle);

/**
 * rethook_hook() - have the handler called when this call returns
 * @node: a node from rethook_try_get()
 * @regs: the registers at the entry of the function
 * @mcount: do they come from ftrace?
 *
 * Context: any, preemption disabled, on the stack that the function will
 * return on.
 */
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount)
{
	__rethook_hook(node, regs, mcount);
}

NOKPROBE_SYMBOL(rethook_hook);

/*
 * Of several nodes for one call, the oldest has the real return address: when
 * the others were taken, the trampoline was on the stack already.
 */
static struct rethook_node *rethook_find_last(struct llist_node *pos,
					      unsigned long frame)
{
	struct rethook_node *node;

	for (; pos; pos = READ_ONCE(pos->next)) {
		node = rethook_node_of(pos);
		if (READ_ONCE(node->frame) == frame &&
		    !is_rethook_trampoline(READ_ONCE(node->ret_addr)))
			return node;
	}
	return NULL;
}

NOKPROBE_SYMBOL(rethook_find_last);

/**
 * arch_rethook_fixup_return() - tell the trampoline where to return to
 * @regs: the registers that the trampoline saved
 * @ret_addr: the real return address
 *
 * This default is for trampolines that use what
 * rethook_trampoline_handler() returns.
 */
void __weak arch_rethook_fixup_return(struct pt_regs *regs,
				      unsigned long ret_addr)
{
}

NOKPROBE_SYMBOL(arch_rethook_fixup_return);

/*
 * Nodes of other frames in between belong to calls that will never return:
 * their stack frames have been skipped, as longjmp() does it. Their handlers
 * are not called.
 */
static void rethook_call_handlers(struct llist_node *pos,
				  struct rethook_node *last,
				  struct pt_regs *regs)
{
	unsigned long ret_addr = last->ret_addr;
	rethook_handler_t handler;
	struct rethook_node *node;

	do {
		node = rethook_node_of(pos);
		pos = pos->next;
		if (node->frame != last->frame)
			continue;
		/* For the handler, which may read it in the node. */
		WRITE_ONCE(node->ret_addr, ret_addr);
		handler = READ_ONCE(node->rethook->handler);
		if (handler)
			handler(node, node->rethook->data, ret_addr, regs);
	} while (node != last);
}

NOKPROBE_SYMBOL(rethook_call_handlers);

/* A node may be in use again as soon as it is given back. */
static void rethook_recycle_list(struct llist_node *pos, struct llist_node *end)
{
	struct llist_node *next;

	for (; pos != end; pos = next) {
		next = pos->next;
		rethook_recycle(rethook_node_of(pos));
	}
}

NOKPROBE_SYMBOL(rethook_recycle_list);

/**
 * rethook_newest_call() - which of the hooked calls of this task is the newest?
 *
 * Context: any, preemption disabled.
 * Return: the call, for rethook_forget_newer(), or NULL.
 */
struct llist_node *rethook_newest_call(void)
{
	return current->rethooks.first;
}

NOKPROBE_SYMBOL(rethook_newest_call);

/**
 * rethook_forget_newer() - give back the nodes of calls that will not return
 * @newest: what rethook_newest_call() has said before these calls
 *
 * Their handlers are not called.
 *
 * Context: as when rethook_newest_call() was called: that call, and those before it,
 * have not returned.
 */
void rethook_forget_newer(struct llist_node *newest)
{
	struct llist_node *first = current->rethooks.first;

	if (likely(first == newest))
		return;
	WRITE_ONCE(current->rethooks.first, newest);
	rethook_recycle_list(first, newest);
}

NOKPROBE_SYMBOL(rethook_forget_newer);

/*
 * A function has returned for which no call is hooked: it returned twice, or
 * on another stack. There is no address to go to, so the task ends here.
 */
static void __noreturn rethook_lost(unsigned long frame)
{
	struct llist_node *first = current->rethooks.first;
	struct rethook_node *node = first ? rethook_node_of(first) : NULL;

	WARN(1, "kretprobe BUG!: Processing kretprobe %p @ %pS: frame %lx is not hooked, the newest is %lx\n",
	     node ? node->rethook->data : NULL,
	     node ? (void *)node->ret_addr : NULL,
	     frame, node ? node->frame : 0);
	make_task_dead(SIGSEGV);
}

NOKPROBE_SYMBOL(rethook_lost);

/**
 * rethook_return_slow() - call the handlers of a call
 * @regs: the registers at the return of the function
 * @frame: the frame of the call
 *
 * For calls that were hooked more than once, and if calls before it never
 * returned.
 *
 * Context: that of the function, preemption disabled.
 * Return: the address to return to.
 */
unsigned long rethook_return_slow(struct pt_regs *regs, unsigned long frame)
{
	struct llist_head *hooks = &current->rethooks;
	struct llist_node *first, *rest;
	struct rethook_node *last;
	unsigned long ret_addr;

	first = READ_ONCE(hooks->first);
	last = rethook_find_last(first, frame);
	if (unlikely(!last))
		rethook_lost(frame);
	ret_addr = last->ret_addr;

	instruction_pointer_set(regs, ret_addr);
	rethook_call_handlers(first, last, regs);
	arch_rethook_fixup_return(regs, ret_addr);
	/* Pairs with program order in an unwinder, see rethook_return(). */
	barrier();
	rest = last->llist.next;
	WRITE_ONCE(hooks->first, rest);
	rethook_recycle_list(first, rest);
	return ret_addr;
}

NOKPROBE_SYMBOL(rethook_return_slow);

/**
 * rethook_trampoline_handler() - the part of the trampoline that is common
 * @regs: the registers at the return of the function
 * @frame: the frame that arch_rethook_prepare() would have set for the call
 *
 * Calls the handlers of the call, the newest first. They find the instruction
 * pointer of @regs at the real return address.
 *
 * Context: that of the function; called by the architecture's trampoline.
 * Return: the address to return to.
 */
unsigned long rethook_trampoline_handler(struct pt_regs *regs,
					 unsigned long frame)
{
	return __rethook_trampoline_handler(regs, frame);
}

NOKPROBE_SYMBOL(rethook_trampoline_handler);

/* Where to go on looking, after the node that was found the last time. */
static struct llist_node *rethook_resume(struct task_struct *tsk,
					 struct llist_node *last)
{
	struct llist_node *pos = READ_ONCE(tsk->rethooks.first);

	if (!last)
		return pos;
	if (tsk == current)
		return last->next;
	/* The task may have run since, and @last may be in use elsewhere. */
	while (pos && pos != last)
		pos = READ_ONCE(pos->next);
	return pos ? READ_ONCE(pos->next) : NULL;
}

NOKPROBE_SYMBOL(rethook_resume);

#ifdef CONFIG_SMP
static __always_inline bool rethook_task_stays(struct task_struct *tsk)
{
	return tsk == current || !READ_ONCE(tsk->on_cpu);
}
#else
static __always_inline bool rethook_task_stays(struct task_struct *tsk)
{
	return true;
}
#endif

/**
 * rethook_find_ret_addr() - where does a hooked call really return to?
 * @tsk: the task whose stack is unwound
 * @frame: the frame that arch_rethook_prepare() would have set for the call
 * @cur: what to pass along from one call to the next of the same walk,
 *	initialised to NULL. The walk goes from the newest call to the oldest
 *
 * The function graph tracer may have changed the return address before, after
 * or in between several hooks, so its changes are undone too.
 *
 * Another task should be asleep. If it is not (which no unwinder can rule out)
 * the result is a guess or 0, but the call is safe.
 *
 * Context: any, NMI too.
 * Return: the address, or 0 if no call is hooked there.
 */
unsigned long rethook_find_ret_addr(struct task_struct *tsk,
				    unsigned long frame,
				    struct llist_node **cur)
{
	unsigned long ret_addr = 0;
	struct rethook_node *node;
	struct llist_node *pos;
	int graph_idx = 0;

	if (WARN_ON_ONCE(!cur) || !rethook_task_stays(tsk))
		return 0;

	/* Nodes are freed, not recycled, only after a grace period. */
	preempt_disable_notrace();
	pos = rethook_resume(tsk, *cur);
	for (;;) {
		node = rethook_find_last(pos, frame);
		if (!node)
			break;
		*cur = &node->llist;
		ret_addr = ftrace_graph_ret_addr(tsk, &graph_idx,
						 READ_ONCE(node->ret_addr),
						 (unsigned long *)frame);
		if (!is_rethook_trampoline(ret_addr))
			break;
		pos = READ_ONCE(node->llist.next);
	}
	preempt_enable_notrace();

	return ret_addr;
}

NOKPROBE_SYMBOL(rethook_find_ret_addr);

/**
 * rethook_flush_task() - give back the nodes of calls that will never return
 * @tsk: a task that has run for the last time, or the idle task of a CPU that is off,
 *	which begins anew
 *
 * Context: any; the stack of the task is not unwound any more.
 */
void rethook_flush_task(struct task_struct *tsk)
{
	struct llist_node *first = tsk->rethooks.first;

	if (likely(!first))
		return;
	tsk->rethooks.first = NULL;
	preempt_disable_notrace();
	rethook_recycle_list(first, NULL);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(rethook_flush_task);
