// SPDX-License-Identifier: GPL-2.0
/*
 * When nodes are added to return hooks, and freed again. See rethook_pool.h for
 * the structure, and rethook_chunk.c for how.
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
#include <linux/irq_work.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/mutex.h>
#include <linux/rethook_hit.h>
#include <linux/sizes.h>
#include <linux/workqueue.h>

#include "rethook_pool.h"

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

/*
 * In hard interrupts on PREEMPT_RT, too: the thread for others is parked while a CPU that
 * goes down is still online.
 */
static struct irq_work rethook_irq_work = IRQ_WORK_INIT_HARD(rethook_queue_work);

/**
 * rethook_wake_worker() - have the worker look at the hooks
 *
 * Not from a CPU that goes down: it would lose the interrupt that it sends itself, and
 * the irq_work would stay queued there. The tick comes to hooks that wait to be freed.
 *
 * Context: any.
 */
void rethook_wake_worker(void)
{
	if (cpu_online(raw_smp_processor_id()))
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
