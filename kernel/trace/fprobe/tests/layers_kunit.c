// SPDX-License-Identifier: GPL-2.0
/*
 * The layers under registration: the table, sets, slots and nodes.
 */
#include <linux/err.h>
#include <linux/list.h>

#include "testing.h"

#define LAYERS_MANY	1000
/* More than all other tests have used. */
#define LAYERS_SLOTS	100000

/* No function is there, and ftrace is not told. */
static unsigned long layers_ip(int i)
{
	return 16 * (i + 1);
}

static struct fprobe_slot *layers_take(struct kunit *test, struct fptest_probe *p)
{
	struct fprobe_slot *slot = fprobe_slot_take(&p->fp);

	KUNIT_EXPECT_FALSE(test, IS_ERR(slot));
	return IS_ERR(slot) ? NULL : slot;
}

static void layers_drop(struct fprobe_slot *slot)
{
	LIST_HEAD(dropped);

	fprobe_slot_drop(slot, &dropped);
	fprobe_slot_free(slot);
}

/* Sites come and go, and each look-up finds what it has to. */
static void layers_table(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	struct fprobe_slot *slot;
	struct fprobe_set *set;
	unsigned int live;
	int i, wrong = 0;

	guard(mutex)(&fprobe_mutex);
	live = fprobe_table_live(FPROBE_FULL);
	slot = layers_take(test, p);
	if (!slot)
		return;
	set = fprobe_set_with(NULL, slot);
	for (i = 0; i < LAYERS_MANY; i++) {
		wrong += !!fprobe_table_reserve(FPROBE_FULL, 1);
		wrong += !!fprobe_table_find(FPROBE_FULL, layers_ip(i));
		fprobe_table_put(FPROBE_FULL, layers_ip(i), set);
		wrong += fprobe_table_find(FPROBE_FULL, layers_ip(i)) != set;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_EQ(test, (unsigned int)LAYERS_MANY, set->users);
	KUNIT_EXPECT_EQ(test, live + LAYERS_MANY, fprobe_table_live(FPROBE_FULL));
	for (i = 0; i < LAYERS_MANY; i += 2)
		fprobe_table_put(FPROBE_FULL, layers_ip(i), NULL);
	/* The next table has only what is alive. */
	wrong += !!fprobe_table_reserve(FPROBE_FULL, 4 * LAYERS_MANY);
	for (i = 0; i < LAYERS_MANY; i++)
		wrong += !!fprobe_table_find(FPROBE_FULL, layers_ip(i)) != i % 2;
	for (i = 1; i < LAYERS_MANY; i += 2)
		fprobe_table_put(FPROBE_FULL, layers_ip(i), NULL);
	for (i = 0; i < LAYERS_MANY; i++)
		wrong += !!fprobe_table_find(FPROBE_FULL, layers_ip(i));
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_EQ(test, 0U, set->users);
	KUNIT_EXPECT_EQ(test, live, fprobe_table_live(FPROBE_FULL));
	fprobe_table_settle(FPROBE_FULL);
	fprobe_set_collect();
	layers_drop(slot);
}

/* Equal fprobes are one set, in the order of registration. */
static void layers_sets(struct kunit *test)
{
	struct fptest_probe *pa = fptest_alloc(test, 0);
	struct fptest_probe *pb = fptest_alloc(test, 0);
	struct fprobe_slot *a, *b;
	struct fprobe_set *ab, *ba;
	unsigned int before;

	guard(mutex)(&fprobe_mutex);
	before = fprobe_set_count();
	a = layers_take(test, pa);
	b = layers_take(test, pb);
	if (!a || !b)
		return;
	KUNIT_EXPECT_PTR_EQ(test, fprobe_set_with(NULL, a),
			    fprobe_set_with(NULL, a));
	ab = fprobe_set_with(fprobe_set_with(NULL, a), b);
	ba = fprobe_set_with(fprobe_set_with(NULL, b), a);
	KUNIT_EXPECT_PTR_EQ(test, ab, ba);
	KUNIT_EXPECT_EQ(test, 2U, ab->nr);
	KUNIT_EXPECT_PTR_EQ(test, a, ab->sub[0].slot);
	KUNIT_EXPECT_TRUE(test, fprobe_set_has(ab, a));
	KUNIT_EXPECT_TRUE(test, fprobe_set_has(ab, b));
	KUNIT_EXPECT_EQ(test, before + 3, fprobe_set_count());

	/* What is left of it without one that is dead is the other's set. */
	WRITE_ONCE(a->generation, a->generation + 1);
	KUNIT_EXPECT_FALSE(test, fprobe_set_has(ab, a));
	fprobe_set_find_heirs();
	KUNIT_EXPECT_PTR_EQ(test, fprobe_set_with(NULL, b), ab->heir);
	fprobe_set_collect();
	KUNIT_EXPECT_EQ(test, before, fprobe_set_count());
	layers_drop(a);
	layers_drop(b);
}

/* Where the data are in a node that is shared: none overlap, all are in it. */
static void layers_places(struct kunit *test)
{
	static const size_t sizes[] = { 3, 0, 64, 1 };
	struct fprobe_slot *slot[ARRAY_SIZE(sizes)];
	struct fprobe_set *set = NULL;
	struct fptest_probe *p[ARRAY_SIZE(sizes)];
	size_t at;
	int i;

	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		p[i] = fptest_alloc(test, 0);
		p[i]->fp.entry_data_size = sizes[i];
	}
	guard(mutex)(&fprobe_mutex);
	at = sizeof(struct fprobe_node) +
	     ARRAY_SIZE(sizes) * sizeof(struct fprobe_exit);
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		slot[i] = layers_take(test, p[i]);
		set = fprobe_set_with(set, slot[i]);
	}
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		KUNIT_EXPECT_EQ(test, sizes[i] ? at : 0, set->sub[i].data);
		at += ALIGN(sizes[i], sizeof(long));
	}
	KUNIT_EXPECT_GE(test, set->nodes->size, (unsigned int)at);
	fprobe_set_collect();
	for (i = 0; i < ARRAY_SIZE(sizes); i++)
		layers_drop(slot[i]);
}

