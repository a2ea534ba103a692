// SPDX-License-Identifier: GPL-2.0
/*
 * Values whose types BTF has: parameters, what is returned, and the members of
 * structures.
 */
#include <linux/bits.h>
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build.h"
#include "text.h"

static const struct fetch_convention *convention(void)
{
	if (IS_ENABLED(CONFIG_X86_64))
		return &fetch_convention_x86_64;
	return IS_ENABLED(CONFIG_X86_32) ? &fetch_convention_i386 : NULL;
}

/* A word that every convention passes in one register, as long as there are any. */
static bool is_word(const struct btf *btf, u32 id)
{
	const struct btf_type *type = btf_type_skip_modifiers(btf, id, NULL);

	if (!type)
		return false;
	if (btf_type_is_ptr(type))
		return true;
	return (btf_type_is_int(type) || btf_is_any_enum(type)) && type->size <= sizeof(long);
}

/* How many words are known to be found. Of other architectures, none on the stack. */
static unsigned int nr_words(void)
{
	if (IS_ENABLED(CONFIG_S390) || IS_ENABLED(CONFIG_LOONGARCH))
		return UINT_MAX;
	return 8;
}

/* The address at which a structure is to be returned may be a parameter before all others. */
static bool may_hide_address(const struct traceprobe_parse_context *ctx)
{
	return fetch_is_structure(btf_type_skip_modifiers(ctx->btf, ctx->proto->type, NULL));
}

/* Where the convention is not known, all that comes before must be words. */
static int place_of_word(const struct traceprobe_parse_context *ctx, unsigned int n,
			 struct fetch_place *place)
{
	const struct btf_param *params = btf_params(ctx->proto);
	unsigned int i;

	if (n >= nr_words() || may_hide_address(ctx))
		return -EOPNOTSUPP;
	for (i = 0; i <= n; i++) {
		if (!is_word(ctx->btf, params[i].type))
			return -EOPNOTSUPP;
	}
	place->size = sizeof(long);
	place->nr_registers = 1;
	place->first_register = n;
	return 0;
}

/**
 * fetch_find_place() - where a parameter is
 * @ctx: of the event, with a function that was found
 * @n: number of the parameter, also of one that is hidden
 * @place: gets the place; zeroed
 *
 * Context: any.
 *
 * Return: 0, or an error if that is not known, or nowhere.
 */
int fetch_find_place(const struct traceprobe_parse_context *ctx, unsigned int n,
		     struct fetch_place *place)
{
	int ret;

	if (!convention())
		return place_of_word(ctx, n, place);
	ret = fetch_btf_place(ctx->btf, ctx->proto, convention(), n, place);
	if (ret)
		return ret;
	/* A structure without members is nowhere. */
	return place->size ? 0 : -EOPNOTSUPP;
}

/*
 * A structure, or a large number. At the entry, what is on the stack is in memory. At
 * the exit words of it have been kept.
 */
static void hold_by_place(struct fetch_build *b)
{
	b->holds = FETCH_STRUCT;
	if (b->place.nr_registers || fetch_at_exit(b))
		return;
	fetch_add(b, FETCH_OP_STACKP);
	b->holds = FETCH_MEMORY;
	b->offset = b->place.stack;
}

/* Load what is at b->place. Return: 0, %-ENOMEM, or %-EDOM for two registers. */
static int load_from_place(struct fetch_build *b)
{
	if (fetch_is_structure(fetch_skip_names(b, b->type))) {
		hold_by_place(b);
		return 0;
	}
	if (b->place.size <= sizeof(long))
		return fetch_load_word(b, &b->place, 0);
	/* Two words in registers are no number that a program can hold. */
	hold_by_place(b);
	return b->holds == FETCH_MEMORY ? 0 : -EDOM;
}

/* Load parameter @n. Return: 0, %-ENOMEM, or %-EDOM if a program cannot hold it. */
static int load_parameter(struct fetch_build *b, unsigned int n)
{
	b->type = btf_params(b->ctx->proto)[n].type;
	return fetch_find_place(b->ctx, n, &b->place) ? -EDOM : load_from_place(b);
}

