// SPDX-License-Identifier: GPL-2.0
/*
 * Arming: make the text agree with what is wanted.
 *
 * An operation (registration, enabling, a knob) changes subscribers, collects
 * the points it touched, and calls kprobe_sync_points() once. That compares
 * what each point wants with its state, and changes as many points at a time as
 * it can, since the synchronisation of the CPUs is expensive and not the
 * writing of a byte. To do it again is harmless, so an operation is undone by
 * another change and another sync.
 */
#include <linux/delay.h>

#include "ftrace.h"
#include "internal.h"

/**
 * struct kprobe_chunk - points to be changed in one go
 * @pts: the points
 * @probes: their kprobes, in the order of @pts
 * @nr: how many there are
 * @flush: changes them
 */
struct kprobe_chunk {
	struct kprobe_point *pts[KPROBE_CHUNK];
	struct kprobe *probes[KPROBE_CHUNK];
	unsigned int nr;
	int (*flush)(struct kprobe_chunk *c);
};

static void kprobe_chunk_done(struct kprobe_chunk *c, enum kprobe_state state)
{
	unsigned int i;

	for (i = 0; i < c->nr; i++)
		kprobe_set_state(c->pts[i], state);
}

static int kprobe_flush_arm_text(struct kprobe_chunk *c)
{
	unsigned int i;

	/*
	 * A breakpoint cannot be put into the middle of another point's jump.
	 */
	kprobe_optimizer_revert_around(c->probes, c->nr);
	kprobe_poke_lock();
	arch_arm_kprobes(c->probes, c->nr);
	kprobe_poke_unlock();
	kprobe_chunk_done(c, KPROBE_ARMED);
	/* The safety check of each may decode a whole function. */
	for (i = 0; i < c->nr; i++) {
		kprobe_optimizer_consider(c->pts[i]);
		cond_resched();
	}
	return 0;
}

static int kprobe_flush_kill_text(struct kprobe_chunk *c)
{
	kprobe_optimizer_revert(c->pts, c->nr);
	kprobe_poke_lock();
	arch_disarm_kprobes(c->probes, c->nr);
	kprobe_poke_unlock();
	kprobe_chunk_done(c, KPROBE_DISARMED);
	return 0;
}

static int kprobe_flush_disarm_text(struct kprobe_chunk *c)
{
	unsigned int i;

	kprobe_flush_kill_text(c);
	for (i = 0; i < c->nr; i++)
		kprobe_optimizer_consider_around(c->probes[i]->addr);
	return 0;
}

/* -ENOMEM goes before other errors: it may help to try again. */
static int kprobe_worse(int first, int ret)
{
	return ret == -ENOMEM ? ret : first ?: ret;
}

/*
 * ftrace changes all of its sites or none, and one that it refuses must not
 * keep the others from being changed. Each call is a pass over all sites of the
 * kernel, so try in halves. @change skips the points that are done already.
 */
static int kprobe_try_ftrace(struct kprobe_point **pts, unsigned int num,
			     int (*change)(struct kprobe_point **pts,
					   unsigned int num))
{
	int ret = change(pts, num);

	if (!ret || num == 1)
		return ret;
	ret = kprobe_try_ftrace(pts, num / 2, change);
	return kprobe_worse(ret, kprobe_try_ftrace(pts + num / 2, num - num / 2,
						   change));
}

static int kprobe_done_ftrace(struct kprobe_point **pts, unsigned int num,
			      int ret, enum kprobe_state state)
{
	unsigned int i;

	for (i = 0; i < num && !ret; i++)
		kprobe_set_state(pts[i], state);
	return ret;
}

static int kprobe_try_arm_ftrace(struct kprobe_point **pts, unsigned int num)
{
	return kprobe_done_ftrace(pts, num, kprobe_arm_ftrace(pts, num),
				  KPROBE_ARMED);
}

