// SPDX-License-Identifier: GPL-2.0
/* On and off, and many probes at one place. */
#include <linux/errno.h>
#include <linux/kprobes.h>

#include "kprobe_api.h"

#define MANY	5

static struct kt_probe many[MANY];

static const kt_fn places[] = { kt_entry, kt_plain };

static void on_and_off_at(struct kt *t, kt_fn fn)
{
	struct kt_probe p;

	kt_probe_addr(&p, fn);
	KT_EQ(t, register_kprobe(&p.kp), 0);
	kt_call(t, fn, 3);
	KT_EQ(t, kt_hits(&p), 3);
	KT_EQ(t, disable_kprobe(&p.kp), 0);
	KT_TRUE(t, kprobe_disabled(&p.kp));
	kt_call(t, fn, 4);
	KT_EQ(t, kt_hits(&p), 3);
	KT_EQ(t, enable_kprobe(&p.kp), 0);
	KT_TRUE(t, !kprobe_disabled(&p.kp));
	kt_call(t, fn, 5);
	KT_EQ(t, kt_hits(&p), 8);
	unregister_kprobe(&p.kp);
	KT_EQ(t, p.kp.nmissed, 0);
}

static void on_and_off(struct kt *t)
{
	on_and_off_at(t, kt_entry);
	on_and_off_at(t, kt_plain);
}

/* It is a switch, not a counter: what is on is not turned on twice. */
static void switch_is_no_counter(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, enable_kprobe(&p.kp), 0);
	KT_EQ(t, enable_kprobe(&p.kp), 0);
	KT_EQ(t, disable_kprobe(&p.kp), 0);
	kt_call(t, kt_plain, 3);
	KT_EQ(t, kt_hits(&p), 0);
	KT_EQ(t, disable_kprobe(&p.kp), 0);
	KT_EQ(t, disable_kprobe(&p.kp), 0);
	KT_EQ(t, enable_kprobe(&p.kp), 0);
	kt_call(t, kt_plain, 3);
	KT_EQ(t, kt_hits(&p), 3);
	unregister_kprobe(&p.kp);
}

static void registered_off_at(struct kt *t, kt_fn fn)
{
	struct kt_probe p;

	kt_probe_addr(&p, fn);
	p.kp.flags = KPROBE_FLAG_DISABLED;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	kt_call(t, fn, 3);
	KT_EQ(t, kt_hits(&p), 0);
	KT_EQ(t, enable_kprobe(&p.kp), 0);
	kt_call(t, fn, 3);
	KT_EQ(t, kt_hits(&p), 3);
	KT_EQ(t, disable_kprobe(&p.kp), 0);
	unregister_kprobe(&p.kp);
	kt_call(t, fn, 3);
	KT_EQ(t, kt_hits(&p), 3);
}

static void registered_off(struct kt *t)
{
	registered_off_at(t, kt_entry);
	registered_off_at(t, kt_plain);
}

/* No flag but the one for users has a meaning at registration. */
static void foreign_flags(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	p.kp.flags = KPROBE_FLAG_GONE | KPROBE_FLAG_OPTIMIZED |
		     KPROBE_FLAG_FTRACE;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_TRUE(t, !kprobe_gone(&p.kp) && !kprobe_ftrace(&p.kp));
	kt_call(t, kt_plain, 3);
	KT_EQ(t, kt_hits(&p), 3);
	unregister_kprobe(&p.kp);
}

static void register_many(struct kt *t, kt_fn fn)
{
	int i;

	for (i = 0; i < MANY; i++) {
		kt_probe_addr(&many[i], fn);
		/* The odd ones look behind the instruction too. */
		if (i & 1)
			many[i].kp.post_handler = kt_post;
		KT_EQ(t, register_kprobe(&many[i].kp), 0);
	}
}

/* Call, and see who was hit: bit i of @mask stands for number i. */
static void expect_many(struct kt *t, kt_fn fn, unsigned int mask)
{
	int i, pre[MANY], post[MANY];

	for (i = 0; i < MANY; i++) {
		pre[i] = kt_hits(&many[i]);
		post[i] = atomic_read(&many[i].post);
	}
	kt_call(t, fn, 6);
	for (i = 0; i < MANY; i++) {
		int hits = mask & BIT(i) ? 6 : 0;

		KT_EQ(t, kt_hits(&many[i]) - pre[i], hits);
		KT_EQ(t, atomic_read(&many[i].post) - post[i],
		      i & 1 ? hits : 0);
		KT_EQ(t, many[i].kp.nmissed, 0);
	}
}

