// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of switching on and off, and of taking away, where something is
 * in the way: ftrace refuses, the text is gone, others stay, others wait.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "testing.h"

/* What has lost its text is off already, and stays so. */
static void switch_gone(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_break);
	unsigned long addr;

	ktest_register(test, p);
	addr = (unsigned long)p->kp.addr;
	kprobe_kill_range(addr, addr + 1);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&p->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, -EINVAL, enable_kprobe(&p->kp));
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(&p->kp));
}

/* What is behind the instruction, as the architecture does it. */
#ifdef __ARCH_WANT_KPROBE_FRAMES
static void switch_post(struct kprobe *p, struct pt_regs *regs)
{
	guard(preempt)();
	kprobe_call_post(p, regs);
}
#else
static void switch_post(struct kprobe *p, struct pt_regs *regs)
{
	guard(preempt)();
	if (p->post_handler)
		p->post_handler(p, regs, 0);
}
#endif

/* A hit that came before that goes on to its post handlers. */
static void switch_gone_post(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_break);
	struct kprobe_point *pt;
	struct pt_regs regs = {};
	unsigned long addr;

	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	addr = (unsigned long)p->kp.addr;
	pt = ktest_point(p);
	switch_post(&pt->probe, &regs);
	KTEST_EXPECT_COUNTS(test, p, 0, 1, 0);
	kprobe_kill_range(addr, addr + 1);
	switch_post(&pt->probe, &regs);
	KTEST_EXPECT_COUNTS(test, p, 0, 1, 0);
}

static void switch_limit(void *limit)
{
	kprobe_retire_limit = (unsigned long)limit;
}

/* Those that wait for their end are not allowed to pile up. */
static void switch_pressure(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	int i;

	kprobe_retire_flush();
	ktest_set_at_end(test, switch_limit,
			 (void *)(unsigned long)kprobe_retire_limit);
	kprobe_retire_limit = 3;
	for (i = 0; i < 20; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&p->kp));
		KUNIT_EXPECT_LE(test, kprobe_retire_waiting(), 3);
		unregister_kprobe(&p->kp);
		KUNIT_EXPECT_LE(test, kprobe_retire_waiting(), 4);
	}
	kprobe_retire_flush();
	KUNIT_EXPECT_EQ(test, 0, kprobe_retire_waiting());
}

#ifdef CONFIG_KPROBES_ON_FTRACE
/* A second owner of the right to change the path, as a live patch is. */
static void switch_no_handler(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *regs)
{
}

static struct ftrace_ops switch_ops = {
	.func = switch_no_handler,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

static void switch_drop_ops(void *unused)
{
	unregister_ftrace_function(&switch_ops);
}

static void switch_own(struct kunit *test, void *fn)
{
	unsigned long ip = ftrace_location((unsigned long)fn);

	/* Instead of what another test has set. */
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&switch_ops, &ip, 1, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&switch_ops));
	ktest_set_at_end(test, switch_drop_ops, NULL);
}

static void switch_all_armed(void *unused)
{
	kprobe_set_all_disarmed(false);
}

/* A live patch comes while all is off. */
static void switch_own_while_off(struct kunit *test, void *fn)
{
	KUNIT_ASSERT_EQ(test, 0, kprobe_set_all_disarmed(true));
	ktest_set_at_end(test, switch_all_armed, NULL);
	switch_own(test, fn);
}

/* A live patch came while all was off: one of two is switched off then. */
static void switch_off_beside_refused(struct kunit *test)
{
	struct ktest_probe *pre = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *post = ktest_probe_alloc(test, ktest_traced);

	ktest_need_ftrace(test);
	post->kp.post_handler = ktest_post;
	ktest_register(test, pre);
	ktest_register(test, post);
	switch_own_while_off(test, ktest_traced);
	KUNIT_EXPECT_EQ(test, -EBUSY, kprobe_set_all_disarmed(false));
	KUNIT_EXPECT_EQ(test, KPROBE_DISARMED, ktest_state(pre));

	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&pre->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&pre->kp));
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&post->kp));
	/* Without the one that may change the path there is nothing to refuse. */
	KUNIT_EXPECT_EQ(test, -EBUSY, enable_kprobe(&post->kp));
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&post->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&pre->kp));
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	KTEST_EXPECT_COUNTS(test, pre, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, post, 0, 0, 0);
}

static const char switch_refused_text[] =
	"1 of 2 probe points could not be armed again (-16)";

