// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes: registration and unregistration.
 *
 * The user's struct kprobe subscribes to a probe point, of which there is one
 * per address; the layers below (kernel/kprobes/) know only points.
 *
 * To register: resolve the address, check the text, find the point or make
 * one, subscribe, and arm. A whole batch is checked and subscribed, without
 * effect, before the first of it is armed, so that a bad entry is found before
 * any text is changed. To unregister: unsubscribe and disarm the whole batch,
 * wait once for the handlers that still run, and leave the points to
 * kprobes/retire.c.
 *
 * Everything here runs under kprobe_mutex. It is held over a grace period only in
 * kprobe_table_publish() and kprobe_remove_early(), and where there is no memory.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/init.h>
#include <linux/kdebug.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/slab.h>
#include <linux/workqueue.h>

#include "kprobes/internal.h"
#include "kprobes/jprobe.h"

/* internal.h says what it guards. */
DEFINE_MUTEX(kprobe_mutex);
bool kprobes_all_disarmed;

static bool kprobes_initialized __ro_after_init;

/* Kprobes whose handlers take the registers for those of a call. */
static bool kprobe_needs_entry(struct kprobe *kp)
{
	return kprobe_is_return(kp) || kprobe_is_jprobe(kp);
}

/*
 * Find or make the point for @kp; the next of its batch, if any, is at @next.
 * Changes nothing in @kp.
 */
static struct kprobe_point *kprobe_point_for(struct kprobe *kp,
					     kprobe_opcode_t *next)
{
	struct kprobe_point *pt;
	struct kprobe_text *text;
	kprobe_opcode_t *addr;
	bool on_func_entry;
	int ret;

	ret = kprobe_resolve(kp, &addr, &on_func_entry);
	/* Of @kp->addr it has been asked. */
	if (!ret && addr != kp->addr)
		ret = kprobe_refuse_registered(kp, addr);
	if (ret)
		return ERR_PTR(ret);
	/* It was one when it was checked; since then another module may have come there. */
	if (kprobe_needs_entry(kp) && !on_func_entry)
		return ERR_PTR(-EINVAL);
	/* The text stays: before it is freed, the module notifier takes kprobe_mutex. */
	text = kprobe_text_get((unsigned long)addr);
	if (IS_ERR(text))
		return ERR_CAST(text);
	pt = kprobe_table_find(addr);
	if (!pt) {
		pt = kprobe_new_point(addr, on_func_entry);
		if (!IS_ERR(pt) && !kprobe_disabled(kp) &&
		    !kprobe_has_fault_handler(kp))
			kprobe_optimizer_prebuild(pt, next);
	}
	kprobe_text_put(text);
	return pt;
}

/*
 * A fault handler that is never called: see linux/kprobes_arch.h. Once is enough, as it
 * is the architecture's part that lacks the calls.
 */
static void kprobe_say_uncalled(struct kprobe *kp)
{
	if (kp->fault_handler && !kprobe_has_fault_handler(kp))
		pr_info_once("%pS: this architecture calls no fault handlers\n", kp->addr);
}

/*
 * First half of a registration: find all errors in @kp, and subscribe it to the
 * point; its handlers are not called yet.
 */
static int kprobe_subscribe(struct kprobe *kp, kprobe_opcode_t *next)
{
	struct kprobe_point *pt;
	int ret;

	/*
	 * &kprobe_hot.pre_chain keeps bits in the lowest bits of a pointer to it.
	 */
	if ((unsigned long)kp & KPROBE_CHAIN_BITS)
		return -EINVAL;
	if (kprobe_own_point(kp))
		return -EINVAL;
	ret = kprobe_refuse_registered(kp, kp->addr);
	if (ret)
		return ret;
	pt = kprobe_point_for(kp, next);
	if (IS_ERR(pt))
		return PTR_ERR(pt);

	kp->addr = pt->probe.addr;
	kp->opcode = pt->probe.opcode;
	kp->nmissed = 0;
	kp->flags &= KPROBE_FLAG_DISABLED;
	kp->flags |= KPROBE_FLAG_PENDING;
	kp->flags |= pt->probe.flags & (KPROBE_FLAG_FTRACE |
					KPROBE_FLAG_ON_FUNC_ENTRY);
	/* At the head of the list: hits that are under way do not meet it. */
	list_add_rcu(&kp->list, &pt->hot.subs);
	kprobe_say_uncalled(kp);
	return 0;
}

static void kprobe_todo_add(struct kprobe_point *pt, struct list_head *todo)
{
	kprobe_update_handlers(pt);
	if (list_empty(&pt->todo))
		list_add_tail(&pt->todo, todo);
}