/**
 * fetch_argument() - load a parameter by its number
 * @b: the program, without instructions
 * @n: which one, from 0 on
 *
 * Its type is not said: numbers have always stood for words.
 *
 * Context: may sleep.
 *
 * Return: 0, %-ENOMEM, or %-EOPNOTSUPP if nothing is known of it.
 */
int fetch_argument(struct fetch_build *b, unsigned int n)
{
	int ret = fetch_find_function(b->ctx);

	if (ret == -ENOMEM)
		return ret;
	if (ret || n >= fetch_function_parameters(b->ctx))
		return -EOPNOTSUPP;
	if (fetch_find_place(b->ctx, n + fetch_hidden_parameters(b->ctx), &b->place))
		return -EOPNOTSUPP;
	/* Of what is larger, the first word. */
	return fetch_load_word(b, &b->place, 0);
}

/**
 * fetch_find_parameter() - find a parameter by its name
 * @ctx: of the event, with a function that was found
 * @name: the name
 *
 * Context: any.
 *
 * Return: its number, without what a tracepoint hides; or %-ENOENT.
 */
int fetch_find_parameter(const struct traceprobe_parse_context *ctx,
			 const struct fetch_text *name)
{
	unsigned int n, nr = fetch_function_parameters(ctx);

	for (n = 0; n < nr; n++) {
		if (name->len && text_equals(name, fetch_parameter_name(ctx, n)))
			return n;
	}
	return -ENOENT;
}

static bool at_function(const struct fetch_build *b)
{
	return b->ctx->flags & (TPARG_FL_FENTRY | TPARG_FL_RETURN | TPARG_FL_TPOINT);
}

/* One that all functions of the event have. */
static int load_common(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = fetch_find_common(b, node);

	return ret ?: load_from_place(b);
}

/* The function's, if there is one. */
static int load_own(struct fetch_build *b, const struct fetch_node *node)
{
	int n = fetch_find_parameter(b->ctx, &node->name);

	if (n < 0)
		return fetch_refuse(b, n, FETCH_E_NO_BTFARG, node->at);
	return load_parameter(b, n + fetch_hidden_parameters(b->ctx));
}

/* Errors that are not about the text: the module is not loaded, or there is no memory. */
static bool is_passed_on(int ret)
{
	return ret == -EAGAIN || ret == -ENOMEM;
}

/**
 * fetch_parameter() - load a parameter by its name
 * @b: the program, without instructions
 * @node: has the name
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM, or
 * %-EAGAIN as long as the module of the function is not loaded.
 */
int fetch_parameter(struct fetch_build *b, const struct fetch_node *node)
{
	int ret;

	if (!at_function(b))
		return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
	ret = fetch_find_function(b->ctx);
	if (is_passed_on(ret))
		return ret;
	if (ret == -ENOENT && !b->ctx->pattern)
		return fetch_refuse(b, ret, FETCH_E_NO_BTF_ENTRY, node->at);
	if (ret && !b->ctx->pattern)
		return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
	ret = ret ? load_common(b, node) : load_own(b, node);
	if (ret == -EDOM)
		return fetch_refuse(b, -EOPNOTSUPP, FETCH_E_NOSUP_DAT_ARG, node->at);
	return ret;
}

/**
 * fetch_returned() - the type of what a function returns
 * @b: the program, which has loaded it
 * @node: the variable
 *
 * Context: may sleep.
 *
 * Return: 0, %-ENOENT if the function returns nothing, %-EAGAIN as long as its module is
 * not loaded, or %-ENOMEM.
 */
int fetch_returned(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = fetch_find_function(b->ctx);

	if (ret)
		return is_passed_on(ret) ? ret : 0;
	if (!b->ctx->proto->type)
		return fetch_refuse(b, -ENOENT, FETCH_E_NO_RETVAL, node->at);
	b->type = b->ctx->proto->type;
	return 0;
}