static void switch_refused_said(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_traced);
	unsigned int said = ktest_said(test, switch_refused_text);

	ktest_need_ftrace(test);
	ktest_need_no_points(test);
	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	ktest_register(test, ktest_probe_alloc(test, ktest_break));
	switch_own_while_off(test, ktest_traced);
	KUNIT_EXPECT_EQ(test, -EBUSY, kprobe_set_all_disarmed(false));
	KUNIT_EXPECT_EQ(test, KPROBE_DISARMED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, said + 1, ktest_said(test, switch_refused_text));
}

static bool switch_is_claimed(void *fn)
{
	unsigned long ip = ftrace_location((unsigned long)fn);

	if (ftrace_set_filter_ips(&switch_ops, &ip, 1, 0, 1))
		return false;
	if (register_ftrace_function(&switch_ops) == -EBUSY)
		return true;
	unregister_ftrace_function(&switch_ops);
	return false;
}

/* Without a try, which would be in the way of the work that claims it. */
static bool switch_has_claim(struct ktest_probe *p)
{
	struct kprobe_point *pt = ktest_point(p);

	guard(mutex)(&kprobe_mutex);
	return pt->ipmodify_claimed;
}

/*
 * The right to change the path is given back, then there is no memory to disarm, nor to
 * claim that right again: it is claimed as soon as there is.
 */
static void switch_claimed_later(struct kunit *test)
{
	struct ktest_probe *fail = ktest_probe_alloc(test, ftrace_set_filter_ips);
	struct ktest_probe *pre = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *post = ktest_probe_alloc(test, ktest_traced);
	int ms;

	ktest_need_ftrace(test);
	ktest_heed_path(test);
	ktest_need_redirect(test, ftrace_set_filter_ips);
	post->kp.post_handler = ktest_post;
	ktest_register(test, ktest_probe_alloc(test, ktest_traced2));
	ktest_register(test, pre);
	ktest_register(test, post);
	unregister_kprobe(&pre->kp);
	KUNIT_ASSERT_TRUE(test, switch_is_claimed(ktest_traced));
	ktest_register(test, fail);
	fail->then = ktest_no_memory;
	KUNIT_EXPECT_EQ(test, -ENOMEM, disable_kprobe(&post->kp));
	fail->then = NULL;
	/* To forget the site that was claimed, to disarm, and to claim again. */
	KTEST_EXPECT_COUNTS(test, fail, 3, 0, 0);
	unregister_kprobe(&fail->kp);
	for (ms = 0; ms < 5000 && !switch_has_claim(post); ms += 50)
		msleep(50);
	KUNIT_EXPECT_TRUE(test, switch_is_claimed(ktest_traced));
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	KTEST_EXPECT_COUNTS(test, post, 1, 1, 0);
}

/* Many sites, of which one is refused: how often ftrace is asked. */
#define SWITCH_FN(n)							\
static noinline __noclone int switch_fn##n(int x)			\
{									\
	barrier();							\
	return x + 1 + (n);						\
}

SWITCH_FN(0) SWITCH_FN(1) SWITCH_FN(2) SWITCH_FN(3) SWITCH_FN(4) SWITCH_FN(5)
SWITCH_FN(6) SWITCH_FN(7) SWITCH_FN(8) SWITCH_FN(9) SWITCH_FN(10) SWITCH_FN(11)
SWITCH_FN(12) SWITCH_FN(13) SWITCH_FN(14) SWITCH_FN(15) SWITCH_FN(16)
SWITCH_FN(17) SWITCH_FN(18) SWITCH_FN(19) SWITCH_FN(20) SWITCH_FN(21)
SWITCH_FN(22) SWITCH_FN(23) SWITCH_FN(24) SWITCH_FN(25) SWITCH_FN(26)
SWITCH_FN(27) SWITCH_FN(28) SWITCH_FN(29) SWITCH_FN(30) SWITCH_FN(31)

static int (* const switch_fns[])(int x) = {
	switch_fn0, switch_fn1, switch_fn2, switch_fn3, switch_fn4, switch_fn5,
	switch_fn6, switch_fn7, switch_fn8, switch_fn9, switch_fn10,
	switch_fn11, switch_fn12, switch_fn13, switch_fn14, switch_fn15,
	switch_fn16, switch_fn17, switch_fn18, switch_fn19, switch_fn20,
	switch_fn21, switch_fn22, switch_fn23, switch_fn24, switch_fn25,
	switch_fn26, switch_fn27, switch_fn28, switch_fn29, switch_fn30,
	switch_fn31,
};

#define SWITCH_FNS	ARRAY_SIZE(switch_fns)

/* What ftrace has written where it would call its users. */
static void switch_site_text(void *fn, u8 *text)
{
	memcpy(text, (void *)ftrace_location((unsigned long)fn), MCOUNT_INSN_SIZE);
}

