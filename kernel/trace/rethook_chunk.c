// SPDX-License-Identifier: GPL-2.0
/*
 * The chunks of nodes that return hooks are made of: how large they are, and how
 * one is added and taken away. See rethook_pool.h for the structure, and
 * rethook_grow.c for when that is done.
 */
#include <linux/cache.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>

#include "rethook_pool.h"

/* The limits that rethook_alloc() has always had. */
#define RETHOOK_MAX_NODES	BIT(24)
#define RETHOOK_MAX_SIZE	SZ_64K

/* A kernel for older CPUs, whose lines are shorter, may run on newer ones. */
#define RETHOOK_LINE		max(L1_CACHE_BYTES, 64)

/* What a hook that may grow begins with, however many CPUs there are. */
#define RETHOOK_FIRST_NODES	10
#define RETHOOK_FIRST_BYTES	SZ_16K

/*
 * The memory of the chunks that were added after the hooks were made. Guarded by
 * rethook_mutex.
 */
unsigned long rethook_grown_bytes;

/* No more memory than as many nodes as a word has bits can fill. */
static size_t rethook_fill_room(size_t room, size_t size)
{
	while (room > sizeof(struct rethook_chunk) + BITS_PER_LONG * size)
		room /= 2;
	return room;
}

/* As much memory at a time as leaves little of it unused. */
static size_t rethook_chunk_room(size_t size)
{
	size_t room;

	if (24 * size <= SZ_2K)
		return rethook_fill_room(SZ_2K, size);
	/* There are pages of 64 KiB. */
	for (room = SZ_4K; room <= PAGE_SIZE; room *= 2) {
		if (10 * size <= room)
			return rethook_fill_room(room, size);
	}
	return min(max(round_down(BITS_PER_LONG * size, PAGE_SIZE), PAGE_SIZE),
		   max(PAGE_ALIGN(8 * size), (size_t)SZ_64K));
}

/**
 * rethook_chunk_num() - how many nodes a chunk has that is added later
 * @size: bytes of a node
 *
 * Return: the number.
 */
unsigned int rethook_chunk_num(size_t size)
{
	size_t room = rethook_chunk_room(size) - sizeof(struct rethook_chunk);

	return min(room / size, (size_t)BITS_PER_LONG);
}

static void rethook_init_chunk(struct rethook *rh, struct rethook_chunk *chunk,
			       unsigned int num)
{
	struct rethook_node *node;
	unsigned int i;

	chunk->num = num;
	chunk->since = jiffies;
	for (i = 0; i < num; i++) {
		node = (void *)chunk->nodes + i * rh->size;
		node->rethook = rh;
		node->chunk = chunk;
	}
	atomic_long_set(&chunk->set.free, rethook_all_of(chunk));
}

/**
 * rethook_chunk_bytes() - the memory of a chunk
 * @rh: the return hook
 * @num: how many nodes the chunk has
 *
 * Return: the number of bytes.
 */
size_t rethook_chunk_bytes(struct rethook *rh, unsigned int num)
{
	return rethook_size_of(sizeof(struct rethook_chunk) + num * rh->size);
}

static struct rethook_chunk *rethook_new_chunk(struct rethook *rh,
					       unsigned int num, gfp_t gfp)
{
	size_t bytes = rethook_chunk_bytes(rh, num);
	struct rethook_chunk *chunk = rethook_zalloc(bytes, gfp);

	if (!chunk)
		return NULL;
	rethook_init_chunk(rh, chunk, num);
	chunk->bytes = bytes;
	return chunk;
}

/* The most nodes that are added by doubling; half as many are the reserve. */
static unsigned int rethook_few(struct rethook *rh)
{
	return clamp(SZ_16K / rh->size, 64U, 512U);
}

/**
 * rethook_step() - by how many nodes a hook grows at a time
 * @rh: the return hook
 *
 * Return: the number.
 */
unsigned int rethook_step(struct rethook *rh)
{
	return max(rh->total / 16, min(rh->total, rethook_few(rh)));
}

/**
 * rethook_reserve() - how many nodes of a hook should be free
 * @rh: the return hook
 * @total: how many nodes it has
 *
 * Return: the number.
 */
