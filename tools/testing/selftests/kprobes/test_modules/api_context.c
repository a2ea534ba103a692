// SPDX-License-Identifier: GPL-2.0
/*
 * Hits from an interrupt that came while a handler ran. With frames, the interrupt
 * is a context of its own: such a hit is not a miss, its handlers run. Without
 * them there is one such state a CPU, and all of these hits are misses.
 *
 * A handler of a breakpoint runs with interrupts off, so it is return handlers
 * and those behind an ftrace site that wait for a timer here. An NMI comes
 * through all the same: the processor sends it to itself.
 *
 * 6.12: has no frames.
 */
#include <linux/hrtimer.h>
#include <linux/interrupt.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/timekeeping.h>
#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>
#endif

#include "kprobe_api.h"

#define ROUNDS		10
#define PATIENCE	(2 * NSEC_PER_SEC)

#ifdef __ARCH_WANT_KPROBE_FRAMES
#define CONTEXTS_APART	true
#else
#define CONTEXTS_APART	false
#endif

enum source { HARDIRQ, SOFTIRQ, NMI };

static enum source source;

/* The function that the interrupt calls, and what is on it. */
static kt_fn inner_fn;
static struct kt_probe inner;
static struct kretprobe inner_rp;
static atomic_t inner_returns;

/* What the interrupt has done; the handler waits for it. */
static bool fired;
static int interrupts, timeouts, irqs_off, wrong;

static int on_inner_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&inner_returns);
	return 0;
}

static void interrupt(void)
{
	interrupts++;
	wrong += inner_fn(4, 5) != 17;
	WRITE_ONCE(fired, true);
}

static void on_softirq(struct tasklet_struct *unused)
{
	interrupt();
}

static DECLARE_TASKLET(tasklet, on_softirq);

static struct hrtimer timer;

static enum hrtimer_restart on_timer(struct hrtimer *unused)
{
	if (source == SOFTIRQ)
		tasklet_schedule(&tasklet);
	else
		interrupt();
	return HRTIMER_NORESTART;
}

#ifdef CONFIG_X86_LOCAL_APIC
static bool expected;

static int on_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (!READ_ONCE(expected))
		return NMI_DONE;
	WRITE_ONCE(expected, false);
	interrupt();
	return NMI_HANDLED;
}

static int nmi_begin(void)
{
	return register_nmi_handler(NMI_LOCAL, on_nmi, 0, "kprobe_api");
}

static void nmi_end(void)
{
	unregister_nmi_handler(NMI_LOCAL, "kprobe_api");
}

static void nmi_send(void)
{
	WRITE_ONCE(expected, true);
	__apic_send_IPI_mask(cpumask_of(raw_smp_processor_id()), NMI_VECTOR);
}
#else
static int nmi_begin(void)
{
	return -EOPNOTSUPP;
}

static void nmi_end(void) { }
static void nmi_send(void) { }
#endif

static void wait_until_fired(void)
{
	u64 end = ktime_get_mono_fast_ns() + PATIENCE;

	while (!READ_ONCE(fired)) {
		if (ktime_get_mono_fast_ns() > end) {
			timeouts++;
			return;
		}
		cpu_relax();
	}
}

/* The outer handler: be interrupted, then hit the inner probe oneself. */
static void be_interrupted(void)
{
	if (source != NMI && irqs_disabled()) {
		irqs_off++;
		return;
	}
	WRITE_ONCE(fired, false);
	if (source == NMI)
		nmi_send();
	else
		hrtimer_start(&timer, ns_to_ktime(20 * NSEC_PER_USEC),
			      HRTIMER_MODE_REL_PINNED_HARD);
	wait_until_fired();
	wrong += inner_fn(1, 1) != 4;
}

static int outer_pre(struct kprobe *p, struct pt_regs *regs)
{
	be_interrupted();
	return 0;
}

static void outer_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long unused)
{
	be_interrupted();
}

