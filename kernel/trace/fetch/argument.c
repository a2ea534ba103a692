// SPDX-License-Identifier: GPL-2.0
/*
 * The arguments of an event: from a word of its command to a name, a type and a
 * program. The files of the events call what is here.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build.h"
#include "layout.h"
#include "log.h"
#include "names.h"
#include "text.h"

static void free_data(struct fetch_insn *code)
{
	struct fetch_insn *insn;

	for (insn = code; insn && insn->op != FETCH_OP_END; insn++) {
		if (insn->op == FETCH_NOP_SYMBOL || insn->op == FETCH_OP_DATA)
			kfree(insn->data);
	}
}

/* What has been built before an error ends where it is cut off. */
static void drop_code(struct fetch_build *b)
{
	fetch_add(b, FETCH_OP_END);
	free_data(b->code);
}

/**
 * fetch_free_code() - free a program
 * @code: the program, or NULL
 *
 * Context: may sleep; no hit may use it any more.
 */
void fetch_free_code(struct fetch_insn *code)
{
	free_data(code);
	kfree(code);
}

static int build_value(struct fetch_build *b, const struct fetch_node *node);

static int build_deref(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = fetch_load(b);

	if (ret)
		return ret;
	if ((s64)node->number != (int)node->number)
		fetch_add(b, FETCH_OP_ADD)->immediate = node->number;
	else
		b->offset = node->number;
	b->holds = node->kind == FETCH_DEREF ? FETCH_MEMORY : FETCH_USER_MEMORY;
	b->to_type = false;
	b->type = 0;
	b->known = NULL;
	return 0;
}

/* A symbol is a variable that each CPU has; a value points to one. */
static int build_cpu(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = 0;

	if (!(b->ctx->flags & TPARG_FL_KERNEL))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_FETCH_ARG, node->at);
	if (node->of->kind != FETCH_SYMBOL)
		ret = fetch_load(b);
	if (ret)
		return ret;
	fetch_add(b, FETCH_OP_CPU);
	b->holds = FETCH_VALUE;
	return node->kind == FETCH_CPU_READ ? fetch_dereference(b) : 0;
}

/* At the exit only the word is needed that the entry has made. */
static int use_kept(struct fetch_build *b, const struct fetch_build *entry)
{
	int offset = fetch_keep(b->tp, entry->code, entry->nr);

	if (offset < 0)
		return offset;
	fetch_add(b, FETCH_OP_EDATA)->offset = offset;
	b->holds = FETCH_VALUE;
	b->type = entry->type;
	b->to_type = entry->to_type;
	return 0;
}

static bool can_be_kept(const struct fetch_build *entry)
{
	return !fetch_is_text(entry) && entry->code[0].op != FETCH_NOP_SYMBOL;
}

static int build_kept(struct fetch_build *b, struct fetch_build *entry,
		      const struct fetch_node *node)
{
	int ret;

	entry->ctx = b->ctx;
	entry->tp = b->tp;
	entry->tree = b->tree;
	entry->failure = b->failure;
	entry->at_entry = true;
	ret = build_value(entry, node->of);
	if (!ret && !can_be_kept(entry))
		ret = fetch_refuse(b, -EINVAL, FETCH_E_BAD_FETCH_ARG, node->of->at);
	if (!ret)
		ret = fetch_load(entry);
	return ret ?: use_kept(b, entry);
}

static int build_entry(struct fetch_build *b, const struct fetch_node *node)
{
	struct fetch_build *entry;
	int ret;

	if (!fetch_after_entry(b))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_VAR, node->at);
	entry = kzalloc(sizeof(*entry), GFP_KERNEL);
	if (!entry)
		return -ENOMEM;
	ret = build_kept(b, entry, node);
	drop_code(entry);
	kfree(entry);
	return ret;
}