unsigned int rethook_reserve(struct rethook *rh, unsigned int total)
{
	return max(total / 32, min(total, rethook_few(rh)) / 2);
}

static void rethook_set_total(struct rethook *rh, unsigned int total)
{
	WRITE_ONCE(rh->total, total);
	if (rh->may_grow)
		WRITE_ONCE(rh->reserve, rethook_reserve(rh, total));
}

/**
 * rethook_add() - add a chunk to a hook
 * @rh: the return hook
 * @num: how many nodes the chunk has
 * @gfp: for the memory of the chunk, and of the directories that have to be made
 *
 * Context: rethook_mutex held, or the hook is not used yet.
 * Return: the chunk, or NULL without memory.
 */
struct rethook_chunk *rethook_add(struct rethook *rh, unsigned int num,
				  gfp_t gfp)
{
	struct rethook_chunk *chunk = rethook_new_chunk(rh, num, gfp);
	struct rethook_dir *dir;

	if (!chunk)
		return NULL;
	dir = rethook_make_room(rh, gfp);
	if (!dir) {
		kvfree(chunk);
		return NULL;
	}
	rethook_account(rh, chunk->bytes);
	rethook_set_total(rh, rh->total + num);
	list_add(&chunk->list, &rh->chunks);
	atomic_add(num, &rh->nr_free);
	rethook_attach(dir, ffz(dir->full), &chunk->set);
	return chunk;
}

/**
 * rethook_claim() - take all nodes of a chunk from the hits
 * @chunk: a chunk of a hook in use
 *
 * Return: whether it was possible: false if one of the nodes is in use.
 */
bool rethook_claim(struct rethook_chunk *chunk)
{
	unsigned long all = rethook_all_of(chunk);

	return atomic_long_cmpxchg(&chunk->set.free, all, 0) == all;
}

/*
 * Any chunk counts as one that was added later: all chunks of a hook but the
 * first have one size.
 */
static void rethook_uncount_grown(struct rethook *rh,
				  const struct rethook_chunk *chunk)
{
	size_t bytes = min_t(size_t, rh->grown_bytes, chunk->bytes);

	/* A hook that could not be made is freed without rethook_mutex. */
	if (!bytes)
		return;
	rh->grown_bytes -= bytes;
	rethook_grown_bytes -= bytes;
}

/**
 * rethook_retire() - free a chunk, a grace period later
 * @rh: the return hook
 * @chunk: the chunk, which was claimed. Unwinders may still read its nodes
 *
 * Context: as rethook_add().
 */
void rethook_retire(struct rethook *rh, struct rethook_chunk *chunk)
{
	rethook_detach(rh, &chunk->set);
	list_del(&chunk->list);
	atomic_sub(chunk->num, &rh->nr_free);
	rethook_set_total(rh, rh->total - chunk->num);
	rethook_account(rh, -(long)chunk->bytes);
	rethook_uncount_grown(rh, chunk);
	kvfree_rcu(chunk, rcu);
}

/**
 * rethook_retire_all() - free all chunks of which no node is in use
 * @rh: the return hook
 *
 * Context: as rethook_add(). May sleep.
 */
void rethook_retire_all(struct rethook *rh)
{
	struct rethook_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &rh->chunks, list) {
		if (rethook_claim(chunk))
			rethook_retire(rh, chunk);
		cond_resched();
	}
	rethook_lower(rh);
}

/**
 * rethook_free_memory() - free a hook, a grace period later
 * @rh: a return hook of which no node is in use
 *
 * Context: as rethook_add(). May sleep.
 */
void rethook_free_memory(struct rethook *rh)
{
	rethook_retire_all(rh);
	rethook_account(rh, -(long)rh->bytes);
	kvfree_rcu(rh, rcu);
}

/* How many nodes are allocated with the hook; if it may grow, two kilobytes. */
static unsigned int rethook_first_num(size_t size, unsigned int num,
				      bool may_grow)
{
	size_t head = sizeof(struct rethook) + sizeof(struct rethook_chunk);
	size_t bytes = head + min(num, 16U) * size;

	if (!may_grow)
		return min(num, (unsigned int)BITS_PER_LONG);
	if (bytes > SZ_4K)
		return min(num, 16U);
	bytes = max(roundup_pow_of_two(bytes), SZ_2K);
	return min((bytes - head) / size, (size_t)BITS_PER_LONG);
}

