/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel probes on 32-bit x86: the trampoline of jprobes.
 *
 * Arguments are in eax, edx and ecx, the others on the stack; all of them there in
 * an asmlinkage function. The trampoline has both ready.
 */
#include <linux/linkage.h>
#include <asm/asm.h>
#include <asm/asm-offsets.h>
#include <asm/nospec-branch.h>

#include "jprobe.h"

	.text

/*
 * Go to the function at ebx, by a return instruction as on 64 bit. The second return
 * address is for the predictor.
 */
SYM_FUNC_START_LOCAL(jprobe_jump)
	call	.Ljump
	int3
.Ljump:
	movl	%ebx, (%esp)
	RET
SYM_FUNC_END(jprobe_jump)
_ASM_NOKPROBE(jprobe_jump)

/*
 * void jprobe_trampoline(void *entry, struct pt_regs *regs, unsigned long *where,
 *			  unsigned long words)
 *
 * The copy of the arguments is aligned as they are, up to 16 bytes.
 */
SYM_FUNC_START(jprobe_trampoline)
	pushl	%ebp
	movl	%esp, %ebp
	pushl	%ebx
	pushl	%esi
	pushl	%edi

	movl	%eax, %ebx
	movl	PT_OLDESP(%edx), %esi
	addl	$4, %esi
	leal	-JPROBE_STACK_BYTES(%esp), %edi
	movl	%edi, %eax
	subl	%esi, %eax
	andl	$15, %eax
	subl	%eax, %edi
	movl	%edi, %esp

	/* Where the return address for the handler will be, and this frame. */
	leal	-4(%esp), %eax
	movl	%eax, (%ecx)
	movl	%ebp, 4(%ecx)

	movl	8(%ebp), %ecx
	rep movsl

	movl	PT_EAX(%edx), %eax
	movl	PT_ECX(%edx), %ecx
	movl	PT_EDX(%edx), %edx
	call	jprobe_jump

	/* It may have returned a structure, and so have dropped an argument. */
	leal	-3*4(%ebp), %esp
	popl	%edi
	popl	%esi
	popl	%ebx
	popl	%ebp
	RET
SYM_FUNC_END(jprobe_trampoline)
_ASM_NOKPROBE(jprobe_trampoline)

/*
 * void jprobe_leave(const unsigned long *where)
 *
 * Return to the trampoline as the handler would.
 */
SYM_FUNC_START(jprobe_leave)
	movl	4(%eax), %ebp
	movl	(%eax), %esp
	RET
SYM_FUNC_END(jprobe_leave)
_ASM_NOKPROBE(jprobe_leave)
