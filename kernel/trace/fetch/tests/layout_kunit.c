// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of records and of how they are printed: what the format files of
 * events have always had.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../layout.h"

#define MAX_FIELDS	8

/**
 * struct layout_case - the arguments of an event, and its format file
 * @args: the arguments, with blanks between them
 * @head: what its records begin with
 * @fields: for each field type, name, offset, size, and whether it is signed
 * @print: how it is printed
 */
struct layout_case {
	const char *args;
	enum probe_print_type head;
	const char *fields;
	const char *print;
};

/* Of a kernel of 64 bits. */
static const struct layout_case cases[] = {
	{ "", PROBE_PRINT_NORMAL, "", "\"(%lx)\", REC->__probe_ip" },
	{ "", PROBE_PRINT_RETURN, "",
	  "\"(%lx <- %lx)\", REC->__probe_func, REC->__probe_ret_ip" },
	{ "", PROBE_PRINT_EVENT, "", "\"\"" },
	{ "@11", PROBE_PRINT_NORMAL, "u64 arg1 16 8 0",
	  "\"(%lx) arg1=0x%Lx\", REC->__probe_ip, REC->arg1" },
	{ "@11:u8 @11:u16 @11:u32 @11:u64", PROBE_PRINT_NORMAL,
	  "u8 arg1 16 1 0; u16 arg2 17 2 0; u32 arg3 19 4 0; u64 arg4 23 8 0",
	  "\"(%lx) arg1=%u arg2=%u arg3=%u arg4=%Lu\", REC->__probe_ip, REC->arg1, "
	  "REC->arg2, REC->arg3, REC->arg4" },
	{ "@11:s8 @11:s16 @11:s32 @11:s64", PROBE_PRINT_NORMAL,
	  "s8 arg1 16 1 1; s16 arg2 17 2 1; s32 arg3 19 4 1; s64 arg4 23 8 1",
	  "\"(%lx) arg1=%d arg2=%d arg3=%d arg4=%Ld\", REC->__probe_ip, REC->arg1, "
	  "REC->arg2, REC->arg3, REC->arg4" },
	{ "@11:x8 @11:x16 @11:x32 @11:x64", PROBE_PRINT_NORMAL,
	  "u8 arg1 16 1 0; u16 arg2 17 2 0; u32 arg3 19 4 0; u64 arg4 23 8 0",
	  "\"(%lx) arg1=0x%x arg2=0x%x arg3=0x%x arg4=0x%Lx\", REC->__probe_ip, REC->arg1, "
	  "REC->arg2, REC->arg3, REC->arg4" },
	{ "@11:char @11:symbol a=@11:symstr", PROBE_PRINT_NORMAL,
	  "u8 arg1 16 1 0; u64 arg2 17 8 0; __data_loc char[] a 25 4 1",
	  "\"(%lx) arg1='%c' arg2=%pS a=\\\"%s\\\"\", REC->__probe_ip, REC->arg1, "
	  "REC->arg2, __get_str(a)" },
	{ "+0(@11):u8[4] c=+0(@11):char[2]", PROBE_PRINT_NORMAL,
	  "u8[] arg1 16 4 0; u8[] c 20 2 0",
	  "\"(%lx) arg1={%u,%u,%u,%u} c={'%c','%c'}\", REC->__probe_ip, REC->arg1[0], "
	  "REC->arg1[1], REC->arg1[2], REC->arg1[3], REC->c[0], REC->c[1]" },
	{ "+0(%ax):u8[1] +0(%ax):string[2]", PROBE_PRINT_NORMAL,
	  "u8[] arg1 16 1 0; __data_loc char[][2] arg2 17 8 1",
	  "\"(%lx) arg1={%u} arg2={\\\"%s\\\",\\\"%s\\\"}\", REC->__probe_ip, REC->arg1[0], "
	  "__get_str(arg2[0]), __get_str(arg2[1])" },
	{ "+0(@11):x64[2] +0(@11):symbol[2]", PROBE_PRINT_NORMAL,
	  "u64[] arg1 16 16 0; u64[] arg2 32 16 0",
	  "\"(%lx) arg1={0x%Lx,0x%Lx} arg2={%pS,%pS}\", REC->__probe_ip, REC->arg1[0], "
	  "REC->arg1[1], REC->arg2[0], REC->arg2[1]" },
	{ "@11:b4@4/8 @11:b4@4/16 @11:b33@4/64 +0(@11):b4@4/8[2]", PROBE_PRINT_NORMAL,
	  "u8 arg1 16 1 0; u16 arg2 17 2 0; u64 arg3 19 8 0; u8[] arg4 27 2 0",
	  "\"(%lx) arg1=%u arg2=%u arg3=%Lu arg4={%u,%u}\", REC->__probe_ip, REC->arg1, "
	  "REC->arg2, REC->arg3, REC->arg4[0], REC->arg4[1]" },
	{ "$retval:s64", PROBE_PRINT_RETURN, "s64 arg1 24 8 1",
	  "\"(%lx <- %lx) arg1=%Ld\", REC->__probe_func, REC->__probe_ret_ip, REC->arg1" },
	{ "n=$next_comm:ustring", PROBE_PRINT_EVENT, "__data_loc char[] n 8 4 1",
	  "\" n=\\\"%s\\\"\", __get_str(n)" },
};

static const u32 head_sizes[] = {
	[PROBE_PRINT_NORMAL] = 16,
	[PROBE_PRINT_RETURN] = 24,
	[PROBE_PRINT_EVENT] = 8,
};

