// SPDX-License-Identifier: GPL-2.0
/*
 * Lines that define events on functions and tracepoints: what stands before the
 * arguments, and what the arguments are expanded to. The log of errors shows where in
 * the line a refusal is about.
 */
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/jhash.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "trace_fprobe_command.h"

#define FUNCTION_GROUP		"fprobes"
#define TRACEPOINT_GROUP	"tracepoints"
#define MAXACTIVE_MAX		4096

/* What stands between the letter and ":" is a number. */
static int parse_maxactive(struct trace_fprobe_command *c, const char *word)
{
	size_t len = strcspn(word + 1, ":");
	char digits[16];

	if (!len)
		return 0;
	c->has_maxactive = true;
	strscpy(digits, word + 1, min(len + 1, sizeof(digits)));
	if (len >= sizeof(digits) || !isdigit(*digits) ||
	    kstrtouint(digits, 0, &c->maxactive)) {
		trace_probe_log_err(1, BAD_MAXACT);
		return -EINVAL;
	}
	if (c->maxactive > MAXACTIVE_MAX) {
		trace_probe_log_err(1, MAXACT_TOO_BIG);
		return -EINVAL;
	}
	return 0;
}

/* "%return", and "%%return" as a manual has it. */
static int parse_suffix(struct trace_fprobe_command *c, char *suffix)
{
	if (c->is_tracepoint ||
	    (strcmp(suffix, "%return") && strcmp(suffix, "%%return"))) {
		trace_probe_log_err(suffix - c->symbol, BAD_ADDR_SUFFIX);
		return -EINVAL;
	}
	*suffix = '\0';
	c->is_return = true;
	return 0;
}

static int check_tracepoint_name(const char *name)
{
	const char *p;

	for (p = name; *p; p++) {
		if (!isalnum(*p) && *p != '_') {
			trace_probe_log_err(p - name, BAD_TP_NAME);
			return -EINVAL;
		}
	}
	return 0;
}

/**
 * trace_fprobe_is_pattern() - does a target stand for functions with several names?
 * @symbol: the target
 *
 * Context: any.
 * Return: true if so.
 */
bool trace_fprobe_is_pattern(const char *symbol)
{
	return strpbrk(symbol, "*?[,");
}

/* A list is not of one module. */
static int check_function_name(const char *name)
{
	const char *colon = strchr(name, ':');

	if (!colon || !strchr(name, ','))
		return 0;
	trace_probe_log_err(colon - name, BAD_PROBE_ADDR);
	return -EINVAL;
}

static int parse_target(struct trace_fprobe_command *c, const char *word)
{
	char *suffix;
	int ret = 0;

	trace_probe_log_set_index(1);
	c->symbol = kstrdup(word, GFP_KERNEL);
	if (!c->symbol)
		return -ENOMEM;
	suffix = strchr(c->symbol, '%');
	if (suffix)
		ret = parse_suffix(c, suffix);
	if (ret)
		return ret;
	return c->is_tracepoint ? check_tracepoint_name(c->symbol) :
				  check_function_name(c->symbol);
}

/* An event with the value that the function returns is at the exit. */
static bool has_retval(const char *arg)
{
	static const char word[] = "$retval";
	const char *p = strstr(arg, word);

	return p && !isalnum(p[sizeof(word) - 1]) && p[sizeof(word) - 1] != '_';
}

static void find_retval(struct trace_fprobe_command *c)
{
	int i;

	for (i = 0; i < c->nr_args && !c->is_tracepoint; i++)
		c->is_return |= has_retval(c->args[i]);
}

static int check_maxactive(const struct trace_fprobe_command *c)
{
	if (!c->has_maxactive || c->is_return)
		return 0;
	trace_probe_log_set_index(0);
	trace_probe_log_err(1, BAD_MAXACT_TYPE);
	return -EINVAL;
}

static void clean_name(char *name)
{
	for (; *name; name++) {
		if (!isalnum(*name) && *name != '_')
			*name = '_';
	}
}

/*
 * What does not fit is cut, and what a name cannot have is left out. So that two
 * targets do not become one event, a hash of the whole target tells them apart.
 */
static void make_name(struct trace_fprobe_command *c)
{
	const char *lead = isdigit(*c->symbol) ? "_" : "";
	const char *end = c->is_tracepoint ? "" : c->is_return ? "__exit" : "__entry";
	size_t room = sizeof(c->name) - 1 - strlen(lead) - strlen(end);
	size_t len = strlen(c->symbol);
	char hash[10] = "";

	if (len > room || trace_fprobe_is_pattern(c->symbol)) {
		snprintf(hash, sizeof(hash), "_%08x", jhash(c->symbol, len, 0));
		len = min(len, room - strlen(hash));
	}
	scnprintf(c->name, sizeof(c->name), "%s%.*s%s%s", lead, (int)len, c->symbol,
		  hash, end);
	clean_name(c->name);
	c->event = c->name;
}

