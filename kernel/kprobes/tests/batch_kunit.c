// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of batches: all probes are registered, or none is.
 */
#include <linux/mm.h>
#include <linux/string.h>

#include "testing.h"

#define BATCH_SIZE	5

typedef int (*batch_fn)(int x);

static const batch_fn batch_fns[BATCH_SIZE] = {
	ktest_traced, ktest_fixed, ktest_traced2, ktest_break, ktest_break2,
};

/**
 * struct batch - probes that go together
 * @kps: as the interface wants them
 * @p: the probes
 * @points: how many points there are without them
 */
struct batch {
	struct kprobe *kps[BATCH_SIZE];
	struct ktest_probe *p[BATCH_SIZE];
	unsigned int points;
};

static void batch_alloc(struct kunit *test, struct batch *b)
{
	int i;

	b->points = ktest_count_points();
	for (i = 0; i < BATCH_SIZE; i++) {
		b->p[i] = ktest_probe_alloc(test, batch_fns[i]);
		b->kps[i] = &b->p[i]->kp;
		ktest_undo_at_end(test, b->p[i]);
	}
}

static __nocfi void batch_call(void)
{
	int i;

	for (i = 0; i < BATCH_SIZE; i++)
		batch_fns[i](1);
}

/* Nothing is left of a registration that failed, on none of the places. */
static void batch_expect_nothing(struct kunit *test, struct batch *b)
{
	int i;

	batch_call();
	for (i = 0; i < BATCH_SIZE; i++) {
		KTEST_EXPECT_COUNTS(test, b->p[i], 0, 0, 0);
		KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(b->kps[i]));
	}
	KUNIT_EXPECT_EQ(test, b->points, ktest_count_points());
}

static void batch_good(struct kunit *test)
{
	struct batch b;
	int i;

	batch_alloc(test, &b);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
	unregister_kprobes(b.kps, BATCH_SIZE);
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++) {
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
		KUNIT_EXPECT_TRUE(test, kprobe_ftrace(b.kps[i]) ||
				  ktest_untouched(b.p[i]));
	}
}

/* One that cannot be registered, wherever it stands, and whatever it is. */
static void batch_one_bad(struct kunit *test)
{
	static const struct {
		const char *symbol;
		void *addr;
		int err;
	} bad[] = {
		{ "ktest_there_is_no_such_function", NULL, -ENOENT },
		{ "get_kprobe", NULL, -EINVAL },
		{ "ktest_fixed", ktest_fixed, -EINVAL },
		{ NULL, NULL, -EINVAL },
		{ NULL, &kprobe_points, -EINVAL },
	};
	struct batch b;
	int i, k;

	for (k = 0; k < ARRAY_SIZE(bad); k++) {
		for (i = 0; i < BATCH_SIZE; i++) {
			batch_alloc(test, &b);
			b.p[i]->kp.addr = bad[k].addr;
			b.p[i]->kp.symbol_name = bad[k].symbol;
			KUNIT_EXPECT_EQ(test, bad[k].err,
					register_kprobes(b.kps, BATCH_SIZE));
			KUNIT_EXPECT_PTR_EQ(test, bad[k].addr, b.kps[i]->addr);
			batch_expect_nothing(test, &b);
		}
	}
}

/* A failed registration can be repeated when what was wrong is mended. */
static void batch_retry(struct kunit *test)
{
	struct batch b;
	int i;

	batch_alloc(test, &b);
	b.kps[0]->addr = NULL;
	b.kps[0]->symbol_name = "ktest_traced";
	b.kps[1]->flags = KPROBE_FLAG_DISABLED;
	b.kps[4]->addr = NULL;
	b.kps[4]->symbol_name = "ktest_there_is_no_such_function";
	KUNIT_EXPECT_EQ(test, -ENOENT, register_kprobes(b.kps, BATCH_SIZE));
	KUNIT_EXPECT_NULL(test, b.kps[0]->addr);
	KUNIT_EXPECT_EQ(test, KPROBE_FLAG_DISABLED, b.kps[1]->flags);
	b.kps[4]->symbol_name = "ktest_break2";
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(b.kps[1]));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
}

