/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 64 bit: data reached through %gs, and the bases of segments. */
#include "macros.S"

DIFF_TABLE_START diff_gs

SNIP sys_segment_base, C_SYSTEM, need=N_FSGSBASE
	I rdgsbase %rax
	I rdfsbase %rbx
	DONE
ENDSNIP

SNIP gs_load, C_GS, gs=R_RDI, idx=R_RCX
	I movq %gs:(%rdi), %rax
	I movl %gs:8(%rdi,%rcx,8), %ebx
	I movq %gs:diff_pcpu + 16(%rip), %rdx
	I movq %gs:diff_pcpu + 24, %rsi
	I movzbl %gs:5(%rdi), %r8d
	DONE
ENDSNIP

SNIP gs_store, C_GS, gs=R_RDI, idx=R_RCX
	I movq %rax, %gs:(%rdi)
	I movl %ebx, %gs:4(%rdi,%rcx,4)
	I movq $-5, %gs:diff_pcpu + 40(%rip)
	I movb %dl, %gs:diff_pcpu + 51
	DONE
ENDSNIP

SNIP gs_modify, C_GS, gs=R_RDI
	I addq %rax, %gs:(%rdi)
	I incl %gs:diff_pcpu + 8(%rip)
	I xchgq %rbx, %gs:16(%rdi)
	I xaddq %rcx, %gs:diff_pcpu + 24(%rip)
	I cmpxchgq %rdx, %gs:32(%rdi)
	I orl $0x80000000, %gs:diff_pcpu + 48(%rip)
	DONE
ENDSNIP

SNIP gs_push_pop, C_GS, gs=R_RDI
	I pushq %gs:(%rdi)
	I pushq %gs:diff_pcpu + 16(%rip)
	I popq %gs:24(%rdi)
	I popq %gs:diff_pcpu + 32(%rip)
	DONE
ENDSNIP

/* A segment means nothing to lea, and DS and ES mean nothing at all. */
SNIP gs_ignored, C_GS, ptr=R_RDI
	I .byte 0x65, 0x48, 0x8d, 0x07
	I .byte 0x3e, 0x48, 0x8b, 0x0f
	I .byte 0x26, 0x48, 0x8b, 0x17
	DONE
ENDSNIP

.macro gs_call name, operand:vararg
SNIP gs_call_\name, C_GS, gs=R_RDI, idx=R_RCX
	I leaq 1f(%rip), %rax
	I movq %rax, \operand
	IB call *\operand
	I incq %rbx
	DONE
1:	LAND
	I movq (%rsp), %rdx
	IB ret
ENDSNIP
.endm

.macro gs_jmp name, operand:vararg
SNIP gs_jmp_\name, C_GS, gs=R_RDI, idx=R_RCX
	I leaq 1f(%rip), %rax
	I movq %rax, \operand
	IB jmp *\operand
	DI 0, 0, incq %rbx
1:	LAND
	I incq %rdx
	DONE
ENDSNIP
.endm

gs_call base, %gs:8(%rdi)
gs_call index, %gs:(%rdi,%rcx,8)
gs_call rip, %gs:diff_pcpu + 56(%rip)
gs_call absolute, %gs:diff_pcpu + 64
gs_jmp base, %gs:(%rdi)
gs_jmp rip, %gs:diff_pcpu + 72(%rip)

DIFF_TABLE_END diff_gs
