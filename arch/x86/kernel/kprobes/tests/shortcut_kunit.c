// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the short ways of the hit path: the point that knows its only
 * subscriber, and the return probe that keeps an instance at hand.
 */
#include <linux/cpumask.h>
#include <linux/preempt.h>
#include <linux/smp.h>

#include "kprobes/kretprobe.h"
#include "kprobes/tests/testing.h"

/* The subscriber that is called without a walk of the list, or NULL. */
static struct kprobe *shortcut_only(struct ktest_probe *p)
{
	unsigned long chain = READ_ONCE(ktest_point(p)->hot.pre_chain);

	return kprobe_chain_is_single(chain) ? kprobe_chain_head(chain) : NULL;
}

/* One subscriber is, two are not, and one again is. */
static void shortcut_subscribers(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, a);
	KUNIT_EXPECT_PTR_EQ(test, &a->kp, shortcut_only(a));
	ktest_register(test, b);
	KUNIT_EXPECT_NULL(test, shortcut_only(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	unregister_kprobe(&a->kp);
	KUNIT_EXPECT_PTR_EQ(test, &b->kp, shortcut_only(b));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, a, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 2, 0, 0);
}

/* Disabled subscribers do not count, and are not called. */
static void shortcut_disabled(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, a);
	ktest_register(test, b);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&a->kp));
	KUNIT_EXPECT_PTR_EQ(test, &b->kp, shortcut_only(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b->kp));
	KUNIT_EXPECT_NULL(test, shortcut_only(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&a->kp));
	KUNIT_EXPECT_PTR_EQ(test, &a->kp, shortcut_only(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, a, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 1, 0, 0);
}

/* Those of @p's point that are called one after the other: a letter for each. */
static const char *shortcut_chain_of(struct ktest_probe *p,
				     struct ktest_probe **ps)
{
	static char letters[8];
	struct kprobe *kp;
	unsigned int i, n = 0;

	kp = kprobe_chain_head(READ_ONCE(ktest_point(p)->hot.pre_chain));
	for (; kp && n < sizeof(letters) - 1; kp = kprobe_next_pre(kp)) {
		for (i = 0; i < 3 && kp != &ps[i]->kp; i++)
			;
		letters[n++] = 'a' + i;
	}
	letters[n] = '\0';
	return letters;
}

/* Some are linked, the newest first. */
static void shortcut_chain(struct kunit *test)
{
	struct ktest_probe *p[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		p[i] = ktest_probe_alloc(test, ktest_fixed);
		ktest_register(test, p[i]);
	}
	KUNIT_EXPECT_STREQ(test, "cba", shortcut_chain_of(p[0], p));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p[1]->kp));
	KUNIT_EXPECT_STREQ(test, "ca", shortcut_chain_of(p[0], p));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p[1]->kp));
	KUNIT_EXPECT_STREQ(test, "cba", shortcut_chain_of(p[0], p));
	unregister_kprobe(&p[0]->kp);
	KUNIT_EXPECT_STREQ(test, "cb", shortcut_chain_of(p[1], p));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p[0], 2, 0, 0);
	KTEST_EXPECT_COUNTS(test, p[1], 2, 0, 0);
	KTEST_EXPECT_COUNTS(test, p[2], 3, 0, 0);
}

/* With something to be done after the instruction there is no short way. */
static void shortcut_handlers(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);

	a->kp.post_handler = ktest_post;
	ktest_register(test, a);
	KUNIT_EXPECT_NULL(test, shortcut_only(a));
	unregister_kprobe(&a->kp);
	b->kp.fault_handler = ktest_fault;
	ktest_register(test, b);
	KUNIT_EXPECT_NULL(test, shortcut_only(b));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, b, 1, 0, 0);
}

/* Which subscriber is the only one with a post handler. */
static struct kprobe *shortcut_after(struct ktest_probe *p)
{
	return READ_ONCE(ktest_point(p)->hot.only_post);
}

/* A post handler is called without a look at the list, two are not. */
static void shortcut_post(struct kunit *test)
{
	struct ktest_probe *p[3];
	unsigned int i;

	for (i = 0; i < 3; i++) {
		p[i] = ktest_probe_alloc(test, ktest_fixed);
		p[i]->kp.post_handler = i ? ktest_post : NULL;
		ktest_register(test, p[i]);
		KUNIT_EXPECT_PTR_EQ(test, i == 1 ? &p[1]->kp : NULL,
				    shortcut_after(p[0]));
		KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	}
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p[1]->kp));
	KUNIT_EXPECT_PTR_EQ(test, &p[2]->kp, shortcut_after(p[0]));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p[1]->kp));
	KUNIT_EXPECT_NULL(test, shortcut_after(p[0]));
	unregister_kprobe(&p[2]->kp);
	KUNIT_EXPECT_PTR_EQ(test, &p[1]->kp, shortcut_after(p[0]));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p[0], 5, 0, 0);
	KTEST_EXPECT_COUNTS(test, p[1], 3, 3, 0);
	KTEST_EXPECT_COUNTS(test, p[2], 2, 2, 0);
}

