// SPDX-License-Identifier: GPL-2.0
/*
 * Changes of what is armed: the table first, then ftrace's filters.
 */
#include <linux/err.h>
#include <linux/ftrace.h>
#include <asm/sections.h>

#include "internal.h"

/*
 * Of many functions that get the same fprobe, most have had the same set before.
 */
struct fprobe_memo {
	struct fprobe_set *old;
	struct fprobe_set *new;
};

static struct fprobe_set *fprobe_memo_with(struct fprobe_memo *memo,
					   struct fprobe_set *old,
					   struct fprobe_slot *slot)
{
	if (!memo->new || memo->old != old) {
		memo->new = fprobe_set_with(old, slot);
		memo->old = old;
	}
	return memo->new;
}

/* Enter an fprobe at its sites. Those that had none before go into @fresh. */
static int fprobe_enter_slot(struct fprobe_slot *slot,
			     const struct fprobe_sites *sites,
			     struct fprobe_sites *fresh)
{
	struct fprobe_memo memo = {};
	struct fprobe_set *old, *new;
	unsigned int i;
	int ret;

	ret = fprobe_table_reserve(slot->way, sites->nr);
	for (i = 0; i < sites->nr && !ret; i++) {
		old = fprobe_table_find(slot->way, sites->ips[i]);
		if (old && fprobe_set_has(old, slot))
			continue;
		new = fprobe_memo_with(&memo, old, slot);
		if (IS_ERR(new))
			return PTR_ERR(new);
		if (!old)
			ret = fprobe_sites_add(fresh, sites->ips[i]);
		if (!ret)
			fprobe_table_put(slot->way, sites->ips[i], new);
	}
	return ret;
}

/* They were not armed. Without a set in the table, the next registration arms them. */
static void fprobe_leave_sites(enum fprobe_way way,
			       const struct fprobe_sites *fresh)
{
	unsigned int i;

	for (i = 0; i < fresh->nr; i++) {
		if (fprobe_table_find(way, fresh->ips[i]))
			fprobe_table_put(way, fresh->ips[i], NULL);
	}
}

static int fprobe_enter_way(enum fprobe_way way, struct fprobe_slot **slots,
			    struct fprobe_sites *sites, unsigned int num)
{
	struct fprobe_sites fresh = {};
	unsigned int i;
	int ret = 0;

	for (i = 0; i < num && !ret; i++) {
		if (slots[i]->way == way)
			ret = fprobe_enter_slot(slots[i], &sites[i], &fresh);
	}
	if (!ret)
		ret = fprobe_arm(way, &fresh);
	if (ret)
		fprobe_leave_sites(way, &fresh);
	fprobe_sites_free(&fresh);
	return ret;
}

/**
 * fprobe_change_add() - arm fprobes
 * @slots: their slots
 * @sites: the sites of each
 * @num: how many fprobes there are
 *
 * On an error, a function that had fprobes before may have the set with a new one
 * already. Drop the slots and call fprobe_change_tidy() then, which takes them out again.
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0, -ENOMEM, or what fprobe_arm() says.
 */
int fprobe_change_add(struct fprobe_slot **slots, struct fprobe_sites *sites,
		      unsigned int num)
{
	enum fprobe_way way;
	int ret = 0;

	lockdep_assert_held(&fprobe_mutex);
	for (way = 0; way < FPROBE_NR_WAYS && !ret; way++)
		ret = fprobe_enter_way(way, slots, sites, num);
	fprobe_set_collect();
	return ret;
}

/**
 * struct fprobe_left - sites where nothing is left
 * @sites: the sites
 * @lost: there was no memory for one of them
 */
struct fprobe_left {
	struct fprobe_sites sites;
	bool lost;
};

/* Give an entry another set, or none. */
static void fprobe_entry_change(enum fprobe_way way, struct fprobe_entry *e,
				struct fprobe_set *set, struct fprobe_left *left)
{
	if (set == fprobe_entry_set(e))
		return;
	if (!set && fprobe_sites_add(&left->sites, e->ip))
		left->lost = true;
	fprobe_table_put(way, e->ip, set);
}

static void fprobe_left_disarm(enum fprobe_way way, struct fprobe_left *left)
{
	fprobe_disarm(way, left->lost ? NULL : &left->sites);
	fprobe_sites_free(&left->sites);
	fprobe_table_settle(way);
}

static void fprobe_tidy_way(enum fprobe_way way)
{
	struct fprobe_left left = {};
	struct fprobe_entry *e;
	unsigned int pos = 0;

	while ((e = fprobe_table_next(way, &pos)))
		fprobe_entry_change(way, e, fprobe_entry_set(e)->heir, &left);
	fprobe_left_disarm(way, &left);
}

/**
 * fprobe_change_tidy() - take all that is dead out of tables, sets and filters
 *
 * Context: process context, fprobe_mutex held. May sleep.
 */
void fprobe_change_tidy(void)
{
	enum fprobe_way way;

	lockdep_assert_held(&fprobe_mutex);
	fprobe_set_find_heirs();
	for (way = 0; way < FPROBE_NR_WAYS; way++)
		fprobe_tidy_way(way);
	fprobe_set_collect();
}

static void fprobe_forget_way(enum fprobe_way way, unsigned long start,
			      unsigned long end)
{
	struct fprobe_left left = {};
	struct fprobe_entry *e;
	unsigned int pos = 0;

	while ((e = fprobe_table_next(way, &pos))) {
		if (e->ip >= start && e->ip < end)
			fprobe_entry_change(way, e, NULL, &left);
	}
	fprobe_left_disarm(way, &left);
}

/**
 * fprobe_change_forget() - disarm the functions in some text that goes away
 * @start: its first byte
 * @end: the byte after its last
 *
 * Context: process context, fprobe_mutex held, and ftrace still knows the sites. May
 * sleep.
 */
void fprobe_change_forget(unsigned long start, unsigned long end)
{
	enum fprobe_way way;

	lockdep_assert_held(&fprobe_mutex);
	for (way = 0; way < FPROBE_NR_WAYS; way++)
		fprobe_forget_way(way, start, end);
	fprobe_set_collect();
}

/**
 * fprobe_free_init_mem() - disarm the functions in the kernel's init text
 *
 * Context: process context, before the text is freed. May sleep.
 */
void fprobe_free_init_mem(void)
{
	guard(mutex)(&fprobe_mutex);
	fprobe_change_forget((unsigned long)__init_begin,
			     (unsigned long)__init_end);
}

/**
 * fprobe_change_sites() - how many functions is an fprobe armed on?
 * @slot: its slot
 *
 * Context: process context, fprobe_mutex held.
 * Return: the number.
 */
unsigned int fprobe_change_sites(const struct fprobe_slot *slot)
{
	unsigned int pos = 0, nr = 0;
	struct fprobe_entry *e;

	while ((e = fprobe_table_next(slot->way, &pos)))
		nr += fprobe_set_has(fprobe_entry_set(e), slot);
	return nr;
}
