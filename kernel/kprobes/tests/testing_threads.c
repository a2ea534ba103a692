// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites share: threads that call functions.
 */
#include <linux/array_size.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/mutex.h>
#include <linux/processor.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "testing.h"

/**
 * ktest_wait_for_stop() - end a thread no earlier than kthread_stop() asks for it
 *
 * A thread that has ended by itself may be gone when it is to be stopped.
 */
void ktest_wait_for_stop(void)
{
	while (!kthread_should_stop())
		msleep(20);
}

/**
 * ktest_keep_cpu() - keep a test on its CPU
 * @there: filled with another CPU; that there is one online, the test has checked
 *
 * Each case has a thread of its own, which ends with it: so nothing has to be undone.
 *
 * Return: the test's CPU.
 */
unsigned int ktest_keep_cpu(unsigned int *there)
{
	unsigned int here = raw_smp_processor_id();

	set_cpus_allowed_ptr(current, cpumask_of(here));
	*there = cpumask_any_but(cpu_online_mask, here);
	return here;
}

static __nocfi int ktest_caller_fn(void *arg)
{
	struct ktest_caller *c = arg;
	int x;

	while (!kthread_should_stop()) {
		x = c->calls & 0xffff;
		c->wrong += c->fn(x) != x + 1;
		WRITE_ONCE(c->calls, c->calls + 1);
		/* The optimizer waits until every task was seen elsewhere. */
		if (c->calls % 8 == 0)
			usleep_range(100, 200);
	}
	return 0;
}

/**
 * ktest_caller_stop() - end the calls; what was counted stays
 * @c: the thread
 */
void ktest_caller_stop(struct ktest_caller *c)
{
	if (c->task)
		kthread_stop(c->task);
	c->task = NULL;
}

static void ktest_caller_end(void *c)
{
	ktest_caller_stop(c);
}

/**
 * ktest_caller_start() - have a function called all the time
 * @test: the test, at whose end that ends, too
 * @fn: the function
 */
struct ktest_caller *ktest_caller_start(struct kunit *test, int (*fn)(int x))
{
	struct ktest_caller *c = kunit_kzalloc(test, sizeof(*c), GFP_KERNEL);
	struct task_struct *task;

	KUNIT_ASSERT_NOT_NULL(test, c);
	c->fn = fn;
	task = kthread_run(ktest_caller_fn, c, "ktest_caller");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	c->task = task;
	ktest_set_at_end(test, ktest_caller_end, c);
	return c;
}

/**
 * struct ktest_call - a call that threads make
 * @fn: what they call
 * @arg: with what
 * @begun: how many of the threads run: one that is stopped before it had a CPU never would
 */
struct ktest_call {
	int (*fn)(void *arg);
	void *arg;
	atomic_t begun;
};

static int ktest_call_fn(void *data)
{
	struct ktest_call *c = data;
	int ret;

	atomic_inc(&c->begun);
	ret = c->fn(c->arg);
	ktest_wait_for_stop();
	return ret;
}

/**
 * ktest_call_by_two() - have two threads make a call that wants kprobe_mutex
 * @fn: the call
 * @arg: its argument
 *
 * Both wait for the mutex before either has it.
 *
 * Return: the sum of what they return; 1 for a thread that could not be made.
 */
int ktest_call_by_two(int (*fn)(void *arg), void *arg)
{
	struct ktest_call call = { .fn = fn, .arg = arg };
	struct task_struct *tasks[2];
	int i, begun = 0, sum = 0;

	mutex_lock(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(tasks); i++) {
		tasks[i] = kthread_run(ktest_call_fn, &call, "ktest_call/%d", i);
		begun += !IS_ERR(tasks[i]);
	}
	do {
		msleep(20);
	} while (atomic_read(&call.begun) < begun);
	mutex_unlock(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(tasks); i++)
		sum += IS_ERR(tasks[i]) ? 1 : kthread_stop(tasks[i]);
	return sum;
}

#define KTEST_HELD_SECONDS	5

/**
 * ktest_held_wait() - keep the CPU, in a handler, until ktest_held_go()
 * @h: the call
 *
 * A task that was preempted on this CPU may hold a lock without which the test cannot come
 * to ktest_held_go(). And a change of the clock source is a stop_machine(): it stops the
 * other CPUs, the test's too, and waits for this one. So this does not wait for ever.
 */
void ktest_held_wait(struct ktest_held *h)
{
	unsigned long end = jiffies + KTEST_HELD_SECONDS * HZ;

	/* No data goes with any of the flags. */
	WRITE_ONCE(h->inside, true);
	while (!READ_ONCE(h->go_on) && time_before(jiffies, end))
		cpu_relax();
	WRITE_ONCE(h->gave_up, !READ_ONCE(h->go_on));
}

static __nocfi int ktest_held_fn(void *data)
{
	struct ktest_held *h = data;
	int ret = h->fn(1);

	ktest_wait_for_stop();
	return ret;
}

/**
 * ktest_held_start() - call a function on a CPU, and come back when it is in the handler
 * @test: the test, which has enabled interrupts in the handler, and another CPU
 * @h: the call, with the function; all else is 0
 * @cpu: the CPU
 */
void ktest_held_start(struct kunit *test, struct ktest_held *h, unsigned int cpu)
{
	h->task = kthread_run_on_cpu(ktest_held_fn, h, cpu, "ktest_held/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(h->task));
	while (!READ_ONCE(h->inside))
		msleep(20);
}

/**
 * ktest_held_go() - let the handler go on, and wait for the end of the call
 * @h: the call. Its &ktest_held.gave_up is valid then
 *
 * Return: what the function returned.
 */
int ktest_held_go(struct ktest_held *h)
{
	WRITE_ONCE(h->go_on, true);
	return kthread_stop(h->task);
}
