// SPDX-License-Identifier: GPL-2.0
/*
 * How long a static key that is switched has to wait, while probes are changed.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/delay.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/minmax.h>

#include "kprobe_scale.h"

static DEFINE_STATIC_KEY_FALSE(scale_patch_key);
static struct task_struct *scale_patcher;

/* The longest that a change of the key has taken. */
static u64 scale_patch_worst;

static void scale_patch_once(bool on)
{
	u64 start = ktime_get_ns();

	if (on)
		static_branch_enable(&scale_patch_key);
	else
		static_branch_disable(&scale_patch_key);
	scale_patch_worst = max(scale_patch_worst, ktime_get_ns() - start);
}

static int scale_patch_fn(void *unused)
{
	unsigned long n = 0;

	while (!kthread_should_stop()) {
		scale_patch_once(n++ % 2);
		usleep_range(200, 300);
		/* There is to be something that is patched. */
		if (static_branch_unlikely(&scale_patch_key))
			cond_resched();
	}
	return 0;
}

/* A thread changes a static key all the time, until "patch-off". */
int scale_run_patch(void)
{
	scale_patch_worst = 0;
	scale_patcher = kthread_run(scale_patch_fn, NULL, "kprobe_scale");
	if (!IS_ERR(scale_patcher))
		return 0;
	scale_patcher = NULL;
	return -ENOMEM;
}

int scale_run_patch_off(void)
{
	if (!scale_patcher)
		return 0;
	kthread_stop(scale_patcher);
	scale_patcher = NULL;
	scale_print("patch.worst", scale_patch_worst);
	return 0;
}
