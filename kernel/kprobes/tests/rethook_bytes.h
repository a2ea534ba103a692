/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_RETHOOK_BYTES_H
#define _KPROBES_TESTS_RETHOOK_BYTES_H
/*
 * For suites that look at the memory of return hooks.
 */
#include <linux/delay.h>
#include <linux/rcupdate.h>

#include "../../trace/rethook_pool.h"

/* The memory of all hooks, when what was let go of before has been freed. */
static inline unsigned long rethook_settled_bytes(void)
{
	unsigned long bytes;

	do {
		bytes = rethook_all_bytes();
		rcu_barrier();
		msleep(50);
	} while (bytes != rethook_all_bytes());
	return bytes;
}

#endif /* _KPROBES_TESTS_RETHOOK_BYTES_H */
