// SPDX-License-Identifier: GPL-2.0
/*
 * How a value is recorded whose type BTF has.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/log2.h>
#include <linux/string.h>

#include "build.h"
#include "names.h"

/* A structure of one member that fills it is that member. */
static const struct btf_type *unwrap(const struct fetch_build *b, u32 id)
{
	const struct btf_type *type = fetch_skip_names(b, id), *inner;

	while (fetch_is_structure(type) && btf_type_vlen(type) == 1) {
		inner = fetch_skip_names(b, btf_type_member(type)->type);
		if (!inner || btf_type_is_ptr(inner) || btf_type_is_array(inner) ||
		    inner->size != type->size ||
		    __btf_member_bitfield_size(type, btf_type_member(type)))
			break;
		type = inner;
	}
	return type;
}

static bool is_signed_number(const struct btf_type *type)
{
	if (btf_type_is_int(type))
		return btf_int_encoding(type) & BTF_INT_SIGNED;
	return btf_is_any_enum(type) && btf_type_kflag(type);
}

static bool is_number(const struct btf_type *type)
{
	return type && (btf_type_is_int(type) || btf_is_any_enum(type));
}

static const struct fetch_type *type_of_number(const struct btf_type *type)
{
	return is_number(type) ? fetch_number_type(type->size, is_signed_number(type)) : NULL;
}

/* What C calls so: other numbers of 8 bits are text only where the event says it. */
static bool is_char(const struct fetch_build *b, const struct btf_type *type)
{
	return type && btf_type_is_int(type) &&
	       !strcmp(btf_name_by_offset(b->ctx->btf, type->name_off) ?: "", "char");
}

static bool is_text_array(const struct fetch_build *b, const struct btf_type *type)
{
	return type && btf_type_is_array(type) && fetch_in_memory(b) &&
	       is_char(b, fetch_skip_names(b, btf_array(type)->type));
}

static bool is_character(const struct btf_type *type)
{
	return type && btf_type_is_int(type) && type->size == 1;
}

static int record_as(struct probe_arg *arg, const struct fetch_type *type, u32 count)
{
	arg->type = type;
	arg->count = count;
	return type ? 0 : -EINVAL;
}

/* Numbers or pointers, as many as may be recorded. Structures have more than one value. */
static int type_of_array(const struct fetch_build *b, const struct btf_array *array,
			 struct probe_arg *arg)
{
	const struct btf_type *element = unwrap(b, array->type);

	if (!fetch_in_memory(b) || !array->nelems || array->nelems > FETCH_MAX_ARRAY || !element)
		return -EINVAL;
	return record_as(arg, btf_type_is_ptr(element) ? fetch_default_type() :
			 type_of_number(element), array->nelems);
}

/* One word or two: more would be a dump. One load has to be able to read the last. */
static int type_of_structure(const struct fetch_build *b, const struct btf_type *type,
			     struct probe_arg *arg)
{
	u32 rest = type->size % sizeof(long);

	if (!type->size || type->size > 2 * sizeof(long) || (rest && !is_power_of_2(rest)))
		return -EINVAL;
	arg->by_words = type->size > sizeof(long);
	return record_as(arg, fetch_default_type(), arg->by_words ? 2 : 0);
}

/**
 * fetch_btf_type() - how a value is recorded if the text does not say it
 * @b: the program, which has loaded it
 * @arg: gets the type, and the number of elements if it is an array
 *
 * Context: any.
 *
 * Return: 0, or %-EINVAL if it is nothing that can be recorded.
 */
int fetch_btf_type(const struct fetch_build *b, struct probe_arg *arg)
{
	const struct btf_type *type = b->to_type ? NULL : unwrap(b, b->type);

	if (!type || btf_type_is_ptr(type))
		return record_as(arg, fetch_default_type(), 0);
	if (is_text_array(b, type))
		return record_as(arg, fetch_string_type(), 0);
	if (btf_type_is_array(type))
		return type_of_array(b, btf_array(type), arg);
	if (fetch_is_structure(type))
		return type_of_structure(b, type, arg);
	/* One that is returned in two registers, say: there is one of its words. */
	if (fetch_is_wide(b) && !fetch_in_memory(b))
		return -EINVAL;
	return record_as(arg, type_of_number(type), 0);
}

/* Enumerators of 4 bytes have another form in BTF than those of 8. */
static u64 enumerator(const struct fetch_build *b, const struct btf_type *type, unsigned int n,
		      const char **name)
{
	bool large = btf_kind(type) == BTF_KIND_ENUM64;

	*name = btf_name_by_offset(b->ctx->btf, large ? btf_enum64(type)[n].name_off :
				   btf_enum(type)[n].name_off) ?: "";
	return large ? btf_enum64_value(&btf_enum64(type)[n]) : (s64)btf_enum(type)[n].val;
}

