/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls one snippet with every register taken from diff_in, and leaves in
 * diff_out what it returned with. The stub finds its own stack by a variable:
 * whatever a wrong probe does to a register, the result gets home.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/nospec-branch.h>
#include "diff.h"

	.bss
	.balign 64
SYM_DATA(diff_in,		.skip DR_WINDOW + DIFF_WINDOW)
	.balign 64
SYM_DATA(diff_out,		.skip DR_WINDOW + DIFF_WINDOW)
	.balign 8
SYM_DATA(diff_fn,		.skip 8)
SYM_DATA(diff_stub_sp,		.skip 8)
SYM_DATA(diff_path_target,	.skip 8)
SYM_DATA(diff_have_avx,		.skip 1)
SYM_DATA(diff_have_avx512,	.skip 1)

#define ALL_VEC(m)						\
	m  0; m  1; m  2; m  3; m  4; m  5; m  6; m  7;		\
	m  8; m  9; m 10; m 11; m 12; m 13; m 14; m 15

/* Those that only instructions with an EVEX prefix can name. */
#define HIGH_VEC(m)						\
	m 16; m 17; m 18; m 19; m 20; m 21; m 22; m 23;		\
	m 24; m 25; m 26; m 27; m 28; m 29; m 30; m 31

.macro load insn, kind, n
	\insn diff_in + DR_VEC + DIFF_VEC * \n(%rip), %\kind\n
.endm

.macro store insn, kind, n
	\insn %\kind\n, diff_out + DR_VEC + DIFF_VEC * \n(%rip)
.endm

	.text

SYM_FUNC_START(diff_call)
	push %rbp
	push %rbx
	push %r12
	push %r13
	push %r14
	push %r15
	pushfq
	movq %rsp, diff_stub_sp(%rip)

	/* What lies above the return address belongs to the comparison. */
	subq $DIFF_WINDOW, %rsp
	leaq diff_in + DR_WINDOW(%rip), %rsi
	movq %rsp, %rdi
	movl $(DIFF_WINDOW / 8), %ecx
	rep movsq

	ldmxcsr diff_in + DR_MXCSR(%rip)
	testb $1, diff_have_avx512(%rip)
	jz 1f
	ALL_VEC(load vmovdqu64 zmm)
	HIGH_VEC(load vmovdqu64 zmm)
	jmp 3f
1:	testb $1, diff_have_avx(%rip)
	jz 2f
	ALL_VEC(load vmovdqu ymm)
	jmp 3f
2:	ALL_VEC(load movdqu xmm)
3:
	pushq diff_in + DR_FLAGS(%rip)
	movq diff_in + 8 * 0(%rip), %rax
	movq diff_in + 8 * 1(%rip), %rcx
	movq diff_in + 8 * 2(%rip), %rdx
	movq diff_in + 8 * 3(%rip), %rbx
	movq diff_in + 8 * 5(%rip), %rbp
	movq diff_in + 8 * 6(%rip), %rsi
	movq diff_in + 8 * 7(%rip), %rdi
	movq diff_in + 8 * 8(%rip), %r8
	movq diff_in + 8 * 9(%rip), %r9
	movq diff_in + 8 * 10(%rip), %r10
	movq diff_in + 8 * 11(%rip), %r11
	movq diff_in + 8 * 12(%rip), %r12
	movq diff_in + 8 * 13(%rip), %r13
	movq diff_in + 8 * 14(%rip), %r14
	movq diff_in + 8 * 15(%rip), %r15
	popfq
	ANNOTATE_RETPOLINE_SAFE
	call *diff_fn(%rip)

	movq %rax, diff_out + 8 * 0(%rip)
	movq %rcx, diff_out + 8 * 1(%rip)
	movq %rdx, diff_out + 8 * 2(%rip)
	movq %rbx, diff_out + 8 * 3(%rip)
	movq %rsp, diff_out + 8 * 4(%rip)
	movq %rbp, diff_out + 8 * 5(%rip)
	movq %rsi, diff_out + 8 * 6(%rip)
	movq %rdi, diff_out + 8 * 7(%rip)
	movq %r8, diff_out + 8 * 8(%rip)
	movq %r9, diff_out + 8 * 9(%rip)
	movq %r10, diff_out + 8 * 10(%rip)
	movq %r11, diff_out + 8 * 11(%rip)
	movq %r12, diff_out + 8 * 12(%rip)
	movq %r13, diff_out + 8 * 13(%rip)
	movq %r14, diff_out + 8 * 14(%rip)
	movq %r15, diff_out + 8 * 15(%rip)

	/*
	 * A mov leaves the flags alone. Neither the push may hit the window nor an
	 * interrupt: the stack pointer is never above it.
	 */
	movq diff_stub_sp(%rip), %rax
	leaq -DIFF_WINDOW(%rax), %rsp
	pushfq
	popq diff_out + DR_FLAGS(%rip)
	cld
	movq %rsp, %rsi
	leaq diff_out + DR_WINDOW(%rip), %rdi
	movl $(DIFF_WINDOW / 8), %ecx
	rep movsq
	movq %rsi, %rsp
	popfq

	stmxcsr diff_out + DR_MXCSR(%rip)
	testb $1, diff_have_avx512(%rip)
	jz 4f
	ALL_VEC(store vmovdqu64 zmm)
	HIGH_VEC(store vmovdqu64 zmm)
	jmp 6f
4:	testb $1, diff_have_avx(%rip)
	jz 5f
	ALL_VEC(store vmovdqu ymm)
	jmp 6f
5:	ALL_VEC(store movdqu xmm)
6:
	pop %r15
	pop %r14
	pop %r13
	pop %r12
	pop %rbx
	pop %rbp
	RET
SYM_FUNC_END(diff_call)
STACK_FRAME_NON_STANDARD diff_call

/*
 * A pre handler sends the execution here; it comes back to where the probe
 * is. A return, since an indirect jump would need an ENDBR to land on.
 */
SYM_FUNC_START(diff_path_pad)
	pushq diff_path_target(%rip)
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(diff_path_pad)
STACK_FRAME_NON_STANDARD diff_path_pad

/* For the self-check: C code of the kernel has no way to touch a vector. */
SYM_FUNC_START(diff_spoil_vec)
	pcmpeqd %xmm7, %xmm7
	RET
SYM_FUNC_END(diff_spoil_vec)
