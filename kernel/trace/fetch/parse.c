// SPDX-License-Identifier: GPL-2.0
/*
 * From the text of an argument to its tree:
 *
 *	[NAME=]VALUE[:TYPE]
 *
 * What a name means, and whether the event can have it, is not looked at here.
 * Everything works on parts of the one text, which is never written to; each part
 * knows its column, so each error has one.
 */
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "parse.h"

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

	return is_start(t) || c == '(' ? FETCH_MAX_PATH : FETCH_MAX_TEXT;
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
	return fetch_parse_value(p, t, &p->tree->top) ?: parse_bits(p);
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

static void link_operands(struct fetch_tree *tree)
{
	struct fetch_node *node;

	for (node = tree->top; node->of; node = node->of)
		node->of->by = node;
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
	if (!ret) {
		link_operands(p.tree);
		return p.tree;
	}
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

/**
 * fetch_is_path() - is it a field or an element of what its operand is?
 * @node: the node
 *
 * Context: any.
 *
 * Return: true if so.
 */
bool fetch_is_path(const struct fetch_node *node)
{
	return node->kind >= FETCH_ARROW;
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
	if (text_equals(name, "current"))
		return FETCH_VAR_CURRENT;
	if (text_equals(name, "elapsed"))
		return FETCH_VAR_ELAPSED;
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
