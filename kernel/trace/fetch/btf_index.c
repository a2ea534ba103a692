// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that BTF has, by their names. BTF itself is in no order: to find a
 * name, all its types would be walked. So the numbers of its functions are sorted
 * when one is first looked for, and kept until memory is short.
 *
 * An index does not hold the BTF that it is made of. It knows that by its number,
 * which is not used again while it could be mistaken, and reads names only from the
 * BTF that the calling function has passed, and holds.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/init.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/overflow.h>
#include <linux/shrinker.h>
#include <linux/slab.h>
#include <linux/sort.h>
#include <linux/string.h>

#include "btf.h"

/**
 * struct btf_index - the functions of one BTF
 * @list: in @indexes, the one that was used last is the first
 * @btf: its number
 * @nr: how many functions it has
 * @types: numbers of their types, in the order of their names
 */
struct btf_index {
	struct list_head list;
	u32 btf;
	u32 nr;
	u32 types[] __counted_by(nr);
};

/* Guards the list and all that is on it. The shrinker only tries to get it. */
static DEFINE_MUTEX(index_mutex);
static LIST_HEAD(indexes);
static unsigned int nr_indexes;

static const char *name_of(const struct btf *btf, u32 type)
{
	return btf_name_by_offset(btf, btf_type_by_id(btf, type)->name_off);
}

static int compare_names(const void *a, const void *b, const void *btf)
{
	return strcmp(name_of(btf, *(const u32 *)a), name_of(btf, *(const u32 *)b));
}

/* The types of a module are numbered from where those of the kernel end. */
static u32 first_type(const struct btf *btf)
{
	const struct btf *base = btf_base_btf(btf);

	return base ? btf_nr_types(base) : 1;
}

static u32 count_functions(const struct btf *btf)
{
	u32 type, nr = 0;

	for (type = first_type(btf); type < btf_nr_types(btf); type++)
		nr += btf_type_is_func(btf_type_by_id(btf, type));
	return nr;
}

static void fill_index(struct btf_index *index, const struct btf *btf)
{
	u32 type, n = 0;

	for (type = first_type(btf); type < btf_nr_types(btf); type++) {
		if (btf_type_is_func(btf_type_by_id(btf, type)))
			index->types[n++] = type;
	}
	sort_r(index->types, n, sizeof(*index->types), compare_names, NULL, btf);
}

static struct btf_index *make_index(const struct btf *btf)
{
	u32 nr = count_functions(btf);
	struct btf_index *index = kvmalloc(struct_size(index, types, nr), GFP_KERNEL);

	if (!index)
		return NULL;
	index->btf = btf_obj_id(btf);
	index->nr = nr;
	fill_index(index, btf);
	WRITE_ONCE(nr_indexes, nr_indexes + 1);
	list_add(&index->list, &indexes);
	return index;
}

static void drop_index(struct btf_index *index)
{
	lockdep_assert_held(&index_mutex);
	list_del(&index->list);
	WRITE_ONCE(nr_indexes, nr_indexes - 1);
	kvfree(index);
}

static struct btf_index *get_index(const struct btf *btf)
{
	struct btf_index *index;

	lockdep_assert_held(&index_mutex);
	list_for_each_entry(index, &indexes, list) {
		if (index->btf == btf_obj_id(btf)) {
			list_move(&index->list, &indexes);
			return index;
		}
	}
	return make_index(btf);
}

/* The first one whose name is not before this one. */
static u32 lower_bound(const struct btf_index *index, const struct btf *btf, const char *name)
{
	u32 low = 0, high = index->nr, mid;

	while (low < high) {
		mid = low + (high - low) / 2;
		if (strcmp(name_of(btf, index->types[mid]), name) < 0)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static bool has_name(const struct btf_index *index, const struct btf *btf, u32 n,
		     const char *name)
{
	return n < index->nr && !strcmp(name_of(btf, index->types[n]), name);
}

static u32 prototype(const struct btf *btf, u32 type)
{
	return btf_type_by_id(btf, type)->type;
}

static int find_function(const struct btf_index *index, const struct btf *btf,
			 const char *name, u32 *type)
{
	u32 n = lower_bound(index, btf, name);

	if (!has_name(index, btf, n, name))
		return -ENOENT;
	*type = index->types[n];
	while (has_name(index, btf, ++n, name)) {
		if (prototype(btf, index->types[n]) != prototype(btf, *type))
			return -ENOTUNIQ;
	}
	return 0;
}

/**
 * fetch_btf_func() - find a function by its name
 * @btf: where to look. A module's leaves out what the kernel's has, so the kernel's is
 *	 searched, too. The caller holds it
 * @name: of the function
 * @type: gets the number of its type, of kind %BTF_KIND_FUNC
 *
 * Context: may sleep, takes a mutex that is outermost but for memory reclaim.
 *
 * Return: 0, %-ENOENT if there is none, %-ENOTUNIQ if there are several whose
 * prototypes differ, or %-ENOMEM.
 */
int fetch_btf_func(const struct btf *btf, const char *name, u32 *type)
{
	struct btf_index *index;
	int ret;

	mutex_lock(&index_mutex);
	do {
		index = get_index(btf);
		ret = index ? find_function(index, btf, name, type) : -ENOMEM;
		btf = btf_base_btf(btf);
	} while (ret == -ENOENT && btf);
	mutex_unlock(&index_mutex);
	return ret;
}

/**
 * fetch_btf_indexes() - how many indexes there are
 *
 * Context: any.
 *
 * Return: their number.
 */
unsigned int fetch_btf_indexes(void)
{
	return READ_ONCE(nr_indexes);
}

/**
 * fetch_btf_drop() - free indexes, those first that have not been used for longest
 * @nr: how many
 *
 * Context: any that may take memory; does not wait.
 *
 * Return: how many were freed; none while one is in use.
 */
unsigned int fetch_btf_drop(unsigned int nr)
{
	unsigned int dropped;

	if (!mutex_trylock(&index_mutex))
		return 0;
	for (dropped = 0; dropped < nr && !list_empty(&indexes); dropped++)
		drop_index(list_last_entry(&indexes, struct btf_index, list));
	mutex_unlock(&index_mutex);
	return dropped;
}

static unsigned long shrinker_count(struct shrinker *shrinker, struct shrink_control *sc)
{
	return fetch_btf_indexes() ?: SHRINK_EMPTY;
}

static unsigned long shrinker_scan(struct shrinker *shrinker, struct shrink_control *sc)
{
	return fetch_btf_drop(sc->nr_to_scan) ?: SHRINK_STOP;
}

static int __init register_index_shrinker(void)
{
	struct shrinker *shrinker = shrinker_alloc(0, "probe-event-btf");

	/* Without it the indexes stay. They are few, so it is asked late. */
	if (!shrinker)
		return 0;
	shrinker->count_objects = shrinker_count;
	shrinker->scan_objects = shrinker_scan;
	shrinker_register(shrinker);
	return 0;
}
fs_initcall(register_index_shrinker);
