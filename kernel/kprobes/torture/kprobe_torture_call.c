// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of kernel probes: the probed functions, their callers, and what
 * was called.
 *
 * Each CPU has two callers: a task, and a timer's interrupt that comes in
 * between. Each counts the calls that it has begun and those that have ended.
 */
#define pr_fmt(fmt) fmt

#include <linux/cpu.h>
#include <linux/hrtimer.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/ktime.h>
#include <linux/minmax.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "kprobe_torture.h"

#define KPT_MAX_SITES	512
/* How often the survey calls each function, with the static key off and on. */
#define KPT_SURVEY	8

struct kpt_site *kpt_sites;
unsigned int kpt_nr_sites;

/* Tasks, and behind all of them as many timers. */
struct kpt_caller {
	unsigned long begun[KPT_TARGETS];
	unsigned long done[KPT_TARGETS];
	unsigned long wrong;
	unsigned int cpu;
	struct task_struct *task;
	struct hrtimer timer;
};

static struct kpt_caller *kpt_callers;
static unsigned int kpt_nr_callers;

static DEFINE_STATIC_KEY_FALSE(kpt_key);

/*
 * All targets compute one result, so that it can be checked, in
 * steps that the compiler can neither merge nor leave out.
 */
static __always_inline unsigned long kpt_step(unsigned long x)
{
	OPTIMIZER_HIDE_VAR(x);
	x = (x ^ (x >> 7)) + 0x1234567;
	OPTIMIZER_HIDE_VAR(x);
	return 5 * x;
}

/* @id keeps the compiler from merging two functions. */
static __always_inline unsigned long kpt_half(unsigned long x, const int id)
{
	asm volatile("" : : "i" (id) : "memory");
	return kpt_step(kpt_step(kpt_step(kpt_step(x))));
}

/* An ftrace site, where there is a function tracer. */
static noinline unsigned long __noclone kpt_entry(unsigned long x)
{
	return kpt_half(kpt_half(x, 1), 1);
}

static noinline notrace unsigned long __noclone kpt_plain(unsigned long x)
{
	return kpt_half(kpt_half(x, 2), 2);
}

static noinline notrace unsigned long __noclone kpt_keyed(unsigned long x)
{
	x = kpt_step(kpt_step(x));
	if (static_branch_unlikely(&kpt_key))
		x = kpt_half(x, 3);
	else
		x = kpt_half(x, 4);
	return kpt_step(kpt_step(x));
}

static noinline notrace unsigned long __noclone kpt_leaf(unsigned long x)
{
	return kpt_half(x, 5);
}

static noinline notrace unsigned long __noclone kpt_calling(unsigned long x)
{
	x = kpt_leaf(x);
	barrier();
	return kpt_half(x, 6);
}

static const struct {
	unsigned long (*fn)(unsigned long x);
	const char *name;
} kpt_targets[KPT_TARGETS] = {
	[KPT_ENTRY] = { kpt_entry, "kpt_entry" },
	[KPT_PLAIN] = { kpt_plain, "kpt_plain" },
	[KPT_KEYED] = { kpt_keyed, "kpt_keyed" },
	[KPT_CALLING] = { kpt_calling, "kpt_calling" },
};

static void *kpt_target_addr(enum kpt_target target)
{
	return kpt_targets[target].fn;
}

void kpt_flip_key(bool on)
{
	if (on)
		static_branch_enable(&kpt_key);
	else
		static_branch_disable(&kpt_key);
}

/*
 * The survey: which addresses take a probe, and which of those does every call
 * run through? Runs before there are other callers.
 */
static int kpt_survey_hit(struct kprobe *p, struct pt_regs *regs)
{
	container_of(p, struct kpt_site, kp)->hits++;
	return 0;
}

/* How long the function is, as the kernel's symbols have it. */
static unsigned long kpt_target_size(enum kpt_target target)
{
	char name[KSYM_SYMBOL_LEN], *slash;
	unsigned long size = 0;

	sprint_symbol(name, (unsigned long)kpt_target_addr(target));
	slash = strchr(name, '/');
	if (!slash || sscanf(slash, "/%lx", &size) != 1)
		kpt_fail("%s has no size", kpt_targets[target].name);
	return size;
}

static void kpt_survey_addr(enum kpt_target target, unsigned long offset)
{
	struct kpt_site *s = &kpt_sites[kpt_nr_sites];

	memset(s, 0, sizeof(*s));
	s->kp.addr = kpt_target_addr(target) + offset;
	s->kp.pre_handler = kpt_survey_hit;
	s->target = target;
	s->entry = !offset;
	if (kpt_nr_sites < KPT_MAX_SITES && !register_kprobe(&s->kp))
		kpt_nr_sites++;
}

static void kpt_survey_call(void)
{
	unsigned int t, i;

	for (i = 0; i < KPT_SURVEY; i++) {
		for (t = 0; t < KPT_TARGETS; t++)
			kpt_targets[t].fn(i);
	}
}

