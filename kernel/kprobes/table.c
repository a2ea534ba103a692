// SPDX-License-Identifier: GPL-2.0
/*
 * The table: from an address to its probe point.
 *
 * Every breakpoint looks up its point, in any context including NMI, before the
 * recursion guard. So a lookup (lookup.c) takes no lock and calls no function: the
 * table is a hash whose chains are read under RCU, with loads only. (An rhashtable
 * calls functions while it is being resized, the maple tree and the XArray
 * always do: a probe in one of them would recurse.)
 *
 * The table grows with the points, for many of them at once. Each point has two
 * links, and each table uses the one that the table before it did not use. To
 * grow means to link all points a second time, to publish the new table, and to
 * leave the old one to its readers. Its links may be used again only when it
 * has no readers any more, so the next growth waits for that if it must.
 *
 * Most look-ups find no point: code that reads text looks for a point at each
 * byte. So most chains should be empty, and there are two to four of them for
 * each point. The table never shrinks.
 */
#include <linux/hash.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "internal.h"

#define KPROBE_TABLE_MIN_BITS	6
#define KPROBE_TABLE_MAX	0x400000U	/* chains */

/* The end of every chain: no CPU executes anything at its address. */
struct kprobe_point kprobe_no_point = {
	.probe.addr = (kprobe_opcode_t *)&kprobe_no_point,
};

static struct {
	struct kprobe_table table;
	struct kprobe *head[1 << KPROBE_TABLE_MIN_BITS];
} kprobe_first_table = {
	.table.shift = BITS_PER_LONG - KPROBE_TABLE_MIN_BITS,
	.table.next = offsetof(struct kprobe_point, next[0]),
	.head = {
		[0 ... (1 << KPROBE_TABLE_MIN_BITS) - 1] = &kprobe_no_point.probe,
	},
};

/* Written under kprobe_mutex. */
struct kprobe_table __rcu *kprobe_table =
	(struct kprobe_table __rcu __force *)&kprobe_first_table.table;
static unsigned int kprobe_table_points;

/* The grace period after which the table before this one has no readers. */
static unsigned long kprobe_old_readers;

/* The link of a point that @t uses. */
static __always_inline struct kprobe **
kprobe_next(const struct kprobe_table *t, struct kprobe *p)
{
	return (void *)p + t->next;
}

static unsigned int kprobe_table_size(const struct kprobe_table *t)
{
	return 1U << (BITS_PER_LONG - t->shift);
}

static struct kprobe_table *kprobe_table_locked(void)
{
	return rcu_dereference_protected(kprobe_table,
					 lockdep_is_held(&kprobe_mutex));
}

static void kprobe_table_link(struct kprobe_table *t, struct kprobe *p)
{
	struct kprobe **chain = &t->head[kprobe_hash(t, p->addr)];

	*kprobe_next(t, p) = *chain;
	/*
	 * Pairs with rcu_dereference_raw() in kprobe_table_lookup(): a reader
	 * finds the point with its address and its link.
	 */
	smp_store_release(chain, p);
}

/* The link of @p stays, for readers that have come to @p. */
static void kprobe_table_unlink(struct kprobe_table *t, struct kprobe *p)
{
	struct kprobe **link = &t->head[kprobe_hash(t, p->addr)];

	while (*link != p)
		link = kprobe_next(t, *link);
	WRITE_ONCE(*link, *kprobe_next(t, p));
}

/* Of the two links of a point, the one that @old does not use. */
static unsigned int kprobe_other_link(const struct kprobe_table *old)
{
	unsigned int first = offsetof(struct kprobe_point, next[0]);

	return old->next == first ? offsetof(struct kprobe_point, next[1]) : first;
}

static struct kprobe_table *kprobe_table_alloc(struct kprobe_table *old,
					       unsigned int chains)
{
	struct kprobe_table *t;

	t = kvmalloc(struct_size(t, head, chains), GFP_KERNEL | __GFP_NOWARN);
	if (!t)
		return NULL;
	t->shift = BITS_PER_LONG - ilog2(chains);
	t->next = kprobe_other_link(old);
	while (chains--)
		t->head[chains] = &kprobe_no_point.probe;
	return t;
}

static void kprobe_table_publish(struct kprobe_table *new)
{
	struct kprobe_table *old = kprobe_table_locked();
	struct kprobe *p;
	unsigned int i;

	/*
	 * @new uses the links that the table before @old used. Pairs with
	 * get_state_synchronize_rcu() below, when @old was published: that
	 * table has no readers any more.
	 */
	if (old != &kprobe_first_table.table)
		cond_synchronize_rcu(kprobe_old_readers);
	for (i = 0; i < kprobe_table_size(old); i++) {
		for (p = old->head[i]; p != &kprobe_no_point.probe;
		     p = *kprobe_next(old, p))
			kprobe_table_link(new, p);
	}
	/* Pairs with rcu_dereference_raw() in kprobe_table_lookup(). */
	rcu_assign_pointer(kprobe_table, new);
	kprobe_old_readers = get_state_synchronize_rcu();
	if (old != &kprobe_first_table.table)
		kvfree_rcu(old, rcu);
}

/**
 * kprobe_table_reserve() - make room for several points at once
 * @more: how many points will be added
 *
 * Without memory for a larger table the old one stays in use, only slower.
 *
 * Context: process context, kprobe_mutex held. May sleep, also for a grace
 * period.
 */
void kprobe_table_reserve(unsigned int more)
{
	unsigned int size = kprobe_table_size(kprobe_table_locked());
	unsigned int chains = size;
	struct kprobe_table *new;

	more = min(more, KPROBE_TABLE_MAX);
	while (chains <= 2 * (kprobe_table_points + more) &&
	       chains < KPROBE_TABLE_MAX)
		chains *= 2;
	if (chains == size)
		return;
	new = kprobe_table_alloc(kprobe_table_locked(), chains);
	if (new)
		kprobe_table_publish(new);
}

/**
 * kprobe_table_add() - let look-ups find a point
 * @pt: a point whose address has none yet
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_table_add(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	kprobe_table_reserve(1);
	kprobe_table_points++;
	kprobe_table_link(kprobe_table_locked(), &pt->probe);
}

/**
 * kprobe_table_del() - let look-ups find a point no more
 * @pt: a point in the table
 *
 * Lookups that began before may still return it: free it after a grace period.
 *
 * Context: kprobe_mutex held.
 */
void kprobe_table_del(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	kprobe_table_points--;
	kprobe_table_unlink(kprobe_table_locked(), &pt->probe);
}

/**
 * kprobe_table_buckets() - how many chains the table has now
 *
 * Context: any.
 * Return: the number.
 */
unsigned int kprobe_table_buckets(void)
{
	guard(preempt)();
	return kprobe_table_size(rcu_dereference_raw(kprobe_table));
}
