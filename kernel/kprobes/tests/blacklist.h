/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_BLACKLIST_H
#define _KPROBES_TESTS_BLACKLIST_H
/*
 * For suites that look at the blacklist, and make up modules that add to it.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/string.h>

#include "testing.h"

/* How many of the bytes of an area may be probed. */
static inline unsigned long black_holes(unsigned long start, unsigned long end)
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

static inline unsigned long black_size(void *func)
{
	unsigned long size = 0, offset;

	kallsyms_lookup_size_offset((unsigned long)func, &size, &offset);
	return size;
}

static inline bool black_at(void *addr)
{
	return within_kprobe_blacklist((unsigned long)addr);
}

static inline int black_try(void *addr)
{
	struct kprobe kp = { .addr = addr };
	int ret = register_kprobe(&kp);

	if (!ret)
		unregister_kprobe(&kp);
	return ret;
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

static inline void black_mark(struct black_module *m, void *func)
{
	m->marks[m->mod.num_kprobe_blacklist++] = (unsigned long)func;
}

/* The marks that the kernel has in the module's text go with it: mark them again. */
static inline void black_unload(void *arg)
{
	struct black_module *m = arg;
	struct module_memory *text = &m->mod.mem[MOD_TEXT];
	unsigned long *mark;

	kprobe_blacklist_del_module(&m->mod);
	m->mod.num_kprobe_blacklist = 0;
	m->mod.kprobes_text_size = 0;
	m->mod.noinstr_text_size = 0;
	for (mark = __start_kprobe_blacklist; mark < __stop_kprobe_blacklist;
	     mark++) {
		if (*mark - (unsigned long)text->base < text->size &&
		    m->mod.num_kprobe_blacklist < ARRAY_SIZE(m->marks))
			black_mark(m, (void *)*mark);
	}
	kprobe_blacklist_add_module(&m->mod);
}

/* Its text is that of @first up to @end, which is in no other range. */
static inline struct black_module *
black_module_alloc(struct kunit *test, void *first, void *end)
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

#endif /* _KPROBES_TESTS_BLACKLIST_H */