static int kprobe_try_disarm_ftrace(struct kprobe_point **pts, unsigned int num)
{
	return kprobe_done_ftrace(pts, num, kprobe_disarm_ftrace(pts, num),
				  KPROBE_DISARMED);
}

/* A direct call that was busy all the time: to callers, -EAGAIN means "too early". */
static int kprobe_ftrace_error(int ret)
{
	return ret == -EAGAIN ? -EBUSY : ret;
}

static int kprobe_flush_arm_ftrace(struct kprobe_chunk *c)
{
	return kprobe_ftrace_error(kprobe_try_ftrace(c->pts, c->nr,
						     kprobe_try_arm_ftrace));
}

static int kprobe_flush_ipmodify(struct kprobe_chunk *c)
{
	return kprobe_ftrace_error(kprobe_try_ftrace(c->pts, c->nr,
						     kprobe_claim_ipmodify));
}

/*
 * If ftrace cannot shrink its filter (-ENOMEM), the sites keep calling kprobes.
 * Disabled and unregistered handlers are not called, but the points stay ARMED.
 */
static int kprobe_flush_disarm_ftrace(struct kprobe_chunk *c)
{
	return kprobe_try_ftrace(c->pts, c->nr, kprobe_try_disarm_ftrace);
}

/*
 * Indexed by whether to arm, and by whether the points are ftrace sites. Under
 * kprobe_mutex: they are too large for a stack, and too often needed to be
 * allocated.
 */
static struct kprobe_chunk kprobe_chunks[2][2] = {
	{ { .flush = kprobe_flush_disarm_text },
	  { .flush = kprobe_flush_disarm_ftrace } },
	{ { .flush = kprobe_flush_arm_text },
	  { .flush = kprobe_flush_arm_ftrace } },
};

/* Armed ftrace sites that stay armed, and have a post handler now. */
static struct kprobe_chunk kprobe_ipmodify_chunk = {
	.flush = kprobe_flush_ipmodify,
};

static int kprobe_chunk_flush(struct kprobe_chunk *c)
{
	int ret;

	if (!c->nr)
		return 0;
	ret = c->flush(c);
	c->nr = 0;
	/* A task that arms or disarms many is in none of the copies. */
	cond_resched_tasks_rcu_qs();
	return ret;
}

static int kprobe_chunk_add(struct kprobe_chunk *c, struct kprobe_point *pt)
{
	c->pts[c->nr] = pt;
	c->probes[c->nr] = &pt->probe;
	if (++c->nr < KPROBE_CHUNK)
		return 0;
	return kprobe_chunk_flush(c);
}

static bool kprobe_point_wanted(struct kprobe_point *pt)
{
	return !(pt->probe.flags & KPROBE_FLAG_DISABLED) &&
	       (!kprobes_all_disarmed || kprobe_point_is_trampoline(pt));
}

/* The subscribers of an armed point have changed, perhaps its post handlers. */
static int kprobe_sync_handlers(struct kprobe_point *pt)
{
	if (!kprobe_ftrace(&pt->probe))
		kprobe_optimizer_consider(pt);
	else if (pt->posts)
		return kprobe_chunk_add(&kprobe_ipmodify_chunk, pt);
	return 0;
}

static int kprobe_sync_point(struct kprobe_point *pt)
{
	bool wanted, is = kprobe_point_armed(pt);
	bool ftrace = kprobe_ftrace(&pt->probe);

	/* Text that is gone is not to be read, as arch_trampoline_kprobe() may do. */
	if (pt->state == KPROBE_GONE)
		return 0;
	wanted = kprobe_point_wanted(pt);
	if (wanted && is)
		return kprobe_sync_handlers(pt);
	if (wanted == is)
		return 0;
	return kprobe_chunk_add(&kprobe_chunks[wanted][ftrace], pt);
}

