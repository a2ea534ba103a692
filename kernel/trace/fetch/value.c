// SPDX-License-Identifier: GPL-2.0
/*
 * The value of an argument, from its text to nodes of a tree:
 *
 *	VALUE	:= (+|-)[u]NUMBER(VALUE) | PATH | %REGISTER | @ADDRESS | @SYMBOL | @+OFFSET |
 *		   \NUMBER | \"TEXT"
 *	PATH	:= START { ->NAME | .NAME | [NUMBER] }
 *	START	:= NAME | $NAME | FUNCTION | CAST NAME | CAST $NAME | CAST %REGISTER |
 *		   CAST FUNCTION | CAST (VALUE)
 *	FUNCTION := $entry(VALUE) | this_cpu_ptr(VALUE) | this_cpu_read(VALUE)
 *	CAST	:= (STRUCTURE) | (STRUCTURE,MEMBER)
 *
 * Parentheses of a dereference are matched
 * from the end of the text, as users have always been told where one is missing.
 */
#include <linux/ctype.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "parse.h"

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
		if (t->s[n] == '-' || t->s[n] == '.' || t->s[n] == '[')
			break;
	}
	return n;
}

/* The length of a variable's name, in which "-" may be, unless as a part of "->". */
static unsigned int variable_length(const struct fetch_text *t)
{
	unsigned int n;

	for (n = 0; n < t->len; n++) {
		if (t->s[n] == '.' || t->s[n] == '[' ||
		    (t->s[n] == '-' && text_char(t, n + 1) == '>'))
			break;
	}
	return n;
}

/* "->NAME" or ".NAME"; @t shrinks to what is behind it. */
static int parse_field(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	bool arrow = t->s[0] == '-';

	if (arrow && text_char(t, 1) != '>')
		return refuse(p, FETCH_E_BAD_HYPHEN, t->at);
	*t = text_rest(t, arrow ? 2 : 1);
	*out = add_node(p, arrow ? FETCH_ARROW : FETCH_DOT, t->at);
	(*out)->name = text_part(t, 0, name_length(t));
	*t = text_rest(t, (*out)->name.len);
	return 0;
}

/* "[NUMBER]"; @t shrinks to what is behind it. */
static int parse_index(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text digits = text_rest(t, 1);
	int close = text_find(&digits, ']');
	unsigned long number;

	if (close < 0)
		return refuse(p, FETCH_E_ARRAY_NO_CLOSE, text_end(t));
	digits.len = close;
	if (text_ulong(&digits, 0, &number) || number > INT_MAX)
		return refuse(p, FETCH_E_BAD_ARRAY_NUM, digits.at);
	*out = add_node(p, FETCH_INDEX, t->at);
	(*out)->number = number;
	*t = text_rest(t, close + 2);
	return 0;
}

/* Any number of them, behind what @of is. */
static int parse_fields(struct parser *p, struct fetch_text t, struct fetch_node **of)
{
	struct fetch_node *node = NULL;
	int ret;

	while (t.len) {
		char c = t.s[0];

		if (c != '-' && c != '.' && c != '[')
			return refuse(p, FETCH_E_BAD_FETCH_ARG, t.at);
		ret = c == '[' ? parse_index(p, &t, &node) : parse_field(p, &t, &node);
		if (ret)
			return ret;
		node->of = *of;
		*of = node;
	}
	return 0;
}

/* NAME, $NAME; @t shrinks to what is behind it. */
static void parse_name(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	bool variable = t->s[0] == '$';
	struct fetch_text name = text_rest(t, variable);
	struct fetch_node *node;

	node = add_node(p, variable ? FETCH_VARIABLE : FETCH_PARAMETER, t->at);
	node->name = text_part(&name, 0, variable ? variable_length(&name) : name_length(&name));
	*out = node;
	*t = text_rest(&name, node->name.len);
}

/* A name, with fields behind it. */
static int parse_path(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text rest = *t;

	parse_name(p, &rest, out);
	return parse_fields(p, rest, out);
}

/* Index of the parenthesis that closes the first character, or -1. */
static int find_close(const struct fetch_text *t)
{
	unsigned int n, open = 0;

	for (n = 0; n < t->len; n++) {
		if (t->s[n] == '(')
			open++;
		if (t->s[n] == ')' && !--open)
			return n;
	}
	return -1;
}

