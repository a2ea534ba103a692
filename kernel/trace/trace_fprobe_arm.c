// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions and tracepoints: when they are armed, and how.
 *
 * To arm costs ftrace a walk over all functions, and to disarm costs a grace period,
 * however many events there are. So all that change their state for one reason do it
 * at once.
 */
#include <linux/lockdep.h>
#include <linux/mm.h>
#include <linux/slab.h>

#include "trace_fprobe.h"

enum trace_fprobe_deed {
	DO_NOTHING,
	DO_ARM,
	DO_DISARM,
};

struct trace_fprobe_step {
	enum trace_fprobe_state next;
	enum trace_fprobe_deed deed;
};

/*
 * If arming fails, the state is TRACE_FPROBE_FAILED. Arming is tried once more by the next
 * write that enables the event, and when the module of its target is loaded again.
 */
static const struct trace_fprobe_step
steps[TRACE_FPROBE_NR_STATES][TRACE_FPROBE_NR_CAUSES] = {
	[TRACE_FPROBE_OFF] = {
		[TRACE_FPROBE_ENABLE] = { TRACE_FPROBE_ARMED, DO_ARM },
		[TRACE_FPROBE_DISABLE] = { TRACE_FPROBE_OFF },
		[TRACE_FPROBE_COMES] = { TRACE_FPROBE_OFF },
		[TRACE_FPROBE_GOES] = { TRACE_FPROBE_OFF_ABSENT },
	},
	[TRACE_FPROBE_OFF_ABSENT] = {
		[TRACE_FPROBE_ENABLE] = { TRACE_FPROBE_WAITING },
		[TRACE_FPROBE_DISABLE] = { TRACE_FPROBE_OFF_ABSENT },
		[TRACE_FPROBE_COMES] = { TRACE_FPROBE_OFF },
		[TRACE_FPROBE_GOES] = { TRACE_FPROBE_OFF_ABSENT },
	},
	[TRACE_FPROBE_ARMED] = {
		[TRACE_FPROBE_ENABLE] = { TRACE_FPROBE_ARMED },
		[TRACE_FPROBE_DISABLE] = { TRACE_FPROBE_OFF, DO_DISARM },
		[TRACE_FPROBE_COMES] = { TRACE_FPROBE_ARMED },
		[TRACE_FPROBE_GOES] = { TRACE_FPROBE_WAITING, DO_DISARM },
	},
	[TRACE_FPROBE_WAITING] = {
		[TRACE_FPROBE_ENABLE] = { TRACE_FPROBE_WAITING },
		[TRACE_FPROBE_DISABLE] = { TRACE_FPROBE_OFF_ABSENT },
		[TRACE_FPROBE_COMES] = { TRACE_FPROBE_ARMED, DO_ARM },
		[TRACE_FPROBE_GOES] = { TRACE_FPROBE_WAITING },
	},
	[TRACE_FPROBE_FAILED] = {
		[TRACE_FPROBE_ENABLE] = { TRACE_FPROBE_ARMED, DO_ARM },
		[TRACE_FPROBE_DISABLE] = { TRACE_FPROBE_OFF },
		[TRACE_FPROBE_COMES] = { TRACE_FPROBE_ARMED, DO_ARM },
		[TRACE_FPROBE_GOES] = { TRACE_FPROBE_WAITING },
	},
};

/**
 * struct trace_fprobe_array - events, as fprobes takes them
 * @fps: their fprobes
 * @filters: what each is registered for
 * @nr: how many there are
 */
struct trace_fprobe_array {
	struct fprobe **fps;
	const char **filters;
	unsigned int nr;
};

static void array_free(struct trace_fprobe_array *a)
{
	kvfree(a->fps);
	kvfree(a->filters);
}

static int array_fill(struct trace_fprobe_array *a, struct list_head *tfs)
{
	struct trace_fprobe *tf;
	size_t nr = list_count_nodes(tfs);

	a->nr = 0;
	a->fps = kvmalloc_array(nr, sizeof(*a->fps), GFP_KERNEL);
	a->filters = kvmalloc_array(nr, sizeof(*a->filters), GFP_KERNEL);
	if (!a->fps || !a->filters) {
		array_free(a);
		return -ENOMEM;
	}
	list_for_each_entry(tf, tfs, batch) {
		a->fps[a->nr] = &tf->fp;
		a->filters[a->nr++] = tf->filter;
	}
	return 0;
}

static int fprobes_register(struct list_head *tfs)
{
	struct trace_fprobe_array a;
	int ret = array_fill(&a, tfs);

	if (ret)
		return ret;
	ret = register_fprobes(a.fps, a.filters, a.nr);
	array_free(&a);
	return ret;
}

static void unregister_all(struct list_head *tfs)
{
	struct trace_fprobe_array a;
	struct trace_fprobe *tf;

	if (!array_fill(&a, tfs)) {
		unregister_fprobes(a.fps, a.nr);
		array_free(&a);
		return;
	}
	list_for_each_entry(tf, tfs, batch)
		unregister_fprobe(&tf->fp);
}

/* The next registration clears the counters of the fprobe. */
static void keep_misses(struct trace_fprobe *tf)
{
	unsigned int i;

	for (i = 0; i < FPROBE_NR_MISSES; i++)
		tf->past[i] += tf->fp.missed[i];
}

static void fprobes_unregister(struct list_head *tfs)
{
	struct trace_fprobe *tf;

	unregister_all(tfs);
	list_for_each_entry(tf, tfs, batch)
		keep_misses(tf);
}

