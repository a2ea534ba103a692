// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions and tracepoints: their users, and what their records look like.
 */
#include <linux/bug.h>
#include <linux/lockdep.h>
#include <linux/security.h>

#include "trace_fprobe.h"
#include "trace_fprobe_batch.h"
#include "trace_output.h"

/**
 * struct trace_fprobe_batch - events that are being switched together
 * @on: whether there are such
 * @enable: those that are to be armed when all have been switched
 * @disable: those that are to be disarmed
 */
struct trace_fprobe_batch {
	bool on;
	struct list_head enable;
	struct list_head disable;
};

/* Under event_mutex. Not empty only between begin and end. */
static struct trace_fprobe_batch batch = {
	.enable = LIST_HEAD_INIT(batch.enable),
	.disable = LIST_HEAD_INIT(batch.disable),
};

/**
 * trace_fprobe_batch_begin() - events are going to be enabled or disabled
 *
 * Context: process context, event_mutex held until trace_fprobe_batch_end().
 */
void trace_fprobe_batch_begin(void)
{
	lockdep_assert_held(&event_mutex);
	batch.on = true;
}

/**
 * trace_fprobe_batch_end() - arm and disarm what has been switched
 *
 * An event that cannot be armed stays enabled, and records nothing until
 * trace_fprobe_enable_again().
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, or the first error of those that could not be armed.
 */
int trace_fprobe_batch_end(void)
{
	lockdep_assert_held(&event_mutex);
	batch.on = false;
	trace_fprobes_move(&batch.disable, TRACE_FPROBE_DISABLE);
	return trace_fprobes_move(&batch.enable, TRACE_FPROBE_ENABLE);
}

/* All that are one event. */
static int switch_event(struct trace_probe *tp, enum trace_fprobe_cause cause)
{
	struct list_head *tfs;
	struct trace_fprobe *tf;
	LIST_HEAD(own);

	tfs = !batch.on ? &own : cause == TRACE_FPROBE_ENABLE ? &batch.enable :
								&batch.disable;
	list_for_each_entry(tf, trace_probe_probe_list(tp), tp.list)
		list_move_tail(&tf->batch, tfs);
	return batch.on ? 0 : trace_fprobes_move(&own, cause);
}

/**
 * trace_fprobe_enable_again() - arm an event that could not be armed when it was enabled
 * @call: the event, which is enabled
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, also between begin and end of a batch; or why it cannot be armed.
 */
int trace_fprobe_enable_again(struct trace_event_call *call)
{
	struct trace_probe *tp = trace_probe_primary_from_call(call);

	lockdep_assert_held(&event_mutex);
	return WARN_ON_ONCE(!tp) ? -ENODEV : switch_event(tp, TRACE_FPROBE_ENABLE);
}

static int add_user(struct trace_probe *tp, struct trace_event_file *file)
{
	if (file)
		return trace_probe_add_file(tp, file);
	trace_probe_set_flag(tp, TP_FLAG_PROFILE);
	return 0;
}

/* Only hits that are under way still record for the user. */
static int remove_user(struct trace_probe *tp, struct trace_event_file *file)
{
	if (file)
		return trace_probe_remove_file(tp, file);
	trace_probe_clear_flag(tp, TP_FLAG_PROFILE);
	return 0;
}

static int enable_event(struct trace_event_call *call,
			struct trace_event_file *file)
{
	struct trace_probe *tp = trace_probe_primary_from_call(call);
	bool was_enabled;
	int ret;

	if (WARN_ON_ONCE(!tp))
		return -ENODEV;
	ret = security_locked_down(LOCKDOWN_KPROBES);
	if (ret)
		return ret;
	was_enabled = trace_probe_is_enabled(tp);
	ret = add_user(tp, file);
	if (ret)
		return ret;
	/* An earlier user may have it, though it could not be armed then. */
	ret = switch_event(tp, TRACE_FPROBE_ENABLE);
	if (!ret)
		return 0;
	remove_user(tp, file);
	if (!was_enabled)
		switch_event(tp, TRACE_FPROBE_DISABLE);
	/* perf waits for hits when it is done, and not when it could not begin. */
	if (!file)
		tracepoint_synchronize_unregister();
	return ret;
}

static int disable_event(struct trace_event_call *call,
			 struct trace_event_file *file)
{
	struct trace_probe *tp = trace_probe_primary_from_call(call);
	int ret;

	if (WARN_ON_ONCE(!tp))
		return -ENODEV;
	ret = remove_user(tp, file);
	/* Last: the grace period of disarming then covers the file, too. */
	if (!ret && !trace_probe_is_enabled(tp))
		switch_event(tp, TRACE_FPROBE_DISABLE);
	return ret;
}

