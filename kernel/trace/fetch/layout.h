/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the arguments of an event lie in its records, and what its format file says.
 */
#ifndef _KERNEL_TRACE_FETCH_LAYOUT_H
#define _KERNEL_TRACE_FETCH_LAYOUT_H

#include <linux/seq_buf.h>
#include <linux/types.h>

#include "../trace_probe.h"
#include "tree.h"

u32 fetch_layout(struct probe_arg *args, unsigned int nr, u32 head);
bool fetch_field_is_signed(const struct probe_arg *arg);
int fetch_show_type(const struct probe_arg *arg, struct seq_buf *out);
int fetch_show_format(enum probe_print_type head, const struct probe_arg *args,
		      unsigned int nr, struct seq_buf *out);

/* A string is behind the fields; in its place is where, and how long it is. */
static inline bool fetch_type_is_text(const struct fetch_type *type)
{
	return !type->size;
}

#endif
