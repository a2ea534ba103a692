// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of points and their subscribers: which are called when, and what
 * stands in the text meanwhile.
 */
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "testing.h"

static __nocfi void points_call(int (*fn)(int), int times)
{
	while (times--)
		fn(times);
}

/* The moves that the head of state.c draws, and no other. */
static void points_state_moves(struct kunit *test)
{
	static const char * const moves[KPROBE_NR_STATES] = {
		[KPROBE_DISARMED]	= "-x--x",
		[KPROBE_ARMED]		= "x-x-x",
		[KPROBE_QUEUED]		= "-x-x-",
		[KPROBE_OPTIMIZED]	= "-x---",
		[KPROBE_GONE]		= "-----",
	};
	int from, to;

	for (from = 0; from < KPROBE_NR_STATES; from++) {
		for (to = 0; to < KPROBE_NR_STATES; to++)
			KUNIT_EXPECT_EQ_MSG(test, moves[from][to] == 'x',
					    kprobe_state_allowed(from, to),
					    "from %s to %s",
					    kprobe_state_name(from),
					    kprobe_state_name(to));
	}
}

static void points_state_names(struct kunit *test)
{
	int a, b;

	for (a = 0; a < KPROBE_NR_STATES; a++) {
		KUNIT_ASSERT_NOT_NULL(test, kprobe_state_name(a));
		for (b = 0; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, kprobe_state_name(a),
					    kprobe_state_name(b));
	}
}

/* One probe on each kind of function: exact hits, the right place and flags. */
static void points_one(struct kunit *test, int (*fn)(int), bool ftrace)
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);

	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, ftrace, kprobe_ftrace(&p->kp));
	KUNIT_EXPECT_TRUE(test, p->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&p->kp));
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at(p->kp.addr));
	points_call(fn, KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_TRUE(test, ftrace || ktest_untouched(p));
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(p->kp.addr));
	points_call(fn, KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

static void points_hits(struct kunit *test)
{
	points_one(test, ktest_traced, ktest_on_ftrace(ktest_traced));
	points_one(test, ktest_break, false);
	points_one(test, ktest_fixed, false);
}

/* Several on one point are called one after the other, the newest first. */
static __nocfi void points_order(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_break, ktest_fixed };
	struct ktest_probe *p[3];
	int i, j;

	for (j = 0; j < ARRAY_SIZE(fns); j++) {
		for (i = 0; i < 3; i++) {
			p[i] = ktest_probe_alloc(test, fns[j]);
			p[i]->name = 'a' + i;
			p[i]->kp.post_handler = ktest_post;
			ktest_register(test, p[i]);
		}
		KUNIT_EXPECT_EQ(test, 1, ktest_points_at(p[0]->kp.addr));
		fns[j](1);
		KUNIT_EXPECT_STREQ(test, "cbaCBA", ktest_log);
		memset(ktest_log, 0, sizeof(ktest_log));
		/* One that comes back is the newest. */
		unregister_kprobe(&p[1]->kp);
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p[1]->kp));
		fns[j](1);
		KUNIT_EXPECT_STREQ(test, "bcaBCA", ktest_log);
		for (i = 0; i < 3; i++) {
			KTEST_EXPECT_COUNTS(test, p[i], 2, 2, 0);
			unregister_kprobe(&p[i]->kp);
		}
	}
}

/* Each is switched by itself; the text is as the last one that is on wants. */
static void points_enable(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, a);
	ktest_register(test, b);
	KUNIT_EXPECT_FALSE(test, ktest_untouched(a));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, a, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 1, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&a->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&a->kp));
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&b->kp));
	KUNIT_EXPECT_FALSE(test, ktest_untouched(a));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, a, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 2, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b->kp));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(a));
	KUNIT_EXPECT_EQ(test, KPROBE_DISARMED, ktest_state(a));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, b, 2, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&a->kp));
	KUNIT_EXPECT_FALSE(test, ktest_untouched(a));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, a, 2, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 2, 0, 0);

	/* Twice is as good as once. */
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&a->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b->kp));
	/* The one that stays is off: nothing may stay in the text. */
	unregister_kprobe(&a->kp);
	KUNIT_EXPECT_TRUE(test, ktest_untouched(b));
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at(b->kp.addr));
	unregister_kprobe(&b->kp);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(a->kp.addr));
}

