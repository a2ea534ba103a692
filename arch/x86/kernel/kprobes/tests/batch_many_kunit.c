// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of batches that are larger than what is armed at a time: probes on
 * all instructions of a function that has many of one byte.
 */
#include <linux/math.h>
#include <linux/string.h>
#include <asm/text-patching.h>

#include "targets_plain.h"

/* One more than is armed at a time. */
#define BATCH_LARGE	(KPROBE_CHUNK + 1)

/**
 * struct batch_many - probes on all the instructions of ktest_nops()
 * @kps: as the interface wants them
 * @p: the probes
 */
struct batch_many {
	struct kprobe *kps[BATCH_LARGE];
	struct ktest_probe *p;
};

static void batch_many_end(void *arg)
{
	struct batch_many *m = arg;

	unregister_kprobes(m->kps, BATCH_LARGE);
}

static struct batch_many *batch_many_alloc(struct kunit *test)
{
	struct batch_many *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->p = kunit_kcalloc(test, BATCH_LARGE, sizeof(*m->p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->p);
	for (i = 0; i < BATCH_LARGE; i++) {
		m->kps[i] = &m->p[i].kp;
		m->kps[i]->addr = (void *)ktest_nops + ktest_nops_first + i;
		m->kps[i]->pre_handler = ktest_pre;
	}
	ktest_set_at_end(test, batch_many_end, m);
	return m;
}

static void batch_many_expect(struct kunit *test, struct batch_many *m,
			      int hits, bool armed)
{
	int i, wrong_hits = 0, wrong_text = 0;

	KUNIT_EXPECT_EQ(test, 2, ktest_nops(1));
	for (i = 0; i < BATCH_LARGE; i++) {
		wrong_hits += atomic_read(&m->p[i].pre) != hits;
		wrong_text += ktest_untouched(&m->p[i]) == armed;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong_hits);
	KUNIT_EXPECT_EQ(test, 0, wrong_text);
}

/* More than are armed at a time: all of them, and also none of them. */
static void batch_large(struct kunit *test)
{
	struct batch_many *m = batch_many_alloc(test);
	kprobe_opcode_t *last = m->kps[BATCH_LARGE - 1]->addr;

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, BATCH_LARGE));
	batch_many_expect(test, m, 1, true);
	unregister_kprobes(m->kps, BATCH_LARGE);
	batch_many_expect(test, m, 1, false);

	m->kps[BATCH_LARGE - 1]->addr = (kprobe_opcode_t *)get_kprobe;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobes(m->kps, BATCH_LARGE));
	m->kps[BATCH_LARGE - 1]->addr = last;
	batch_many_expect(test, m, 1, false);

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, BATCH_LARGE));
	batch_many_expect(test, m, 2, true);
}

/* More than are disarmed at a time are in text that goes away. */
static void batch_large_gone(struct kunit *test)
{
	struct batch_many *m = batch_many_alloc(test);
	unsigned int points = ktest_count_points();
	unsigned long first = (unsigned long)m->kps[0]->addr;

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, BATCH_LARGE));
	kprobe_kill_range(first, first + BATCH_LARGE);
	batch_many_expect(test, m, 0, false);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(m->kps[0]));
	KUNIT_EXPECT_TRUE(test, kprobe_gone(m->kps[BATCH_LARGE - 1]));
	unregister_kprobes(m->kps, BATCH_LARGE);
	KUNIT_EXPECT_EQ(test, points, ktest_count_points());
}

#ifdef CONFIG_OPTPROBES
static unsigned int batch_count_detours(struct batch_many *m)
{
	struct kprobe_point *pt;
	unsigned int i, n = 0;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < BATCH_LARGE; i++) {
		pt = kprobe_table_find(m->kps[i]->addr);
		n += pt && arch_prepared_optinsn(&pt->op.optinsn);
	}
	return n;
}

/* Where each instruction is probed, no detours are built that cannot serve. */
static void batch_large_dense(struct kunit *test)
{
	struct batch_many *m = batch_many_alloc(test);
	unsigned int i, jumps = 0;

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, BATCH_LARGE));
	/* Behind the last one there is no neighbour. */
	KUNIT_EXPECT_LE(test, batch_count_detours(m), 1);
	/* When the neighbours go, they are. */
	for (i = 0; i < BATCH_LARGE; i++) {
		if (i % 10)
			unregister_kprobe(m->kps[i]);
	}
	wait_for_kprobe_optimizer();
	for (i = 0; i < BATCH_LARGE; i += 10)
		jumps += ktest_text(m->kps[i]->addr) == JMP32_INSN_OPCODE;
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(BATCH_LARGE, 10), jumps);
	KUNIT_EXPECT_EQ(test, jumps, batch_count_detours(m));
	KUNIT_EXPECT_EQ(test, 2, ktest_nops(1));
	for (i = 0; i < BATCH_LARGE; i += 10)
		unregister_kprobe(m->kps[i]);
}
#endif /* CONFIG_OPTPROBES */

static struct kunit_case batch_many_cases[] = {
	KUNIT_CASE(batch_large),
	KUNIT_CASE(batch_large_gone),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE_SLOW(batch_large_dense),
#endif
	{}
};

static struct kunit_suite batch_many_suite = {
	.name = "x86_kprobes_batch",
	.test_cases = batch_many_cases,
};

kunit_test_suite(batch_many_suite);
