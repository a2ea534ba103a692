// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the table. Its points are made up, at addresses that no CPU
 * executes.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/kthread.h>
#include <linux/log2.h>
#include <linux/preempt.h>

#include "testing.h"

#define TABLE_POINTS	5000

/* The table never shrinks: a test that wants it to grow leaves a trace. */
#define TABLE_LARGEST	BIT(17)

/* A chain of one on average is rarely this long. */
#define TABLE_LONG_CHAIN	12

/**
 * struct table_load - the points of one test
 * @pts: the points
 * @nr: how many of them are in the table
 */
struct table_load {
	struct kprobe_point *pts;
	unsigned int nr;
};

/* In user space, where no kernel text is; as densely as instructions. */
static void *table_addr(unsigned int i)
{
	return (void *)(0x10000UL + 3UL * i);
}

static void table_unload(void *arg)
{
	struct table_load *load = arg;

	scoped_guard(mutex, &kprobe_mutex) {
		while (load->nr)
			kprobe_table_del(&load->pts[--load->nr]);
	}
	/* The memory is about to be freed. */
	synchronize_rcu();
}

static void table_free(void *load)
{
	kvfree(((struct table_load *)load)->pts);
}

static struct table_load *table_load_alloc(struct kunit *test, unsigned int nr)
{
	struct table_load *load = kunit_kzalloc(test, sizeof(*load), GFP_KERNEL);
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, load);
	load->pts = kvcalloc(nr, sizeof(*load->pts), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, load->pts);
	ktest_set_at_end(test, table_free, load);
	for (i = 0; i < nr; i++) {
		load->pts[i].probe.addr = table_addr(i);
		INIT_LIST_HEAD(&load->pts[i].hot.subs);
	}
	ktest_set_at_end(test, table_unload, load);
	return load;
}

static void table_add(struct table_load *load)
{
	guard(mutex)(&kprobe_mutex);
	kprobe_table_add(&load->pts[load->nr++]);
}

static struct kprobe_point *table_find(void *addr)
{
	guard(preempt)();
	return kprobe_table_find(addr);
}

/* How many of points @from to @to - 1 a lookup does not give. */
static unsigned int table_missing(struct table_load *load, unsigned int from,
				  unsigned int to)
{
	unsigned int i, missing = 0;

	for (i = from; i < to; i++)
		missing += table_find(table_addr(i)) != &load->pts[i];
	return missing;
}

/* How many addresses that have no point a lookup finds one for. */
static unsigned int table_ghosts(unsigned int nr)
{
	unsigned int i, ghosts = 0;

	for (i = 0; i < nr; i++) {
		ghosts += !!table_find(table_addr(i) + 1);
		ghosts += !!table_find(table_addr(i) + 2);
	}
	return ghosts;
}

/* A point is added to the table, and removed. */
static void table_one(struct kunit *test)
{
	struct table_load *load = table_load_alloc(test, 2);

	KUNIT_EXPECT_NULL(test, table_find(table_addr(0)));
	table_add(load);
	KUNIT_EXPECT_PTR_EQ(test, &load->pts[0], table_find(table_addr(0)));
	KUNIT_EXPECT_NULL(test, table_find(table_addr(0) + 1));
	KUNIT_EXPECT_NULL(test, table_find(table_addr(0) - 1));
	KUNIT_EXPECT_NULL(test, table_find(table_addr(1)));
	KUNIT_EXPECT_NULL(test, table_find(NULL));
	scoped_guard(preempt) {
		KUNIT_EXPECT_PTR_EQ(test, &load->pts[0].probe,
				    get_kprobe(table_addr(0)));
		KUNIT_EXPECT_NULL(test, get_kprobe(table_addr(1)));
	}
	table_unload(load);
	KUNIT_EXPECT_NULL(test, table_find(table_addr(0)));
}