/* Likewise through ftrace, where the text belongs to ftrace. */
static void points_enable_ftrace(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_traced);

	ktest_need_ftrace(test);
	ktest_register(test, a);
	ktest_register(test, b);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&a->kp));
	ktest_traced(1);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(a));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&b->kp));
	KUNIT_EXPECT_EQ(test, KPROBE_DISARMED, ktest_state(a));
	ktest_traced(1);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&a->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&b->kp));
	ktest_traced(1);
	KTEST_EXPECT_COUNTS(test, a, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, b, 2, 0, 0);
}

/* Registered disabled: there, but not in the text until it is enabled. */
static __nocfi void points_register_disabled(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_fixed };
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct ktest_probe *p = ktest_probe_alloc(test, fns[i]);

		p->kp.flags = KPROBE_FLAG_DISABLED;
		ktest_register(test, p);
		KUNIT_EXPECT_TRUE(test, kprobe_disabled(&p->kp));
		KUNIT_EXPECT_TRUE(test, kprobe_ftrace(&p->kp) ||
				  ktest_untouched(p));
		KUNIT_EXPECT_EQ(test, KPROBE_DISARMED, ktest_state(p));
		fns[i](1);
		KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
		fns[i](1);
		KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	}
}

/* What a user leaves in the flags does not count, but for DISABLED. */
static void points_flags_left(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);

	p->kp.flags = ~KPROBE_FLAG_DISABLED;
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, KPROBE_FLAG_ON_FUNC_ENTRY, p->kp.flags);
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

/* No handlers at all: the probed function does not notice. */
static __nocfi void points_null_handlers(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_break, ktest_fixed };
	int i, x;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct ktest_probe *p = ktest_probe_alloc(test, fns[i]);

		p->kp.pre_handler = NULL;
		ktest_register(test, p);
		for (x = 0; x < KTEST_CALLS; x++)
			KUNIT_EXPECT_EQ(test, x + 1, fns[i](x));
		KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
	}
}

/* A point that is found by its address is found by name and offset, too. */
static void points_by_symbol(struct kunit *test)
{
	struct ktest_probe *by_name = ktest_probe_alloc(test, NULL);
	struct ktest_probe *by_addr = ktest_probe_alloc(test, ktest_fixed);

	by_name->kp.symbol_name = "ktest_fixed";
	ktest_register(test, by_addr);
	ktest_register(test, by_name);
	KUNIT_EXPECT_PTR_EQ(test, by_addr->kp.addr, by_name->kp.addr);
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, by_name, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, by_addr, 1, 0, 0);
	unregister_kprobe(&by_name->kp);

	/* The distance from the symbol, also if it leads to another one. */
	by_name->kp.addr = NULL;
	by_name->kp.offset = (void *)by_addr->kp.addr - (void *)ktest_fixed;
	ktest_register(test, by_name);
	KUNIT_EXPECT_PTR_EQ(test, by_addr->kp.addr, by_name->kp.addr);
}

/* The opcode is the instruction, also when a breakpoint stands there. */
static void points_opcode(struct kunit *test)
{
	struct ktest_probe *a = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *b = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, a);
	ktest_register(test, b);
	KUNIT_EXPECT_FALSE(test, ktest_untouched(a));
	KUNIT_EXPECT_MEMEQ(test, &a->kp.opcode, &b->kp.opcode,
			   sizeof(a->kp.opcode));
	unregister_kprobe(&b->kp);
	unregister_kprobe(&a->kp);
	KUNIT_EXPECT_TRUE(test, ktest_untouched(a));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(b));
}

