// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the nodes of return hooks: how many there are, what they cost,
 * and that they are given back. Nothing is hooked.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/error-injection.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/rethook_hit.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>

#include "rethook_bytes.h"
#include "testing.h"

#define RPOOL_SIZE	((int)sizeof(struct kretprobe_instance))
#define RPOOL_MANY	100000
#define RPOOL_CPUS	512	/* more than the machine has */

static struct rethook_node **rpool_nodes;
static unsigned long rpool_max_bytes;
static unsigned int rpool_idle_ms;

static void rpool_handler(struct rethook_node *node, void *data,
			  unsigned long ret_addr, struct pt_regs *regs)
{
}

static void rpool_free(void *rh)
{
	rethook_free(rh);
}

static struct rethook *rpool_new(struct kunit *test, int size, int num,
				 bool may_grow)
{
	struct rethook *rh;

	if (may_grow)
		rh = rethook_alloc_growing(NULL, rpool_handler, size, num);
	else
		rh = rethook_alloc(NULL, rpool_handler, size, num);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, rpool_free, rh));
	return rh;
}

/* Returns how many there were, at most @num. */
static int rpool_take(struct rethook *rh, int num)
{
	return rethook_take_nodes(rh, rpool_nodes, num);
}

static void rpool_recycle(int num)
{
	rethook_put_nodes(rpool_nodes, num);
}

/* How many of them are not the only one at their place. */
static int rpool_wrong(int num)
{
	int i, wrong = 0;

	for (i = 0; i < num; i++)
		rpool_nodes[i]->frame = i;
	for (i = 0; i < num; i++)
		wrong += rpool_nodes[i]->frame != i;
	return wrong;
}

static int rpool_init(struct kunit *test)
{
	rpool_nodes = vmalloc(array_size(RPOOL_MANY, sizeof(*rpool_nodes)));
	rpool_max_bytes = rethook_max_bytes;
	rpool_idle_ms = rethook_set_idle_ms(60 * MSEC_PER_SEC);
	return rpool_nodes ? 0 : -ENOMEM;
}

static void rpool_exit(struct kunit *test)
{
	rethook_set_idle_ms(rpool_idle_ms);
	rethook_max_bytes = rpool_max_bytes;
	vfree(rpool_nodes);
}

/* What the hook would take with so many possible CPUs. */
static size_t rpool_bytes(struct rethook *rh, int cpus)
{
	return rh->bytes +
	       (cpus - (int)num_possible_cpus()) * sizeof(*rh->cpu_cache);
}

/* As registration asks for it: two for each possible CPU, or ten. */
static void rpool_unused(struct kunit *test)
{
	struct rethook *small = rpool_new(test, RPOOL_SIZE, 10, true);
	struct rethook *large = rpool_new(test, RPOOL_SIZE, 2 * RPOOL_CPUS, true);

	kunit_info(test, "%zu bytes with 4 CPUs, %zu with %d",
		   rpool_bytes(small, 4), rpool_bytes(large, RPOOL_CPUS),
		   RPOOL_CPUS);
	KUNIT_EXPECT_LE(test, rpool_bytes(small, 4), SZ_4K - SZ_1K);
	KUNIT_EXPECT_LE(test, rpool_bytes(large, RPOOL_CPUS), 24 * SZ_1K);
	KUNIT_EXPECT_GE(test, small->total, 15);
	KUNIT_EXPECT_GE(test, large->total, 256);
	/* Which makes more of them. */
	KUNIT_ASSERT_EQ(test, small->floor, rpool_take(small, small->floor));
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(small->floor));
	rpool_recycle(small->floor);
	rethook_await_worker(small);
	KUNIT_EXPECT_GE(test, small->total, 2 * small->floor);
}

/* What was asked for in time is there, and stays. */
static void rpool_keep(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);

	KUNIT_ASSERT_EQ(test, 0, rethook_keep(rh, 300));
	KUNIT_EXPECT_GE(test, rh->floor, 300);
	KUNIT_EXPECT_EQ(test, rh->floor, rh->total);
	/* Before the worker has run. */
	KUNIT_ASSERT_EQ(test, rh->floor, rpool_take(rh, rh->floor));
	rpool_recycle(rh->floor);
	rethook_await_worker(rh);
	KUNIT_EXPECT_GT(test, rh->total, rh->floor);
	rethook_set_idle_ms(20);
	msleep(300);
	KUNIT_EXPECT_EQ(test, rh->floor, rh->total);
	KUNIT_EXPECT_GE(test, rh->floor, 300);
}

