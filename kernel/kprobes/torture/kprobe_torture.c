// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of kernel probes, in the manner of rcutorture.
 *
 * Callers on each CPU, a task and a timer's interrupt, run through a few
 * functions without end. Meanwhile
 *
 *	residents	are probes that stay registered: each must count exactly
 *			the calls that are made, CPU by CPU
 *	transients	are probes that churner threads register, disable, enable
 *			and unregister: each must count no fewer calls than began
 *			and ended while it was registered, no more than could meet
 *			it, and none afterwards
 *	togglers	toggle a static key in one function and trace another
 *
 * and a script turns the knobs and loads modules, see
 * tools/testing/selftests/kprobes/kprobe_torture.sh. rmmod ends the test, with
 * a line
 *
 *	kprobe-torture:--- End of test: SUCCESS: FIGURES
 *
 * or FAILURE, and before it a line with !!! for each of the first failures.
 */
#define pr_fmt(fmt) fmt

#include <linux/ftrace.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kprobe_torture.h"

#define KPT_MAX_SYMBOLS	4

bool exact = true;
module_param(exact, bool, 0444);
MODULE_PARM_DESC(exact, "No for when the knob debugfs/kprobes/enabled is turned");
bool cpus_go;
module_param(cpus_go, bool, 0444);
MODULE_PARM_DESC(cpus_go, "CPUs go offline, and threads leave them: compare the sums only");
char *module_symbols[KPT_MAX_SYMBOLS];
int nr_module_symbols;
module_param_array(module_symbols, charp, &nr_module_symbols, 0444);
MODULE_PARM_DESC(module_symbols, "MODULE:SYMBOL,... to be probed while the module is loaded and unloaded");
int irq_us = 2000;
module_param(irq_us, int, 0444);
MODULE_PARM_DESC(irq_us, "Microseconds between the calls of a timer, 0=disable");
torture_param(int, nchurners, 3, "Number of threads that register and unregister");
torture_param(int, shutdown_secs, 0, "Shutdown time (s), <= zero to disable.");
torture_param(int, stat_interval, 60, "Number of seconds between stats printk()s");
torture_param(int, stutter, 2, "Number of seconds to run/halt churners, 0=disable");
torture_param(int, verbose, 0, "Enable verbose debugging printk()s");

char kpt_type[] = "kprobe";
atomic_t kpt_errors = ATOMIC_INIT(0);

static struct task_struct **kpt_churner_tasks;
static struct task_struct *kpt_key_toggler_task;
static struct task_struct *kpt_trace_toggler_task;
static struct task_struct *kpt_stats_task;

/* How often the static key was flipped, and the longest time one flip took. */
static unsigned long kpt_key_flips;
static s64 kpt_longest_flip;
static unsigned long kpt_trace_flips;

static int kpt_key_toggler(void *unused)
{
	DEFINE_TORTURE_RANDOM(rand);

	do {
		ktime_t start = ktime_get();

		kpt_flip_key(++kpt_key_flips & 1);
		kpt_longest_flip = max(kpt_longest_flip,
				       ktime_ms_delta(ktime_get(), start));
		torture_hrtimeout_us(100, 5 * NSEC_PER_MSEC, &rand);
	} while (!torture_must_stop());
	torture_kthread_stopping("kpt_key_toggler");
	return 0;
}

/* Trace the target that is an ftrace site, now and then. */
#ifdef CONFIG_DYNAMIC_FTRACE
static DEFINE_PER_CPU(unsigned long, kpt_traced);

static void notrace kpt_tracer(unsigned long ip, unsigned long parent_ip,
			       struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	this_cpu_inc(kpt_traced);
}

static struct ftrace_ops kpt_tracer_ops = {
	.func = kpt_tracer,
};

static unsigned long kpt_traced_sum(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += READ_ONCE(*per_cpu_ptr(&kpt_traced, cpu));
	return sum;
}

static void kpt_trace_once(struct kpt_bounds *b, struct torture_random_state *rand)
{
	unsigned long before = kpt_traced_sum(), hits;

	kpt_bounds_start(b);
	if (register_ftrace_function(&kpt_tracer_ops)) {
		kpt_fail("no tracing");
		return;
	}
	kpt_bounds_open(b);
	torture_hrtimeout_ms(50, 200 * USEC_PER_MSEC, rand);
	kpt_bounds_close(b);
	if (unregister_ftrace_function(&kpt_tracer_ops))
		kpt_fail("no end of tracing");
	kpt_bounds_end(b);
	hits = kpt_traced_sum() - before;
	if (!kpt_bounds_allow(b, KPT_ENTRY, true, hits))
		kpt_fail("%lu calls traced, must be %lu to %lu", hits,
			 b->lower[KPT_ENTRY], b->upper[KPT_ENTRY]);
	kpt_trace_flips++;
}

