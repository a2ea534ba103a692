/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: shifts, rotations and single bits. */
#include "../macros.S"

DIFF_TABLE_START diff_shift

.macro shift_op op
SNIP shift_\op, C_SHIFT, ptr=R_RDI, undef=F_OF|F_AF
	I \op\()b %ah
	I \op\()l %esi
	I \op\()l $5, %ebx
	I \op\()w (%edi)
	I \op\()l $3, 8(%edi)
	I \op\()l $9, diff_arena + 64
	DONE
ENDSNIP

SNIP shift_\op\()_cl, C_SHIFT, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_AF
	I \op\()b %cl, %al
	I \op\()l %cl, %esi
	I \op\()l %cl, (%edi)
	I \op\()l %cl, diff_arena + 72
	DONE
ENDSNIP
.endm

.irp op, rol, ror, rcl, rcr, shl, shr, sar
	shift_op \op
.endr

SNIP shift_double, C_SHIFT, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_AF
	I shldl $4, %eax, %ebx
	I shrdl %cl, %edx, %ebp
	I shldl %cl, %eax, (%edi)
	I shrdl $7, %esi, 8(%edi)
	I shldl $1, %edx, diff_arena + 80
	DONE
ENDSNIP

.macro bit_op op
SNIP bit_\op, C_BIT, ptr=R_RDI, idx=R_RCX|R_RSI, undef=F_OF|F_SF|F_AF|F_PF
	I \op\()l %ecx, %eax
	I \op\()l $17, %ebx
	I \op\()l %esi, (%edi)
	I \op\()l $6, 8(%edi)
	I \op\()l $30, diff_arena + 88
	DONE
ENDSNIP
.endm

.irp op, bt, bts, btr, btc
	bit_op \op
.endr

/* The bit number reaches beyond the operand, to the words before it. */
SNIP bit_string, C_BIT, ptr=R_RDI, undef=F_OF|F_SF|F_AF|F_PF
	I movl $-70, %ecx
	I btsl %ecx, (%edi)
	I movl $135, %edx
	I btrl %edx, (%edi)
	DONE
ENDSNIP

SNIP bit_scan, C_BIT, ptr=R_RDI, undef=F_OF|F_SF|F_AF|F_PF|F_CF
	I orl $0x100, %eax
	I bsfl %eax, %ebx
	I bsrl %eax, %ecx
	I orl $0x40, (%edi)
	I bsfl (%edi), %edx
	I orl $2, diff_arena + 96
	I bsrl diff_arena + 96, %esi
	DONE
ENDSNIP

SNIP bit_popcnt, C_BIT, need=N_POPCNT, ptr=R_RSI
	I popcntl %eax, %ebx
	I popcntl (%esi), %ecx
	I popcntw %dx, %di
	I popcntl diff_arena + 104, %ebp
	DONE
ENDSNIP

SNIP bit_count, C_BIT, need=N_ABM, ptr=R_RSI, undef=F_OF|F_SF|F_AF|F_PF
	I lzcntl %eax, %ebx
	I lzcntl (%esi), %ecx
	I tzcntl %edx, %edi
	I tzcntl diff_arena + 108, %ebp
	DONE
ENDSNIP

DIFF_TABLE_END diff_shift
