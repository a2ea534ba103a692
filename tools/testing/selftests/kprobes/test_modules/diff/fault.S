/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: instructions that have an entry in the exception table. When one
 * faults in its copy, the fixup of the original has to be taken, with all
 * registers as they were.
 */
#include "macros.S"
#include "words.h"

/* In the last page of the address space, which is never mapped. */
#define BAD_ADDRESS	-4080
/* Neither half of the address space: not a page fault, but a #GP. */
#define NON_CANONICAL	0x8000000000000000
/* Likewise in a segment register. QEMU does not look at the limits of segments. */
#define NO_SELECTOR	0xffff

DIFF_TABLE_START diff_fault

SNIP fault_not, C_FAULT, ptr=R_RDI
1:	I mov (%_ASM_DI), %_ASM_AX
2:	I inc %_ASM_BX
	DONE
3:	DI 0, 0, movl $-14, %ecx
	DI 0, 0, jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_on name, address, need, insn:vararg
SNIP fault_\name, C_FAULT, need=\need
	I IMM $\address, %_ASM_DI
1:	IF \insn
	DI 0, 0, inc %_ASM_BX
2:	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_on load, BAD_ADDRESS, N_NONE, mov (%_ASM_DI), %_ASM_AX
fault_on load_alu, BAD_ADDRESS, N_NONE, addl 4(%_ASM_DI), %eax
fault_on store, BAD_ADDRESS, N_NONE, movl %eax, (%_ASM_DI)
fault_on store_imm, BAD_ADDRESS, N_NONE, movb $5, (%_ASM_DI)
fault_on locked, BAD_ADDRESS, N_NONE, lock xadd %_ASM_AX, (%_ASM_DI)
fault_on push, BAD_ADDRESS, N_NONE, __ASM_SIZE(push) (%_ASM_DI)
fault_on string, BAD_ADDRESS, N_NONE, __ASM_SIZE(stos)
fault_on sse, BAD_ADDRESS, N_NONE, movups (%_ASM_DI), %xmm1
fault_on vex, BAD_ADDRESS, N_AVX2, vpor (%_ASM_DI), %ymm2, %ymm3
#ifdef CONFIG_X86_64
fault_on gp_load, NON_CANONICAL, N_NONE, movq (%rdi), %rax
fault_on gp_store, NON_CANONICAL, N_NONE, movq %rax, (%rdi)
#else
fault_on load_moffs, BAD_ADDRESS, N_NONE, movl BAD_ADDRESS, %eax
fault_on bound, BAD_ADDRESS, N_NONE, bound %eax, (%edi)
fault_on les, BAD_ADDRESS, N_NONE, les (%edi), %eax
fault_on gp_selector, NO_SELECTOR, N_NONE, movl %edi, %es
#endif

SNIP fault_rep, C_FAULT, ptr=R_RSI
	I mov $BAD_ADDRESS, %_ASM_DI
	I movl $9, %ecx
1:	IF rep movsb
	DI 0, 0, inc %_ASM_BX
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

/* The stack pointer is to be as before the pop. */
SNIP fault_pop, C_FAULT
	I mov $BAD_ADDRESS, %_ASM_DI
	I push %_ASM_AX
1:	IF __ASM_SIZE(pop) (%_ASM_DI)
	DI 0, 0, push %_ASM_BX
2:	I pop %_ASM_CX
	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

.macro fault_branch name, insn:vararg
SNIP fault_\name, C_FAULT
	I mov $BAD_ADDRESS, %_ASM_DI
1:	ANNOTATE_RETPOLINE_SAFE
	IF \insn
	DI 0, 0, inc %_ASM_BX
2:	DONE
3:	I movl $-14, %eax
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP
.endm

fault_branch call_mem, call *8(%_ASM_DI)
fault_branch jmp_mem, jmp *8(%_ASM_DI)

#ifdef CONFIG_X86_32
SNIP fault_pop_segment, C_FAULT
	I pushl $NO_SELECTOR
1:	IF popl %es
	DI 0, 0, pushl %ebx
2:	I popl %ecx
	DONE
3:	I movl $-14, %eax
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
#endif /* CONFIG_X86_32 */

/* Carry and direction flags go through a fault unchanged. */
SNIP fault_flags, C_FAULT
	I mov $BAD_ADDRESS, %_ASM_DI
	I stc
	I std
1:	IF mov (%_ASM_DI), %_ASM_AX
	DI 0, 0, inc %_ASM_BX
2:	I pushf
	I pop %_ASM_DX
	I cld
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_irqs_off, C_FAULT
	I mov $BAD_ADDRESS, %_ASM_DI
	I cli
1:	IF mov (%_ASM_DI), %_ASM_AX
	DI 0, 0, inc %_ASM_BX
2:	I pushf
	I pop %_ASM_DX
	I sti
	DONE
3:	I movl $-14, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

SNIP fault_divide, C_FAULT, undef=F_ALL
	I xorl %ecx, %ecx
1:	IF divl %ecx
	DI 0, 0, inc %_ASM_BX
2:	DONE
3:	I movl $-33, %ecx
	I jmp 2b
	_ASM_EXTABLE(1b, 3b)
ENDSNIP

DIFF_TABLE_END diff_fault
