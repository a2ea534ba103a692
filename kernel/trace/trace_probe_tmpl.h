/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Executing the programs of arguments, see &struct fetch_insn, and filling records
 * with what they give. A file of events includes this once. It has its own
 *
 *	static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
 *				      void *dest, void *base);
 *
 * which executes the source of a program and leaves the rest to what is here, and the
 * functions that read memory, declared below: those for events in the kernel are in
 * trace_probe_kernel.h.
 *
 * Nothing here may be probed: it runs while a probe is handled. A program whose memory
 * cannot be read leaves zeroes, and of a string nothing.
 */

static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base);

static nokprobe_inline int probe_mem_read(void *dest, void *src, size_t size);
static nokprobe_inline int probe_mem_read_user(void *dest, void *src, size_t size);
static nokprobe_inline int fetch_store_strlen(unsigned long addr);
static nokprobe_inline int fetch_store_strlen_user(unsigned long addr);
static nokprobe_inline int fetch_store_string(unsigned long addr, void *dest, void *base);
static nokprobe_inline int fetch_store_string_user(unsigned long addr, void *dest, void *base);

#include "fetch/string.h"

/* The sources that no file of events needs to know. */
static nokprobe_inline int process_common_fetch_insn(struct fetch_insn *code, unsigned long *val)
{
	switch (code->op) {
	case FETCH_OP_IMM:
		*val = code->immediate;
		return 0;
	case FETCH_OP_COMM:
		*val = (unsigned long)current->comm;
		return 0;
	case FETCH_OP_DATA:
		*val = (unsigned long)code->data;
		return 0;
	case FETCH_OP_CURRENT:
		*val = (unsigned long)current;
		return 0;
	default:
		return -EILSEQ;
	}
}

static nokprobe_inline unsigned long fetch_number(const void *from, unsigned int size)
{
	switch (size) {
	case 1:
		return *(const u8 *)from;
	case 2:
		return *(const u16 *)from;
	case 4:
		return *(const u32 *)from;
	default:
		return *(const unsigned long *)from;
	}
}

static nokprobe_inline void fetch_put(void *dest, unsigned long val, const struct fetch_insn *code)
{
	switch (code->size) {
	case 1:
		*(u8 *)dest = val;
		break;
	case 2:
		put_unaligned((u16)val, (u16 *)dest);
		break;
	case 4:
		put_unaligned((u32)val, (u32 *)dest);
		break;
	default:
		put_unaligned(code->is_signed ? (u64)(long)val : val, (u64 *)dest);
	}
}

static nokprobe_inline unsigned long fetch_shift(unsigned long val, const struct fetch_insn *code)
{
	val <<= code->left;
	return code->is_signed ? (long)val >> code->right : val >> code->right;
}

static nokprobe_inline int fetch_read(const struct fetch_insn *code, unsigned long *val)
{
	void *from = (void *)(*val + code->offset);
	u64 buffer = 0;
	int ret;

	if (code->op == FETCH_OP_READ)
		ret = probe_mem_read(&buffer, from, code->size);
	else
		ret = probe_mem_read_user(&buffer, from, code->size);
	*val = fetch_number(&buffer, code->size);
	return ret;
}

/* Change the value. Return: 1 if the instruction does something else. */
static nokprobe_inline int fetch_step(const struct fetch_insn *code, unsigned long *val)
{
	switch (code->op) {
	case FETCH_OP_ADD:
		*val += code->immediate;
		return 0;
	case FETCH_OP_SHIFT:
		*val = fetch_shift(*val, code);
		return 0;
	case FETCH_OP_CPU:
		*val = (unsigned long)this_cpu_ptr((void __percpu *)*val);
		return 0;
	case FETCH_OP_ELAPSED:
		*val = (unsigned long)ktime_get_mono_fast_ns() - *val;
		return 0;
	case FETCH_OP_READ:
	case FETCH_OP_READ_USER:
		return fetch_read(code, val);
	default:
		return 1;
	}
}

/* A number of which only some bytes can be read is none. */
static nokprobe_inline int fetch_copy(const struct fetch_insn *code, unsigned long val, void *dest)
{
	void *from = (void *)(val + code->offset);
	int ret;

	if (code->op == FETCH_OP_COPY)
		ret = probe_mem_read(dest, from, code->size);
	else
		ret = probe_mem_read_user(dest, from, code->size);
	/* Half of it is nothing. */
	if (ret && dest)
		memset(dest, 0, code->size);
	return ret;
}

/* Record an element. Return: length of a string; 0 for all others; or an error. */
static nokprobe_inline int fetch_store(const struct fetch_insn *code, unsigned long val,
				       void *dest, void *base)
{
	switch (code->op) {
	case FETCH_OP_PUT:
		fetch_put(dest, val, code);
		return 0;
	case FETCH_OP_COPY:
	case FETCH_OP_COPY_USER:
		return fetch_copy(code, val, dest);
	default:
		return fetch_string(code, val, dest, base);
	}
}

/* All that change the value. Return: 1 at the first that does something else. */
static nokprobe_inline int fetch_steps(struct fetch_insn **code, unsigned long *val)
{
	int ret;

	while (!(ret = fetch_step(*code, val)))
		(*code)++;
	return ret;
}

/* Instructions up to the one that records. */
static nokprobe_inline int fetch_element(struct fetch_insn *code, unsigned long val,
					 void *dest, void *base)
{
	int ret = fetch_steps(&code, &val);

	return ret == 1 ? fetch_store(code, val, dest, base) : ret;
}

