// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the registration of jprobes: what is refused, that all or none of a
 * batch is registered, and that nothing runs any more when they are unregistered.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/init.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/string.h>

#include "../jprobe.h"
#include "jprobe_testing.h"

/* Disabled and enabled, before and after it is registered. */
static void jp_switch(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_handler));

	KUNIT_EXPECT_EQ(test, -EINVAL, disable_jprobe(jp));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_jprobe(jp));
	jp->kp.flags = KPROBE_FLAG_DISABLED;
	jp_register(test, jp);
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KUNIT_EXPECT_EQ(test, 0, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 0, enable_jprobe(jp));
	KUNIT_EXPECT_EQ(test, 3, ktest_plain(2));
	KUNIT_EXPECT_EQ(test, 1, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 2, jp_seen.arg);
	KUNIT_EXPECT_EQ(test, 0, disable_jprobe(jp));
	KUNIT_EXPECT_EQ(test, 4, ktest_plain(3));
	KUNIT_EXPECT_EQ(test, 1, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 0, jp->kp.nmissed);
}

/* What is wrong with a jprobe is said, and leaves nothing behind. */
static void jp_refuse(struct kunit *test, int error, struct jprobe *jp)
{
	unsigned int points = ktest_count_points();

	KUNIT_EXPECT_EQ(test, error, register_jprobe(jp));
	KUNIT_EXPECT_EQ(test, points, ktest_count_points());
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_jprobe(jp));
}

static void jp_errors(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_plain, NULL);

	KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobes(&jp, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobes(&jp, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobes(NULL, 1));
	jp_refuse(test, -EINVAL, jp);
	jp->entry = &jp_seen;
	jp_refuse(test, -EINVAL, jp);
	jp->entry = JPROBE_ENTRY(jp_handler);
	jp->entry++;
	jp_refuse(test, -EINVAL, jp);
	jp->entry = JPROBE_ENTRY(jp_handler);
	jp->kp.pre_handler = ktest_pre;
	jp_refuse(test, -EINVAL, jp);
	KUNIT_EXPECT_TRUE(test, jp->kp.pre_handler == ktest_pre);
	jp->kp.pre_handler = NULL;
	jp->kp.symbol_name = "ktest_plain";
	jp_refuse(test, -EINVAL, jp);
	jp->kp.addr = NULL;
	jp->kp.symbol_name = "ktest_no_such_function";
	jp_refuse(test, -ENOENT, jp);
	jp->kp.symbol_name = NULL;
	jp_refuse(test, -EINVAL, jp);
	/* A function that may not be probed. */
	jp->kp.symbol_name = "jprobe_return";
	jp_refuse(test, -EINVAL, jp);
}

static int __init jp_handler_init(int x)
{
	jp_seen.hits++;
	jprobe_return();
	return x;
}

/* A handler that is freed while its jprobe stays; before that, and after it. */
static void __ref jp_init_text(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_handler_init));
	int ret = register_jprobe(jp);

	KUNIT_EXPECT_EQ(test, -EINVAL, ret);
	if (!ret)
		unregister_jprobe(jp);
	KUNIT_EXPECT_NULL(test, jp->kp.pre_handler);
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KUNIT_EXPECT_EQ(test, 0, jp_seen.hits);
}

/* Further in a function there are no arguments any more. */
static void jp_not_entry(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, NULL, JPROBE_ENTRY(jp_handler));
	unsigned int offset, refused = 0;

	jp->kp.symbol_name = "ktest_plain";
	/* What belongs to the entry (a landing pad, a site of ftrace) is shorter. */
	for (offset = 10; offset < 16; offset++) {
		jp->kp.offset = offset;
		jp->kp.addr = NULL;
		refused += register_jprobe(jp) == -EINVAL;
	}
	KUNIT_EXPECT_EQ(test, 6, refused);
}

static void jp_count_post(struct kprobe *kp, struct pt_regs *regs,
			  unsigned long flags)
{
	jp_seen.back++;
}

