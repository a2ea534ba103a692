/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: the stack and the flags register. */
#include "../macros.S"

DIFF_TABLE_START diff_stack

/* Each register through the stack into its neighbour, and back. */
.macro push_pop a, b
SNIP push_\a, C_STACK
	I pushl %\a
	I pushl %\b
	I popl %\a
	I popl %\b
	DONE
ENDSNIP
.endm

push_pop eax, ecx
push_pop edx, ebx
push_pop ebp, esi
push_pop edi, eax

/* The value pushed is the one before the push. */
SNIP push_esp, C_STACK
	I pushl %esp
	I movl %esp, %ebx
	I popl %eax
	I subl %eax, %ebx
	DONE
ENDSNIP

/* The value popped is the one left: pop does not add 4 to it. */
SNIP pop_esp, C_STACK
	I movl %esp, %eax
	I leal -16(%esp), %ecx
	I pushl %ecx
	I popl %esp
	I movl %esp, %ebx
	I movl %eax, %esp
	DONE
ENDSNIP

SNIP push_imm, C_STACK
	I pushl $0x7f
	I pushl $-1
	I pushl $0x12345678
	I pushl $-0x12345678
	I popl %eax
	I popl %ebx
	I popl %ecx
	I popl %edx
	DONE
ENDSNIP

SNIP push_mem, C_STACK, ptr=R_RDI|R_RBP, idx=R_RCX
	I pushl (%edi)
	I pushl 8(%ebp,%ecx,8)
	I pushl diff_arena + 8
	I pushl 8(%esp)
	I popl %eax
	I popl %ebx
	I popl %edx
	I popl %esi
	DONE
ENDSNIP

/* An address made of %esp is made after the pop has moved it. */
SNIP pop_mem, C_STACK, ptr=R_RDI|R_RBP, idx=R_RSI
	I pushl %esi
	I pushl %eax
	I pushl %ebx
	I pushl %ecx
	I pushl %edx
	I popl (%edi)
	I popl 16(%ebp,%esi,4)
	I popl 4(%esp)
	I popl diff_arena + 72
	I popl %edx
	DONE
ENDSNIP

SNIP push_pop_esp_mem, C_STACK
	I pushl 8(%esp)
	I popl 16(%esp)
	I pushl 24(%esp)
	I popl 32(%esp)
	I pushl %eax
	I pushl %edx
	I popl (%esp)
	I popl %ecx
	I movl %esp, %edx
	DONE
ENDSNIP

SNIP push_word, C_STACK, ptr=R_RDI
	I movl %esp, %ebp
	I pushw %ax
	I pushw $0x1234
	I pushw $-3
	I pushw (%edi)
	I movl %esp, %esi
	I popw %cx
	I popw 2(%edi)
	I popw %bx
	I popw %dx
	I subl %esp, %ebp
	DONE
ENDSNIP

/* The stack pointer among them is pushed as it was, and not popped. */
SNIP push_all, C_STACK
	I pushal
	I movl %esp, %eax
	I movl 12(%esp), %ecx
	I notl 4(%esp)
	I notl 12(%esp)
	I notl 28(%esp)
	I popal
	I movl %esp, %ebx
	DONE
ENDSNIP

SNIP push_all_word, C_STACK
	I pushaw
	I movl %esp, %eax
	I movw 6(%esp), %cx
	I notw 2(%esp)
	I notw 14(%esp)
	I popaw
	I movl %esp, %ebx
	DONE
ENDSNIP

SNIP leave_frame, C_STACK
	I pushl %ebp
	I movl %esp, %ebp
	I subl $32, %esp
	I movl %eax, -8(%ebp)
	I movl -8(%ebp), %ebx
	I leave
	DONE
ENDSNIP

SNIP enter_frame, C_STACK
	I enter $32, $0
	I movl %ebp, %eax
	I subl %esp, %eax
	I leave
	DONE
ENDSNIP

