// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what is shown: the values of records, the place of the caret below a
 * command that is refused, and the messages.
 */
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../layout.h"
#include "../log.h"
#include "../tree.h"

/* The head of a record, fields, and strings behind them. */
#define HEAD		16
#define STRINGS		128
#define RECORD		256

/**
 * struct print_case - a record with one argument, and what is printed
 * @type: the type
 * @count: number of elements; 0 if it is no array
 * @words: what is in the field, of the size of an element; of a string the place among
 *	   the strings, or -1 if it could not be read
 * @text: what is printed
 */
struct print_case {
	const char *type;
	unsigned int count;
	long long words[3];
	const char *text;
};

static const char strings[] = "abc\0\0defg";

static const struct print_case cases[] = {
	{ "u8", 0, { 255 }, "a=255" },
	{ "s8", 0, { -1 }, "a=-1" },
	{ "x8", 0, { 0x1f }, "a=0x1f" },
	{ "char", 0, { 'A' }, "a='A'" },
	{ "u16", 0, { 0xffff }, "a=65535" },
	{ "s16", 0, { -2 }, "a=-2" },
	{ "x16", 0, { 0xfff0 }, "a=0xfff0" },
	{ "u32", 0, { 0xffffffff }, "a=4294967295" },
	{ "s32", 0, { -3 }, "a=-3" },
	{ "x32", 0, { 0x80000000 }, "a=0x80000000" },
	{ "u64", 0, { -1 }, "a=18446744073709551615" },
	{ "s64", 0, { -4 }, "a=-4" },
	{ "x64", 0, { -1 }, "a=0xffffffffffffffff" },
	{ "symbol", 0, { 1 }, "a=0x1" },
	{ "string", 0, { 0 }, "a=\"abc\"" },
	{ "ustring", 0, { 5 }, "a=\"defg\"" },
	{ "symstr", 0, { 4 }, "a=\"\"" },
	{ "string", 0, { -1 }, "a=(fault)" },
	{ "u8", 1, { 7 }, "a={7}" },
	{ "s16", 3, { -1, 2, -3 }, "a={-1,2,-3}" },
	{ "char", 2, { 'x', ' ' }, "a={'x',' '}" },
	{ "string", 3, { 5, -1, 0 }, "a={\"defg\",(fault),\"abc\"}" },
};

static void put_number(u8 *field, unsigned int size, long long word)
{
	u8 one = word;
	u16 two = word;
	u32 four = word;

	switch (size) {
	case 1:
		memcpy(field, &one, 1);
		break;
	case 2:
		memcpy(field, &two, 2);
		break;
	case 4:
		memcpy(field, &four, 4);
		break;
	default:
		memcpy(field, &word, 8);
	}
}

static void put_word(u8 *field, const struct fetch_type *type, long long word)
{
	u32 loc = make_data_loc(0, STRINGS);

	if (!fetch_type_is_text(type)) {
		put_number(field, type->size, word);
		return;
	}
	if (word >= 0)
		loc = make_data_loc(strlen(strings + word) + 1, STRINGS + word);
	memcpy(field, &loc, sizeof(loc));
}

static void fill(u8 *record, const struct print_case *c, struct probe_arg *arg)
{
	struct fetch_text name = { .s = c->type, .len = strlen(c->type) };
	unsigned int n;

	arg->name = "a";
	arg->type = fetch_find_type(&name, FETCH_IN_KERNEL);
	arg->count = c->count;
	/* Not aligned, as most of them are. */
	fetch_layout(arg, 1, 1);
	memcpy(record + STRINGS, strings, sizeof(strings));
	for (n = 0; n < (c->count ?: 1); n++)
		put_word(record + HEAD + arg->offset + n * arg->size / (c->count ?: 1),
			 arg->type, c->words[n]);
}

static struct trace_seq *alloc_seq(struct kunit *test)
{
	struct trace_seq *s = kunit_kzalloc(test, sizeof(*s), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, s);
	trace_seq_init(s);
	return s;
}

