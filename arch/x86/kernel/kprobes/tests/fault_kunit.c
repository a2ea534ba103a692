// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of faults: in a handler, and in the probed instruction when it
 * is executed elsewhere.
 */
#include <linux/irqflags.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/sched/task.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/vmalloc.h>
#include <asm/trapnr.h>

#include "targets_plain.h"

#define FAULT_FIXED	42L

/* Addresses that fault, and what is seen of it. */
static struct {
	long *page;
	const long *bad;
	long value;
	long nofault;
	unsigned long ip;
	int trapnr;
	bool irqs_off;
} fault;

static long fault_good = 4711;

static void fault_free(void *page)
{
	vfree(page);
}

static int fault_init(struct kunit *test)
{
	memset(&fault, 0, sizeof(fault));
	fault.page = vmalloc(PAGE_SIZE);
	KUNIT_ASSERT_NOT_NULL(test, fault.page);
	ktest_set_at_end(test, fault_free, fault.page);
	return 0;
}

/**
 * struct fault_kind - a way to fault
 * @name: what to call it
 * @trapnr: the trap
 * @addr: an address that takes it, or NULL for the page behind the test's
 */
struct fault_kind {
	const char *name;
	int trapnr;
	const long *addr;
};

static const struct fault_kind fault_kinds[] = {
	{ "kernel address", X86_TRAP_PF, NULL },
#ifdef CONFIG_X86_64
	{ "wild address", X86_TRAP_GP, (long *)BIT(62) },
#endif
	{ "null pointer", X86_TRAP_PF, (long *)8 },
};

/* The kernel has no mercy with the last one, also if there is a fixup. */
static const struct fault_kind *fault_fixups[] = {
	&fault_kinds[0],
#ifdef CONFIG_X86_64
	&fault_kinds[1],
#endif
};

static void fault_fixup_name(const struct fault_kind **kind, char *desc)
{
	strscpy(desc, (*kind)->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM_DESC(fault_kinds, fault_kinds, name);
KUNIT_ARRAY_PARAM(fault_fixups, fault_fixups, fault_fixup_name);

/* Set the address that faults in the way the test is run for. */
static void fault_choose(const struct fault_kind *kind)
{
	/* Behind an area of vmalloc there is a page of nothing. */
	fault.bad = kind->addr ?: (void *)fault.page + PAGE_SIZE;
}

static void fault_choose_fixup(struct kunit *test)
{
	fault_choose(*(const struct fault_kind **)test->param_value);
}

static int fault_touch(struct ktest_probe *p, struct pt_regs *regs)
{
	fault.value = ktest_touch(fault.bad);
	return 0;
}

/* Skip the instruction and give it a result. */
static int fault_fix(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	atomic_inc(&ktest_probe_of(kp)->fault);
	fault.trapnr = trapnr;
	fault.ip = regs->ip;
	regs->ip += KTEST_TOUCH_LEN;
	regs->ax = FAULT_FIXED;
	return 1;
}

/* Everything as it was before, on this CPU too. */
static void fault_expect_clean(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, kprobe_running());
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, 0, preempt_count());
}

/* A handler faults, and its fault handler gets it over that. */
static __nocfi void fault_in_handler(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_fixed, ktest_plain };
	const struct fault_kind *kind = test->param_value;
	int i, x;

	fault_choose(kind);
	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		struct ktest_probe *p = ktest_probe_alloc(test, fns[i]);

		p->then = fault_touch;
		p->kp.fault_handler = fault_fix;
		ktest_register(test, p);
		for (x = 0; x < KTEST_CALLS; x++) {
			fault.value = 0;
			KUNIT_EXPECT_EQ(test, x + 1, fns[i](x));
			KUNIT_EXPECT_EQ(test, FAULT_FIXED, fault.value);
		}
		KUNIT_EXPECT_EQ(test, kind->trapnr, fault.trapnr);
		KUNIT_EXPECT_EQ(test,
				(unsigned long)ktest_touch + ktest_touch_insn,
				fault.ip);
		KUNIT_EXPECT_EQ(test, KTEST_CALLS, atomic_read(&p->fault));
		KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
		fault_expect_clean(test);
	}
}

static int fault_peek(struct ktest_probe *p, struct pt_regs *regs)
{
	fault.nofault = copy_from_kernel_nofault(&fault.value, fault.bad,
						 sizeof(fault.value));
	return 0;
}