/* One level of nesting copies the frame pointer of the level above. */
SNIP enter_nested, C_STACK, ptr=R_RBP
	I enter $16, $1
	I movl %ebp, %eax
	I subl %esp, %eax
	I movl -4(%ebp), %ecx
	I leave
	DONE
ENDSNIP

/* Two levels read one frame pointer from where the last one points to. */
SNIP enter_twice, C_STACK
	I pushl %ebp
	I movl %esp, %ebp
	I pushl $0x5555
	I enter $8, $2
	I movl -4(%ebp), %ecx
	I movl -8(%ebp), %edx
	I leave
	I popl %esi
	I popl %ebp
	DONE
ENDSNIP

SNIP stack_arith, C_STACK
	I subl $16, %esp
	I movl %eax, (%esp)
	I movl %ebx, 8(%esp)
	I andl $-16, (%esp)
	I movl (%esp), %ecx
	I addl $16, %esp
	DONE
ENDSNIP

SNIP stack_swap, C_STACK
	I pushl %eax
	I xchgl %ebx, (%esp)
	I popl %ecx
	I leal -64(%esp), %eax
	I xchgl %eax, %esp
	I xchgl %esp, %eax
	DONE
ENDSNIP

SNIP flags_push, C_FLAGS
	I pushfl
	I popl %eax
	I xorl %ebx, %ebx
	I pushfl
	I popl %ecx
	DONE
ENDSNIP

SNIP flags_pop, C_FLAGS
	I pushfl
	I movl (%esp), %eax
	I xorl $F_ALL, (%esp)
	I popfl
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

/* Every flag once in its two states, whatever came before. */
SNIP flags_pop_const, C_FLAGS
	I pushl $0x202
	I popfl
	I pushfl
	I popl %eax
	I pushl $0xad7
	I popfl
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_pop_df, C_FLAGS
	I pushl $0x602
	I popfl
	I pushfl
	I popl %eax
	I cld
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_pop_if, C_FLAGS
	I pushfl
	I pushl $0x002
	I popfl
	I pushfl
	I popl %eax
	I popfl
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_pop_ac, C_FLAGS, need=N_SMAP
	I pushfl
	I pushl $0x40202
	I popfl
	I pushfl
	I popl %eax
	I popfl
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

/*
 * 16 bits of flags: an emulator that moves 32 shifts the stack, and takes what
 * lies beside. Zeroes are put there, and the stack pointer has a copy.
 */
SNIP flags_word, C_FLAGS
	I movl %esp, %ebp
	I pushl $0
	IM pushfw
	I movl %esp, %eax
	I movw (%esp), %cx
	IM popfw
	I movl %esp, %ebx
	I movl %ebp, %esp
	I pushfl
	I popl %edx
	DONE
ENDSNIP

SNIP flags_carry, C_FLAGS
	I cmc
	I adcl $0, %eax
	I stc
	I adcl $0, %ebx
	I clc
	I adcl $0, %ecx
	DONE
ENDSNIP

/* SALC has no name, and the kernel's decoder does not know it. */
SNIP flags_ah, C_FLAGS
	I lahf
	I movb %ah, %bl
	IM .byte 0xd6
	I movb %al, %bh
	I movb %ch, %ah
	I sahf
	I lahf
	DONE
ENDSNIP

SNIP flags_direction, C_FLAGS
	I std
	I pushfl
	I popl %eax
	I cld
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_interrupt, C_FLAGS
	I cli
	I pushfl
	I popl %eax
	I sti
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_interrupt_twice, C_FLAGS
	I cli
	I cli
	I nop
	I pushfl
	I popl %eax
	I sti
	I sti
	I nop
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP flags_save_restore, C_FLAGS
	I pushfl
	I popl %eax
	I cli
	I pushfl
	I popl %ebx
	I pushl %eax
	I popfl
	I pushfl
	I popl %ecx
	DONE
ENDSNIP

DIFF_TABLE_END diff_stack
