// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the texts of arguments: the trees that come out, the error of each
 * that is refused, and its column.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/string.h>

#include <kunit/test.h>

#include "../tree.h"

/**
 * struct tree_case - a text that is accepted
 * @text: the argument
 * @tree: its tree, as draw() says it
 */
struct tree_case {
	const char *text;
	const char *tree;
};

static const char * const kinds[] = {
	[FETCH_VARIABLE] = "var",
	[FETCH_REGISTER] = "reg",
	[FETCH_PARAMETER] = "par",
	[FETCH_ADDRESS] = "addr",
	[FETCH_SYMBOL] = "sym",
	[FETCH_FILE] = "file",
	[FETCH_NUMBER] = "num",
	[FETCH_STRING] = "str",
	[FETCH_DEREF] = "mem",
	[FETCH_UDEREF] = "umem",
	[FETCH_ARROW] = "arrow",
	[FETCH_DOT] = "dot",
	[FETCH_INDEX] = "index",
	[FETCH_ENTRY] = "entry",
	[FETCH_CAST] = "cast",
	[FETCH_CONTAINER] = "container",
	[FETCH_CPU_POINTER] = "cpu",
	[FETCH_CPU_READ] = "cpuread",
};

static void draw_text(struct seq_buf *out, const char *before, const struct fetch_text *t)
{
	if (t->len)
		seq_buf_printf(out, "%s%.*s", before, t->len, t->s);
}

/* From the top down: KIND@COLUMN NAME NUMBER, then what it is of. */
static void draw(struct seq_buf *out, const struct fetch_tree *tree)
{
	const struct fetch_node *node;

	draw_text(out, "", &tree->label);
	seq_buf_puts(out, tree->label.len ? "=" : "");
	for (node = tree->top; node; node = node->of) {
		seq_buf_printf(out, "%s%s@%u", node == tree->top ? "" : " ",
			       kinds[node->kind], node->at);
		draw_text(out, ":", &node->name);
		if (node->number)
			seq_buf_printf(out, "(%lld)", (long long)node->number);
	}
	draw_text(out, " as ", &tree->cast.name);
	if (tree->cast.count)
		seq_buf_printf(out, "[%u]", tree->cast.count);
	if (tree->cast.bits)
		seq_buf_printf(out, " bits %u@%u/%u", tree->cast.bits, tree->cast.bit,
			       tree->cast.type->size * 8);
	draw_text(out, " ignored ", &tree->ignored);
}

static void tree_is(struct kunit *test, const struct tree_case *c, enum fetch_where where)
{
	struct fetch_failure failure = { };
	struct fetch_tree *tree = fetch_parse(c->text, where, &failure);
	char text[256];
	struct seq_buf out;

	KUNIT_ASSERT_FALSE_MSG(test, IS_ERR(tree), "%s: %s at %u", c->text,
			       fetch_error_text(failure.error), failure.at);
	seq_buf_init(&out, text, sizeof(text));
	draw(&out, tree);
	KUNIT_EXPECT_STREQ_MSG(test, c->tree, seq_buf_str(&out), "%s", c->text);
	fetch_free(tree);
}

static const struct tree_case operands[] = {
	{ "$arg1", "var@0:arg1" },
	{ "$retval", "var@0:retval" },
	{ "$stack0", "var@0:stack0" },
	{ "$arg*", "var@0:arg*" },
	{ "$stack-1", "var@0:stack-1" },
	{ "$comm:string", "var@0:comm as string" },
	{ "%ax", "reg@0:ax" },
	{ "count", "par@0:count" },
	{ "_1", "par@0:_1" },
	{ "@0x10", "addr@0(16)" },
	{ "@010", "addr@0(8)" },
	{ "@jiffies", "sym@0:jiffies" },
	{ "@jiffies+8", "sym@0:jiffies(8)" },
	{ "@jiffies-0x8", "sym@0:jiffies(-8)" },
	{ "@jiffies+a", "sym@0:jiffies+a" },
	{ "@", "sym@0" },
	{ "\\1", "num@0(1)" },
	{ "\\-1", "num@0(-1)" },
#ifdef CONFIG_64BIT
	{ "\\0xffffffffffffffff", "num@0(-1)" },
#endif
	{ "\\\"abc\"", "str@0:abc" },
	{ "\\\"\"", "str@0" },
	{ "\\\"a\"b\"", "str@0:a\"b" },
};

