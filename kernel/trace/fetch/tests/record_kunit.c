// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what arguments without types of BTF record: numbers, memory that is
 * not there, strings and the room for them, and words kept for the exit.
 */
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/vmalloc.h>

#include "machine.h"
#include "../build.h"

/* No memory is there. */
#define NOWHERE		((unsigned long)-MAX_ERRNO)

static void record_numbers(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->args[0] = 0xfedcba9876543210;
	m->stack[3] = 17;
	prints(test, m, MACHINE_ENTRY, NULL, "$arg1 $arg1:u64 $arg1:s64",
	       " arg1=0xfedcba9876543210 arg2=18364758544493064720 arg3=-81985529216486896");
	prints(test, m, MACHINE_ENTRY, NULL, "$arg1:x32 $arg1:s16", " arg1=0x76543210 arg2=12816");
	prints(test, m, MACHINE_ENTRY, NULL, "$arg1:x8 $arg1:s8 $stack3:u8 \\-1:s8 \\-1:u64",
	       " arg1=0x10 arg2=16 arg3=17 arg4=-1 arg5=18446744073709551615");
	prints(test, m, MACHINE_ENTRY, NULL, "a=\\0x80:s8 b=\\0x8000:s16 c=\\0x80000000:s32",
	       " a=-128 b=-32768 c=-2147483648");
	prints(test, m, MACHINE_ENTRY, NULL, "a=$arg1:b4@4/8 b=$arg1:b1@63/64 c=$arg1:b12@52/64",
	       " a=1 b=1 c=4077");
}

/* A program of one source, one shift, and 8 bytes that are recorded. */
static u64 shifted(unsigned long val, unsigned int first, unsigned int bits, bool is_signed)
{
	struct fetch_insn code[] = {
		{ .op = FETCH_OP_IMM, .immediate = val },
		{ .op = FETCH_OP_SHIFT, .left = BITS_PER_LONG - first - bits,
		  .right = BITS_PER_LONG - bits, .is_signed = is_signed },
		{ .op = FETCH_OP_PUT, .size = 8, .is_signed = is_signed },
		{ .op = FETCH_OP_END },
	};
	u64 out = 0;

	return process_fetch_insn(code, NULL, NULL, &out, NULL) ? 0xbad : out;
}

static void record_shifts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 0x7, shifted(0x38, 3, 3, false));
	KUNIT_EXPECT_EQ(test, -1LL, (s64)shifted(0x38, 3, 3, true));
	KUNIT_EXPECT_EQ(test, -4LL, (s64)shifted(0x20, 3, 3, true));
	KUNIT_EXPECT_EQ(test, 3LL, (s64)shifted(0x1f, 3, 3, true));
	KUNIT_EXPECT_EQ(test, 1ULL, shifted(1UL << 63, 63, 1, false));
	KUNIT_EXPECT_EQ(test, -1LL, (s64)shifted(1UL << 63, 63, 1, true));
	KUNIT_EXPECT_EQ(test, 1ULL << 32, shifted(1UL << 63, 31, 33, false));
	KUNIT_EXPECT_EQ(test, S32_MIN, (s64)shifted(0x80000000, 0, 32, true));
}

static void record_memory(struct kunit *test)
{
	static const u32 words[] = { 0x11223344, 0x80000000, 3, 4 };
	static const u32 * const pointer[] = { words, words + 2 };
	struct machine *m = make_machine(test);

	m->args[0] = (unsigned long)words;
	m->args[1] = (unsigned long)pointer;
	prints(test, m, MACHINE_ENTRY, NULL, "+0($arg1):x8 +4($arg1):s32 -4(+8($arg2)):u32",
	       " arg1=0x44 arg2=-2147483648 arg3=2147483648");
	prints(test, m, MACHINE_ENTRY, NULL, "+4(+0($arg2)):u32[3] +0($arg1):x64",
	       " arg1={2147483648,3,4} arg2=0x8000000011223344");
	prints(test, m, MACHINE_ENTRY, NULL, "a=+0($arg1):b4@4/8[3] b=+0($arg1):b1@31/32[2]",
	       " a={4,3,2} b={0,1}");
}

