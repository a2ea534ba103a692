/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What the events on kprobes, uprobes, fprobes, tracepoints and other events share:
 * the life of an event, its arguments, and what is logged of a refused command.
 *
 * An argument is a short program, see &struct fetch_insn. Its first instruction says
 * where a value comes from. The files of the events know some of these sources and
 * execute them; all that follows is executed by trace_probe_tmpl.h.
 */
#ifndef _KERNEL_TRACE_PROBE_H
#define _KERNEL_TRACE_PROBE_H

#include <linux/bitops.h>
#include <linux/btf.h>
#include <linux/cleanup.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/list.h>
#include <linux/perf_event.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <linux/tracefs.h>
#include <linux/types.h>
#include <linux/unaligned.h>

#include "fetch/error.h"
#include "trace.h"
#include "trace_output.h"

#define MAX_TRACE_ARGS		128
#define MAX_EVENT_NAME_LEN	64
#define MAX_ARGSTR_LEN		63
#define MAX_STRING_SIZE		PATH_MAX
#define MAX_PROBE_EVENT_SIZE	3072

/* The text that $arg* stands for needs no buffer of the caller's. */
#define MAX_BTF_ARGS_LEN	1

/* Fields of records that no argument can be named after. */
#define FIELD_STRING_IP		"__probe_ip"
#define FIELD_STRING_RETIP	"__probe_ret_ip"
#define FIELD_STRING_FUNC	"__probe_func"

/* In a function that has variables @field, of the type of the record's head, and @ret. */
#define DEFINE_FIELD(_type, _item, _name, _is_signed)				\
do {										\
	ret = trace_define_field(event_call, #_type, _name,			\
				 offsetof(typeof(field), _item),		\
				 sizeof(field._item), _is_signed, FILTER_OTHER); \
	if (ret)								\
		return ret;							\
} while (0)

/* Stands for the name of the task where a value is the address of a string. */
#define FETCH_TOKEN_COMM	(-ECOMM)

/**
 * enum fetch_op - what an instruction of an argument does
 * @FETCH_OP_END: the value is recorded
 * @FETCH_OP_REG: source: register @param, an offset in &struct pt_regs
 * @FETCH_OP_STACK: source: word @param of the stack
 * @FETCH_OP_STACKP: source: the stack pointer
 * @FETCH_OP_RETVAL: source: what a function returns in its first register
 * @FETCH_OP_ARG: source: register of argument @param, counted from 0
 * @FETCH_OP_EDATA: source: what was kept at byte @offset when the function was entered
 * @FETCH_OP_COMM: source: the name of the task
 * @FETCH_OP_FOFFS: source: the address of byte @immediate of the probed file
 * @FETCH_OP_TP_ARG: source: the field @data of another event
 * @FETCH_OP_IMM: source: the constant @immediate
 * @FETCH_OP_DATA: source: the text @data
 * @FETCH_OP_CURRENT: source: the task
 * @FETCH_OP_CLOCK: source, at the entry of a function: the time
 * @FETCH_NOP_SYMBOL: no source: the symbol @data, whose address the next instruction has
 * @FETCH_OP_ADD: @immediate is added to the value
 * @FETCH_OP_CPU: the value becomes the address on this CPU of what it is the address of
 * @FETCH_OP_ELAPSED: the value becomes the time since it was the time
 * @FETCH_OP_READ: the next value is in @size bytes, which are @offset behind the value
 * @FETCH_OP_READ_USER: as that, in the memory of the user
 * @FETCH_OP_SHIFT: the value loses @left bits, and then moves @right bits down, with
 *		    its sign if @is_signed
 * @FETCH_OP_PUT: record the lowest @size bytes of the value
 * @FETCH_OP_COPY: record @size bytes, which are @offset behind the value
 * @FETCH_OP_COPY_USER: as that, from the memory of the user
 * @FETCH_OP_STRING: record the string that is @offset behind the value
 * @FETCH_OP_STRING_USER: as that, from the memory of the user
 * @FETCH_OP_TEXT: record the constant text that the value is the address of
 * @FETCH_OP_SYMSTR: record the name of the symbol that the value is the address of
 * @FETCH_OP_ARRAY: what follows is done @param times, each @size bytes further
 * @FETCH_OP_STRINGS: as that, of strings
 *
 * The callers are the files of events that have a process_fetch_insn(). They execute
 * what they know of the sources up to %FETCH_OP_TP_ARG, skip %FETCH_NOP_SYMBOL, and
 * leave all else to process_common_fetch_insn() and process_fetch_insn_bottom().
 */
