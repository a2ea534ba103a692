// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test for kprobes: every snippet runs bare, then
 * with a probe at each of its instruction boundaries, on the same input, and
 * must leave the same registers, flags, vectors, stack and memory behind.
 *
 * Writing to debugfs kprobe_diff/run runs it, kprobe_diff/results tells what
 * came out. The parameters can be changed between two runs.
 */
#include <linux/completion.h>
#include <linux/debugfs.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include "diff.h"

unsigned int diff_seed = 1;
unsigned int diff_runs = 8;
unsigned int diff_modes = 0x207f;
char *diff_only = "";
char *diff_skip = "";

module_param_named(seed, diff_seed, uint, 0644);
MODULE_PARM_DESC(seed, "seed of the random input");
module_param_named(runs, diff_runs, uint, 0644);
MODULE_PARM_DESC(runs, "inputs for each snippet, at least 2");
module_param_named(modes, diff_modes, uint, 0644);
MODULE_PARM_DESC(modes, "mask of rows of the mode table");
module_param_named(only, diff_only, charp, 0644);
MODULE_PARM_DESC(only, "classes and snippets to run, comma-separated; default all");
module_param_named(skip, diff_skip, charp, 0644);
MODULE_PARM_DESC(skip, "snippets to leave out, comma-separated");
module_param_named(plant, diff_plant, uint, 0644);
MODULE_PARM_DESC(plant, "self-check: what the handlers spoil, 1 to 9");

const char * const diff_class_name[C_NR] = {
	[C_NOP] = "nop",
	[C_ALU] = "alu",
	[C_MOV] = "mov",
	[C_STACK] = "stack",
	[C_FLAGS] = "flags",
	[C_STRING] = "string",
	[C_MULDIV] = "muldiv",
	[C_SHIFT] = "shift",
	[C_BIT] = "bit",
	[C_COND] = "setcc-cmovcc",
	[C_JCC8] = "jcc-rel8",
	[C_JCC32] = "jcc-rel32",
	[C_JMP] = "jmp",
	[C_LOOP] = "loop-jcxz",
	[C_CALL] = "call",
	[C_CALLIND] = "call-indirect",
	[C_JMPIND] = "jmp-indirect",
	[C_RET] = "ret",
	[C_ATOMIC] = "atomic",
	[C_SYSTEM] = "system",
	[C_BMI] = "bmi",
	[C_SSE] = "sse",
	[C_VEX] = "vex",
	[C_EVEX] = "evex",
	[C_FAULT] = "fault",
	[C_GS] = "gs",
	[C_REFUSE] = "refuse",
	[C_XSAVE] = "xsave",
	[C_SEGMENT] = "segment",
	[C_DECIMAL] = "decimal",
	[C_WORD] = "word",
};

static DEFINE_MUTEX(diff_lock);
static DECLARE_COMPLETION(diff_done);
static struct dentry *diff_dir;

bool diff_should_stop(void)
{
	return kthread_should_stop();
}

static int diff_thread(void *unused)
{
	int err = diff_run();

	complete(&diff_done);
	return err;
}

/*
 * On a thread bound to one CPU: neither per-CPU data nor the depth of the
 * stack, which a system call randomizes, changes from one run to the next.
 */
static int diff_run_thread(void)
{
	struct task_struct *task;
	int err;

	reinit_completion(&diff_done);
	task = kthread_create(diff_thread, NULL, "kprobe_diff");
	if (IS_ERR(task))
		return PTR_ERR(task);
	get_task_struct(task);
	kthread_bind(task, raw_smp_processor_id());
	wake_up_process(task);
	err = wait_for_completion_interruptible(&diff_done);
	return kthread_stop_put(task) ?: err;
}

static ssize_t diff_run_write(struct file *file, const char __user *buf,
			      size_t count, loff_t *ppos)
{
	int err;

	if (diff_runs < 2 || diff_plant >= PLANT_NR)
		return -EINVAL;
	if (mutex_lock_interruptible(&diff_lock))
		return -EINTR;
	err = diff_run_thread();
	mutex_unlock(&diff_lock);
	return err ?: count;
}

static const struct file_operations diff_run_fops = {
	.owner = THIS_MODULE,
	.write = diff_run_write,
};

static int diff_results_show(struct seq_file *m, void *v)
{
	int err;

	if (mutex_lock_interruptible(&diff_lock))
		return -EINTR;
	err = diff_report_show(m, v);
	mutex_unlock(&diff_lock);
	return err;
}
DEFINE_SHOW_ATTRIBUTE(diff_results);

static int __init diff_init(void)
{
	int err = diff_report_init();

	if (err)
		return err;
	diff_dir = debugfs_create_dir("kprobe_diff", NULL);
	debugfs_create_file("run", 0200, diff_dir, NULL, &diff_run_fops);
	debugfs_create_file("results", 0400, diff_dir, NULL, &diff_results_fops);
	return 0;
}

static void __exit diff_exit(void)
{
	debugfs_remove(diff_dir);
	diff_report_exit();
}

module_init(diff_init);
module_exit(diff_exit);
MODULE_DESCRIPTION("Differential instruction test for kprobes");
MODULE_LICENSE("GPL");
