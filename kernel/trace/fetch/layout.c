// SPDX-License-Identifier: GPL-2.0
/*
 * How the arguments of an event lie in its records, and how they are printed. Both
 * are told to users in the format file of the event, which programs read: no byte
 * of it may change.
 */
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>

#include "layout.h"

/* A string is behind the fields; in its place is where, and how long it is. */
static bool is_string(const struct fetch_field *field)
{
	return !field->type->size;
}

static unsigned int elements(const struct fetch_field *field)
{
	return field->count ?: 1;
}

/**
 * fetch_layout() - give the fields of a record their places
 * @fields: the fields, in the order in which they are recorded
 * @nr: how many
 * @head: bytes that are before them
 *
 * There is nothing between two fields, whatever they are.
 *
 * Context: any.
 *
 * Return: size of a record, without the strings behind it.
 */
u32 fetch_layout(struct fetch_field *fields, unsigned int nr, u32 head)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		u32 size = is_string(&fields[n]) ? sizeof(u32) : fields[n].type->size;

		fields[n].offset = head;
		fields[n].size = size * elements(&fields[n]);
		head += fields[n].size;
	}
	return head;
}

/**
 * fetch_field_is_signed() - does the format file call a field signed?
 * @field: the field
 *
 * Context: any.
 *
 * Return: true if so: strings are signed, too.
 */
bool fetch_field_is_signed(const struct fetch_field *field)
{
	return is_string(field) || field->type->is_signed;
}

/**
 * fetch_show_type() - the type of a field in the format file
 * @field: the field
 * @out: gets the type
 *
 * Context: any.
 *
 * Return: 0, or %-E2BIG if @out is full.
 */
int fetch_show_type(const struct fetch_field *field, struct seq_buf *out)
{
	if (is_string(field))
		seq_buf_puts(out, "__data_loc char[]");
	else
		seq_buf_puts(out, field->type->recorded);
	if (field->count && is_string(field))
		seq_buf_printf(out, "[%u]", field->count);
	else if (field->count)
		seq_buf_puts(out, "[]");
	return seq_buf_has_overflowed(out) ? -E2BIG : 0;
}

static void show_value(const struct fetch_field *field, struct seq_buf *out)
{
	unsigned int n;

	seq_buf_printf(out, " %s=", field->name);
	if (!field->count) {
		seq_buf_puts(out, field->type->format);
		return;
	}
	for (n = 0; n < field->count; n++)
		seq_buf_printf(out, "%c%s", n ? ',' : '{', field->type->format);
	seq_buf_putc(out, '}');
}

static void show_argument(const struct fetch_field *field, struct seq_buf *out)
{
	const char *before = is_string(field) ? "__get_str(" : "REC->";
	const char *behind = is_string(field) ? ")" : "";
	unsigned int n;

	if (!field->count)
		seq_buf_printf(out, ", %s%s%s", before, field->name, behind);
	for (n = 0; n < field->count; n++)
		seq_buf_printf(out, ", %s%s[%u]%s", before, field->name, n, behind);
}

static const struct {
	const char *format;
	const char *arguments;
} heads[] = {
	[FETCH_HEAD_ENTRY] = { "(%lx)", ", REC->__probe_ip" },
	[FETCH_HEAD_RETURN] = { "(%lx <- %lx)", ", REC->__probe_func, REC->__probe_ret_ip" },
	[FETCH_HEAD_EVENT] = { "", "" },
};

/**
 * fetch_show_format() - how records are printed, as the format file says it
 * @head: what they begin with
 * @fields: the arguments
 * @nr: how many
 * @out: gets the format in quotes, and what is printed by it
 *
 * Context: any.
 *
 * Return: 0, or %-E2BIG if @out is full.
 */
int fetch_show_format(enum fetch_head head, const struct fetch_field *fields,
		      unsigned int nr, struct seq_buf *out)
{
	unsigned int n;

	seq_buf_printf(out, "\"%s", heads[head].format);
	for (n = 0; n < nr; n++)
		show_value(&fields[n], out);
	seq_buf_printf(out, "\"%s", heads[head].arguments);
	for (n = 0; n < nr; n++)
		show_argument(&fields[n], out);
	return seq_buf_has_overflowed(out) ? -E2BIG : 0;
}
