// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the words of commands: names of events, symbols with offsets, and
 * what is put in place of $arg*, $argN, %pd and %pD.
 */
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../log.h"

#define MAX_WORDS	16

#define NAME_62	"a1234567890123456789012345678901234567890123456789012345678901"

/**
 * struct name_case - the name of an event
 * @text: what the command says
 * @group: the group; NULL if it says none
 * @event: the name; NULL if it says none
 */
struct name_case {
	const char *text;
	const char *group;
	const char *event;
};

static const struct name_case names[] = {
	{ "e", NULL, "e" },
	{ "_1", NULL, "_1" },
	{ "g/e", "g", "e" },
	{ "g.e", "g", "e" },
	{ "g-1/e", "g-1", "e" },
	{ "g/", "g", NULL },
	{ "g.", "g", NULL },
	{ "ftrace/e", "ftrace", "e" },
	{ NAME_62 "2", NULL, NAME_62 "2" },
	{ "g/" NAME_62 "2", "g", NAME_62 "2" },
	{ NAME_62 "2/e", NAME_62 "2", "e" },
};

static const char * const bad_names[] = {
	"", "/", "/e", ".e", "1", "a-1", "a b", "g/1", "g/a-1", "g/a.1", "g/a/b", "1/e", "a.b/e",
	NAME_62 "23", "g/" NAME_62 "23", NAME_62 "23/e", NAME_62 "23/",
};

static void command_names(struct kunit *test)
{
	const struct name_case *c;
	char buf[MAX_EVENT_NAME_LEN];

	for (c = names; c < names + ARRAY_SIZE(names); c++) {
		const char *event = c->text, *group = NULL;

		KUNIT_EXPECT_EQ_MSG(test, 0, traceprobe_parse_event_name(&event, &group, buf, 2),
				    "%s", c->text);
		KUNIT_EXPECT_STREQ_MSG(test, c->group ?: "-", group ?: "-", "%s", c->text);
		KUNIT_EXPECT_STREQ_MSG(test, c->event ?: "-", event ?: "-", "%s", c->text);
	}
}

static void command_bad_names(struct kunit *test)
{
	char buf[MAX_EVENT_NAME_LEN + 1];
	unsigned int n;

	buf[MAX_EVENT_NAME_LEN] = '#';
	for (n = 0; n < ARRAY_SIZE(bad_names); n++) {
		const char *event = bad_names[n], *group = NULL;

		KUNIT_EXPECT_EQ_MSG(test, -EINVAL,
				    traceprobe_parse_event_name(&event, &group, buf, 2),
				    "%s", bad_names[n]);
	}
	KUNIT_EXPECT_EQ(test, '#', buf[MAX_EVENT_NAME_LEN]);
}

/**
 * struct symbol_case - a symbol and an offset
 * @text: what the command says
 * @ret: what is answered
 * @symbol: what is left of the text
 * @offset: the offset, unless it is refused
 */
struct symbol_case {
	const char *text;
	int ret;
	const char *symbol;
	long offset;
};

static const struct symbol_case symbols[] = {
	{ "a", 0, "a", 0 },
	{ "", 0, "", 0 },
	{ "mod:a+0", 0, "mod:a", 0 },
	{ "a+10", 0, "a", 10 },
	{ "a+0x10", 0, "a", 16 },
	{ "a-10", 0, "a", -10 },
	{ "a+", -EINVAL, "a+" },
	{ "a+b", -EINVAL, "a+b" },
	{ "a-b", -EINVAL, "a-b" },
	{ "a+1+1", -EINVAL, "a+1+1" },
	{ "a+99999999999999999999", -ERANGE, "a+99999999999999999999" },
};

static void command_symbols(struct kunit *test)
{
	const struct symbol_case *c;
	char text[32];
	long offset;

	for (c = symbols; c < symbols + ARRAY_SIZE(symbols); c++) {
		strscpy(text, c->text);
		KUNIT_EXPECT_EQ_MSG(test, c->ret, traceprobe_split_symbol_offset(text, &offset),
				    "%s", c->text);
		KUNIT_EXPECT_STREQ(test, c->symbol, text);
		if (!c->ret)
			KUNIT_EXPECT_EQ_MSG(test, c->offset, offset, "%s", c->text);
	}
	KUNIT_EXPECT_EQ(test, -EINVAL, traceprobe_split_symbol_offset(NULL, &offset));
}