/* A string that could not be read has no length. */
static nokprobe_inline void fetch_no_string(void *dest)
{
	write_data_loc(dest, 0, get_loc_offs(read_data_loc(dest)));
}

/*
 * Those that cannot be read do not keep the others from being recorded. Return: 0, or
 * an error if there is such a one.
 */
static nokprobe_inline int fetch_numbers(struct fetch_insn *array, unsigned long val, void *dest)
{
	unsigned int n;
	int bad = 0;

	for (n = 0; n < array->param; n++, val += array->size, dest += array->size) {
		if (fetch_element(array + 1, val, dest, NULL) < 0) {
			memset(dest, 0, array->size);
			bad = -EFAULT;
		}
	}
	return bad;
}

/* As that. What of the room one string has left is for the next one. */
static nokprobe_inline int fetch_strings(struct fetch_insn *array, unsigned long val,
					 void *dest, void *base)
{
	u32 room = dest ? read_data_loc(dest) : 0;
	int total = 0, ret;
	unsigned int n;

	for (n = 0; n < array->param; n++, val += array->size) {
		void *loc = dest ? dest + n * sizeof(u32) : NULL;

		if (loc)
			write_data_loc(loc, get_loc_len(room), get_loc_offs(room));
		ret = fetch_element(array + 1, val, loc, base);
		if (ret < 0 && loc)
			fetch_no_string(loc);
		if (ret <= 0)
			continue;
		total += ret;
		room = make_data_loc(get_loc_len(room) - ret, get_loc_offs(room) + ret);
	}
	return total;
}

/*
 * Execute what follows a source. @dest: where to record; without it, only the length
 * of a string is found out. @base: start of the record.
 *
 * Return: the length of a string with its null, of an array of them the sum; 0 for
 * all others; or an error.
 */
static nokprobe_inline int process_fetch_insn_bottom(struct fetch_insn *code, unsigned long val,
						     void *dest, void *base)
{
	int ret;

	/* Most programs are a source and this. */
	if (likely(code->op == FETCH_OP_PUT)) {
		fetch_put(dest, val, code);
		return 0;
	}
	ret = fetch_steps(&code, &val);
	if (ret != 1)
		return ret;
	switch (code->op) {
	case FETCH_OP_ARRAY:
		return fetch_numbers(code, val, dest);
	case FETCH_OP_STRINGS:
		return fetch_strings(code, val, dest, base);
	default:
		return fetch_store(code, val, dest, base);
	}
}

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

/* Is there a string in a field that could not be read? One that was has its null. */
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

#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
/* The sources that the registers of a call in the kernel have. */
static nokprobe_inline int fetch_entry_source(struct fetch_insn *code, struct pt_regs *regs,
					      unsigned long *val)
{
	switch (code->op) {
	case FETCH_OP_ARG:
		*val = regs_get_kernel_argument(regs, code->param);
		return 0;
	case FETCH_OP_STACK:
		*val = regs_get_kernel_stack_nth(regs, code->param);
		return 0;
	case FETCH_OP_STACKP:
		*val = kernel_stack_pointer(regs);
		return 0;
	case FETCH_OP_REG:
		*val = regs_get_register(regs, code->param);
		return 0;
	case FETCH_OP_CLOCK:
		*val = ktime_get_mono_fast_ns();
		return 0;
	default:
		return process_common_fetch_insn(code, val);
	}
}

/* Most fields are an argument of a call, as it is. Return: whether this one is. */
static nokprobe_inline bool fetch_put_argument(const struct fetch_insn *code,
					       struct pt_regs *regs, void *dest)
{
	if (code[0].op != FETCH_OP_ARG || code[1].op != FETCH_OP_PUT)
		return false;
	fetch_put(dest, regs_get_kernel_argument(regs, code[0].param), &code[1]);
	return true;
}

/*
 * One word. @code: becomes where it is kept. Return: 0; or 1 if it cannot be read: then
 * nothing is kept.
 */
static nokprobe_inline int fetch_entry_word(struct fetch_insn **code, struct pt_regs *regs,
					    unsigned long *val)
{
	int ret = fetch_entry_source((*code)++, regs, val);

	/* Where the word is kept is no step. */
	ret = ret || fetch_steps(code, val) != 1;
	if (ret)
		*val = 0;
	while ((*code)->op != FETCH_OP_EDATA)
		(*code)++;
	return ret;
}

/*
 * Keep what the exit of a function needs of its entry. Return: how many words could not
 * be read.
 */
static nokprobe_inline int store_trace_entry_data(void *edata, struct trace_probe *tp,
						  struct pt_regs *regs)
{
	struct fetch_insn *code = tp->entry_arg ? tp->entry_arg->code : NULL;
	unsigned long val;
	int faults = 0;

	for (; code && code->op != FETCH_OP_END; code++) {
		faults += fetch_entry_word(&code, regs, &val);
		*(unsigned long *)(edata + code->offset) = val;
	}
	return faults;
}
#else
/* Of a call nothing is known but what every event knows: nothing is kept. */
static nokprobe_inline int fetch_entry_source(struct fetch_insn *code, struct pt_regs *regs,
					      unsigned long *val)
{
	return process_common_fetch_insn(code, val);
}

static nokprobe_inline bool fetch_put_argument(const struct fetch_insn *code,
					       struct pt_regs *regs, void *dest)
{
	return false;
}

static nokprobe_inline int store_trace_entry_data(void *edata, struct trace_probe *tp,
						  struct pt_regs *regs)
{
	return 0;
}
#endif