static const struct tree_case derefs[] = {
	{ "+0($arg1)", "mem@0 var@3:arg1" },
	{ "-8(%di)", "mem@0(-8) reg@3:di" },
	{ "+u0x10(%si)", "umem@0(16) reg@7:si" },
	{ "-u8($stack)", "umem@0(-8) var@4:stack" },
	{ "+1(+u2(-3(@4)))", "mem@0(1) umem@3(2) mem@7(-3) addr@10(4)" },
	{ "+8(file->f_inode)", "mem@0(8) arrow@9:f_inode par@3:file" },
	{ "++8($arg1)", "mem@0(8) var@4:arg1" },
	{ "+-8($arg1)", "mem@0(-8) var@4:arg1" },
	{ "+0(file)->f_mode", "mem@0 par@3:file ignored ->f_mode" },
};

static const struct tree_case fields[] = {
	{ "file->f_inode", "arrow@6:f_inode par@0:file" },
	{ "a->b.c->d", "arrow@8:d dot@5:c arrow@3:b par@0:a" },
	{ "$retval->name", "arrow@9:name var@0:retval" },
	{ "$arg1.x", "dot@6:x var@0:arg1" },
	{ "$arg-1->a", "arrow@8:a var@0:arg-1" },
	{ "uattr.kernel", "dot@6:kernel par@0:uattr" },
	{ "file->", "arrow@6 par@0:file" },
	{ "file->f_path..dentry", "dot@14:dentry dot@13 arrow@6:f_path par@0:file" },
	{ "file,count", "par@0:file,count" },
};

static const struct tree_case labels_and_types[] = {
	{ "a=@11", "a=addr@2(11)" },
	{ "arg12345678901234567890123456789=@11",
	  "arg12345678901234567890123456789=addr@33(11)" },
	{ "a=b=@11", "a=par@2:b=@11" },
	{ "+0(@11):b4@4/8[2]", "mem@0 addr@3(11) as b4@4/8[2] bits 4@4/8" },
	{ "@11:u8", "addr@0(11) as u8" },
	{ "x=+0(@11):string", "x=mem@2 addr@5(11) as string" },
	{ "+0(@11):u8[4]", "mem@0 addr@3(11) as u8[4]" },
	{ "+0(@11):x64[0x40]", "mem@0 addr@3(11) as x64[64]" },
	{ "@11:b4@5/16", "addr@0(11) as b4@5/16 bits 4@5/16" },
	{ "@11:b64@0/64", "addr@0(11) as b64@0/64 bits 64@0/64" },
	{ "file->f_mode:x32", "arrow@6:f_mode par@0:file as x32" },
};

static const struct tree_case in_processes[] = {
	{ "@+0x10", "file@0(16)" },
	{ "@+8", "file@0(8)" },
	{ "+0(@+8):u16", "mem@0 file@3(8) as u16" },
	{ "@0x1000", "addr@0(4096)" },
};

static const struct tree_case in_events[] = {
	{ "$comm:u8", "var@0:comm as u8" },
	{ "n=$next_comm:ustring", "n=var@2:next_comm as ustring" },
	{ "s=$prev_state:symstr", "s=var@2:prev_state as symstr" },
};

static void trees_are(struct kunit *test, const struct tree_case *cases, unsigned int nr,
		      enum fetch_where where)
{
	unsigned int n;

	for (n = 0; n < nr; n++)
		tree_is(test, &cases[n], where);
}

static void parse_operands(struct kunit *test)
{
	trees_are(test, operands, ARRAY_SIZE(operands), FETCH_IN_KERNEL);
}

