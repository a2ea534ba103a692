// SPDX-License-Identifier: GPL-2.0
/*
 * How nodes are added to return hooks, and freed again. See rethook_pool.h for
 * the structure.
 *
 * A hit that leaves too few nodes free asks a worker for more. The worker adds
 * chunks: it doubles the nodes while there are few, and adds a sixteenth when
 * there are many, so that most of the memory is in use when many calls are
 * under way. Its allocations never make the OOM killer run, and take no more
 * than rethook.max_bytes for all hooks together. If there is no memory, it
 * ignores the hook for RETHOOK_PAUSE.
 *
 * A chunk from which no node was taken for rethook.idle_ms is freed, but for
 * those that the hook was made with. All nodes of such a chunk are free, so one
 * cmpxchg() of its word keeps hits from taking any.
 */
#include <linux/cleanup.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rethook_hit.h>
#include <linux/sched/signal.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "rethook_pool.h"

/* The limits that rethook_alloc() has always had. */
#define RETHOOK_MAX_NODES	BIT(24)
#define RETHOOK_MAX_SIZE	SZ_64K

/* What a hook that may grow begins with, however many CPUs there are. */
#define RETHOOK_FIRST_NODES	10
#define RETHOOK_FIRST_BYTES	SZ_16K

/* How long there is no growth for a hook that could not grow. */
#define RETHOOK_PAUSE		(HZ / 10)

/*
 * No allocation makes the OOM killer run: the memory itself because of
 * __GFP_NORETRY, the page tables of vmalloc() because __GFP_FS is missing,
 * which is all that it passes on.
 */
#define RETHOOK_GFP		(GFP_NOFS | __GFP_NORETRY | __GFP_NOWARN)

/*
 * Guards rethook_hooks, rethook_grown_bytes, and of each hook in use: @chunks,
 * @total, the tree of its directories, and the fields of chunks that no hit
 * uses.
 */
static DEFINE_MUTEX(rethook_mutex);

/* The hooks that have grown, and those that their users have freed. */
static LIST_HEAD(rethook_hooks);

/* The hooks that want to grow. */
LLIST_HEAD(rethook_grow_list);

/* The hooks that their users have freed since the worker last ran. */
static LLIST_HEAD(rethook_dying);

/* The memory of the chunks that were added after the hooks were made. */
static unsigned long rethook_grown_bytes;

#undef MODULE_PARAM_PREFIX
#define MODULE_PARAM_PREFIX "rethook."

/* ULONG_MAX until the size of the memory is known. */
unsigned long rethook_max_bytes = ULONG_MAX;
module_param_named(max_bytes, rethook_max_bytes, ulong, 0644);
MODULE_PARM_DESC(max_bytes, "memory by which all return hooks may grow");

static unsigned int rethook_idle_ms = 60 * MSEC_PER_SEC;

static int rethook_show_bytes(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%lu\n", rethook_all_bytes());
}

/* The file is read-only, but the kernel command line may set any parameter. */
static int rethook_refuse_bytes(const char *val, const struct kernel_param *kp)
{
	return -EPERM;
}

static const struct kernel_param_ops rethook_bytes_ops = {
	.set = rethook_refuse_bytes,
	.get = rethook_show_bytes,
};

module_param_cb(bytes, &rethook_bytes_ops, NULL, 0444);
MODULE_PARM_DESC(bytes, "memory of all return hooks");

static unsigned long rethook_all_of(const struct rethook_chunk *chunk)
{
	return GENMASK(chunk->num - 1, 0);
}

/* As much memory at a time as leaves little of it unused. */
static size_t rethook_chunk_room(size_t size)
{
	if (24 * size <= SZ_2K)
		return SZ_2K;
	if (10 * size <= SZ_4K)
		return SZ_4K;
	return min(max(round_down(BITS_PER_LONG * size, PAGE_SIZE), PAGE_SIZE),
		   max(PAGE_ALIGN(8 * size), (size_t)SZ_64K));
}

static unsigned int rethook_chunk_num(size_t size)
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

static size_t rethook_chunk_bytes(struct rethook *rh, unsigned int num)
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

static unsigned int rethook_step(struct rethook *rh)
{
	return max(rh->total / 16, min(rh->total, rethook_few(rh)));
}

/* How many nodes of @total should be free. */
static unsigned int rethook_reserve(struct rethook *rh, unsigned int total)
{
	return max(total / 32, min(total, rethook_few(rh)) / 2);
}

static void rethook_set_total(struct rethook *rh, unsigned int total)
{
	WRITE_ONCE(rh->total, total);
	if (rh->may_grow)
		WRITE_ONCE(rh->reserve, rethook_reserve(rh, total));
}

static struct rethook_chunk *rethook_add(struct rethook *rh, unsigned int num,
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

/* Take all nodes of a chunk from the hits; false if one is in use. */
static bool rethook_claim(struct rethook_chunk *chunk)
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

	rh->grown_bytes -= bytes;
	rethook_grown_bytes -= bytes;
}

