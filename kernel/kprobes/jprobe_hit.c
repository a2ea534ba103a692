// SPDX-License-Identifier: GPL-2.0
/*
 * What runs at a hit of a jprobe. Its handler is called from a pre handler, as any
 * function is, with a copy of the arguments: so nothing of the probed function's
 * changes, whatever the handler does to its own, and a handler may as well return.
 * And so a jprobe is one subscriber among others, however the point is reached.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/export.h>
#include <linux/ftrace.h>
#include <linux/kasan.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/printk.h>
#include <linux/rethook.h>

#include "jprobe.h"

/*
 * The innermost of the handlers that run on a CPU. One that interrupts another one
 * ends before that goes on, so they are a stack.
 */
static DEFINE_PER_CPU(struct jprobe_call *, jprobe_innermost);

/**
 * jprobe_pre_handler() - call the handler of a jprobe
 * @p: the kprobe of a jprobe
 * @regs: the registers at the entry of the function
 *
 * Context: any, preemption disabled.
 * Return: 0, the function goes on.
 */
int jprobe_pre_handler(struct kprobe *p, struct pt_regs *regs)
{
	struct jprobe *jp = container_of(p, struct jprobe, kp);
	struct jprobe_call call = {
		.outer = raw_cpu_read(jprobe_innermost),
		.context = kprobe_context(preempt_count()),
		.depth = get_kprobe_ctlblk()->depth,
	};
	struct llist_node *newest = rethook_newest_call();

	raw_cpu_write(jprobe_innermost, &call);
	/*
	 * jprobe_return() skips the returns of the functions between. The function graph
	 * tracer would keep an entry for each of them, so it is paused. Return probes and
	 * fprobes do hook such calls: rethook_forget_newer() drops their hooks.
	 */
	pause_graph_tracing();
	arch_jprobe_call(jp->entry, regs, &call);
	unpause_graph_tracing();
	rethook_forget_newer(newest);
	raw_cpu_write(jprobe_innermost, call.outer);
	return 0;
}

NOKPROBE_SYMBOL(jprobe_pre_handler);

/* The call of the handler that the caller is in, or NULL. */
static struct jprobe_call *jprobe_current_call(void)
{
	struct jprobe_call *call;

	/* Outside of a handler, the task may leave the CPU. */
	if (preemptible())
		return NULL;
	call = raw_cpu_read(jprobe_innermost);
	/*
	 * Not if the caller has interrupted the handler, and not if it is another
	 * handler, as that of a fault. A handler may end in a jump to jprobe_return().
	 */
	if (!call || call->context != kprobe_context(preempt_count()) ||
	    call->depth != get_kprobe_ctlblk()->depth ||
	    call->sp < current_stack_pointer)
		return NULL;
	return call;
}

NOKPROBE_SYMBOL(jprobe_current_call);

/**
 * jprobe_return() - end the handler of a jprobe
 *
 * It does not come back, also where a function calls it that the handler has called.
 * No lock may be held that was taken since the handler began, nor may preemption or
 * interrupts be otherwise than then.
 *
 * Context: the handler of a jprobe. Elsewhere, also in an interrupt that came during
 * a handler, and in a fault handler, it warns (once), and does come back.
 */
void jprobe_return(void)
{
	struct jprobe_call *call = jprobe_current_call();

	if (!call) {
		pr_warn_once("%s() outside of the handler of a jprobe, from %pS\n",
			     __func__, __builtin_return_address(0));
		return;
	}
	/* The functions that are skipped do not unpoison their variables on the stack. */
	kasan_unpoison_range((void *)current_stack_pointer,
			     call->sp - current_stack_pointer);
	arch_jprobe_return(call);
}
EXPORT_SYMBOL_GPL(jprobe_return);
NOKPROBE_SYMBOL(jprobe_return);

/**
 * jprobe_flush_calls() - forget the handlers that run on this CPU
 *
 * As kprobe_flush_frames(): the task has died in them.
 *
 * Context: task context, preemption disabled.
 */
void jprobe_flush_calls(void)
{
	raw_cpu_write(jprobe_innermost, NULL);
}

NOKPROBE_SYMBOL(jprobe_flush_calls);
