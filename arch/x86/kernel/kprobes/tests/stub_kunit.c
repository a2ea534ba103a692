// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of stubs: copies of an instruction that call the post handlers
 * where the breakpoint has to stay. detour_kunit.c looks at what handlers and
 * stack traces see of them.
 */
#include <linux/completion.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "../detour.h"
#include "../insn.h"
#include "targets_detour.h"
#include "targets_plain.h"

/**
 * struct stub_probe - a probe with a post handler
 * @p: the probe
 * @trapped: how often the post handler ran in a trap
 * @after: what it does besides
 */
struct stub_probe {
	struct ktest_probe p;
	atomic_t trapped;
	void (*after)(struct pt_regs *regs);
};

static void stub_post(struct kprobe *kp, struct pt_regs *regs,
		      unsigned long flags)
{
	struct stub_probe *s = container_of(ktest_probe_of(kp),
					    struct stub_probe, p);

	if (in_nmi())
		atomic_inc(&s->trapped);
	ktest_post(kp, regs, flags);
	if (s->after)
		s->after(regs);
}

static struct stub_probe *stub_alloc(struct kunit *test, void *addr)
{
	struct stub_probe *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	s->p.kp.addr = addr;
	s->p.kp.pre_handler = ktest_pre;
	s->p.kp.post_handler = stub_post;
	return s;
}

static kprobe_opcode_t *stub_of(struct ktest_probe *p)
{
	return ktest_point(p)->op.optinsn.stub;
}

/* Each call is one for both handlers; @trapped of the latter are in a trap. */
static __nocfi void stub_calls(struct kunit *test, struct stub_probe *s,
			       int (*fn)(int), int trapped)
{
	int pre = atomic_read(&s->p.pre), post = atomic_read(&s->p.post), x;

	atomic_set(&s->trapped, 0);
	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + 1, fn(x));
	KTEST_EXPECT_COUNTS(test, &s->p, pre + KTEST_CALLS, post + KTEST_CALLS,
			    0);
	KUNIT_EXPECT_EQ(test, trapped, atomic_read(&s->trapped));
}

static void stub_expect_state(struct kunit *test, struct stub_probe *s,
			      enum kprobe_state state)
{
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, state, ktest_state(&s->p));
}

/* It is there first, gives way to a jump, and serves again. */
static void stub_phases(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test,
					  (void *)ktest_plain + ktest_plain_mid);
	kprobe_opcode_t *stub;
	int i;

	ktest_optimization(test, false);
	ktest_register(test, &s->p);
	stub = stub_of(&s->p);
	KUNIT_EXPECT_NOT_NULL(test, stub);
	stub_calls(test, s, ktest_plain, 0);
	for (i = 0; i < 3; i++) {
		ktest_optimization(test, true);
		/* With a breakpoint still, or with a jump already. */
		stub_calls(test, s, ktest_plain, 0);
		stub_expect_state(test, s, KPROBE_OPTIMIZED);
		stub_calls(test, s, ktest_plain, 0);
		ktest_optimization(test, false);
		stub_expect_state(test, s, KPROBE_ARMED);
		stub_calls(test, s, ktest_plain, 0);
		KUNIT_EXPECT_PTR_EQ(test, stub, stub_of(&s->p));
	}
}

/* The jump is there first. */
static void stub_after_jump(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test,
					  (void *)ktest_plain + ktest_plain_mid);

	ktest_register(test, &s->p);
	stub_expect_state(test, s, KPROBE_OPTIMIZED);
	stub_calls(test, s, ktest_plain, 0);
	ktest_optimization(test, false);
	stub_expect_state(test, s, KPROBE_ARMED);
	KUNIT_EXPECT_NOT_NULL(test, stub_of(&s->p));
	stub_calls(test, s, ktest_plain, 0);
}

