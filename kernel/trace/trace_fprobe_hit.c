// SPDX-License-Identifier: GPL-2.0
/*
 * A function or a tracepoint with an event is hit: write records.
 *
 * fprobes calls what is here behind its guard against recursion, with preemption
 * disabled.
 */
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/trace_events.h>
#include <asm/fprobe.h>
#include <asm/ptrace.h>

#include "trace_fprobe.h"
#include "trace_probe_kernel.h"
#include "trace_probe_tmpl.h"

/**
 * struct trace_fprobe_hit - a call that an event is at
 * @tf: the event
 * @regs: the registers. At an entry, those that hold arguments and the stack pointer
 * @edata: what was kept at the entry for the exit, or NULL
 * @ip: the site of the function
 * @ret_ip: where the function returns to
 */
struct trace_fprobe_hit {
	struct trace_fprobe *tf;
	struct pt_regs *regs;
	void *edata;
	unsigned long ip;
	unsigned long ret_ip;
};

/* At the exit, that of the entry is kept; what is left is as what an entry keeps. */
static nokprobe_inline int fetch_from_call(struct fetch_insn *code,
					   struct pt_regs *regs, void *edata,
					   unsigned long *val)
{
	switch (code->op) {
	case FETCH_OP_EDATA:
		*val = *(unsigned long *)(edata + code->offset);
		return 0;
	case FETCH_OP_RETVAL:
		*val = regs_return_value(regs);
		return 0;
	default:
		return fetch_entry_source(code, regs, val);
	}
}

static noinline int fetch_any(struct fetch_insn *code, void *rec, void *edata,
			      void *dest, void *base)
{
	unsigned long val;
	int ret;

	while (code->op == FETCH_NOP_SYMBOL)
		code++;
	ret = fetch_from_call(code, rec, edata, &val);
	if (ret < 0)
		return ret;
	return process_fetch_insn_bottom(code + 1, val, dest, base);
}

NOKPROBE_SYMBOL(fetch_any)

/* For trace_probe_tmpl.h: fetch one argument, or the part of one. */
static nokprobe_inline int process_fetch_insn(struct fetch_insn *code, void *rec, void *edata,
					      void *dest, void *base)
{
	if (fetch_put_argument(code, rec, dest))
		return 0;
	return fetch_any(code, rec, edata, dest, base);
}

static nokprobe_inline size_t hit_head_size(const struct trace_fprobe_hit *hit)
{
	return hit->tf->is_return ? sizeof(struct fexit_trace_entry_head) :
				    sizeof(struct fentry_trace_entry_head);
}

static nokprobe_inline int hit_data_size(const struct trace_fprobe_hit *hit)
{
	return __get_data_size(&hit->tf->tp, hit->regs, hit->edata);
}

static nokprobe_inline void hit_fill_head(const struct trace_fprobe_hit *hit,
					  void *entry)
{
	struct fexit_trace_entry_head *back = entry;
	struct fentry_trace_entry_head *call = entry;

	if (hit->tf->is_return) {
		back->func = hit->ip;
		back->ret_ip = hit->ret_ip;
	} else {
		call->ip = hit->ip;
	}
}

static nokprobe_inline void hit_faults(struct trace_fprobe *tf, int faults)
{
	if (unlikely(faults))
		atomic_long_add(faults, &tf->faults);
}

static nokprobe_inline void hit_fill(const struct trace_fprobe_hit *hit, void *entry, int dsize)
{
	size_t head = hit_head_size(hit);

	hit_fill_head(hit, entry);
	hit_faults(hit->tf, store_trace_args(entry + head, &hit->tf->tp, hit->regs,
					     hit->edata, head, dsize));
}

static nokprobe_inline void hit_lost(const struct trace_fprobe_hit *hit)
{
	atomic_long_inc(&hit->tf->lost);
}

/* Nothing is lost of what is not to be recorded. */
static nokprobe_inline bool trace_wants(struct trace_event_file *file)
{
	return tracer_tracing_is_on(file->tr) &&
	       cpumask_test_cpu(smp_processor_id(), file->tr->tracing_cpumask) &&
	       !(file->flags & EVENT_FILE_FL_PID_FILTER &&
		 trace_event_ignore_this_pid(file));
}

static nokprobe_inline void hit_trace_file(const struct trace_fprobe_hit *hit,
					   struct trace_event_file *file)
{
	struct trace_event_buffer fbuffer;
	void *entry;
	int dsize;

	if (trace_trigger_soft_disabled(file))
		return;
	dsize = hit_data_size(hit);
	entry = trace_event_buffer_reserve(&fbuffer, file, hit_head_size(hit) +
					   hit->tf->tp.size + dsize);
	if (!entry) {
		if (trace_wants(file))
			hit_lost(hit);
		return;
	}
	fbuffer.regs = hit->regs;
	hit_fill(hit, entry, dsize);
	trace_event_buffer_commit(&fbuffer);
}

static nokprobe_inline void hit_trace(const struct trace_fprobe_hit *hit)
{
	struct event_file_link *link;

	trace_probe_for_each_link_rcu(link, &hit->tf->tp)
		hit_trace_file(hit, link->file);
}

