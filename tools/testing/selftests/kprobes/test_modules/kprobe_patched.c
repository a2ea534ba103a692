// SPDX-License-Identifier: GPL-2.0
/*
 * Probes of every kind in a function that is called all the time by tasks which
 * are preempted in the handlers.
 *
 *	gap	how many bytes lie between two probes, at least
 *	faults	each third has a fault handler, so its instruction is stepped
 *	probes	how many there are
 *	wrong	how many calls returned something else
 *	calls	how many calls there were, of a task
 *	hits	how many handlers have run
 *	exits	how many of them were the exit handler of an fprobe
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/sched.h>

#include "kprobe_target.h"

#define MAX_PROBES	64
#define MAX_CALLERS	16

/*
 * A post handler at the ftrace site keeps live patches away, which want to be the
 * only ones that change the path there.
 */
#define FTRACE_END	8

/* So many callers on a CPU: there is always one that is preempted. */
#define CALLERS_EACH	3

/* Of so many hits, one preempts the task. */
#define PREEMPT_EACH	8

static unsigned int gap = 1;
module_param(gap, uint, 0444);
MODULE_PARM_DESC(gap, "bytes between two probes, at least");

static bool faults;
module_param(faults, bool, 0444);
MODULE_PARM_DESC(faults, "each third probe has a fault handler");

static unsigned int probes;
module_param(probes, uint, 0444);
MODULE_PARM_DESC(probes, "how many there are");

static unsigned long wrong;
module_param(wrong, ulong, 0444);
MODULE_PARM_DESC(wrong, "calls that returned something else");

static unsigned long calls;
module_param(calls, ulong, 0444);
MODULE_PARM_DESC(calls, "calls, of one task");

static atomic_t hits;
module_param_named(hits, hits.counter, int, 0444);
MODULE_PARM_DESC(hits, "handlers that have run");

static atomic_t exits;
module_param_named(exits, exits.counter, int, 0444);
MODULE_PARM_DESC(exits, "exit handlers of an fprobe that have run");

static struct kprobe probe[MAX_PROBES];
static struct kretprobe on_return;
static struct fprobe on_both;
static struct task_struct *caller[MAX_CALLERS];

static void preempt_soon(void)
{
	if (atomic_inc_return(&hits) % PREEMPT_EACH)
		return;
	set_tsk_need_resched(current);
	set_preempt_need_resched();
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	preempt_soon();
	return 0;
}

static void on_done(struct kprobe *p, struct pt_regs *regs, unsigned long flags)
{
	preempt_soon();
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

static int on_back(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	preempt_soon();
	return 0;
}

static int on_entry(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	preempt_soon();
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip, unsigned long ret_ip,
		    struct pt_regs *regs, void *data)
{
	atomic_inc(&exits);
	preempt_soon();
}

static int place_fprobe(void)
{
	unsigned long at = (unsigned long)kt_outer;
	int ret;

	on_both.entry_handler = on_entry;
	on_both.exit_handler = on_exit;
	ret = register_fprobe_ips(&on_both, &at, 1);
	/* There are kernels without fprobes. */
	return ret == -EOPNOTSUPP ? 0 : ret;
}

/* kt_outer+0x0/SIZE: what kallsyms knows. */
static unsigned int outer_size(void)
{
	char name[KSYM_SYMBOL_LEN], *size;
	unsigned int n;

	sprint_symbol(name, (unsigned long)kt_outer);
	size = strchr(name, '/');
	return size && sscanf(size + 1, "%x", &n) == 1 ? n : 0;
}

/* At all instructions that have the distance. Each other with a post handler. */
static void place_all(void)
{
	unsigned int offset, size = outer_size();

	for (offset = 0; offset < size && probes < MAX_PROBES; offset++) {
		struct kprobe *p = &probe[probes];

		p->addr = (kprobe_opcode_t *)kt_outer + offset;
		p->pre_handler = on_hit;
		p->post_handler = probes % 2 && offset > FTRACE_END ? on_done : NULL;
		p->fault_handler = faults && probes % 3 == 0 ? on_fault : NULL;
		if (register_kprobe(p)) {
			memset(p, 0, sizeof(*p));
			continue;
		}
		probes++;
		offset += gap - 1;
	}
}

static int call_all_the_time(void *unused)
{
	unsigned long n;

	for (n = 0; !kthread_should_stop(); n++) {
		WRITE_ONCE(calls, n);
		wrong += kt_outer(n, 1) != 3 * n + 1;
		/* The patch waits until every task was seen elsewhere. */
		if (n % 16 == 0)
			usleep_range(100, 200);
	}
	return 0;
}

static void start_callers(void)
{
	unsigned int i, nr = min(CALLERS_EACH * num_online_cpus(), MAX_CALLERS);

	for (i = 0; i < nr; i++) {
		caller[i] = kthread_run(call_all_the_time, NULL, "kt_patched/%u",
					i);
		if (IS_ERR(caller[i]))
			caller[i] = NULL;
	}
}

static void stop_all(void)
{
	unsigned int i;

	for (i = 0; i < MAX_CALLERS; i++) {
		if (caller[i])
			kthread_stop(caller[i]);
	}
	unregister_fprobe(&on_both);
	unregister_kretprobe(&on_return);
	for (i = 0; i < probes; i++)
		unregister_kprobe(&probe[i]);
}

static int __init kprobe_patched_init(void)
{
	int ret;

	on_return.kp.addr = (kprobe_opcode_t *)kt_outer;
	on_return.handler = on_back;
	ret = register_kretprobe(&on_return);
	if (ret)
		return ret;
	ret = place_fprobe();
	if (ret) {
		unregister_kretprobe(&on_return);
		return ret;
	}
	place_all();
	start_callers();
	return 0;
}

static void __exit kprobe_patched_exit(void)
{
	stop_all();
}

module_init(kprobe_patched_init);
module_exit(kprobe_patched_exit);

MODULE_DESCRIPTION("Probes in a function that is patched live, for the kprobes selftests");
MODULE_LICENSE("GPL");
