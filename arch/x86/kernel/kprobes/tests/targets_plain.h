/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TESTS_TARGETS_PLAIN_H
#define _X86_KPROBES_TESTS_TARGETS_PLAIN_H
/*
 * Functions to probe that consist of certain instructions, beside those of
 * testing.h.
 */
#include <linux/types.h>

#include "kprobes/tests/testing.h"

/*
 * Reached by a jump in the end. As ktest_plain(), it adds 1, adds 2, and takes 2
 * off again, by an instruction of KTEST_PLAIN_LEN bytes each.
 */
int ktest_early(int x);			/* probed from the first initcalls on */
extern const u32 ktest_plain_mid;		/* where it adds 2 */
extern const u32 ktest_plain_last;	/* where it takes 2 off */
extern const u32 ktest_plain_end;		/* where it returns */
#define KTEST_PLAIN_LEN	(IS_ENABLED(CONFIG_X86_64) ? 4 : 3)

/* Where struct pt_regs has the first argument of a function. */
#ifdef CONFIG_X86_64
#define KTEST_REGS_ARG1	di
#else
#define KTEST_REGS_ARG1	ax
#endif

/**
 * ktest_load() - read memory that may not be there
 * @p: the address
 *
 * The instruction at the entry is in the exception table.
 * Return: what is there, or -EFAULT.
 */
long ktest_load(const long *p);

/**
 * ktest_touch() - read memory that had better be there
 * @p: the address
 */
long ktest_touch(const long *p);

/* The instruction of ktest_touch() that reads. */
extern const u32 ktest_touch_insn;
#define KTEST_TOUCH_LEN	3

/**
 * ktest_inner() - likewise, by its second instruction
 * @p: the address
 *
 * The first three instructions are five bytes long, and a jump's region.
 */
long ktest_inner(const void *p);

/* The second one. */
extern const u32 ktest_inner_load;

/**
 * ktest_zeropad() - read memory that may end in the middle
 * @p: the address
 *
 * Return: what is there, and zeroes for what is behind the end.
 */
long ktest_zeropad(const void *p);

/* Returns, and does nothing else. */
void ktest_return(void);

/* Sets the direction flag, and clears it again. Returns its argument plus 1. */
int ktest_down(int x);
extern const u32 ktest_down_mid;		/* where the flag is set */

/* Sets the flag that opens the user's memory, and clears it. Likewise. */
int ktest_open(int x);
extern const u32 ktest_open_mid;		/* where the flag is set */

/* Is @a below @b? Compared before the probed place, answered after it. */
int ktest_below(unsigned int a, unsigned int b);
extern const u32 ktest_below_mid;

/* Many instructions of one byte each. Returns its argument plus 1. */
#define KTEST_NOPS	300
int ktest_nops(int x);
extern const u32 ktest_nops_first;

/* Its second instruction has a LOCK prefix. Returns its argument plus 1. */
int ktest_locked(int x);
extern const u32 ktest_locked_at;	/* the first one, with room for a jump */

/* Likewise, without: behind its return are bytes that are never executed. */
int ktest_tailed(int x);
extern const u32 ktest_tailed_tail;

/* A part of it has been moved away; it has a branch, and is never run. */
int ktest_parted(int x);

/* Has an XOP instruction, behind a NOP. Never called. */
void ktest_xop(void);
extern const u32 ktest_xop_at;

/* Writes @val to @reg by the instruction at its entry. */
void ktest_write(u32 val, void *reg);

/* Never called. The one in the middle is marked with NOKPROBE_SYMBOL(). */
void ktest_before(void);
void ktest_black(void);
void ktest_after(void);

/* The flags, by an instruction that is emulated. */
unsigned long ktest_flags(void);
unsigned long ktest_flags_fixed(void);

#endif /* _X86_KPROBES_TESTS_TARGETS_PLAIN_H */