/*
 * There is no memory to forget a site whose text goes away. When the address is probed
 * again, and all probes are gone, ftrace calls nothing: an empty filter of one that is
 * registered would stand for all functions.
 */
static void switch_gone_no_memory(struct kunit *test)
{
	struct ktest_probe *fail = ktest_probe_alloc(test, ftrace_set_filter_ips);
	struct ktest_probe *gone = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *again = ktest_probe_alloc(test, ktest_traced);
	struct ktest_probe *other = ktest_probe_alloc(test, ktest_traced2);
	u8 before[MCOUNT_INSN_SIZE], after[MCOUNT_INSN_SIZE];
	unsigned long addr;

	ktest_need_ftrace(test);
	ktest_heed_path(test);
	ktest_need_redirect(test, ftrace_set_filter_ips);
	switch_site_text(switch_fn0, before);
	ktest_register(test, other);
	ktest_register(test, gone);
	ktest_register(test, fail);
	fail->then = ktest_no_memory;
	addr = (unsigned long)gone->kp.addr;
	kprobe_kill_range(addr, addr + 1);
	fail->then = NULL;
	unregister_kprobe(&fail->kp);
	KUNIT_EXPECT_GT(test, atomic_read(&fail->pre), 1);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&gone->kp));
	unregister_kprobe(&gone->kp);
	ktest_register(test, again);
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	KTEST_EXPECT_COUNTS(test, gone, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, again, 1, 0, 0);
	unregister_kprobe(&again->kp);
	KUNIT_EXPECT_EQ(test, 2, ktest_traced2(1));
	KTEST_EXPECT_COUNTS(test, other, 1, 0, 0);
	unregister_kprobe(&other->kp);
	switch_site_text(switch_fn0, after);
	KUNIT_EXPECT_MEMEQ(test, before, after, MCOUNT_INSN_SIZE);
}

/* Until a grace period is over, ftrace may call for a site whose point has gone. */
static void switch_without_point(struct kunit *test)
{
	static struct ftrace_ops ops = {
		.func = kprobe_ftrace_handler,
		.flags = FTRACE_OPS_FL_SAVE_REGS,
	};
	unsigned long ip = ftrace_location((unsigned long)ktest_traced);

	ktest_need_ftrace(test);
	KUNIT_ASSERT_EQ(test, 0, ktest_points_at((void *)ip));
	KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ips(&ops, &ip, 1, 0, 1));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_function(&ops));
	KUNIT_EXPECT_EQ(test, 2, ktest_traced(1));
	KUNIT_EXPECT_EQ(test, 0, unregister_ftrace_function(&ops));
}

static __nocfi void switch_one_refused(struct kunit *test)
{
	struct ktest_probe *asked = ktest_probe_alloc(test,
						      ftrace_set_filter_ips);
	struct ktest_probe *p[SWITCH_FNS];
	unsigned int i, hits = 0;

	ktest_need_ftrace(test);
	for (i = 0; i < SWITCH_FNS; i++) {
		p[i] = ktest_probe_alloc(test, switch_fns[i]);
		p[i]->kp.post_handler = ktest_post;
		ktest_register(test, p[i]);
	}
	switch_own_while_off(test, switch_fns[7]);
	/* It is armed with the others: what is asked before that is not seen. */
	ktest_register(test, asked);
	KUNIT_EXPECT_EQ(test, -EBUSY, kprobe_set_all_disarmed(false));
	for (i = 0; i < SWITCH_FNS; i++) {
		KUNIT_EXPECT_EQ(test, i + 2, switch_fns[i](1));
		hits += atomic_read(&p[i]->pre);
	}
	KUNIT_EXPECT_EQ(test, SWITCH_FNS - 1, hits);
	KTEST_EXPECT_COUNTS(test, p[7], 0, 0, 0);
	/*
	 * In halves, down to the one: 32, 16 + 16, 8 + 8, 4 + 4, 2 + 2, 1 + 1.
	 * The first three fail only when the ops is registered, and are undone.
	 */
	KUNIT_EXPECT_GE(test, atomic_read(&asked->pre), 11);
	KUNIT_EXPECT_LE(test, atomic_read(&asked->pre), 16);
}

/*
 * A batch of return probes that fails late. A thread enters switch_slow() as soon
 * as a return there is hooked, and returns when the registration is about to give
 * up: a handler that runs then must have returned before the registration does.
 */
static struct switch_late {
	struct task_struct *registrar;
	bool call;
	bool inside;
	bool leave;
	bool returning;
	bool given_up;
	bool too_late;
} late;

/* In a handler, for ten seconds; then the test fails rather than hangs. */
static void switch_spin_until(bool *what)
{
	int i;

	for (i = 0; i < 10000 && !READ_ONCE(*what); i++)
		mdelay(1);
}