/* All at a time; then all at home; then given back. */
static void rpool_round(struct kunit *test, int size, int num)
{
	struct rethook *rh = rpool_new(test, size, 10, true);
	size_t before = rh->bytes;

	KUNIT_ASSERT_EQ(test, num, rpool_take(rh, num));
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(num));
	kunit_info(test, "%zu bytes for each of %d nodes of %d bytes",
		   rh->bytes / num, num, size);
	/* The nodes, and a quarter. */
	KUNIT_EXPECT_LE(test, rh->bytes, (size_t)num * size * 5 / 4);
	KUNIT_EXPECT_LE(test, rpool_bytes(rh, RPOOL_CPUS),
			(size_t)num * size * 5 / 4);
	rpool_recycle(num);
	/* Nothing is idle for long enough. */
	msleep(100);
	KUNIT_EXPECT_GE(test, rh->total, num);
	rethook_set_idle_ms(50);
	KUNIT_EXPECT_TRUE(test, rethook_shrinks_to(rh, before));
	KUNIT_EXPECT_EQ(test, rh->floor, rh->total);
	/* And the second time. */
	KUNIT_EXPECT_EQ(test, 1000, rpool_take(rh, 1000));
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(1000));
	rpool_recycle(1000);
	KUNIT_EXPECT_TRUE(test, rethook_shrinks_to(rh, before));
}

static void rpool_many(struct kunit *test)
{
	BUILD_BUG_ON(RPOOL_MANY * sizeof(struct kretprobe_instance) / 4 * 5 > SZ_16M);
	rpool_round(test, RPOOL_SIZE, RPOOL_MANY);
}

static void rpool_many_with_data(struct kunit *test)
{
	static const int data[] = { 8, 100, 300, 500, 600, 1000, 2000, 4096 };
	int i;

	rethook_max_bytes = SZ_128M;
	for (i = 0; i < ARRAY_SIZE(data); i++) {
		rethook_set_idle_ms(60 * MSEC_PER_SEC);
		rpool_round(test, RPOOL_SIZE + data[i], 5000);
	}
}

/* What is in use stays, and so does what the next calls are likely to need. */
static void rpool_idle(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);
	unsigned int total;
	int i;

	KUNIT_ASSERT_EQ(test, 20000, rpool_take(rh, 20000));
	rethook_set_idle_ms(20);
	msleep(300);
	total = rh->total;
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(20000));
	/* The newer half comes home. */
	for (i = 10000; i < 20000; i++) {
		guard(preempt)();
		rethook_recycle(rpool_nodes[i]);
	}
	for (i = 0; i < 200 && READ_ONCE(rh->total) > 13000; i++)
		msleep(20);
	KUNIT_EXPECT_LE(test, rh->total, 13000);
	KUNIT_EXPECT_GE(test, atomic_read(&rh->nr_free), rh->reserve);
	KUNIT_EXPECT_GT(test, total, rh->total);
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(10000));
	rpool_recycle(10000);
}

/* Not one more and not one less than the user wants, however they are kept. */
static void rpool_fixed(struct kunit *test)
{
	static const int nums[] = { 1, 2, 36, 37, 64, 65, 1000, 4000, 90000 };
	struct rethook *rh;
	int i, j;

	for (i = 0; i < ARRAY_SIZE(nums); i++) {
		rh = rpool_new(test, RPOOL_SIZE, nums[i], false);
		for (j = 0; j < 3; j++) {
			KUNIT_EXPECT_EQ(test, nums[i],
					rpool_take(rh, min(nums[i] + 1,
							   RPOOL_MANY)));
			KUNIT_EXPECT_EQ(test, 0, rpool_wrong(nums[i]));
			KUNIT_EXPECT_EQ(test, 0, rh->growth_pending);
			rpool_recycle(nums[i]);
		}
	}
}

