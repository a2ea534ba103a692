/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Macros to write snippets with. A snippet is a function of its own; every
 * instruction of it stands behind one of the I macros, which records where it
 * starts, how often it must run and its text for the report:
 *
 *	SNIP add_example, C_ALU, ptr=R_RDI
 *	I addq %rax, (%rdi)
 *	DONE
 *	ENDSNIP
 *
 * ptr=	registers that point into the arena	undef= flags left undefined
 * gs=	registers that are an offset in a segment	need=  what the CPU must have
 * idx=	registers that hold 0 to 7		opt=   O_ options
 * All others, and the flags, are random. The local labels 76 to 79 are taken.
 *
 * Nothing here relies on what a wrong probe leaves intact: a snippet that
 * shifts the stack pointer when it goes wrong keeps a copy and restores it, so
 * that the test lives to report the difference.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <asm/asm.h>
#include <asm/nospec-branch.h>
#include "diff.h"

/* The table of one file: NAME_start and NAME_end. */
.macro DIFF_TABLE_START name:req
	.pushsection .rodata.diff_snip, "a"
	.balign 16
	.globl \name\()_start
\name\()_start:
	.popsection
	.text
.endm

.macro DIFF_TABLE_END name:req
	.pushsection .rodata.diff_snip, "a"
	.globl \name\()_end
\name\()_end:
	.popsection
.endm

.macro DI hits:req, mark:req, insn:vararg
.Ldiff_insn_\@:
	.pushsection .rodata.diff_text, "a"
.Ldiff_text_\@:
	.asciz "\insn"
	.popsection
	.pushsection .rodata.diff_bound, "a"
	.long .Ldiff_insn_\@ - 77b
	.short \hits, \mark
	_ASM_PTR .Ldiff_text_\@
	.popsection
	\insn
.endm

/* An instruction that runs once. */
.macro I insn:vararg
	DI 1, 0, \insn
.endm

/* One that runs n times. */
.macro IN n:req, insn:vararg
	DI \n, 0, \insn
.endm

/* One that runs if condition cc (0 to 15) holds in the flags on entry. */
.macro IC cc:req, insn:vararg
	DI H_COND+\cc, 0, \insn
.endm

/* One that cannot be probed, and never runs. */
.macro IR insn:vararg
	DI 0, M_REFUSE, \insn
.endm

/* One that kprobes may decline to probe, but must not get wrong. */
.macro IM insn:vararg
	DI 1, M_MAY, \insn
.endm

/* One that faults; its fixup goes on elsewhere. */
.macro IF insn:vararg
	DI 1, M_FAULT, \insn
.endm

/* An indirect branch or a return in the way of no mitigation. */
.macro IB insn:vararg
	ANNOTATE_RETPOLINE_SAFE
	DI 1, 0, \insn
.endm

.macro IBN n:req, insn:vararg
	ANNOTATE_RETPOLINE_SAFE
	DI \n, 0, \insn
.endm

/* The end of a snippet's path: DONE once, or DONEC where condition cc leads. */
.macro DONE
	ANNOTATE_UNRET_SAFE
	DI 1, M_EXIT, ret
.endm

/* Where an indirect branch may land. */
.macro LAND n=1
#ifdef CONFIG_X86_KERNEL_IBT
	DI \n, 0, endbr64
#endif
.endm

.macro SNIP name:req, class:req, ptr=0, gs=0, idx=0, need=0, opt=0, undef=0
	.pushsection .rodata.diff_text, "a"
.Ldiff_name_\name:
	.asciz "\name"
	.popsection
	.pushsection .rodata.diff_bound, "a"
	.balign 8
76:
	.popsection
	.balign 16, 0x90
	.type diff_\name, @function
	STACK_FRAME_NON_STANDARD diff_\name
diff_\name:
77:
	.size diff_\name, 78f - 77b
	.pushsection .rodata.diff_snip, "a"
	_ASM_PTR .Ldiff_name_\name
	_ASM_PTR diff_\name
	_ASM_PTR 76b
	.long 78f - 77b
	.long 79f - 76b
	.short \class, \need, \ptr, \gs, \idx, \opt, \undef, 0
	.popsection
	LAND
.endm

.macro ENDSNIP
78:
	.pushsection .rodata.diff_bound, "a"
79:
	.popsection
.endm
