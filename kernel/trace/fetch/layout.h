/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the arguments of an event lie in its records, and how they are printed.
 */
#ifndef _KERNEL_TRACE_FETCH_LAYOUT_H
#define _KERNEL_TRACE_FETCH_LAYOUT_H

#include <linux/seq_buf.h>
#include <linux/types.h>

#include "tree.h"

/**
 * enum fetch_head - what records begin with
 * @FETCH_HEAD_ENTRY: the address that was hit
 * @FETCH_HEAD_RETURN: the function and where it returns to
 * @FETCH_HEAD_EVENT: nothing that is printed
 */
enum fetch_head {
	FETCH_HEAD_ENTRY,
	FETCH_HEAD_RETURN,
	FETCH_HEAD_EVENT,
};

/**
 * struct fetch_field - an argument in a record
 * @name: its name
 * @type: what is recorded
 * @count: number of elements; 0 if it is no array
 * @offset: bytes from the start of the record; filled by fetch_layout()
 * @size: bytes; filled by fetch_layout()
 */
struct fetch_field {
	const char *name;
	const struct fetch_type *type;
	u16 count;
	u32 offset;
	u32 size;
};

u32 fetch_layout(struct fetch_field *fields, unsigned int nr, u32 head);
bool fetch_field_is_signed(const struct fetch_field *field);
int fetch_show_type(const struct fetch_field *field, struct seq_buf *out);
int fetch_show_format(enum fetch_head head, const struct fetch_field *fields,
		      unsigned int nr, struct seq_buf *out);

#endif