/* At the limit of the memory there is an exact number of nodes. */
static void rpool_limit(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);
	struct rethook *other = rpool_new(test, RPOOL_SIZE, 10, true);
	size_t before = rh->bytes;
	int taken;

	rethook_max_bytes = 0;
	KUNIT_EXPECT_EQ(test, rh->floor, rpool_take(rh, 1000));
	rpool_recycle(rh->floor);

	/* It listens again after a while. */
	rethook_max_bytes = SZ_1M;
	rethook_await_pause(rh);
	taken = rpool_take(rh, RPOOL_MANY);
	KUNIT_EXPECT_EQ(test, rh->total, taken);
	KUNIT_EXPECT_GE(test, taken, SZ_1M / RPOOL_SIZE * 9 / 10);
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(taken));
	/* A few directories are not counted. */
	KUNIT_EXPECT_LE(test, rh->bytes, before + SZ_1M + SZ_16K);
	/* It is one limit for all. */
	rethook_max_bytes = SZ_1M - SZ_16K;
	scoped_guard(preempt) {
		KUNIT_EXPECT_NULL(test, rethook_try_get(rh));
		rpool_nodes[taken] = rethook_try_get(other);
		KUNIT_EXPECT_NOT_NULL(test, rpool_nodes[taken]);
		rethook_recycle(rpool_nodes[taken]);
	}
	rpool_recycle(taken);
	KUNIT_EXPECT_EQ(test, other->floor, rpool_take(other, 1000));
	rpool_recycle(other->floor);
}

/* At the limit, a call that finds no node does not look for one on all CPUs. */
static void rpool_cheap_miss(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);
	unsigned int walks = 0, walked;
	int i, taken, cpu;

	rethook_max_bytes = 0;
	taken = rpool_take(rh, 1000);
	walked = READ_ONCE(rh->caches_empty_at);
	for (i = 0; i < 10000; i++) {
		guard(preempt)();
		KUNIT_EXPECT_NULL(test, rethook_try_get(rh));
		walks += READ_ONCE(rh->caches_empty_at) != walked;
		walked = READ_ONCE(rh->caches_empty_at);
	}
	KUNIT_EXPECT_LT(test, walks, 5000);
	/* But it does look, now and then. */
	cpu = cpumask_next(raw_smp_processor_id(), cpu_online_mask);
	cpu = cpu < nr_cpu_ids ? cpu : cpumask_first(cpu_online_mask);
	*per_cpu_ptr(rh->cpu_cache, cpu) = rpool_nodes[--taken];
	msleep(20);
	scoped_guard(preempt) {
		struct rethook_node *node = rethook_try_get(rh);

		KUNIT_EXPECT_PTR_EQ(test, rpool_nodes[taken], node);
		if (node)
			rethook_recycle(node);
	}
	rpool_recycle(taken);
}

/* The hook goes while nodes are away; what comes home goes before the rest. */
static void rpool_lifetime(struct kunit *test)
{
	unsigned long before, before_one;
	struct rethook *rh;

	rethook_set_idle_ms(20);
	before = rethook_settled_bytes();
	rh = rethook_alloc_growing(NULL, rpool_handler, RPOOL_SIZE, 10);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	before_one = rethook_all_bytes();
	KUNIT_EXPECT_EQ(test, before + rh->bytes, before_one);
	KUNIT_ASSERT_EQ(test, 5000, rpool_take(rh, 5000));
	rethook_free(rh);
	KUNIT_EXPECT_GE(test, rethook_settled_bytes(), before + 5000 * RPOOL_SIZE);
	/* All but one of those that were added. */
	swap(rpool_nodes[0], rpool_nodes[4999]);
	KUNIT_EXPECT_PTR_NE(test, rpool_nodes[0]->chunk, rh->first);
	for (int i = 1; i < 5000; i++) {
		guard(preempt)();
		rethook_recycle(rpool_nodes[i]);
	}
	before_one += 3 * SZ_2K;
	KUNIT_EXPECT_LE(test, rethook_settled_bytes(), before_one);
	KUNIT_EXPECT_GT(test, rethook_all_bytes(), before);
	scoped_guard(preempt)
		rethook_recycle(rpool_nodes[0]);
	KUNIT_EXPECT_EQ(test, before, rethook_settled_bytes());
}

#ifdef CONFIG_FUNCTION_ERROR_INJECTION
static atomic_t rpool_good;

