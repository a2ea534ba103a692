// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the sorted tables: their one search is compared with counting.
 */
#include <linux/prandom.h>

#include "testing.h"

#define MARKS		1000
#define MARK_KEYS	300	/* so that keys come several times, and some never */
#define MARK_VALUES	4

/* Any order, and what it is differs from key to key. */
static int marks_fill(struct kprobe_marks *m)
{
	struct rnd_state rnd;
	unsigned int i;

	prandom_seed_state(&rnd, 12);
	for (i = 0; i < MARKS; i++) {
		u32 key = prandom_u32_state(&rnd) % MARK_KEYS;
		u32 value = prandom_u32_state(&rnd) % MARK_VALUES;

		if (kprobe_marks_add(m, key, value))
			return -ENOMEM;
	}
	return 0;
}

/* How many different marks there are below @key. */
static unsigned int marks_below(bool seen[MARK_KEYS][MARK_VALUES], u32 key)
{
	unsigned int k, v, nr = 0;

	for (k = 0; k < MARK_KEYS && k < key; k++) {
		for (v = 0; v < MARK_VALUES; v++)
			nr += seen[k][v];
	}
	return nr;
}

static void marks_search(struct kunit *test)
{
	bool (*seen)[MARK_VALUES];
	struct kprobe_marks m = { };
	unsigned int i, wrong = 0;
	u32 key;

	seen = kunit_kcalloc(test, MARK_KEYS, sizeof(*seen), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, seen);
	KUNIT_EXPECT_EQ(test, 0, marks_fill(&m));
	KUNIT_EXPECT_EQ(test, MARKS, m.nr);
	for (i = 0; i < m.nr; i++)
		seen[kprobe_mark_key(m.mark[i])][(u32)m.mark[i]] = true;
	KUNIT_EXPECT_FALSE(test, m.sorted);
	kprobe_marks_sort(&m);
	KUNIT_EXPECT_TRUE(test, m.sorted);
	/* One of each, and no memory for more. */
	KUNIT_EXPECT_LT(test, m.nr, MARKS);
	KUNIT_EXPECT_EQ(test, marks_below(seen, MARK_KEYS), m.nr);
	KUNIT_EXPECT_EQ(test, m.nr, m.room);
	for (key = 0; key <= MARK_KEYS; key++)
		wrong += kprobe_marks_find(&m, key) != marks_below(seen, key);
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_EQ(test, m.nr, kprobe_marks_find(&m, U32_MAX));
	kprobe_marks_clear(&m);
	KUNIT_EXPECT_FALSE(test, m.sorted);
	KUNIT_EXPECT_NULL(test, m.mark);
}

/* Text in which nothing is worth a mark is known, too. */
static void marks_none(struct kunit *test)
{
	struct kprobe_marks m = { };

	kprobe_marks_sort(&m);
	KUNIT_EXPECT_TRUE(test, m.sorted);
	KUNIT_EXPECT_EQ(test, 0, kprobe_marks_find(&m, 0));
	KUNIT_EXPECT_EQ(test, 0, kprobe_marks_find(&m, U32_MAX));
	kprobe_marks_clear(&m);
}

/* The largest keys have no room above them. */
static void marks_ends(struct kunit *test)
{
	struct kprobe_marks m = { };
	int ret;

	ret = kprobe_marks_add(&m, U32_MAX, U32_MAX) ?:
	      kprobe_marks_add(&m, 0, 7);
	kprobe_marks_sort(&m);
	if (!ret) {
		KUNIT_EXPECT_EQ(test, 0, kprobe_marks_find(&m, 0));
		KUNIT_EXPECT_EQ(test, 1, kprobe_marks_find(&m, 1));
		KUNIT_EXPECT_EQ(test, 1, kprobe_marks_find(&m, U32_MAX));
		KUNIT_EXPECT_EQ(test, 7, (u32)m.mark[0]);
	}
	KUNIT_EXPECT_EQ(test, 0, ret);
	kprobe_marks_clear(&m);
}

static struct kunit_case marks_cases[] = {
	KUNIT_CASE(marks_search),
	KUNIT_CASE(marks_none),
	KUNIT_CASE(marks_ends),
	{}
};

static struct kunit_suite marks_suite = {
	.name = "kprobes_marks",
	.test_cases = marks_cases,
};

kunit_test_suite(marks_suite);
