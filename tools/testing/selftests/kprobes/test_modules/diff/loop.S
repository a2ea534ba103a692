/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: direct jumps, and the branches that look at a count. */
#include "macros.S"

DIFF_TABLE_START diff_loop

.macro long_jmp to
	.byte 0xe9
	.long \to - . - 4
.endm

SNIP jmp_rel8, C_JMP
	I jmp 2f
	DI 0, 0, nop
1:	I incq %rax
	I jmp 3f
2:	I jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_rel32, C_JMP
	I long_jmp 2f
	DI 0, 0, nop
1:	I incq %rax
	I long_jmp 3f
2:	I long_jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_next, C_JMP
	I .byte 0xeb, 0x00
	I .byte 0xe9, 0, 0, 0, 0
	I incq %rcx
	DONE
ENDSNIP

SNIP jmp_prefixed, C_JMP
	I .byte 0x2e, 0xeb, 0x01
	DI 0, 0, nop
	I .byte 0x48, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I .byte 0xf2, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I incq %rdx
	DONE
ENDSNIP

/* Never reached, only registered: a jump to itself and one far away. */
SNIP jmp_self, C_JMP
	I jmp 1f
	DI 0, 0, .byte 0xeb, 0xfe
	DI 0, 0, jmp diff_call
1:	DONE
ENDSNIP

SNIP jrcxz_zero, C_LOOP
	I movl $0, %ecx
	I jrcxz 1f
	DI 0, 0, incq %rax
1:	I leaq 1(%rbx), %rbx
	DONE
ENDSNIP

SNIP jrcxz_nonzero, C_LOOP
	I orq $1, %rcx
	I jrcxz 1f
	I incq %rax
1:	DONE
ENDSNIP

SNIP jrcxz_back, C_LOOP
	I xorl %ecx, %ecx
	I jmp 2f
1:	I incq %rax
	I jmp 3f
2:	I jrcxz 1b
	DI 0, 0, incq %rbx
3:	DONE
ENDSNIP

/* Half of the register is zero: the address size says whether it counts. */
SNIP jecxz_high, C_LOOP
	I movabsq $0x100000000, %rcx
	I jrcxz 1f
	I jecxz 2f
	DI 0, 0, incq %rax
1:	DI 0, 0, incq %rdx
2:	I incq %rbx
	DONE
ENDSNIP

SNIP jecxz_nonzero, C_LOOP
	I movabsq $0xffffffff00000001, %rcx
	I jecxz 1f
	I incq %rax
1:	DONE
ENDSNIP

SNIP loop_one, C_LOOP
	I movl $1, %ecx
1:	I leaq 1(%rax), %rax
	I loop 1b
	DONE
ENDSNIP

SNIP loop_many, C_LOOP
	I movl $5, %ecx
1:	IN 5, leaq 1(%rax), %rax
	IN 5, loop 1b
	DONE
ENDSNIP

/* From zero the count goes to its largest value, and the branch is taken. */
SNIP loop_zero, C_LOOP
	I movl $0, %ecx
	I loop 1f
	DI 0, 0, incq %rax
1:	I leaq 1(%rbx), %rbx
	DONE
ENDSNIP

SNIP loop_forward, C_LOOP
	I movl $2, %ecx
	I loop 1f
	DI 0, 0, incq %rax
1:	I loop 2f
	I incq %rbx
2:	DONE
ENDSNIP

SNIP loope_equal, C_LOOP
	I xorl %eax, %eax
	I movl $3, %ecx
1:	IN 3, leaq 1(%rbx), %rbx
	IN 3, loope 1b
	DONE
ENDSNIP

SNIP loope_differs, C_LOOP
	I orl $1, %eax
	I movl $3, %ecx
1:	I leaq 1(%rbx), %rbx
	I loope 1b
	DONE
ENDSNIP

SNIP loope_flags, C_LOOP
	I movl $2, %ecx
	I loope 1f
	IC 5, leaq 1(%rbx), %rbx
1:	DONE
ENDSNIP

SNIP loope_zero, C_LOOP
	I xorl %ecx, %ecx
	I loope 1f
	DI 0, 0, incq %rax
1:	DONE
ENDSNIP

SNIP loopne_differs, C_LOOP
	I orl $1, %eax
	I movl $4, %ecx
1:	IN 4, leaq 1(%rbx), %rbx
	IN 4, loopne 1b
	DONE
ENDSNIP

SNIP loopne_equal, C_LOOP
	I xorl %eax, %eax
	I movl $4, %ecx
1:	I leaq 1(%rbx), %rbx
	I loopne 1b
	DONE
ENDSNIP

SNIP loopne_flags, C_LOOP
	I movl $2, %ecx
	I loopne 1f
	IC 4, leaq 1(%rbx), %rbx
1:	DONE
ENDSNIP

SNIP loopne_last, C_LOOP
	I orl $1, %eax
	I movl $1, %ecx
	I loopne 1f
	I leaq 1(%rbx), %rbx
1:	DONE
ENDSNIP

/* Only the lower half is counted down, and the upper half becomes zero. */
SNIP loop_addr32, C_LOOP
	I movabsq $0xabcdef0100000003, %rcx
1:	IN 3, leaq 1(%rax), %rax
	IN 3, addr32 loop 1b
	DONE
ENDSNIP

SNIP loop_addr32_zero, C_LOOP
	I movabsq $0xabcdef0100000000, %rcx
	I addr32 loop 1f
	DI 0, 0, incq %rax
1:	DONE
ENDSNIP

SNIP loope_addr32, C_LOOP
	I xorl %eax, %eax
	I movabsq $0x7f00000000000002, %rcx
1:	IN 2, leaq 1(%rax), %rax
	IN 2, addr32 loope 1b
	DONE
ENDSNIP

SNIP loopne_addr32, C_LOOP
	I orl $1, %eax
	I movabsq $0x7f00000000000002, %rcx
1:	IN 2, leaq 1(%rax), %rax
	IN 2, addr32 loopne 1b
	DONE
ENDSNIP

DIFF_TABLE_END diff_loop
