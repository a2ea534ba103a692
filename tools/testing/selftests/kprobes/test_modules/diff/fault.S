/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: instructions that have an entry in the exception table. When one
 * faults in its copy, the fixup of the original has to be taken, with all
 * registers as they were.
 */
#include "macros.S"

/* In the last page of the address space, which is never mapped. */
#define BAD_ADDRESS	-4080
/* Neither half of the address space: not a page fault, but a #GP. */
#define NON_CANONICAL	0x8000000000000000

DIFF_TABLE_START diff_fault

SNIP fault_not, C_FAULT, ptr=R_RDI
1:	I movq (%rdi), %rax
2:	I incq %rbx
	DONE
3:	DI 0, 0, movl $-14, %ecx
	DI 0, 0, jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_on name, address, need, insn:vararg
SNIP fault_\name, C_FAULT, need=\need
	I movabsq $\address, %rdi
1:	IF \insn
	DI 0, 0, incq %rbx
2:	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_on load, BAD_ADDRESS, N_NONE, movq (%rdi), %rax
fault_on load_alu, BAD_ADDRESS, N_NONE, addl 4(%rdi), %eax
fault_on store, BAD_ADDRESS, N_NONE, movl %eax, (%rdi)
fault_on store_imm, BAD_ADDRESS, N_NONE, movb $5, (%rdi)
fault_on locked, BAD_ADDRESS, N_NONE, lock xaddq %rax, (%rdi)
fault_on push, BAD_ADDRESS, N_NONE, pushq (%rdi)
fault_on string, BAD_ADDRESS, N_NONE, stosq
fault_on sse, BAD_ADDRESS, N_NONE, movups (%rdi), %xmm1
fault_on vex, BAD_ADDRESS, N_AVX2, vpor (%rdi), %ymm2, %ymm3
fault_on gp_load, NON_CANONICAL, N_NONE, movq (%rdi), %rax
fault_on gp_store, NON_CANONICAL, N_NONE, movq %rax, (%rdi)

SNIP fault_rep, C_FAULT, ptr=R_RSI
	I movq $BAD_ADDRESS, %rdi
	I movl $9, %ecx
1:	IF rep movsb
	DI 0, 0, incq %rbx
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

/* The stack pointer is to be as before the pop. */
SNIP fault_pop, C_FAULT
	I movq $BAD_ADDRESS, %rdi
	I pushq %rax
1:	IF popq (%rdi)
	DI 0, 0, pushq %rbx
2:	I popq %rcx
	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_branch name, insn:vararg
SNIP fault_\name, C_FAULT
	I movq $BAD_ADDRESS, %rdi
1:	ANNOTATE_RETPOLINE_SAFE
	IF \insn
	DI 0, 0, incq %rbx
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_branch call_mem, call *8(%rdi)
fault_branch jmp_mem, jmp *8(%rdi)

/* Carry and direction flags go through a fault unchanged. */
SNIP fault_flags, C_FAULT
	I movq $BAD_ADDRESS, %rdi
	I stc
	I std
1:	IF movq (%rdi), %rax
	DI 0, 0, incq %rbx
2:	I pushfq
	I popq %rdx
	I cld
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_irqs_off, C_FAULT
	I movq $BAD_ADDRESS, %rdi
	I cli
1:	IF movq (%rdi), %rax
	DI 0, 0, incq %rbx
2:	I pushfq
	I popq %rdx
	I sti
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_divide, C_FAULT, undef=F_ALL
	I xorl %ecx, %ecx
1:	IF divl %ecx
	DI 0, 0, incq %rbx
2:	DONE
3:	I movl $-33, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

DIFF_TABLE_END diff_fault
