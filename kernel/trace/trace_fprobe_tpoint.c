// SPDX-License-Identifier: GPL-2.0
/*
 * Events on tracepoints: the functions they are at, and modules that come and go.
 *
 * Beside each tracepoint NAME there is a function __probestub_NAME() that takes the
 * tracepoint's arguments and does nothing. It is attached to the tracepoint while an
 * armed event wants it: once, for however many events. The events are fprobes on it.
 *
 * A tracepoint that is in no module that is loaded is waited for. The module is found
 * without event_mutex, which is taken inside of the tracepoints' list of modules when
 * one comes or goes.
 */
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/tracepoint.h>

#include "trace_fprobe.h"

/**
 * struct tpoint_stub - a function that is attached to its tracepoint
 * @list: links all of them
 * @tp: the tracepoint
 * @users: how many armed events want it
 */
struct tpoint_stub {
	struct list_head list;
	struct tracepoint *tp;
	unsigned int users;
};

/* Under event_mutex. */
static LIST_HEAD(tpoint_stubs);

static struct tpoint_stub *stub_find(const struct tracepoint *tp)
{
	struct tpoint_stub *stub;

	list_for_each_entry(stub, &tpoint_stubs, list) {
		if (stub->tp == tp)
			return stub;
	}
	return NULL;
}

static int stub_add(struct tracepoint *tp)
{
	struct tpoint_stub *stub = kzalloc(sizeof(*stub), GFP_KERNEL);
	int ret;

	if (!stub)
		return -ENOMEM;
	ret = tracepoint_probe_register_prio_may_exist(tp, tp->probestub, NULL,
						       0);
	if (ret) {
		kfree(stub);
		return ret;
	}
	stub->tp = tp;
	stub->users = 1;
	list_add(&stub->list, &tpoint_stubs);
	return 0;
}

/**
 * trace_tpoint_stub_get() - have a tracepoint call its function
 * @tp: the tracepoint
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, or an error of tracepoint_probe_register().
 */
int trace_tpoint_stub_get(struct tracepoint *tp)
{
	struct tpoint_stub *stub;

	lockdep_assert_held(&event_mutex);
	stub = stub_find(tp);
	if (!stub)
		return stub_add(tp);
	stub->users++;
	return 0;
}

/**
 * trace_tpoint_stub_put() - one event less wants the function of a tracepoint
 * @tp: the tracepoint, after trace_tpoint_stub_get()
 *
 * Context: process context, event_mutex held. May sleep.
 */
void trace_tpoint_stub_put(struct tracepoint *tp)
{
	struct tpoint_stub *stub;

	lockdep_assert_held(&event_mutex);
	stub = stub_find(tp);
	if (WARN_ON_ONCE(!stub) || --stub->users)
		return;
	tracepoint_probe_unregister(tp, tp->probestub, NULL);
	list_del(&stub->list);
	kfree(stub);
}

static void find_in_kernel(struct tracepoint *tp, void *data)
{
	struct trace_tpoint *found = data;

	if (!found->tp && !strcmp(tp->name, found->name))
		found->tp = tp;
}

/* One whose init may still fail goes without asking for references. */
#ifdef CONFIG_MODULES
static bool get_live_module(struct module *mod)
{
	return READ_ONCE(mod->state) == MODULE_STATE_LIVE && try_module_get(mod);
}
#else
static bool get_live_module(struct module *mod)
{
	return false;
}
#endif

static void find_in_module(struct tracepoint *tp, struct module *mod, void *data)
{
	struct trace_tpoint *found = data;

	if (found->tp || strcmp(tp->name, found->name) || !get_live_module(mod))
		return;
	found->tp = tp;
	found->mod = mod;
}

/**
 * trace_tpoint_find() - look up a tracepoint
 * @found: has its name, and gets the rest. trace_tpoint_put() has to follow
 *
 * Context: process context, event_mutex not held. May sleep.
 */
void trace_tpoint_find(struct trace_tpoint *found)
{
	found->tp = NULL;
	found->mod = NULL;
	for_each_kernel_tracepoint(find_in_kernel, found);
	if (!found->tp)
		for_each_module_tracepoint(find_in_module, found);
}

/**
 * trace_tpoint_put() - a tracepoint that was looked up may go
 * @found: what trace_tpoint_find() has filled
 *
 * Context: any.
 */
void trace_tpoint_put(struct trace_tpoint *found)
{
	module_put(found->mod);
}

/**
 * trace_tpoint_stub_name() - the name of a tracepoint's function, for fprobes and BTF
 * @tp: the tracepoint
 * @mod: the module it is in, or NULL
 *
 * Several modules may have tracepoints of one name, so it says of which module it is.
 *
 * Context: may sleep.
 * Return: the name, to be freed with kfree(), or NULL if memory is short.
 */
