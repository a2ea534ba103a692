// SPDX-License-Identifier: GPL-2.0
/*
 * Failing allocations while the tracer is told of a module that comes, for
 * kprobe_ffail.sh:
 *
 *	echo "MODULE N" >/sys/module/fprobe_fail/parameters/attempt
 *	insmod MODULE.ko
 *	cat /sys/module/fprobe_fail/parameters/injected
 *
 * lets the Nth allocation fail that is made then, and says whether there were so many.
 */
#include <linux/limits.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>

#include "inject.h"

static char name[MODULE_NAME_LEN];
static unsigned int nth;
static bool injected;

static void end(void)
{
	injected = !still_to_come();
	inject(0);
	nth = 0;
}

/* If one of the others refuses the module, those before it hear that it is going. */
static int before(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;

	if (!nth || strcmp(mod->name, name))
		return NOTIFY_DONE;
	if (event == MODULE_STATE_COMING)
		inject(nth);
	else
		end();
	return NOTIFY_DONE;
}

static int behind(struct notifier_block *nb, unsigned long event, void *data)
{
	struct module *mod = data;

	if (nth && !strcmp(mod->name, name))
		end();
	return NOTIFY_DONE;
}

static struct notifier_block before_nb = { .notifier_call = before, .priority = INT_MAX };
static struct notifier_block behind_nb = { .notifier_call = behind, .priority = INT_MIN };

static int attempt_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n;

	if (sscanf(val, "%55s %u", name, &n) != 2)
		return -EINVAL;
	injected = false;
	nth = n;
	return 0;
}

static const struct kernel_param_ops attempt_ops = { .set = attempt_set };

module_param_cb(attempt, &attempt_ops, NULL, 0200);
module_param(injected, bool, 0400);

static int __init fprobe_fail_init(void)
{
	int err = register_module_notifier(&before_nb);

	if (err)
		return err;
	err = register_module_notifier(&behind_nb);
	if (err)
		unregister_module_notifier(&before_nb);
	return err;
}

static void __exit fprobe_fail_exit(void)
{
	unregister_module_notifier(&behind_nb);
	unregister_module_notifier(&before_nb);
}

module_init(fprobe_fail_init);
module_exit(fprobe_fail_exit);

MODULE_DESCRIPTION("Failing allocations as a module comes, for the kprobes selftests");
MODULE_LICENSE("GPL");