/* It is not made for text that goes. */
static void stub_not_in_vain(struct kunit *test)
{
	unsigned long addr = (unsigned long)ktest_plain + ktest_plain_mid;
	struct stub_probe *s = stub_alloc(test, (void *)addr);
	struct kprobe_point *pt;

	ktest_register(test, &s->p);
	stub_expect_state(test, s, KPROBE_OPTIMIZED);
	pt = ktest_point(&s->p);
	kprobe_kill_range(addr, addr + 1);
	KUNIT_EXPECT_EQ(test, KPROBE_GONE, pt->state);
	KUNIT_EXPECT_NULL(test, pt->op.optinsn.stub);
}

/* A post handler comes to a point that is in use, goes, and comes again. */
static void stub_comes(struct kunit *test)
{
	struct ktest_probe *first = ktest_probe_alloc(test, ktest_fixed);
	struct stub_probe *s = stub_alloc(test, ktest_fixed);
	int i;

	ktest_register(test, first);
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KUNIT_EXPECT_NULL(test, stub_of(first));
	for (i = 0; i < 3; i++) {
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&s->p.kp));
		KUNIT_EXPECT_NOT_NULL(test, stub_of(first));
		stub_calls(test, s, ktest_fixed, 0);
		KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&s->p.kp));
		KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
		KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&s->p.kp));
		stub_calls(test, s, ktest_fixed, 0);
		unregister_kprobe(&s->p.kp);
		KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	}
	KTEST_EXPECT_COUNTS(test, first, 1 + 3 * (2 * KTEST_CALLS + 2), 0, 0);
	KTEST_EXPECT_COUNTS(test, &s->p, 6 * KTEST_CALLS, 6 * KTEST_CALLS, 0);
}

/* A fault handler wants the second trap, and gets it for as long as it stays. */
static void stub_fault_handler(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test, ktest_fixed);
	struct ktest_probe *needy = ktest_probe_alloc(test, ktest_fixed);
	int i;

	needy->kp.fault_handler = ktest_fault;
	ktest_register(test, &s->p);
	for (i = 0; i < 3; i++) {
		stub_calls(test, s, ktest_fixed, 0);
		KUNIT_ASSERT_EQ(test, 0, register_kprobe(&needy->kp));
		stub_calls(test, s, ktest_fixed, KTEST_CALLS);
		unregister_kprobe(&needy->kp);
	}
	KTEST_EXPECT_COUNTS(test, needy, 3 * KTEST_CALLS, 0, 0);
}

static void stub_go_elsewhere(struct pt_regs *regs)
{
	regs->ip = (unsigned long)ktest_other;
}

static void stub_skip_one(struct pt_regs *regs)
{
	regs->ip = (unsigned long)ktest_plain + ktest_plain_end;
}

static void stub_add(struct pt_regs *regs)
{
	regs->ax += 100;
}

static __nocfi void stub_expect_result(struct kunit *test,
				       struct stub_probe *s,
				       int (*fn)(int), int more)
{
	int pre = atomic_read(&s->p.pre), x;

	for (x = 0; x < KTEST_CALLS; x++)
		KUNIT_EXPECT_EQ(test, x + more, fn(x));
	KTEST_EXPECT_COUNTS(test, &s->p, pre + KTEST_CALLS, pre + KTEST_CALLS,
			    0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&s->trapped));
	KUNIT_EXPECT_NULL(test, kprobe_running());
	KUNIT_EXPECT_EQ(test, 0, preempt_count());
}

/* A post handler says where to go on, and with what. */
static void stub_path(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test, ktest_fixed);

	s->after = stub_go_elsewhere;
	ktest_register(test, &s->p);
	KUNIT_EXPECT_NOT_NULL(test, stub_of(&s->p));
	stub_expect_result(test, s, ktest_fixed, 1000);
}

/* As with a jump. */
static void stub_path_phases(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test,
					  (void *)ktest_plain + ktest_plain_mid);
	int i;

	ktest_register(test, &s->p);
	for (i = 0; i < 4; i++) {
		ktest_optimization(test, i & 1);
		stub_expect_state(test, s, i & 1 ? KPROBE_OPTIMIZED : KPROBE_ARMED);
		s->after = stub_skip_one;
		stub_expect_result(test, s, ktest_plain, 3);
		s->after = stub_add;
		stub_expect_result(test, s, ktest_plain, 101);
		s->after = NULL;
		stub_expect_result(test, s, ktest_plain, 1);
	}
}