/* A structure of two registers, of which only the first was loaded. */
static bool is_out_of_reach(const struct fetch_build *b, const struct btf_type *type)
{
	return b->holds == FETCH_VALUE && type->size > sizeof(long);
}

static int go_to(struct fetch_build *b, const struct fetch_node *node,
		 const struct btf_type *type)
{
	struct fetch_member member;
	int ret;

	ret = fetch_btf_member(b->ctx->btf, type, node->name.s, node->name.len, &member);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return fetch_refuse(b, -ENOENT, FETCH_E_NO_BTF_FIELD, node->at);
	if (check_add_overflow(b->bit, member.bit, &b->bit))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_BTF_TID, node->at);
	b->type = member.type;
	b->bits = member.bits;
	return 0;
}

/* What the value points to; 0 if it is no pointer. */
static u32 pointed_to(const struct fetch_build *b)
{
	const struct btf_type *type;

	if (b->to_type)
		return b->type;
	type = fetch_skip_names(b, b->type);
	return type && btf_type_is_ptr(type) ? type->type : 0;
}

static int follow(struct fetch_build *b, u32 type)
{
	int ret = fetch_load(b);

	if (ret)
		return ret;
	b->holds = FETCH_MEMORY;
	b->to_type = false;
	b->type = type;
	return 0;
}

static int member_by_pointer(struct fetch_build *b, const struct fetch_node *node)
{
	u32 id = pointed_to(b);
	int ret;

	if (!id)
		return fetch_refuse(b, -EINVAL, FETCH_E_NO_PTR_STRCT, node->at);
	if (!fetch_is_structure(fetch_skip_names(b, id)))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_BTF_TID, node->at);
	ret = follow(b, id);
	return ret ?: go_to(b, node, fetch_skip_names(b, id));
}

static int member_of_structure(struct fetch_build *b, const struct fetch_node *node)
{
	const struct btf_type *type = fetch_type_of_value(b);

	if (!fetch_is_structure(type) && fetch_is_path(node->of))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_BTF_TID, node->at);
	if (!fetch_is_structure(type) || is_out_of_reach(b, type))
		return fetch_refuse(b, -EOPNOTSUPP, FETCH_E_NOSUP_DAT_ARG, node->at);
	return go_to(b, node, type);
}

/* Bit fields are in no arrays, and bits are counted with 32 bits. */
static int go_to_element(struct fetch_build *b, const struct fetch_node *node, u32 element)
{
	const struct btf_type *type = fetch_skip_names(b, element);
	u32 size;

	if (!type || IS_ERR(btf_resolve_size(b->ctx->btf, type, &size)) ||
	    check_mul_overflow(size * BITS_PER_BYTE, (u32)node->number, &size) ||
	    check_add_overflow(b->bit, size, &b->bit))
		return fetch_refuse(b, -EINVAL, FETCH_E_BAD_BTF_TID, node->at);
	b->type = element;
	return 0;
}

static int element_of_array(struct fetch_build *b, const struct fetch_node *node)
{
	const struct btf_type *type = fetch_type_of_value(b);
	u32 element = pointed_to(b);
	int ret;

	if (type && btf_type_is_array(type)) {
		/* An array without a length ends its structure. */
		if (btf_array(type)->nelems && node->number >= btf_array(type)->nelems)
			return fetch_refuse(b, -EINVAL, FETCH_E_BAD_INDEX, node->at);
		return go_to_element(b, node, btf_array(type)->type);
	}
	if (!element)
		return fetch_refuse(b, -EINVAL, FETCH_E_NO_ARRAY, node->at);
	ret = follow(b, element);
	return ret ?: go_to_element(b, node, element);
}

/**
 * fetch_member_of() - go from a structure or an array, or a pointer to one, into it
 * @b: the program, which has loaded it
 * @node: has the name of the member, or the number of the element
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM.
 */
