// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of points with some subscribers: in which order these are called,
 * where that ends, and that none is called twice or left out while others
 * come and go.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "../stats.h"
#include "testing.h"

#define CHAIN_SUBS	4

/**
 * struct chain_sub - one of the subscribers
 * @p: the probe
 * @last: the number of the call that hit it last
 * @twice: how often a call has hit it again
 */
struct chain_sub {
	struct ktest_probe p;
	unsigned long last;
	unsigned int twice;
};

/**
 * struct chain_way - a way in which a point is reached
 * @name: what to call it
 * @fn: a function whose entry is reached like this
 */
struct chain_way {
	const char *name;
	int (*fn)(int x);
};

static const struct chain_way chain_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", ktest_traced },
#endif
	{ "breakpoint", ktest_fixed },
	{ "jump", ktest_plain },
};

KUNIT_ARRAY_PARAM_DESC(chain_ways, chain_ways, name);

static struct chain_sub *chain_alloc(struct kunit *test)
{
	const struct chain_way *way = test->param_value;
	struct chain_sub *s;
	int i;

	s = kunit_kcalloc(test, CHAIN_SUBS, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < CHAIN_SUBS; i++) {
		s[i].p.kp.addr = ktest_entry(way->fn);
		s[i].p.kp.pre_handler = ktest_pre;
	}
	return s;
}

/* Wait until the point is reached as it shall be. */
static void chain_settle(struct kunit *test, struct chain_sub *s)
{
	const struct chain_way *way = test->param_value;

	wait_for_kprobe_optimizer();
	ktest_assert_way(test, &s->p, way->fn, way->fn == ktest_plain);
}

static void chain_register(struct kunit *test, struct chain_sub *s)
{
	int i;

	for (i = 0; i < CHAIN_SUBS; i++) {
		s[i].p.name = 'a' + i;
		ktest_register(test, &s[i].p);
	}
	chain_settle(test, s);
}

/* One call: what it returns, and which handlers are called. */
static __nocfi void chain_expect(struct kunit *test, int result, const char *log)
{
	const struct chain_way *way = test->param_value;

	memset(ktest_log, 0, sizeof(ktest_log));
	KUNIT_EXPECT_EQ(test, result, way->fn(1));
	KUNIT_EXPECT_STREQ(test, log, ktest_log);
}

/* Post handlers are called in the order of their subscribers, too. */
static void chain_post(struct kunit *test)
{
	struct chain_sub *s = chain_alloc(test);

	s[1].p.kp.post_handler = ktest_post;
	s[3].p.kp.post_handler = ktest_post;
	s[3].p.kp.pre_handler = NULL;
	chain_register(test, s);
	chain_expect(test, 2, "cbaDB");
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[1].p.kp));
	chain_expect(test, 2, "caD");
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[3].p.kp));
	chain_expect(test, 2, "ca");
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[0].p.kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[2].p.kp));
	chain_expect(test, 2, "");
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&s[3].p.kp));
	chain_expect(test, 2, "D");
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&s[1].p.kp));
	chain_expect(test, 2, "bDB");
}

/* The newest first; one that has gone and comes back is the newest. */
static void chain_order(struct kunit *test)
{
	struct chain_sub *s = chain_alloc(test);

	chain_register(test, s);
	chain_expect(test, 2, "dcba");
	unregister_kprobe(&s[1].p.kp);
	chain_expect(test, 2, "dca");
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&s[1].p.kp));
	chain_expect(test, 2, "bdca");
	unregister_kprobe(&s[0].p.kp);
	chain_expect(test, 2, "bdc");
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[3].p.kp));
	chain_expect(test, 2, "bc");
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&s[0].p.kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&s[3].p.kp));
	chain_expect(test, 2, "abdc");
}

/* When a post handler has come and gone, the point is reached as it was before. */
static void chain_post_leaves(struct kunit *test)
{
	struct chain_sub *s = chain_alloc(test);
	enum kprobe_state before;
	int i;

	ktest_register(test, &s[0].p);
	chain_settle(test, s);
	before = ktest_state(&s[0].p);
	s[1].p.kp.post_handler = ktest_post;
	for (i = 1; i <= 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, ktest_try_register(test, &s[1].p));
		wait_for_kprobe_optimizer();
		chain_expect(test, 2, "");
		KTEST_EXPECT_COUNTS(test, &s[1].p, i, i, 0);
		unregister_kprobe(&s[1].p.kp);
		wait_for_kprobe_optimizer();
		KUNIT_EXPECT_EQ(test, before, ktest_state(&s[0].p));
		chain_expect(test, 2, "");
		KTEST_EXPECT_COUNTS(test, &s[0].p, 2 * i, 0, 0);
	}
}