/* Handlers may use what copes with faults by itself, as most of them do. */
static __nocfi void fault_nofault_in_handler(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_fixed, ktest_plain };
	int i, x, faults;

	fault_choose(test->param_value);
	for (i = 0; i < 2 * ARRAY_SIZE(fns); i++) {
		struct ktest_probe *p = ktest_probe_alloc(test, fns[i / 2]);

		p->then = fault_peek;
		/* Asked first, it may leave it to the kernel. */
		p->kp.fault_handler = i % 2 ? ktest_fault : NULL;
		ktest_register(test, p);
		wait_for_kprobe_optimizer();
		for (x = 0; x < KTEST_CALLS; x++) {
			fault.nofault = 0;
			KUNIT_EXPECT_EQ(test, x + 1, fns[i / 2](x));
			KUNIT_EXPECT_LT(test, fault.nofault, 0);
		}
		KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
		/* Addresses of user space are refused without trying. */
		faults = atomic_read(&p->fault);
		KUNIT_EXPECT_TRUE(test, faults == 0 ||
				  (i % 2 && faults == KTEST_CALLS));
		fault_expect_clean(test);
		unregister_kprobe(&p->kp);
	}
}

/* The probed instruction faults: the result is the same as without a probe. */
static void fault_in_copy(struct kunit *test)
{
	int mode, i, calls = 0, good = 0;
	struct ktest_probe *p;

	fault_choose_fixup(test);
	KUNIT_ASSERT_EQ(test, -EFAULT, ktest_load(fault.bad));
	/* The copy that goes on by itself, and the one that is stepped. */
	for (mode = 0; mode < 4; mode++) {
		p = ktest_probe_alloc(test, ktest_load);
		p->kp.post_handler = mode & 1 ? ktest_post : NULL;
		p->kp.fault_handler = mode & 2 ? ktest_fault : NULL;
		ktest_register(test, p);
		for (i = 0, calls = 0, good = 0; i < KTEST_CALLS; i++) {
			KUNIT_EXPECT_EQ(test, -EFAULT, ktest_load(fault.bad));
			calls++;
			if (i % 3)
				continue;
			KUNIT_EXPECT_EQ(test, fault_good,
					ktest_load(&fault_good));
			calls++;
			good++;
		}
		KTEST_EXPECT_COUNTS(test, p, calls, mode & 1 ? good : 0, 0);
		KUNIT_EXPECT_EQ(test, mode & 2 ? KTEST_CALLS : 0,
				atomic_read(&p->fault));
		fault_expect_clean(test);
		unregister_kprobe(&p->kp);
	}
}

/* With interrupts off they stay off, whichever way out is taken. */
static void fault_in_copy_irqs_off(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_load);
	bool off[2];
	long ret;

	fault_choose_fixup(test);
	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	local_irq_disable();
	ret = ktest_load(fault.bad);
	off[0] = irqs_disabled();
	ktest_load(&fault_good);
	off[1] = irqs_disabled();
	local_irq_enable();
	KUNIT_EXPECT_EQ(test, -EFAULT, ret);
	KUNIT_EXPECT_TRUE(test, off[0]);
	KUNIT_EXPECT_TRUE(test, off[1]);
	KTEST_EXPECT_COUNTS(test, p, 2, 1, 0);
	fault_expect_clean(test);
}

/* The fault handler may deal with it; it sees the original instruction. */
static void fault_in_copy_fixed(struct kunit *test)
{
	const struct fault_kind *kind = test->param_value;
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_touch);
	struct ktest_probe *second = ktest_probe_alloc(test, ktest_touch);
	int i;

	fault_choose(kind);
	p->kp.fault_handler = fault_fix;
	second->kp.fault_handler = ktest_fault;
	second->kp.post_handler = ktest_post;
	ktest_register(test, second);
	ktest_register(test, p);
	for (i = 0; i < KTEST_CALLS; i++)
		KUNIT_EXPECT_EQ(test, FAULT_FIXED, ktest_touch(fault.bad));
	KUNIT_EXPECT_EQ(test, kind->trapnr, fault.trapnr);
	KUNIT_EXPECT_EQ(test, (unsigned long)p->kp.addr, fault.ip);
	KUNIT_EXPECT_EQ(test, KTEST_CALLS, atomic_read(&p->fault));
	/* After the handler that dealt with it, no other one is called. */
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&second->fault));
	KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, second, KTEST_CALLS, 0, 0);
	KUNIT_EXPECT_EQ(test, fault_good, ktest_touch(&fault_good));
	KTEST_EXPECT_COUNTS(test, second, KTEST_CALLS + 1, 1, 0);
	fault_expect_clean(test);
}

