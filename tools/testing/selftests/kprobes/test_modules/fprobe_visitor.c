// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is loaded and unloaded all the time, for kprobe_ftorture.sh: its
 * functions and its tracepoint are called 10 times each as it comes, and but for the
 * one in init text 10 times more as it goes.
 */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

#include "fprobe_torture.h"

#define CALLS	10

DECLARE_TRACE(ktv_tick, TP_PROTO(unsigned long a, const char *text),
	      TP_ARGS(a, text));
DEFINE_TRACE(ktv_tick, TP_PROTO(unsigned long a, const char *text),
	     TP_ARGS(a, text));

noinline unsigned long __noclone ktv_one(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

noinline unsigned long __noclone ktv_two(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

noinline unsigned long __noclone __init ktv_init_text(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

static void pass(void)
{
	unsigned long a;

	for (a = 0; a < CALLS; a++) {
		ktv_one(a, "visitor");
		ktv_two(a, "visitor");
		trace_ktv_tick(a, "visitor");
	}
}

static int __init fprobe_visitor_init(void)
{
	unsigned long a;

	for (a = 0; a < CALLS; a++)
		ktv_init_text(a, "visitor");
	pass();
	return 0;
}

static void __exit fprobe_visitor_exit(void)
{
	pass();
}

module_init(fprobe_visitor_init);
module_exit(fprobe_visitor_exit);

MODULE_DESCRIPTION("A module that comes and goes, for the kprobes selftests");
MODULE_LICENSE("GPL");
