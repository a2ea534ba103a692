// SPDX-License-Identifier: GPL-2.0
/*
 * A function with fprobes is entered: the callbacks of ftrace.
 *
 * ftrace's guard keeps handlers from being called for what handlers call, for each
 * context (task, soft interrupt, interrupt, NMI) apart. It lets one more call pass in
 * each: an interrupt may come before it has said that it is one.
 *
 * Nothing here may be traced or probed, for the handlers are called from here.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/rethook_hit.h>
#include <linux/trace_recursion.h>

#include "internal.h"

/* Calls where RCU did not watch, so that the table could not be asked. */
atomic_long_t fprobe_unwatched = ATOMIC_LONG_INIT(0);

#if defined(CONFIG_KPROBES) && !defined(__ARCH_WANT_KPROBE_FRAMES)
/*
 * On powerpc the trampoline is a probe, and the handlers of other probes miss what they
 * hit. A call that they make would return to the trampoline for ever.
 */
static __always_inline bool fprobe_misses_return(void)
{
	return unlikely(kprobe_running()) && get_kprobe(arch_rethook_trampoline);
}
#else
static __always_inline bool fprobe_misses_return(void)
{
	return false;
}
#endif

static __always_inline struct fprobe_node *
fprobe_node_get(struct rethook *nodes, unsigned long ip)
{
	struct fprobe_node *node;
	struct rethook_node *rn;

	if (fprobe_misses_return())
		return NULL;
	rn = rethook_get_cached(nodes);
	if (unlikely(!rn))
		rn = rethook_try_get(nodes);
	if (unlikely(!rn))
		return NULL;
	node = container_of(rn, struct fprobe_node, node);
	node->entry_ip = ip;
	node->nr = 0;
	return node;
}

/* Hook the call if any fprobe waits for its exit. */
static __always_inline void fprobe_node_done(struct fprobe_node *node,
					     struct pt_regs *regs)
{
	if (likely(node->nr))
		__rethook_hook(&node->node, regs, true);
	else
		__rethook_recycle(&node->node);
}

static __always_inline void fprobe_node_add(struct fprobe_node *node,
					    const struct fprobe_sub *sub)
{
	struct fprobe_exit *e = &node->exit[node->nr++];

	e->slot = sub->slot;
	e->generation = sub->generation;
	e->data = sub->data;
}

/**
 * struct fprobe_hit - a call of a function
 * @ip: the site
 * @parent_ip: where it will return to
 * @regs: the registers
 * @node: what the fprobes share that wait for the exit; or NULL
 */
struct fprobe_hit {
	unsigned long ip;
	unsigned long parent_ip;
	struct pt_regs *regs;
	struct fprobe_node *node;
};

/* Returns whether the call goes on to the exit handler. */
static __always_inline bool fprobe_call_entry(struct fprobe *fp, void *data,
					      const struct fprobe_hit *hit)
{
	return !fp->entry_handler ||
	       !fp->entry_handler(fp, hit->ip, hit->parent_ip, hit->regs, data);
}

/* Call the entry handler of an fprobe that waits for the exit. */
static __always_inline void fprobe_enter_both(const struct fprobe_sub *sub,
					      const struct fprobe_hit *hit)
{
	struct fprobe_node *node = hit->node;

	if (unlikely(sub->own))
		node = fprobe_node_get(sub->own, hit->ip);
	if (unlikely(!node)) {
		fprobe_missed(sub->slot, FPROBE_MISS_NODE);
		return;
	}
	if (fprobe_call_entry(sub->fp, sub->data ? (void *)node + sub->data : NULL, hit))
		fprobe_node_add(node, sub);
	if (unlikely(sub->own))
		fprobe_node_done(node, hit->regs);
}

/* Most fprobes on entries have no exit handler: all that it needs is left out for them. */
static __always_inline void fprobe_enter_alive(const struct fprobe_sub *sub,
					       const struct fprobe_hit *hit)
{
	if (sub->fp->exit_handler)
		fprobe_enter_both(sub, hit);
	else
		fprobe_call_entry(sub->fp, NULL, hit);
}

static __always_inline void fprobe_enter_sub(const struct fprobe_sub *sub,
					     const struct fprobe_hit *hit)
{
	unsigned int flags;

	if (unlikely(!fprobe_alive(sub->slot, sub->generation)))
		return;
	flags = READ_ONCE(sub->fp->flags) &
		(FPROBE_FL_DISABLED | FPROBE_FL_KPROBE_SHARED);
	if (unlikely(flags) && !fprobe_enter_shared(sub->slot, flags))
		return;
	fprobe_enter_alive(sub, hit);
	if (unlikely(flags))
		fprobe_leave_shared();
}

