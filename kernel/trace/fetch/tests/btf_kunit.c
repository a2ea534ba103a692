// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what BTF is read for: functions by their names, and members of
 * structures, which the compiler knows as well.
 */
#include <linux/bpf.h>
#include <linux/btf.h>
#include <linux/fs.h>
#include <linux/sched.h>
#include <linux/stddef.h>

#include <kunit/test.h>

#include "../btf.h"
#include "btf_targets.h"

static const struct btf *kernel_btf(struct kunit *test)
{
	struct btf *btf = bpf_get_btf_vmlinux();

	KUNIT_ASSERT_FALSE(test, IS_ERR_OR_NULL(btf));
	return btf;
}

static const struct btf_type *struct_named(struct kunit *test, const char *name)
{
	const struct btf *btf = kernel_btf(test);
	s32 type = btf_find_by_name_kind(btf, name, BTF_KIND_STRUCT);

	KUNIT_ASSERT_GT_MSG(test, type, 0, "%s", name);
	return btf_type_by_id(btf, type);
}

static int look_for(struct kunit *test, const char *structure, const char *name,
		    struct fetch_member *member)
{
	return fetch_btf_member(kernel_btf(test), struct_named(test, structure),
				name, strlen(name), member);
}

/* The member is at bit @bit, and a field of @bits bits, or none. */
static void is_at(struct kunit *test, const char *structure, const char *name, u32 bit, u32 bits)
{
	struct fetch_member member = { };

	KUNIT_EXPECT_EQ_MSG(test, 0, look_for(test, structure, name, &member),
			    "%s.%s", structure, name);
	KUNIT_EXPECT_EQ_MSG(test, bit, member.bit, "%s.%s", structure, name);
	KUNIT_EXPECT_EQ_MSG(test, bits, member.bits, "%s.%s", structure, name);
	KUNIT_EXPECT_NE(test, 0, member.type);
}

#define IS_AT(test, structure, name) \
	is_at(test, #structure, #name, offsetof(struct structure, name) * 8, 0)

static void btf_members_plain(struct kunit *test)
{
	IS_AT(test, fetch_t_deep, outer);
	IS_AT(test, fetch_t_deep, first);
	IS_AT(test, fetch_t_deep, last);
	IS_AT(test, fetch_t_deep, inner);
	IS_AT(test, fetch_t_16, b);
	IS_AT(test, task_struct, comm);
	IS_AT(test, task_struct, signal);
	IS_AT(test, file, f_inode);
	IS_AT(test, inode, i_ino);
}

static void btf_members_unnamed(struct kunit *test)
{
	IS_AT(test, fetch_t_deep, pad);
	IS_AT(test, fetch_t_deep, third);
	IS_AT(test, fetch_t_deep, fourth);
	IS_AT(test, fetch_t_deep, skipped);
	IS_AT(test, fetch_t_deep, deepest);
	IS_AT(test, fetch_t_deep, alias);
	IS_AT(test, file, f_pipe);
	IS_AT(test, file, f_pos_lock);
	IS_AT(test, dentry, d_lockref);
}

/* Little endian: the first field of a unit has its lowest bits. */
static void btf_members_bits(struct kunit *test)
{
	u32 unit = sizeof(u32) * 8;

	is_at(test, "fetch_t_bits", "plain", 0, 0);
	is_at(test, "fetch_t_bits", "one", unit, 1);
	is_at(test, "fetch_t_bits", "seven", unit + 1, 7);
	is_at(test, "fetch_t_bits", "eight", unit + 8, 8);
	is_at(test, "fetch_t_bits", "three", unit + 16, 3);
	/* The last word, with what pads the structure to its alignment: 4 on i386. */
	is_at(test, "fetch_t_bits", "hidden",
	      (sizeof(struct fetch_t_bits) - __alignof__(struct fetch_t_bits)) * 8, 5);
}

static void btf_members_absent(struct kunit *test)
{
	struct fetch_member member;
	s32 number = btf_find_by_name_kind(kernel_btf(test), "int", BTF_KIND_INT);

	KUNIT_EXPECT_EQ(test, -ENOENT, look_for(test, "fetch_t_deep", "absent", &member));
	KUNIT_EXPECT_EQ(test, -ENOENT, look_for(test, "fetch_t_deep", "", &member));
	KUNIT_EXPECT_EQ(test, -ENOENT, look_for(test, "fetch_t_deep", "oute", &member));
	KUNIT_EXPECT_EQ(test, -ENOENT, look_for(test, "fetch_t_deep", "outerx", &member));
	/* Its members are not those of what it is in. */
	KUNIT_EXPECT_EQ(test, -ENOENT, look_for(test, "fetch_t_deep", "b", &member));
	KUNIT_ASSERT_GT(test, number, 0);
	KUNIT_EXPECT_EQ(test, -EINVAL,
			fetch_btf_member(kernel_btf(test),
					 btf_type_by_id(kernel_btf(test), number),
					 "a", 1, &member));
}

/* The name ends where it is said, not where the string does. */
static void btf_members_part(struct kunit *test)
{
	struct fetch_member member = { };

	KUNIT_EXPECT_EQ(test, 0, fetch_btf_member(kernel_btf(test),
						  struct_named(test, "fetch_t_deep"),
						  "third->x", strlen("third"), &member));
	KUNIT_EXPECT_EQ(test, offsetof(struct fetch_t_deep, third) * 8, member.bit);
}

/* Every structure of the kernel: each member by its name is where BTF has it. */
static void btf_members_all(struct kunit *test)
{
	const struct btf *btf = kernel_btf(test);
	unsigned int n, wrong = 0, nr = 0;
	const struct btf_member *wanted;
	struct fetch_member member;
	const struct btf_type *t;
	const char *name;
	u32 type;

	for (type = 1; type < btf_nr_types(btf); type++) {
		t = btf_type_by_id(btf, type);
		for (n = 0; btf_type_is_struct(t) && n < btf_type_vlen(t); n++) {
			wanted = btf_members(t) + n;
			name = btf_name_by_offset(btf, wanted->name_off);
			if (!*name)
				continue;
			nr++;
			if (fetch_btf_member(btf, t, name, strlen(name), &member) ||
			    member.bit != btf_member_bit_offset(t, n) ||
			    member.bits != btf_member_bitfield_size(t, n) ||
			    member.type != wanted->type)
				wrong++;
		}
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_GT(test, nr, 1000);
	kunit_info(test, "%u members", nr);
}

/* Every function is found, as itself or as one of its name with that prototype. */
static void btf_functions_all(struct kunit *test)
{
	const struct btf *btf = kernel_btf(test);
	unsigned int nr = 0, several = 0, wrong = 0;
	const struct btf_type *t;
	u32 type, found;
	int ret;

	for (type = 1; type < btf_nr_types(btf); type++) {
		t = btf_type_by_id(btf, type);
		if (!btf_type_is_func(t))
			continue;
		nr++;
		ret = fetch_btf_func(btf, btf_name_by_offset(btf, t->name_off), &found);
		several += ret == -ENOTUNIQ;
		if (ret && ret != -ENOTUNIQ)
			wrong++;
		else if (!ret && btf_type_by_id(btf, found)->type != t->type)
			wrong++;
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
	KUNIT_EXPECT_GT(test, nr, 1000);
	kunit_info(test, "%u functions, %u of them not unique", nr, several);
}

static void btf_functions_absent(struct kunit *test)
{
	const struct btf *btf = kernel_btf(test);
	u32 type;

	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_func(btf, "fetch_t_scalar", &type));
	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_func(btf, "fetch_t_scalars_", &type));
	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_func(btf, "", &type));
	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_func(btf, "~", &type));
	/* A structure is no function. */
	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_func(btf, "fetch_t_deep", &type));
}

