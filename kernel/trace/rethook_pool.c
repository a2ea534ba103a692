// SPDX-License-Identifier: GPL-2.0
/*
 * How hits take the nodes of return hooks and put them back: in any context,
 * NMI included, so without locks. See rethook_pool.h for the structure.
 *
 * In front of it, each CPU has a cache for the node that it put back last, and
 * takes that one first: most calls return before the next one is made. Other
 * CPUs take it only if there is no other. A node for which the cache has no
 * room is put back into its chunk.
 */
#include <linux/atomic.h>
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rethook_hit.h>
#include <linux/smp.h>

#include "rethook_pool.h"

/* How often to search again when there should be a node. */
#define RETHOOK_RETRIES		3

/**
 * rethook_show() - let searches find what is free here
 * @set: a chunk or a directory with a free node below it
 *
 * The caller has set a bit of @set with a full barrier behind it. It pairs with
 * that of rethook_hide(): either this function sees that a bit above is cleared,
 * or rethook_hide() sees the bit below.
 *
 * Context: any, preemption disabled.
 */
void rethook_show(struct rethook_set *set)
{
	struct rethook_dir *up;

	while ((up = READ_ONCE(set->up))) {
		unsigned long bit = BIT(set->index);

		if (!(raw_atomic_long_read(&up->set.free) & bit))
			raw_atomic_long_fetch_or(bit, &up->set.free);
		set = &up->set;
	}
}

NOKPROBE_SYMBOL(rethook_show);

/**
 * rethook_hide() - keep searches from a child without a free node
 * @dir: the directory
 * @index: which child
 *
 * If the child has got a free node in the meantime, or there is another child
 * in its place by now, the bit is set again.
 *
 * Context: any, preemption disabled.
 */
void rethook_hide(struct rethook_dir *dir, unsigned int index)
{
	struct rethook_set *child;

	/*
	 * A full barrier; pairs with those of rethook_show() and
	 * rethook_attach().
	 */
	raw_atomic_long_fetch_andnot(BIT(index), &dir->set.free);
	child = READ_ONCE(dir->child[index]);
	if (child && raw_atomic_long_read(&child->free))
		rethook_show(child);
}

NOKPROBE_SYMBOL(rethook_hide);

static __always_inline struct rethook_set *
rethook_search_below(struct rethook_set *set, unsigned long free)
{
	struct rethook_dir *dir = rethook_dir_of(set);
	unsigned int index = __ffs(free);
	struct rethook_set *child = READ_ONCE(dir->child[index]);

	if (child)
		return child;
	rethook_hide(dir, index);
	return set;
}

static __always_inline struct rethook_set *
rethook_search_above(struct rethook_set *set)
{
	struct rethook_dir *up = READ_ONCE(set->up);

	if (!up)
		return NULL;
	rethook_hide(up, set->index);
	return &up->set;
}

/* CPUs begin to search far enough from each other: see &rethook.stride. */
static __always_inline unsigned int
rethook_choose(struct rethook *rh, struct rethook_chunk *chunk, unsigned long free)
{
	unsigned int from = raw_smp_processor_id() * rh->stride % chunk->num;
	unsigned long near = free & (~0UL << from);

	return __ffs(near ?: free);
}

/*
 * The bit is the whole state of a free node, so it does not matter whether the
 * node was taken and put back since @free was read.
 */
static __always_inline struct rethook_node *
rethook_take_from(struct rethook *rh, struct rethook_set *set, long free)
{
	struct rethook_chunk *chunk = rethook_chunk_of(set);
	unsigned int i = rethook_choose(rh, chunk, free);

	if (!raw_atomic_long_try_cmpxchg(&set->free, &free, free & ~BIT(i)))
		return NULL;
	if (!READ_ONCE(chunk->used))
		WRITE_ONCE(chunk->used, true);
	raw_atomic_dec(&rh->nr_free);
	return (void *)chunk->nodes + i * rh->size;
}

static struct rethook_node *rethook_search(struct rethook *rh)
{
	struct rethook_set *set = READ_ONCE(rh->root);
	struct rethook_node *node;
	unsigned long free;

	while (set) {
		free = raw_atomic_long_read(&set->free);
		if (!free) {
			set = rethook_search_above(set);
		} else if (set->level) {
			set = rethook_search_below(set, free);
		} else {
			node = rethook_take_from(rh, set, free);
			if (node)
				return node;
		}
	}
	return NULL;
}

