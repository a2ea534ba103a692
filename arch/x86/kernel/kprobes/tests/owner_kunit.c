// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of the look-ups of what an address in a slot or a detour stands for,
 * as an unwinder of a running task makes them: the address may be stale, and its
 * point be freed meanwhile. With KASAN, or with init_on_free=1, a use of freed memory is
 * found.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>

#include "../detour.h"
#include "../insn.h"
#include "targets.h"
#include "targets_plain.h"

/* Each round waits for grace periods of RCU tasks. */
#define OWNER_ROUNDS	12

/* How long a point is looked at. It can be freed meanwhile, unless that waits. */
#define OWNER_HELD_US	500

/**
 * struct owner - a thread that looks up all addresses of a slot and of a detour
 * @p: the probe whose point comes and goes
 * @slot: the last slot of the point
 * @detour: the last detour of the point
 * @original: where the probed function is
 * @end: behind its last byte
 * @found: how many addresses were in a copy
 * @none: how many were in none
 * @wrong: how many answers were in another function, or did not stay right
 * @gone: how often the slot had been given back when the look at its point ended
 */
struct owner {
	struct ktest_probe *p;
	unsigned long slot;
	unsigned long detour;
	unsigned long original;
	unsigned long end;
	unsigned long found;
	unsigned long none;
	unsigned long wrong;
	unsigned long gone;
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

/*
 * What is compiled here uses the point as an unwinder does: what is in hit-path is not
 * instrumented, so that KASAN does not see it.
 */
static void owner_hold(struct owner *o)
{
	unsigned long slot = READ_ONCE(o->slot);
	struct kprobe *p;

	guard(preempt)();
	p = slot ? kprobe_slot_owner(&kprobe_insn_slots, slot) : NULL;
	if (!p)
		return;
	udelay(OWNER_HELD_US);
	o->found++;
	o->gone += kprobe_slot_owner(&kprobe_insn_slots, slot) != p;
	o->wrong += READ_ONCE(p->addr) != o->p->kp.addr ||
		    READ_ONCE(p->ainsn.class->len) != ktest_call_where_next - ktest_call_where_at;
}

static int owner_hold_thread(void *arg)
{
	while (!kthread_should_stop()) {
		owner_hold(arg);
		cond_resched_tasks_rcu_qs();
	}
	return 0;
}

/* The thread goes on with these addresses when the point is gone. */
static void owner_round(struct kunit *test, struct owner *o)
{
	int ret = register_kprobe(&o->p->kp);
	struct kprobe_point *pt;

	/* No assertion: the thread would go on with what the test has freed. */
	KUNIT_EXPECT_EQ(test, 0, ret);
	if (ret)
		return;
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(o->p));
	pt = ktest_point(o->p);
	WRITE_ONCE(o->slot, (unsigned long)pt->probe.ainsn.insn);
	WRITE_ONCE(o->detour, (unsigned long)pt->op.optinsn.insn);
	KUNIT_EXPECT_EQ(test, 1, ktest_plain(0));
	/* One CPU would not let the thread run before the point is gone. */
	msleep(20);
	unregister_kprobe(&o->p->kp);
	kprobe_retire_flush();
	/* What the thread holds must not be in use again when it looks once more. */
	usleep_range(2000, 4000);
}

/* On another CPU than what gives slots back, if there is one. */
static struct task_struct *owner_start(struct owner *o, int (*thread_fn)(void *))
{
	unsigned int here = raw_smp_processor_id();
	unsigned int there = cpumask_any_but(cpu_online_mask, here);
	struct task_struct *thread = kthread_create(thread_fn, o, "ktest-owner");

	if (IS_ERR(thread))
		return thread;
	if (there < nr_cpu_ids) {
		set_cpus_allowed_ptr(current, cpumask_of(here));
		kthread_bind(thread, there);
	}
	wake_up_process(thread);
	return thread;
}

/* Have points at @addr come and go beside a thread. */
static struct owner *owner_run(struct kunit *test, int (*thread_fn)(void *), void *addr)
{
	struct owner *o = kunit_kzalloc(test, sizeof(*o), GFP_KERNEL);
	struct task_struct *thread;
	int i;

	KUNIT_ASSERT_NOT_NULL(test, o);
	o->p = ktest_probe_alloc(test, addr);
	o->original = (unsigned long)ktest_plain;
	o->end = (unsigned long)o->p->kp.addr + MAX_OPTIMIZED_LENGTH;
	thread = owner_start(o, thread_fn);
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	for (i = 0; i < OWNER_ROUNDS; i++)
		owner_round(test, o);
	kthread_stop(thread);
	KUNIT_EXPECT_NE(test, 0, o->found);
	KUNIT_EXPECT_EQ(test, 0, o->wrong);
	return o;
}

static void owner_comes_and_goes(struct kunit *test)
{
	struct owner *o = owner_run(test, owner_thread, (void *)ktest_plain + ktest_plain_mid);

	KUNIT_EXPECT_NE(test, 0, o->none);
	KTEST_EXPECT_COUNTS(test, o->p, OWNER_ROUNDS, 0, 0);
}

/* A point that an unwinder has found stays, and its class, which no other point shares. */
static void owner_stays(struct kunit *test)
{
	struct owner *o = owner_run(test, owner_hold_thread,
				    (void *)ktest_call_where + ktest_call_where_at);

	kunit_info(test, "%lu of %lu were given back\n", o->gone, o->found);
	/* One CPU runs the thread or what gives them back. */
	if (num_online_cpus() > 1)
		KUNIT_EXPECT_NE(test, 0, o->gone);
}

static struct kunit_case owner_cases[] = {
	KUNIT_CASE_SLOW(owner_comes_and_goes),
	KUNIT_CASE_SLOW(owner_stays),
	{}
};

static struct kunit_suite owner_suite = {
	.name = "kprobes_owner",
	.test_cases = owner_cases,
};

kunit_test_suite(owner_suite);
