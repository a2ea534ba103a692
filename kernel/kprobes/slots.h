/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_SLOTS_H
#define _KPROBES_SLOTS_H

#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rbtree_latch.h>

/**
 * struct kprobe_slot_cache - slots of one size
 * @mutex: taken to take a slot or to give it back
 * @pages: the pages, those with room first
 * @all: the pages, in the order in which they were made; walked under RCU
 * @tree: the pages by address, for readers without locks
 * @lowest: no slot lies below
 * @highest: no slot lies at or above
 * @slot_size: the size of a slot in bytes
 * @alloc: makes a page
 * @free: gives it back
 * @symbol: what /proc/kallsyms and perf call such a page
 */
struct kprobe_slot_cache {
	/* Guards everything here against writers. */
	struct mutex mutex;
	struct list_head pages;
	struct list_head all;
	struct latch_tree_root tree;
	unsigned long lowest;
	unsigned long highest;
	size_t slot_size;
	void *(*alloc)(void);
	void (*free)(void *page);
	const char *symbol;
};

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
unsigned int kprobe_slots_used(struct kprobe_slot_cache *c);
bool kprobe_slots_late(struct kprobe_slot_cache *c);
void kprobe_slots_reap(struct kprobe_slot_cache *c);
#endif

#endif /* _KPROBES_SLOTS_H */
