// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the blacklist: what is on it to the byte, and what is not.
 */
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "testing.h"

/* How many of the bytes of an area may be probed. */
static unsigned long black_holes(unsigned long start, unsigned long end)
{
	unsigned long holes = 0;

	for (; start < end; start++) {
		if (within_kprobe_blacklist(start))
			continue;
		if (!holes++)
			pr_info("%pS may be probed\n", (void *)start);
	}
	return holes;
}

static unsigned long black_size(void *func)
{
	unsigned long size = 0, offset;

	kallsyms_lookup_size_offset((unsigned long)func, &size, &offset);
	return size;
}

static bool black_at(void *addr)
{
	return within_kprobe_blacklist((unsigned long)addr);
}

/* Whole areas: noinstr, entry, and the section for kprobes. */
static void black_areas(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__noinstr_text_start,
					     (unsigned long)__noinstr_text_end));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__kprobes_text_start,
					     (unsigned long)__kprobes_text_end));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__entry_text_start,
					     (unsigned long)__entry_text_end));
	KUNIT_EXPECT_GT(test, (unsigned long)__noinstr_text_end,
			(unsigned long)__noinstr_text_start);
}

/* All that NOKPROBE_SYMBOL() marks, from the first byte to the last. */
static void black_marked(struct kunit *test)
{
	unsigned long *mark, size, offset;
	unsigned int functions = 0, open = 0;

	for (mark = __start_kprobe_blacklist; mark < __stop_kprobe_blacklist;
	     mark++) {
		if (!kallsyms_lookup_size_offset(*mark, &size, &offset) || !size)
			continue;
		functions++;
		open += !within_kprobe_blacklist(*mark);
		open += !within_kprobe_blacklist(*mark + size - 1);
	}
	KUNIT_EXPECT_GT(test, functions, 50);
	KUNIT_EXPECT_EQ(test, 0, open);
}

/* Functions like any other. */
static void black_not(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, black_at(ktest_traced));
	KUNIT_EXPECT_FALSE(test, black_at(ktest_break));
	KUNIT_EXPECT_FALSE(test, black_at(register_kprobe));
	KUNIT_EXPECT_FALSE(test, black_at(schedule));
	KUNIT_EXPECT_FALSE(test, black_at(schedule_timeout));
	KUNIT_EXPECT_FALSE(test, black_at(NULL));
	KUNIT_EXPECT_FALSE(test, black_at((void *)-1));
}

/**
 * struct black_module - a module that is none
 * @mod: the module that is added to the blacklist
 * @marks: what the module marks with NOKPROBE_SYMBOL()
 */
struct black_module {
	struct module mod;
	unsigned long marks[4];
};

static void black_unload(void *arg)
{
	struct black_module *m = arg;

	kprobe_blacklist_del_module(&m->mod);
}

/* Its text is that of @first up to @end, which is in no other range. */
static struct black_module *black_module_alloc(struct kunit *test, void *first,
					       void *end)
{
	struct black_module *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	strscpy(m->mod.name, "ktest_module", sizeof(m->mod.name));
	m->mod.mem[MOD_TEXT].base = first;
	m->mod.mem[MOD_TEXT].size = end - first;
	m->mod.kprobe_blacklist = m->marks;
	ktest_set_at_end(test, black_unload, m);
	return m;
}

static void black_mark(struct black_module *m, void *func)
{
	m->marks[m->mod.num_kprobe_blacklist++] = (unsigned long)func;
}

/* What a module forbids, and no longer when it is gone. */
static void black_of_module(struct kunit *test)
{
	struct black_module *m;
	void *func = ktest_break;
	unsigned long size = black_size(func);

	m = black_module_alloc(test, func, func + size);
	black_mark(m, func);
	KUNIT_EXPECT_FALSE(test, black_at(func));
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(func - 1));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)func,
					     (unsigned long)func + size));
	KUNIT_EXPECT_FALSE(test, black_at(func + size));
	KUNIT_EXPECT_TRUE(test, black_at(get_kprobe));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(func));
	KUNIT_EXPECT_TRUE(test, black_at(get_kprobe));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__noinstr_text_start,
					     (unsigned long)__noinstr_text_end));
}

static int black_try(void *addr)
{
	struct kprobe kp = { .addr = addr };
	int ret = register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	return ret;
}

/* And registration asks. */
static void black_registration(struct kunit *test)
{
	struct black_module *m;
	void *func = ktest_break;

	m = black_module_alloc(test, func, func + 1);
	black_mark(m, func);
	KUNIT_EXPECT_EQ(test, 0, black_try(func));
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_EQ(test, -EINVAL, black_try(func));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_EQ(test, 0, black_try(func));
}

