// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of slots: which are in use, and when pages come and go. Most of them are
 * on a cache of their own.
 */
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/preempt.h>

#include "../slots.h"
#include "testing.h"

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
#define SLOTS_SIZE	48
#define SLOTS_PER_PAGE	(PAGE_SIZE / SLOTS_SIZE)
#define SLOTS_MANY	(5 * SLOTS_PER_PAGE + 7)

/* How many pages the cache of the test holds. */
static int slots_pages;
static bool slots_no_memory;

/* Nothing is executed there, so any page will do. */
static void *slots_alloc(void)
{
	void *page = slots_no_memory ? NULL : (void *)__get_free_page(GFP_KERNEL);

	slots_pages += !!page;
	return page;
}

static void slots_free(void *page)
{
	slots_pages--;
	free_page((unsigned long)page);
}

/**
 * struct slots_set - slots that were taken
 * @cache: where from
 * @slot: the slots; NULL where there is none any more
 */
struct slots_set {
	struct kprobe_slot_cache cache;
	kprobe_opcode_t *slot[SLOTS_MANY];
};

/* The last page of a cache stays, so it can only be given back behind it. */
static void slots_empty(void *arg)
{
	struct slots_set *s = arg;
	unsigned int i;

	for (i = 0; i < SLOTS_MANY; i++) {
		if (s->slot[i])
			kprobe_free_slot(&s->cache, s->slot[i], 0);
	}
}

static struct slots_set *slots_set_alloc(struct kunit *test)
{
	struct slots_set *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	slots_pages = 0;
	slots_no_memory = false;
	mutex_init(&s->cache.mutex);
	INIT_LIST_HEAD(&s->cache.pages);
	INIT_LIST_HEAD(&s->cache.all);
	s->cache.alloc = slots_alloc;
	s->cache.free = slots_free;
	s->cache.slot_size = SLOTS_SIZE;
	s->cache.symbol = "kprobe_test_page";
	ktest_set_at_end(test, slots_empty, s);
	return s;
}

static void slots_take(struct kunit *test, struct slots_set *s, unsigned int i)
{
	s->slot[i] = kprobe_get_slot(&s->cache);
	KUNIT_ASSERT_NOT_NULL(test, s->slot[i]);
}

static void slots_give(struct slots_set *s, unsigned int i)
{
	kprobe_free_slot(&s->cache, s->slot[i], 0);
	s->slot[i] = NULL;
}

static bool slots_overlap(kprobe_opcode_t *a, kprobe_opcode_t *b)
{
	return (void *)a < (void *)b + SLOTS_SIZE &&
	       (void *)b < (void *)a + SLOTS_SIZE;
}

/* How many slots share a byte with another one, or cross the end of a page. */
static unsigned int slots_wrong(struct slots_set *s)
{
	unsigned int i, j, wrong = 0;

	for (i = 0; i < SLOTS_MANY; i++) {
		if (!s->slot[i])
			continue;
		wrong += offset_in_page(s->slot[i]) % SLOTS_SIZE != 0;
		wrong += offset_in_page(s->slot[i]) + SLOTS_SIZE > PAGE_SIZE;
		for (j = 0; j < i; j++)
			wrong += s->slot[j] &&
				 slots_overlap(s->slot[i], s->slot[j]);
	}
	return wrong;
}

/* Many slots, all of them different, in as few pages as hold them. */
static void slots_many(struct kunit *test)
{
	struct slots_set *s = slots_set_alloc(test);
	unsigned int i;

	for (i = 0; i < SLOTS_MANY; i++)
		slots_take(test, s, i);
	KUNIT_EXPECT_EQ(test, 0, slots_wrong(s));
	KUNIT_EXPECT_EQ(test, 6, slots_pages);
	KUNIT_EXPECT_EQ(test, SLOTS_MANY, kprobe_slots_used(&s->cache));

	/* Holes are filled before a page is added. */
	for (i = 0; i < SLOTS_MANY; i += 2)
		slots_give(s, i);
	KUNIT_EXPECT_EQ(test, SLOTS_MANY / 2, kprobe_slots_used(&s->cache));
	for (i = 0; i < SLOTS_MANY; i += 2)
		slots_take(test, s, i);
	KUNIT_EXPECT_EQ(test, 0, slots_wrong(s));
	KUNIT_EXPECT_EQ(test, 6, slots_pages);

	for (i = 0; i < SLOTS_MANY; i++)
		slots_give(s, i);
	KUNIT_EXPECT_EQ(test, 0, kprobe_slots_used(&s->cache));
	KUNIT_EXPECT_EQ(test, 1, slots_pages);
}