static struct fetch_names *copy_names(const struct fetch_build *b, const struct btf_type *type)
{
	unsigned int n, nr = btf_type_vlen(type);
	struct fetch_names *names;
	size_t bytes = 0;
	const char *name;

	for (n = 0; n < nr; n++) {
		enumerator(b, type, n, &name);
		bytes += strlen(name) + 1;
	}
	names = fetch_alloc_names(nr, bytes);
	for (n = 0; names && n < nr; n++) {
		u64 value = enumerator(b, type, n, &name);

		fetch_add_name(names, fetch_bits_of_size(value, type->size), name);
	}
	return names;
}

/**
 * fetch_enumeration() - how a value is recorded whose enumerators are printed
 * @b: the program, which has loaded it
 * @arg: gets the type, the names, and the number of elements if it is an array and the
 *	 text does not say it
 *
 * Context: may sleep.
 *
 * Return: 0, %-EINVAL if it is no enumeration, or %-ENOMEM.
 */
int fetch_enumeration(const struct fetch_build *b, struct probe_arg *arg)
{
	const struct btf_type *type = fetch_type_of_value(b);
	u32 count = b->tree->cast.count;

	if (type && btf_type_is_array(type) && fetch_in_memory(b)) {
		count = count ?: btf_array(type)->nelems;
		type = fetch_skip_names(b, btf_array(type)->type);
	}
	if (!type || !btf_is_any_enum(type) || count > FETCH_MAX_ARRAY ||
	    record_as(arg, type_of_number(type), count))
		return -EINVAL;
	arg->names = copy_names(b, type);
	return arg->names ? 0 : -ENOMEM;
}

/**
 * fetch_is_characters() - can a value be a string?
 * @b: the program, which has loaded it
 * @array: gets whether it is an array, not a pointer
 * @nr: gets the number of its elements; 0 if the array ends its structure
 *
 * Context: any.
 *
 * Return: true if so: it points to characters, or they are its elements.
 */
bool fetch_is_characters(const struct fetch_build *b, bool *array, u32 *nr)
{
	const struct btf_type *type = fetch_type_of_value(b);

	if (!type)
		return false;
	*array = btf_type_is_array(type);
	if (*array) {
		*nr = btf_array(type)->nelems;
		return is_character(fetch_skip_names(b, btf_array(type)->type));
	}
	return btf_type_is_ptr(type) && is_character(fetch_skip_names(b, type->type));
}

/**
 * fetch_bits_of() - how wide a value is
 * @b: the program, which holds it
 *
 * Context: any.
 *
 * Return: bits; those of a word for what has no size that can be loaded.
 */
unsigned int fetch_bits_of(const struct fetch_build *b)
{
	const struct btf_type *type = fetch_type_of_value(b) ? unwrap(b, b->type) : NULL;

	if (b->bits)
		return b->bits;
	if (!type || btf_type_is_ptr(type) || btf_type_is_array(type) || !type->size ||
	    type->size > sizeof(long) || !is_power_of_2(type->size))
		return BITS_PER_LONG;
	return type->size * BITS_PER_BYTE;
}

/**
 * fetch_is_wide() - is a value a number that is larger than a word?
 * @b: the program, which holds it
 *
 * Context: any.
 *
 * Return: true if so. It can be copied from memory, and not be loaded.
 */
bool fetch_is_wide(const struct fetch_build *b)
{
	const struct btf_type *type = fetch_type_of_value(b) ? unwrap(b, b->type) : NULL;

	return !b->bits && is_number(type) && type->size > sizeof(long);
}

/**
 * fetch_size_of() - how large a structure is
 * @b: the program, which holds it
 *
 * Context: any.
 *
 * Return: bytes; 0 for what is none.
 */
u32 fetch_size_of(const struct fetch_build *b)
{
	const struct btf_type *type = fetch_type_of_value(b);

	return fetch_is_structure(type) ? type->size : 0;
}

/**
 * fetch_is_signed() - has a value a sign?
 * @b: the program, which holds it
 *
 * Context: any.
 *
 * Return: true if so.
 */
bool fetch_is_signed(const struct fetch_build *b)
{
	const struct btf_type *type = fetch_type_of_value(b) ? unwrap(b, b->type) : NULL;

	return type && is_signed_number(type);
}
