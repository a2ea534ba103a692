// SPDX-License-Identifier: GPL-2.0
/*
 * Where the value of an argument comes from: the first instruction of its program.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/ptrace.h>
#include <linux/slab.h>
#include <linux/thread_info.h>

#include "build.h"
#include "text.h"

static int refuse(struct fetch_build *b, enum fetch_error error, const struct fetch_node *node)
{
	return fetch_refuse(b, -EINVAL, error, node->at);
}

static void take(struct fetch_build *b, enum fetch_op op, unsigned int param)
{
	fetch_add(b, op)->param = param;
	b->holds = FETCH_VALUE;
}

/* What only the entry of a function has is kept from there to its exit. */
static int take_at_entry(struct fetch_build *b, enum fetch_op op, unsigned int param)
{
	struct fetch_insn source = { .op = op, .param = param };
	int offset;

	if (!fetch_at_exit(b)) {
		take(b, op, param);
		return 0;
	}
	offset = fetch_keep(b->tp, &source, 1);
	if (offset < 0)
		return offset;
	fetch_add(b, FETCH_OP_EDATA)->offset = offset;
	b->holds = FETCH_VALUE;
	return 0;
}

/**
 * fetch_load_word() - load a word of a parameter
 * @b: the program
 * @place: where the parameter is
 * @word: which of its words
 *
 * Context: may sleep.
 *
 * Return: 0 or %-ENOMEM.
 */
int fetch_load_word(struct fetch_build *b, const struct fetch_place *place, unsigned int word)
{
	if (place->nr_registers)
		return take_at_entry(b, FETCH_OP_ARG, place->first_register + word);
	return take_at_entry(b, FETCH_OP_STACK, place->stack / sizeof(long) + word);
}

static int source_stack(struct fetch_build *b, const struct fetch_node *node, unsigned long n)
{
	/* What is behind the stack of the kernel is never the function's. */
	if (!(b->ctx->flags & TPARG_FL_USER) && n > THREAD_SIZE / sizeof(long))
		return refuse(b, FETCH_E_BAD_STACK_NUM, node);
	if (n > INT_MAX)
		return refuse(b, FETCH_E_BAD_STACK_NUM, node);
	take(b, FETCH_OP_STACK, n);
	return 0;
}

/* Is it on the entry of a function, or on an exit that an entry comes before? */
static bool has_arguments(const struct fetch_build *b)
{
	unsigned int flags = b->ctx->flags;

	if (!IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) || !(flags & TPARG_FL_KERNEL))
		return false;
	return flags & (TPARG_FL_FENTRY | TPARG_FL_TPOINT | TPARG_FL_RETURN);
}

static int source_argument(struct fetch_build *b, const struct fetch_node *node, unsigned long n)
{
	int ret;

	if (!has_arguments(b))
		return refuse(b, FETCH_E_NOFENTRY_ARGS, node);
	if (!n || n > INT_MAX)
		return refuse(b, FETCH_E_BAD_ARG_NUM, node);
	/* The types of the function tell the register; without them a guess does. */
	ret = fetch_argument(b, n - 1);
	if (ret != -EOPNOTSUPP)
		return ret;
	return take_at_entry(b, FETCH_OP_ARG, n - 1 + fetch_hidden_parameters(b->ctx));
}

static int source_returned(struct fetch_build *b, const struct fetch_node *node)
{
	/* Also not when an exit asks for what was at the entry. */
	if (!fetch_at_exit(b))
		return refuse(b, FETCH_E_RETVAL_ON_PROBE, node);
	take(b, FETCH_OP_RETVAL, 0);
	return fetch_returned(b, node);
}

/* $elapsed. The time of the entry is kept in a word, which has to have 64 bits. */
static int source_elapsed(struct fetch_build *b, const struct fetch_node *node)
{
	int ret;

	if (!fetch_after_entry(b) || BITS_PER_LONG < 64)
		return refuse(b, FETCH_E_BAD_VAR, node);
	ret = take_at_entry(b, FETCH_OP_CLOCK, 0);
	if (ret)
		return ret;
	fetch_add(b, FETCH_OP_ELAPSED);
	b->known = fetch_number_type(sizeof(u64), false);
	return 0;
}

static int source_current(struct fetch_build *b, const struct fetch_node *node)
{
	if (!(b->ctx->flags & TPARG_FL_KERNEL))
		return refuse(b, FETCH_E_BAD_VAR, node);
	take(b, FETCH_OP_CURRENT, 0);
	return fetch_current_type(b);
}

static int source_comm(struct fetch_build *b)
{
	take(b, FETCH_OP_COMM, 0);
	b->holds = FETCH_COMM;
	return 0;
}

static struct ftrace_event_field *find_field(struct trace_event_call *call,
					     const struct fetch_text *name)
{
	struct ftrace_event_field *field;

	list_for_each_entry(field, trace_get_fields(call), link) {
		if (text_equals(name, field->name))
			return field;
	}
	return NULL;
}

