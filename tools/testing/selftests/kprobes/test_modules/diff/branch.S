/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets: calls, indirect jumps, returns. A callee keeps the return address
 * it was given in a register, so that it takes part in the comparison.
 */
#include "macros.S"

DIFF_TABLE_START diff_branch

	.type diff_callee, @function
	STACK_FRAME_NON_STANDARD diff_callee
diff_callee:
	movq (%rsp), %r11
	ANNOTATE_UNRET_SAFE
	ret
	.size diff_callee, . - diff_callee

SNIP call_forward, C_CALL
	I call 1f
	I incq %rax
	DONE
1:	I movq (%rsp), %rdx
	I movq %rsp, %rbx
	IB ret
ENDSNIP

SNIP call_backward, C_CALL
	I jmp 2f
1:	I movq (%rsp), %rdx
	IB ret
2:	I call 1b
	I incq %rax
	DONE
ENDSNIP

SNIP call_outside, C_CALL
	I call diff_callee
	I incq %rax
	DONE
ENDSNIP

SNIP call_next, C_CALL
	I call 1f
1:	I popq %rax
	DONE
ENDSNIP

SNIP call_nested, C_CALL
	I call 1f
	DONE
1:	I call 2f
	I incq %rax
	IB ret
2:	I call 3f
	I incq %rbx
	IB ret
3:	I pushq 8(%rsp)
	I popq %rcx
	IB ret
ENDSNIP

SNIP call_twice, C_CALL
	I call 1f
	I call 1f
	DONE
1:	IN 2, incq %rax
	IN 2, movq (%rsp), %rdx
	IBN 2, ret
ENDSNIP

/*
 * A prefix makes the call one byte longer. An emulation that returns five bytes
 * on runs the last byte of the displacement, a zero, with the clc behind it: an
 * addition to %al, which is told from what must happen and harms nothing.
 */
.macro prefixed_call prefix, to
	.byte \prefix, 0xe8
	.long \to - . - 4
.endm

.macro call_prefix name, prefix
SNIP call_\name, C_CALL
	I prefixed_call \prefix, 1f
	I clc
	I movq %rax, %rbx
	DONE
1:	I movq (%rsp), %rdx
	IB ret
ENDSNIP
.endm

call_prefix cs, 0x2e
call_prefix ds, 0x3e
call_prefix rex, 0x48
call_prefix bnd, 0xf2

/* Through each register; in the last, the callee's return address. */
.macro call_reg reg
SNIP call_\reg, C_CALLIND
	I leaq 1f(%rip), %\reg
	IB call *%\reg
	I xchgq %rax, %\reg
	DONE
1:	LAND
	I movq (%rsp), %\reg
	IB ret
ENDSNIP
.endm

.irp reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	call_reg \reg
.endr

.macro call_bytes name, bytes:vararg
SNIP call_reg_\name, C_CALLIND
	I leaq 1f(%rip), %rax
	IB .byte \bytes
	I clc
	DONE
1:	LAND
	I movq (%rsp), %rdx
	IB ret
ENDSNIP
.endm

call_bytes rexw, 0x48, 0xff, 0xd0
call_bytes cs, 0x2e, 0xff, 0xd0

.macro call_mem name, operand:vararg
SNIP call_mem_\name, C_CALLIND, ptr=R_RDI|R_R12|R_R13, idx=R_RCX|R_R9
	I leaq 1f(%rip), %rax
	I movq %rax, \operand
	IB call *\operand
	I incq %rbx
	DONE
1:	LAND
	I movq (%rsp), %rdx
	I movq %rsp, %rsi
	IB ret
ENDSNIP
.endm

call_mem base, (%rdi)
call_mem disp8, -0x10(%rdi)
call_mem disp32, 0x180(%rdi)
call_mem r12, (%r12)
call_mem r13, (%r13)
call_mem index, (%rdi,%rcx,8)
call_mem index_disp, 0x18(%r13,%r9,4)
call_mem index_only, diff_arena + 16(,%rcx,8)
call_mem rip, diff_arena + 640(%rip)

