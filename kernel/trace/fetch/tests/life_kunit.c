// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the life of events: how probes come to them and go, and what of an
 * event stays when its first probe has gone.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../layout.h"
#include "../tree.h"

#define GROUP	"kunit_life"

static int define_fields(struct trace_event_call *call)
{
	return traceprobe_define_arg_fields(call, 8, trace_probe_primary_from_call(call));
}

static struct trace_event_fields fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_fields },
	{ }
};

static struct trace_event_functions functions;

static int switch_event(struct trace_event_call *call, enum trace_reg type, void *data)
{
	return 0;
}

/* Arguments a:u8[2], b:string[1], ... of the words "a:u8[2] b:string[1]"; each is \1. */
static void add_args(struct kunit *test, struct trace_probe *tp, const char *args)
{
	char *copy = kunit_kstrdup(test, args, GFP_KERNEL);
	struct fetch_failure failure;
	struct fetch_tree *tree;
	unsigned int n;

	KUNIT_ASSERT_NOT_NULL(test, copy);
	for (n = 0; n < tp->nr_args; n++) {
		tree = fetch_parse(strsep(&copy, " "), FETCH_IN_KERNEL, &failure);
		KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(tree), "%s", args);
		tp->args[n].name = kstrndup(tree->body.s, tree->body.len, GFP_KERNEL);
		tp->args[n].comm = kstrdup("\\1", GFP_KERNEL);
		tp->args[n].type = tree->cast.type ?: fetch_default_type();
		tp->args[n].count = tree->cast.count;
		fetch_free(tree);
		KUNIT_ASSERT_NOT_NULL(test, tp->args[n].name);
		KUNIT_ASSERT_NOT_NULL(test, tp->args[n].comm);
	}
	tp->size = fetch_layout(tp->args, tp->nr_args, 0);
}

static struct trace_probe *make_probe(struct kunit *test, const char *name, unsigned int nr_args,
				      const char *args)
{
	struct trace_probe *tp = kunit_kzalloc(test, struct_size(tp, args, nr_args), GFP_KERNEL);
	struct trace_event_call *call;

	KUNIT_ASSERT_NOT_NULL(test, tp);
	KUNIT_ASSERT_EQ(test, 0, trace_probe_init(tp, name, GROUP, false, nr_args));
	add_args(test, tp, args);
	KUNIT_ASSERT_EQ(test, 0, traceprobe_set_print_fmt(tp, PROBE_PRINT_EVENT));
	call = trace_probe_event_call(tp);
	call->flags = TRACE_EVENT_FL_KPROBE;
	call->event.funcs = &functions;
	call->class->fields_array = fields;
	call->class->reg = switch_event;
	return tp;
}

static void life_alone(struct kunit *test)
{
	struct trace_probe *tp = make_probe(test, "alone", 1, "a");

	KUNIT_EXPECT_STREQ(test, "alone", trace_probe_name(tp));
	KUNIT_EXPECT_STREQ(test, GROUP, trace_probe_group_name(tp));
	KUNIT_EXPECT_PTR_EQ(test, tp, trace_probe_primary_from_call(trace_probe_event_call(tp)));
	KUNIT_EXPECT_FALSE(test, trace_probe_has_sibling(tp));
	KUNIT_EXPECT_FALSE(test, trace_probe_is_enabled(tp));
	trace_probe_unlink(tp);
	KUNIT_EXPECT_NULL(test, tp->event);
	trace_probe_cleanup(tp);
	trace_probe_cleanup(tp);
}

static void field_is(struct kunit *test, struct trace_probe *tp, const char *name,
		     const char *type)
{
	struct ftrace_event_field *field;

	list_for_each_entry(field, trace_get_fields(trace_probe_event_call(tp)), link) {
		if (strcmp(field->name, name))
			continue;
		KUNIT_EXPECT_STREQ(test, type, field->type);
		return;
	}
	KUNIT_FAIL(test, "no field %s", name);
}

static const char print_format[] =
	"\" a={%u,%u} b={\\\"%s\\\"}\", REC->a[0], REC->a[1], __get_str(b[0])";