/* What cannot be read is 0, and its neighbours are what they are. */
static void record_faults(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->args[0] = NOWHERE;
	prints(test, m, MACHINE_ENTRY, NULL, "a=\\-1 +0($arg1):x64 +8(+0($arg1)):u32 b=\\-1:x8",
	       " a=0xffffffffffffffff arg2=0x0 arg3=0 b=0xff");
	KUNIT_EXPECT_EQ(test, 2, m->faults);
	prints(test, m, MACHINE_ENTRY, NULL, "+0($arg1):string a=\\1 +0($arg1):b3@3/8 b=\\\"x\"",
	       " arg1=(fault) a=0x1 arg3=0 b=\"x\"");
	KUNIT_EXPECT_EQ(test, 2, m->faults);
	prints(test, m, MACHINE_ENTRY, NULL, "+0(\\0):x32[2] +u0($arg1):x8[2] +u0(\\0):ustring",
	       " arg1={0x0,0x0} arg2={0x0,0x0} arg3=(fault)");
	KUNIT_EXPECT_EQ(test, 3, m->faults);
	/* The pointer to an array, and elements of which bits are recorded. */
	prints(test, m, MACHINE_ENTRY, NULL, "+0(+0($arg1)):x32[2] +0($arg1):b4@4/8[3]",
	       " arg1={0x0,0x0} arg2={0,0,0}");
	KUNIT_EXPECT_EQ(test, 2, m->faults);
	prints(test, m, MACHINE_ENTRY, NULL, "a=\\1 $stack0:u8", " a=0x1 arg2=0");
	KUNIT_EXPECT_EQ(test, 0, m->faults);
}

/* What is behind one page is not there. */
static void record_elements_fault(struct kunit *test)
{
	struct machine *m = make_machine(test);
	u32 *page = vmalloc(PAGE_SIZE);
	u32 *end = page + PAGE_SIZE / sizeof(*page);

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 'x', PAGE_SIZE);
	end[-2] = 1;
	end[-1] = 2;
	m->args[0] = (unsigned long)(end - 2);
	prints(test, m, MACHINE_ENTRY, NULL, "+0($arg1):x32[4] +4($arg1):x64 +0($arg1):x64",
	       " arg1={0x1,0x2,0x0,0x0} arg2=0x0 arg3=0x200000001");
	/* The first counts once. */
	KUNIT_EXPECT_EQ(test, 2, m->faults);
	/* No null before the end. */
	memset(end - 2, 'y', 8);
	prints(test, m, MACHINE_ENTRY, NULL, "+0($arg1):string +7($arg1):char +8($arg1):char",
	       " arg1=(fault) arg2='y' arg3='");
	vfree(page);
}

static void record_strings(struct kunit *test)
{
	static const char * const texts[] = { "one", (const char *)NOWHERE, "", "four" };
	struct machine *m = make_machine(test);
	char wanted[160];

	m->args[0] = (unsigned long)texts;
	prints(test, m, MACHINE_ENTRY, NULL, "+0($arg1):string[4] +0(+24($arg1)):string",
	       " arg1={\"one\",(fault),\"\",\"four\"} arg2=\"four\"");
	snprintf(wanted, sizeof(wanted), " arg1=\"%s\" arg2=\"text\" a={(fault)}", current->comm);
	prints(test, m, MACHINE_ENTRY, NULL, "$comm \\\"text\" a=@linux_banner:string[1]", wanted);
	m->args[1] = (unsigned long)prints + 1;
	snprintf(wanted, sizeof(wanted), " arg1=\"%pS\" arg2=\"%pS\" a=\"b\"",
		 (void *)m->args[1], texts[2]);
	prints(test, m, MACHINE_ENTRY, NULL, "$arg2:symstr +16($arg1):symstr a=\\\"b\"", wanted);
}

