// SPDX-License-Identifier: GPL-2.0
/*
 * Events on functions and on tracepoints: lines of text.
 *
 *	f[:[GRP/][EVENT]] [MOD:]SYM [ARGS]
 *	f[MAXACTIVE][:[GRP/][EVENT]] [MOD:]SYM%return [ARGS]
 *	t[:[GRP/][EVENT]] TRACEPOINT [ARGS]
 *
 * SYM may be a pattern, and a list of names and patterns ("vfs_*,!vfs_read*"). A
 * module that is not loaded is waited for, and so is a tracepoint that is not there.
 */
#define pr_fmt(fmt)	"trace_fprobe: " fmt

#include <linux/err.h>
#include <linux/init.h>
#include <linux/kernel.h>
#include <linux/lockdep.h>
#include <linux/security.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/setup.h>	/* COMMAND_LINE_SIZE */

#include "trace_fprobe.h"
#include "trace_fprobe_command.h"

static int create_line(const char *line);
static int show_line(struct seq_file *m, struct dyn_event *ev);
static bool is_busy(struct dyn_event *ev);
static int release(struct dyn_event *ev);
static bool matches(const char *system, const char *event, int argc,
		    const char **argv, struct dyn_event *ev);

static struct dyn_event_operations trace_fprobe_ops = {
	.create = create_line,
	.show = show_line,
	.is_busy = is_busy,
	.free = release,
	.match = matches,
};

/**
 * trace_fprobe_of() - the event on a function or tracepoint that a dynamic event is
 * @ev: the dynamic event
 *
 * Context: any.
 * Return: the event; NULL if it is of another kind.
 */
struct trace_fprobe *trace_fprobe_of(struct dyn_event *ev)
{
	if (ev->ops != &trace_fprobe_ops)
		return NULL;
	return container_of(ev, struct trace_fprobe, devent);
}

/**
 * trace_fprobe_next() - the next one of all, in the order of their definition
 * @tf: one of them, or NULL for the first
 *
 * Context: event_mutex held.
 * Return: the next one, or NULL.
 */
struct trace_fprobe *trace_fprobe_next(struct trace_fprobe *tf)
{
	struct dyn_event *ev = tf ? &tf->devent : NULL;

	lockdep_assert_held(&event_mutex);
	ev = list_prepare_entry(ev, &dyn_event_list, list);
	list_for_each_entry_continue(ev, &dyn_event_list, list) {
		if (trace_fprobe_of(ev))
			return trace_fprobe_of(ev);
	}
	return NULL;
}

static void trace_fprobe_free(struct trace_fprobe *tf)
{
	trace_probe_cleanup(&tf->tp);
	free_percpu(tf->nhit);
	kfree(tf->symbol);
	kfree(tf->stub);
	kfree(tf);
}

static void set_handlers(struct trace_fprobe *tf, const struct trace_fprobe_command *c)
{
	tf->fp.flags = FPROBE_FL_ARGS;
	if (tf->is_return)
		tf->fp.exit_handler = trace_fprobe_on_exit;
	else
		tf->fp.entry_handler = trace_fprobe_on_entry;
	tf->fp.nr_maxactive = c->maxactive;
}

static int set_target(struct trace_fprobe *tf, const struct trace_fprobe_command *c)
{
	tf->is_return = c->is_return;
	tf->is_tracepoint = c->is_tracepoint;
	tf->nhit = alloc_percpu(unsigned long);
	tf->symbol = kstrdup(c->symbol, GFP_KERNEL);
	if (!tf->nhit || !tf->symbol)
		return -ENOMEM;
	if (!tf->is_tracepoint)
		tf->filter = tf->symbol;
	else if (c->found.tp)
		return trace_tpoint_attach(tf, c->found.tp, c->found.mod);
	return 0;
}

static struct trace_fprobe *trace_fprobe_alloc(const struct trace_fprobe_command *c)
{
	struct trace_fprobe *tf;
	int ret;

	tf = kzalloc(struct_size(tf, tp.args, c->nr_args), GFP_KERNEL);
	if (!tf)
		return ERR_PTR(-ENOMEM);
	INIT_LIST_HEAD(&tf->batch);
	dyn_event_init(&tf->devent, &trace_fprobe_ops);
	ret = set_target(tf, c);
	if (!ret)
		ret = trace_probe_init(&tf->tp, c->event, c->group, false,
				       c->nr_args);
	if (ret) {
		trace_fprobe_free(tf);
		return ERR_PTR(ret);
	}
	set_handlers(tf, c);
	return tf;
}

static struct trace_fprobe *find_event(const char *event, const char *group)
{
	struct trace_fprobe *tf;

	for_each_trace_fprobe(tf) {
		if (!strcmp(trace_probe_name(&tf->tp), event) &&
		    !strcmp(trace_probe_group_name(&tf->tp), group))
			return tf;
	}
	return NULL;
}

