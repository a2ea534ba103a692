// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what arguments with types of BTF record, of functions that are built
 * in. The rules are those of x86-64: six registers, and a return address on the stack.
 */
#include "machine.h"
#include "btf_targets.h"

/* At the entry and at the exit, where the words have been kept. */
static void prints_twice(struct kunit *test, struct machine *m, const char *function,
			 const char *words, const char *wanted)
{
	prints(test, m, MACHINE_ENTRY, function, words, wanted);
	prints(test, m, MACHINE_EXIT, function, words, wanted);
}

static void is_refused(struct kunit *test, unsigned int flags, const char *function,
		       const char *words, int error)
{
	struct trace_probe *tp;

	KUNIT_EXPECT_EQ_MSG(test, error, try_probe(test, flags, function, words, &tp),
			    "%s", words);
}

/* What is in a register above a small number is not its. */
static void value_scalars(struct kunit *test)
{
	struct machine *m = make_machine(test);

	SET_WORDS(m->args, 0xffffff80, 0x1fffe, 0xff01, 0x12380000001, 5, 0x66);
	SET_WORDS(m->stack, 0xdead, 0xfffffff9, 0xfedcba9876543210);
	prints_twice(test, m, "fetch_t_scalars", "a b c d e f g h",
		     " a=128 b=-2 c=1 d=2147483649 e=5 f=0x66 g=-7 h=18364758544493064720");
	prints_twice(test, m, "fetch_t_scalars", "a=$arg7 b=$arg8 c=$arg1:s8 d=g:x8",
		     " a=0xfffffff9 b=0xfedcba9876543210 c=-128 d=0xf9");
}

static void value_structs(struct kunit *test)
{
	struct machine *m = make_machine(test);

	SET_WORDS(m->args, 0xdeadbeef00000004, 0x200000001, 0xbad80000003, 0x8877665544332211, -1);
	prints_twice(test, m, "fetch_t_structs", "a b c d",
		     " a=4 b=0x200000001 c=0x8877665544332211 d=-1");
	prints_twice(test, m, "fetch_t_structs", "x=a.a y=b.a z=b.b w=b.c u=c.a v=d",
		     " x=4 y=1 z=2 w=2147483651 u=9833440827789222417 v=-1");
	prints_twice(test, m, "fetch_t_structs", "x=$arg2 y=$arg3 z=$arg4:s32",
		     " x=0x200000001 y=0x8877665544332211 z=-1");
}

static void value_pairs(struct kunit *test)
{
	struct machine *m = make_machine(test);

	SET_WORDS(m->args, 1, 22, 33, 4, 55, 6);
	SET_WORDS(m->stack, 0xdead, 101, 102, 103);
	prints_twice(test, m, "fetch_t_pair", "a b c x=b.a y=b.b", " a=1 b=0x16 c=4 x=22 y=33");
	prints_twice(test, m, "fetch_t_large", "a b c x=b.a y=b.b z=b.c",
		     " a=1 b=0x65 c=22 x=101 y=102 z=103");
	prints_twice(test, m, "fetch_t_late", "e f g x=f.a y=f.b",
		     " e=55 f=0x65 g=6 x=101 y=102");
	prints_twice(test, m, "fetch_t_packs", "a c x=b.a", " a=1 c=22 x=101");
	is_refused(test, MACHINE_ENTRY, "fetch_t_empty", "b", -EOPNOTSUPP);
	prints_twice(test, m, "fetch_t_empty", "a c", " a=1 c=22");
	prints_twice(test, m, "fetch_t_dots", "a b c", " a=1 b=22 c=33");
}

/* A parameter is no memory, wherever it is. */
static void value_no_memory(struct kunit *test)
{
	static const char * const words[] = {
		"$arg6:string", "$arg7:string", "$arg7:u32[2]", "g:u32[2]", "f:u32[2]",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(words); n++) {
		is_refused(test, MACHINE_ENTRY, "fetch_t_scalars", words[n], -EINVAL);
		is_refused(test, MACHINE_EXIT, "fetch_t_scalars", words[n], -EINVAL);
	}
}

