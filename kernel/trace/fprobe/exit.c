// SPDX-License-Identifier: GPL-2.0
/*
 * A call returns that fprobes wait for; and what entries and exits have in common.
 *
 * Nothing here may be traced or probed, as in entry.c.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/compiler.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/rethook_hit.h>
#include <linux/trace_recursion.h>

#include "internal.h"

/**
 * fprobe_missed() - count a miss
 * @slot: the slot of an fprobe that is alive
 * @cause: why the handler was not called
 *
 * Several CPUs may miss calls at a time.
 *
 * Context: any, preemption disabled since the fprobe was found alive.
 */
void fprobe_missed(struct fprobe_slot *slot, enum fprobe_miss cause)
{
	BUILD_BUG_ON(sizeof(slot->fp->nmissed) != sizeof(atomic_long_t));
	raw_atomic_long_inc((atomic_long_t *)&slot->fp->missed[cause]);
	raw_atomic_long_inc((atomic_long_t *)&slot->fp->nmissed);
}

NOKPROBE_SYMBOL(fprobe_missed);

/*
 * Does the architecture come to the trampoline of returns by a kprobe, in whose handler
 * this is? That keeps other kprobes out already, and no handler of a user runs.
 */
static bool fprobe_in_trampoline(void)
{
	struct kprobe *kp = kprobe_running();

	return kp && is_rethook_trampoline((unsigned long)kp->addr);
}

NOKPROBE_SYMBOL(fprobe_in_trampoline);

/**
 * fprobe_enter_shared() - may a handler be called that is disabled, or shared?
 * @slot: the slot of an fprobe that is alive
 * @flags: FPROBE_FL_DISABLED, FPROBE_FL_KPROBE_SHARED or both
 *
 * Context: any, preemption disabled.
 * Return: true if it is shared, and no handler of a kprobe runs. Call
 * fprobe_leave_shared() when it has returned.
 */
bool fprobe_enter_shared(struct fprobe_slot *slot, unsigned int flags)
{
	if (flags & FPROBE_FL_DISABLED)
		return false;
	if (fprobe_in_trampoline())
		return true;
	if (kprobe_running()) {
		fprobe_missed(slot, FPROBE_MISS_KPROBE);
		return false;
	}
	kprobe_busy_begin();
	return true;
}

NOKPROBE_SYMBOL(fprobe_enter_shared);

/**
 * fprobe_leave_shared() - undo fprobe_enter_shared()
 *
 * Context: any, preemption disabled.
 */
void fprobe_leave_shared(void)
{
	if (!fprobe_in_trampoline())
		kprobe_busy_end();
}

NOKPROBE_SYMBOL(fprobe_leave_shared);

/**
 * struct fprobe_back - a call that returns
 * @node: its node
 * @ret_ip: where it returns to
 * @regs: the registers
 */
struct fprobe_back {
	struct fprobe_node *node;
	unsigned long ret_ip;
	struct pt_regs *regs;
};

static __always_inline void fprobe_leave_exit(const struct fprobe_exit *e,
					      const struct fprobe_back *back)
{
	void *data = e->data ? (void *)back->node + e->data : NULL;
	/* The slot may have been given to another fprobe, if this one is not alive. */
	struct fprobe *fp = READ_ONCE(e->slot->fp);
	unsigned int flags;

	if (unlikely(!fprobe_alive(e->slot, e->generation)))
		return;
	/* Hide the value: else the compiler makes a call for each of its cases. */
	OPTIMIZER_HIDE_VAR(data);
	flags = READ_ONCE(fp->flags) &
		(FPROBE_FL_DISABLED | FPROBE_FL_KPROBE_SHARED);
	if (unlikely(flags) && !fprobe_enter_shared(e->slot, flags))
		return;
	OPTIMIZER_HIDE_VAR(flags);
	fp->exit_handler(fp, back->node->entry_ip, back->ret_ip, back->regs, data);
	if (unlikely(flags))
		fprobe_leave_shared();
}

/* The function was left in a handler: no exit handler is called. */
static noinline void fprobe_return_missed(struct fprobe_node *node)
{
	struct fprobe_exit *e;

	for (e = node->exit; e < node->exit + node->nr; e++) {
		if (fprobe_alive(e->slot, e->generation) &&
		    !(READ_ONCE(e->slot->fp->flags) & FPROBE_FL_DISABLED))
			fprobe_missed(e->slot, FPROBE_MISS_RECURSION);
	}
}

NOKPROBE_SYMBOL(fprobe_return_missed);

/**
 * fprobe_return() - call the exit handlers of a call, for rethook
 * @rn: the node of the call
 * @data: unused
 * @ret_ip: where the call returns to
 * @regs: the registers at the return
 *
 * Of the fprobes that share the node, the one that was registered last is called first.
 *
 * Context: that of the function, preemption disabled.
 */
void fprobe_return(struct rethook_node *rn, void *data, unsigned long ret_ip,
		   struct pt_regs *regs)
{
	struct fprobe_back back = {
		.node = container_of(rn, struct fprobe_node, node),
		.ret_ip = ret_ip,
		.regs = regs,
	};
	const struct fprobe_exit *e = back.node->exit + back.node->nr;
	int bit;

	/* Where RCU does not watch, unregister_fprobe() does not wait for this. */
	if (unlikely(!rethook_rcu_watches())) {
		raw_atomic_long_inc(&fprobe_unwatched);
		return;
	}
	bit = ftrace_test_recursion_trylock(back.node->entry_ip, ret_ip);
	if (unlikely(bit < 0)) {
		fprobe_return_missed(back.node);
		return;
	}
	while (e-- > back.node->exit)
		fprobe_leave_exit(e, &back);
	ftrace_test_recursion_unlock(bit);
}

NOKPROBE_SYMBOL(fprobe_return);
