// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of implicit branch targets: labels in the read-only data of a
 * module that is made up.
 */
#include <linux/cleanup.h>
#include <linux/memory.h>
#include <linux/module.h>

#include "../detour.h"
#include "kprobes/tests/testing.h"

#define IMPLICIT_SIZE	64

struct implicit_module {
	struct module mod;
	unsigned long rodata[2];
	unsigned long ro_after_init[2];
	u8 text[IMPLICIT_SIZE];
};

static struct implicit_module *implicit_new(struct kunit *test)
{
	struct implicit_module *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->mod.mem[MOD_TEXT] = (struct module_memory){ m->text, IMPLICIT_SIZE };
	m->mod.mem[MOD_RODATA] = (struct module_memory){
		m->rodata, sizeof(m->rodata)
	};
	m->mod.mem[MOD_RO_AFTER_INIT] = (struct module_memory){
		m->ro_after_init, sizeof(m->ro_after_init)
	};
	return m;
}

/* What is in the five bytes from @at on. */
static enum kprobe_nojump implicit_at(struct implicit_module *m,
				      struct kprobe_text *text, unsigned int at)
{
	struct kprobe_region r = {
		.text = text,
		.start = (unsigned long)m->text + at,
		.end = (unsigned long)m->text + at + 5,
	};

	if (kprobe_implicit_init(text))
		return KPROBE_NOJUMP_NO_MEMORY;
	return kprobe_implicit_check(&r);
}

/* A label counts behind the first byte of a region, up to its last. */
static void implicit_bytes(struct kunit *test)
{
	struct implicit_module *m = implicit_new(test);
	struct kprobe_text *text;
	int at;

	m->rodata[1] = (unsigned long)m->text + 20;
	guard(mutex)(&kprobe_mutex);
	text = ktest_announce(test, &m->mod);
	if (!text)
		return;
	for (at = 0; at < IMPLICIT_SIZE - 5; at++)
		KUNIT_EXPECT_EQ(test, at < 20 && at + 5 > 20 ?
				      KPROBE_NOJUMP_ADDRESS : KPROBE_NOJUMP_NONE,
				implicit_at(m, text, at));
	kprobe_text_remove(text);
}

/* Init may write labels to data that is read-only afterwards. */
static void implicit_after_init(struct kunit *test)
{
	struct implicit_module *m = implicit_new(test);
	struct kprobe_text *text;

	m->rodata[0] = (unsigned long)m->text + 10;
	guard(mutex)(&kprobe_mutex);
	text = ktest_announce(test, &m->mod);
	if (!text)
		return;
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_ADDRESS, implicit_at(m, text, 8));
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_NONE, implicit_at(m, text, 30));
	m->ro_after_init[1] = (unsigned long)m->text + 31;
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_NONE, implicit_at(m, text, 30));
	kprobe_text_finalize(text);
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_ADDRESS, implicit_at(m, text, 8));
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_ADDRESS, implicit_at(m, text, 30));
	kprobe_text_remove(text);
}

#ifdef CONFIG_LIVEPATCH
/* Relocations may be written anywhere in the text of a live patch. */
static void implicit_livepatch(struct kunit *test)
{
	struct implicit_module *m = implicit_new(test);
	struct kprobe_partners *ps = kunit_kzalloc(test, sizeof(*ps), GFP_KERNEL);
	struct kprobe_region r = {
		.start = (unsigned long)m->text,
		.end = (unsigned long)m->text + 5,
	};
	enum kprobe_nojump nojump = KPROBE_NOJUMP_NONE;

	KUNIT_ASSERT_NOT_NULL(test, ps);
	m->mod.klp = true;
	guard(mutex)(&kprobe_mutex);
	r.text = ktest_announce(test, &m->mod);
	if (!r.text)
		return;
	scoped_guard(mutex, &text_mutex)
		nojump = kprobe_region_check(&r, ps);
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_LIVEPATCH, nojump);
	kprobe_text_remove(r.text);
}
#endif /* CONFIG_LIVEPATCH */

static struct kunit_case implicit_cases[] = {
	KUNIT_CASE(implicit_bytes),
	KUNIT_CASE(implicit_after_init),
#ifdef CONFIG_LIVEPATCH
	KUNIT_CASE(implicit_livepatch),
#endif
	{}
};

static struct kunit_suite implicit_suite = {
	.name = "kprobes_implicit",
	.test_cases = implicit_cases,
};

kunit_test_suite(implicit_suite);
