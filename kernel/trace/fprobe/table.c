// SPDX-License-Identifier: GPL-2.0
/*
 * The tables: from the ftrace site of a function to its set.
 *
 * A hit looks up its site in any context, NMI included, so readers take no lock and
 * call nothing: a table is an array with open addressing, at most half full. An
 * entry is written in place. Its site never changes, and when the fprobes on it
 * are gone, it stays without a set, for the entries behind it that had collided. A
 * table that is full is left to its readers, and what is alive in it gets a new one.
 */
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "internal.h"

#define FPROBE_TABLE_MIN	64

/* Where nothing is armed. It has no room, and is never written. */
static struct {
	struct fprobe_table table;
	struct fprobe_entry entry[2];
} fprobe_no_table = {
	.table.shift = BITS_PER_LONG - 1,
	.table.mask = 1,
};

struct fprobe_table __rcu *fprobe_tables[FPROBE_NR_WAYS] = {
	[0 ... FPROBE_NR_WAYS - 1] =
		(struct fprobe_table __rcu __force *)&fprobe_no_table.table,
};

/* How many entries have a site, and a set. Under fprobe_mutex. */
static struct {
	unsigned int used;
	unsigned int live;
} fprobe_fill[FPROBE_NR_WAYS];

static struct fprobe_table *fprobe_table_locked(enum fprobe_way way)
{
	return rcu_dereference_protected(fprobe_tables[way],
					 lockdep_is_held(&fprobe_mutex));
}

/* The entry of a site, or the one that it would get. */
static struct fprobe_entry *fprobe_table_entry(struct fprobe_table *t,
					       unsigned long ip)
{
	unsigned int i = fprobe_table_hash(t, ip);

	while (t->entry[i].ip && t->entry[i].ip != ip)
		i = (i + 1) & t->mask;
	return &t->entry[i];
}

static struct fprobe_table *fprobe_table_alloc(unsigned int size)
{
	struct fprobe_table *t;

	t = kvzalloc(struct_size(t, entry, size), GFP_KERNEL | __GFP_NOWARN);
	if (!t)
		return NULL;
	t->shift = BITS_PER_LONG - ilog2(size);
	t->mask = size - 1;
	return t;
}

/* @new may have been filled, but no reader has seen it. */
static void fprobe_table_publish(enum fprobe_way way, struct fprobe_table *new)
{
	struct fprobe_table *old = fprobe_table_locked(way);

	fprobe_fill[way].used = fprobe_fill[way].live;
	/* Pairs with rcu_dereference_raw() in fprobe_table_find(). */
	rcu_assign_pointer(fprobe_tables[way], new);
	if (old != &fprobe_no_table.table)
		kvfree_rcu(old, rcu);
}

static void fprobe_table_copy(struct fprobe_table *new,
			      struct fprobe_table *old)
{
	struct fprobe_entry *e, *to;

	for (e = old->entry; e <= old->entry + old->mask; e++) {
		if (!fprobe_entry_set(e))
			continue;
		to = fprobe_table_entry(new, e->ip);
		to->ip = e->ip;
		RCU_INIT_POINTER(to->set, fprobe_entry_set(e));
	}
}

/**
 * fprobe_table_reserve() - make room for sites
 * @way: in which table
 * @more: for how many
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int fprobe_table_reserve(enum fprobe_way way, unsigned int more)
{
	struct fprobe_table *new, *old = fprobe_table_locked(way);
	unsigned int size;

	if (2 * ((size_t)fprobe_fill[way].used + more) <= old->mask)
		return 0;
	size = roundup_pow_of_two(2 * (fprobe_fill[way].live + more) + 1);
	new = fprobe_table_alloc(max(size, FPROBE_TABLE_MIN));
	if (!new)
		return -ENOMEM;
	fprobe_table_copy(new, old);
	fprobe_table_publish(way, new);
	return 0;
}

/**
 * fprobe_table_put() - set the fprobes of a site
 * @way: in which table
 * @ip: the site. If it is not in the table, fprobe_table_reserve() has made room
 * @set: the set; NULL if there are none any more
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_table_put(enum fprobe_way way, unsigned long ip,
		      struct fprobe_set *set)
{
	struct fprobe_entry *e = fprobe_table_entry(fprobe_table_locked(way), ip);
	struct fprobe_set *old = fprobe_entry_set(e);

	fprobe_fill[way].live += !!set - !!old;
	if (set)
		set->users++;
	if (old)
		old->users--;
	/* Pairs with rcu_dereference_raw() in fprobe_table_find(). */
	rcu_assign_pointer(e->set, set);
	if (!e->ip) {
		fprobe_fill[way].used++;
		/* Pairs with smp_load_acquire() in fprobe_table_find(). */
		smp_store_release(&e->ip, ip);
	}
}

/**
 * fprobe_table_live() - how many functions are armed
 * @way: which way
 *
 * Context: process context, fprobe_mutex held.
 * Return: the number.
 */
unsigned int fprobe_table_live(enum fprobe_way way)
{
	lockdep_assert_held(&fprobe_mutex);
	return fprobe_fill[way].live;
}

/**
 * fprobe_entry_set() - the set of an entry
 * @e: the entry
 *
 * Context: process context, fprobe_mutex held.
 * Return: the set, or NULL.
 */
struct fprobe_set *fprobe_entry_set(const struct fprobe_entry *e)
{
	return rcu_dereference_protected(e->set,
					 lockdep_is_held(&fprobe_mutex));
}

/**
 * fprobe_table_next() - walk a table
 * @way: which table
 * @pos: where to go on, 0 at first. Moved behind the entry
 *
 * Context: process context, fprobe_mutex held.
 * Return: the next entry that has a set, or NULL.
 */
struct fprobe_entry *fprobe_table_next(enum fprobe_way way, unsigned int *pos)
{
	struct fprobe_table *t = fprobe_table_locked(way);
	struct fprobe_entry *e;

	while (*pos <= t->mask) {
		e = &t->entry[(*pos)++];
		if (fprobe_entry_set(e))
			return e;
	}
	return NULL;
}

/**
 * fprobe_table_settle() - free a table that is empty by now
 * @way: which table
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_table_settle(enum fprobe_way way)
{
	if (!fprobe_fill[way].live &&
	    fprobe_table_locked(way) != &fprobe_no_table.table)
		fprobe_table_publish(way, &fprobe_no_table.table);
}
