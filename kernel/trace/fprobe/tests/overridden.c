// SPDX-License-Identifier: GPL-2.0
/*
 * A function that the linker leaves out of the symbols, since testing.c has one of that
 * name that is not weak. Its code stays, and so does its ftrace site, behind a function
 * that has none. One is on each side, for compilers that turn the order around.
 *
 * None of these is ever called.
 */
#include "testing.h"

noinline __noclone notrace int fptest_plain(int x)
{
	barrier();
	return x;
}

__weak noinline int fptest_overridden(int x)
{
	barrier();
	return x + 1;
}

noinline __noclone notrace int fptest_plain_too(int x)
{
	barrier();
	return x + 2;
}