/* A structure that is not aligned is refused, and is as it was. */
static void points_misaligned(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	char buf[sizeof(p->kp) + 8] __aligned(8);
	unsigned int points = ktest_count_points();
	void *at = buf + 4;
	int ret;

	if (IS_ENABLED(CONFIG_UBSAN_ALIGNMENT) ||
	    (BITS_PER_LONG == 64 && !IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS)))
		kunit_skip(test, "its members cannot be read");
	memcpy(at, &p->kp, sizeof(p->kp));
	ret = register_kprobe(at);
	KUNIT_EXPECT_EQ(test, -EINVAL, ret);
	KUNIT_EXPECT_MEMEQ(test, at, &p->kp, sizeof(p->kp));
	KUNIT_EXPECT_EQ(test, points, ktest_count_points());
	if (!ret)
		unregister_kprobe(at);
	/* There is nothing else that is wrong with it. */
	KUNIT_EXPECT_EQ(test, 0, ktest_try_register(test, p));
}

static void points_not_registered(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);

	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&p->kp));
	/* This is how a user learns that it was not. */
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_NULL(test, p->kp.addr);
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_NULL(test, p->kp.addr);
}

/* The second registration fails and leaves the first one alone. */
static void points_twice(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	kprobe_opcode_t *addr;

	ktest_register(test, p);
	addr = p->kp.addr;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p->kp));
	KUNIT_EXPECT_PTR_EQ(test, addr, p->kp.addr);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_PTR_EQ(test, addr, p->kp.addr);
	KUNIT_EXPECT_TRUE(test, ktest_untouched(p));
}

static void points_refuse(struct kunit *test, struct ktest_probe *p, void *addr,
			  const char *symbol, unsigned int offset)
{
	p->kp.addr = addr;
	p->kp.symbol_name = symbol;
	p->kp.offset = offset;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p->kp));
	KUNIT_EXPECT_PTR_EQ(test, addr, (void *)p->kp.addr);
}

/* Its user has cleared the address in between, or has set it anew. */
static void points_twice_changed(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	kprobe_opcode_t *addr;

	ktest_register(test, p);
	addr = p->kp.addr;
	points_refuse(test, p, NULL, "ktest_fixed", 0);
	/* On x86, a registration moves the address behind a landing pad. */
	points_refuse(test, p, ktest_entry(ktest_fixed), NULL, 0);
	points_refuse(test, p, (char *)addr - 16, NULL, 16);
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	p->kp.addr = addr;
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(addr));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(p));
}

/* Again and again; misses are counted from the registration on. */
static void points_again(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_break);
	int i;

	for (i = 1; i <= 10; i++) {
		p->kp.nmissed = 7;
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
		KUNIT_EXPECT_EQ(test, 0, p->kp.nmissed);
		ktest_break(1);
		unregister_kprobe(&p->kp);
		KTEST_EXPECT_COUNTS(test, p, i, 0, 0);
	}
	/* What is found by name needs its address cleared. */
	p->kp.symbol_name = "ktest_break2";
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p->kp));
	p->kp.addr = NULL;
	ktest_register(test, p);
	ktest_break2(1);
	KTEST_EXPECT_COUNTS(test, p, i, 0, 0);
}

static void points_rearm(void *unused)
{
	kprobe_set_all_disarmed(false);
}

