// SPDX-License-Identifier: GPL-2.0
/*
 * What fprobes cost: the hits of one and of several on a function, with others there
 * are; and what a call of a function costs that a script has set an event on.
 *
 * Registered is one after the other, by addresses, as every kernel can that has
 * fprobes.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/array_size.h>
#include <linux/fprobe.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/moduleparam.h>
#include <linux/percpu.h>
#include <linux/printk.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/wait.h>

#include "kprobe_scale.h"

/* Where there is one way only, that is what is measured. */
#ifndef FPROBE_FL_ARGS
#define FPROBE_FL_ARGS	0
#endif

#define SCALE_FPROBES	10	/* on one function, at most */

/**
 * struct scale_fprobe_case - fprobes to hit
 * @name: the figure
 * @nr: how many are on the function
 * @flags: FPROBE_FL_*
 * @entry: do they have an entry handler?
 * @exit: do they have an exit handler?
 * @data: bytes of entry data
 */
struct scale_fprobe_case {
	const char *name;
	unsigned int nr;
	unsigned int flags;
	bool entry;
	bool exit;
	unsigned int data;
};

static const struct scale_fprobe_case scale_fprobe_cases[] = {
	{ "fe", 1, 0, true, false, 0 },
	{ "fe.args", 1, FPROBE_FL_ARGS, true, false, 0 },
	{ "fx", 1, 0, false, true, 0 },
	{ "fx.args", 1, FPROBE_FL_ARGS, false, true, 0 },
	{ "fx.data", 1, 0, true, true, 32 },
	{ "fe2", 2, FPROBE_FL_ARGS, true, false, 0 },
	{ "fe10", SCALE_FPROBES, FPROBE_FL_ARGS, true, false, 0 },
	{ "fx10", SCALE_FPROBES, FPROBE_FL_ARGS, false, true, 0 },
};

static struct fprobe scale_case_fps[SCALE_FPROBES];
static struct fprobe scale_other_fps[SCALE_ENTRY_MAX];
static struct fprobe scale_all_fp;
static unsigned int scale_other_nr;
static bool scale_all_on;

/* Nothing in a handler may be traced: there may be fprobes on all functions. */
static notrace int scale_fprobe_enter(struct fprobe *fp, unsigned long entry_ip,
				      unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	raw_cpu_inc(scale_hits);
	return 0;
}

static notrace void scale_fprobe_leave(struct fprobe *fp, unsigned long entry_ip,
				       unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	raw_cpu_inc(scale_hits);
}

/* Of functions that anything calls: they do not count. */
static notrace void scale_fprobe_ignore(struct fprobe *fp, unsigned long entry_ip,
					unsigned long ret_ip, struct pt_regs *regs, void *data)
{
}

static int scale_fprobe_on(struct fprobe *fp, scale_fn fn)
{
	unsigned long addr = (unsigned long)fn;

	return register_fprobe_ips(fp, &addr, 1);
}

static void scale_fprobe_case_end(unsigned int nr)
{
	while (nr--)
		unregister_fprobe(&scale_case_fps[nr]);
}

static int scale_fprobe_case_begin(const struct scale_fprobe_case *c)
{
	unsigned int i;
	int ret;

	for (i = 0; i < c->nr; i++) {
		scale_case_fps[i] = (struct fprobe) {
			.flags = c->flags,
			.entry_data_size = c->data,
			.entry_handler = c->entry ? scale_fprobe_enter : NULL,
			.exit_handler = c->exit ? scale_fprobe_leave : NULL,
		};
		ret = scale_fprobe_on(&scale_case_fps[i], scale_traced);
		if (ret) {
			scale_fprobe_case_end(i);
			return ret;
		}
	}
	return 0;
}

static int scale_run_fprobe(const struct scale_fprobe_case *c, const char *name)
{
	unsigned int each = c->nr * (c->entry + c->exit);
	u64 before = scale_best_round(scale_traced), with;
	int ret = scale_fprobe_case_begin(c);
	unsigned long hits;

	if (ret)
		return ret;
	hits = scale_sum_hits();
	with = scale_best_round(scale_traced);
	scale_print_lost(hits, each * SCALE_CALLS * SCALE_ROUNDS);
	scale_fprobe_case_end(c->nr);
	scale_print_call(name, before, with);
	return 0;
}