/* From the source outwards: each node works on what its operand has left. */
static int build_node(struct fetch_build *b, const struct fetch_node *node)
{
	if (!node->of)
		return fetch_source(b, node);
	if (fetch_is_text(b))
		return fetch_refuse(b, -EINVAL, FETCH_E_COMM_CANT_DEREF, node->of->at);
	switch (node->kind) {
	case FETCH_DEREF:
	case FETCH_UDEREF:
		return build_deref(b, node);
	case FETCH_CAST:
	case FETCH_CONTAINER:
		return fetch_cast(b, node);
	case FETCH_CPU_POINTER:
	case FETCH_CPU_READ:
		return build_cpu(b, node);
	default:
		return fetch_member_of(b, node);
	}
}

/* A path can have as many nodes as characters: the stack has no room for them. */
static int build_value(struct fetch_build *b, const struct fetch_node *top)
{
	const struct fetch_node *node = top;
	int ret;

	while (node->of && node->kind != FETCH_ENTRY)
		node = node->of;
	for (;; node = node->by) {
		ret = node->kind == FETCH_ENTRY ? build_entry(b, node) : build_node(b, node);
		if (ret || node == top)
			return ret;
	}
}

static int build_code(struct fetch_build *b, struct probe_arg *arg)
{
	int ret;

	ret = build_value(b, b->tree->top);
	if (!ret)
		ret = fetch_record(b, arg);
	if (!ret)
		arg->code = kmemdup_array(b->code, b->nr, sizeof(*b->code), GFP_KERNEL);
	if (!ret && arg->code)
		return 0;
	drop_code(b);
	return ret ?: -ENOMEM;
}

/**
 * fetch_build() - make the program of an argument
 * @tp: the probe, which keeps what exits need of entries
 * @arg: the argument; gets the program, and how it is recorded
 * @tree: its text
 * @ctx: what the event is
 * @failure: gets the reason of an error
 *
 * Context: may sleep.
 *
 * Return: 0; %-EAGAIN as long as that needs a module that is not loaded; or an error, of
 * which @failure has the reason; without one it is %-ENOMEM.
 */
int fetch_build(struct trace_probe *tp, struct probe_arg *arg, const struct fetch_tree *tree,
		struct traceprobe_parse_context *ctx, struct fetch_failure *failure)
{
	struct fetch_build *b = kzalloc(sizeof(*b), GFP_KERNEL);
	int ret;

	if (!b)
		return -ENOMEM;
	b->tp = tp;
	b->ctx = ctx;
	b->tree = tree;
	b->failure = failure;
	ret = build_code(b, arg);
	kfree(b);
	return ret;
}

/* Names that all records have, or the head of one. */
static const char * const reserved_names[] = {
	"common_type", "common_flags", "common_preempt_count", "common_pid", "common_tgid",
	FIELD_STRING_IP, FIELD_STRING_RETIP, FIELD_STRING_FUNC,
};

static struct probe_arg *find_name(struct trace_probe *tp, unsigned int nr,
				   const struct fetch_text *name)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		if (text_equals(name, tp->args[n].name))
			return &tp->args[n];
	}
	return NULL;
}

static bool is_reserved(const struct fetch_text *name)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(reserved_names); n++) {
		if (text_equals(name, reserved_names[n]))
			return true;
	}
	return false;
}

static bool is_free(struct trace_probe *tp, unsigned int nr, const struct fetch_text *name)
{
	return !is_reserved(name) && !find_name(tp, nr, name);
}

/* The name that the text has for a value. */
static struct fetch_text given_name(const struct fetch_tree *tree)
{
	/* One that is too long to be given is none. */
	if (!tree->label.len && tree->top->kind == FETCH_PARAMETER &&
	    tree->top->name.len <= FETCH_MAX_NAME)
		return tree->top->name;
	return tree->label;
}

/* A field is named after itself, where that does not disturb. */
static bool can_name(struct trace_probe *tp, unsigned int n, const struct fetch_node *top)
{
	return fetch_is_path(top) && top->name.len && top->name.len <= FETCH_MAX_NAME &&
	       is_free(tp, n, &top->name);
}