/* One argument: what the text does not say is as without it. */
static void make_field(struct kunit *test, const char *arg, unsigned int n,
		       struct probe_arg *field)
{
	struct fetch_failure failure;
	struct fetch_tree *tree = fetch_parse(arg, FETCH_IN_EVENT, &failure);
	char *name = kunit_kzalloc(test, FETCH_MAX_NAME + 1, GFP_KERNEL);

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(tree), "%s", arg);
	KUNIT_ASSERT_NOT_NULL(test, name);
	snprintf(name, FETCH_MAX_NAME + 1, "arg%u", n + 1);
	if (tree->label.len)
		snprintf(name, FETCH_MAX_NAME + 1, "%.*s", tree->label.len, tree->label.s);
	field->name = name;
	field->type = tree->cast.type ?: fetch_default_type();
	field->count = tree->cast.count;
	fetch_free(tree);
}

static unsigned int make_fields(struct kunit *test, const char *args, struct probe_arg *fields)
{
	char *text = kunit_kstrdup(test, args, GFP_KERNEL);
	unsigned int nr = 0;
	char *arg;

	KUNIT_ASSERT_NOT_NULL(test, text);
	while ((arg = strsep(&text, " ")) && *arg) {
		KUNIT_ASSERT_LT(test, nr, MAX_FIELDS);
		make_field(test, arg, nr, &fields[nr]);
		nr++;
	}
	return nr;
}

static void show_fields(const struct probe_arg *fields, unsigned int nr, struct seq_buf *out)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		seq_buf_puts(out, n ? "; " : "");
		fetch_show_type(&fields[n], out);
		seq_buf_printf(out, " %s %u %u %d", fields[n].name, fields[n].offset,
			       fields[n].size, fetch_field_is_signed(&fields[n]));
	}
}

static void format_is(struct kunit *test, const struct layout_case *c)
{
	struct probe_arg fields[MAX_FIELDS] = { };
	unsigned int nr = make_fields(test, c->args, fields);
	char *text = kunit_kzalloc(test, 1024, GFP_KERNEL);
	u32 size, end = head_sizes[c->head];
	struct seq_buf out;

	KUNIT_ASSERT_NOT_NULL(test, text);
	size = fetch_layout(fields, nr, end);
	seq_buf_init(&out, text, 1024);
	show_fields(fields, nr, &out);
	KUNIT_EXPECT_STREQ_MSG(test, c->fields, seq_buf_str(&out), "%s", c->args);
	seq_buf_clear(&out);
	KUNIT_EXPECT_EQ(test, 0, fetch_show_format(c->head, fields, nr, &out));
	KUNIT_EXPECT_STREQ_MSG(test, c->print, seq_buf_str(&out), "%s", c->args);
	if (nr)
		end = fields[nr - 1].offset + fields[nr - 1].size;
	KUNIT_EXPECT_EQ_MSG(test, end, size, "%s", c->args);
}

static void layout_formats(struct kunit *test)
{
	unsigned int n;

	if (!IS_ENABLED(CONFIG_64BIT))
		kunit_skip(test, "words have other sizes");
	for (n = 0; n < ARRAY_SIZE(cases); n++)
		format_is(test, &cases[n]);
}

/* What does not fit is told, and nothing is written behind the buffer. */
static void layout_too_long(struct kunit *test)
{
	struct probe_arg field = { .name = "a" };
	struct fetch_text u8_name = { .s = "u8", .len = 2 };
	struct seq_buf out;
	char text[17];

	field.type = fetch_find_type(&u8_name, FETCH_IN_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, field.type);
	text[16] = '#';
	seq_buf_init(&out, text, 16);
	KUNIT_EXPECT_EQ(test, -E2BIG, fetch_show_format(PROBE_PRINT_NORMAL, &field, 1, &out));
	KUNIT_EXPECT_EQ(test, '#', text[16]);
	seq_buf_init(&out, text, 2);
	text[2] = '#';
	field.count = 64;
	KUNIT_EXPECT_EQ(test, -E2BIG, fetch_show_type(&field, &out));
	KUNIT_EXPECT_EQ(test, '#', text[2]);
}

static void layout_types(struct kunit *test)
{
	static const char * const in_kernel_only[] = { "symbol", "symstr" };
	struct fetch_text name;
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(in_kernel_only); n++) {
		name.s = in_kernel_only[n];
		name.len = strlen(name.s);
		KUNIT_EXPECT_NOT_NULL(test, fetch_find_type(&name, FETCH_IN_KERNEL));
		KUNIT_EXPECT_NULL(test, fetch_find_type(&name, FETCH_IN_PROCESS));
	}
	KUNIT_EXPECT_EQ(test, sizeof(long), fetch_default_type()->size);
	KUNIT_EXPECT_FALSE(test, fetch_default_type()->is_signed);
	/* A part of a name, and more than one, are none. */
	name = (struct fetch_text){ .s = "u64x", .len = 2 };
	KUNIT_EXPECT_NULL(test, fetch_find_type(&name, FETCH_IN_KERNEL));
	name.len = 4;
	KUNIT_EXPECT_NULL(test, fetch_find_type(&name, FETCH_IN_KERNEL));
	name.len = 3;
	KUNIT_EXPECT_NOT_NULL(test, fetch_find_type(&name, FETCH_IN_KERNEL));
}

static struct kunit_case layout_cases[] = {
	KUNIT_CASE(layout_formats),
	KUNIT_CASE(layout_too_long),
	KUNIT_CASE(layout_types),
	{ }
};

static struct kunit_suite layout_suite = {
	.name = "probe_events_layout",
	.test_cases = layout_cases,
};

kunit_test_suite(layout_suite);
