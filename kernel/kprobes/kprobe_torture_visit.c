// SPDX-License-Identifier: GPL-2.0
/*
 * Torture test of kernel probes: the visitors. A comer is a thread that has
 * some probes come, be disabled and enabled, and go, again and again. Calls
 * that began and ended while they were there must have been counted, calls
 * that could not meet them must not; and once they are gone, no handler is
 * called.
 */
#define pr_fmt(fmt) fmt

#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>

#include "kprobe_torture.h"

#define KPT_PARTY	8
#define KPT_HERE	0x68657265UL
#define KPT_GONE	0x676f6e65UL

atomic_long_t kpt_rounds;
atomic_long_t kpt_visits;
atomic_long_t kpt_visit_hits;
atomic_long_t kpt_guest_visits;

struct kpt_visitor {
	struct kretprobe rp;
	struct kpt_site *site;
	unsigned long magic;
	atomic_long_t hits;
	atomic_long_t posts;
	long seen;
	u8 text;
};

/**
 * struct kpt_party - those who come together
 * @bounds: what they have to count
 * @rand: what they do
 * @v: the visitors
 * @nr: how many there are
 * @step: how many are registered with one call
 * @ret: whether they are return probes
 * @kps: the same for register_kprobes()
 * @rps: the same for register_kretprobes()
 * @before: those of the last round, not yet freed: they must not be hit
 * @nr_before: how many those are
 */
struct kpt_party {
	struct kpt_bounds bounds;
	struct torture_random_state rand;
	struct kpt_visitor *v;
	unsigned int nr;
	unsigned int step;
	bool ret;
	struct kprobe *kps[KPT_PARTY];
	struct kretprobe *rps[KPT_PARTY];
	struct kpt_visitor *before;
	unsigned int nr_before;
};

static bool kpt_one_in(struct kpt_party *p, unsigned int n)
{
	return torture_random(&p->rand) % n == 0;
}

/* Mostly a moment; sometimes long enough for jumps to be put in. */
static void kpt_pause(struct kpt_party *p)
{
	unsigned int ms = kpt_one_in(p, 12) ? 300 : 2;

	torture_hrtimeout_us(50, ms * NSEC_PER_MSEC, &p->rand);
}

static struct kpt_visitor *kpt_visitor_of(struct kretprobe *rp)
{
	struct kpt_visitor *v = container_of(rp, struct kpt_visitor, rp);

	if (READ_ONCE(v->magic) != KPT_HERE)
		kpt_fail("%pS: hit when it was gone", v->site->kp.addr);
	return v;
}

static int kpt_visitor_pre(struct kprobe *p, struct pt_regs *regs)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	atomic_long_inc(&kpt_visitor_of(rp)->hits);
	return 0;
}

static void kpt_visitor_post(struct kprobe *p, struct pt_regs *regs,
			     unsigned long flags)
{
	struct kretprobe *rp = container_of(p, struct kretprobe, kp);

	atomic_long_inc(&kpt_visitor_of(rp)->posts);
}

static int kpt_visitor_return(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	/* Unregistered by now: the handler may run for the last time. */
	if (!rp)
		return 0;
	atomic_long_inc(&kpt_visitor_of(rp)->hits);
	return 0;
}

static struct kpt_site *kpt_choose_site(struct kpt_party *p)
{
	struct kpt_site *s;

	do {
		s = &kpt_sites[torture_random(&p->rand) % kpt_nr_sites];
	} while (p->ret && !s->entry);
	return s;
}

static void kpt_invite(struct kpt_party *p, struct kpt_visitor *v, bool off)
{
	v->site = kpt_choose_site(p);
	v->magic = KPT_HERE;
	v->rp.kp.addr = v->site->kp.addr;
	v->rp.kp.flags = off ? KPROBE_FLAG_DISABLED : 0;
	if (p->ret) {
		v->rp.handler = kpt_visitor_return;
		v->rp.maxactive = 4 * num_possible_cpus();
		return;
	}
	v->rp.kp.pre_handler = kpt_visitor_pre;
	if (kpt_one_in(p, 3))
		v->rp.kp.post_handler = kpt_visitor_post;
}

static bool kpt_party_init(struct kpt_party *p, bool off)
{
	unsigned int i;

	p->ret = kpt_one_in(p, 4);
	p->nr = 1 + torture_random(&p->rand) % KPT_PARTY;
	p->step = kpt_one_in(p, 2) ? p->nr : 1;
	p->v = kcalloc(p->nr, sizeof(*p->v), GFP_KERNEL);
	for (i = 0; p->v && i < p->nr; i++) {
		kpt_invite(p, &p->v[i], off);
		p->rps[i] = &p->v[i].rp;
		p->kps[i] = &p->v[i].rp.kp;
	}
	return p->v;
}

/* Nothing can be probed any more in a module that is about to go. */
static bool kpt_leaving(void)
{
	return IS_MODULE(CONFIG_KPROBE_TORTURE_TEST) &&
	       !module_is_live(THIS_MODULE);
}

/* They are known to be good places: nothing else than 0 will do. */
static bool kpt_party_come(struct kpt_party *p)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < p->nr && !ret; i += p->step)
		ret = p->ret ? register_kretprobes(p->rps + i, p->step) :
			       register_kprobes(p->kps + i, p->step);
	if (ret && !(ret == -ENOENT && kpt_leaving()))
		kpt_fail("visitors do not register: %d", ret);
	return !ret;
}