static void unregister_many(struct kt *t, kt_fn fn, const int *order)
{
	unsigned int left = BIT(MANY) - 1;
	int i;

	for (i = 0; i < MANY; i++) {
		unregister_kprobe(&many[order[i]].kp);
		left &= ~BIT(order[i]);
		expect_many(t, fn, left);
	}
}

/*
 * Whoever leaves first, the others stay.
 * 6.12: crashes, here and in the next two. On an ftrace site, it forgets which
 * of two ways the point was armed when a post handler comes or goes.
 */
static void many_leave(struct kt *t)
{
	static const int orders[][MANY] = {
		{ 0, 1, 2, 3, 4 }, { 4, 3, 2, 1, 0 }, { 2, 0, 4, 1, 3 },
	};
	int i, j;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (j = 0; j < ARRAY_SIZE(orders); j++) {
			register_many(t, places[i]);
			expect_many(t, places[i], 0x1f);
			unregister_many(t, places[i], orders[j]);
		}
	}
}

static void many_switch(struct kt *t)
{
	static const int order[MANY] = { 1, 2, 3, 4, 0 };
	int i, j;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		unsigned int on = 0x1f;

		register_many(t, places[i]);
		for (j = 0; j < MANY; j++) {
			KT_EQ(t, disable_kprobe(&many[j].kp), 0);
			on &= ~BIT(j);
			expect_many(t, places[i], on);
		}
		for (j = MANY - 1; j >= 0; j--) {
			KT_EQ(t, enable_kprobe(&many[j].kp), 0);
			on |= BIT(j);
			expect_many(t, places[i], on);
		}
		KT_EQ(t, disable_kprobe(&many[1].kp), 0);
		unregister_kprobe(&many[0].kp);
		expect_many(t, places[i], 0x1c);
		KT_EQ(t, enable_kprobe(&many[1].kp), 0);
		expect_many(t, places[i], 0x1e);
		KT_EQ(t, register_kprobe(&many[0].kp), 0);
		unregister_many(t, places[i], order);
	}
}

/* A newcomer that is off changes nothing for those who are on. */
static void many_and_one_off(struct kt *t)
{
	static const int order[MANY] = { 4, 0, 3, 1, 2 };
	struct kt_probe off;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_probe_addr(&off, places[i]);
		off.kp.flags = KPROBE_FLAG_DISABLED;
		register_many(t, places[i]);
		KT_EQ(t, register_kprobe(&off.kp), 0);
		expect_many(t, places[i], 0x1f);
		KT_EQ(t, kt_hits(&off), 0);
		unregister_many(t, places[i], order);
		KT_EQ(t, enable_kprobe(&off.kp), 0);
		kt_call(t, places[i], 2);
		KT_EQ(t, kt_hits(&off), 2);
		unregister_kprobe(&off.kp);
	}
}

/* Who was called, oldest call first, as decimal digits. */
static long sequence;

static int note(struct kprobe *p, struct pt_regs *regs)
{
	struct kt_probe *kt = container_of(p, struct kt_probe, kp);

	sequence = sequence * 10 + (kt - many) + 1;
	return 0;
}

static long sequence_at(struct kt *t, kt_fn fn)
{
	sequence = 0;
	kt_call(t, fn, 1);
	return sequence;
}

/* At every hit the newest is the first, and all have a turn. */
static void many_in_order(struct kt *t)
{
	int i, j;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (j = 0; j < MANY; j++) {
			kt_probe_addr(&many[j], places[i]);
			many[j].kp.pre_handler = note;
			KT_EQ(t, register_kprobe(&many[j].kp), 0);
		}
		for (j = 0; j < 10; j++)
			KT_EQ(t, sequence_at(t, places[i]), 54321);
		for (j = 0; j < MANY; j++)
			unregister_kprobe(&many[j].kp);
	}
}

const struct kt_case kt_state_cases[] = {
	{ "on_and_off", on_and_off },
	{ "switch_is_no_counter", switch_is_no_counter },
	{ "registered_off", registered_off },
	{ "foreign_flags", foreign_flags },
	{ "many_leave", many_leave },
	{ "many_switch", many_switch },
	{ "many_and_one_off", many_and_one_off },
	{ "many_in_order", many_in_order },
	KT_END
};