static int chain_go_elsewhere(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)ktest_other);
	return 1;
}

/* How often each of them was missed, and that the point says so, too. */
static void chain_expect_missed(struct kunit *test, struct chain_sub *s,
				const unsigned long *missed)
{
	unsigned long sum = 0;
	int i;

	for (i = 0; i < CHAIN_SUBS; i++) {
		KUNIT_EXPECT_EQ_MSG(test, missed[i], s[i].p.kp.nmissed,
				    "subscriber %d", i);
		sum += missed[i];
	}
#ifdef CONFIG_KPROBE_STATS
	struct kprobe_totals total;

	kprobe_stats_sum(ktest_point(&s[0].p), &total);
	KUNIT_EXPECT_EQ(test, sum, total.missed[KPROBE_MISS_PATH]);
	KUNIT_EXPECT_EQ(test, 0, total.missed[KPROBE_MISS_RECURSION]);
#endif
}

/* Wherever in the chain the path changes: those behind miss the hit. */
static void chain_expect_ends(struct kunit *test, struct chain_sub *s,
			      const char *all)
{
	static const char * const until[] = { "dcba", "dcb", "dc", "d" };
	unsigned long missed[CHAIN_SUBS] = {};
	int i, j;

	for (i = 0; i < CHAIN_SUBS; i++) {
		s[i].p.then = chain_go_elsewhere;
		chain_expect(test, 1001, until[i]);
		KUNIT_EXPECT_NULL(test, kprobe_running());
		s[i].p.then = NULL;
		for (j = 0; j < i; j++)
			missed[j]++;
		chain_expect_missed(test, s, missed);
		chain_expect(test, 2, all);
		chain_expect_missed(test, s, missed);
	}
}

static void chain_need_redirect(struct kunit *test)
{
	const struct chain_way *way = test->param_value;

	ktest_need_redirect(test, way->fn);
}

static void chain_path(struct kunit *test)
{
	struct chain_sub *s = chain_alloc(test);

	ktest_heed_path(test);
	chain_need_redirect(test);
	chain_register(test, s);
	chain_expect_ends(test, s, "dcba");
}

/* No post handler is called either: the instruction was not executed. */
static void chain_path_post(struct kunit *test)
{
	struct chain_sub *s = chain_alloc(test);

	chain_need_redirect(test);
	s[0].p.kp.post_handler = ktest_post;
	s[2].p.kp.post_handler = ktest_post;
	chain_register(test, s);
	chain_expect_ends(test, s, "dcbaCA");
}

/* Those that would be called only after the instruction miss it, too. */
static void chain_path_missed(struct kunit *test)
{
	static const unsigned long once[] = { 1, 1, 0, 1 }, twice[] = { 2, 1, 0, 2 };
	struct chain_sub *s = chain_alloc(test);

	chain_need_redirect(test);
	s[1].p.kp.post_handler = ktest_post;
	s[1].p.kp.pre_handler = NULL;
	s[2].p.kp.post_handler = ktest_post;
	s[2].p.then = chain_go_elsewhere;
	s[3].p.kp.post_handler = ktest_post;
	s[3].p.kp.pre_handler = NULL;
	chain_register(test, s);
	chain_expect(test, 1001, "c");
	chain_expect_missed(test, s, once);
	/* One that is off misses nothing. */
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s[1].p.kp));
	chain_expect(test, 1001, "c");
	chain_expect_missed(test, s, twice);
	s[2].p.then = NULL;
	chain_expect(test, 2, "caDC");
	chain_expect_missed(test, s, twice);
}

/* How long probes are added and removed beside those that stay. */
#define CHAIN_LOAD	msecs_to_jiffies(300)
/* And how many calls that are at least, on however slow a machine. */
#define CHAIN_CALLS	100

static struct ktest_caller *chain_caller;