/* Fields, and the format, are those of the event. */
static void first_goes(struct kunit *test, struct trace_probe *first, struct trace_probe *second)
{
	KUNIT_EXPECT_TRUE(test, trace_probe_has_sibling(first));
	trace_probe_unlink(first);
	trace_probe_cleanup(first);
	KUNIT_EXPECT_FALSE(test, trace_probe_has_sibling(second));
	KUNIT_EXPECT_PTR_EQ(test, second,
			    trace_probe_primary_from_call(trace_probe_event_call(second)));
	field_is(test, second, "a", "u8[]");
	field_is(test, second, "b", "__data_loc char[][1]");
	KUNIT_EXPECT_STREQ(test, print_format, trace_probe_event_call(second)->print_fmt);
}

static void life_of_two(struct kunit *test)
{
	struct trace_probe *first = make_probe(test, "two", 2, "a:u8[2] b:string[1]");
	struct trace_probe *second = make_probe(test, "two", 2, "a:u8[2] b:string[1]");
	struct trace_probe *third = make_probe(test, "two", 0, "");
	int ret;

	mutex_lock(&event_mutex);
	ret = trace_probe_register_event_call(first);
	KUNIT_EXPECT_EQ(test, 0, ret);
	KUNIT_EXPECT_EQ(test, -EEXIST, trace_probe_register_event_call(second));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_append(second, first));
	KUNIT_EXPECT_EQ(test, -EBUSY, trace_probe_append(second, third));
	if (!ret)
		first_goes(test, first, second);
	if (!ret)
		KUNIT_EXPECT_EQ(test, 0, trace_probe_unregister_event_call(second));
	mutex_unlock(&event_mutex);
	trace_probe_cleanup(second);
	trace_probe_cleanup(third);
}

static void life_files(struct kunit *test)
{
	struct trace_probe *tp = make_probe(test, "files", 0, "");
	struct trace_event_file a, b;

	mutex_lock(&event_mutex);
	KUNIT_EXPECT_EQ(test, -ENOENT, trace_probe_remove_file(tp, &a));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_add_file(tp, &a));
	KUNIT_EXPECT_TRUE(test, trace_probe_has_single_file(tp));
	KUNIT_EXPECT_NULL(test, trace_probe_get_file_link(tp, &b));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_add_file(tp, &b));
	KUNIT_EXPECT_NOT_NULL(test, trace_probe_get_file_link(tp, &b));
	KUNIT_EXPECT_FALSE(test, trace_probe_has_single_file(tp));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_remove_file(tp, &a));
	KUNIT_EXPECT_TRUE(test, trace_probe_test_flag(tp, TP_FLAG_TRACE));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_remove_file(tp, &b));
	KUNIT_EXPECT_FALSE(test, trace_probe_is_enabled(tp));
	mutex_unlock(&event_mutex);
	trace_probe_cleanup(tp);
}

static void file_in_use(struct kunit *test, struct trace_probe *tp)
{
	struct rcu_gp_oldstate before;
	struct trace_event_file file;
	bool passed;
	int ret;

	KUNIT_EXPECT_EQ(test, 0, trace_probe_add_file(tp, &file));
	scoped_guard(rcu) {
		get_state_synchronize_rcu_full(&before);
		ret = trace_probe_remove_file(tp, &file);
		passed = poll_state_synchronize_rcu(tp->event->quiet);
	}
	KUNIT_EXPECT_EQ(test, 0, ret);
	KUNIT_EXPECT_FALSE(test, passed);
	KUNIT_EXPECT_EQ(test, 0, trace_probe_unregister_event_call(tp));
	/* With tiny RCU, a task that may sleep is a grace period, which nothing counts. */
	if (!IS_ENABLED(CONFIG_TINY_RCU))
		KUNIT_EXPECT_TRUE(test, poll_state_synchronize_rcu_full(&before));
}

/* Hits may be under way when an event is disabled, and not when it has gone. */
static void life_files_in_use(struct kunit *test)
{
	struct trace_probe *tp = make_probe(test, "used", 0, "");
	int ret;

	KUNIT_EXPECT_EQ(test, get_completed_synchronize_rcu(), tp->event->quiet);
	mutex_lock(&event_mutex);
	ret = trace_probe_register_event_call(tp);
	KUNIT_EXPECT_EQ(test, 0, ret);
	if (!ret)
		file_in_use(test, tp);
	mutex_unlock(&event_mutex);
	trace_probe_cleanup(tp);
}

