// SPDX-License-Identifier: GPL-2.0
/* Faults of probed instructions and of handlers. */
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/uaccess.h>

#include "kprobe_api.h"

#ifdef CONFIG_X86
#include <asm/trapnr.h>

#define ROUNDS	20

/* Nothing is ever mapped there. */
#define BAD	((const void *)-8L)

static const long good = 4711;

static void expect_reads(struct kt *t, long bad)
{
	int i;

	for (i = 0; i < ROUNDS; i++) {
		KT_EQ(t, kt_read(&good), 4711);
		KT_EQ(t, kt_read(BAD), bad);
	}
}

/* The exception table is asked about the original, whoever executes it. */
static void fixed_up(struct kt *t)
{
	struct kt_probe p;

	expect_reads(t, -1);
	kt_probe_addr(&p, kt_read);
	KT_EQ(t, register_kprobe(&p.kp), 0);
	expect_reads(t, -1);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 2 * ROUNDS);
	KT_EQ(t, p.kp.nmissed, 0);
}

/* What faults is not done, so there is nothing for a post handler to see. */
static void fixed_up_with_post(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_read);
	p.kp.post_handler = kt_post;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	expect_reads(t, -1);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 2 * ROUNDS);
	KT_EQ(t, atomic_read(&p.post), ROUNDS);
	KT_EQ(t, p.kp.nmissed, 0);
}

static int miss_it(struct kprobe *p, struct pt_regs *regs)
{
	if (kt_read(BAD) != -1 || kt_read(&good) != 4711)
		return 0;
	return kt_pre(p, regs);
}

/* A miss is executed as well, and may fault as well. */
static void fixed_up_when_missed(struct kt *t)
{
	struct kt_probe p, outer;

	kt_probe_addr(&p, kt_read);
	p.kp.post_handler = kt_post;
	kt_probe_addr(&outer, kt_plain);
	outer.kp.pre_handler = miss_it;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, register_kprobe(&outer.kp), 0);
	kt_call(t, kt_plain, ROUNDS);
	unregister_kprobe(&outer.kp);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&outer), ROUNDS);
	KT_EQ(t, p.kp.nmissed, 2 * ROUNDS);
	KT_EQ(t, kt_hits(&p), 0);
}

/* A handler may use what has an exception table entry, as anybody may. */
static int read_carefully(struct kprobe *p, struct pt_regs *regs)
{
	long word;

	if (get_kernel_nofault(word, (long *)BAD) == -EFAULT)
		kt_pre(p, regs);
	return 0;
}

static void nofault_in_handler(struct kt *t)
{
	static const kt_fn fns[] = { kt_entry, kt_plain, kt_asm };
	struct kt_probe p;
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		kt_probe_addr(&p, fns[i]);
		p.kp.pre_handler = read_carefully;
		KT_EQ(t, register_kprobe(&p.kp), 0);
		kt_call(t, fns[i], ROUNDS);
		unregister_kprobe(&p.kp);
		KT_EQ(t, kt_hits(&p), ROUNDS);
	}
}

#ifdef KT_FAULT_HANDLERS
static int faults, bad_traps;

static int look_at_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	faults++;
	bad_traps += trapnr != X86_TRAP_PF;
	return 0;
}

/* Deals with it: the function is left with another result. */
static int handle_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	look_at_fault(p, regs, trapnr);
	regs->ax = 55;
	regs->ip = (unsigned long)kt_just_return;
	return 1;
}

static void with_fault_handler(struct kt *t, kprobe_fault_handler_t handler,
			       bool post, long result)
{
	struct kt_probe p;

	faults = 0;
	bad_traps = 0;
	kt_probe_addr(&p, kt_read);
	p.kp.fault_handler = handler;
	if (post)
		p.kp.post_handler = kt_post;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	expect_reads(t, result);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 2 * ROUNDS);
	KT_EQ(t, atomic_read(&p.post), post ? ROUNDS : 0);
	KT_EQ(t, faults, ROUNDS);
	KT_EQ(t, bad_traps, 0);
}

static void fault_handler_looks(struct kt *t)
{
	with_fault_handler(t, look_at_fault, false, -1);
	with_fault_handler(t, look_at_fault, true, -1);
}

static void fault_handler_handles(struct kt *t)
{
	with_fault_handler(t, handle_fault, false, 55);
	with_fault_handler(t, handle_fault, true, 55);
}

#ifdef CONFIG_X86_64
#define KT_ADDRESS_OF_1	"leaq 1f(%%rip)"
#else
#define KT_ADDRESS_OF_1	"movl $1f"
#endif

/* A handler that faults itself: its fault handler leads it out. */
static unsigned long way_out;

static int fault_myself(struct kprobe *p, struct pt_regs *regs)
{
	long word;

	asm volatile(KT_ADDRESS_OF_1 ", %0\n\t"
		     "mov %0, %1\n\t"
		     "mov (%2), %0\n\t"
		     "1:"
		     : "=&r" (word), "=m" (way_out) : "r" (BAD) : "memory");
	return kt_pre(p, regs);
}

static int lead_out(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	look_at_fault(p, regs, trapnr);
	regs->ip = way_out;
	return 1;
}

static void fault_in_handler(struct kt *t)
{
	static const kt_fn fns[] = { kt_entry, kt_plain, kt_asm };
	struct kt_probe p;
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		faults = 0;
		kt_probe_addr(&p, fns[i]);
		p.kp.pre_handler = fault_myself;
		p.kp.fault_handler = lead_out;
		KT_EQ(t, register_kprobe(&p.kp), 0);
		kt_call(t, fns[i], ROUNDS);
		unregister_kprobe(&p.kp);
		KT_EQ(t, kt_hits(&p), ROUNDS);
		KT_EQ(t, faults, ROUNDS);
		KT_EQ(t, p.kp.nmissed, 0);
	}
}
#endif /* KT_FAULT_HANDLERS */

const struct kt_case kt_fault_cases[] = {
	{ "fixed_up", fixed_up },
	{ "fixed_up_with_post", fixed_up_with_post },
	{ "fixed_up_when_missed", fixed_up_when_missed },
	{ "nofault_in_handler", nofault_in_handler },
#ifdef KT_FAULT_HANDLERS
	{ "fault_handler_looks", fault_handler_looks },
	{ "fault_handler_handles", fault_handler_handles },
	{ "fault_in_handler", fault_in_handler },
#endif
	KT_END
};
#else
const struct kt_case kt_fault_cases[] = { KT_END };
#endif