static char *number_name(unsigned int n)
{
	return kasprintf(GFP_KERNEL, "arg%u", n + 1);
}

static int name_automatically(struct trace_probe *tp, unsigned int n,
			      const struct fetch_node *top)
{
	struct probe_arg *arg = &tp->args[n];

	arg->automatic = can_name(tp, n, top);
	arg->name = arg->automatic ? kstrndup(top->name.s, top->name.len, GFP_KERNEL) :
				     number_name(n);
	return arg->name ? 0 : -ENOMEM;
}

/* The user gives a name that @arg got automatically: call @arg argN, unless that is taken. */
static int give_up_name(struct trace_probe *tp, unsigned int nr, struct probe_arg *arg)
{
	char *name = number_name(arg - tp->args);
	struct fetch_text text = { .s = name };

	if (!name)
		return -ENOMEM;
	text.len = strlen(name);
	if (!is_free(tp, nr, &text)) {
		kfree(name);
		return 0;
	}
	kfree(arg->name);
	arg->name = name;
	arg->automatic = false;
	return 0;
}

static int name_as_given(struct trace_probe *tp, unsigned int n, const struct fetch_text *name)
{
	struct probe_arg *other = find_name(tp, n, name);
	int ret;

	if (other && other->automatic) {
		ret = give_up_name(tp, n, other);
		if (ret)
			return ret;
	}
	tp->args[n].name = kstrndup(name->s, name->len, GFP_KERNEL);
	return tp->args[n].name ? 0 : -ENOMEM;
}

static int name_argument(struct trace_probe *tp, unsigned int n, const struct fetch_tree *tree,
			 struct fetch_failure *failure)
{
	struct fetch_text name = given_name(tree);
	int ret;

	if (name.len)
		ret = name_as_given(tp, n, &name);
	else
		ret = name_automatically(tp, n, tree->top);
	if (ret)
		return ret;
	name = (struct fetch_text){
		.s = tp->args[n].name,
		.len = strlen(tp->args[n].name),
		.at = name.len ? name.at : tree->body.at,
	};
	if (is_free(tp, n, &name))
		return 0;
	failure->error = FETCH_E_USED_ARG_NAME;
	failure->at = name.at;
	return -EINVAL;
}

/*
 * The program is made when the module comes, which says where the value is. What is
 * recorded of it cannot wait: users are told the layout of records now.
 */
static int put_off(struct probe_arg *arg, const struct fetch_tree *tree,
		   struct fetch_failure *failure)
{
	const struct fetch_type *type = tree->cast.type;

	if (!type || type->enumeration) {
		failure->error = FETCH_E_NOT_LOADED;
		failure->at = tree->body.at;
		return -EINVAL;
	}
	arg->type = type;
	arg->count = tree->cast.count;
	arg->dynamic = !type->size;
	arg->code = kzalloc(sizeof(*arg->code), GFP_KERNEL);
	return arg->code ? 0 : -ENOMEM;
}

/* There are callers that have no more room for a record than a page. */
static int place_argument(struct trace_probe *tp, struct probe_arg *arg,
			  const struct fetch_tree *tree, struct fetch_failure *failure)
{
	tp->dynamic |= arg->dynamic;
	tp->size = fetch_layout(arg, 1, tp->size);
	if (tp->size <= MAX_PROBE_EVENT_SIZE)
		return 0;
	failure->error = FETCH_E_EVENT_TOO_BIG;
	failure->at = tree->body.at;
	return -E2BIG;
}

static int add_argument(struct trace_probe *tp, unsigned int n, const struct fetch_tree *tree,
			struct traceprobe_parse_context *ctx, struct fetch_failure *failure)
{
	struct probe_arg *arg = &tp->args[n];
	int ret;

