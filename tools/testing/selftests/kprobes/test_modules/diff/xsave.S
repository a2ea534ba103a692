/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: what saves and restores the state of the vector registers. The area
 * is the arena, which an instruction can reach by a register or by %rip.
 */
#include "macros.S"

DIFF_TABLE_START diff_xsave

/* Of the header only what belongs to the saved components is written. */
.macro clear_header
	I leaq diff_arena(%rip), %rsi
	I pxor %xmm0, %xmm0
	I movdqa %xmm0, 512(%rsi)
	I movdqa %xmm0, 528(%rsi)
	I movdqa %xmm0, 544(%rsi)
	I movdqa %xmm0, 560(%rsi)
.endm

/* SSE and AVX: the rest is not the snippet's, and may change meanwhile. */
.macro saved name, need, save, restore
SNIP xsave_\name, C_XSAVE, need=\need
	clear_header
	I movl $6, %eax
	I xorl %edx, %edx
	I \save (%rsi)
	I pcmpeqd %xmm1, %xmm1
	I pcmpeqd %xmm15, %xmm15
	I \restore diff_arena(%rip)
	I leaq 1(%rax), %rax
	DONE
ENDSNIP
.endm

saved legacy, N_XSAVE, xsave, xrstor
saved legacy64, N_XSAVE, xsave64, xrstor64
saved compact, N_XSAVEC, xsavec, xrstor
saved compact64, N_XSAVEC, xsavec64, xrstor64
saved super, N_XSAVES, xsaves, xrstors
saved super64, N_XSAVES, xsaves64, xrstors64

SNIP xsave_xgetbv, C_XSAVE, need=N_XSAVE
	I xorl %ecx, %ecx
	I xgetbv
	I leaq 1(%rax), %rax
	DONE
ENDSNIP

DIFF_TABLE_END diff_xsave
