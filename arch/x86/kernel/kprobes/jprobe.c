// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: calling the handler of a jprobe. The trampoline is in
 * jprobe_32.S and jprobe_64.S.
 */
#include <linux/build_bug.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <asm/stacktrace.h>

#include "jprobe.h"

/* How many bytes there are to copy behind a return address, at most all. */
static unsigned long jprobe_stack_bytes(unsigned long sp)
{
	unsigned long args = sp + sizeof(long), bytes;
	struct stack_info info;

	/* All of this page is stack. */
	bytes = PAGE_SIZE - offset_in_page(sp) - sizeof(long);
	if (likely(bytes >= JPROBE_STACK_BYTES))
		return JPROBE_STACK_BYTES;
	if (!get_stack_info((unsigned long *)sp, current, &info, NULL))
		bytes = (unsigned long)info.end - args;
	return min_t(unsigned long, bytes, JPROBE_STACK_BYTES);
}

NOKPROBE_SYMBOL(jprobe_stack_bytes);

void arch_jprobe_call(void *entry, struct pt_regs *regs, struct jprobe_call *call)
{
	unsigned long bytes = jprobe_stack_bytes(kernel_stack_pointer(regs));

	BUILD_BUG_ON(offsetof(struct jprobe_call, bp) !=
		     offsetof(struct jprobe_call, sp) + sizeof(long));
	jprobe_trampoline(entry, regs, &call->sp, bytes / sizeof(long));
}

NOKPROBE_SYMBOL(arch_jprobe_call);

void arch_jprobe_return(const struct jprobe_call *call)
{
	jprobe_leave(&call->sp);
}

NOKPROBE_SYMBOL(arch_jprobe_return);
