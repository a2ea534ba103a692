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

/* Call all handlers of a point. */
static __always_inline void kprobe_ftrace_call(struct kprobe *p,
					       struct pt_regs *regs)
{
	unsigned long resume = regs->ip;

	regs->ip = (unsigned long)p->addr + INT3_INSN_SIZE;
	/* A handler that changed the path has said where to go on. */
	if (unlikely(kprobe_call_pre(p, regs)))
		return;
	regs->ip = (unsigned long)p->addr + MCOUNT_INSN_SIZE;
	kprobe_call_post(p, regs);
	regs->ip = resume;
}

/* The CPU's first frame is in use. */
static noinline void kprobe_ftrace_inner(struct kprobe *p,
					 struct pt_regs *regs)
{
	if (likely(kprobe_frame_enter_inner(p, 0))) {
		kprobe_ftrace_call(p, regs);
		kprobe_frame_pop();
	} else {
		kprobes_inc_nmissed_count(p);
	}
}

NOKPROBE_SYMBOL(kprobe_ftrace_inner);

/* The CPU's first frame is in use, or several handlers are to be called. */
static noinline __noendbr void kprobe_ftrace_slow(struct kprobe *p,
						  struct pt_regs *regs)
{
	if (unlikely(!kprobe_frame_enter_first(p))) {
		kprobe_ftrace_inner(p, regs);
		return;
	}
	kprobe_ftrace_call(p, regs);
	kprobe_frame_leave_first();
}

NOKPROBE_SYMBOL(kprobe_ftrace_slow);

/* There is one handler to call, a pre handler, and the first frame is free. */
static __always_inline void kprobe_ftrace_fast(struct kprobe *p,
					       struct pt_regs *regs)
{
	unsigned long chain = READ_ONCE(kprobe_hot_of(p)->pre_chain), resume = regs->ip;
	struct kprobe *only = kprobe_chain_single_ftrace(chain);

	if (unlikely(!kprobe_chain_is_single(chain) ||
		     !kprobe_frame_enter_first(p))) {
		kprobe_ftrace_slow(p, regs);
		return;
	}
	regs->ip = (unsigned long)p->addr + INT3_INSN_SIZE;
	kprobe_count_hit(p);
	if (likely(!only->pre_handler(only, regs)))
		regs->ip = resume;
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
		kprobe_ftrace_fast(p, regs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_ftrace_handler);

/**
 * arch_prepare_kprobe_ftrace() - get ready for a point on an ftrace site
 * @p: the point's kprobe
 *
 * Return: 0.
 */
int arch_prepare_kprobe_ftrace(struct kprobe *p)
{
	p->ainsn.insn = NULL;
	p->ainsn.class = NULL;
	return 0;
}