/* A probe cannot be in a batch twice, an address can. */
static void batch_twice(struct kunit *test)
{
	struct batch b;
	int i;

	batch_alloc(test, &b);
	b.kps[4] = b.kps[2];
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, BATCH_SIZE));
	b.kps[4] = &b.p[4]->kp;
	batch_expect_nothing(test, &b);

	batch_alloc(test, &b);
	b.kps[4]->addr = b.kps[2]->addr;
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at(b.kps[2]->addr));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
}

/* An address with an offset means the place that it meant, after a failure, too. */
static void batch_offset(struct kunit *test)
{
	struct batch b;
	int i;

	batch_alloc(test, &b);
	for (i = 0; i < BATCH_SIZE - 1; i++) {
		b.kps[i]->addr = (void *)b.kps[i]->addr - 16;
		b.kps[i]->offset = 16;
	}
	b.kps[i]->addr = (kprobe_opcode_t *)get_kprobe;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, BATCH_SIZE));
	batch_expect_nothing(test, &b);
	b.kps[i]->addr = ktest_entry(batch_fns[i]);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
}

/* The table does not grow for a batch whose first probe is bad, however large that is. */
static void batch_large_bad(struct kunit *test)
{
	unsigned int chains = kprobe_table_buckets(), i;
	struct ktest_probe *none = ktest_probe_alloc(test, NULL);
	struct kprobe **kps = kvcalloc(chains, sizeof(*kps), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, kps);
	for (i = 0; i < chains; i++)
		kps[i] = &none->kp;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(kps, chains));
	kvfree(kps);
	KUNIT_EXPECT_EQ(test, chains, kprobe_table_buckets());
}

/* One that is registered already spoils the batch and is not harmed. */
static void batch_registered(struct kunit *test)
{
	struct batch b;
	int i;

	batch_alloc(test, &b);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(b.kps[3]));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, BATCH_SIZE));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], i == 3, 0, 0);
	/* Unregistration clears the address of those not registered. */
	unregister_kprobes(b.kps, BATCH_SIZE);
	for (i = 0; i < BATCH_SIZE; i++)
		KUNIT_EXPECT_EQ(test, i == 3, !!b.kps[i]->addr);
	batch_call();
	KTEST_EXPECT_COUNTS(test, b.p[3], 1, 0, 0);
}

/* A batch that fails does not affect the probes of other users. */
static void batch_beside_others(struct kunit *test)
{
	struct batch b, others;
	int i;

	batch_alloc(test, &others);
	batch_alloc(test, &b);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(others.kps, BATCH_SIZE));
	b.kps[4]->addr = (kprobe_opcode_t *)get_kprobe;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, BATCH_SIZE));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++) {
		KTEST_EXPECT_COUNTS(test, b.p[i], 0, 0, 0);
		KTEST_EXPECT_COUNTS(test, others.p[i], 1, 0, 0);
	}
}

/* The highest address first: the last one at an address is the newest there. */
static void batch_backwards(struct kunit *test)
{
	struct kprobe *kps[2 * BATCH_SIZE];
	struct batch first, then;
	int i, j;

	batch_alloc(test, &first);
	batch_alloc(test, &then);
	for (i = 0; i < BATCH_SIZE; i++) {
		first.p[i]->name = 'a';
		then.p[i]->name = 'b';
		/* Where there is nothing to be sorted by but the address. */
		first.kps[i]->addr = ktest_entry(batch_fns[i]);
		then.kps[i]->addr = first.kps[i]->addr;
		for (j = i; j && kps[2 * j - 1]->addr < first.kps[i]->addr; j--)
			memcpy(&kps[2 * j], &kps[2 * j - 2], 2 * sizeof(*kps));
		kps[2 * j] = first.kps[i];
		kps[2 * j + 1] = then.kps[i];
	}
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(kps, 2 * BATCH_SIZE));
	ktest_fixed(1);
	KUNIT_EXPECT_STREQ(test, "ba", ktest_log);
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++) {
		KTEST_EXPECT_COUNTS(test, first.p[i],
				    1 + !!(batch_fns[i] == ktest_fixed), 0, 0);
		KTEST_EXPECT_COUNTS(test, then.p[i],
				    1 + !!(batch_fns[i] == ktest_fixed), 0, 0);
	}
}

