// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of a batch that is larger than what is armed at a time, on neighbours:
 * on all instructions of a function that has many of one byte.
 */
#include <linux/kprobes.h>
#include <linux/math.h>
#include <asm/text-patching.h>

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

static struct kunit_case batch_dense_cases[] = {
	KUNIT_CASE_SLOW(batch_large_dense),
	{}
};

static struct kunit_suite batch_dense_suite = {
	.name = "x86_kprobes_batch",
	.test_cases = batch_dense_cases,
};

kunit_test_suite(batch_dense_suite);