/* The stub of a point whose instruction is emulated: it needs none. */
static void stub_emulated(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test, ktest_flags_fixed);

	ktest_register(test, &s->p);
	KUNIT_EXPECT_NULL(test, stub_of(&s->p));
	KUNIT_EXPECT_TRUE(test, ktest_flags_fixed() & X86_EFLAGS_IF);
	KTEST_EXPECT_COUNTS(test, &s->p, 1, 1, 0);
}

/* What a stub calls, while a handler runs: only a post handler is missed. */
static void stub_refused(struct kunit *test)
{
	struct ktest_probe *pre = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *off = ktest_probe_alloc(test, ktest_fixed);
	struct stub_probe *s = stub_alloc(test, ktest_fixed);
	struct pt_regs regs = { };
	struct optimized_kprobe *op;
	int leave;

	off->kp.post_handler = ktest_post;
	off->kp.flags = KPROBE_FLAG_DISABLED;
	ktest_register(test, pre);
	ktest_register(test, off);
	ktest_register(test, &s->p);
	op = &ktest_point(pre)->op;
	regs.ip = (unsigned long)op->kp.addr + op->kp.ainsn.class->len;
	kprobe_busy_begin();
	leave = kprobe_detour_after(op, &regs);
	kprobe_busy_end();
	KUNIT_EXPECT_EQ(test, 0, leave);
	KTEST_EXPECT_COUNTS(test, pre, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, off, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, &s->p, 0, 0, 1);
	/* And when none runs. */
	leave = kprobe_detour_after(op, &regs);
	KUNIT_EXPECT_EQ(test, 0, leave);
	KTEST_EXPECT_COUNTS(test, pre, 0, 0, 0);
	KTEST_EXPECT_COUNTS(test, &s->p, 0, 1, 1);
}

/* How long what comes and goes is tried. */
#define STUB_LOAD	msecs_to_jiffies(1000)
/* And how many calls that are at least, on however slow a machine. */
#define STUB_CALLS	100

/* One that is switched off and on, one that comes and goes, and the sysctl. */
static unsigned int stub_churn(struct kunit *test, struct ktest_caller *c,
			       struct ktest_probe *off, struct ktest_probe *gone)
{
	unsigned long end = jiffies + STUB_LOAD;
	unsigned int n, errors = 0;

	for (n = 0;
	     time_before(jiffies, end) || READ_ONCE(c->calls) < STUB_CALLS;
	     n++) {
		errors += !!disable_kprobe(&off->kp);
		errors += !!register_kprobe(&gone->kp);
		if (n % 4 == 0)
			ktest_optimization(test, n & 4);
		usleep_range(100, 200);
		errors += !!enable_kprobe(&off->kp);
		unregister_kprobe(&gone->kp);
		if (n % 16 == 7)
			wait_for_kprobe_optimizer();
	}
	kunit_info(test, "%u rounds\n", n);
	return errors;
}

/* Whatever happens to others: a probe that stays is called before and after. */
static void stub_under_load(struct kunit *test)
{
	void *addr = (void *)ktest_plain + ktest_plain_mid;
	struct stub_probe *s = stub_alloc(test, addr);
	struct ktest_probe *off = ktest_probe_alloc(test, addr);
	struct ktest_probe *gone = ktest_probe_alloc(test, addr);
	struct ktest_caller *c;

	off->kp.post_handler = ktest_post;
	gone->kp.fault_handler = ktest_fault;
	ktest_register(test, &s->p);
	ktest_register(test, off);
	c = ktest_caller_start(test, ktest_plain);
	KUNIT_EXPECT_EQ(test, 0, stub_churn(test, c, off, gone));
	ktest_caller_stop(c);
	kunit_info(test, "%lu calls, %d trapped twice, others %d %d\n", c->calls,
		   atomic_read(&s->trapped), atomic_read(&off->pre),
		   atomic_read(&gone->pre));
	KUNIT_EXPECT_GE(test, c->calls, STUB_CALLS);
	KUNIT_EXPECT_EQ(test, 0, c->wrong);
	KTEST_EXPECT_COUNTS(test, &s->p, c->calls, c->calls, 0);
	/* On a slow machine the calls may keep step with one of them. */
	KUNIT_EXPECT_GT(test, atomic_read(&off->post) + atomic_read(&gone->pre), 0);
	KUNIT_EXPECT_EQ(test, 0, off->kp.nmissed + gone->kp.nmissed);
}

