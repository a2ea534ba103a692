/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: no-operations, integer arithmetic and logic, multiply, divide. */
#include "macros.S"

DIFF_TABLE_START diff_alu

/* All lengths the kernel itself patches in, and some no assembler makes. */
SNIP nop_short, C_NOP
	I nop
	I xchg %ax, %ax
	I .byte 0x0f, 0x1f, 0x00
	I .byte 0x0f, 0x1f, 0x40, 0x00
	I .byte 0x0f, 0x1f, 0x44, 0x00, 0x00
	DONE
ENDSNIP

SNIP nop_long, C_NOP
	I .byte 0x66, 0x0f, 0x1f, 0x44, 0x00, 0x00
	I .byte 0x0f, 0x1f, 0x80, 0x00, 0x00, 0x00, 0x00
	I .byte 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	I .byte 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	I .byte 0x66, 0x66, 0x0f, 0x1f, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00
	DONE
ENDSNIP

/* 15 bytes, the longest that an instruction can be: a slot is full of it. */
SNIP nop_longest, C_NOP
	I .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	DONE
ENDSNIP

SNIP nop_14, C_NOP
	I .byte 0x66, 0x66, 0x66, 0x66, 0x66, 0x2e, 0x0f, 0x1f, 0x84, 0, 0, 0, 0, 0
	DONE
ENDSNIP

SNIP nop_hints, C_NOP, ptr=R_RSI
	I pause
	I lfence
	I mfence
	I sfence
	I prefetcht0 (%rsi)
	I prefetchnta 64(%rsi)
	DONE
ENDSNIP

/* A NOP and CS and REX prefixes that mean nothing to it. */
SNIP nop_prefixed, C_NOP
	I .byte 0x48, 0x90
	I .byte 0x2e, 0x90
	I .byte 0x4f, 0x0f, 0x1f, 0x00
	DONE
ENDSNIP

/* In the middle of a function it marks nothing, and does nothing. */
SNIP nop_endbr, C_NOP
	I incq %rax
	I endbr64
	I incq %rdx
	DONE
ENDSNIP

/* The eight operations of the oldest opcode rows, in all their forms. */
.macro alu_op op
SNIP alu_\op\()_reg, C_ALU
	I \op\()b %cl, %ah
	I \op\()b %r9b, %sil
	I \op\()w %dx, %r10w
	I \op\()l %ebx, %edi
	I \op\()q %rsi, %r15
	I \op\()q %r8, %rax
	DONE
ENDSNIP

SNIP alu_\op\()_mem, C_ALU, ptr=R_RDI|R_R13, idx=R_RCX|R_R12
	I \op\()b %al, (%rdi)
	I \op\()w 16(%rdi), %bx
	I \op\()l %edx, -8(%rdi,%rcx,4)
	I \op\()q (%r13), %r14
	I \op\()q %r9, 0x20(%r13,%r12,8)
	DONE
ENDSNIP

SNIP alu_\op\()_imm, C_ALU, ptr=R_RDX
	I \op\()b $0x5a, %al
	I \op\()w $0x1234, %ax
	I \op\()l $0x89abcdef, %eax
	I \op\()q $-0x12345678, %rax
	I \op\()q $-3, %r11
	I \op\()l $0x76543210, 8(%rdx)
	I \op\()b $0x80, (%rdx)
	DONE
ENDSNIP

/* The displacement is counted from the end, behind the immediate. */
SNIP alu_\op\()_rip, C_ALU
	I \op\()q diff_arena + 64(%rip), %rbx
	I \op\()l %ecx, diff_arena + 72(%rip)
	I \op\()l $0x1020304, diff_arena + 80(%rip)
	I \op\()w $0x55aa, diff_arena + 84(%rip)
	I \op\()q $7, diff_arena + 88(%rip)
	DONE
ENDSNIP
.endm

.irp op, add, or, adc, sbb, and, sub, xor, cmp
	alu_op \op
.endr

SNIP alu_inc_dec, C_ALU, ptr=R_RSI
	I incb %ah
	I incl %r9d
	I decq %rbx
	I incw (%rsi)
	I decq diff_arena + 96(%rip)
	DONE
ENDSNIP

SNIP alu_neg_not, C_ALU, ptr=R_RSI
	I negb %dl
	I negq %r12
	I notl %ecx
	I negl (%rsi)
	I notq diff_arena + 104(%rip)
	DONE
ENDSNIP

SNIP alu_test, C_ALU, ptr=R_RBX
	I testb $0x81, %al
	I testl $0x80000001, %eax
	I testq %rsi, %rdi
	I testb %ch, (%rbx)
	I testq $0x100, 8(%rbx)
	I testl $0x10101010, diff_arena + 112(%rip)
	I testl $0x7f, %r14d
	DONE
ENDSNIP

SNIP alu_widen, C_ALU
	I cbtw
	I cwtl
	I cltq
	I cwtd
	I cltd
	I cqto
	DONE
ENDSNIP

SNIP mul_unsigned, C_MULDIV, ptr=R_RSI, undef=F_SZAP
	I mulb %cl
	I mulw %bx
	I mull %r9d
	I mulq %r8
	I mulq (%rsi)
	I mull diff_arena + 64(%rip)
	DONE
ENDSNIP

SNIP mul_signed, C_MULDIV, ptr=R_RSI, undef=F_SZAP
	I imulb %ch
	I imull %r10d
	I imulq 8(%rsi)
	I imulq %rbx, %rcx
	I imull (%rsi), %r11d
	DONE
ENDSNIP

SNIP mul_imm, C_MULDIV, ptr=R_RSI, undef=F_SZAP
	I imulq $100, %rbx, %rax
	I imull $0x12345, 4(%rsi), %ecx
	I imulw $-3, %dx, %di
	I imulq $0x7654321, diff_arena + 72(%rip), %r13
	DONE
ENDSNIP

/* The divisor is made larger than the upper half: no overflow, no trap. */
SNIP div_unsigned, C_MULDIV, undef=F_ALL
	I xorl %edx, %edx
	I orq $1, %rcx
	I divq %rcx
	I xorl %edx, %edx
	I orl $0x10, %r8d
	I divl %r8d
	I movzbl %al, %eax
	I orb $0x10, %bl
	I divb %bl
	DONE
ENDSNIP

SNIP div_signed, C_MULDIV, ptr=R_RDI, undef=F_ALL
	I movsbq %al, %rax
	I cqto
	I movq $-7, %rcx
	I idivq %rcx
	I cltd
	I movl $1000, (%rdi)
	I idivl (%rdi)
	DONE
ENDSNIP

DIFF_TABLE_END diff_alu
