/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTING_H
#define _KPROBES_TESTING_H
/*
 * What the suites share: functions to probe, and probes that count.
 */
#include <kunit/test.h>
#include <linux/atomic.h>

#include "../internal.h"

/* How often a probed function is called where the figure does not matter. */
#define KPT_CALLS	50

/**
 * struct kpt_probe - a probe that counts
 * @kp: the probe
 * @name: the letter that kpt_log gets: small before, capital after
 * @pre: how often the pre handler ran
 * @post: how often the post handler ran
 * @fault: how often the fault handler ran
 * @then: what the pre handler does besides; gives its return value
 * @running: what kprobe_running() said in the pre handler
 */
struct kpt_probe {
	struct kprobe kp;
	char name;
	atomic_t pre;
	atomic_t post;
	atomic_t fault;
	int (*then)(struct kpt_probe *p, struct pt_regs *regs);
	struct kprobe *running;
};

static inline struct kpt_probe *kpt_probe_of(struct kprobe *kp)
{
	return container_of(kp, struct kpt_probe, kp);
}

#define KPT_LOG_SIZE	32

/* Who was called, in order. Cleared by kpt_probe_alloc(). */
extern char kpt_log[KPT_LOG_SIZE];

int kpt_pre(struct kprobe *kp, struct pt_regs *regs);
void kpt_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);
int kpt_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr);

struct kpt_probe *kpt_probe_alloc(struct kunit *test, void *addr);
void kpt_register(struct kunit *test, struct kpt_probe *p);
int kpt_try_register(struct kunit *test, struct kpt_probe *p);
void kpt_undo_at_end(struct kunit *test, struct kpt_probe *p);
void kpt_set_at_end(struct kunit *test, void (*fn)(void *), void *arg);

struct kprobe_point *kpt_point(struct kpt_probe *p);
enum kprobe_state kpt_state(struct kpt_probe *p);
void kpt_expect_reason(struct kunit *test, struct kpt_probe *p,
		       enum kprobe_nojump nojump);
unsigned char kpt_text(void *addr);
bool kpt_untouched(struct kpt_probe *p);
unsigned int kpt_points_at(void *addr);

/* The figures of a probe: calls of its handlers before and after, misses. */
#define KPT_EXPECT_COUNTS(test, p, pre, post, miss)			\
	kpt_expect_counts(test, p, pre, post, miss, __LINE__)

void kpt_expect_counts(struct kunit *test, struct kpt_probe *p, int pre,
		       int post, int miss, int line);

void kpt_optimization(struct kunit *test, bool on);

/**
 * struct kpt_caller - a thread that calls a function all the time
 * @fn: the function, which returns its argument plus one
 * @calls: how often it has
 * @wrong: how often the result was wrong
 * @task: the thread
 */
struct kpt_caller {
	int (*fn)(int x);
	unsigned long calls;
	unsigned long wrong;
	struct task_struct *task;
};

struct kpt_caller *kpt_caller_start(struct kunit *test, int (*fn)(int x));
void kpt_caller_stop(struct kpt_caller *c);

/*
 * Functions to probe: each returns its argument plus one. Where they are
 * probed, at their entry:
 */
int kpt_traced(int x);		/* through ftrace, where there is ftrace */
int kpt_traced2(int x);
int kpt_break(int x);		/* by a breakpoint, or what it becomes */
int kpt_break2(int x);
int kpt_break3(int x);
int kpt_fixed(int x);		/* by a breakpoint that no jump can replace */
int kpt_other(int x);		/* never probed; returns its argument plus 1000 */

#ifdef CONFIG_X86_64
/*
 * Reached by a jump in the end. It adds 1, adds 2, and takes 2 off again, by an
 * instruction of four bytes each.
 */
int kpt_plain(int x);
int kpt_plain2(int x);
int kpt_early(int x);			/* probed from the first initcalls on */
extern const u32 kpt_plain_mid;		/* where it adds 2 */
extern const u32 kpt_plain_last;	/* where it takes 2 off */
extern const u32 kpt_plain_end;		/* where it returns */
#define KPT_PLAIN_LEN	4

/**
 * kpt_load() - read memory that may not be there
 * @p: the address
 *
 * The instruction at the entry is in the exception table.
 * Return: what is there, or -EFAULT.
 */
long kpt_load(const long *p);

/**
 * kpt_touch() - read memory that had better be there
 * @p: the address
 */
long kpt_touch(const long *p);

/* The instruction of kpt_touch() that reads. */
extern const u32 kpt_touch_insn;
#define KPT_TOUCH_LEN	3

/**
 * kpt_inner() - likewise, by its second instruction
 * @p: the address
 *
 * The first three instructions are five bytes long, and a jump's region.
 */
long kpt_inner(const void *p);

/* The second one. */
extern const u32 kpt_inner_load;

/**
 * kpt_zeropad() - read memory that may end in the middle
 * @p: the address
 *
 * Return: what is there, and zeroes for what is behind the end.
 */
long kpt_zeropad(const void *p);

/* Returns, and does nothing else. */
void kpt_return(void);

/* Sets the direction flag, and clears it again. Returns its argument plus 1. */
int kpt_down(int x);
extern const u32 kpt_down_mid;		/* where the flag is set */

/* Sets the flag that opens the user's memory, and clears it. Likewise. */
int kpt_open(int x);
extern const u32 kpt_open_mid;		/* where the flag is set */

/* Is @a below @b? Compared before the probed place, answered after it. */
int kpt_below(unsigned int a, unsigned int b);
extern const u32 kpt_below_mid;

/* Many instructions of one byte each. Returns its argument plus 1. */
#define KPT_NOPS	300
int kpt_nops(int x);
extern const u32 kpt_nops_first;

/* A part of it has been moved away; it has a branch, and is never run. */
int kpt_parted(int x);

/* Writes @val to @reg by the instruction at its entry. */
void kpt_write(u32 val, void *reg);

/* Never called. The one in the middle is marked with NOKPROBE_SYMBOL(). */
void kpt_before(void);
void kpt_black(void);
void kpt_after(void);

/* The flags, by an instruction that is emulated. */
unsigned long kpt_flags(void);
unsigned long kpt_flags_fixed(void);
#endif /* CONFIG_X86_64 */

#endif /* _KPROBES_TESTING_H */