/* Twice, again, and as something else. */
static void jp_again(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, NULL, JPROBE_ENTRY(jp_handler));
	kprobe_opcode_t *addr;
	int n;

	jp->kp.symbol_name = "ktest_plain";
	for (n = 0; n < 3; n++) {
		KUNIT_ASSERT_EQ(test, 0, register_jprobe(jp));
		addr = jp->kp.addr;
		jp->kp.addr = NULL;
		KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobe(jp));
		jp->kp.symbol_name = NULL;
		jp->kp.addr = addr;
		KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobe(jp));
		KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
		KUNIT_EXPECT_EQ(test, n + 1, jp_seen.hits);
		unregister_jprobe(jp);
		jp->kp.symbol_name = "ktest_plain";
		jp->kp.addr = NULL;
	}
	/* A kprobe that is registered does not become a jprobe. */
	jp->kp.pre_handler = NULL;
	jp->kp.post_handler = jp_count_post;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&jp->kp));
	jp->kp.symbol_name = NULL;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_jprobe(jp));
	KUNIT_EXPECT_NULL(test, jp->kp.pre_handler);
	/* Nor are those unregistered that are not there. */
	unregister_jprobes(NULL, 1);
	unregister_jprobes(&jp, 0);
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KUNIT_EXPECT_EQ(test, n, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 1, jp_seen.back);
	unregister_kprobe(&jp->kp);
}

static void jp_expect_none(struct kunit *test, int error, struct jprobe **jps,
			   int n)
{
	unsigned int points = ktest_count_points();

	KUNIT_EXPECT_EQ(test, error, register_jprobes(jps, n));
	KUNIT_EXPECT_EQ(test, points, ktest_count_points());
}

static int jp_call_all(void)
{
	return ktest_traced(1) + ktest_fixed(1) + ktest_plain(1);
}

/* A bad one anywhere in a batch: none of it stays, nothing of it is armed. */
static void jp_batch(struct kunit *test)
{
	static void *const fns[] = { ktest_traced, ktest_fixed, ktest_plain };
	struct jprobe *jps[ARRAY_SIZE(fns)];
	int i, bad, n = ARRAY_SIZE(fns);

	for (i = 0; i < n; i++)
		jps[i] = jp_alloc(test, fns[i], JPROBE_ENTRY(jp_handler));
	for (bad = 0; bad < n; bad++) {
		/* A stack may be where the kernel has freed some of its own data. */
		jps[bad]->kp.addr = (void *)-8UL;
		jp_expect_none(test, -ENOENT, jps, n);
		/* Found later than the others: it is in the blacklist. */
		jps[bad]->kp.addr = (void *)jprobe_return;
		jp_expect_none(test, -EINVAL, jps, n);
		jps[bad]->kp.addr = fns[bad];
		jps[bad]->entry = NULL;
		jp_expect_none(test, -EINVAL, jps, n);
		jps[bad]->entry = JPROBE_ENTRY(jp_handler);
	}
	KUNIT_EXPECT_EQ(test, 6, jp_call_all());
	KUNIT_EXPECT_EQ(test, 0, jp_seen.hits);
	KUNIT_ASSERT_EQ(test, 0, register_jprobes(jps, n));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, 6, jp_call_all());
	KUNIT_EXPECT_EQ(test, n, jp_seen.hits);
	unregister_jprobes(jps, n);
	KUNIT_EXPECT_EQ(test, 6, jp_call_all());
	KUNIT_EXPECT_EQ(test, n, jp_seen.hits);
}

static int jp_register_fn(void *jp)
{
	return register_jprobe(jp);
}

/* Of two calls that both find the jprobe not registered, one is refused. */
static void jp_register_twice(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_handler));
	int n;

	for (n = 0; n < 20; n++) {
		KUNIT_ASSERT_EQ(test, -EINVAL, ktest_call_by_two(jp_register_fn, jp));
		KUNIT_ASSERT_TRUE(test, kprobe_is_jprobe(&jp->kp));
		KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
		unregister_jprobe(jp);
	}
	KUNIT_EXPECT_EQ(test, n, jp_seen.hits);
}

static struct ktest_held jp_held;
static bool jp_unregistered;

static void jp_wait_inside(int x)
{
	ktest_held_wait(&jp_held);
	/* Unregistration waits for this. */
	jp_seen.back += READ_ONCE(jp_unregistered);
}

static int jp_unregister_fn(void *jp)
{
	unregister_jprobe(jp);
	WRITE_ONCE(jp_unregistered, true);
	ktest_wait_for_stop();
	return 0;
}