/* After so many allocations that succeed, all fail. */
static int rpool_fail(struct kprobe *kp, struct pt_regs *regs)
{
	if (atomic_dec_if_positive(&rpool_good) >= 0)
		return 0;
	regs_set_return_value(regs, 0);
	override_function_with_return(regs);
	return 1;
}

static struct kprobe rpool_fail_kp = {
	.pre_handler = rpool_fail,
};

static void rpool_fail_end(void *unused)
{
	unregister_kprobe(&rpool_fail_kp);
}

static void rpool_fail_after(struct kunit *test, int good)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);
	size_t before = rh->bytes;
	int taken;

	atomic_set(&rpool_good, good);
	rpool_fail_kp.addr = ktest_entry(rethook_zalloc);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&rpool_fail_kp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, rpool_fail_end,
							   NULL));
	taken = rpool_take(rh, 4000);
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(taken));
	KUNIT_EXPECT_LT(test, taken, 4000);
	KUNIT_EXPECT_EQ(test, rh->total, taken);
	/* One directory, which is of no use without a second chunk. */
	if (good < 2)
		KUNIT_EXPECT_EQ(test, before, rh->bytes);
	KUNIT_EXPECT_LE(test, rh->bytes, before + good * SZ_2K);
	kunit_release_action(test, rpool_fail_end, NULL);
	rpool_recycle(taken);

	/* All is well when there is memory. */
	rethook_await_pause(rh);
	KUNIT_EXPECT_EQ(test, 4000, rpool_take(rh, 4000));
	KUNIT_EXPECT_EQ(test, 0, rpool_wrong(4000));
	rpool_recycle(4000);
	kunit_release_action(test, rpool_free, rh);
}

/* At each point of growing, a second level of directories included. */
static void rpool_fails(struct kunit *test)
{
	unsigned long before = rethook_settled_bytes();
	int good;

	for (good = 0; good < 70; good += good == 3 ? 50 : 1)
		rpool_fail_after(test, good);
	KUNIT_EXPECT_EQ(test, before, rethook_settled_bytes());
}
#endif /* CONFIG_FUNCTION_ERROR_INJECTION */

#define RPOOL_THREADS	4
#define RPOOL_BATCH	300
#define RPOOL_ROUNDS	300

struct rpool_thread {
	struct task_struct *task;
	struct rethook *rh;
	int wrong;
	bool done;
};

static void rpool_run_round(struct rpool_thread *t, struct rethook_node **nodes)
{
	int i, n;

	for (n = 0; n < RPOOL_BATCH; n++) {
		scoped_guard(preempt)
			nodes[n] = rethook_try_get(t->rh);
		if (!nodes[n])
			break;
		nodes[n]->frame = (unsigned long)t;
	}
	cond_resched();
	for (i = 0; i < n; i++) {
		guard(preempt)();
		t->wrong += nodes[i]->frame != (unsigned long)t;
		nodes[i]->frame = 0;
		rethook_recycle(nodes[i]);
	}
}

static int rpool_thread(void *data)
{
	struct rethook_node **nodes = kmalloc_array(RPOOL_BATCH, sizeof(*nodes),
						    GFP_KERNEL);
	struct rpool_thread *t = data;
	int i;

	for (i = 0; nodes && i < RPOOL_ROUNDS; i++) {
		rpool_run_round(t, nodes);
		/* Sometimes everything is given back in between. */
		if (i % 16 == 15)
			msleep(30);
	}
	kfree(nodes);
	WRITE_ONCE(t->done, true);
	ktest_wait_for_stop();
	return !nodes;
}

/* Never do two have one node. */
static void rpool_run_threads(struct kunit *test, struct rethook *rh)
{
	static struct rpool_thread t[RPOOL_THREADS];
	int i;

	for (i = 0; i < RPOOL_THREADS; i++) {
		t[i] = (struct rpool_thread){ .rh = rh };
		t[i].task = kthread_run(rpool_thread, &t[i], "rpool/%d", i);
		KUNIT_EXPECT_FALSE(test, IS_ERR(t[i].task));
	}
	for (i = 0; i < RPOOL_THREADS; i++) {
		if (IS_ERR(t[i].task))
			continue;
		/* One that is stopped before it had a CPU would not run at all. */
		while (!READ_ONCE(t[i].done))
			msleep(20);
		KUNIT_EXPECT_EQ(test, 0, kthread_stop(t[i].task));
		KUNIT_EXPECT_EQ(test, 0, t[i].wrong);
	}
}

