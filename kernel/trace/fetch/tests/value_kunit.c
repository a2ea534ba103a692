// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of which parameters arguments record, of functions that are built in. The
 * rules are those of x86-64: six registers, and a return address on the stack. What does
 * not depend on them is in member_kunit.c.
 */
#include "machine.h"
#include "btf_targets.h"

/* What is in a register above a small number is not its. */
static void value_scalars(struct kunit *test)
{
	struct machine *m = make_machine(test);

	SET_WORDS(m->args, 0xffffff80, 0x1fffe, 0xff01, 0x12380000001, 5, 0x66);
	SET_WORDS(m->stack, 0xdead, 0xfffffff9, 0xfedcba9876543210);
	prints_twice(test, m, "fetch_t_scalars", "a b c d e f g h",
		     " a=128 b=-2 c=1 d=2147483649 e=5 f=0x66 g=-7 h=18364758544493064720");
	prints_twice(test, m, "fetch_t_scalars", "d:enum x=a", " d=FETCH_T_HIGH x=128");
	prints(test, m, MACHINE_ENTRY | TPARG_FL_TPOINT, "fetch_t_scalars", "d:enum b",
	       " d=FETCH_T_HIGH b=-2");
	is_refused(test, MACHINE_ENTRY, "fetch_t_scalars", "b:enum", -EINVAL);
	is_refused(test, MACHINE_ENTRY, "fetch_t_scalars", "$arg4:enum", -EINVAL);
	m->args[3] = 1;
	prints_twice(test, m, "fetch_t_scalars", "d:enum", " d=1");
	m->args[3] = 0x12300000000;
	prints_twice(test, m, "fetch_t_scalars", "d:enum", " d=FETCH_T_ZERO");
	prints_twice(test, m, "fetch_t_scalars", "a=$arg7 b=$arg8 c=$arg1:s8 d=g:x8",
		     " a=0xfffffff9 b=0xfedcba9876543210 c=-128 d=0xf9");
}

static void value_structs(struct kunit *test)
{
	struct machine *m = make_machine(test);

	SET_WORDS(m->args, 0xdeadbeef00000004, 0x200000001, 0xbad80000003, 0x8877665544332211, -1);
	prints_twice(test, m, "fetch_t_structs", "a b c d",
		     " a=4 b={0x200000001,0x80000003} c=0x8877665544332211 d=-1");
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
	prints_twice(test, m, "fetch_t_pair", "a b c x=b.a y=b.b",
		     " a=1 b={0x16,0x21} c=4 x=22 y=33");
	prints_twice(test, m, "fetch_t_large", "a c x=b.a y=b.b z=b.c",
		     " a=1 c=22 x=101 y=102 z=103");
	prints_twice(test, m, "fetch_t_late", "e f g x=f.a y=f.b",
		     " e=55 f={0x65,0x66} g=6 x=101 y=102");
	is_refused(test, MACHINE_ENTRY, "fetch_t_large", "b", -EINVAL);
	is_refused(test, MACHINE_EXIT, "fetch_t_large", "b", -EINVAL);
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

static struct kunit_case value_cases[] = {
	KUNIT_CASE(value_scalars),
	KUNIT_CASE(value_structs),
	KUNIT_CASE(value_pairs),
	KUNIT_CASE(value_no_memory),
	{ }
};

static struct kunit_suite value_suite = {
	.name = "probe_events_value",
	.test_cases = value_cases,
};

kunit_test_suites(&value_suite);
