// SPDX-License-Identifier: GPL-2.0
/*
 * The life of an event that probes record: it comes with its first probe, may get
 * others, is on in instances of the trace, and goes with its last probe.
 */
#include <linux/cpu.h>
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/lockdep.h>
#include <linux/overflow.h>
#include <linux/rculist.h>
#include <linux/rcupdate.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "fetch/fetch.h"
#include "trace_probe.h"

static void free_event(struct trace_probe_event *event)
{
	kfree(event->class.system);
	kfree(event->call.name);
	kfree(event->call.print_fmt);
	kfree(event->texts);
	kfree(event);
}

static struct trace_probe_event *alloc_event(const char *name, const char *group,
					     unsigned int filters)
{
	struct trace_probe_event *event;

	event = kzalloc(struct_size(event, filter, filters), GFP_KERNEL);
	if (!event)
		return NULL;
	INIT_LIST_HEAD(&event->files);
	event->quiet = get_completed_synchronize_rcu();
	INIT_LIST_HEAD(&event->probes);
	INIT_LIST_HEAD(&event->class.fields);
	event->call.class = &event->class;
	event->call.name = kstrdup(name, GFP_KERNEL);
	event->class.system = kstrdup(group, GFP_KERNEL);
	if (event->call.name && event->class.system)
		return event;
	free_event(event);
	return NULL;
}

/**
 * trace_probe_init() - make the event of a probe
 * @tp: the probe, zeroed, with room for @nargs arguments
 * @event: name of the event
 * @group: name of its group
 * @alloc_filter: the event has a filter of processes
 * @nargs: number of arguments, which are filled later
 *
 * The names are copied, and not looked at: a local event has the name of a function.
 *
 * Context: may sleep.
 *
 * Return: 0, or %-ENOMEM: then @tp is as before.
 */
int trace_probe_init(struct trace_probe *tp, const char *event, const char *group,
		     bool alloc_filter, int nargs)
{
	tp->event = alloc_event(event, group, alloc_filter);
	if (!tp->event)
		return -ENOMEM;
	tp->nr_args = nargs;
	list_add(&tp->list, &tp->event->probes);
	return 0;
}

static void join(struct trace_probe *tp, struct trace_probe_event *event)
{
	tp->event = event;
	list_add_tail(&tp->list, &event->probes);
}

/**
 * trace_probe_unlink() - take a probe away from its event
 * @tp: the probe, which hits nothing any more
 *
 * Its last probe takes the event with it, which must not be registered then.
 *
 * Context: may sleep; event_mutex is held if the event has other probes.
 */
void trace_probe_unlink(struct trace_probe *tp)
{
	struct trace_probe_event *event = tp->event;

	/* What prints records of the event has it read, and asks its first probe. */
	down_write(&trace_event_sem);
	list_del_init(&tp->list);
	tp->event = NULL;
	up_write(&trace_event_sem);
	if (list_empty(&event->probes))
		free_event(event);
}

/**
 * trace_probe_cleanup() - free what a probe has
 * @tp: the probe; zeroed if trace_probe_init() has failed or was not called
 *
 * The probe itself is left to its owner.
 *
 * Context: may sleep; event_mutex is held if the probe has an event with other probes.
 */
void trace_probe_cleanup(struct trace_probe *tp)
{
	unsigned int n;

	for (n = 0; n < tp->nr_args; n++)
		traceprobe_free_probe_arg(&tp->args[n]);
	kfree(tp->entry_arg);
	tp->entry_arg = NULL;
	if (tp->event)
		trace_probe_unlink(tp);
}

/**
 * trace_probe_append() - let a probe record the event of another one
 * @tp: the probe; its own event, which is not registered, goes
 * @to: the other one
 *
 * Context: may sleep, event_mutex is held.
 *
 * Return: 0, or %-EBUSY if the event of @tp has other probes.
 */
int trace_probe_append(struct trace_probe *tp, struct trace_probe *to)
{
	lockdep_assert_held(&event_mutex);
	if (trace_probe_has_sibling(tp))
		return -EBUSY;
	trace_probe_unlink(tp);
	join(tp, to->event);
	return 0;
}

static bool is_named(struct trace_event_call *call, const char *group, const char *name)
{
	const char *its_name = trace_event_name(call);

	return its_name && call->class->system && !strcmp(its_name, name) &&
	       !strcmp(call->class->system, group);
}

/* There are events of other kinds, too. */
static bool event_exists(const char *group, const char *name)
{
	struct trace_event_call *call;
	bool found = false;

	down_read(&trace_event_sem);
	list_for_each_entry(call, &ftrace_events, list) {
		found = is_named(call, group, name);
		if (found)
			break;
	}
	up_read(&trace_event_sem);
	return found;
}

/**
 * trace_probe_register_event_call() - make an event known
 * @tp: the only probe of the event, whose files and functions are set
 *
 * Context: may sleep, event_mutex is held.
 *
 * Return: 0; %-EEXIST if there is an event of that name in the group; %-ENODEV if there
 * are no more numbers for events; or what trace_add_event_call() returns.
 */
int trace_probe_register_event_call(struct trace_probe *tp)
{
	struct trace_event_call *call = trace_probe_event_call(tp);
	int ret;

	lockdep_assert_held(&event_mutex);
	if (event_exists(trace_probe_group_name(tp), trace_probe_name(tp)))
		return -EEXIST;
	/* Gives the number of the event. */
	if (!register_trace_event(&call->event))
		return -ENODEV;
	ret = trace_add_event_call(call);
	if (ret)
		unregister_trace_event(&call->event);
	return ret;
}

