/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: what saves and restores the state of the vector registers,
 * in the arena.
 */
#include "../macros.S"

DIFF_TABLE_START diff_xsave

/* Of the header only what belongs to the saved components is written. */
.macro clear_header
	I leal diff_arena, %esi
	I pxor %xmm0, %xmm0
	I movdqa %xmm0, 512(%esi)
	I movdqa %xmm0, 528(%esi)
	I movdqa %xmm0, 544(%esi)
	I movdqa %xmm0, 560(%esi)
.endm

/* SSE and AVX: the rest is not the snippet's, and may change meanwhile. */
.macro saved name, need, save, restore
SNIP xsave_\name, C_XSAVE, need=\need
	clear_header
	I movl $6, %eax
	I xorl %edx, %edx
	I \save (%esi)
	I pcmpeqd %xmm1, %xmm1
	I pcmpeqd %xmm7, %xmm7
	I \restore diff_arena
	I leal 1(%eax), %eax
	DONE
ENDSNIP
.endm

saved legacy, N_XSAVE, xsave, xrstor
saved compact, N_XSAVEC, xsavec, xrstor
saved super, N_XSAVES, xsaves, xrstors

SNIP xsave_xgetbv, C_XSAVE, need=N_XSAVE
	I xorl %ecx, %ecx
	I xgetbv
	I leal 1(%eax), %eax
	DONE
ENDSNIP

DIFF_TABLE_END diff_xsave
