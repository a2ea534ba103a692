// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of an argument to its tree:
 *
 *	[NAME=]VALUE[:TYPE]
 *
 * What a name means, and whether the event can have it, is not looked at here.
 * Everything works on parts of the one text, which is never written to; each part
 * knows its column, so each error has one. Parentheses are matched from the end
 * of the text, as users have always been told where one is missing.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "text.h"
#include "tree.h"

struct parser {
	struct fetch_tree *tree;
	struct fetch_failure *failure;
	enum fetch_where where;
};

static int refuse_with(struct parser *p, int ret, enum fetch_error error, unsigned int at)
{
	p->failure->error = error;
	p->failure->at = at;
	return ret;
}

static int refuse(struct parser *p, enum fetch_error error, unsigned int at)
{
	return refuse_with(p, -EINVAL, error, at);
}

static struct fetch_node *add_node(struct parser *p, enum fetch_kind kind, unsigned int at)
{
	struct fetch_node *node = &p->tree->nodes[p->tree->nr_nodes++];

	node->kind = kind;
	node->at = at;
	return node;
}

/* The text up to the next field of a structure; "a-b" ends there, too. */
static unsigned int name_length(const struct fetch_text *t)
{
	unsigned int n;

	for (n = 0; n < t->len; n++) {
		if (t->s[n] == '-' || t->s[n] == '.')
			break;
	}
	return n;
}

/* As that, but of a variable "a-b" is all. */
static unsigned int variable_length(const struct fetch_text *t)
{
	unsigned int n;

	for (n = 0; n < t->len; n++) {
		if (t->s[n] == '.' || (t->s[n] == '-' && text_char(t, n + 1) == '>'))
			break;
	}
	return n;
}

/* "->NAME" and ".NAME", any number of them, behind what @of is. */
static int parse_fields(struct parser *p, struct fetch_text t, struct fetch_node **of)
{
	while (t.len) {
		bool arrow = t.s[0] == '-';
		struct fetch_node *node;

		if (arrow && text_char(&t, 1) != '>')
			return refuse(p, FETCH_E_BAD_HYPHEN, t.at);
		t = text_rest(&t, arrow ? 2 : 1);
		node = add_node(p, arrow ? FETCH_ARROW : FETCH_DOT, t.at);
		node->name = text_part(&t, 0, name_length(&t));
		node->of = *of;
		*of = node;
		t = text_rest(&t, node->name.len);
	}
	return 0;
}

/* NAME, $NAME, with fields behind it. */
static int parse_path(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	bool variable = t->s[0] == '$';
	struct fetch_text name = text_rest(t, variable);
	struct fetch_node *node;

	node = add_node(p, variable ? FETCH_VARIABLE : FETCH_PARAMETER, t->at);
	node->name = text_part(&name, 0, variable ? variable_length(&name) : name_length(&name));
	*out = node;
	return parse_fields(p, text_rest(&name, node->name.len), out);
}

static int parse_register(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	*out = add_node(p, FETCH_REGISTER, t->at);
	(*out)->name = text_rest(t, 1);
	return 0;
}

/* @+NUMBER: in the file that a uprobe is in. */
static int parse_file(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text offset = text_rest(t, 2);
	long number;
	int ret;

	if (p->where != FETCH_IN_PROCESS)
		return refuse(p, FETCH_E_FILE_ON_KPROBE, t->at);
	ret = text_long(&offset, &number);
	if (ret)
		return refuse_with(p, ret, FETCH_E_BAD_FILE_OFFS, t->at);
	*out = add_node(p, FETCH_FILE, t->at);
	(*out)->number = number;
	return 0;
}

static int parse_address(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text address = text_rest(t, 1);
	unsigned long number;
	int ret;

	ret = text_ulong(&address, 0, &number);
	if (ret)
		return refuse_with(p, ret, FETCH_E_BAD_MEM_ADDR, t->at);
	*out = add_node(p, FETCH_ADDRESS, t->at);
	(*out)->number = number;
	return 0;
}

/*
 * @NAME, @NAME+NUMBER, @NAME-NUMBER. Whether there is such a symbol is found out
 * later, so what is no number is part of a name that is not there.
 */