/* The figures are tenths of cycles. */
int scale_run_fprobes(void)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < ARRAY_SIZE(scale_fprobe_cases) && !ret; i++)
		ret = scale_run_fprobe(&scale_fprobe_cases[i], scale_fprobe_cases[i].name);
	return ret;
}

/* Two on a function, with those that there are on others. */
int scale_run_fprobe_two(void)
{
	const struct scale_fprobe_case two = { .nr = 2, .flags = FPROBE_FL_ARGS, .entry = true };

	return scale_run_fprobe(&two, scale_all_on ? "fe2.all" : "fe2.others");
}

int scale_run_fprobe_others_off(void)
{
	unsigned int nr = scale_other_nr;
	u64 start = ktime_get_ns();

	while (scale_other_nr)
		unregister_fprobe(&scale_other_fps[--scale_other_nr]);
	if (nr)
		scale_print("fprobe.unregister", div_u64(ktime_get_ns() - start, nr));
	return 0;
}

/* One on each of many functions. */
int scale_run_fprobe_others(void)
{
	u64 start = ktime_get_ns();
	unsigned int i;
	int ret;

	for (i = scale_other_nr; i < SCALE_ENTRY_MAX; i++, scale_other_nr++) {
		scale_other_fps[i] = (struct fprobe) {
			.flags = FPROBE_FL_ARGS,
			.entry_handler = scale_fprobe_enter,
		};
		ret = scale_fprobe_on(&scale_other_fps[i], scale_entries[i]);
		if (ret)
			return ret;
	}
	scale_print("fprobe.register", div_u64(ktime_get_ns() - start, SCALE_ENTRY_MAX));
	return 0;
}

int scale_run_fprobe_all_off(void)
{
	u64 start = ktime_get_ns();

	if (!scale_all_on)
		return 0;
	scale_all_on = false;
	unregister_fprobe(&scale_all_fp);
	scale_print("fprobe.all.unregister", ktime_get_ns() - start);
	return 0;
}

/* One on the exits of all functions. */
int scale_run_fprobe_all(void)
{
	u64 start = ktime_get_ns();
	int ret;

	if (scale_all_on)
		return 0;
	scale_all_fp = (struct fprobe) { .exit_handler = scale_fprobe_ignore };
	ret = register_fprobe(&scale_all_fp, "*", "scale_*");
	if (ret)
		return ret;
	scale_all_on = true;
	scale_print("fprobe.all.register", ktime_get_ns() - start);
	return 0;
}

static unsigned long scale_fprobe_missed(void)
{
	return scale_case_fps[0].nmissed;
}

/* Misses of an exit with the default limit, with many asleep. */
int scale_run_fprobe_sleepers(void)
{
	int ret;

	scale_case_fps[0] = (struct fprobe) { .exit_handler = scale_fprobe_leave };
	ret = scale_fprobe_on(&scale_case_fps[0], scale_sleep);
	if (ret)
		return ret;
	ret = scale_sleepers("fprobe.misses", scale_fprobe_missed);
	unregister_fprobe(&scale_case_fps[0]);
	return ret;
}

int scale_run_fprobe_cpus(void)
{
	int ret;

	scale_case_fps[0] = (struct fprobe) { .exit_handler = scale_fprobe_leave };
	ret = scale_fprobe_on(&scale_case_fps[0], scale_traced);
	if (ret)
		return ret;
	ret = scale_all_cpus("fprobe.cpus", scale_traced);
	unregister_fprobe(&scale_case_fps[0]);
	return ret;
}

/* What the script calls the cost of a call. */
static char scale_figure[16];
module_param_string(figure, scale_figure, sizeof(scale_figure), 0600);
MODULE_PARM_DESC(figure, "how \"calls\" names its result");

static DECLARE_WAIT_QUEUE_HEAD(scale_idle);
static const char scale_text[] = "a text of which an event records a copy";

/* A function of the kernel that has four parameters, and does next to nothing. */
static void scale_wake_up(void)
{
	__wake_up(&scale_idle, TASK_NORMAL, 1, (void *)scale_text);
}

static u64 scale_bare;

/* A call with nothing set on __wake_up(). */
int scale_run_bare(void)
{
	scale_bare = scale_best_round(scale_wake_up);
	return 0;
}

/* What a call costs more, by what was set on it. */
int scale_run_calls(void)
{
	char name[sizeof(scale_figure)];

	strscpy(name, scale_figure);
	scale_print_call(strim(name), scale_bare, scale_best_round(scale_wake_up));
	return 0;
}
