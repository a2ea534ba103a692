// SPDX-License-Identifier: GPL-2.0
/*
 * Where the arguments of a function are when it is called, by the types that BTF
 * has of them and the rules that its compiler keeps. What the rules here do not
 * know is refused: a guess would record another argument.
 */
#include <linux/align.h>
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/log2.h>
#include <linux/math.h>
#include <linux/minmax.h>

#include "btf.h"

/*
 * System V, without floating point. Up to 16 bytes are in registers as a whole or
 * not at all; smaller ones that come later may still use what is left.
 */
const struct fetch_convention fetch_convention_x86_64 = {
	.word = 8,
	.registers = 6,
	.in_registers = 16,
	.returned = 16,
	.aligned = true,
	.packed_on_stack = true,
};

/* As the kernel is compiled: -mregparm=3 -freg-struct-return. */
const struct fetch_convention fetch_convention_i386 = {
	.word = 4,
	.registers = 3,
	.in_registers = 12,
	.returned = 8,
	.powers_returned = true,
	.in_order = true,
	.variadic_on_stack = true,
};

/* Structures in structures, as deep as they are looked at. */
#define MAX_DEPTH	16

/**
 * struct shape - what matters of a type
 * @convention: the rules
 * @btf: has the type
 * @size: bytes
 * @align: bytes, 1 or more
 * @composite: it is a structure or a union
 * @misaligned: it has a member at an offset that is no multiple of its alignment
 */
struct shape {
	const struct fetch_convention *convention;
	const struct btf *btf;
	u32 size;
	u32 align;
	bool composite;
	bool misaligned;
};

static int look_at_type(struct shape *shape, u32 type, u32 bit, unsigned int depth);

static void look_at_scalar(struct shape *shape, u32 size, u32 bit)
{
	u32 align = size;

	if (!shape->convention->aligned)
		align = min_t(u32, align, shape->convention->word);
	shape->align = max(shape->align, align);
	if (bit % (align * 8))
		shape->misaligned = true;
}

static int look_at_members(struct shape *shape, const struct btf_type *type, u32 bit,
			   unsigned int depth)
{
	const struct btf_member *member = btf_type_member(type);
	unsigned int n;
	u32 at;
	int ret;

	for (n = 0; n < btf_type_vlen(type); n++, member++) {
		at = bit + __btf_member_bit_offset(type, member);
		/* Of a bit field, its unit counts. */
		if (__btf_member_bitfield_size(type, member))
			at = 0;
		ret = look_at_type(shape, member->type, at, depth + 1);
		if (ret)
			return ret;
	}
	return 0;
}

static int look_at_type(struct shape *shape, u32 id, u32 bit, unsigned int depth)
{
	const struct btf_type *type = btf_type_skip_modifiers(shape->btf, id, NULL);

	if (!type || depth > MAX_DEPTH)
		return -EOPNOTSUPP;
	switch (btf_kind(type)) {
	case BTF_KIND_PTR:
		look_at_scalar(shape, shape->convention->word, bit);
		return 0;
	case BTF_KIND_INT:
	case BTF_KIND_ENUM:
	case BTF_KIND_ENUM64:
		look_at_scalar(shape, type->size, bit);
		return 0;
	case BTF_KIND_ARRAY:
		/* All elements are as the first one. */
		return look_at_type(shape, btf_array(type)->type, bit, depth + 1);
	case BTF_KIND_STRUCT:
	case BTF_KIND_UNION:
		return look_at_members(shape, type, bit, depth);
	default:
		return -EOPNOTSUPP;
	}
}

/* Its size: of what can be passed by value. */
static u32 size_of(const struct shape *shape, const struct btf_type *type)
{
	return btf_type_is_ptr(type) ? shape->convention->word : type->size;
}

static int shape_of(struct shape *shape, u32 id)
{
	const struct btf_type *type = btf_type_skip_modifiers(shape->btf, id, NULL);

	if (!type || btf_type_is_void(type) || btf_type_is_array(type))
		return -EOPNOTSUPP;
	shape->align = 1;
	shape->misaligned = false;
	shape->composite = btf_type_is_struct(type);
	shape->size = size_of(shape, type);
	return look_at_type(shape, id, 0, 0);
}

