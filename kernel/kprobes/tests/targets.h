/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TARGETS_H
#define _KPROBES_TARGETS_H
/*
 * Functions that have to consist of certain instructions are made of these.
 */
#include <linux/jump_label.h>
#include <linux/linkage.h>
#include <linux/types.h>
#include <asm/asm.h>
#include <asm/ibt.h>

#define KPT_BEGIN(name)							\
	".pushsection .text, \"ax\", @progbits\n"			\
	".balign 16\n"							\
	".globl " #name "\n"						\
	".type " #name ", @function\n"					\
	#name ":\n"							\
	ASM_ENDBR

#define KPT_END(name)							\
	".size " #name ", . - " #name "\n"				\
	".popsection\n"

/* A distance, worked out by the assembler: there is nothing to relocate. */
#define KPT_OFFSET(name, label, func)					\
	".pushsection .rodata\n"					\
	".balign 4\n"							\
	".globl " #name "\n"						\
	#name ": .long " #label " - " #func "\n"			\
	".popsection\n"

/*
 * Ends a function in which label 1 is the probed instruction, and label 2 the
 * one behind it.
 */
#define KPT_TARGET_END(name)						\
	".size " #name ", . - " #name "\n"				\
	".popsection\n"							\
	".pushsection .rodata\n"					\
	".balign 4\n"							\
	".globl " #name "_at, " #name "_next\n"			\
	#name "_at: .long 1b - " #name "\n"				\
	#name "_next: .long 2b - " #name "\n"				\
	".popsection\n"

/**
 * struct kpt_target - a function to probe
 * @name: what it is called
 * @fn: the function
 * @at: the offset of the instruction to probe
 * @next: the offset of the one behind it
 * @skip: the function can do without the instruction
 * @nojump: why there can be no jump, KPROBE_NOJUMP_NONE if there can
 */
struct kpt_target {
	const char *name;
	long (*fn)(long x);
	const u32 *at;
	const u32 *next;
	bool skip;
	int nojump;
};

/* All of them can be called, with any number from 0 to 3. */
extern const struct kpt_target kpt_targets[];
extern const unsigned int kpt_nr_targets;

/* Off, and two of the targets are sites of it. */
DECLARE_STATIC_KEY_FALSE(kpt_target_key);

/* Called by some of them. */
long kpt_callee(long x);

#define KPT_TARGET(name)						\
	long name(long x);						\
	extern const u32 name##_at, name##_next

KPT_TARGET(kpt_call);
KPT_TARGET(kpt_call_late);
KPT_TARGET(kpt_call_reg);
KPT_TARGET(kpt_call_high_reg);
KPT_TARGET(kpt_call_mem);
KPT_TARGET(kpt_call_sib);
KPT_TARGET(kpt_jcc);
KPT_TARGET(kpt_jcc_late);
KPT_TARGET(kpt_jcc_twice);
KPT_TARGET(kpt_jmp);
KPT_TARGET(kpt_jmp_far);
KPT_TARGET(kpt_jmp_back);
KPT_TARGET(kpt_jmp_reg);
KPT_TARGET(kpt_jmp_mem);
KPT_TARGET(kpt_loop);
KPT_TARGET(kpt_jrcxz);
KPT_TARGET(kpt_back);
KPT_TARGET(kpt_pushf);
KPT_TARGET(kpt_popf);
KPT_TARGET(kpt_cli);
KPT_TARGET(kpt_table);
KPT_TARGET(kpt_sleeps);
KPT_TARGET(kpt_fixup);
KPT_TARGET(kpt_label);
KPT_TARGET(kpt_site);
KPT_TARGET(kpt_branch_in);
KPT_TARGET(kpt_loop_in);
KPT_TARGET(kpt_named);
KPT_TARGET(kpt_landing);
KPT_TARGET(kpt_trap);
KPT_TARGET(kpt_call_inside);
KPT_TARGET(kpt_call_stack);
KPT_TARGET(kpt_short);
KPT_TARGET(kpt_end_jmp);
KPT_TARGET(kpt_end_reg);
KPT_TARGET(kpt_end_late);
KPT_TARGET(kpt_end_nops);
KPT_TARGET(kpt_scaled);
KPT_TARGET(kpt_goto);
/* Reads through its argument: -EFAULT when it cannot, by the first instruction. */
KPT_TARGET(kpt_first);
/* Likewise: -EIO when that is no address, by the second instruction. */
KPT_TARGET(kpt_late_msr);
KPT_TARGET(kpt_push);
KPT_TARGET(kpt_pop);

/* Many places for a jump, by their distance from the first function. */
extern const u32 kpt_many_sites[];
extern const u8 kpt_many_00[];

/**
 * kpt_call_clean() - call a function with all registers set
 * @fn: the function
 * @x: its argument; all other registers hold the same at every call
 */
long kpt_call_clean(long (*fn)(long x), long x);

/**
 * kpt_call_stepped() - likewise, with a trap after each instruction
 * @fn: the function
 * @x: its argument
 */
long kpt_call_stepped(long (*fn)(long x), long x);

#endif /* _KPROBES_TARGETS_H */
