// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the blacklist in text whose layout is known: where an entry
 * begins and ends, and entries that overlap.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <asm/asm.h>
#include <asm/sections.h>

#include "kprobes/tests/blacklist.h"
#include "targets_plain.h"

/* The entry code. */
static void black_entry(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__entry_text_start,
					     (unsigned long)__entry_text_end));
	KUNIT_EXPECT_GT(test, (unsigned long)__entry_text_end,
			(unsigned long)__entry_text_start);
}

/* To the byte: the neighbours of a marked function are free. */
static void black_bounds(struct kunit *test)
{
	void *black = ktest_black, *after = ktest_after;

	KUNIT_EXPECT_FALSE(test, black_at(ktest_before));
	KUNIT_EXPECT_FALSE(test, black_at(black - 1));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)black,
					     (unsigned long)after));
	KUNIT_EXPECT_FALSE(test, black_at(after));
	KUNIT_EXPECT_EQ(test, 0, black_try(ktest_before));
	KUNIT_EXPECT_EQ(test, -EINVAL, black_try(black));
	KUNIT_EXPECT_EQ(test, 0, black_try(after));
}

/* Copies that the compiler makes of a marked function. */
static void black_copies(struct kunit *test)
{
	void *copy = (void *)kallsyms_lookup_name("ktest_black.isra.0");
	void *other = (void *)kallsyms_lookup_name("ktest_black.constprop.0");
	void *free = (void *)kallsyms_lookup_name("ktest_after.isra.0");

	KUNIT_ASSERT_TRUE(test, copy && other && free);
	KUNIT_EXPECT_TRUE(test, black_at(copy));
	KUNIT_EXPECT_TRUE(test, black_at(copy + 4));
	KUNIT_EXPECT_TRUE(test, black_at(other));
	KUNIT_EXPECT_FALSE(test, black_at(free));
	KUNIT_EXPECT_EQ(test, -EINVAL, black_try(copy));
	KUNIT_EXPECT_EQ(test, -EINVAL, black_try(other));
	KUNIT_EXPECT_EQ(test, 0, black_try(free));
}

/*
 * Ranges that overlap, in the order that fools a search which looks at the
 * nearest start only: all three functions, then a mark on the first of them,
 * and an area that begins in the middle and ends with the others.
 */
static void black_overlap(struct kunit *test)
{
	void *first = ktest_before, *end = (void *)ktest_after + black_size(ktest_after);
	struct black_module *m = black_module_alloc(test, first, end);

	black_mark(m, ktest_before);
	m->mod.kprobes_text_start = first;
	m->mod.kprobes_text_size = end - first;
	m->mod.noinstr_text_start = ktest_after;
	m->mod.noinstr_text_size = end - (void *)ktest_after;
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)first,
					     (unsigned long)end));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(ktest_before));
	KUNIT_EXPECT_FALSE(test, black_at(ktest_after));
}

/* An area that begins in the middle of a large function, before small ones. */
static void black_from_the_middle(struct kunit *test)
{
	void *first = ktest_nops, *end = ktest_flags_fixed;
	struct black_module *m = black_module_alloc(test, first, end);

	/* The middle is no address to be compiled in: it has no ENDBR. */
	OPTIMIZER_HIDE_VAR(first);
	KUNIT_ASSERT_PTR_EQ(test, first + black_size(first),
			    (void *)ktest_write);
	KUNIT_ASSERT_LT(test, (unsigned long)ktest_flags, (unsigned long)end);
	KUNIT_ASSERT_LT(test, end - (void *)ktest_write, KTEST_NOPS - 100);
	m->mod.kprobes_text_start = first + KTEST_NOPS - 50;
	m->mod.kprobes_text_size = end - m->mod.kprobes_text_start;
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)first,
					     (unsigned long)end));
	KUNIT_EXPECT_FALSE(test, black_at(end));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(ktest_write));
}

/* Without the option there is nothing, or only a stub by that name. */
#define BLACK_THUNK(config, name)	{ #name, IS_ENABLED(CONFIG_##config) }

