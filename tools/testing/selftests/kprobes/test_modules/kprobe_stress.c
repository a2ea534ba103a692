// SPDX-License-Identifier: GPL-2.0
/*
 * Probes come and go while every CPU runs through them. Some stay all the
 * time: those count every single call, whatever happens beside them.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>

#include "kt_main.h"

static unsigned int seconds = 3;
module_param(seconds, uint, 0444);

static bool exact = true;
module_param(exact, bool, 0444);
MODULE_PARM_DESC(exact, "no for when the knob of debugfs is turned meanwhile");

/* 6.12: crashes when a post handler comes to or goes from an ftrace site. */
static bool mixed = true;
module_param(mixed, bool, 0444);
MODULE_PARM_DESC(mixed, "post handlers at ftrace sites, too");

#define FUNCTIONS	3
#define TRANSIENTS	16

static const kt_fn functions[FUNCTIONS] = { kt_entry, kt_plain, kt_asm };

struct caller {
	struct task_struct *task;
	unsigned long calls[FUNCTIONS];
	unsigned long wrong;
};

/* The probes at each function that stay registered. */
static struct kt_probe resident[FUNCTIONS];
static struct kretprobe resident_rp[FUNCTIONS];
static atomic_t resident_returns[FUNCTIONS];

/* The probes that are registered and unregistered. */
static struct kt_probe transient[TRANSIENTS];
static struct kprobe *transient_kps[TRANSIENTS];
static struct kretprobe transient_rp[FUNCTIONS];
static atomic_long_t transient_hits;

static int on_resident_return(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		atomic_inc(&resident_returns[rp - resident_rp]);
	return 0;
}

static int on_transient(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&transient_hits);
	return kt_pre(p, regs);
}

static int on_transient_return(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	atomic_long_inc(&transient_hits);
	return 0;
}

static int caller_fn(void *data)
{
	struct caller *c = data;
	unsigned long i, n;

	for (n = 0; !kthread_should_stop(); n++) {
		for (i = 0; i < FUNCTIONS; i++) {
			c->wrong += functions[i](n, i) != 3 * n + i;
			c->calls[i]++;
		}
		/* Be seen elsewhere, or no jump would ever be put in. */
		if (n % 16 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static struct caller *start_callers(void)
{
	struct caller *callers;
	unsigned int cpu;

	callers = kcalloc(nr_cpu_ids, sizeof(*callers), GFP_KERNEL);
	if (!callers)
		return NULL;
	for_each_online_cpu(cpu) {
		struct task_struct *task;

		task = kthread_create_on_cpu(caller_fn, &callers[cpu], cpu,
					     "kt_caller/%u");
		if (IS_ERR(task))
			continue;
		callers[cpu].task = task;
		/* It is to fill the time, not to keep others waiting. */
		set_user_nice(task, 10);
		wake_up_process(task);
	}
	return callers;
}

static void stop_callers(struct kt *t, struct caller *callers,
			 unsigned long *calls)
{
	unsigned int cpu, i;

	for_each_possible_cpu(cpu) {
		if (!callers[cpu].task)
			continue;
		kthread_stop(callers[cpu].task);
		KT_EQ(t, callers[cpu].wrong, 0);
		for (i = 0; i < FUNCTIONS; i++)
			calls[i] += callers[cpu].calls[i];
	}
	kfree(callers);
}

static void residents_register(struct kt *t)
{
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		kt_probe_addr(&resident[i], functions[i]);
		resident_rp[i] = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)functions[i],
			.handler = on_resident_return,
			/* More than there are callers. */
			.maxactive = 2 * num_possible_cpus(),
		};
		KT_EQ(t, register_kprobe(&resident[i].kp), 0);
		KT_EQ(t, register_kretprobe(&resident_rp[i]), 0);
	}
}