static int parse_symbol(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text name = text_rest(t, 1), offset;
	unsigned int n = 0;
	long number = 0;

	if (p->where == FETCH_IN_PROCESS)
		return refuse(p, FETCH_E_SYM_ON_UPROBE, t->at);
	while (n < name.len && name.s[n] != '+' && name.s[n] != '-')
		n++;
	offset = text_rest(&name, n);
	if (!text_long(&offset, &number))
		name.len = n;
	*out = add_node(p, FETCH_SYMBOL, t->at);
	(*out)->name = name;
	(*out)->number = number;
	return 0;
}

static int parse_memory(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	if (isdigit(text_char(t, 1)))
		return parse_address(p, t, out);
	if (text_char(t, 1) == '+')
		return parse_file(p, t, out);
	return parse_symbol(p, t, out);
}

static int parse_string(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	if (t->len < 3 || t->s[t->len - 1] != '"')
		return refuse(p, FETCH_E_IMMSTR_NO_CLOSE, text_end(t));
	*out = add_node(p, FETCH_STRING, t->at);
	(*out)->name = text_part(t, 2, t->len - 3);
	return 0;
}

/* All bits may be given, or a sign. */
static int read_word(const struct fetch_text *t, unsigned long *number)
{
	return text_char(t, 0) == '-' ? text_long(t, (long *)number) : text_ulong(t, 0, number);
}

static int parse_number(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text digits = text_rest(t, 1);
	unsigned long number;
	int ret;

	ret = read_word(&digits, &number);
	if (ret)
		return refuse_with(p, ret, FETCH_E_BAD_IMM, digits.at);
	*out = add_node(p, FETCH_NUMBER, t->at);
	(*out)->number = (long)number;
	return 0;
}

static int parse_constant(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	return text_char(t, 1) == '"' ? parse_string(p, t, out) : parse_number(p, t, out);
}

static int parse_operand(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	char c = text_char(t, 0);

	switch (c) {
	case '$':
		return parse_path(p, t, out);
	case '%':
		return parse_register(p, t, out);
	case '@':
		return parse_memory(p, t, out);
	case '\\':
		return parse_constant(p, t, out);
	default:
		if (isalpha(c) || c == '_')
			return parse_path(p, t, out);
		return refuse(p, FETCH_E_BAD_FETCH_ARG, t->at);
	}
}

static bool is_deref(const struct fetch_text *t)
{
	return text_char(t, 0) == '+' || text_char(t, 0) == '-';
}

/* The number between the first sign, with an "u" or not, and the parenthesis. */
static int read_offset(const struct fetch_text *t, bool user, long *number)
{
	struct fetch_text digits = text_rest(t, user ? 2 : 1);
	int ret;

	/* A plus may have another sign behind it. */
	if (t->s[0] == '-' && !isdigit(text_char(&digits, 0)))
		return -EINVAL;
	ret = text_long(&digits, number);
	if (!ret && t->s[0] == '-')
		*number = -*number;
	return ret;
}

/* What is between the parentheses. What is behind the last one is not looked at. */
static int enclosed(struct parser *p, struct fetch_text *t, unsigned int open)
{
	int close;

	*t = text_rest(t, open + 1);
	close = text_find_last(t, ')');
	if (close < 0)
		return refuse(p, FETCH_E_DEREF_OPEN_BRACE, text_end(t));
	if (!p->tree->ignored.len)
		p->tree->ignored = text_rest(t, close + 1);
	*t = text_part(t, 0, close);
	return 0;
}

/* +NUMBER(VALUE): the node, and @t shrinks to the value. */
static int parse_deref(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	bool user = text_char(t, 1) == 'u';
	int open = text_find(t, '('), ret;
	struct fetch_text head;
	long number;

	if (open < 0)
		return refuse(p, FETCH_E_DEREF_NEED_BRACE, t->at);
	head = text_part(t, 0, open);
	ret = read_offset(&head, user, &number);
	if (ret)
		return refuse_with(p, ret, FETCH_E_BAD_DEREF_OFFS, t->at);
	*out = add_node(p, user ? FETCH_UDEREF : FETCH_DEREF, t->at);
	(*out)->number = number;
	return enclosed(p, t, open);
}

