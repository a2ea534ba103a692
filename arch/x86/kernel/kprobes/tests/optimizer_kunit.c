// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the jump optimizer: when there is a jump in the text, when
 * there is none, and that the probed function does not notice.
 */
#include <linux/delay.h>
#include <linux/kthread.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#include "../insn.h"
#include "targets_plain.h"

#define OPT_TEXT	32

/* The text of ktest_plain() without probes, and now. */
static u8 opt_before[OPT_TEXT], opt_now[OPT_TEXT];

static void opt_read(u8 *to)
{
	memset(to, 0, OPT_TEXT);
	copy_from_kernel_nofault(to, ktest_plain, OPT_TEXT);
}

static int opt_init(struct kunit *test)
{
	opt_read(opt_before);
	return 0;
}

static void opt_expect_restored(struct kunit *test)
{
	opt_read(opt_now);
	KUNIT_EXPECT_MEMEQ(test, opt_before, opt_now, OPT_TEXT);
}

static struct ktest_probe *opt_probe(struct kunit *test, u32 offset)
{
	return ktest_probe_alloc(test, (void *)ktest_plain + offset);
}

static void opt_expect_jump(struct kunit *test, struct ktest_probe *p)
{
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	KUNIT_EXPECT_TRUE(test, kprobe_optimized(&ktest_point(p)->probe));
	KUNIT_EXPECT_EQ(test, JMP32_INSN_OPCODE, ktest_text(p->kp.addr));
}

static void opt_expect_breakpoint(struct kunit *test, struct ktest_probe *p)
{
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	KUNIT_EXPECT_FALSE(test, kprobe_optimized(&ktest_point(p)->probe));
	KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(p->kp.addr));
}

static void opt_calls(struct kunit *test)
{
	int x;

	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, ktest_plain(x));
}

static atomic_t opt_early_hits;

static int opt_early_pre(struct kprobe *kp, struct pt_regs *regs)
{
	atomic_inc(&opt_early_hits);
	return 0;
}

static struct kprobe opt_early_kp = { .pre_handler = opt_early_pre };
static int opt_early_ret = -EAGAIN;
static int opt_early_result;
static unsigned char opt_early_text;

/*
 * In the stead of the architecture's: half a dozen of the others register a
 * probe from theirs, for the trampoline of returns. There is one CPU now, and
 * hardly anything else.
 */
int __init arch_init_kprobes(void)
{
	kprobe_insn_init();
	if (!kunit_enabled())
		return 0;
	opt_early_kp.addr = (void *)ktest_early;
	opt_early_ret = register_kprobe(&opt_early_kp);
	ktest_early(1);
	return 0;
}

/* The suite may be left out by a filter: the probe goes before any suite runs. */
static int __init opt_early_unregister(void)
{
	if (opt_early_ret)
		return 0;
	wait_for_kprobe_optimizer();
	opt_early_text = ktest_text(opt_early_kp.addr);
	opt_early_result = ktest_early(2);
	unregister_kprobe(&opt_early_kp);
	return 0;
}
late_initcall(opt_early_unregister);

/* The very first probe got its jump, and was hit before and after. */
static void opt_early(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, opt_early_ret);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(opt_early_kp.addr));
	KUNIT_EXPECT_EQ(test, JMP32_INSN_OPCODE, opt_early_text);
	KUNIT_EXPECT_EQ(test, 3, opt_early_result);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&opt_early_hits));
}

/* Registered, a jump after a while, and the old text in the end. */
static void opt_basic(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);

	ktest_register(test, p);
	/* Reached at once, whatever stands there. */
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	opt_expect_jump(test, p);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, 2 * KTEST_CALLS, 0, 0);
	KUNIT_EXPECT_PTR_EQ(test, &ktest_point(p)->probe, p->running);
	unregister_kprobe(&p->kp);
	opt_expect_restored(test);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, 2 * KTEST_CALLS, 0, 0);
}

/* Unregistered before the jump is there, which then does not come. */
static void opt_unregister_queued(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	int i;

	for (i = 0; i < 10; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
		ktest_plain(1);
		unregister_kprobe(&p->kp);
		opt_expect_restored(test);
	}
	wait_for_kprobe_optimizer();
	opt_expect_restored(test);
	KTEST_EXPECT_COUNTS(test, p, 10, 0, 0);
}