/* A cache knows its pages, whole pages, and nothing else. */
static void slots_has(struct kunit *test)
{
	struct slots_set *s = slots_set_alloc(test);
	unsigned long first, page;
	unsigned int i;

	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache, 0));
	for (i = 0; i < SLOTS_MANY; i++)
		slots_take(test, s, i);
	for (i = 0; i < SLOTS_MANY; i++) {
		unsigned long slot = (unsigned long)s->slot[i];

		KUNIT_EXPECT_TRUE(test, kprobe_slot_cache_has(&s->cache, slot));
		KUNIT_EXPECT_TRUE(test, kprobe_slot_cache_has(&s->cache,
							      slot + SLOTS_SIZE - 1));
		KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(slot));
	}
	first = s->cache.lowest;
	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache, first - 1));
	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache,
						       s->cache.highest));
	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache,
						       (unsigned long)slots_has));
	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache,
						       (unsigned long)s));

	/* A page that was given back is not the cache's any more. */
	page = (unsigned long)s->slot[0] & PAGE_MASK;
	for (i = 0; i < SLOTS_MANY; i++) {
		if (((unsigned long)s->slot[i] & PAGE_MASK) == page)
			slots_give(s, i);
	}
	KUNIT_EXPECT_EQ(test, 5, slots_pages);
	KUNIT_EXPECT_FALSE(test, kprobe_slot_cache_has(&s->cache, page));
}

/* Every byte of a slot belongs to its owner until the slot is given back. */
static void slots_owner(struct kunit *test)
{
	struct slots_set *s = slots_set_alloc(test);
	struct kprobe *owner[2], *found;
	unsigned int i;
	int j;

	for (i = 0; i < 2; i++) {
		slots_take(test, s, i);
		owner[i] = kunit_kzalloc(test, sizeof(*owner[i]), GFP_KERNEL);
		KUNIT_ASSERT_NOT_NULL(test, owner[i]);
		kprobe_set_slot_owner(&s->cache, s->slot[i], owner[i]);
	}
	for (i = 0; i < 2; i++) {
		for (j = 0; j < SLOTS_SIZE; j++) {
			scoped_guard(preempt)
				found = kprobe_slot_owner(&s->cache,
							  (unsigned long)s->slot[i] + j);
			KUNIT_EXPECT_PTR_EQ(test, owner[i], found);
		}
	}
	slots_take(test, s, 2);
	scoped_guard(preempt) {
		found = kprobe_slot_owner(&s->cache, (unsigned long)s->slot[2]);
		KUNIT_EXPECT_NULL(test, found);
		/* What is left of a page is no slot. */
		found = kprobe_slot_owner(&s->cache,
					  s->cache.lowest + PAGE_SIZE - 1);
		KUNIT_EXPECT_NULL(test, found);
		found = kprobe_slot_owner(&s->cache, (unsigned long)slots_owner);
		KUNIT_EXPECT_NULL(test, found);
	}
	j = (unsigned long)s->slot[0] == (unsigned long)s->slot[1];
	KUNIT_EXPECT_EQ(test, 0, j);
	slots_give(s, 1);
	slots_take(test, s, 1);
	scoped_guard(preempt)
		found = kprobe_slot_owner(&s->cache, (unsigned long)s->slot[1]);
	KUNIT_EXPECT_NULL(test, found);
}

