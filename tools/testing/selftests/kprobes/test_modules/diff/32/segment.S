/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Snippets for 32 bit: segment registers, prefixes that choose one, and far
 * pointers. GS has a base and a limit of its own, see descriptor.c. While another
 * one has the same, or is null, handlers are to find what the kernel expects.
 */
#include "../macros.S"
#include "selector.h"

DIFF_TABLE_START diff_segment

SNIP seg_load, C_SEGMENT, gs=R_RDI, idx=R_RCX
	I movl %gs:(%edi), %eax
	I movl %gs:8(%edi,%ecx,8), %ebx
	I movl %gs:16, %eax
	I movl %gs:24, %edx
	I movzbl %gs:5(%edi), %esi
	I addl %gs:(%edi), %esi
	DONE
ENDSNIP

SNIP seg_store, C_SEGMENT, gs=R_RDI, idx=R_RCX
	I movl %eax, %gs:(%edi)
	I movl %ebx, %gs:4(%edi,%ecx,4)
	I movl $-5, %gs:40
	I movb %dl, %gs:51
	I movl %eax, %gs:56
	DONE
ENDSNIP

SNIP seg_modify, C_SEGMENT, gs=R_RDI
	I addl %eax, %gs:(%edi)
	I incl %gs:8
	I xchgl %ebx, %gs:16(%edi)
	I lock xaddl %ecx, %gs:24
	I cmpxchgl %edx, %gs:32(%edi)
	I notl %gs:40(%edi)
	DONE
ENDSNIP

SNIP seg_push_pop, C_SEGMENT, gs=R_RDI
	I pushl %gs:(%edi)
	I pushl %gs:16
	I popl %gs:24(%edi)
	I popl %gs:32
	I pushw %gs:40
	I popw %gs:50
	DONE
ENDSNIP

/* The kernel's own per-CPU data. */
SNIP seg_fs, C_SEGMENT
	I movl %fs:diff_pcpu + 16, %eax
	I addl %eax, %fs:diff_pcpu + 24
	I incl %fs:diff_pcpu + 32
	I pushl %fs:diff_pcpu + 40
	I popl %fs:diff_pcpu + 48
	DONE
ENDSNIP

/* Flat ones, which an address made of %esp or %ebp does not need. */
SNIP seg_flat, C_SEGMENT, ptr=R_RDI|R_RBP
	I movl %ss:(%edi), %eax
	I movl %cs:4(%edi), %ebx
	I movl %ds:4(%esp), %ecx
	I movl %es:8(%ebp), %edx
	I movl %ss:8(%ebp), %esi
	I movl %ecx, %es:12(%edi)
	DONE
ENDSNIP

/* A segment means nothing to lea, and the last one of two counts. */
SNIP seg_ignored, C_SEGMENT, ptr=R_RDI
	I .byte 0x65, 0x8d, 0x07
	I .byte 0x65, 0x3e, 0x8b, 0x0f
	I .byte 0x65, 0x26, 0x8b, 0x17
	I .byte 0x65, 0x90
	DONE
ENDSNIP

/* Of a string instruction, the source has what the prefix says. */
SNIP seg_string, C_SEGMENT, gs=R_RSI, ptr=R_RDI
	I movsl %gs:(%esi), %es:(%edi)
	I lodsb %gs:(%esi)
	I cmpsw %es:(%edi), %gs:(%esi)
	I movl $6, %ecx
	I rep movsb %gs:(%esi), %es:(%edi)
	DONE
ENDSNIP

SNIP seg_xlat, C_SEGMENT
	I movl $8, %ebx
	I andl $0x3f, %eax
	I xlat %gs:(%ebx)
	DONE
ENDSNIP

/* Through a segment that is not the kernel's own, they may be refused. */
.macro seg_call name, mark, operand:vararg
SNIP seg_call_\name, C_SEGMENT, gs=R_RDI, idx=R_RCX
	I leal 1f, %eax
	I movl %eax, \operand
	ANNOTATE_RETPOLINE_SAFE
	DI 1, \mark, call *\operand
	I incl %ebx
	DONE
1:	I movl (%esp), %edx
	IB ret
ENDSNIP
.endm

.macro seg_jmp name, mark, operand:vararg
SNIP seg_jmp_\name, C_SEGMENT, gs=R_RDI, idx=R_RCX
	I leal 1f, %eax
	I movl %eax, \operand
	ANNOTATE_RETPOLINE_SAFE
	DI 1, \mark, jmp *\operand
	DI 0, 0, incl %ebx
1:	I incl %edx
	DONE
ENDSNIP
.endm

seg_call base, M_MAY, %gs:8(%edi)
seg_call index, M_MAY, %gs:(%edi,%ecx,8)
seg_call absolute, M_MAY, %gs:56
seg_call percpu, 0, %fs:diff_pcpu + 64
seg_call percpu_index, 0, %fs:diff_pcpu + 8(,%ecx,8)
seg_jmp base, M_MAY, %gs:(%edi)
seg_jmp absolute, M_MAY, %gs:72
seg_jmp percpu, 0, %fs:diff_pcpu + 80