static int chain_note(struct ktest_probe *p, struct pt_regs *regs)
{
	struct chain_sub *s = container_of(p, struct chain_sub, p);
	struct ktest_caller *c = READ_ONCE(chain_caller);
	unsigned long call;

	/* The first calls may be made before the task is known. */
	if (!c)
		return 0;
	call = READ_ONCE(c->calls) + 1;
	s->twice += s->last == call;
	s->last = call;
	return 0;
}

/* One after the other is switched off and on, or goes and comes. */
static unsigned int chain_churn(struct kunit *test, struct chain_sub *s,
				int stay)
{
	unsigned long end = jiffies + CHAIN_LOAD;
	unsigned int n, errors = 0;

	for (n = 0;
	     time_before(jiffies, end) || READ_ONCE(chain_caller->calls) < CHAIN_CALLS;
	     n++) {
		struct kprobe *kp = &s[n % CHAIN_SUBS].p.kp;

		if (n % CHAIN_SUBS == stay)
			continue;
		if (n % 7 < 5) {
			errors += !!disable_kprobe(kp);
			usleep_range(50, 100);
			errors += !!enable_kprobe(kp);
		} else {
			unregister_kprobe(kp);
			usleep_range(50, 100);
			errors += !!register_kprobe(kp);
		}
	}
	kunit_info(test, "%u rounds beside %d\n", n, stay);
	return errors;
}

/* What the point has counted itself. */
static void chain_expect_hits(struct kunit *test, struct ktest_probe *p,
			      unsigned long calls)
{
#ifdef CONFIG_KPROBE_STATS
	struct kprobe_totals sum;

	kprobe_stats_sum(ktest_point(p), &sum);
	KUNIT_EXPECT_EQ(test, calls, sum.hits);
#endif
}

static void chain_load(struct kunit *test, int stay, int post)
{
	const struct chain_way *way = test->param_value;
	struct chain_sub *s = chain_alloc(test);
	struct ktest_caller *c;
	unsigned long hits = 0;
	int i;

	if (post >= 0)
		s[post].p.kp.post_handler = ktest_post;
	for (i = 0; i < CHAIN_SUBS; i++) {
		s[i].p.then = chain_note;
		ktest_register(test, &s[i].p);
	}
	chain_settle(test, s);
	chain_caller = NULL;
	c = ktest_caller_start(test, way->fn);
	WRITE_ONCE(chain_caller, c);
	KUNIT_EXPECT_EQ(test, 0, chain_churn(test, s, stay));
	ktest_caller_stop(c);
	KUNIT_EXPECT_GE(test, c->calls, CHAIN_CALLS);
	KUNIT_EXPECT_EQ(test, 0, c->wrong);
	KTEST_EXPECT_COUNTS(test, &s[stay].p, c->calls,
			    stay == post ? c->calls : 0, 0);
	chain_expect_hits(test, &s[stay].p, c->calls);
	for (i = 0; i < CHAIN_SUBS; i++) {
		KUNIT_EXPECT_EQ(test, 0, s[i].twice);
		KUNIT_EXPECT_EQ(test, 0, s[i].p.kp.nmissed);
		KUNIT_EXPECT_LE(test, atomic_read(&s[i].p.pre), c->calls);
		hits += atomic_read(&s[i].p.pre);
		unregister_kprobe(&s[i].p.kp);
	}
	/* Not each: the calls may keep step with the thread that adds them. */
	KUNIT_EXPECT_GT(test, hits, c->calls);
}

/* The oldest stays, one in the middle, and the one that is the newest at first. */
static void chain_under_load(struct kunit *test)
{
	chain_load(test, 0, -1);
	chain_load(test, 1, -1);
	chain_load(test, 3, -1);
}

/* With a post handler: that of a probe that stays, or of one that does not. */
static void chain_post_under_load(struct kunit *test)
{
	chain_load(test, 0, 0);
	chain_load(test, 0, 2);
	chain_load(test, 3, 1);
}

static struct ktest_held chain_held;

static int chain_wait_in_handler(struct ktest_probe *p, struct pt_regs *regs)
{
	ktest_held_wait(&chain_held);
	return chain_go_elsewhere(p, regs);
}

static int chain_unregister_fn(void *kps)
{
	unregister_kprobes(kps, 2);
	ktest_wait_for_stop();
	return 0;
}

static bool chain_irqs_on;

static int chain_note_irqs(struct ktest_probe *p, struct pt_regs *regs)
{
	chain_irqs_on = !irqs_disabled();
	return 0;
}