static void kpt_survey_end(struct kprobe **kps)
{
	unsigned int i, always = 0;

	for (i = 0; i < kpt_nr_sites; i++) {
		kps[i] = &kpt_sites[i].kp;
		kpt_sites[i].always = kpt_sites[i].hits == 2 * KPT_SURVEY;
		always += kpt_sites[i].always;
	}
	unregister_kprobes(kps, kpt_nr_sites);
	pr_alert("%s" TORTURE_FLAG " %u sites, %u of them in every call's way\n",
		 kpt_type, kpt_nr_sites, always);
}

/**
 * kpt_survey() - find the sites
 *
 * Return: 0; -ENOMEM; -ENOENT if a target cannot be probed where it begins.
 */
int kpt_survey(void)
{
	struct kprobe **kps;
	unsigned long offset;
	unsigned int t, entries = 0;

	kpt_sites = kcalloc(KPT_MAX_SITES + 1, sizeof(*kpt_sites), GFP_KERNEL);
	kps = kcalloc(KPT_MAX_SITES, sizeof(*kps), GFP_KERNEL);
	if (!kpt_sites || !kps) {
		kfree(kps);
		return -ENOMEM;
	}
	for (t = 0; t < KPT_TARGETS; t++) {
		for (offset = 0; offset < kpt_target_size(t); offset++)
			kpt_survey_addr(t, offset);
	}
	kpt_survey_call();
	kpt_flip_key(true);
	kpt_survey_call();
	kpt_flip_key(false);
	for (offset = 0; offset < kpt_nr_sites; offset++)
		entries += kpt_sites[offset].entry;
	kpt_survey_end(kps);
	kfree(kps);
	return entries == KPT_TARGETS ? 0 : -ENOENT;
}

/* The callers. */
static void kpt_call_all(struct kpt_caller *c, unsigned long n)
{
	unsigned int t;

	for (t = 0; t < KPT_TARGETS; t++) {
		unsigned long want = kpt_half(kpt_half(n + t, 0), 0);

		WRITE_ONCE(c->begun[t], c->begun[t] + 1);
		/*
		 * Pairs with smp_mb() in kpt_bounds_open() and
		 * kpt_bounds_end(): a churner that does not see that this call
		 * has begun has changed the probes, or their flags, before this
		 * call reads them.
		 */
		smp_mb();
		if (kpt_targets[t].fn(n + t) != want)
			WRITE_ONCE(c->wrong, c->wrong + 1);
		/* Pairs with smp_load_acquire() in kpt_bounds_close(). */
		smp_store_release(&c->done[t], c->done[t] + 1);
	}
}

static ktime_t kpt_irq_period(void)
{
	return ns_to_ktime((u64)irq_us * NSEC_PER_USEC);
}

/* However slow the machine is, most of the time is left to others. */
static enum hrtimer_restart kpt_caller_timer(struct hrtimer *timer)
{
	struct kpt_caller *c = container_of(timer, struct kpt_caller, timer);
	ktime_t start = ktime_get();

	kpt_call_all(c, c->done[0]);
	hrtimer_forward_now(timer, ktime_add(kpt_irq_period(),
					     4 * ktime_sub(ktime_get(), start)));
	return HRTIMER_RESTART;
}

static int kpt_caller(void *arg)
{
	struct kpt_caller *c = arg, *irq = c + kpt_nr_callers / 2;
	DEFINE_TORTURE_RANDOM(rand);
	unsigned long n;

	if (set_cpus_allowed_ptr(current, cpumask_of(c->cpu)))
		kpt_fail("CPU %u cannot be had", c->cpu);
	set_user_nice(current, 10);
	if (irq_us > 0)
		hrtimer_start(&irq->timer, kpt_irq_period(),
			      HRTIMER_MODE_REL_PINNED_HARD);
	for (n = 0; !torture_must_stop(); n++) {
		kpt_call_all(c, n);
		/* A quiescent state, or no jump would ever be put in. */
		if (n % 16 == 0)
			cond_resched_tasks_rcu_qs();
		/* Let other tasks run, too. */
		if (n % 128 == 0)
			torture_hrtimeout_us(100, 500 * NSEC_PER_USEC, &rand);
		torture_shutdown_absorb("kpt_caller");
	}
	hrtimer_cancel(&irq->timer);
	torture_kthread_stopping("kpt_caller");
	return 0;
}

