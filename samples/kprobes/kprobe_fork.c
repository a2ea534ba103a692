// SPDX-License-Identifier: GPL-2.0
/*
 * Dump the registers and the stack whenever a task is made: fork(), clone(), and the
 * kernel's own threads all come by kernel_clone().
 *
 *	modprobe kprobe_fork comm=bash max_prints=2
 *	dmesg | grep -A 20 kprobe_fork
 *	rmmod kprobe_fork
 *
 * With comm= only the calls of programs of that name are dumped and counted. A kprobe
 * with all three handlers: before the instruction, behind it, and for faults.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/printk.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/string.h>

static char *comm = "";
module_param(comm, charp, 0444);
MODULE_PARM_DESC(comm, "only the calls of programs of this name");

static unsigned int max_prints = 10;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many calls to dump; all of them are counted");

static atomic_long_t before = ATOMIC_LONG_INIT(0);
static atomic_long_t behind = ATOMIC_LONG_INIT(0);
static atomic_long_t faults = ATOMIC_LONG_INIT(0);

/* All handlers of a call run in the task that makes it. */
static bool is_meant(void)
{
	return !*comm || !strcmp(current->comm, comm);
}

static int dump_before(struct kprobe *p, struct pt_regs *regs)
{
	long n;

	if (!is_meant())
		return 0;
	n = atomic_long_inc_return(&before);
	if (n > READ_ONCE(max_prints))
		return 0;
	pr_info("%ld: %s[%d] at %pS, ip %#lx, sp %#lx\n", n, current->comm,
		current->pid, p->addr, instruction_pointer(regs),
		kernel_stack_pointer(regs));
	dump_stack();
	return 0;
}

static void count_behind(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	if (is_meant())
		atomic_long_inc(&behind);
}

/*
 * Called when one of the two above takes a fault, or the probed instruction; on
 * architectures that call it. These here take none, and the kernel has to deal with one
 * of the instruction.
 */
static int count_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	atomic_long_inc(&faults);
	pr_info("trap %d at %pS\n", trapnr, (void *)instruction_pointer(regs));
	return 0;
}

static struct kprobe probe = {
	.symbol_name = "kernel_clone",
	.pre_handler = dump_before,
	.post_handler = count_behind,
	.fault_handler = count_fault,
};

static int __init kprobe_fork_init(void)
{
	int err = register_kprobe(&probe);

	if (err) {
		pr_err("%s cannot be probed: %pe\n", probe.symbol_name, ERR_PTR(err));
		return err;
	}
	pr_info("watching %pS\n", probe.addr);
	return 0;
}

static void __exit kprobe_fork_exit(void)
{
	unregister_kprobe(&probe);
	pr_info("%ld calls, %ld behind the instruction, %ld faults, %lu missed\n",
		atomic_long_read(&before), atomic_long_read(&behind),
		atomic_long_read(&faults), probe.nmissed);
}

module_init(kprobe_fork_init);
module_exit(kprobe_fork_exit);

MODULE_DESCRIPTION("Dump the stack of each task that makes another one, with a kprobe");
MODULE_LICENSE("GPL");