enum fetch_op {
	FETCH_OP_END,
	FETCH_OP_REG,
	FETCH_OP_STACK,
	FETCH_OP_STACKP,
	FETCH_OP_RETVAL,
	FETCH_OP_ARG,
	FETCH_OP_EDATA,
	FETCH_OP_COMM,
	FETCH_OP_FOFFS,
	FETCH_OP_TP_ARG,
	FETCH_OP_IMM,
	FETCH_OP_DATA,
	FETCH_OP_CURRENT,
	FETCH_OP_CLOCK,
	FETCH_NOP_SYMBOL,
	FETCH_OP_ADD,
	FETCH_OP_CPU,
	FETCH_OP_ELAPSED,
	FETCH_OP_READ,
	FETCH_OP_READ_USER,
	FETCH_OP_SHIFT,
	FETCH_OP_PUT,
	FETCH_OP_COPY,
	FETCH_OP_COPY_USER,
	FETCH_OP_STRING,
	FETCH_OP_STRING_USER,
	FETCH_OP_TEXT,
	FETCH_OP_SYMSTR,
	FETCH_OP_ARRAY,
	FETCH_OP_STRINGS,
};

/**
 * struct fetch_insn - an instruction of an argument
 * @op: what it does
 * @size: bytes of a value, or of an element
 * @left: bits to shift to the left
 * @right: bits to shift to the right, then
 * @is_signed: the value has a sign
 * @limit: bytes in which a string has its null, if it has one; 0 for any number
 * @param: a number, see &enum fetch_op
 * @offset: bytes
 * @immediate: a constant
 * @data: what belongs to it: text, the name of a symbol, or a field
 */
struct fetch_insn {
	u8 op;
	u8 size;
	u8 left;
	u8 right;
	bool is_signed;
	u16 limit;
	union {
		unsigned int param;
		int offset;
		unsigned long immediate;
		void *data;
	};
};

/* More than any argument needs: see FETCH_MAX_DEREF and FETCH_MAX_PATH. */
#define FETCH_INSN_MAX		256

struct fetch_names;
struct fetch_type;
struct module;

/**
 * struct probe_arg - an argument of an event
 * @code: how it is recorded; ends with %FETCH_OP_END
 * @automatic: its name is not in the text that defined it
 * @by_words: it has a program for each of its elements, one behind the other
 * @dynamic: it is a string, or an array of strings: its length is known when it is
 *	     recorded
 * @offset: its first byte, behind the head of the record
 * @size: bytes of the field, without the strings behind all fields
 * @count: number of elements; 0 if it is no array
 * @name: its name
 * @comm: the text that defined it, without the name
 * @type: what an element is
 * @names: what is printed for its values, or NULL
 */
struct probe_arg {
	struct fetch_insn *code;
	bool automatic;
	bool by_words;
	bool dynamic;
	u32 offset;
	u32 size;
	u32 count;
	const char *name;
	const char *comm;
	const struct fetch_type *type;
	const struct fetch_names *names;
};

/**
 * struct probe_entry_arg - what is kept from the entry of a function to its exit
 * @words: how many words
 * @nr: number of instructions, without %FETCH_OP_END
 * @code: for each word a source and what makes a word of it, up to the %FETCH_OP_EDATA
 *	  that says where it is kept; ends with %FETCH_OP_END
 */