static void kprobe_drop_again_fn(struct work_struct *work);
static DECLARE_DELAYED_WORK(kprobe_drop_again_work, kprobe_drop_again_fn);

/*
 * The points are disarmed on all CPUs by now: no trap is taken any more.
 * But ftrace needs memory to remove a site from its filter, and may have none.
 * Such a point stays armed, without handlers, until the work has tried again; a
 * probe that is registered at its address meanwhile subscribes to it.
 */
static void kprobe_drop_points(struct list_head *unused)
{
	struct kprobe_point *pt, *next;

	list_for_each_entry_safe(pt, next, unused, end) {
		if (!kprobe_point_armed(pt))
			continue;
		list_del_init(&pt->end);
		schedule_delayed_work(&kprobe_drop_again_work, HZ);
	}
	kprobe_free_points(unused);
}

/* Sync the points of @todo, and drop those that have no subscriber any more. */
static void kprobe_sync_and_drop(struct list_head *todo)
{
	struct kprobe_point *pt, *next;
	LIST_HEAD(unused);

	list_for_each_entry_safe(pt, next, todo, todo) {
		if (list_empty(&pt->hot.subs))
			list_move_tail(&pt->end, &unused);
	}
	kprobe_sync_points(todo);
	kprobe_drop_points(&unused);
}

static void kprobe_drop_again_fn(struct work_struct *work)
{
	struct kprobe_point *pt;
	LIST_HEAD(todo);

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(pt, &kprobe_points, all) {
		if (list_empty(&pt->hot.subs))
			list_add_tail(&pt->todo, &todo);
	}
	kprobe_sync_and_drop(&todo);
}

/*
 * @kp was not registered by a user. An architecture passes a point's kprobe, as sh does in
 * kprobe_handle_illslot(), if the point must not stay: then its subscribers are disabled,
 * and stay registered.
 */
static void kprobe_unregister_other(struct kprobe *kp, struct list_head *todo)
{
	struct kprobe_point *pt = kprobe_own_point(kp);
	struct kprobe *sub;

	if (!pt) {
		kp->addr = NULL;
		return;
	}
	list_for_each_entry(sub, &pt->hot.subs, list)
		WRITE_ONCE(sub->flags, sub->flags | KPROBE_FLAG_DISABLED);
	kprobe_todo_add(pt, todo);
}

/**
 * kprobe_unsubscribe_all() - first half of the unregistration of several probes
 * @kps: the probes; one that was not registered loses its address
 * @num: how many there are
 *
 * The second half is kprobe_wait_for_handlers().
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_unsubscribe_all(struct kprobe **kps, int num)
{
	LIST_HEAD(todo);
	int i;

	lockdep_assert_held(&kprobe_mutex);
	for (i = 0; i < num; i++) {
		struct kprobe_point *pt = kprobe_find_registered(kps[i]);

		if (!pt) {
			kprobe_unregister_other(kps[i], &todo);
			continue;
		}
		list_del_rcu(&kps[i]->list);
		kprobe_todo_add(pt, &todo);
		/* Spare kprobe_find_registered() of the next probe this point. */
		if (pt->state == KPROBE_GONE && list_empty(&pt->hot.subs))
			list_move_tail(&pt->end, &kprobe_gone_points);
	}
	kprobe_sync_and_drop(&todo);
}

/*
 * After a registration that failed: hits may still be walking over the probes
 * that had subscribed. Wait for these hits, and restore the probes, so that they
 * can be registered again. Their addresses are those of their points.
 */
static void kprobe_give_back(struct kprobe **kps, int num)
{
	int i;

	kprobe_wait_for_handlers();
	for (i = 0; i < num; i++) {
		INIT_LIST_HEAD(&kps[i]->list);
		kps[i]->flags &= KPROBE_FLAG_DISABLED;
		if (kps[i]->symbol_name)
			kps[i]->addr = NULL;
		else
			kps[i]->addr = (void *)kps[i]->addr - kps[i]->offset;
	}
}

/* Second half of a registration: let the handlers be called. */
static int kprobe_activate_all(struct kprobe **kps, int num)
{
	LIST_HEAD(todo);
	int i;

	for (i = 0; i < num; i++) {
		WRITE_ONCE(kps[i]->flags, kps[i]->flags & ~KPROBE_FLAG_PENDING);
		kprobe_todo_add(kprobe_table_find(kps[i]->addr), &todo);
	}
	return kprobe_sync_points(&todo);
}

