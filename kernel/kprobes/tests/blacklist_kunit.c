// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the blacklist: what is on it to the byte, and what is not.
 */
#include <linux/cleanup.h>
#include <linux/delay.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "blacklist.h"

/* Whole areas: noinstr, and the section for kprobes. */
static void black_areas(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__noinstr_text_start,
					     (unsigned long)__noinstr_text_end));
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)__kprobes_text_start,
					     (unsigned long)__kprobes_text_end));
	KUNIT_EXPECT_GT(test, (unsigned long)__noinstr_text_end,
			(unsigned long)__noinstr_text_start);
}

/* All that NOKPROBE_SYMBOL() marks, from the first byte to the last. */
static void black_marked(struct kunit *test)
{
	unsigned long *mark, size, offset;
	unsigned int functions = 0;

	for (mark = __start_kprobe_blacklist; mark < __stop_kprobe_blacklist;
	     mark++) {
		if (!kallsyms_lookup_size_offset(*mark, &size, &offset) || !size)
			continue;
		functions++;
		KUNIT_EXPECT_TRUE_MSG(test, within_kprobe_blacklist(*mark), "%pS",
				      (void *)*mark);
		KUNIT_EXPECT_TRUE_MSG(test,
				      within_kprobe_blacklist(*mark + size - 1),
				      "the end of %pS", (void *)*mark);
	}
	KUNIT_EXPECT_GT(test, functions, 50);
}

/* Functions like any other, and what is no text. */
static void black_not(struct kunit *test)
{
	KUNIT_EXPECT_FALSE(test, black_at(ktest_traced));
	KUNIT_EXPECT_FALSE(test, black_at(ktest_break));
	KUNIT_EXPECT_FALSE(test, black_at(register_kprobe));
	KUNIT_EXPECT_FALSE(test, black_at(schedule));
	KUNIT_EXPECT_FALSE(test, black_at(schedule_timeout));
	KUNIT_EXPECT_FALSE(test, black_at(NULL));
	KUNIT_EXPECT_FALSE(test, black_at(test));
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

/* What a module forbids in its init text, and no longer when that is given up. */
static void black_of_init_text(struct kunit *test)
{
	struct black_module *m;
	struct module_memory *mem;
	void *func = ktest_break, *other = ktest_break2;
	unsigned long size = black_size(func);

	m = black_module_alloc(test, other, other + black_size(other));
	mem = m->mod.mem;
	mem[MOD_INIT_TEXT].base = func;
	mem[MOD_INIT_TEXT].size = size;
	black_mark(m, func);
	black_mark(m, other);
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_EQ(test, 0, black_holes((unsigned long)func,
					     (unsigned long)func + size));
	kprobe_blacklist_del_init(&m->mod);
	memset(&mem[MOD_INIT_TEXT], 0, sizeof(mem[MOD_INIT_TEXT]));
	KUNIT_EXPECT_FALSE(test, black_at(func));
	KUNIT_EXPECT_FALSE(test, black_at(func + size - 1));
	KUNIT_EXPECT_TRUE(test, black_at(other));
	KUNIT_EXPECT_TRUE(test, black_at(get_kprobe));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(other));
	KUNIT_EXPECT_TRUE(test, black_at(get_kprobe));
}

/* A module that does not come up has its init text until it goes. */
static void black_of_failed_module(struct kunit *test)
{
	void *func = ktest_break;
	struct black_module *m;
	struct module_memory *mem;

	m = black_module_alloc(test, func, func + black_size(func));
	mem = m->mod.mem;
	swap(mem[MOD_INIT_TEXT], mem[MOD_TEXT]);
	black_mark(m, func);
	kprobe_blacklist_add_module(&m->mod);
	KUNIT_EXPECT_TRUE(test, black_at(func));
	kprobe_blacklist_del_module(&m->mod);
	KUNIT_EXPECT_FALSE(test, black_at(func));
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

/**
 * struct black_reader - a thread that asks all the time
 * @rounds: how often it has asked all its questions
 * @wrong: how many answers were wrong
 */
struct black_reader {
	unsigned long rounds;
	unsigned long wrong;
};

static int black_reader_fn(void *arg)
{
	struct black_reader *r = arg;

	while (!kthread_should_stop()) {
		r->wrong += !black_at(get_kprobe);
		r->wrong += black_at(ktest_traced);
		r->wrong += !black_at(__noinstr_text_start);
		WRITE_ONCE(r->rounds, r->rounds + 1);
		cond_resched();
	}
	return 0;
}

/* Let the reader ask about the list as it is now. */
static bool black_reader_pass(struct black_reader *r)
{
	unsigned long rounds = READ_ONCE(r->rounds), end = jiffies + 10 * HZ;

	while (READ_ONCE(r->rounds) - rounds < 2 && time_before(jiffies, end))
		usleep_range(50, 100);
	return READ_ONCE(r->rounds) - rounds >= 2;
}

/* While the list is made anew, questions are answered by the old one. */
static void black_readers(struct kunit *test)
{
	struct black_reader reader = {};
	struct task_struct *task;
	struct black_module *m;
	int i, passed = 0;

	m = black_module_alloc(test, ktest_break, (void *)ktest_break + 1);
	black_mark(m, ktest_break);
	task = kthread_run(black_reader_fn, &reader, "ktest_black");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	for (i = 0; i < 100 && passed == i; i++) {
		kprobe_blacklist_add_module(&m->mod);
		KUNIT_EXPECT_TRUE(test, black_at(ktest_break));
		passed += black_reader_pass(&reader);
		kprobe_blacklist_del_module(&m->mod);
		KUNIT_EXPECT_FALSE(test, black_at(ktest_break));
	}
	kthread_stop(task);
	KUNIT_EXPECT_EQ(test, 100, passed);
	KUNIT_EXPECT_EQ(test, 0, reader.wrong);
}

static struct kunit_case black_cases[] = {
	KUNIT_CASE(black_areas),
	KUNIT_CASE(black_marked),
	KUNIT_CASE(black_not),
	KUNIT_CASE(black_of_module),
	KUNIT_CASE(black_of_init_text),
	KUNIT_CASE(black_of_failed_module),
	KUNIT_CASE(black_registration),
	KUNIT_CASE(black_odd_marks),
	KUNIT_CASE(black_two_modules),
	KUNIT_CASE(black_readers),
	{}
};

static struct kunit_suite black_suite = {
	.name = "kprobes_blacklist",
	.test_cases = black_cases,
};

kunit_test_suite(black_suite);