static int outer_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	be_interrupted();
	return 0;
}

static void inner_begin(struct kt *t, kt_fn fn)
{
	inner_fn = fn;
	kt_probe_addr(&inner, fn);
	inner_rp = (struct kretprobe) {
		.kp.addr = (kprobe_opcode_t *)fn,
		.handler = on_inner_return,
	};
	atomic_set(&inner_returns, 0);
	interrupts = 0;
	timeouts = 0;
	irqs_off = 0;
	wrong = 0;
	KT_EQ(t, register_kprobe(&inner.kp), 0);
	KT_EQ(t, register_kretprobe(&inner_rp), 0);
}

static void inner_end(struct kt *t, int hits, int misses)
{
	unregister_kprobe(&inner.kp);
	unregister_kretprobe(&inner_rp);
	KT_EQ(t, timeouts, 0);
	KT_EQ(t, wrong, 0);
	KT_EQ(t, kt_hits(&inner), hits);
	KT_EQ(t, atomic_read(&inner_returns), hits);
	KT_EQ(t, inner.kp.nmissed, misses);
	KT_EQ(t, inner_rp.kp.nmissed + inner_rp.nmissed, misses);
}

/* Handlers were interrupted @rounds times, and each was missed when it hit itself. */
static void interrupted_end(struct kt *t, int rounds)
{
	int hits = CONTEXTS_APART ? rounds : 0;

	KT_EQ(t, interrupts, rounds);
	inner_end(t, hits, 2 * rounds - hits);
}

static const kt_fn inners[] = { kt_plain2, kt_entry2 };

/* What a handler finds when it asks for its context. */
struct context {
	bool irqs_off;
	bool nmi;
};

static struct context of_breakpoint, of_return;

static struct context context_now(void)
{
	return (struct context) { .irqs_off = irqs_disabled(), .nmi = in_nmi() };
}

static int note_breakpoint(struct kprobe *p, struct pt_regs *regs)
{
	of_breakpoint = context_now();
	return 0;
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	of_return = context_now();
	return 0;
}

/*
 * The trampoline of returns is code like that of the function, which leaves
 * interrupts as they are; or it is a trap, and then return handlers find what the
 * handlers of a breakpoint find. There is nothing in between.
 */
static bool returns_trap(struct kt *t)
{
	struct kretprobe rp = {
		.kp.addr = (kprobe_opcode_t *)kt_plain,
		.handler = note_return,
	};
	struct kprobe kp = {
		.addr = (kprobe_opcode_t *)kt_plain2,
		.pre_handler = note_breakpoint,
	};

	KT_EQ(t, register_kretprobe(&rp), 0);
	KT_EQ(t, register_kprobe(&kp), 0);
	kt_call(t, kt_plain, 1);
	kt_call(t, kt_plain2, 1);
	unregister_kprobe(&kp);
	unregister_kretprobe(&rp);
	if (!of_return.irqs_off && !of_return.nmi)
		return false;
	KT_EQ(t, of_return.irqs_off, of_breakpoint.irqs_off);
	KT_EQ(t, of_return.nmi, of_breakpoint.nmi);
	kt_note(t, "the trampoline of returns is a trap");
	return true;
}

static void under_return_handler(struct kt *t, enum source from)
{
	static const kt_fn outers[] = { kt_plain, kt_entry };
	struct kretprobe outer;
	int i, off;

	/* Interrupts off: the handler does nothing. */
	off = from != NMI && returns_trap(t) ? ROUNDS : 0;
	source = from;
	for (i = 0; i < 4; i++) {
		outer = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)outers[i / 2],
			.handler = outer_return,
		};
		inner_begin(t, inners[i % 2]);
		KT_EQ(t, register_kretprobe(&outer), 0);
		kt_call(t, outers[i / 2], ROUNDS);
		unregister_kretprobe(&outer);
		KT_EQ(t, irqs_off, off);
		interrupted_end(t, ROUNDS - irqs_off);
	}
}

