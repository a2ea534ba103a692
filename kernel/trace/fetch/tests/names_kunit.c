// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the names of numbers: how they are found, printed and shown in a
 * format file.
 */
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../layout.h"
#include "../names.h"
#include "../tree.h"

static void free_names(void *names)
{
	kfree(names);
}

/* Of a field of 2 bytes. */
static struct fetch_names *make_names(struct kunit *test)
{
	struct fetch_names *names = fetch_alloc_names(3, sizeof("ONE") + sizeof("MINUS") + 1);

	KUNIT_ASSERT_NOT_NULL(test, names);
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_names, names));
	fetch_add_name(names, 1, "ONE");
	fetch_add_name(names, fetch_bits_of_size(-2, 2), "MINUS");
	fetch_add_name(names, 1, "");
	return names;
}

static void names_are_found(struct kunit *test)
{
	struct fetch_names *names = make_names(test);

	KUNIT_EXPECT_EQ(test, 3, names->nr);
	KUNIT_EXPECT_STREQ(test, "ONE", fetch_find_name(names, 1));
	KUNIT_EXPECT_STREQ(test, "MINUS", fetch_find_name(names, 0xfffe));
	KUNIT_EXPECT_NULL(test, fetch_find_name(names, 0xfffffffe));
	KUNIT_EXPECT_NULL(test, fetch_find_name(names, 0));
	KUNIT_EXPECT_EQ(test, 0xff, fetch_bits_of_size(-1, 1));
	KUNIT_EXPECT_EQ(test, U64_MAX, fetch_bits_of_size(-1, 8));
}

static void names_are_compared(struct kunit *test)
{
	struct fetch_names *a = make_names(test), *b = make_names(test);

	KUNIT_EXPECT_TRUE(test, fetch_same_names(a, b));
	KUNIT_EXPECT_TRUE(test, fetch_same_names(NULL, NULL));
	KUNIT_EXPECT_FALSE(test, fetch_same_names(a, NULL));
	KUNIT_EXPECT_FALSE(test, fetch_same_names(NULL, b));
	b->nr--;
	KUNIT_EXPECT_FALSE(test, fetch_same_names(a, b));
	b->nr++;
	b->names[1].value++;
	KUNIT_EXPECT_FALSE(test, fetch_same_names(a, b));
	b->names[1].value--;
	b->names[1].name = "OTHER";
	KUNIT_EXPECT_FALSE(test, fetch_same_names(a, b));
}

static struct probe_arg make_argument(struct kunit *test)
{
	return (struct probe_arg){
		.name = "a",
		.type = fetch_number_type(2, true),
		.names = make_names(test),
	};
}

static void shows(struct kunit *test, const struct probe_arg *arg, const char *wanted)
{
	struct seq_buf out;
	char text[160];

	seq_buf_init(&out, text, sizeof(text));
	KUNIT_EXPECT_EQ(test, 0, fetch_show_format(PROBE_PRINT_EVENT, arg, 1, &out));
	KUNIT_EXPECT_STREQ(test, wanted, seq_buf_str(&out));
}

static void names_are_shown(struct kunit *test)
{
	struct probe_arg arg = make_argument(test);
	struct fetch_names none = { };

	shows(test, &arg,
	      "\" a=%s\", __print_symbolic(REC->a, { 1, \"ONE\" }, { 65534, \"MINUS\" }, { 1, \"\" })");
	arg.count = 2;
	shows(test, &arg, "\" a={%d,%d}\", REC->a[0], REC->a[1]");
	arg.count = 0;
	arg.names = &none;
	shows(test, &arg, "\" a=%d\", REC->a");
}

static void names_are_printed(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);
	s16 fields[] = { 1, -2, -3 };
	struct probe_arg arg = make_argument(test);

	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	KUNIT_EXPECT_EQ(test, 0, trace_probe_print_args(s, &arg, 1, (u8 *)&fields[1], fields));
	arg.count = 3;
	arg.size = sizeof(fields);
	KUNIT_EXPECT_EQ(test, 0, trace_probe_print_args(s, &arg, 1, (u8 *)fields, fields));
	trace_seq_putc(s, '\0');
	KUNIT_EXPECT_STREQ(test, " a=MINUS a={ONE,MINUS,-3}", s->buffer);
}

static struct kunit_case names_cases[] = {
	KUNIT_CASE(names_are_found),
	KUNIT_CASE(names_are_compared),
	KUNIT_CASE(names_are_shown),
	KUNIT_CASE(names_are_printed),
	{ }
};

static struct kunit_suite names_suite = {
	.name = "probe_events_names",
	.test_cases = names_cases,
};

kunit_test_suite(names_suite);
