/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Kernel probes on x86-64: the trampoline of jprobes.
 *
 * The handler is entered by a return instruction: an indirect call would need a
 * landing pad at its target, and with FineIBT there is none for callers that do not
 * know the hash of its type.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include <asm/ptrace.h>
#include <asm/unwind_hints.h>

#include "jprobe.h"

	.text

/* Go to the function at r11. The second return address is for the predictor. */
SYM_FUNC_START_LOCAL(jprobe_jump)
	ANNOTATE_INTRA_FUNCTION_CALL
	call	.Ljump
	int3
.Ljump:
	movq	%r11, (%rsp)
	UNWIND_HINT_FUNC
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
	pushq	%rbp
	movq	%rsp, %rbp
	pushq	%rbx
	pushq	%r12
	pushq	%r13
	pushq	%r14
	pushq	%r15

	movq	%rdi, %r11
	movq	%rsi, %rax

	movq	RSP(%rax), %rsi
	addq	$8, %rsi
	leaq	-JPROBE_STACK_BYTES(%rsp), %rdi
	movl	%edi, %r10d
	subl	%esi, %r10d
	andl	$15, %r10d
	subq	%r10, %rdi
	movq	%rdi, %rsp

	/* Where the return address for the handler will be, and this frame. */
	leaq	-8(%rsp), %r10
	movq	%r10, (%rdx)
	movq	%rbp, 8(%rdx)

	rep movsq

	movq	RDI(%rax), %rdi
	movq	RSI(%rax), %rsi
	movq	RDX(%rax), %rdx
	movq	RCX(%rax), %rcx
	movq	R8(%rax), %r8
	movq	R9(%rax), %r9
	movq	R10(%rax), %r10
	movq	RAX(%rax), %rax
	call	jprobe_jump

	leaq	-5*8(%rbp), %rsp
	popq	%r15
	popq	%r14
	popq	%r13
	popq	%r12
	popq	%rbx
	popq	%rbp
	RET
SYM_FUNC_END(jprobe_trampoline)
_ASM_NOKPROBE(jprobe_trampoline)

/*
 * void jprobe_leave(const unsigned long *where)
 *
 * Return to the trampoline as the handler would. Halfway the two registers belong to
 * different functions, so no unwinder gets past there.
 */
SYM_FUNC_START(jprobe_leave)
	UNWIND_HINT_UNDEFINED
	movq	8(%rdi), %rbp
	movq	(%rdi), %rsp
	UNWIND_HINT_FUNC
	RET
SYM_FUNC_END(jprobe_leave)
_ASM_NOKPROBE(jprobe_leave)