struct probe_entry_arg {
	unsigned int words;
	unsigned int nr;
	struct fetch_insn code[];
};

/**
 * struct trace_uprobe_filter - which processes an event on a uprobe is for
 * @rwlock: guards the others
 * @nr_systemwide: number of perf events for all processes
 * @perf_events: those for single ones
 */
struct trace_uprobe_filter {
	rwlock_t rwlock;
	int nr_systemwide;
	struct list_head perf_events;
};

/**
 * struct trace_probe_event - an event, which one probe or several record
 * @flags: TP_FLAG_*
 * @class: that of @call, which no other event has
 * @call: the event itself
 * @files: &struct event_file_link, one for each instance of the trace where it is on;
 *	   changed under event_mutex, read under RCU with preemption disabled
 * @quiet: a state of RCU. When it has passed, no hit uses a file that was taken from
 *	   @files; guarded by event_mutex
 * @probes: &struct trace_probe.list; guarded by event_mutex
 * @texts: names and types of the fields, which outlive the probe that they are of
 * @filter: of uprobes only: one
 */
struct trace_probe_event {
	unsigned int flags;
	struct trace_event_class class;
	struct trace_event_call call;
	struct list_head files;
	unsigned long quiet;
	struct list_head probes;
	char *texts;
	struct trace_uprobe_filter filter[];
};

#define TP_FLAG_TRACE		BIT(0)
#define TP_FLAG_PROFILE		BIT(1)

/**
 * struct trace_probe - a probe that records an event
 * @list: in the event's list of probes
 * @event: the event
 * @size: bytes of all fields, without the head and the strings
 * @nr_args: number of arguments
 * @dynamic: one of them is a string, see &struct probe_arg
 * @entry_arg: what is kept from the entry, or NULL
 * @args: the arguments
 */
struct trace_probe {
	struct list_head list;
	struct trace_probe_event *event;
	ssize_t size;
	unsigned int nr_args;
	bool dynamic;
	struct probe_entry_arg *entry_arg;
	struct probe_arg args[];
};

/**
 * struct event_file_link - an instance of the trace where an event is on
 * @file: of that instance
 * @list: in &struct trace_probe_event.files
 * @rcu: for it to be freed when no hit looks at it any more
 */
struct event_file_link {
	struct trace_event_file *file;
	struct list_head list;
	struct rcu_head rcu;
};

/**
 * struct uprobe_dispatch_data - what a uprobe's source needs, in current->utask->vaddr
 * @tu: the event
 * @bp_addr: address of the breakpoint
 */
struct uprobe_dispatch_data {
	struct trace_uprobe *tu;
	unsigned long bp_addr;
};

/* What a hit reads without a lock. */
static inline unsigned int trace_probe_load_flag(struct trace_probe *tp)
{
	return READ_ONCE(tp->event->flags);
}

static inline bool trace_probe_test_flag(struct trace_probe *tp, unsigned int flag)
{
	return trace_probe_load_flag(tp) & flag;
}

static inline void trace_probe_set_flag(struct trace_probe *tp, unsigned int flag)
{
	WRITE_ONCE(tp->event->flags, tp->event->flags | flag);
}

static inline void trace_probe_clear_flag(struct trace_probe *tp, unsigned int flag)
{
	WRITE_ONCE(tp->event->flags, tp->event->flags & ~flag);
}

static inline bool trace_probe_is_enabled(struct trace_probe *tp)
{
	return trace_probe_test_flag(tp, TP_FLAG_TRACE | TP_FLAG_PROFILE);
}

static inline struct trace_event_call *trace_probe_event_call(struct trace_probe *tp)
{
	return &tp->event->call;
}

static inline const char *trace_probe_group_name(struct trace_probe *tp)
{
	return tp->event->class.system;
}

static inline const char *trace_probe_name(struct trace_probe *tp)
{
	return trace_event_name(trace_probe_event_call(tp));
}

