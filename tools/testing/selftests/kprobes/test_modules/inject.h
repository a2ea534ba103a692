/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Failing allocations of the current task, for the kprobes selftests.
 */
#ifndef _KPROBES_TEST_INJECT_H
#define _KPROBES_TEST_INJECT_H

#include <linux/compiler.h>
#include <linux/sched.h>
#include <linux/types.h>

/* The nth allocation from now on fails; none, if @n is 0. */
#if defined(CONFIG_FAULT_INJECTION) && defined(CONFIG_FAILSLAB) && \
	defined(CONFIG_FAIL_PAGE_ALLOC)
static inline void inject(unsigned int n)
{
	WRITE_ONCE(current->fail_nth, n);
}

/* Has there not been that allocation yet? */
static inline bool still_to_come(void)
{
	return READ_ONCE(current->fail_nth);
}
#else
static inline void inject(unsigned int n)
{
}

static inline bool still_to_come(void)
{
	return true;
}
#endif

#endif