static void parse_derefs(struct kunit *test)
{
	trees_are(test, derefs, ARRAY_SIZE(derefs), FETCH_IN_KERNEL);
}

static void parse_fields(struct kunit *test)
{
	trees_are(test, fields, ARRAY_SIZE(fields), FETCH_IN_KERNEL);
}

static void parse_labels_and_types(struct kunit *test)
{
	trees_are(test, labels_and_types, ARRAY_SIZE(labels_and_types), FETCH_IN_KERNEL);
}

static void parse_in_processes(struct kunit *test)
{
	trees_are(test, in_processes, ARRAY_SIZE(in_processes), FETCH_IN_PROCESS);
}

/**
 * struct refusal_case - a text that is refused
 * @text: the argument
 * @error: what is said
 * @at: the column
 * @ret: the error number, if not %-EINVAL
 */
struct refusal_case {
	const char *text;
	enum fetch_error error;
	unsigned int at;
	int ret;
};

static const struct tree_case casts[] = {
	{ "a[3]", "index@1(3) par@0:a" },
	{ "a->b[0x10].c", "dot@11:c index@4(16) arrow@3:b par@0:a" },
	{ "a[1][2]", "index@4(2) index@1(1) par@0:a" },
	{ "$retval[1]", "index@7(1) var@0:retval" },
	{ "(file)$current[1].m", "dot@18:m index@14(1) cast@1:file var@6:current" },
	{ "(file)f->m", "arrow@9:m cast@1:file par@6:f" },
	{ "(file)$arg1", "cast@1:file var@6:arg1" },
	{ "(file)%di->m", "arrow@11:m cast@1:file reg@6:di" },
	{ "(file)(f)->m", "arrow@11:m cast@1:file par@7:f" },
	{ "(a)((b)c)", "cast@1:a cast@5:b par@7:c" },
	{ "(a)((b)c->d)->e", "arrow@14:e cast@1:a arrow@10:d cast@5:b par@7:c" },
	{ "(a)(+8(b))->c", "arrow@12:c cast@1:a mem@4(8) par@7:b" },
	{ "(a,b.c)$current->d", "arrow@17:d container@1:a var@7:current" },
	{ "$entry(a->b)", "entry@0 arrow@10:b par@7:a" },
	{ "$entry(+8($arg1))->c", "arrow@19:c entry@0 mem@7(8) var@10:arg1" },
	{ "this_cpu_ptr(@x)", "cpu@0 sym@13:x" },
	{ "this_cpu_read(a)", "cpuread@0 par@14:a" },
	{ "(a)this_cpu_ptr(@x)->b", "arrow@21:b cast@1:a cpu@3 sym@16:x" },
	{ "this_cpu", "par@0:this_cpu" },
	{ "$entryx", "var@0:entryx" },
};