/* An index is made once, dropped when it should be, and made again. */
static void btf_functions_dropped(struct kunit *test)
{
	const struct btf *btf = kernel_btf(test);
	u32 first, again;

	KUNIT_EXPECT_EQ(test, 0, fetch_btf_func(btf, "fetch_t_pair", &first));
	KUNIT_EXPECT_GE(test, fetch_btf_indexes(), 1);
	KUNIT_EXPECT_EQ(test, 0, fetch_btf_drop(0));
	KUNIT_EXPECT_GE(test, fetch_btf_drop(1000), 1);
	KUNIT_EXPECT_EQ(test, 0, fetch_btf_indexes());
	KUNIT_EXPECT_EQ(test, 0, fetch_btf_drop(1));
	KUNIT_EXPECT_EQ(test, 0, fetch_btf_func(btf, "fetch_t_pair", &again));
	KUNIT_EXPECT_EQ(test, first, again);
	KUNIT_EXPECT_EQ(test, 1, fetch_btf_indexes());
	KUNIT_EXPECT_EQ(test, 0, fetch_btf_func(btf, "fetch_t_large", &again));
	KUNIT_EXPECT_EQ(test, 1, fetch_btf_indexes());
}

static struct kunit_case btf_cases[] = {
	KUNIT_CASE(btf_members_plain),
	KUNIT_CASE(btf_members_unnamed),
	KUNIT_CASE(btf_members_bits),
	KUNIT_CASE(btf_members_absent),
	KUNIT_CASE(btf_members_part),
	KUNIT_CASE(btf_members_all),
	KUNIT_CASE(btf_functions_all),
	KUNIT_CASE(btf_functions_absent),
	KUNIT_CASE(btf_functions_dropped),
	{ }
};

static struct kunit_suite btf_suite = {
	.name = "probe_events_btf",
	.test_cases = btf_cases,
};

kunit_test_suite(btf_suite);
