// SPDX-License-Identifier: GPL-2.0
/*
 * The jump optimizer: points that are reached by a jump instead of a trap.
 *
 * ARMED -> QUEUED: the detour buffer is there and hits go through its copy of
 * the region. Some tasks may still be inside. Handlers of other points may still send tasks
 * there, to addresses that the architecture remembers as those of no region.
 *
 * QUEUED -> OPTIMIZED: arch_forget_redirects() ends that: no task enters the region behind
 * its first instruction any more. The worker waits, with no lock held, until every task
 * has been seen elsewhere (RCU tasks), and puts in the jumps of all points that
 * are still QUEUED then.
 *
 * QUEUED, OPTIMIZED -> ARMED: at once, in the operation that needs the
 * breakpoint back. That takes no grace period: the breakpoint is put in first,
 * and a task in the detour goes on behind the region.
 *
 * The point's kprobe carries KPROBE_FLAG_OPTIMIZED while the detour serves, that
 * is from QUEUED on, and until the last byte of the jump is gone.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/init.h>
#include <linux/rcupdate.h>
#include <linux/string_choices.h>
#include <linux/sysctl.h>
#include <linux/workqueue.h>

#include "internal.h"
#include "slots.h"

/* Wait a jiffy for more points: one grace period serves all that are queued. */
#define KPROBE_OPTIMIZER_DELAY	1

/* The points in state QUEUED that no grace period covers yet. Under kprobe_mutex. */
static LIST_HEAD(kprobe_optimizer_queue);

/* The sysctl. Under kprobe_mutex. */
static bool kprobe_optimizer_on = true;

static void kprobe_optimizer_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(kprobe_optimizer_work, kprobe_optimizer_fn);

#ifdef __ARCH_WANT_OPTIMIZED_POST
static const bool kprobe_optimizer_calls_post = true;
#else
static const bool kprobe_optimizer_calls_post;
#endif

static struct kprobe_point *kprobe_point_of_op(struct optimized_kprobe *op)
{
	return container_of(op, struct kprobe_point, op);
}

static void kprobe_mark_optimized(struct kprobe_point *pt, bool on)
{
	u32 flags = pt->probe.flags & ~KPROBE_FLAG_OPTIMIZED;

	WRITE_ONCE(pt->probe.flags, on ? flags | KPROBE_FLAG_OPTIMIZED : flags);
}

/* What forbids a jump to the point, given its subscribers and the knobs. */
static enum kprobe_nojump kprobe_optimizer_obstacle(struct kprobe_point *pt)
{
	if (kprobe_ftrace(&pt->probe))
		return KPROBE_NOJUMP_FTRACE;
	if (kprobe_disabled(&pt->probe))
		return KPROBE_NOJUMP_DISABLED;
	if (kprobes_all_disarmed && !kprobe_point_is_trampoline(pt))
		return KPROBE_NOJUMP_KNOB;
	if (!kprobe_optimizer_on)
		return KPROBE_NOJUMP_OFF;
	if (pt->probe.fault_handler)
		return KPROBE_NOJUMP_FAULT_HANDLER;
	/* Not post_handler of the point's kprobe: it may be a leftover. */
	if (pt->posts && !kprobe_optimizer_calls_post)
		return KPROBE_NOJUMP_POST_HANDLER;
	return KPROBE_NOJUMP_NONE;
}

/* Check and build once: the safety check decodes the whole function. */
static enum kprobe_nojump kprobe_optimizer_build(struct kprobe_point *pt)
{
	struct kprobe_text *text;
	int ret;

	if (pt->never_jump)
		return pt->op.nojump;
	if (arch_prepared_optinsn(&pt->op.optinsn))
		return KPROBE_NOJUMP_NONE;
	pt->op.nojump = KPROBE_NOJUMP_ARCH;
	text = kprobe_text_with_sites((unsigned long)pt->probe.addr);
	ret = PTR_ERR_OR_ZERO(text);
	if (!ret) {
		kprobe_text_lock();
		ret = arch_prepare_optimized_kprobe(&pt->op, &pt->probe);
		kprobe_text_unlock();
	}
	if (!ret)
		return KPROBE_NOJUMP_NONE;
	if (ret == -ENOMEM)
		return KPROBE_NOJUMP_NO_MEMORY;
	/* Tried again when the other point is disarmed. */
	if (ret == -EEXIST)
		return KPROBE_NOJUMP_NEIGHBOUR;
	pt->never_jump = true;
	return pt->op.nojump;
}