char *trace_tpoint_stub_name(const struct tracepoint *tp, struct module *mod)
{
	return kasprintf(GFP_KERNEL, "%s%s__probestub_%s", mod ? module_name(mod) : "",
			 mod ? ":" : "", tp->name);
}

/**
 * trace_tpoint_attach() - tell an event that its tracepoint is there
 * @tf: the event, not armed
 * @tp: the tracepoint
 * @mod: the module it is in, or NULL
 *
 * Context: process context, event_mutex held, unless the event is not known yet. May
 * sleep.
 * Return: 0 or -ENOMEM.
 */
int trace_tpoint_attach(struct trace_fprobe *tf, struct tracepoint *tp,
			struct module *mod)
{
	char *stub = trace_tpoint_stub_name(tp, mod);

	if (!stub)
		return -ENOMEM;
	kfree(tf->stub);
	tf->stub = stub;
	tf->filter = stub;
	tf->tpoint = tp;
	tf->mod = mod;
	return 0;
}

static void tpoint_detach(struct trace_fprobe *tf)
{
	kfree(tf->stub);
	tf->stub = NULL;
	tf->filter = NULL;
	tf->tpoint = NULL;
	tf->mod = NULL;
}

static bool tpoint_is_awaited(const struct trace_fprobe *tf, const char *name)
{
	return tf->is_tracepoint && !tf->tpoint && !strcmp(tf->symbol, name);
}

/* It may be that none, one, or several events have waited for it. */
static void tpoint_comes(struct tracepoint *tp, struct module *mod)
{
	struct trace_fprobe *tf;
	int ret;

	lockdep_assert_held(&event_mutex);
	for_each_trace_fprobe(tf) {
		if (!tpoint_is_awaited(tf, tp->name))
			continue;
		ret = trace_tpoint_attach(tf, tp, mod);
		if (!ret && trace_fprobe_rebuild_args(tf)) {
			tpoint_detach(tf);
			continue;
		}
		if (!ret)
			ret = trace_fprobe_move(tf, TRACE_FPROBE_COMES);
		if (ret || tf->state == TRACE_FPROBE_WAITING)
			trace_fprobe_log(tf, !ret);
	}
}

/* As the notifier: the list of modules is locked, so this one does not go now. */
static void recheck_in_module(struct tracepoint *tp, struct module *mod, void *name)
{
	if (strcmp(tp->name, name))
		return;
	guard(mutex)(&event_mutex);
	tpoint_comes(tp, mod);
}

/**
 * trace_tpoint_recheck() - look again for a tracepoint of a module that was not there
 * @name: its name. Its module may have come before the event was known
 *
 * Context: process context, event_mutex not held. May sleep.
 */
void trace_tpoint_recheck(const char *name)
{
	for_each_module_tracepoint(recheck_in_module, (void *)name);
}

#ifdef CONFIG_MODULES
static void module_tpoint_comes(struct tracepoint *tp, struct module *mod,
				void *unused)
{
	tpoint_comes(tp, mod);
}

/* All of its events at once: what is disarmed waits for a grace period. */
static void module_goes(struct module *mod)
{
	struct trace_fprobe *tf;
	LIST_HEAD(gone);

	for_each_trace_fprobe(tf) {
		if (tf->tpoint && tf->mod == mod)
			list_move_tail(&tf->batch, &gone);
	}
	trace_fprobes_move(&gone, TRACE_FPROBE_GOES);
	for_each_trace_fprobe(tf) {
		if (tf->tpoint && tf->mod == mod)
			tpoint_detach(tf);
	}
}

static int tpoint_module_event(struct notifier_block *nb, unsigned long event,
			       void *data)
{
	struct tp_module *tp_mod = data;

	guard(mutex)(&event_mutex);
	if (event == MODULE_STATE_COMING)
		for_each_tracepoint_in_module(tp_mod->mod, module_tpoint_comes,
					      NULL);
	else if (event == MODULE_STATE_GOING)
		module_goes(tp_mod->mod);
	return NOTIFY_OK;
}

static struct notifier_block tpoint_module_nb = {
	.notifier_call = tpoint_module_event,
};

/**
 * trace_tpoint_init() - from now on, be told of modules with tracepoints
 *
 * Context: at boot.
 * Return: 0, or an error of register_tracepoint_module_notifier().
 */
int __init trace_tpoint_init(void)
{
	return register_tracepoint_module_notifier(&tpoint_module_nb);
}
#else
int __init trace_tpoint_init(void)
{
	return 0;
}
#endif