/* Free a chunk that was claimed. Unwinders may still read its nodes. */
static void rethook_retire(struct rethook *rh, struct rethook_chunk *chunk)
{
	rethook_detach(rh, &chunk->set);
	list_del(&chunk->list);
	atomic_sub(chunk->num, &rh->nr_free);
	rethook_set_total(rh, rh->total - chunk->num);
	rethook_account(rh, -(long)chunk->bytes);
	rethook_uncount_grown(rh, chunk);
	kvfree_rcu(chunk, rcu);
}

static void rethook_retire_all(struct rethook *rh)
{
	struct rethook_chunk *chunk, *next;

	list_for_each_entry_safe(chunk, next, &rh->chunks, list) {
		if (rethook_claim(chunk))
			rethook_retire(rh, chunk);
		cond_resched();
	}
	rethook_lower(rh);
}

static void rethook_free_memory(struct rethook *rh)
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
	if (!rethook_add_rest(rh, num)) {
		free_percpu(rh->cpu_cache);
		rethook_free_memory(rh);
		return ERR_PTR(-ENOMEM);
	}
	rh->floor = rh->total;
	return rh;
}

/* Put back the nodes in the caches of all CPUs, which may be unused. */
static void rethook_empty_caches(struct rethook *rh)
{
	struct rethook_node **last, *node;
	int cpu;

	for_each_possible_cpu(cpu) {
		last = per_cpu_ptr(rh->cpu_cache, cpu);
		node = READ_ONCE(*last) ? xchg(last, NULL) : NULL;
		if (!node)
			continue;
		WRITE_ONCE(node->chunk->used, true);
		rethook_put_node(node);
	}
}

static bool rethook_is_idle(struct rethook_chunk *chunk)
{
	if (READ_ONCE(chunk->used) ||
	    atomic_long_read(&chunk->set.free) != rethook_all_of(chunk)) {
		WRITE_ONCE(chunk->used, false);
		chunk->since = jiffies;
	}
	return time_after_eq(jiffies, chunk->since +
			     msecs_to_jiffies(READ_ONCE(rethook_idle_ms)));
}

/* Keep twice the reserve, or the next hits would ask for more nodes again. */
static bool rethook_can_spare(struct rethook *rh, int num)
{
	int left = rh->total - num;

	return left >= (int)rh->floor &&
	       atomic_read(&rh->nr_free) - num >=
	       2 * (int)rethook_reserve(rh, left);
}

static void rethook_trim(struct rethook *rh)
{
	struct rethook_chunk *chunk, *next;

	rethook_empty_caches(rh);
	list_for_each_entry_safe(chunk, next, &rh->chunks, list) {
		if (rethook_is_idle(chunk) &&
		    rethook_can_spare(rh, chunk->num) && rethook_claim(chunk))
			rethook_retire(rh, chunk);
		cond_resched();
	}
	rethook_lower(rh);
}

/* Free what can be freed of a hook that its user has freed. */
static void rethook_reap(struct rethook *rh)
{
	rethook_retire_all(rh);
	/*
	 * Pairs with the full barrier of rethook_put_node(): either the last
	 * node is seen to be free here, or rethook_drop() sees that all nodes
	 * are free and wakes the worker.
	 */
	smp_mb();
	if (atomic_read(&rh->nr_free) != rh->total)
		return;
	list_del(&rh->list);
	rethook_free_memory(rh);
}

static void rethook_tick_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(rethook_tick, rethook_tick_fn);

/* The tick comes soon, for a hook that could not grow. Under rethook_mutex. */
static bool rethook_paused;

static void rethook_schedule_tick(void)
{
	unsigned long idle = msecs_to_jiffies(READ_ONCE(rethook_idle_ms));

	if (!list_empty(&rethook_hooks))
		queue_delayed_work(system_power_efficient_wq, &rethook_tick,
				   max(idle / 4, HZ / 100UL) + 1);
}

static void rethook_tick_one(struct rethook *rh)
{
	if (rh->dead) {
		rethook_reap(rh);
		return;
	}
	rethook_trim(rh);
	if (rh->blocked) {
		rh->blocked = false;
		/* Pairs with xchg() in rethook_ask_to_grow(), as above. */
		smp_store_release(&rh->growth_pending, 0);
	}
	if (rh->total == rh->floor)
		list_del_init(&rh->list);
}

static void rethook_tick_fn(struct work_struct *work)
{
	struct rethook *rh, *next;

	guard(mutex)(&rethook_mutex);
	rethook_paused = false;
	list_for_each_entry_safe(rh, next, &rethook_hooks, list)
		rethook_tick_one(rh);
	rethook_schedule_tick();
}

static bool rethook_grow_one(struct rethook *rh, unsigned int num)
{
	struct rethook_chunk *chunk;

	if (rethook_grown_bytes + rethook_chunk_bytes(rh, num) >
	    READ_ONCE(rethook_max_bytes))
		return false;
	chunk = rethook_add(rh, num, RETHOOK_GFP);
	if (!chunk)
		return false;
	rh->grown_bytes += chunk->bytes;
	rethook_grown_bytes += chunk->bytes;
	return true;
}