/* Told last, since what is wrong inside of them matters more. */
static int check_depth(struct parser *p, unsigned int derefs, const struct fetch_node *outer)
{
	if (derefs <= FETCH_MAX_DEREF)
		return 0;
	return refuse(p, FETCH_E_TOO_MANY_OPS, outer->of->at);
}

static int parse_value(struct parser *p, struct fetch_text t)
{
	struct fetch_node **link = &p->tree->top;
	unsigned int derefs = 0;
	int ret;

	for (; is_deref(&t); derefs++) {
		ret = parse_deref(p, &t, link);
		if (ret)
			return ret;
		link = &(*link)->of;
	}
	ret = parse_operand(p, &t, link);
	return ret ?: check_depth(p, derefs, p->tree->top);
}

/* [N] behind the name of a type. */
static int parse_array(struct parser *p, const struct fetch_text *t, unsigned int open)
{
	struct fetch_text digits = text_rest(t, open + 1);
	int close = text_find(&digits, ']');
	unsigned long count;

	if (close < 0)
		return refuse(p, FETCH_E_ARRAY_NO_CLOSE, text_end(t));
	if (close + 1 != digits.len)
		return refuse(p, FETCH_E_BAD_ARRAY_SUFFIX, digits.at + close + 1);
	digits.len = close;
	if (text_ulong(&digits, 0, &count) || !count)
		return refuse(p, FETCH_E_BAD_ARRAY_NUM, digits.at);
	if (count > FETCH_MAX_ARRAY)
		return refuse(p, FETCH_E_ARRAY_TOO_BIG, digits.at);
	p->tree->cast.count = count;
	return 0;
}

/* These have only one type, which may be said. Of an event, $comm is a field. */
static bool is_text(const struct parser *p, const struct fetch_text *value)
{
	if (text_starts_with(value, "\\\""))
		return true;
	if (p->where == FETCH_IN_EVENT)
		return false;
	return text_equals(value, "$comm") || text_equals(value, "$COMM");
}

static int parse_type(struct parser *p, const struct fetch_text *t, const struct fetch_text *value)
{
	struct fetch_cast *cast = &p->tree->cast;
	int open = text_find(t, '['), ret = 0;

	if (is_text(p, value) && !text_equals(t, "string"))
		return refuse(p, FETCH_E_NEED_STRING_TYPE, t->at);
	cast->name = *t;
	if (open >= 0) {
		cast->name.len = open;
		ret = parse_array(p, t, open);
	}
	if (ret)
		return ret;
	cast->type = fetch_find_type(&cast->name, p->where);
	return cast->type ? 0 : refuse(p, FETCH_E_BAD_TYPE, t->at);
}

/* bWIDTH@FIRST/CONTAINER; the container has given the type. */
static int read_bits(const struct fetch_text *t, unsigned long *width, unsigned long *first)
{
	int at = text_find(t, '@'), slash = text_find_last(t, '/');
	struct fetch_text part;

	if (at < 0 || slash < at)
		return -EINVAL;
	part = text_part(t, 1, at - 1);
	if (text_ulong(&part, 0, width))
		return -EINVAL;
	part = text_part(t, at + 1, slash - at - 1);
	return text_ulong(&part, 0, first);
}

static int parse_bits(struct parser *p)
{
	struct fetch_cast *cast = &p->tree->cast;
	unsigned long width, first, all;

	if (text_char(&cast->name, 0) != 'b')
		return 0;
	all = cast->type->size * 8;
	if (read_bits(&cast->name, &width, &first) || !width || width > all || first > all - width)
		return refuse(p, FETCH_E_BAD_BITFIELD, cast->name.at);
	cast->bits = width;
	cast->bit = first;
	return 0;
}

/* Fields of structures have long names; what is added to an address does not. */
static unsigned int text_limit(const struct fetch_text *t)
{
	char c = text_char(t, 0);

	return isalpha(c) || c == '_' || c == '$' ? FETCH_MAX_PATH : FETCH_MAX_TEXT;
}

static int parse_label(struct parser *p, const struct fetch_text *t)
{
	if (!t->len)
		return refuse(p, FETCH_E_NO_ARG_NAME, t->at);
	if (t->len > FETCH_MAX_NAME)
		return refuse(p, FETCH_E_ARG_NAME_TOO_LONG, t->at);
	if (!text_is_name(t))
		return refuse(p, FETCH_E_BAD_ARG_NAME, t->at);
	p->tree->label = *t;
	return 0;
}

