/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The functions of target_x86.S for 32 bit, where arguments are in EAX and EDX:
 * see there. Every instruction's place in kt_asm() is known, of 1 to 8 bytes.
 */
#include <linux/export.h>
#include <linux/linkage.h>
#include <asm/asm.h>

SYM_FUNC_START(kt_asm)
.Lkt0:	leal	(%eax,%eax,2), %ecx
.Lkt1:	leal	(%ecx,%edx), %eax
.Lkt2:	pushl	%ebx
.Lkt3:	movl	$0x11223344, %ebx
.Lkt4:	testb	$1, %cl
.Lkt5:	jz	.Lkt7
.Lkt6:	notl	%ebx
.Lkt7:	nopl	0x1000(%eax,%eax,1)
.Lkt8:	popl	%ebx
.Lkt9:	RET
.Lkt_end:
SYM_FUNC_END(kt_asm)
EXPORT_SYMBOL_GPL(kt_asm)

/* Reads what its first argument points to. -1 if that cannot be read. */
SYM_FUNC_START(kt_read)
.Lkt_read:
	movl	(%eax), %eax
	RET
.Lkt_fixup:
	movl	$-1, %eax
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
	leal	(%eax,%eax,2), %eax
	RET
SYM_FUNC_END(kt_goto)

	.section .rodata
	.balign	4
	.long	.Lkt_goto
SYM_DATA_START(kt_asm_insns)
	.long	.Lkt0 - kt_asm, .Lkt1 - kt_asm, .Lkt2 - kt_asm, .Lkt3 - kt_asm
	.long	.Lkt4 - kt_asm, .Lkt5 - kt_asm, .Lkt6 - kt_asm, .Lkt7 - kt_asm
	.long	.Lkt8 - kt_asm, .Lkt9 - kt_asm, .Lkt_end - kt_asm
SYM_DATA_END(kt_asm_insns)
EXPORT_SYMBOL_GPL(kt_asm_insns)

SYM_DATA(kt_asm_count, .long (. - kt_asm_insns) / 4 - 1)
EXPORT_SYMBOL_GPL(kt_asm_count)