static const struct refusal_case refusals[] = {
	{ "a[", FETCH_E_ARRAY_NO_CLOSE, 2 },
	{ "a[x]", FETCH_E_BAD_ARRAY_NUM, 2 },
	{ "$retval[x]", FETCH_E_BAD_ARRAY_NUM, 8 },
	{ "a[]", FETCH_E_BAD_ARRAY_NUM, 2 },
	{ "a[-1]", FETCH_E_BAD_ARRAY_NUM, 2 },
	{ "a[0]b", FETCH_E_BAD_FETCH_ARG, 4 },
	{ "(a", FETCH_E_DEREF_OPEN_BRACE, 2 },
	{ "(a)", FETCH_E_BAD_FETCH_ARG, 3 },
	{ "(a)@1", FETCH_E_BAD_FETCH_ARG, 3 },
	{ "(a)(b)c", FETCH_E_BAD_FETCH_ARG, 6 },
	{ "(1)a", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "(a,)b", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "()", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "(@11)", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "(a)(b", FETCH_E_DEREF_OPEN_BRACE, 5 },
	{ "(a)((a)((a)((a)((a)(b)))))", FETCH_E_TOO_MANY_OPS, 19 },
	{ "$entry(", FETCH_E_DEREF_OPEN_BRACE, 7 },
	{ "$entry()", FETCH_E_BAD_FETCH_ARG, 7 },
	{ "$entry(a)b", FETCH_E_BAD_FETCH_ARG, 9 },
	{ "this_cpu_read(&)", FETCH_E_BAD_FETCH_ARG, 14 },
	{ "=@11", FETCH_E_NO_ARG_NAME, 0 },
	{ "arg123456789012345678901234567890=@11", FETCH_E_ARG_NAME_TOO_LONG, 0 },
	{ "var.1=@11", FETCH_E_BAD_ARG_NAME, 0 },
	{ "1a=@11", FETCH_E_BAD_ARG_NAME, 0 },
	{ "1a=", FETCH_E_BAD_ARG_NAME, 0 },
	{ "arg1=", FETCH_E_NO_ARG_BODY, 5 },
	{ "+1234567(+1234567(+1234567(+1234567(+1234567(+1234567(@1234))))))",
	  FETCH_E_ARG_TOO_LONG, 0, -E2BIG },
	{ "\\\"1234567890123456789012345678901234567890123456789012345678901\"",
	  FETCH_E_ARG_TOO_LONG, 0, -E2BIG },
	{ "&1", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "a=&1", FETCH_E_BAD_FETCH_ARG, 2 },
	{ "(@11)", FETCH_E_BAD_FETCH_ARG, 0 },
	{ "+0()", FETCH_E_BAD_FETCH_ARG, 3 },
	{ "+0(&1)", FETCH_E_BAD_FETCH_ARG, 3 },
	{ "@12345678abcde", FETCH_E_BAD_MEM_ADDR, 0 },
	{ "@0x", FETCH_E_BAD_MEM_ADDR, 0 },
	{ "@0xfffffffffffffffff", FETCH_E_BAD_MEM_ADDR, 0, -ERANGE },
	{ "@11->foo", FETCH_E_BAD_MEM_ADDR, 0 },
	{ "+0(@0))", FETCH_E_BAD_MEM_ADDR, 3 },
	{ "@+10", FETCH_E_FILE_ON_KPROBE, 0 },
	{ "arg1=\\x", FETCH_E_BAD_IMM, 6 },
	{ "\\", FETCH_E_BAD_IMM, 1 },
	{ "\\1->foo", FETCH_E_BAD_IMM, 1 },
	{ "\\99999999999999999999", FETCH_E_BAD_IMM, 1, -ERANGE },
	{ "\\\"", FETCH_E_IMMSTR_NO_CLOSE, 2 },
	{ "arg1=\\\"abcd", FETCH_E_IMMSTR_NO_CLOSE, 11 },
	{ "+0@0)", FETCH_E_DEREF_NEED_BRACE, 0 },
	{ "+", FETCH_E_DEREF_NEED_BRACE, 0 },
	{ "+(", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "+($arg1)", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "+u($arg1)", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "--8($arg1)", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "+99999999999999999999($arg1)", FETCH_E_BAD_DEREF_OFFS, 0, -ERANGE },
	{ "+0ab1(@0)", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "+0(+0ab(@0))", FETCH_E_BAD_DEREF_OFFS, 3 },
	{ "+0(+0(@0)", FETCH_E_DEREF_OPEN_BRACE, 8 },
	{ "+0(@0", FETCH_E_DEREF_OPEN_BRACE, 5 },
	{ "+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))))",
	  FETCH_E_TOO_MANY_OPS, 3 },
	{ "file-.foo", FETCH_E_BAD_HYPHEN, 4 },
	{ "file->a-b", FETCH_E_BAD_HYPHEN, 7 },
	{ "+0(@11):u8[10", FETCH_E_ARRAY_NO_CLOSE, 13 },
	{ "+0(@11):u8[10]a", FETCH_E_BAD_ARRAY_SUFFIX, 14 },
	{ "+0(@11):u8[10a]", FETCH_E_BAD_ARRAY_NUM, 11 },
	{ "+0(@11):u8[]", FETCH_E_BAD_ARRAY_NUM, 11 },
	{ "+0(@11):u8[0]", FETCH_E_BAD_ARRAY_NUM, 11 },
	{ "+0(@11):u8[4][4]", FETCH_E_BAD_ARRAY_SUFFIX, 13 },
	{ "+0(@11):u8[65]", FETCH_E_ARRAY_TOO_BIG, 11 },
	{ "+0(@11):u8[256]", FETCH_E_ARRAY_TOO_BIG, 11 },
	{ "+0(@11):[4]", FETCH_E_BAD_TYPE, 8 },
	{ "+0(@11):u8]", FETCH_E_BAD_TYPE, 8 },
	{ "@11:unknown_type", FETCH_E_BAD_TYPE, 4 },
	{ "@11:", FETCH_E_BAD_TYPE, 4 },
	{ "@11::u8", FETCH_E_BAD_TYPE, 4 },
	{ "u8:@11", FETCH_E_BAD_TYPE, 3 },
	{ "+0(@11:u8)", FETCH_E_BAD_TYPE, 7 },
	{ "$arg1:%pX", FETCH_E_BAD_TYPE, 6 },
	{ "$comm:x64", FETCH_E_NEED_STRING_TYPE, 6 },
	{ "$COMM:u8[4]", FETCH_E_NEED_STRING_TYPE, 6 },
	{ "\\\"abc\":string[2]", FETCH_E_NEED_STRING_TYPE, 7 },
	{ "x=\\\"a:b\"", FETCH_E_NEED_STRING_TYPE, 6 },
	{ "+0($comm):unknown", FETCH_E_BAD_TYPE, 10 },
	{ "@11:b10@0/12", FETCH_E_BAD_TYPE, 4 },
	{ "@11:b10@0", FETCH_E_BAD_TYPE, 4 },
	{ "@11:b", FETCH_E_BAD_TYPE, 4 },
	{ "@11:b10@a/16", FETCH_E_BAD_BITFIELD, 4 },
	{ "@11:b2@7/8", FETCH_E_BAD_BITFIELD, 4 },
	{ "@11:b0@0/8", FETCH_E_BAD_BITFIELD, 4 },
	{ "@11:b1@8/8", FETCH_E_BAD_BITFIELD, 4 },
	{ "@11:b-1@0/8", FETCH_E_BAD_BITFIELD, 4 },
	/* Of two mistakes the type's is told first, but for what a bit field is. */
	{ "&1:unknown", FETCH_E_BAD_TYPE, 3 },
	{ "+0ab(@0):u8[10", FETCH_E_ARRAY_NO_CLOSE, 14 },
	{ "+0ab(@0):b10@a/16", FETCH_E_BAD_DEREF_OFFS, 0 },
	{ "1a=&1:unknown", FETCH_E_BAD_ARG_NAME, 0 },
};

