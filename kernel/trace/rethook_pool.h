/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_RETHOOK_POOL_H
#define _TRACE_RETHOOK_POOL_H
/*
 * What rethook.c needs from rethook_pool.c.
 *
 * rethook_pools_free() lets go of all nodes that are not in use, and of the
 * hook when none is. To be called a grace period after the hook was stopped.
 */
#include <linux/rethook.h>

struct rethook *rethook_new(void *data, rethook_handler_t handler, int size,
			    int num, int spare);
int rethook_round_up(int num, int size);
void rethook_pools_free(struct rethook *rh);
struct rethook_node *rethook_get_slow(struct rethook *rh);

#endif /* _TRACE_RETHOOK_POOL_H */