/* Are interrupts enabled in a handler of ktest_plain()? */
static bool chain_interruptible(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);

	p->then = chain_note_irqs;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	unregister_kprobe(&p->kp);
	return chain_irqs_on;
}

/**
 * struct chain_replace - probes of one address
 * @older: unregistered while a handler of its point runs
 * @newer: likewise; it has the handler
 * @later: registered while the handler runs
 */
struct chain_replace {
	struct ktest_probe *older;
	struct ktest_probe *newer;
	struct ktest_probe *later;
};

/*
 * While a handler runs, its point goes, and another point comes to its address. False if
 * the handler gave up before that; in either case @older and @newer are unregistered.
 */
static bool chain_replace(struct kunit *test, struct chain_replace *r,
			  unsigned int here, unsigned int there)
{
	struct kprobe *both[] = { &r->newer->kp, &r->older->kp };
	struct task_struct *gone;
	void *addr;

	ktest_register(test, r->older);
	ktest_register(test, r->newer);
	/* Registration may have moved it behind an ENDBR. */
	addr = r->older->kp.addr;
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at(addr));
	wait_for_kprobe_optimizer();
	chain_held = (struct ktest_held){ .fn = ktest_plain };
	ktest_held_start(test, &chain_held, there);
	gone = kthread_run_on_cpu(chain_unregister_fn, both, here,
				  "ktest_gone/%u");
	while (!IS_ERR(gone) && ktest_points_at(addr))
		msleep(20);
	KUNIT_EXPECT_EQ(test, 0, ktest_try_register(test, r->later));
	KUNIT_EXPECT_EQ(test, 1001, ktest_held_go(&chain_held));
	KUNIT_ASSERT_FALSE(test, IS_ERR(gone));
	kthread_stop(gone);
	return !chain_held.gave_up;
}

/* How often a handler may give up. */
#define CHAIN_REPLACE_TRIES	10

static void chain_replace_alloc(struct kunit *test, struct chain_replace *r)
{
	r->older = ktest_probe_alloc(test, ktest_plain);
	r->newer = ktest_probe_alloc(test, ktest_plain);
	r->later = ktest_probe_alloc(test, ktest_plain);
	r->newer->then = chain_wait_in_handler;
}

/* What subscribes to the point that came later has missed nothing when the path changes. */
static void chain_replaced(struct kunit *test)
{
	unsigned int here, there, tries = 0;
	struct chain_replace r;

	ktest_need_frames(test, "a point stays until its handlers have ended");
	if (num_online_cpus() < 2)
		kunit_skip(test, "the handler keeps its CPU");
	/* There the CPU would not hear, either, that text is changed. */
	if (!chain_interruptible(test))
		kunit_skip(test, "interrupts are disabled in handlers");
	/* With PREEMPT_RT nothing that sleeps on that CPU is woken, either. */
	here = ktest_keep_cpu(&there);
	chain_replace_alloc(test, &r);
	while (!chain_replace(test, &r, here, there)) {
		KUNIT_ASSERT_LT(test, ++tries, CHAIN_REPLACE_TRIES);
		unregister_kprobe(&r.later->kp);
		chain_replace_alloc(test, &r);
	}
	KTEST_EXPECT_COUNTS(test, r.newer, 1, 0, 0);
	/* It has missed the hit, unless it was the first to be unlinked. */
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&r.older->pre));
	KUNIT_EXPECT_LE(test, r.older->kp.nmissed, 1);
	KTEST_EXPECT_COUNTS(test, r.later, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KTEST_EXPECT_COUNTS(test, r.later, 1, 0, 0);
}

#define CHAIN_CASE(fn)	KUNIT_CASE_PARAM(fn, chain_ways_gen_params)

static struct kunit_case chain_cases[] = {
	CHAIN_CASE(chain_post),
	CHAIN_CASE(chain_post_leaves),
	CHAIN_CASE(chain_order),
	CHAIN_CASE(chain_path),
	CHAIN_CASE(chain_path_post),
	CHAIN_CASE(chain_path_missed),
	KUNIT_CASE(chain_replaced),
	CHAIN_CASE(chain_under_load),
	CHAIN_CASE(chain_post_under_load),
	{}
};

static struct kunit_suite chain_suite = {
	.name = "kprobes_chain",
	.test_cases = chain_cases,
};

kunit_test_suite(chain_suite);