static const struct refusal_case refusals_in_processes[] = {
	{ "@+ab", FETCH_E_BAD_FILE_OFFS, 0 },
	{ "@+", FETCH_E_BAD_FILE_OFFS, 0 },
	{ "@symbol", FETCH_E_SYM_ON_UPROBE, 0 },
	{ "%ax:%pd", FETCH_E_BAD_TYPE, 4 },
	{ "$stack0:symstr", FETCH_E_BAD_TYPE, 8 },
	{ "$stack0:symbol", FETCH_E_BAD_TYPE, 8 },
};

static void is_refused(struct kunit *test, const struct refusal_case *c, enum fetch_where where)
{
	struct fetch_failure failure = { };
	struct fetch_tree *tree = fetch_parse(c->text, where, &failure);

	KUNIT_EXPECT_TRUE_MSG(test, IS_ERR(tree), "%s", c->text);
	if (!IS_ERR(tree)) {
		fetch_free(tree);
		return;
	}
	KUNIT_EXPECT_EQ_MSG(test, c->ret ?: -EINVAL, PTR_ERR(tree), "%s", c->text);
	KUNIT_EXPECT_STREQ_MSG(test, fetch_error_text(c->error) ?: "",
			       fetch_error_text(failure.error) ?: "", "%s", c->text);
	KUNIT_EXPECT_EQ_MSG(test, c->at, failure.at, "%s", c->text);
}