/* If there are post handlers, build what the detour needs to call them. */
static enum kprobe_nojump kprobe_optimizer_build_post(struct kprobe_point *pt)
{
	int ret = 0;

	if (pt->posts)
		ret = arch_prepare_optimized_post(&pt->op, pt->served);
	if (ret == -ENOMEM)
		return KPROBE_NOJUMP_NO_MEMORY;
	return ret ? KPROBE_NOJUMP_REACH : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_optimizer_prebuild() - build the detour of a new point
 * @pt: the point, which no CPU can hit yet
 * @next: the address that the next probe of the batch names, NULL if none
 *
 * What was found out to make the point (its function, the tables of its module)
 * is still cached now, but may not be when the whole batch is armed. If the
 * next probe is so close behind it that there can be no jump, no detour is
 * built.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_optimizer_prebuild(struct kprobe_point *pt, kprobe_opcode_t *next)
{
	unsigned long distance = (unsigned long)next -
				 (unsigned long)pt->probe.addr;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_optimizer_on && !kprobes_all_disarmed &&
	    !kprobe_ftrace(&pt->probe) && distance >= MAX_OPTIMIZED_LENGTH)
		kprobe_optimizer_build(pt);
}

static enum kprobe_nojump kprobe_optimizer_prepare(struct kprobe_point *pt)
{
	enum kprobe_nojump nojump = kprobe_optimizer_build(pt) ?:
				  kprobe_optimizer_build_post(pt);

	if (!nojump && arch_check_optimized_kprobe(&pt->op))
		nojump = KPROBE_NOJUMP_NEIGHBOUR;
	return nojump;
}

/*
 * The point keeps its breakpoint. If it has post handlers, let the architecture make a
 * stub, which saves the second trap.
 */
static void kprobe_optimizer_keep_breakpoint(struct kprobe_point *pt)
{
	if (pt->posts && !pt->probe.fault_handler &&
	    pt->state == KPROBE_ARMED && !kprobe_ftrace(&pt->probe) &&
	    !kprobes_all_disarmed)
		arch_prepare_stub(&pt->op);
}

/*
 * The subscribers of a point that is not ARMED have changed. If its detour is in
 * use, see to it that it can call their post handlers.
 */
static void kprobe_optimizer_update_post(struct kprobe_point *pt)
{
	if (!kprobe_optimized(&pt->probe))
		return;
	pt->nojump = kprobe_optimizer_build_post(pt);
	if (!pt->nojump)
		return;
	kprobe_optimizer_revert(&pt, 1);
}

/**
 * kprobe_optimizer_consider() - look whether a point can be reached by a jump
 * @pt: an armed point
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_optimizer_consider(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_optimizer_obstacle(pt)) {
		kprobe_optimizer_revert(&pt, 1);
		kprobe_optimizer_keep_breakpoint(pt);
		return;
	}
	if (pt->state != KPROBE_ARMED) {
		kprobe_optimizer_update_post(pt);
		return;
	}
	pt->nojump = kprobe_optimizer_prepare(pt);
	if (pt->nojump) {
		kprobe_optimizer_keep_breakpoint(pt);
		return;
	}
	kprobe_set_state(pt, KPROBE_QUEUED);
	pt->served = true;
	kprobe_mark_optimized(pt, true);
	/*
	 * The worker takes the whole queue: wake it for the first point only.
	 */
	if (list_empty(&kprobe_optimizer_queue))
		queue_delayed_work(system_long_wq, &kprobe_optimizer_work,
				   KPROBE_OPTIMIZER_DELAY);
	list_add_tail(&pt->op.list, &kprobe_optimizer_queue);
}

static void kprobe_optimizer_reverted(struct kprobe_point *pt)
{
	list_del_init(&pt->op.list);
	kprobe_mark_optimized(pt, false);
	kprobe_set_state(pt, KPROBE_ARMED);
	kprobe_optimizer_keep_breakpoint(pt);
}

/*
 * Take a point out of the queue at once, or collect it for
 * kprobe_optimizer_revert_list().
 */
static void kprobe_optimizer_collect(struct kprobe_point *pt,
				     struct list_head *jumps)
{
	lockdep_assert_held(&kprobe_mutex);
	if (pt->state == KPROBE_OPTIMIZED && list_empty(&pt->op.list))
		list_add_tail(&pt->op.list, jumps);
	if (pt->state == KPROBE_QUEUED)
		kprobe_optimizer_reverted(pt);
}

