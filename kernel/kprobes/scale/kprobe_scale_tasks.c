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

/* Misses of a return probe whose limit is the default, with many asleep. */
int scale_run_sleepers(void)
{
	unsigned long hits = scale_sum_hits();
	struct scale_task *t;
	int i, n, ret, warm = 0;

	t = kcalloc(SCALE_SLEEPERS, sizeof(*t), GFP_KERNEL);
	if (!t)
		return -ENOMEM;
	scale_make_return(&scale_task_rp, scale_sleep, false);
	ret = register_kretprobe(&scale_task_rp);
	if (ret)
		goto free;
	reinit_completion(&scale_wake);
	for (n = 0; n < SCALE_SLEEPERS && !ret; n++) {
		t[n].fn = scale_sleep;
		t[n].calls = 1;
		ret = scale_task_start(&t[n], -1);
		if (ret)
			break;
		usleep_range(4000, 5000);
		if (n + 1 == SCALE_WARM)
			warm = scale_task_rp.nmissed;
	}
	complete_all(&scale_wake);
	for (i = 0; i < n; i++)
		wait_for_completion(&t[i].done);
	scale_print("misses.warm", warm);
	scale_print("misses", scale_task_rp.nmissed - warm);
	scale_print_lost(hits, n - scale_task_rp.nmissed);
	unregister_kretprobe(&scale_task_rp);
free:
	kfree(t);
	return ret;
}

/* Nanoseconds of a call when @nr CPUs call one function. */
static int scale_cpus(unsigned int nr)
{
	static struct scale_task t[SCALE_CPUS];
	DECLARE_COMPLETION_ONSTACK(go);
	char figure[] = "return.cpus.1";
	unsigned int i, started;
	unsigned long hits = scale_sum_hits();
	u64 start;
	int ret = 0;

	for (started = 0; started < nr; started++) {
		t[started].fn = scale_plain;
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
	figure[sizeof(figure) - 2] = '0' + nr;
	scale_print(figure, div_u64(start, SCALE_TASK_CALLS));
	return ret;
}

int scale_run_cpus(void)
{
	unsigned int nr;
	int ret;

	scale_make_return(&scale_task_rp, scale_plain, false);
	ret = register_kretprobe(&scale_task_rp);
	if (ret)
		return ret;
	scale_await_jump(scale_task_rp.kp.addr, true);
	for (nr = 1; nr <= SCALE_CPUS && nr <= num_online_cpus() && !ret; nr *= 2)
		ret = scale_cpus(nr);
	unregister_kretprobe(&scale_task_rp);
	return ret;
}
