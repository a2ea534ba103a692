/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_SLOT_PAGE_H
#define _KPROBES_SLOT_PAGE_H
/*
 * A page of slots, for slots.c, which makes pages, and lookup.c, which finds them
 * in any context.
 */
#include <linux/rbtree_latch.h>

#include "internal.h"
#include "slots.h"

/**
 * struct kprobe_slot_page - a page of slots
 * @node: links the pages of the tree
 * @list: links the pages of the cache, those with room first
 * @all: links the pages in the order in which they were made
 * @rcu: delays the release of this struct
 * @base: the first byte of the page
 * @used: how many slots are taken
 * @map: which slots are taken
 * @late: which of these kprobe_free_slot_late() has given back, though a task may be
 *	inside. Only without frames: there, points are removed before the wait for tasks
 * @waiting: which of the late ones the worker waits for now
 * @owner: the kprobe of the point that a slot belongs to
 */
struct kprobe_slot_page {
	struct latch_tree_node node;
	struct list_head list;
	struct list_head all;
	struct rcu_head rcu;
	unsigned long base;
	unsigned int used;
	unsigned long *map;
	unsigned long *late;
	unsigned long *waiting;
	struct kprobe *owner[];
};

static __always_inline struct kprobe_slot_page *
kprobe_slot_page_of(struct latch_tree_node *n)
{
	return container_of(n, struct kprobe_slot_page, node);
}

static __always_inline bool kprobe_slot_page_less(struct latch_tree_node *a,
						  struct latch_tree_node *b)
{
	return kprobe_slot_page_of(a)->base < kprobe_slot_page_of(b)->base;
}

static __always_inline int kprobe_slot_page_comp(void *key,
						 struct latch_tree_node *n)
{
	unsigned long addr = (unsigned long)key;
	unsigned long base = kprobe_slot_page_of(n)->base;

	if (addr < base)
		return -1;
	return addr >= base + PAGE_SIZE;
}

static const struct latch_tree_ops kprobe_slot_tree_ops = {
	.less = kprobe_slot_page_less,
	.comp = kprobe_slot_page_comp,
};

/**
 * kprobe_slots_per_page() - how many slots a page has
 * @c: the cache
 *
 * Return: the number.
 */
static __always_inline
unsigned int kprobe_slots_per_page(const struct kprobe_slot_cache *c)
{
	return PAGE_SIZE / c->slot_size;
}

/**
 * kprobe_slot_page_find() - the page of slots that an address is in
 * @c: the cache
 * @addr: any address
 *
 * Context: with the mutex of the cache held, or preemption disabled.
 * Return: the page, or NULL.
 */
static __always_inline struct kprobe_slot_page *
kprobe_slot_page_find(struct kprobe_slot_cache *c, unsigned long addr)
{
	struct latch_tree_node *n;

	/*
	 * Written by kprobe_slot_page_new() before a slot of the page is given
	 * out, and never narrowed.
	 */
	if (addr < READ_ONCE(c->lowest) || addr >= READ_ONCE(c->highest))
		return NULL;
	n = latch_tree_find((void *)addr, &c->tree, &kprobe_slot_tree_ops);
	return n ? kprobe_slot_page_of(n) : NULL;
}

#endif /* _KPROBES_SLOT_PAGE_H */
