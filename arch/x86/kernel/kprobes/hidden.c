// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: places that are reached though no branch in the text
 * leads there now. These are the fixups of exceptions, and what static keys
 * that are off would jump to.
 *
 * The tables are sorted by where one comes from, not by where one goes. Those
 * of the kernel do not change any more, so where they lead is sorted once,
 * when the first point is checked: a check costs a binary search however many
 * entries there are. Those of a module are few and walked.
 *
 * A table of the kernel was linked before there was any module, and one of a
 * module refers to the kernel by symbols only, that is to the beginning of a
 * function, which no region holds behind its first byte. So only the tables of
 * the kernel, or those of the one module, matter to a region.
 */
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <asm/extable.h>
#include <asm/sections.h>

#include "detour.h"

/* The distance of the place from the beginning of the kernel, and its kind. */
#define HIDDEN_FIXUP	0
#define HIDDEN_LABEL	1

/* Under kprobe_mutex, and constant once made. */
static u32 *kprobe_hidden;
static unsigned int kprobe_nr_hidden;

static u32 kprobe_hidden_key(unsigned long addr, u32 kind)
{
	return (u32)(addr - (unsigned long)_text) << 1 | kind;
}

static unsigned long kprobe_fixup_of(const struct exception_table_entry *e)
{
	return (unsigned long)&e->fixup + e->fixup;
}

#ifdef CONFIG_JUMP_LABEL
static unsigned int kprobe_nr_labels(void)
{
	return __stop___jump_table - __start___jump_table;
}

static unsigned long kprobe_label(unsigned int i)
{
	return jump_entry_target(&__start___jump_table[i]);
}
#else
static unsigned int kprobe_nr_labels(void)
{
	return 0;
}

static unsigned long kprobe_label(unsigned int i)
{
	return 0;
}
#endif /* CONFIG_JUMP_LABEL */

static int kprobe_hidden_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/**
 * kprobe_hidden_init() - sort what leads to places in the kernel
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_hidden_init(void)
{
	unsigned int fixups = __stop___ex_table - __start___ex_table;
	unsigned int labels = kprobe_nr_labels(), i;
	u32 *keys;

	if (kprobe_hidden)
		return 0;
	keys = kvmalloc_array(fixups + labels, sizeof(*keys), GFP_KERNEL);
	if (!keys)
		return -ENOMEM;
	for (i = 0; i < fixups; i++)
		keys[i] = kprobe_hidden_key(kprobe_fixup_of(&__start___ex_table[i]),
					    HIDDEN_FIXUP);
	for (i = 0; i < labels; i++)
		keys[fixups + i] = kprobe_hidden_key(kprobe_label(i),
						     HIDDEN_LABEL);
	sort(keys, fixups + labels, sizeof(*keys), kprobe_hidden_cmp, NULL);
	kprobe_nr_hidden = fixups + labels;
	kprobe_hidden = keys;
	return 0;
}

/* The first key that is not below @key, or their number. */
static unsigned int kprobe_hidden_find(u32 key)
{
	unsigned int low = 0, high = kprobe_nr_hidden;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (kprobe_hidden[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static enum kprobe_unopt kprobe_hidden_kernel(const struct kprobe_region *r)
{
	u32 first = kprobe_hidden_key(r->start + 1, HIDDEN_FIXUP);
	u32 behind = kprobe_hidden_key(r->end, HIDDEN_FIXUP);
	unsigned int i = kprobe_hidden_find(first);

	if (i == kprobe_nr_hidden || kprobe_hidden[i] >= behind)
		return KPROBE_UNOPT_NONE;
	return kprobe_hidden[i] & HIDDEN_LABEL ? KPROBE_UNOPT_LABEL :
						 KPROBE_UNOPT_FIXUP;
}

#ifdef CONFIG_MODULES
static enum kprobe_unopt kprobe_fixups_check(const struct kprobe_region *r,
					     const struct exception_table_entry *e,
					     unsigned int nr)
{
	for (; nr--; e++) {
		unsigned long addr = kprobe_fixup_of(e);

		if (addr > r->start && addr < r->end)
			return KPROBE_UNOPT_FIXUP;
	}
	return KPROBE_UNOPT_NONE;
}

#ifdef CONFIG_JUMP_LABEL
static enum kprobe_unopt kprobe_labels_check(const struct kprobe_region *r,
					     struct module *mod)
{
	unsigned int i;

	for (i = 0; i < mod->num_jump_entries; i++) {
		unsigned long addr = jump_entry_target(&mod->jump_entries[i]);

		if (addr > r->start && addr < r->end)
			return KPROBE_UNOPT_LABEL;
	}
	return KPROBE_UNOPT_NONE;
}
#else
static enum kprobe_unopt kprobe_labels_check(const struct kprobe_region *r,
					     struct module *mod)
{
	return KPROBE_UNOPT_NONE;
}
#endif /* CONFIG_JUMP_LABEL */

static enum kprobe_unopt kprobe_hidden_module(const struct kprobe_region *r,
					      struct module *mod)
{
	return kprobe_fixups_check(r, mod->extable, mod->num_exentries) ?:
	       kprobe_labels_check(r, mod);
}
#else
static enum kprobe_unopt kprobe_hidden_module(const struct kprobe_region *r,
					      struct module *mod)
{
	return KPROBE_UNOPT_NONE;
}
#endif /* CONFIG_MODULES */

/**
 * kprobe_hidden_check() - does a fixup or a static key lead into a region?
 * @r: the region
 *
 * Context: kprobe_mutex held, which keeps its module in place; after
 * kprobe_hidden_init().
 * Return: what does, KPROBE_UNOPT_NONE if nothing.
 */
enum kprobe_unopt kprobe_hidden_check(const struct kprobe_region *r)
{
	struct module *mod;

	guard(preempt)();
	mod = __module_text_address(r->start);
	return mod ? kprobe_hidden_module(r, mod) : kprobe_hidden_kernel(r);
}
