// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to be probed by jprobes: see jprobe_targets.h. They are in a file of their
 * own, so that no compiler makes copies of them with fewer arguments.
 */
#include <linux/stdarg.h>
#include <linux/string.h>

#include "jprobe_targets.h"

noinline notrace u64 jt_sum(const u64 *v, unsigned int n)
{
	u64 sum = n;

	while (n--)
		sum = sum * 31 + *v++;
	return sum;
}

noinline notrace u64 jt_sum_bytes(const u8 *b, unsigned int n)
{
	u64 sum = n;

	while (n--)
		sum = sum * 31 + *b++;
	return sum;
}

/* Write over an argument, wherever it is kept. */
noinline notrace void jt_spoil(void *arg, unsigned int size)
{
	memset(arg, 0xa5, size);
}

static u64 jt_sum_list(unsigned int n, va_list list)
{
	u64 sum = n;

	while (n--)
		sum = sum * 31 + va_arg(list, long);
	return sum;
}

#define JT(name)	jt_##name
#define JT_TRACE	notrace
#include "jprobe_bodies.h"
#undef JT
#undef JT_TRACE

#define JT(name)	jt_traced_##name
#define JT_TRACE
#include "jprobe_bodies.h"
