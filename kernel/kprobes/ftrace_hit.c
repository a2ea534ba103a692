// SPDX-License-Identifier: GPL-2.0
/*
 * What ftrace calls of the core: not for hits, which go to the architecture's
 * kprobe_ftrace_handler(), but in their place.
 */
#include <linux/ftrace.h>

#include "ftrace.h"
#include "stats.h"

/* ftrace has disabled itself after a fault, and must not be used any more. */
bool kprobe_ftrace_disabled __read_mostly;

/**
 * kprobe_ftrace_missed() - ftrace's recursion guard has suppressed a call
 * @ip: the site
 *
 * That happens when ftrace calls several callbacks of a site one after the
 * other, and one of them calls a function with another such site.
 *
 * Context: any; called by ftrace.
 */
void kprobe_ftrace_missed(unsigned long ip)
{
	struct kprobe_point *pt;

	preempt_disable_notrace();
	pt = kprobe_table_find((void *)ip);
	/*
	 * The call may have been for another ftrace_ops, and not for a point.
	 */
	if (pt && READ_ONCE(pt->filtered))
		kprobe_point_missed(pt, KPROBE_MISS_FTRACE);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_ftrace_missed);

/**
 * kprobe_ftrace_kill() - ignore all calls of ftrace from now on
 *
 * Context: any; called by ftrace when it finds its text in disorder.
 */
void kprobe_ftrace_kill(void)
{
	kprobe_ftrace_disabled = true;
}

/**
 * kprobe_ftrace_no_handler() - the callback of an ftrace_ops that only claims
 * @ip: the site
 * @parent_ip: where the function returns to
 * @ops: whose callback this is
 * @fregs: the registers
 */
void kprobe_ftrace_no_handler(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
}