/* Move the points that are changed in one go from @from to @chunk. */
static void kprobe_optimizer_take_chunk(struct list_head *from,
					struct list_head *chunk)
{
	struct list_head *last = from;
	unsigned int nr = 0;

	while (nr++ < KPROBE_CHUNK && last->next != from)
		last = last->next;
	list_cut_position(chunk, from, last);
}

/* Put back the breakpoints of a chunk, with one synchronisation of the CPUs. */
static void kprobe_optimizer_revert_chunk(struct list_head *jumps)
{
	struct optimized_kprobe *op, *next;
	LIST_HEAD(done);

	kprobe_poke_lock();
	arch_unoptimize_kprobes(jumps, &done);
	kprobe_poke_unlock();
	list_for_each_entry_safe(op, next, &done, list)
		kprobe_optimizer_reverted(kprobe_point_of_op(op));
}

/* In chunks, so that other users of text_mutex need not wait for all jumps. */
static void kprobe_optimizer_revert_list(struct list_head *jumps)
{
	LIST_HEAD(chunk);

	while (!list_empty(jumps)) {
		kprobe_optimizer_take_chunk(jumps, &chunk);
		kprobe_optimizer_revert_chunk(&chunk);
		cond_resched();
	}
}

/**
 * kprobe_optimizer_revert() - put back breakpoints, at once
 * @pts: points
 * @num: how many there are
 *
 * Those with an active post handler get a stub. A point that is disarmed next has no active
 * post handler.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_optimizer_revert(struct kprobe_point **pts, unsigned int num)
{
	LIST_HEAD(jumps);

	while (num--)
		kprobe_optimizer_collect(*pts++, &jumps);
	kprobe_optimizer_revert_list(&jumps);
}

/* Collect the points whose region holds @addr behind its first byte. */
static void kprobe_optimizer_collect_around(kprobe_opcode_t *addr,
					    struct list_head *jumps)
{
	struct kprobe_point *pt;
	unsigned int i;

	for (i = 1; i < MAX_OPTIMIZED_LENGTH; i++) {
		pt = kprobe_table_find(addr - i);
		if (!pt || !kprobe_optimized(&pt->probe) ||
		    !arch_within_optimized_kprobe(&pt->op, addr))
			continue;
		kprobe_optimizer_collect(pt, jumps);
		pt->nojump = KPROBE_NOJUMP_NEIGHBOUR;
	}
}

/**
 * kprobe_optimizer_revert_around() - make room for new breakpoints
 * @probes: the kprobes of their points, which must lie in no jump when it
 *	returns
 * @num: how many there are
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_optimizer_revert_around(struct kprobe **probes, unsigned int num)
{
	LIST_HEAD(jumps);

	while (num--)
		kprobe_optimizer_collect_around((*probes++)->addr, &jumps);
	kprobe_optimizer_revert_list(&jumps);
}

/**
 * kprobe_optimizer_consider_around() - consider points near a removed
 * breakpoint
 * @addr: where it was; it may have been the only obstacle to a jump there
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_optimizer_consider_around(kprobe_opcode_t *addr)
{
	struct kprobe_point *pt;
	unsigned int i;

	for (i = 1; i < MAX_OPTIMIZED_LENGTH; i++) {
		pt = kprobe_table_find(addr - i);
		if (pt && pt->state == KPROBE_ARMED)
			kprobe_optimizer_consider(pt);
	}
}

/**
 * kprobe_optimizer_release() - free the detour buffer
 * @pt: a point that no task can be in any more
 */
void kprobe_optimizer_release(struct kprobe_point *pt)
{
	arch_remove_optimized_kprobe(&pt->op);
}

static enum kprobe_nojump kprobe_optimizer_nojump(struct kprobe_point *pt)
{
	switch (pt->state) {
	case KPROBE_OPTIMIZED:
		return KPROBE_NOJUMP_NONE;
	case KPROBE_QUEUED:
		return KPROBE_NOJUMP_WAITING;
	case KPROBE_GONE:
		return KPROBE_NOJUMP_GONE;
	default:
		return kprobe_optimizer_obstacle(pt) ?: pt->nojump;
	}
}

/**
 * kprobe_optimizer_reason() - why a point is not reached by a jump
 * @pt: a point
 *
 * Context: kprobe_mutex held.
 * Return: the reason in plain words; NULL when there is a jump.
 */
