// SPDX-License-Identifier: GPL-2.0
/*
 * When it is loaded, ftrace stops for good, as it does when it has found itself broken.
 * Only a new boot starts it again.
 */
#include <linux/kprobes.h>
#include <linux/module.h>

/* It is not for modules; a kprobe is told where it is. */
static int __init fprobe_kill_init(void)
{
	struct kprobe kp = { .symbol_name = "ftrace_kill" };
	int ret = register_kprobe(&kp);
	void (*kill)(void);

	if (ret)
		return ret;
	kill = (void *)kp.addr;
	unregister_kprobe(&kp);
	kill();
	return 0;
}

static void __exit fprobe_kill_exit(void)
{
}

module_init(fprobe_kill_init);
module_exit(fprobe_kill_exit);

MODULE_DESCRIPTION("Stops ftrace for good");
MODULE_LICENSE("GPL");
