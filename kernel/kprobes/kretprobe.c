// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes: a kprobe on the entry of a function, whose pre handler
 * (kretprobe_hit.c) hooks the return. Of the two engines that hook returns, see
 * kretprobe.h, one is configured.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpumask.h>
#include <linux/export.h>
#include <linux/init.h>
#include <linux/minmax.h>
#include <linux/mutex.h>
#include <linux/printk.h>
#include <linux/slab.h>

#include "kretprobe.h"

/*
 * Find the functions whose returns cannot be hooked. It is linked behind
 * kprobes_init(), before which there is no registration, and before all initcalls
 * that may register.
 */
static int __init kretprobe_init(void)
{
	struct kretprobe_blackpoint *bp;

	if (!kretprobe_blacklist_size)
		return 0;
	for (bp = kretprobe_blacklist; bp->name; bp++) {
		bp->addr = kprobe_lookup_name(bp->name, 0);
		if (!bp->addr)
			pr_warn("%s() is not found, its return is not protected\n",
				bp->name);
	}
	return 0;
}
early_initcall(kretprobe_init);

/*
 * Held from the check of a kretprobe until it is registered or has failed to be, so that
 * its pool is made once. The text may change meanwhile: kprobe_point_for() asks again.
 * Taken in process context, outside of kprobe_mutex, see "Locks" in internal.h.
 */
static DEFINE_MUTEX(kretprobe_register_mutex);

/* Is @addr in a function whose return cannot be hooked? */
static bool kretprobe_blacklisted(kprobe_opcode_t *addr)
{
	const struct kprobe_symbol *sym;
	struct kretprobe_blackpoint *bp;

	if (!kretprobe_blacklist_size)
		return false;
	sym = kprobe_symbol_at((unsigned long)addr);
	for (bp = kretprobe_blacklist; sym && bp->name; bp++) {
		if (bp->addr == (void *)sym->start)
			return true;
	}
	return false;
}

static int kretprobe_check(struct kretprobe *rp)
{
	kprobe_opcode_t *addr;
	bool on_func_entry;
	int ret;

	lockdep_assert_held(&kretprobe_register_mutex);
	guard(mutex)(&kprobe_mutex);
	ret = kprobe_resolve(&rp->kp, &addr, &on_func_entry);
	if (ret)
		return ret;
	if (!on_func_entry || kretprobe_blacklisted(addr))
		return -EINVAL;
	/* The pool of a registered kretprobe must not be overwritten below. */
	ret = kprobe_refuse_registered(&rp->kp, addr);
	if (ret)
		return ret;
	if (rp->data_size > KRETPROBE_MAX_DATA_SIZE)
		return -E2BIG;
	/* The memory is the user's, and may not have been cleared. */
	kretprobe_forget_pool(rp);
	return 0;
}

static int kretprobe_prepare(struct kretprobe *rp)
{
	bool grow = rp->maxactive <= 0;
	int ret;

	lockdep_assert_held(&kretprobe_register_mutex);
	/* The kretprobe is in this batch twice. */
	if (kretprobe_has_pool(rp))
		return kprobe_refuse_twice(&rp->kp);

	rp->kp.pre_handler = kretprobe_pre_handler;
	rp->kp.post_handler = NULL;
	if (grow)
		rp->maxactive = max(10U, 2 * num_possible_cpus());
	rp->nmissed = 0;
	ret = kretprobe_pool_init(rp, grow);
	if (ret && grow)
		rp->maxactive = 0;
	return ret;
}

static void kretprobe_stop_pools(struct kretprobe **rps, int num)
{
	int i;

	for (i = 0; i < num; i++)
		kretprobe_pool_stop(rps[i]);
}

static void kretprobe_free_pools(struct kretprobe **rps, int num)
{
	int i;

	for (i = 0; i < num; i++)
		kretprobe_pool_free(rps[i]);
}

