// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of return probes whose instances are added as they are needed.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/vmalloc.h>
#include <linux/wait.h>

#include "../kretprobe.h"
#include "rethook_bytes.h"
#include "testing.h"

#define KGROW_TASKS	200
/* As many threads as there may be with the large stacks of a debug kernel. */
#define KGROW_MANY	(IS_ENABLED(CONFIG_KASAN) ? 4000 : 10000)

static DECLARE_WAIT_QUEUE_HEAD(kgrow_wait);
static atomic_t kgrow_inside = ATOMIC_INIT(0);
static atomic_t kgrow_entries = ATOMIC_INIT(0);
static atomic_t kgrow_returns = ATOMIC_INIT(0);
static bool kgrow_awake;

/* The functions that are probed. */
static noinline __noclone int kgrow_sleep(int x)
{
	atomic_inc(&kgrow_inside);
	wait_event_idle(kgrow_wait, READ_ONCE(kgrow_awake));
	atomic_dec(&kgrow_inside);
	return x + 1;
}

static noinline __noclone int kgrow_recurse(int depth)
{
	int below = depth ? kgrow_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

static int kgrow_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kgrow_entries);
	return 0;
}

static int kgrow_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kgrow_returns);
	return 0;
}

static struct task_struct **kgrow_tasks;
static struct kretprobe *kgrow_rp;

static int kgrow_task(void *data)
{
	return kgrow_sleep(1) == 2 ? 0 : -1;
}

/*
 * Sleep in the function, each task in a call of its own. A few at a time: who
 * makes more instances may have to wait for a CPU, and there are not so many
 * of the largest in the meantime.
 */
static void kgrow_fall_asleep(struct kunit *test, int num)
{
	int i;

	WRITE_ONCE(kgrow_awake, false);
	for (i = 0; i < num; i++) {
		struct task_struct *t = kthread_create(kgrow_task, NULL,
						       "kgrow/%d", i);

		if (IS_ERR(t))
			break;
		kgrow_tasks[i] = get_task_struct(t);
		wake_up_process(t);
		if (i % 4 < 3)
			continue;
		while (atomic_read(&kgrow_inside) <= i ||
		       (READ_ONCE(kgrow_rp->rh->growth_pending) &&
			!READ_ONCE(kgrow_rp->rh->blocked)))
			usleep_range(500, 1000);
	}
	KUNIT_EXPECT_EQ(test, num, i);
	while (atomic_read(&kgrow_inside) < i)
		usleep_range(500, 1000);
}

/* Returns how many got a wrong result from the function. */
static int kgrow_wake(void)
{
	int i, wrong = 0;

	WRITE_ONCE(kgrow_awake, true);
	wake_up_all(&kgrow_wait);
	for (i = 0; i < KGROW_MANY && kgrow_tasks[i]; i++) {
		wrong += kthread_stop(kgrow_tasks[i]) != 0;
		put_task_struct(kgrow_tasks[i]);
		kgrow_tasks[i] = NULL;
	}
	return wrong;
}

static void kgrow_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

static struct kretprobe *kgrow_register(struct kunit *test, void *func,
					int maxactive, size_t data_size)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->kp.addr = ktest_entry(func);
	rp->entry_handler = kgrow_entry;
	rp->handler = kgrow_return;
	rp->maxactive = maxactive;
	rp->data_size = data_size;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test,
							   kgrow_unregister,
							   rp));
	kgrow_rp = rp;
	return rp;
}

static void kgrow_reset(void)
{
	atomic_set(&kgrow_entries, 0);
	atomic_set(&kgrow_returns, 0);
}

static int kgrow_init(struct kunit *test)
{
	kgrow_reset();
	kgrow_tasks = vzalloc(array_size(KGROW_MANY, sizeof(*kgrow_tasks)));
	return kgrow_tasks ? 0 : -ENOMEM;
}

static void kgrow_exit(struct kunit *test)
{
	vfree(kgrow_tasks);
}

/* Once through: @num tasks sleep at a time, and all come back. */
static void kgrow_round(struct kunit *test, int num)
{
	kgrow_fall_asleep(test, num);
	KUNIT_EXPECT_EQ(test, 0, kgrow_wake());
}

/* As many as there are, and the second time without more memory. */
static void kgrow_sleepers(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);
	unsigned int first = rp->rh->total, grown;

	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, KGROW_TASKS, atomic_read(&kgrow_entries));
	KUNIT_EXPECT_EQ(test, KGROW_TASKS, atomic_read(&kgrow_returns));
	grown = rp->rh->total;
	KUNIT_EXPECT_GT(test, grown, first);
	KUNIT_EXPECT_GE(test, grown, KGROW_TASKS);

	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 2 * KGROW_TASKS, atomic_read(&kgrow_returns));
	KUNIT_EXPECT_LE(test, rp->rh->total, 2 * grown);
}

/*
 * A small machine may not have so many threads. At boot it may have twice as many as
 * this limit says, and some are there already.
 */
static int kgrow_number(void)
{
	return min_t(unsigned long, KGROW_MANY, rlimit(RLIMIT_NPROC) * 3 / 2);
}