/* The operand's address is made before the return address is pushed. */
SNIP call_mem_rsp, C_CALLIND
	I leaq 1f(%rip), %rax
	I pushq %rax
	I pushq %rbx
	IB call *8(%rsp)
	I popq %rcx
	I popq %rsi
	DONE
1:	LAND
	I movq (%rsp), %rdx
	IB ret
ENDSNIP

.macro jmp_reg reg
SNIP jmp_\reg, C_JMPIND
	I leaq 1f(%rip), %\reg
	IB jmp *%\reg
	DI 0, 0, incq %rax
1:	LAND
	I incq %\reg
	DONE
ENDSNIP
.endm

.irp reg, rax, rcx, rdx, rbx, rbp, rsi, rdi, r8, r9, r10, r11, r12, r13, r14, r15
	jmp_reg \reg
.endr

.macro jmp_mem name, operand:vararg
SNIP jmp_mem_\name, C_JMPIND, ptr=R_RDI|R_R12|R_R13, idx=R_RCX|R_R9
	I leaq 1f(%rip), %rax
	I movq %rax, \operand
	IB jmp *\operand
	DI 0, 0, incq %rax
1:	LAND
	I incq %rbx
	DONE
ENDSNIP
.endm

jmp_mem base, (%rdi)
jmp_mem disp8, 0x20(%rdi)
jmp_mem disp32, 0x180(%rdi)
jmp_mem r12, (%r12)
jmp_mem r13, -8(%r13)
jmp_mem index, (%r12,%r9,8)
jmp_mem index_only, diff_arena + 24(,%rcx,8)
jmp_mem rip, diff_arena + 648(%rip)

SNIP jmp_mem_rsp, C_JMPIND
	I leaq 1f(%rip), %rax
	I pushq %rax
	IB jmp *(%rsp)
	DI 0, 0, incq %rax
1:	LAND
	I popq %rbx
	DONE
ENDSNIP

/* Registered only: where they lead to is the stack. */
SNIP jmp_rsp, C_JMPIND
	I jmp 1f
	ANNOTATE_RETPOLINE_SAFE
	DI 0, 0, jmp *%rsp
	ANNOTATE_RETPOLINE_SAFE
	DI 0, 0, call *%rsp
1:	DONE
ENDSNIP

SNIP ret_plain, C_RET
	I call 1f
	I incq %rax
	DONE
1:	IB ret
ENDSNIP

/* The stack pointer has a copy: a return that forgets its operand is seen. */
.macro ret_imm size
SNIP ret_imm_\size, C_RET
	I movq %rsp, %rbx
	I subq $\size, %rsp
	I call 1f
	I movq %rsp, %rax
	I subq %rbx, %rax
	I movq %rbx, %rsp
	DONE
1:	I movq %rsp, %rdx
	IB ret $\size
ENDSNIP
.endm

.irp size, 0, 8, 16, 256
	ret_imm \size
.endr

SNIP ret_prefixed, C_RET
	I call 1f
	I call 2f
	I call 3f
	I call 4f
	DONE
1:	IB .byte 0xf3, 0xc3
2:	IB .byte 0xf2, 0xc3
3:	IB .byte 0x48, 0xc3
4:	IB .byte 0x2e, 0xc3
ENDSNIP

SNIP ret_as_jump, C_RET
	I leaq 1f(%rip), %rax
	I pushq %rax
	IB ret
	DI 0, 0, incq %rax
1:	I incq %rbx
	DONE
ENDSNIP

/* An operand size that would cut the address: not run, and may be refused. */
SNIP ret_word, C_RET
	I jmp 1f
	ANNOTATE_UNRET_SAFE
	DI 0, M_MAY, .byte 0x66, 0xc3
1:	DONE
ENDSNIP

DIFF_TABLE_END diff_branch