static bool rethook_grow(struct rethook *rh)
{
	unsigned int num = rethook_chunk_num(rh->size);
	unsigned int want = rh->total + rethook_step(rh);

	while (rh->total < want || atomic_read(&rh->nr_free) < rh->reserve) {
		if (!READ_ONCE(rh->handler) || !rethook_grow_one(rh, num))
			return false;
	}
	return true;
}

/* Schedule the tick, but not anew for each hook: others are blocked, too. */
static void rethook_pause(void)
{
	if (rethook_paused)
		return;
	rethook_paused = true;
	mod_delayed_work(system_power_efficient_wq, &rethook_tick,
			 RETHOOK_PAUSE);
}

static void rethook_answer(struct rethook *rh)
{
	if (list_empty(&rh->list))
		list_add(&rh->list, &rethook_hooks);
	if (rethook_grow(rh)) {
		/*
		 * Pairs with xchg() in rethook_ask_to_grow(): @grow_node is not
		 * used here any more when it is queued again.
		 */
		smp_store_release(&rh->growth_pending, 0);
	} else {
		rh->blocked = true;
		rethook_pause();
	}
}

/* A grace period after rethook_free(): no CPU uses the caches any more. */
static void rethook_mark_dead(struct rethook *rh)
{
	rethook_empty_caches(rh);
	free_percpu(rh->cpu_cache);
	WRITE_ONCE(rh->dead, true);
	if (list_empty(&rh->list))
		list_add(&rh->list, &rethook_hooks);
}

/*
 * A hook on rethook_dying has been put on rethook_grow_list for the last time.
 * So rethook_dying is taken first: each of its hooks that also wants to grow is
 * on the list that is taken next.
 */
static void rethook_work_fn(struct work_struct *work)
{
	struct llist_node *dying = llist_del_all(&rethook_dying);
	struct llist_node *growing = llist_del_all(&rethook_grow_list);
	struct rethook *rh, *next;

	guard(mutex)(&rethook_mutex);
	llist_for_each_entry_safe(rh, next, growing, grow_node)
		rethook_answer(rh);
	llist_for_each_entry_safe(rh, next, dying, dying_node) {
		rethook_mark_dead(rh);
		cond_resched();
	}
	list_for_each_entry_safe(rh, next, &rethook_hooks, list) {
		if (rh->dead)
			rethook_reap(rh);
	}
	rethook_schedule_tick();
}

static DECLARE_WORK(rethook_work, rethook_work_fn);

static void rethook_queue_work(struct irq_work *work)
{
	queue_work(system_highpri_wq, &rethook_work);
}

static DEFINE_IRQ_WORK(rethook_irq_work, rethook_queue_work);

/**
 * rethook_wake_worker() - have the worker look at the hooks
 *
 * Context: any.
 */
void rethook_wake_worker(void)
{
	irq_work_queue(&rethook_irq_work);
}

NOKPROBE_SYMBOL(rethook_wake_worker);

/**
 * rethook_let_go() - have a hook freed with the last of its nodes
 * @rh: a hook that has been stopped, and a grace period has passed
 *
 * Context: any but hard interrupts.
 */
void rethook_let_go(struct rethook *rh)
{
	if (llist_add(&rh->dying_node, &rethook_dying))
		queue_work(system_highpri_wq, &rethook_work);
}

/**
 * rethook_set_idle_ms() - after what time unused memory is given back
 * @ms: milliseconds
 *
 * Return: what it was before.
 */
unsigned int rethook_set_idle_ms(unsigned int ms)
{
	unsigned int old = xchg(&rethook_idle_ms, ms);

	/* The next tick may be far away. */
	mod_delayed_work(system_power_efficient_wq, &rethook_tick, 0);
	return old;
}

static int rethook_param_set_idle(const char *val, const struct kernel_param *kp)
{
	unsigned int ms;
	int ret = kstrtouint(val, 0, &ms);

	if (ret)
		return ret;
	/* The kernel command line is parsed before there are workers. */
	if (system_state < SYSTEM_RUNNING)
		rethook_idle_ms = ms;
	else
		rethook_set_idle_ms(ms);
	return 0;
}

static const struct kernel_param_ops rethook_idle_ops = {
	.set = rethook_param_set_idle,
	.get = param_get_uint,
};

module_param_cb(idle_ms, &rethook_idle_ops, &rethook_idle_ms, 0644);
MODULE_PARM_DESC(idle_ms, "milliseconds after which unused memory is given back");

static int __init rethook_init(void)
{
	if (rethook_max_bytes == ULONG_MAX)
		rethook_max_bytes = min(totalram_pages() * (PAGE_SIZE / 32),
					(unsigned long)SZ_64M);
	return 0;
}
core_initcall(rethook_init);