/* Slots are used again, with another generation, the last of those that are free. */
static void layers_slots(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	struct fprobe_slot *first, *slot;
	u32 generation;
	int i;

	guard(mutex)(&fprobe_mutex);
	first = layers_take(test, p);
	if (!first)
		return;
	generation = first->generation;
	KUNIT_EXPECT_TRUE(test, fprobe_alive(first, generation));
	layers_drop(first);
	KUNIT_EXPECT_FALSE(test, fprobe_alive(first, generation));
	KUNIT_EXPECT_NULL(test, p->fp.slot);
	for (i = 0; i < LAYERS_SLOTS; i++) {
		slot = layers_take(test, p);
		layers_drop(slot);
		if (slot == first)
			break;
		KUNIT_EXPECT_EQ(test, generation + 1, first->generation);
	}
	KUNIT_EXPECT_LT(test, i, LAYERS_SLOTS);
	KUNIT_EXPECT_GT(test, i, 0);
	KUNIT_EXPECT_EQ(test, generation + 2, first->generation);
}

/* Nodes are shared by size, those with a limit are not. */
static void layers_nodes(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	struct rethook *a = NULL, *b = NULL, *own = NULL;

	guard(mutex)(&fprobe_mutex);
	KUNIT_EXPECT_EQ(test, 0, fprobe_nodes_class(1, &a));
	KUNIT_EXPECT_EQ(test, 0, fprobe_nodes_class(FPROBE_CLASS_MIN, &b));
	KUNIT_EXPECT_PTR_EQ(test, a, b);
	KUNIT_EXPECT_EQ(test, 0, fprobe_nodes_class(FPROBE_CLASS_MIN + 1, &b));
	KUNIT_EXPECT_PTR_NE(test, a, b);
	KUNIT_EXPECT_GE(test, b->size, 2U * FPROBE_CLASS_MIN);
	KUNIT_EXPECT_EQ(test, 0, fprobe_nodes_own(&p->fp, &own));
	KUNIT_EXPECT_NULL(test, own);
	p->fp.nr_maxactive = 3;
	KUNIT_EXPECT_EQ(test, 0, fprobe_nodes_own(&p->fp, &own));
	if (!own)
		return;
	KUNIT_EXPECT_EQ(test, 3U, own->total);
	rethook_free(own);
}

static struct kunit_case layers_cases[] = {
	KUNIT_CASE(layers_table),
	KUNIT_CASE(layers_sets),
	KUNIT_CASE(layers_places),
	KUNIT_CASE(layers_slots),
	KUNIT_CASE(layers_nodes),
	{}
};

static struct kunit_suite layers_suite = {
	.name = "fprobe_layers",
	.init = fptest_init,
	.test_cases = layers_cases,
};

kunit_test_suite(layers_suite);
