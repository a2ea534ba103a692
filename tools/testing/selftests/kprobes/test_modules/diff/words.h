/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_DIFF_WORDS_H
#define KPROBE_DIFF_WORDS_H
/*
 * What differs between the two kernels in snippets that both have. Registers as wide
 * as a word are %_ASM_AX and so on. What is called half is half as wide.
 *
 * ARENA(n)	the byte n of the arena, by an address without registers
 * HALF(x)	x in the upper half of a word
 * IMM		loads a number as wide as a word
 * JCXZ		jumps if the word in CX is zero, JCXZ_HALF if the half is
 * ADDR_HALF	goes before what counts in the half only
 * USELESS	a prefix that means nothing to a branch
 *
 * Registers above 7, %XMM8 as well as %REG8, are lower ones on 32 bit.
 */
#include <asm/asm.h>
#include <asm/msr-index.h>

#define ARENA(n)	_ASM_RIP(diff_arena + (n))

#ifdef CONFIG_X86_64
#define HALF(x)		((x) << 32)
#define IMM		movabsq
#define JCXZ		jrcxz
#define JCXZ_HALF	jecxz
#define ADDR_HALF	addr32
#define USELESS		0x48
#define MSR_TO_READ	MSR_EFER
#define MSR_TO_WRITE	MSR_STAR
#define PEXTR		pextrq
#define VPEXTR		vpextrq

#define R_REG12		R_R12
#define REG8		r8
#define REG9		r9
#define REG10		r10
#define REG11		r11
#define REG12		r12
#define REG13		r13
#define REG8L		r8d
#define REG9L		r9d
#define REG10L		r10d
#define REG12L		r12d
#define REG13L		r13d
#define REG9B		r9b
#define XMM8		xmm8
#define XMM9		xmm9
#define XMM10		xmm10
#define XMM11		xmm11
#define XMM12		xmm12
#define XMM13		xmm13
#define XMM14		xmm14
#define XMM15		xmm15
#define YMM8		ymm8
#define YMM9		ymm9
#define YMM10		ymm10
#define YMM11		ymm11
#define YMM12		ymm12
#define YMM13		ymm13
#define YMM14		ymm14
#define YMM15		ymm15
#else
#define HALF(x)		((x) << 16)
#define IMM		movl
#define JCXZ		jecxz
#define JCXZ_HALF	jcxz
#define ADDR_HALF	addr16
#define USELESS		0x3e
#define MSR_TO_READ	MSR_IA32_SYSENTER_CS
#define MSR_TO_WRITE	MSR_IA32_SYSENTER_EIP
#define PEXTR		pextrd
#define VPEXTR		vpextrd

#define R_REG12		R_RDI
#define REG8		edi
#define REG9		ebp
#define REG10		eax
#define REG11		ebx
#define REG12		edi
#define REG13		edx
#define REG8L		edi
#define REG9L		ebp
#define REG10L		eax
#define REG12L		edi
#define REG13L		edx
#define REG9B		dh
#define XMM8		xmm0
#define XMM9		xmm1
#define XMM10		xmm2
#define XMM11		xmm3
#define XMM12		xmm4
#define XMM13		xmm5
#define XMM14		xmm6
#define XMM15		xmm7
#define YMM8		ymm0
#define YMM9		ymm1
#define YMM10		ymm2
#define YMM11		ymm3
#define YMM12		ymm4
#define YMM13		ymm5
#define YMM14		ymm6
#define YMM15		ymm7
#endif

#endif /* KPROBE_DIFF_WORDS_H */
