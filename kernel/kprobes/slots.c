// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: pieces of executable memory, all of one size, for the copies of
 * instructions and for detour buffers.
 *
 * Slots are taken and given back under a mutex, in constant time: a cache
 * keeps the pages that have room in front of its list. Stack traces look up
 * slots by addresses, in any context (lookup.c), so the pages are also in a
 * latched tree, as those of modules are.
 */
#include <linux/bitmap.h>
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "slot_page.h"

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT

struct kprobe_slot_cache kprobe_insn_slots = {
	.mutex = __MUTEX_INITIALIZER(kprobe_insn_slots.mutex),
	.pages = LIST_HEAD_INIT(kprobe_insn_slots.pages),
	.all = LIST_HEAD_INIT(kprobe_insn_slots.all),
	.alloc = alloc_insn_page,
	.free = free_insn_page,
	.symbol = "kprobe_insn_page",
	.slot_size = KPROBE_SLOT_SIZE,
};

#ifdef CONFIG_OPTPROBES
struct kprobe_slot_cache kprobe_optinsn_slots = {
	.mutex = __MUTEX_INITIALIZER(kprobe_optinsn_slots.mutex),
	.pages = LIST_HEAD_INIT(kprobe_optinsn_slots.pages),
	.all = LIST_HEAD_INIT(kprobe_optinsn_slots.all),
	.alloc = alloc_optinsn_page,
	.free = free_optinsn_page,
	.symbol = "kprobe_optinsn_page",
	/* .slot_size is known at boot only: some measure a template. */
};
#endif /* CONFIG_OPTPROBES */

/* Tell perf of the page, so that it can attribute samples in it. */
static void kprobe_slot_page_event(struct kprobe_slot_cache *c,
				   struct kprobe_slot_page *p, bool gone)
{
	perf_event_ksymbol(PERF_RECORD_KSYMBOL_TYPE_OOL, p->base, PAGE_SIZE,
			   gone, c->symbol);
}

/* The three bitmaps of a page, in one piece. */
static unsigned long *kprobe_slot_page_maps(struct kprobe_slot_cache *c,
					    struct kprobe_slot_page *p)
{
	unsigned int longs = BITS_TO_LONGS(kprobe_slots_per_page(c));

	p->map = bitmap_zalloc(3 * longs * BITS_PER_LONG, GFP_KERNEL);
	p->late = p->map + longs;
	p->waiting = p->late + longs;
	return p->map;
}

static struct kprobe_slot_page *kprobe_slot_page_new(struct kprobe_slot_cache *c)
{
	unsigned int nr = kprobe_slots_per_page(c);
	struct kprobe_slot_page *p;

	p = kzalloc(struct_size(p, owner, nr), GFP_KERNEL);
	if (!p)
		return NULL;
	p->base = (unsigned long)(kprobe_slot_page_maps(c, p) ? c->alloc() : NULL);
	if (!p->base) {
		bitmap_free(p->map);
		kfree(p);
		return NULL;
	}
	if (!c->lowest || p->base < c->lowest)
		WRITE_ONCE(c->lowest, p->base);
	if (p->base + PAGE_SIZE > c->highest)
		WRITE_ONCE(c->highest, p->base + PAGE_SIZE);
	latch_tree_insert(&p->node, &c->tree, &kprobe_slot_tree_ops);
	list_add(&p->list, &c->pages);
	list_add_tail_rcu(&p->all, &c->all);
	kprobe_slot_page_event(c, p, false);
	return p;
}

static void kprobe_slot_page_free(struct kprobe_slot_cache *c,
				  struct kprobe_slot_page *p)
{
	list_del(&p->list);
	list_del_rcu(&p->all);
	latch_tree_erase(&p->node, &c->tree, &kprobe_slot_tree_ops);
	kprobe_slot_page_event(c, p, true);
	bitmap_free(p->map);
	c->free((void *)p->base);
	kfree_rcu(p, rcu);
}

/* Pages with room come first. */
static struct kprobe_slot_page *kprobe_slot_page_with_room(struct kprobe_slot_cache *c)
{
	struct kprobe_slot_page *p;

