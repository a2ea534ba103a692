// SPDX-License-Identifier: GPL-2.0
/*
 * What kprobes cost, and how that grows with their number.
 *
 * A script drives it by writing to its parameters:
 *
 *	/sys/module/kprobe_scale/parameters/others
 *		write: the number of other probes, which are never hit
 *	/sys/module/kprobe_scale/parameters/run
 *		write: the name of a measurement, see scale_runs[]
 *	/sys/module/kprobe_scale/parameters/cold
 *		write: addresses for "cold-find", see kprobe_scale_cold.c
 *	/sys/module/kprobe_scale/parameters/figure
 *		write: what "calls" is to name its result, see kprobe_scale_fprobe.c
 *
 * The results go to the kernel log, a line each:
 *
 *	kprobe_scale: FIGURE OTHERS VALUE
 *
 * Hits are counted in cycles. In an emulator that counts instructions, and
 * whose time is their number, a cycle is an instruction; "loop" tells. All else
 * is in nanoseconds of elapsed time.
 *
 * Only what every kernel with kprobes offers to modules is used, so that the
 * source can measure any of them.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/math.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/percpu.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kprobe_scale.h"

struct kprobe *scale_dense, *scale_wide, *scale_entry;
struct kretprobe *scale_returns;
static unsigned int scale_others;

DEFINE_PER_CPU(unsigned long, scale_hits);

/* One result, with the number of other probes there are. */
void scale_print(const char *figure, u64 value)
{
	pr_info("%s %u %llu\n", figure, scale_others, value);
}

int scale_pre(struct kprobe *kp, struct pt_regs *regs)
{
	raw_cpu_inc(scale_hits);
	return 0;
}

NOKPROBE_SYMBOL(scale_pre);

/* To a return instead, as functions are overridden. */
int scale_path(struct kprobe *kp, struct pt_regs *regs)
{
	raw_cpu_inc(scale_hits);
	instruction_pointer_set(regs, (unsigned long)scale_ret);
	return 1;
}

NOKPROBE_SYMBOL(scale_path);

void scale_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	raw_cpu_inc(scale_hits);
}

NOKPROBE_SYMBOL(scale_post);

int scale_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	raw_cpu_inc(scale_hits);
	return 0;
}

NOKPROBE_SYMBOL(scale_return);

int scale_enter(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	raw_cpu_inc(scale_hits);
	return 0;
}

NOKPROBE_SYMBOL(scale_enter);

unsigned long scale_sum_hits(void)
{
	unsigned long sum = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		sum += per_cpu(scale_hits, cpu);
	return sum;
}

/* How many calls of handlers are missing since @before. */
void scale_print_lost(unsigned long before, unsigned long wanted)
{
	long lost = wanted - (scale_sum_hits() - before);

	scale_print("lost", abs(lost));
}

static const struct {
	const char *name;
	int (*run)(void);
} scale_runs[] = {
	{ "loop", scale_run_loop },
	{ "traps", scale_run_traps },
	{ "jumps", scale_run_jumps },
	{ "single", scale_run_single },
	{ "some", scale_run_some },
	{ "some-off", scale_run_some_off },
	{ "mixed", scale_run_mixed },
	{ "wide", scale_run_wide },
	{ "settle", scale_run_settle },
	{ "wide-off", scale_run_wide_off },
	{ "gone", scale_run_gone },
	{ "gone-off", scale_run_gone_off },
	{ "entries", scale_run_entries },
	{ "returns", scale_run_returns },
	{ "switch", scale_run_switch },
	{ "cold-find", scale_run_cold_find },
	{ "cold", scale_run_cold },
	{ "cold-off", scale_run_cold_off },
	{ "sleepers", scale_run_sleepers },
	{ "cpus", scale_run_cpus },
	{ "returns-on", scale_run_returns_on },
	{ "returns-off", scale_run_returns_off },
	{ "deep-tasks", scale_run_deep_tasks },
	{ "deep-sleep", scale_run_deep_sleep },
	{ "deep-sleep-max", scale_run_deep_sleep_max },
	{ "deep-wake", scale_run_deep_wake },
	{ "deep-off", scale_run_deep_off },
	{ "fprobes", scale_run_fprobes },
	{ "fprobe-others", scale_run_fprobe_others },
	{ "fprobe-others-off", scale_run_fprobe_others_off },
	{ "fprobe-all", scale_run_fprobe_all },
	{ "fprobe-all-off", scale_run_fprobe_all_off },
	{ "fprobe-two", scale_run_fprobe_two },
	{ "fprobe-sleepers", scale_run_fprobe_sleepers },
	{ "fprobe-cpus", scale_run_fprobe_cpus },
	{ "bare", scale_run_bare },
	{ "calls", scale_run_calls },
	{ "patch", scale_run_patch },
	{ "patch-off", scale_run_patch_off },
};