/* The knob: no probe is in the text, whatever becomes of it meanwhile. */
static void points_all_disarmed(struct kunit *test)
{
	struct ktest_probe *brk = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *off = ktest_probe_alloc(test, ktest_break);
	struct ktest_probe *traced = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *late = ktest_probe_alloc(test, ktest_break2);

	off->kp.flags = KPROBE_FLAG_DISABLED;
	ktest_register(test, brk);
	ktest_register(test, off);
	ktest_register(test, traced);
	ktest_set_at_end(test, points_rearm, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	ktest_register(test, late);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&brk->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&brk->kp));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(brk));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(late));
	KUNIT_EXPECT_FALSE(test, kprobe_disabled(&brk->kp));
	points_call(ktest_fixed, KTEST_CALLS);
	points_call(ktest_traced, KTEST_CALLS);
	points_call(ktest_break2, KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, brk, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, traced, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, late, 0, 0, 0);

	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(false));
	points_call(ktest_fixed, KTEST_CALLS);
	points_call(ktest_break, KTEST_CALLS);
	points_call(ktest_traced, KTEST_CALLS);
	points_call(ktest_break2, KTEST_CALLS);
	KTEST_EXPECT_COUNTS(test, brk, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, off, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, traced, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, late, KTEST_CALLS, 0, 0);
}

/* A probe may go while nothing is armed. */
static void points_unregister_disarmed(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, p);
	ktest_set_at_end(test, points_rearm, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(p->kp.addr));
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(false));
	KUNIT_EXPECT_TRUE(test, ktest_untouched(p));
	ktest_fixed(1);
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
}

/*
 * The text goes away: no handler is called, nothing can be switched, and the
 * probe can still be unregistered. The text here stays, in truth, so another
 * probe can take the place.
 */
static __nocfi void points_gone(struct kunit *test, int (*fn)(int), u32 flags)
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);
	struct ktest_probe *next = ktest_probe_alloc(test, fn);
	unsigned long addr;

	p->kp.flags = flags;
	ktest_register(test, p);
	addr = (unsigned long)p->kp.addr;
	kprobe_kill_range(addr + 1, addr + 16);
	KUNIT_EXPECT_FALSE(test, kprobe_gone(&p->kp));
	kprobe_kill_range(addr, addr + 1);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&p->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&p->kp));
	KUNIT_EXPECT_EQ(test, 2, fn(1));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(&p->kp));
	points_refuse(test, p, NULL, "ktest_plain", 0);
	points_refuse(test, p, ktest_entry(fn), NULL, 0);
	points_refuse(test, p, (char *)addr - 16, NULL, 16);
	p->kp.addr = (void *)addr;
	ktest_register(test, next);
	KUNIT_EXPECT_EQ(test, 2, fn(1));
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, next, 1, 0, 0);
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at((void *)addr));
	KUNIT_EXPECT_EQ(test, 2, fn(1));
	KTEST_EXPECT_COUNTS(test, next, 2, 0, 0);
	unregister_kprobe(&next->kp);
}

static void points_text_gone(struct kunit *test)
{
	points_gone(test, ktest_traced, 0);
	points_gone(test, ktest_fixed, 0);
	points_gone(test, ktest_fixed, KPROBE_FLAG_DISABLED);
}

static struct kunit_case points_cases[] = {
	KUNIT_CASE(points_state_moves),
	KUNIT_CASE(points_state_names),
	KUNIT_CASE(points_hits),
	KUNIT_CASE(points_order),
	KUNIT_CASE(points_enable),
	KUNIT_CASE(points_enable_ftrace),
	KUNIT_CASE(points_register_disabled),
	KUNIT_CASE(points_flags_left),
	KUNIT_CASE(points_null_handlers),
	KUNIT_CASE(points_by_symbol),
	KUNIT_CASE(points_opcode),
	KUNIT_CASE(points_misaligned),
	KUNIT_CASE(points_not_registered),
	KUNIT_CASE(points_twice),
	KUNIT_CASE(points_twice_changed),
	KUNIT_CASE(points_again),
	KUNIT_CASE(points_all_disarmed),
	KUNIT_CASE(points_unregister_disarmed),
	KUNIT_CASE(points_text_gone),
	{}
};

static struct kunit_suite points_suite = {
	.name = "kprobes_points",
	.test_cases = points_cases,
};

kunit_test_suite(points_suite);
