/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: instructions that have an entry in the exception table.
 * When one faults in its copy, the fixup of the original has to be taken, with all
 * registers as they were.
 */
#include "../macros.S"
#include "selector.h"

/* In the last page of the address space, which is never mapped. */
#define BAD_ADDRESS	0xfffff010

DIFF_TABLE_START diff_fault

SNIP fault_not, C_FAULT, ptr=R_RDI
1:	I movl (%edi), %eax
2:	I incl %ebx
	DONE
3:	DI 0, 0, movl $-14, %ecx
	DI 0, 0, jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_on name, address, need, insn:vararg
SNIP fault_\name, C_FAULT, need=\need
	I movl $\address, %edi
1:	IF \insn
	DI 0, 0, incl %ebx
2:	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_on load, BAD_ADDRESS, N_NONE, movl (%edi), %eax
fault_on load_alu, BAD_ADDRESS, N_NONE, addl 4(%edi), %eax
fault_on load_moffs, BAD_ADDRESS, N_NONE, movl BAD_ADDRESS, %eax
fault_on store, BAD_ADDRESS, N_NONE, movl %eax, (%edi)
fault_on store_imm, BAD_ADDRESS, N_NONE, movb $5, (%edi)
fault_on locked, BAD_ADDRESS, N_NONE, lock xaddl %eax, (%edi)
fault_on push, BAD_ADDRESS, N_NONE, pushl (%edi)
fault_on string, BAD_ADDRESS, N_NONE, stosl
fault_on bound, BAD_ADDRESS, N_NONE, bound %eax, (%edi)
fault_on les, BAD_ADDRESS, N_NONE, les (%edi), %eax
fault_on sse, BAD_ADDRESS, N_NONE, movups (%edi), %xmm1
fault_on vex, BAD_ADDRESS, N_AVX2, vpor (%edi), %ymm2, %ymm3
/* Not a page fault, but a #GP. QEMU does not look at the limits of segments. */
fault_on gp_selector, 0xffff, N_NONE, movl %edi, %es

SNIP fault_rep, C_FAULT, ptr=R_RSI
	I movl $BAD_ADDRESS, %edi
	I movl $9, %ecx
1:	IF rep movsb
	DI 0, 0, incl %ebx
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

/* The stack pointer is to be as before the pop. */
SNIP fault_pop, C_FAULT
	I movl $BAD_ADDRESS, %edi
	I pushl %eax
1:	IF popl (%edi)
	DI 0, 0, pushl %ebx
2:	I popl %ecx
	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_pop_segment, C_FAULT
	I pushl $0xffff
1:	IF popl %es
	DI 0, 0, pushl %ebx
2:	I popl %ecx
	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_branch name, insn:vararg
SNIP fault_\name, C_FAULT
	I movl $BAD_ADDRESS, %edi
1:	ANNOTATE_RETPOLINE_SAFE
	IF \insn
	DI 0, 0, incl %ebx
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_branch call_mem, call *8(%edi)
fault_branch jmp_mem, jmp *8(%edi)

/* Carry and direction flags go through a fault unchanged. */
SNIP fault_flags, C_FAULT
	I movl $BAD_ADDRESS, %edi
	I stc
	I std
1:	IF movl (%edi), %eax
	DI 0, 0, incl %ebx
2:	I pushfl
	I popl %edx
	I cld
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_irqs_off, C_FAULT
	I movl $BAD_ADDRESS, %edi
	I cli
1:	IF movl (%edi), %eax
	DI 0, 0, incl %ebx
2:	I pushfl
	I popl %edx
	I sti
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_divide, C_FAULT, undef=F_ALL
	I xorl %ecx, %ecx
1:	IF divl %ecx
	DI 0, 0, incl %ebx
2:	DONE
3:	I movl $-33, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_aam, C_FAULT, undef=F_ALL
1:	IF aam $0
	DI 0, 0, incl %ebx
2:	DONE
3:	I movl $-33, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

DIFF_TABLE_END diff_fault
