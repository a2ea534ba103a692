// SPDX-License-Identifier: GPL-2.0
/*
 * What arguments of an exit need of the entry of the function: words that are kept
 * with the call.
 */
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/slab.h>

#include "build.h"

static bool is_kept(const struct fetch_insn *code, enum fetch_op op, unsigned int param)
{
	return code->op == op && code->param == param;
}

/* For one pair more, behind the others. */
static struct probe_entry_arg *make_room(struct trace_probe *tp, unsigned int nr)
{
	struct probe_entry_arg *more;

	more = krealloc(tp->entry_arg, struct_size(more, code, 2 * (nr + 1) + 1),
			GFP_KERNEL | __GFP_ZERO);
	if (more)
		tp->entry_arg = more;
	return more;
}

/**
 * fetch_keep() - keep a word of the entry of a function for its exit
 * @tp: the probe on the exit
 * @op: where the word comes from: %FETCH_OP_ARG or %FETCH_OP_STACK
 * @param: which of them
 *
 * A word that is kept already is not kept again.
 *
 * Context: may sleep.
 *
 * Return: where in the data of the call it is, in bytes, or %-ENOMEM.
 */
int fetch_keep(struct trace_probe *tp, enum fetch_op op, unsigned int param)
{
	struct probe_entry_arg *entry = tp->entry_arg;
	unsigned int n, nr = entry ? entry->nr : 0;

	for (n = 0; n < nr; n++) {
		if (is_kept(&entry->code[2 * n], op, param))
			return entry->code[2 * n + 1].offset;
	}
	entry = make_room(tp, nr);
	if (!entry)
		return -ENOMEM;
	entry->code[2 * nr].op = op;
	entry->code[2 * nr].param = param;
	entry->code[2 * nr + 1].op = FETCH_OP_EDATA;
	entry->code[2 * nr + 1].offset = nr * sizeof(long);
	entry->code[2 * nr + 2].op = FETCH_OP_END;
	entry->nr = nr + 1;
	return nr * sizeof(long);
}

/**
 * traceprobe_get_entry_data_size() - how much a probe keeps from an entry to the exit
 * @tp: the probe
 *
 * Context: any.
 *
 * Return: bytes.
 */
int traceprobe_get_entry_data_size(struct trace_probe *tp)
{
	return tp->entry_arg ? tp->entry_arg->nr * sizeof(long) : 0;
}
