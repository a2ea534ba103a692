// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the objects for text: which one an address belongs to, and when
 * what is known of it is read again. The modules are made up; their sites are
 * those of BUG().
 */
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/module.h>

#include "testing.h"

#define TEXT_SIZE	64

struct text_module {
	struct module mod;
	struct bug_entry bugs[2];
	u8 text[TEXT_SIZE];
	u8 init[TEXT_SIZE];
};

static void text_set_bug(struct text_module *m, int i, void *addr)
{
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	m->bugs[i].bug_addr_disp = addr - (void *)&m->bugs[i];
#else
	m->bugs[i].bug_addr = (unsigned long)addr;
#endif
}

/* A module with a BUG() in its text, and one that is not in its table yet. */
static struct text_module *text_new(struct kunit *test)
{
	struct text_module *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->mod.state = MODULE_STATE_COMING;
	m->mod.mem[MOD_TEXT] = (struct module_memory){ m->text, TEXT_SIZE };
	m->mod.mem[MOD_INIT_TEXT] = (struct module_memory){ m->init, TEXT_SIZE };
	m->mod.bug_table = m->bugs;
	m->mod.num_bugs = 1;
	text_set_bug(m, 0, m->text + 8);
	text_set_bug(m, 1, m->text + 16);
	return m;
}

static enum kprobe_site_owner text_owner(struct text_module *m, int offset)
{
	unsigned long addr = (unsigned long)m->text + offset;
	struct kprobe_text *text = kprobe_text_with_sites(addr);

	if (IS_ERR(text))
		return KPROBE_SITE_FREE;
	return kprobe_text_owner(text, addr, addr + 1);
}

/* It is there from when it is announced until it goes, init text till then. */
static void text_life(struct kunit *test)
{
	struct text_module *m = text_new(test);
	unsigned long addr = (unsigned long)m->text, init = (unsigned long)m->init;
	struct kprobe_text *text;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_NULL(test, kprobe_text_at(addr));
	KUNIT_EXPECT_NULL(test, kprobe_text_of(&m->mod));
	text = ktest_announce(test, &m->mod);
	if (!text)
		return;
	KUNIT_EXPECT_PTR_EQ(test, &m->mod, text->mod);
	KUNIT_EXPECT_PTR_EQ(test, text, kprobe_text_at(addr));
	KUNIT_EXPECT_PTR_EQ(test, text, kprobe_text_at(init + TEXT_SIZE - 1));
	KUNIT_EXPECT_NULL(test, kprobe_text_at(init + TEXT_SIZE));
	KUNIT_EXPECT_EQ(test, addr, text->base);
	/* There is no reference to be had, if there are any: it is not loaded. */
	if (IS_ENABLED(CONFIG_MODULE_UNLOAD))
		KUNIT_EXPECT_EQ(test, -ENOENT,
				PTR_ERR_OR_ZERO(kprobe_text_get(addr)));

	kprobe_text_finalize(text);
	KUNIT_EXPECT_PTR_EQ(test, text, kprobe_text_at(addr));
	KUNIT_EXPECT_NULL(test, kprobe_text_at(init));
	KUNIT_EXPECT_FALSE(test, kprobe_text_has(text, addr + TEXT_SIZE));

	kprobe_text_remove(text);
	KUNIT_EXPECT_NULL(test, kprobe_text_at(addr));
	KUNIT_EXPECT_NULL(test, kprobe_text_of(&m->mod));
	KUNIT_EXPECT_EQ(test, -EINVAL, PTR_ERR_OR_ZERO(kprobe_text_get(addr)));
}

/* The kernel's own needs no module. */
static void text_of_kernel(struct kunit *test)
{
	unsigned long addr = (unsigned long)text_of_kernel;
	struct kprobe_text *text;

	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_PTR_EQ(test, &kprobe_kernel_text, kprobe_text_at(addr));
	text = kprobe_text_get(addr);
	KUNIT_EXPECT_PTR_EQ(test, &kprobe_kernel_text, text);
	if (!IS_ERR(text))
		kprobe_text_put(text);
}

/* What has changed is seen when the state of the module changes. */
static void text_read_again(struct kunit *test)
{
	struct text_module *m = text_new(test);
	struct kprobe_text *text;

	guard(mutex)(&kprobe_mutex);
	text = ktest_announce(test, &m->mod);
	if (!text)
		return;
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_BUG, text_owner(m, 8));
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_FREE, text_owner(m, 16));
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_FREE, text_owner(m, 9));
	KUNIT_EXPECT_TRUE(test, text->sites.sorted);

	m->mod.num_bugs = 2;
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_FREE, text_owner(m, 16));
	kprobe_text_finalize(text);
	KUNIT_EXPECT_TRUE(test, text->final);
	KUNIT_EXPECT_FALSE(test, text->sites.sorted);
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_BUG, text_owner(m, 8));
	KUNIT_EXPECT_EQ(test, KPROBE_SITE_BUG, text_owner(m, 16));
	kprobe_text_remove(text);
}

