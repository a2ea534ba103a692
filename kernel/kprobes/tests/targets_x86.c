// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to probe that have to consist of certain instructions.
 */
#include <linux/linkage.h>
#include <linux/types.h>
#include <asm/asm.h>

#include "targets.h"
#include "testing.h"

/* Nothing but plain instructions: a jump may replace any two of them. */
asm(KPT_BEGIN(kpt_plain)
	"	lea	1(%rdi), %rax\n"
	"1:	add	$2, %rax\n"
	"2:	sub	$2, %rax\n"
	"3:\n"
	ASM_RET
	KPT_END(kpt_plain)
	KPT_OFFSET(kpt_plain_mid, 1b, kpt_plain)
	KPT_OFFSET(kpt_plain_last, 2b, kpt_plain)
	KPT_OFFSET(kpt_plain_end, 3b, kpt_plain));

asm(KPT_BEGIN(kpt_plain2)
	"	lea	1(%rdi), %rax\n"
	"	add	$2, %rax\n"
	"	sub	$2, %rax\n"
	ASM_RET
	KPT_END(kpt_plain2));

asm(KPT_BEGIN(kpt_early)
	"	lea	1(%rdi), %rax\n"
	"	add	$2, %rax\n"
	"	sub	$2, %rax\n"
	ASM_RET
	KPT_END(kpt_early));

/* The branch, which is never taken, leads to behind the first byte. */
asm(KPT_BEGIN(kpt_fixed)
	"	nop\n"
	"1:	test	%edi, %edi\n"
	"	jo	1b\n"
	"	lea	1(%rdi), %eax\n"
	ASM_RET
	KPT_END(kpt_fixed));

/* With a part elsewhere, which leads behind the first byte. */
asm(KPT_BEGIN(kpt_parted)
	"	lea	2(%rdi), %eax\n"
	"1:	sub	$1, %eax\n"
	"	jo	kpt_parted.cold\n"
	ASM_RET
	KPT_END(kpt_parted)
	".pushsection .text.unlikely, \"ax\", @progbits\n"
	".type kpt_parted.cold, @function\n"
	"kpt_parted.cold:\n"
	"	jmp	1b\n"
	".size kpt_parted.cold, . - kpt_parted.cold\n"
	".popsection\n");

asm(KPT_BEGIN(kpt_load)
	"1:	mov	(%rdi), %rax\n"
	"2:\n"
	ASM_RET
	"3:	mov	$-14, %rax\n"
	"	jmp	2b\n"
	_ASM_EXTABLE(1b, 3b)
	KPT_END(kpt_load));

asm(KPT_BEGIN(kpt_touch)
	"1:	mov	(%rdi), %rax\n"
	ASM_RET
	KPT_END(kpt_touch)
	KPT_OFFSET(kpt_touch_insn, 1b, kpt_touch));

asm(KPT_BEGIN(kpt_inner)
	"	push	%rbx\n"
	"1:	mov	(%rdi), %rax\n"
	"	pop	%rbx\n"
	ASM_RET
	KPT_END(kpt_inner)
	KPT_OFFSET(kpt_inner_load, 1b, kpt_inner));

asm(KPT_BEGIN(kpt_zeropad)
	"1:	mov	(%rdi), %rax\n"
	"2:\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZEROPAD)
	KPT_END(kpt_zeropad));

asm(KPT_BEGIN(kpt_return)
	ASM_RET
	KPT_END(kpt_return));

asm(KPT_BEGIN(kpt_down)
	"	std\n"
	"1:	lea	1(%rdi), %rax\n"
	"	add	$0, %rax\n"
	"	cld\n"
	ASM_RET
	KPT_END(kpt_down)
	KPT_OFFSET(kpt_down_mid, 1b, kpt_down));

/* As if between STAC and CLAC, which are not there on every CPU. */
asm(KPT_BEGIN(kpt_open)
	"	pushfq\n"
	"	pushfq\n"
	"	orl	$0x40000, (%rsp)\n"
	"	popfq\n"
	"1:	lea	1(%rdi), %rax\n"
	"	nop\n"
	"	popfq\n"
	ASM_RET
	KPT_END(kpt_open)
	KPT_OFFSET(kpt_open_mid, 1b, kpt_open));

asm(KPT_BEGIN(kpt_below)
	"	cmp	%esi, %edi\n"
	"1:	mov	$0, %eax\n"
	"	setb	%al\n"
	ASM_RET
	KPT_END(kpt_below)
	KPT_OFFSET(kpt_below_mid, 1b, kpt_below));

asm(KPT_BEGIN(kpt_nops)
	"1:	.fill	" __stringify(KPT_NOPS) ", 1, 0x90\n"
	"	lea	1(%rdi), %rax\n"
	ASM_RET
	KPT_END(kpt_nops)
	KPT_OFFSET(kpt_nops_first, 1b, kpt_nops));

asm(KPT_BEGIN(kpt_write)
	"	mov	%edi, (%rsi)\n"
	ASM_RET
	KPT_END(kpt_write));

asm(KPT_BEGIN(kpt_flags)
	"	pushfq\n"
	"	popq	%rax\n"
	ASM_RET
	KPT_END(kpt_flags));

/* The same, and a branch to its second instruction that is never taken. */
asm(KPT_BEGIN(kpt_flags_fixed)
	"	pushfq\n"
	"1:	popq	%rax\n"
	"	test	%rax, %rax\n"
	"	js	2f\n"
	ASM_RET
	"2:	pushq	%rax\n"
	"	jmp	1b\n"
	KPT_END(kpt_flags_fixed));

/*
 * Three functions in a row, of which the middle one is forbidden, and names
 * that the compiler might have given to copies of the middle and the last one.
 */
asm(KPT_BEGIN(kpt_before)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_before)
	KPT_BEGIN(kpt_black)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_black)
	KPT_BEGIN(kpt_after)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_after)
	KPT_BEGIN(kpt_black.isra.0)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_black.isra.0)
	KPT_BEGIN(kpt_black.constprop.0)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_black.constprop.0)
	KPT_BEGIN(kpt_after.isra.0)
	"	nop\n"
	ASM_RET
	KPT_END(kpt_after.isra.0));

NOKPROBE_SYMBOL(kpt_black);