	ret = name_argument(tp, n, tree, failure);
	if (ret)
		return ret;
	arg->comm = kstrdup(tree->body.s, GFP_KERNEL);
	if (!arg->comm)
		return -ENOMEM;
	ret = fetch_build(tp, arg, tree, ctx, failure);
	if (ret == -EAGAIN)
		ret = put_off(arg, tree, failure);
	return ret ?: place_argument(tp, arg, tree, failure);
}

static enum fetch_where where_of(const struct traceprobe_parse_context *ctx)
{
	if (ctx->flags & TPARG_FL_USER)
		return FETCH_IN_PROCESS;
	return ctx->flags & TPARG_FL_TEVENT ? FETCH_IN_EVENT : FETCH_IN_KERNEL;
}

static int parse_argument(struct trace_probe *tp, unsigned int n, const char *text,
			  struct traceprobe_parse_context *ctx, struct fetch_failure *failure)
{
	struct fetch_tree *tree = fetch_parse(text, where_of(ctx), failure);
	int ret;

	if (IS_ERR(tree))
		return PTR_ERR(tree);
	ret = add_argument(tp, n, tree, ctx, failure);
	fetch_free(tree);
	return ret;
}

/**
 * traceprobe_parse_probe_arg() - read an argument of an event
 * @tp: the probe, with room for its arguments; those before this one are read
 * @i: number of the argument, from 0 on
 * @argv: its text
 * @ctx: what the event is
 *
 * What is wrong is told in error_log. What an argument has got before is freed with
 * the probe.
 *
 * Context: may sleep; under the mutex that creates events.
 *
 * Return: 0; %-EINVAL, %-ERANGE, %-E2BIG, %-ENOENT or %-EOPNOTSUPP if it is refused;
 * or %-ENOMEM.
 */
int traceprobe_parse_probe_arg(struct trace_probe *tp, int i, const char *argv,
			       struct traceprobe_parse_context *ctx)
{
	struct fetch_failure failure = { };
	int ret;

	ret = parse_argument(tp, i, argv, ctx, &failure);
	if (ret && failure.error)
		fetch_log_failure(&failure);
	return ret;
}

/**
 * fetch_is_recorded_alike() - do records have two arguments in one form?
 * @a: an argument
 * @b: another, or the same argument made anew
 *
 * Context: any.
 *
 * Return: whether type, number of elements and names of values are equal.
 */
bool fetch_is_recorded_alike(const struct probe_arg *a, const struct probe_arg *b)
{
	return a->type == b->type && a->count == b->count && fetch_same_names(a->names, b->names);
}

/**
 * traceprobe_update_arg() - look up the symbol that an argument names
 * @arg: the argument
 *
 * Context: may sleep.
 *
 * Return: 0, also if it names none; %-ENOENT if there is no such symbol, or %-EINVAL if
 * what is added to it is no number.
 */
int traceprobe_update_arg(struct probe_arg *arg)
{
	struct fetch_insn *code = arg->code;
	unsigned long address;

	if (code->op != FETCH_NOP_SYMBOL)
		return 0;
	/* An offset has been split off, so a sign here has no number behind it. */
	if (strpbrk(code->data, "+-"))
		return -EINVAL;
	address = kallsyms_lookup_name(code->data);
	if (!address)
		return -ENOENT;
	code[1].immediate = address;
	return 0;
}

/**
 * traceprobe_free_probe_arg() - free what an argument has
 * @arg: the argument; may be half read, or zeroed
 *
 * Context: may sleep; no hit may use it any more.
 */
void traceprobe_free_probe_arg(struct probe_arg *arg)
{
	fetch_free_code(arg->code);
	kfree(arg->names);
	kfree(arg->name);
	kfree(arg->comm);
	*arg = (struct probe_arg){ };
}

/**
 * traceprobe_finish_parse() - free what reading arguments has made
 * @ctx: what they were read with
 *
 * Context: may sleep.
 */
void traceprobe_finish_parse(struct traceprobe_parse_context *ctx)
{
	fetch_put_function(ctx);
}
