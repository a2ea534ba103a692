/* SPDX-License-Identifier: GPL-2.0 */
/*
 * From the tree of an argument to its program, see struct fetch_insn: what the files
 * that build it share.
 */
#ifndef _KERNEL_TRACE_FETCH_BUILD_H
#define _KERNEL_TRACE_FETCH_BUILD_H

#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/types.h>

#include "../trace_probe.h"
#include "btf.h"
#include "fetch.h"
#include "tree.h"

/**
 * enum fetch_holds - what the instructions so far have left
 * @FETCH_VALUE: a value
 * @FETCH_CONSTANT: a number that the text gives
 * @FETCH_STRUCT: a structure that is passed by value; nothing is loaded yet
 * @FETCH_MEMORY: the address of a value, less an offset
 * @FETCH_USER_MEMORY: as that, in the memory of the user
 * @FETCH_FIELD: what a field of another event is or points to
 * @FETCH_COMM: the name of the task
 * @FETCH_TEXT: a constant text
 */
enum fetch_holds {
	FETCH_VALUE,
	FETCH_CONSTANT,
	FETCH_STRUCT,
	FETCH_MEMORY,
	FETCH_USER_MEMORY,
	FETCH_FIELD,
	FETCH_COMM,
	FETCH_TEXT,
};

/**
 * struct fetch_build - a program that is being made
 * @ctx: the event
 * @tp: the probe, which keeps what exits need of entries
 * @tree: the argument
 * @failure: on error what is wrong, and where
 * @holds: what the instructions so far have left
 * @at_entry: it is executed at the entry of a function, for its exit
 * @offset: bytes to add to the address that they have left
 * @to_type: the value is a pointer to what has that type
 * @type: number of the value's type in BTF, or 0 if that is not known
 * @known: how it is recorded if the text does not say it, or NULL
 * @bit: first bit of the value, from what is held
 * @bits: width of a bit field; 0 if it is none
 * @place: of %FETCH_STRUCT, where it is
 * @nr: number of instructions
 * @code: the instructions
 */
struct fetch_build {
	struct traceprobe_parse_context *ctx;
	struct trace_probe *tp;
	const struct fetch_tree *tree;
	struct fetch_failure *failure;
	enum fetch_holds holds;
	bool at_entry;
	bool to_type;
	int offset;
	u32 type;
	const struct fetch_type *known;
	u32 bit;
	u32 bits;
	struct fetch_place place;
	unsigned int nr;
	struct fetch_insn code[FETCH_INSN_MAX];
};

static inline int fetch_refuse(struct fetch_build *b, int ret, enum fetch_error error,
			       unsigned int at)
{
	b->failure->error = error;
	b->failure->at = at;
	return ret;
}

/*
 * An arrow takes three characters of FETCH_MAX_PATH and adds two instructions at most,
 * a dereference three, of which there are FETCH_MAX_DEREF; a dot adds none, an index of
 * three characters two. What is recorded adds up to five: there is room.
 */
static inline struct fetch_insn *fetch_add(struct fetch_build *b, enum fetch_op op)
{
	struct fetch_insn *insn = &b->code[b->nr++];

	insn->op = op;
	return insn;
}

static inline bool fetch_in_memory(const struct fetch_build *b)
{
	return b->holds == FETCH_MEMORY || b->holds == FETCH_USER_MEMORY;
}

/* It can only be recorded. */
static inline bool fetch_is_text(const struct fetch_build *b)
{
	return b->holds == FETCH_COMM || b->holds == FETCH_TEXT;
}

static inline bool fetch_at_exit(const struct fetch_build *b)
{
	return b->ctx->flags & TPARG_FL_RETURN && !b->at_entry;
}

