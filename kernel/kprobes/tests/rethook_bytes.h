/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_RETHOOK_BYTES_H
#define _KPROBES_TESTS_RETHOOK_BYTES_H
/*
 * For suites that look at the memory of return hooks.
 */
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>

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

/*
 * Wait, four seconds at most, until the worker has given back all but @bytes. It counts the
 * nodes first, and their memory then.
 */
static inline bool rethook_shrinks_to(struct rethook *rh, size_t bytes)
{
	int i;

	for (i = 0; i < 200 && READ_ONCE(rh->bytes) > bytes; i++)
		msleep(20);
	return rh->bytes == bytes;
}

/*
 * Give the worker the time that it asks for, unless it has no memory. It may wait for that
 * of a page table, until the test gives memory back.
 */
static inline void rethook_await_worker(struct rethook *rh)
{
	unsigned long end = jiffies + 20 * HZ;

	while (READ_ONCE(rh->growth_pending) && !READ_ONCE(rh->blocked) &&
	       time_before(jiffies, end))
		usleep_range(50, 100);
}

/* There is memory again: wait for the worker to see that, twenty seconds at most. */
static inline void rethook_await_pause(struct rethook *rh)
{
	unsigned int i;

	for (i = 0; i < 1000 && READ_ONCE(rh->growth_pending); i++)
		msleep(20);
}

/* Take @num nodes, as fast as the hook grows. Returns how many there were. */
static inline int rethook_take_nodes(struct rethook *rh, struct rethook_node **nodes, int num)
{
	int i;

	for (i = 0; i < num; i++) {
		rethook_await_worker(rh);
		scoped_guard(preempt)
			nodes[i] = rethook_try_get(rh);
		if (!nodes[i])
			break;
	}
	return i;
}

static inline void rethook_put_nodes(struct rethook_node **nodes, int num)
{
	while (num--) {
		guard(preempt)();
		rethook_recycle(nodes[num]);
	}
}

#endif /* _KPROBES_TESTS_RETHOOK_BYTES_H */
