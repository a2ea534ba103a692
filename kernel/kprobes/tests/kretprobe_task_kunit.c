// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of return probes: calls by many tasks at a time, tasks that end
 * inside of a call, and how long what they hold lives.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>

#include "../kretprobe.h"
#include "testing.h"
#ifdef CONFIG_RETHOOK
#include "rethook_bytes.h"
#endif

static atomic_t ktask_returns;

static int ktask_count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&ktask_returns);
	return 0;
}

static void ktask_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

/* Hook @func with one instance, until the end of the test. */
static struct kretprobe *ktask_hook(struct kunit *test, void *func)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->kp.addr = ktest_entry(func);
	rp->handler = ktask_count;
	rp->maxactive = 1;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ret = kunit_add_action_or_reset(test, ktask_unregister, rp);
	KUNIT_ASSERT_EQ(test, 0, ret);
	return rp;
}

static int ktask_init(struct kunit *test)
{
	atomic_set(&ktask_returns, 0);
	return 0;
}

#define KTASK_THREADS	4
#define KTASK_LOOPS	10000

struct ktask_thread {
	struct completion done;
	int (*func)(int x);
	int wrong;
};

static noinline __noclone int ktask_slow(int x)
{
	int i;

	for (i = 0; i < 50; i++)
		cpu_relax();
	if (!(x % 64))
		schedule();
	return x + 1;
}

static noinline __noclone int ktask_next(int x)
{
	barrier();
	return x + 1;
}

static __nocfi int ktask_thread_func(void *data)
{
	struct ktask_thread *t = data;
	int i;

	for (i = 0; i < KTASK_LOOPS; i++)
		t->wrong += t->func(i) != i + 1;
	complete(&t->done);
	return 0;
}

/* Call @func from many threads at a time. */
static void ktask_run_threads(struct kunit *test, int (*func)(int x))
{
	struct ktask_thread *t;
	int i;

	t = kunit_kcalloc(test, KTASK_THREADS, sizeof(*t), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, t);
	for (i = 0; i < KTASK_THREADS; i++) {
		t[i].func = func;
		init_completion(&t[i].done);
		KUNIT_EXPECT_FALSE(test, IS_ERR(kthread_run(ktask_thread_func,
							    &t[i], "kret/%d",
							    i)));
	}
	for (i = 0; i < KTASK_THREADS; i++) {
		wait_for_completion(&t[i].done);
		KUNIT_EXPECT_EQ(test, 0, t[i].wrong);
	}
}

/* With too few instances for all CPUs, each call is either seen or counted. */
static void ktask_concurrent(struct kunit *test)
{
	struct kretprobe *rp = ktask_hook(test, ktask_slow);

	ktask_run_threads(test, ktask_slow);
	KUNIT_EXPECT_EQ(test, KTASK_THREADS * KTASK_LOOPS,
			atomic_read(&ktask_returns) + rp->nmissed +
			(int)rp->kp.nmissed);
	KUNIT_EXPECT_GT(test, atomic_read(&ktask_returns), 0);
}

/* With none at all, all CPUs count at a time, and none loses a call. */
static void ktask_all_missed(struct kunit *test)
{
	struct kretprobe *rp = ktask_hook(test, ktask_next);
	struct kretprobe_instance *ri;

	scoped_guard(preempt)
		ri = kretprobe_get(rp);
	KUNIT_ASSERT_NOT_NULL(test, ri);
	ktask_run_threads(test, ktask_next);
	scoped_guard(preempt)
		kretprobe_put(ri);
	KUNIT_EXPECT_EQ(test, KTASK_THREADS * KTASK_LOOPS, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ktask_returns));
	ktask_next(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&ktask_returns));
}

static bool ktask_stay;

static noinline __noclone int ktask_exit(struct completion *done)
{
	if (!READ_ONCE(ktask_stay))
		kthread_complete_and_exit(done, 0);
	barrier();
	return 0;
}

static int ktask_exit_func(void *data)
{
	return ktask_exit(data);
}

static bool ktask_instance_free(struct kretprobe *rp)
{
	struct kretprobe_instance *ri;

	guard(preempt)();
	ri = kretprobe_get(rp);
	if (ri)
		kretprobe_put(ri);
	return ri;
}

/* A dead task is taken apart after a grace period. */
static bool ktask_wait_free(struct kretprobe *rp)
{
	int i;

	for (i = 0; i < 500; i++) {
		if (ktask_instance_free(rp))
			return true;
		rcu_barrier();
		msleep(20);
	}
	return false;
}

/* Tasks that end inside of the function give their instances back. */
static void ktask_task_exit(struct kunit *test)
{
	struct kretprobe *rp = ktask_hook(test, ktask_exit);
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;
	int i;

	for (i = 0; i < 5; i++) {
		reinit_completion(&done);
		task = kthread_run(ktask_exit_func, &done, "ktask_exit/%d", i);
		KUNIT_ASSERT_FALSE(test, IS_ERR(task));
		wait_for_completion(&done);
		KUNIT_ASSERT_TRUE(test, ktask_wait_free(rp));
	}
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ktask_returns));
}

