// SPDX-License-Identifier: GPL-2.0
/*
 * The table: from an address to its probe point.
 *
 * Every breakpoint asks it, in any context including NMI, before anything
 * guards against recursion. So a lookup takes no lock and calls nothing: it is
 * a hash whose chains are read under RCU, with loads only. (An rhashtable
 * calls out of line while it is being resized, and so do the maple tree and
 * the XArray always: a probe in there would recurse.)
 *
 * The table grows with the points so that a chain holds about one. Each point
 * has two links and each table uses one of them, the next table the other:
 * growing means to link all points a second time, to publish the new table,
 * and to leave the old one to its readers until they are gone. Only then may
 * the links be used again, which the next growth waits for if it must.
 *
 * Most look-ups find nothing: whoever reads text asks for each byte whether there
 * is a point. So chains shall be empty rather than short, and there are two to
 * eight of them for each point. The table never shrinks.
 */
#include <linux/hash.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/slab.h>

#include "internal.h"

#define KPROBE_TABLE_MIN_BITS	6
#define KPROBE_TABLE_GROW_BITS	2
#define KPROBE_TABLE_MAX_BITS	22

/**
 * struct kprobe_table - one generation of the table
 * @shift: how many bits of a hash are too many for the number of chains
 * @link: where in a point the link is that its chains use
 * @head: the chains
 */
struct kprobe_table {
	unsigned int shift;
	unsigned long link;
	struct hlist_head head[];
};

#define KPROBE_TABLE_LINK(i)	offsetof(struct kprobe_point, hash[i])

static struct {
	struct kprobe_table table;
	struct hlist_head head[1 << KPROBE_TABLE_MIN_BITS];
} kprobe_first_table = {
	.table.shift = BITS_PER_LONG - KPROBE_TABLE_MIN_BITS,
	.table.link = KPROBE_TABLE_LINK(0),
};

/* Written under kprobe_mutex. */
static struct kprobe_table __rcu *kprobe_table =
	(struct kprobe_table __rcu __force *)&kprobe_first_table.table;
static unsigned int kprobe_table_points;

/* The previous generation, and when its last reader will have left. */
static struct kprobe_table *kprobe_old_table;
static unsigned long kprobe_old_readers;

static __always_inline struct hlist_head *
kprobe_chain(struct kprobe_table *t, const void *addr)
{
	/* As hash_long() does it. */
	return &t->head[(unsigned long)addr * GOLDEN_RATIO_PRIME >> t->shift];
}

static __always_inline struct kprobe_point *
kprobe_linked(struct kprobe_table *t, struct hlist_node *n)
{
	return (void *)n - t->link;
}

static unsigned int kprobe_table_size(const struct kprobe_table *t)
{
	return 1U << (BITS_PER_LONG - t->shift);
}

/**
 * kprobe_table_find() - look up the point at an address
 * @addr: any address
 *
 * Context: any, NMI too, with preemption disabled or kprobe_mutex held.
 * Return: the point or NULL.
 */
struct kprobe_point *kprobe_table_find(void *addr)
{
	struct kprobe_table *t = rcu_dereference_raw(kprobe_table);
	struct hlist_node *n;

	n = rcu_dereference_raw(hlist_first_rcu(kprobe_chain(t, addr)));
	while (n) {
		struct kprobe_point *pt = kprobe_linked(t, n);

		if (likely(pt->kp.addr == addr))
			return pt;
		n = rcu_dereference_raw(hlist_next_rcu(n));
	}
	return NULL;
}

NOKPROBE_SYMBOL(kprobe_table_find);

/**
 * get_kprobe() - look up the face of the point at an address
 * @addr: any address
 *
 * Context: as kprobe_table_find().
 * Return: the face or NULL.
 */
struct kprobe *get_kprobe(void *addr)
{
	struct kprobe_point *pt = kprobe_table_find(addr);

	return pt ? &pt->kp : NULL;
}

NOKPROBE_SYMBOL(get_kprobe);

static struct kprobe_table *kprobe_table_locked(void)
{
	return rcu_dereference_protected(kprobe_table,
					 lockdep_is_held(&kprobe_mutex));
}

static void kprobe_table_link(struct kprobe_table *t, struct kprobe_point *pt)
{
	hlist_add_head_rcu((void *)pt + t->link, kprobe_chain(t, pt->kp.addr));
}

static struct kprobe_table *kprobe_table_alloc(struct kprobe_table *old)
{
	unsigned int shift = old->shift - KPROBE_TABLE_GROW_BITS;
	struct kprobe_table *t;

	t = kvzalloc(struct_size(t, head, 1UL << (BITS_PER_LONG - shift)),
		     GFP_KERNEL);
	if (t) {
		t->shift = shift;
		t->link = KPROBE_TABLE_LINK(old->link == KPROBE_TABLE_LINK(0));
	}
	return t;
}

/* The readers of the previous generation have to leave before this. */
static void kprobe_table_drop_old(void)
{
	if (!kprobe_old_table)
		return;
	cond_synchronize_rcu(kprobe_old_readers);
	if (kprobe_old_table != &kprobe_first_table.table)
		kvfree(kprobe_old_table);
	kprobe_old_table = NULL;
}

/* Without memory for a larger table the old one serves on, only slower. */
static void kprobe_table_grow(void)
{
	struct kprobe_table *old = kprobe_table_locked(), *new;
	unsigned int i;

	if (2 * kprobe_table_points < kprobe_table_size(old) ||
	    kprobe_table_size(old) >= 1U << KPROBE_TABLE_MAX_BITS)
		return;
	new = kprobe_table_alloc(old);
	if (!new)
		return;
	kprobe_table_drop_old();
	for (i = 0; i < kprobe_table_size(old); i++) {
		struct hlist_node *n;

		for (n = old->head[i].first; n; n = n->next)
			kprobe_table_link(new, kprobe_linked(old, n));
	}
	rcu_assign_pointer(kprobe_table, new);
	kprobe_old_table = old;
	kprobe_old_readers = get_state_synchronize_rcu();
}

/**
 * kprobe_table_add() - make a point known
 * @pt: a point whose address has none yet
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_table_add(struct kprobe_point *pt)
{
	lockdep_assert_held(&kprobe_mutex);
	kprobe_table_points++;
	kprobe_table_grow();
	kprobe_table_link(kprobe_table_locked(), pt);
}

/**
 * kprobe_table_del() - make a point unknown
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
	hlist_del_rcu((void *)pt + kprobe_table_locked()->link);
}

/**
 * kprobe_table_buckets() - how many chains the table has now
 *
 * Return: the number.
 */
unsigned int kprobe_table_buckets(void)
{
	return kprobe_table_size(rcu_dereference_raw(kprobe_table));
}
