// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the look-ups of what an address in a slot or a detour stands for,
 * as an unwinder of a running task makes them: the address may be stale, and its
 * point be freed meanwhile. With KASAN, a look-up that uses freed memory is found.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>

#include "../detour.h"
#include "kprobes/tests/testing.h"
#include "targets_plain.h"

/* Each round waits for grace periods of RCU tasks. */
#define OWNER_ROUNDS	12

/**
 * struct owner - a thread that looks up all addresses of a slot and of a detour
 * @slot: the last slot of the point
 * @detour: the last detour of the point
 * @original: where the probed function is
 * @end: behind its last byte
 * @found: how many addresses were in a copy
 * @none: how many were in none
 * @wrong: how many answers were in another function
 */
struct owner {
	unsigned long slot;
	unsigned long detour;
	unsigned long original;
	unsigned long end;
	unsigned long found;
	unsigned long none;
	unsigned long wrong;
};

static void owner_ask(struct owner *o, unsigned long ip)
{
	unsigned long original = kprobe_text_ip(ip);

	if (original == ip)
		o->none++;
	else if (original >= o->original && original < o->end)
		o->found++;
	else
		o->wrong++;
}

static void owner_ask_all(struct owner *o, unsigned long from, unsigned long size)
{
	unsigned long ip;

	for (ip = from; from && ip < from + size; ip++)
		owner_ask(o, ip);
}

static int owner_thread(void *arg)
{
	struct owner *o = arg;

	while (!kthread_should_stop()) {
		owner_ask_all(o, READ_ONCE(o->slot), KPROBE_SLOT_SIZE);
		owner_ask_all(o, READ_ONCE(o->detour), DETOUR_SIZE);
		/* The points are freed when this thread has been here. */
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* The thread goes on with these addresses when the point is gone. */
static void owner_round(struct kunit *test, struct owner *o,
			struct ktest_probe *p)
{
	int ret = register_kprobe(&p->kp);
	struct kprobe_point *pt;

	/* No assertion: the thread would go on with what the test has freed. */
	KUNIT_EXPECT_EQ(test, 0, ret);
	if (ret)
		return;
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	pt = ktest_point(p);
	WRITE_ONCE(o->slot, (unsigned long)pt->probe.ainsn.insn);
	WRITE_ONCE(o->detour, (unsigned long)pt->op.optinsn.insn);
	KUNIT_EXPECT_EQ(test, 1, ktest_plain(0));
	/* One CPU would not let the thread run before the point is gone. */
	msleep(20);
	unregister_kprobe(&p->kp);
	kprobe_retire_flush();
}

static void owner_comes_and_goes(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_plain +
							ktest_plain_mid);
	struct owner *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	struct task_struct *thread;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->original = (unsigned long)ktest_plain;
	o->end = (unsigned long)p->kp.addr + MAX_OPTIMIZED_LENGTH;
	thread = kthread_run(owner_thread, o, "ktest-owner");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	for (i = 0; i < OWNER_ROUNDS; i++)
		owner_round(test, o, p);
	kthread_stop(thread);
	KUNIT_EXPECT_NE(test, 0, o->found);
	KUNIT_EXPECT_NE(test, 0, o->none);
	KUNIT_EXPECT_EQ(test, 0, o->wrong);
	KTEST_EXPECT_COUNTS(test, p, OWNER_ROUNDS, 0, 0);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE_SLOW(owner_comes_and_goes),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "kprobes_owner",
	.test_cases = owner_cases,
};

kunit_test_suite(owner_suite);
