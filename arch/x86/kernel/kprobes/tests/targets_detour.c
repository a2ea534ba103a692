// SPDX-License-Identifier: GPL-2.0
/*
 * The table of the functions in targets_detour_32.c or targets_detour_64.c, and in
 * targets_ends.c.
 */
#include <linux/jump_label.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>

#include "kprobes/tests/testing.h"
#include "targets_detour.h"

DEFINE_STATIC_KEY_FALSE(ktest_target_key);

#define ENTRY(_name, _nojump, ...)					\
	{ .name = #_name, .fn = _name, .at = &_name##_at,		\
	  .next = &_name##_next, .nojump = KPROBE_NOJUMP_##_nojump,	\
	  ##__VA_ARGS__ }

/* For functions with an indirect jump. */
#define KPROBE_NOJUMP_IF_NO_TABLES(nojump)	\
	(KTEST_TABLES ? KPROBE_NOJUMP_JUMP_TABLE : KPROBE_NOJUMP_##nojump)

/* What goes on as well without the probed instruction. */
#define SKIP	.skip = true

const struct ktest_target ktest_targets[] = {
	ENTRY(ktest_call, NONE),
	ENTRY(ktest_call_late, NONE, SKIP),
	ENTRY(ktest_call_reg, NONE, SKIP),
	ENTRY(ktest_call_mem, NONE),
	ENTRY(ktest_jcc, NONE, SKIP),
	ENTRY(ktest_jcc_late, NONE),
	ENTRY(ktest_jcc_twice, NONE, SKIP),
	ENTRY(ktest_jmp, NONE),
	ENTRY(ktest_jmp_far, NONE),
	ENTRY(ktest_jmp_back, NONE),
	ENTRY(ktest_jmp_reg, IF_NO_TABLES(NONE)),
	ENTRY(ktest_jmp_mem, IF_NO_TABLES(NONE)),
	ENTRY(ktest_loop, NONE, SKIP),
	ENTRY(ktest_jrcxz, NONE, SKIP),
	ENTRY(ktest_back, NONE),
	ENTRY(ktest_pushf, NONE),
	ENTRY(ktest_popf, NONE),
	ENTRY(ktest_cli, NONE, SKIP),
	ENTRY(ktest_table, NONE, SKIP),
	ENTRY(ktest_push, NONE),
	ENTRY(ktest_pop, NONE),
	ENTRY(ktest_sleeps, FAULT),
	ENTRY(ktest_fixup, FIXUP),
	ENTRY(ktest_pad_first, FIXUP),
	ENTRY(ktest_pad_late, FIXUP),
	ENTRY(ktest_label, LABEL),
	ENTRY(ktest_site, JUMP_LABEL),
	ENTRY(ktest_branch_in, BRANCH),
	ENTRY(ktest_loop_in, BRANCH),
	ENTRY(ktest_named, ADDRESS),
	ENTRY(ktest_trap, TRAP),
	ENTRY(ktest_call_inside, CALL),
	ENTRY(ktest_call_sib, CALL),
	ENTRY(ktest_call_stack, INSN),
	ENTRY(ktest_short, SHORT),
	ENTRY(ktest_end_jmp, END),
	ENTRY(ktest_end_reg, IF_NO_TABLES(END)),
	ENTRY(ktest_end_late, END),
	ENTRY(ktest_end_nops, NONE),
	ENTRY(ktest_scaled, JUMP_TABLE),
	ENTRY(ktest_goto, ADDRESS),
	ENTRY(ktest_split, PARTS),
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	ENTRY(ktest_static, STATIC_CALL),
#endif
#ifdef CONFIG_X86_64
	ENTRY(ktest_call_high_reg, NONE, SKIP),
#else
	ENTRY(ktest_jcxz, NONE, SKIP),
	ENTRY(ktest_pusha, NONE),
	ENTRY(ktest_segment, SEGMENT),
	ENTRY(ktest_computed, JUMP_TABLE),
#endif
#ifdef CONFIG_X86_KERNEL_IBT	/* without it, nothing has to land on an ENDBR */
	ENTRY(ktest_landing, ENDBR),
#endif
};

const unsigned int ktest_nr_targets = ARRAY_SIZE(ktest_targets);
