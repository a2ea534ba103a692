// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of contexts: a probe that is hit in an interrupt, a softirq or
 * an NMI is handled, also if that arrived while a handler was running; a probe
 * that a handler of the same context hits is missed. A probe that a CPU hits on its
 * way up is handled, too.
 */
#include <linux/cpu.h>
#include <linux/cpufeature.h>
#include <linux/interrupt.h>
#include <linux/irq_work.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <asm/apic.h>
#include <asm/nmi.h>

#include "targets_plain.h"

#define CTX_CALLS	20

/* How long a handler waits for the interrupt. One that is lost costs a test. */
#define CTX_PATIENCE	20000000

/**
 * struct ctx_way - which handler is interrupted, and what is hit then
 * @name: what to call it
 * @outer: a function whose handler is interrupted
 * @inner: a function that the interrupt calls
 */
struct ctx_way {
	const char *name;
	int (*outer)(int x);
	int (*inner)(int x);
};

/* Handlers of these run with interrupts as they are in the probed function. */
static const struct ctx_way ctx_open_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace in ftrace", ktest_traced, ktest_traced2 },
	{ "breakpoint in ftrace", ktest_traced, ktest_fixed },
	{ "jump in ftrace", ktest_traced, ktest_plain2 },
#endif
#ifdef CONFIG_OPTPROBES
	{ "ftrace in jump", ktest_plain, ktest_traced2 },
	{ "breakpoint in jump", ktest_plain, ktest_fixed },
	{ "jump in jump", ktest_plain, ktest_plain2 },
#endif
};

/* And to these only an NMI can come. */
static const struct ctx_way ctx_closed_ways[] = {
	{ "ftrace in breakpoint", ktest_fixed, ktest_traced2 },
	{ "breakpoint in breakpoint", ktest_fixed, ktest_break },
	{ "jump in breakpoint", ktest_fixed, ktest_plain2 },
};

KUNIT_ARRAY_PARAM_DESC(ctx_open, ctx_open_ways, name);
KUNIT_ARRAY_PARAM_DESC(ctx_closed, ctx_closed_ways, name);

static void ctx_irq_fn(struct irq_work *work);
static void ctx_tasklet_fn(struct tasklet_struct *t);

/**
 * struct ctx - one test
 * @way: which handler is interrupted, and what is hit
 * @outer: the probe whose handler is interrupted
 * @inner: the probe that is hit then
 * @deepest: one that the handler of @inner hits
 * @work: the interrupt
 * @tasklet: the softirq
 * @softirq: the interrupt leaves it to the softirq
 * @irqs: how many interrupts, softirqs or NMIs of the test there were
 * @wrong_context: how many of them were not in the context they should be in
 * @running: what kprobe_running() said there
 * @lost: how often the handler has lost its patience
 */
static struct ctx {
	const struct ctx_way *way;
	struct ktest_probe *outer;
	struct ktest_probe *inner;
	struct ktest_probe *deepest;
	struct irq_work work;
	struct tasklet_struct tasklet;
	bool softirq;
	int irqs;
	int wrong_context;
	struct kprobe *running;
	int lost;
} ctx;

/* What all the interrupts of the tests do. */
static __nocfi void ctx_interrupt(bool in_context)
{
	ctx.running = ctx.running ?: kprobe_running();
	ctx.wrong_context += !in_context;
	ctx.wrong_context += ctx.way->inner(1) != 2;
	WRITE_ONCE(ctx.irqs, ctx.irqs + 1);
}

static void ctx_irq_fn(struct irq_work *work)
{
	if (ctx.softirq)
		tasklet_schedule(&ctx.tasklet);
	else
		ctx_interrupt(in_hardirq() && !in_nmi());
}

static void ctx_tasklet_fn(struct tasklet_struct *t)
{
	ctx_interrupt(in_serving_softirq() && !in_hardirq());
}

/* Wait in a handler until the interrupt has come. */
static void ctx_wait(int irqs)
{
	int i;

	for (i = 0; i < CTX_PATIENCE && !ctx.lost; i++) {
		if (READ_ONCE(ctx.irqs) != irqs)
			return;
		cpu_relax();
	}
	ctx.lost++;
}