static int scale_set_run(const char *val, const struct kernel_param *kp)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scale_runs); i++) {
		if (sysfs_streq(val, scale_runs[i].name))
			return scale_runs[i].run();
	}
	return -EINVAL;
}

static const struct kernel_param_ops scale_run_ops = {
	.set = scale_set_run,
};

module_param_cb(run, &scale_run_ops, NULL, 0200);
MODULE_PARM_DESC(run, "measure something");

static int scale_set_others(const char *val, const struct kernel_param *kp)
{
	unsigned int nr, old = scale_others;
	int ret = kstrtouint(val, 0, &nr);

	if (ret || nr > SCALE_DENSE_MAX || !scale_dense)
		return ret ?: -EINVAL;
	if (nr > old)
		ret = scale_register("register.others", scale_dense + old, nr - old);
	else if (nr < old)
		ret = scale_unregister("unregister.others", scale_dense + nr, old - nr);
	if (!ret)
		scale_others = nr;
	return ret;
}

static const struct kernel_param_ops scale_others_ops = {
	.set = scale_set_others,
	.get = param_get_uint,
};

module_param_cb(others, &scale_others_ops, &scale_others, 0600);
MODULE_PARM_DESC(others, "how many other probes there are");

static void scale_set_addr(struct kprobe *kp, unsigned long addr)
{
	*kp = (struct kprobe) {
		.addr = (kprobe_opcode_t *)addr,
		.pre_handler = scale_pre,
	};
}

/* Give each probe its address; none is registered. */
void scale_set_addrs(void)
{
	unsigned long dense = (unsigned long)scale_dense_start;
	unsigned int i;

	/* Or the sum is a constant: an address that objtool wonders about. */
	OPTIMIZER_HIDE_VAR(dense);
	for (i = 0; i < SCALE_DENSE_MAX; i++)
		scale_set_addr(&scale_dense[i], dense +
			       i / SCALE_DENSE_PLACES * SCALE_DENSE_STRIDE +
			       i % SCALE_DENSE_PLACES + 1);
	for (i = 0; i < SCALE_WIDE_MAX; i++)
		scale_set_addr(&scale_wide[i], (unsigned long)scale_wide_start +
			       i / SCALE_WIDE_PLACES * SCALE_WIDE_STRIDE +
			       (i % SCALE_WIDE_PLACES + 1) * SCALE_WIDE_STEP);
	for (i = 0; i < SCALE_ENTRY_MAX; i++)
		scale_set_addr(&scale_entry[i],
			       (unsigned long)scale_entries[i]);
}

static void scale_free(void)
{
	vfree(scale_returns);
	vfree(scale_entry);
	vfree(scale_wide);
	vfree(scale_dense);
}

static int __init scale_init(void)
{
	scale_dense = vzalloc(array_size(SCALE_DENSE_MAX, sizeof(*scale_dense)));
	scale_wide = vzalloc(array_size(SCALE_WIDE_MAX, sizeof(*scale_wide)));
	scale_entry = vzalloc(array_size(SCALE_ENTRY_MAX, sizeof(*scale_entry)));
	scale_returns = vzalloc(array_size(SCALE_ENTRY_MAX, sizeof(*scale_returns)));
	if (!scale_dense || !scale_wide || !scale_entry || !scale_returns) {
		scale_free();
		return -ENOMEM;
	}
	scale_set_addrs();
	return 0;
}
module_init(scale_init);

static void __exit scale_exit(void)
{
	scale_run_patch_off();
	scale_run_fprobe_all_off();
	scale_run_fprobe_others_off();
	/* Probes that are not registered are ignored. */
	scale_unregister("unregister.others", scale_dense, SCALE_DENSE_MAX);
	scale_unregister("unregister.wide", scale_wide, SCALE_WIDE_MAX);
	scale_unregister("unregister.entries", scale_entry, SCALE_ENTRY_MAX);
	scale_cold_free();
	scale_free();
}
module_exit(scale_exit);

MODULE_DESCRIPTION("What kprobes cost, and how that grows with their number");
MODULE_LICENSE("GPL");