/* A string is as long as there is room for it, and without room it is none. */
static void record_no_room(struct kunit *test)
{
	static const char text[] = "abcdefgh";
	struct machine *m = make_machine(test);
	struct trace_probe *tp;
	u32 loc = make_data_loc(0, MACHINE_HEAD + 4);

	m->args[0] = (unsigned long)text;
	tp = make_probe(test, MACHINE_ENTRY, NULL, "+0($arg1):string $arg1:symstr");
	run_probe(test, m, tp, 4);
	KUNIT_EXPECT_STREQ(test, " arg1=\"abc\" arg2=(fault)", print_probe(test, m, tp));
	run_probe(test, m, tp, 0);
	KUNIT_EXPECT_STREQ(test, " arg1=(fault) arg2=(fault)", print_probe(test, m, tp));
	KUNIT_EXPECT_EQ(test, -ENOMEM, process_fetch_insn(tp->args[0].code, m, NULL, &loc,
							  m->record));
	KUNIT_EXPECT_EQ(test, 0, get_loc_len(loc));
	KUNIT_EXPECT_EQ(test, -ENOMEM, process_fetch_insn(tp->args[1].code, m, NULL, &loc,
							  m->record));
}

static void record_longest(struct kunit *test)
{
	char *text = kunit_kzalloc(test, MAX_STRING_SIZE + 8, GFP_KERNEL);
	struct machine *m = make_machine(test);
	struct trace_probe *tp;

	KUNIT_ASSERT_NOT_NULL(test, text);
	memset(text, 'x', MAX_STRING_SIZE + 7);
	m->args[0] = (unsigned long)text;
	tp = make_probe(test, MACHINE_ENTRY, NULL, "+0($arg1):string \\\"end\"");
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE + 4, __get_data_size(tp, m, NULL));
	run_probe(test, m, tp, MAX_STRING_SIZE + 4);
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE - 1, strlen(m->record + MACHINE_HEAD + 8));
	KUNIT_EXPECT_STREQ(test, "end", m->record + MACHINE_HEAD + 8 + MAX_STRING_SIZE);
	text[MAX_STRING_SIZE - 1] = '\0';
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE + 4, __get_data_size(tp, m, NULL));
	text[MAX_STRING_SIZE - 2] = '\0';
	KUNIT_EXPECT_EQ(test, MAX_STRING_SIZE + 3, __get_data_size(tp, m, NULL));
}

static int keep_word(struct trace_probe *tp, enum fetch_op op, unsigned int param)
{
	struct fetch_insn source = { .op = op, .param = param };

	return fetch_keep(tp, &source, 1);
}

static void record_keep(struct kunit *test)
{
	struct trace_probe *tp = alloc_probe(test, 0);

	KUNIT_EXPECT_EQ(test, 0, traceprobe_get_entry_data_size(tp));
	KUNIT_EXPECT_EQ(test, 0, keep_word(tp, FETCH_OP_ARG, 2));
	KUNIT_EXPECT_EQ(test, sizeof(long), keep_word(tp, FETCH_OP_STACK, 2));
	KUNIT_EXPECT_EQ(test, 0, keep_word(tp, FETCH_OP_ARG, 2));
	KUNIT_EXPECT_EQ(test, 2 * sizeof(long), keep_word(tp, FETCH_OP_ARG, 3));
	KUNIT_EXPECT_EQ(test, sizeof(long), keep_word(tp, FETCH_OP_STACK, 2));
	KUNIT_EXPECT_EQ(test, 3, tp->entry_arg->words);
	KUNIT_EXPECT_EQ(test, 6, tp->entry_arg->nr);
	KUNIT_EXPECT_EQ(test, 3 * sizeof(long), traceprobe_get_entry_data_size(tp));
	KUNIT_EXPECT_EQ(test, FETCH_OP_END, tp->entry_arg->code[6].op);
}

