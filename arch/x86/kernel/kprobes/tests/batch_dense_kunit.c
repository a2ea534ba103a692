// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of batches that are larger than what is armed at a time: on neighbours,
 * all instructions of a function that has many of one byte; and with post handlers.
 */
#include <linux/cpufeature.h>
#include <linux/kprobes.h>
#include <linux/math.h>
#include <asm/text-patching.h>

#include "kprobes/tests/crowd.h"
#include "targets_plain.h"

static struct ktest_many *batch_dense_alloc(struct kunit *test)
{
	struct ktest_many *m = ktest_many_alloc(test);
	int i;

	for (i = 0; i < KTEST_MANY; i++)
		m->kps[i]->addr = (void *)ktest_nops + ktest_nops_first + i;
	return m;
}

static unsigned int batch_count_detours(struct ktest_many *m)
{
	struct kprobe_point *pt;
	unsigned int i, n = 0;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < KTEST_MANY; i++) {
		pt = kprobe_table_find(m->kps[i]->addr);
		n += pt && arch_prepared_optinsn(&pt->op.optinsn);
	}
	return n;
}

/* Each was hit once; at the end, when all are gone, every tenth was hit once more. */
static void batch_dense_expect(struct kunit *test, struct ktest_many *m, bool armed)
{
	unsigned int i, hits, wrong_hits = 0, wrong_text = 0;

	for (i = 0; i < KTEST_MANY; i++) {
		hits = armed || i % 10 ? 1 : 2;
		wrong_hits += atomic_read(&m->p[i].pre) != hits;
		wrong_text += ktest_untouched(&m->p[i]) == armed;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong_hits);
	KUNIT_EXPECT_EQ(test, 0, wrong_text);
}

/* Where each instruction is probed, no detours are built that cannot serve. */
static void batch_large_dense(struct kunit *test)
{
	struct ktest_many *m = batch_dense_alloc(test);
	unsigned int i, jumps = 0;

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, KTEST_MANY));
	KUNIT_EXPECT_EQ(test, 2, ktest_nops(1));
	batch_dense_expect(test, m, true);
	/* Behind the last one there is no neighbour. */
	KUNIT_EXPECT_LE(test, batch_count_detours(m), 1);
	/* When the neighbours go, they are. */
	for (i = 0; i < KTEST_MANY; i++) {
		if (i % 10)
			unregister_kprobe(m->kps[i]);
	}
	wait_for_kprobe_optimizer();
	for (i = 0; i < KTEST_MANY; i += 10)
		jumps += ktest_text(m->kps[i]->addr) == JMP32_INSN_OPCODE;
	KUNIT_EXPECT_EQ(test, DIV_ROUND_UP(KTEST_MANY, 10), jumps);
	KUNIT_EXPECT_EQ(test, jumps, batch_count_detours(m));
	KUNIT_EXPECT_EQ(test, 2, ktest_nops(1));
	for (i = 0; i < KTEST_MANY; i += 10)
		unregister_kprobe(m->kps[i]);
	batch_dense_expect(test, m, false);
}

/* All CPUs are interrupted for many points at a time, post handlers or not. */
static __nocfi void batch_large_posts(struct kunit *test)
{
	struct ktest_probe *syncs = ktest_probe_alloc(test, text_poke_sync);
	struct ktest_many *m = ktest_many_alloc(test);
	unsigned int i, wrong = 0;

	if (cpu_feature_enabled(X86_FEATURE_FRED))
		kunit_skip(test, "the end of a trap serializes nothing");
	for (i = 0; i < KTEST_MANY; i++) {
		m->kps[i]->addr = ktest_entry(ktest_crowd[i]);
		m->kps[i]->post_handler = ktest_post;
	}
	/* So far apart, detours are built before the points are armed. */
	for (i = 1; i < KTEST_MANY; i++)
		KUNIT_ASSERT_GE(test, (unsigned long)(m->kps[i]->addr - m->kps[i - 1]->addr),
				MAX_OPTIMIZED_LENGTH);
	ktest_register(test, syncs);
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, KTEST_MANY));
	wait_for_kprobe_optimizer();
	for (i = 0; i < KTEST_MANY; i++) {
		KUNIT_EXPECT_EQ(test, i + 2, ktest_crowd[i](1));
		wrong += atomic_read(&m->p[i].pre) != 1 || atomic_read(&m->p[i].post) != 1;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	unregister_kprobes(m->kps, KTEST_MANY);
	kunit_info(test, "%d synchronisations\n", atomic_read(&syncs->pre));
	KUNIT_EXPECT_GT(test, atomic_read(&syncs->pre), 0);
	KUNIT_EXPECT_LT(test, atomic_read(&syncs->pre), KTEST_MANY / 4);
}

static struct kunit_case batch_dense_cases[] = {
	KUNIT_CASE_SLOW(batch_large_dense),
	KUNIT_CASE_SLOW(batch_large_posts),
	{}
};

static struct kunit_suite batch_dense_suite = {
	.name = "x86_kprobes_batch",
	.test_cases = batch_dense_cases,
};

kunit_test_suite(batch_dense_suite);