static void value_members(struct kunit *test)
{
	struct machine *m = make_machine(test);
	struct fetch_t_deep deep = { .outer = 1, .last = 9, .inner = { 10, 11 } };

	deep.skipped = 7;
	deep.deepest = 0xfffe;
	m->args[0] = (unsigned long)&deep;
	prints_twice(test, m, "fetch_t_members", "a->outer a->skipped a->deepest a->alias a->last",
		     " outer=1 skipped=7 deepest=65534 alias=254 last=9");
	prints_twice(test, m, "fetch_t_members", "a->inner a->inner.b x=a->inner:u64[2]",
		     " inner=0xa b=11 x={10,11}");
	prints_twice(test, m, "fetch_t_members", "b->plain b->one x=\\1 y=b:x64",
		     " plain=0 one=0 x=0x1 y=0x0");
	is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a->absent", -ENOENT);
	is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a->outer.x", -EINVAL);
}

static void value_bits(struct kunit *test)
{
	struct fetch_t_bits bits = {
		.plain = 0xffffffff, .one = 1, .seven = 0x55, .eight = 0xfe,
		.three = -3, .wide = 0x1fedcba98, .hidden = 21,
	};
	struct machine *m = make_machine(test);

	m->args[0] = (unsigned long)"text";
	m->args[1] = (unsigned long)&bits;
	prints_twice(test, m, "fetch_t_members",
		     "b->plain b->one b->seven b->eight b->three b->wide b->hidden",
		     " plain=4294967295 one=1 seven=85 eight=254 three=-3 wide=8570845848 hidden=21");
	/* What is before it and behind it is whole. */
	prints_twice(test, m, "fetch_t_members", "x=+0(a):string y=\\-1:x8 b->three z=\\-1:x8",
		     " x=\"text\" y=0xff three=-3 z=0xff");
	prints_twice(test, m, "fetch_t_members", "x=+0(a):string b->wide",
		     " x=\"text\" wide=8570845848");
	prints_twice(test, m, "fetch_t_members", "b->three:u8 x=b->three:s64 y=b->wide:x8",
		     " three=253 x=-3 y=0x98");
}

static void value_faults(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->args[1] = -MAX_ERRNO;
	prints_twice(test, m, "fetch_t_members",
		     "x=\\-1:x8 a->outer b->three b->wide a->inner.b y=\\-1:x8",
		     " x=0xff outer=0 three=0 wide=0 b=0 y=0xff");
}

static void value_returned(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->returned = 0xffffffff80000001;
	prints(test, m, MACHINE_EXIT, "fetch_t_gives_16", "$retval", " arg1=0xffffffff80000001");
	is_refused(test, MACHINE_EXIT, "fetch_t_gives_16", "$retval.a", -EOPNOTSUPP);
	is_refused(test, MACHINE_EXIT, "fetch_t_members", "$retval", -ENOENT);
	prints(test, m, MACHINE_EXIT, "kstrtoint", "x=$retval y=$retval:x64",
	       " x=-2147483647 y=0xffffffff80000001");
	m->returned = (unsigned long)"found";
	prints(test, m, MACHINE_EXIT, "kstrdup", "x=$retval:string", " x=\"found\"");
}

static struct kunit_case value_cases[] = {
	KUNIT_CASE(value_scalars),
	KUNIT_CASE(value_structs),
	KUNIT_CASE(value_pairs),
	KUNIT_CASE(value_no_memory),
	KUNIT_CASE(value_members),
	KUNIT_CASE(value_bits),
	KUNIT_CASE(value_faults),
	KUNIT_CASE(value_returned),
	{ }
};

static struct kunit_suite value_suite = {
	.name = "probe_events_value",
	.test_cases = value_cases,
};

kunit_test_suites(&value_suite);