/*
 * Threads take and recycle as the worker adds and removes chunks and directories
 * at its fastest: no node is lost.
 */
static void rpool_race(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, true);
	size_t before = rh->bytes;

	rethook_set_idle_ms(4);
	rpool_run_threads(test, rh);
	KUNIT_EXPECT_TRUE(test, rethook_shrinks_to(rh, before));
	/* None is lost. */
	KUNIT_EXPECT_EQ(test, rh->floor, rpool_take(rh, rh->floor));
	rpool_recycle(rh->floor);
}

/* Fewer than the threads want: there are not more after that, and not fewer. */
static void rpool_race_fixed(struct kunit *test)
{
	static const int nums[] = { 1, 40, 500 };
	struct rethook *rh;
	int i;

	for (i = 0; i < ARRAY_SIZE(nums); i++) {
		rh = rpool_new(test, RPOOL_SIZE, nums[i], false);
		rpool_run_threads(test, rh);
		KUNIT_EXPECT_EQ(test, 0, rh->growth_pending);
		KUNIT_EXPECT_EQ(test, nums[i], rh->total);
		KUNIT_EXPECT_EQ(test, nums[i], rpool_take(rh, nums[i] + 1));
		KUNIT_EXPECT_EQ(test, 0, rpool_wrong(nums[i]));
		rpool_recycle(nums[i]);
	}
}

#ifdef CONFIG_CONTEXT_TRACKING_IDLE
/* As where a CPU is idle. */
static noinstr struct rethook_node *rpool_take_unwatched(struct rethook *rh, bool cached)
{
	struct rethook_node *node;

	ct_idle_enter();
	instrumentation_begin();
	node = cached ? rethook_get_cached(rh) : rethook_try_get(rh);
	instrumentation_end();
	ct_idle_exit();
	return node;
}

/* RCU would not wait for what is hooked there. */
static void rpool_unwatched(struct kunit *test)
{
	struct rethook *rh = rpool_new(test, RPOOL_SIZE, 10, false);
	struct rethook_node *node, *unwatched, *uncached;
	unsigned long flags;
	int nr;

	if (IS_ENABLED(CONFIG_RCU_EQS_DEBUG))
		kunit_skip(test, "RCU warns of a task that is not the idle task");
	local_irq_save(flags);
	node = rethook_try_get(rh);
	if (node)
		__rethook_recycle(node);
	unwatched = rpool_take_unwatched(rh, false);
	uncached = rpool_take_unwatched(rh, true);
	local_irq_restore(flags);
	KUNIT_ASSERT_NOT_NULL(test, node);
	KUNIT_EXPECT_NULL(test, unwatched);
	KUNIT_EXPECT_NULL(test, uncached);
	nr = rpool_take(rh, 20);
	KUNIT_EXPECT_EQ(test, 10, nr);
	rpool_recycle(nr);
}
#endif

static struct kunit_case rethook_pool_cases[] = {
	KUNIT_CASE(rpool_unused),
	KUNIT_CASE(rpool_keep),
	KUNIT_CASE(rpool_many),
	KUNIT_CASE(rpool_many_with_data),
	KUNIT_CASE(rpool_idle),
	KUNIT_CASE(rpool_fixed),
	KUNIT_CASE(rpool_limit),
	KUNIT_CASE(rpool_cheap_miss),
#ifdef CONFIG_CONTEXT_TRACKING_IDLE
	KUNIT_CASE(rpool_unwatched),
#endif
	KUNIT_CASE(rpool_lifetime),
#ifdef CONFIG_FUNCTION_ERROR_INJECTION
	KUNIT_CASE(rpool_fails),
#endif
	KUNIT_CASE(rpool_race),
	KUNIT_CASE(rpool_race_fixed),
	{}
};

static struct kunit_suite rethook_pool_suite = {
	.name = "rethook_pool",
	.init = rpool_init,
	.exit = rpool_exit,
	.test_cases = rethook_pool_cases,
};

kunit_test_suite(rethook_pool_suite);