/* When a jprobe is unregistered, its handler may be unloaded. */
static __nocfi void jp_unregister_running(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_traced, JPROBE_ENTRY(jp_handler));
	unsigned int here, there;
	struct task_struct *gone;
	bool early;

	jp_register(test, jp);
	jp_seen.then = jp_note_irqs;
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	/* There the CPU would not hear that text is changed. */
	if (!jp_irqs_on || num_online_cpus() < 2)
		kunit_skip(test, "the handler keeps its CPU");
	here = ktest_keep_cpu(&there);
	jp_held = (struct ktest_held){ .fn = ktest_traced };
	jp_unregistered = false;
	jp_seen.then = jp_wait_inside;
	ktest_held_start(test, &jp_held, there);
	gone = kthread_run_on_cpu(jp_unregister_fn, jp, here, "ktest_gone/%u");
	msleep(200);
	early = READ_ONCE(jp_unregistered);
	KUNIT_EXPECT_EQ(test, 2, ktest_held_go(&jp_held));
	KUNIT_EXPECT_FALSE(test, early && !jp_held.gave_up);
	KUNIT_ASSERT_FALSE(test, IS_ERR(gone));
	while (!READ_ONCE(jp_unregistered))
		msleep(20);
	kthread_stop(gone);
	KUNIT_EXPECT_EQ(test, 2, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 0, jp_seen.back);
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	KUNIT_EXPECT_EQ(test, 2, jp_seen.hits);
}

#ifdef CONFIG_MODULES
static int jp_other_handler(int x)
{
	jp_seen.arg += x;
	jprobe_return();
	return 0;
}

/* A module goes and has left jprobes: those with a handler in it go, too. */
static void jp_module_goes(struct kunit *test)
{
	struct module *mod = kunit_kzalloc(test, sizeof(*mod), GFP_KERNEL);
	struct jprobe *stays = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_other_handler));
	struct jprobe *a = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_handler));
	struct jprobe *b = jp_alloc(test, ktest_fixed, JPROBE_ENTRY(jp_handler));

	KUNIT_ASSERT_NOT_NULL(test, mod);
	mod->mem[MOD_TEXT].base = JPROBE_ENTRY(jp_handler);
	mod->mem[MOD_TEXT].size = 1;
	jp_register(test, stays);
	jp_register(test, a);
	jp_register(test, b);
	/* Old modules cleared it before they registered once more. */
	a->kp.addr = NULL;
	KUNIT_EXPECT_EQ(test, 2, jprobe_forget_module(mod));
	memset(&jp_seen, 0, sizeof(jp_seen));
	KUNIT_EXPECT_EQ(test, 4, ktest_plain(1) + ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, jp_seen.hits);
	KUNIT_EXPECT_EQ(test, 1, jp_seen.arg);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(b->kp.addr));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_jprobe(a));
	KUNIT_EXPECT_EQ(test, 0, disable_jprobe(stays));
	KUNIT_EXPECT_EQ(test, 0, jprobe_forget_module(mod));
}
#endif

/* It is known for what it is, in the list. */
static void jp_is_known(struct kunit *test)
{
	struct jprobe *jp = jp_alloc(test, ktest_plain, JPROBE_ENTRY(jp_handler));
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);

	jp_register(test, jp);
	ktest_register(test, p);
	KUNIT_EXPECT_TRUE(test, kprobe_is_jprobe(&jp->kp));
	KUNIT_EXPECT_FALSE(test, kprobe_is_return(&jp->kp));
	KUNIT_EXPECT_FALSE(test, kprobe_is_jprobe(&p->kp));
}

static struct kunit_case jp_register_cases[] = {
	KUNIT_CASE(jp_switch),
	KUNIT_CASE(jp_errors),
	KUNIT_CASE(jp_init_text),
	KUNIT_CASE(jp_not_entry),
	KUNIT_CASE(jp_again),
	KUNIT_CASE(jp_batch),
	KUNIT_CASE(jp_register_twice),
	KUNIT_CASE(jp_unregister_running),
#ifdef CONFIG_MODULES
	KUNIT_CASE(jp_module_goes),
#endif
	KUNIT_CASE(jp_is_known),
	{}
};

static struct kunit_suite jp_register_suite = {
	.name = "kprobes_jprobe_register",
	.test_cases = jp_register_cases,
};

kunit_test_suite(jp_register_suite);
