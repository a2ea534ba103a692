// SPDX-License-Identifier: GPL-2.0
/*
 * What is shown of the arguments of an event: of each record in the trace, and of all
 * records in the format file.
 */
#include <linux/bitops.h>
#include <linux/err.h>
#include <linux/kernel.h>
#include <linux/seq_buf.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>
#include <linux/unaligned.h>

#include "../trace_probe.h"
#include "layout.h"
#include "names.h"

/* Room for the longest: "__data_loc char[][64]". */
#define MAX_TYPE_LEN	32

/* Fields have no gaps between them, so they are not aligned. */
static u64 read_number(const struct fetch_type *type, const u8 *field)
{
	u64 value;

	switch (type->size) {
	case 1:
		value = *field;
		break;
	case 2:
		value = get_unaligned((const u16 *)field);
		break;
	case 4:
		value = get_unaligned((const u32 *)field);
		break;
	default:
		value = get_unaligned((const u64 *)field);
	}
	return type->is_signed ? sign_extend64(value, type->size * 8 - 1) : value;
}

/* Return: false if it has none. */
static bool print_name(struct trace_seq *s, const struct probe_arg *arg, const u8 *field)
{
	const char *name = NULL;

	if (arg->names)
		name = fetch_find_name(arg->names,
				       fetch_bits_of_size(read_number(arg->type, field),
							  arg->type->size));
	if (name)
		trace_seq_puts(s, name);
	return name;
}

static void print_number(struct trace_seq *s, const struct fetch_type *type, const u8 *field)
{
	u64 value = read_number(type, field);

	if (!strcmp(type->format, "%pS"))
		trace_seq_printf(s, type->format, (void *)(unsigned long)value);
	else if (type->size == sizeof(u64))
		trace_seq_printf(s, type->format, value);
	else
		trace_seq_printf(s, type->format, (u32)value);
}

/* What could not be read has not even the null that ends a string. */
static void print_string(struct trace_seq *s, const u8 *field, void *record)
{
	u32 loc = get_unaligned((const u32 *)field);
	int len = min(get_loc_len(loc), MAX_STRING_SIZE);

	if (len)
		trace_seq_printf(s, "\"%.*s\"", len, (char *)get_loc_data(&loc, record));
	else
		trace_seq_puts(s, "(fault)");
}

static void print_value(struct trace_seq *s, const struct probe_arg *arg, const u8 *field,
			void *record)
{
	if (fetch_type_is_text(arg->type))
		print_string(s, field, record);
	else if (!print_name(s, arg, field))
		print_number(s, arg->type, field);
}

static void print_array(struct trace_seq *s, const struct probe_arg *arg, const u8 *field,
			void *record)
{
	u32 n, size = arg->size / arg->count;

	for (n = 0; n < arg->count; n++) {
		trace_seq_putc(s, n ? ',' : '{');
		print_value(s, arg, field + n * size, record);
	}
	trace_seq_putc(s, '}');
}

/**
 * trace_probe_print_args() - print the arguments of a record
 * @s: gets the text
 * @args: the arguments
 * @nr_args: how many
 * @data: the fields of the record, behind its head
 * @field: the record
 *
 * Context: any.
 *
 * Return: 0, or %-ENOSPC if @s is full.
 */
int trace_probe_print_args(struct trace_seq *s, struct probe_arg *args, int nr_args,
			   u8 *data, void *field)
{
	const struct probe_arg *arg;

	for (arg = args; arg < args + nr_args; arg++) {
		trace_seq_printf(s, " %s=", arg->name);
		if (arg->count)
			print_array(s, arg, data + arg->offset, field);
		else
			print_value(s, arg, data + arg->offset, field);
	}
	return trace_seq_has_overflowed(s) ? -ENOSPC : 0;
}

/* In a buffer of that size, or %-E2BIG. */
static char *show_format(const struct trace_probe *tp, enum probe_print_type ptype, size_t size)
{
	char *text = kmalloc(size, GFP_KERNEL);
	struct seq_buf out;
	int ret;

	if (!text)
		return ERR_PTR(-ENOMEM);
	seq_buf_init(&out, text, size);
	ret = fetch_show_format(ptype, tp->args, tp->nr_args, &out);
	if (!ret) {
		seq_buf_str(&out);
		return text;
	}
	kfree(text);
	return ERR_PTR(ret);
}

/**
 * traceprobe_set_print_fmt() - say in the format file how records are printed
 * @tp: the only probe of a new event, with all of its arguments
 * @ptype: what the records begin with
 *
 * Context: may sleep.
 *
 * Return: 0 or %-ENOMEM.
 */
int traceprobe_set_print_fmt(struct trace_probe *tp, enum probe_print_type ptype)
{
	size_t size = 256;
	char *text;

	do {
		text = show_format(tp, ptype, size);
		size *= 2;
	} while (text == ERR_PTR(-E2BIG));
	if (IS_ERR(text))
		return PTR_ERR(text);
	kfree(tp->event->call.print_fmt);
	tp->event->call.print_fmt = text;
	return 0;
}

/*
 * The fields of an event live as long as the event, and refer to their names and types.
 * The probe that defines them may go before: so the event has copies.
 */
static char *alloc_texts(const struct trace_probe *tp)
{
	size_t size = 0;
	unsigned int n;

	for (n = 0; n < tp->nr_args; n++)
		size += strlen(tp->args[n].name) + 1 + MAX_TYPE_LEN;
	return kmalloc(size, GFP_KERNEL);
}

/* At @text are the texts of the fields that follow. */
static int define_field(struct trace_event_call *call, size_t head, const struct probe_arg *arg,
			char **text)
{
	size_t len = strlen(arg->name) + 1;
	char *name = *text, *type = name + len;
	struct seq_buf out;
	int ret;

	memcpy(name, arg->name, len);
	seq_buf_init(&out, type, MAX_TYPE_LEN);
	ret = fetch_show_type(arg, &out);
	if (ret)
		return ret;
	*text = type + strlen(seq_buf_str(&out)) + 1;
	return trace_define_field(call, type, name, head + arg->offset, arg->size,
				  fetch_field_is_signed(arg), FILTER_OTHER);
}

/**
 * traceprobe_define_arg_fields() - say in the format file which fields records have
 * @event_call: the event; gets the fields
 * @offset: bytes of the head of a record
 * @tp: the first probe of the event
 *
 * Context: may sleep.
 *
 * Return: 0 or %-ENOMEM.
 */
int traceprobe_define_arg_fields(struct trace_event_call *event_call, size_t offset,
				 struct trace_probe *tp)
{
	struct trace_probe_event *event = tp->event;
	unsigned int n;
	char *text;
	int ret = 0;

	if (!event->texts)
		event->texts = alloc_texts(tp);
	text = event->texts;
	if (!text)
		return -ENOMEM;
	for (n = 0; n < tp->nr_args && !ret; n++)
		ret = define_field(event_call, offset, &tp->args[n], &text);
	return ret;
}