/**
 * struct compare_case - two lists of arguments
 * @nr_a: how many the first one has
 * @a: the first one
 * @nr_b: how many the second one has
 * @b: the second one
 * @differs: number of the first argument that differs, or 0
 */
struct compare_case {
	unsigned int nr_a;
	const char *a;
	unsigned int nr_b;
	const char *b;
	int differs;
};

static const struct compare_case comparisons[] = {
	{ 0, "", 0, "", 0 },
	{ 2, "a b:u8", 2, "a b:u8", 0 },
	{ 2, "a b", 2, "a c", 2 },
	{ 2, "a b", 2, "b a", 1 },
	{ 1, "a:u8", 1, "a:s8", 1 },
	{ 1, "a:u8[2]", 1, "a:u8[3]", 1 },
	{ 1, "a:u8[1]", 1, "a:u8", 1 },
	{ 0, "", 1, "a", 1 },
	{ 2, "a b", 1, "a", 2 },
};

static void life_comparisons(struct kunit *test)
{
	const struct compare_case *c;

	for (c = comparisons; c < comparisons + ARRAY_SIZE(comparisons); c++) {
		struct trace_probe *a = make_probe(test, "a", c->nr_a, c->a);
		struct trace_probe *b = make_probe(test, "b", c->nr_b, c->b);

		KUNIT_EXPECT_EQ_MSG(test, c->differs, trace_probe_compare_arg_type(a, b),
				    "%s / %s", c->a, c->b);
		KUNIT_EXPECT_EQ(test, c->differs, trace_probe_compare_arg_type(b, a));
		trace_probe_cleanup(a);
		trace_probe_cleanup(b);
	}
}

static bool matches(struct trace_probe *tp, const char *words)
{
	const char *argv[4];
	char copy[32], *rest = copy, *word;
	int argc = 0;

	strscpy(copy, words);
	while ((word = strsep(&rest, " ")) && *word && argc < ARRAY_SIZE(argv))
		argv[argc++] = word;
	return trace_probe_match_command_args(tp, argc, argv);
}

static void life_matches(struct kunit *test)
{
	struct trace_probe *tp = make_probe(test, "matches", 2, "a ab");

	KUNIT_EXPECT_TRUE(test, matches(tp, ""));
	KUNIT_EXPECT_TRUE(test, matches(tp, "a=\\1"));
	KUNIT_EXPECT_TRUE(test, matches(tp, "a=\\1 ab=\\1"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "a=\\1 ab=\\1 c=\\1"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "ab=\\1 a=\\1"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "a"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "a="));
	KUNIT_EXPECT_FALSE(test, matches(tp, "a=\\2"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "a=\\12"));
	KUNIT_EXPECT_FALSE(test, matches(tp, "ab=\\1"));
	trace_probe_cleanup(tp);
}

static int nr_words;

static int count_words(int argc, const char **argv)
{
	nr_words = argc;
	return -ECANCELED;
}

static void life_commands(struct kunit *test)
{
	nr_words = 0;
	KUNIT_EXPECT_EQ(test, 0, trace_probe_create("", count_words));
	KUNIT_EXPECT_EQ(test, 0, trace_probe_create("  \t ", count_words));
	KUNIT_EXPECT_EQ(test, 0, nr_words);
	KUNIT_EXPECT_EQ(test, -ECANCELED, trace_probe_create(" p  a\tb ", count_words));
	KUNIT_EXPECT_EQ(test, 3, nr_words);
}

static struct kunit_case life_cases[] = {
	KUNIT_CASE(life_alone),
	KUNIT_CASE(life_of_two),
	KUNIT_CASE(life_files),
	KUNIT_CASE(life_files_in_use),
	KUNIT_CASE(life_comparisons),
	KUNIT_CASE(life_matches),
	KUNIT_CASE(life_commands),
	{ }
};

static struct kunit_suite life_suite = {
	.name = "probe_events_life",
	.test_cases = life_cases,
};

kunit_test_suite(life_suite);