static int ctx_raise_irq(struct ktest_probe *p, struct pt_regs *regs)
{
	int irqs = READ_ONCE(ctx.irqs);

	irq_work_queue(&ctx.work);
	ctx_wait(irqs);
	return 0;
}

static int ctx_call_deepest(struct ktest_probe *p, struct pt_regs *regs)
{
	ktest_break2(1);
	return 0;
}

static void ctx_end(void *unused)
{
	irq_work_sync(&ctx.work);
	tasklet_kill(&ctx.tasklet);
}

/* Place the three probes. The handler of the outer one calls @raise. */
static void ctx_begin(struct kunit *test,
		      int (*raise)(struct ktest_probe *p, struct pt_regs *regs))
{
	memset(&ctx, 0, sizeof(ctx));
	ctx.way = test->param_value;
	/* In a thread otherwise, with PREEMPT_RT. */
	ctx.work = IRQ_WORK_INIT_HARD(ctx_irq_fn);
	tasklet_setup(&ctx.tasklet, ctx_tasklet_fn);
	ktest_set_at_end(test, ctx_end, NULL);
	ctx.outer = ktest_probe_alloc(test, ctx.way->outer);
	ctx.inner = ktest_probe_alloc(test, ctx.way->inner);
	ctx.deepest = ktest_probe_alloc(test, ktest_break2);
	ctx.outer->then = raise;
	ctx.inner->then = ctx_call_deepest;
	ktest_register(test, ctx.outer);
	ktest_register(test, ctx.inner);
	ktest_register(test, ctx.deepest);
	wait_for_kprobe_optimizer();
}

/* Call the outer function; all probes but the deepest are hit each time. */
static __nocfi void ctx_run(struct kunit *test)
{
	int i;

	for (i = 0; i < CTX_CALLS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, ctx.way->outer(i));
	KUNIT_EXPECT_EQ(test, 0, ctx.lost);
	KUNIT_EXPECT_EQ(test, CTX_CALLS, ctx.irqs);
	KUNIT_EXPECT_EQ(test, 0, ctx.wrong_context);
	/* The interrupt is in no handler; its probe's handler is. */
	KUNIT_EXPECT_NULL(test, ctx.running);
	KUNIT_EXPECT_PTR_EQ(test, &ktest_point(ctx.outer)->probe,
			    ctx.outer->running);
	KUNIT_EXPECT_PTR_EQ(test, &ktest_point(ctx.inner)->probe,
			    ctx.inner->running);
	KTEST_EXPECT_COUNTS(test, ctx.outer, CTX_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, ctx.inner, CTX_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, ctx.deepest, 0, 0, CTX_CALLS);
	/* Nothing is left behind on this CPU or another. */
	ktest_break2(1);
	KTEST_EXPECT_COUNTS(test, ctx.deepest, 1, 0, CTX_CALLS);
	KUNIT_EXPECT_EQ(test, 0, preempt_count());
}

static void ctx_hardirq(struct kunit *test)
{
	ctx_begin(test, ctx_raise_irq);
	ctx_run(test);
}

/* With PREEMPT_RT all of them run in threads, which preempt no handler. */
static void ctx_needs_softirqs(struct kunit *test)
{
	if (IS_ENABLED(CONFIG_PREEMPT_RT))
		kunit_skip(test, "softirqs are threads");
}

static void ctx_softirq(struct kunit *test)
{
	ctx_needs_softirqs(test);
	ctx_begin(test, ctx_raise_irq);
	ctx.softirq = true;
	ctx_run(test);
}

/* A handler that enables softirqs runs those that have waited for it. */
static int ctx_do_softirq(struct ktest_probe *p, struct pt_regs *regs)
{
	local_bh_disable();
	tasklet_schedule(&ctx.tasklet);
	local_bh_enable();
	return 0;
}

