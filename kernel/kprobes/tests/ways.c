// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a point is reached on every architecture.
 */
#include "ways.h"

/* A breakpoint may become a jump, where there are jumps. */
const struct ktest_way __weak ktest_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", "ftrace", ktest_traced },
#endif
	{ "breakpoint", NULL, ktest_break },
	{ "fixed", NULL, ktest_fixed },
	{ "post", NULL, ktest_fixed, .post = true },
	{ "plain", NULL, ktest_plain },
	{}
};
