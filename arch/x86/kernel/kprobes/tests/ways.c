// SPDX-License-Identifier: GPL-2.0
/*
 * The ways in which a point is reached on x86, each by name.
 */
#include "kprobes/tests/ways.h"
#include "targets_plain.h"

/* The flags are read by an instruction that is emulated. */
static int ways_flags(int x)
{
	return ktest_flags_fixed() ? x + 1 : 0;
}

/* Without the jump optimization, there are no stubs either. */
#ifdef CONFIG_OPTPROBES
#define WAYS_POST	"stub"
#define WAYS_JUMP	"optimized"
#else
#define WAYS_POST	"stepped"
#define WAYS_JUMP	"boosted"
#endif

const struct ktest_way ktest_ways[] = {
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "ftrace", "ftrace", ktest_traced },
#endif
	{ "boosted", "boosted", ktest_fixed },
	{ WAYS_POST, WAYS_POST, ktest_fixed, .post = true },
	{ "stepped", "stepped", ktest_fixed, .post = true, .fault = true },
	{ "emulated", "emulated", ways_flags, ktest_flags_fixed },
	{ WAYS_JUMP, WAYS_JUMP, ktest_plain },
	{}
};
