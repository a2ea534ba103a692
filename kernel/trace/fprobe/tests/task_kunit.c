// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes and calls that take long, or never return.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/iopoll.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "testing.h"

#define TASK_SLEEPERS	200

/* How often a test looks for what it waits for, and how long it waits; microseconds. */
#define TASK_POLL	2000
#define TASK_PATIENCE	(20 * USEC_PER_SEC)

static struct task_struct *task_threads[TASK_SLEEPERS];

static int task_body(void *data)
{
	int (*func)(void *data) = data;

	func(NULL);
	return 0;
}

static void task_start(struct kunit *test, struct task_struct **thread,
		       int (*func)(void *data))
{
	*thread = kthread_create(task_body, func, "fptest");
	KUNIT_ASSERT_FALSE(test, IS_ERR(*thread));
	/* Once it runs, it may end, and be gone. */
	get_task_struct(*thread);
	wake_up_process(*thread);
}

static bool task_wait_for(atomic_t *what, int value)
{
	int now;

	return !read_poll_timeout(atomic_read, now, now == value, TASK_POLL, TASK_PATIENCE,
				  false, what);
}

/* Does a worker still have to add nodes that calls have asked for? */
static bool task_nodes_pending(void)
{
	int i;

	guard(mutex)(&fprobe_mutex);
	for (i = 0; i < FPROBE_CLASSES; i++) {
		if (fprobe_classes[i] && READ_ONCE(fprobe_classes[i]->growth_pending))
			return true;
	}
	return false;
}

static bool task_wait_for_nodes(void)
{
	bool pending;

	return !read_poll_timeout(task_nodes_pending, pending, !pending, TASK_POLL,
				  TASK_PATIENCE, false);
}

/*
 * One after the other: if calls come faster than the worker gets a CPU and memory, they
 * may be missed.
 */
static void task_sleep(struct kunit *test, int num)
{
	bool good = true;
	int i;

	for (i = 0; i < num; i++) {
		task_start(test, &task_threads[i], fptest_sleeper);
		/* All are started, since all will be stopped. */
		good = good && task_wait_for(&fptest_asleep, i + 1) && task_wait_for_nodes();
	}
	KUNIT_EXPECT_TRUE(test, good);
	KUNIT_EXPECT_EQ(test, num, atomic_read(&fptest_asleep));
}

static void task_end(struct task_struct **threads, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		kthread_stop(threads[i]);
		put_task_struct(threads[i]);
	}
}

static void task_wake(int num)
{
	complete_all(&fptest_wake);
	task_end(task_threads, num);
}

/* Sizes of entry data that take nodes of four classes. */
static const size_t task_sizes[] = { 0, 100, 400, 2000 };

static void task_many_of(struct kunit *test, const size_t *sizes, int num)
{
	struct fptest_probe *p[ARRAY_SIZE(task_sizes)];
	int i;

	for (i = 0; i < num; i++) {
		p[i] = fptest_alloc(test, 0);
		p[i]->fp.entry_data_size = sizes[i];
		fptest_register(test, p[i], "fptest_sleeper");
	}
	task_sleep(test, TASK_SLEEPERS);
	task_wake(TASK_SLEEPERS);
	reinit_completion(&fptest_wake);
	for (i = 0; i < num; i++) {
		KUNIT_EXPECT_EQ(test, TASK_SLEEPERS, atomic_read(&p[i]->entries));
		KUNIT_EXPECT_EQ(test, TASK_SLEEPERS, atomic_read(&p[i]->exits));
		KUNIT_EXPECT_EQ(test, 0UL, p[i]->fp.nmissed);
		unregister_fprobe(&p[i]->fp);
	}
}

/* As many calls as there are, each with its exit: of one fprobe, and of several. */
static void task_many(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(task_sizes); i++)
		task_many_of(test, &task_sizes[i], 1);
	task_many_of(test, task_sizes, 2);
}

/* The limit is kept, over all tasks. */
static void task_limit(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	p->fp.nr_maxactive = 7;
	fptest_register(test, p, "fptest_sleeper");
	task_sleep(test, 20);
	task_wake(20);
	KUNIT_EXPECT_EQ(test, 7, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 13UL, p->fp.nmissed);
}

/*
 * The fprobe goes while calls are under way, and another comes in its memory, with
 * more data: the handlers of neither are called for the old calls.
 */
static void task_reuse(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	struct fptest_probe copy = *p;

	p->fp.entry_data_size = 16;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&p->fp, "fptest_sleeper", NULL));
	fptest_guard(test, p);
	task_sleep(test, 50);
	KUNIT_EXPECT_EQ(test, 50, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&p->fp));
	memset(p, 0x55, sizeof(*p));
	*p = copy;
	p->fp.entry_data_size = 4000;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&p->fp, "fptest_sleeper", NULL));
	task_wake(50);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
	/* New calls are followed; they find nothing to wait for. */
	task_start(test, &task_threads[0], fptest_sleeper);
	task_wait_for(&p->exits, 1);
	task_end(task_threads, 1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
}

static unsigned int task_nodes_used(size_t bytes)
{
	struct rethook *nodes;

	guard(mutex)(&fprobe_mutex);
	return fprobe_nodes_class(bytes, &nodes) ? ~0U : fprobe_nodes_used(nodes);
}

/* A task that ends inside of the function gives its node back. */
static void task_killed(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	/* A class that no other fprobe uses. */
	size_t bytes = FPROBE_MAX_DATA_SIZE;
	int i;

	p->fp.entry_data_size = bytes - 1000;
	fptest_register(test, p, "fptest_killed");
	KUNIT_EXPECT_EQ(test, 0U, task_nodes_used(bytes));
	for (i = 0; i < 20; i++) {
		task_start(test, &task_threads[0], fptest_killed);
		/* A thread that is stopped before it runs does not run. */
		task_wait_for(&p->entries, i + 1);
		task_end(task_threads, 1);
	}
	KUNIT_EXPECT_EQ(test, 20, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->exits));
	/* The last of them is flushed when its task is freed. */
	for (i = 0; i < 1000 && task_nodes_used(bytes); i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, 0U, task_nodes_used(bytes));
}

static struct kunit_case task_cases[] = {
	KUNIT_CASE(task_many),
	KUNIT_CASE(task_limit),
	KUNIT_CASE(task_reuse),
	KUNIT_CASE(task_killed),
	{}
};

static struct kunit_suite task_suite = {
	.name = "fprobe_task",
	.init = fptest_init,
	.test_cases = task_cases,
};

kunit_test_suite(task_suite);
