// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of kernel probes: the residents. They are there before the first
 * call and after the last one, so each must have counted exactly the calls that
 * were made, on each CPU.
 */
#define pr_fmt(fmt) fmt

#include <linux/cpumask.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/slab.h>

#include "kprobe_torture.h"

#define KPT_MAX_RESIDENTS	64
/* From one to the next, so that a jump has room between them. */
#define KPT_DISTANCE		24

enum kpt_kind { KPT_PRE, KPT_POST, KPT_RETURN };

static const char * const kpt_kinds[] = { "pre", "post", "return" };

/* Counted on each CPU: all hits, post handlers, hits by way of a jump. */
struct kpt_counts {
	unsigned long hits;
	unsigned long posts;
	unsigned long jumps;
};

struct kpt_resident {
	struct kretprobe rp;
	enum kpt_target target;
	enum kpt_kind kind;
	struct kpt_counts __percpu *counts;
	bool registered;
};

static struct kpt_resident *kpt_residents;
static unsigned int kpt_nr_residents;

/*
 * The handlers of a breakpoint run with interrupts off. So where they are on,
 * and ftrace is not the way, the point was reached by a jump.
 */
static int kpt_resident_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kpt_resident *r = container_of(p, struct kpt_resident, rp.kp);

	this_cpu_inc(r->counts->hits);
	if (!irqs_disabled() && !kprobe_ftrace(p))
		this_cpu_inc(r->counts->jumps);
	return 0;
}

static void kpt_resident_post(struct kprobe *p, struct pt_regs *regs,
			      unsigned long flags)
{
	struct kpt_resident *r = container_of(p, struct kpt_resident, rp.kp);

	this_cpu_inc(r->counts->posts);
}

static int kpt_resident_return(struct kretprobe_instance *ri,
			       struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);
	struct kpt_resident *r = container_of(rp, struct kpt_resident, rp);

	if (rp)
		this_cpu_inc(r->counts->hits);
	return 0;
}

static int kpt_resident_register(struct kpt_resident *r)
{
	switch (r->kind) {
	case KPT_RETURN:
		r->rp.handler = kpt_resident_return;
		r->rp.maxactive = 4 * num_possible_cpus();
		return register_kretprobe(&r->rp);
	case KPT_POST:
		r->rp.kp.post_handler = kpt_resident_post;
		fallthrough;
	default:
		r->rp.kp.pre_handler = kpt_resident_pre;
		return register_kprobe(&r->rp.kp);
	}
}

static int kpt_resident_add(struct kpt_site *site, enum kpt_kind kind)
{
	struct kpt_resident *r = &kpt_residents[kpt_nr_residents];
	int ret;

	if (kpt_nr_residents == KPT_MAX_RESIDENTS)
		return 0;
	r->target = site->target;
	r->kind = kind;
	r->rp.kp.addr = site->kp.addr;
	r->counts = alloc_percpu(struct kpt_counts);
	if (!r->counts)
		return -ENOMEM;
	kpt_nr_residents++;
	ret = kpt_resident_register(r);
	r->registered = !ret;
	if (ret)
		kpt_fail("%pS: a %s resident does not register: %d",
			 r->rp.kp.addr, kpt_kinds[kind], ret);
	return ret;
}

/* One of each kind where a function begins; but kpt_plain() has no post. */
static int kpt_residents_at(struct kpt_site *site)
{
	bool post = site->entry ? site->target != KPT_PLAIN :
				  site->target == KPT_CALLING;
	int ret = kpt_resident_add(site, KPT_PRE);

	if (!ret && site->entry)
		ret = kpt_resident_add(site, KPT_RETURN);
	if (!ret && post)
		ret = kpt_resident_add(site, KPT_POST);
	return ret;
}

/**
 * kpt_residents_register() - register the residents
 *
 * Return: 0 or an error.
 */
