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
#include "names.h"

static unsigned int elements(const struct probe_arg *arg)
{
	return arg->count ?: 1;
}

/**
 * fetch_layout() - give the fields of arguments their places
 * @args: the arguments, in the order in which they are recorded
 * @nr: how many
 * @head: bytes that are before them
 *
 * There is nothing between two fields, whatever they are.
 *
 * Context: any.
 *
 * Return: bytes up to the end of the last field.
 */
u32 fetch_layout(struct probe_arg *args, unsigned int nr, u32 head)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		const struct fetch_type *type = args[n].type;

		args[n].offset = head;
		args[n].size = fetch_type_is_text(type) ? sizeof(u32) : type->size;
		args[n].size *= elements(&args[n]);
		head += args[n].size;
	}
	return head;
}

/**
 * fetch_field_is_signed() - does the format file call a field signed?
 * @arg: the argument
 *
 * Context: any.
 *
 * Return: true if so: strings are signed, too.
 */
bool fetch_field_is_signed(const struct probe_arg *arg)
{
	return fetch_type_is_text(arg->type) || arg->type->is_signed;
}

/**
 * fetch_show_type() - the type of a field in the format file
 * @arg: the argument
 * @out: gets the type
 *
 * Context: any.
 *
 * Return: 0, or %-E2BIG if @out is full.
 */
int fetch_show_type(const struct probe_arg *arg, struct seq_buf *out)
{
	if (fetch_type_is_text(arg->type))
		seq_buf_puts(out, "__data_loc char[]");
	else
		seq_buf_puts(out, arg->type->recorded);
	if (arg->count && fetch_type_is_text(arg->type))
		seq_buf_printf(out, "[%u]", arg->count);
	else if (arg->count)
		seq_buf_puts(out, "[]");
	return seq_buf_has_overflowed(out) ? -E2BIG : 0;
}

/* Of an array, all names for each element would be too much. */
static bool shows_names(const struct probe_arg *arg)
{
	return arg->names && arg->names->nr && !arg->count;
}

static void show_value(const struct probe_arg *arg, struct seq_buf *out)
{
	unsigned int n;

	seq_buf_printf(out, " %s=", arg->name);
	if (!arg->count) {
		seq_buf_puts(out, shows_names(arg) ? "%s" : arg->type->format);
		return;
	}
	for (n = 0; n < arg->count; n++)
		seq_buf_printf(out, "%c%s", n ? ',' : '{', arg->type->format);
	seq_buf_putc(out, '}');
}

static void show_symbolic(const struct probe_arg *arg, struct seq_buf *out)
{
	seq_buf_printf(out, ", __print_symbolic(REC->%s", arg->name);
	fetch_show_names(arg->names, out);
	seq_buf_putc(out, ')');
}

static void show_argument(const struct probe_arg *arg, struct seq_buf *out)
{
	const char *before = fetch_type_is_text(arg->type) ? "__get_str(" : "REC->";
	const char *behind = fetch_type_is_text(arg->type) ? ")" : "";
	unsigned int n;

	if (shows_names(arg))
		show_symbolic(arg, out);
	else if (!arg->count)
		seq_buf_printf(out, ", %s%s%s", before, arg->name, behind);
	for (n = 0; n < arg->count; n++)
		seq_buf_printf(out, ", %s%s[%u]%s", before, arg->name, n, behind);
}

static const struct {
	const char *format;
	const char *arguments;
} heads[] = {
	[PROBE_PRINT_NORMAL] = { "(%lx)", ", REC->__probe_ip" },
	[PROBE_PRINT_RETURN] = { "(%lx <- %lx)", ", REC->__probe_func, REC->__probe_ret_ip" },
	[PROBE_PRINT_EVENT] = { "", "" },
};

/**
 * fetch_show_format() - how records are printed, as the format file says it
 * @head: what they begin with
 * @args: the arguments
 * @nr: how many
 * @out: gets the format in quotes, and what is printed by it
 *
 * Context: any.
 *
 * Return: 0, or %-E2BIG if @out is full.
 */
int fetch_show_format(enum probe_print_type head, const struct probe_arg *args,
		      unsigned int nr, struct seq_buf *out)
{
	unsigned int n;

	seq_buf_printf(out, "\"%s", heads[head].format);
	for (n = 0; n < nr; n++)
		show_value(&args[n], out);
	seq_buf_printf(out, "\"%s", heads[head].arguments);
	for (n = 0; n < nr; n++)
		show_argument(&args[n], out);
	return seq_buf_has_overflowed(out) ? -E2BIG : 0;
}