/* On error, none of the kretprobes has a pool. */
static int kretprobe_prepare_all(struct kretprobe **rps, int num)
{
	int i, ret;

	for (i = 0; i < num; i++) {
		ret = kretprobe_check(rps[i]);
		if (ret)
			return ret;
	}
	for (i = 0; i < num; i++) {
		ret = kretprobe_prepare(rps[i]);
		if (ret) {
			kretprobe_free_pools(rps, i);
			return ret;
		}
	}
	return 0;
}

/*
 * After a registration that failed. Calls may have been hooked meanwhile at points
 * that were armed before; a return handler may be running.
 */
static void kretprobe_give_back(struct kretprobe **rps, int num)
{
	kretprobe_stop_pools(rps, num);
	kprobe_wait_for_handlers();
	kretprobe_free_pools(rps, num);
}

static struct kprobe **kretprobe_kprobes(struct kretprobe **rps, int num)
{
	struct kprobe **kps;
	int i;

	kps = kvmalloc_array(num, sizeof(*kps), GFP_KERNEL);
	for (i = 0; kps && i < num; i++)
		kps[i] = &rps[i]->kp;
	return kps;
}

/**
 * register_kretprobes() - register several return probes, all or none
 * @rps: the return probes
 * @num: how many there are
 *
 * Costs little more than registering one. A handler may be called before this
 * returns.
 *
 * Context: process context. May sleep.
 *
 * Return: 0, or with none registered what register_kprobes() says, and:
 *
 * * -EINVAL - also: not the entry of a function, or one whose return cannot be
 *   hooked; more than 2^24 instances
 * * -E2BIG - more than KRETPROBE_MAX_DATA_SIZE bytes of private data
 */
int register_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe **kps;
	int ret;

	if (num <= 0 || !rps)
		return -EINVAL;
	guard(mutex)(&kretprobe_register_mutex);
	ret = kretprobe_prepare_all(rps, num);
	if (ret)
		return ret;

	kps = kretprobe_kprobes(rps, num);
	ret = kps ? register_kprobes(kps, num) : -ENOMEM;
	kvfree(kps);
	if (ret)
		kretprobe_give_back(rps, num);
	return ret;
}
EXPORT_SYMBOL_GPL(register_kretprobes);

/**
 * register_kretprobe() - register a return probe
 * @rp: the return probe; its memory must stay in place until it is unregistered
 *
 * See register_kretprobes() for context and errors.
 *
 * Return: 0 or an error.
 */
int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(register_kretprobe);

/**
 * unregister_kretprobes() - unregister several return probes
 * @rps: the return probes
 * @num: how many there are
 *
 * When this returns, no handler of theirs runs or will run. Calls that are
 * under way return as if they had never been hooked, whenever that is.
 *
 * Context: process context. Sleeps for a grace period.
 */
void unregister_kretprobes(struct kretprobe **rps, int num)
{
	struct kprobe **kps;
	int i;

	if (num <= 0 || !rps)
		return;
	kretprobe_stop_pools(rps, num);
	kps = kretprobe_kprobes(rps, num);
	if (kps) {
		unregister_kprobes(kps, num);
	} else {
		/* No memory for an array: one by one, as this must not fail. */
		for (i = 0; i < num; i++)
			unregister_kprobe(&rps[i]->kp);
	}
	kvfree(kps);
	for (i = 0; i < num; i++) {
		/* Without an address: it was not found, and is perhaps still armed. */
		if (rps[i]->kp.addr || !kprobe_left_registered(&rps[i]->kp))
			kretprobe_pool_free(rps[i]);
	}
}
EXPORT_SYMBOL_GPL(unregister_kretprobes);

/**
 * unregister_kretprobe() - unregister a return probe
 * @rp: the return probe
 *
 * See unregister_kretprobes().
 */
void unregister_kretprobe(struct kretprobe *rp)
{
	unregister_kretprobes(&rp, 1);
}
EXPORT_SYMBOL_GPL(unregister_kretprobe);
