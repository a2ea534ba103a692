// SPDX-License-Identifier: GPL-2.0
/*
 * The directories through which hits find the free nodes of a return hook. See
 * rethook_pool.h for the structure. Nothing here is called by hits; they may be
 * searching meanwhile.
 *
 * Directories that are removed are freed a grace period later: a search that
 * has come to one, with preemption disabled, goes on undisturbed.
 */
#include <linux/bitops.h>
#include <linux/build_bug.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sizes.h>
#include <linux/slab.h>
#include <linux/vmalloc.h>

#include "rethook_pool.h"

/* The memory of all hooks. */
static atomic_long_t rethook_bytes;

/**
 * rethook_all_bytes() - the memory of all return hooks
 *
 * Return: the number of bytes.
 */
unsigned long rethook_all_bytes(void)
{
	return atomic_long_read(&rethook_bytes);
}

/**
 * rethook_size_of() - what an allocation takes
 * @bytes: how much is needed
 *
 * Return: how much rethook_zalloc() takes for that.
 */
size_t rethook_size_of(size_t bytes)
{
	return bytes <= PAGE_SIZE ? kmalloc_size_roundup(bytes) : PAGE_ALIGN(bytes);
}

/**
 * rethook_zalloc() - allocate memory without higher orders, and clear it
 * @bytes: how much
 * @gfp: how
 *
 * A function of its own, so that tests can make it fail.
 *
 * Return: the memory, to be freed by kvfree(), or NULL.
 */
noinline void *rethook_zalloc(size_t bytes, gfp_t gfp)
{
	return bytes <= PAGE_SIZE ? kzalloc(bytes, gfp) :
				    __vmalloc(bytes, gfp | __GFP_ZERO);
}

/**
 * rethook_account() - count memory that a hook takes or gives back
 * @rh: the hook
 * @bytes: how much, negative if it is given back
 */
void rethook_account(struct rethook *rh, long bytes)
{
	rh->bytes += bytes;
	atomic_long_add(bytes, &rethook_bytes);
}

/* Is there no room for a chunk below @set? Below a chunk there is none. */
static bool rethook_is_full(struct rethook_set *set)
{
	return !set->level ||
	       rethook_dir_of(set)->full == GENMASK(RETHOOK_FAN - 1, 0);
}

static void rethook_fill(struct rethook_dir *dir, unsigned int index)
{
	while (dir) {
		dir->full |= BIT(index);
		if (!rethook_is_full(&dir->set))
			return;
		index = dir->set.index;
		dir = dir->set.up;
	}
}

static void rethook_unfill(struct rethook_dir *dir, unsigned int index)
{
	bool was_full = true;

	while (dir && was_full) {
		was_full = rethook_is_full(&dir->set);
		dir->full &= ~BIT(index);
		index = dir->set.index;
		dir = dir->set.up;
	}
}

/**
 * rethook_attach() - put a chunk or a directory below a directory
 * @dir: the directory above
 * @index: its child that is not there
 * @set: the new child
 */
void rethook_attach(struct rethook_dir *dir, unsigned int index,
		    struct rethook_set *set)
{
	set->index = index;
	set->up = dir;
	/*
	 * Pairs with the address dependency from READ_ONCE() of the pointer in
	 * rethook_search_below() and rethook_hide(): the child is complete.
	 */
	smp_store_release(&dir->child[index], set);
	dir->count++;
	/*
	 * Pairs with the full barrier of rethook_hide(), which may be hiding
	 * the child that was there before: either it sees this child, or
	 * rethook_show() sees that the bit is cleared.
	 */
	smp_mb();
	if (atomic_long_read(&set->free))
		rethook_show(set);
	if (rethook_is_full(set))
		rethook_fill(dir, index);
}

static struct rethook_dir *rethook_new_dir(struct rethook *rh,
					   unsigned int level, gfp_t gfp)
{
	struct rethook_dir *dir = rethook_zalloc(sizeof(*dir), gfp);

	BUILD_BUG_ON(sizeof(*dir) > SZ_512);
	if (!dir)
		return NULL;
	dir->set.level = level;
	rethook_account(rh, rethook_size_of(sizeof(*dir)));
	return dir;
}