static void parse_casts(struct kunit *test)
{
	trees_are(test, casts, ARRAY_SIZE(casts), FETCH_IN_KERNEL);
}

static void parse_refusals(struct kunit *test)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(refusals); n++)
		is_refused(test, &refusals[n], FETCH_IN_KERNEL);
	for (n = 0; n < ARRAY_SIZE(refusals_in_processes); n++)
		is_refused(test, &refusals_in_processes[n], FETCH_IN_PROCESS);
}

static void parse_in_events(struct kunit *test)
{
	trees_are(test, in_events, ARRAY_SIZE(in_events), FETCH_IN_EVENT);
}

/* As deep as it goes. */
static void parse_deepest(struct kunit *test)
{
	static const char text[] =
		"+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0)))))))))))))";
	struct fetch_failure failure = { };
	struct fetch_tree *tree;

	tree = fetch_parse(text, FETCH_IN_KERNEL, &failure);
	KUNIT_ASSERT_FALSE(test, IS_ERR(tree));
	KUNIT_EXPECT_EQ(test, FETCH_MAX_DEREF + 1, tree->nr_nodes);
	fetch_free(tree);
}

/* No error of the parser without a text that provokes it. */
static void parse_provoked(struct kunit *test)
{
	unsigned int n, error;
	bool provoked;

	for (error = FETCH_E_NONE + 1; error <= FETCH_E_BAD_BITFIELD; error++) {
		KUNIT_EXPECT_NOT_NULL_MSG(test, fetch_error_text(error), "%u", error);
		provoked = false;
		for (n = 0; n < ARRAY_SIZE(refusals); n++)
			provoked |= refusals[n].error == error;
		for (n = 0; n < ARRAY_SIZE(refusals_in_processes); n++)
			provoked |= refusals_in_processes[n].error == error;
		KUNIT_EXPECT_TRUE_MSG(test, provoked, "%u", error);
	}
}

/* Whatever is written: an error has a text and a column within, a tree ends. */
static void survives(struct kunit *test, const char *text)
{
	struct fetch_failure failure = { };
	struct fetch_tree *tree = fetch_parse(text, FETCH_IN_KERNEL, &failure);
	const struct fetch_node *node;
	unsigned int nodes = 0;

	if (IS_ERR(tree)) {
		KUNIT_EXPECT_NOT_NULL_MSG(test, fetch_error_text(failure.error), "%s", text);
		KUNIT_EXPECT_LE_MSG(test, failure.at, strlen(text), "%s", text);
		return;
	}
	for (node = tree->top; node; node = node->of)
		nodes++;
	KUNIT_EXPECT_EQ_MSG(test, tree->nr_nodes, nodes, "%s", text);
	KUNIT_EXPECT_LE_MSG(test, nodes, strlen(text), "%s", text);
	fetch_free(tree);
}

/* A text, each of its starts, and each with one other character in each place. */
static void survives_changes(struct kunit *test, const char *text)
{
	static const char others[] = "$%@\\\"+-.>()[]:=/*u0xb~ ";
	char changed[128];
	unsigned int n;
	const char *c;

	for (n = 0; n < strlen(text); n++) {
		strscpy(changed, text);
		for (c = others; *c; c++) {
			changed[n] = *c;
			survives(test, changed);
		}
		changed[n] = '\0';
		survives(test, changed);
	}
}

static void parse_anything(struct kunit *test)
{
	static const char * const texts[] = {
		"name=+8(-u0x10(+0(%di))):u8[4]",
		"a=$retval->b.c->d:string",
		"s=\\\"text\":string",
		"@symbol+0x10:b4@5/16",
		"\\-0x7fff:s16",
		"$stack12",
		"+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(+0(@0))))))))))))))",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(texts); n++)
		survives_changes(test, texts[n]);
}

