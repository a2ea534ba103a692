// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions and tracepoints: their arguments, which are read from a line, and
 * made anew each time that the module of the target comes; and what is told if they, or
 * the target, are not to be had then.
 */
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trace_fprobe_command.h"

/**
 * trace_fprobe_arg_flags() - what an event is, for its arguments
 * @is_tracepoint: it is about a tracepoint
 * @is_return: it is about the exit of a function
 *
 * Context: any.
 * Return: TPARG_FL_*.
 */
unsigned int trace_fprobe_arg_flags(bool is_tracepoint, bool is_return)
{
	return TPARG_FL_KERNEL | TPARG_FL_FPROBE |
	       (is_return ? TPARG_FL_RETURN : TPARG_FL_FENTRY) |
	       (is_tracepoint ? TPARG_FL_TPOINT : 0);
}

/* What an exit event tells of the parameters is taken at the entry. */
static void keep_args(struct trace_fprobe *tf)
{
	if (!tf->is_return)
		return;
	tf->fp.entry_handler = tf->tp.entry_arg ? trace_fprobe_keep_args : NULL;
	tf->fp.entry_data_size = traceprobe_get_entry_data_size(&tf->tp);
}

/**
 * trace_fprobe_define_args() - read the arguments of an event
 * @tf: the event, which has none yet
 * @c: its line
 *
 * Context: process context, between trace_probe_log_init() and _clear(). May sleep.
 * Return: 0, or an error, in the log but for -ENOMEM.
 */
int trace_fprobe_define_args(struct trace_fprobe *tf, struct trace_fprobe_command *c)
{
	unsigned int i;
	int ret;

	tf->unbuilt = c->ctx.flags & TPARG_FL_ABSENT;
	for (i = 0; i < c->nr_args; i++) {
		trace_probe_log_set_index(i + 2);
		ret = traceprobe_parse_probe_arg(&tf->tp, i, c->args[i], &c->ctx);
		if (ret)
			return ret;
	}
	tf->changes = c->ctx.changes;
	tf->modules = c->modules;
	keep_args(tf);
	return traceprobe_set_print_fmt(&tf->tp, tf->is_return ?
					PROBE_PRINT_RETURN : PROBE_PRINT_NORMAL);
}

/**
 * trace_fprobe_update_args() - look up the symbols in the arguments of an event
 * @tf: the event, not armed
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, or -ENOENT if there is no such symbol.
 */
int trace_fprobe_update_args(struct trace_fprobe *tf)
{
	unsigned int i;
	int ret = 0;

	for (i = 0; i < tf->tp.nr_args && !ret; i++)
		ret = traceprobe_update_arg(&tf->tp.args[i]);
	return ret;
}

static char *show_head(const struct trace_fprobe *tf)
{
	struct trace_probe *tp = (struct trace_probe *)&tf->tp;

	return kasprintf(GFP_KERNEL, "%c:%s/%s %s", tf->is_tracepoint ? 't' : 'f',
			 trace_probe_group_name(tp), trace_probe_name(tp), tf->symbol);
}

/**
 * trace_fprobe_log() - tell that an event could not be armed when its module came
 * @tf: the event
 * @absent: the module does not have the target
 *
 * Context: process context, event_mutex held. May sleep.
 */
void trace_fprobe_log(struct trace_fprobe *tf, bool absent)
{
	static const char *const texts[] = {
		"The module that was loaded has no such function",
		"The probe could not be armed when its module was loaded",
	};
	char *line;

	line = show_head(tf);
	if (!line)
		return;
	tracing_log_err(NULL, "trace_fprobe", line, (const char **)texts,
			!absent, strchr(line, ' ') + 1 - line);
	kfree(line);
}

/* The command that is shown has the argument that is wrong, and no other. */
static void log_argument(struct trace_fprobe *tf, const struct probe_arg *arg,
			 struct fetch_failure *failure)
{
	char *head = show_head(tf), *line;
	const char **texts;
	u8 n;

	texts = fetch_error_texts_of(failure, &n);
	line = head ? kasprintf(GFP_KERNEL, "%s %s=%s", head, arg->name, arg->comm) : NULL;
	if (line)
		tracing_log_err(NULL, "trace_fprobe", line, texts, n,
				strlen(head) + 1 + failure->at);
	kfree(line);
	kfree(head);
}

/**
 * trace_fprobe_rebuild_args() - make the arguments of an event for the module that came
 * @tf: the event, not armed, with a target that is there
 *
 * An argument that is not to be had is told in error_log. Then the event must not be
 * armed.
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, or an error of traceprobe_rebuild_args().
 */
int trace_fprobe_rebuild_args(struct trace_fprobe *tf)
{
	bool is_pattern = trace_fprobe_is_pattern(tf->filter);
	struct traceprobe_parse_context ctx = {
		.funcname = is_pattern ? "" : tf->filter,
		.pattern = is_pattern ? tf->filter : NULL,
		.flags = trace_fprobe_arg_flags(tf->is_tracepoint, tf->is_return),
	};
	unsigned int modules = trace_fprobe_modules();
	struct fetch_failure failure = { };
	unsigned int n;
	int ret;

	lockdep_assert_held(&event_mutex);
	ret = traceprobe_rebuild_args(&tf->tp, &ctx, &failure, &n);
	traceprobe_finish_parse(&ctx);
	tf->unbuilt = ret;
	if (ret && failure.error) {
		log_argument(tf, &tf->tp.args[n], &failure);
	} else if (ret) {
		trace_fprobe_log(tf, false);
	} else {
		keep_args(tf);
		tf->changes = ctx.changes;
		tf->modules = modules;
	}
	return ret;
}