static void under_handler(struct kt *t, kt_fn fn, enum source from, bool post)
{
	struct kprobe outer;
	int i;

	source = from;
	for (i = 0; i < ARRAY_SIZE(inners); i++) {
		outer = (struct kprobe) { .addr = (kprobe_opcode_t *)fn };
		if (post)
			outer.post_handler = outer_post;
		else
			outer.pre_handler = outer_pre;
		inner_begin(t, inners[i]);
		KT_EQ(t, register_kprobe(&outer), 0);
		kt_call(t, fn, ROUNDS);
		unregister_kprobe(&outer);
		/* Interrupts off: the handler has done nothing. */
		KT_TRUE(t, irqs_off == 0 || irqs_off == ROUNDS);
		interrupted_end(t, ROUNDS - irqs_off);
	}
}

static void timer_begin(void)
{
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	timer.function = on_timer;
}

static void irq_in_return_handler(struct kt *t)
{
	timer_begin();
	under_return_handler(t, HARDIRQ);
}

/* With PREEMPT_RT they are threads, for which a handler does not make way. */
static bool softirqs_interrupt(void)
{
	return !IS_ENABLED(CONFIG_PREEMPT_RT);
}

static void softirq_in_return_handler(struct kt *t)
{
	if (!softirqs_interrupt())
		return kt_skip(t, "softirqs are threads");
	timer_begin();
	under_return_handler(t, SOFTIRQ);
}

static void irq_in_handlers(struct kt *t)
{
	timer_begin();
	under_handler(t, kt_entry, HARDIRQ, false);
	under_handler(t, kt_entry, HARDIRQ, true);
	under_handler(t, kt_plain, HARDIRQ, false);
}

static void softirq_in_handlers(struct kt *t)
{
	if (!softirqs_interrupt())
		return kt_skip(t, "softirqs are threads");
	timer_begin();
	under_handler(t, kt_entry, SOFTIRQ, false);
	under_handler(t, kt_entry, SOFTIRQ, true);
}

static void nmi_in_return_handler(struct kt *t)
{
	if (nmi_begin())
		return kt_skip(t, "no NMI to be had");
	under_return_handler(t, NMI);
	nmi_end();
}

static void nmi_in_handlers(struct kt *t)
{
	if (nmi_begin())
		return kt_skip(t, "no NMI to be had");
	under_handler(t, kt_entry, NMI, false);
	under_handler(t, kt_entry, NMI, true);
	under_handler(t, kt_plain, NMI, false);
	under_handler(t, kt_plain, NMI, true);
	nmi_end();
}

/* With no handler below it, an interrupt's hits are hits in any case. */
static void no_handler_below(struct kt *t)
{
	int i, n;

	timer_begin();
	for (i = 0; i < 6; i++) {
		source = i % 3;
		if (source == SOFTIRQ && !softirqs_interrupt())
			continue;
		if (source == NMI && nmi_begin())
			continue;
		inner_begin(t, inners[i / 3]);
		for (n = 0; n < ROUNDS; n++) {
			preempt_disable();
			be_interrupted();
			preempt_enable();
		}
		if (source == NMI)
			nmi_end();
		/* Half of the hits are from the interrupts, half from here. */
		KT_EQ(t, interrupts, ROUNDS);
		inner_end(t, 2 * ROUNDS, 0);
	}
}

const struct kt_case kt_context_cases[] = {
	{ "no_handler_below", no_handler_below },
	{ "irq_in_return_handler", irq_in_return_handler },
	{ "softirq_in_return_handler", softirq_in_return_handler },
	{ "irq_in_handlers", irq_in_handlers },
	{ "softirq_in_handlers", softirq_in_handlers },
	{ "nmi_in_return_handler", nmi_in_return_handler },
	{ "nmi_in_handlers", nmi_in_handlers },
	KT_END
};