/* Both have arguments of the same names and types. */
static bool is_same(const struct trace_fprobe *a, const struct trace_fprobe *b)
{
	unsigned int i;

	if (strcmp(a->symbol, b->symbol))
		return false;
	for (i = 0; i < a->tp.nr_args; i++) {
		if (strcmp(a->tp.args[i].comm, b->tp.args[i].comm))
			return false;
	}
	return true;
}

static bool has_same(struct trace_fprobe *tf, struct trace_fprobe *in)
{
	struct trace_fprobe *pos;

	list_for_each_entry(pos, trace_probe_probe_list(&in->tp), tp.list) {
		if (is_same(pos, tf))
			return true;
	}
	return false;
}

static int refuse_append(struct trace_fprobe *tf, struct trace_fprobe *to)
{
	int arg;

	if (tf->is_return != to->is_return ||
	    tf->is_tracepoint != to->is_tracepoint) {
		trace_probe_log_set_index(0);
		trace_probe_log_err(0, DIFF_PROBE_TYPE);
		return -EEXIST;
	}
	arg = trace_probe_compare_arg_type(&tf->tp, &to->tp);
	if (arg) {
		/* Of the words of the line, arguments are the third and following. */
		trace_probe_log_set_index(arg + 1);
		trace_probe_log_err(0, DIFF_ARG_TYPE);
		return -EEXIST;
	}
	if (has_same(tf, to)) {
		trace_probe_log_set_index(0);
		trace_probe_log_err(0, SAME_PROBE);
		return -EEXIST;
	}
	return 0;
}

/* The event may be enabled. */
static int append(struct trace_fprobe *tf, struct trace_fprobe *to)
{
	int ret = trace_probe_append(&tf->tp, &to->tp);

	if (ret)
		return ret;
	if (trace_probe_is_enabled(&tf->tp))
		ret = trace_fprobe_move(tf, TRACE_FPROBE_ENABLE);
	if (ret)
		trace_probe_unlink(&tf->tp);
	return ret;
}

static int make_new(struct trace_fprobe *tf)
{
	int ret = trace_fprobe_register_call(tf);

	if (ret == -EEXIST) {
		trace_probe_log_set_index(0);
		trace_probe_log_err(0, EVENT_EXIST);
	}
	return ret;
}

/* What else says -EEXIST tells why. */
static int log_target(int ret)
{
	trace_probe_log_set_index(1);
	if (ret == -ENOENT)
		trace_probe_log_err(0, BAD_PROBE_ADDR);
	else if (ret && ret != -ENOMEM && ret != -EEXIST)
		trace_probe_log_err(0, FAIL_REG_PROBE);
	return ret;
}

/* Is there what the event is to be on, as far as its module is? */
static int check_target(struct trace_fprobe *tf)
{
	int ret = security_locked_down(LOCKDOWN_KPROBES);

	return log_target(ret ?: trace_fprobe_find_target(tf));
}

/* The target may have come since the line was read. */
static int check_args(struct trace_fprobe *tf)
{
	int ret = 0;

	if (tf->state != TRACE_FPROBE_OFF)
		return 0;
	if (tf->unbuilt)
		ret = trace_fprobe_rebuild_args(tf);
	return ret ?: log_target(trace_fprobe_update_args(tf));
}

/* Of arguments that could not be made anew, it was told. */
static int join(struct trace_fprobe *tf, struct trace_fprobe *old)
{
	int ret = old ? append(tf, old) : make_new(tf);

	return tf->unbuilt ? ret : log_target(ret);
}

static int add(struct trace_fprobe *tf)
{
	struct trace_fprobe *old;
	int ret;

	guard(mutex)(&event_mutex);
	old = find_event(trace_probe_name(&tf->tp), trace_probe_group_name(&tf->tp));
	ret = old ? refuse_append(tf, old) : 0;
	if (!ret)
		ret = check_target(tf);
	if (!ret)
		ret = check_args(tf);
	if (!ret)
		ret = join(tf, old);
	if (!ret)
		dyn_event_add(&tf->devent, trace_probe_event_call(&tf->tp));
	return ret;
}

static int create_event(struct trace_fprobe_command *c)
{
	struct trace_fprobe *tf = trace_fprobe_alloc(c);
	int ret;

	if (IS_ERR(tf))
		return PTR_ERR(tf);
	ret = trace_fprobe_define_args(tf, c);
	if (!ret)
		ret = add(tf);
	if (ret)
		trace_fprobe_free(tf);
	return ret;
}

static int run_command(struct trace_fprobe_command *c, int argc, const char **argv)
{
	int ret;

	trace_probe_log_init("trace_fprobe", argc, argv);
	ret = trace_fprobe_command_parse(c, argc, argv);
	if (!ret)
		ret = create_event(c);
	if (!ret && c->is_tracepoint && !c->found.tp)
		trace_tpoint_recheck(c->symbol);
	trace_fprobe_command_free(c);
	trace_probe_log_clear();
	return ret;
}

