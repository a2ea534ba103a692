// SPDX-License-Identifier: GPL-2.0
/*
 * Points, of which there is one for each probed address: how one is made, and how
 * it leaves the table and the lists. kernel/kprobes.c subscribes probes to
 * it, and retire.c frees it.
 */
#include <linux/err.h>
#include <linux/init.h>
#include <linux/slab.h>

#include "internal.h"
#include "stats.h"

/* internal.h says what they link. */
LIST_HEAD(kprobe_points);
bool kprobe_points_sorted;
LIST_HEAD(kprobe_gone_points);

/* There may be a hundred thousand points, and kmalloc() rounds sizes up. */
static struct kmem_cache *kprobe_point_cache __ro_after_init;

static int kprobe_prepare_point(struct kprobe_point *pt, bool ftrace)
{
	int ret;

	if (ftrace) {
		pt->probe.flags |= KPROBE_FLAG_FTRACE;
		return arch_prepare_kprobe_ftrace(&pt->probe);
	}
	kprobe_text_lock();
	ret = arch_prepare_kprobe(&pt->probe);
	kprobe_text_unlock();
	pt->prepared = !ret;
	return ret;
}

#ifdef CONFIG_OPTPROBES
static void kprobe_init_optimized(struct kprobe_point *pt)
{
	INIT_LIST_HEAD(&pt->op.list);
}
#else
static void kprobe_init_optimized(struct kprobe_point *pt)
{
}
#endif

static struct kprobe_point *kprobe_alloc_point(void)
{
	struct kprobe_point *pt;

	pt = kmem_cache_zalloc(kprobe_point_cache, GFP_KERNEL);
	if (!pt)
		return NULL;
	if (kprobe_stats_alloc(pt)) {
		kfree(pt);
		return NULL;
	}
	INIT_LIST_HEAD(&pt->hot.subs);
	INIT_LIST_HEAD(&pt->todo);
	INIT_LIST_HEAD(&pt->end);
	kprobe_init_optimized(pt);
	kprobe_update_handlers(pt);
	return pt;
}

/**
 * kprobe_new_point() - make a point, and enter it into the table
 * @addr: an address without a point, in text that stays
 * @on_func_entry: whether that is the entry of a function
 *
 * The point is disarmed and has no subscriber.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: the point; -ENOMEM, or the error of kprobe_check_text() or of the
 * architecture.
 */
struct kprobe_point *kprobe_new_point(kprobe_opcode_t *addr, bool on_func_entry)
{
	struct kprobe_point *pt;
	bool ftrace;
	int ret;

	ret = kprobe_check_text(addr, &ftrace);
	if (ret)
		return ERR_PTR(ret);
	pt = kprobe_alloc_point();
	if (!pt)
		return ERR_PTR(-ENOMEM);
	pt->probe.addr = addr;
	if (on_func_entry)
		pt->probe.flags |= KPROBE_FLAG_ON_FUNC_ENTRY;
	ret = kprobe_prepare_point(pt, ftrace);
	if (ret) {
		kprobe_stats_free(pt);
		kfree(pt);
		return ERR_PTR(ret);
	}
	list_add_tail(&pt->all, &kprobe_points);
	kprobe_points_sorted = false;
	kprobe_table_add(pt);
	return pt;
}

/**
 * kprobe_free_points() - take points out of the table, and have them freed
 * @points: without subscribers, disarmed or without text, linked by
 *	&kprobe_point.end; empty afterwards
 *
 * A trap that was taken before the breakpoint went may enable interrupts and
 * preemption before it looks up its point. The grace period that
 * kprobe_remove_early() waits for does not cover such a trap, so by then the
 * table has no point for it to find.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_free_points(struct list_head *points)
{
	struct kprobe_point *pt, *next;

	list_for_each_entry(pt, points, end) {
		if (pt->state != KPROBE_GONE)
			kprobe_table_del(pt);
	}
	kprobe_remove_early(points);
	list_for_each_entry_safe(pt, next, points, end) {
		list_del(&pt->end);
		list_del(&pt->all);
		kprobe_retire_point(pt);
	}
}

/**
 * kprobe_points_init() - make the cache of points; without memory, panic
 *
 * Context: boot, before the first registration.
 */
void __init kprobe_points_init(void)
{
	kprobe_point_cache = KMEM_CACHE(kprobe_point, SLAB_PANIC);
}
