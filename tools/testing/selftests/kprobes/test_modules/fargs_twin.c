// SPDX-License-Identifier: GPL-2.0
/*
 * A function with the name of one in fargs_targets.c, and other parameters.
 */
#include <linux/compiler.h>

#include "kprobe_fargs.h"

static noinline __noclone u64 fa_twin(const char *text, u64 n)
{
	asm volatile("" : : "r" (text) : "memory");
	return n + 1;
}

int fa_other_twins(int n)
{
	return fa_twin("twin", n);
}