static inline struct trace_probe_event *trace_probe_event_from_call(struct trace_event_call *call)
{
	return container_of(call, struct trace_probe_event, call);
}

/* The probe that was there first. */
static inline struct trace_probe *trace_probe_primary_from_call(struct trace_event_call *call)
{
	return list_first_entry_or_null(&trace_probe_event_from_call(call)->probes,
					struct trace_probe, list);
}

static inline struct list_head *trace_probe_probe_list(struct trace_probe *tp)
{
	return &tp->event->probes;
}

static inline bool trace_probe_has_sibling(struct trace_probe *tp)
{
	return !list_is_singular(trace_probe_probe_list(tp));
}

static inline bool trace_probe_has_single_file(struct trace_probe *tp)
{
	return list_is_singular(&tp->event->files);
}

#define trace_probe_for_each_link(pos, tp)	\
	list_for_each_entry(pos, &(tp)->event->files, list)
#define trace_probe_for_each_link_rcu(pos, tp)	\
	list_for_each_entry_rcu(pos, &(tp)->event->files, list)

/* The life of an event: trace_probe.c */
int trace_probe_init(struct trace_probe *tp, const char *event, const char *group,
		     bool alloc_filter, int nargs);
void trace_probe_cleanup(struct trace_probe *tp);
int trace_probe_append(struct trace_probe *tp, struct trace_probe *to);
void trace_probe_unlink(struct trace_probe *tp);
int trace_probe_register_event_call(struct trace_probe *tp);
int trace_probe_unregister_event_call(struct trace_probe *tp);
int trace_probe_add_file(struct trace_probe *tp, struct trace_event_file *file);
int trace_probe_remove_file(struct trace_probe *tp, struct trace_event_file *file);
struct event_file_link *trace_probe_get_file_link(struct trace_probe *tp,
						  struct trace_event_file *file);
int trace_probe_compare_arg_type(struct trace_probe *a, struct trace_probe *b);
bool trace_probe_match_command_args(struct trace_probe *tp, int argc, const char **argv);
int trace_probe_create(const char *raw_command, int (*createfn)(int argc, const char **argv));

/* What is shown of records: fetch/print.c */
enum probe_print_type {
	PROBE_PRINT_NORMAL,
	PROBE_PRINT_RETURN,
	PROBE_PRINT_EVENT,
};

int trace_probe_print_args(struct trace_seq *s, struct probe_arg *args, int nr_args,
			   u8 *data, void *field);
int traceprobe_set_print_fmt(struct trace_probe *tp, enum probe_print_type ptype);
int traceprobe_define_arg_fields(struct trace_event_call *event_call, size_t offset,
				 struct trace_probe *tp);

/* What an event is, for its arguments. */
#define TPARG_FL_RETURN		BIT(0)
#define TPARG_FL_KERNEL		BIT(1)
#define TPARG_FL_FENTRY		BIT(2)
#define TPARG_FL_TEVENT		BIT(3)
#define TPARG_FL_USER		BIT(4)
#define TPARG_FL_FPROBE		BIT(5)
#define TPARG_FL_TPOINT		BIT(6)
/* The function is in a module that is not loaded. */
#define TPARG_FL_ABSENT		BIT(7)

/**
 * struct traceprobe_parse_context - what the arguments of a command are read with
 * @event: with %TPARG_FL_TEVENT, the event whose fields are variables
 * @funcname: the function, as the command names it: also ``MODULE:NAME``; or NULL. With
 *	      %TPARG_FL_TPOINT a function with the tracepoint's parameters behind one
 *	      that is not offered.
 * @pattern: of an event on several functions, what stands for them; they may have
 *	     parameters in common
 * @flags: TPARG_FL_*
 * @offset: not used any more
 * @btf: has the types of @funcname, or of one of several; NULL as long as nothing has asked for it
 * @proto: prototype of @funcname
 * @changes: what an argument is made for may be other functions later: it is a parameter
 *	     that all functions of @pattern have, or @funcname is the name of a module's
 *
 * Zeroed but for what a caller knows, and given to traceprobe_finish_parse() in the end.
 */