int kpt_residents_register(void)
{
	kprobe_opcode_t *last = NULL;
	unsigned int i;
	int ret = 0;

	kpt_residents = kcalloc(KPT_MAX_RESIDENTS, sizeof(*kpt_residents),
				GFP_KERNEL);
	if (!kpt_residents)
		return -ENOMEM;
	for (i = 0; i < kpt_nr_sites && !ret; i++) {
		struct kpt_site *s = &kpt_sites[i];
		bool near = s->kp.addr < last + KPT_DISTANCE;

		if (!s->always || (!s->entry && near))
			continue;
		last = s->kp.addr;
		ret = kpt_residents_at(s);
	}
	return ret;
}

/* @cpu: where, or -1 for all CPUs together. */
static void kpt_judge_counts(struct kpt_resident *r, int cpu,
			     const struct kpt_counts *c, unsigned long calls)
{
	if (exact ? c->hits != calls : c->hits > calls)
		kpt_fail("%pS (%s): %lu hits on CPU %d, %lu calls",
			 r->rp.kp.addr, kpt_kinds[r->kind], c->hits, cpu, calls);
	if (r->kind != KPT_POST)
		return;
	if (exact ? c->posts != calls : c->posts > calls)
		kpt_fail("%pS (%s): %lu post handlers on CPU %d, %lu calls",
			 r->rp.kp.addr, kpt_kinds[r->kind], c->posts, cpu, calls);
}

static void kpt_resident_judge(struct kpt_resident *r)
{
	struct kpt_counts sum = {};
	unsigned long calls = 0;
	unsigned int cpu;

	for_each_possible_cpu(cpu) {
		struct kpt_counts *c = per_cpu_ptr(r->counts, cpu);

		if (!cpus_go)
			kpt_judge_counts(r, cpu, c, kpt_calls_on(cpu, r->target));
		sum.hits += c->hits;
		sum.posts += c->posts;
		calls += kpt_calls_on(cpu, r->target);
	}
	kpt_judge_counts(r, -1, &sum, calls);
	if (r->rp.nmissed || r->rp.kp.nmissed)
		kpt_fail("%pS (%s): %lu misses", r->rp.kp.addr,
			 kpt_kinds[r->kind], r->rp.nmissed + r->rp.kp.nmissed);
}

/**
 * kpt_residents_judge() - compare hits and calls
 *
 * Context: the callers have stopped.
 */
void kpt_residents_judge(void)
{
	unsigned int i;

	for (i = 0; i < kpt_nr_residents; i++)
		kpt_resident_judge(&kpt_residents[i]);
}

static void kpt_resident_unregister(struct kpt_resident *r)
{
	if (!r->registered)
		return;
	if (r->kind == KPT_RETURN)
		unregister_kretprobe(&r->rp);
	else
		unregister_kprobe(&r->rp.kp);
	if (!r->rp.kp.addr)
		kpt_fail("a %s resident was not registered any more",
			 kpt_kinds[r->kind]);
}

void kpt_residents_unregister(void)
{
	unsigned int i;

	for (i = 0; i < kpt_nr_residents; i++) {
		kpt_resident_unregister(&kpt_residents[i]);
		free_percpu(kpt_residents[i].counts);
	}
	kpt_nr_residents = 0;
	kfree(kpt_residents);
}

unsigned long kpt_residents_hits(void)
{
	unsigned long sum = 0;
	unsigned int i, cpu;

	for (i = 0; i < kpt_nr_residents; i++) {
		for_each_possible_cpu(cpu)
			sum += per_cpu_ptr(kpt_residents[i].counts, cpu)->hits;
	}
	return sum;
}

unsigned long kpt_residents_jumps(void)
{
	unsigned long sum = 0;
	unsigned int i, cpu;

	for (i = 0; i < kpt_nr_residents; i++) {
		for_each_possible_cpu(cpu)
			sum += per_cpu_ptr(kpt_residents[i].counts, cpu)->jumps;
	}
	return sum;
}
