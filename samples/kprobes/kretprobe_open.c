// SPDX-License-Identifier: GPL-2.0
/*
 * Report files that could not be opened: open(), openat() and openat2() all come by
 * do_sys_openat2(), whose return value is a file descriptor or an error.
 *
 *	modprobe kretprobe_open comm=bash
 *	dmesg | grep kretprobe_open
 *	rmmod kretprobe_open
 *
 * With comm= only the calls of programs of that name are reported and counted. With
 * maxactive= no more calls than that are followed at a time; others are missed, and
 * counted as such.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *comm = "";
module_param(comm, charp, 0444);
MODULE_PARM_DESC(comm, "only the calls of programs of this name");

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "calls to follow at a time; 0 for no limit");

static unsigned int max_prints = 100;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many failures to report; all of them are counted");

static atomic_long_t calls = ATOMIC_LONG_INIT(0);
static atomic_long_t failed = ATOMIC_LONG_INIT(0);

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	/* The function returns a long, but what it returns is an int. */
	int value = regs_return_value(regs);
	long n;

	if (*comm && strcmp(current->comm, comm))
		return 0;
	atomic_long_inc(&calls);
	if (value >= 0)
		return 0;
	n = atomic_long_inc_return(&failed);
	if (n <= READ_ONCE(max_prints))
		pr_info("%ld: open by %s[%d] failed: %pe\n", n, current->comm,
			current->pid, ERR_PTR(value));
	return 0;
}

static struct kretprobe probe = {
	.kp.symbol_name = "do_sys_openat2",
	.handler = on_return,
};

static int __init kretprobe_open_init(void)
{
	int err;

	probe.maxactive = maxactive;
	err = register_kretprobe(&probe);
	if (err) {
		pr_err("the return of %s cannot be probed: %pe\n",
		       probe.kp.symbol_name, ERR_PTR(err));
		return err;
	}
	pr_info("watching the return of %pS\n", probe.kp.addr);
	return 0;
}

static void __exit kretprobe_open_exit(void)
{
	unregister_kretprobe(&probe);
	pr_info("%ld of %ld calls failed, %d missed\n", atomic_long_read(&failed),
		atomic_long_read(&calls), probe.nmissed);
}

module_init(kretprobe_open_init);
module_exit(kretprobe_open_exit);

MODULE_DESCRIPTION("Report files that could not be opened, with a kretprobe");
MODULE_LICENSE("GPL");
