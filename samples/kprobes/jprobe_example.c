// SPDX-License-Identifier: GPL-2.0
/*
 * Print the arguments of a function, with a jprobe: its handler has the prototype of the
 * function, and so names the arguments.
 *
 *	modprobe jprobe_example comm=bash
 *	dmesg | grep jprobe_example
 *	rmmod jprobe_example
 *
 * With comm= only the calls of programs of that name are printed and counted. This is
 * the older interface: the compiler cannot check that the two prototypes agree. For new
 * code see the help text of CONFIG_JPROBES.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/string.h>

static char *comm = "";
module_param(comm, charp, 0444);
MODULE_PARM_DESC(comm, "only the calls of programs of this name");

static unsigned int max_prints = 100;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many calls to print; all of them are counted");

static atomic_long_t calls = ATOMIC_LONG_INIT(0);

static void print_args(const struct kernel_clone_args *args)
{
	long n;

	if (*comm && strcmp(current->comm, comm))
		return;
	n = atomic_long_inc_return(&calls);
	if (n <= READ_ONCE(max_prints))
		pr_info("%ld: by %s[%d], flags %#llx, signal %d, stack %#lx, stack size %#lx\n",
			n, current->comm, current->pid, args->flags,
			args->exit_signal, args->stack, args->stack_size);
}

/* The prototype is that of kernel_clone(). What it returns is not looked at. */
static pid_t on_clone(struct kernel_clone_args *args)
{
	print_args(args);
	/* Each way out of the handler ends with it. */
	jprobe_return();
	return 0;
}

static struct jprobe probe = {
	.kp.symbol_name = "kernel_clone",
	.entry = JPROBE_ENTRY(on_clone),
};

static int __init jprobe_example_init(void)
{
	int err = register_jprobe(&probe);

	if (err) {
		pr_err("%s cannot be probed: %pe\n", probe.kp.symbol_name, ERR_PTR(err));
		return err;
	}
	pr_info("watching %pS\n", probe.kp.addr);
	return 0;
}

static void __exit jprobe_example_exit(void)
{
	unregister_jprobe(&probe);
	pr_info("%ld calls, %lu missed\n", atomic_long_read(&calls), probe.kp.nmissed);
}

module_init(jprobe_example_init);
module_exit(jprobe_example_exit);

MODULE_DESCRIPTION("Print the arguments of a function with a jprobe");
MODULE_LICENSE("GPL");
