// SPDX-License-Identifier: GPL-2.0
/*
 * The blacklist: text that may not be probed, because the way from the
 * breakpoint to the handlers leads through it, or because the kernel is in no
 * state to take a trap there.
 *
 * It is an array of ranges, sorted by their start. Ranges may overlap (a
 * marked function inside of a marked area), so each entry also has the highest
 * end of all ranges up to it, and a check is one binary search. A change (boot,
 * a module) makes a new array; the old one is freed after a grace period.
 */
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <asm/sections.h>

#include "internal.h"

/**
 * struct kprobe_blackrange - text that may not be probed
 * @start: the first byte
 * @end: the byte after the last
 * @reach: the highest @end of this and all entries before
 */
struct kprobe_blackrange {
	unsigned long start;
	unsigned long end;
	unsigned long reach;
};

struct kprobe_blackarray {
	struct rcu_head rcu;
	unsigned int nr;
	struct kprobe_blackrange range[] __counted_by(nr);
};

/* Guards the making of a new array; readers use RCU. */
static DEFINE_MUTEX(kprobe_blacklist_mutex);
static struct kprobe_blackarray __rcu *kprobe_blacklist;

/* The ranges of the next array, so far. Under kprobe_blacklist_mutex. */
static struct kprobe_blackrange *kprobe_blacklist_new;
static unsigned int kprobe_blacklist_nr, kprobe_blacklist_room;

static int kprobe_blacklist_push(unsigned long start, unsigned long end)
{
	lockdep_assert_held(&kprobe_blacklist_mutex);
	if (kprobe_blacklist_nr == kprobe_blacklist_room) {
		unsigned int room = max(64U, 2 * kprobe_blacklist_room);
		void *bigger;

		bigger = kvrealloc(kprobe_blacklist_new,
				   array_size(room, sizeof(*kprobe_blacklist_new)),
				   GFP_KERNEL);
		if (!bigger)
			return -ENOMEM;
		kprobe_blacklist_new = bigger;
		kprobe_blacklist_room = room;
	}
	kprobe_blacklist_new[kprobe_blacklist_nr++] =
		(struct kprobe_blackrange){ .start = start, .end = end };
	return 0;
}

/**
 * kprobe_add_ksym_blacklist() - forbid the function at an address
 * @entry: an address inside of a function
 *
 * Context: only from arch_populate_kprobe_blacklist().
 * Return: how many bytes the function has from @entry on, -ENOENT when there is
 * no function (the section may hold other things, e.g. under LTO), -ENOMEM.
 */
int kprobe_add_ksym_blacklist(unsigned long entry)
{
	unsigned long offset = 0, size = 0;
	int ret;

	if (!kernel_text_address(entry) ||
	    !kallsyms_lookup_size_offset(entry, &size, &offset))
		return -ENOENT;
	ret = kprobe_blacklist_push(entry - offset, entry - offset + size);
	return ret ?: (int)(size - offset);
}

/**
 * kprobe_add_area_blacklist() - forbid all functions of an area
 * @start: the first byte of the area
 * @end: the byte after the last
 *
 * Context: only from arch_populate_kprobe_blacklist().
 * Return: 0 or -ENOMEM.
 */
int kprobe_add_area_blacklist(unsigned long start, unsigned long end)
{
	unsigned long entry = start;

	while (entry < end) {
		int ret = kprobe_add_ksym_blacklist(entry);

		if (ret == -ENOMEM)
			return ret;
		/* What no symbol covers is padding, and forbidden as well. */
		if (ret <= 0)
			return kprobe_blacklist_push(entry, end);
		entry += ret;
	}
	return 0;
}

/* The functions that are marked; markers without a function are skipped. */
static int kprobe_blacklist_push_symbols(unsigned long *start,
					 unsigned long *end)
{
	unsigned long *iter;

	for (iter = start; iter < end; iter++) {
		unsigned long entry;

		entry = (unsigned long)dereference_symbol_descriptor((void *)*iter);
		if (kprobe_add_ksym_blacklist(entry) == -ENOMEM)
			return -ENOMEM;
	}
	return 0;
}

