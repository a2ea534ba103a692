// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a point: a task may have been preempted inside of the copy of the
 * instruction (a boosted copy runs with interrupts and preemption as they
 * were), and may come back to it at any time. So points are freed only after
 * every task has been seen elsewhere, which RCU tasks tells. That takes long;
 * nobody waits for it but a worker, which holds no lock meanwhile.
 */
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "stats.h"

/* Guards the list of points that wait. */
static DEFINE_SPINLOCK(kprobe_retire_lock);
static LIST_HEAD(kprobe_retired);

static void kprobe_free_point(struct kprobe_point *pt)
{
	kprobe_optimizer_release(pt);
	if (pt->prepared)
		arch_remove_kprobe(&pt->kp);
	kprobe_stats_free(pt);
	kfree(pt);
}

static void kprobe_retire_work_fn(struct work_struct *work)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(batch);

	spin_lock(&kprobe_retire_lock);
	list_splice_init(&kprobe_retired, &batch);
	spin_unlock(&kprobe_retire_lock);
	if (list_empty(&batch))
		return;

	/* Includes a plain grace period, for those who still hold the point. */
	synchronize_rcu_tasks();
	list_for_each_entry_safe(pt, next, &batch, gone) {
		list_del(&pt->gone);
		kprobe_free_point(pt);
		cond_resched();
	}
}

static DECLARE_WORK(kprobe_retire_work, kprobe_retire_work_fn);

/**
 * kprobe_retire_point() - free a point when nobody can be inside any more
 * @pt: a point that is in no list and no table
 *
 * Context: process context.
 */
void kprobe_retire_point(struct kprobe_point *pt)
{
	spin_lock(&kprobe_retire_lock);
	list_add_tail(&pt->gone, &kprobe_retired);
	spin_unlock(&kprobe_retire_lock);
	queue_work(system_long_wq, &kprobe_retire_work);
}

/**
 * kprobe_retire_flush() - wait until all retired points are freed
 *
 * Context: process context without kprobe_mutex. May sleep for long.
 */
void kprobe_retire_flush(void)
{
	flush_work(&kprobe_retire_work);
}