	p = list_first_entry_or_null(&c->pages, struct kprobe_slot_page, list);
	if (p && p->used < kprobe_slots_per_page(c))
		return p;
	return kprobe_slot_page_new(c);
}

/**
 * kprobe_get_slot() - take a slot
 * @c: the cache
 *
 * Context: process context, may sleep.
 * Return: the slot, or NULL without memory.
 */
kprobe_opcode_t *kprobe_get_slot(struct kprobe_slot_cache *c)
{
	struct kprobe_slot_page *p;
	unsigned int i;

	guard(mutex)(&c->mutex);
	p = kprobe_slot_page_with_room(c);
	if (!p)
		return NULL;
	i = find_first_zero_bit(p->map, kprobe_slots_per_page(c));
	__set_bit(i, p->map);
	if (++p->used == kprobe_slots_per_page(c))
		list_move_tail(&p->list, &c->pages);
	return (kprobe_opcode_t *)(p->base + i * c->slot_size);
}

static void kprobe_slot_give_back(struct kprobe_slot_cache *c,
				  struct kprobe_slot_page *p, unsigned int i)
{
	__clear_bit(i, p->map);
	/* Read by READ_ONCE() in kprobe_slot_owner(); no order is needed. */
	WRITE_ONCE(p->owner[i], NULL);
	/* The last page stays, for the next probe. */
	if (!--p->used && !list_is_singular(&c->pages))
		kprobe_slot_page_free(c, p);
	else
		list_move(&p->list, &c->pages);
}

/* The page of a slot in use, and the slot's index in it. */
static struct kprobe_slot_page *kprobe_slot_locate(struct kprobe_slot_cache *c,
						   kprobe_opcode_t *slot,
						   unsigned int *i)
{
	struct kprobe_slot_page *p = kprobe_slot_page_find(c, (unsigned long)slot);

	if (WARN_ON_ONCE(!p))
		return NULL;
	*i = ((unsigned long)slot - p->base) / c->slot_size;
	return WARN_ON_ONCE(!test_bit(*i, p->map)) ? NULL : p;
}

/**
 * kprobe_free_slot() - give a slot back
 * @c: the cache
 * @slot: the slot, in which no task can be any more
 * @dirty: of no consequence, the core has waited already
 *
 * Context: process context, may sleep.
 */
void kprobe_free_slot(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
		      int dirty)
{
	struct kprobe_slot_page *p;
	unsigned int i;

	guard(mutex)(&c->mutex);
	p = kprobe_slot_locate(c, slot, &i);
	if (p)
		kprobe_slot_give_back(c, p, i);
}

/**
 * kprobe_free_slot_late() - give a slot back that a task may still be in
 * @c: the cache
 * @slot: the slot, which no task can enter any more
 *
 * Context: process context, may sleep.
 */
void kprobe_free_slot_late(struct kprobe_slot_cache *c, kprobe_opcode_t *slot)
{
	struct kprobe_slot_page *p;
	unsigned int i;

	scoped_guard(mutex, &c->mutex) {
		p = kprobe_slot_locate(c, slot, &i);
		if (!p)
			return;
		WRITE_ONCE(p->owner[i], NULL);
		__set_bit(i, p->late);
	}
	kprobe_retire_wake();
}

/**
 * kprobe_slots_late() - note the slots that a grace period of RCU tasks will release
 * @c: the cache
 *
 * Slots that are given back after this call wait for the next one.
 *
 * Context: process context, before the grace period begins. May sleep.
 * kprobe_slots_reap() has been called since the last time.
 * Return: whether a slot waits for one.
 */
bool kprobe_slots_late(struct kprobe_slot_cache *c)
{
	unsigned int nr = kprobe_slots_per_page(c);
	struct kprobe_slot_page *p;
	bool some = false;

	guard(mutex)(&c->mutex);
	list_for_each_entry(p, &c->pages, list) {
		some |= !bitmap_empty(p->late, nr);
		bitmap_or(p->waiting, p->waiting, p->late, nr);
		bitmap_zero(p->late, nr);
	}
	return some;
}

