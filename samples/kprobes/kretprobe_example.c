// SPDX-License-Identifier: GPL-2.0
/*
 * Watch a function return: with which value, after which time.
 *
 *	modprobe kretprobe_example func=vfs_read max_prints=20
 *	dmesg | grep kretprobe_example
 *	rmmod kretprobe_example
 *
 * What the entry handler learns it leaves in the instance's private data,
 * where the return handler of this call finds it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>

static char *func = "do_sys_openat2";
module_param(func, charp, 0444);
MODULE_PARM_DESC(func, "function to watch, also as module:function");

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "calls to follow at a time; 0 for no limit");

static unsigned int max_prints = 1000;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many returns to print; all of them are counted");

static atomic_long_t returns = ATOMIC_LONG_INIT(0);
static atomic64_t total_ns = ATOMIC64_INIT(0);

struct call {
	u64 entered;
};

/* The function may be one of timekeeping's own: take the clock without locks. */
static int at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;

	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

static int at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct call *call = (struct call *)ri->data;
	u64 took = ktime_get_mono_fast_ns() - call->entered;
	unsigned long value = regs_return_value(regs);
	long hit = atomic_long_inc_return(&returns);

	atomic64_add(took, &total_ns);
	if (hit <= READ_ONCE(max_prints))
		pr_info("%ld: %s returned %ld (%#lx) to %pS in %s[%d] after %llu ns\n",
			hit, func, (long)value, value,
			(void *)get_kretprobe_retaddr(ri), current->comm,
			current->pid, took);
	return 0;
}

static struct kretprobe watcher = {
	.entry_handler = at_entry,
	.handler = at_return,
	.data_size = sizeof(struct call),
};

static int __init kretprobe_example_init(void)
{
	int err;

	watcher.kp.symbol_name = func;
	watcher.maxactive = maxactive;

	err = register_kretprobe(&watcher);
	if (err) {
		pr_err("the return of %s cannot be probed: %pe\n", func,
		       ERR_PTR(err));
		return err;
	}
	pr_info("watching the return of %pS\n", watcher.kp.addr);
	return 0;
}

static void __exit kretprobe_example_exit(void)
{
	long n;

	unregister_kretprobe(&watcher);
	n = atomic_long_read(&returns);
	pr_info("%s: %ld returns, %lld ns on average, %d missed\n", func, n,
		n ? div64_s64(atomic64_read(&total_ns), n) : 0,
		watcher.nmissed);
}

module_init(kretprobe_example_init);
module_exit(kretprobe_example_exit);

MODULE_DESCRIPTION("Watch a kernel function's return with a kretprobe");
MODULE_LICENSE("GPL");
