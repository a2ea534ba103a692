// SPDX-License-Identifier: GPL-2.0
/*
 * Probes in module kprobe_target before any notifier hears of the module: a
 * livepatch is asked first, and it turns the module away.
 *
 *	placed		what register_kprobe() said; 1: it was not called yet
 *	fplaced		likewise, register_fprobe()
 */
#include <linux/fprobe.h>
#include <linux/kprobes.h>
#include <linux/livepatch.h>
#include <linux/module.h>

static int placed = 1;
module_param(placed, int, 0400);
MODULE_PARM_DESC(placed, "what register_kprobe() said");

static int fplaced = 1;
module_param(fplaced, int, 0400);
MODULE_PARM_DESC(fplaced, "what register_fprobe() said");

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	return 0;
}

static struct kprobe kp = {
	.symbol_name = "kprobe_target:kt_plain",
	.pre_handler = on_hit,
};

static int on_entry(struct fprobe *p, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	return 0;
}

static struct fprobe fp = { .entry_handler = on_entry };

static int before_patch(struct klp_object *obj)
{
	placed = register_kprobe(&kp);
	fplaced = register_fprobe(&fp, "kt_entry", NULL);
	return -EPERM;
}

static struct klp_func no_funcs[] = { {} };

static struct klp_object objs[] = {
	{
		.name = "kprobe_target",
		.funcs = no_funcs,
		.callbacks.pre_patch = before_patch,
	}, {}
};

static struct klp_patch patch = {
	.mod = THIS_MODULE,
	.objs = objs,
};

static int __init kprobe_early_init(void)
{
	return klp_enable_patch(&patch);
}

static void __exit kprobe_early_exit(void)
{
	if (!placed)
		unregister_kprobe(&kp);
	if (!fplaced)
		unregister_fprobe(&fp);
}

module_init(kprobe_early_init);
module_exit(kprobe_early_exit);

MODULE_DESCRIPTION("A probe before a module has come, for the kprobes selftests");
MODULE_LICENSE("GPL");
MODULE_INFO(livepatch, "Y");