/* Without memory there is no slot, and later there is one again. */
static void slots_out_of_memory(struct kunit *test)
{
	struct slots_set *s = slots_set_alloc(test);
	unsigned int i;

	slots_no_memory = true;
	KUNIT_EXPECT_NULL(test, kprobe_get_slot(&s->cache));
	slots_no_memory = false;
	for (i = 0; i < SLOTS_PER_PAGE; i++)
		slots_take(test, s, i);
	slots_no_memory = true;
	KUNIT_EXPECT_NULL(test, kprobe_get_slot(&s->cache));
	slots_give(s, 3);
	slots_take(test, s, 3);
	KUNIT_EXPECT_EQ(test, 0, slots_wrong(s));
}

/* A slot that a task may be in is not given out before all tasks were seen. */
static void slots_late(struct kunit *test)
{
	struct slots_set *s = slots_set_alloc(test);
	kprobe_opcode_t *late, *later;
	unsigned int i;

	for (i = 0; i < SLOTS_PER_PAGE; i++)
		slots_take(test, s, i);
	late = s->slot[3];
	later = s->slot[5];
	kprobe_free_slot_late(&s->cache, late);
	s->slot[3] = NULL;
	KUNIT_EXPECT_EQ(test, SLOTS_PER_PAGE, kprobe_slots_used(&s->cache));
	/* The page is still full. */
	slots_take(test, s, SLOTS_PER_PAGE);
	KUNIT_EXPECT_EQ(test, 2, slots_pages);

	KUNIT_EXPECT_TRUE(test, kprobe_slots_late(&s->cache));
	/* Given back while the worker waits: not what it waits for. */
	kprobe_free_slot_late(&s->cache, later);
	s->slot[5] = NULL;
	kprobe_slots_reap(&s->cache);
	KUNIT_EXPECT_EQ(test, SLOTS_PER_PAGE, kprobe_slots_used(&s->cache));
	slots_take(test, s, 3);
	KUNIT_EXPECT_PTR_EQ(test, late, s->slot[3]);

	KUNIT_EXPECT_TRUE(test, kprobe_slots_late(&s->cache));
	KUNIT_EXPECT_FALSE(test, kprobe_slots_late(&s->cache));
	kprobe_slots_reap(&s->cache);
	KUNIT_EXPECT_EQ(test, SLOTS_PER_PAGE, kprobe_slots_used(&s->cache));

	/* The last one of a page takes the page along. */
	for (i = 0; i < SLOTS_PER_PAGE; i++) {
		if (!s->slot[i])
			continue;
		kprobe_free_slot_late(&s->cache, s->slot[i]);
		s->slot[i] = NULL;
	}
	KUNIT_EXPECT_TRUE(test, kprobe_slots_late(&s->cache));
	kprobe_slots_reap(&s->cache);
	KUNIT_EXPECT_EQ(test, 1, slots_pages);
	KUNIT_EXPECT_EQ(test, 1, kprobe_slots_used(&s->cache));
}

/* All that probes take is given back, however often they come and go. */
static void slots_come_back(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_break);
	unsigned int insn, i;

	kprobe_retire_flush();
	insn = kprobe_slots_used(&kprobe_insn_slots);
	for (i = 0; i < 20; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&a->kp));
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&b->kp));
		ktest_fixed(1);
		ktest_break(1);
		unregister_kprobe(&b->kp);
		unregister_kprobe(&a->kp);
	}
	kprobe_retire_flush();
	KUNIT_EXPECT_EQ(test, insn, kprobe_slots_used(&kprobe_insn_slots));
	KTEST_EXPECT_COUNTS(test, a, 20, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 20, 0, 0);
}

static struct kunit_case slots_cases[] = {
	KUNIT_CASE(slots_many),
	KUNIT_CASE(slots_has),
	KUNIT_CASE(slots_owner),
	KUNIT_CASE(slots_out_of_memory),
	KUNIT_CASE(slots_late),
	KUNIT_CASE(slots_come_back),
	{}
};

static struct kunit_suite slots_suite = {
	.name = "kprobes_slots",
	.test_cases = slots_cases,
};

kunit_test_suite(slots_suite);
#endif /* __ARCH_WANT_KPROBES_INSN_SLOT */
