// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the entry of a detour in 64-bit kernels, as a template.
 */
#include <asm/segment.h>

#include "detour_template.h"

/* What a handler may push below the probed function's stack pointer. */
#define DETOUR_GAP	64

/*
 * The frame pointer that the called function saves says that there are
 * registers on the stack, as ENCODE_FRAME_POINTER of a trap's entry does. The
 * unwinder goes on from those, and its reliable variant gives up.
 */
#ifdef CONFIG_FRAME_POINTER
#define T_ENCODE_FRAME_POINTER	T(29, "lea	1(%rsp), %rbp")
#else
#define T_ENCODE_FRAME_POINTER
#endif

asm(TEMPLATE_BEGIN
	T(0,	"pushq	%rsp")
	T(1,	"lea	8-" __stringify(DETOUR_GAP) "(%rsp), %rsp")
	T(8,	"pushq	$" __stringify(__KERNEL_DS))
	T(9,	"pushq	" __stringify(DETOUR_GAP) "(%rsp)")
	T(10,	"pushfq")
	T_LABEL(clac)
	T(11,	".byte	0x0f, 0x1f, 0x00")
	T(11,	"cld")
	T(11,	"pushq	$" __stringify(__KERNEL_CS))
	T(12,	".byte	0x68; .long 0")
	T_LABEL(pushed_ip)
	T(13,	"pushq	$-1")
	T(14,	"pushq	%rdi")
	T(15,	"pushq	%rsi")
	T(16,	"pushq	%rdx")
	T(17,	"pushq	%rcx")
	T(18,	"pushq	%rax")
	T(19,	"pushq	%r8")
	T(20,	"pushq	%r9")
	T(21,	"pushq	%r10")
	T(22,	"pushq	%r11")
	T(23,	"pushq	%rbx")
	T(24,	"pushq	%rbp")
	T(25,	"pushq	%r12")
	T(26,	"pushq	%r13")
	T(27,	"pushq	%r14")
	T(28,	"pushq	%r15")
	T(29,	"movabsq	$0, %rdi")
	T_LABEL(point)
	T(29,	"movq	%rsp, %rsi")
	T_ENCODE_FRAME_POINTER
	T(29,	".byte	0xe8; .long 0")
	T_LABEL(call)
	T(29,	"testl	%eax, %eax")
	T(29,	"popq	%r15")
	T(28,	"popq	%r14")
	T(27,	"popq	%r13")
	T(26,	"popq	%r12")
	T(25,	"popq	%rbp")
	T(24,	"popq	%rbx")
	T(23,	"popq	%r11")
	T(22,	"popq	%r10")
	T(21,	"popq	%r9")
	T(20,	"popq	%r8")
	T(19,	"popq	%rax")
	T(18,	"popq	%rcx")
	T(17,	"popq	%rdx")
	T(16,	"popq	%rsi")
	T(15,	"popq	%rdi")
	T(14,	"lea	24(%rsp), %rsp")
	T(11,	".byte	0x0f, 0x85; .long 0")
	T_LABEL(jnz)
	T(11,	"popfq")
	T(10,	"popq	%rsp")
	TEMPLATE_END);
