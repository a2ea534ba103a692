// SPDX-License-Identifier: GPL-2.0
/*
 * The nodes of return hooks: where they come from, and how they become more.
 *
 * An objpool has as many nodes as it was made with. So a hook that may grow has
 * a list of pools, the newest first. Half of each pool's nodes is set aside.
 * When all pools are empty, what was set aside serves, and a worker makes
 * another pool that is as large as all before it together, half of it set aside
 * again. So there are always nodes for the time that this takes.
 *
 * In front of the pools, each CPU keeps the node that came home last, and takes
 * it first: most calls return before the next one comes. Others take it only
 * when there is no other.
 *
 * Any other goes home to its own pool. So does what was set aside, when it has
 * been used: it is taken once only, hence the list needs no lock.
 */
#include <linux/bits.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/rethook.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "rethook_pool.h"

/* A hook with so many nodes grows no more: that is no sleeping, but a leak. */
#define RETHOOK_MAX_NODES	BIT(18)

/* Guards the lists of pools against the worker. */
static DEFINE_SPINLOCK(rethook_pools_lock);

/* The hooks that want to grow. */
static LLIST_HEAD(rethook_growing);

static void rethook_put(struct rethook *rh)
{
	if (refcount_dec_and_test(&rh->ref))
		kfree(rh);
}

static int rethook_init_node(void *obj, void *data)
{
	struct rethook_node *node = obj;

	node->pool = data;
	node->rethook = node->pool->rethook;
	return 0;
}

static int rethook_pool_release(struct objpool_head *pool, void *data)
{
	struct rethook_pool *rp = data;
	struct rethook *rh = rp->rethook;

	if (rp != &rh->first)
		kfree(rp);
	rethook_put(rh);
	return 0;
}

/* From each CPU's part the same, so that none has to go to others for its own. */
static void rethook_set_aside(struct rethook_pool *rp, int spare)
{
	struct rethook_node *node;
	int cpu = -1;

	while (spare--) {
		cpu = cpumask_next_wrap(cpu, cpu_possible_mask, -1, 1);
		node = __objpool_try_get_slot(&rp->pool, cpu);
		if (!node)
			continue;
		node->llist.next = rp->spare;
		rp->spare = &node->llist;
	}
}

/* The pool holds a reference to its hook, which the caller has taken. */
static int rethook_pool_init(struct rethook_pool *rp, struct rethook *rh,
			     int num, int spare)
{
	int ret;

	rp->rethook = rh;
	/* The caller is told; the console need not be. */
	ret = objpool_init(&rp->pool, num, rh->size, GFP_KERNEL | __GFP_NOWARN,
			   rp, rethook_init_node, rethook_pool_release);
	if (!ret)
		rethook_set_aside(rp, spare);
	return ret;
}

static void rethook_pool_fini(struct rethook_pool *rp)
{
	struct llist_node *pos = rp->spare, *next;

	for (; pos; pos = next) {
		next = pos->next;
		objpool_push(container_of(pos, struct rethook_node, llist),
			     &rp->pool);
	}
	objpool_fini(&rp->pool);
}

/**
 * rethook_new() - make a return hook with one pool
 * @data: handed to the handler
 * @handler: called when a hooked function returns
 * @size: bytes of a node
 * @num: how many nodes
 * @spare: how many of them to set aside
 *
 * Context: process context, may sleep.
 * Return: the hook, ERR_PTR(-EINVAL) or ERR_PTR(-ENOMEM).
 */
struct rethook *rethook_new(void *data, rethook_handler_t handler, int size,
			    int num, int spare)
{
	struct rethook *rh;
	int ret;

	if (!handler || num <= 0 || size < (int)sizeof(struct rethook_node))
		return ERR_PTR(-EINVAL);

	rh = kzalloc(sizeof(*rh), GFP_KERNEL);
	if (!rh)
		return ERR_PTR(-ENOMEM);
	rh->data = data;
	rh->handler = handler;
	rh->size = size;
	rh->pools = &rh->first;
	rh->start = &rh->first;
	refcount_set(&rh->ref, 1);
	ret = -ENOMEM;
	rh->last = alloc_percpu(struct rethook_node *);
	if (rh->last)
		ret = rethook_pool_init(&rh->first, rh, num, spare);
	if (!ret)
		return rh;
	free_percpu(rh->last);
	kfree(rh);
	return ERR_PTR(ret);
}

/* Bytes that objpool takes for each CPU; and it takes pages. */
static size_t rethook_pool_size(int num, int size)
{
	int each = DIV_ROUND_UP(num, num_possible_cpus());

	return sizeof(struct objpool_slot) +
	       roundup_pow_of_two(num) * sizeof(void *) +
	       each * ALIGN(size, sizeof(long));
}

/**
 * rethook_round_up() - how many nodes to begin with
 * @num: at least so many
 * @size: bytes of a node
 *
 * Return: half as many again as @num, or more while they cost no memory.
 */
int rethook_round_up(int num, int size)
{
	int step = DIV_ROUND_UP(num, 2), all = num + step;

	while (rethook_pool_size(all + step, size) <= PAGE_SIZE)
		all += step;
	return all;
}

/* Nobody takes nodes any more, or brings one here. */
static void rethook_free_last(struct rethook *rh)
{
	struct rethook_node *node;
	int cpu;

	for_each_possible_cpu(cpu) {
		node = *per_cpu_ptr(rh->last, cpu);
		if (node)
			objpool_push(node, &node->pool->pool);
	}
	free_percpu(rh->last);
}

