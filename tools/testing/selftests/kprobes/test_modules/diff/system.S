/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets: what only the kernel may run. */
#include <asm/segment.h>
#include "macros.S"
#include "words.h"

DIFF_TABLE_START diff_system

SNIP sys_cpuid, C_SYSTEM
	I xorl %eax, %eax
	I xorl %ecx, %ecx
	I cpuid
	I movl $0x80000000, %eax
	I cpuid
	DONE
ENDSNIP

/* The time is not the same twice: it runs, and is thrown away. */
SNIP sys_tsc, C_SYSTEM
	I rdtsc
	I movl $0, %eax
	I movl $0, %edx
	DONE
ENDSNIP

SNIP sys_tscp, C_SYSTEM, need=N_RDTSCP
	I rdtscp
	I movl $0, %eax
	I movl $0, %edx
	DONE
ENDSNIP

SNIP sys_msr, C_SYSTEM
	I movl $MSR_TO_READ, %ecx
	I rdmsr
	I movl %eax, %ebx
	I movl $MSR_TO_WRITE, %ecx
	I rdmsr
	I wrmsr
	DONE
ENDSNIP

SNIP sys_tables, C_SYSTEM, ptr=R_RDI
	I sgdt (%_ASM_DI)
	I sidt 16(%_ASM_DI)
	I smsw %eax
	I sldt %ecx
	I str %edx
	I sidt ARENA(64)
	DONE
ENDSNIP

SNIP sys_segment, C_SYSTEM
	I movl $__KERNEL_CS, %eax
	I lar %eax, %ebx
	I lsl %eax, %ecx
	I verr %ax
	I setz %dl
	DONE
ENDSNIP

SNIP sys_access, C_SYSTEM, need=N_SMAP
	I stac
	I pushf
	I pop %_ASM_AX
	I clac
	I pushf
	I pop %_ASM_BX
	DONE
ENDSNIP

SNIP sys_invlpg, C_SYSTEM, ptr=R_RDI
	I invlpg (%_ASM_DI)
	I mov (%_ASM_DI), %_ASM_AX
	I clts
	DONE
ENDSNIP

/* Port 0x80 is there to be written to without effect. */
SNIP sys_port, C_SYSTEM
	I outb %al, $0x80
	I movl $0x80, %edx
	I outb %al, %dx
	I inb $0x80, %al
	I inb %dx, %al
	I movb $0, %al
	DONE
ENDSNIP

DIFF_TABLE_END diff_system
