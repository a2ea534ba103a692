/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: exchanges and locked operations. */
#include "../macros.S"

DIFF_TABLE_START diff_atomic

SNIP xchg_reg, C_ATOMIC
	I xchgl %eax, %edi
	I xchgl %ebx, %ecx
	I xchgb %ah, %dl
	I xchgw %si, %di
	I xchgl %eax, %eax
	I xchgl %eax, %ebp
	DONE
ENDSNIP

SNIP xchg_mem, C_ATOMIC, ptr=R_RDI, idx=R_RCX
	I xchgl %eax, (%edi)
	I xchgl %ebx, 4(%edi,%ecx,4)
	I xchgb %dh, 1(%edi)
	I xchgl %edx, diff_arena + 64
	DONE
ENDSNIP

SNIP cmpxchg_equal, C_ATOMIC, ptr=R_RDI
	I movl (%edi), %eax
	I lock cmpxchgl %ebx, (%edi)
	I movl 8(%edi), %eax
	I cmpxchgl %ecx, 8(%edi)
	I movb 16(%edi), %al
	I lock cmpxchgb %dl, 16(%edi)
	DONE
ENDSNIP

SNIP cmpxchg_differs, C_ATOMIC, ptr=R_RDI
	I lock cmpxchgl %ebx, (%edi)
	I lock cmpxchgl %esi, diff_arena + 72
	I cmpxchgw %cx, 16(%edi)
	I cmpxchgl %edx, %ebp
	DONE
ENDSNIP

SNIP cmpxchg8b, C_ATOMIC, ptr=R_RDI
	I lock cmpxchg8b (%edi)
	I movl (%edi), %eax
	I movl 4(%edi), %edx
	I lock cmpxchg8b (%edi)
	I lock cmpxchg8b diff_arena + 80
	DONE
ENDSNIP

SNIP xadd, C_ATOMIC, ptr=R_RDI
	I lock xaddl %eax, (%edi)
	I xaddl %ebx, 8(%edi)
	I xaddb %cl, %dh
	I lock xaddw %si, diff_arena + 112
	DONE
ENDSNIP

SNIP lock_alu, C_ATOMIC, ptr=R_RDI, idx=R_RCX
	I lock addl %eax, (%edi)
	I lock orl $0x100, 8(%edi)
	I lock andb %bl, 16(%edi)
	I lock xorl $-1, (%edi,%ecx,8)
	I lock sbbl %edx, diff_arena + 120
	DONE
ENDSNIP

SNIP lock_unary, C_ATOMIC, ptr=R_RDI
	I lock incl (%edi)
	I lock decl 8(%edi)
	I lock negl 16(%edi)
	I lock notb 20(%edi)
	I lock incl diff_arena + 128
	DONE
ENDSNIP

SNIP lock_bit, C_ATOMIC, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_SF|F_AF|F_PF
	I lock btsl %ecx, (%edi)
	I lock btrl $9, 8(%edi)
	I lock btcl $30, 16(%edi)
	I lock btsl $3, diff_arena + 136
	DONE
ENDSNIP

DIFF_TABLE_END diff_atomic
