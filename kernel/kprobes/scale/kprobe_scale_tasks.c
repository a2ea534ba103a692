// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes on functions that many tasks are in.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/sprintf.h>

#include "kprobe_scale.h"

#define SCALE_SLEEPERS	200
#define SCALE_WARM	32	/* the first ones, which do not count */
#define SCALE_CPUS	4
#define SCALE_TASK_CALLS 100000

struct scale_task {
	struct task_struct *task;
	scale_fn fn;
	unsigned int calls;
	struct completion *go;
	struct completion done;
};

static struct kretprobe scale_task_rp;

static int scale_task_fn(void *data)
{
	struct scale_task *t = data;
	unsigned int i;

	if (t->go)
		wait_for_completion(t->go);
	for (i = 0; i < t->calls; i++)
		t->fn();
	/* The module may be unloaded as soon as this is seen. */
	kthread_complete_and_exit(&t->done, 0);
}

static int scale_task_start(struct scale_task *t, int cpu)
{
	init_completion(&t->done);
	t->task = kthread_create(scale_task_fn, t, "kprobe_scale");
	if (IS_ERR(t->task))
		return PTR_ERR(t->task);
	if (cpu >= 0)
		kthread_bind(t->task, cpu);
	wake_up_process(t->task);
	return 0;
}

/* Let @nr tasks go to sleep in scale_sleep(). Return: how many have. */
static int scale_doze(struct scale_task *t, int nr)
{
	int n;

	for (n = 0; n < nr; n++) {
		t[n].fn = scale_sleep;
		t[n].calls = 1;
		if (scale_task_start(&t[n], -1))
			break;
		usleep_range(4000, 5000);
	}
	return n;
}

/**
 * scale_sleepers() - the misses of a probe on the return of scale_sleep()
 * @figure: how to name their number; with ".warm" behind that of the first calls
 * @missed: tells how many there have been
 *
 * Context: process context, sleeps while many tasks are in the function.
 * Return: 0 or an error.
 */
int scale_sleepers(const char *figure, unsigned long (*missed)(void))
{
	unsigned long hits = scale_sum_hits(), warm;
	struct scale_task *t;
	char name[32];
	int i, n;

	t = kcalloc(SCALE_SLEEPERS, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	reinit_completion(&scale_wake);
	n = scale_doze(t, SCALE_WARM);
	warm = missed();
	n += scale_doze(t + n, SCALE_SLEEPERS - n);
	complete_all(&scale_wake);
	for (i = 0; i < n; i++)
		wait_for_completion(&t[i].done);
	kfree(t);
	snprintf(name, sizeof(name), "%s.warm", figure);
	scale_print(name, warm);
	scale_print(figure, missed() - warm);
	scale_print_lost(hits, n - missed());
	return n == SCALE_SLEEPERS ? 0 : -EAGAIN;
}

static unsigned long scale_task_missed(void)
{
	return scale_task_rp.nmissed;
}

/* Misses of a return probe whose limit is the default, with many asleep. */
int scale_run_sleepers(void)
{
	int ret;

	scale_make_return(&scale_task_rp, scale_sleep, false);
	ret = register_kretprobe(&scale_task_rp);
	if (ret)
		return ret;
	ret = scale_sleepers("misses", scale_task_missed);
	unregister_kretprobe(&scale_task_rp);
	return ret;
}

/* Nanoseconds of a call when @nr CPUs call @fn. */
static int scale_cpus(const char *figure, scale_fn fn, unsigned int nr)
{
	static struct scale_task t[SCALE_CPUS];
	DECLARE_COMPLETION_ONSTACK(go);
	unsigned int i, started;
	char name[32];
	unsigned long hits = scale_sum_hits();
	u64 start;
	int ret = 0;

	for (started = 0; started < nr; started++) {
		t[started].fn = fn;
		t[started].calls = SCALE_TASK_CALLS;
		t[started].go = &go;
		ret = scale_task_start(&t[started], started);
		if (ret)
			break;
	}
	msleep(50);
	start = ktime_get_ns();
	complete_all(&go);
	for (i = 0; i < started; i++)
		wait_for_completion(&t[i].done);
	start = ktime_get_ns() - start;
	scale_print_lost(hits, (unsigned long)started * SCALE_TASK_CALLS);
	snprintf(name, sizeof(name), "%s.%u", figure, nr);
	scale_print(name, div_u64(start, SCALE_TASK_CALLS));
	return ret;
}

/**
 * scale_all_cpus() - what a call costs on one CPU, and on several at a time
 * @figure: how to name it; the number of CPUs follows
 * @fn: what is called
 *
 * Context: process context, sleeps.
 * Return: 0 or an error.
 */
int scale_all_cpus(const char *figure, scale_fn fn)
{
	unsigned int nr;
	int ret = 0;

	for (nr = 1; nr <= SCALE_CPUS && nr <= num_online_cpus() && !ret; nr *= 2)
		ret = scale_cpus(figure, fn, nr);
	return ret;
}

int scale_run_cpus(void)
{
	int ret;

	scale_make_return(&scale_task_rp, scale_plain, false);
	ret = register_kretprobe(&scale_task_rp);
	if (ret)
		return ret;
	scale_await_jump(scale_task_rp.kp.addr, true);
	ret = scale_all_cpus("return.cpus", scale_plain);
	unregister_kretprobe(&scale_task_rp);
	return ret;
}