/* In the thread, for longer: what goes before may be slow. */
static void switch_sleep_until(bool *what)
{
	int i;

	for (i = 0; i < 60000 && !READ_ONCE(*what); i++)
		usleep_range(500, 1000);
}

static noinline __noclone int switch_slow(int x)
{
	WRITE_ONCE(late.inside, true);
	switch_sleep_until(&late.leave);
	return x + 1;
}

static int switch_late_thread(void *unused)
{
	switch_sleep_until(&late.call);
	switch_slow(1);
	ktest_wait_for_stop();
	return 0;
}

static int switch_late_return(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	int i;

	WRITE_ONCE(late.returning, true);
	for (i = 0; i < 300 && !READ_ONCE(late.given_up); i++)
		mdelay(1);
	late.too_late = READ_ONCE(late.given_up);
	return 0;
}

/* ftrace is asked to arm: the points that are armed already are hooked. */
static int switch_late_arming(struct ktest_probe *p, struct pt_regs *regs)
{
	if (current == late.registrar && !late.inside) {
		WRITE_ONCE(late.call, true);
		switch_spin_until(&late.inside);
	}
	return 0;
}

/* What the registration has allocated is freed: it gives up. */
static int switch_late_freeing(struct ktest_probe *p, struct pt_regs *regs)
{
	if (current == late.registrar && late.inside && !late.leave) {
		WRITE_ONCE(late.leave, true);
		switch_spin_until(&late.returning);
	}
	return 0;
}

static void switch_probe(struct kunit *test, void *fn,
			 int (*then)(struct ktest_probe *p, struct pt_regs *regs))
{
	struct ktest_probe *p = ktest_probe_alloc(test, fn);

	p->then = then;
	ktest_register(test, p);
}

/* A point at ktest_traced() that cannot be armed as it is to be. */
static void switch_refuse_traced(struct kunit *test)
{
	struct ktest_probe *post = ktest_probe_alloc(test, ktest_traced);

	post->kp.post_handler = ktest_post;
	ktest_register(test, post);
	switch_own_while_off(test, ktest_traced);
	KUNIT_EXPECT_EQ(test, -EBUSY, kprobe_set_all_disarmed(false));
}

static void switch_returns_refused(struct kunit *test)
{
	struct kretprobe slow = {
		.kp.addr = ktest_entry(switch_slow),
		.handler = switch_late_return,
	};
	struct kretprobe traced = {
		.kp.addr = ktest_entry(ktest_traced),
		.handler = switch_late_return,
	};
	struct kretprobe *rps[] = { &slow, &traced };
	struct task_struct *thread;

	if (num_online_cpus() < 2)
		kunit_skip(test, "needs a second CPU");
	ktest_need_ftrace(test);
	memset(&late, 0, sizeof(late));
	switch_refuse_traced(test);
	ktest_register(test, ktest_probe_alloc(test, switch_slow));
	switch_probe(test, ftrace_set_filter_ips, switch_late_arming);
	switch_probe(test, kvfree, switch_late_freeing);

	migrate_disable();
	thread = kthread_create(switch_late_thread, NULL, "switch_late");
	if (!IS_ERR(thread)) {
		kthread_bind(thread, cpumask_any_but(cpu_online_mask,
						     smp_processor_id()));
		wake_up_process(thread);
		late.registrar = current;
		KUNIT_EXPECT_EQ(test, -EBUSY, register_kretprobes(rps, 2));
		WRITE_ONCE(late.given_up, true);
		late.registrar = NULL;
		kthread_stop(thread);
	}
	migrate_enable();
	KUNIT_EXPECT_TRUE(test, late.returning);
	KUNIT_EXPECT_FALSE(test, late.too_late);
}

#endif /* CONFIG_KPROBES_ON_FTRACE */

static struct kunit_case switch_cases[] = {
	KUNIT_CASE(switch_gone),
	KUNIT_CASE(switch_gone_post),
	KUNIT_CASE(switch_pressure),
#ifdef CONFIG_KPROBES_ON_FTRACE
	KUNIT_CASE(switch_off_beside_refused),
	KUNIT_CASE(switch_refused_said),
	KUNIT_CASE_SLOW(switch_claimed_later),
	KUNIT_CASE_SLOW(switch_gone_no_memory),
	KUNIT_CASE(switch_without_point),
	KUNIT_CASE(switch_one_refused),
	KUNIT_CASE(switch_returns_refused),
#endif
	{}
};

static struct kunit_suite switch_suite = {
	.name = "kprobes_switch",
	.test_cases = switch_cases,
};

kunit_test_suite(switch_suite);
