// SPDX-License-Identifier: GPL-2.0
/* Return probes, as a module sees them. "6.12:" as in api_main.c. */
#include <linux/kallsyms.h>
#include <linux/module.h>

#include "kt_main.h"
#include "kprobe_return.h"

int kt_at_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		atomic_inc(&container_of(rp, struct kt_return, rp)->entries);
	return 0;
}

int kt_at_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct kt_return *r;

	if (!rp)
		return 0;
	r = container_of(rp, struct kt_return, rp);
	r->last_value = regs_return_value(regs);
	atomic_inc(&r->returns);
	return 0;
}

/*
 * Where each call of a function comes by, as registration by name finds it: calls
 * in the module of the function may have an entry of their own.
 */
static void *entry_of(void *fn)
{
	char name[KSYM_SYMBOL_LEN];
	struct kprobe kp = {
		.symbol_name = name,
		.flags = KPROBE_FLAG_DISABLED,
	};

	sprint_symbol_no_offset(name, (unsigned long)fn);
	/* "name [module]" */
	*strchrnul(name, ' ') = '\0';
	if (!fn || register_kprobe(&kp))
		return fn;
	unregister_kprobe(&kp);
	return kp.addr;
}

void kt_return_init(struct kt_return *r, void *fn)
{
	memset(r, 0, sizeof(*r));
	r->rp.kp.addr = entry_of(fn);
	r->rp.entry_handler = kt_at_entry;
	r->rp.handler = kt_at_return;
}

static const struct kt_case *const groups[] = {
	kt_calls_cases, kt_stack_cases, NULL
};

static int __init kprobe_return_init(void)
{
	return kt_run(groups);
}

static void __exit kprobe_return_exit(void)
{
	kt_end();
}

module_init(kprobe_return_init);
module_exit(kprobe_return_exit);

MODULE_DESCRIPTION("Tests of return probes");
MODULE_LICENSE("GPL");