static bool shortcut_trap(struct ktest_probe *p)
{
	return kprobe_chain_is_trap(READ_ONCE(ktest_point(p)->hot.pre_chain));
}

/* What a breakpoint may call at once: one pre handler, whatever comes after. */
static void shortcut_traps(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *c = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *f = ktest_probe_alloc(test, ktest_traced);

	ktest_register(test, a);
	KUNIT_EXPECT_TRUE(test, shortcut_trap(a));
	ktest_register(test, c);
	KUNIT_EXPECT_FALSE(test, shortcut_trap(a));
	unregister_kprobe(&c->kp);
	KUNIT_EXPECT_TRUE(test, shortcut_trap(a));
	/* It would miss a hit whose path @a changes, without being counted. */
	b->kp.pre_handler = NULL;
	b->kp.post_handler = ktest_post;
	ktest_register(test, b);
	KUNIT_EXPECT_FALSE(test, shortcut_trap(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	unregister_kprobe(&b->kp);
	KUNIT_EXPECT_TRUE(test, shortcut_trap(a));
	unregister_kprobe(&a->kp);
	/* Its own post handler is no such subscriber. */
	a->kp.post_handler = ktest_post;
	ktest_register(test, a);
	KUNIT_EXPECT_TRUE(test, shortcut_trap(a));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, a, 2, 1, 0);
	KTEST_EXPECT_COUNTS(test, b, 0, 1, 0);
	KTEST_EXPECT_COUNTS(test, c, 0, 0, 0);
	/* A breakpoint on an ftrace site is another's. */
	ktest_register(test, f);
	KUNIT_EXPECT_EQ(test, !kprobe_ftrace(&f->kp), shortcut_trap(f));
}

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static atomic_t shortcut_returns = ATOMIC_INIT(0);

static int shortcut_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&shortcut_returns);
	return 0;
}

static struct kretprobe shortcut_rp;

static void shortcut_unregister(void *unused)
{
	unregister_kretprobe(&shortcut_rp);
}

static void shortcut_call(void *unused)
{
	ktest_fixed(1);
}

/*
 * An instance that came home stays with its CPU, and still serves the others:
 * with one instance, no call of any CPU is missed when they take turns.
 */
static void shortcut_instance(struct kunit *test)
{
	struct rethook_node *kept;
	unsigned int calls = 0;
	int cpu;

	shortcut_rp = (struct kretprobe) {
		.kp.addr = (void *)ktest_fixed,
		.handler = shortcut_return,
		.maxactive = 1,
	};
	atomic_set(&shortcut_returns, 0);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&shortcut_rp));
	ktest_set_at_end(test, shortcut_unregister, NULL);

	scoped_guard(preempt) {
		ktest_fixed(1);
		kept = *this_cpu_ptr(shortcut_rp.rh->cpu_cache);
	}
	calls++;
	KUNIT_EXPECT_NOT_NULL(test, kept);
	for_each_online_cpu(cpu) {
		KUNIT_EXPECT_EQ(test, 0, smp_call_function_single(cpu, shortcut_call,
								  NULL, true));
		calls++;
	}
	KUNIT_EXPECT_EQ(test, 0, shortcut_rp.nmissed);
	KUNIT_EXPECT_EQ(test, calls, atomic_read(&shortcut_returns));
}
#endif /* CONFIG_KRETPROBE_ON_RETHOOK */

static struct kunit_case shortcut_cases[] = {
	KUNIT_CASE(shortcut_subscribers),
	KUNIT_CASE(shortcut_disabled),
	KUNIT_CASE(shortcut_chain),
	KUNIT_CASE(shortcut_handlers),
	KUNIT_CASE(shortcut_post),
	KUNIT_CASE(shortcut_traps),
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	KUNIT_CASE(shortcut_instance),
#endif
	{}
};

static struct kunit_suite shortcut_suite = {
	.name = "kprobes_shortcut",
	.test_cases = shortcut_cases,
};

kunit_test_suite(shortcut_suite);
