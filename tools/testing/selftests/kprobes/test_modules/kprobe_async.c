// SPDX-License-Identifier: GPL-2.0
/*
 * A module that is still running when its exit function has returned, and the
 * notifiers have heard that it goes: delete_module() waits for what it has
 * started asynchronously only after them.
 */
#include <linux/async.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/module.h>

/* Probed. */
static noinline notrace __noclone unsigned long ka_called(unsigned long x)
{
	barrier();
	return x + 1;
}

static void ka_late(void *unused, async_cookie_t cookie)
{
	unsigned long x = 0;

	msleep(300);
	while (x < 1000)
		x = ka_called(x);
	pr_info("kprobe_async: %lu calls after the exit function\n", x);
}

static int __init ka_init(void)
{
	return ka_called(1) == 2 ? 0 : -EINVAL;
}

static void __exit ka_exit(void)
{
	async_schedule(ka_late, NULL);
}

module_init(ka_init);
module_exit(ka_exit);
MODULE_DESCRIPTION("a module that runs on while it goes");
MODULE_LICENSE("GPL");
