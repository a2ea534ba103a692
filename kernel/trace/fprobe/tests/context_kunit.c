// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes on all CPUs at a time, in an NMI, and what a handler sees of the
 * registers in each way.
 */
#include <linux/completion.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/ftrace.h>
#include <linux/kthread.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "testing.h"

/*
 * Of each CPU. Where a lost update is possible, a few of them would lose one. With what
 * checks locks or accesses to memory, a call takes many times as long.
 */
#if defined(CONFIG_PROVE_LOCKING) || defined(CONFIG_KASAN) || defined(CONFIG_KCSAN) || \
	defined(CONFIG_KCOV)
#define CONTEXT_CALLS	25000
#else
#define CONTEXT_CALLS	250000
#endif

/* So many calls, then others may run. */
#define CONTEXT_PACE	1000

/* All callers may begin; and the last of those that have not ended has. */
static DECLARE_COMPLETION(context_go);
static DECLARE_COMPLETION(context_done);
static atomic_t context_callers;

/* Calls what it is called for: the guard lets that pass, and misses the third call. */
static int context_nested(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	atomic_inc(&container_of(fp, struct fptest_probe, fp)->entries);
	fptest_triple(1);
	return 0;
}

static int context_caller(void *unused)
{
	int i;

	wait_for_completion(&context_go);
	for (i = 0; i < CONTEXT_CALLS; i++) {
		fptest_triple(i);
		if (i % CONTEXT_PACE == 0)
			cond_resched();
	}
	if (atomic_dec_and_test(&context_callers))
		complete(&context_done);
	return 0;
}

static struct task_struct *context_start(struct kunit *test, unsigned int cpu)
{
	struct task_struct *thread;

	thread = kthread_create(context_caller, NULL, "fptest/%u", cpu);
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	kthread_bind(thread, cpu);
	get_task_struct(thread);
	wake_up_process(thread);
	return thread;
}

/* Misses of all CPUs at a time: each is counted, by each of two fprobes. */
static void context_misses(struct kunit *test)
{
	struct task_struct **threads;
	struct fptest_probe *a = fptest_alloc(test, 0);
	struct fptest_probe *b = fptest_alloc(test, 0);
	unsigned int cpu, nr = 0;

	threads = kunit_kcalloc(test, nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, threads);
	a->fp.entry_handler = context_nested;
	a->fp.exit_handler = NULL;
	b->fp.exit_handler = NULL;
	fptest_register(test, a, "fptest_triple");
	fptest_register(test, b, "fptest_triple");
	reinit_completion(&context_go);
	atomic_set(&context_callers, num_online_cpus());
	for_each_online_cpu(cpu)
		threads[nr++] = context_start(test, cpu);
	complete_all(&context_go);
	wait_for_completion(&context_done);
	for (cpu = 0; cpu < nr; cpu++) {
		kthread_stop(threads[cpu]);
		put_task_struct(threads[cpu]);
	}
	KUNIT_EXPECT_EQ(test, 2 * nr * CONTEXT_CALLS, atomic_read(&a->entries));
	KUNIT_EXPECT_EQ(test, 2 * nr * CONTEXT_CALLS, atomic_read(&b->entries));
	KUNIT_EXPECT_EQ(test, 1UL * nr * CONTEXT_CALLS, a->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 1UL * nr * CONTEXT_CALLS, b->fp.nmissed);
	KUNIT_EXPECT_EQ(test, b->fp.nmissed, fptest_missed(b, FPROBE_MISS_RECURSION));
}

/* On powerpc, ftrace is off on a CPU that goes. */
#if defined(CONFIG_HOTPLUG_CPU) && !defined(CONFIG_PPC)
static bool context_in, context_out, context_removed;

/*
 * The idle task of a CPU that goes, which RCU has left out by then, asks another CPU to say
 * that it is gone.
 */
static void context_last_call(struct fptest_probe *p, struct pt_regs *regs)
{
	if (cpu_online(raw_smp_processor_id()) || !is_idle_task(current))
		return;
	WRITE_ONCE(context_in, true);
	mdelay(200);
	WRITE_ONCE(context_out, true);
}

static int context_remove(void *cpu)
{
	int ret = remove_cpu((unsigned long)cpu);

	WRITE_ONCE(context_removed, true);
	return ret;
}

/* When an fprobe is unregistered, its handler does not run on such a CPU either. */
static void context_cpu_goes(struct kunit *test)
{
	/* That stays, so no text is changed, which takes the lock of a CPU that goes. */
	struct fptest_probe *other = fptest_alloc(test, 0);
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned long cpu = cpumask_last(cpu_online_mask);
	struct task_struct *thread;

	if (!cpu || !cpu_is_hotpluggable(cpu))
		kunit_skip(test, "needs a CPU that can go");
	p->then = context_last_call;
	p->fp.exit_handler = NULL;
	context_in = false;
	context_out = false;
	context_removed = false;
	fptest_register(test, other, "smp_call_function_single");
	fptest_register(test, p, "smp_call_function_single");
	thread = kthread_create(context_remove, (void *)cpu, "fptest");
	KUNIT_ASSERT_FALSE(test, IS_ERR(thread));
	get_task_struct(thread);
	wake_up_process(thread);
	while (!READ_ONCE(context_in) && !READ_ONCE(context_removed))
		usleep_range(1000, 2000);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&p->fp));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(context_in));
	KUNIT_EXPECT_TRUE(test, READ_ONCE(context_out));
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(thread));
	put_task_struct(thread);
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
}
#endif

