// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of kernel probes: the transients. A churner is a thread that
 * registers a batch of them, disables, enables and unregisters them, again and
 * again. Calls that began and ended while they were registered must have been
 * counted, calls that could not meet them must not; and once they are
 * unregistered, no handler is called.
 */
#define pr_fmt(fmt) fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string_choices.h>

#include "kprobe_torture.h"

#define KPT_BATCH	8
#define KPT_HERE	0x68657265UL
#define KPT_GONE	0x676f6e65UL

atomic_long_t kpt_rounds;
atomic_long_t kpt_transients;
atomic_long_t kpt_transient_hits;
atomic_long_t kpt_module_probes;

struct kpt_transient {
	struct kretprobe rp;
	struct kpt_site *site;
	unsigned long magic;
	atomic_long_t hits;
	atomic_long_t posts;
	long seen;
	u8 text;
};

/**
 * struct kpt_batch - transients that are registered together
 * @bounds: what they have to count
 * @rand: decides what is done with them
 * @v: the transients
 * @nr: how many there are
 * @step: how many are registered with one call
 * @ret: whether they are return probes
 * @kps: their kprobes, for register_kprobes()
 * @rps: their kretprobes, for register_kretprobes()
 * @before: the transients of the last round, not yet freed: they must not be
 *	hit
 * @nr_before: how many those are
 */
struct kpt_batch {
	struct kpt_bounds bounds;
	struct torture_random_state rand;
	struct kpt_transient *v;
	unsigned int nr;
	unsigned int step;
	bool ret;
	struct kprobe *kps[KPT_BATCH];
	struct kretprobe *rps[KPT_BATCH];
	struct kpt_transient *before;
	unsigned int nr_before;
};

static bool kpt_one_in(struct kpt_batch *p, unsigned int n)
{
	return torture_random(&p->rand) % n == 0;
}

/* Mostly a moment; sometimes long enough for jumps to be put in. */
static void kpt_pause(struct kpt_batch *p)
{
	unsigned int ms = kpt_one_in(p, 12) ? 300 : 2;

	torture_hrtimeout_us(50, ms * NSEC_PER_MSEC, &p->rand);
}

static struct kpt_transient *kpt_transient_of(struct kretprobe *rp)
{
	struct kpt_transient *v = container_of(rp, struct kpt_transient, rp);

	if (READ_ONCE(v->magic) != KPT_HERE)
		kpt_fail("%pS: hit when it was gone", v->site->kp.addr);
	return v;
}

static int kpt_transient_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	atomic_long_inc(&kpt_transient_of(rp)->hits);
	return 0;
}

static void kpt_transient_post(struct kprobe *p, struct pt_regs *regs,
			       unsigned long flags)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	atomic_long_inc(&kpt_transient_of(rp)->posts);
}

static int kpt_transient_return(struct kretprobe_instance *ri,
				struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* Unregistered by now: the handler may run for the last time. */
	if (!rp)
		return 0;
	atomic_long_inc(&kpt_transient_of(rp)->hits);
	return 0;
}

static struct kpt_site *kpt_choose_site(struct kpt_batch *p)
{
	struct kpt_site *s;

	do {
		s = &kpt_sites[torture_random(&p->rand) % kpt_nr_sites];
	} while (p->ret && !s->entry);
	return s;
}

static void kpt_transient_init(struct kpt_batch *p, struct kpt_transient *v,
			       bool off)
{
	v->site = kpt_choose_site(p);
	v->magic = KPT_HERE;
	v->rp.kp.addr = v->site->kp.addr;
	v->rp.kp.flags = off ? KPROBE_FLAG_DISABLED : 0;
	if (p->ret) {
		v->rp.handler = kpt_transient_return;
		v->rp.maxactive = 4 * num_possible_cpus();
		return;
	}
	v->rp.kp.pre_handler = kpt_transient_pre;
	if (kpt_one_in(p, 3))
		v->rp.kp.post_handler = kpt_transient_post;
}