/* What is in parentheses; @t shrinks to what is behind them. */
static int parse_enclosed(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	int close = find_close(t), ret;

	if (close < 0)
		return refuse(p, FETCH_E_DEREF_OPEN_BRACE, text_end(t));
	if (++p->depth > FETCH_MAX_NESTED)
		return refuse(p, FETCH_E_TOO_MANY_OPS, t->at);
	ret = fetch_parse_value(p, text_part(t, 1, close - 1), out);
	p->depth--;
	*t = text_rest(t, close + 1);
	return ret;
}

/* Words with a value in parentheses behind them. */
static const struct {
	const char *word;
	enum fetch_kind kind;
} functions[] = {
	{ "$entry(", FETCH_ENTRY },
	{ "this_cpu_ptr(", FETCH_CPU_POINTER },
	{ "this_cpu_read(", FETCH_CPU_READ },
};

/* @t shrinks to what is behind the parentheses. Return: 1 if it is none of them. */
static int parse_function(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(functions); n++) {
		if (text_starts_with(t, functions[n].word))
			break;
	}
	if (n == ARRAY_SIZE(functions))
		return 1;
	*out = add_node(p, functions[n].kind, t->at);
	*t = text_rest(t, strlen(functions[n].word) - 1);
	return parse_enclosed(p, t, &(*out)->of);
}

/* A register that is cast has fields behind its name. */
static void parse_start_register(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text name = text_rest(t, 1);

	*out = add_node(p, FETCH_REGISTER, t->at);
	(*out)->name = text_part(&name, 0, name_length(&name));
	*t = text_rest(&name, (*out)->name.len);
}

/* What a cast is of. */
static int parse_start(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	int ret = parse_function(p, t, out);

	if (ret <= 0)
		return ret;
	if (text_char(t, 0) == '(')
		return parse_enclosed(p, t, out);
	if (text_char(t, 0) != '%' && !is_start(t))
		return refuse(p, FETCH_E_BAD_FETCH_ARG, t->at);
	if (t->s[0] == '%')
		parse_start_register(p, t, out);
	else
		parse_name(p, t, out);
	return 0;
}

/* "(NAME)" or "(NAME,MEMBER)"; @t shrinks to what is behind it. */
static int parse_cast_type(struct parser *p, struct fetch_text *t, struct fetch_node **out)
{
	int close = text_find(t, ')'), comma;
	struct fetch_text name, member = { };

	name = text_part(t, 1, close > 0 ? close - 1 : t->len);
	comma = text_find(&name, ',');
	if (comma >= 0) {
		member = text_rest(&name, comma + 1);
		name.len = comma;
	}
	if (!text_is_name(&name) || (comma >= 0 && !member.len))
		return refuse(p, FETCH_E_BAD_FETCH_ARG, t->at);
	if (close < 0)
		return refuse(p, FETCH_E_DEREF_OPEN_BRACE, text_end(t));
	*out = add_node(p, comma >= 0 ? FETCH_CONTAINER : FETCH_CAST, name.at);
	(*out)->name = name;
	(*out)->member = member;
	*t = text_rest(t, close + 1);
	return 0;
}

/* A cast is of a name, not of what its fields lead to. */
static int parse_cast(struct parser *p, const struct fetch_text *t, struct fetch_node **out)
{
	struct fetch_text rest = *t;
	int ret;

	ret = parse_cast_type(p, &rest, out);
	if (!ret)
		ret = parse_start(p, &rest, &(*out)->of);
	return ret ?: parse_fields(p, rest, out);
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
	struct fetch_text rest = *t;
	char c = text_char(t, 0);
	int ret;

	ret = parse_function(p, &rest, out);
	if (ret <= 0)
		return ret ?: parse_fields(p, rest, out);
	switch (c) {
	case '$':
		return parse_path(p, t, out);
	case '(':
		return parse_cast(p, t, out);
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

/**
 * fetch_parse_value() - read a value
 * @p: the argument; its tree gets the nodes
 * @t: the text of the value
 * @link: gets its outermost node
 *
 * Context: any.
 *
 * Return: 0, or an error, of which @p has the reason.
 */
int fetch_parse_value(struct parser *p, struct fetch_text t, struct fetch_node **link)
{
	struct fetch_node **outer = link;
	unsigned int derefs = 0;
	int ret;

	for (; is_deref(&t); derefs++) {
		ret = parse_deref(p, &t, link);
		if (ret)
			return ret;
		link = &(*link)->of;
	}
	ret = parse_operand(p, &t, link);
	return ret ?: check_depth(p, derefs, *outer);
}
