/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of many instructions, each of which takes a probe that needs a slot
 * of its own, and a jump as well.
 */
#include <linux/cfi_types.h>
#include <linux/linkage.h>

SYM_TYPED_FUNC_START(fail_many)
	leaq	(%rdi,%rdi,2), %rax
	addq	%rsi, %rax
.Lfirst:
	addq	$0x1234567, %rax
.Lsecond:
	subq	$0x1234567, %rax
	.rept	99
	addq	$0x1234567, %rax
	subq	$0x1234567, %rax
	.endr
.Lend:
	RET
SYM_FUNC_END(fail_many)

	.section .rodata
	.balign	4
SYM_DATA(fail_many_first, .long .Lfirst - fail_many)
SYM_DATA(fail_many_size, .long .Lsecond - .Lfirst)
SYM_DATA(fail_many_count, .long (.Lend - .Lfirst) / 6)