/* A subscriber that needs the breakpoint gets it, until it goes. */
static void opt_breakpoint_needed(struct kunit *test, struct ktest_probe *needy)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	int i;

	ktest_register(test, p);
	opt_expect_jump(test, p);
	for (i = 1; i <= 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&needy->kp));
		opt_expect_breakpoint(test, p);
		opt_calls(test);
		unregister_kprobe(&needy->kp);
		opt_expect_jump(test, p);
		opt_calls(test);
		KTEST_EXPECT_COUNTS(test, p, 2 * i * KTEST_CALLS, 0, 0);
		KUNIT_EXPECT_EQ(test, i * KTEST_CALLS,
				atomic_read(&needy->pre));
	}
	unregister_kprobe(&p->kp);
	opt_expect_restored(test);
}

static void opt_fault_handler(struct kunit *test)
{
	struct ktest_probe *needy = opt_probe(test, ktest_plain_mid);

	needy->kp.fault_handler = ktest_fault;
	opt_breakpoint_needed(test, needy);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&needy->fault));
}

/* A post handler that comes and goes does not take the jump away. */
static void opt_post_handler(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	struct ktest_probe *post = opt_probe(test, ktest_plain_mid);
	int i;

	post->kp.post_handler = ktest_post;
	ktest_register(test, p);
	opt_expect_jump(test, p);
	for (i = 1; i <= 2; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&post->kp));
		KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
		opt_calls(test);
		KTEST_EXPECT_COUNTS(test, post, i * KTEST_CALLS,
				    i * KTEST_CALLS, 0);
		unregister_kprobe(&post->kp);
		KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
		opt_calls(test);
	}
	KTEST_EXPECT_COUNTS(test, p, 4 * KTEST_CALLS, 0, 0);
	unregister_kprobe(&p->kp);
	opt_expect_restored(test);
}

/* A probe where the jump has its displacement. */
static void opt_probe_in_region(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	struct ktest_probe *in = opt_probe(test, ktest_plain_last);

	ktest_register(test, p);
	opt_expect_jump(test, p);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&in->kp));
	opt_expect_breakpoint(test, p);
	opt_expect_jump(test, in);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, in, KTEST_CALLS, 0, 0);

	/* A disabled probe in the region is no obstacle. */
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&in->kp));
	opt_expect_jump(test, p);
	opt_calls(test);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&in->kp));
	opt_expect_breakpoint(test, p);
	opt_calls(test);
	unregister_kprobe(&in->kp);
	opt_expect_jump(test, p);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, 4 * KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, in, 2 * KTEST_CALLS, 0, 0);

	/* The other way round: it was there first. */
	unregister_kprobe(&p->kp);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&in->kp));
	ktest_register(test, p);
	opt_expect_breakpoint(test, p);
	unregister_kprobe(&in->kp);
	opt_expect_jump(test, p);
	unregister_kprobe(&p->kp);
	opt_expect_restored(test);
}

/*
 * A batch that takes one of two neighbours away first marks it disabled, and takes
 * its jump out later. Until then the other must not get a detour: it ends where
 * the jump has its displacement.
 */
static void opt_neighbour_leaving(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	struct ktest_probe *in = opt_probe(test, ktest_plain_last);
	struct kprobe_point *pt;
	struct kprobe *leaving;

	ktest_register(test, in);
	ktest_register(test, p);
	opt_expect_jump(test, in);
	opt_expect_breakpoint(test, p);

	mutex_lock(&kprobe_mutex);
	leaving = &kprobe_table_find(in->kp.addr)->probe;
	WRITE_ONCE(leaving->flags, leaving->flags | KPROBE_FLAG_DISABLED);
	pt = kprobe_table_find(p->kp.addr);
	kprobe_optimizer_consider(pt);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, pt->state);
	kprobe_optimizer_revert(&pt, 1);
	WRITE_ONCE(leaving->flags, leaving->flags & ~KPROBE_FLAG_DISABLED);
	mutex_unlock(&kprobe_mutex);

	opt_calls(test);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&in->kp));
	opt_expect_jump(test, p);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, 2 * KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, in, KTEST_CALLS, 0, 0);
	unregister_kprobe(&p->kp);
	unregister_kprobe(&in->kp);
	opt_expect_restored(test);
}

static void opt_rearm(void *unused)
{
	kprobe_set_all_disarmed(false);
}

/* Switched off and on, each by itself and all together. */
static void opt_switches(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);

	ktest_register(test, p);
	opt_expect_jump(test, p);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	opt_expect_restored(test);
	opt_calls(test);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
	opt_expect_jump(test, p);

	ktest_set_at_end(test, opt_rearm, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	opt_expect_restored(test);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, 0, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(false));
	opt_expect_jump(test, p);
	opt_calls(test);
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

static int opt_skip_one(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs,
				(unsigned long)p->kp.addr + KTEST_PLAIN_LEN);
	return 1;
}

