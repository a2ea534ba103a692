// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is known about text: which subsystem and function owns
 * it. The sorted tables are compared with the owners of the unsorted ones.
 */
#include <linux/bug.h>
#include <linux/cleanup.h>
#include <linux/err.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/sched.h>
#include <linux/static_call.h>

#include "testing.h"

#define SITES	10	/* of each table */
#define AROUND	6	/* bytes */

/* No assertion while they are held: it would not let go of them. */
DEFINE_GUARD(site_owners, struct mutex *, mutex_lock(_T); jump_label_lock(),
	     jump_label_unlock(); mutex_unlock(_T))

static bool site_reserved(unsigned long start, unsigned long end)
{
	void *first = (void *)start, *last = (void *)end - 1;
	unsigned long addr;

	for (addr = start; addr < end; addr++) {
		if (find_bug(addr))
			return true;
	}
	return jump_label_text_reserved(first, last) ||
	       static_call_text_reserved(first, last);
}

static enum kprobe_site_owner site_owner(unsigned long start, unsigned long end)
{
	return kprobe_text_owner(&kprobe_kernel_text, start, end);
}

/* How many bytes around @addr are said to be owned, and are not, or vice versa. */
static unsigned int site_errors(unsigned long addr)
{
	unsigned int errors = 0;
	int i;

	for (i = -AROUND; i <= AROUND; i++) {
		unsigned long a = addr + i;

		errors += !!site_owner(a, a + 1) != site_reserved(a, a + 1);
	}
	/* And the five bytes of a jump that ends there. */
	errors += !!site_owner(addr - 4, addr + 1) !=
		  site_reserved(addr - 4, addr + 1);
	errors += !!site_owner(addr - 5, addr) !=
		  site_reserved(addr - 5, addr);
	return errors;
}

static void site_labels(struct kunit *test)
{
	unsigned long nr = __stop___jump_table - __start___jump_table, i;
	unsigned int errors = 0, labels = 0;

	KUNIT_ASSERT_GT(test, nr, SITES);
	guard(site_owners)(&kprobe_mutex);
	for (i = 0; i < SITES; i++) {
		struct jump_entry *e = &__start___jump_table[i * nr / SITES];
		unsigned long addr = jump_entry_code(e);

		if (jump_entry_is_init(e))
			continue;
		errors += site_errors(addr);
		labels += site_owner(addr, addr + 1) == KPROBE_SITE_LABEL;
	}
	KUNIT_EXPECT_EQ(test, 0, errors);
	KUNIT_EXPECT_GT(test, labels, SITES / 2);
}

static void site_bugs(struct kunit *test)
{
	unsigned long nr = __stop___bug_table - __start___bug_table, i;
	unsigned int errors = 0, bugs = 0;

	KUNIT_ASSERT_GT(test, nr, SITES);
	guard(site_owners)(&kprobe_mutex);
	for (i = 0; i < SITES; i++) {
		struct bug_entry *b = &__start___bug_table[i * nr / SITES];
		unsigned long addr;

#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
		addr = (unsigned long)&b->bug_addr_disp + b->bug_addr_disp;
#else
		addr = b->bug_addr;
#endif
		if (!core_kernel_text(addr))
			continue;
		errors += site_errors(addr);
		bugs += site_owner(addr, addr + 1) == KPROBE_SITE_BUG;
	}
	KUNIT_EXPECT_EQ(test, 0, errors);
	KUNIT_EXPECT_GT(test, bugs, SITES / 2);
}

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static void site_calls(struct kunit *test)
{
	unsigned long nr = __stop_static_call_sites - __start_static_call_sites;
	unsigned int errors = 0, calls = 0;
	unsigned long i;

	KUNIT_ASSERT_GT(test, nr, SITES);
	guard(site_owners)(&kprobe_mutex);
	for (i = 0; i < SITES; i++) {
		struct static_call_site *s;
		unsigned long addr;

		s = &__start_static_call_sites[i * nr / SITES];
		addr = (unsigned long)&s->addr + s->addr;
		if (!core_kernel_text(addr))
			continue;
		errors += site_errors(addr);
		calls += site_owner(addr, addr + 1) == KPROBE_SITE_CALL;
	}
	KUNIT_EXPECT_EQ(test, 0, errors);
	KUNIT_EXPECT_GT(test, calls, SITES / 2);
}
#endif

/* The functions that are marked, each looked up by its first and last byte. */
static void symbol_bounds(struct kunit *test)
{
	unsigned int errors = 0, functions = 0;
	unsigned long *mark, size, offset;

	guard(mutex)(&kprobe_mutex);
	for (mark = __start_kprobe_blacklist; mark < __stop_kprobe_blacklist;
	     mark++) {
		const struct kprobe_symbol *sym;

		if (!kallsyms_lookup_size_offset(*mark, &size, &offset) || !size)
			continue;
		functions++;
		sym = kprobe_symbol_at(*mark - offset + size - 1);
		errors += !sym || sym->start != *mark - offset ||
			  sym->end != *mark - offset + size;
		/* The next one is not taken for this one. */
		sym = kprobe_symbol_at(*mark - offset + size);
		errors += sym && sym->start != *mark - offset + size;
	}
	KUNIT_EXPECT_GT(test, functions, 50);
	KUNIT_EXPECT_EQ(test, 0, errors);
}

/* What is remembered is what would be found out. */
static void symbol_remembered(struct kunit *test)
{
	const struct kprobe_symbol *first, *again;

	guard(mutex)(&kprobe_mutex);
	first = kprobe_symbol_at((unsigned long)ktest_break);
	KUNIT_EXPECT_TRUE(test, first && !first->reserved && !first->forbidden);
	again = kprobe_symbol_at((unsigned long)ktest_break + 1);
	KUNIT_EXPECT_PTR_EQ(test, first, again);
	kprobe_text_forget(&kprobe_kernel_text);
	KUNIT_EXPECT_NULL(test, kprobe_kernel_text.symbol);
	again = kprobe_symbol_at((unsigned long)ktest_break);
	KUNIT_EXPECT_TRUE(test,
			  again && again->start == (unsigned long)ktest_break);
	KUNIT_EXPECT_NULL(test, kprobe_symbol_at(16));
}

/* Names that say that there is no function, or one that is rewritten. */
static void symbol_reserved(struct kunit *test)
{
	unsigned long addr = kallsyms_lookup_name(STATIC_CALL_TRAMP_PREFIX_STR
						  "might_resched");
	const struct kprobe_symbol *sym;

	if (!addr)
		kunit_skip(test, "there is no such trampoline");
	guard(mutex)(&kprobe_mutex);
	sym = kprobe_symbol_at(addr);
	KUNIT_EXPECT_TRUE(test, sym && sym->reserved);
}

static int site_init(struct kunit *test)
{
	guard(mutex)(&kprobe_mutex);
	return PTR_ERR_OR_ZERO(kprobe_text_with_sites((unsigned long)site_init));
}

static struct kunit_case reserved_cases[] = {
	KUNIT_CASE_SLOW(site_labels),
	KUNIT_CASE_SLOW(site_bugs),
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	KUNIT_CASE_SLOW(site_calls),
#endif
	KUNIT_CASE(symbol_bounds),
	KUNIT_CASE(symbol_remembered),
	KUNIT_CASE(symbol_reserved),
	{}
};

static struct kunit_suite reserved_suite = {
	.name = "kprobes_reserved",
	.init = site_init,
	.test_cases = reserved_cases,
};

kunit_test_suite(reserved_suite);
