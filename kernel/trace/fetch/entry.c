// SPDX-License-Identifier: GPL-2.0
/*
 * What arguments of an exit need of the entry of the function: words that are kept
 * with the call.
 */
#include <linux/errno.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build.h"

static struct fetch_insn *end_of_word(struct fetch_insn *insn)
{
	while (insn->op != FETCH_OP_EDATA)
		insn++;
	return insn;
}

static bool is_made_by(const struct fetch_insn *word, const struct fetch_insn *code,
		       unsigned int nr)
{
	return word[nr].op == FETCH_OP_EDATA && !memcmp(word, code, nr * sizeof(*code));
}

/* Where a word is kept that is made so; NULL if none is. */
static struct fetch_insn *find_word(struct probe_entry_arg *entry, const struct fetch_insn *code,
				    unsigned int nr)
{
	struct fetch_insn *word, *end;

	for (word = entry->code; word->op != FETCH_OP_END; word = end + 1) {
		end = end_of_word(word);
		if (end - word == nr && is_made_by(word, code, nr))
			return end;
	}
	return NULL;
}

/* For @nr instructions more, and the end. */
static struct probe_entry_arg *make_room(struct trace_probe *tp, unsigned int nr)
{
	struct probe_entry_arg *entry = tp->entry_arg, *more;
	unsigned int all = nr + 1 + (entry ? entry->nr : 0);

	more = krealloc(entry, struct_size(entry, code, all), GFP_KERNEL | __GFP_ZERO);
	if (more)
		tp->entry_arg = more;
	return more;
}

/**
 * fetch_keep() - keep a word of the entry of a function for its exit
 * @tp: the probe on the exit
 * @code: what makes the word at the entry
 * @nr: number of instructions
 *
 * A word that is kept already is not kept again.
 *
 * Context: may sleep.
 *
 * Return: where in the data of the call it is, in bytes, or %-ENOMEM.
 */
int fetch_keep(struct trace_probe *tp, const struct fetch_insn *code, unsigned int nr)
{
	struct probe_entry_arg *entry = tp->entry_arg;
	struct fetch_insn *kept = entry ? find_word(entry, code, nr) : NULL;

	if (kept)
		return kept->offset;
	entry = make_room(tp, nr + 1);
	if (!entry)
		return -ENOMEM;
	memcpy(entry->code + entry->nr, code, nr * sizeof(*code));
	entry->nr += nr + 1;
	kept = &entry->code[entry->nr - 1];
	*kept = (struct fetch_insn){
		.op = FETCH_OP_EDATA,
		.offset = entry->words++ * sizeof(long),
	};
	entry->code[entry->nr] = (struct fetch_insn){ .op = FETCH_OP_END };
	return kept->offset;
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
	return tp->entry_arg ? tp->entry_arg->words * sizeof(long) : 0;
}