/**
 * trace_probe_unregister_event_call() - let an event be known no more
 * @tp: a probe of the event
 *
 * Hits that record in an instance of the trace have ended when this returns 0: its files
 * are freed here. Often a grace period has passed since the event was disabled.
 *
 * Context: may sleep for a grace period; event_mutex is held.
 *
 * Return: 0, or %-EBUSY while the event is in use.
 */
int trace_probe_unregister_event_call(struct trace_probe *tp)
{
	/* RCU does not wait for a CPU that is on its way down or up, and may hit a probe. */
	cpus_read_lock();
	cpus_read_unlock();
	cond_synchronize_rcu(tp->event->quiet);
	return trace_remove_event_call(&tp->event->call);
}

/**
 * trace_probe_add_file() - record an event in an instance of the trace
 * @tp: a probe of the event
 * @file: that of the instance
 *
 * Hits may come before this returns.
 *
 * Context: may sleep. event_mutex is held, but for tests while the kernel boots.
 *
 * Return: 0 or %-ENOMEM.
 */
int trace_probe_add_file(struct trace_probe *tp, struct trace_event_file *file)
{
	struct event_file_link *where = kzalloc(sizeof(*where), GFP_KERNEL);

	if (where) {
		where->file = file;
		list_add_tail_rcu(&where->list, &tp->event->files);
		trace_probe_set_flag(tp, TP_FLAG_TRACE);
	}
	return where ? 0 : -ENOMEM;
}

/**
 * trace_probe_get_file_link() - is an event on in an instance of the trace?
 * @tp: a probe of the event
 * @file: that of the instance
 *
 * Context: any. event_mutex is held, but for tests while the kernel boots.
 *
 * Return: the link, or NULL if it is not on.
 */
struct event_file_link *trace_probe_get_file_link(struct trace_probe *tp,
						  struct trace_event_file *file)
{
	struct event_file_link *where, *found = NULL;

	trace_probe_for_each_link(where, tp)
		found = where->file == file ? where : found;
	return found;
}

/**
 * trace_probe_remove_file() - do not record an event in an instance of the trace any more
 * @tp: a probe of the event
 * @file: that of the instance
 *
 * Hits that are under way may still record there: what removes the instance waits for
 * them, and so does trace_probe_unregister_event_call().
 *
 * Context: does not sleep. event_mutex is held, but for tests while the kernel boots.
 *
 * Return: 0, or %-ENOENT if it was not on.
 */
int trace_probe_remove_file(struct trace_probe *tp, struct trace_event_file *file)
{
	struct event_file_link *link = trace_probe_get_file_link(tp, file);

	if (!link)
		return -ENOENT;
	list_del_rcu(&link->list);
	if (list_empty(&tp->event->files))
		trace_probe_clear_flag(tp, TP_FLAG_TRACE);
	tp->event->quiet = get_state_synchronize_rcu();
	kfree_rcu(link, rcu);
	return 0;
}

static bool is_recorded_as(const struct probe_arg *a, const struct probe_arg *b)
{
	return !strcmp(a->name, b->name) && fetch_is_recorded_alike(a, b);
}

/**
 * trace_probe_compare_arg_type() - would two probes record the same fields?
 * @a: one probe
 * @b: the other
 *
 * Context: any.
 *
 * Return: 0 if so, otherwise the number of the first argument that is another, or is
 * missing; the first of all has 1.
 */
int trace_probe_compare_arg_type(struct trace_probe *a, struct trace_probe *b)
{
	unsigned int n;

	if (a->nr_args != b->nr_args)
		return min(a->nr_args, b->nr_args) + 1;
	for (n = 0; n < a->nr_args; n++) {
		if (!is_recorded_as(&a->args[n], &b->args[n]))
			return n + 1;
	}
	return 0;
}

/* NAME=TEXT, as it is listed. */
static bool is_listed_as(const struct probe_arg *arg, const char *word)
{
	size_t len = str_has_prefix(word, arg->name);

	return len && word[len] == '=' && !strcmp(word + len + 1, arg->comm);
}

/**
 * trace_probe_match_command_args() - are these the arguments of a probe?
 * @tp: the probe
 * @argc: number of words
 * @argv: the words, each an argument as it is listed
 *
 * Arguments at the end may be left out.
 *
 * Context: any.
 *
 * Return: true if so.
 */
bool trace_probe_match_command_args(struct trace_probe *tp, int argc, const char **argv)
{
	int n;

	if (argc > tp->nr_args)
		return false;
	for (n = 0; n < argc; n++) {
		if (!is_listed_as(&tp->args[n], argv[n]))
			return false;
	}
	return true;
}

/**
 * trace_probe_create() - split a command into its words
 * @raw_command: the command; one without words, as a comment is, does nothing
 * @createfn: gets the words, and may replace them until it returns
 *
 * Context: may sleep, dyn_event_ops_mutex is held.
 *
 * Return: what @createfn returns, or %-ENOMEM.
 */
int trace_probe_create(const char *raw_command, int (*createfn)(int argc, const char **argv))
{
	int nr = 0, ret = 0;
	char **words;

	words = argv_split(GFP_KERNEL, raw_command, &nr);
	if (!words)
		return -ENOMEM;
	if (nr)
		ret = createfn(nr, (const char **)words);
	/* Not all of them have told that they are done with the words. */
	trace_probe_log_clear();
	argv_free(words);
	return ret;
}
