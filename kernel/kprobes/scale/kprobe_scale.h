/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBE_SCALE_H
#define _KPROBE_SCALE_H
/*
 * What the parts of kprobe-scale.ko share: kprobe_scale.c, which gets the
 * orders of the script, the text to be probed, and the measurements.
 */
#include <linux/completion.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/types.h>

typedef void (*scale_fn)(void);

/* Places that exclude each other's jumps: every byte is an instruction. */
#define SCALE_DENSE_FUNCS	391
#define SCALE_DENSE_PLACES	128
#define SCALE_DENSE_STRIDE	144

/* Places that can be reached by jumps, all of them at a time. */
#define SCALE_WIDE_FUNCS	161
#define SCALE_WIDE_PLACES	63
#define SCALE_WIDE_STRIDE	528
#define SCALE_WIDE_STEP		8

#define SCALE_DENSE_MAX		50000
#define SCALE_WIDE_MAX		10000
#define SCALE_ENTRY_MAX		1000

/* How often a function is called to find out what a call costs. */
#define SCALE_CALLS	200	/* without a break */
#define SCALE_ROUNDS	7	/* the best of them counts */

extern const char scale_dense_start[], scale_wide_start[];

/* What is called. The place to probe is behind the landing pad. */
void scale_plain(void);
void scale_plain_other(void);
void scale_slow_entry(void);
void scale_jmp(void);
void scale_jcc(void);
void scale_call(void);
void scale_ret(void);
void scale_traced(void);
void scale_traced_other(void);

/* Sleeps until @scale_wake is completed. */
void scale_sleep(void);
/* Sleeps likewise, in that many nested calls. */
void scale_deep(unsigned int calls);
extern struct completion scale_wake;

/* Functions with an ftrace site; SCALE_ENTRY_MAX of them. */
extern const scale_fn scale_entries[];

/* kprobe_scale.c: probes on all places, the handlers, and what they count. */
extern struct kprobe *scale_dense, *scale_wide, *scale_entry;
extern struct kretprobe *scale_returns;
void scale_set_addrs(void);

/* Calls of all handlers, on each CPU. */
DECLARE_PER_CPU(unsigned long, scale_hits);

int scale_pre(struct kprobe *kp, struct pt_regs *regs);
int scale_path(struct kprobe *kp, struct pt_regs *regs);
void scale_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);
int scale_return(struct kretprobe_instance *ri, struct pt_regs *regs);
int scale_enter(struct kretprobe_instance *ri, struct pt_regs *regs);
unsigned long scale_sum_hits(void);
void scale_print(const char *figure, u64 value);
void scale_print_lost(unsigned long before, unsigned long wanted);

/* kprobe_scale_hits.c */
u64 scale_best_round(scale_fn fn);
void scale_print_call(const char *figure, u64 bare, u64 with);
void scale_make_return(struct kretprobe *rp, scale_fn fn, bool data);
bool scale_jumps_at(void *addr);
bool scale_await_jump(void *addr, bool jump);
int scale_run_loop(void);
int scale_run_traps(void);
int scale_run_jumps(void);

/* kprobe_scale_batch.c */
int scale_register_list(const char *figure, struct kprobe **list,
			unsigned int nr);
int scale_register(const char *figure, struct kprobe *kps, unsigned int nr);
int scale_unregister(const char *figure, struct kprobe *kps, unsigned int nr);
int scale_run_single(void);
int scale_run_some(void);
int scale_run_some_off(void);
int scale_run_mixed(void);
int scale_run_wide(void);
int scale_run_wide_off(void);
int scale_run_settle(void);
int scale_run_gone(void);
int scale_run_gone_off(void);
int scale_run_entries(void);
int scale_run_returns(void);
int scale_run_switch(void);

/* kprobe_scale_cold.c */
int scale_run_cold_find(void);
int scale_run_cold(void);
int scale_run_cold_off(void);
void scale_cold_free(void);

/* kprobe_scale_tasks.c */
int scale_run_sleepers(void);
int scale_run_cpus(void);
int scale_sleepers(const char *figure, unsigned long (*missed)(void));
int scale_all_cpus(const char *figure, scale_fn fn);

/* kprobe_scale_fprobe.c */
int scale_run_fprobes(void);
int scale_run_fprobe_others(void);
int scale_run_fprobe_others_off(void);
int scale_run_fprobe_all(void);
int scale_run_fprobe_all_off(void);
int scale_run_fprobe_two(void);
int scale_run_fprobe_sleepers(void);
int scale_run_fprobe_cpus(void);
int scale_run_bare(void);
int scale_run_calls(void);

/* kprobe_scale_memory.c */
int scale_run_returns_on(void);
int scale_run_returns_off(void);
int scale_run_deep_tasks(void);
int scale_run_deep_sleep(void);
int scale_run_deep_sleep_max(void);
int scale_run_deep_wake(void);
int scale_run_deep_off(void);

/* kprobe_scale_patch.c */
int scale_run_patch(void);
int scale_run_patch_off(void);

#endif /* _KPROBE_SCALE_H */