static bool is_variadic(const struct btf_type *proto)
{
	unsigned int nr = btf_type_vlen(proto);

	return nr && !btf_params(proto)[nr - 1].type;
}

/**
 * struct call - how far the arguments of a call are placed
 * @used: registers that are taken
 * @stack: bytes of arguments on the stack
 * @no_registers: all are there
 */
struct call {
	unsigned int used;
	u32 stack;
	bool no_registers;
};

static bool fits(const struct call *call, const struct shape *shape, unsigned int words)
{
	const struct fetch_convention *convention = shape->convention;

	if (call->no_registers || shape->size > convention->in_registers)
		return false;
	if (shape->misaligned && convention->packed_on_stack)
		return false;
	return call->used + words <= convention->registers;
}

static void place_on_stack(struct call *call, const struct shape *shape, unsigned int words,
			   struct fetch_place *place)
{
	const struct fetch_convention *convention = shape->convention;

	if (convention->in_order)
		call->no_registers = true;
	if (convention->aligned && shape->align > convention->word)
		call->stack = ALIGN(call->stack, shape->align);
	place->nr_registers = 0;
	/* The return address is below the arguments. */
	place->stack = convention->word + call->stack;
	call->stack += words * convention->word;
}

static void place_next(struct call *call, const struct shape *shape, struct fetch_place *place)
{
	unsigned int words = DIV_ROUND_UP(shape->size, shape->convention->word);

	*place = (struct fetch_place){ .size = shape->size };
	/* A structure without members is nowhere. */
	if (!words)
		return;
	if (!fits(call, shape, words)) {
		place_on_stack(call, shape, words, place);
		return;
	}
	place->first_register = call->used;
	place->nr_registers = words;
	call->used += words;
}

/* A structure that is returned in memory: an argument before all others says where. */
static bool is_returned_in_memory(const struct shape *shape)
{
	if (!shape->composite || !shape->size)
		return false;
	if (shape->misaligned && shape->convention->packed_on_stack)
		return true;
	if (shape->convention->powers_returned && !is_power_of_2(shape->size))
		return true;
	return shape->size > shape->convention->returned;
}

static void place_returned(struct call *call, const struct shape *shape)
{
	struct shape pointer = {
		.convention = shape->convention,
		.size = shape->convention->word,
		.align = shape->convention->word,
	};
	struct fetch_place unused;

	if (is_returned_in_memory(shape))
		place_next(call, &pointer, &unused);
}

/**
 * fetch_btf_parameters() - how many parameters a function has
 * @proto: its prototype
 *
 * Context: any.
 *
 * Return: their number, without the dots of a variadic one.
 */
unsigned int fetch_btf_parameters(const struct btf_type *proto)
{
	return btf_type_vlen(proto) - is_variadic(proto);
}

/**
 * fetch_btf_place() - where an argument is when a function is called
 * @btf: has the types
 * @proto: prototype of the function
 * @convention: how it is called
 * @n: which argument, from 0 on
 * @place: gets where it is
 *
 * Context: may sleep, needs no lock.
 *
 * Return: 0, %-ENOENT if there is no such argument, or %-EOPNOTSUPP if that or one
 * before it has a type that the rules do not know.
 */
int fetch_btf_place(const struct btf *btf, const struct btf_type *proto,
		    const struct fetch_convention *convention, unsigned int n,
		    struct fetch_place *place)
{
	struct call call = { .no_registers = convention->variadic_on_stack && is_variadic(proto) };
	struct shape shape = { .convention = convention, .btf = btf };
	unsigned int i;
	int ret;

	if (n >= fetch_btf_parameters(proto))
		return -ENOENT;
	ret = shape_of(&shape, proto->type);
	/* A scalar that is not known is in a register that has no argument. */
	if (ret && shape.composite)
		return ret;
	if (!ret)
		place_returned(&call, &shape);
	for (i = 0; i <= n; i++) {
		ret = shape_of(&shape, btf_params(proto)[i].type);
		if (ret)
			return ret;
		place_next(&call, &shape, place);
	}
	return 0;
}
