// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of batches that are larger than what is armed at a time.
 */
#include <linux/build_bug.h>
#include <linux/minmax.h>

#include "crowd.h"
#include "testing.h"

static struct ktest_many *batch_many_alloc(struct kunit *test)
{
	struct ktest_many *m = ktest_many_alloc(test);
	int i;

	BUILD_BUG_ON(KTEST_MANY > KTEST_CROWD);
	for (i = 0; i < KTEST_MANY; i++)
		m->kps[i]->addr = ktest_entry(ktest_crowd[i]);
	return m;
}

/*
 * Without the slots of probes that went before, a page more is not needed, nor
 * given back: on some machines the latter takes long.
 */
static int batch_many_register(struct ktest_many *m)
{
	kprobe_retire_flush();
	return register_kprobes(m->kps, KTEST_MANY);
}

static __nocfi void batch_many_expect(struct kunit *test, struct ktest_many *m,
				      int hits, bool armed)
{
	int i, wrong_hits = 0, wrong_text = 0;

	for (i = 0; i < KTEST_MANY; i++) {
		KUNIT_EXPECT_EQ(test, i + 2, ktest_crowd[i](1));
		wrong_hits += atomic_read(&m->p[i].pre) != hits;
		wrong_text += ktest_untouched(&m->p[i]) == armed;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong_hits);
	KUNIT_EXPECT_EQ(test, 0, wrong_text);
}

/* More than are armed at a time: all of them, and also none of them. */
static void batch_large(struct kunit *test)
{
	struct ktest_many *m = batch_many_alloc(test);
	kprobe_opcode_t *last;

	KUNIT_ASSERT_EQ(test, 0, batch_many_register(m));
	batch_many_expect(test, m, 1, true);
	unregister_kprobes(m->kps, KTEST_MANY);
	batch_many_expect(test, m, 1, false);

	last = m->kps[KTEST_MANY - 1]->addr;
	m->kps[KTEST_MANY - 1]->addr = (kprobe_opcode_t *)get_kprobe;
	KUNIT_EXPECT_EQ(test, -EINVAL, batch_many_register(m));
	m->kps[KTEST_MANY - 1]->addr = last;
	batch_many_expect(test, m, 1, false);

	KUNIT_ASSERT_EQ(test, 0, batch_many_register(m));
	batch_many_expect(test, m, 2, true);
}

/* More than are disarmed at a time are in text that goes away. */
static void batch_large_gone(struct kunit *test)
{
	struct ktest_many *m = batch_many_alloc(test);
	unsigned int points = ktest_count_points();
	unsigned long first = ULONG_MAX, last = 0, addr;
	int i;

	KUNIT_ASSERT_EQ(test, 0, batch_many_register(m));
	for (i = 0; i < KTEST_MANY; i++) {
		addr = (unsigned long)m->kps[i]->addr;
		first = min(first, addr);
		last = max(last, addr);
	}
	kprobe_kill_range(first, last + 1);
	batch_many_expect(test, m, 0, false);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(m->kps[0]));
	KUNIT_EXPECT_TRUE(test, kprobe_gone(m->kps[KTEST_MANY - 1]));
	unregister_kprobes(m->kps, KTEST_MANY);
	KUNIT_EXPECT_EQ(test, points, ktest_count_points());
}

static struct kunit_case batch_many_cases[] = {
	KUNIT_CASE_SLOW(batch_large),
	KUNIT_CASE_SLOW(batch_large_gone),
	{}
};

static struct kunit_suite batch_many_suite = {
	.name = "kprobes_batch_many",
	.test_cases = batch_many_cases,
};

kunit_test_suite(batch_many_suite);
