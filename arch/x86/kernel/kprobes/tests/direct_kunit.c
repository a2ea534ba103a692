// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of sites with a direct call, as BPF's programs at functions have: it is told
 * that a probe may change the path, and can refuse.
 */
#include <linux/ftrace.h>

#include "targets_plain.h"

/**
 * struct direct_user - a user of direct calls
 * @ops: what is registered with ftrace
 * @told: how often it was told to share the site
 * @busy: how often it is busy before
 */
struct direct_user {
	struct ftrace_ops ops;
	unsigned int told;
	unsigned int busy;
};

/* It returns at once. */
static const unsigned long direct_tramp = (unsigned long)ftrace_stub_direct_tramp;

static int direct_ops_func(struct ftrace_ops *ops, enum ftrace_ops_cmd cmd)
{
	struct direct_user *user = container_of(ops, struct direct_user, ops);

	if (cmd != FTRACE_OPS_CMD_ENABLE_SHARE_IPMODIFY_PEER)
		return 0;
	if (user->busy) {
		user->busy--;
		return -EAGAIN;
	}
	user->told++;
	return 0;
}

static void direct_end(void *arg)
{
	struct direct_user *user = arg;

	unregister_ftrace_direct(&user->ops, direct_tramp, true);
}

/* A direct call that does nothing. */
static struct direct_user *direct_call(struct kunit *test, int (*fn)(int x))
{
	struct direct_user *user = kunit_kzalloc(test, sizeof(*user), GFP_KERNEL);
	unsigned long ip = ftrace_location((unsigned long)fn);

	KUNIT_ASSERT_NOT_NULL(test, user);
	user->ops.ops_func = direct_ops_func;
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&user->ops, ip, 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_direct(&user->ops, direct_tramp));
	ktest_set_at_end(test, direct_end, user);
	return user;
}

static struct ktest_probe *direct_probe(struct kunit *test, int (*fn)(int x))
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);

	p->kp.post_handler = ktest_post;
	return p;
}

/* Also where another site has such a probe already. */
static void direct_told(struct kunit *test)
{
	struct direct_user *user = direct_call(test, ktest_traced2);
	struct ktest_probe *p = direct_probe(test, ktest_traced2);

	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, 1, user->told);
	unregister_kprobe(&p->kp);
	ktest_register(test, direct_probe(test, ktest_traced));
	KUNIT_EXPECT_EQ(test, 1, user->told);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 2, user->told);
	KUNIT_EXPECT_EQ(test, 2, ktest_traced2(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 1, 0);
}

/* A probe becomes one that may change the path. */
static void direct_told_later(struct kunit *test)
{
	struct direct_user *user = direct_call(test, ktest_traced2);

	ktest_register(test, ktest_probe_alloc(test, ktest_traced2));
	ktest_register(test, ktest_probe_alloc(test, ktest_traced));
	ktest_register(test, direct_probe(test, ktest_traced));
	KUNIT_EXPECT_EQ(test, 0, user->told);
	ktest_register(test, direct_probe(test, ktest_traced2));
	KUNIT_EXPECT_EQ(test, 1, user->told);
}

static void direct_busy_at(struct kunit *test, struct direct_user *user)
{
	struct ktest_probe *p = direct_probe(test, ktest_traced2);

	user->told = 0;
	user->busy = 3;
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, 1, user->told);
	unregister_kprobe(&p->kp);
	user->busy = UINT_MAX;
	KUNIT_EXPECT_EQ(test, -EBUSY, ktest_try_register(test, p));
	KUNIT_EXPECT_EQ(test, 1, user->told);
	KUNIT_EXPECT_EQ(test, 2, ktest_traced2(1));
}

/* For a while, then for good; with the first such probe, and with another. */
static void direct_busy(struct kunit *test)
{
	struct direct_user *user = direct_call(test, ktest_traced2);

	direct_busy_at(test, user);
	ktest_register(test, direct_probe(test, ktest_traced));
	direct_busy_at(test, user);
}

/* One that cannot share is not overridden, whatever other probes there are. */
static void direct_alone(struct kunit *test)
{
	struct direct_user *user = direct_call(test, ktest_traced2);
	struct ktest_probe *p = direct_probe(test, ktest_traced2);

	user->ops.ops_func = NULL;
	KUNIT_EXPECT_EQ(test, -EBUSY, ktest_try_register(test, p));
	ktest_register(test, direct_probe(test, ktest_traced));
	KUNIT_EXPECT_EQ(test, -EBUSY, ktest_try_register(test, p));
	KUNIT_EXPECT_EQ(test, 2, ktest_traced2(1));
}

static struct kunit_case direct_cases[] = {
	KUNIT_CASE(direct_told),
	KUNIT_CASE(direct_told_later),
	KUNIT_CASE(direct_busy),
	KUNIT_CASE(direct_alone),
	{}
};

static struct kunit_suite direct_suite = {
	.name = "kprobes_direct",
	.test_cases = direct_cases,
};

kunit_test_suite(direct_suite);