static int parse_name(struct trace_fprobe_command *c, const char *word)
{
	const char *colon = strchr(word, ':');
	int ret = 0;

	trace_probe_log_set_index(0);
	c->group = c->is_tracepoint ? TRACEPOINT_GROUP : FUNCTION_GROUP;
	if (colon) {
		c->event = colon + 1;
		ret = traceprobe_parse_event_name(&c->event, &c->group, c->group_buf,
						  c->event - word);
	}
	if (!ret && !c->event)
		make_name(c);
	return ret;
}

/* Arguments that name parameters of it are made when it comes. */
static bool is_absent(const struct trace_fprobe_command *c)
{
	return c->is_tracepoint ? !c->found.tp : !c->is_loaded;
}

/*
 * Whose parameters the arguments may name. Not those of a function that only has the
 * name of the target: of several functions, or of what is not there yet.
 */
static int find_func(struct trace_fprobe_command *c)
{
	if (is_absent(c) || trace_fprobe_is_pattern(c->symbol))
		c->func = kstrdup("", GFP_KERNEL);
	else if (c->is_tracepoint)
		c->func = trace_tpoint_stub_name(c->found.tp, c->found.mod);
	else
		c->func = kstrdup(c->symbol, GFP_KERNEL);
	return c->func ? 0 : -ENOMEM;
}

static int expand_args(struct trace_fprobe_command *c)
{
	int nr;

	c->expanded = traceprobe_expand_meta_args(c->nr_args, c->args, &nr, NULL, 0, &c->ctx);
	if (IS_ERR(c->expanded)) {
		nr = PTR_ERR(c->expanded);
		c->expanded = NULL;
		return nr;
	}
	if (c->expanded) {
		c->args = c->expanded;
		c->nr_args = nr;
	}
	if (c->nr_args > MAX_TRACE_ARGS)
		return trace_probe_log_too_many_args();
	return traceprobe_expand_dentry_args(c->nr_args, c->args, &c->dentries);
}

static void set_context(struct trace_fprobe_command *c)
{
	c->ctx.funcname = c->func;
	if (trace_fprobe_is_pattern(c->symbol))
		c->ctx.pattern = c->symbol;
	c->ctx.flags = trace_fprobe_arg_flags(c->is_tracepoint, c->is_return);
	if (is_absent(c))
		c->ctx.flags |= TPARG_FL_ABSENT;
}

static int find_target(struct trace_fprobe_command *c)
{
	int ret;

	c->found.name = c->symbol;
	if (c->is_tracepoint)
		trace_tpoint_find(&c->found);
	else
		/* One that is being loaded has functions, too, when its init function runs. */
		c->is_loaded = trace_fprobe_module_is_loaded(c->symbol) ||
			       fprobe_count_functions(c->symbol) > 0;
	ret = find_func(c);
	if (ret)
		return ret;
	set_context(c);
	return expand_args(c);
}

/**
 * trace_fprobe_command_parse() - take a line apart
 * @c: zeroed; filled with what the line says. trace_fprobe_command_free() has to
 *	follow, also on an error
 * @argc: how many words there are, two at least
 * @argv: the words
 *
 * Context: process context, between trace_probe_log_init() and _clear(). event_mutex
 * is not held. May sleep.
 * Return: 0, or an error, in the log but for -ENOMEM.
 */
int trace_fprobe_command_parse(struct trace_fprobe_command *c, int argc,
			       const char **argv)
{
	int ret;

	c->modules = trace_fprobe_modules();
	c->is_tracepoint = argv[0][0] == 't';
	c->args = argv + 2;
	c->nr_args = argc - 2;
	ret = parse_maxactive(c, argv[0]);
	if (!ret)
		ret = parse_target(c, argv[1]);
	if (ret)
		return ret;
	find_retval(c);
	ret = check_maxactive(c);
	if (!ret)
		ret = parse_name(c, argv[0]);
	return ret ?: find_target(c);
}

/**
 * trace_fprobe_command_free() - free what a command holds
 * @c: the command; not freed itself
 *
 * Context: process context, event_mutex not held. May sleep.
 */
void trace_fprobe_command_free(struct trace_fprobe_command *c)
{
	traceprobe_finish_parse(&c->ctx);
	trace_tpoint_put(&c->found);
	kfree(c->expanded);
	kfree(c->dentries);
	kfree(c->func);
	kfree(c->symbol);
}
