// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of a batch that is larger than what is armed at a time, on neighbours:
 * on all instructions of a function that has many of one byte.
 */
#include <linux/math.h>
#include <asm/text-patching.h>

#include "targets_plain.h"

/* One more than is armed at a time. */
#define BATCH_LARGE	(KPROBE_CHUNK + 1)

/**
 * struct batch_dense - probes on all the instructions of ktest_nops()
 * @kps: as the interface wants them
 * @p: the probes
 */
struct batch_dense {
	struct kprobe *kps[BATCH_LARGE];
	struct ktest_probe *p;
};

static void batch_dense_end(void *arg)
{
	struct batch_dense *m = arg;

	unregister_kprobes(m->kps, BATCH_LARGE);
}

static struct batch_dense *batch_dense_alloc(struct kunit *test)
{
	struct batch_dense *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->p = kunit_kcalloc(test, BATCH_LARGE, sizeof(*m->p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->p);
	for (i = 0; i < BATCH_LARGE; i++) {
		m->kps[i] = &m->p[i].kp;
		m->kps[i]->addr = (void *)ktest_nops + ktest_nops_first + i;
		m->kps[i]->pre_handler = ktest_pre;
	}
	ktest_set_at_end(test, batch_dense_end, m);
	return m;
}

static unsigned int batch_count_detours(struct batch_dense *m)
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

/* Each was hit once; at the end, when all are gone, every tenth was hit once more. */
static void batch_dense_expect(struct kunit *test, struct batch_dense *m, bool armed)
{
	unsigned int i, hits, wrong_hits = 0, wrong_text = 0;

	for (i = 0; i < BATCH_LARGE; i++) {
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
	struct batch_dense *m = batch_dense_alloc(test);
	unsigned int i, jumps = 0;

	KUNIT_ASSERT_EQ(test, 0, register_kprobes(m->kps, BATCH_LARGE));
	KUNIT_EXPECT_EQ(test, 2, ktest_nops(1));
	batch_dense_expect(test, m, true);
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