static bool kpt_batch_init(struct kpt_batch *p, bool off)
{
	unsigned int i;

	p->ret = kpt_one_in(p, 4);
	p->nr = 1 + torture_random(&p->rand) % KPT_BATCH;
	p->step = kpt_one_in(p, 2) ? p->nr : 1;
	p->v = kcalloc(p->nr, sizeof(*p->v), GFP_KERNEL);
	for (i = 0; p->v && i < p->nr; i++) {
		kpt_transient_init(p, &p->v[i], off);
		p->rps[i] = &p->v[i].rp;
		p->kps[i] = &p->v[i].rp.kp;
	}
	return p->v;
}

/* Nothing can be probed any more in a module that is being unloaded. */
static bool kpt_module_going(void)
{
	return IS_MODULE(CONFIG_KPROBE_TORTURE_TEST) &&
	       !module_is_live(THIS_MODULE);
}

/* The survey has probed these addresses, so any error is a failure. */
static bool kpt_batch_register(struct kpt_batch *p)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->nr && !ret; i += p->step)
		ret = p->ret ? register_kretprobes(p->rps + i, p->step) :
			       register_kprobes(p->kps + i, p->step);
	if (ret && !(ret == -ENOENT && kpt_module_going()))
		kpt_fail("transients do not register: %d", ret);
	return !ret;
}

static void kpt_batch_unregister(struct kpt_batch *p)
{
	unsigned int i;

	for (i = 0; i < p->nr; i += p->step) {
		if (p->ret)
			unregister_kretprobes(p->rps + i, p->step);
		else
			unregister_kprobes(p->kps + i, p->step);
	}
	for (i = 0; i < p->nr; i++)
		WRITE_ONCE(p->v[i].magic, KPT_GONE);
}

static void kpt_batch_switch(struct kpt_batch *p, bool on)
{
	unsigned int i;
	int ret;

	for (i = 0; i < p->nr; i++) {
		ret = on ? enable_kprobe(p->kps[i]) : disable_kprobe(p->kps[i]);
		if (ret)
			kpt_fail("%pS: a transient cannot be %s: %d",
				 p->kps[i]->addr, str_enabled_disabled(on), ret);
	}
}

static void kpt_note_hits(struct kpt_transient *v, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		v[i].seen = atomic_long_read(&v[i].hits);
}

static void kpt_no_hits(struct kpt_transient *v, unsigned int nr,
			const char *when)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		long hits = atomic_long_read(&v[i].hits) - v[i].seen;

		if (hits)
			kpt_fail("%pS: %ld hits while %s", v[i].site->kp.addr,
				 hits, when);
	}
}

/* Check that disabled transients are not hit; hooked returns still are. */
static void kpt_batch_off(struct kpt_batch *p, bool ever)
{
	/* disable_kprobe() does not wait for handlers that are running. */
	synchronize_rcu();
	kpt_note_hits(p->v, p->nr);
	kpt_pause(p);
	if (!p->ret || !ever)
		kpt_no_hits(p->v, p->nr, "disabled");
	kpt_batch_switch(p, true);
}

static void kpt_batch_measure(struct kpt_batch *p)
{
	unsigned int i;

	kpt_bounds_open(&p->bounds);
	kpt_pause(p);
	kpt_bounds_close(&p->bounds);
	for (i = 0; i < p->nr; i++)
		p->v[i].text = READ_ONCE(*(u8 *)p->v[i].site->kp.addr);
}

static void kpt_transient_judge(struct kpt_batch *p, struct kpt_transient *v)
{
	const struct kpt_bounds *b = &p->bounds;
	unsigned int t = v->site->target;
	long hits = atomic_long_read(&v->hits), posts = atomic_long_read(&v->posts);

	if (!kpt_bounds_allow(b, t, v->site->always, hits))
		kpt_fail("%pS (%s): %ld hits, must be %lu to %lu; the text begins with %02x",
			 v->site->kp.addr, p->ret ? "return" : "pre", hits,
			 v->site->always ? b->lower[t] : 0, b->upper[t],
			 v->text);
	if (v->rp.kp.post_handler &&
	    !kpt_bounds_allow(b, t, v->site->always, posts))
		kpt_fail("%pS: %ld post handlers, must be %lu to %lu",
			 v->site->kp.addr, posts,
			 v->site->always ? b->lower[t] : 0, b->upper[t]);
	if (v->rp.kp.nmissed || v->rp.nmissed)
		kpt_fail("%pS: %lu misses", v->site->kp.addr,
			 v->rp.kp.nmissed + v->rp.nmissed);
	atomic_long_add(hits, &kpt_transient_hits);
}

