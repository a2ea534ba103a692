/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_JPROBE_H
#define _X86_KPROBES_JPROBE_H
/*
 * Jprobes on x86: what the C code and the trampoline share.
 */

/* How much of the stack behind the return address a handler gets a copy of. */
#define JPROBE_STACK_BYTES	256

#ifndef __ASSEMBLY__
struct jprobe_call;
struct pt_regs;

/*
 * jprobe_32.S, jprobe_64.S. @where points to &jprobe_call.sp, behind which lies
 * &jprobe_call.bp.
 */
void jprobe_trampoline(void *entry, struct pt_regs *regs, unsigned long *where,
		       unsigned long words);
void jprobe_leave(const unsigned long *where);
#endif

#endif /* _X86_KPROBES_JPROBE_H */