#ifdef CONFIG_PERF_EVENTS
static noinline void perf_record(const struct trace_fprobe_hit *hit, struct hlist_head *head)
{
	struct trace_event_call *call = trace_probe_event_call(&hit->tf->tp);
	int dsize, size, rctx;
	void *entry;

	dsize = hit_data_size(hit);
	/* Behind a record there is its length, and both together are aligned. */
	size = ALIGN(hit_head_size(hit) + hit->tf->tp.size + dsize + sizeof(u32),
		     sizeof(u64)) - sizeof(u32);
	/* Perf warns of what is too large for its buffer. */
	entry = size > PERF_MAX_TRACE_SIZE ? NULL : perf_trace_buf_alloc(size, NULL, &rctx);
	if (!entry) {
		hit_lost(hit);
		return;
	}
	hit_fill(hit, entry, dsize);
	perf_trace_buf_submit(entry, size, rctx, call->event.type, 1, hit->regs,
			      head, NULL);
}

NOKPROBE_SYMBOL(perf_record)

#ifdef arch_fprobe_saved_regs
/*
 * Perf's samples may have all registers, and it reads the flags: what is not saved at an
 * entry must not be what was on the stack.
 */
static noinline void perf_record_entry(const struct trace_fprobe_hit *hit,
				       struct hlist_head *head)
{
	struct trace_fprobe_hit saved = *hit;
	struct pt_regs regs;

	arch_fprobe_saved_regs(&regs, hit->regs);
	saved.regs = &regs;
	perf_record(&saved, head);
}

NOKPROBE_SYMBOL(perf_record_entry)
#else
static nokprobe_inline void perf_record_entry(const struct trace_fprobe_hit *hit,
					      struct hlist_head *head)
{
	perf_record(hit, head);
}
#endif

static noinline void hit_perf(struct trace_fprobe_hit hit)
{
	struct trace_event_call *call = trace_probe_event_call(&hit.tf->tp);
	struct hlist_head *head = this_cpu_ptr(call->perf_events);

	if (hlist_empty(head))
		return;
	if (hit.tf->is_return)
		perf_record(&hit, head);
	else
		perf_record_entry(&hit, head);
}

NOKPROBE_SYMBOL(hit_perf)
#else
static void hit_perf(struct trace_fprobe_hit by_value) { }
#endif

/*
 * The fprobe is registered a moment longer than the event has users. Parameters are in the
 * order of those of the handlers, which so have nothing to do but to call this.
 */
static noinline void hit_record(struct trace_fprobe *tf, unsigned long ip,
				unsigned long ret_ip, struct pt_regs *regs, void *edata)
{
	const struct trace_fprobe_hit hit = {
		.tf = tf,
		.regs = regs,
		.edata = edata,
		.ip = ip,
		.ret_ip = ret_ip,
	};
	unsigned int flags = trace_probe_load_flag(&tf->tp);

	if (!flags)
		return;
	this_cpu_inc(*tf->nhit);
	if (flags & TP_FLAG_TRACE)
		hit_trace(&hit);
	if (flags & TP_FLAG_PROFILE)
		hit_perf(hit);
}

NOKPROBE_SYMBOL(hit_record)

/**
 * trace_fprobe_on_entry() - record an entry; see fprobe_entry_cb
 * @fp: the fprobe of the event
 * @entry_ip: the site
 * @ret_ip: where the function will return to
 * @regs: the registers
 * @data: NULL: there is no exit handler
 *
 * Context: any, preemption disabled.
 * Return: 0.
 */
int trace_fprobe_on_entry(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	hit_record(container_of(fp, struct trace_fprobe, fp), entry_ip, ret_ip, regs, data);
	return 0;
}

NOKPROBE_SYMBOL(trace_fprobe_on_entry)

/**
 * trace_fprobe_keep_args() - keep parameters for the exit; see fprobe_entry_cb
 * @fp: the fprobe of the event
 * @entry_ip: the site
 * @ret_ip: where the function will return to
 * @regs: the registers
 * @data: where to keep them
 *
 * Context: any, preemption disabled.
 * Return: 0.
 */
int trace_fprobe_keep_args(struct fprobe *fp, unsigned long entry_ip,
			   unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	struct trace_fprobe *tf = container_of(fp, struct trace_fprobe, fp);

	hit_faults(tf, store_trace_entry_data(data, &tf->tp, regs));
	return 0;
}

NOKPROBE_SYMBOL(trace_fprobe_keep_args)

/**
 * trace_fprobe_on_exit() - record an exit; see fprobe_exit_cb
 * @fp: the fprobe of the event
 * @entry_ip: the site
 * @ret_ip: where the function returns to
 * @regs: the registers
 * @data: what trace_fprobe_keep_args() has kept
 *
 * Context: any, preemption disabled.
 */
void trace_fprobe_on_exit(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	hit_record(container_of(fp, struct trace_fprobe, fp), entry_ip, ret_ip, regs, data);
}

NOKPROBE_SYMBOL(trace_fprobe_on_exit)
