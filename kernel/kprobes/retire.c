// SPDX-License-Identifier: GPL-2.0
/*
 * The end of a point: a task may have been preempted inside of the copy of the
 * instruction (a boosted copy runs with interrupts and preemption as they
 * were), and may go on there at any time. So points are freed only after a
 * grace period of RCU tasks, when every task has been seen elsewhere. That
 * takes long; a worker waits for it, and holds no lock meanwhile.
 *
 * On architectures without frames, arch_remove_kprobe() may write to the probed
 * text once more. That must not happen when another point is at the address, or
 * when the text has gone. So it is called as soon as the point is disarmed, and
 * only the slot waits for the worker.
 */
#include <linux/cpu.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/workqueue.h>

#include "slots.h"
#include "stats.h"

/* Guards the list of points that wait, and how many there are. */
static DEFINE_SPINLOCK(kprobe_retire_lock);
static LIST_HEAD(kprobe_retired);
static unsigned int kprobe_retire_nr;

/*
 * How many points may wait when more are registered. RCU tasks may need minutes
 * if a kernel thread does not schedule, and a loop that registers and
 * unregisters must not use up all memory meanwhile. A point has some 500 bytes,
 * and 8 for each possible CPU. To replace ten thousand probes by others takes
 * no wait.
 */
unsigned int kprobe_retire_limit = 50000;

#ifdef __ARCH_WANT_KPROBE_FRAMES
bool kprobe_removes_early;
#else
bool kprobe_removes_early = true;
#endif

static bool kprobe_any_prepared(struct list_head *points)
{
	struct kprobe_point *pt;

	list_for_each_entry(pt, points, end) {
		if (pt->prepared)
			return true;
	}
	return false;
}

/*
 * RCU does not wait for a CPU that is on its way down or up, which still calls
 * functions that can be probed: wait until the CPU is down or up.
 */
static void kprobe_wait_for_cpus(void)
{
	cpus_read_lock();
	cpus_read_unlock();
}

/**
 * kprobe_remove_early() - remove some points where that must not wait
 * @points: linked by &kprobe_point.end; their text is as it was, and still there
 *
 * Context: process context, kprobe_mutex held. May sleep, also for a grace
 * period, where the architecture has no frames.
 */
void kprobe_remove_early(struct list_head *points)
{
	struct kprobe_point *pt;

	lockdep_assert_held(&kprobe_mutex);
	if (!kprobe_removes_early || !kprobe_any_prepared(points))
		return;
	/* Wait for the hits that still use what is removed. */
	kprobe_wait_for_cpus();
	synchronize_rcu_expedited();
	list_for_each_entry(pt, points, end) {
		if (pt->prepared)
			arch_remove_kprobe(&pt->probe);
		pt->prepared = false;
	}
}

/**
 * kprobe_wait_for_handlers() - wait until no handler runs that was found before
 *
 * Users wait for this, often for one probe after the other, so the grace period
 * is an expedited one. The CPUs have just been interrupted to see the text
 * change, so they may be interrupted once more; callers at the same time share a
 * grace period. (Where no text was changed it is expedited as well: tracefs
 * disables its probes first, and then unregisters thousands of them one by one.)
 *
 * Context: process context, without kprobe_mutex. Sleeps for a grace period, and
 * while a CPU goes down or comes up.
 */
void kprobe_wait_for_handlers(void)
{
	kprobe_wait_for_cpus();
	synchronize_rcu_expedited();
}

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
static bool kprobe_retire_slots_begin(void)
{
	return kprobe_slots_late(&kprobe_insn_slots);
}

static void kprobe_retire_slots_end(void)
{
	kprobe_slots_reap(&kprobe_insn_slots);
}
#else
static bool kprobe_retire_slots_begin(void)
{
	return false;
}

static void kprobe_retire_slots_end(void) { }
#endif

/*
 * No task is in the copies any more. But an unwinder may have looked up the
 * owner of an address that its task has left since, so the point itself is
 * freed a grace period later than its slots (see kprobe_slot_owner()).
 */
static void kprobe_free_point(struct kprobe_point *pt)
{
	kprobe_optimizer_release(pt);
	if (pt->prepared)
		arch_remove_kprobe(&pt->probe);
	kprobe_stats_free(pt);
	kfree_rcu_mightsleep(pt);
}

static void kprobe_retire_work_fn(struct work_struct *work)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(batch);

	spin_lock(&kprobe_retire_lock);
	list_splice_init(&kprobe_retired, &batch);
	spin_unlock(&kprobe_retire_lock);
	if (!kprobe_retire_slots_begin() && list_empty(&batch))
		return;

	kprobe_wait_for_cpus();
	/* Includes a plain grace period, for hits that still use the point. */
	synchronize_rcu_tasks();
	kprobe_retire_slots_end();
	list_for_each_entry_safe(pt, next, &batch, end) {
		list_del(&pt->end);
		kprobe_free_point(pt);
		spin_lock(&kprobe_retire_lock);
		kprobe_retire_nr--;
		spin_unlock(&kprobe_retire_lock);
		cond_resched();
	}
}

static DECLARE_WORK(kprobe_retire_work, kprobe_retire_work_fn);

/**
 * kprobe_retire_wake() - start the worker: a point or a slot waits
 *
 * Context: any.
 */
void kprobe_retire_wake(void)
{
	queue_work(system_long_wq, &kprobe_retire_work);
}

/**
 * kprobe_retire_point() - free a point when no task can be inside any more
 * @pt: a point that is in no list and no table
 *
 * Context: process context.
 */
void kprobe_retire_point(struct kprobe_point *pt)
{
	spin_lock(&kprobe_retire_lock);
	list_add_tail(&pt->end, &kprobe_retired);
	kprobe_retire_nr++;
	spin_unlock(&kprobe_retire_lock);
	kprobe_retire_wake();
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

/**
 * kprobe_retire_waiting() - how many retired points are not freed yet
 *
 * Return: the number.
 */
unsigned int kprobe_retire_waiting(void)
{
	return READ_ONCE(kprobe_retire_nr);
}

/**
 * kprobe_retire_throttle() - wait before more points are made
 *
 * Context: process context without kprobe_mutex. May sleep, for long if more
 * than kprobe_retire_limit points wait to be freed.
 */
void kprobe_retire_throttle(void)
{
	if (kprobe_retire_waiting() > kprobe_retire_limit)
		kprobe_retire_flush();
}