static int kprobe_blackrange_cmp(const void *a, const void *b)
{
	const struct kprobe_blackrange *x = a, *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	return x->end < y->end ? -1 : x->end > y->end;
}

static struct kprobe_blackarray *kprobe_blacklist_locked(void)
{
	return rcu_dereference_protected(kprobe_blacklist,
					 lockdep_is_held(&kprobe_blacklist_mutex));
}

/* Turn what was pushed into the array that readers see. */
static int kprobe_blacklist_publish(void)
{
	struct kprobe_blackarray *old = kprobe_blacklist_locked(), *new;
	unsigned int i, nr = kprobe_blacklist_nr;
	unsigned long reach = 0;

	new = kvmalloc(struct_size(new, range, nr), GFP_KERNEL);
	if (!new)
		return -ENOMEM;
	new->nr = nr;
	memcpy(new->range, kprobe_blacklist_new, nr * sizeof(new->range[0]));
	sort(new->range, nr, sizeof(new->range[0]), kprobe_blackrange_cmp, NULL);
	for (i = 0; i < nr; i++) {
		reach = max(reach, new->range[i].end);
		new->range[i].reach = reach;
	}
	/* Pairs with rcu_dereference() in kprobe_in_blacklist(). */
	rcu_assign_pointer(kprobe_blacklist, new);
	if (old)
		kvfree_rcu(old, rcu);
	return 0;
}

static void kprobe_blacklist_end_change(void)
{
	kvfree(kprobe_blacklist_new);
	kprobe_blacklist_new = NULL;
	kprobe_blacklist_nr = 0;
	kprobe_blacklist_room = 0;
}

static __always_inline bool kprobe_blackrange_before(const void *ranges,
						     unsigned int i, u64 addr)
{
	return ((const struct kprobe_blackrange *)ranges)[i].start <= addr;
}

static bool kprobe_in_blackarray(const struct kprobe_blackarray *b,
				 unsigned long addr)
{
	unsigned int nr = kprobe_count_before(b->range, b->nr, addr,
					      kprobe_blackrange_before);

	return nr && b->range[nr - 1].reach > addr;
}

/**
 * kprobe_in_blacklist() - is an address in the text that was marked?
 * @addr: any address
 *
 * Context: any.
 * Return: whether it is.
 */
bool kprobe_in_blacklist(unsigned long addr)
{
	const struct kprobe_blackarray *b;

	if (arch_within_kprobe_blacklist(addr))
		return true;
	guard(rcu)();
	b = rcu_dereference(kprobe_blacklist);
	return b && kprobe_in_blackarray(b, addr);
}

/**
 * kprobe_blacklist_init() - fill the blacklist with the kernel's own entries
 *
 * Return: 0 or -ENOMEM.
 */
int __init kprobe_blacklist_init(void)
{
	int ret;

	guard(mutex)(&kprobe_blacklist_mutex);
	ret = kprobe_blacklist_push_symbols(__start_kprobe_blacklist,
					    __stop_kprobe_blacklist);
	if (!ret)
		ret = kprobe_add_area_blacklist((unsigned long)__kprobes_text_start,
						(unsigned long)__kprobes_text_end);
	if (!ret)
		ret = kprobe_add_area_blacklist((unsigned long)__noinstr_text_start,
						(unsigned long)__noinstr_text_end);
	if (!ret)
		ret = arch_populate_kprobe_blacklist();
	if (!ret)
		ret = kprobe_blacklist_publish();
	kprobe_blacklist_end_change();
	return ret;
}

#ifdef CONFIG_MODULES
/* Begin a change with the present ranges, but for those in @size bytes from @base on. */
static int kprobe_blacklist_begin_change(unsigned long base, unsigned long size)
{
	struct kprobe_blackarray *old = kprobe_blacklist_locked();
	unsigned int i;

	for (i = 0; old && i < old->nr; i++) {
		struct kprobe_blackrange *r = &old->range[i];

		if (r->start - base < size)
			continue;
		if (kprobe_blacklist_push(r->start, r->end))
			return -ENOMEM;
	}
	return 0;
}

