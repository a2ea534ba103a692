// SPDX-License-Identifier: GPL-2.0
/*
 * Enables an event on functions while another module is being loaded: its functions can
 * be probed already, and its types are not known yet.
 *
 *	module		which module
 *	event		which event
 *	result		what enabling it said; 1: the module was not loaded yet
 */
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/string.h>
#include <linux/trace_events.h>

static char *module = "";
module_param(module, charp, 0400);
MODULE_PARM_DESC(module, "which module");

static char *event = "";
module_param(event, charp, 0400);
MODULE_PARM_DESC(event, "which event");

static int result = 1;
module_param(result, int, 0400);
MODULE_PARM_DESC(result, "what enabling it said");

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (state == MODULE_STATE_COMING && !strcmp(mod->name, module))
		result = trace_set_clr_event("fprobes", event, 1);
	return NOTIFY_DONE;
}

/* Before that of BTF. */
static struct notifier_block nb = { .notifier_call = on_module, .priority = 2 };

static int __init fprobe_hasty_init(void)
{
	return register_module_notifier(&nb);
}

static void __exit fprobe_hasty_exit(void)
{
	unregister_module_notifier(&nb);
}

module_init(fprobe_hasty_init);
module_exit(fprobe_hasty_exit);

MODULE_DESCRIPTION("Enables an event while a module is being loaded");
MODULE_LICENSE("GPL");
