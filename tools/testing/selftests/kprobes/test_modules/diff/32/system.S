/* SPDX-License-Identifier: GPL-2.0 */
/* Snippets for 32 bit: what only the kernel may run. */
#include "../macros.S"

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
	I movl $0x174, %ecx
	I rdmsr
	I movl %eax, %ebx
	I movl $0x176, %ecx
	I rdmsr
	I wrmsr
	DONE
ENDSNIP

SNIP sys_tables, C_SYSTEM, ptr=R_RDI
	I sgdt (%edi)
	I sidt 16(%edi)
	I smsw %eax
	I sldt %ecx
	I str %edx
	I sidt diff_arena + 64
	DONE
ENDSNIP

SNIP sys_segment, C_SYSTEM
	I movl $0x60, %eax
	I lar %eax, %ebx
	I lsl %eax, %ecx
	I verr %ax
	I setz %dl
	DONE
ENDSNIP

SNIP sys_access, C_SYSTEM, need=N_SMAP
	I stac
	I pushfl
	I popl %eax
	I clac
	I pushfl
	I popl %ebx
	DONE
ENDSNIP

SNIP sys_invlpg, C_SYSTEM, ptr=R_RDI
	I invlpg (%edi)
	I movl (%edi), %eax
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