/*
 * On error, @subscribed is how many probes kprobe_give_back() has to restore.
 */
static int kprobe_register_locked(struct kprobe **kps, int num, int *subscribed)
{
	int ret = 0, i;

	lockdep_assert_held(&kprobe_mutex);
	for (*subscribed = 0; *subscribed < num; ++*subscribed) {
		i = *subscribed;
		ret = kprobe_subscribe(kps[i], i + 1 < num ? kps[i + 1]->addr :
							     NULL);
		if (ret)
			break;
		/* The table never shrinks: do not grow it if the first fails. */
		if (!*subscribed)
			kprobe_table_reserve(num - 1);
		/* The optimizer waits for all tasks, also for one that registers many. */
		cond_resched_tasks_rcu_qs();
	}
	if (!ret)
		ret = kprobe_activate_all(kps, num);
	if (ret)
		kprobe_unsubscribe_all(kps, *subscribed);
	return ret;
}

/**
 * register_kprobes() - register several probes, all or none
 * @kps: the probes
 * @num: how many there are
 *
 * This costs little more than to register one. Handlers may be called before it
 * returns.
 *
 * Context: process context. May sleep.
 *
 * Return: 0, or with none registered:
 *
 * * -EINVAL - @num is not positive; both or neither of address and symbol; the
 *   probe is registered already, or not aligned to eight bytes; the address may not
 *   be probed (blacklisted, not kernel text, patched or read by another subsystem),
 *   or no instruction of that kind may
 * * -ENOENT - there is no such symbol; no symbol covers the address; its module
 *   is being unloaded, or not loaded far enough, or its init text is gone
 * * -EILSEQ - the address is not at an instruction boundary; an ftrace site is
 *   one instruction
 * * -EOPNOTSUPP - this architecture has no way to probe the instruction
 * * -ERANGE - no slot in reach of what the instruction refers to
 * * -EBUSY - a debugger has a breakpoint at the instruction or, on x86, before it in
 *   the function; or a live patch owns the function, and the probe has a post handler
 * * -ENODEV - the address is an ftrace site, and ftrace has disabled itself
 * * -ENOMEM - no memory
 * * -EAGAIN - too early in the boot, or kprobes have failed to start
 */
int register_kprobes(struct kprobe **kps, int num)
{
	struct kprobe **order;
	int ret, subscribed;

	if (num <= 0 || !kps)
		return -EINVAL;
	if (!kprobes_initialized)
		return -EAGAIN;
	kprobe_retire_throttle();
	order = kprobe_sort_batch(kps, num);
	mutex_lock(&kprobe_mutex);
	ret = kprobe_register_locked(order ?: kps, num, &subscribed);
	mutex_unlock(&kprobe_mutex);
	if (ret && subscribed)
		kprobe_give_back(order ?: kps, subscribed);
	kvfree(order);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kprobes);

/**
 * register_kprobe() - register a probe
 * @p: the probe; its memory must stay in place until it is unregistered
 *
 * See register_kprobes() for context and errors.
 *
 * Return: 0 or an error.
 */
int register_kprobe(struct kprobe *p)
{
	return register_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(register_kprobe);

/**
 * unregister_kprobes() - unregister several probes
 * @kps: the probes
 * @num: how many there are
 *
 * When this returns, no handler of theirs runs or will run. The address of a
 * probe that was not registered is cleared; the other probes are unregistered.
 * To register a probe again, clear its address first if it was found by its
 * symbol, or set it again if it has an offset.
 *
 * Context: process context. Sleeps for a grace period.
 */
void unregister_kprobes(struct kprobe **kps, int num)
{
	if (num <= 0 || !kps)
		return;
	mutex_lock(&kprobe_mutex);
	kprobe_unsubscribe_all(kps, num);
	mutex_unlock(&kprobe_mutex);
	kprobe_wait_for_handlers();
}
EXPORT_SYMBOL_GPL(unregister_kprobes);

/**
 * unregister_kprobe() - unregister a probe
 * @p: the probe
 *
 * See unregister_kprobes().
 */
void unregister_kprobe(struct kprobe *p)
{
	unregister_kprobes(&p, 1);
}
EXPORT_SYMBOL_GPL(unregister_kprobe);

static int kprobe_set_disabled(struct kprobe *kp, bool disabled)
{
	struct kprobe_point *pt;
	LIST_HEAD(todo);
	u32 flags;
	int ret;

	guard(mutex)(&kprobe_mutex);
	pt = kprobe_find_registered(kp);
	if (!pt)
		return -EINVAL;
	/* A point whose text is gone is disabled for good. */
	if (pt->state == KPROBE_GONE)
		return disabled ? 0 : -EINVAL;
	flags = kp->flags;
	WRITE_ONCE(kp->flags, disabled ? flags | KPROBE_FLAG_DISABLED :
					 flags & ~KPROBE_FLAG_DISABLED);
	kprobe_todo_add(pt, &todo);
	ret = kprobe_sync_points(&todo);
	/* @kp is disabled, even if the point cannot be armed for the others. */
	if (disabled && !kprobe_disabled(&pt->probe))
		return 0;
	if (ret) {
		WRITE_ONCE(kp->flags, flags);
		kprobe_update_handlers(pt);
	}
	return ret;
}

/**
 * disable_kprobe() - stop calling the handlers of a probe
 * @kp: a registered probe
 *
 * Handlers that are running may still be running when this returns.
 *
 * Context: process context. May sleep.
 * Return: 0, also if the probe's text is gone; -EINVAL: the probe is not
 * registered; -ENOMEM: no memory for ftrace to forget the site, the probe stays
 * enabled.
 */
int disable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, true);
}
EXPORT_SYMBOL_GPL(disable_kprobe);

