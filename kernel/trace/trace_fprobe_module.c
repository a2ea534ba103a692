// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions: whether the target is there, and modules that come and go.
 *
 * "MODULE:SYM" is armed each time the module is loaded, before its init function runs.
 * A name without a module is what it stood for when it was armed.
 */
#include <linux/atomic.h>
#include <linux/limits.h>
#include <linux/lockdep.h>
#include <linux/module.h>
#include <linux/notifier.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "trace_fprobe_command.h"

/*
 * Each module that comes is counted before its functions can be armed, and once more
 * when its types are known. What is found in between may be wrong.
 */
static atomic_t nr_came = ATOMIC_INIT(0);

/**
 * trace_fprobe_modules() - has a module come?
 *
 * Context: any. To be asked before functions and types are looked up.
 * Return: a number that changes when one comes.
 */
unsigned int trace_fprobe_modules(void)
{
	return atomic_read(&nr_came);
}

static size_t module_len(const char *symbol)
{
	const char *colon = strchr(symbol, ':');

	return colon ? colon - symbol : 0;
}

/**
 * trace_fprobe_in_module() - is the target of an event in a module that the event knows?
 * @tf: the event
 *
 * Context: event_mutex held.
 * Return: whether it is.
 */
bool trace_fprobe_in_module(const struct trace_fprobe *tf)
{
	return tf->is_tracepoint ? !!tf->mod : !!module_len(tf->symbol);
}

#ifdef CONFIG_MODULES
static bool is_live(const char *symbol)
{
	const struct module *mod;

	guard(preempt)();
	mod = traceprobe_find_module(symbol);
	return mod && mod->state == MODULE_STATE_LIVE;
}
#else
static bool is_live(const char *symbol)
{
	return false;
}
#endif

/**
 * trace_fprobe_module_is_loaded() - is the module there that a target names?
 * @symbol: the target
 *
 * Context: process context.
 * Return: whether it is there, neither being loaded nor going; true if none is named.
 */
bool trace_fprobe_module_is_loaded(const char *symbol)
{
	return !module_len(symbol) || is_live(symbol);
}

/**
 * trace_fprobe_find_target() - is there what an event is to be on?
 * @tf: the event, not armed; it gets its state
 *
 * A module that comes in between is heard of later, since that takes event_mutex.
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0 if it is there, or in a module that is not; -ENOENT if there is no such
 * function that can be traced; -ENOMEM.
 */
int trace_fprobe_find_target(struct trace_fprobe *tf)
{
	bool loaded;
	int ret;

	lockdep_assert_held(&event_mutex);
	tf->state = TRACE_FPROBE_OFF_ABSENT;
	if (!tf->filter)
		return 0;
	loaded = tf->is_tracepoint || trace_fprobe_module_is_loaded(tf->symbol);
	ret = fprobe_count_functions(tf->filter);
	if (ret > 0)
		tf->state = TRACE_FPROBE_OFF;
	else if (ret == -ENOENT && !loaded)
		ret = 0;
	return min(ret, 0);
}

#ifdef CONFIG_MODULES
static bool names_module(const struct trace_fprobe *tf, const char *name)
{
	size_t len = module_len(tf->symbol);

	return !tf->is_tracepoint && strlen(name) == len &&
	       !strncmp(tf->symbol, name, len);
}

static void gather(const struct module *mod, struct list_head *tfs)
{
	struct trace_fprobe *tf;

	for_each_trace_fprobe(tf) {
		if (names_module(tf, mod->name))
			list_move_tail(&tf->batch, tfs);
	}
}

/* Those that the module does not have the arguments of go on waiting. */
static void rebuild(struct list_head *tfs)
{
	struct trace_fprobe *tf, *next;

	list_for_each_entry_safe(tf, next, tfs, batch) {
		if (tf->state != TRACE_FPROBE_WAITING && tf->state != TRACE_FPROBE_OFF_ABSENT)
			continue;
		if (trace_fprobe_rebuild_args(tf))
			list_del_init(&tf->batch);
	}
}

/* Those that are enabled and not armed; of the others it was told why. */
static void log_failed(const struct module *mod)
{
	struct trace_fprobe *tf;

	for_each_trace_fprobe(tf) {
		if (!names_module(tf, mod->name) || tf->unbuilt)
			continue;
		if (tf->state == TRACE_FPROBE_WAITING)
			trace_fprobe_log(tf, true);
		else if (tf->state == TRACE_FPROBE_FAILED)
			trace_fprobe_log(tf, false);
	}
}

static int function_module_event(struct notifier_block *nb, unsigned long event,
				 void *data)
{
	struct module *mod = data;
	LIST_HEAD(tfs);

	if (event != MODULE_STATE_COMING && event != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	guard(mutex)(&event_mutex);
	gather(mod, &tfs);
	if (event == MODULE_STATE_GOING) {
		trace_fprobes_move(&tfs, TRACE_FPROBE_GOES);
	} else {
		atomic_inc(&nr_came);
		rebuild(&tfs);
		trace_fprobes_move(&tfs, TRACE_FPROBE_COMES);
		log_failed(mod);
	}
	return NOTIFY_OK;
}

static struct notifier_block function_module_nb = {
	.notifier_call = function_module_event,
	/* When a module comes, its BTF must have. */
	.priority = -1,
};

static int first_module_event(struct notifier_block *nb, unsigned long event,
			      void *data)
{
	if (event == MODULE_STATE_COMING)
		atomic_inc(&nr_came);
	return NOTIFY_DONE;
}

static struct notifier_block first_module_nb = {
	.notifier_call = first_module_event,
	/* Before that of fprobes, which lets functions of the module be armed. */
	.priority = INT_MAX,
};

/**
 * trace_fprobe_module_init() - from now on, be told of modules
 *
 * Context: at boot.
 * Return: 0, or an error of register_module_notifier().
 */
int __init trace_fprobe_module_init(void)
{
	return register_module_notifier(&first_module_nb) ?:
	       register_module_notifier(&function_module_nb);
}
#else
int __init trace_fprobe_module_init(void)
{
	return 0;
}
#endif
