// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe-scale-types00.ko: types of a module of its own, to be searched for those of a
 * function. It is to be loaded many times, each time with another number in its name.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/types.h>

struct scale_types_pair {
	u64 first;
	u64 second;
};

static __used noinline u64 scale_types_sum(const struct scale_types_pair *pair)
{
	return pair->first + pair->second;
}

MODULE_DESCRIPTION("Types that are searched");
MODULE_LICENSE("GPL");
