/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: calls, indirect jumps, returns. A callee keeps the return
 * address it was given in a register, so that it takes part in the comparison.
 */
#include <asm/segment.h>
#include "../macros.S"

DIFF_TABLE_START diff_branch

	.type diff_callee, @function
diff_callee:
	movl (%esp), %edi
	ANNOTATE_UNRET_SAFE
	ret
	.size diff_callee, . - diff_callee

SNIP call_forward, C_CALL
	I call 1f
	I incl %eax
	DONE
1:	I movl (%esp), %edx
	I movl %esp, %ebx
	IB ret
ENDSNIP

SNIP call_backward, C_CALL
	I jmp 2f
1:	I movl (%esp), %edx
	IB ret
2:	I call 1b
	I incl %eax
	DONE
ENDSNIP

SNIP call_outside, C_CALL
	I call diff_callee
	I incl %eax
	DONE
ENDSNIP

SNIP call_next, C_CALL
	I call 1f
1:	I popl %eax
	DONE
ENDSNIP

SNIP call_nested, C_CALL
	I call 1f
	DONE
1:	I call 2f
	I incl %eax
	IB ret
2:	I call 3f
	I incl %ebx
	IB ret
3:	I pushl 4(%esp)
	I popl %ecx
	IB ret
ENDSNIP

SNIP call_twice, C_CALL
	I call 1f
	I call 1f
	DONE
1:	IN 2, incl %eax
	IN 2, movl (%esp), %edx
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
	I movl %eax, %ebx
	DONE
1:	I movl (%esp), %edx
	IB ret
ENDSNIP
.endm

call_prefix cs, 0x2e
call_prefix ds, 0x3e
call_prefix bnd, 0xf2

/* Through each register; in the last, the callee's return address. */
.macro call_reg reg
SNIP call_\reg, C_CALLIND
	I leal 1f, %\reg
	IB call *%\reg
	I xchgl %eax, %\reg
	DONE
1:	LAND
	I movl (%esp), %\reg
	IB ret
ENDSNIP
.endm

.irp reg, eax, ecx, edx, ebx, ebp, esi, edi
	call_reg \reg
.endr

SNIP call_reg_cs, C_CALLIND
	I leal 1f, %eax
	IB .byte 0x2e, 0xff, 0xd0
	I clc
	DONE
1:	LAND
	I movl (%esp), %edx
	IB ret
ENDSNIP

.macro call_mem name, operand:vararg
SNIP call_mem_\name, C_CALLIND, ptr=R_RDI|R_RBP, idx=R_RCX|R_RSI
	I leal 1f, %eax
	I movl %eax, \operand
	IB call *\operand
	I incl %ebx
	DONE
1:	LAND
	I movl (%esp), %edx
	I movl %esp, %esi
	IB ret
ENDSNIP
.endm

call_mem base, (%edi)
call_mem disp8, -0x10(%edi)
call_mem disp32, 0x180(%edi)
call_mem ebp, (%ebp)
call_mem index, (%edi,%ecx,8)
call_mem index_disp, 0x18(%ebp,%esi,4)
call_mem index_only, diff_arena + 16(,%ecx,8)
call_mem absolute, diff_arena + 640

/* The operand's address is made before the return address is pushed. */
SNIP call_mem_esp, C_CALLIND
	I leal 1f, %eax
	I pushl %eax
	I pushl %ebx
	IB call *4(%esp)
	I popl %ecx
	I popl %esi
	DONE
1:	LAND
	I movl (%esp), %edx
	IB ret
ENDSNIP

.macro jmp_reg reg
SNIP jmp_\reg, C_JMPIND
	I leal 1f, %\reg
	IB jmp *%\reg
	DI 0, 0, incl %eax
1:	LAND
	I incl %\reg
	DONE
ENDSNIP
.endm

.irp reg, eax, ecx, edx, ebx, ebp, esi, edi
	jmp_reg \reg
.endr

.macro jmp_mem name, operand:vararg
SNIP jmp_mem_\name, C_JMPIND, ptr=R_RDI|R_RBP, idx=R_RCX|R_RSI
	I leal 1f, %eax
	I movl %eax, \operand
	IB jmp *\operand
	DI 0, 0, incl %eax
1:	LAND
	I incl %ebx
	DONE
ENDSNIP
.endm

jmp_mem base, (%edi)
jmp_mem disp8, 0x20(%edi)
jmp_mem disp32, 0x180(%edi)
jmp_mem ebp, -8(%ebp)
jmp_mem index, (%edi,%esi,8)
jmp_mem index_only, diff_arena + 24(,%ecx,8)
jmp_mem absolute, diff_arena + 648

SNIP jmp_mem_esp, C_JMPIND
	I leal 1f, %eax
	I pushl %eax
	IB jmp *(%esp)
	DI 0, 0, incl %eax
1:	LAND
	I popl %ebx
	DONE
ENDSNIP

/* Registered only: where they lead to is the stack, or below 64 KiB. */
SNIP jmp_esp, C_JMPIND
	I jmp 1f
	ANNOTATE_RETPOLINE_SAFE
	DI 0, 0, jmp *%esp
	ANNOTATE_RETPOLINE_SAFE
	DI 0, 0, call *%esp
	DI 0, M_MAY, .byte 0x66, 0xff, 0xe0
	DI 0, M_MAY, .byte 0x66, 0xff, 0xd0
	DI 0, M_MAY, .byte 0x66, 0xe8, 0x00, 0x00
1:	DONE
ENDSNIP

SNIP ret_plain, C_RET
	I call 1f
	I incl %eax
	DONE
1:	IB ret
ENDSNIP

/* The stack pointer has a copy: a return that forgets its operand is seen. */
.macro ret_imm size
SNIP ret_imm_\size, C_RET
	I movl %esp, %ebx
	I subl $\size, %esp
	I call 1f
	I movl %esp, %eax
	I subl %ebx, %eax
	I movl %ebx, %esp
	DONE
1:	I movl %esp, %edx
	IB ret $\size
ENDSNIP
.endm

.irp size, 0, 4, 16, 256
	ret_imm \size
.endr

SNIP ret_prefixed, C_RET
	I call 1f
	I call 2f
	I call 3f
	DONE
1:	IB .byte 0xf3, 0xc3
2:	IB .byte 0xf2, 0xc3
3:	IB .byte 0x2e, 0xc3
ENDSNIP

SNIP ret_as_jump, C_RET
	I leal 1f, %eax
	I pushl %eax
	IB ret
	DI 0, 0, incl %eax
1:	I incl %ebx
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