/*
 * A CPU writes the node that it took with each call. Nodes that are so far apart have
 * no cache line in common, wherever in a line the first of them begins.
 */
static unsigned int rethook_stride(size_t size)
{
	return 1 + DIV_ROUND_UP(RETHOOK_LINE - sizeof(long), size);
}

static struct rethook *rethook_alloc_first(size_t size, unsigned int num)
{
	size_t bytes = rethook_size_of(sizeof(struct rethook) +
				       sizeof(struct rethook_chunk) +
				       num * size);
	struct rethook *rh = rethook_zalloc(bytes, GFP_KERNEL | __GFP_NOWARN);

	if (!rh)
		return NULL;
	rh->cpu_cache = alloc_percpu(struct rethook_node *);
	if (!rh->cpu_cache) {
		kvfree(rh);
		return NULL;
	}
	rh->size = size;
	rh->stride = rethook_stride(size);
	rh->first = (void *)(rh + 1);
	rh->root = &rh->first->set;
	rh->caches_empty_at = jiffies - 1;
	INIT_LIST_HEAD(&rh->chunks);
	INIT_LIST_HEAD(&rh->list);
	rethook_init_chunk(rh, rh->first, num);
	atomic_set(&rh->nr_free, num);
	rethook_account(rh, bytes +
			    num_possible_cpus() * sizeof(*rh->cpu_cache));
	return rh;
}

/*
 * Add the other nodes of a new hook, which is not used yet, so no lock is
 * needed. A user may ask for more memory than there is: no task must be killed
 * for that, and this one may be killed meanwhile.
 */
static bool rethook_add_rest(struct rethook *rh, unsigned int num)
{
	const gfp_t gfp = GFP_KERNEL | __GFP_RETRY_MAYFAIL | __GFP_NOWARN;
	unsigned int each = rethook_chunk_num(rh->size), n;

	while (rh->total < num) {
		n = rh->may_grow ? each : min(each, num - rh->total);
		if (fatal_signal_pending(current) || !rethook_add(rh, n, gfp))
			return false;
		cond_resched();
	}
	return true;
}

/**
 * rethook_keep() - have more nodes from the beginning, which stay
 * @rh: a return hook that is not used yet
 * @num: how many nodes there are to be at least
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM; then there are some of them.
 */
int rethook_keep(struct rethook *rh, unsigned int num)
{
	if (!rethook_add_rest(rh, num))
		return -ENOMEM;
	rh->floor = rh->total;
	return 0;
}

/**
 * rethook_new() - make a return hook
 * @data: handed to the handler
 * @handler: called when a hooked function returns
 * @size: bytes of a node
 * @num: how many nodes; if it may grow, how many would be good
 * @may_grow: may there be more later?
 *
 * Context: process context, may sleep.
 * Return: the hook, ERR_PTR(-EINVAL) or ERR_PTR(-ENOMEM).
 */
struct rethook *rethook_new(void *data, rethook_handler_t handler, int size,
			    int num, bool may_grow)
{
	struct rethook *rh;
	int few;

	if (!handler || num <= 0 || num > RETHOOK_MAX_NODES ||
	    size < (int)sizeof(struct rethook_node) || size > RETHOOK_MAX_SIZE)
		return ERR_PTR(-EINVAL);

	size = ALIGN(size, sizeof(long));
	few = max(RETHOOK_FIRST_BYTES / size, RETHOOK_FIRST_NODES);
	if (may_grow)
		num = min(num, few);
	rh = rethook_alloc_first(size, rethook_first_num(size, num, may_grow));
	if (!rh)
		return ERR_PTR(-ENOMEM);
	rh->data = data;
	rh->handler = handler;
	rh->may_grow = may_grow;
	rethook_set_total(rh, rh->first->num);
	if (rethook_keep(rh, num)) {
		free_percpu(rh->cpu_cache);
		rethook_free_memory(rh);
		return ERR_PTR(-ENOMEM);
	}
	return rh;
}