static void residents_unregister(struct kt *t, const unsigned long *calls)
{
	int i;

	for (i = 0; i < FUNCTIONS; i++) {
		unregister_kprobe(&resident[i].kp);
		unregister_kretprobe(&resident_rp[i]);
		KT_EQ(t, resident[i].kp.nmissed, 0);
		KT_EQ(t, resident_rp[i].kp.nmissed + resident_rp[i].nmissed, 0);
		if (exact) {
			KT_EQ(t, kt_hits(&resident[i]), calls[i]);
			KT_EQ(t, atomic_read(&resident_returns[i]), calls[i]);
		} else {
			KT_TRUE(t, kt_hits(&resident[i]) <= calls[i]);
			KT_TRUE(t, atomic_read(&resident_returns[i]) <= calls[i]);
		}
	}
}

/* At every instruction of the assembly function, or at the functions. */
static void choose_transients(void)
{
	int i;

	for (i = 0; i < TRANSIENTS; i++) {
		void *addr = functions[i % FUNCTIONS];

		if (i < kt_asm_count)
			addr = (void *)kt_asm + kt_asm_insns[i];
		kt_probe_addr(&transient[i], addr);
		transient[i].kp.pre_handler = on_transient;
		if (get_random_u32_below(3) == 0 && (mixed || addr != kt_entry))
			transient[i].kp.post_handler = kt_post;
		if (get_random_u32_below(4) == 0)
			transient[i].kp.flags = KPROBE_FLAG_DISABLED;
		transient_kps[i] = &transient[i].kp;
	}
}

static void switch_transients(struct kt *t)
{
	int i, n;

	for (i = 0; i < TRANSIENTS; i++) {
		n = get_random_u32_below(TRANSIENTS);
		if (get_random_u32_below(2))
			KT_EQ(t, enable_kprobe(&transient[n].kp), 0);
		else
			KT_EQ(t, disable_kprobe(&transient[n].kp), 0);
	}
}

/* A CPU that still called one of them now would find nonsense. */
static void poison_transients(void)
{
	memset(transient, 0x6b, sizeof(transient));
	memset(transient_rp, 0x6b, sizeof(transient_rp));
}

static void one_round(struct kt *t)
{
	int i;

	choose_transients();
	KT_EQ(t, register_kprobes(transient_kps, TRANSIENTS), 0);
	for (i = 0; i < FUNCTIONS; i++) {
		transient_rp[i] = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)functions[i],
			.handler = on_transient_return,
		};
		KT_EQ(t, register_kretprobe(&transient_rp[i]), 0);
	}
	usleep_range(100, 3000);
	switch_transients(t);
	usleep_range(100, 3000);
	for (i = 0; i < FUNCTIONS; i++)
		unregister_kretprobe(&transient_rp[i]);
	for (i = 0; i < TRANSIENTS / 2; i++)
		unregister_kprobe(transient_kps[i]);
	unregister_kprobes(transient_kps + i, TRANSIENTS - i);
	poison_transients();
}

static void come_and_go(struct kt *t)
{
	unsigned long calls[FUNCTIONS] = { }, rounds = 0, end;
	struct caller *callers;

	residents_register(t);
	callers = start_callers();
	if (!callers)
		return kt_skip(t, "no memory");
	end = jiffies + seconds * HZ;
	while (time_before(jiffies, end)) {
		one_round(t);
		rounds++;
	}
	stop_callers(t, callers, calls);
	residents_unregister(t, calls);
	KT_TRUE(t, calls[0] > 0 && rounds > 0);
	KT_TRUE(t, atomic_long_read(&transient_hits) > 0);
	kt_note(t, "%lu rounds, %lu calls of each function, %ld hits of transients",
		rounds, calls[0], atomic_long_read(&transient_hits));
}

static const struct kt_case cases[] = {
	{ "come_and_go", come_and_go },
	KT_END
};

static const struct kt_case *const groups[] = { cases, NULL };

static int __init kprobe_stress_init(void)
{
	return kt_run(groups);
}

static void __exit kprobe_stress_exit(void)
{
	kt_end();
}

module_init(kprobe_stress_init);
module_exit(kprobe_stress_exit);

MODULE_DESCRIPTION("Probes that come and go under load");
MODULE_LICENSE("GPL");
