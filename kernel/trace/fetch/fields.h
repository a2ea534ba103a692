/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Filling the fields of a record, one after the other: numbers, structures in registers,
 * and strings, which are behind the fields.
 *
 * A part of trace_probe_tmpl.h, which executes the programs.
 */
#ifndef _TRACE_FETCH_FIELDS_H
#define _TRACE_FETCH_FIELDS_H

/* A structure of several words has a program for each. Return: whether one failed. */
static noinline bool fetch_words(const struct probe_arg *arg, void *rec, void *edata,
				 void *dest, void *base)
{
	struct fetch_insn *code = arg->code;
	bool lacks = false;
	unsigned int n;

	memset(dest, 0, arg->size);
	for (n = 0; n < arg->count; n++, code++) {
		if (process_fetch_insn(code, rec, edata, dest + n * sizeof(long), base) < 0)
			lacks = true;
		while (code->op != FETCH_OP_END)
			code++;
	}
	return lacks;
}

NOKPROBE_SYMBOL(fetch_words)

/* Bytes that the strings of a record take. */
static nokprobe_inline int __get_data_size(struct trace_probe *tp, void *regs, void *edata)
{
	struct probe_arg *arg;
	int len, total = 0;

	/* Most events have no strings. */
	if (likely(!tp->dynamic))
		return 0;
	for (arg = tp->args; arg < tp->args + tp->nr_args; arg++) {
		if (!arg->dynamic)
			continue;
		len = process_fetch_insn(arg->code, regs, edata, NULL, NULL);
		if (len > 0)
			total += len;
	}
	return total;
}

/* Is there a string in a field that was not read? One that was has a byte: its null. */
static nokprobe_inline bool fetch_lacks_string(const struct probe_arg *arg, const void *dest)
{
	const void *end = dest + max(arg->count, 1U) * sizeof(u32);

	while (dest < end && get_loc_len(read_data_loc(dest)))
		dest += sizeof(u32);
	return dest < end;
}

/* A field that is no string. Return: whether it could not be read, or a part of it. */
static nokprobe_inline bool fetch_field(const struct probe_arg *arg, void *rec, void *edata,
					void *dest, void *base)
{
	if (unlikely(arg->by_words))
		return fetch_words(arg, rec, edata, dest, base);
	/* Of an array, elements that can be read stay. */
	if (unlikely(arg->count))
		memset(dest, 0, arg->size);
	if (likely(process_fetch_insn(arg->code, rec, edata, dest, base) >= 0))
		return false;
	if (!arg->count)
		memset(dest, 0, arg->size);
	return true;
}

/**
 * struct fetch_room - where the strings of a record go
 * @strings: the next one
 * @end: the end of all of them
 * @len: bytes for them that a field can tell of
 */
struct fetch_room {
	void *strings;
	void *end;
	int len;
};

/* A string, or an array of them. Return: whether one could not be read. */
static nokprobe_inline bool fetch_dynamic(const struct probe_arg *arg, void *rec, void *edata,
					  void *dest, void *base, struct fetch_room *room)
{
	int ret;

	memset(dest, 0, arg->size);
	write_data_loc(dest, room->len, room->strings - base);
	ret = process_fetch_insn(arg->code, rec, edata, dest, base);
	if (ret < 0)
		fetch_no_string(dest);
	if (ret > 0) {
		room->strings += ret;
		room->len -= ret;
	}
	return fetch_lacks_string(arg, dest);
}

/* As store_trace_args(), of events with strings. */
static noinline int fetch_fields(void *data, struct trace_probe *tp, void *rec, void *edata,
				 void *base, int maxlen)
{
	struct probe_arg *arg, *end = tp->args + tp->nr_args;
	struct fetch_room room = { .strings = data + tp->size };
	int faults = 0;

	room.end = room.strings + max(maxlen, 0);
	/* Fields say with 16 bits where a string is. */
	room.len = clamp(maxlen, 0, U16_MAX - (int)(room.strings - base));
	for (arg = tp->args; arg < end; arg++) {
		void *dest = data + arg->offset;

		if (arg->dynamic)
			faults += fetch_dynamic(arg, rec, edata, dest, base, &room);
		else
			faults += fetch_field(arg, rec, edata, dest, base);
	}
	/* A string may be shorter than it was when it was measured. */
	if (room.end > room.strings)
		memset(room.strings, 0, room.end - room.strings);
	return faults;
}

NOKPROBE_SYMBOL(fetch_fields)

/*
 * Fill the fields of a record at @data, which are @header_size behind its start, and
 * the @maxlen bytes for strings behind them. Return: how many of the fields could not be
 * read, as a whole or a part of them.
 */
static nokprobe_inline int store_trace_args(void *data, struct trace_probe *tp, void *rec,
					    void *edata, int header_size, int maxlen)
{
	struct probe_arg *arg = tp->args, *end = arg + tp->nr_args;
	void *base = data - header_size;
	int faults = 0;

	if (unlikely(tp->dynamic))
		return fetch_fields(data, tp, rec, edata, base, maxlen);
	for (; arg < end; arg++)
		faults += fetch_field(arg, rec, edata, data + arg->offset, base);
	return faults;
}

#endif
