// SPDX-License-Identifier: GPL-2.0
/*
 * A module that goes and leaves its jprobes registered, at functions of others:
 *
 *	insmod kprobe_leave.ko at=kprobe_target:kt_plain,do_sys_openat2
 *
 * hits is how often their handler was called. init_text is what register_jprobe()
 * says of a handler that is in init text.
 */
#include <linux/atomic.h>
#include <linux/init.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/sysfs.h>

#define LEAVE_MAX	4

static char *at[LEAVE_MAX];
static int nr_at;
module_param_array(at, charp, &nr_at, 0444);
MODULE_PARM_DESC(at, "where to place jprobes");

static int init_text;
module_param(init_text, int, 0444);

static struct jprobe probes[LEAVE_MAX];
static atomic_long_t calls;

/* For functions with any arguments. */
static void on_call(void)
{
	atomic_long_inc(&calls);
	jprobe_return();
}

static void __init on_call_init(void)
{
	jprobe_return();
}

static int hits_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&calls));
}

static const struct kernel_param_ops hits_ops = {
	.get = hits_get,
};
module_param_cb(hits, &hits_ops, NULL, 0444);

/* Undone, if it was not refused. */
static int __init try_init_text(void)
{
	struct jprobe *jp = &probes[0];
	int err;

	jp->kp.symbol_name = at[0];
	jp->entry = JPROBE_ENTRY(on_call_init);
	err = register_jprobe(jp);
	if (!err)
		unregister_jprobe(jp);
	jp->kp.addr = NULL;
	return err;
}

static int __init kprobe_leave_init(void)
{
	struct jprobe *each[LEAVE_MAX];
	int i;

	if (!nr_at)
		return -EINVAL;
	init_text = try_init_text();
	for (i = 0; i < nr_at; i++) {
		each[i] = &probes[i];
		probes[i].kp.symbol_name = at[i];
		probes[i].entry = JPROBE_ENTRY(on_call);
	}
	return register_jprobes(each, nr_at);
}

/* It may go, though it does nothing for that. */
static void __exit kprobe_leave_exit(void)
{
}

module_init(kprobe_leave_init);
module_exit(kprobe_leave_exit);

MODULE_DESCRIPTION("A module that leaves its jprobes registered");
MODULE_LICENSE("GPL");