/* All post handlers come and go, and with them the need for the stub. */
static void stub_comes_under_load(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	struct stub_probe *s = stub_alloc(test, ktest_fixed);
	struct stub_probe *t = stub_alloc(test, ktest_fixed);
	struct ktest_caller *c;

	ktest_register(test, p);
	ktest_register(test, &s->p);
	c = ktest_caller_start(test, ktest_fixed);
	KUNIT_EXPECT_EQ(test, 0, stub_churn(test, c, &s->p, &t->p));
	ktest_caller_stop(c);
	kunit_info(test, "%lu calls, others %d %d\n", c->calls,
		   atomic_read(&s->p.pre), atomic_read(&t->p.pre));
	KUNIT_EXPECT_EQ(test, 0, c->wrong);
	KTEST_EXPECT_COUNTS(test, p, c->calls, 0, 0);
	KUNIT_EXPECT_GT(test, atomic_read(&s->p.post) + atomic_read(&t->p.post), 0);
}

/*
 * A task that is driven off its CPU while it is in a stub: its post handler
 * wakes a task of higher priority.
 */
static struct {
	struct completion go;
	bool held;
	bool release;
	bool done;
	int result;
} stub_sit;

static void stub_wake_hog(struct pt_regs *regs)
{
	if (!in_nmi())
		complete(&stub_sit.go);
}

static int stub_hog_fn(void *unused)
{
	wait_for_completion(&stub_sit.go);
	WRITE_ONCE(stub_sit.held, true);
	/* To unregister waits for RCU, which has to hear of this CPU. */
	while (!READ_ONCE(stub_sit.release))
		cond_resched();
	ktest_wait_for_stop();
	return 0;
}

static int stub_sitter_fn(void *unused)
{
	stub_sit.result = ktest_fixed(1);
	WRITE_ONCE(stub_sit.done, true);
	ktest_wait_for_stop();
	return 0;
}

/* Is @stub in use by another point that was made meanwhile? */
static bool stub_taken(struct kunit *test, kprobe_opcode_t *stub)
{
	void *addrs[] = { ktest_plain, ktest_plain2, ktest_break, ktest_break2 };
	struct stub_probe *s[ARRAY_SIZE(addrs)];
	bool taken = false;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(addrs); i++) {
		s[i] = stub_alloc(test, addrs[i]);
		ktest_register(test, &s[i]->p);
		taken |= stub_of(&s[i]->p) == stub;
		taken |= ktest_point(&s[i]->p)->op.optinsn.insn == stub;
	}
	for (i = 0; i < ARRAY_SIZE(addrs); i++)
		unregister_kprobe(&s[i]->p.kp);
	return taken;
}

static bool stub_wait(bool *flag)
{
	int i;

	for (i = 0; i < 5000 && !READ_ONCE(*flag); i++)
		usleep_range(1000, 2000);
	return READ_ONCE(*flag);
}

