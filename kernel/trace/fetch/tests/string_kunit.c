// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of reading strings: of all lengths that a few words have, at all places in
 * a word, before and over the end of a page, and into rooms of all sizes.
 */
#include <linux/mm.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../../trace_probe_kernel.h"

#define STRING_LONGEST	35
/* What is in memory that no string was written to. */
#define STRING_FREE	0x5a

/**
 * struct string_pages - memory that strings are in
 * @pages: two pages; behind them there is none
 * @to: where they are copied to
 */
struct string_pages {
	char *pages;
	char to[STRING_LONGEST + 32];
};

static int string_init(struct kunit *test)
{
	struct string_pages *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	if (!p)
		return -ENOMEM;
	test->priv = p;
	p->pages = vmalloc(2 * PAGE_SIZE);
	return p->pages ? 0 : -ENOMEM;
}

static void string_exit(struct kunit *test)
{
	struct string_pages *p = test->priv;

	if (p)
		vfree(p->pages);
}

/* Bytes that a search for a null could take for one, too. */
static void string_fill(char *to, int len)
{
	static const u8 bytes[] = { 0x01, 0x80, 0xff, 0x7f, 0x81, 'a', 0xfe };
	int n;

	for (n = 0; n < len; n++)
		to[n] = bytes[n % ARRAY_SIZE(bytes)];
}

static bool string_is_free(const char *from, const char *end)
{
	return !memchr_inv(from, STRING_FREE, end - from);
}

/* A string of @len bytes at @from: as a whole, and what fits into @max. */
static void string_check(struct kunit *test, char *from, int len, int max)
{
	struct string_pages *p = test->priv;
	unsigned long addr = (unsigned long)from;
	int copied = min(len + 1, max);

	string_fill(from, len);
	from[len] = '\0';
	KUNIT_EXPECT_EQ(test, len + 1, probe_string_len(addr));
	memset(p->to, STRING_FREE, sizeof(p->to));
	KUNIT_EXPECT_EQ(test, copied, probe_copy_string(p->to, addr, max));
	KUNIT_EXPECT_MEMEQ(test, p->to, from, copied - 1);
	KUNIT_EXPECT_EQ(test, '\0', p->to[copied - 1]);
	KUNIT_EXPECT_TRUE(test, string_is_free(p->to + max, p->to + sizeof(p->to)));
}

static void string_places(struct kunit *test)
{
	struct string_pages *p = test->priv;
	int len, at;

	for (len = 0; len <= STRING_LONGEST; len++) {
		for (at = 0; at < 2 * (int)sizeof(long); at++) {
			memset(p->pages, STRING_FREE, PAGE_SIZE);
			string_check(test, p->pages + at, len, len + 1);
			string_check(test, p->pages + at, len, sizeof(p->to));
		}
	}
}

static void string_over_pages(struct kunit *test)
{
	struct string_pages *p = test->priv;
	int len, before;

	for (len = 0; len <= STRING_LONGEST; len++) {
		for (before = 0; before <= len; before++)
			string_check(test, p->pages + PAGE_SIZE - before, len, len + 1);
	}
}

static void string_at_end(struct kunit *test)
{
	struct string_pages *p = test->priv;
	int len;

	for (len = 0; len <= STRING_LONGEST; len++)
		string_check(test, p->pages + 2 * PAGE_SIZE - len - 1, len, sizeof(p->to));
}

static void string_rooms(struct kunit *test)
{
	struct string_pages *p = test->priv;
	int max;

	for (max = 1; max <= STRING_LONGEST; max++) {
		string_check(test, p->pages, STRING_LONGEST, max);
		string_check(test, p->pages + PAGE_SIZE - max / 2, STRING_LONGEST, max);
	}
}

/* As long as all that is read of a string, and longer. */
static void string_longest(struct kunit *test)
{
	struct string_pages *p = test->priv;

	memset(p->pages, 'x', MAX_STRING_SIZE + 1);
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE, probe_string_len((unsigned long)p->pages));
	p->pages[MAX_STRING_SIZE - 1] = '\0';
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE, probe_string_len((unsigned long)p->pages));
	p->pages[MAX_STRING_SIZE - 2] = '\0';
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE - 1, probe_string_len((unsigned long)p->pages));
}

/* No null before the memory ends, and no memory. */
static void string_faults(struct kunit *test)
{
	struct string_pages *p = test->priv;
	unsigned long end = (unsigned long)p->pages + 2 * PAGE_SIZE;
	int len;

	memset(p->pages, 'x', 2 * PAGE_SIZE);
	for (len = 0; len <= STRING_LONGEST; len++) {
		KUNIT_EXPECT_EQ(test, -EFAULT, probe_string_len(end - len));
		KUNIT_EXPECT_EQ(test, -EFAULT, probe_copy_string(p->to, end - len, len + 1));
		if (len)
			KUNIT_EXPECT_EQ(test, len, probe_copy_string(p->to, end - len, len));
	}
}

static struct kunit_case string_cases[] = {
	KUNIT_CASE(string_places),
	KUNIT_CASE(string_over_pages),
	KUNIT_CASE(string_at_end),
	KUNIT_CASE(string_rooms),
	KUNIT_CASE(string_longest),
	KUNIT_CASE(string_faults),
	{ }
};

static struct kunit_suite string_suite = {
	.name = "probe_events_string",
	.init = string_init,
	.exit = string_exit,
	.test_cases = string_cases,
};

kunit_test_suite(string_suite);