/* A handler that changes the path: here into the text that the jump covers. */
static void opt_path(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_last);
	int x;

	p->then = opt_skip_one;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	/* Without the instruction that takes 2 off. */
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 3, ktest_plain(x));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
}

static int opt_skip_all(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs,
				(unsigned long)ktest_plain + ktest_plain_end);
	return 1;
}

static void opt_path_jump(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, 0);
	struct ktest_probe *mid = opt_probe(test, ktest_plain_mid);
	int x;

	mid->then = opt_skip_all;
	ktest_register(test, mid);
	opt_expect_jump(test, mid);
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, ktest_plain(x));
	KTEST_EXPECT_COUNTS(test, mid, KTEST_CALLS, 0, 0);
	unregister_kprobe(&mid->kp);

	/* Likewise from the first instruction on, to behind the jump. */
	p->then = opt_skip_all;
	ktest_register(test, p);
	opt_expect_jump(test, p);
	ktest_plain(1);
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

/* What the compare before the probe found is there after it. */
static void opt_flags(struct kunit *test)
{
	struct ktest_probe *p;
	unsigned int a, b;

	p = ktest_probe_alloc(test, (void *)ktest_below + ktest_below_mid);
	ktest_register(test, p);
	opt_expect_jump(test, p);
	for (a = 0; a < 5; a++) {
		for (b = 0; b < 5; b++)
			KUNIT_EXPECT_EQ(test, a < b, ktest_below(a, b));
	}
	KTEST_EXPECT_COUNTS(test, p, 25, 0, 0);
}

static unsigned long opt_flags_inside, opt_flags_saved;

static int opt_note_flags(struct ktest_probe *p, struct pt_regs *regs)
{
	opt_flags_inside = native_save_fl();
	opt_flags_saved = regs->flags;
	return 0;
}

/* C code runs with certain flags clear, which the probed code has set. */
static __nocfi void opt_flag_clear(struct kunit *test, int (*fn)(int), u32 mid,
				   unsigned long flag)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)fn + mid);
	int i;

	p->then = opt_note_flags;
	ktest_register(test, p);
	for (i = 0; i < 2; i++) {
		KUNIT_EXPECT_EQ(test, i + 1, fn(i));
		KUNIT_EXPECT_FALSE(test, opt_flags_inside & flag);
		KUNIT_EXPECT_TRUE(test, opt_flags_saved & flag);
		opt_expect_jump(test, p);
	}
	KTEST_EXPECT_COUNTS(test, p, 2, 0, 0);
}

static void opt_direction(struct kunit *test)
{
	opt_flag_clear(test, ktest_down, ktest_down_mid, X86_EFLAGS_DF);
}

static void opt_user_access(struct kunit *test)
{
	if (!cpu_feature_enabled(X86_FEATURE_SMAP))
		kunit_skip(test, "this CPU does not guard the user's memory");
	opt_flag_clear(test, ktest_open, ktest_open_mid, X86_EFLAGS_AC);
}

/* Why there is no jump at @p, or is. */
static void opt_expect_reason(struct kunit *test, struct ktest_probe *p,
			      enum kprobe_nojump nojump)
{
	wait_for_kprobe_optimizer();
	ktest_expect_reason(test, p, nojump);
}

/* Where a jump would do harm there is none, and why is known. */
static void opt_never_jump(struct kunit *test)
{
	static const struct {
		void *addr;
		enum kprobe_nojump why;
	} refused[] = {
		{ ktest_fixed, KPROBE_NOJUMP_BRANCH },
#ifdef CONFIG_KPROBES_ON_FTRACE
		{ ktest_traced, KPROBE_NOJUMP_FTRACE },
#endif
	};
	struct ktest_probe *p;
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		p = ktest_probe_alloc(test, refused[i].addr);
		ktest_register(test, p);
		opt_expect_reason(test, p, refused[i].why);
		KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
		unregister_kprobe(&p->kp);
	}
}

/* What the users of a point and the knobs do shows in its reason. */
static void opt_reasons(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	struct ktest_probe *in = opt_probe(test, ktest_plain_last);

	ktest_register(test, p);
	ktest_expect_reason(test, p, KPROBE_NOJUMP_WAITING);
	KUNIT_EXPECT_EQ(test, KPROBE_WAY_DETOUR,
			arch_kprobe_way(&ktest_point(p)->probe));
	opt_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&in->kp));
	opt_expect_reason(test, p, KPROBE_NOJUMP_NEIGHBOUR);
	unregister_kprobe(&in->kp);
	opt_expect_reason(test, p, KPROBE_NOJUMP_NONE);

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	opt_expect_reason(test, p, KPROBE_NOJUMP_DISABLED);
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
	ktest_set_at_end(test, opt_rearm, NULL);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(true));
	opt_expect_reason(test, p, KPROBE_NOJUMP_KNOB);
	KUNIT_EXPECT_EQ(test, 0, kprobe_set_all_disarmed(false));

	in = opt_probe(test, ktest_plain_mid);
	in->kp.fault_handler = ktest_fault;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&in->kp));
	opt_expect_reason(test, p, KPROBE_NOJUMP_FAULT_HANDLER);
	unregister_kprobe(&in->kp);
	opt_expect_reason(test, p, KPROBE_NOJUMP_NONE);
}

