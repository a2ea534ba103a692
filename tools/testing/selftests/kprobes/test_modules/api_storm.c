// SPDX-License-Identifier: GPL-2.0
/*
 * NMIs that arrive at any point of processing a hit, and hit probes of their
 * own. The victim's CPU runs through nothing but probes: with a post handler,
 * with a handler that hits another one, behind an ftrace site.
 *
 * 6.12: BUG() as soon as an NMI hits a probe while a miss is being dealt with.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "kprobe_api.h"

#ifdef CONFIG_X86_LOCAL_APIC
#include <asm/apic.h>
#include <asm/nmi.h>

/* The victim's own calls hit these. */
static struct kt_probe outer[3];
static const kt_fn outer_fns[] = { kt_plain, kt_entry, kt_asm };

/* The NMI hits these; the victim's handlers do so too, and are missed. */
static struct kt_probe inner[2];
static const kt_fn inner_fns[] = { kt_plain2, kt_entry2 };
static struct kretprobe inner_rp;
static atomic_t inner_returns;

static unsigned long nmis, calls, wrong;
static bool storm;

static void call_inner(unsigned long n)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(inner_fns); i++)
		wrong += inner_fns[i](n, i) != 3 * n + i;
}

static int outer_pre(struct kprobe *p, struct pt_regs *regs)
{
	call_inner(1);
	return kt_pre(p, regs);
}

static int on_inner_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&inner_returns);
	return 0;
}

static int on_nmi(unsigned int cmd, struct pt_regs *regs)
{
	if (!READ_ONCE(storm))
		return NMI_DONE;
	nmis++;
	call_inner(nmis);
	return NMI_HANDLED;
}

static int victim(void *unused)
{
	unsigned long i;

	while (!kthread_should_stop()) {
		for (i = 0; i < ARRAY_SIZE(outer_fns); i++)
			wrong += outer_fns[i](calls, i) != 3 * calls + i;
		calls++;
		if (calls % 16 == 0)
			cond_resched_tasks_rcu_qs();
	}
	return 0;
}

static void storm_begin(struct kt *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(outer); i++) {
		kt_probe_addr(&outer[i], outer_fns[i]);
		outer[i].kp.pre_handler = outer_pre;
		outer[i].kp.post_handler = kt_post;
		KT_EQ(t, register_kprobe(&outer[i].kp), 0);
	}
	for (i = 0; i < ARRAY_SIZE(inner); i++) {
		kt_probe_addr(&inner[i], inner_fns[i]);
		inner[i].kp.post_handler = kt_post;
		KT_EQ(t, register_kprobe(&inner[i].kp), 0);
	}
	inner_rp = (struct kretprobe) {
		.kp.addr = (kprobe_opcode_t *)inner_fns[0],
		.handler = on_inner_return,
	};
	KT_EQ(t, register_kretprobe(&inner_rp), 0);
}

static void storm_end(struct kt *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(outer); i++) {
		unregister_kprobe(&outer[i].kp);
		KT_EQ(t, kt_hits(&outer[i]), calls);
		KT_EQ(t, atomic_read(&outer[i].post), calls);
		KT_EQ(t, outer[i].kp.nmissed, 0);
	}
	for (i = 0; i < ARRAY_SIZE(inner); i++) {
		unregister_kprobe(&inner[i].kp);
		KT_EQ(t, kt_hits(&inner[i]), nmis);
		KT_EQ(t, atomic_read(&inner[i].post), nmis);
		KT_EQ(t, inner[i].kp.nmissed, 3 * calls);
	}
	unregister_kretprobe(&inner_rp);
	KT_EQ(t, atomic_read(&inner_returns), nmis);
	KT_EQ(t, inner_rp.kp.nmissed, 3 * calls);
	KT_EQ(t, inner_rp.nmissed, 0);
	KT_EQ(t, wrong, 0);
	KT_TRUE(t, nmis > 0 && calls > 0);
	kt_note(t, "%lu NMIs, %lu calls", nmis, calls);
}

static void send_nmis(unsigned int cpu)
{
	unsigned long end = jiffies + 2 * HZ;

	WRITE_ONCE(storm, true);
	while (time_before(jiffies, end)) {
		__apic_send_IPI_mask(cpumask_of(cpu), NMI_VECTOR);
		usleep_range(20, 200);
	}
	/* Let the last one arrive. */
	msleep(20);
	WRITE_ONCE(storm, false);
}

static void nmi_storm(struct kt *t)
{
	unsigned int cpu = cpumask_last(cpu_online_mask);
	struct task_struct *task;

	task = kthread_create_on_cpu(victim, NULL, cpu, "kt_victim/%u");
	if (IS_ERR(task))
		return kt_skip(t, "no thread");
	set_user_nice(task, 10);
	if (register_nmi_handler(NMI_LOCAL, on_nmi, 0, "kprobe_storm")) {
		kthread_stop(task);
		return kt_skip(t, "no NMI to be had");
	}
	storm_begin(t);
	wake_up_process(task);
	send_nmis(cpu);
	kthread_stop(task);
	unregister_nmi_handler(NMI_LOCAL, "kprobe_storm");
	storm_end(t);
}

const struct kt_case kt_storm_cases[] = {
	{ "nmi_storm", nmi_storm },
	KT_END
};
#else
const struct kt_case kt_storm_cases[] = { KT_END };
#endif
