// SPDX-License-Identifier: GPL-2.0
/*
 * Sets: the fprobes on a function.
 *
 * One fprobe on 50,000 functions is one set and 50,000 entries of the table. A set
 * is made for the fprobes that it has, and found again when it is asked for once
 * more. Once a hit can find it, it does not change; to add an fprobe to a function is
 * to give it another set.
 */
#include <linux/align.h>
#include <linux/cpu.h>
#include <linux/err.h>
#include <linux/hashtable.h>
#include <linux/jhash.h>
#include <linux/slab.h>

#include "nodes.h"

/* All sets. Under fprobe_mutex. */
static DEFINE_HASHTABLE(fprobe_sets, 8);

/* What a set is found by: its slots, and their generations. */
static u32 fprobe_set_hash(const struct fprobe_set *set)
{
	u32 hash = set->nr;
	unsigned int i;

	for (i = 0; i < set->nr; i++)
		hash = jhash_3words(hash, set->sub[i].generation,
				    hash_ptr(set->sub[i].slot, 32), 0);
	return hash;
}

static bool fprobe_set_equal(const struct fprobe_set *a,
			     const struct fprobe_set *b)
{
	unsigned int i;

	if (a->nr != b->nr)
		return false;
	for (i = 0; i < a->nr; i++) {
		if (a->sub[i].slot != b->sub[i].slot ||
		    a->sub[i].generation != b->sub[i].generation)
			return false;
	}
	return true;
}

static struct fprobe_set *fprobe_set_find(const struct fprobe_set *like, u32 hash)
{
	struct fprobe_set *set;

	hash_for_each_possible(fprobe_sets, set, hash, hash) {
		if (fprobe_set_equal(set, like))
			return set;
	}
	return NULL;
}

static struct fprobe_set *fprobe_set_alloc(unsigned int room)
{
	struct fprobe_set *set;

	set = kzalloc(struct_size(set, sub, room), GFP_KERNEL | __GFP_NOWARN);
	if (set)
		set->nr = room;
	return set;
}

/*
 * Which fprobes share a node, and which take one of their own: those with a limit,
 * and those for whose data there is no room left. Returns how many share one.
 */
static int fprobe_set_share(struct fprobe_set *set, size_t *bytes)
{
	struct fprobe_sub *sub;
	int ret, nr = 0;
	size_t need;

	*bytes = 0;
	for (sub = set->sub; sub < set->sub + set->nr; sub++) {
		need = fprobe_exit_bytes(sub->fp);
		if (!need || sub->own)
			continue;
		if (*bytes + need <= FPROBE_CLASS_MAX) {
			*bytes += need;
			nr++;
			continue;
		}
		ret = fprobe_nodes_class(need, &sub->own);
		if (ret)
			return ret;
	}
	return nr;
}

/* Where the entry data are, in a node that @nr fprobes share. */
static void fprobe_set_place(struct fprobe_set *set, int nr)
{
	size_t shared = sizeof(struct fprobe_node) + nr * sizeof(struct fprobe_exit);
	size_t alone = sizeof(struct fprobe_node) + sizeof(struct fprobe_exit);
	struct fprobe_sub *sub;
	size_t need;

	for (sub = set->sub; sub < set->sub + set->nr; sub++) {
		need = fprobe_data_bytes(sub->fp);
		sub->data = 0;
		if (!need)
			continue;
		sub->data = sub->own ? alone : shared;
		if (!sub->own)
			shared += need;
	}
}

static int fprobe_set_layout(struct fprobe_set *set)
{
	size_t bytes;
	int nr = fprobe_set_share(set, &bytes);

	if (nr < 0)
		return nr;
	fprobe_set_place(set, nr);
	return nr ? fprobe_nodes_class(bytes, &set->nodes) : 0;
}

/* The set that has what @draft has, which is consumed. */
static struct fprobe_set *fprobe_set_intern(struct fprobe_set *draft)
{
	u32 hash = fprobe_set_hash(draft);
	struct fprobe_set *set = fprobe_set_find(draft, hash);
	int ret = set ? 0 : fprobe_set_layout(draft);

	if (set || ret) {
		kfree(draft);
		return set ?: ERR_PTR(ret);
	}
	draft->heir = draft;
	hash_add(fprobe_sets, &draft->hash, hash);
	return draft;
}

static void fprobe_sub_init(struct fprobe_sub *sub, struct fprobe_slot *slot)
{
	sub->fp = slot->fp;
	sub->slot = slot;
	sub->own = slot->own;
	sub->generation = slot->generation;
}

