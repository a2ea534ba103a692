// SPDX-License-Identifier: GPL-2.0
/*
 * The instances of return probes on top of rethook: they begin with a node.
 */
#include <linux/err.h>
#include <linux/rethook.h>

#include "kretprobe.h"

/**
 * kretprobe_pool_init() - allocate the instances, see kretprobe.h
 * @rp: the kretprobe
 * @grow: whether more may be allocated later
 *
 * Context: process context. May sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int kretprobe_pool_init(struct kretprobe *rp, bool grow)
{
	size_t size = sizeof(struct kretprobe_instance) + rp->data_size;
	struct rethook *rh;

	if (grow)
		rh = rethook_alloc_growing(rp, kretprobe_return, size,
					   rp->maxactive);
	else
		rh = rethook_alloc(rp, kretprobe_return, size, rp->maxactive);
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	rp->rh = rh;
	return 0;
}

/**
 * kretprobe_pool_stop() - hook no more calls, and call no handlers
 * @rp: the kretprobe
 *
 * Context: any.
 */
void kretprobe_pool_stop(struct kretprobe *rp)
{
	if (rp->rh)
		rethook_stop(rp->rh);
}

/**
 * kretprobe_pool_free() - free the instances, some when they are put back
 * @rp: the kretprobe, stopped
 *
 * Context: process context.
 */
void kretprobe_pool_free(struct kretprobe *rp)
{
	if (!rp->rh)
		return;
	/* Restore the user's value: registered again, it may grow again. */
	if (rp->rh->may_grow)
		rp->maxactive = 0;
	rethook_free(rp->rh);
	rp->rh = NULL;
}
