/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TESTS_TARGETS_DETOUR_H
#define _X86_KPROBES_TESTS_TARGETS_DETOUR_H
/*
 * What of the functions in targets_detour.c, and of the detours that they have,
 * depends on the size of a word.
 *
 * KTEST_NR_JUMPS: how many of all functions have a jump
 * KTEST_NR_SKIPS: how many of those can do without the probed instruction
 * KTEST_ENTRY_INSNS: the instructions of a detour's entry, at least
 * KTEST_NO_ADDRESS: where nothing can be read, nor in the pages around it
 */
#include <linux/mm.h>
#include <linux/sizes.h>

#include "targets.h"

/*
 * Where compilers make jump tables, an indirect jump may lead anywhere in its function.
 * Two of the functions have no jump then.
 */
#define KTEST_TABLES		(!IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) && \
				 !IS_ENABLED(CONFIG_X86_KERNEL_IBT))

#ifdef CONFIG_X86_64

#define KTEST_NR_JUMPS		(KTEST_TABLES ? 21 : 23)
#define KTEST_NR_SKIPS		9
#define KTEST_ENTRY_INSNS	45
#define KTEST_NO_ADDRESS	0x1234567890abcdefL

#else

/* With a counter of 16 bits. */
KTEST_TARGET(ktest_jcxz);
/* Pushes and pops all registers. */
KTEST_TARGET(ktest_pusha);
/* Loads a segment register. */
KTEST_TARGET(ktest_segment);
/* Works out where it jumps to. */
KTEST_TARGET(ktest_computed);

#define KTEST_NR_JUMPS		(KTEST_TABLES ? 22 : 24)
#define KTEST_NR_SKIPS		9
#define KTEST_ENTRY_INSNS	33
/* Between the memory that is mapped for good and that of vmalloc() is a gap. */
#define KTEST_NO_ADDRESS	((long)high_memory + SZ_4M + 0x234)

#endif

#endif /* _X86_KPROBES_TESTS_TARGETS_DETOUR_H */