static void print_values(struct kunit *test)
{
	struct trace_seq *s = alloc_seq(test);
	const struct print_case *c;
	u8 record[RECORD];

	for (c = cases; c < cases + ARRAY_SIZE(cases); c++) {
		struct probe_arg arg = { };

		fill(record, c, &arg);
		trace_seq_init(s);
		KUNIT_EXPECT_EQ(test, 0,
				trace_probe_print_args(s, &arg, 1, record + HEAD, record));
		trace_seq_putc(s, '\0');
		KUNIT_EXPECT_STREQ_MSG(test, c->text, s->buffer + 1, "%s", c->type);
		KUNIT_EXPECT_EQ(test, ' ', s->buffer[0]);
	}
}

/* More than one, and more than there is room for. */
static void print_many(struct kunit *test)
{
	struct trace_seq *s = alloc_seq(test);
	struct probe_arg args[2] = { };
	u8 record[RECORD];
	int ret = 0, n;

	fill(record, &cases[0], &args[0]);
	fill(record, &cases[0], &args[1]);
	args[1].name = "b";
	KUNIT_EXPECT_EQ(test, 0, trace_probe_print_args(s, args, 2, record + HEAD, record));
	trace_seq_putc(s, '\0');
	KUNIT_EXPECT_STREQ(test, " a=255 b=255", s->buffer);
	for (n = 0; n < TRACE_SEQ_BUFFER_SIZE && !ret; n++)
		ret = trace_probe_print_args(s, args, 2, record + HEAD, record);
	KUNIT_EXPECT_LT(test, ret, 0);
}

static void print_columns(struct kunit *test)
{
	static const char * const argv[] = { "f:e", "vfs_read", "a=\\1" };
	char *command = fetch_log_command(3, argv);

	KUNIT_ASSERT_NOT_NULL(test, command);
	KUNIT_EXPECT_STREQ(test, "f:e vfs_read a=\\1", command);
	kfree(command);
	KUNIT_EXPECT_EQ(test, 0, fetch_log_column(3, argv, 0, 0));
	KUNIT_EXPECT_EQ(test, 2, fetch_log_column(3, argv, 0, 2));
	KUNIT_EXPECT_EQ(test, 4, fetch_log_column(3, argv, 1, 0));
	KUNIT_EXPECT_EQ(test, 15, fetch_log_column(3, argv, 2, 2));
	/* A word that is missing is missed behind the last one. */
	KUNIT_EXPECT_EQ(test, 18, fetch_log_column(3, argv, 3, 0));
	KUNIT_EXPECT_EQ(test, 18, fetch_log_column(3, argv, 99, 0));
	command = fetch_log_command(0, argv);
	KUNIT_ASSERT_NOT_NULL(test, command);
	KUNIT_EXPECT_STREQ(test, "", command);
	kfree(command);
}

/* Each error has a message, which is no other error's. */
static void print_messages(struct kunit *test)
{
	unsigned int n, m;

	KUNIT_EXPECT_NULL(test, fetch_error_text(FETCH_E_NONE));
	KUNIT_EXPECT_NULL(test, fetch_error_text(FETCH_NR_ERRORS));
	for (n = FETCH_E_NONE + 1; n < FETCH_NR_ERRORS; n++) {
		KUNIT_ASSERT_NOT_NULL_MSG(test, fetch_error_text(n), "%u", n);
		for (m = FETCH_E_NONE + 1; m < n; m++)
			KUNIT_EXPECT_STRNEQ(test, fetch_error_text(m), fetch_error_text(n));
	}
}

static struct kunit_case print_cases[] = {
	KUNIT_CASE(print_values),
	KUNIT_CASE(print_many),
	KUNIT_CASE(print_columns),
	KUNIT_CASE(print_messages),
	{ }
};

static struct kunit_suite print_suite = {
	.name = "probe_events_print",
	.test_cases = print_cases,
};

kunit_test_suite(print_suite);
