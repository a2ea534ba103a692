// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to be probed, and a way for scripts to have them called:
 *
 *	echo "entry 10" >/sys/module/kprobe_target/parameters/run
 *
 * WHAT NUMBER: entry entry2 plain plain2 asm nokprobe outer recurse calls the
 * function so often (recurse: once, so deep). "sleep 5" starts so many threads
 * that call kt_sleep_outer(), "wake 0" wakes them; "exit 5" has so many threads
 * end inside of kt_exit().
 *
 * asm_insns is the number of instructions of kt_asm() whose places are known, and
 * asm_offsets are these places.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/wait.h>

#include "kprobe_target.h"

/*
 * The asm keeps the compiler from leaving calls out, and @id from taking two
 * functions for the same.
 */
static __always_inline unsigned long kt_sum(unsigned long a, unsigned long b,
					    const int id)
{
	asm volatile("" : : "i" (id) : "memory");
	return 3 * a + b;
}

noinline unsigned long __noclone kt_entry(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 1);
}
EXPORT_SYMBOL_GPL(kt_entry);

noinline unsigned long __noclone kt_entry2(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 2);
}
EXPORT_SYMBOL_GPL(kt_entry2);

noinline notrace
unsigned long __noclone kt_plain(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 3);
}
EXPORT_SYMBOL_GPL(kt_plain);

noinline notrace
unsigned long __noclone kt_plain2(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 4);
}
EXPORT_SYMBOL_GPL(kt_plain2);

noinline unsigned long __noclone kt_nokprobe(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 5);
}
EXPORT_SYMBOL_GPL(kt_nokprobe);
NOKPROBE_SYMBOL(kt_nokprobe);

noinline unsigned long __noclone kt_outer(unsigned long a, unsigned long b)
{
	unsigned long sum = kt_plain(a, b);

	barrier();
	sum += kt_entry(sum, 0) - 3 * sum;
	barrier();
	return sum;
}
EXPORT_SYMBOL_GPL(kt_outer);

noinline unsigned long __noclone kt_recurse(unsigned long depth)
{
	unsigned long sum = 0;

	if (depth)
		sum = depth + kt_recurse(depth - 1);
	barrier();
	return sum;
}
EXPORT_SYMBOL_GPL(kt_recurse);

/* On x86, all this is in target_x86*.S. No ftrace site there, so none here. */
#ifndef CONFIG_X86
noinline notrace unsigned long __noclone kt_asm(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 6);
}
EXPORT_SYMBOL_GPL(kt_asm);

const unsigned int kt_asm_insns[] = { 0 };
EXPORT_SYMBOL_GPL(kt_asm_insns);

const unsigned int kt_asm_count;
EXPORT_SYMBOL_GPL(kt_asm_count);
#endif

static DECLARE_WAIT_QUEUE_HEAD(kt_wait);
static atomic_t kt_inside = ATOMIC_INIT(0);
static bool kt_awake;

noinline unsigned long __noclone kt_sleep(unsigned long a, unsigned long b)
{
	atomic_inc(&kt_inside);
	wait_event_idle(kt_wait, READ_ONCE(kt_awake));
	atomic_dec(&kt_inside);
	return 3 * a + b;
}
EXPORT_SYMBOL_GPL(kt_sleep);

noinline unsigned long __noclone kt_sleep_outer(unsigned long a, unsigned long b)
{
	unsigned long sum = kt_sleep(a, b);

	barrier();
	return sum;
}
EXPORT_SYMBOL_GPL(kt_sleep_outer);

void kt_wake(void)
{
	WRITE_ONCE(kt_awake, true);
	wake_up_all(&kt_wait);
	while (atomic_read(&kt_inside))
		usleep_range(500, 1000);
}
EXPORT_SYMBOL_GPL(kt_wake);

void kt_wake_reset(void)
{
	WRITE_ONCE(kt_awake, false);
}
EXPORT_SYMBOL_GPL(kt_wake_reset);

int kt_sleeping(void)
{
	return atomic_read(&kt_inside);
}
EXPORT_SYMBOL_GPL(kt_sleeping);

noinline void __noclone kt_exit(void)
{
	barrier();
	kthread_exit(0);
}
EXPORT_SYMBOL_GPL(kt_exit);

/* The threads that are alive; the module may not go before them. */
static struct task_struct *threads[128];
static unsigned int nr_threads;
static unsigned int wrong_results;
module_param(wrong_results, uint, 0444);

static unsigned int mixed;
module_param(mixed, uint, 0444);

void kt_count_mixed(void)
{
	WRITE_ONCE(mixed, mixed + 1);
}
EXPORT_SYMBOL_GPL(kt_count_mixed);

static int sleeper(void *unused)
{
	if (kt_sleep_outer(5, 6) != 21)
		WRITE_ONCE(wrong_results, wrong_results + 1);
	return 0;
}

static atomic_t exiting = ATOMIC_INIT(0);

static int exiter(void *unused)
{
	atomic_inc(&exiting);
	kt_exit();
	return 0;
}

