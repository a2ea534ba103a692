/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: shifts, rotations and single bits. */
#include "macros.S"

DIFF_TABLE_START diff_shift

.macro shift_op op
SNIP shift_\op, C_SHIFT, ptr=R_RDI, undef=F_OF|F_AF
	I \op\()b %ah
	I \op\()q %r8
	I \op\()l $5, %ebx
	I \op\()q $33, %r11
	I \op\()w (%rdi)
	I \op\()l $3, 8(%rdi)
	I \op\()q $9, diff_arena + 64(%rip)
	DONE
ENDSNIP

SNIP shift_\op\()_cl, C_SHIFT, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_AF
	I \op\()b %cl, %al
	I \op\()l %cl, %esi
	I \op\()q %cl, %r12
	I \op\()q %cl, (%rdi)
	I \op\()l %cl, diff_arena + 72(%rip)
	DONE
ENDSNIP
.endm

.irp op, rol, ror, rcl, rcr, shl, shr, sar
	shift_op \op
.endr

SNIP shift_double, C_SHIFT, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_AF
	I shldq $4, %rax, %rbx
	I shrdq %cl, %rdx, %r9
	I shldl %cl, %eax, (%rdi)
	I shrdl $7, %esi, 8(%rdi)
	I shldq $1, %r10, diff_arena + 80(%rip)
	DONE
ENDSNIP

.macro bit_op op
SNIP bit_\op, C_BIT, ptr=R_RDI, idx=R_RCX|R_R9, undef=F_OF|F_SF|F_AF|F_PF
	I \op\()q %rcx, %rax
	I \op\()l $17, %ebx
	I \op\()q $63, %r14
	I \op\()q %r9, (%rdi)
	I \op\()l $6, 8(%rdi)
	I \op\()q $40, diff_arena + 88(%rip)
	DONE
ENDSNIP
.endm

.irp op, bt, bts, btr, btc
	bit_op \op
.endr

/* The bit number reaches beyond the operand, to the quadword before it. */
SNIP bit_string, C_BIT, ptr=R_RDI, undef=F_OF|F_SF|F_AF|F_PF
	I movq $-70, %rcx
	I btsq %rcx, (%rdi)
	I movl $135, %edx
	I btrq %rdx, (%rdi)
	DONE
ENDSNIP

SNIP bit_scan, C_BIT, ptr=R_RDI, undef=F_OF|F_SF|F_AF|F_PF|F_CF
	I orq $0x100, %rax
	I bsfq %rax, %rbx
	I bsrq %rax, %rcx
	I orl $0x40, (%rdi)
	I bsfl (%rdi), %edx
	I orl $2, diff_arena + 96(%rip)
	I bsrl diff_arena + 96(%rip), %r8d
	DONE
ENDSNIP

SNIP bit_popcnt, C_BIT, need=N_POPCNT, ptr=R_RSI
	I popcntq %rax, %rbx
	I popcntl (%rsi), %ecx
	I popcntw %dx, %di
	I popcntq diff_arena + 104(%rip), %r9
	DONE
ENDSNIP

SNIP bit_count, C_BIT, need=N_ABM, ptr=R_RSI, undef=F_OF|F_SF|F_AF|F_PF
	I lzcntq %rax, %rbx
	I lzcntl (%rsi), %ecx
	I tzcntq %rdx, %rdi
	I tzcntl diff_arena + 108(%rip), %r9d
	DONE
ENDSNIP

DIFF_TABLE_END diff_shift
