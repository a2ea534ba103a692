/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: decimal numbers, and checks that would trap. */
#include "../macros.S"

DIFF_TABLE_START diff_decimal

SNIP dec_packed, C_DECIMAL, undef=F_OF
	I daa
	I movb %al, %cl
	I movb %bl, %al
	I das
	DONE
ENDSNIP

/* What they leave undefined is not to reach the next one. */
SNIP dec_unpacked, C_DECIMAL, undef=F_OF|F_SF|F_ZF|F_PF
	I aaa
	I movl %eax, %ecx
	I movl %ebx, %eax
	I aas
	DONE
ENDSNIP

SNIP dec_multiply, C_DECIMAL, undef=F_OF|F_AF|F_CF
	I aam
	I movl %eax, %ecx
	I movl %ebx, %eax
	I aad
	I movl %eax, %edx
	I aam $16
	I aad $7
	DONE
ENDSNIP

/* The carry of the packed ones is what the next one works with. */
SNIP dec_carry, C_DECIMAL, undef=F_OF
	I addb %bl, %al
	I daa
	I adcb %bh, %ah
	I xchgb %al, %ah
	I daa
	DONE
ENDSNIP

SNIP bound_inside, C_DECIMAL, ptr=R_RDI
	I movl $-5, (%edi)
	I movl $100, 4(%edi)
	I movl $100, %eax
	I bound %eax, (%edi)
	I movl $-5, %ecx
	I bound %ecx, (%edi)
	I movw $-7, 8(%edi)
	I movw $9, 10(%edi)
	I movw $3, %dx
	I boundw %dx, 8(%edi)
	DONE
ENDSNIP

SNIP arpl_privilege, C_DECIMAL, ptr=R_RDI
	I movl $0x10, %eax
	I movl $0x13, %ecx
	I arpl %cx, %ax
	I setz %dl
	I movw $0x13, (%edi)
	I arpl %cx, (%edi)
	I setz %dh
	DONE
ENDSNIP

DIFF_TABLE_END diff_decimal