#ifdef CONFIG_X86_LOCAL_APIC
#define CONTEXT_NMIS	20

/* The NMI that a handler has sent to its own CPU is under way. */
static bool context_expected;

static int context_on_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (!READ_ONCE(context_expected))
		return NMI_DONE;
	fptest_triple(1);
	WRITE_ONCE(context_expected, false);
	return NMI_HANDLED;
}

static void context_send(struct fptest_probe *p, struct pt_regs *regs)
{
	int i;

	WRITE_ONCE(context_expected, true);
	__apic_send_IPI_mask(cpumask_of(smp_processor_id()), NMI_VECTOR);
	for (i = 0; i < 20000 && READ_ONCE(context_expected); i++)
		udelay(5);
}

static void context_nmi_end(void *unused)
{
	unregister_nmi_handler(NMI_LOCAL, "fptest");
}

/* A call in an NMI that comes while handlers run is followed, to its exit, too. */
static void context_nmi(struct kunit *test)
{
	struct fptest_probe *outer = fptest_alloc(test, 0);
	struct fptest_probe *inner = fptest_alloc(test, 0);
	int i;

	KUNIT_ASSERT_EQ(test, 0, register_nmi_handler(NMI_LOCAL, context_on_nmi, 0,
						      "fptest"));
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, context_nmi_end, NULL));
	outer->then = context_send;
	outer->at_exit = context_send;
	fptest_register(test, outer, "fptest_double");
	fptest_register(test, inner, "fptest_triple");
	for (i = 0; i < CONTEXT_NMIS; i++)
		KUNIT_EXPECT_EQ(test, 2 * i, fptest_double(i));
	KUNIT_EXPECT_EQ(test, CONTEXT_NMIS, atomic_read(&outer->exits));
	KUNIT_EXPECT_EQ(test, 2 * CONTEXT_NMIS, atomic_read(&inner->entries));
	KUNIT_EXPECT_EQ(test, 2 * CONTEXT_NMIS, atomic_read(&inner->exits));
	KUNIT_EXPECT_EQ(test, 0UL, outer->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 0UL, inner->fp.nmissed);
}
#endif

#ifdef CONFIG_X86_64
static struct pt_regs context_regs;
static unsigned long context_on_stack;

static void context_keep_regs(struct fptest_probe *p, struct pt_regs *regs)
{
	context_regs = *regs;
	context_on_stack = *(unsigned long *)regs->sp;
}

/* fptest_double(21), with values in the registers that it has to leave as they are. */
static int context_call(void)
{
	int x = 21, result;

	asm volatile("mov $0xb0, %%ebx\n\t"
		     "mov $0xc0, %%r12d\n\t"
		     "mov $0xd0, %%r13d\n\t"
		     "mov $0xe0, %%r14d\n\t"
		     "mov $0xf0, %%r15d\n\t"
		     "call fptest_double"
		     : "=a" (result), "+D" (x), ASM_CALL_CONSTRAINT
		     :
		     : "rbx", "rcx", "rdx", "rsi", "r8", "r9", "r10", "r11", "r12",
		       "r13", "r14", "r15", "cc", "memory");
	return result;
}

static void context_expect_regs(struct kunit *test, struct fptest_probe *p)
{
	KUNIT_EXPECT_EQ(test, 42, context_call());
	KUNIT_EXPECT_EQ(test, 21UL, context_regs.di);
	KUNIT_EXPECT_EQ(test, p->ret_ip, context_on_stack);
	KUNIT_EXPECT_EQ(test, p->entry_ip + MCOUNT_INSN_SIZE, context_regs.ip);
	KUNIT_EXPECT_EQ(test, 42UL, p->value);
	unregister_fprobe(&p->fp);
}

/* Arguments, stack and place in both ways; all other registers in the full one. */
static void context_registers(struct kunit *test)
{
	struct fptest_probe *full = fptest_alloc(test, 0);
	struct fptest_probe *args = fptest_alloc(test, 0);

	args->then = context_keep_regs;
	args->fp.flags = FPROBE_FL_ARGS;
	fptest_register(test, args, "fptest_double");
	context_expect_regs(test, args);
	full->then = context_keep_regs;
	fptest_register(test, full, "fptest_double");
	context_expect_regs(test, full);
	KUNIT_EXPECT_EQ(test, 0xb0UL, context_regs.bx);
	KUNIT_EXPECT_EQ(test, 0xc0UL, context_regs.r12);
	KUNIT_EXPECT_EQ(test, 0xd0UL, context_regs.r13);
	KUNIT_EXPECT_EQ(test, 0xe0UL, context_regs.r14);
	KUNIT_EXPECT_EQ(test, 0xf0UL, context_regs.r15);
}
#endif

static struct kunit_case context_cases[] = {
	KUNIT_CASE(context_misses),
#if defined(CONFIG_HOTPLUG_CPU) && !defined(CONFIG_PPC)
	KUNIT_CASE(context_cpu_goes),
#endif
#ifdef CONFIG_X86_LOCAL_APIC
	KUNIT_CASE(context_nmi),
#endif
#ifdef CONFIG_X86_64
	KUNIT_CASE(context_registers),
#endif
	{}
};

static struct kunit_suite context_suite = {
	.name = "fprobe_context",
	.init = fptest_init,
	.test_cases = context_cases,
};

kunit_test_suite(context_suite);
