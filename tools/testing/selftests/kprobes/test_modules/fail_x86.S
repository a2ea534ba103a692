/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of many instructions, each of which takes a probe that needs a slot
 * of its own, and a jump as well.
 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>
#include <asm/asm.h>

SYM_TYPED_FUNC_START(fail_many)
	lea	(%_ASM_ARG1,%_ASM_ARG1,2), %_ASM_AX
	add	%_ASM_ARG2, %_ASM_AX
.Lfirst:
	add	$0x1234567, %_ASM_AX
.Lsecond:
	sub	$0x1234567, %_ASM_AX
	.rept	99
	add	$0x1234567, %_ASM_AX
	sub	$0x1234567, %_ASM_AX
	.endr
.Lend:
	RET
SYM_FUNC_END(fail_many)

	.section .rodata
	.balign	4
SYM_DATA(fail_many_first, .long .Lfirst - fail_many)
SYM_DATA(fail_many_size, .long .Lsecond - .Lfirst)
SYM_DATA(fail_many_count, .long (.Lend - .Lfirst) / (.Lsecond - .Lfirst))
