/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: exchanges and locked operations. */
#include "macros.S"

DIFF_TABLE_START diff_atomic

SNIP xchg_reg, C_ATOMIC
	I xchgq %rax, %r9
	I xchgl %ebx, %ecx
	I xchgb %ah, %dl
	I xchgw %si, %di
	I xchgl %eax, %eax
	DONE
ENDSNIP

SNIP xchg_mem, C_ATOMIC, ptr=R_RDI, idx=R_RCX
	I xchgq %rax, (%rdi)
	I xchgl %ebx, 4(%rdi,%rcx,4)
	I xchgb %r8b, 1(%rdi)
	I xchgq %rdx, diff_arena + 64(%rip)
	DONE
ENDSNIP

SNIP cmpxchg_equal, C_ATOMIC, ptr=R_RDI
	I movq (%rdi), %rax
	I lock cmpxchgq %rbx, (%rdi)
	I movl 8(%rdi), %eax
	I cmpxchgl %ecx, 8(%rdi)
	I movb 16(%rdi), %al
	I lock cmpxchgb %dl, 16(%rdi)
	DONE
ENDSNIP

SNIP cmpxchg_differs, C_ATOMIC, ptr=R_RDI
	I lock cmpxchgq %rbx, (%rdi)
	I lock cmpxchgl %r9d, diff_arena + 72(%rip)
	I cmpxchgw %cx, 16(%rdi)
	I cmpxchgq %r10, %r11
	DONE
ENDSNIP

SNIP cmpxchg8b, C_ATOMIC, ptr=R_RDI
	I lock cmpxchg8b (%rdi)
	I movl (%rdi), %eax
	I movl 4(%rdi), %edx
	I lock cmpxchg8b (%rdi)
	I lock cmpxchg8b diff_arena + 80(%rip)
	DONE
ENDSNIP

SNIP cmpxchg16b, C_ATOMIC, need=N_CX16, ptr=R_RDI
	I lock cmpxchg16b (%rdi)
	I movq (%rdi), %rax
	I movq 8(%rdi), %rdx
	I lock cmpxchg16b (%rdi)
	I cmpxchg16b diff_arena + 96(%rip)
	DONE
ENDSNIP

SNIP xadd, C_ATOMIC, ptr=R_RDI
	I lock xaddq %rax, (%rdi)
	I xaddl %ebx, 8(%rdi)
	I xaddb %cl, %dh
	I lock xaddw %r8w, diff_arena + 112(%rip)
	DONE
ENDSNIP

SNIP lock_alu, C_ATOMIC, ptr=R_RDI, idx=R_RCX
	I lock addq %rax, (%rdi)
	I lock orl $0x100, 8(%rdi)
	I lock andb %bl, 16(%rdi)
	I lock xorq $-1, (%rdi,%rcx,8)
	I lock sbbl %edx, diff_arena + 120(%rip)
	DONE
ENDSNIP

SNIP lock_unary, C_ATOMIC, ptr=R_RDI
	I lock incl (%rdi)
	I lock decq 8(%rdi)
	I lock negl 16(%rdi)
	I lock notb 20(%rdi)
	I lock incq diff_arena + 128(%rip)
	DONE
ENDSNIP

SNIP lock_bit, C_ATOMIC, ptr=R_RDI, idx=R_RCX, undef=F_OF|F_SF|F_AF|F_PF
	I lock btsq %rcx, (%rdi)
	I lock btrl $9, 8(%rdi)
	I lock btcq $40, 16(%rdi)
	I lock btsl $3, diff_arena + 136(%rip)
	DONE
ENDSNIP

DIFF_TABLE_END diff_atomic
