// SPDX-License-Identifier: GPL-2.0
/*
 * A live patch for two functions of module kprobe_target, of which one calls the
 * other. What is new does as before, and counts calls that live patching rules
 * out: of the new function by the old one.
 */
#include <linux/kernel.h>
#include <linux/livepatch.h>
#include <linux/module.h>

#include "kprobe_target.h"

/* No longer than this. */
#define OUTER_SIZE	256

static unsigned long new_entry(unsigned long a, unsigned long b)
{
	unsigned long from = (unsigned long)__builtin_return_address(0);

	if (from - (unsigned long)kt_outer < OUTER_SIZE)
		kt_count_mixed();
	return 3 * a + b;
}

static unsigned long new_outer(unsigned long a, unsigned long b)
{
	unsigned long sum = kt_plain(a, b);

	barrier();
	sum += kt_entry(sum, 0) - 3 * sum;
	barrier();
	return sum;
}

static struct klp_func funcs[] = {
	{ .old_name = "kt_entry", .new_func = new_entry },
	{ .old_name = "kt_outer", .new_func = new_outer },
	{}
};

static struct klp_object objs[] = {
	{ .name = "kprobe_target", .funcs = funcs }, {}
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init kprobe_patch_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit kprobe_patch_exit(void)
{
}

module_init(kprobe_patch_init);
module_exit(kprobe_patch_exit);

MODULE_DESCRIPTION("A live patch of probed functions, for the kprobes selftests");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
