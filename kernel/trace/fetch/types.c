// SPDX-License-Identifier: GPL-2.0
/*
 * The types that the text of an argument can name.
 */
#include <linux/kernel.h>
#include <linux/string.h>

#include "text.h"

#define NUMBER(_name, _size, _signed, _recorded, _format) { \
	.name = _name, .size = _size, .is_signed = _signed, .recorded = _recorded, \
	.format = _format, \
}

/* What is printed for a string comes with its quotes. */
#define STRING(_name, _kernel) { \
	.name = _name, .kernel_only = _kernel, .format = "\\\"%s\\\"", \
}

enum {
	U8, U16, U32, U64, S8, S16, S32, S64, X8, X16, X32, X64, TEXT,
};

static const struct fetch_type types[] = {
	[U8] = NUMBER("u8", 1, false, "u8", "%u"),
	[U16] = NUMBER("u16", 2, false, "u16", "%u"),
	[U32] = NUMBER("u32", 4, false, "u32", "%u"),
	[U64] = NUMBER("u64", 8, false, "u64", "%Lu"),
	[S8] = NUMBER("s8", 1, true, "s8", "%d"),
	[S16] = NUMBER("s16", 2, true, "s16", "%d"),
	[S32] = NUMBER("s32", 4, true, "s32", "%d"),
	[S64] = NUMBER("s64", 8, true, "s64", "%Ld"),
	[X8] = NUMBER("x8", 1, false, "u8", "0x%x"),
	[X16] = NUMBER("x16", 2, false, "u16", "0x%x"),
	[X32] = NUMBER("x32", 4, false, "u32", "0x%x"),
	[X64] = NUMBER("x64", 8, false, "u64", "0x%Lx"),
	[TEXT] = STRING("string", false),
	NUMBER("char", 1, false, "u8", "'%c'"),
	{
		.name = "symbol", .size = sizeof(long), .kernel_only = true,
		.recorded = sizeof(long) == 8 ? "u64" : "u32", .format = "%pS",
	},
	STRING("ustring", false),
	STRING("symstr", true),
	{
		.name = "enum", .size = sizeof(int), .kernel_only = true, .enumeration = true,
		.recorded = "s32", .format = "%d",
	},
};

/* What a bit field lies in is told by its number of bits. */
static const struct {
	const char *suffix;
	unsigned int type;
} containers[] = {
	{ "/8", U8 },
	{ "/16", U16 },
	{ "/32", U32 },
	{ "/64", U64 },
};

static const struct fetch_type *find_container(const struct fetch_text *name)
{
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(containers); n++) {
		if (text_ends_with(name, containers[n].suffix))
			return &types[containers[n].type];
	}
	return NULL;
}

static bool is_for(const struct fetch_type *type, enum fetch_where where)
{
	return !type->kernel_only || where != FETCH_IN_PROCESS;
}

/**
 * fetch_find_type() - find a type by its name
 * @name: the name, without what makes it an array; ``bWIDTH@FIRST/CONTAINER`` is
 *	  one, too
 * @where: what kind of event it is for
 *
 * Context: any.
 *
 * Return: the type, that of the container of a bit field, or NULL if there is none.
 */
const struct fetch_type *fetch_find_type(const struct fetch_text *name, enum fetch_where where)
{
	unsigned int n;

	if (name->len && name->s[0] == 'b')
		return find_container(name);
	for (n = 0; n < ARRAY_SIZE(types); n++) {
		if (text_equals(name, types[n].name))
			return is_for(&types[n], where) ? &types[n] : NULL;
	}
	return NULL;
}

/**
 * fetch_default_type() - the type of a value of which nothing is known
 *
 * Context: any.
 *
 * Return: a word in hexadecimal digits.
 */
const struct fetch_type *fetch_default_type(void)
{
	return &types[sizeof(long) == 8 ? X64 : X32];
}

/**
 * fetch_number_type() - the type of a number
 * @size: its bytes
 * @is_signed: it has a sign
 *
 * Context: any.
 *
 * Return: the type, or NULL if no number has that size.
 */
const struct fetch_type *fetch_number_type(unsigned int size, bool is_signed)
{
	unsigned int n;

	for (n = U8; n <= S64; n++) {
		if (types[n].size == size && types[n].is_signed == is_signed)
			return &types[n];
	}
	return NULL;
}

/**
 * fetch_string_type() - the type of a string in the memory of the kernel
 *
 * Context: any.
 *
 * Return: the type.
 */
const struct fetch_type *fetch_string_type(void)
{
	return &types[TEXT];
}
