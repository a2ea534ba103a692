// SPDX-License-Identifier: GPL-2.0
/*
 * Look-ups by address, in any context including NMI: the point at an address, and
 * the point whose copy is in a slot. table.c and slots.c have what is looked up.
 *
 * Nothing here takes a lock, or calls a function that can be probed.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/build_bug.h>
#include <linux/preempt.h>

#include "slot_page.h"

/**
 * kprobe_table_find() - look up the point at an address
 * @addr: any address
 *
 * Context: any, NMI too, with preemption disabled or kprobe_mutex held.
 * Return: the point or NULL.
 */
struct kprobe_point *kprobe_table_find(void *addr)
{
	struct kprobe *p = kprobe_table_lookup(addr);

	/*
	 * Points begin with their kprobes. @addr may be that of the end mark of the
	 * chains, which no CPU executes.
	 */
	BUILD_BUG_ON(offsetof(struct kprobe_point, probe));
	return likely(p != &kprobe_no_point.probe) ? kprobe_point_of(p) : NULL;
}

NOKPROBE_SYMBOL(kprobe_table_find);

/**
 * get_kprobe() - look up the point's kprobe at an address
 * @addr: any address
 *
 * Context: as kprobe_table_find().
 * Return: the point's kprobe or NULL.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct kprobe_point *pt = kprobe_table_find(addr);

	return pt ? &pt->probe : NULL;
}

NOKPROBE_SYMBOL(get_kprobe);

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
/**
 * kprobe_slot_cache_has() - does an address lie in a page of slots?
 * @c: the cache
 * @addr: any address
 *
 * Context: any, NMI too.
 * Return: whether it does.
 */
bool kprobe_slot_cache_has(struct kprobe_slot_cache *c, unsigned long addr)
{
	bool has;

	preempt_disable_notrace();
	has = kprobe_slot_page_find(c, addr);
	preempt_enable_notrace();
	return has;
}

NOKPROBE_SYMBOL(kprobe_slot_cache_has);

/**
 * kprobe_slot_owner() - which point's copy is executed at an address?
 * @c: the cache
 * @addr: any address
 *
 * A stack trace of a running task may look up an address that the task has left
 * long ago. So the point is freed a grace period after the slot is.
 *
 * Context: any, NMI too, with preemption disabled for as long as the point is
 * used.
 * Return: the point's kprobe, or NULL when @addr is in no slot in use.
 */
struct kprobe *kprobe_slot_owner(struct kprobe_slot_cache *c,
				 unsigned long addr)
{
	struct kprobe_slot_page *p = kprobe_slot_page_find(c, addr);
	unsigned int i;

	if (!p)
		return NULL;
	i = (addr - p->base) / c->slot_size;
	return i < kprobe_slots_per_page(c) ? READ_ONCE(p->owner[i]) : NULL;
}

NOKPROBE_SYMBOL(kprobe_slot_owner);
#endif /* __ARCH_WANT_KPROBES_INSN_SLOT */