/* Check that the transients of the round before were not hit since. */
static void kpt_batch_forget(struct kpt_batch *p)
{
	kpt_no_hits(p->before, p->nr_before, "gone");
	kfree(p->before);
	p->before = p->v;
	p->nr_before = p->v ? p->nr : 0;
	kpt_note_hits(p->before, p->nr_before);
}

static void kpt_round(struct kpt_batch *p)
{
	bool off = kpt_one_in(p, 4);
	unsigned int i;

	if (!kpt_batch_init(p, off))
		return;
	kpt_bounds_start(&p->bounds);
	if (!kpt_batch_register(p)) {
		kpt_batch_unregister(p);
		kpt_batch_forget(p);
		return;
	}
	if (off)
		kpt_batch_off(p, false);
	kpt_batch_measure(p);
	if (kpt_one_in(p, 2)) {
		kpt_batch_switch(p, false);
		kpt_batch_off(p, true);
		kpt_batch_measure(p);
	}
	kpt_batch_unregister(p);
	kpt_bounds_end(&p->bounds);
	for (i = 0; i < p->nr; i++)
		kpt_transient_judge(p, &p->v[i]);
	atomic_long_inc(&kpt_rounds);
	atomic_long_add(p->nr, &kpt_transients);
	kpt_batch_forget(p);
}

/* A symbol of a module that may not be there, or may go at any time. */
static void kpt_probe_module(struct kpt_batch *p)
{
	struct kpt_transient *v = kzalloc(sizeof(*v), GFP_KERNEL);
	int ret;

	if (!v)
		return;
	v->site = kpt_sites;
	v->magic = KPT_HERE;
	v->rp.kp.symbol_name =
		module_symbols[torture_random(&p->rand) % nr_module_symbols];
	v->rp.kp.pre_handler = kpt_transient_pre;
	if (kpt_one_in(p, 2))
		v->rp.kp.post_handler = kpt_transient_post;
	ret = register_kprobe(&v->rp.kp);
	if (!ret) {
		kpt_pause(p);
		ret = disable_kprobe(&v->rp.kp);
		/* Its text may be gone by now. */
		if (!ret || ret == -EINVAL)
			ret = enable_kprobe(&v->rp.kp);
		kpt_pause(p);
		unregister_kprobe(&v->rp.kp);
		if (!v->rp.kp.addr)
			kpt_fail("a probe in a module was not registered any more");
		atomic_long_inc(&kpt_module_probes);
	}
	if (ret && ret != -ENOENT && ret != -EINVAL)
		kpt_fail("%s: %d", v->rp.kp.symbol_name, ret);
	v->magic = KPT_GONE;
	kfree(v);
}

static struct kpt_batch *kpt_batch_new(void)
{
	struct kpt_batch *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (p && kpt_bounds_init(&p->bounds)) {
		kpt_bounds_free(&p->bounds);
		kfree(p);
		p = NULL;
	}
	return p;
}

static void kpt_batch_free(struct kpt_batch *p)
{
	p->v = NULL;
	kpt_batch_forget(p);
	kpt_bounds_free(&p->bounds);
	kfree(p);
}

/**
 * kpt_churner() - a thread that registers and unregisters probes
 * @unused: not used
 *
 * Return: 0, when the test ends.
 */
int kpt_churner(void *unused)
{
	struct kpt_batch *p = kpt_batch_new();

	if (!p)
		kpt_fail("no memory for a churner");
	while (p && !torture_must_stop()) {
		kpt_round(p);
		if (nr_module_symbols && kpt_one_in(p, 2))
			kpt_probe_module(p);
		stutter_wait("kpt_churner");
	}
	if (p)
		kpt_batch_free(p);
	torture_kthread_stopping("kpt_churner");
	return 0;
}