/* Return: number of words, which are all in a copy of @text. */
static int split(struct kunit *test, const char *text, const char **words)
{
	char *copy = kunit_kstrdup(test, text, GFP_KERNEL);
	char *word;
	int n = 0;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	while ((word = strsep(&copy, " ")) && *word) {
		KUNIT_ASSERT_LT(test, n, MAX_WORDS);
		words[n++] = word;
	}
	return n;
}

static void words_are(struct kunit *test, const char *text, int nr, const char **words)
{
	const char *wanted[MAX_WORDS];
	int n, nr_wanted = split(test, text, wanted);

	KUNIT_ASSERT_EQ_MSG(test, nr_wanted, nr, "%s", text);
	for (n = 0; n < nr; n++)
		KUNIT_EXPECT_STREQ(test, wanted[n], words[n]);
}

static void command_dentries(struct kunit *test)
{
	const size_t name = offsetof(struct dentry, d_name.name);
	const size_t dentry = offsetof(struct file, f_path.dentry);
	const char *words[MAX_WORDS];
	char wanted[256], *buf = NULL;
	int nr;

	snprintf(wanted, sizeof(wanted),
		 "a +0x0(+0x%zx(b)):string d=+0x0(+0x%zx(+0x%zx(%%di))):string +0x0(+0x%zx()):string",
		 name, name, dentry, name);
	nr = split(test, "a b:%pd d=%di:%pD :%pd", words);
	KUNIT_EXPECT_EQ(test, 0, traceprobe_expand_dentry_args(nr, words, &buf));
	KUNIT_EXPECT_NOT_NULL(test, buf);
	words_are(test, wanted, nr, words);
	kfree(buf);
}

/* These are types that are not known, or no types. */
static void command_no_dentries(struct kunit *test)
{
	static const char text[] = "a %pd b:%p c:%pX d:%pd:u8 e:%pD[2] pd :pd";
	const char *words[MAX_WORDS];
	char *buf = NULL;
	int nr;

	nr = split(test, text, words);
	KUNIT_EXPECT_EQ(test, 0, traceprobe_expand_dentry_args(nr, words, &buf));
	KUNIT_EXPECT_NULL(test, buf);
	words_are(test, text, nr, words);
}

/**
 * struct meta_case - parameters of a function
 * @function: the function, whose BTF is looked at
 * @flags: what the event is
 * @text: the arguments
 * @words: what becomes of them; NULL if nothing does
 * @ret: why they are refused, or 0
 */
struct meta_case {
	const char *function;
	unsigned int flags;
	const char *text;
	const char *words;
	int ret;
};

static const struct meta_case metas[] = {
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg*", "a b c" },
	{ "fetch_t_pair", TPARG_FL_RETURN, "$retval $arg* \\1", "$retval a b c \\1" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg*:u8", "a b c" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg1 $arg03 $arg3:u8", "a c c:u8" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "x=$arg1 +0($arg2) x=$arg* $arg $argx" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg0" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg0 $arg1", "$arg0 a" },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg4", NULL, -ENOENT },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg99999999999999999999", NULL, -ENOENT },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg1x", NULL, -ENOENT },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg1->a", NULL, -ENOENT },
	{ "fetch_t_pair", TPARG_FL_FENTRY, "$arg* $arg*", NULL, -EINVAL },
	{ "fetch_t_pair", TPARG_FL_TPOINT, "$arg*", "b c" },
	{ "fetch_t_pair", TPARG_FL_TPOINT, "$arg2:x8", "c:x8" },
	{ "fetch_t_pair", TPARG_FL_TPOINT, "$arg3", NULL, -ENOENT },
	{ "fetch_t_pair", 0, "$arg1" },
	{ "fetch_t_pair", 0, "$arg*", NULL, -EINVAL },
	{ "fetch_t_dots", TPARG_FL_FENTRY, "$arg*", "a b c" },
	{ "fetch_t_dots", TPARG_FL_FENTRY, "$arg4", NULL, -ENOENT },
	{ "schedule", TPARG_FL_FENTRY, "$arg*", "" },
	{ "schedule", TPARG_FL_FENTRY, "a=\\1 $arg*", "a=\\1" },
	{ "schedule", TPARG_FL_FENTRY, "$arg1" },
	{ "fetch_t_is_not_there", TPARG_FL_FENTRY, "$arg1 $arg1x" },
	{ "fetch_t_is_not_there", TPARG_FL_FENTRY, "$arg*", NULL, -EOPNOTSUPP },
	{ NULL, TPARG_FL_FENTRY, "$arg1" },
	{ NULL, TPARG_FL_FENTRY, "$arg*", NULL, -EOPNOTSUPP },
};