static bool fprobe_sub_alive(const struct fprobe_sub *sub)
{
	return fprobe_alive(sub->slot, sub->generation);
}

/* Copy the fprobes of @from that are alive; only those have valid pointers. */
static unsigned int fprobe_set_copy(struct fprobe_sub *to,
				    const struct fprobe_set *from)
{
	unsigned int i, nr = 0;

	for (i = 0; i < from->nr; i++) {
		if (fprobe_sub_alive(&from->sub[i]))
			fprobe_sub_init(&to[nr++], from->sub[i].slot);
	}
	return nr;
}

/**
 * fprobe_set_has() - is an fprobe in a set?
 * @set: the set
 * @slot: the fprobe's slot
 *
 * Context: process context, fprobe_mutex held.
 * Return: whether it is.
 */
bool fprobe_set_has(const struct fprobe_set *set, const struct fprobe_slot *slot)
{
	unsigned int i;

	for (i = 0; i < set->nr; i++) {
		if (set->sub[i].slot == slot && fprobe_sub_alive(&set->sub[i]))
			return true;
	}
	return false;
}

/**
 * fprobe_set_with() - the set with one fprobe more
 * @old: a set that does not have it, or NULL
 * @slot: the slot of the fprobe
 *
 * The set is freed by fprobe_set_collect() unless it is in the table by then.
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: the set, or ERR_PTR(-ENOMEM).
 */
struct fprobe_set *fprobe_set_with(struct fprobe_set *old,
				   struct fprobe_slot *slot)
{
	struct fprobe_set *set = fprobe_set_alloc(old ? old->nr + 1 : 1);
	unsigned int i;

	lockdep_assert_held(&fprobe_mutex);
	if (!set)
		return ERR_PTR(-ENOMEM);
	i = old ? fprobe_set_copy(set->sub, old) : 0;
	set->nr = i + 1;
	/* Behind those that were registered before it. */
	for (; i && set->sub[i - 1].slot->order > slot->order; i--)
		set->sub[i] = set->sub[i - 1];
	fprobe_sub_init(&set->sub[i], slot);
	return fprobe_set_intern(set);
}

static struct fprobe_set *fprobe_set_heir(struct fprobe_set *set)
{
	struct fprobe_set *heir;
	unsigned int i, alive = 0;

	for (i = 0; i < set->nr; i++)
		alive += fprobe_sub_alive(&set->sub[i]);
	if (alive == set->nr || !alive)
		return alive ? set : NULL;
	heir = fprobe_set_alloc(alive);
	if (!heir)
		return set;
	fprobe_set_copy(heir->sub, set);
	heir = fprobe_set_intern(heir);
	/* Without memory they stay in the set: fprobe_alive() keeps hits off them. */
	return IS_ERR(heir) ? set : heir;
}

/**
 * fprobe_set_find_heirs() - find for each set the one that replaces it
 *
 * &fprobe_set.heir is then the set of those of its fprobes that are still registered: the
 * set itself if all are, or if memory is short; NULL if none is. A set that is made here
 * is its own heir.
 *
 * Context: process context, fprobe_mutex held. May sleep.
 */
void fprobe_set_find_heirs(void)
{
	struct fprobe_set *set;
	int i;

	lockdep_assert_held(&fprobe_mutex);
	hash_for_each(fprobe_sets, i, set, hash)
		set->heir = set;
	hash_for_each(fprobe_sets, i, set, hash)
		set->heir = fprobe_set_heir(set);
}

/**
 * fprobe_set_collect() - free the sets that are not in the table
 *
 * Context: process context, fprobe_mutex held.
 */
void fprobe_set_collect(void)
{
	struct fprobe_set *set;
	struct hlist_node *tmp;
	int i;

	lockdep_assert_held(&fprobe_mutex);
	/* RCU does not wait for a CPU that is on its way down or up, and calls functions. */
	cpus_read_lock();
	cpus_read_unlock();
	hash_for_each_safe(fprobe_sets, i, tmp, set, hash) {
		if (set->users)
			continue;
		hash_del(&set->hash);
		kfree_rcu(set, rcu);
	}
}

/**
 * fprobe_set_count() - how many sets there are
 *
 * Context: process context, fprobe_mutex held.
 * Return: the number.
 */
unsigned int fprobe_set_count(void)
{
	struct fprobe_set *set;
	unsigned int nr = 0;
	int i;

	lockdep_assert_held(&fprobe_mutex);
	hash_for_each(fprobe_sets, i, set, hash)
		nr++;
	return nr;
}