/* The variables of an event on an event are its fields. */
static int source_field(struct fetch_build *b, const struct fetch_node *node)
{
	struct ftrace_event_field *field = find_field(b->ctx->event, &node->name);

	if (!field)
		return text_equals(&node->name, "comm") || text_equals(&node->name, "COMM") ?
		       source_comm(b) : refuse(b, FETCH_E_BAD_VAR, node);
	fetch_add(b, FETCH_OP_TP_ARG)->data = field;
	b->holds = FETCH_FIELD;
	return 0;
}

static bool has_fields(const struct fetch_node *node)
{
	return node->by && fetch_is_path(node->by);
}

/* Numbers have no fields. */
static bool may_have_fields(enum fetch_variable variable)
{
	return variable == FETCH_VAR_RETVAL || variable == FETCH_VAR_CURRENT;
}

static int source_variable(struct fetch_build *b, const struct fetch_node *node)
{
	enum fetch_variable variable;
	unsigned long n = 0;

	variable = fetch_find_variable(&node->name, &n);
	if (has_fields(node) && !may_have_fields(variable))
		return refuse(b, FETCH_E_BAD_VAR, node);
	if (b->ctx->flags & TPARG_FL_TEVENT)
		return source_field(b, node);
	switch (variable) {
	case FETCH_VAR_STACK:
		take(b, FETCH_OP_STACKP, 0);
		return 0;
	case FETCH_VAR_STACK_WORD:
		return source_stack(b, node, n);
	case FETCH_VAR_ARG:
		return source_argument(b, node, n);
	case FETCH_VAR_RETVAL:
		return source_returned(b, node);
	case FETCH_VAR_COMM:
		return source_comm(b);
	case FETCH_VAR_CURRENT:
		return source_current(b, node);
	case FETCH_VAR_ELAPSED:
		return source_elapsed(b, node);
	default:
		return refuse(b, FETCH_E_BAD_VAR, node);
	}
}

/* Where ftrace calls, not all registers are there. */
static int source_register(struct fetch_build *b, const struct fetch_node *node)
{
	char name[FETCH_MAX_TEXT + 1];
	int offset;

	if (b->ctx->flags & (TPARG_FL_TEVENT | TPARG_FL_FPROBE | TPARG_FL_TPOINT))
		return refuse(b, FETCH_E_BAD_FETCH_ARG, node);
	if (text_terminated(&node->name, name, sizeof(name)))
		return refuse(b, FETCH_E_BAD_REG_NAME, node);
	offset = regs_query_register_offset(name);
	if (offset < 0)
		return refuse(b, FETCH_E_BAD_REG_NAME, node);
	take(b, FETCH_OP_REG, offset);
	return 0;
}

static int source_number(struct fetch_build *b, const struct fetch_node *node,
			 enum fetch_op op, enum fetch_holds holds)
{
	fetch_add(b, op)->immediate = node->number;
	b->holds = holds;
	return 0;
}

/* The address of the symbol is filled in by traceprobe_update_arg(). */
static int source_symbol(struct fetch_build *b, const struct fetch_node *node)
{
	char *name = kstrndup(node->name.s, node->name.len, GFP_KERNEL);

	if (!name)
		return -ENOMEM;
	fetch_add(b, FETCH_NOP_SYMBOL)->data = name;
	fetch_add(b, FETCH_OP_IMM);
	if (node->number)
		fetch_add(b, FETCH_OP_ADD)->immediate = node->number;
	b->holds = FETCH_MEMORY;
	return 0;
}

static int source_text(struct fetch_build *b, const struct fetch_node *node)
{
	char *text = kstrndup(node->name.s, node->name.len, GFP_KERNEL);

	if (!text)
		return -ENOMEM;
	fetch_add(b, FETCH_OP_DATA)->data = text;
	b->holds = FETCH_TEXT;
	return 0;
}

/**
 * fetch_source() - load what a tree ends in
 * @b: the program, without instructions
 * @node: the node without an operand
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM.
 */
int fetch_source(struct fetch_build *b, const struct fetch_node *node)
{
	switch (node->kind) {
	case FETCH_VARIABLE:
		return source_variable(b, node);
	case FETCH_REGISTER:
		return source_register(b, node);
	case FETCH_PARAMETER:
		return fetch_parameter(b, node);
	case FETCH_ADDRESS:
		return source_number(b, node, FETCH_OP_IMM, FETCH_MEMORY);
	case FETCH_SYMBOL:
		return source_symbol(b, node);
	case FETCH_FILE:
		return source_number(b, node, FETCH_OP_FOFFS, FETCH_MEMORY);
	case FETCH_NUMBER:
		return source_number(b, node, FETCH_OP_IMM, FETCH_CONSTANT);
	case FETCH_STRING:
		return source_text(b, node);
	default:
		return refuse(b, FETCH_E_BAD_FETCH_ARG, node);
	}
}
