// SPDX-License-Identifier: GPL-2.0
/*
 * Watch one address in the kernel: which task comes by, with which arguments,
 * and how often in all.
 *
 *	modprobe kprobe_example symbol=vfs_read max_prints=20
 *	dmesg | grep kprobe_example
 *	rmmod kprobe_example
 *
 * The place is a function's first instruction, or the instruction offset=
 * bytes behind it. Only at the first one do the argument registers still hold
 * the arguments. With post=0 there is no handler behind the instruction.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>

static char *symbol = "do_sys_openat2";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "function to watch, also as module:function");

static unsigned int offset;
module_param(offset, uint, 0444);
MODULE_PARM_DESC(offset, "bytes behind the start of the function");

static bool post = true;
module_param(post, bool, 0444);
MODULE_PARM_DESC(post, "also look behind the instruction");

static unsigned int max_prints = 1000;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many hits to print; all of them are counted");

static atomic_long_t pre_hits = ATOMIC_LONG_INIT(0);
static atomic_long_t post_hits = ATOMIC_LONG_INIT(0);

static unsigned long flags_of(struct pt_regs *regs)
{
#if defined(CONFIG_X86)
	return regs->flags;
#elif defined(CONFIG_ARM64)
	return regs->pstate;
#else
	return 0;
#endif
}

static unsigned long argument(struct pt_regs *regs, unsigned int n)
{
	/* On s390 it calls a function that is not exported. */
#if defined(CONFIG_HAVE_FUNCTION_ARG_ACCESS_API) && !defined(CONFIG_S390)
	return regs_get_kernel_argument(regs, n);
#else
	return 0;
#endif
}

static int before_insn(struct kprobe *p, struct pt_regs *regs)
{
	long hit = atomic_long_inc_return(&pre_hits);

	if (hit > READ_ONCE(max_prints))
		return 0;
	pr_info("pre_handler %ld: %s+%#x by %s[%d] on CPU %d: args %#lx %#lx %#lx, ip %pS, flags %#lx\n",
		hit, symbol, p->offset, current->comm, current->pid,
		raw_smp_processor_id(), argument(regs, 0), argument(regs, 1),
		argument(regs, 2), (void *)instruction_pointer(regs),
		flags_of(regs));
	return 0;
}

static void behind_insn(struct kprobe *p, struct pt_regs *regs,
			unsigned long unused)
{
	long hit = atomic_long_inc_return(&post_hits);

	if (hit > READ_ONCE(max_prints))
		return;
	pr_info("post_handler %ld: %s+%#x is done, next is %pS, flags %#lx\n",
		hit, symbol, p->offset, (void *)instruction_pointer(regs),
		flags_of(regs));
}

static struct kprobe watcher = {
	.pre_handler = before_insn,
};

static int __init kprobe_example_init(void)
{
	int err;

	watcher.symbol_name = symbol;
	watcher.offset = offset;
	if (post)
		watcher.post_handler = behind_insn;

	err = register_kprobe(&watcher);
	if (err) {
		pr_err("%s+%#x cannot be probed: %pe\n", symbol, offset,
		       ERR_PTR(err));
		return err;
	}
	pr_info("watching %pS\n", watcher.addr);
	return 0;
}

static void __exit kprobe_example_exit(void)
{
	unregister_kprobe(&watcher);
	pr_info("%s+%#x: %ld hits before, %ld behind the instruction, %lu missed\n",
		symbol, offset, atomic_long_read(&pre_hits),
		atomic_long_read(&post_hits), watcher.nmissed);
}

module_init(kprobe_example_init);
module_exit(kprobe_example_exit);

MODULE_DESCRIPTION("Watch a kernel function with a kprobe");
MODULE_LICENSE("GPL");