/**
 * kprobe_slots_reap() - free the slots that kprobe_slots_late() has noted
 * @c: the cache
 *
 * Context: process context, when the grace period has ended. May sleep.
 */
void kprobe_slots_reap(struct kprobe_slot_cache *c)
{
	unsigned int nr = kprobe_slots_per_page(c), i, n;
	struct kprobe_slot_page *p, *next;

	guard(mutex)(&c->mutex);
	list_for_each_entry_safe(p, next, &c->pages, list) {
		/* With the last slot the page is freed, and its maps. */
		for (n = bitmap_weight(p->waiting, nr); n; n--) {
			i = find_first_bit(p->waiting, nr);
			__clear_bit(i, p->waiting);
			kprobe_slot_give_back(c, p, i);
		}
	}
}

/**
 * kprobe_set_slot_owner() - note which point's copy a slot holds
 * @c: the cache
 * @slot: a slot that is in use
 * @p: the point's kprobe
 */
void kprobe_set_slot_owner(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
			   struct kprobe *p)
{
	struct kprobe_slot_page *page;
	unsigned int i;

	guard(mutex)(&c->mutex);
	page = kprobe_slot_page_find(c, (unsigned long)slot);
	if (WARN_ON_ONCE(!page))
		return;
	i = ((unsigned long)slot - page->base) / c->slot_size;
	/*
	 * Pairs with the address dependency from READ_ONCE() of the owner in
	 * kprobe_slot_owner(): the point says what the slot holds.
	 */
	smp_store_release(&page->owner[i], p);
}

/**
 * kprobe_slots_used() - how many slots of a cache are taken
 * @c: the cache
 *
 * Context: process context, may sleep.
 * Return: how many.
 */
unsigned int kprobe_slots_used(struct kprobe_slot_cache *c)
{
	struct kprobe_slot_page *p;
	unsigned int used = 0;

	guard(mutex)(&c->mutex);
	list_for_each_entry(p, &c->pages, list)
		used += p->used;
	return used;
}

/*
 * Count down through the pages of a cache, without its mutex: kdb calls this
 * while all CPUs are stopped, perhaps one of them holding the mutex.
 */
static int kprobe_slot_kallsym(struct kprobe_slot_cache *c, unsigned int *symnum,
			       unsigned long *value, char *type, char *sym)
{
	struct kprobe_slot_page *p;

	guard(rcu)();
	list_for_each_entry_rcu(p, &c->all, all) {
		if ((*symnum)--)
			continue;
		strscpy(sym, c->symbol, KSYM_NAME_LEN);
		*type = 't';
		*value = p->base;
		return 0;
	}
	return -ERANGE;
}

#ifdef CONFIG_OPTPROBES
static int kprobe_optinsn_kallsym(unsigned int *symnum, unsigned long *value, char *type,
				  char *sym)
{
	return kprobe_slot_kallsym(&kprobe_optinsn_slots, symnum, value, type, sym);
}
#else
static int kprobe_optinsn_kallsym(unsigned int *symnum, unsigned long *value, char *type,
				  char *sym)
{
	return -ERANGE;
}
#endif

/**
 * kprobe_get_kallsym() - the pages of slots, as symbols
 * @symnum: which one
 * @value: filled with its address
 * @type: filled with its type
 * @sym: filled with its name, KSYM_NAME_LEN bytes
 *
 * Context: any but NMI; a debugger that has stopped the machine, too.
 * Return: 0, or -ERANGE when there are not that many.
 */
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	int ret = kprobe_slot_kallsym(&kprobe_insn_slots, &symnum, value, type,
				      sym);

	return ret ? kprobe_optinsn_kallsym(&symnum, value, type, sym) : 0;
}

#else /* !__ARCH_WANT_KPROBES_INSN_SLOT */

int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym)
{
	return -ERANGE;
}

#endif /* __ARCH_WANT_KPROBES_INSN_SLOT */