/**
 * rethook_pools_free() - let go of the nodes of a hook
 * @rh: a hook that has been stopped, and a grace period has passed
 *
 * Context: any but hard interrupts.
 */
void rethook_pools_free(struct rethook *rh)
{
	struct rethook_pool *rp, *next;

	spin_lock_bh(&rethook_pools_lock);
	rp = rh->pools;
	rh->pools = NULL;
	spin_unlock_bh(&rethook_pools_lock);

	rethook_free_last(rh);
	/* The hook goes with the last one. */
	for (; rp; rp = next) {
		next = rp->next;
		rethook_pool_fini(rp);
	}
}

/* False if the hook was stopped; then perhaps nobody looks for its pools. */
static bool rethook_add_pool(struct rethook *rh, struct rethook_pool *rp,
			     unsigned int num)
{
	bool wanted;

	spin_lock_bh(&rethook_pools_lock);
	wanted = READ_ONCE(rh->handler);
	if (wanted) {
		rp->next = rh->pools;
		WRITE_ONCE(rh->total, rh->total + num);
		/* Hits find the pool complete. */
		smp_store_release(&rh->pools, rp);
		/* By both ways. */
		smp_store_release(&rh->start, rp);
	}
	spin_unlock_bh(&rethook_pools_lock);
	return wanted;
}

static void rethook_grow(struct rethook *rh)
{
	struct rethook_pool *rp = kzalloc(sizeof(*rp), GFP_KERNEL);
	int num = rh->total;

	if (!rp)
		return;
	refcount_inc(&rh->ref);
	if (rethook_pool_init(rp, rh, num, num / 2)) {
		kfree(rp);
		rethook_put(rh);
	} else if (!rethook_add_pool(rh, rp, num)) {
		rethook_pool_fini(rp);
	}
}

/* Without memory for it, the next one who finds all pools empty asks again. */
static void rethook_grow_fn(struct work_struct *work)
{
	struct llist_node *list = llist_del_all(&rethook_growing);
	struct rethook *rh, *next;

	llist_for_each_entry_safe(rh, next, list, grow) {
		rethook_grow(rh);
		/* From here on it may be queued again. */
		smp_store_release(&rh->grows, 0);
		rethook_put(rh);
	}
}

static DECLARE_WORK(rethook_grow_work, rethook_grow_fn);

static void rethook_grow_irq(struct irq_work *work)
{
	queue_work(system_highpri_wq, &rethook_grow_work);
}

static DEFINE_IRQ_WORK(rethook_grow_irq_work, rethook_grow_irq);

/* No work can be queued from where this is called: an NMI, the scheduler. */
static void rethook_ask_to_grow(struct rethook *rh)
{
	if (READ_ONCE(rh->total) >= RETHOOK_MAX_NODES ||
	    READ_ONCE(rh->grows) || xchg(&rh->grows, 1))
		return;
	/* Whoever calls keeps the hook for as long as this takes. */
	refcount_inc(&rh->ref);
	if (llist_add(&rh->grow, &rethook_growing))
		irq_work_queue(&rethook_grow_irq_work);
}

NOKPROBE_SYMBOL(rethook_ask_to_grow);

/*
 * A node that is taken is never put back here. So if the first is still the
 * same, so is the one behind it.
 */
static struct rethook_node *rethook_take_spare(struct rethook_pool *rp)
{
	struct llist_node *first = READ_ONCE(rp->spare);

	while (first) {
		if (try_cmpxchg(&rp->spare, &first, READ_ONCE(first->next)))
			return container_of(first, struct rethook_node, llist);
	}
	return NULL;
}

NOKPROBE_SYMBOL(rethook_take_spare);

/* What other CPUs keep for their next call. */
static struct rethook_node *rethook_take_last(struct rethook *rh)
{
	struct rethook_node **last, *node;
	int cpu;

	for_each_possible_cpu(cpu) {
		last = per_cpu_ptr(rh->last, cpu);
		node = READ_ONCE(*last) ? xchg(last, NULL) : NULL;
		if (node)
			return node;
	}
	return NULL;
}

NOKPROBE_SYMBOL(rethook_take_last);

static __flatten struct rethook_node *rethook_get_grown(struct rethook *rh)
{
	struct rethook_pool *pools = READ_ONCE(rh->pools), *rp;
	struct rethook_node *node;

	for (rp = pools; rp; rp = rp->next) {
		node = objpool_pop(&rp->pool);
		if (node) {
			WRITE_ONCE(rh->start, rp);
			return node;
		}
	}
	rethook_ask_to_grow(rh);
	for (rp = pools; rp; rp = rp->next) {
		node = rethook_take_spare(rp);
		if (node)
			return node;
	}
	return NULL;
}

NOKPROBE_SYMBOL(rethook_get_grown);

/**
 * rethook_get_slow() - take a node, this CPU having none at hand
 * @rh: a return hook
 *
 * Context: as rethook_try_get().
 * Return: a node or NULL.
 */
__flatten struct rethook_node *rethook_get_slow(struct rethook *rh)
{
	struct rethook_node *node = objpool_pop(&READ_ONCE(rh->start)->pool);

	/* Without @total it is fixed: there are no other pools. */
	if (!node && READ_ONCE(rh->total))
		node = rethook_get_grown(rh);
	return node ?: rethook_take_last(rh);
}

NOKPROBE_SYMBOL(rethook_get_slow);