static void parse_long(struct kunit *test)
{
	struct refusal_case c = { .error = FETCH_E_ARG_TOO_LONG, .ret = -E2BIG };
	char *text;

	text = kunit_kzalloc(test, U16_MAX + 2, GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, '.', U16_MAX + 1);
	c.text = text;
	is_refused(test, &c, FETCH_IN_KERNEL);
	/* The longest path there may be, of the shortest fields. */
	memset(text, 0, FETCH_MAX_PATH + 1);
	memset(text, 'a', FETCH_MAX_PATH);
	survives(test, text);
	text[FETCH_MAX_PATH] = 'a';
	text[FETCH_MAX_PATH + 1] = '\0';
	is_refused(test, &c, FETCH_IN_KERNEL);
}

/**
 * struct variable_case - the name of a variable
 * @name: without the dollar
 * @variable: which it is
 * @number: its number
 */
struct variable_case {
	const char *name;
	enum fetch_variable variable;
	unsigned long number;
};

static const struct variable_case variables[] = {
	{ "retval", FETCH_VAR_RETVAL },
	{ "comm", FETCH_VAR_COMM },
	{ "COMM", FETCH_VAR_COMM },
	{ "stack", FETCH_VAR_STACK },
	{ "stack0", FETCH_VAR_STACK_WORD, 0 },
	{ "stack12", FETCH_VAR_STACK_WORD, 12 },
	{ "arg1", FETCH_VAR_ARG, 1 },
	{ "arg128", FETCH_VAR_ARG, 128 },
	{ "arg*", FETCH_VAR_ARGS },
	{ "arg", FETCH_VAR_BAD_ARG },
	{ "argx", FETCH_VAR_BAD_ARG },
	{ "arg1x", FETCH_VAR_BAD_ARG },
	{ "stack00", FETCH_VAR_STACK_WORD, 0 },
	{ "stack0x1", FETCH_VAR_BAD_STACK },
	{ "stack99999999999999999999", FETCH_VAR_BAD_STACK },
	{ "stackp", FETCH_VAR_BAD_STACK },
	{ "stack0+10", FETCH_VAR_BAD_STACK },
	{ "retval1", FETCH_VAR_OTHER },
	{ "comm1", FETCH_VAR_OTHER },
	{ "", FETCH_VAR_OTHER },
	{ "none_var", FETCH_VAR_OTHER },
};

static void parse_variables(struct kunit *test)
{
	const struct variable_case *c;
	unsigned long number;

	for (c = variables; c < variables + ARRAY_SIZE(variables); c++) {
		struct fetch_text name = { .s = c->name, .len = strlen(c->name) };

		number = 0;
		KUNIT_EXPECT_EQ_MSG(test, c->variable, fetch_find_variable(&name, &number),
				    "%s", c->name);
		if (c->number)
			KUNIT_EXPECT_EQ_MSG(test, c->number, number, "%s", c->name);
	}
}

static struct kunit_case parse_cases[] = {
	KUNIT_CASE(parse_operands),
	KUNIT_CASE(parse_derefs),
	KUNIT_CASE(parse_fields),
	KUNIT_CASE(parse_casts),
	KUNIT_CASE(parse_labels_and_types),
	KUNIT_CASE(parse_in_processes),
	KUNIT_CASE(parse_in_events),
	KUNIT_CASE(parse_deepest),
	KUNIT_CASE(parse_refusals),
	KUNIT_CASE(parse_provoked),
	KUNIT_CASE(parse_anything),
	KUNIT_CASE(parse_long),
	KUNIT_CASE(parse_variables),
	{ }
};

static struct kunit_suite parse_suite = {
	.name = "probe_events_parse",
	.test_cases = parse_cases,
};

kunit_test_suite(parse_suite);