/* Each reason has words of its own. */
static void opt_reason_texts(struct kunit *test)
{
	enum kprobe_nojump a, b;

	KUNIT_EXPECT_NULL(test, kprobe_nojump_text(KPROBE_NOJUMP_NONE));
	for (a = KPROBE_NOJUMP_NONE + 1; a < KPROBE_NR_NOJUMPS; a++) {
		KUNIT_ASSERT_NOT_NULL(test, kprobe_nojump_text(a));
		for (b = KPROBE_NOJUMP_NONE + 1; b < a; b++)
			KUNIT_EXPECT_STRNEQ(test, kprobe_nojump_text(a),
					    kprobe_nojump_text(b));
	}
}

/**
 * struct opt_caller - a thread that calls ktest_plain() all the time
 * @calls: how often it did
 * @wrong: how often the result was wrong
 */
struct opt_caller {
	unsigned long calls;
	unsigned long wrong;
};

static int opt_caller_fn(void *arg)
{
	struct opt_caller *c = arg;

	while (!kthread_should_stop()) {
		c->wrong += ktest_plain(c->calls & 0xffff) !=
			    (c->calls & 0xffff) + 1;
		WRITE_ONCE(c->calls, c->calls + 1);
		/*
		 * The optimizer waits until every task was seen elsewhere.
		 */
		if (c->calls % 8 == 0)
			usleep_range(100, 200);
	}
	return 0;
}

static bool opt_hit_again(struct ktest_probe *p)
{
	int before = atomic_read(&p->pre), i;

	for (i = 0; i < 5000 && atomic_read(&p->pre) == before; i++)
		usleep_range(500, 1000);
	return i < 5000;
}

/*
 * A jump is put in and taken out while a task runs over it: no call goes wrong
 * and no hit is lost or doubled.
 */
static void opt_under_load(struct kunit *test)
{
	struct ktest_probe *p = opt_probe(test, ktest_plain_mid);
	struct ktest_probe *in = opt_probe(test, ktest_plain_last);
	struct opt_caller caller = {};
	struct task_struct *task;
	int i;

	ktest_register(test, p);
	task = kthread_run(opt_caller_fn, &caller, "ktest_opt");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 5; i++) {
		opt_expect_jump(test, p);
		KUNIT_EXPECT_EQ(test, 0, register_kprobe(&in->kp));
		opt_expect_breakpoint(test, p);
		KUNIT_EXPECT_TRUE(test, opt_hit_again(in));
		unregister_kprobe(&in->kp);
	}
	while (READ_ONCE(caller.calls) < 1000)
		usleep_range(500, 1000);
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, 0, caller.wrong);
	KUNIT_EXPECT_EQ(test, caller.calls, atomic_read(&p->pre));
	KUNIT_EXPECT_EQ(test, 0, p->kp.nmissed);
	unregister_kprobe(&p->kp);
	opt_expect_restored(test);
}

static struct kunit_case opt_cases[] = {
	KUNIT_CASE(opt_early),
	KUNIT_CASE(opt_basic),
	KUNIT_CASE(opt_unregister_queued),
	KUNIT_CASE(opt_post_handler),
	KUNIT_CASE(opt_fault_handler),
	KUNIT_CASE(opt_probe_in_region),
	KUNIT_CASE(opt_neighbour_leaving),
	KUNIT_CASE(opt_switches),
	KUNIT_CASE(opt_path),
	KUNIT_CASE(opt_path_jump),
	KUNIT_CASE(opt_flags),
	KUNIT_CASE(opt_direction),
	KUNIT_CASE(opt_user_access),
	KUNIT_CASE(opt_never_jump),
	KUNIT_CASE(opt_reasons),
	KUNIT_CASE(opt_reason_texts),
	KUNIT_CASE(opt_under_load),
	{}
};

static struct kunit_suite opt_suite = {
	.name = "kprobes_optimizer",
	.init = opt_init,
	.test_cases = opt_cases,
};

kunit_test_suite(opt_suite);
