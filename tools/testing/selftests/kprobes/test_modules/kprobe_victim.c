// SPDX-License-Identifier: GPL-2.0
/*
 * Functions that errors may be injected into:
 *
 *	echo "traced 10" >/sys/module/kprobe_victim/parameters/run
 *
 * calls kv_traced() so often, "plain 10" kv_plain(), which is not an ftrace site.
 * failed says how many of these calls have returned an error, and error the last one.
 */
#include <linux/compiler.h>
#include <linux/error-injection.h>
#include <linux/module.h>
#include <linux/string.h>

static unsigned int failed;
module_param(failed, uint, 0444);

static int error;
module_param(error, int, 0444);

static noinline __noclone int kv_traced(int x)
{
	barrier();
	return x;
}
ALLOW_ERROR_INJECTION(kv_traced, ERRNO);

static noinline __noclone notrace int kv_plain(int x)
{
	barrier();
	return x;
}
ALLOW_ERROR_INJECTION(kv_plain, ERRNO);

static int run_set(const char *val, const struct kernel_param *kp)
{
	int (*fn)(int x) = kv_plain;
	unsigned long i, n;
	char what[16];
	int ret;

	if (sscanf(val, "%15s %lu", what, &n) != 2)
		return -EINVAL;
	if (!strcmp(what, "traced"))
		fn = kv_traced;
	else if (strcmp(what, "plain"))
		return -EINVAL;
	failed = 0;
	error = 0;
	for (i = 0; i < n; i++) {
		ret = fn(1);
		failed += ret < 0;
		if (ret < 0)
			error = ret;
	}
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int __init kprobe_victim_init(void)
{
	return 0;
}

static void __exit kprobe_victim_exit(void)
{
}

module_init(kprobe_victim_init);
module_exit(kprobe_victim_exit);
MODULE_DESCRIPTION("functions that errors may be injected into, for the kprobes selftests");
MODULE_LICENSE("GPL");
