/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_COMMAND_H
#define _TRACE_FPROBE_COMMAND_H
/*
 * A line that defines an event on a function or a tracepoint, taken apart.
 */
#include "trace_fprobe.h"

/**
 * struct trace_fprobe_command - a line that was taken apart
 * @is_tracepoint: it is about a tracepoint
 * @is_return: it is about the exit of a function
 * @has_maxactive: there is a number behind the letter
 * @is_loaded: the module of the function is there, if one is named
 * @modules: how many modules had come when it was
 * @maxactive: that number, or 0
 * @symbol: the target, without "%return"
 * @func: the function whose parameters may be named; "" if that is not known
 * @found: the tracepoint, if it is there
 * @group: the name of the event's group
 * @event: the name of the event
 * @args: the arguments
 * @nr_args: how many there are
 * @ctx: for the parser of arguments
 * @name: where @event is, if it was made up
 * @group_buf: for the parser of names
 * @expanded: @args, if $arg* was among them
 * @dentries: where %pd and %pD are expanded to
 */
struct trace_fprobe_command {
	bool is_tracepoint;
	bool is_return;
	bool has_maxactive;
	bool is_loaded;
	unsigned int modules;
	unsigned int maxactive;
	char *symbol;
	char *func;
	struct trace_tpoint found;
	const char *group;
	const char *event;
	const char **args;
	int nr_args;
	struct traceprobe_parse_context ctx;
	char name[MAX_EVENT_NAME_LEN];
	char group_buf[MAX_EVENT_NAME_LEN];
	const char **expanded;
	char *dentries;
};

/* trace_fprobe_command.c; may sleep, event_mutex not held */
int trace_fprobe_command_parse(struct trace_fprobe_command *c, int argc,
			       const char **argv);
void trace_fprobe_command_free(struct trace_fprobe_command *c);

/* trace_fprobe_args.c; may sleep */
int trace_fprobe_define_args(struct trace_fprobe *tf, struct trace_fprobe_command *c);

/* trace_fprobe_module.c */
bool trace_fprobe_module_is_loaded(const char *symbol);
int trace_fprobe_find_target(struct trace_fprobe *tf);
int trace_fprobe_module_init(void);

#endif /* _TRACE_FPROBE_COMMAND_H */
