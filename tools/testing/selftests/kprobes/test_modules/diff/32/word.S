/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: 16-bit addresses, which reach no kernel memory but through
 * a segment whose base is there, and 16-bit operands where they move the stack.
 * The upper halves of registers are random, and no part of the address.
 */
#include "../macros.S"

DIFF_TABLE_START diff_word

SNIP word_load, C_WORD
	I movw $8, %bx
	I movw $16, %si
	I movw $24, %di
	I movw $32, %bp
	I movl %gs:(%bx,%si), %eax
	I addl %gs:(%bx,%di), %eax
	I xorl %gs:(%bp,%si), %eax
	I subl %gs:(%bp,%di), %eax
	I movl %gs:(%si), %ecx
	I addl %gs:(%di), %ecx
	I movl %gs:(%bx), %edx
	DONE
ENDSNIP

SNIP word_displaced, C_WORD
	I movw $8, %bx
	I movw $-16, %si
	I movw $0xff00, %bp
	I movl %gs:8(%bx), %eax
	I movw %gs:0x40(%bx,%si), %cx
	I movb %gs:0x0130(%bp), %dl
	I addr16 movl %gs:0x20, %edi
	I addr16 movl %gs:0x24, %eax
	DONE
ENDSNIP

SNIP word_store, C_WORD
	I movw $64, %bx
	I movw $16, %di
	I movl %eax, %gs:(%bx)
	I movw $0x1234, %gs:8(%bx)
	I movl $0x12345678, %gs:(%bx,%di)
	I incl %gs:4(%bx,%di)
	I addr16 movl %ecx, %gs:0x70
	DONE
ENDSNIP

SNIP word_lea, C_WORD
	I leal (%bx,%si), %eax
	I leaw 5(%bp,%di), %cx
	I leal -1(%bx), %edx
	I leaw 0x1234(%si), %bp
	DONE
ENDSNIP

SNIP word_stack, C_WORD
	I movw $24, %bx
	I pushl %gs:(%bx)
	I pushw %gs:4(%bx)
	I popw %gs:12(%bx)
	I popl %gs:16(%bx)
	DONE
ENDSNIP

SNIP word_jmp, C_WORD
	I movw $24, %bx
	I leal 1f, %eax
	I movl %eax, %gs:8(%bx)
	ANNOTATE_RETPOLINE_SAFE
	IM jmp *%gs:8(%bx)
	DI 0, 0, incl %ecx
1:	I incl %edx
	DONE
ENDSNIP

SNIP word_call, C_WORD
	I movw $24, %si
	I leal 1f, %eax
	I movl %eax, %gs:(%si)
	ANNOTATE_RETPOLINE_SAFE
	IM call *%gs:(%si)
	I incl %ecx
	DONE
1:	I movl (%esp), %edx
	IB ret
ENDSNIP

/* SI, DI and CX alone, all three of them beside random halves. */
SNIP word_string, C_WORD
	I movl %gs, %eax
	I movl %eax, %es
	I movw $8, %si
	I movw $72, %di
	I movw $5, %cx
	I .byte 0x67, 0x65, 0xf3, 0xa4
	I .byte 0x67, 0x65, 0xac
	I .byte 0x67, 0xab
	I movw $3, %cx
	I .byte 0x67, 0x65, 0xf3, 0xa6
	I movl %ds, %edx
	I movl %edx, %es
	DONE
ENDSNIP

SNIP word_xlat, C_WORD
	I movw $8, %bx
	I andb $0x3f, %al
	I .byte 0x67, 0x65, 0xd7
	DONE
ENDSNIP

/* What 16 bits of operands leave alone is the upper half. */
SNIP word_operand, C_WORD, ptr=R_RSI, undef=F_ALL
	I addw %ax, %cx
	I movw (%esi), %dx
	I incw %bx
	I decw %di
	I negw %ax
	I shlw $3, %cx
	I imulw %cx, %dx
	I xchgw %ax, %bp
	I movw $0x8001, %bx
	I cwtd
	I rolw %cl, (%esi)
	DONE
ENDSNIP

/* A frame of 16 bits: the upper half of the pointer is that of the stack's. */
SNIP word_frame, C_WORD
	I movl %esp, %esi
	I movl %esp, %ebp
	I enterw $8, $0
	I movl %ebp, %eax
	I subl %esp, %eax
	I leavew
	I movl %esp, %ecx
	I movl %esi, %esp
	DONE
ENDSNIP

/* The prefix changes nothing of these. */
SNIP word_ignored, C_WORD
	I addr16 nop
	I addr16 incl %eax
	I addr16 addl $0x12345678, %ecx
	I addr16 pushl %eax
	I addr16 popl %edx
	DONE
ENDSNIP

DIFF_TABLE_END diff_word