/* What has no return hooks has no figure for their memory, either: it has time to settle. */
#ifdef CONFIG_RETHOOK
static unsigned long ktask_bytes(void)
{
	return rethook_settled_bytes();
}
#else
static unsigned long ktask_bytes(void)
{
	rcu_barrier();
	msleep(50);
	rcu_barrier();
	return 0;
}
#endif

/* Likewise with a probe that is unregistered before: its memory is freed with the last. */
static void ktask_unregister_before_exit(struct kunit *test)
{
	unsigned long before = ktask_bytes();
	struct kretprobe *rp = ktask_hook(test, ktask_exit);
	DECLARE_COMPLETION_ONSTACK(done);
	struct task_struct *task;
	int i;

	task = kthread_run(ktask_exit_func, &done, "ktask_exit");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	wait_for_completion(&done);
	unregister_kretprobe(rp);
	for (i = 0; i < 100 && ktask_bytes() != before; i++)
		;
	KUNIT_EXPECT_EQ(test, before, ktask_bytes());
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&ktask_returns));
}

#ifdef CONFIG_RETHOOK
static void ktask_rethook_handler(struct rethook_node *node, void *data,
				  unsigned long ret_addr, struct pt_regs *regs)
{
}

static struct rethook *ktask_try(rethook_handler_t handler, int size, int num)
{
	struct rethook *rh = rethook_alloc(NULL, handler, size, num);

	if (IS_ERR(rh))
		return rh;
	rethook_free(rh);
	return NULL;
}

static void ktask_rethook_args(struct kunit *test)
{
	rethook_handler_t handler = ktask_rethook_handler;
	int size = sizeof(struct rethook_node);
	struct rethook_node *node;
	struct rethook *rh;

	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ktask_try(NULL, size, 1)));
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ktask_try(handler, 0, 1)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			PTR_ERR(ktask_try(handler, size - 1, 1)));
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ktask_try(handler, size, 0)));
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR(ktask_try(handler, size, -1)));
	KUNIT_EXPECT_NULL(test, ktask_try(handler, size, 1));

	/* One node; none when it is out; none when the hook is stopped. */
	rh = rethook_alloc(NULL, handler, size, 1);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	scoped_guard(preempt) {
		node = rethook_try_get(rh);
		KUNIT_EXPECT_NOT_NULL(test, node);
		KUNIT_EXPECT_NULL(test, rethook_try_get(rh));
		rethook_recycle(node);
		rethook_stop(rh);
		KUNIT_EXPECT_NULL(test, rethook_try_get(rh));
	}
	rethook_free(rh);
}

static void ktask_recycle(struct rethook_node *node)
{
	guard(preempt)();
	rethook_recycle(node);
}

/* A hook that is freed waits for its nodes, and for nothing else. */
static void ktask_rethook_lifetime(struct kunit *test)
{
	unsigned long before = rethook_settled_bytes(), bytes;
	struct rethook_node *node[3] = {};
	struct rethook *rh;
	int i;

	rh = rethook_alloc(NULL, ktask_rethook_handler, sizeof(**node), 5);
	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	bytes = rethook_all_bytes();
	KUNIT_EXPECT_GT(test, bytes, before);
	for (i = 0; i < ARRAY_SIZE(node); i++) {
		guard(preempt)();
		node[i] = rethook_try_get(rh);
		KUNIT_EXPECT_NOT_NULL(test, node[i]);
	}
	rethook_free(rh);
	for (i = 0; i < 100 && !READ_ONCE(rh->dead); i++)
		msleep(20);
	KUNIT_EXPECT_TRUE(test, rh->dead);
	for (i = 0; i < ARRAY_SIZE(node); i++) {
		KUNIT_EXPECT_EQ(test, 2 + i, atomic_read(&rh->nr_free));
		KUNIT_EXPECT_EQ(test, bytes, rethook_settled_bytes());
		ktask_recycle(node[i]);
	}
	KUNIT_EXPECT_EQ(test, before, rethook_settled_bytes());
}
#endif /* CONFIG_RETHOOK */

static struct kunit_case kretprobe_task_cases[] = {
	KUNIT_CASE(ktask_concurrent),
	KUNIT_CASE(ktask_all_missed),
	KUNIT_CASE(ktask_task_exit),
	KUNIT_CASE(ktask_unregister_before_exit),
#ifdef CONFIG_RETHOOK
	KUNIT_CASE(ktask_rethook_args),
	KUNIT_CASE(ktask_rethook_lifetime),
#endif
	{}
};

static struct kunit_suite kretprobe_task_suite = {
	.name = "kretprobe_task",
	.init = ktask_init,
	.test_cases = kretprobe_task_cases,
};

kunit_test_suite(kretprobe_task_suite);

MODULE_DESCRIPTION("KUnit tests of return probes and tasks");
MODULE_LICENSE("GPL");
