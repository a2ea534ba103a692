/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Recording strings: those of the kernel and of processes, arrays of characters, names
 * of symbols and texts of the command. Each returns the length with the null, or an
 * error; without a @dest it is only measured. A @dest says where there is room, and gets
 * how much of it was used.
 *
 * A part of trace_probe_tmpl.h, which declares the functions that read memory.
 */
#ifndef _TRACE_FETCH_STRING_H
#define _TRACE_FETCH_STRING_H

/* The name of a symbol, as %pS prints it. */
static nokprobe_inline int fetch_symbol_name(unsigned long val, void *dest, void *base)
{
	u32 loc;
	int len;

	if (!dest)
		return snprintf(NULL, 0, "%pS", (void *)val) + 1;
	loc = read_data_loc(dest);
	if (!get_loc_len(loc))
		return -ENOMEM;
	len = scnprintf(get_loc_data(dest, base), get_loc_len(loc), "%pS", (void *)val) + 1;
	write_data_loc(dest, len, get_loc_offs(loc));
	return len;
}

/* A text of the command: also an event on a process has it in the kernel's memory. */
static nokprobe_inline int fetch_text(const char *text, void *dest, void *base)
{
	int len = strlen(text) + 1;
	u32 loc;

	if (!dest)
		return len;
	loc = read_data_loc(dest);
	if (!get_loc_len(loc))
		return -ENOMEM;
	len = min_t(int, len, get_loc_len(loc));
	strscpy(get_loc_data(dest, base), text, len);
	write_data_loc(dest, len, get_loc_offs(loc));
	return len;
}

/*
 * Up to @max bytes of an array of characters, or those before its null. @to: where to;
 * without it they are only counted. Return: how many, or an error.
 */
static nokprobe_inline int fetch_characters(const struct fetch_insn *code, unsigned long from,
					    char *to, int max)
{
	int done, size, len, ret;
	char chunk[64], *at;

	for (done = 0; done < max; done += size) {
		size = min_t(int, max - done, sizeof(chunk));
		at = to ? to + done : chunk;
		if (code->op == FETCH_OP_STRING)
			ret = probe_mem_read(at, (void *)(from + done), size);
		else
			ret = probe_mem_read_user(at, (void *)(from + done), size);
		if (ret)
			return ret;
		len = strnlen(at, size);
		if (len < size)
			return done + len;
	}
	return max;
}

/* What has no null in @limit bytes gets one behind them. */
static nokprobe_inline int fetch_bounded_string(const struct fetch_insn *code, unsigned long val,
						void *dest, void *base)
{
	u32 loc = dest ? read_data_loc(dest) : make_data_loc(MAX_STRING_SIZE, 0);
	char *to = dest ? get_loc_data(dest, base) : NULL;
	int len;

	if (!get_loc_len(loc))
		return -ENOMEM;
	len = fetch_characters(code, val, to, min_t(int, code->limit, get_loc_len(loc) - 1));
	if (len < 0)
		return len;
	if (dest) {
		to[len] = '\0';
		write_data_loc(dest, len + 1, get_loc_offs(loc));
	}
	return len + 1;
}

static nokprobe_inline int fetch_string(const struct fetch_insn *code, unsigned long val,
					void *dest, void *base)
{
	if (code->op == FETCH_OP_SYMSTR)
		return fetch_symbol_name(val, dest, base);
	if (code->op == FETCH_OP_TEXT)
		return fetch_text((const char *)val, dest, base);
	val += code->offset;
	if (code->limit)
		return fetch_bounded_string(code, val, dest, base);
	if (code->op == FETCH_OP_STRING_USER)
		return dest ? fetch_store_string_user(val, dest, base) :
			      fetch_store_strlen_user(val);
	return dest ? fetch_store_string(val, dest, base) : fetch_store_strlen(val);
}

#endif
