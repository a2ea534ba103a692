/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_FPROBE_H
#define _ASM_X86_FPROBE_H
/*
 * Function probes on x86: which registers ftrace has saved at an entry.
 */
#ifdef CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS
#include <linux/string.h>
#include <asm/processor-flags.h>
#include <asm/ptrace.h>
#include <asm/segment.h>

/**
 * arch_fprobe_saved_regs() - copy the registers that ftrace_caller saves
 * @to: the copy. What is not saved is zero
 * @from: what a callback is given, in which that is any words of the stack
 *
 * The code segment and the flag are those of arch_ftrace_partial_regs(). Of the other
 * flags none is known, see PERF_EFLAGS_EXACT.
 */
static __always_inline void arch_fprobe_saved_regs(struct pt_regs *to,
						   const struct pt_regs *from)
{
	memset(to, 0, sizeof(*to));
	to->ax = from->ax;
	to->cx = from->cx;
	to->dx = from->dx;
	to->si = from->si;
	to->di = from->di;
	to->r8 = from->r8;
	to->r9 = from->r9;
	to->bp = from->bp;
	to->sp = from->sp;
	to->ip = from->ip;
	to->cs = __KERNEL_CS;
	to->flags = X86_EFLAGS_FIXED;
}

#define arch_fprobe_saved_regs arch_fprobe_saved_regs
#endif /* CONFIG_HAVE_DYNAMIC_FTRACE_WITH_ARGS */
#endif /* _ASM_X86_FPROBE_H */