static int start_threads(int (*fn)(void *), unsigned long n)
{
	struct task_struct *t;

	while (n-- && nr_threads < ARRAY_SIZE(threads)) {
		t = kthread_create(fn, NULL, "kt_thread/%u", nr_threads);
		if (IS_ERR(t))
			return PTR_ERR(t);
		get_task_struct(t);
		threads[nr_threads++] = t;
		wake_up_process(t);
	}
	return 0;
}

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
#define kt_instances(t)	((t)->rethooks.first)
#else
#define kt_instances(t)	((t)->kretprobe_instances.first)
#endif

void kt_reap(struct task_struct *t)
{
	kthread_stop(t);
	/* Long after that, the last that is heard of it takes a grace period. */
	while (READ_ONCE(kt_instances(t)))
		usleep_range(500, 1000);
	put_task_struct(t);
}
EXPORT_SYMBOL_GPL(kt_reap);

static void reap_threads(void)
{
	kt_wake();
	while (nr_threads)
		kt_reap(threads[--nr_threads]);
	kt_wake_reset();
	/* Taken from the tasks, and given back when this is over. */
	synchronize_rcu();
}

static void sleep_threads(unsigned long n)
{
	start_threads(sleeper, n);
	while (kt_sleeping() < nr_threads)
		usleep_range(500, 1000);
}

static void exit_threads(unsigned long n)
{
	atomic_set(&exiting, 0);
	start_threads(exiter, n);
	while (atomic_read(&exiting) < nr_threads)
		usleep_range(500, 1000);
	reap_threads();
}

static const struct {
	const char *name;
	kt_fn fn;
} functions[] = {
	{ "entry", kt_entry },
	{ "entry2", kt_entry2 },
	{ "plain", kt_plain },
	{ "plain2", kt_plain2 },
	{ "asm", kt_asm },
	{ "nokprobe", kt_nokprobe },
	{ "outer", kt_outer },
};

static int call_function(const char *name, unsigned long n)
{
	unsigned long i;
	unsigned int f;

	for (f = 0; f < ARRAY_SIZE(functions); f++) {
		if (strcmp(name, functions[f].name))
			continue;
		for (i = 0; i < n; i++)
			wrong_results += functions[f].fn(i, 9) != 3 * i + 9;
		return 0;
	}
	return -EINVAL;
}

static int run_set(const char *val, const struct kernel_param *kp)
{
	unsigned long n;
	char what[16];

	if (sscanf(val, "%15s %lu", what, &n) != 2)
		return -EINVAL;
	if (!strcmp(what, "recurse"))
		wrong_results += kt_recurse(n) != n * (n + 1) / 2;
	else if (!strcmp(what, "sleep"))
		sleep_threads(n);
	else if (!strcmp(what, "wake"))
		reap_threads();
	else if (!strcmp(what, "exit"))
		exit_threads(n);
	else
		return call_function(what, n);
	return 0;
}

static const struct kernel_param_ops run_ops = {
	.set = run_set,
};
module_param_cb(run, &run_ops, NULL, 0200);

static int asm_insns_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%u\n", kt_asm_count);
}

static const struct kernel_param_ops asm_insns_ops = {
	.get = asm_insns_get,
};
module_param_cb(asm_insns, &asm_insns_ops, NULL, 0444);

static int asm_offsets_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < kt_asm_count; i++)
		len += sysfs_emit_at(buf, len, "%u ", kt_asm_insns[i]);
	return len + sysfs_emit_at(buf, len, "\n");
}

static const struct kernel_param_ops asm_offsets_ops = {
	.get = asm_offsets_get,
};
module_param_cb(asm_offsets, &asm_offsets_ops, NULL, 0444);

static bool fail;
module_param(fail, bool, 0444);
MODULE_PARM_DESC(fail, "do not come up after all");

static bool exact_traces = IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE);
module_param(exact_traces, bool, 0444);
MODULE_PARM_DESC(exact_traces, "stack traces show the callers of hooked functions");

/* Text that is gone when the module is up. Called three times. */
static noinline unsigned long __init __noclone
kt_init_text(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 7);
}

/* What it forbids is forgotten with it. */
static noinline unsigned long __init __noclone
kt_nokprobe_init(unsigned long a, unsigned long b)
{
	return kt_sum(a, b, 8);
}

NOKPROBE_SYMBOL(kt_nokprobe_init);

static int __init kprobe_target_init(void)
{
	unsigned long i;

	for (i = 0; i < 3; i++)
		wrong_results += kt_init_text(i, 9) != 3 * i + 9;
	wrong_results += kt_nokprobe_init(1, 9) != 12;
	if (fail)
		call_function("plain", 2);
	return fail ? -ENODATA : 0;
}

static void __exit kprobe_target_exit(void)
{
	reap_threads();
}

module_init(kprobe_target_init);
module_exit(kprobe_target_exit);

MODULE_DESCRIPTION("Functions to be probed by the kprobes selftests");
MODULE_LICENSE("GPL");