static int create_words(int argc, const char **argv)
{
	struct trace_fprobe_command *c;
	int ret;

	if (!strchr("ft", argv[0][0]) || argc < 2)
		return -ECANCELED;
	c = kzalloc(sizeof(*c), GFP_KERNEL);
	if (!c)
		return -ENOMEM;
	ret = run_command(c, argc, argv);
	kfree(c);
	return ret;
}

static int create_line(const char *line)
{
	return trace_probe_create(line, create_words);
}

static void show_arguments(struct seq_file *m, const struct trace_probe *tp)
{
	const struct probe_arg *arg;

	for (arg = tp->args; arg < tp->args + tp->nr_args; arg++)
		seq_printf(m, " %s=%s", arg->name, arg->comm);
	seq_putc(m, '\n');
}

static int show_line(struct seq_file *m, struct dyn_event *ev)
{
	struct trace_fprobe *tf = trace_fprobe_of(ev);

	seq_putc(m, tf->is_tracepoint ? 't' : 'f');
	if (tf->fp.nr_maxactive)
		seq_printf(m, "%d", tf->fp.nr_maxactive);
	seq_printf(m, ":%s/%s %s%s", trace_probe_group_name(&tf->tp),
		   trace_probe_name(&tf->tp), tf->symbol,
		   tf->is_return ? "%return" : "");
	show_arguments(m, &tf->tp);
	return 0;
}

static bool is_busy(struct dyn_event *ev)
{
	return trace_probe_is_enabled(&trace_fprobe_of(ev)->tp);
}

/* The last one of an event takes the event along. */
static int remove_last(struct trace_fprobe *tf)
{
	if (trace_probe_is_enabled(&tf->tp) ||
	    trace_event_dyn_busy(trace_probe_event_call(&tf->tp)) ||
	    trace_probe_unregister_event_call(&tf->tp))
		return -EBUSY;
	return 0;
}

static int release(struct dyn_event *ev)
{
	struct trace_fprobe *tf = trace_fprobe_of(ev);

	if (!trace_probe_has_sibling(&tf->tp) && remove_last(tf))
		return -EBUSY;
	trace_fprobe_move(tf, TRACE_FPROBE_DISABLE);
	dyn_event_remove(ev);
	trace_probe_unlink(&tf->tp);
	trace_fprobe_free(tf);
	return 0;
}

/* "%return" may be left out, as 6.12 wants it. */
static bool matches_target(const struct trace_fprobe *tf, const char *word)
{
	size_t len = strlen(tf->symbol);

	if (strncmp(word, tf->symbol, len))
		return false;
	return !word[len] || (tf->is_return && !strcmp(word + len, "%return"));
}

static bool matches(const char *system, const char *event, int argc,
		    const char **argv, struct dyn_event *ev)
{
	struct trace_fprobe *tf = trace_fprobe_of(ev);

	if (*event && strcmp(trace_probe_name(&tf->tp), event))
		return false;
	if (system && strcmp(trace_probe_group_name(&tf->tp), system))
		return false;
	if (!argc)
		return true;
	return matches_target(tf, argv[0]) &&
	       trace_probe_match_command_args(&tf->tp, argc - 1, argv + 1);
}

/* Lines of fprobe_event=, which spells blanks as "," and ends lines by ";". */
static char boot_lines[COMMAND_LINE_SIZE] __initdata;

static int __init set_boot_lines(char *lines)
{
	strscpy(boot_lines, lines, sizeof(boot_lines));
	disable_tracing_selftest("running fprobe events");
	return 1;
}
__setup("fprobe_event=", set_boot_lines);

static void __init enable_boot_event(struct trace_fprobe *tf)
{
	struct trace_event_file *file;

	list_for_each_entry(file, &top_trace_array()->events, list) {
		if (file->event_call == trace_probe_event_call(&tf->tp))
			trace_event_enable_disable(file, 1, 0);
	}
}

static void __init run_boot_lines(void)
{
	char *line, *rest = boot_lines;
	struct trace_fprobe *tf;
	int ret;

	strreplace(boot_lines, ',', ' ');
	while ((line = strsep(&rest, ";"))) {
		ret = *line ? dyn_event_create(line, &trace_fprobe_ops) : 0;
		if (ret)
			pr_warn("Failed to add event (%d): %s\n", ret, line);
	}
	guard(mutex)(&event_mutex);
	for_each_trace_fprobe(tf)
		enable_boot_event(tf);
}

/* Others may define events before there is a tracefs. */
static int __init trace_fprobe_init(void)
{
	int ret = dyn_event_register(&trace_fprobe_ops);

	if (!ret)
		ret = trace_fprobe_module_init();
	return ret ?: trace_tpoint_init();
}
core_initcall(trace_fprobe_init);

static int __init trace_fprobe_init_files(void)
{
	if (tracing_init_dentry())
		return 0;
	trace_fprobe_profile_create();
	run_boot_lines();
	return 0;
}
fs_initcall(trace_fprobe_init_files);
