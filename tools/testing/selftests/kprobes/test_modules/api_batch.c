// SPDX-License-Identifier: GPL-2.0
/* Arrays of probes: all or none. */
#include <linux/errno.h>
#include <linux/kprobes.h>

#include "kprobe_api.h"

#define BATCH	6

static struct kt_probe probes[BATCH];
static struct kprobe *kps[BATCH];

/* Half of them at an ordinary function, half of them at a plain one. */
static void fill(void)
{
	int i;

	for (i = 0; i < BATCH; i++) {
		kt_probe_symbol(&probes[i], i & 1 ? "kt_plain" : "kt_entry");
		kps[i] = &probes[i].kp;
	}
}

static void expect_hits(struct kt *t, int each)
{
	int i, before[BATCH];

	for (i = 0; i < BATCH; i++)
		before[i] = kt_hits(&probes[i]);
	kt_call(t, kt_entry, 5);
	kt_call(t, kt_plain, 5);
	for (i = 0; i < BATCH; i++)
		KT_EQ(t, kt_hits(&probes[i]) - before[i], each);
}

static void batch(struct kt *t)
{
	int round;

	for (round = 0; round < 3; round++) {
		fill();
		KT_EQ(t, register_kprobes(kps, BATCH), 0);
		expect_hits(t, 5);
		unregister_kprobes(kps, BATCH);
		expect_hits(t, 0);
	}
}

static void batch_of_one(struct kt *t)
{
	fill();
	KT_EQ(t, register_kprobes(kps, 1), 0);
	kt_call(t, kt_entry, 5);
	KT_EQ(t, kt_hits(&probes[0]), 5);
	unregister_kprobes(kps, 1);
	expect_hits(t, 0);
}

static void batch_of_none(struct kt *t)
{
	fill();
	KT_EQ(t, register_kprobes(kps, 0), -EINVAL);
	KT_EQ(t, register_kprobes(kps, -1), -EINVAL);
	KT_EQ(t, register_kprobes(NULL, 0), -EINVAL);
	unregister_kprobes(kps, 0);
	unregister_kprobes(kps, -1);
	expect_hits(t, 0);
}

/* One bad probe in the array, and none of them stays. */
static void bad_at(struct kt *t, int place, const char *symbol, int err)
{
	fill();
	probes[place].kp.symbol_name = symbol;
	KT_EQ(t, register_kprobes(kps, BATCH), err);
	expect_hits(t, 0);

	/* Nothing of it is left behind: without the bad one it works. */
	fill();
	KT_EQ(t, register_kprobes(kps, BATCH), 0);
	expect_hits(t, 5);
	unregister_kprobes(kps, BATCH);
}

static void bad_in_batch(struct kt *t)
{
	static const int at[] = { 0, BATCH / 2, BATCH - 1 };
	int i;

	for (i = 0; i < ARRAY_SIZE(at); i++) {
		bad_at(t, at[i], "kt_there_is_no_such_function", -ENOENT);
		bad_at(t, at[i], "kt_nokprobe", -EINVAL);
	}
}

/*
 * What is given by an address and an offset stands as it was after a failure, and is
 * registered at its place then. 6.12: leaves it with the sum of both.
 */
static void offset_in_batch(struct kt *t)
{
	int i;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	fill();
	for (i = 0; i < BATCH - 1; i++) {
		kt_probe_addr(&probes[i], kt_asm);
		probes[i].kp.offset = kt_asm_insns[3];
	}
	probes[BATCH - 1].kp.symbol_name = "kt_there_is_no_such_function";
	KT_EQ(t, register_kprobes(kps, BATCH), -ENOENT);
	for (i = 0; i < BATCH - 1; i++)
		KT_EQ(t, (long)probes[i].kp.addr, (long)kt_asm);
	KT_EQ(t, register_kprobes(kps, BATCH - 1), 0);
	for (i = 0; i < BATCH - 1; i++)
		KT_EQ(t, (long)probes[i].kp.addr, (long)kt_asm + kt_asm_insns[3]);
	kt_call(t, kt_asm, 8);
	unregister_kprobes(kps, BATCH - 1);
	for (i = 0; i < BATCH - 1; i++)
		KT_EQ(t, kt_hits(&probes[i]), 8);
}

static void unaligned_in_batch(struct kt *t)
{
	int i;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	for (i = 0; i < BATCH; i++) {
		fill();
		probes[i].kp.symbol_name = "kt_asm";
		probes[i].kp.offset = kt_asm_insns[3] + 2;
		KT_EQ(t, register_kprobes(kps, BATCH), -EILSEQ);
		expect_hits(t, 0);
	}
}

/* 6.12: warns, as for every probe that is registered twice. */
static void twice_in_batch(struct kt *t)
{
	fill();
	kps[BATCH - 1] = kps[0];
	KT_EQ(t, register_kprobes(kps, BATCH), -EINVAL);
	expect_hits(t, 0);
}

static void neighbours_in_batch(struct kt *t)
{
	unsigned int i;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	for (i = 0; i < BATCH; i++) {
		kt_probe_addr(&probes[i], (void *)kt_asm + kt_asm_insns[i]);
		kps[i] = &probes[i].kp;
	}
	KT_EQ(t, register_kprobes(kps, BATCH), 0);
	kt_call(t, kt_asm, 8);
	unregister_kprobes(kps, BATCH);
	kt_call(t, kt_asm, 8);
	for (i = 0; i < BATCH; i++)
		KT_EQ(t, kt_hits(&probes[i]), 8);
}

/* The stranger in the array is pointed out, the others go. */
static void stranger_in_batch(struct kt *t)
{
	int place;

	for (place = 0; place < BATCH; place++) {
		struct kt_probe stranger;

		fill();
		KT_EQ(t, register_kprobes(kps, BATCH), 0);
		kt_probe_addr(&stranger, kt_plain);
		kps[place] = &stranger.kp;
		unregister_kprobes(kps, BATCH);
		KT_EQ(t, (long)stranger.kp.addr, 0);
		kt_call(t, kt_entry, 5);
		kt_call(t, kt_plain, 5);
		KT_EQ(t, kt_hits(&probes[place]), 5);
		KT_EQ(t, kt_hits(&probes[(place + 1) % BATCH]), 0);
		unregister_kprobe(&probes[place].kp);
		expect_hits(t, 0);
	}
}

static void disabled_in_batch(struct kt *t)
{
	int i;

	fill();
	for (i = 0; i < BATCH; i++)
		probes[i].kp.flags = KPROBE_FLAG_DISABLED;
	KT_EQ(t, register_kprobes(kps, BATCH), 0);
	expect_hits(t, 0);
	for (i = 0; i < BATCH; i++)
		KT_EQ(t, enable_kprobe(kps[i]), 0);
	expect_hits(t, 5);
	unregister_kprobes(kps, BATCH);
}

const struct kt_case kt_batch_cases[] = {
	{ "batch", batch },
	{ "batch_of_one", batch_of_one },
	{ "batch_of_none", batch_of_none },
	{ "bad_in_batch", bad_in_batch },
	{ "offset_in_batch", offset_in_batch },
	{ "unaligned_in_batch", unaligned_in_batch },
	{ "twice_in_batch", twice_in_batch },
	{ "neighbours_in_batch", neighbours_in_batch },
	{ "stranger_in_batch", stranger_in_batch },
	{ "disabled_in_batch", disabled_in_batch },
	KT_END
};
