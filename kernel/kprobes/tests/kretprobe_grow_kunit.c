// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of return probes whose instances become more as they are needed.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/wait.h>

#include "../kretprobe.h"

#define KGROW_TASKS	200

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

static struct task_struct *kgrow_tasks[KGROW_TASKS];
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
		       READ_ONCE(kgrow_rp->rh->grows))
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
	for (i = 0; i < KGROW_TASKS && kgrow_tasks[i]; i++) {
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
	rp->kp.addr = func;
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

static int kgrow_init(struct kunit *test)
{
	atomic_set(&kgrow_entries, 0);
	atomic_set(&kgrow_returns, 0);
	return 0;
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

	/* What was set aside is in the pools now. */
	kgrow_round(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 2 * KGROW_TASKS, atomic_read(&kgrow_returns));
	KUNIT_EXPECT_LE(test, rp->rh->total, 2 * grown);
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
		kgrow_init(test);
		rp = kgrow_register(test, kgrow_sleep, limits[i], 0);
		kgrow_round(test, KGROW_TASKS);
		KUNIT_EXPECT_EQ(test, KGROW_TASKS - limits[i], rp->nmissed);
		KUNIT_EXPECT_EQ(test, limits[i], atomic_read(&kgrow_returns));
		KUNIT_EXPECT_EQ(test, limits[i], rp->maxactive);
		KUNIT_EXPECT_EQ(test, 0, rp->rh->total);
		unregister_kretprobe(rp);
	}
}

/* Taken at once, and without a pause: what there is from the beginning. */
static void kgrow_recursion(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_recurse, 0, 0);
	int first = rp->rh->total;

	KUNIT_EXPECT_GE(test, first, rp->maxactive + rp->maxactive / 2);
	scoped_guard(preempt)
		KUNIT_EXPECT_EQ(test, first, kgrow_recurse(first - 1));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, first, atomic_read(&kgrow_returns));
	/* That was a sign, and the worker has seen it. */
	while (READ_ONCE(rp->rh->grows))
		usleep_range(500, 1000);
	KUNIT_EXPECT_EQ(test, 2 * first, (int)rp->rh->total);
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
 * them goes the last pool.
 */
static void kgrow_lifetime(struct kunit *test)
{
	struct kretprobe *rp = kgrow_register(test, kgrow_sleep, 0, 0);
	struct rethook *rh = rp->rh;
	int i;

	refcount_inc(&rh->ref);
	kgrow_fall_asleep(test, KGROW_TASKS);
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	unregister_kretprobe(rp);
	rcu_barrier();
	KUNIT_EXPECT_GT(test, refcount_read(&rh->ref), 2);
	KUNIT_EXPECT_EQ(test, 0, kgrow_wake());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kgrow_returns));
	for (i = 0; i < 100 && refcount_read(&rh->ref) > 1; i++) {
		msleep(20);
		rcu_barrier();
	}
	KUNIT_EXPECT_EQ(test, 1, refcount_read(&rh->ref));
	kfree(rh);
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
		kgrow_init(test);
		rp->maxactive = 0;
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	}
}

static struct kunit_case kretprobe_grow_cases[] = {
	KUNIT_CASE(kgrow_sleepers),
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
	.test_cases = kretprobe_grow_cases,
};

kunit_test_suite(kretprobe_grow_suite);