const char *kprobe_optimizer_reason(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	return kprobe_nojump_text(kprobe_optimizer_nojump(pt));
}

/* Put in the jumps of some points that are QUEUED. */
static void kprobe_optimizer_put_jumps(struct list_head *jumps)
{
	struct optimized_kprobe *op, *next;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry(op, jumps, list) {
		op->nojump = KPROBE_NOJUMP_ARCH;
		kprobe_set_state(kprobe_point_of_op(op), KPROBE_OPTIMIZED);
	}
	kprobe_poke_lock();
	arch_optimize_kprobes(jumps);
	kprobe_poke_unlock();
	/*
	 * The points that the architecture left on the list keep a breakpoint.
	 */
	list_for_each_entry_safe(op, next, jumps, list) {
		kprobe_point_of_op(op)->nojump = op->nojump;
		kprobe_optimizer_reverted(kprobe_point_of_op(op));
	}
}

/*
 * Points of @batch that are reverted are removed from it at once. The mutex is
 * dropped between two chunks, so that registrations need not wait for all of
 * them; points may be reverted then, too.
 */
static void kprobe_optimizer_put_all_jumps(struct list_head *batch)
{
	LIST_HEAD(chunk);

	mutex_lock(&kprobe_mutex);
	while (!list_empty(batch)) {
		kprobe_optimizer_take_chunk(batch, &chunk);
		kprobe_optimizer_put_jumps(&chunk);
		mutex_unlock(&kprobe_mutex);
		cond_resched();
		mutex_lock(&kprobe_mutex);
	}
	mutex_unlock(&kprobe_mutex);
}

static void kprobe_optimizer_fn(struct work_struct *work)
{
	LIST_HEAD(batch);
	bool none;

	mutex_lock(&kprobe_mutex);
	list_splice_init(&kprobe_optimizer_queue, &batch);
	none = list_empty(&batch);
	mutex_unlock(&kprobe_mutex);
	if (none)
		return;

	arch_forget_redirects();
	synchronize_rcu_tasks();
	kprobe_optimizer_put_all_jumps(&batch);
}

/**
 * wait_for_kprobe_optimizer() - wait until what is queued now is done
 *
 * Context: process context without kprobe_mutex. May sleep for long.
 */
void wait_for_kprobe_optimizer(void)
{
	flush_delayed_work(&kprobe_optimizer_work);
}

static void kprobe_optimizer_set(bool on)
{
	struct kprobe_point *pt;
	LIST_HEAD(jumps);

	guard(mutex)(&kprobe_mutex);
	if (kprobe_optimizer_on == on)
		return;
	kprobe_optimizer_on = on;
	list_for_each_entry(pt, &kprobe_points, all) {
		if (!on)
			kprobe_optimizer_collect(pt, &jumps);
		else if (kprobe_point_armed(pt))
			kprobe_optimizer_consider(pt);
		cond_resched();
	}
	kprobe_optimizer_revert_list(&jumps);
	pr_info("jump optimization %s\n", str_on_off(on));
}

static int kprobe_optimizer_sysctl(const struct ctl_table *table, int write,
				   void *buffer, size_t *length, loff_t *ppos)
{
	int on = READ_ONCE(kprobe_optimizer_on);
	struct ctl_table copy = *table;
	int ret;

	copy.data = &on;
	ret = proc_dointvec_minmax(&copy, write, buffer, length, ppos);
	if (!ret && write)
		kprobe_optimizer_set(on);
	return ret;
}

static struct ctl_table kprobe_optimizer_sysctls[] = {
	{
		.procname	= "kprobes-optimization",
		.maxlen		= sizeof(int),
		.mode		= 0644,
		.proc_handler	= kprobe_optimizer_sysctl,
		.extra1		= SYSCTL_ZERO,
		.extra2		= SYSCTL_ONE,
	},
};

/**
 * kprobe_optimizer_init_slots() - set the size of detours' slots, known at boot only
 *
 * Context: boot, before the first registration.
 */
void __init kprobe_optimizer_init_slots(void)
{
	kprobe_optinsn_slots.slot_size = KPROBE_OPTSLOT_SIZE;
}

/**
 * kprobe_optimizer_init() - register the sysctl debug.kprobes-optimization
 *
 * Context: boot.
 * Return: 0.
 */
int __init kprobe_optimizer_init(void)
{
	register_sysctl_init("debug", kprobe_optimizer_sysctls);
	return 0;
}