static void ctx_softirq_in_handler(struct kunit *test)
{
	ctx_needs_softirqs(test);
	ctx_begin(test, ctx_do_softirq);
	ctx_run(test);
}

/* The probe is hit in the interrupt only: no handler has been running. */
static void ctx_plain_interrupt(struct kunit *test)
{
	int i;

	ctx_begin(test, NULL);
	unregister_kprobe(&ctx.outer->kp);
	for (i = 0; i < CTX_CALLS; i++) {
		ctx_raise_irq(NULL, NULL);
		ctx.softirq = !ctx.softirq && !IS_ENABLED(CONFIG_PREEMPT_RT);
	}
	KUNIT_EXPECT_EQ(test, CTX_CALLS, ctx.irqs);
	KUNIT_EXPECT_EQ(test, 0, ctx.wrong_context);
	KTEST_EXPECT_COUNTS(test, ctx.inner, CTX_CALLS, 0, 0);
	KTEST_EXPECT_COUNTS(test, ctx.deepest, 0, 0, CTX_CALLS);
}

/* An interrupt between kprobe_busy_begin() and kprobe_busy_end(). */
static __nocfi void ctx_busy(struct kunit *test)
{
	ctx_begin(test, NULL);
	kprobe_busy_begin();
	ctx_raise_irq(NULL, NULL);
	ctx.way->outer(1);
	kprobe_busy_end();
	KUNIT_EXPECT_EQ(test, 1, ctx.irqs);
	KUNIT_EXPECT_NULL(test, ctx.running);
	KTEST_EXPECT_COUNTS(test, ctx.inner, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, ctx.outer, 0, 0, 1);
}

/* ---- NMI --------------------------------------------------------------- */

static bool ctx_nmi_expected;

static int ctx_nmi_fn(unsigned int cmd, struct pt_regs *regs)
{
	if (!ctx_nmi_expected)
		return NMI_DONE;
	ctx_nmi_expected = false;
	ctx_interrupt(in_nmi());
	return NMI_HANDLED;
}

static int ctx_raise_nmi(struct ktest_probe *p, struct pt_regs *regs)
{
	int irqs = READ_ONCE(ctx.irqs);

	WRITE_ONCE(ctx_nmi_expected, true);
	__apic_send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
	ctx_wait(irqs);
	return 0;
}

static void ctx_nmi_end(void *unused)
{
	unregister_nmi_handler(NMI_LOCAL, "ktest_nmi");
}

static void ctx_nmi_begin(struct kunit *test)
{
	int ret;

	/* A 486 has none, and its kernel sends to nowhere. */
	if (!boot_cpu_has(X86_FEATURE_APIC))
		kunit_skip(test, "without an APIC no CPU sends NMIs");
	ctx_begin(test, ctx_raise_nmi);
	ret = register_nmi_handler(NMI_LOCAL, ctx_nmi_fn, 0, "ktest_nmi");
	KUNIT_ASSERT_EQ(test, 0, ret);
	ktest_set_at_end(test, ctx_nmi_end, NULL);
}

static void ctx_nmi(struct kunit *test)
{
	ctx_nmi_begin(test);
	ctx_run(test);
}

/* Likewise in a post handler. */
static void ctx_raise_nmi_post(struct kprobe *kp, struct pt_regs *regs,
			       unsigned long flags)
{
	atomic_inc(&ktest_probe_of(kp)->post);
	ctx_raise_nmi(NULL, NULL);
}

static __nocfi void ctx_nmi_post(struct kunit *test)
{
	int i;

	ctx_nmi_begin(test);
	unregister_kprobe(&ctx.outer->kp);
	ctx.outer->then = NULL;
	ctx.outer->kp.post_handler = ctx_raise_nmi_post;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&ctx.outer->kp));
	for (i = 0; i < CTX_CALLS; i++)
		KUNIT_EXPECT_EQ(test, i + 1, ctx.way->outer(i));
	KUNIT_EXPECT_EQ(test, CTX_CALLS, ctx.irqs);
	KUNIT_EXPECT_NULL(test, ctx.running);
	KTEST_EXPECT_COUNTS(test, ctx.outer, CTX_CALLS, CTX_CALLS, 0);
	KTEST_EXPECT_COUNTS(test, ctx.inner, CTX_CALLS, 0, 0);
}