/* With each more point than chains, there have to be more chains. */
static void table_growth(struct kunit *test)
{
	unsigned int before = kprobe_table_buckets(), now, i, nr, grown = 0;
	struct table_load *load;

	nr = max(TABLE_POINTS, 2 * before);
	if (nr > TABLE_LARGEST)
		kunit_skip(test, "the table has grown large already");
	load = table_load_alloc(test, nr);
	for (i = 0; i < nr; i++) {
		table_add(load);
		now = kprobe_table_buckets();
		grown += now != before;
		before = now;
		if (now < load->nr)
			break;
	}
	KUNIT_EXPECT_EQ(test, nr, load->nr);
	KUNIT_EXPECT_GE(test, grown, 1);
	/* Most are empty, and there is not much memory for nothing. */
	KUNIT_EXPECT_GT(test, kprobe_table_buckets(), 2 * nr);
	KUNIT_EXPECT_LE(test, kprobe_table_buckets(), 4 * nr);
	KUNIT_EXPECT_EQ(test, 0, table_missing(load, 0, nr));
	KUNIT_EXPECT_EQ(test, 0, table_ghosts(nr));
}

/* Addresses next to each other are spread over the chains. */
static void table_spread(struct kunit *test)
{
	unsigned int bits, i, longest = 0;
	u8 *len;

	bits = max(ilog2(TABLE_POINTS) + 1, ilog2(kprobe_table_buckets()));
	len = kvzalloc(1UL << bits, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, len);
	for (i = 0; i < 1U << bits; i++) {
		u8 *l = &len[hash_long((unsigned long)table_addr(i), bits)];

		longest = max(longest, ++*l);
	}
	KUNIT_EXPECT_LE(test, longest, TABLE_LONG_CHAIN);
	kvfree(len);
}

