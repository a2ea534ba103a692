// SPDX-License-Identifier: GPL-2.0
/*
 * The names of numbers that events print: they are copies, for the module whose
 * enumeration has them may go before the last record is printed.
 */
#include <linux/kernel.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "names.h"

/**
 * fetch_alloc_names() - make room for names
 * @nr: how many there will be
 * @bytes: of all of them, with their nulls
 *
 * Context: may sleep.
 *
 * Return: no names yet, to be freed with kfree(); or NULL if memory is short.
 */
struct fetch_names *fetch_alloc_names(unsigned int nr, size_t bytes)
{
	struct fetch_names *names;

	names = kmalloc(size_add(struct_size(names, names, nr), bytes), GFP_KERNEL);
	if (names) {
		names->nr = 0;
		names->free = (char *)&names->names[nr];
	}
	return names;
}

/**
 * fetch_add_name() - give a number a name
 * @names: has room for it
 * @value: the number
 * @name: its name, which is copied
 *
 * Context: any.
 */
void fetch_add_name(struct fetch_names *names, u64 value, const char *name)
{
	size_t size = strlen(name) + 1;

	memcpy(names->free, name, size);
	names->names[names->nr++] = (struct fetch_name){ .value = value, .name = names->free };
	names->free += size;
}

/**
 * fetch_find_name() - the name of a number
 * @names: all that have one
 * @value: the number, of as many bits as are recorded
 *
 * Context: any.
 *
 * Return: the first name that it has; NULL if it has none.
 */
const char *fetch_find_name(const struct fetch_names *names, u64 value)
{
	unsigned int n;

	for (n = 0; n < names->nr; n++) {
		if (names->names[n].value == value)
			return names->names[n].name;
	}
	return NULL;
}

/**
 * fetch_same_names() - have the same numbers the same names?
 * @a: names, or NULL for none
 * @b: others
 *
 * Context: any.
 *
 * Return: true if so.
 */
bool fetch_same_names(const struct fetch_names *a, const struct fetch_names *b)
{
	unsigned int n;

	if (!a || !b)
		return a == b;
	for (n = 0; n < a->nr && n < b->nr; n++) {
		if (a->names[n].value != b->names[n].value ||
		    strcmp(a->names[n].name, b->names[n].name))
			return false;
	}
	return a->nr == b->nr;
}

/**
 * fetch_show_names() - names as a format file has them
 * @names: the names
 * @out: gets them, each behind a comma
 *
 * Programs compare what is in a field with numbers without a sign, and take what begins
 * with no digit for a symbol: so negative numbers are told by their bits.
 *
 * Context: any.
 */
void fetch_show_names(const struct fetch_names *names, struct seq_buf *out)
{
	const struct fetch_name *name;

	for (name = names->names; name < names->names + names->nr; name++)
		seq_buf_printf(out, ", { %llu, \"%s\" }", name->value, name->name);
}
