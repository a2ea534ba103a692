/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests of what arguments record: their programs are built from text, and run on
 * registers and a stack that a test fills. What is recorded is compared as it is
 * printed in the trace. To be included once in a file, as its own kind of event.
 */
#ifndef _KERNEL_TRACE_FETCH_MACHINE_H
#define _KERNEL_TRACE_FETCH_MACHINE_H

#include <linux/slab.h>
#include <linux/string.h>
#include <linux/trace_seq.h>

#include <kunit/test.h>

#include "../../trace_probe.h"
#include "../../trace_probe_tmpl.h"
#include "../../trace_probe_kernel.h"

#define MACHINE_ENTRY	(TPARG_FL_KERNEL | TPARG_FL_FPROBE | TPARG_FL_FENTRY)
#define MACHINE_EXIT	(TPARG_FL_KERNEL | TPARG_FL_FPROBE | TPARG_FL_RETURN)

/* Bytes of a record before its fields. */
#define MACHINE_HEAD	8
/* What is in a record that nothing was written to. */
#define MACHINE_FREE	0x5a

/**
 * struct machine - what events are on
 * @args: registers of arguments
 * @stack: what the stack pointer points to
 * @returned: register of what is returned
 * @kept: what exits need of entries
 * @record: the record
 * @faults: how many fields of the record could not be read
 * @seq: how the record is printed
 */
struct machine {
	unsigned long args[8];
	unsigned long stack[16];
	unsigned long returned;
	unsigned long kept[16];
	u8 record[3 * MAX_STRING_SIZE];
	int faults;
	struct trace_seq seq;
};

#define SET_WORDS(to, ...)						\
	memcpy(to, ((unsigned long []){ __VA_ARGS__ }),			\
	       sizeof((unsigned long []){ __VA_ARGS__ }))

static int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	struct machine *m = rec;
	unsigned long val;
	int ret = 0;

	if (code->op == FETCH_NOP_SYMBOL)
		code++;
	switch (code->op) {
	case FETCH_OP_ARG:
		val = m->args[code->param];
		break;
	case FETCH_OP_STACK:
		val = m->stack[code->param];
		break;
	case FETCH_OP_STACKP:
		val = (unsigned long)m->stack;
		break;
	case FETCH_OP_RETVAL:
		val = m->returned;
		break;
	case FETCH_OP_EDATA:
		val = *(unsigned long *)(edata + code->offset);
		break;
	default:
		ret = process_common_fetch_insn(code, &val);
	}
	return ret ?: process_fetch_insn_bottom(code + 1, val, dest, base);
}

static struct machine *make_machine(struct kunit *test)
{
	struct machine *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, m);
	return m;
}

static void free_probe(void *tp)
{
	trace_probe_cleanup(tp);
}

static unsigned int count_words(const char *words)
{
	unsigned int nr = 1;

	for (; *words; words++)
		nr += *words == ' ';
	return nr;
}

static struct trace_probe *alloc_probe(struct kunit *test, unsigned int nr)
{
	struct trace_probe *tp = kunit_kzalloc(test, struct_size(tp, args, nr), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, tp);
	tp->nr_args = nr;
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, free_probe, tp));
	return tp;
}

/* Return: what the first argument that is refused gives. */
static int parse_words(struct trace_probe *tp, unsigned int flags, const char *function,
		       char *words)
{
	struct traceprobe_parse_context ctx = { .funcname = function, .flags = flags };
	unsigned int n;
	int ret = 0;

	for (n = 0; n < tp->nr_args && !ret; n++) {
		ret = traceprobe_parse_probe_arg(tp, n, strsep(&words, " "), &ctx);
		if (!ret)
			ret = traceprobe_update_arg(&tp->args[n]);
	}
	traceprobe_finish_parse(&ctx);
	return ret;
}

static int try_probe(struct kunit *test, unsigned int flags, const char *function,
		     const char *words, struct trace_probe **tp)
{
	char *copy = kunit_kstrdup(test, words, GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, copy);
	*tp = alloc_probe(test, count_words(words));
	return parse_words(*tp, flags, function, copy);
}

static struct trace_probe *make_probe(struct kunit *test, unsigned int flags,
				      const char *function, const char *words)
{
	struct trace_probe *tp;

	KUNIT_ASSERT_EQ_MSG(test, 0, try_probe(test, flags, function, words, &tp), "%s", words);
	return tp;
}

/* Run them, with that much room for strings. What is behind that stays as it was. */
static void run_probe(struct kunit *test, struct machine *m, struct trace_probe *tp, int room)
{
	size_t end = MACHINE_HEAD + tp->size + room;

	KUNIT_ASSERT_LE(test, end, sizeof(m->record));
	memset(m->record, MACHINE_FREE, sizeof(m->record));
	m->faults = store_trace_args(m->record + MACHINE_HEAD, tp, m, m->kept, MACHINE_HEAD,
				     room);
	KUNIT_EXPECT_NULL(test, memchr_inv(m->record, MACHINE_FREE, MACHINE_HEAD));
	KUNIT_EXPECT_NULL(test, memchr_inv(m->record + end, MACHINE_FREE,
					   sizeof(m->record) - end));
}

static const char *print_probe(struct kunit *test, struct machine *m, struct trace_probe *tp)
{
	trace_seq_init(&m->seq);
	KUNIT_EXPECT_EQ(test, 0, trace_probe_print_args(&m->seq, tp->args, tp->nr_args,
							m->record + MACHINE_HEAD, m->record));
	trace_seq_putc(&m->seq, '\0');
	return m->seq.buffer;
}

/* What the program has asked for to be kept, as store_trace_entry_data() does. */
static void keep_words(struct kunit *test, struct machine *m, struct trace_probe *tp)
{
	struct fetch_insn *code = tp->entry_arg ? tp->entry_arg->code : NULL;

	KUNIT_ASSERT_LE(test, traceprobe_get_entry_data_size(tp), sizeof(m->kept));
	for (; code && code->op != FETCH_OP_END; code += 2)
		m->kept[code[1].offset / sizeof(long)] = code->op == FETCH_OP_ARG ?
			m->args[code->param] : m->stack[code->param];
}

/* An event on the entry, or the exit, of a function prints what is wanted. */
static void prints(struct kunit *test, struct machine *m, unsigned int flags,
		   const char *function, const char *words, const char *wanted)
{
	struct trace_probe *tp = make_probe(test, flags, function, words);

	keep_words(test, m, tp);
	run_probe(test, m, tp, __get_data_size(tp, m, m->kept));
	KUNIT_EXPECT_STREQ_MSG(test, wanted, print_probe(test, m, tp), "%s", words);
}

/* At the entry and at the exit, where the words have been kept. */
static void __maybe_unused prints_twice(struct kunit *test, struct machine *m,
					const char *function, const char *words,
					const char *wanted)
{
	prints(test, m, MACHINE_ENTRY, function, words, wanted);
	prints(test, m, MACHINE_EXIT, function, words, wanted);
}

static void __maybe_unused is_refused(struct kunit *test, unsigned int flags,
				      const char *function, const char *words, int error)
{
	struct trace_probe *tp;

	KUNIT_EXPECT_EQ_MSG(test, error, try_probe(test, flags, function, words, &tp),
			    "%s", words);
}

#endif