/**
 * enable_kprobe() - call the handlers of a probe again
 * @kp: a registered probe
 *
 * Context: process context. May sleep.
 * Return: 0; -EINVAL: the probe is not registered, or its text is gone; for
 * ftrace-based probes also what ftrace says (-EBUSY, -ENODEV, -ENOMEM).
 */
int enable_kprobe(struct kprobe *kp)
{
	return kprobe_set_disabled(kp, false);
}
EXPORT_SYMBOL_GPL(enable_kprobe);

static void kprobe_say_all_disarmed(bool disarmed, int error)
{
	struct kprobe_point *pt;
	unsigned int not = 0, all = 0;

	list_for_each_entry(pt, &kprobe_points, all) {
		if (pt->state == KPROBE_GONE || kprobe_disabled(&pt->probe) ||
		    kprobe_point_is_trampoline(pt))
			continue;
		all++;
		not += kprobe_point_armed(pt) == disarmed;
	}
	if (error)
		pr_warn("%u of %u probe points could not be %s (%d)\n", not, all,
			disarmed ? "disarmed" : "armed again", error);
	else
		pr_info("all probes %s\n", disarmed ? "disarmed" : "armed again");
}

/**
 * kprobe_set_all_disarmed() - disarm all points, or arm them again
 * @disarmed: whether all are to be disarmed
 *
 * For the knob debugfs/kprobes/enabled. Probes that are disabled stay disabled.
 *
 * Context: process context. May sleep.
 * Return: 0 or the first error of ftrace; all other points are changed.
 */
int kprobe_set_all_disarmed(bool disarmed)
{
	struct kprobe_point *pt;
	LIST_HEAD(todo);
	int ret;

	guard(mutex)(&kprobe_mutex);
	if (disarmed == kprobes_all_disarmed)
		return 0;
	WRITE_ONCE(kprobes_all_disarmed, disarmed);
	list_for_each_entry(pt, &kprobe_points, all)
		list_add_tail(&pt->todo, &todo);
	ret = kprobe_sync_points(&todo);
	kprobe_say_all_disarmed(disarmed, ret);
	return ret;
}

#ifdef __ARCH_WANT_KPROBE_FRAMES
static int __init kprobe_listen_for_traps(void)
{
	return 0;
}
#else
/* Before all others, so that none of them sees our breakpoints. */
static struct notifier_block kprobe_exceptions_nb = {
	.notifier_call = kprobe_exceptions_notify,
	.priority = INT_MAX,
};

static int __init kprobe_listen_for_traps(void)
{
	return register_die_notifier(&kprobe_exceptions_nb);
}
#endif /* __ARCH_WANT_KPROBE_FRAMES */

static int __init kprobes_init(void)
{
	int ret;

	kprobe_points_init();
	ret = kprobe_blacklist_init();
	if (ret)
		pr_err("the blacklist could not be made (%d)\n", ret);
	kprobe_optimizer_init_slots();
	/* Registration works from here on: arch_init_kprobes() may need it. */
	kprobes_initialized = !ret;
	if (!ret)
		ret = arch_init_kprobes();
	if (!ret)
		ret = kprobe_listen_for_traps();
	if (!ret)
		ret = kprobe_optimizer_init();
	if (!ret)
		ret = kprobe_module_init();
	kprobes_initialized = !ret;
	return ret;
}
early_initcall(kprobes_init);
