// SPDX-License-Identifier: GPL-2.0
/*
 * Slots: what the kernel keeps of registered fprobes.
 *
 * The memory of an fprobe is its user's, and gone soon after it is unregistered. A
 * call that is under way refers to a slot instead, and to its generation. Slots are
 * never freed, and one is used again only after all that were free before.
 */
#include <linux/hashtable.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "internal.h"

/* As many as fit into a page. */
#define FPROBE_SLOTS	((unsigned int)(PAGE_SIZE / sizeof(struct fprobe_slot)))

/* See internal.h. */
DEFINE_MUTEX(fprobe_mutex);

/* Those in use, and those that are free, the one for the longest time first. */
LIST_HEAD(fprobe_slots);
static LIST_HEAD(fprobe_free_slots);
/* Those in use, by their fprobes. */
static DEFINE_HASHTABLE(fprobe_slots_of, 10);
static u64 fprobe_order;

static bool fprobe_slot_more(void)
{
	struct fprobe_slot *slots;
	unsigned int i;

	slots = kcalloc(FPROBE_SLOTS, sizeof(*slots), GFP_KERNEL);
	for (i = 0; slots && i < FPROBE_SLOTS; i++)
		list_add_tail(&slots[i].list, &fprobe_free_slots);
	return slots;
}

#ifdef FPROBE_HAS_ARGS
static enum fprobe_way fprobe_way_of(const struct fprobe *fp)
{
	return fp->flags & FPROBE_FL_ARGS ? FPROBE_ARGS : FPROBE_FULL;
}
#else
static enum fprobe_way fprobe_way_of(const struct fprobe *fp)
{
	return FPROBE_FULL;
}
#endif

static void fprobe_slot_clear(struct fprobe_slot *slot)
{
	slot->own = NULL;
	slot->filter = NULL;
	slot->notfilter = NULL;
}

/**
 * fprobe_slot_of() - the slot of an fprobe
 * @fp: any memory: nothing is read there
 *
 * Context: process context, fprobe_mutex held.
 * Return: the slot, or NULL if it is no fprobe that is registered.
 */
struct fprobe_slot *fprobe_slot_of(const struct fprobe *fp)
{
	struct fprobe_slot *slot;

	lockdep_assert_held(&fprobe_mutex);
	hash_for_each_possible(fprobe_slots_of, slot, hash, (unsigned long)fp) {
		if (slot->fp == fp)
			return slot;
	}
	return NULL;
}

/**
 * fprobe_slot_take() - give an fprobe a slot
 * @fp: an fprobe that has none
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: the slot, ERR_PTR(-ENOMEM), or ERR_PTR(-EINVAL) if there cannot be as many
 * nodes as &fprobe.nr_maxactive asks for.
 */
struct fprobe_slot *fprobe_slot_take(struct fprobe *fp)
{
	struct fprobe_slot *slot;
	int ret;

	lockdep_assert_held(&fprobe_mutex);
	if (list_empty(&fprobe_free_slots) && !fprobe_slot_more())
		return ERR_PTR(-ENOMEM);
	slot = list_first_entry(&fprobe_free_slots, struct fprobe_slot, list);
	fprobe_slot_clear(slot);
	ret = fprobe_nodes_own(fp, &slot->own);
	if (ret)
		return ERR_PTR(ret);
	list_move_tail(&slot->list, &fprobe_slots);
	hash_add(fprobe_slots_of, &slot->hash, (unsigned long)fp);
	/* A call of the slot's last fprobe may return just now: fprobe_leave_exit(). */
	WRITE_ONCE(slot->fp, fp);
	slot->way = fprobe_way_of(fp);
	slot->order = fprobe_order++;
	fp->nmissed = 0;
	memset(fp->missed, 0, sizeof(fp->missed));
	fp->slot = slot;
	return slot;
}

/**
 * fprobe_slot_drop() - let no hit and no return find an fprobe alive
 * @slot: its slot
 * @dropped: a list that the slot is moved to
 *
 * A grace period later no handler of it runs any more. Then fprobe_slot_free() may
 * be called.
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_slot_drop(struct fprobe_slot *slot, struct list_head *dropped)
{
	lockdep_assert_held(&fprobe_mutex);
	slot->fp->slot = NULL;
	hash_del(&slot->hash);
	/* fprobe_alive() reads it. */
	WRITE_ONCE(slot->generation, slot->generation + 1);
	list_move_tail(&slot->list, dropped);
}

/**
 * fprobe_slot_free() - let a slot be used again
 * @slot: a slot that was dropped, a grace period ago
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_slot_free(struct fprobe_slot *slot)
{
	lockdep_assert_held(&fprobe_mutex);
	if (slot->own)
		rethook_free(slot->own);
	kfree(slot->filter);
	kfree(slot->notfilter);
	fprobe_slot_clear(slot);
	WRITE_ONCE(slot->fp, NULL);
	list_move_tail(&slot->list, &fprobe_free_slots);
}
