/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: no-operations, integer arithmetic and logic. */
#include "../macros.S"

DIFF_TABLE_START diff_alu

/* All lengths the kernel itself patches in, and some no assembler makes. */
SNIP nop_short, C_NOP
	I nop
	I xchg %ax, %ax
	I .byte 0x0f, 0x1f, 0x00
	I .byte 0x0f, 0x1f, 0x40, 0x00
	I .byte 0x3e, 0x8d, 0x74, 0x26, 0x00
	DONE
ENDSNIP

SNIP nop_long, C_NOP
	I .byte 0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00
	I .byte 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00
	I .byte 0x3e, 0x8d, 0xb4, 0x26, 0x00, 0x00, 0x00, 0x00
	I .byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	DONE
ENDSNIP

/* 15 bytes, the longest that an instruction can be: a slot is full of it. */
SNIP nop_longest, C_NOP
	I .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	DONE
ENDSNIP

SNIP nop_hints, C_NOP, ptr=R_RSI
	I pause
	I lfence
	I mfence
	I sfence
	I prefetcht0 (%esi)
	I prefetchnta 64(%esi)
	I .byte 0x2e, 0x90
	DONE
ENDSNIP

SNIP nop_endbr, C_NOP
	I incl %eax
	I endbr32
	I incl %edx
	DONE
ENDSNIP

/* The eight operations of the oldest opcode rows, in all their forms. */
.macro alu_op op, nr
SNIP alu_\op\()_reg, C_ALU
	I \op\()b %cl, %ah
	I \op\()b %bh, %dl
	I \op\()w %dx, %bp
	I \op\()l %ebx, %edi
	I \op\()l %esi, %ecx
	DONE
ENDSNIP

SNIP alu_\op\()_mem, C_ALU, ptr=R_RDI|R_RBP, idx=R_RCX|R_RSI
	I \op\()b %al, (%edi)
	I \op\()w 16(%edi), %bx
	I \op\()l %edx, -8(%edi,%ecx,4)
	I \op\()l (%ebp), %edx
	I \op\()l %eax, 0x20(%ebp,%esi,8)
	DONE
ENDSNIP

SNIP alu_\op\()_imm, C_ALU, ptr=R_RDX
	I \op\()b $0x5a, %al
	I \op\()w $0x1234, %ax
	I \op\()l $0x89abcdef, %eax
	I \op\()l $-3, %ecx
	I \op\()l $0x76543210, 8(%edx)
	I \op\()b $0x80, (%edx)
	DONE
ENDSNIP

SNIP alu_\op\()_absolute, C_ALU
	I \op\()l diff_arena + 64, %ebx
	I \op\()l %ecx, diff_arena + 72
	I \op\()l $0x1020304, diff_arena + 80
	I \op\()w $0x55aa, diff_arena + 84
	DONE
ENDSNIP

/* What 64-bit code does not have: another byte for the first row of group 1. */
SNIP alu_\op\()_alias, C_ALU
	I .byte 0x82, 0xc2 + 8 * \nr, 0x7f
	DONE
ENDSNIP
.endm

alu_op add, 0
alu_op or, 1
alu_op adc, 2
alu_op sbb, 3
alu_op and, 4
alu_op sub, 5
alu_op xor, 6
alu_op cmp, 7

/* One byte each, where 64-bit code has its prefixes. */
SNIP alu_inc_short, C_ALU
	I incl %eax
	I incl %ecx
	I incl %edx
	I incl %ebx
	I incl %ebp
	I incl %esi
	I incl %edi
	I incw %ax
	I incw %di
	DONE
ENDSNIP

SNIP alu_dec_short, C_ALU
	I decl %eax
	I decl %ecx
	I decl %edx
	I decl %ebx
	I decl %ebp
	I decl %esi
	I decl %edi
	I decw %cx
	I decw %bp
	DONE
ENDSNIP

/* Before another instruction they are one, and no prefix of it. */
SNIP alu_inc_before, C_ALU
	I incl %eax
	I movl %eax, %ecx
	I decl %eax
	I addl %eax, %edx
	I decl %edi
	I nop
	DONE
ENDSNIP

/* Down first: what is above the stack pointer is not to be written over. */
SNIP alu_inc_sp, C_ALU
	I movl %esp, %ebp
	I decl %esp
	I movl %esp, %eax
	I incl %esp
	I subl %esp, %ebp
	DONE
ENDSNIP

SNIP alu_inc_dec, C_ALU, ptr=R_RSI
	I incb %ah
	I .byte 0xff, 0xc1
	I .byte 0xff, 0xcb
	I incw (%esi)
	I decl diff_arena + 96
	DONE
ENDSNIP

SNIP alu_neg_not, C_ALU, ptr=R_RSI
	I negb %dl
	I negl %edi
	I notl %ecx
	I negl (%esi)
	I notl diff_arena + 104
	DONE
ENDSNIP

SNIP alu_test, C_ALU, ptr=R_RBX
	I testb $0x81, %al
	I testl $0x80000001, %eax
	I testl %esi, %edi
	I testb %ch, (%ebx)
	I testl $0x10101010, diff_arena + 112
	I testl $0x7f, %ebp
	DONE
ENDSNIP

SNIP alu_widen, C_ALU
	I cbtw
	I cwtl
	I cwtd
	I cltd
	DONE
ENDSNIP

SNIP mul_unsigned, C_MULDIV, ptr=R_RSI, undef=F_SZAP
	I mulb %cl
	I mulw %bx
	I mull %edi
	I mull (%esi)
	I mull diff_arena + 64
	DONE
ENDSNIP

SNIP mul_signed, C_MULDIV, ptr=R_RSI, undef=F_SZAP
	I imulb %ch
	I imull %ebp
	I imull %ebx, %ecx
	I imull (%esi), %edx
	I imull $100, %ebx, %eax
	I imull $0x12345, 4(%esi), %ecx
	I imulw $-3, %dx, %di
	I imull $0x7654321, diff_arena + 72, %ebp
	DONE
ENDSNIP

/* The divisor is made larger than the upper half: no overflow, no trap. */
SNIP div_unsigned, C_MULDIV, undef=F_ALL
	I xorl %edx, %edx
	I orl $1, %ecx
	I divl %ecx
	I movzbl %al, %eax
	I orb $0x10, %bl
	I divb %bl
	DONE
ENDSNIP

SNIP div_signed, C_MULDIV, ptr=R_RDI, undef=F_ALL
	I movsbl %al, %eax
	I cltd
	I movl $-7, %ecx
	I idivl %ecx
	I cltd
	I movl $1000, (%edi)
	I idivl (%edi)
	DONE
ENDSNIP

DIFF_TABLE_END diff_alu