static void record_kept(struct kunit *test)
{
	struct trace_probe *tp = alloc_probe(test, 0);
	unsigned long stack[] = { 1, 2, 3 }, kept[3] = { };
	struct pt_regs regs = { .di = 10, .r9 = 15, .sp = (unsigned long)stack };

	keep_word(tp, FETCH_OP_ARG, 5);
	keep_word(tp, FETCH_OP_STACK, 2);
	keep_word(tp, FETCH_OP_ARG, 0);
	KUNIT_EXPECT_EQ(test, 0, store_trace_entry_data(kept, tp, &regs));
	KUNIT_EXPECT_EQ(test, 15, kept[0]);
	KUNIT_EXPECT_EQ(test, 3, kept[1]);
	KUNIT_EXPECT_EQ(test, 10, kept[2]);
}

/* A word may take several instructions; what cannot be read is kept as 0. */
static void record_made(struct kunit *test)
{
	struct fetch_insn made[] = {
		{ .op = FETCH_OP_ARG, .param = 0 },
		{ .op = FETCH_OP_READ, .size = sizeof(long), .offset = sizeof(long) },
	};
	struct trace_probe *tp = alloc_probe(test, 0);
	unsigned long words[] = { 1, 2 }, kept[2] = { 9, 9 };
	struct pt_regs regs = { .di = (unsigned long)words };

	KUNIT_EXPECT_EQ(test, 0, fetch_keep(tp, made, 2));
	KUNIT_EXPECT_EQ(test, sizeof(long), fetch_keep(tp, made, 1));
	KUNIT_EXPECT_EQ(test, 0, fetch_keep(tp, made, 2));
	store_trace_entry_data(kept, tp, &regs);
	KUNIT_EXPECT_EQ(test, 2, kept[0]);
	KUNIT_EXPECT_EQ(test, (unsigned long)words, kept[1]);
	regs.di = 0;
	store_trace_entry_data(kept, tp, &regs);
	KUNIT_EXPECT_EQ(test, 0, kept[0]);
	KUNIT_EXPECT_EQ(test, 0, kept[1]);
}

/* A number of an argument stands for a word at the exit, too, and is kept once. */
static void record_exit(struct kunit *test)
{
	struct machine *m = make_machine(test);
	struct trace_probe *tp;

	m->args[0] = (unsigned long)"before";
	m->returned = -5;
	prints(test, m, MACHINE_EXIT, NULL, "+0($arg1):string $retval:s16 x=$retval",
	       " arg1=\"before\" arg2=-5 x=0xfffffffffffffffb");
	tp = make_probe(test, MACHINE_EXIT, NULL, "$arg1 +0($arg1):string $arg2 x=$arg1:u8");
	KUNIT_EXPECT_EQ(test, 2 * sizeof(long), traceprobe_get_entry_data_size(tp));
	keep_words(test, m, tp);
	m->args[0] = (unsigned long)"behind";
	run_probe(test, m, tp, __get_data_size(tp, m, m->kept));
	KUNIT_EXPECT_STREQ(test, "before", m->record + MACHINE_HEAD + tp->size);
}

static struct kunit_case record_cases[] = {
	KUNIT_CASE(record_numbers),
	KUNIT_CASE(record_shifts),
	KUNIT_CASE(record_memory),
	KUNIT_CASE(record_faults),
	KUNIT_CASE(record_elements_fault),
	KUNIT_CASE(record_strings),
	KUNIT_CASE(record_no_room),
	KUNIT_CASE(record_longest),
	KUNIT_CASE(record_keep),
	KUNIT_CASE(record_kept),
	KUNIT_CASE(record_made),
	KUNIT_CASE(record_exit),
	{ }
};

static struct kunit_suite record_suite = {
	.name = "probe_events_program",
	.test_cases = record_cases,
};

kunit_test_suites(&record_suite);