#ifdef CONFIG_PERF_EVENTS
static int switch_perf(struct trace_event_call *call, enum trace_reg type)
{
	if (type == TRACE_REG_PERF_REGISTER)
		return enable_event(call, NULL);
	if (type == TRACE_REG_PERF_UNREGISTER)
		return disable_event(call, NULL);
	return 0;
}
#else
static int switch_perf(struct trace_event_call *call, enum trace_reg type)
{
	return 0;
}
#endif

/* &trace_event_class.reg, with event_mutex held. */
static int switch_user(struct trace_event_call *call, enum trace_reg type,
		       void *data)
{
	switch (type) {
	case TRACE_REG_REGISTER:
		return enable_event(call, data);
	case TRACE_REG_UNREGISTER:
		return disable_event(call, data);
	default:
		return switch_perf(call, type);
	}
}

/* The name of the event and of the place; @caller is 0 at an entry. */
static bool print_place(struct trace_iterator *iter, struct trace_probe *tp,
			unsigned long func, unsigned long caller, int flags)
{
	struct trace_seq *s = &iter->seq;

	trace_seq_printf(s, "%s: (", trace_probe_name(tp));
	if (caller) {
		if (!seq_print_ip_sym(s, caller, flags | TRACE_ITER_SYM_OFFSET))
			return false;
		trace_seq_puts(s, " <- ");
		flags &= ~TRACE_ITER_SYM_OFFSET;
	} else {
		flags |= TRACE_ITER_SYM_OFFSET;
	}
	if (!seq_print_ip_sym(s, func, flags))
		return false;
	trace_seq_putc(s, ')');
	return true;
}

static void print_args(struct trace_iterator *iter, struct trace_probe *tp,
		       void *data)
{
	if (trace_probe_print_args(&iter->seq, tp->args, tp->nr_args, data,
				   iter->ent) >= 0)
		trace_seq_putc(&iter->seq, '\n');
}

static struct trace_probe *probe_of(struct trace_event *event)
{
	struct trace_event_call *call;

	call = container_of(event, struct trace_event_call, event);
	return trace_probe_primary_from_call(call);
}

static enum print_line_t print_entry(struct trace_iterator *iter, int flags,
				     struct trace_event *event)
{
	struct fentry_trace_entry_head *head = (void *)iter->ent;
	struct trace_probe *tp = probe_of(event);

	if (!WARN_ON_ONCE(!tp) && print_place(iter, tp, head->ip, 0, flags))
		print_args(iter, tp, head + 1);
	return trace_handle_return(&iter->seq);
}

static enum print_line_t print_exit(struct trace_iterator *iter, int flags,
				    struct trace_event *event)
{
	struct fexit_trace_entry_head *head = (void *)iter->ent;
	struct trace_probe *tp = probe_of(event);

	if (!WARN_ON_ONCE(!tp) &&
	    print_place(iter, tp, head->func, head->ret_ip, flags))
		print_args(iter, tp, head + 1);
	return trace_handle_return(&iter->seq);
}

static int define_arguments(struct trace_event_call *call, size_t head)
{
	struct trace_probe *tp = trace_probe_primary_from_call(call);

	return WARN_ON_ONCE(!tp) ? -ENOENT : traceprobe_define_arg_fields(call, head, tp);
}

static int define_entry_fields(struct trace_event_call *event_call)
{
	struct fentry_trace_entry_head field;
	int ret;

	DEFINE_FIELD(unsigned long, ip, FIELD_STRING_IP, 0);

	return define_arguments(event_call, sizeof(field));
}

static int define_exit_fields(struct trace_event_call *event_call)
{
	struct fexit_trace_entry_head field;
	int ret;

	DEFINE_FIELD(unsigned long, func, FIELD_STRING_FUNC, 0);
	DEFINE_FIELD(unsigned long, ret_ip, FIELD_STRING_RETIP, 0);

	return define_arguments(event_call, sizeof(field));
}

static struct trace_event_functions entry_functions = { .trace = print_entry };
static struct trace_event_functions exit_functions = { .trace = print_exit };

static struct trace_event_fields entry_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_entry_fields },
	{}
};

static struct trace_event_fields exit_fields[] = {
	{ .type = TRACE_FUNCTION_TYPE, .define_fields = define_exit_fields },
	{}
};

/**
 * trace_fprobe_register_call() - make an event known to the tracer
 * @tf: the first with the name of the event
 *
 * Context: process context, event_mutex held. May sleep.
 * Return: 0, -EEXIST if there is an event with that name, or another error of
 * trace_probe_register_event_call().
 */
int trace_fprobe_register_call(struct trace_fprobe *tf)
{
	struct trace_event_call *call = trace_probe_event_call(&tf->tp);

	lockdep_assert_held(&event_mutex);
	call->event.funcs = tf->is_return ? &exit_functions : &entry_functions;
	call->class->fields_array = tf->is_return ? exit_fields : entry_fields;
	call->class->reg = switch_user;
	call->flags = TRACE_EVENT_FL_FPROBE;
	return trace_probe_register_event_call(&tf->tp);
}