int fetch_member_of(struct fetch_build *b, const struct fetch_node *node)
{
	if (!b->type)
		return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
	switch (node->kind) {
	case FETCH_ARROW:
		return member_by_pointer(b, node);
	case FETCH_DOT:
		return member_of_structure(b, node);
	default:
		return element_of_array(b, node);
	}
}

/* Of two with that name, the one that the function's module has itself. */
static s32 find_type(const struct btf *btf, const char *name)
{
	struct btf *base = btf_base_btf(btf);
	u32 id = base ? btf_nr_types(base) : btf_nr_types(btf);
	s32 type;

	for (; id < btf_nr_types(btf); id++) {
		const struct btf_type *t = btf_type_by_id(btf, id);

		if (fetch_is_structure(t) &&
		    !strcmp(btf_name_by_offset(btf, t->name_off) ?: "", name))
			return id;
	}
	type = btf_find_by_name_kind(btf, name, BTF_KIND_STRUCT);
	return type < 0 ? btf_find_by_name_kind(btf, name, BTF_KIND_UNION) : type;
}

static int find_structure(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = fetch_find_types(b->ctx);
	char *name;
	s32 type;

	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return fetch_refuse(b, -EINVAL, FETCH_E_NOSUP_BTFARG, node->at);
	name = kstrndup(node->name.s, node->name.len, GFP_KERNEL);
	if (!name)
		return -ENOMEM;
	type = find_type(b->ctx->btf, name);
	kfree(name);
	if (type <= 0 && b->ctx->flags & TPARG_FL_ABSENT)
		return -EAGAIN;
	if (type <= 0)
		return fetch_refuse(b, -ENOENT, FETCH_E_NO_STRUCT, node->at);
	b->type = type;
	b->to_type = true;
	return 0;
}

/* Back from a member to its structure. */
static int subtract_member(struct fetch_build *b, const struct fetch_node *node)
{
	const struct fetch_text *name = &node->member;
	struct fetch_member member;
	int ret;

	ret = fetch_btf_member(b->ctx->btf, fetch_skip_names(b, b->type), name->s, name->len,
			       &member);
	if (ret == -ENOMEM)
		return ret;
	if (ret || member.bits)
		return fetch_refuse(b, -ENOENT, FETCH_E_NO_BTF_FIELD, name->at);
	fetch_add(b, FETCH_OP_ADD)->immediate = -(unsigned long)(member.bit / BITS_PER_BYTE);
	return 0;
}

/* As in C, an array is the address of its first element. */
static int load_pointer(struct fetch_build *b)
{
	const struct btf_type *type = fetch_type_of_value(b);

	if (!type || !btf_type_is_array(type) || !fetch_in_memory(b))
		return fetch_load(b);
	fetch_address(b);
	return 0;
}

/**
 * fetch_cast() - take a value for a pointer to a structure, or to a member of one
 * @b: the program, which has loaded it
 * @node: has the names of the structure and the member
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM.
 */
int fetch_cast(struct fetch_build *b, const struct fetch_node *node)
{
	int ret = load_pointer(b);

	if (!ret)
		ret = find_structure(b, node);
	if (!ret && node->kind == FETCH_CONTAINER)
		ret = subtract_member(b, node);
	return ret;
}

/**
 * fetch_dereference() - go to what the value points to
 * @b: the program, which holds a value
 *
 * Context: may sleep.
 *
 * Return: 0, or an error of fetch_load().
 */
int fetch_dereference(struct fetch_build *b)
{
	return follow(b, b->type ? pointed_to(b) : 0);
}

/**
 * fetch_current_type() - the type of the task
 * @b: the program, which has loaded the task
 *
 * Context: may sleep.
 *
 * Return: 0 or %-ENOMEM; without BTF the type is not known.
 */
int fetch_current_type(struct fetch_build *b)
{
	int ret = fetch_find_types(b->ctx);
	s32 type;

	if (ret)
		return ret == -ENOMEM ? ret : 0;
	type = btf_find_by_name_kind(b->ctx->btf, "task_struct", BTF_KIND_STRUCT);
	b->to_type = type > 0;
	b->type = max(type, 0);
	return 0;
}
