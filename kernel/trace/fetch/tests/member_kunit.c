// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what arguments record of structures that parameters point to, and of what
 * functions return: on any architecture, for the first two words of all of them are in
 * registers.
 */
#include "machine.h"
#include "btf_targets.h"

static void member_names(struct kunit *test)
{
	struct machine *m = make_machine(test);
	struct fetch_t_deep deep = { .outer = 1, .last = 9, .inner = { 10, 11 } };

	deep.skipped = 7;
	/* Its first byte is the lowest or the highest. */
	deep.deepest = 0xfefe;
	m->args[0] = (unsigned long)&deep;
	prints_twice(test, m, "fetch_t_members", "a->outer a->skipped a->deepest a->alias a->last",
		     " outer=1 skipped=7 deepest=65278 alias=254 last=9");
	prints_twice(test, m, "fetch_t_members", "a->inner.b x=a->inner:u64[2]",
		     " b=11 x={10,11}");
	prints_twice(test, m, "fetch_t_members", "b->plain b->one x=\\1 y=b:x64",
		     " plain=0 one=0 x=0x1 y=0x0");
	is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a->absent", -ENOENT);
	is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a->outer.x", -EINVAL);
}

/* Also where they are larger than words: then they are copied, and cannot be loaded. */
static void member_large(struct kunit *test)
{
	struct fetch_t_deep deep = { .inner = { 0x123456789, 11 }, .below = -0x123456789 };
	struct machine *m = make_machine(test);

	m->args[0] = (unsigned long)&deep;
	prints_twice(test, m, "fetch_t_members", "a->inner.a a->inner.b a->below",
		     " a=4886718345 b=11 below=-4886718345");
	prints_twice(test, m, "fetch_t_members", "x=a->inner.a:u64 y=a->below:x64",
		     " x=4886718345 y=0xfffffffedcba9877");
	prints_twice(test, m, "fetch_t_members",
		     "x=a->inner.a:b4@0/64 y=a->inner.a:b4@32/64 z=a->inner.a:b8@4/64",
		     " x=9 y=1 z=120");
	if (!IS_ENABLED(CONFIG_64BIT)) {
		is_refused(test, MACHINE_ENTRY, "fetch_t_members", "+0(a->inner.a)", -EOPNOTSUPP);
		is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a:b4@36/64", -EINVAL);
	}
}

/* Not where they are sought, on some architectures: x86 has its own rules. */
static void member_places(struct kunit *test)
{
	struct machine *m = make_machine(test);

	if (IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "has a convention");
	m->args[1] = 5;
	prints(test, m, MACHINE_ENTRY, "fetch_t_nine", "b", " b=5");
	is_refused(test, MACHINE_ENTRY, "fetch_t_gives_24", "a", -EOPNOTSUPP);
	if (!IS_ENABLED(CONFIG_S390) && !IS_ENABLED(CONFIG_LOONGARCH))
		is_refused(test, MACHINE_ENTRY, "fetch_t_nine", "i", -EOPNOTSUPP);
}

static void member_bits(struct kunit *test)
{
	struct fetch_t_bits bits = {
		.plain = 0xffffffff, .one = 1, .seven = 0x55, .eight = 0xfe,
		.three = -3, .wide = 0x1fedcba98, .hidden = 21,
	};
	struct machine *m = make_machine(test);

	m->args[0] = (unsigned long)"text";
	m->args[1] = (unsigned long)&bits;
	prints_twice(test, m, "fetch_t_members",
		     "b->plain b->one b->seven b->eight b->three b->hidden",
		     " plain=4294967295 one=1 seven=85 eight=254 three=-3 hidden=21");
	/* What is before it and behind it is whole. */
	prints_twice(test, m, "fetch_t_members", "x=+0(a):string y=\\-1:x8 b->three z=\\-1:x8",
		     " x=\"text\" y=0xff three=-3 z=0xff");
	prints_twice(test, m, "fetch_t_members", "b->three:u8 x=b->three:s64",
		     " three=253 x=-3");
}

/* Two words of a structure are recorded, and what is larger is not loaded. */
static void member_words(struct kunit *test)
{
	struct fetch_t_deep deep = { .inner = { 10, 11 } };
	struct fetch_t_bits bits = { .wide = 0x1fedcba98 };
	struct machine *m = make_machine(test);

	m->args[0] = (unsigned long)&deep;
	m->args[1] = (unsigned long)&bits;
	if (!IS_ENABLED(CONFIG_64BIT)) {
		is_refused(test, MACHINE_ENTRY, "fetch_t_members", "a->inner", -EINVAL);
		is_refused(test, MACHINE_ENTRY, "fetch_t_members", "b->wide", -EOPNOTSUPP);
		return;
	}
	prints_twice(test, m, "fetch_t_members", "a->inner x=\\1", " inner={0xa,0xb} x=0x1");
	prints_twice(test, m, "fetch_t_members", "x=\\1 b->wide y=b->wide:x8",
		     " x=0x1 wide=8570845848 y=0x98");
}

static void member_faults(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->args[1] = -MAX_ERRNO;
	prints_twice(test, m, "fetch_t_members",
		     "x=\\-1:x8 a->outer b->three a->inner.b y=\\-1:x8",
		     " x=0xff outer=0 three=0 b=0 y=0xff");
}

static void member_returned(struct kunit *test)
{
	struct machine *m = make_machine(test);

	m->returned = -2147483647;
	is_refused(test, MACHINE_EXIT, "fetch_t_gives_16", "$retval", -EINVAL);
	prints(test, m, MACHINE_EXIT, "fetch_t_gives_16", "$retval:x32", " arg1=0x80000001");
	is_refused(test, MACHINE_EXIT, "fetch_t_gives_16", "$retval.a", -EOPNOTSUPP);
	is_refused(test, MACHINE_EXIT, "fetch_t_members", "$retval", -ENOENT);
	prints(test, m, MACHINE_EXIT, "kstrtoint", "x=$retval y=$retval:x32",
	       " x=-2147483647 y=0x80000001");
	m->returned = (unsigned long)"found";
	prints(test, m, MACHINE_EXIT, "kstrdup", "x=$retval:string", " x=\"found\"");
	/* What is behind the structure in the register is not its. */
	m->returned = (unsigned long)(0xdeadbeefULL << 32 | 0x2fff9);
	prints(test, m, MACHINE_EXIT, "fetch_t_gives_pair", "$retval $retval.a $retval.b",
	       " arg1=0x2fff9 a=65529 b=2");
	prints(test, m, MACHINE_EXIT, "fetch_t_gives_five", "$retval $retval.a",
	       " arg1=0x2fff9 a=25");
}

static struct kunit_case member_cases[] = {
	KUNIT_CASE(member_names),
	KUNIT_CASE(member_large),
	KUNIT_CASE(member_places),
	KUNIT_CASE(member_bits),
	KUNIT_CASE(member_words),
	KUNIT_CASE(member_faults),
	KUNIT_CASE(member_returned),
	{ }
};

static struct kunit_suite member_suite = {
	.name = "probe_events_member",
	.test_cases = member_cases,
};

kunit_test_suites(&member_suite);