/* What is deleted is not found, and nothing else is lost with it. */
static void table_deletion(struct kunit *test)
{
	struct table_load *load = table_load_alloc(test, TABLE_POINTS);
	unsigned int i, wrong = 0;

	while (load->nr < TABLE_POINTS)
		table_add(load);
	scoped_guard(mutex, &kprobe_mutex) {
		for (i = 0; i < TABLE_POINTS; i += 3)
			kprobe_table_del(&load->pts[i]);
	}
	for (i = 0; i < TABLE_POINTS; i++) {
		struct kprobe_point *want = i % 3 ? &load->pts[i] : NULL;

		wrong += table_find(table_addr(i)) != want;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	/* Back again, at the same addresses. */
	synchronize_rcu();
	scoped_guard(mutex, &kprobe_mutex) {
		for (i = 0; i < TABLE_POINTS; i += 3)
			kprobe_table_add(&load->pts[i]);
	}
	KUNIT_EXPECT_EQ(test, 0, table_missing(load, 0, TABLE_POINTS));
}

#define TABLE_CHAIN	5

/* Find the next number after @i whose address shares a chain with @like. */
static unsigned int table_sharing(unsigned int i, void *like)
{
	unsigned int bits = ilog2(kprobe_table_buckets());

	while (hash_long((unsigned long)table_addr(++i), bits) !=
	       hash_long((unsigned long)like, bits))
		;
	return i;
}

/* First, last and in between: each can leave the chain it shares. */
static void table_one_chain(struct kunit *test)
{
	unsigned int i, j, nr = 0, bits = ilog2(kprobe_table_buckets());
	struct table_load *load = table_load_alloc(test, TABLE_CHAIN);
	void *addr[TABLE_CHAIN];

	for (i = 0; i < TABLE_CHAIN; i++) {
		nr = table_sharing(nr, table_addr(0));
		addr[i] = table_addr(nr);
		load->pts[i].probe.addr = addr[i];
	}
	while (load->nr < TABLE_CHAIN)
		table_add(load);
	KUNIT_ASSERT_EQ(test, bits, ilog2(kprobe_table_buckets()));
	for (i = 0; i < TABLE_CHAIN; i++) {
		scoped_guard(mutex, &kprobe_mutex)
			kprobe_table_del(&load->pts[i]);
		for (j = 0; j < TABLE_CHAIN; j++)
			KUNIT_EXPECT_PTR_EQ(test, table_find(addr[j]),
					    i == j ? NULL : &load->pts[j]);
		synchronize_rcu();
		scoped_guard(mutex, &kprobe_mutex)
			kprobe_table_add(&load->pts[i]);
	}
}

/**
 * struct table_reader - a thread that looks up what must be there
 * @load: the points
 * @there: how many of them, from the first on, are in the table all the time
 * @missed: how many lookups failed
 * @ghosts: how many lookups found what was never there
 * @lookups: how many there were
 */
struct table_reader {
	struct table_load *load;
	unsigned int there;
	unsigned long missed;
	unsigned long ghosts;
	unsigned long lookups;
};

static int table_reader_fn(void *arg)
{
	struct table_reader *r = arg;

	while (!kthread_should_stop()) {
		r->missed += table_missing(r->load, 0, r->there);
		r->ghosts += table_ghosts(r->there);
		WRITE_ONCE(r->lookups, r->lookups + 3 * r->there);
		cond_resched();
	}
	return 0;
}

/* Let the reader see the table as it is now. */
static bool table_reader_pass(struct table_reader *r)
{
	unsigned long lookups = READ_ONCE(r->lookups);
	int i;

	for (i = 0; i < 5000; i++) {
		if (READ_ONCE(r->lookups) - lookups >= 6 * r->there)
			return true;
		usleep_range(500, 1000);
	}
	return false;
}

/* A lookup that meets the table growing under it finds its point. */
static void table_lookups_while_growing(struct kunit *test)
{
	unsigned int before = kprobe_table_buckets(), nr, i;
	struct table_reader reader = { .there = 50 };
	struct task_struct *task;

	nr = max(TABLE_POINTS, 2 * before);
	if (nr > TABLE_LARGEST)
		kunit_skip(test, "the table has grown large already");
	reader.load = table_load_alloc(test, nr);
	for (i = 0; i < reader.there; i++)
		table_add(reader.load);
	task = kthread_run(table_reader_fn, &reader, "ktest_table");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_TRUE(test, table_reader_pass(&reader));
	while (reader.load->nr < nr)
		table_add(reader.load);
	KUNIT_EXPECT_TRUE(test, table_reader_pass(&reader));
	kthread_stop(task);
	KUNIT_EXPECT_GT(test, kprobe_table_buckets(), before);
	KUNIT_EXPECT_EQ(test, 0, reader.missed);
	KUNIT_EXPECT_EQ(test, 0, reader.ghosts);
}

/* Neighbours in a chain that come and go do not hide a point. */
static void table_lookups_while_changing(struct kunit *test)
{
	struct table_load *load = table_load_alloc(test, TABLE_POINTS);
	struct table_reader reader = { .load = load, .there = 50 };
	struct task_struct *task;
	unsigned int i, round;

	while (load->nr < TABLE_POINTS)
		table_add(load);
	task = kthread_run(table_reader_fn, &reader, "ktest_table");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_TRUE(test, table_reader_pass(&reader));
	for (round = 0; round < 5; round++) {
		scoped_guard(mutex, &kprobe_mutex) {
			for (i = reader.there; i < TABLE_POINTS; i++)
				kprobe_table_del(&load->pts[i]);
		}
		synchronize_rcu();
		scoped_guard(mutex, &kprobe_mutex) {
			for (i = reader.there; i < TABLE_POINTS; i++)
				kprobe_table_add(&load->pts[i]);
		}
	}
	KUNIT_EXPECT_TRUE(test, table_reader_pass(&reader));
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, 0, reader.missed);
	KUNIT_EXPECT_EQ(test, 0, reader.ghosts);
}

static struct kunit_case table_cases[] = {
	KUNIT_CASE(table_one),
	KUNIT_CASE(table_one_chain),
	KUNIT_CASE(table_lookups_while_growing),
	KUNIT_CASE(table_growth),
	KUNIT_CASE(table_spread),
	KUNIT_CASE(table_deletion),
	KUNIT_CASE(table_lookups_while_changing),
	{}
};

static struct kunit_suite table_suite = {
	.name = "kprobes_table",
	.test_cases = table_cases,
};

kunit_test_suite(table_suite);
