// SPDX-License-Identifier: GPL-2.0
/*
 * A module with tracepoints that come and go with it, and are passed three times while
 * it comes up:
 *
 *	echo 10 >/sys/module/fprobe_tpoint/parameters/run
 *
 * passes each ten times more.
 */
#include <linux/module.h>
#include <linux/tracepoint.h>

DECLARE_TRACE(kt_tick, TP_PROTO(unsigned long a, const char *text),
	      TP_ARGS(a, text));
DEFINE_TRACE(kt_tick, TP_PROTO(unsigned long a, const char *text),
	     TP_ARGS(a, text));
DECLARE_TRACE(kt_tock, TP_PROTO(unsigned long a), TP_ARGS(a));
DEFINE_TRACE(kt_tock, TP_PROTO(unsigned long a), TP_ARGS(a));

static void pass(unsigned long n)
{
	unsigned long i;

	for (i = 0; i < n; i++) {
		trace_kt_tick(i, "tick");
		trace_kt_tock(i);
	}
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned long n;
	int err = kstrtoul(val, 0, &n);

	if (!err)
		pass(n);
	return err;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int __init fprobe_tpoint_init(void)
{
	pass(3);
	return 0;
}

static void __exit fprobe_tpoint_exit(void)
{
}

module_init(fprobe_tpoint_init);
module_exit(fprobe_tpoint_exit);

MODULE_DESCRIPTION("Tracepoints that come and go, for the kprobes selftests");
MODULE_LICENSE("GPL");