static void kpt_caller_init(struct kpt_caller *c, unsigned int cpu)
{
	c->cpu = cpu;
	hrtimer_init(&c->timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	c->timer.function = kpt_caller_timer;
}

/**
 * kpt_callers_start() - start calling on all CPUs
 *
 * Return: 0 or an error.
 */
int kpt_callers_start(void)
{
	unsigned int half = num_online_cpus(), cpu, i = 0;
	int ret = 0;

	kpt_callers = kcalloc(2 * half, sizeof(*kpt_callers), GFP_KERNEL);
	if (!kpt_callers)
		return -ENOMEM;
	kpt_nr_callers = 2 * half;
	for_each_online_cpu(cpu) {
		if (i == half)
			break;
		kpt_caller_init(&kpt_callers[i], cpu);
		kpt_caller_init(&kpt_callers[half + i], cpu);
		i++;
	}
	for (i = 0; i < half && !ret; i++)
		ret = torture_create_kthread(kpt_caller, &kpt_callers[i],
					     kpt_callers[i].task);
	return ret;
}

/* What was counted stays until kpt_callers_free(). */
void kpt_callers_stop(void)
{
	unsigned int i;

	for (i = 0; i < kpt_nr_callers; i++)
		torture_stop_kthread(kpt_caller, kpt_callers[i].task);
	for (i = 0; i < kpt_nr_callers; i++) {
		if (kpt_callers[i].wrong)
			kpt_fail("%lu calls on CPU %u gave the wrong result",
				 kpt_callers[i].wrong, kpt_callers[i].cpu);
	}
}

void kpt_callers_free(void)
{
	kpt_nr_callers = 0;
	kfree(kpt_callers);
	kfree(kpt_sites);
}

unsigned long kpt_calls_on(unsigned int cpu, enum kpt_target target)
{
	unsigned long sum = 0;
	unsigned int i;

	for (i = 0; i < kpt_nr_callers; i++) {
		if (kpt_callers[i].cpu == cpu)
			sum += READ_ONCE(kpt_callers[i].done[target]);
	}
	return sum;
}

/* Calls of each of the targets, about. */
unsigned long kpt_calls(void)
{
	unsigned long sum = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu)
		sum += kpt_calls_on(cpu, 0);
	return sum;
}

/* The calls, as seen by a thread that registers and unregisters a probe. */
int kpt_bounds_init(struct kpt_bounds *b)
{
	memset(b, 0, sizeof(*b));
	b->first = kcalloc(kpt_nr_callers, sizeof(*b->first), GFP_KERNEL);
	b->open = kcalloc(kpt_nr_callers, sizeof(*b->open), GFP_KERNEL);
	return b->first && b->open ? 0 : -ENOMEM;
}

void kpt_bounds_free(struct kpt_bounds *b)
{
	kfree(b->first);
	kfree(b->open);
}

/*
 * Before the registration. Calls that are under way may still meet the probe.
 */
void kpt_bounds_start(struct kpt_bounds *b)
{
	unsigned int i, t;

	memset(b->lower, 0, sizeof(b->lower));
	for (i = 0; i < kpt_nr_callers; i++) {
		for (t = 0; t < KPT_TARGETS; t++)
			b->first[i][t] = READ_ONCE(kpt_callers[i].done[t]);
	}
	smp_mb(); /* Pairs with the store of @done: those calls met no probe. */
}

/* After the registration: the probe must count all calls that begin now. */
void kpt_bounds_open(struct kpt_bounds *b)
{
	unsigned int i, t;

	smp_mb(); /* Against kpt_call_all(). */
	for (i = 0; i < kpt_nr_callers; i++) {
		for (t = 0; t < KPT_TARGETS; t++)
			b->open[i][t] = READ_ONCE(kpt_callers[i].begun[t]);
	}
}

/* Before the unregistration: only the calls that have ended must be counted. */
void kpt_bounds_close(struct kpt_bounds *b)
{
	unsigned int i, t;
	long n;

	for (i = 0; i < kpt_nr_callers; i++) {
		for (t = 0; t < KPT_TARGETS; t++) {
			/* Pairs with smp_store_release() in kpt_call_all(). */
			n = smp_load_acquire(&kpt_callers[i].done[t]);
			n -= b->open[i][t];
			b->lower[t] += max(n, 0L);
		}
	}
	smp_mb(); /* Pairs with kpt_call_all(): unregistration comes later. */
}

/* After the unregistration: no call will meet the probe any more. */
void kpt_bounds_end(struct kpt_bounds *b)
{
	unsigned int i, t;

	memset(b->upper, 0, sizeof(b->upper));
	smp_mb(); /* Against kpt_call_all(). */
	for (i = 0; i < kpt_nr_callers; i++) {
		for (t = 0; t < KPT_TARGETS; t++)
			b->upper[t] += READ_ONCE(kpt_callers[i].begun[t]) -
				       b->first[i][t];
	}
}

/* May a probe in @target have counted @hits? */
bool kpt_bounds_allow(const struct kpt_bounds *b, enum kpt_target target,
		      bool always, unsigned long hits)
{
	if (hits > b->upper[target])
		return false;
	return !always || !exact || hits >= b->lower[target];
}
