/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_H
#define _TRACE_FPROBE_H
/*
 * Events on functions ("f") and on tracepoints ("t"): what their files share.
 *
 * A line of text (trace_fprobe_command.c) becomes a struct trace_fprobe
 * (trace_fprobe.c). Several with one name are one event (trace_fprobe_event.c). Their
 * fprobes are registered while the event is enabled and the target is there
 * (trace_fprobe_arm.c, trace_fprobe_module.c). A hit writes records
 * (trace_fprobe_hit.c). The target of a "t" is the function that tracepoint.h defines
 * beside each tracepoint to be called with its arguments; while events want it, it is
 * attached to the tracepoint (trace_fprobe_tpoint.c).
 *
 * event_mutex guards all of it, but for what hits count.
 */
#include <linux/atomic.h>
#include <linux/fprobe.h>
#include <linux/list.h>
#include <linux/percpu.h>

#include "trace_dynevent.h"
#include "trace_probe.h"

struct module;
struct tracepoint;

/**
 * enum trace_fprobe_state - what an event on a target is
 * @TRACE_FPROBE_OFF: the event is disabled, the target is there
 * @TRACE_FPROBE_OFF_ABSENT: disabled, the module of the target is not loaded
 * @TRACE_FPROBE_ARMED: enabled, and calls are followed
 * @TRACE_FPROBE_WAITING: enabled, and waits for the module of the target
 * @TRACE_FPROBE_FAILED: enabled, and could not be armed; no module is waited for
 * @TRACE_FPROBE_NR_STATES: how many states there are
 */
enum trace_fprobe_state {
	TRACE_FPROBE_OFF,
	TRACE_FPROBE_OFF_ABSENT,
	TRACE_FPROBE_ARMED,
	TRACE_FPROBE_WAITING,
	TRACE_FPROBE_FAILED,
	TRACE_FPROBE_NR_STATES,
};

/**
 * enum trace_fprobe_cause - why an event on a target changes its state
 * @TRACE_FPROBE_ENABLE: the event gets its first user, the trace or perf
 * @TRACE_FPROBE_DISABLE: it has lost the last one
 * @TRACE_FPROBE_COMES: the module of the target is being loaded
 * @TRACE_FPROBE_GOES: it is being removed
 * @TRACE_FPROBE_NR_CAUSES: how many causes there are
 */
enum trace_fprobe_cause {
	TRACE_FPROBE_ENABLE,
	TRACE_FPROBE_DISABLE,
	TRACE_FPROBE_COMES,
	TRACE_FPROBE_GOES,
	TRACE_FPROBE_NR_CAUSES,
};

/**
 * struct trace_fprobe - an event on a target
 * @devent: links the dynamic events
 * @fp: calls the handlers; registered while @state is TRACE_FPROBE_ARMED
 * @symbol: the target as it was written, without "%return"
 * @filter: the functions of @fp, as for register_fprobe(); NULL for a tracepoint that
 *	is not there
 * @stub: what @filter points to, for a tracepoint
 * @is_return: the event is at the exit
 * @is_tracepoint: the target is a tracepoint
 * @changes: the functions whose parameters the arguments are may be others when a module
 *	has come
 * @modules: how many modules had come when the arguments were made
 * @unbuilt: the arguments have no programs for the module that is loaded, if one is
 * @state: see there
 * @tpoint: the tracepoint, while it is there
 * @mod: the module of @tpoint; NULL if it is the kernel's
 * @nhit: how often the handlers were called while the event was enabled
 * @lost: for how many of these no record could be written
 * @faults: how many values could not be read, of all records
 * @past: what was missed by earlier registrations of @fp, for each cause
 * @batch: links those that are to change their state together
 * @tp: the name, the arguments and the users of the event; the last member
 */
struct trace_fprobe {
	struct dyn_event devent;
	struct fprobe fp;
	char *symbol;
	const char *filter;
	char *stub;
	bool is_return;
	bool is_tracepoint;
	bool changes;
	bool unbuilt;
	unsigned int modules;
	enum trace_fprobe_state state;
	struct tracepoint *tpoint;
	struct module *mod;
	unsigned long __percpu *nhit;
	atomic_long_t lost;
	atomic_long_t faults;
	unsigned long past[FPROBE_NR_MISSES];
	struct list_head batch;
	struct trace_probe tp;
};

/* trace_fprobe.c; with event_mutex held */
struct trace_fprobe *trace_fprobe_of(struct dyn_event *ev);
struct trace_fprobe *trace_fprobe_next(struct trace_fprobe *tf);

/**
 * for_each_trace_fprobe - walk over all events on functions and on tracepoints
 * @tf: the struct trace_fprobe * that is set
 *
 * Context: event_mutex held.
 */
#define for_each_trace_fprobe(tf) \
	for (tf = trace_fprobe_next(NULL); tf; tf = trace_fprobe_next(tf))

/* trace_fprobe_event.c; with event_mutex held, may sleep */
int trace_fprobe_register_call(struct trace_fprobe *tf);

/* trace_fprobe_args.c and _command.c; likewise, but for the first two */
unsigned int trace_fprobe_arg_flags(bool is_tracepoint, bool is_return);
bool trace_fprobe_is_pattern(const char *symbol);
int trace_fprobe_update_args(struct trace_fprobe *tf);
int trace_fprobe_rebuild_args(struct trace_fprobe *tf);
void trace_fprobe_log(struct trace_fprobe *tf, bool absent);

/* trace_fprobe_arm.c; likewise */
int trace_fprobes_move(struct list_head *tfs, enum trace_fprobe_cause cause);
int trace_fprobe_move(struct trace_fprobe *tf, enum trace_fprobe_cause cause);

/* trace_fprobe_hit.c; called by fprobes */
int trace_fprobe_on_entry(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data);
int trace_fprobe_keep_args(struct fprobe *fp, unsigned long entry_ip,
			   unsigned long ret_ip, struct pt_regs *regs, void *data);
void trace_fprobe_on_exit(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data);

/**
 * struct trace_tpoint - a tracepoint that was looked up
 * @name: its name
 * @tp: the tracepoint; NULL if there is none
 * @mod: its module, with a reference; NULL if it is the kernel's
 */
struct trace_tpoint {
	const char *name;
	struct tracepoint *tp;
	struct module *mod;
};

/* trace_fprobe_tpoint.c; the first ones without event_mutex, may sleep */
void trace_tpoint_find(struct trace_tpoint *found);
void trace_tpoint_put(struct trace_tpoint *found);
void trace_tpoint_recheck(const char *name);
char *trace_tpoint_stub_name(const struct tracepoint *tp, struct module *mod);
int trace_tpoint_attach(struct trace_fprobe *tf, struct tracepoint *tp,
			struct module *mod);
int trace_tpoint_stub_get(struct tracepoint *tp);
void trace_tpoint_stub_put(struct tracepoint *tp);
int trace_tpoint_init(void);

/* trace_fprobe_module.c; with event_mutex held, but for the first */
unsigned int trace_fprobe_modules(void);
bool trace_fprobe_in_module(const struct trace_fprobe *tf);

/* trace_fprobe_profile.c */
void trace_fprobe_profile_create(void);

#endif /* _TRACE_FPROBE_H */
