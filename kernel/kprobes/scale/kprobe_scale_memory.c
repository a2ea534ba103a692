// SPDX-License-Identifier: GPL-2.0
/*
 * What there has to be for a script to measure the memory of return probes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/sched/task.h>
#include <linux/slab.h>

#include "kprobe_scale.h"

/* So many calls by so many tasks are under way at a time. */
#define SCALE_DEEP_TASKS	2000
#define SCALE_DEEP_CALLS	10

static struct kretprobe **scale_return_list(void)
{
	struct kretprobe **list;
	unsigned int i;

	list = kvmalloc_array(SCALE_ENTRY_MAX, sizeof(*list), GFP_KERNEL);
	for (i = 0; list && i < SCALE_ENTRY_MAX; i++)
		list[i] = &scale_returns[i];
	return list;
}

/* Return probes on functions that no task calls. */
int scale_run_returns_on(void)
{
	struct kretprobe **list = scale_return_list();
	unsigned int i;
	int ret;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < SCALE_ENTRY_MAX; i++)
		scale_make_return(list[i], scale_entries[i], false);
	ret = register_kretprobes(list, SCALE_ENTRY_MAX);
	kvfree(list);
	return ret;
}

int scale_run_returns_off(void)
{
	struct kretprobe **list = scale_return_list();

	if (!list)
		return -ENOMEM;
	unregister_kretprobes(list, SCALE_ENTRY_MAX);
	kvfree(list);
	return 0;
}

static struct task_struct *scale_deep_tasks[SCALE_DEEP_TASKS];
static struct kretprobe scale_deep_rp;
static unsigned long scale_deep_hits;
static DECLARE_COMPLETION(scale_deep_end);

static int scale_deep_fn(void *data)
{
	/* The first time it is woken up, it makes its calls. */
	scale_deep(SCALE_DEEP_CALLS);
	wait_for_completion(&scale_deep_end);
	return 0;
}

/* The tasks, which have called nothing yet. */
int scale_run_deep_tasks(void)
{
	struct task_struct *t;
	unsigned int i;

	reinit_completion(&scale_deep_end);
	for (i = 0; i < SCALE_DEEP_TASKS; i++) {
		t = kthread_create(scale_deep_fn, NULL, "kprobe_scale");
		if (IS_ERR(t))
			return PTR_ERR(t);
		scale_deep_tasks[i] = get_task_struct(t);
	}
	return 0;
}

static int scale_deep_sleep(int maxactive)
{
	unsigned int i;
	int ret;

	scale_make_return(&scale_deep_rp, (scale_fn)scale_deep, false);
	scale_deep_rp.maxactive = maxactive;
	ret = register_kretprobe(&scale_deep_rp);
	if (ret)
		return ret;
	scale_deep_hits = scale_sum_hits();
	reinit_completion(&scale_wake);
	for (i = 0; i < SCALE_DEEP_TASKS; i++) {
		wake_up_process(scale_deep_tasks[i]);
		usleep_range(2000, 3000);
	}
	return 0;
}

/* They make them, and sleep. There are as many instances as it takes... */
int scale_run_deep_sleep(void)
{
	return scale_deep_sleep(0);
}

/* ... or as many as are said to be needed. */
int scale_run_deep_sleep_max(void)
{
	return scale_deep_sleep(SCALE_DEEP_TASKS * SCALE_DEEP_CALLS);
}

/* They return. The tasks stay, and so does the probe. */
int scale_run_deep_wake(void)
{
	unsigned long wanted = SCALE_DEEP_TASKS * SCALE_DEEP_CALLS;
	unsigned int i;

	complete_all(&scale_wake);
	wanted -= scale_deep_rp.nmissed;
	for (i = 0; i < 1000 && scale_sum_hits() - scale_deep_hits < wanted; i++)
		msleep(20);
	scale_print("misses.deep", scale_deep_rp.nmissed);
	scale_print_lost(scale_deep_hits, wanted);
	return 0;
}

int scale_run_deep_off(void)
{
	unsigned int i;

	unregister_kretprobe(&scale_deep_rp);
	complete_all(&scale_deep_end);
	for (i = 0; i < SCALE_DEEP_TASKS; i++) {
		kthread_stop(scale_deep_tasks[i]);
		put_task_struct(scale_deep_tasks[i]);
	}
	return 0;
}