/* The fault handler of a disabled probe is not called. */
static void fault_handler_disabled(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_load);
	struct ktest_probe *off = ktest_probe_alloc(test, ktest_load);

	fault_choose_fixup(test);
	off->kp.fault_handler = fault_fix;
	p->kp.fault_handler = ktest_fault;
	ktest_register(test, off);
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, 0, disable_kprobe(&off->kp));
	KUNIT_EXPECT_EQ(test, -EFAULT, ktest_load(fault.bad));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&off->fault));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->fault));
}

static int fault_load(struct ktest_probe *p, struct pt_regs *regs)
{
	fault.value = ktest_load(fault.bad);
	return 0;
}

/* A hit that is missed may fault as well. */
static void fault_in_missed_copy(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_load);
	struct ktest_probe *outer = ktest_probe_alloc(test, ktest_traced);
	int i;

	fault_choose_fixup(test);
	p->kp.post_handler = ktest_post;
	outer->then = fault_load;
	ktest_register(test, p);
	ktest_register(test, outer);
	for (i = 0; i < KTEST_CALLS; i++) {
		fault.value = 0;
		KUNIT_EXPECT_EQ(test, i + 1, ktest_traced(i));
		KUNIT_EXPECT_EQ(test, -EFAULT, fault.value);
	}
	KTEST_EXPECT_COUNTS(test, outer, KTEST_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, p, 0, 0, KTEST_CALLS);
	fault_expect_clean(test);
}

static struct task_struct *fault_victim;

/* What comes after an oops. */
static int fault_die(struct ktest_probe *p, struct pt_regs *regs)
{
	if (current == fault_victim)
		make_task_dead(0);
	return 0;
}

static __nocfi int fault_victim_fn(void *fn)
{
	((int (*)(int))fn)(1);
	return 0;
}

/* Let a task of this CPU die in the handler of the probe at @fn. */
static void fault_kill(struct kunit *test, int (*fn)(int))
{
	struct task_struct *t = kthread_create(fault_victim_fn, fn,
					       "ktest_victim");

	KUNIT_ASSERT_FALSE(test, IS_ERR(t));
	kthread_bind(t, raw_smp_processor_id());
	get_task_struct(t);
	fault_victim = t;
	wake_up_process(t);
	while (!READ_ONCE(t->exit_state))
		schedule_timeout_idle(1);
	fault_victim = NULL;
	put_task_struct(t);
}

/* A task dies in a handler: nothing is left of that, and hits go on. */
static __nocfi void fault_task_dies(struct kunit *test)
{
	static int (* const fns[])(int) = { ktest_traced, ktest_plain };
	/* A death in a trap is a panic. */
	const bool may[] = { IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) ||
			     IS_ENABLED(CONFIG_OPTPROBES),
			     IS_ENABLED(CONFIG_OPTPROBES) };
	struct kprobe *running;
	unsigned int depth;
	int i, x;

	if (!may[0])
		kunit_skip(test, "handlers run in traps only");
	migrate_disable();
	for (i = 0; i < ARRAY_SIZE(fns) && may[i]; i++) {
		struct ktest_probe *p = ktest_probe_alloc(test, fns[i]);

		p->then = fault_die;
		ktest_register(test, p);
		wait_for_kprobe_optimizer();
		fault_kill(test, fns[i]);
		scoped_guard(preempt) {
			running = kprobe_running();
			depth = get_kprobe_ctlblk()->depth;
		}
		KUNIT_EXPECT_NULL(test, running);
		KUNIT_EXPECT_EQ(test, 0, depth);
		for (x = 0; x < KTEST_CALLS; x++)
			KUNIT_EXPECT_EQ(test, x + 1, fns[i](x));
		KTEST_EXPECT_COUNTS(test, p, KTEST_CALLS + 1, 0, 0);
		unregister_kprobe(&p->kp);
	}
	migrate_enable();
}

#define FAULT_CASE(fn)		KUNIT_CASE_PARAM(fn, fault_kinds_gen_params)
#define FAULT_FIXUP_CASE(fn)	KUNIT_CASE_PARAM(fn, fault_fixups_gen_params)

static struct kunit_case fault_cases[] = {
	FAULT_CASE(fault_in_handler),
	FAULT_CASE(fault_nofault_in_handler),
	FAULT_CASE(fault_in_copy_fixed),
	FAULT_FIXUP_CASE(fault_in_copy),
	FAULT_FIXUP_CASE(fault_in_copy_irqs_off),
	FAULT_FIXUP_CASE(fault_handler_disabled),
	FAULT_FIXUP_CASE(fault_in_missed_copy),
	KUNIT_CASE(fault_task_dies),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_fault",
	.init = fault_init,
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