static void stub_sit_end(void *unused)
{
	WRITE_ONCE(stub_sit.release, true);
	complete(&stub_sit.go);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

/* A task calls the function of @s on CPU 1; @stub_sit.held: it was driven off there. */
static void stub_sit_start(struct kunit *test, struct stub_probe *s,
			   struct task_struct **hog, struct task_struct **sitter)
{
	memset(&stub_sit, 0, sizeof(stub_sit));
	init_completion(&stub_sit.go);
	s->after = stub_wake_hog;
	*hog = kthread_run_on_cpu(stub_hog_fn, NULL, 1, "ktest_hog/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(*hog));
	sched_set_fifo(*hog);
	*sitter = kthread_run_on_cpu(stub_sitter_fn, NULL, 1, "ktest_sitter/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(*sitter));
	KUNIT_EXPECT_TRUE(test, stub_wait(&stub_sit.held));
}

/*
 * The point is taken away under a task in its stub. Was the task there until all
 * was seen? Of each second the scheduler keeps a part for tasks of low priority: on
 * a machine so slow, it has left the stub.
 */
static bool stub_sits(struct kunit *test)
{
	static u8 before[DETOUR_SIZE], now[DETOUR_SIZE];
	struct stub_probe *s = stub_alloc(test, ktest_fixed);
	struct task_struct *hog, *sitter;
	kprobe_opcode_t *stub;
	bool taken, sat;

	ktest_register(test, &s->p);
	stub = stub_of(&s->p);
	KUNIT_ASSERT_NOT_NULL(test, stub);
	memcpy(before, stub, sizeof(before));
	stub_sit_start(test, s, &hog, &sitter);

	unregister_kprobe(&s->p.kp);
	taken = stub_taken(test, stub);
	if (copy_from_kernel_nofault(now, stub, sizeof(now)))
		memset(now, 0, sizeof(now));
	sat = !READ_ONCE(stub_sit.done);
	if (sat) {
		KUNIT_EXPECT_FALSE(test, taken);
		KUNIT_EXPECT_MEMEQ(test, before, now, sizeof(now));
	}
	WRITE_ONCE(stub_sit.release, true);
	KUNIT_EXPECT_TRUE(test, stub_wait(&stub_sit.done));
	kthread_stop(sitter);
	kthread_stop(hog);
	KUNIT_EXPECT_EQ(test, 2, stub_sit.result);
	KTEST_EXPECT_COUNTS(test, &s->p, 1, 1, 0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&s->trapped));
	return sat;
}

static void stub_sitter(struct kunit *test)
{
	int tries = 0;

	if (num_online_cpus() < 2)
		kunit_skip(test, "another CPU has to look on");
	set_cpus_allowed_ptr(current, cpumask_of(0));
	init_completion(&stub_sit.go);
	ktest_set_at_end(test, stub_sit_end, NULL);
	/* Without full preemption, a task in the kernel is not driven off. */
	while (!stub_sits(test) && preempt_model_full())
		KUNIT_ASSERT_LT(test, ++tries, 20);
}

#ifdef CONFIG_X86_32
/* A trap loads the segments of C code for the handlers. A stub does not. */
static void stub_segment(struct kunit *test)
{
	struct stub_probe *s = stub_alloc(test, (void *)ktest_segment +
						ktest_segment_at);

	ktest_register(test, &s->p);
	KUNIT_EXPECT_NULL(test, stub_of(&s->p));
	stub_calls(test, s, (void *)ktest_segment, KTEST_CALLS);
}
#endif

static struct kunit_case stub_cases[] = {
	KUNIT_CASE(stub_phases),
	KUNIT_CASE(stub_after_jump),
	KUNIT_CASE(stub_not_in_vain),
	KUNIT_CASE(stub_comes),
	KUNIT_CASE(stub_fault_handler),
	KUNIT_CASE(stub_path),
	KUNIT_CASE(stub_path_phases),
	KUNIT_CASE(stub_emulated),
	KUNIT_CASE(stub_refused),
	KUNIT_CASE_SLOW(stub_under_load),
	KUNIT_CASE_SLOW(stub_comes_under_load),
	KUNIT_CASE(stub_sitter),
#ifdef CONFIG_X86_32
	KUNIT_CASE(stub_segment),
#endif
	{}
};

static struct kunit_suite stub_suite = {
	.name = "kprobes_stub",
	.test_cases = stub_cases,
};

kunit_test_suite(stub_suite);
