/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: everything that asks for one of the sixteen conditions. */
#include "macros.S"
#include "words.h"

DIFF_TABLE_START diff_cond

/* Each condition with its number, and that of its opposite. */
.macro all_conditions do:req
	\do o, 0, 1
	\do no, 1, 0
	\do c, 2, 3
	\do nc, 3, 2
	\do z, 4, 5
	\do nz, 5, 4
	\do be, 6, 7
	\do a, 7, 6
	\do s, 8, 9
	\do ns, 9, 8
	\do p, 10, 11
	\do np, 11, 10
	\do l, 12, 13
	\do ge, 13, 12
	\do le, 14, 15
	\do g, 15, 14
.endm

.macro set_cc cc, nr, inv
SNIP set_\cc, C_COND, ptr=R_RDI, idx=R_RCX
	I set\cc %al
	I set\cc %REG9B
	I set\cc 3(%_ASM_DI,%_ASM_CX)
	I set\cc ARENA(17)
	DONE
ENDSNIP
.endm

.macro cmov_cc cc, nr, inv
SNIP cmov_\cc, C_COND, ptr=R_RDI
	I cmov\cc %_ASM_CX, %_ASM_AX
	I cmov\cc %esi, %REG9L
	I cmov\cc (%_ASM_DI), %dx
	I cmov\cc ARENA(24), %REG12
	DONE
ENDSNIP
.endm

/* Forward and backward, taken and not; lea leaves the flags as they are. */
.macro branches cc, nr, inv, forward:req, backward:req
	I \forward
	IC \inv, lea 1(%_ASM_AX), %_ASM_AX
1:	I jmp 3f
2:	IC \nr, lea 2(%_ASM_BX), %_ASM_BX
	IC \nr, jmp 4f
3:	I \backward
	IC \inv, lea 4(%_ASM_CX), %_ASM_CX
4:	I lea 8(%_ASM_DX), %_ASM_DX
	DONE
.endm

.macro jcc8 cc, nr, inv
SNIP jcc8_\cc, C_JCC8
	branches \cc, \nr, \inv, "j\cc 1f", "j\cc 2b"
ENDSNIP
.endm

/* Spelled out: the assembler would take the short form. */
.macro long_jcc nr, to
	.byte 0x0f, 0x80 + \nr
	.long \to - . - 4
.endm

.macro jcc32 cc, nr, inv
SNIP jcc32_\cc, C_JCC32
	branches \cc, \nr, \inv, "long_jcc \nr, 1f", "long_jcc \nr, 2b"
ENDSNIP
.endm

all_conditions set_cc
all_conditions cmov_cc
all_conditions jcc8
all_conditions jcc32

/* Hints of an old CPU before a branch, and branches to the next instruction. */
SNIP jcc8_prefixed, C_JCC8
	I .byte 0x2e, 0x74, 0x00
	I .byte 0x3e, 0x75, 0x00
	I jz 1f
1:	I jnz 2f
2:	DONE
ENDSNIP

SNIP jcc32_prefixed, C_JCC32
	I .byte 0x2e, 0x0f, 0x84, 0, 0, 0, 0
	I .byte 0x3e, 0x0f, 0x85, 0, 0, 0, 0
	I .byte USELESS, 0x0f, 0x82, 0, 0, 0, 0
	DONE
ENDSNIP

#ifdef CONFIG_X86_32
/* With 16 bits of an address: not run where it is taken, and may be refused. */
SNIP jcc_word, C_JCC8
	I jmp 1f
	DI 0, M_MAY, .byte 0x66, 0x74, 0x00
	DI 0, M_MAY, .byte 0x66, 0x0f, 0x84, 0x00, 0x00
1:	DONE
ENDSNIP
#endif

DIFF_TABLE_END diff_cond