/**
 * kprobe_sync_points() - arm and disarm points as they want it
 * @todo: the points that may have changed, linked by &kprobe_point.todo; empty
 *	afterwards
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0 or the first error of ftrace. Points that ftrace has refused keep
 * their state, all others are changed.
 */
int kprobe_sync_points(struct list_head *todo)
{
	struct kprobe_point *pt, *next;
	int first = 0, ret, i;

	lockdep_assert_held(&kprobe_mutex);
	list_for_each_entry_safe(pt, next, todo, todo) {
		list_del_init(&pt->todo);
		ret = kprobe_sync_point(pt);
		first = first ?: ret;
	}
	for (i = 0; i < 4; i++) {
		ret = kprobe_chunk_flush(&kprobe_chunks[i / 2][i % 2]);
		first = first ?: ret;
	}
	ret = kprobe_chunk_flush(&kprobe_ipmodify_chunk);
	return first ?: ret;
}

/*
 * Unlike kprobe_flush_disarm_text(), this does not consider a jump for the
 * neighbours: their text goes away, too.
 */
static struct kprobe_chunk kprobe_kill_chunk = {
	.flush = kprobe_flush_kill_text,
};

static int kprobe_kill_disarm(struct list_head *todo)
{
	struct kprobe_chunk *ftrace = &kprobe_chunks[false][true];
	struct kprobe_point *pt;
	int first = 0, ret;

	list_for_each_entry(pt, todo, todo) {
		if (!kprobe_point_armed(pt))
			continue;
		if (kprobe_ftrace(&pt->probe)) {
			ret = kprobe_chunk_add(ftrace, pt);
			first = kprobe_worse(first, ret);
		} else {
			/* No stub is needed in text that goes away. */
			pt->posts = false;
			kprobe_chunk_add(&kprobe_kill_chunk, pt);
		}
	}
	kprobe_chunk_flush(&kprobe_kill_chunk);
	return kprobe_worse(first, kprobe_chunk_flush(ftrace));
}

static void kprobe_mark_gone(struct kprobe_point *pt, struct list_head *gone)
{
	struct kprobe *kp;

	kprobe_forget_ftrace(pt);
	kprobe_set_state(pt, KPROBE_GONE);
	WRITE_ONCE(pt->probe.flags, pt->probe.flags | KPROBE_FLAG_GONE);
	/* A hit that is under way asks the flags of each subscriber now. */
	WRITE_ONCE(pt->hot.pre_chain, KPROBE_CHAIN_SLOW);
	WRITE_ONCE(pt->hot.only_post, NULL);
	list_for_each_entry(kp, &pt->hot.subs, list)
		WRITE_ONCE(kp->flags, kp->flags | KPROBE_FLAG_GONE);
	kprobe_table_del(pt);
	list_add_tail(&pt->end, gone);
}

/**
 * kprobe_kill_points() - disarm points whose text goes away, and mark them GONE
 * @todo: the points, linked by &kprobe_point.todo; empty afterwards
 *
 * The text still exists, and tasks may run it until it is freed. A breakpoint
 * without a point in the table would be an unknown one, so the points are
 * disarmed before they are taken from the table. ftrace counts the users of its
 * sites, so these are disarmed, too. ftrace may lack memory for that; but the
 * sites go away now, so this tries again for up to two seconds. The subscribers
 * stay until they are unregistered.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
void kprobe_kill_points(struct list_head *todo)
{
	struct kprobe_point *pt, *next;
	unsigned int tries = 0;
	LIST_HEAD(gone);

	lockdep_assert_held(&kprobe_mutex);
	while (kprobe_kill_disarm(todo) == -ENOMEM && ++tries < 100)
		msleep(20);
	list_for_each_entry_safe(pt, next, todo, todo) {
		list_del_init(&pt->todo);
		if (pt->state != KPROBE_GONE)
			kprobe_mark_gone(pt, &gone);
	}
	kprobe_remove_early(&gone);
	list_splice_tail(&gone, &kprobe_gone_points);
}
