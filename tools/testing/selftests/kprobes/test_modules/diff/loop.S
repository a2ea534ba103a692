/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: direct jumps, and the branches that look at a count. */
#include "macros.S"
#include "words.h"

DIFF_TABLE_START diff_loop

.macro long_jmp to
	.byte 0xe9
	.long \to - . - 4
.endm

SNIP jmp_rel8, C_JMP
	I jmp 2f
	DI 0, 0, nop
1:	I inc %_ASM_AX
	I jmp 3f
2:	I jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_rel32, C_JMP
	I long_jmp 2f
	DI 0, 0, nop
1:	I inc %_ASM_AX
	I long_jmp 3f
2:	I long_jmp 1b
3:	DONE
ENDSNIP

SNIP jmp_next, C_JMP
	I .byte 0xeb, 0x00
	I .byte 0xe9, 0, 0, 0, 0
	I inc %_ASM_CX
	DONE
ENDSNIP

SNIP jmp_prefixed, C_JMP
	I .byte 0x2e, 0xeb, 0x01
	DI 0, 0, nop
	I .byte USELESS, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I .byte 0xf2, 0xe9, 0x01, 0, 0, 0
	DI 0, 0, nop
	I inc %_ASM_DX
	DONE
ENDSNIP

/* Never reached, only registered: a jump to itself, far away, to 16 bits. */
SNIP jmp_self, C_JMP
	I jmp 1f
	DI 0, 0, .byte 0xeb, 0xfe
	DI 0, 0, jmp diff_call
#ifdef CONFIG_X86_32
	DI 0, M_MAY, .byte 0x66, 0xe9, 0x00, 0x00
	DI 0, M_MAY, .byte 0x66, 0xeb, 0x00
#endif
1:	DONE
ENDSNIP

SNIP jcxz_zero, C_LOOP
	I movl $0, %ecx
	I JCXZ 1f
	DI 0, 0, inc %_ASM_AX
1:	I lea 1(%_ASM_BX), %_ASM_BX
	DONE
ENDSNIP

SNIP jcxz_nonzero, C_LOOP
	I or $1, %_ASM_CX
	I JCXZ 1f
	I inc %_ASM_AX
1:	DONE
ENDSNIP

SNIP jcxz_back, C_LOOP
	I xorl %ecx, %ecx
	I jmp 2f
1:	I inc %_ASM_AX
	I jmp 3f
2:	I JCXZ 1b
	DI 0, 0, inc %_ASM_BX
3:	DONE
ENDSNIP

/* Half of the register is zero: the address size says whether it counts. */
SNIP jcxz_half_high, C_LOOP
	I IMM $HALF(1), %_ASM_CX
	I JCXZ 1f
	I JCXZ_HALF 2f
	DI 0, 0, inc %_ASM_AX
1:	DI 0, 0, inc %_ASM_DX
2:	I inc %_ASM_BX
	DONE
ENDSNIP

SNIP jcxz_half_nonzero, C_LOOP
	I IMM $HALF(-1) + 1, %_ASM_CX
	I JCXZ_HALF 1f
	I inc %_ASM_AX
1:	DONE
ENDSNIP

SNIP loop_one, C_LOOP
	I movl $1, %ecx
1:	I lea 1(%_ASM_AX), %_ASM_AX
	I loop 1b
	DONE
ENDSNIP

SNIP loop_many, C_LOOP
	I movl $5, %ecx
1:	IN 5, lea 1(%_ASM_AX), %_ASM_AX
	IN 5, loop 1b
	DONE
ENDSNIP

/* From zero the count goes to its largest value, and the branch is taken. */
SNIP loop_zero, C_LOOP
	I movl $0, %ecx
	I loop 1f
	DI 0, 0, inc %_ASM_AX
1:	I lea 1(%_ASM_BX), %_ASM_BX
	DONE
ENDSNIP

SNIP loop_forward, C_LOOP
	I movl $2, %ecx
	I loop 1f
	DI 0, 0, inc %_ASM_AX
1:	I loop 2f
	I inc %_ASM_BX
2:	DONE
ENDSNIP

SNIP loope_equal, C_LOOP
	I xorl %eax, %eax
	I movl $3, %ecx
1:	IN 3, lea 1(%_ASM_BX), %_ASM_BX
	IN 3, loope 1b
	DONE
ENDSNIP

SNIP loope_differs, C_LOOP
	I orl $1, %eax
	I movl $3, %ecx
1:	I lea 1(%_ASM_BX), %_ASM_BX
	I loope 1b
	DONE
ENDSNIP

SNIP loope_flags, C_LOOP
	I movl $2, %ecx
	I loope 1f
	IC 5, lea 1(%_ASM_BX), %_ASM_BX
1:	DONE
ENDSNIP

SNIP loope_zero, C_LOOP
	I xorl %ecx, %ecx
	I loope 1f
	DI 0, 0, inc %_ASM_AX
1:	DONE
ENDSNIP

SNIP loopne_differs, C_LOOP
	I orl $1, %eax
	I movl $4, %ecx
1:	IN 4, lea 1(%_ASM_BX), %_ASM_BX
	IN 4, loopne 1b
	DONE
ENDSNIP

SNIP loopne_equal, C_LOOP
	I xorl %eax, %eax
	I movl $4, %ecx
1:	I lea 1(%_ASM_BX), %_ASM_BX
	I loopne 1b
	DONE
ENDSNIP

SNIP loopne_flags, C_LOOP
	I movl $2, %ecx
	I loopne 1f
	IC 4, lea 1(%_ASM_BX), %_ASM_BX
1:	DONE
ENDSNIP

SNIP loopne_last, C_LOOP
	I orl $1, %eax
	I movl $1, %ecx
	I loopne 1f
	I lea 1(%_ASM_BX), %_ASM_BX
1:	DONE
ENDSNIP

/* Only the lower half is counted down. The upper one becomes zero on 64 bit only. */
SNIP loop_half, C_LOOP
	I IMM $HALF(-5) + 3, %_ASM_CX
1:	IN 3, lea 1(%_ASM_AX), %_ASM_AX
	IN 3, ADDR_HALF loop 1b
	DONE
ENDSNIP

SNIP loop_half_zero, C_LOOP
	I IMM $HALF(-5), %_ASM_CX
	I ADDR_HALF loop 1f
	DI 0, 0, inc %_ASM_AX
1:	DONE
ENDSNIP

SNIP loope_half, C_LOOP
	I xorl %eax, %eax
	I IMM $HALF(0x7f00) + 2, %_ASM_CX
1:	IN 2, lea 1(%_ASM_AX), %_ASM_AX
	IN 2, ADDR_HALF loope 1b
	DONE
ENDSNIP

SNIP loopne_half, C_LOOP
	I orl $1, %eax
	I IMM $HALF(0x7f00) + 2, %_ASM_CX
1:	IN 2, lea 1(%_ASM_AX), %_ASM_AX
	IN 2, ADDR_HALF loopne 1b
	DONE
ENDSNIP

DIFF_TABLE_END diff_loop
