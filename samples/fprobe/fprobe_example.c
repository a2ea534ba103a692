// SPDX-License-Identifier: GPL-2.0
/*
 * Watch many functions: how often each call is made, and how long it takes.
 *
 *	modprobe fprobe_example symbol='vfs_*' nosymbol='vfs_f*'
 *	modprobe fprobe_example symbol=vfs_read,vfs_write
 *	dmesg | grep fprobe_example
 *	rmmod fprobe_example
 *
 * A pattern is one string; names are separated by commas. What the entry handler
 * learns it leaves in the call's entry data, where the exit handler finds it.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/atomic.h>
#include <linux/fprobe.h>
#include <linux/math64.h>
#include <linux/module.h>
#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

static char *symbol = "do_sys_openat2";
module_param(symbol, charp, 0444);
MODULE_PARM_DESC(symbol, "functions: a pattern, or names separated by commas");

static char *nosymbol;
module_param(nosymbol, charp, 0444);
MODULE_PARM_DESC(nosymbol, "functions that the pattern leaves out, a pattern too");

static int maxactive;
module_param(maxactive, int, 0444);
MODULE_PARM_DESC(maxactive, "calls to follow at a time; 0 for no limit");

static unsigned int max_prints = 1000;
module_param(max_prints, uint, 0644);
MODULE_PARM_DESC(max_prints, "how many calls to print; all of them are counted");

static atomic_long_t entries = ATOMIC_LONG_INIT(0);
static atomic_long_t exits = ATOMIC_LONG_INIT(0);
static atomic64_t total_ns = ATOMIC64_INIT(0);

struct call {
	u64 entered;
};

/* The function may be one of timekeeping's own: take the clock without locks. */
static int at_entry(struct fprobe *fp, unsigned long entry_ip,
		    unsigned long ret_ip, struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;

	atomic_long_inc(&entries);
	call->entered = ktime_get_mono_fast_ns();
	return 0;
}

static void at_exit(struct fprobe *fp, unsigned long entry_ip,
		    unsigned long ret_ip, struct pt_regs *regs, void *entry_data)
{
	struct call *call = entry_data;
	u64 took = ktime_get_mono_fast_ns() - call->entered;
	long n = atomic_long_inc_return(&exits);

	atomic64_add(took, &total_ns);
	if (n <= READ_ONCE(max_prints))
		pr_info("%ld: %ps returned %ld to %pS in %s[%d] after %llu ns\n",
			n, (void *)entry_ip, (long)regs_return_value(regs),
			(void *)ret_ip, current->comm, current->pid, took);
}

static struct fprobe watcher = {
	.entry_handler = at_entry,
	.exit_handler = at_exit,
	.entry_data_size = sizeof(struct call),
};

/* The names between commas; each is a word of @buf, which is changed. */
static int register_names(char *buf)
{
	const char **names;
	int i, ret, n = 1;
	char *c;

	for (c = buf; *c; c++)
		n += *c == ',';
	names = kcalloc(n, sizeof(*names), GFP_KERNEL);
	if (!names)
		return -ENOMEM;
	for (i = 0; i < n; i++)
		names[i] = strsep(&buf, ",");
	ret = register_fprobe_syms(&watcher, names, n);
	kfree(names);
	return ret;
}

static int register_watcher(void)
{
	char *buf;
	int ret;

	if (!strchr(symbol, ','))
		return register_fprobe(&watcher, symbol, nosymbol);
	buf = kstrdup(symbol, GFP_KERNEL);
	if (!buf)
		return -ENOMEM;
	ret = register_names(buf);
	kfree(buf);
	return ret;
}

static int __init fprobe_example_init(void)
{
	int err;

	watcher.nr_maxactive = maxactive;
	err = register_watcher();
	if (err) {
		pr_err("%s cannot be probed: %pe\n", symbol, ERR_PTR(err));
		return err;
	}
	pr_info("watching %s\n", symbol);
	return 0;
}

static void __exit fprobe_example_exit(void)
{
	long n;

	unregister_fprobe(&watcher);
	n = atomic_long_read(&exits);
	pr_info("%s: %ld entries, %ld exits, %lld ns on average, %lu missed\n",
		symbol, atomic_long_read(&entries), n,
		n ? div64_s64(atomic64_read(&total_ns), n) : 0,
		watcher.nmissed);
}

module_init(fprobe_example_init);
module_exit(fprobe_example_exit);

MODULE_DESCRIPTION("Watch the entries and exits of functions with an fprobe");
MODULE_LICENSE("GPL");
