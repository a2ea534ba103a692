// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to probe that have to consist of certain instructions.
 */
#include <linux/linkage.h>
#include <linux/types.h>
#include <asm/alternative.h>
#include <asm/asm.h>

#include "targets.h"
#include "targets_plain.h"

/* Nothing but plain instructions: a jump may replace any two of them. */
asm(KTEST_BEGIN(ktest_plain)
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"1:	add	$2, " KR_AX "\n"
	"2:	sub	$2, " KR_AX "\n"
	"3:\n"
	ASM_RET
	KTEST_END(ktest_plain)
	KTEST_OFFSET(ktest_plain_mid, 1b, ktest_plain)
	KTEST_OFFSET(ktest_plain_last, 2b, ktest_plain)
	KTEST_OFFSET(ktest_plain_end, 3b, ktest_plain));

asm(KTEST_BEGIN(ktest_plain2)
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	add	$2, " KR_AX "\n"
	"	sub	$2, " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_plain2));

asm(KTEST_BEGIN(ktest_early)
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	add	$2, " KR_AX "\n"
	"	sub	$2, " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_early));

/* The branch, which is never taken, leads to behind the first byte. */
asm(KTEST_BEGIN(ktest_fixed)
	"	nop\n"
	"1:	test	" KR_ARG1L ", " KR_ARG1L "\n"
	"	jo	1b\n"
	"	lea	1(" KR_ARG1 "), %eax\n"
	ASM_RET
	KTEST_END(ktest_fixed));

asm(KTEST_BEGIN(ktest_locked)
	"1:	nop\n"
	LOCK_PREFIX "addl $0, -8(" KR_SP ")\n"
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_locked)
	KTEST_OFFSET(ktest_locked_at, 1b, ktest_locked));

asm(KTEST_BEGIN(ktest_tailed)
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	nop\n"
	"	nop\n"
	ASM_RET
	"1:	.fill	16, 1, 0x90\n"
	KTEST_END(ktest_tailed)
	KTEST_OFFSET(ktest_tailed_tail, 1b, ktest_tailed));

/* With a part elsewhere, which leads behind the first byte. */
asm(KTEST_BEGIN(ktest_parted)
	"	lea	2(" KR_ARG1 "), %eax\n"
	"1:	sub	$1, %eax\n"
	"	jo	ktest_parted.cold\n"
	ASM_RET
	KTEST_END(ktest_parted)
	".pushsection .text.unlikely, \"ax\", @progbits\n"
	".type ktest_parted.cold, @function\n"
	"ktest_parted.cold:\n"
	"	jmp	1b\n"
	".size ktest_parted.cold, . - ktest_parted.cold\n"
	".popsection\n");

asm(KTEST_BEGIN(ktest_load)
	"1:	" KR_LOAD "	(" KR_ARG1 "), " KR_AX "\n"
	"2:\n"
	ASM_RET
	"3:	mov	$-14, " KR_AX "\n"
	"	jmp	2b\n"
	_ASM_EXTABLE(1b, 3b)
	KTEST_END(ktest_load));

asm(KTEST_BEGIN(ktest_touch)
	"1:	" KR_LOAD "	(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_touch)
	KTEST_OFFSET(ktest_touch_insn, 1b, ktest_touch));

asm(KTEST_BEGIN(ktest_inner)
	"	push	" KR_BX "\n"
	"1:	" KR_LOAD "	(" KR_ARG1 "), " KR_AX "\n"
	"	pop	" KR_BX "\n"
	ASM_RET
	KTEST_END(ktest_inner)
	KTEST_OFFSET(ktest_inner_load, 1b, ktest_inner));

asm(KTEST_BEGIN(ktest_zeropad)
	"1:	" KR_LOAD "	(" KR_ARG1 "), " KR_AX "\n"
	"2:\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZEROPAD)
	KTEST_END(ktest_zeropad));

asm(KTEST_BEGIN(ktest_return)
	ASM_RET
	KTEST_END(ktest_return));

asm(KTEST_BEGIN(ktest_down)
	"	std\n"
	"1:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	add	$0, " KR_AX "\n"
	"	cld\n"
	ASM_RET
	KTEST_END(ktest_down)
	KTEST_OFFSET(ktest_down_mid, 1b, ktest_down));

/* As if between STAC and CLAC, which are not there on every CPU. */
asm(KTEST_BEGIN(ktest_open)
	"	pushf\n"
	"	pushf\n"
	"	orl	$0x40000, (" KR_SP ")\n"
	"	popf\n"
	"1:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	nop\n"
	"	popf\n"
	ASM_RET
	KTEST_END(ktest_open)
	KTEST_OFFSET(ktest_open_mid, 1b, ktest_open));

asm(KTEST_BEGIN(ktest_below)
	"	cmp	" KR_ARG2L ", " KR_ARG1L "\n"
	"1:	mov	$0, %eax\n"
	"	setb	%al\n"
	ASM_RET
	KTEST_END(ktest_below)
	KTEST_OFFSET(ktest_below_mid, 1b, ktest_below));

asm(KTEST_BEGIN(ktest_nops)
	"1:	.fill	" __stringify(KTEST_NOPS) ", 1, 0x90\n"
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_nops)
	KTEST_OFFSET(ktest_nops_first, 1b, ktest_nops));

asm(KTEST_BEGIN(ktest_write)
	"	mov	" KR_ARG1L ", (" KR_ARG2 ")\n"
	ASM_RET
	KTEST_END(ktest_write));

/*
 * Never called: an XOP instruction, of five bytes. To the decoder, and so to objtool, it
 * is POP, NOP, NOP and STC.
 */
asm(KTEST_BEGIN(ktest_xop)
	"	push	" KR_AX "\n"
	"	nop\n"
	"1:	.byte	0x8f, 0xe9, 0x90, 0x90, 0xf9\n"
	ASM_RET
	KTEST_END(ktest_xop)
	KTEST_OFFSET(ktest_xop_at, 1b, ktest_xop));

asm(KTEST_BEGIN(ktest_flags)
	"	pushf\n"
	"	pop	" KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_flags));

/* Likewise, with a branch to its second instruction that is never taken. */
asm(KTEST_BEGIN(ktest_flags_fixed)
	"	pushf\n"
	"1:	pop	" KR_AX "\n"
	"	test	" KR_AX ", " KR_AX "\n"
	"	js	2f\n"
	ASM_RET
	"2:	push	" KR_AX "\n"
	"	jmp	1b\n"
	KTEST_END(ktest_flags_fixed));

/*
 * Three functions in a row, of which the middle one is forbidden, and names
 * that the compiler might have given to copies of the middle and the last one.
 */
asm(KTEST_BEGIN(ktest_before)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_before)
	KTEST_BEGIN(ktest_black)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_black)
	KTEST_BEGIN(ktest_after)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_after)
	KTEST_BEGIN(ktest_black.isra.0)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_black.isra.0)
	KTEST_BEGIN(ktest_black.constprop.0)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_black.constprop.0)
	KTEST_BEGIN(ktest_after.isra.0)
	"	nop\n"
	ASM_RET
	KTEST_END(ktest_after.isra.0));

NOKPROBE_SYMBOL(ktest_black);
