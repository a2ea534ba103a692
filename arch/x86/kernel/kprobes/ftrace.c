// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: points on ftrace sites.
 *
 * The site is a nop to the probed function, so there is nothing to execute:
 * the handlers see the registers as a breakpoint there would show them.
 */
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "detour.h"

/* A handler has changed the path. There may be a jump where it goes. */
static noinline __noendbr void kprobe_ftrace_redirect(struct pt_regs *regs)
{
	regs->ip = kprobe_redirect_ip(regs->ip);
}

NOKPROBE_SYMBOL(kprobe_ftrace_redirect);

/* Another hit than a usual one. @resume is where to go on. */
static noinline __noendbr void kprobe_ftrace_slow(struct kprobe *p,
						  struct pt_regs *regs,
						  unsigned long resume)
{
	switch (kprobe_hit_any(p, regs, 0)) {
	case KPROBE_MISSED:
		regs->ip = resume;
		return;
	case KPROBE_CONTINUE:
		regs->ip = (unsigned long)p->addr + MCOUNT_INSN_SIZE;
		kprobe_call_post(p, regs);
		regs->ip = resume;
		break;
	default:
		kprobe_ftrace_redirect(regs);
		break;
	}
	kprobe_frame_leave();
}

NOKPROBE_SYMBOL(kprobe_ftrace_slow);

/* The hit of a point. */
static __always_inline void kprobe_ftrace_point(struct kprobe *p,
						struct pt_regs *regs)
{
	unsigned long chain = READ_ONCE(kprobe_hot_of(p)->pre_chain);
	unsigned long resume = regs->ip;

	regs->ip = (unsigned long)p->addr + INT3_INSN_SIZE;
	switch (kprobe_hit_usual(p, regs, chain, kprobe_chain_is_single,
				 kprobe_chain_single_ftrace)) {
	case KPROBE_UNUSUAL:
		kprobe_ftrace_slow(p, regs, resume);
		return;
	case KPROBE_CONTINUE:
		kprobe_hit_regs()->ip = resume;
		break;
	default:
		regs = kprobe_hit_regs();
		if (unlikely(!kprobe_is_clear(regs->ip)))
			kprobe_ftrace_redirect(regs);
		break;
	}
	kprobe_frame_leave_first();
}

/**
 * kprobe_ftrace_handler() - an ftrace site with a point was reached
 * @ip: the site
 * @parent_ip: where the function returns to
 * @ops: whose callback this is
 * @fregs: the registers
 *
 * The frames guard against recursion, as for breakpoints; ftrace's guard for
 * callbacks would lose hits in functions that another tracer calls.
 *
 * Context: any; preemption may be enabled.
 */
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct pt_regs *regs = ftrace_get_regs(fregs);
	struct kprobe *p;

	if (unlikely(kprobe_ftrace_disabled || !regs))
		return;
	preempt_disable_notrace();
	p = kprobe_table_lookup((void *)ip);
	if (likely(p))
		kprobe_ftrace_point(p, regs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_ftrace_handler);

/**
 * arch_prepare_kprobe_ftrace() - get ready for a point on an ftrace site
 * @p: the point's kprobe
 *
 * Context: kprobe_mutex held.
 * Return: 0.
 */
int arch_prepare_kprobe_ftrace(struct kprobe *p)
{
	p->ainsn.insn = NULL;
	p->ainsn.class = NULL;
	return 0;
}