static __always_inline void fprobe_enter(const struct fprobe_set *set,
					 struct fprobe_hit *hit)
{
	const struct fprobe_sub *sub = set->sub, *end = sub + set->nr;

	hit->node = set->nodes ? fprobe_node_get(set->nodes, hit->ip) : NULL;
	do {
		fprobe_enter_sub(sub, hit);
	} while (++sub < end);
	if (hit->node)
		fprobe_node_done(hit->node, hit->regs);
}

/* All fprobes on the function have missed the call. */
static noinline void fprobe_set_missed(enum fprobe_way way, unsigned long ip,
				       enum fprobe_miss cause)
{
	struct fprobe_set *set;
	unsigned int i;

	set = fprobe_table_find(way, ip);
	for (i = 0; set && i < set->nr; i++) {
		if (fprobe_alive(set->sub[i].slot, set->sub[i].generation) &&
		    !(READ_ONCE(set->sub[i].fp->flags) & FPROBE_FL_DISABLED))
			fprobe_missed(set->sub[i].slot, cause);
	}
}

NOKPROBE_SYMBOL(fprobe_set_missed);

/* From @way to before @end. */
static noinline void fprobe_call_missed(enum fprobe_way way, enum fprobe_way end,
					unsigned long ip, enum fprobe_miss cause)
{
	preempt_disable_notrace();
	if (rethook_rcu_watches()) {
		for (; way < end; way++)
			fprobe_set_missed(way, ip, cause);
	} else {
		raw_atomic_long_inc(&fprobe_unwatched);
	}
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(fprobe_call_missed);

static __always_inline void fprobe_hit(enum fprobe_way way, struct fprobe_hit *hit)
{
	int bit = ftrace_test_recursion_trylock(hit->ip, hit->parent_ip);
	struct fprobe_set *set;

	if (unlikely(bit < 0)) {
		fprobe_call_missed(way, way + 1, hit->ip, FPROBE_MISS_RECURSION);
		return;
	}
	if (likely(rethook_rcu_watches())) {
		set = fprobe_table_find(way, hit->ip);
		if (likely(set))
			fprobe_enter(set, hit);
	} else {
		raw_atomic_long_inc(&fprobe_unwatched);
	}
	ftrace_test_recursion_unlock(bit);
}

/**
 * fprobe_full_callback() - a function is entered, all registers are there
 * @ip: the site
 * @parent_ip: where the function returns to
 * @ops: whose callback this is
 * @fregs: the registers
 *
 * Context: any; preemption may be enabled.
 */
void fprobe_full_callback(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct fprobe_hit hit = {
		.ip = ip,
		.parent_ip = parent_ip,
		.regs = ftrace_get_regs(fregs),
	};

	if (likely(hit.regs))
		fprobe_hit(FPROBE_FULL, &hit);
}

NOKPROBE_SYMBOL(fprobe_full_callback);

#ifdef FPROBE_HAS_ARGS
/**
 * fprobe_args_callback() - a function is entered, its arguments are there
 * @ip: the site
 * @parent_ip: where the function returns to
 * @ops: whose callback this is
 * @fregs: the registers; those that are not saved have any value
 *
 * Context: any; preemption may be enabled.
 */
void fprobe_args_callback(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs)
{
	struct fprobe_hit hit = {
		.ip = ip,
		.parent_ip = parent_ip,
		.regs = &arch_ftrace_regs(fregs)->regs,
	};

	arch_ftrace_partial_regs(hit.regs);
	fprobe_hit(FPROBE_ARGS, &hit);
}

NOKPROBE_SYMBOL(fprobe_args_callback);
#endif

/**
 * fprobe_ftrace_missed() - ftrace's guard has kept a call from its users
 * @ip: the site
 *
 * That is so where ftrace calls several callbacks one after the other.
 *
 * Context: any; called by ftrace.
 */
void fprobe_ftrace_missed(unsigned long ip)
{
	fprobe_call_missed(0, FPROBE_NR_WAYS, ip, FPROBE_MISS_LIST);
}

NOKPROBE_SYMBOL(fprobe_ftrace_missed);
