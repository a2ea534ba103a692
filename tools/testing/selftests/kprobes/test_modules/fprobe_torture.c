// SPDX-License-Identifier: GPL-2.0
/*
 * Functions and tracepoints that a thread on each CPU, and a timer's interrupt, call
 * all the time and count, for kprobe_ftorture.sh:
 *
 *	echo 1 >/sys/module/fprobe_torture/parameters/go
 *	echo 0 >/sys/module/fprobe_torture/parameters/go
 *	cat /sys/module/fprobe_torture/parameters/calls
 *
 * lets them call, has them stop (none is inside of a function any more when the write
 * returns), and says how often each was called, one line a function.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/err.h>
#include <linux/hrtimer.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/rwsem.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/tracepoint.h>

#include "fprobe_torture.h"

#define ROUND	3
#define DEPTH	3
#define PERIOD	(700 * NSEC_PER_USEC)

DECLARE_TRACE(ktf_tick, TP_PROTO(unsigned long a, const char *text),
	      TP_ARGS(a, text));
DEFINE_TRACE(ktf_tick, TP_PROTO(unsigned long a, const char *text),
	     TP_ARGS(a, text));

enum { PLAIN, OTHER, OUTER, RECURSE, SLEEP, IRQ, TICK, NR };

static const char *const names[NR] = {
	[PLAIN] = "ktf_plain",
	[OTHER] = "ktf_other",
	[OUTER] = "ktf_outer",
	[RECURSE] = "ktf_recurse",
	[SLEEP] = "ktf_sleep",
	[IRQ] = "ktf_irq",
	[TICK] = "ktf_tick",
};

static atomic_long_t calls[NR];
static atomic_long_t wrong;

static struct task_struct **threads;
static struct hrtimer timer;

/* Guards @going: held for reading while functions are called. */
static DECLARE_RWSEM(gate);
static bool going;

noinline unsigned long __noclone ktf_plain(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

noinline unsigned long __noclone ktf_other(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

noinline unsigned long __noclone ktf_outer(unsigned long a, const char *text)
{
	unsigned long ret;

	atomic_long_inc(&calls[PLAIN]);
	ret = ktf_plain(a, text);
	barrier();
	return ret;
}

noinline unsigned long __noclone ktf_recurse(unsigned long depth)
{
	unsigned long ret = 0;

	atomic_long_inc(&calls[RECURSE]);
	if (depth)
		ret = ktf_recurse(depth - 1);
	barrier();
	return ret + depth;
}

noinline unsigned long __noclone ktf_sleep(unsigned long a, const char *text)
{
	usleep_range(100, 500);
	return 3 * a + *text;
}

noinline unsigned long __noclone ktf_irq(unsigned long a, const char *text)
{
	barrier();
	return 3 * a + *text;
}

static void call(int which, unsigned long a,
		 unsigned long (*fn)(unsigned long a, const char *text))
{
	static const char text[] = "torture";

	atomic_long_inc(&calls[which]);
	if (fn(a, text) != 3 * a + *text)
		atomic_long_inc(&wrong);
}

static void call_all(unsigned long a)
{
	call(PLAIN, a, ktf_plain);
	call(OTHER, a, ktf_other);
	call(OUTER, a, ktf_outer);
	if (ktf_recurse(DEPTH) != DEPTH * (DEPTH + 1) / 2)
		atomic_long_inc(&wrong);
	atomic_long_inc(&calls[TICK]);
	trace_ktf_tick(a, "tick");
}

static void do_round(unsigned long *a)
{
	int i;

	for (i = 0; i < ROUND; i++)
		call_all((*a)++);
	call(SLEEP, *a, ktf_sleep);
}

static int thread_fn(void *unused)
{
	unsigned long a = 0;

	while (!kthread_should_stop()) {
		down_read(&gate);
		if (going)
			do_round(&a);
		up_read(&gate);
		schedule_timeout_interruptible(1);
	}
	return 0;
}

static enum hrtimer_restart on_timer(struct hrtimer *t)
{
	call(IRQ, 5, ktf_irq);
	hrtimer_forward_now(t, ns_to_ktime(PERIOD));
	return HRTIMER_RESTART;
}

static void set_going(bool on)
{
	down_write(&gate);
	if (on && !going)
		hrtimer_start(&timer, ns_to_ktime(PERIOD), HRTIMER_MODE_REL_HARD);
	else if (!on)
		hrtimer_cancel(&timer);
	going = on;
	up_write(&gate);
}

static int go_set(const char *val, const struct kernel_param *kp)
{
	bool on;
	int err = kstrtobool(val, &on);

	if (!err)
		set_going(on);
	return err;
}

static int calls_get(char *buf, const struct kernel_param *kp)
{
	int i, len = 0;

	for (i = 0; i < NR; i++)
		len += sysfs_emit_at(buf, len, "%s %ld\n", names[i],
				     atomic_long_read(&calls[i]));
	return len;
}

static int wrong_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%ld\n", atomic_long_read(&wrong));
}

static const struct kernel_param_ops go_ops = { .set = go_set };
static const struct kernel_param_ops calls_ops = { .get = calls_get };
static const struct kernel_param_ops wrong_ops = { .get = wrong_get };

module_param_cb(go, &go_ops, NULL, 0200);
module_param_cb(calls, &calls_ops, NULL, 0400);
module_param_cb(wrong_results, &wrong_ops, NULL, 0400);

static void stop_threads(void)
{
	unsigned int cpu;

	set_going(false);
	for_each_possible_cpu(cpu) {
		if (!IS_ERR_OR_NULL(threads[cpu]))
			kthread_stop(threads[cpu]);
	}
	kfree(threads);
}

static int __init fprobe_torture_init(void)
{
	unsigned int cpu;

	threads = kcalloc(nr_cpu_ids, sizeof(*threads), GFP_KERNEL);
	if (!threads)
		return -ENOMEM;
	hrtimer_init(&timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_HARD);
	timer.function = on_timer;
	for_each_online_cpu(cpu) {
		threads[cpu] = kthread_run_on_cpu(thread_fn, NULL, cpu,
						  "fprobe_torture/%u");
		if (IS_ERR(threads[cpu])) {
			stop_threads();
			return -ENOMEM;
		}
	}
	return 0;
}

static void __exit fprobe_torture_exit(void)
{
	stop_threads();
}

module_init(fprobe_torture_init);
module_exit(fprobe_torture_exit);

MODULE_DESCRIPTION("Functions that are called all the time, for the kprobes selftests");
MODULE_LICENSE("GPL");
