// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit test of what the suites before this one have left behind.
 */
#include "testing.h"

static void left_points(struct kunit *test)
{
	ktest_assert_none_left(test);
}

static struct kunit_case left_cases[] = {
	KUNIT_CASE(left_points),
	{}
};

static struct kunit_suite left_suite = {
	.name = "kprobes_left",
	.test_cases = left_cases,
};

kunit_test_suite(left_suite);
