// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the nodes of return hooks: those that the CPUs take have no cache
 * line in common. Nothing is hooked.
 */
#include <kunit/test.h>
#include <linux/cache.h>
#include <linux/cpu.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/preempt.h>
#include <linux/rethook.h>
#include <linux/smp.h>

#define RCPUS_SIZE	((int)sizeof(struct kretprobe_instance))
#define RCPUS_LINE	max(L1_CACHE_BYTES, 64)
#define RCPUS_MAX	4

static struct rethook_node *rcpus_nodes[RCPUS_MAX];

static void rcpus_handler(struct rethook_node *node, void *data,
			  unsigned long ret_addr, struct pt_regs *regs)
{
}

static void rcpus_take(void *rh)
{
	rcpus_nodes[smp_processor_id()] = rethook_try_get(rh);
}

static void rcpus_put(void *rh)
{
	struct rethook_node *node = rcpus_nodes[smp_processor_id()];

	if (node)
		rethook_recycle(node);
}

/* Does the node that lies behind begin in the last cache line of the other? */
static bool rcpus_line_shared(void *a, void *b, int size)
{
	unsigned long mask = -(unsigned long)RCPUS_LINE;

	return ((unsigned long)max(a, b) & mask) <=
	       ((unsigned long)(min(a, b) + size - 1) & mask);
}

static int rcpus_lines_shared(int size)
{
	int a, b, shared = 0;

	for_each_online_cpu(a)
		for_each_online_cpu(b)
			shared += a < b && rcpus_line_shared(rcpus_nodes[a], rcpus_nodes[b], size);
	return shared;
}

/* Returns whether the CPUs could take nodes at all. */
static bool rcpus_round(struct kunit *test, struct rethook *rh, int size)
{
	int cpu;

	KUNIT_ASSERT_FALSE(test, IS_ERR(rh));
	if (num_online_cpus() * rh->stride > rh->total) {
		kunit_info(test, "too few nodes of %d bytes\n", size);
		rethook_free(rh);
		return false;
	}
	cpus_read_lock();
	on_each_cpu(rcpus_take, rh, 1);
	for_each_online_cpu(cpu)
		KUNIT_EXPECT_NOT_NULL(test, rcpus_nodes[cpu]);
	KUNIT_EXPECT_EQ_MSG(test, 0, rcpus_lines_shared(size), "nodes of %d bytes", size);
	on_each_cpu(rcpus_put, rh, 1);
	cpus_read_unlock();
	rethook_free(rh);
	return true;
}

/* However large the nodes are, and whether there may be more of them or not. */
static void rcpus_apart(struct kunit *test)
{
	struct rethook *rh;
	int size, fixed = 0, growing = 0;

	if (num_online_cpus() == 1 || nr_cpu_ids > RCPUS_MAX)
		kunit_skip(test, "made for 2 to %d CPUs", RCPUS_MAX);
	for (size = RCPUS_SIZE; size <= RCPUS_SIZE + 64; size += sizeof(long)) {
		rh = rethook_alloc(NULL, rcpus_handler, size, 32);
		fixed += rcpus_round(test, rh, size);
		rh = rethook_alloc_growing(NULL, rcpus_handler, size, 10);
		growing += rcpus_round(test, rh, size);
	}
	KUNIT_EXPECT_GT(test, fixed, 0);
	KUNIT_EXPECT_GT(test, growing, 0);
}

static struct kunit_case rethook_cpus_cases[] = {
	KUNIT_CASE(rcpus_apart),
	{}
};

static struct kunit_suite rethook_cpus_suite = {
	.name = "rethook_cpus",
	.test_cases = rethook_cpus_cases,
};

kunit_test_suite(rethook_cpus_suite);

MODULE_DESCRIPTION("KUnit tests of the nodes that CPUs take");
MODULE_LICENSE("GPL");
