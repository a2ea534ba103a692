/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A module that is built twice, with other offsets and registers: for events that are
 * defined before it is loaded, or while the other one is. Its function is called, and
 * its tracepoint passed, once while it comes up and N times by
 *
 *	echo N >/sys/module/kprobe_moved1/parameters/run
 *
 * kprobe_moved1.c and kprobe_moved2.c say what is different: how many words are before the
 * value, its type, the name of a number, and the order of the parameters.
 */
#include <linux/compiler.h>
#include <linux/module.h>
#include <linux/tracepoint.h>

enum kt_level { MOVED_LEVEL = 3 };

struct kt_moved_node {
	u64 before[MOVED_BEFORE];
	MOVED_VALUE value;
	char text[8];
	const char *name;
	enum kt_level level;
};

DECLARE_TRACE(kt_moved, TP_PROTO(MOVED_ARGS(struct kt_moved_node *node, int n)),
	      TP_ARGS(MOVED_ARGS(node, n)));
DEFINE_TRACE(kt_moved, TP_PROTO(MOVED_ARGS(struct kt_moved_node *node, int n)),
	     TP_ARGS(MOVED_ARGS(node, n)));

int kt_moved_call(MOVED_ARGS(struct kt_moved_node *node, int n));

noinline __noclone int kt_moved_call(MOVED_ARGS(struct kt_moved_node *node, int n))
{
	node->value++;
	barrier();
	return n + 1;
}

/* Of the kernel's own code, too: a structure, and two functions, one of init text. */
struct cpu_stop_done {
	u64 before[MOVED_BEFORE + 9];
	int ret;
};

static noinline __noclone int module_flags(struct cpu_stop_done *done, int n)
{
	barrier();
	return done->ret + n;
}

static noinline __noclone int flush_buffer(struct cpu_stop_done *done, int n)
{
	barrier();
	return done->ret - n;
}

static void pass(int n)
{
	struct kt_moved_node node = { .value = 40, .text = "text", .name = "name", .level = 3 };
	struct cpu_stop_done done = { .ret = 7 };

	done.ret += module_flags(&done, n) + flush_buffer(&done, n) - 14;
	kt_moved_call(MOVED_ARGS(&node, n));
	trace_kt_moved(MOVED_ARGS(&node, n));
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	int i, n, err = kstrtoint(val, 0, &n);

	for (i = 0; !err && i < n; i++)
		pass(i);
	return err;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int __init moved_init(void)
{
	pass(-1);
	return 0;
}

static void __exit moved_exit(void)
{
}

module_init(moved_init);
module_exit(moved_exit);

MODULE_DESCRIPTION("A module with one set of offsets, or another");
MODULE_LICENSE("GPL");
