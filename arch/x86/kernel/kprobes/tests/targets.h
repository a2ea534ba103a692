/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TARGETS_H
#define _KPROBES_TARGETS_H
/*
 * Functions that have to consist of certain instructions are made of these.
 */
#include <linux/jump_label.h>
#include <linux/linkage.h>
#include <linux/stringify.h>
#include <linux/types.h>
#include <asm/asm.h>
#include <asm/ibt.h>

/*
 * Operands that are a word wide. The 32-bit kernel passes the first argument in
 * EAX, so that what is returned may overwrite it; the second one in EDX.
 */
#define KR_AX		"%" _ASM_AX
#define KR_BX		"%" _ASM_BX
#define KR_CX		"%" _ASM_CX
#define KR_DX		"%" _ASM_DX
#define KR_SI		"%" _ASM_SI
#define KR_DI		"%" _ASM_DI
#define KR_BP		"%" _ASM_BP
#define KR_SP		"%" _ASM_SP
#define KR_ARG1		"%" _ASM_ARG1
#define KR_ARG2		"%" _ASM_ARG2

/* Likewise, but 32 bits of them. */
#define KR_ARG1L	"%" __stringify(_ASM_ARG1L)
#define KR_ARG2L	"%" __stringify(_ASM_ARG2L)

/*
 * KR_MEM(x): a variable. KR_WORD: the size of a word. KR_JCXZ: jumps if KR_CX is
 * zero. KR_LOAD: goes before an operand (register), so that a MOV from there is
 * three bytes long.
 */
#ifdef CONFIG_X86_64
#define KR_MEM(x)	#x "(%rip)"
#define KR_WORD		"8"
#define KR_JCXZ		"jrcxz"
#define KR_LOAD		"mov"
#else
#define KR_MEM(x)	#x
#define KR_WORD		"4"
#define KR_JCXZ		"jecxz"
#define KR_LOAD		"{disp8} mov"
#endif

#define KTEST_BEGIN(name)						\
	".pushsection .text, \"ax\", @progbits\n"			\
	".balign 16\n"							\
	".globl " #name "\n"						\
	".type " #name ", @function\n"					\
	#name ":\n"							\
	ASM_ENDBR

#define KTEST_END(name)							\
	".size " #name ", . - " #name "\n"				\
	".popsection\n"

/* A distance, worked out by the assembler: there is nothing to relocate. */
#define KTEST_OFFSET(name, label, func)					\
	".pushsection .rodata\n"					\
	".balign 4\n"							\
	".globl " #name "\n"						\
	#name ": .long " #label " - " #func "\n"			\
	".popsection\n"

/*
 * Ends a function in which label 1 is the probed instruction, and label 2 the
 * one behind it.
 */
#define KTEST_TARGET_END(name)						\
	".size " #name ", . - " #name "\n"				\
	".popsection\n"							\
	".pushsection .rodata\n"					\
	".balign 4\n"							\
	".globl " #name "_at, " #name "_next\n"			\
	#name "_at: .long 1b - " #name "\n"				\
	#name "_next: .long 2b - " #name "\n"				\
	".popsection\n"

/**
 * struct ktest_target - a function to probe
 * @name: what it is called
 * @fn: the function
 * @at: the offset of the instruction to probe
 * @next: the offset of the one behind it
 * @skip: the function can do without the instruction
 * @nojump: why there can be no jump, KPROBE_NOJUMP_NONE if there can
 */
struct ktest_target {
	const char *name;
	long (*fn)(long x);
	const u32 *at;
	const u32 *next;
	bool skip;
	int nojump;
};

/* All of them can be called, with any number from 0 to 3. */
extern const struct ktest_target ktest_targets[];
extern const unsigned int ktest_nr_targets;

/* Off, and two of the targets are sites of it. */
DECLARE_STATIC_KEY_FALSE(ktest_target_key);

/* Called by some of them. */
long ktest_callee(long x);

#define KTEST_TARGET(name)						\
	long name(long x);						\
	extern const u32 name##_at, name##_next

KTEST_TARGET(ktest_call);
KTEST_TARGET(ktest_call_late);
KTEST_TARGET(ktest_call_reg);
KTEST_TARGET(ktest_call_high_reg);
KTEST_TARGET(ktest_call_mem);
KTEST_TARGET(ktest_call_sib);
KTEST_TARGET(ktest_jcc);
KTEST_TARGET(ktest_jcc_late);
KTEST_TARGET(ktest_jcc_twice);
KTEST_TARGET(ktest_jmp);
KTEST_TARGET(ktest_jmp_far);
KTEST_TARGET(ktest_jmp_back);
KTEST_TARGET(ktest_jmp_reg);
KTEST_TARGET(ktest_jmp_mem);
KTEST_TARGET(ktest_loop);
KTEST_TARGET(ktest_jrcxz);
KTEST_TARGET(ktest_back);
KTEST_TARGET(ktest_pushf);
KTEST_TARGET(ktest_popf);
KTEST_TARGET(ktest_cli);
KTEST_TARGET(ktest_table);
KTEST_TARGET(ktest_sleeps);
KTEST_TARGET(ktest_fixup);
KTEST_TARGET(ktest_pad_first);
KTEST_TARGET(ktest_pad_late);
KTEST_TARGET(ktest_label);
KTEST_TARGET(ktest_site);
KTEST_TARGET(ktest_branch_in);
KTEST_TARGET(ktest_loop_in);
KTEST_TARGET(ktest_named);
KTEST_TARGET(ktest_landing);
KTEST_TARGET(ktest_trap);
KTEST_TARGET(ktest_call_inside);
KTEST_TARGET(ktest_call_stack);
KTEST_TARGET(ktest_short);
KTEST_TARGET(ktest_end_jmp);
KTEST_TARGET(ktest_end_reg);
KTEST_TARGET(ktest_end_late);
KTEST_TARGET(ktest_end_nops);
KTEST_TARGET(ktest_scaled);
KTEST_TARGET(ktest_goto);
KTEST_TARGET(ktest_split);
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
KTEST_TARGET(ktest_static);
#endif
/* Reads through its argument: -EFAULT when it cannot, by the first instruction. */
KTEST_TARGET(ktest_first);
KTEST_TARGET(ktest_call_where);
/* Likewise: -EIO when that is no address, by the second instruction. */
KTEST_TARGET(ktest_late_msr);
/* Ends only if a handler at the probed instruction goes on at ktest_spin_out. */
KTEST_TARGET(ktest_spin);
extern const u32 ktest_spin_out;
KTEST_TARGET(ktest_push);
KTEST_TARGET(ktest_pop);

/* Many places for a jump, by their distance from the first function. */
extern const u32 ktest_many_sites[];
extern const u8 ktest_many_00[];

/**
 * ktest_call_clean() - call a function with all registers set
 * @fn: the function
 * @x: its argument; all other registers are equal at every call
 */
long ktest_call_clean(long (*fn)(long x), long x);

/**
 * ktest_call_stepped() - likewise, with a trap after each instruction
 * @fn: the function
 * @x: its argument
 */
long ktest_call_stepped(long (*fn)(long x), long x);

#endif /* _KPROBES_TARGETS_H */
