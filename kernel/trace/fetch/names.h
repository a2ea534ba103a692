/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Names of numbers: of the enumerators of an enumeration.
 */
#ifndef _KERNEL_TRACE_FETCH_NAMES_H
#define _KERNEL_TRACE_FETCH_NAMES_H

#include <linux/bits.h>
#include <linux/seq_buf.h>
#include <linux/types.h>

/**
 * struct fetch_name - a number that has a name
 * @value: the number, of as many bits as are recorded
 * @name: its name
 */
struct fetch_name {
	u64 value;
	const char *name;
};

/**
 * struct fetch_names - the numbers that have names
 * @nr: how many
 * @free: where the text of the next name goes, behind @names
 * @names: the names, in the order of the enumeration
 */
struct fetch_names {
	unsigned int nr;
	char *free;
	struct fetch_name names[];
};

/* What of a number with a sign is in a field of @size bytes. */
static inline u64 fetch_bits_of_size(u64 value, unsigned int size)
{
	return value & GENMASK_ULL(size * BITS_PER_BYTE - 1, 0);
}

struct fetch_names *fetch_alloc_names(unsigned int nr, size_t bytes);
void fetch_add_name(struct fetch_names *names, u64 value, const char *name);
const char *fetch_find_name(const struct fetch_names *names, u64 value);
bool fetch_same_names(const struct fetch_names *a, const struct fetch_names *b);
void fetch_show_names(const struct fetch_names *names, struct seq_buf *out);

#endif