static void meta_is(struct kunit *test, const struct meta_case *c)
{
	struct traceprobe_parse_context ctx = {
		.funcname = c->function,
		.flags = TPARG_FL_KERNEL | c->flags,
	};
	const char *words[MAX_WORDS], **changed;
	int nr, new_nr = 0;

	nr = split(test, c->text, words);
	changed = traceprobe_expand_meta_args(nr, words, &new_nr, NULL, 0, &ctx);
	KUNIT_EXPECT_EQ_MSG(test, c->ret, PTR_ERR_OR_ZERO(changed), "%s %s", c->function, c->text);
	KUNIT_EXPECT_EQ_MSG(test, !!c->words, !IS_ERR_OR_NULL(changed), "%s", c->text);
	words_are(test, c->text, nr, words);
	if (c->words && !IS_ERR_OR_NULL(changed))
		words_are(test, c->words, new_nr, changed);
	traceprobe_finish_parse(&ctx);
	if (!IS_ERR(changed))
		kfree(changed);
}

static void command_meta(struct kunit *test)
{
	const struct meta_case *c;

	if (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		kunit_skip(test, "no arguments from BTF");
	for (c = metas; c < metas + ARRAY_SIZE(metas); c++)
		meta_is(test, c);
}

/**
 * struct place_case - where a word is that was put in place of another
 * @index: which word
 * @word: the word of the command
 * @offset: what becomes of its column 3
 */
struct place_case {
	int index;
	int word;
	int offset;
};

static void command_places(struct kunit *test)
{
	static const struct place_case places[] = {
		{ 0, 0, 3 }, { 1, 1, 3 }, { 2, 2, 3 }, { 3, 3, 0 }, { 4, 3, 0 }, { 5, 3, 0 },
		{ 6, 4, 3 }, { 7, 5, 0 }, { 8, 6, 3 },
	};
	static const char * const command[] = {
		"f", "fetch_t_pair", "\\1", "$arg*", "x=\\2", "$arg3:u8",
	};
	struct traceprobe_parse_context ctx = {
		.funcname = command[1], .flags = TPARG_FL_KERNEL | TPARG_FL_FENTRY,
	};
	const char *argv[ARRAY_SIZE(command)], **words;
	unsigned int n;
	int nr, offset;

	if (!IS_ENABLED(CONFIG_PROBE_EVENTS_BTF_ARGS))
		kunit_skip(test, "no arguments from BTF");
	memcpy(argv, command, sizeof(argv));
	trace_probe_log_init("test", ARRAY_SIZE(argv), argv);
	offset = 3;
	KUNIT_EXPECT_EQ(test, 7, fetch_log_word(7, &offset));
	words = traceprobe_expand_meta_args(ARRAY_SIZE(argv) - 2, argv + 2, &nr, NULL, 0, &ctx);
	for (n = 0; n < ARRAY_SIZE(places); n++) {
		offset = 3;
		KUNIT_EXPECT_EQ(test, places[n].word, fetch_log_word(places[n].index, &offset));
		KUNIT_EXPECT_EQ_MSG(test, places[n].offset, offset, "%u", n);
	}
	trace_probe_log_clear();
	KUNIT_EXPECT_EQ(test, 7, fetch_log_word(7, &offset));
	traceprobe_finish_parse(&ctx);
	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(words));
	KUNIT_EXPECT_EQ(test, 6, nr);
	kfree(words);
}

static struct kunit_case command_cases[] = {
	KUNIT_CASE(command_names),
	KUNIT_CASE(command_bad_names),
	KUNIT_CASE(command_symbols),
	KUNIT_CASE(command_dentries),
	KUNIT_CASE(command_no_dentries),
	KUNIT_CASE(command_meta),
	KUNIT_CASE(command_places),
	{ }
};

static struct kunit_suite command_suite = {
	.name = "probe_events_command",
	.test_cases = command_cases,
};

kunit_test_suite(command_suite);