/* Each is followed, each costs an instance and a quarter, and it is given back. */
static void kgrow_many(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);
	size_t before = rp->rh->bytes;
	int many = kgrow_number();
	unsigned int idle;

	kgrow_fall_asleep(test, many);
	kunit_info(test, "%zu bytes, %zu for each of %d that sleep", before,
		   rp->rh->bytes / many, many);
	KUNIT_EXPECT_LE(test, rp->rh->bytes,
			many * 5 / 4 * sizeof(struct kretprobe_instance));
	KUNIT_EXPECT_EQ(test, 0, kgrow_wake());
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, many, atomic_read(&kgrow_returns));
	idle = rethook_set_idle_ms(50);
	KUNIT_EXPECT_TRUE(test, rethook_shrinks_to(rp->rh, before));
	KUNIT_EXPECT_EQ(test, rp->rh->floor, rp->rh->total);
	rethook_set_idle_ms(idle);
}

/* A limit on the memory makes misses of calls, and each is counted. */
static void kgrow_no_memory(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);
	unsigned long max_bytes = rethook_max_bytes;
	int room = rp->rh->total, i;

	rethook_max_bytes = 0;
	kgrow_round(test, KGROW_TASKS);
	rethook_max_bytes = max_bytes;
	KUNIT_EXPECT_EQ(test, room, rp->rh->total);
	KUNIT_EXPECT_EQ(test, KGROW_TASKS - room, rp->nmissed);
	KUNIT_EXPECT_EQ(test, room, atomic_read(&kgrow_returns));
	/* That is over when there is memory again. */
	for (i = 0; i < 1000 && READ_ONCE(rp->rh->growth_pending); i++)
		msleep(20);
	kgrow_reset();
	rp->nmissed = 0;
	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, KGROW_TASKS, atomic_read(&kgrow_returns));
}

/* The largest instances, of which few are made at a time. */
static void kgrow_large(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, -1,
					      KRETPROBE_MAX_DATA_SIZE);

	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, KGROW_TASKS, atomic_read(&kgrow_returns));
}

/* What the user says is the limit is the limit. */
static void kgrow_limit(struct kunit *test)
{
	static const int limits[] = { 1, 10, KGROW_TASKS - 1, KGROW_TASKS };
	struct kretprobe *rp;
	int i;

	for (i = 0; i < ARRAY_SIZE(limits); i++) {
		kgrow_reset();
		rp = kgrow_register(test, kgrow_sleep, limits[i], 0);
		kgrow_round(test, KGROW_TASKS);
		KUNIT_EXPECT_EQ(test, KGROW_TASKS - limits[i], rp->nmissed);
		KUNIT_EXPECT_EQ(test, limits[i], atomic_read(&kgrow_returns));
		KUNIT_EXPECT_EQ(test, limits[i], rp->maxactive);
		KUNIT_EXPECT_EQ(test, limits[i], rp->rh->total);
		unregister_kretprobe(rp);
	}
}

/* Taken at once, and without a pause: what there is from the beginning. */
static void kgrow_recursion(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_recurse, 0, 0);
	int first = rp->rh->total;

	KUNIT_EXPECT_GE(test, first, rp->maxactive);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, first, kgrow_recurse(first - 1));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, first, atomic_read(&kgrow_returns));
	/* That was a sign, and the worker has seen it. */
	while (READ_ONCE(rp->rh->growth_pending))
		usleep_range(500, 1000);
	KUNIT_EXPECT_GE(test, (int)rp->rh->total, 2 * first);
	kgrow_recurse(2 * first - 1);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 3 * first, atomic_read(&kgrow_returns));
}

/* Registered a second time it has no limit either. */
static void kgrow_again(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);

	unregister_kretprobe(rp);
	KUNIT_EXPECT_EQ(test, 0, rp->maxactive);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, KGROW_TASKS, atomic_read(&kgrow_returns));
}

/*
 * Unregistered while all sleep: they return undisturbed, and with the last of
 * them goes the last of the memory.
 */
static void kgrow_lifetime(struct kunit *test)
{
	unsigned long before = rethook_settled_bytes();
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);

	kgrow_fall_asleep(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	unregister_kretprobe(rp);
	KUNIT_EXPECT_GE(test, rethook_settled_bytes(), before + KGROW_TASKS *
					sizeof(struct kretprobe_instance));
	KUNIT_EXPECT_EQ(test, 0, kgrow_wake());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kgrow_returns));
	KUNIT_EXPECT_EQ(test, before, rethook_settled_bytes());
}

/* Unregistered while the worker is at it, or is about to be. */
static void kgrow_race(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_recurse, 0, 0);
	int i;

	for (i = 0; i < 20; i++) {
		KUNIT_EXPECT_EQ(test, 50, kgrow_recurse(49));
		KUNIT_EXPECT_EQ(test, 50, atomic_read(&kgrow_entries) +
					  rp->nmissed);
		unregister_kretprobe(rp);
		kgrow_reset();
		rp->maxactive = 0;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	}
}

static struct kunit_case kretprobe_grow_cases[] = {
	KUNIT_CASE(kgrow_sleepers),
	KUNIT_CASE(kgrow_many),
	KUNIT_CASE(kgrow_no_memory),
	KUNIT_CASE(kgrow_large),
	KUNIT_CASE(kgrow_limit),
	KUNIT_CASE(kgrow_recursion),
	KUNIT_CASE(kgrow_again),
	KUNIT_CASE(kgrow_lifetime),
	KUNIT_CASE(kgrow_race),
	{}
};

static struct kunit_suite kretprobe_grow_suite = {
	.name = "kretprobe_grow",
	.init = kgrow_init,
	.exit = kgrow_exit,
	.test_cases = kretprobe_grow_cases,
};

kunit_test_suite(kretprobe_grow_suite);