SNIP seg_read, C_SEGMENT, ptr=R_RDI
	I movl %ds, %eax
	I movl %ss, %ecx
	I movw %cs, (%edi)
	I movl %gs, %edx
	I movl %fs, %ebx
	I movw %es, 4(%edi)
	DONE
ENDSNIP

/* A push may leave the upper half of the word as it was. */
.macro seg_push seg
SNIP seg_push_\seg, C_SEGMENT
	I movl %esp, %ebp
	I pushl %\seg
	I movzwl (%esp), %ecx
	I movl %esp, %edx
	I popl %eax
	I movzwl %ax, %eax
	I subl %esp, %ebp
	DONE
ENDSNIP
.endm

.irp seg, cs, ss, ds, es, fs, gs
	seg_push \seg
.endr

SNIP seg_push_word, C_SEGMENT
	I movl %esp, %ebp
	I pushw %ds
	I pushw %gs
	I popw %ax
	I popw %cx
	I movl %esp, %edx
	I pushw %gs
	I popw %es
	I pushw %ds
	I popw %es
	I subl %esp, %ebp
	DONE
ENDSNIP

/* Each into itself, and GS into another. */
SNIP seg_pop, C_SEGMENT
	I pushl %es
	I pushl %fs
	I pushl %gs
	I pushl %ds
	I popl %ds
	I popl %gs
	I popl %fs
	I popl %es
	I pushl %gs
	I popl %es
	I movl %es, %eax
	I pushl %ds
	I popl %es
	DONE
ENDSNIP

/* Data goes through SEG as through GS, and handlers know nothing of it. */
.macro seg_changed seg, insn:vararg
SNIP seg_as_\seg, C_SEGMENT, gs=R_RSI|R_RDI
	I movl %\seg, %ecx
	I movl %gs, %eax
	I movl %eax, %\seg
	I nop
	I \insn
	I leal 1(%ebx), %ebx
	I movl %ecx, %\seg
	I incl %ebx
	DONE
ENDSNIP

SNIP seg_null_\seg, C_SEGMENT
	I movl %\seg, %ecx
	I movl $DIFF_NULL, %eax
	I movl %eax, %\seg
	I nop
	I leal 1(%ebx), %ebx
	I pushl %ebx
	I popl %edx
	I call 1f
	I movl %ecx, %\seg
	I incl %ebx
	DONE
1:	IB ret
ENDSNIP
.endm

seg_changed ds, movl (%esi), %ebx
seg_changed es, stosl
seg_changed fs, movl %fs:8(%esi), %ebx

SNIP seg_null_gs, C_SEGMENT
	I movl $DIFF_NULL, %eax
	I movl %eax, %gs
	I nop
	I movl %gs, %ecx
	DONE
ENDSNIP

/* A direct branch and a fault handler's way out do not look at DS, either. */
SNIP seg_null_all, C_SEGMENT
	I pushl %ds
	I pushl %es
	I pushl %fs
	I xorl %eax, %eax
	I movl %eax, %ds
	I movl %eax, %es
	I movl %eax, %fs
	I jmp 1f
	DI 0, 0, nop
1:	I leal 1(%ebx), %ebx
	I popl %fs
	I popl %es
	I popl %ds
	I incl %ebx
	DONE
ENDSNIP

SNIP seg_far_pointer, C_SEGMENT, ptr=R_RDI
	I movl $0x12345678, (%edi)
	I movw %gs, 4(%edi)
	I movl $0x23456789, 8(%edi)
	I movw %ds, 12(%edi)
	I les (%edi), %eax
	I movl %es, %ecx
	I les 8(%edi), %edx
	I lds 8(%edi), %ebx
	I lgs (%edi), %esi
	DONE
ENDSNIP

SNIP seg_far_pointer_fs, C_SEGMENT, ptr=R_RDI
	I movl $0x12345678, (%edi)
	I movw %fs, 4(%edi)
	I lfs (%edi), %eax
	I movl %fs, %ecx
	DONE
ENDSNIP

SNIP seg_far_pointer_ds, C_SEGMENT, ptr=R_RDI
	I movl %ds, %ecx
	I movl $8, (%edi)
	I movw %gs, 4(%edi)
	I lds (%edi), %ebx
	I movl (%ebx), %edx
	I movl %ecx, %ds
	DONE
ENDSNIP

SNIP seg_far_pointer_word, C_SEGMENT, ptr=R_RDI
	I movw %gs, 2(%edi)
	I movw $0x1234, (%edi)
	I lesw (%edi), %ax
	I movl %ds, %ecx
	I movl %ecx, %es
	DONE
ENDSNIP

DIFF_TABLE_END diff_segment
