// SPDX-License-Identifier: GPL-2.0
/*
 * From where calls get their nodes.
 *
 * A call whose exit is waited for takes one node for all fprobes that share it, which
 * has room for their entry data. The nodes of all functions come from a few pools, one
 * for each power of two: so there is memory for the calls that are under way, not for
 * each function that might be called. The pools grow, and are never freed.
 *
 * An fprobe with a limit has its own nodes, exactly as many.
 */
#include <linux/align.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/log2.h>
#include <linux/minmax.h>
#include <linux/percpu.h>
#include <linux/rethook.h>

#include "nodes.h"

/* Under fprobe_mutex. NULL until it is needed. */
struct rethook *fprobe_classes[FPROBE_CLASSES];

static int fprobe_class_index(size_t bytes)
{
	return bytes <= FPROBE_CLASS_MIN ? 0 :
	       order_base_2(bytes) - ilog2(FPROBE_CLASS_MIN);
}

/*
 * What a burst of calls takes until a worker has added more, of up to 64 KiB: there are
 * few classes, each for all fprobes.
 */
static struct rethook *fprobe_new_class(size_t bytes)
{
	size_t size = sizeof(struct fprobe_node) + bytes;
	struct rethook *rh;

	rh = rethook_alloc_growing(NULL, fprobe_return, size, 2 * num_possible_cpus());
	if (!IS_ERR(rh) && rethook_keep(rh, min(SZ_64K / size, 128U))) {
		rethook_free(rh);
		return ERR_PTR(-ENOMEM);
	}
	return rh;
}

/**
 * fprobe_nodes_class() - nodes that are shared
 * @bytes: what is to fit behind a struct fprobe_node, at most FPROBE_CLASS_MAX
 * @nodes: filled with the nodes
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int fprobe_nodes_class(size_t bytes, struct rethook **nodes)
{
	int i = fprobe_class_index(bytes);
	struct rethook *rh;

	lockdep_assert_held(&fprobe_mutex);
	if (!fprobe_classes[i]) {
		rh = fprobe_new_class(FPROBE_CLASS_MIN << i);
		if (IS_ERR(rh))
			return PTR_ERR(rh);
		fprobe_classes[i] = rh;
	}
	*nodes = fprobe_classes[i];
	return 0;
}

/**
 * fprobe_nodes_own() - nodes for an fprobe with a limit
 * @fp: the fprobe
 * @nodes: filled with the nodes, for rethook_free(); NULL if there is no limit
 *
 * Context: process context. May sleep.
 * Return: 0, -EINVAL or -ENOMEM.
 */
int fprobe_nodes_own(struct fprobe *fp, struct rethook **nodes)
{
	struct rethook *rh;

	*nodes = NULL;
	if (!fp->exit_handler || !fp->nr_maxactive)
		return 0;
	rh = rethook_alloc(NULL, fprobe_return, sizeof(struct fprobe_node) +
			   fprobe_exit_bytes(fp), fp->nr_maxactive);
	if (IS_ERR(rh))
		return PTR_ERR(rh);
	*nodes = rh;
	return 0;
}

/**
 * fprobe_nodes_used() - how many nodes are taken by calls under way
 * @nodes: the nodes
 *
 * Context: process context, fprobe_mutex held. Calls take nodes and put them back
 * meanwhile.
 * Return: the number.
 */
unsigned int fprobe_nodes_used(const struct rethook *nodes)
{
	int cpu, used = nodes->total - atomic_read(&nodes->nr_free);

	/* Those in the caches of CPUs are free, too. */
	for_each_possible_cpu(cpu)
		used -= !!READ_ONCE(*per_cpu_ptr(nodes->cpu_cache, cpu));
	return max(used, 0);
}