/* A site in init text is none when that is gone. */
static void text_init_sites(struct kunit *test)
{
	struct text_module *m = text_new(test);
	struct kprobe_text *text;
	unsigned int before = 0, after = 0;

	text_set_bug(m, 1, m->init);
	m->mod.num_bugs = 2;
	guard(mutex)(&kprobe_mutex);
	text = ktest_announce(test, &m->mod);
	if (!text)
		return;
	if (text_owner(m, 8))
		before = text->sites.nr;
	kprobe_text_finalize(text);
	if (text_owner(m, 8))
		after = text->sites.nr;
	KUNIT_EXPECT_EQ(test, 2, before);
	KUNIT_EXPECT_EQ(test, 1, after);
	kprobe_text_remove(text);
}

/* One module has tables, the last one that was asked about; and the kernel. */
static void text_one_module(struct kunit *test)
{
	struct text_module *m[2] = { text_new(test), text_new(test) };
	struct kprobe_text *text[2];
	int i;

	guard(mutex)(&kprobe_mutex);
	kprobe_text_with_sites((unsigned long)text_one_module);
	text[0] = ktest_announce(test, &m[0]->mod);
	text[1] = ktest_announce(test, &m[1]->mod);
	for (i = 0; i < 3 && text[0] && text[1]; i++) {
		KUNIT_EXPECT_EQ(test, KPROBE_SITE_BUG, text_owner(m[i % 2], 8));
		KUNIT_EXPECT_TRUE(test, text[i % 2]->sites.sorted);
		KUNIT_EXPECT_FALSE(test, text[!(i % 2)]->sites.sorted);
	}
	for (i = 0; i < 2; i++) {
		if (text[i])
			kprobe_text_remove(text[i]);
	}
	KUNIT_EXPECT_TRUE(test, kprobe_kernel_text.sites.sorted);
}

static unsigned int text_fills;
static int text_fill_error;

static int text_fill(struct kprobe_fill *f)
{
	text_fills++;
	return kprobe_fill_add(f, f->text->base + 5, text_fills) ?:
	       text_fill_error;
}

static const kprobe_fill_fn text_fill_fns[] = { text_fill, text_fill, NULL };

/* All tables are dropped at once; a table is made as a whole, or not at all. */
static void text_forgotten(struct kunit *test)
{
	struct kprobe_text text = { .base = 0x1000 };
	struct kprobe_marks *tables[] = {
		&text.sites, &text.targets, &text.parts,
	};
	int i;

	text_fills = 0;
	text_fill_error = 0;
	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		KUNIT_EXPECT_EQ(test, 0, kprobe_text_make(&text, tables[i],
							  text_fill_fns));
		/* Not again. */
		KUNIT_EXPECT_EQ(test, 0, kprobe_text_make(&text, tables[i],
							  text_fill_fns));
		KUNIT_EXPECT_EQ(test, 2 * (i + 1), text_fills);
		KUNIT_EXPECT_EQ(test, 2, tables[i]->nr);
		KUNIT_EXPECT_EQ(test, 0, kprobe_marks_find(tables[i], 5));
		KUNIT_EXPECT_EQ(test, 2, kprobe_marks_find(tables[i], 6));
	}
	kprobe_text_forget(&text);
	for (i = 0; i < ARRAY_SIZE(tables); i++) {
		KUNIT_EXPECT_FALSE(test, tables[i]->sorted);
		KUNIT_EXPECT_NULL(test, tables[i]->mark);
	}
	text_fill_error = -EIO;
	KUNIT_EXPECT_EQ(test, -EIO, kprobe_text_make(&text, &text.parts,
						     text_fill_fns));
	KUNIT_EXPECT_EQ(test, 7, text_fills);
	KUNIT_EXPECT_FALSE(test, text.parts.sorted);
	KUNIT_EXPECT_NULL(test, text.parts.mark);
}

static struct kunit_case text_cases[] = {
	KUNIT_CASE(text_life),
	KUNIT_CASE(text_of_kernel),
	KUNIT_CASE(text_read_again),
	KUNIT_CASE(text_init_sites),
	KUNIT_CASE(text_one_module),
	KUNIT_CASE(text_forgotten),
	{}
};

static struct kunit_suite text_suite = {
	.name = "kprobes_text",
	.test_cases = text_cases,
};

kunit_test_suite(text_suite);