/* An exit for which words of the entry are kept: where entries can read arguments. */
static inline bool fetch_after_entry(const struct fetch_build *b)
{
	return IS_ENABLED(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && fetch_at_exit(b) &&
	       b->ctx->flags & TPARG_FL_KERNEL;
}

int fetch_build(struct trace_probe *tp, struct probe_arg *arg, const struct fetch_tree *tree,
		struct traceprobe_parse_context *ctx, struct fetch_failure *failure);
void fetch_free_code(struct fetch_insn *code);
int fetch_source(struct fetch_build *b, const struct fetch_node *node);
int fetch_load_word(struct fetch_build *b, const struct fetch_place *place, unsigned int word);
int fetch_keep(struct trace_probe *tp, const struct fetch_insn *code, unsigned int nr);
int fetch_load(struct fetch_build *b);
void fetch_address(struct fetch_build *b);
int fetch_record(struct fetch_build *b, struct probe_arg *arg);

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
static inline const struct btf_type *fetch_skip_names(const struct fetch_build *b, u32 type)
{
	return btf_type_skip_modifiers(b->ctx->btf, type, NULL);
}

/* NULL if nothing is known of the value but what it points to, or nothing at all. */
static inline const struct btf_type *fetch_type_of_value(const struct fetch_build *b)
{
	return b->type && !b->to_type ? fetch_skip_names(b, b->type) : NULL;
}

static inline bool fetch_is_structure(const struct btf_type *type)
{
	return type && btf_type_is_struct(type);
}

int fetch_find_place(const struct traceprobe_parse_context *ctx, unsigned int n,
		     struct fetch_place *place);
int fetch_find_parameter(const struct traceprobe_parse_context *ctx,
			 const struct fetch_text *name);
int fetch_find_common(struct fetch_build *b, const struct fetch_node *node);
int fetch_parameter(struct fetch_build *b, const struct fetch_node *node);
int fetch_argument(struct fetch_build *b, unsigned int n);
int fetch_returned(struct fetch_build *b, const struct fetch_node *node);
int fetch_member_of(struct fetch_build *b, const struct fetch_node *node);
int fetch_cast(struct fetch_build *b, const struct fetch_node *node);
int fetch_current_type(struct fetch_build *b);
int fetch_dereference(struct fetch_build *b);
int fetch_btf_type(const struct fetch_build *b, struct probe_arg *arg);
int fetch_enumeration(const struct fetch_build *b, struct probe_arg *arg);
bool fetch_is_characters(const struct fetch_build *b, bool *array, u32 *nr);
unsigned int fetch_bits_of(const struct fetch_build *b);
u32 fetch_size_of(const struct fetch_build *b);
bool fetch_is_wide(const struct fetch_build *b);
bool fetch_is_signed(const struct fetch_build *b);
#else
static inline int fetch_parameter(struct fetch_build *b, const struct fetch_node *node)
{
	return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
}

static inline int fetch_argument(struct fetch_build *b, unsigned int n)
{
	return -EOPNOTSUPP;
}

static inline int fetch_returned(struct fetch_build *b, const struct fetch_node *node)
{
	return 0;
}

static inline int fetch_member_of(struct fetch_build *b, const struct fetch_node *node)
{
	return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
}

static inline int fetch_cast(struct fetch_build *b, const struct fetch_node *node)
{
	return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
}

static inline int fetch_current_type(struct fetch_build *b)
{
	return 0;
}

static inline int fetch_dereference(struct fetch_build *b)
{
	b->holds = FETCH_MEMORY;
	return 0;
}

static inline int fetch_btf_type(const struct fetch_build *b, struct probe_arg *arg)
{
	arg->type = fetch_default_type();
	return 0;
}

static inline int fetch_enumeration(const struct fetch_build *b, struct probe_arg *arg)
{
	return -EINVAL;
}

static inline bool fetch_is_characters(const struct fetch_build *b, bool *array, u32 *nr)
{
	return false;
}

static inline unsigned int fetch_bits_of(const struct fetch_build *b)
{
	return BITS_PER_LONG;
}

static inline u32 fetch_size_of(const struct fetch_build *b)
{
	return 0;
}

static inline bool fetch_is_wide(const struct fetch_build *b)
{
	return false;
}

static inline bool fetch_is_signed(const struct fetch_build *b)
{
	return false;
}
#endif

#endif
