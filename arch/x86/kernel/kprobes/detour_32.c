// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the entry of a detour in 32-bit kernels, as a template.
 *
 * The kernel's own code has its segments in DS, ES and FS already, and GS is a
 * register of the user. So none of them is loaded, neither before the handlers nor
 * after: a function that loads one of the three gets no jump, see safety.c.
 */
#include <asm/nops.h>
#include <asm/segment.h>

#include "detour_template.h"

/* What a handler may push below the probed function's stack pointer. */
#define DETOUR_GAP	32

/*
 * The frame pointer that the called function saves says that there are
 * registers on the stack, as ENCODE_FRAME_POINTER of a trap's entry does: bit 31,
 * which is set in the addresses of stacks, is clear. By one instruction, for an
 * interrupt behind the first of two would find the registers taken for a frame.
 */
#ifdef CONFIG_FRAME_POINTER
#define T_ENCODE_FRAME_POINTER	T(25, "lea	-0x80000000(%esp), %ebp")
#else
#define T_ENCODE_FRAME_POINTER
#endif

asm(TEMPLATE_BEGIN
	T(0,	"pushl	%esp")
	T(1,	"lea	4-" __stringify(DETOUR_GAP) "(%esp), %esp")
	T(8,	"pushl	%ss")
	T(9,	"pushl	" __stringify(DETOUR_GAP) "(%esp)")
	T(10,	"pushfl")
	T_LABEL(clac)
	T(11,	".byte	" __stringify(BYTES_NOP3))
	T(11,	"cld")
	T(11,	"pushl	$" __stringify(__KERNEL_CS))
	T(12,	".byte	0x68; .long 0")
	T_LABEL(pushed_ip)
	T(13,	"pushl	$-1")
	T(14,	"pushl	$0")
	T(15,	"pushl	%fs")
	T(16,	"pushl	%es")
	T(17,	"pushl	%ds")
	T(18,	"pushl	%eax")
	T(19,	"pushl	%ebp")
	T(20,	"pushl	%edi")
	T(21,	"pushl	%esi")
	T(22,	"pushl	%edx")
	T(23,	"pushl	%ecx")
	T(24,	"pushl	%ebx")
	T(25,	"movl	$0, %eax")
	T_LABEL(point)
	T(25,	"movl	%esp, %edx")
	T_ENCODE_FRAME_POINTER
	T(25,	".byte	0xe8; .long 0")
	T_LABEL(call)
	T(25,	"testl	%eax, %eax")
	T(25,	"popl	%ebx")
	T(24,	"popl	%ecx")
	T(23,	"popl	%edx")
	T(22,	"popl	%esi")
	T(21,	"popl	%edi")
	T(20,	"popl	%ebp")
	T(19,	"popl	%eax")
	T(18,	"lea	28(%esp), %esp")
	T(11,	".byte	0x0f, 0x85; .long 0")
	T_LABEL(jnz)
	T(11,	"popfl")
	T(10,	"popl	%esp")
	TEMPLATE_END);