/*
 * The probed instruction is the one that sends the NMI, so that it comes while
 * the copy is executed or right behind that.
 */
static void ctx_nmi_in_copy(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_write);
	int i, irqs;

	if (x2apic_enabled())
		kunit_skip(test, "NMIs are not sent by a write to memory");
	ctx_nmi_begin(test);
	p->kp.post_handler = ktest_post;
	ktest_register(test, p);
	for (i = 0; i < CTX_CALLS; i++) {
		guard(irqsave)();
		irqs = ctx.irqs;
		ctx_nmi_expected = true;
		apic_write(APIC_ICR2, SET_XAPIC_DEST_FIELD(read_apic_id()));
		ktest_write(APIC_DEST_PHYSICAL | APIC_DM_NMI,
			    (void *)APIC_BASE + APIC_ICR);
		ctx_wait(irqs);
	}
	KUNIT_EXPECT_EQ(test, 0, ctx.lost);
	KUNIT_EXPECT_EQ(test, CTX_CALLS, ctx.irqs);
	KTEST_EXPECT_COUNTS(test, p, CTX_CALLS, CTX_CALLS, 0);
	KTEST_EXPECT_COUNTS(test, ctx.inner, CTX_CALLS, 0, 0);
}

#if defined(CONFIG_X86_64) && defined(CONFIG_HOTPLUG_CPU)
static noinline bool ctx_false(void)
{
	return false;
}

static int ctx_say_false(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)ctx_false);
	return 1;
}

/*
 * Not all that a CPU executes before it has its own IDT is forbidden by name: on some
 * machines more is called there. What is forbidden is probed in its place.
 */
static void ctx_cpu_comes(struct kunit *test)
{
	struct ktest_probe *allow = ktest_probe_alloc(test, kprobe_in_blacklist);
	struct ktest_probe *p = ktest_probe_alloc(test, cpu_init_exception_handling);
	unsigned int cpu = cpumask_last(cpu_online_mask);
	int ret;

	if (!cpu || !cpu_is_hotpluggable(cpu))
		kunit_skip(test, "needs a CPU that can go");
	if (cpu_feature_enabled(X86_FEATURE_XENPV))
		kunit_skip(test, "the hypervisor brings a CPU up with its IDT");
	ktest_optimization(test, false);
	allow->then = ctx_say_false;
	ktest_register(test, allow);
	ktest_register(test, p);
	unregister_kprobe(&allow->kp);
	ret = remove_cpu(cpu);
	if (ret == -EOPNOTSUPP)
		kunit_skip(test, "the platform cannot let a CPU go");
	KUNIT_ASSERT_EQ(test, 0, ret);
	KUNIT_EXPECT_EQ(test, 0, add_cpu(cpu));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}
#endif

#define CTX_OPEN(fn)	KUNIT_CASE_PARAM(fn, ctx_open_gen_params)
#define CTX_CLOSED(fn)	KUNIT_CASE_PARAM(fn, ctx_closed_gen_params)

static struct kunit_case ctx_cases[] = {
	CTX_OPEN(ctx_hardirq),
	CTX_OPEN(ctx_softirq),
	CTX_OPEN(ctx_softirq_in_handler),
	CTX_OPEN(ctx_plain_interrupt),
	CTX_OPEN(ctx_busy),
	CTX_OPEN(ctx_nmi),
	CTX_CLOSED(ctx_nmi),
	CTX_CLOSED(ctx_nmi_post),
	CTX_CLOSED(ctx_nmi_in_copy),
#if defined(CONFIG_X86_64) && defined(CONFIG_HOTPLUG_CPU)
	KUNIT_CASE(ctx_cpu_comes),
#endif
	{}
};

static struct kunit_suite ctx_suite = {
	.name = "kprobes_context",
	.test_cases = ctx_cases,
};

kunit_test_suite(ctx_suite);
