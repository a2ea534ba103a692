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
 * Nothing here may be probed: it runs while a probe is handled. What cannot be read is
 * recorded as zeroes, and of a string nothing: see fetch/fields.h.
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

/* What is left of a number of which only some bytes can be read is cleared: fields.h. */
static nokprobe_inline int fetch_copy(const struct fetch_insn *code, unsigned long val, void *dest)
{
	void *from = (void *)(val + code->offset);

	if (code->op == FETCH_OP_COPY)
		return probe_mem_read(dest, from, code->size);
	return probe_mem_read_user(dest, from, code->size);
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

#include "fetch/fields.h"

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