struct traceprobe_parse_context {
	struct trace_event_call *event;
	const char *funcname;
	const char *pattern;
	unsigned int flags;
	int offset;
	struct btf *btf;
	const struct btf_type *proto;
	bool changes;
};

/* The words of a command: fetch/command.c */
int traceprobe_split_symbol_offset(char *symbol, long *offset);
int traceprobe_parse_event_name(const char **pevent, const char **pgroup, char *buf, int offset);
const char **traceprobe_expand_meta_args(int argc, const char *argv[], int *new_argc,
					 char *buf, int bufsize,
					 struct traceprobe_parse_context *ctx);
int traceprobe_expand_dentry_args(int argc, const char *argv[], char **buf);

#ifdef CONFIG_MODULES
struct module *traceprobe_find_module(const char *symbol);
#else
static inline struct module *traceprobe_find_module(const char *symbol)
{
	return NULL;
}
#endif

/* Arguments: fetch/argument.c, fetch/rebuild.c */
int traceprobe_parse_probe_arg(struct trace_probe *tp, int i, const char *argv,
			       struct traceprobe_parse_context *ctx);
int traceprobe_update_arg(struct probe_arg *arg);
int traceprobe_rebuild_args(struct trace_probe *tp, struct traceprobe_parse_context *ctx,
			    struct fetch_failure *failure, unsigned int *n);
void traceprobe_free_probe_arg(struct probe_arg *arg);
void traceprobe_finish_parse(struct traceprobe_parse_context *ctx);
int traceprobe_get_entry_data_size(struct trace_probe *tp);

/* What error_log says: fetch/log.c. Guarded by the mutex that creates events. */
void trace_probe_log_init(const char *subsystem, int argc, const char **argv);
void trace_probe_log_set_index(int index);
void trace_probe_log_clear(void);
void trace_probe_log_error(int offset, enum fetch_error error);
int trace_probe_log_too_many_args(void);

#define trace_probe_log_err(offset, error)	trace_probe_log_error(offset, FETCH_E_##error)

#ifndef CONFIG_KPROBE_EVENTS
static inline bool trace_kprobe_error_injectable(struct trace_event_call *call)
{
	return false;
}

static inline bool trace_kprobe_on_func_entry(struct trace_event_call *call)
{
	return false;
}
#else
bool trace_kprobe_error_injectable(struct trace_event_call *call);
bool trace_kprobe_on_func_entry(struct trace_event_call *call);
#endif

#ifdef CONFIG_PERF_EVENTS
struct trace_event_call *create_local_trace_kprobe(char *func, void *addr, unsigned long offs,
						   bool is_return);
void destroy_local_trace_kprobe(struct trace_event_call *event_call);
struct trace_event_call *create_local_trace_uprobe(char *name, unsigned long offs,
						   unsigned long ref_ctr_offset, bool is_return);
void destroy_local_trace_uprobe(struct trace_event_call *event_call);
#endif

/* A string in a record: its length, and where it is from the start of the record. */
static inline u32 make_data_loc(u32 len, u32 offset)
{
	return len << 16 | (offset & 0xffff);
}

static inline u32 get_loc_len(u32 loc)
{
	return loc >> 16;
}

static inline u32 get_loc_offs(u32 loc)
{
	return loc & 0xffff;
}

/* Fields have no padding before them. */
static inline u32 read_data_loc(const void *field)
{
	return get_unaligned((const u32 *)field);
}

static inline void write_data_loc(void *field, u32 len, u32 offset)
{
	put_unaligned(make_data_loc(len, offset), (u32 *)field);
}

/* @loc: the field; @record: the start of the record */
static inline void *get_loc_data(void *loc, void *record)
{
	return (u8 *)record + get_loc_offs(read_data_loc(loc));
}

#endif