static int parse_body(struct parser *p, struct fetch_text t)
{
	int colon, ret;

	if (t.len > text_limit(&t))
		return refuse_with(p, -E2BIG, FETCH_E_ARG_TOO_LONG, t.at);
	colon = text_find(&t, ':');
	if (colon >= 0) {
		struct fetch_text type = text_rest(&t, colon + 1);

		t.len = colon;
		ret = parse_type(p, &type, &t);
		if (ret)
			return ret;
	}
	p->tree->body = t;
	return parse_value(p, t) ?: parse_bits(p);
}

static int parse_argument(struct parser *p, struct fetch_text t)
{
	int equal = text_find(&t, '='), ret;
	struct fetch_text label;

	if (equal >= 0) {
		label = text_part(&t, 0, equal);
		ret = parse_label(p, &label);
		if (ret)
			return ret;
		t = text_rest(&t, equal + 1);
		if (!t.len)
			return refuse(p, FETCH_E_NO_ARG_BODY, t.at);
	}
	return parse_body(p, t);
}

/**
 * fetch_parse() - read the text of an argument
 * @text: one word of the command of an event; it must live as long as the tree,
 *	  which refers to it
 * @where: what kind of event it is
 * @failure: on error what is wrong, and where
 *
 * Context: may sleep, needs no lock.
 *
 * Return: the tree, to be freed with fetch_free(), or an error pointer: %-EINVAL,
 * %-ERANGE or %-E2BIG, of which @failure tells the reason, or %-ENOMEM.
 */
struct fetch_tree *fetch_parse(const char *text, enum fetch_where where,
			       struct fetch_failure *failure)
{
	struct parser p = { .failure = failure, .where = where };
	size_t len = strlen(text), room;
	struct fetch_text whole = { .s = text, .len = len };
	int ret;

	/* Columns are short numbers. */
	if (len > U16_MAX)
		return ERR_PTR(refuse_with(&p, -E2BIG, FETCH_E_ARG_TOO_LONG, 0));
	/* A node begins with a character that is no other's. */
	room = min_t(size_t, len, FETCH_MAX_PATH) + 1;
	p.tree = kzalloc(struct_size(p.tree, nodes, room), GFP_KERNEL);
	if (!p.tree)
		return ERR_PTR(-ENOMEM);
	ret = parse_argument(&p, whole);
	if (!ret)
		return p.tree;
	fetch_free(p.tree);
	return ERR_PTR(ret);
}

/**
 * fetch_free() - free a tree
 * @tree: of fetch_parse(), or NULL
 *
 * Context: any.
 */
void fetch_free(struct fetch_tree *tree)
{
	kfree(tree);
}

static enum fetch_variable numbered(const struct fetch_text *name, unsigned int word,
				    enum fetch_variable good, enum fetch_variable bad,
				    unsigned long *number)
{
	struct fetch_text digits = text_rest(name, word);

	return text_ulong(&digits, 10, number) ? bad : good;
}

/**
 * fetch_find_variable() - is this the name of a variable that every event has?
 * @name: of a node of kind %FETCH_VARIABLE
 * @number: gets N of ``$stackN`` and ``$argN``
 *
 * Context: any.
 *
 * Return: which it is.
 */
enum fetch_variable fetch_find_variable(const struct fetch_text *name, unsigned long *number)
{
	if (text_equals(name, "retval"))
		return FETCH_VAR_RETVAL;
	if (text_equals(name, "comm") || text_equals(name, "COMM"))
		return FETCH_VAR_COMM;
	if (text_equals(name, "stack"))
		return FETCH_VAR_STACK;
	if (text_equals(name, "arg*"))
		return FETCH_VAR_ARGS;
	if (text_starts_with(name, "stack"))
		return numbered(name, 5, FETCH_VAR_STACK_WORD, FETCH_VAR_BAD_STACK, number);
	if (text_starts_with(name, "arg"))
		return numbered(name, 3, FETCH_VAR_ARG, FETCH_VAR_BAD_ARG, number);
	return FETCH_VAR_OTHER;
}
