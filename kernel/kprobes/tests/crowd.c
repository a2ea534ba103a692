// SPDX-License-Identifier: GPL-2.0
/*
 * Many functions to probe, not by ftrace, and so far apart that each has room for a
 * jump. The compiler makes one of those that are equal, so no two of them are.
 */
#include <linux/compiler.h>

#include "crowd.h"

#define CROWD_16(do, n)							\
	do(n##0) do(n##1) do(n##2) do(n##3) do(n##4) do(n##5) do(n##6) do(n##7) \
	do(n##8) do(n##9) do(n##a) do(n##b) do(n##c) do(n##d) do(n##e) do(n##f)

#define CROWD_ALL(do)							\
	CROWD_16(do, 0x0) CROWD_16(do, 0x1) CROWD_16(do, 0x2) CROWD_16(do, 0x3) \
	CROWD_16(do, 0x4) CROWD_16(do, 0x5) CROWD_16(do, 0x6) CROWD_16(do, 0x7) \
	CROWD_16(do, 0x8) CROWD_16(do, 0x9) CROWD_16(do, 0xa) CROWD_16(do, 0xb) \
	CROWD_16(do, 0xc) CROWD_16(do, 0xd) CROWD_16(do, 0xe) CROWD_16(do, 0xf) \
	do(0x100)

#define CROWD_FN(n)							\
static noinline __noclone notrace __aligned(32) int crowd_##n(int x)	\
{									\
	barrier();							\
	return x + 1 + (n);						\
}

CROWD_ALL(CROWD_FN)

#define CROWD_ENTRY(n)	crowd_##n,

int (* const ktest_crowd[KTEST_CROWD])(int x) = { CROWD_ALL(CROWD_ENTRY) };