static void rethook_free_dir(struct rethook *rh, struct rethook_dir *dir)
{
	rethook_account(rh, -(long)rethook_size_of(sizeof(*dir)));
	kfree_rcu(dir, rcu);
}

/* Add a directory on top. Searches below it find it by the pointer @up. */
static bool rethook_raise(struct rethook *rh, gfp_t gfp)
{
	struct rethook_set *old = rh->root;
	struct rethook_dir *dir = rethook_new_dir(rh, old->level + 1, gfp);

	if (!dir)
		return false;
	dir->child[0] = old;
	dir->count = 1;
	/*
	 * There may be none free; but hits that free one do not see @dir yet.
	 */
	atomic_long_set(&dir->set.free, BIT(0));
	if (rethook_is_full(old))
		dir->full = BIT(0);
	/*
	 * Pairs with the address dependency from READ_ONCE() of the pointer in
	 * rethook_search_above() and rethook_show(): the directory is complete.
	 */
	smp_store_release(&old->up, dir);
	/* Pairs likewise with READ_ONCE() of it in rethook_search(). */
	smp_store_release(&rh->root, &dir->set);
	return true;
}

/**
 * rethook_lower() - remove directories that lead to the first chunk alone
 * @rh: a return hook
 *
 * The first chunk is the first child of the first child, and so on, of the top.
 */
void rethook_lower(struct rethook *rh)
{
	struct rethook_dir *dir;

	while (rh->root->level) {
		dir = rethook_dir_of(rh->root);
		if (dir->count > 1)
			return;
		WRITE_ONCE(dir->child[0]->up, NULL);
		WRITE_ONCE(rh->root, dir->child[0]);
		rethook_free_dir(rh, dir);
	}
}

/**
 * rethook_detach() - take a chunk or a directory from the directory above it
 * @rh: the return hook
 * @set: a chunk, but not the first, or a directory that leads to no chunk
 *
 * Directories that have no child then are removed as well.
 */
void rethook_detach(struct rethook *rh, struct rethook_set *set)
{
	struct rethook_dir *dir = set->up;

	WRITE_ONCE(dir->child[set->index], NULL);
	dir->count--;
	rethook_unfill(dir, set->index);
	rethook_hide(dir, set->index);
	if (!dir->count) {
		rethook_detach(rh, &dir->set);
		rethook_free_dir(rh, dir);
	}
}

/* Find a directory of chunks that has room, @dir or one below it. */
static struct rethook_dir *rethook_descend(struct rethook *rh,
					   struct rethook_dir *dir, gfp_t gfp)
{
	struct rethook_dir *next;
	unsigned int index;

	for (; dir->set.level > 1; dir = next) {
		index = ffz(dir->full);
		if (dir->child[index]) {
			next = rethook_dir_of(dir->child[index]);
			continue;
		}
		next = rethook_new_dir(rh, dir->set.level - 1, gfp);
		if (next)
			rethook_attach(dir, index, &next->set);
		else
			break;
	}
	if (dir->set.level == 1)
		return dir;
	if (!dir->count) {
		rethook_detach(rh, &dir->set);
		rethook_free_dir(rh, dir);
	}
	return NULL;
}

/**
 * rethook_make_room() - find a directory for another chunk
 * @rh: a return hook
 * @gfp: for the directories that have to be made
 *
 * Return: a directory with room for it, NULL if there is no memory.
 */
struct rethook_dir *rethook_make_room(struct rethook *rh, gfp_t gfp)
{
	struct rethook_dir *dir;

	if (rethook_is_full(rh->root) && !rethook_raise(rh, gfp))
		return NULL;
	dir = rethook_descend(rh, rethook_dir_of(rh->root), gfp);
	if (!dir)
		rethook_lower(rh);
	return dir;
}