static void kpt_party_go(struct kpt_party *p)
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

static void kpt_party_switch(struct kpt_party *p, bool on)
{
	unsigned int i;
	int ret;

	for (i = 0; i < p->nr; i++) {
		ret = on ? enable_kprobe(p->kps[i]) : disable_kprobe(p->kps[i]);
		if (ret)
			kpt_fail("%pS: a visitor cannot be %s: %d", p->kps[i]->addr,
				 on ? "enabled" : "disabled", ret);
	}
}

static void kpt_note_hits(struct kpt_visitor *v, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++)
		v[i].seen = atomic_long_read(&v[i].hits);
}

static void kpt_no_hits(struct kpt_visitor *v, unsigned int nr, const char *when)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		long hits = atomic_long_read(&v[i].hits) - v[i].seen;

		if (hits)
			kpt_fail("%pS: %ld hits while %s", v[i].site->kp.addr,
				 hits, when);
	}
}

/* They are disabled; but calls whose return was hooked before still count. */
static void kpt_party_off(struct kpt_party *p, bool ever)
{
	/* disable_kprobe() does not wait for those who are inside. */
	synchronize_rcu();
	kpt_note_hits(p->v, p->nr);
	kpt_pause(p);
	if (!p->ret || !ever)
		kpt_no_hits(p->v, p->nr, "disabled");
	kpt_party_switch(p, true);
}

static void kpt_stay(struct kpt_party *p)
{
	unsigned int i;

	kpt_bounds_open(&p->bounds);
	kpt_pause(p);
	kpt_bounds_close(&p->bounds);
	for (i = 0; i < p->nr; i++)
		p->v[i].text = READ_ONCE(*p->v[i].site->kp.addr);
}

static void kpt_visitor_judge(struct kpt_party *p, struct kpt_visitor *v)
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
	atomic_long_add(hits, &kpt_visit_hits);
}

/* Those of the round before have been gone for a while. */
static void kpt_party_forget(struct kpt_party *p)
{
	kpt_no_hits(p->before, p->nr_before, "gone");
	kfree(p->before);
	p->before = p->v;
	p->nr_before = p->v ? p->nr : 0;
	kpt_note_hits(p->before, p->nr_before);
}

static void kpt_round(struct kpt_party *p)
{
	bool off = kpt_one_in(p, 4);
	unsigned int i;

	if (!kpt_party_init(p, off))
		return;
	kpt_bounds_start(&p->bounds);
	if (!kpt_party_come(p)) {
		kpt_party_go(p);
		kpt_party_forget(p);
		return;
	}
	if (off)
		kpt_party_off(p, false);
	kpt_stay(p);
	if (kpt_one_in(p, 2)) {
		kpt_party_switch(p, false);
		kpt_party_off(p, true);
		kpt_stay(p);
	}
	kpt_party_go(p);
	kpt_bounds_end(&p->bounds);
	for (i = 0; i < p->nr; i++)
		kpt_visitor_judge(p, &p->v[i]);
	atomic_long_inc(&kpt_rounds);
	atomic_long_add(p->nr, &kpt_visits);
	kpt_party_forget(p);
}

/* A symbol of a module that may not be there, or may go at any time. */
static void kpt_visit_guest(struct kpt_party *p)
{
	struct kpt_visitor *v = kzalloc(sizeof(*v), GFP_KERNEL);
	int ret;

	if (!v)
		return;
	v->site = kpt_sites;
	v->magic = KPT_HERE;
	v->rp.kp.symbol_name = guests[torture_random(&p->rand) % nr_guests];
	v->rp.kp.pre_handler = kpt_visitor_pre;
	if (kpt_one_in(p, 2))
		v->rp.kp.post_handler = kpt_visitor_post;
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
			kpt_fail("a guest was not registered any more");
		atomic_long_inc(&kpt_guest_visits);
	}
	if (ret && ret != -ENOENT && ret != -EINVAL)
		kpt_fail("%s: %d", v->rp.kp.symbol_name, ret);
	v->magic = KPT_GONE;
	kfree(v);
}

static struct kpt_party *kpt_party_new(void)
{
	struct kpt_party *p = kzalloc(sizeof(*p), GFP_KERNEL);

	if (p && kpt_bounds_init(&p->bounds)) {
		kpt_bounds_free(&p->bounds);
		kfree(p);
		p = NULL;
	}
	return p;
}

static void kpt_party_free(struct kpt_party *p)
{
	p->v = NULL;
	kpt_party_forget(p);
	kpt_bounds_free(&p->bounds);
	kfree(p);
}

/**
 * kpt_comer() - a thread whose probes come and go
 * @unused: not used
 *
 * Return: 0, when it is told to stop.
 */
int kpt_comer(void *unused)
{
	struct kpt_party *p = kpt_party_new();

	if (!p)
		kpt_fail("no memory for a comer");
	while (p && !torture_must_stop()) {
		kpt_round(p);
		if (nr_guests && kpt_one_in(p, 2))
			kpt_visit_guest(p);
		stutter_wait("kpt_comer");
	}
	if (p)
		kpt_party_free(p);
	torture_kthread_stopping("kpt_comer");
	return 0;
}
