/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: direct jumps, and the branches that look at a count. */
#include "../macros.S"

DIFF_TABLE_START diff_loop

.macro long_jmp to
	.byte 0xe9
	.long \to - . - 4
.endm

SNIP jmp_rel8, C_JMP
	I jmp 2f
	DI 0, 0, nop
1:	I incl %eax
	I jmp 3f
2:	I jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_rel32, C_JMP
	I long_jmp 2f
	DI 0, 0, nop
1:	I incl %eax
	I long_jmp 3f
2:	I long_jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_next, C_JMP
	I .byte 0xeb, 0x00
	I .byte 0xe9, 0, 0, 0, 0
	I incl %ecx
	DONE
ENDSNIP

SNIP jmp_prefixed, C_JMP
	I .byte 0x2e, 0xeb, 0x01
	DI 0, 0, nop
	I .byte 0x3e, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I .byte 0xf2, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I incl %edx
	DONE
ENDSNIP

/* Never reached, only registered: a jump to itself, far away, to 16 bits. */
SNIP jmp_self, C_JMP
	I jmp 1f
	DI 0, 0, .byte 0xeb, 0xfe
	DI 0, 0, jmp diff_call
	DI 0, M_MAY, .byte 0x66, 0xe9, 0x00, 0x00
	DI 0, M_MAY, .byte 0x66, 0xeb, 0x00
1:	DONE
ENDSNIP

SNIP jecxz_zero, C_LOOP
	I movl $0, %ecx
	I jecxz 1f
	DI 0, 0, incl %eax
1:	I leal 1(%ebx), %ebx
	DONE
ENDSNIP

SNIP jecxz_nonzero, C_LOOP
	I orl $1, %ecx
	I jecxz 1f
	I incl %eax
1:	DONE
ENDSNIP

SNIP jecxz_back, C_LOOP
	I xorl %ecx, %ecx
	I jmp 2f
1:	I incl %eax
	I jmp 3f
2:	I jecxz 1b
	DI 0, 0, incl %ebx
3:	DONE
ENDSNIP

/* Half of the register is zero: the address size says whether it counts. */
SNIP jcxz_high, C_LOOP
	I movl $0x10000, %ecx
	I jecxz 1f
	I jcxz 2f
	DI 0, 0, incl %eax
1:	DI 0, 0, incl %edx
2:	I incl %ebx
	DONE
ENDSNIP

SNIP jcxz_nonzero, C_LOOP
	I movl $0xffff0001, %ecx
	I jcxz 1f
	I incl %eax
1:	DONE
ENDSNIP

SNIP loop_one, C_LOOP
	I movl $1, %ecx
1:	I leal 1(%eax), %eax
	I loop 1b
	DONE
ENDSNIP

SNIP loop_many, C_LOOP
	I movl $5, %ecx
1:	IN 5, leal 1(%eax), %eax
	IN 5, loop 1b
	DONE
ENDSNIP

/* From zero the count goes to its largest value, and the branch is taken. */
SNIP loop_zero, C_LOOP
	I movl $0, %ecx
	I loop 1f
	DI 0, 0, incl %eax
1:	I leal 1(%ebx), %ebx
	DONE
ENDSNIP

SNIP loop_forward, C_LOOP
	I movl $2, %ecx
	I loop 1f
	DI 0, 0, incl %eax
1:	I loop 2f
	I incl %ebx
2:	DONE
ENDSNIP

SNIP loope_equal, C_LOOP
	I xorl %eax, %eax
	I movl $3, %ecx
1:	IN 3, leal 1(%ebx), %ebx
	IN 3, loope 1b
	DONE
ENDSNIP

SNIP loope_differs, C_LOOP
	I orl $1, %eax
	I movl $3, %ecx
1:	I leal 1(%ebx), %ebx
	I loope 1b
	DONE
ENDSNIP

SNIP loope_flags, C_LOOP
	I movl $2, %ecx
	I loope 1f
	IC 5, leal 1(%ebx), %ebx
1:	DONE
ENDSNIP

SNIP loopne_differs, C_LOOP
	I orl $1, %eax
	I movl $4, %ecx
1:	IN 4, leal 1(%ebx), %ebx
	IN 4, loopne 1b
	DONE
ENDSNIP

SNIP loopne_equal, C_LOOP
	I xorl %eax, %eax
	I movl $4, %ecx
1:	I leal 1(%ebx), %ebx
	I loopne 1b
	DONE
ENDSNIP

SNIP loopne_flags, C_LOOP
	I movl $2, %ecx
	I loopne 1f
	IC 4, leal 1(%ebx), %ebx
1:	DONE
ENDSNIP

/* Only the lower half is counted down, and the upper half stays. */
SNIP loop_addr16, C_LOOP
	I movl $0xabcd0003, %ecx
1:	IN 3, leal 1(%eax), %eax
	IN 3, addr16 loop 1b
	DONE
ENDSNIP

SNIP loop_addr16_zero, C_LOOP
	I movl $0xabcd0000, %ecx
	I addr16 loop 1f
	DI 0, 0, incl %eax
1:	DONE
ENDSNIP

SNIP loope_addr16, C_LOOP
	I xorl %eax, %eax
	I movl $0x7f000002, %ecx
1:	IN 2, leal 1(%eax), %eax
	IN 2, addr16 loope 1b
	DONE
ENDSNIP

SNIP loopne_addr16, C_LOOP
	I orl $1, %eax
	I movl $0x7f000002, %ecx
1:	IN 2, leal 1(%eax), %eax
	IN 2, addr16 loopne 1b
	DONE
ENDSNIP

DIFF_TABLE_END diff_loop
