/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_KRETPROBE_H
#define _KPROBES_KRETPROBE_H
/*
 * What kretprobe.c needs from the engine that hooks returns. There are two:
 * kretprobe_rethook.c on top of rethook, and kretprobe_stack.c, with its pool, for
 * the architectures that bring a trampoline of kretprobes' own.
 *
 * The hit path (get, put, hook) runs in any context with preemption disabled.
 */
#include "dispatch.h"
#include "internal.h"

/*
 * kretprobe_pool_init() allocates the instances: &kretprobe.maxactive of them,
 * with &kretprobe.data_size bytes of data each. If the pool may grow, that is
 * its size at first. May sleep. Returns 0, -EINVAL or -ENOMEM.
 *
 * kretprobe_pool_stop() keeps further calls from being hooked, and the handlers
 * of hooked calls from being called. A grace period later no handler runs.
 * kretprobe_stopped() returns whether it was called.
 *
 * kretprobe_pool_free() frees the instances after that; those in use are freed
 * when their calls have returned. If the pool could grow, &kretprobe.maxactive
 * is 0 again.
 *
 * To stop or free a kretprobe without a pool, for which kretprobe_has_pool() is
 * false, does nothing. None of them is called with kprobe_mutex held, or takes a lock
 * of ours: rethook frees memory in a worker, under rethook_mutex.
 */
int kretprobe_pool_init(struct kretprobe *rp, bool grow);
void kretprobe_pool_stop(struct kretprobe *rp);
void kretprobe_pool_free(struct kretprobe *rp);

#ifdef __ARCH_WANT_KPROBE_FRAMES
/**
 * kretprobe_call_handler() - call the return handler, for an engine
 * @rp: the kretprobe
 * @ri: the instance
 * @regs: the registers at the return of the function
 *
 * A return handler is a handler like any other: it can ask for the running
 * kprobe, and a probe that it hits is a miss.
 *
 * Context: any, preemption disabled.
 */
static __always_inline void
kretprobe_call_handler(struct kretprobe *rp, struct kretprobe_instance *ri,
		       struct pt_regs *regs)
{
	if (unlikely(!rp->handler))
		return;
	if (unlikely(!kprobe_frame_enter_first(&rp->kp))) {
		kprobe_frame_push(&rp->kp);
		rp->handler(ri, regs);
		kprobe_frame_pop();
		return;
	}
	rp->handler(ri, regs);
	kprobe_frame_leave_first();
}
#else
static __always_inline void
kretprobe_call_handler(struct kretprobe *rp, struct kretprobe_instance *ri,
		       struct pt_regs *regs)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	struct kprobe *prev = kprobe_running();
	unsigned long status = kcb->kprobe_status;

	if (!rp->handler)
		return;
	kprobe_set_running(&rp->kp);
	rp->handler(ri, regs);
	/* In this order: see kprobe_set_running(). */
	__this_cpu_write(current_kprobe, prev);
	barrier();
	kcb->kprobe_status = status;
}
#endif

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
#include <linux/rethook_hit.h>

/* kretprobe_hit.c */
void kretprobe_return(struct rethook_node *node, void *data,
		      unsigned long ret_addr, struct pt_regs *regs);

/**
 * kretprobe_has_pool() - has a kretprobe instances?
 * @rp: the kretprobe
 *
 * Return: whether it has.
 */
static inline bool kretprobe_has_pool(struct kretprobe *rp)
{
	return rp->rh;
}

/**
 * kretprobe_forget_pool() - initialise the pointer to the instances
 * @rp: a kretprobe that is not registered
 */
static inline void kretprobe_forget_pool(struct kretprobe *rp)
{
	rp->rh = NULL;
}

/**
 * kretprobe_get_cached() - take the instance in the cache of this CPU
 * @rp: the kretprobe
 *
 * Context: any, preemption disabled.
 * Return: the instance; NULL if kretprobe_get() has to look for one.
 */
static __always_inline
struct kretprobe_instance *kretprobe_get_cached(struct kretprobe *rp)
{
	struct rethook_node *node = rethook_get_cached(rp->rh);

	return node ? container_of(node, struct kretprobe_instance, node) : NULL;
}

/**
 * kretprobe_get() - take an instance
 * @rp: the kretprobe
 *
 * Context: any, preemption disabled.
 * Return: an instance, or NULL if none is left or the kretprobe is stopped.
 */
static __always_inline
struct kretprobe_instance *kretprobe_get(struct kretprobe *rp)
{
	struct rethook_node *node = rethook_try_get(rp->rh);

	return node ? container_of(node, struct kretprobe_instance, node) : NULL;
}

/**
 * kretprobe_stopped() - was kretprobe_pool_stop() called?
 * @rp: the kretprobe
 *
 * Context: any, preemption disabled.
 * Return: whether it was.
 */
static __always_inline bool kretprobe_stopped(struct kretprobe *rp)
{
	return !READ_ONCE(rp->rh->handler);
}

/**
 * kretprobe_put() - put an instance back
 * @ri: an instance that hooks no call
 *
 * Context: any, preemption disabled.
 */
static __always_inline void kretprobe_put(struct kretprobe_instance *ri)
{
	__rethook_recycle(&ri->node);
}

/**
 * kretprobe_hook() - hook the return of a call
 * @ri: the instance
 * @regs: the registers at the entry of the function
 * @mcount: do they come from ftrace?
 *
 * Context: any, preemption disabled.
 */
static __always_inline void kretprobe_hook(struct kretprobe_instance *ri,
					   struct pt_regs *regs, bool mcount)
{
	__rethook_hook(&ri->node, regs, mcount);
}

#else /* !CONFIG_KRETPROBE_ON_RETHOOK */
#include <linux/irq_work_types.h>
#include <linux/objpool.h>

/**
 * struct kretprobe_holder - the owner of the instances of a kretprobe
 * @rp: the kretprobe; NULL as soon as it is being unregistered
 * @pool: the instances that are not in use
 * @rcu: delays the release until no CPU can be adding to @pool
 *
 * It is freed with its last instance, which may be after the kretprobe.
 */
struct kretprobe_holder {
	struct kretprobe *rp;
	struct objpool_head pool;
	struct rcu_head rcu;
};

/* kretprobe_stack_pool.c */
extern struct llist_head kretprobe_dropped;
extern struct irq_work kretprobe_drop_irq_work;

static inline bool kretprobe_has_pool(struct kretprobe *rp)
{
	return rp->rph;
}

static inline void kretprobe_forget_pool(struct kretprobe *rp)
{
	rp->rph = NULL;
}

static __always_inline
struct kretprobe_instance *kretprobe_get_cached(struct kretprobe *rp)
{
	return NULL;
}

/* kretprobe_stack.c */
struct kretprobe_instance *kretprobe_get(struct kretprobe *rp);
bool kretprobe_stopped(struct kretprobe *rp);
void kretprobe_put(struct kretprobe_instance *ri);
void kretprobe_hook(struct kretprobe_instance *ri, struct pt_regs *regs,
		    bool mcount);

#endif /* CONFIG_KRETPROBE_ON_RETHOOK */

#endif /* _KPROBES_KRETPROBE_H */