NOKPROBE_SYMBOL(rethook_search);

/*
 * Take a node from the cache of any CPU. A hook that may grow does not depend
 * on these, so for it the caches are searched in vain once a jiffy at most.
 */
static struct rethook_node *rethook_take_cached(struct rethook *rh)
{
	unsigned int now = jiffies;
	struct rethook_node **last, *node;
	int cpu;

	if (rh->may_grow && READ_ONCE(rh->caches_empty_at) == now)
		return NULL;
	for_each_possible_cpu(cpu) {
		last = per_cpu_ptr(rh->cpu_cache, cpu);
		node = READ_ONCE(*last) ? xchg(last, NULL) : NULL;
		if (node)
			return node;
	}
	WRITE_ONCE(rh->caches_empty_at, now);
	return NULL;
}

NOKPROBE_SYMBOL(rethook_take_cached);

/*
 * By an irq_work, since this may be an NMI, or called in the scheduler. A CPU that goes
 * down cannot: the next call on another CPU asks.
 */
static void rethook_ask_to_grow(struct rethook *rh)
{
	if (READ_ONCE(rh->growth_pending) || !cpu_online(raw_smp_processor_id()) ||
	    xchg(&rh->growth_pending, 1))
		return;
	if (llist_add(&rh->grow_node, &rethook_grow_list))
		rethook_wake_worker();
}

NOKPROBE_SYMBOL(rethook_ask_to_grow);

/**
 * rethook_get_slow() - take a node where this CPU's cache is empty
 * @rh: a return hook
 *
 * Context: as rethook_try_get().
 * Return: a node or NULL.
 */
struct rethook_node *rethook_get_slow(struct rethook *rh)
{
	struct rethook_node *node;
	int i = 0;

	do {
		node = rethook_search(rh);
		/* rethook_hide() may be under way on another CPU. */
	} while (!node && raw_atomic_read(&rh->nr_free) > 0 &&
		 ++i <= RETHOOK_RETRIES);
	/* @nr_free may be negative: a node is taken before it was counted. */
	if (rh->may_grow &&
	    raw_atomic_read(&rh->nr_free) < READ_ONCE(rh->reserve))
		rethook_ask_to_grow(rh);
	if (!node)
		node = rethook_take_cached(rh);
	/* Nodes may have moved from the caches to their chunks meanwhile. */
	if (!node && !rh->may_grow)
		node = rethook_search(rh);
	return node;
}

NOKPROBE_SYMBOL(rethook_get_slow);

/**
 * rethook_put_node() - put a node back into its chunk
 * @node: a node that hooks no call
 *
 * Context: any, preemption disabled.
 * Return: how many nodes of the hook are free now.
 */
int rethook_put_node(struct rethook_node *node)
{
	struct rethook_chunk *chunk = node->chunk;
	struct rethook *rh = node->rethook;
	unsigned int offset = (char *)node - chunk->nodes;
	unsigned int i = offset / rh->size;

	/*
	 * Full barriers. The first pairs with try_cmpxchg() in
	 * rethook_take_from(): the node is not used here any more. And with
	 * that of rethook_hide(), see rethook_show(). The last one pairs with
	 * smp_mb() in rethook_reap().
	 */
	raw_atomic_long_fetch_or(BIT(i), &chunk->set.free);
	rethook_show(&chunk->set);
	return raw_atomic_inc_return(&rh->nr_free);
}

NOKPROBE_SYMBOL(rethook_put_node);

/**
 * rethook_push() - put back a node where this CPU's cache has one already
 * @node: a node that hooks no call
 *
 * Context: any, preemption disabled.
 */
void rethook_push(struct rethook_node *node)
{
	rethook_put_node(node);
}

NOKPROBE_SYMBOL(rethook_push);

/**
 * rethook_drop() - put back a node of a hook that was stopped
 * @node: a node that hooks no call
 *
 * With the last one the hook can be freed, but not from here: this may be an
 * NMI. It is not freed while preemption is disabled. rethook_reap() has the
 * other half of this.
 *
 * Context: any, preemption disabled.
 */
noinline void rethook_drop(struct rethook_node *node)
{
	struct rethook *rh = node->rethook;
	int nr_free = rethook_put_node(node);

	if (READ_ONCE(rh->dead) && nr_free == READ_ONCE(rh->total))
		rethook_wake_worker();
}

NOKPROBE_SYMBOL(rethook_drop);