/* Marks that name nothing, or no function, are no reason to lose the others. */
static void black_odd_marks(struct kunit *test)
{
	struct black_module *m;
	void *func = ktest_break;

	m = black_module_alloc(test, func, func + 1);
	black_mark(m, NULL);
	black_mark(m, &kprobe_points);
	black_mark(m, func);
	black_mark(m, func);
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_TRUE(test, black_at(func));
	KUNIT_EXPECT_FALSE(test, black_at(&kprobe_points));
	KUNIT_EXPECT_FALSE(test, black_at(NULL));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(func));
}

/* Two modules: one goes, the other's entries stay. */
static void black_two_modules(struct kunit *test)
{
	struct black_module *a, *b;

	a = black_module_alloc(test, ktest_break, (void *)ktest_break + 1);
	b = black_module_alloc(test, ktest_break2, (void *)ktest_break2 + 1);
	black_mark(a, ktest_break);
	black_mark(b, ktest_break2);
	kprobe_blacklist_add_module(&a->mod);
	kprobe_blacklist_add_module(&b->mod);
	KUNIT_EXPECT_TRUE(test,
			  black_at(ktest_break) && black_at(ktest_break2));
	kprobe_blacklist_del_module(&a->mod);
	KUNIT_EXPECT_FALSE(test, black_at(ktest_break));
	KUNIT_EXPECT_TRUE(test, black_at(ktest_break2));
	kprobe_blacklist_del_module(&b->mod);
	KUNIT_EXPECT_FALSE(test, black_at(ktest_break2));
}

static int black_reader(void *wrong)
{
	unsigned long *n = wrong;

	while (!kthread_should_stop()) {
		*n += !black_at(get_kprobe);
		*n += black_at(ktest_traced);
		*n += !black_at(__noinstr_text_start);
		cond_resched();
	}
	return 0;
}

/* While the list is made anew, questions are answered by the old one. */
static void black_readers(struct kunit *test)
{
	struct task_struct *task;
	unsigned long wrong = 0;
	struct black_module *m;
	int i;

	m = black_module_alloc(test, ktest_break, (void *)ktest_break + 1);
	black_mark(m, ktest_break);
	task = kthread_run(black_reader, &wrong, "ktest_black");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 100; i++) {
		kprobe_blacklist_add_module(&m->mod);
		KUNIT_EXPECT_TRUE(test, black_at(ktest_break));
		kprobe_blacklist_del_module(&m->mod);
		KUNIT_EXPECT_FALSE(test, black_at(ktest_break));
	}
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, 0, wrong);
}

#ifdef CONFIG_X86_64
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

/* The breakpoint path itself calls and returns through these. */
static void black_thunks(struct kunit *test)
{
	static const struct {
		const char *name;
		bool there;
	} thunks[] = {
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
		BLACK_THUNK(MITIGATION_RETPOLINE, __x86_indirect_thunk_rax),
		BLACK_THUNK(MITIGATION_RETPOLINE, __x86_indirect_thunk_r15),
		BLACK_THUNK(PREEMPTION, preempt_schedule_notrace),
		BLACK_THUNK(DYNAMIC_FTRACE, ftrace_caller),
		BLACK_THUNK(DYNAMIC_FTRACE, ftrace_regs_caller),
		BLACK_THUNK(DYNAMIC_FTRACE, ftrace_regs_call),
		BLACK_THUNK(PROVE_LOCKING, lockdep_hardirqs_on_prepare),
		BLACK_THUNK(KASAN_GENERIC, __asan_load8),
		BLACK_THUNK(KASAN_GENERIC, kasan_check_range),
	};
	unsigned long addr, end;
	int i;

	for (i = 0; i < ARRAY_SIZE(thunks); i++) {
		if (!thunks[i].there)
			continue;
		addr = kallsyms_lookup_name(thunks[i].name);
		KUNIT_EXPECT_NE_MSG(test, 0, addr, "%s", thunks[i].name);
		end = addr + black_size((void *)addr);
		KUNIT_EXPECT_EQ_MSG(test, 0, black_holes(addr, end), "%s",
				    thunks[i].name);
	}
}
#endif /* CONFIG_X86_64 */

static struct kunit_case black_cases[] = {
	KUNIT_CASE(black_areas),
	KUNIT_CASE(black_marked),
	KUNIT_CASE(black_not),
	KUNIT_CASE(black_of_module),
	KUNIT_CASE(black_registration),
	KUNIT_CASE(black_odd_marks),
	KUNIT_CASE(black_two_modules),
	KUNIT_CASE(black_readers),
#ifdef CONFIG_X86_64
	KUNIT_CASE(black_bounds),
	KUNIT_CASE(black_copies),
	KUNIT_CASE(black_overlap),
	KUNIT_CASE(black_from_the_middle),
	KUNIT_CASE(black_thunks),
#endif
	{}
};

static struct kunit_suite black_suite = {
	.name = "kprobes_blacklist",
	.test_cases = black_cases,
};

kunit_test_suite(black_suite);