static int kprobe_blacklist_push_module(struct module *mod)
{
	unsigned long start;
	int ret;

	ret = kprobe_blacklist_push_symbols(mod->kprobe_blacklist,
					    mod->kprobe_blacklist +
					    mod->num_kprobe_blacklist);
	start = (unsigned long)mod->kprobes_text_start;
	if (!ret && start)
		ret = kprobe_add_area_blacklist(start,
						start + mod->kprobes_text_size);
	start = (unsigned long)mod->noinstr_text_start;
	if (!ret && start)
		ret = kprobe_add_area_blacklist(start,
						start + mod->noinstr_text_size);
	return ret;
}

/**
 * kprobe_blacklist_add_module() - add what a module forbids
 * @mod: a module that is coming up
 *
 * Return: 0 or -ENOMEM, which the module must not come up with.
 */
int kprobe_blacklist_add_module(struct module *mod)
{
	int ret;

	guard(mutex)(&kprobe_blacklist_mutex);
	if (!mod->num_kprobe_blacklist && !mod->kprobes_text_start &&
	    !mod->noinstr_text_start)
		return 0;
	ret = kprobe_blacklist_begin_change(0, 0);
	if (!ret)
		ret = kprobe_blacklist_push_module(mod);
	if (!ret)
		ret = kprobe_blacklist_publish();
	kprobe_blacklist_end_change();
	return ret;
}

/* Does a range begin in the @size bytes from @base on? Most modules have none. */
static bool kprobe_blacklist_any(unsigned long base, unsigned long size)
{
	struct kprobe_blackarray *b = kprobe_blacklist_locked();
	unsigned int nr;

	if (!b || !size)
		return false;
	nr = kprobe_count_before(b->range, b->nr, base + size - 1,
				 kprobe_blackrange_before);
	return nr && b->range[nr - 1].start >= base;
}

static void kprobe_blacklist_del_mem(struct module *mod, enum mod_mem_type type)
{
	unsigned long base = (unsigned long)mod->mem[type].base;
	unsigned long size = mod->mem[type].size;

	guard(mutex)(&kprobe_blacklist_mutex);
	if (!kprobe_blacklist_any(base, size))
		return;
	/* Without memory the ranges stay: other text there cannot be probed. */
	if (!kprobe_blacklist_begin_change(base, size))
		kprobe_blacklist_publish();
	kprobe_blacklist_end_change();
}

/**
 * kprobe_blacklist_del_init() - drop what a module forbade in its init text
 * @mod: a module whose init text is about to be freed
 *
 * Context: process context, without kprobe_mutex. May sleep.
 */
void kprobe_blacklist_del_init(struct module *mod)
{
	kprobe_blacklist_del_mem(mod, MOD_INIT_TEXT);
}

/**
 * kprobe_blacklist_del_module() - drop what a module forbade
 * @mod: a module that goes away, perhaps with its init text
 *
 * Context: process context, without kprobe_mutex. May sleep.
 */
void kprobe_blacklist_del_module(struct module *mod)
{
	kprobe_blacklist_del_mem(mod, MOD_INIT_TEXT);
	kprobe_blacklist_del_mem(mod, MOD_TEXT);
}
#endif /* CONFIG_MODULES */

/**
 * kprobe_blacklist_range() - one of the ranges
 * @nr: which one, in the order of their addresses
 * @start: filled with its first byte
 * @end: filled with the byte after its last
 *
 * Return: whether there are that many.
 */
bool kprobe_blacklist_range(loff_t nr, unsigned long *start, unsigned long *end)
{
	const struct kprobe_blackarray *b;

	guard(rcu)();
	b = rcu_dereference(kprobe_blacklist);
	if (!b || nr >= b->nr)
		return false;
	*start = b->range[nr].start;
	*end = b->range[nr].end;
	return true;
}