/* Two probes, the higher one first: are they sorted? */
static bool batch_sorts(struct kprobe *high, struct kprobe *low)
{
	struct kprobe *kps[] = { high, low };
	struct kprobe **sorted = kprobe_sort_batch(kps, 2);
	bool sorts = sorted && sorted[0] == low && sorted[1] == high;

	kvfree(sorted);
	return sorts;
}

/* Those that may turn out to be at one place keep their turns. */
static void batch_order(struct kunit *test)
{
	struct kprobe low = { .addr = (void *)0x10000 };
	struct kprobe near = { .addr = (void *)low.addr + 4 };
	struct kprobe far = { .addr = (void *)low.addr + 64 };
	struct kprobe offset = { .addr = low.addr, .offset = 4 };
	struct kprobe named = { .symbol_name = "ktest_fixed" };

	KUNIT_EXPECT_TRUE(test, batch_sorts(&far, &low));
	KUNIT_EXPECT_FALSE(test, batch_sorts(&low, &far));
	KUNIT_EXPECT_FALSE(test, batch_sorts(&near, &low));
	KUNIT_EXPECT_FALSE(test, batch_sorts(&far, &offset));
	KUNIT_EXPECT_FALSE(test, batch_sorts(&far, &named));
}

/* The text of all of them goes away while some may run it: ftrace sites, others. */
static void batch_gone(struct kunit *test)
{
	LIST_HEAD(todo);
	struct batch b;
	int i;

	batch_alloc(test, &b);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	scoped_guard(mutex, &kprobe_mutex) {
		for (i = 0; i < BATCH_SIZE; i++)
			list_add_tail(&kprobe_table_find(b.kps[i]->addr)->todo,
				      &todo);
		kprobe_kill_points(&todo);
	}
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++) {
		KUNIT_EXPECT_TRUE(test, kprobe_gone(b.kps[i]));
		KTEST_EXPECT_COUNTS(test, b.p[i], 0, 0, 0);
	}
	unregister_kprobes(b.kps, BATCH_SIZE);
	KUNIT_EXPECT_EQ(test, b.points, ktest_count_points());
	KUNIT_EXPECT_EQ(test, 0, register_kprobes(b.kps, BATCH_SIZE));
	batch_call();
	for (i = 0; i < BATCH_SIZE; i++)
		KTEST_EXPECT_COUNTS(test, b.p[i], 1, 0, 0);
}

/* What is no batch at all. */
static void batch_none(struct kunit *test)
{
	struct batch b;

	batch_alloc(test, &b);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(b.kps, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(NULL, 1));
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(b.kps, 1));
	unregister_kprobes(b.kps, 0);
	unregister_kprobes(b.kps, -1);
	unregister_kprobes(NULL, 1);
	batch_call();
	KTEST_EXPECT_COUNTS(test, b.p[0], 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b.p[1], 0, 0, 0);
}

static struct kunit_case batch_cases[] = {
	KUNIT_CASE(batch_good),
	KUNIT_CASE(batch_one_bad),
	KUNIT_CASE(batch_retry),
	KUNIT_CASE(batch_twice),
	KUNIT_CASE(batch_offset),
	KUNIT_CASE(batch_large_bad),
	KUNIT_CASE(batch_registered),
	KUNIT_CASE(batch_beside_others),
	KUNIT_CASE(batch_backwards),
	KUNIT_CASE(batch_order),
	KUNIT_CASE(batch_gone),
	KUNIT_CASE(batch_none),
	{}
};

static struct kunit_suite batch_suite = {
	.name = "kprobes_batch",
	.test_cases = batch_cases,
};

kunit_test_suite(batch_suite);