static int kpt_trace_toggler(void *unused)
{
	char name[] = "kpt_entry";
	DEFINE_TORTURE_RANDOM(rand);
	struct kpt_bounds b;
	int ret;

	ret = kpt_bounds_init(&b);
	if (!ret)
		ret = ftrace_set_filter(&kpt_tracer_ops, name, strlen(name), 1);
	if (ret)
		kpt_fail("no tracer: %d", ret);
	while (!ret && !torture_must_stop()) {
		kpt_trace_once(&b, &rand);
		torture_hrtimeout_ms(50, 500 * USEC_PER_MSEC, &rand);
	}
	ftrace_free_filter(&kpt_tracer_ops);
	kpt_bounds_free(&b);
	torture_kthread_stopping("kpt_trace_toggler");
	return 0;
}
#else
static int kpt_trace_toggler(void *unused)
{
	torture_kthread_stopping("kpt_trace_toggler");
	return 0;
}
#endif /* CONFIG_DYNAMIC_FTRACE */

static void kpt_print(const char *tag)
{
	char line[384];
	int n;

	n = scnprintf(line, sizeof(line), "calls=%lu hits=%lu jumps=%lu",
		      kpt_calls(), kpt_residents_hits(), kpt_residents_jumps());
	n += scnprintf(line + n, sizeof(line) - n,
		       " rounds=%ld transients=%ld transient_hits=%ld module_probes=%ld",
		       atomic_long_read(&kpt_rounds),
		       atomic_long_read(&kpt_transients),
		       atomic_long_read(&kpt_transient_hits),
		       atomic_long_read(&kpt_module_probes));
	scnprintf(line + n, sizeof(line) - n,
		  " key_flips=%lu longest_flip_ms=%lld trace_flips=%lu errors=%d",
		  kpt_key_flips, kpt_longest_flip, kpt_trace_flips,
		  atomic_read(&kpt_errors));
	pr_alert("%s" TORTURE_FLAG "--- %s: %s\n", kpt_type, tag, line);
}

static int kpt_stats(void *unused)
{
	unsigned int s;

	do {
		for (s = 0; s < stat_interval && !torture_must_stop(); s++)
			schedule_timeout_idle(HZ);
		kpt_print("Stats");
		torture_shutdown_absorb("kpt_stats");
	} while (!torture_must_stop());
	torture_kthread_stopping("kpt_stats");
	return 0;
}

static void kpt_stop_threads(void)
{
	int i;

	torture_stop_kthread(kpt_key_toggler, kpt_key_toggler_task);
	torture_stop_kthread(kpt_trace_toggler, kpt_trace_toggler_task);
	for (i = 0; kpt_churner_tasks && i < nchurners; i++)
		torture_stop_kthread(kpt_churner, kpt_churner_tasks[i]);
	kfree(kpt_churner_tasks);
	kpt_churner_tasks = NULL;
	torture_stop_kthread(kpt_stats, kpt_stats_task);
	kpt_callers_stop();
}

static void kpt_cleanup(void)
{
	if (torture_cleanup_begin())
		return;
	kpt_stop_threads();
	kpt_residents_judge();
	kpt_print(atomic_read(&kpt_errors) ? "End of test: FAILURE" :
					     "End of test: SUCCESS");
	kpt_residents_unregister();
	kpt_callers_free();
	torture_cleanup_end();
}

static int __init kpt_start_threads(void)
{
	int ret, i;

	ret = kpt_callers_start();
	if (!ret)
		ret = torture_create_kthread(kpt_key_toggler, NULL,
					     kpt_key_toggler_task);
	if (!ret)
		ret = torture_create_kthread(kpt_trace_toggler, NULL,
					     kpt_trace_toggler_task);
	if (!ret && stat_interval > 0)
		ret = torture_create_kthread(kpt_stats, NULL, kpt_stats_task);
	kpt_churner_tasks = kcalloc(max(nchurners, 1),
				    sizeof(*kpt_churner_tasks), GFP_KERNEL);
	if (!kpt_churner_tasks)
		return -ENOMEM;
	for (i = 0; i < nchurners && !ret; i++)
		ret = torture_create_kthread(kpt_churner, NULL,
					     kpt_churner_tasks[i]);
	return ret;
}

static int __init kpt_start(void)
{
	int ret = kpt_survey();

	if (!ret)
		ret = kpt_residents_register();
	if (!ret && stutter > 0)
		ret = torture_stutter_init(stutter * HZ, stutter * HZ);
	if (!ret)
		ret = kpt_start_threads();
	if (!ret && shutdown_secs > 0)
		ret = torture_shutdown_init(shutdown_secs, kpt_cleanup);
	return ret;
}

static int __init kpt_init(void)
{
	int ret;

	if (!torture_init_begin(kpt_type, verbose))
		return -EBUSY;
	pr_alert("%s" TORTURE_FLAG "--- Start of test: exact=%d irq_us=%d churners=%d stutter=%d\n",
		 kpt_type, exact, irq_us, nchurners, stutter);
	ret = kpt_start();
	torture_init_end();
	if (ret) {
		kpt_fail("no start: %d", ret);
		kpt_cleanup();
	}
	return ret;
}

module_init(kpt_init);
module_exit(kpt_cleanup);

MODULE_DESCRIPTION("Torture test of kernel probes");
MODULE_LICENSE("GPL");
