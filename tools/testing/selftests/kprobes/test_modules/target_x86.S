/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A function of which every instruction's place is known: plain ones, a branch,
 * stack operations and a long nop, of 1 to 10 bytes. What tests call through
 * pointers has its type's hash before it, which kCFI compares.
 */
#include <linux/cfi_types.h>
#include <linux/export.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>

SYM_TYPED_FUNC_START(kt_asm)
.Lkt0:	leaq	(%rdi,%rdi,2), %rax
.Lkt1:	addq	%rsi, %rax
.Lkt2:	pushq	%rbx
.Lkt3:	movabsq	$0x1122334455667788, %rbx
.Lkt4:	testb	$1, %dil
.Lkt5:	jz	.Lkt7
.Lkt6:	notq	%rbx
.Lkt7:	nopl	0x10(%rax,%rax,1)
.Lkt8:	popq	%rbx
.Lkt9:	RET
.Lkt_end:
SYM_FUNC_END(kt_asm)
EXPORT_SYMBOL_GPL(kt_asm)

/* Reads what its first argument points to. -1 if that cannot be read. */
SYM_FUNC_START(kt_read)
.Lkt_read:
	movq	(%rdi), %rax
	RET
.Lkt_fixup:
	movq	$-1, %rax
	RET
SYM_FUNC_END(kt_read)
EXPORT_SYMBOL_GPL(kt_read)
	_ASM_EXTABLE(.Lkt_read, .Lkt_fixup)

/* Returns to its caller and changes no register. */
SYM_FUNC_START(kt_just_return)
	RET
SYM_FUNC_END(kt_just_return)
EXPORT_SYMBOL_GPL(kt_just_return)

/* Read-only data knows the label: a jump over it would be led to. */
SYM_FUNC_START(kt_goto)
	nop
.Lkt_goto:
	ANNOTATE_NOENDBR
	leaq	(%rdi,%rdi,2), %rax
	RET
SYM_FUNC_END(kt_goto)

	.section .rodata
	.balign	8
	.quad	.Lkt_goto
	.balign	4
SYM_DATA_START(kt_asm_insns)
	.long	.Lkt0 - kt_asm, .Lkt1 - kt_asm, .Lkt2 - kt_asm, .Lkt3 - kt_asm
	.long	.Lkt4 - kt_asm, .Lkt5 - kt_asm, .Lkt6 - kt_asm, .Lkt7 - kt_asm
	.long	.Lkt8 - kt_asm, .Lkt9 - kt_asm, .Lkt_end - kt_asm
SYM_DATA_END(kt_asm_insns)
EXPORT_SYMBOL_GPL(kt_asm_insns)

SYM_DATA(kt_asm_count, .long (. - kt_asm_insns) / 4 - 1)
EXPORT_SYMBOL_GPL(kt_asm_count)
