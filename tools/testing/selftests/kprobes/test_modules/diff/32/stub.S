/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Calls one snippet with every register taken from diff_in, and leaves in
 * diff_out what it returned with, as ../stub.S does on 64 bit. Segment registers
 * belong to that: until they are what they were, only SS is certain to be good.
 */
#include <linux/linkage.h>
#include <asm/nospec-branch.h>
#include "../diff.h"
#include "selector.h"

	.bss
	.balign 64
SYM_DATA(diff_in,		.skip DR_WINDOW + DIFF_WINDOW)
	.balign 64
SYM_DATA(diff_out,		.skip DR_WINDOW + DIFF_WINDOW)
	.balign 4
SYM_DATA(diff_fn,		.skip 4)
SYM_DATA(diff_stub_sp,		.skip 4)
SYM_DATA(diff_path_target,	.skip 4)
SYM_DATA_LOCAL(diff_stub_seg,	.skip 4 * DIFF_NR_SEG)
SYM_DATA(diff_have_avx,		.skip 1)
SYM_DATA(diff_have_avx512,	.skip 1)

#define ALL_VEC(m)						\
	m  0; m  1; m  2; m  3; m  4; m  5; m  6; m  7

.macro load insn, kind, n
	\insn diff_in + DR_VEC + DIFF_VEC * \n, %\kind\n
.endm

.macro store insn, kind, n
	\insn %\kind\n, diff_out + DR_VEC + DIFF_VEC * \n
.endm

.macro keep_seg seg, nr
	movl %\seg, %eax
	movl %eax, diff_stub_seg + 4 * \nr
.endm

/* The segment register goes out, and is again what the stub found. */
.macro swap_seg seg, nr
	movl %\seg, %eax
	movl %eax, %ss:diff_out + DR_SEG + 4 * \nr
	movl %ss:diff_stub_seg + 4 * \nr, %eax
	movl %eax, %\seg
.endm

	.text

SYM_FUNC_START(diff_call)
	pushl %ebp
	pushl %ebx
	pushl %esi
	pushl %edi
	pushfl
	movl %esp, diff_stub_sp
	keep_seg ds, DS_DS
	keep_seg es, DS_ES
	keep_seg fs, DS_FS
	keep_seg gs, DS_GS

	/* What lies above the return address belongs to the comparison. */
	subl $DIFF_WINDOW, %esp
	movl $(diff_in + DR_WINDOW), %esi
	movl %esp, %edi
	movl $(DIFF_WINDOW / 4), %ecx
	rep movsl

	ldmxcsr diff_in + DR_MXCSR
	testb $1, diff_have_avx512
	jz 1f
	ALL_VEC(load vmovdqu64 zmm)
	jmp 3f
1:	testb $1, diff_have_avx
	jz 2f
	ALL_VEC(load vmovdqu ymm)
	jmp 3f
2:	ALL_VEC(load movdqu xmm)
3:
	movl $DIFF_SELECTOR, %eax
	movl %eax, %gs
	pushl diff_in + DR_FLAGS
	movl diff_in + 8 * 0, %eax
	movl diff_in + 8 * 1, %ecx
	movl diff_in + 8 * 2, %edx
	movl diff_in + 8 * 3, %ebx
	movl diff_in + 8 * 5, %ebp
	movl diff_in + 8 * 6, %esi
	movl diff_in + 8 * 7, %edi
	popfl
	ANNOTATE_RETPOLINE_SAFE
	call *diff_fn

	movl %eax, %ss:diff_out + 8 * 0
	swap_seg ds, DS_DS
	swap_seg es, DS_ES
	swap_seg fs, DS_FS
	swap_seg gs, DS_GS
	movl %ss, %eax
	movl %eax, diff_out + DR_SEG + 4 * DS_SS
	movl %ecx, diff_out + 8 * 1
	movl %edx, diff_out + 8 * 2
	movl %ebx, diff_out + 8 * 3
	movl %esp, diff_out + 8 * 4
	movl %ebp, diff_out + 8 * 5
	movl %esi, diff_out + 8 * 6
	movl %edi, diff_out + 8 * 7

	/*
	 * A mov leaves the flags alone. Neither the push may hit the window nor an
	 * interrupt: the stack pointer is never above it.
	 */
	movl diff_stub_sp, %eax
	leal -DIFF_WINDOW(%eax), %esp
	pushfl
	popl diff_out + DR_FLAGS
	cld
	movl %esp, %esi
	movl $(diff_out + DR_WINDOW), %edi
	movl $(DIFF_WINDOW / 4), %ecx
	rep movsl
	movl %esi, %esp
	popfl

	stmxcsr diff_out + DR_MXCSR
	testb $1, diff_have_avx512
	jz 4f
	ALL_VEC(store vmovdqu64 zmm)
	jmp 6f
4:	testb $1, diff_have_avx
	jz 5f
	ALL_VEC(store vmovdqu ymm)
	jmp 6f
5:	ALL_VEC(store movdqu xmm)
6:
	popl %edi
	popl %esi
	popl %ebx
	popl %ebp
	RET
SYM_FUNC_END(diff_call)

/*
 * A pre handler sends the execution here; it comes back to where the probe is.
 */
SYM_FUNC_START(diff_path_pad)
	pushl %ss:diff_path_target
	ANNOTATE_UNRET_SAFE
	ret
	int3
SYM_FUNC_END(diff_path_pad)

/* For the self-check: C code of the kernel has no way to touch a vector. */
SYM_FUNC_START(diff_spoil_vec)
	pcmpeqd %xmm7, %xmm7
	RET
SYM_FUNC_END(diff_spoil_vec)