/* Up to @end, which is the list for all. */
static void stubs_put(struct list_head *tfs, struct list_head *end)
{
	struct list_head *pos;
	struct trace_fprobe *tf;

	for (pos = tfs->next; pos != end; pos = pos->next) {
		tf = list_entry(pos, struct trace_fprobe, batch);
		if (tf->tpoint)
			trace_tpoint_stub_put(tf->tpoint);
	}
}

static int stubs_get(struct list_head *tfs)
{
	struct trace_fprobe *tf;
	int ret = 0;

	list_for_each_entry(tf, tfs, batch) {
		if (tf->tpoint)
			ret = trace_tpoint_stub_get(tf->tpoint);
		if (ret) {
			stubs_put(tfs, &tf->batch);
			return ret;
		}
	}
	return 0;
}

/* A module may have come with functions that are other, or with a symbol. */
static int make_args(struct trace_fprobe *tf)
{
	int ret = 0;

	if (tf->changes && tf->modules != trace_fprobe_modules())
		ret = trace_fprobe_rebuild_args(tf);
	return ret ?: trace_fprobe_update_args(tf);
}

/* All of the list or none. */
static int hook_all(struct list_head *tfs)
{
	int ret = fprobes_register(tfs);

	if (ret)
		return ret;
	ret = stubs_get(tfs);
	if (ret)
		fprobes_unregister(tfs);
	return ret;
}

/* Those that cannot have arguments leave the list. The first error. */
static int make_all_args(struct list_head *tfs)
{
	struct trace_fprobe *tf, *next;
	int ret, first = 0;

	list_for_each_entry_safe(tf, next, tfs, batch) {
		ret = make_args(tf);
		if (!ret)
			continue;
		tf->state = TRACE_FPROBE_FAILED;
		list_del_init(&tf->batch);
		first = first ?: ret;
	}
	return first;
}

static void set_all(struct list_head *tfs, enum trace_fprobe_state state)
{
	struct trace_fprobe *tf, *next;

	list_for_each_entry_safe(tf, next, tfs, batch) {
		tf->state = state;
		list_del_init(&tf->batch);
	}
}

/* A function may be gone that is there only while its module is being loaded. */
static int hook_one(struct trace_fprobe *tf)
{
	LIST_HEAD(one);
	int ret;

	list_move(&tf->batch, &one);
	ret = hook_all(&one);
	if (!ret)
		tf->state = TRACE_FPROBE_ARMED;
	else if (ret == -ENOENT && trace_fprobe_in_module(tf))
		tf->state = TRACE_FPROBE_WAITING;
	else
		tf->state = TRACE_FPROBE_FAILED;
	list_del_init(&tf->batch);
	return tf->state == TRACE_FPROBE_WAITING ? 0 : ret;
}

/* One that cannot be armed must not keep the others from it. */
static int arm(struct list_head *tfs)
{
	struct trace_fprobe *tf, *next;
	int ret, first = make_all_args(tfs);

	if (list_empty(tfs))
		return first;
	if (!list_is_singular(tfs) && !hook_all(tfs)) {
		set_all(tfs, TRACE_FPROBE_ARMED);
		return first;
	}
	list_for_each_entry_safe(tf, next, tfs, batch) {
		ret = hook_one(tf);
		first = first ?: ret;
		cond_resched_tasks_rcu_qs();
	}
	return first;
}

static void disarm(struct list_head *tfs, enum trace_fprobe_state state)
{
	if (list_empty(tfs))
		return;
	stubs_put(tfs, tfs);
	fprobes_unregister(tfs);
	set_all(tfs, state);
}

/**
 * trace_fprobes_move() - bring events into the state that follows
 * @tfs: the events, linked by &trace_fprobe.batch; empty afterwards
 * @cause: what happens
 *
 * Context: process context, event_mutex held. May sleep, for a grace period, too.
 * Return: 0, or the first error of those that could not be armed: what
 * trace_fprobe_rebuild_args(), trace_fprobe_update_args(), register_fprobe() or
 * tracepoint_probe_register() says; of a function that its module does not have, none.
 */
int trace_fprobes_move(struct list_head *tfs, enum trace_fprobe_cause cause)
{
	const struct trace_fprobe_step *step;
	struct trace_fprobe *tf, *next;
	LIST_HEAD(to_disarm);
	LIST_HEAD(to_arm);

	lockdep_assert_held(&event_mutex);
	list_for_each_entry_safe(tf, next, tfs, batch) {
		step = &steps[tf->state][cause];
		if (step->deed == DO_ARM) {
			list_move_tail(&tf->batch, &to_arm);
		} else if (step->deed == DO_DISARM) {
			list_move_tail(&tf->batch, &to_disarm);
		} else {
			tf->state = step->next;
			list_del_init(&tf->batch);
		}
	}
	disarm(&to_disarm, steps[TRACE_FPROBE_ARMED][cause].next);
	return arm(&to_arm);
}

/**
 * trace_fprobe_move() - bring one event into the state that follows
 * @tf: the event
 * @cause: what happens
 *
 * Context: as trace_fprobes_move().
 * Return: likewise.
 */
int trace_fprobe_move(struct trace_fprobe *tf, enum trace_fprobe_cause cause)
{
	LIST_HEAD(one);

	list_move(&tf->batch, &one);
	return trace_fprobes_move(&one, cause);
}
