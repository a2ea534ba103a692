/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: the stack and the flags register. */
#include "macros.S"

DIFF_TABLE_START diff_stack

/* Each register through the stack into its neighbour, and back. */
.macro push_pop a, b
SNIP push_\a, C_STACK
	I pushq %\a
	I pushq %\b
	I popq %\a
	I popq %\b
	DONE
ENDSNIP
.endm

push_pop rax, rcx
push_pop rdx, rbx
push_pop rbp, rsi
push_pop rdi, r8
push_pop r9, r10
push_pop r11, r12
push_pop r13, r14
push_pop r15, rax

/* The value pushed is the one before the push. */
SNIP push_rsp, C_STACK
	I pushq %rsp
	I movq %rsp, %rbx
	I popq %rax
	I subq %rax, %rbx
	DONE
ENDSNIP

/* The value popped is the one left: pop does not add 8 to it. */
SNIP pop_rsp, C_STACK
	I movq %rsp, %rax
	I leaq -16(%rsp), %rcx
	I pushq %rcx
	I popq %rsp
	I movq %rsp, %rbx
	I movq %rax, %rsp
	DONE
ENDSNIP

SNIP push_imm, C_STACK
	I pushq $0x7f
	I pushq $-1
	I pushq $0x12345678
	I pushq $-0x12345678
	I popq %rax
	I popq %rbx
	I popq %rcx
	I popq %rdx
	DONE
ENDSNIP

SNIP push_mem, C_STACK, ptr=R_RDI|R_R12, idx=R_RCX
	I pushq (%rdi)
	I pushq 8(%r12,%rcx,8)
	I pushq diff_arena + 8(%rip)
	I pushq 8(%rsp)
	I popq %rax
	I popq %rbx
	I popq %rdx
	I popq %rsi
	DONE
ENDSNIP

/* An address made of %rsp is made after the pop has moved it. */
SNIP pop_mem, C_STACK, ptr=R_RDI|R_R13, idx=R_R9
	I pushq %rsi
	I pushq %rax
	I pushq %rbx
	I pushq %rcx
	I pushq %rdx
	I popq (%rdi)
	I popq 16(%r13,%r9,4)
	I popq 8(%rsp)
	I popq diff_arena + 72(%rip)
	I popq %rdx
	DONE
ENDSNIP

SNIP push_pop_rsp_mem, C_STACK
	I pushq 8(%rsp)
	I popq 16(%rsp)
	I pushq 24(%rsp)
	I popq 32(%rsp)
	DONE
ENDSNIP

SNIP push_word, C_STACK, ptr=R_RDI
	I movq %rsp, %rbp
	I pushw %ax
	I pushw $0x1234
	I pushw (%rdi)
	I movq %rsp, %rsi
	I popw %r8w
	I popw 2(%rdi)
	I popw %bx
	I subq %rsp, %rbp
	DONE
ENDSNIP

SNIP push_segment, C_STACK
	I pushq %fs
	I pushq %gs
	I popq %rax
	I popq %rcx
	DONE
ENDSNIP

SNIP push_rex, C_STACK
	I .byte 0x48, 0x50
	I .byte 0x4f, 0x58
	I pushq $5
	I .byte 0x48, 0x8f, 0xc3
	DONE
ENDSNIP

SNIP leave_frame, C_STACK
	I pushq %rbp
	I movq %rsp, %rbp
	I subq $32, %rsp
	I movq %rax, -8(%rbp)
	I movq -8(%rbp), %rbx
	I leave
	DONE
ENDSNIP

SNIP enter_frame, C_STACK
	I enter $32, $0
	I movq %rbp, %rax
	I subq %rsp, %rax
	I leave
	DONE
ENDSNIP

/* One level of nesting copies the frame pointer of the level above. */
SNIP enter_nested, C_STACK, ptr=R_RBP
	I enter $16, $1
	I movq %rbp, %rax
	I subq %rsp, %rax
	I movq -8(%rbp), %rcx
	I leave
	DONE
ENDSNIP

SNIP stack_arith, C_STACK
	I subq $16, %rsp
	I movq %rax, (%rsp)
	I movq %rbx, 8(%rsp)
	I andq $-16, (%rsp)
	I movq (%rsp), %rcx
	I addq $16, %rsp
	DONE
ENDSNIP

SNIP stack_swap, C_STACK
	I pushq %rax
	I xchgq %rbx, (%rsp)
	I popq %rcx
	I leaq -64(%rsp), %rax
	I xchgq %rax, %rsp
	I xchgq %rsp, %rax
	DONE
ENDSNIP

SNIP flags_push, C_FLAGS
	I pushfq
	I popq %rax
	I xorl %ebx, %ebx
	I pushfq
	I popq %rcx
	DONE
ENDSNIP

SNIP flags_pop, C_FLAGS
	I pushfq
	I movq (%rsp), %rax
	I xorq $F_ALL, (%rsp)
	I popfq
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

/* Every flag once in its two states, whatever came before. */
SNIP flags_pop_const, C_FLAGS
	I pushq $0x202
	I popfq
	I pushfq
	I popq %rax
	I pushq $0xad7
	I popfq
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_pop_df, C_FLAGS
	I pushq $0x602
	I popfq
	I pushfq
	I popq %rax
	I cld
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_pop_if, C_FLAGS
	I pushfq
	I pushq $0x002
	I popfq
	I pushfq
	I popq %rax
	I popfq
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_pop_ac, C_FLAGS, need=N_SMAP
	I pushfq
	I pushq $0x40202
	I popfq
	I pushfq
	I popq %rax
	I popfq
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

/*
 * 16 bits of flags: an emulator that moves 64 shifts the stack, and takes what
 * lies beside. Zeroes are put there, and the stack pointer has a copy.
 */
SNIP flags_word, C_FLAGS
	I movq %rsp, %rbp
	I pushq $0
	IM pushfw
	I movq %rsp, %rax
	I movw (%rsp), %cx
	IM popfw
	I movq %rsp, %rbx
	I movq %rbp, %rsp
	I pushfq
	I popq %rdx
	DONE
ENDSNIP

SNIP flags_carry, C_FLAGS
	I cmc
	I adcq $0, %rax
	I stc
	I adcq $0, %rbx
	I clc
	I adcq $0, %rcx
	DONE
ENDSNIP

SNIP flags_ah, C_FLAGS
	I lahf
	I movb %ah, %bl
	I movb %ch, %ah
	I sahf
	I lahf
	DONE
ENDSNIP

SNIP flags_direction, C_FLAGS
	I std
	I pushfq
	I popq %rax
	I cld
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_interrupt, C_FLAGS
	I cli
	I pushfq
	I popq %rax
	I sti
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_interrupt_twice, C_FLAGS
	I cli
	I cli
	I nop
	I pushfq
	I popq %rax
	I sti
	I sti
	I nop
	I pushfq
	I popq %rbx
	DONE
ENDSNIP

SNIP flags_save_restore, C_FLAGS
	I pushfq
	I popq %rax
	I cli
	I pushfq
	I popq %rbx
	I pushq %rax
	I popfq
	I pushfq
	I popq %rcx
	DONE
ENDSNIP

DIFF_TABLE_END diff_stack
