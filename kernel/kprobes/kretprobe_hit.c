// SPDX-License-Identifier: GPL-2.0
/*
 * What runs at a hit of a return probe: at the call and, on top of rethook, at the
 * return. The other engine, kretprobe_stack.c, has its own part for that.
 */
#include <linux/atomic.h>
#include <linux/build_bug.h>
#include <linux/export.h>
#include <linux/sched.h>

#include "kretprobe.h"
#include "stats.h"

/* Atomic, since several CPUs may miss a call at a time. */
static void kretprobe_missed(struct kretprobe *rp)
{
	BUILD_BUG_ON(sizeof(rp->nmissed) != sizeof(atomic_t));
	raw_atomic_inc((atomic_t *)&rp->nmissed);
	kprobe_count_miss_at(rp->kp.addr, KPROBE_MISS_INSTANCE);
}

NOKPROBE_SYMBOL(kretprobe_missed);

/*
 * The entry handler is called last, when there is an instance: so a return that
 * it wants to be hooked is hooked.
 */
static noinline int kretprobe_enter(struct kretprobe_instance *ri,
				    struct kretprobe *rp, struct pt_regs *regs)
{
	ri->rp = rp;
	ri->task = current;
	if (rp->entry_handler && rp->entry_handler(ri, regs))
		kretprobe_put(ri);
	else
		kretprobe_hook(ri, regs, kprobe_ftrace(&rp->kp));
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_enter);

/* There is no instance in the cache of this CPU. */
static noinline int kretprobe_enter_slow(struct kretprobe *rp,
					 struct pt_regs *regs)
{
	struct kretprobe_instance *ri = kretprobe_get(rp);

	if (likely(ri))
		return kretprobe_enter(ri, rp, regs);
	/* No miss if the kretprobe is being unregistered. */
	if (!kretprobe_stopped(rp))
		kretprobe_missed(rp);
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_enter_slow);

/**
 * kretprobe_pre_handler() - hook the return of the function being entered
 * @p: the kprobe of a kretprobe
 * @regs: the registers at the entry
 *
 * Context: any, preemption disabled.
 * Return: 0, the function goes on.
 */
int kretprobe_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);
	struct kretprobe_instance *ri = kretprobe_get_cached(rp);

	if (unlikely(!ri))
		return kretprobe_enter_slow(rp, regs);
	if (rp->entry_handler)
		return kretprobe_enter(ri, rp, regs);
	ri->rp = rp;
	ri->task = current;
	kretprobe_hook(ri, regs, kprobe_ftrace(p));
	return 0;
}

NOKPROBE_SYMBOL(kretprobe_pre_handler);

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/**
 * kretprobe_return() - call the return handler, for rethook
 * @node: the node that an instance begins with
 * @data: the kretprobe
 * @ret_addr: where the function returns to
 * @regs: the registers at the return of the function
 *
 * Context: any, preemption disabled.
 */
void kretprobe_return(struct rethook_node *node, void *data,
		      unsigned long ret_addr, struct pt_regs *regs)
{
	struct kretprobe_instance *ri;

	ri = container_of(node, struct kretprobe_instance, node);
	kretprobe_call_handler(data, ri, regs);
}

NOKPROBE_SYMBOL(kretprobe_return);

/*
 * Documented with its declaration. Unregistration stops the hook first, and
 * then waits for a grace period. So in a handler, which runs with preemption
 * disabled, the owner is valid and never NULL.
 */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return ri->node.rethook->data;
}
EXPORT_SYMBOL_GPL(get_kretprobe);
NOKPROBE_SYMBOL(get_kretprobe);
#endif /* CONFIG_KRETPROBE_ON_RETHOOK */
