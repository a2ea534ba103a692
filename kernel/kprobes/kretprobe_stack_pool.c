// SPDX-License-Identifier: GPL-2.0
/*
 * The instances of return probes for architectures without rethook. Hits take
 * them and put them back, see kretprobe_stack.c.
 */
#include <linux/irq_work.h>
#include <linux/objpool.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "kretprobe.h"

/* Instances that were put back after their kretprobe was unregistered. */
LLIST_HEAD(kretprobe_dropped);

static int kretprobe_init_instance(void *obj, void *data)
{
	struct kretprobe_instance *ri = obj;

	ri->rph = data;
	return 0;
}

static int kretprobe_release(struct objpool_head *pool, void *data)
{
	kfree(data);
	return 0;
}

/**
 * kretprobe_pool_init() - allocate the instances, see kretprobe.h
 * @rp: the kretprobe
 * @grow: ignored, the pool does not grow here
 *
 * Context: process context. May sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int kretprobe_pool_init(struct kretprobe *rp, bool grow)
{
	struct kretprobe_holder *rph;
	int ret;

	rph = kzalloc(sizeof(*rph), GFP_KERNEL);
	if (!rph)
		return -ENOMEM;
	rph->rp = rp;
	ret = objpool_init(&rph->pool, rp->maxactive,
			   sizeof(struct kretprobe_instance) + rp->data_size,
			   GFP_KERNEL | __GFP_NOWARN, rph,
			   kretprobe_init_instance, kretprobe_release);
	if (ret) {
		kfree(rph);
		return ret;
	}
	rp->rph = rph;
	return 0;
}

/**
 * kretprobe_pool_stop() - hook no more calls, and call no handlers
 * @rp: the kretprobe
 *
 * Context: any.
 */
void kretprobe_pool_stop(struct kretprobe *rp)
{
	if (rp->rph)
		WRITE_ONCE(rp->rph->rp, NULL);
}

/* From here on, instances that are put back are dropped. */
static void kretprobe_free_rcu(struct rcu_head *head)
{
	struct kretprobe_holder *rph;

	rph = container_of(head, struct kretprobe_holder, rcu);
	objpool_fini(&rph->pool);
}

/**
 * kretprobe_pool_free() - free the instances, some when they are put back
 * @rp: the kretprobe, stopped
 *
 * Context: process context.
 */
void kretprobe_pool_free(struct kretprobe *rp)
{
	kretprobe_pool_stop(rp);
	if (rp->rph)
		call_rcu(&rp->rph->rcu, kretprobe_free_rcu);
	rp->rph = NULL;
}

static void kretprobe_drop_rcu(struct rcu_head *head)
{
	struct kretprobe_instance *ri;

	ri = container_of(head, struct kretprobe_instance, rcu);
	objpool_drop(ri, &ri->rph->pool);
}

static void kretprobe_drop_work(struct irq_work *work)
{
	struct llist_node *list = llist_del_all(&kretprobe_dropped);
	struct kretprobe_instance *ri, *next;

	llist_for_each_entry_safe(ri, next, list, llist)
		call_rcu(&ri->rcu, kretprobe_drop_rcu);
}

/* Hard: on PREEMPT_RT, the thread for others is parked before its CPU goes down. */
struct irq_work kretprobe_drop_irq_work = IRQ_WORK_INIT_HARD(kretprobe_drop_work);