/* Through a register, by its name. */
#define BLACK_REG(reg)							\
	{ "__x86_indirect_thunk_" reg, IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) }

/* The breakpoint path goes through these, or they run when there is no gate for it. */
static const struct {
	const char *name;
	bool there;
} black_thunk_names[] = {
	BLACK_THUNK(MITIGATION_RETHUNK, __x86_return_thunk),
	BLACK_THUNK(MITIGATION_UNRET_ENTRY, retbleed_return_thunk),
	BLACK_THUNK(MITIGATION_UNRET_ENTRY, retbleed_untrain_ret),
	BLACK_THUNK(MITIGATION_UNRET_ENTRY, entry_untrain_ret),
	BLACK_THUNK(MITIGATION_SRSO, srso_return_thunk),
	BLACK_THUNK(MITIGATION_SRSO, srso_untrain_ret),
	BLACK_THUNK(MITIGATION_SRSO, srso_safe_ret),
	BLACK_THUNK(MITIGATION_SRSO, srso_alias_return_thunk),
	BLACK_THUNK(MITIGATION_SRSO, srso_alias_untrain_ret),
	BLACK_THUNK(MITIGATION_SRSO, srso_alias_safe_ret),
	BLACK_THUNK(MITIGATION_ITS, its_return_thunk),
	BLACK_THUNK(MITIGATION_ITS, __x86_indirect_its_thunk_rax),
	BLACK_THUNK(MITIGATION_CALL_DEPTH_TRACKING, call_depth_return_thunk),
	BLACK_REG(_ASM_AX),
	BLACK_REG(_ASM_DI),
#ifdef CONFIG_X86_64
	BLACK_REG("r15"),
#endif
	BLACK_THUNK(PREEMPTION, preempt_schedule_notrace),
	BLACK_THUNK(DYNAMIC_FTRACE, ftrace_caller),
	BLACK_THUNK(DYNAMIC_FTRACE, ftrace_regs_caller),
	BLACK_THUNK(DYNAMIC_FTRACE, ftrace_regs_call),
#ifdef CONFIG_X86_32
	BLACK_THUNK(DYNAMIC_FTRACE, ftrace_stub),
	BLACK_THUNK(FUNCTION_GRAPH_TRACER, ftrace_graph_call),
#endif
	BLACK_THUNK(PROVE_LOCKING, lockdep_hardirqs_on_prepare),
	BLACK_THUNK(KASAN_GENERIC, __asan_load8),
	BLACK_THUNK(KASAN_GENERIC, kasan_check_range),
	BLACK_THUNK(PARAVIRT_XXL, native_write_msr),
	BLACK_THUNK(PARAVIRT_XXL, native_load_idt),
	BLACK_THUNK(PARAVIRT_XXL, native_load_tr_desc),
	BLACK_THUNK(PARAVIRT_XXL, native_write_gdt_entry),
};

static void black_thunks(struct kunit *test)
{
	unsigned long addr, end;
	int i;

	for (i = 0; i < ARRAY_SIZE(black_thunk_names); i++) {
		if (!black_thunk_names[i].there)
			continue;
		addr = kallsyms_lookup_name(black_thunk_names[i].name);
		KUNIT_EXPECT_NE_MSG(test, 0, addr, "%s", black_thunk_names[i].name);
		end = addr + black_size((void *)addr);
		KUNIT_EXPECT_EQ_MSG(test, 0, black_holes(addr, end), "%s",
				    black_thunk_names[i].name);
	}
}

static struct kunit_case black_text_cases[] = {
	KUNIT_CASE(black_entry),
	KUNIT_CASE(black_bounds),
	KUNIT_CASE(black_copies),
	KUNIT_CASE(black_overlap),
	KUNIT_CASE(black_from_the_middle),
	KUNIT_CASE(black_thunks),
	{}
};

static struct kunit_suite black_text_suite = {
	.name = "x86_kprobes_blacklist",
	.test_cases = black_text_cases,
};

kunit_test_suite(black_text_suite);
