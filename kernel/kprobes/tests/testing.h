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
#define KTEST_CALLS	50

/**
 * struct ktest_probe - a probe that counts
 * @kp: the probe
 * @name: the letter that ktest_log gets: small before, capital after
 * @pre: how often the pre handler ran
 * @post: how often the post handler ran
 * @fault: how often the fault handler ran
 * @then: what the pre handler does besides; gives its return value
 * @running: what kprobe_running() said in the pre handler
 */
struct ktest_probe {
	struct kprobe kp;
	char name;
	atomic_t pre;
	atomic_t post;
	atomic_t fault;
	int (*then)(struct ktest_probe *p, struct pt_regs *regs);
	struct kprobe *running;
};

static inline struct ktest_probe *ktest_probe_of(struct kprobe *kp)
{
	return container_of(kp, struct ktest_probe, kp);
}

#define KTEST_LOG_SIZE	32

/* The probes whose handlers were called, in order. See ktest_probe_alloc(). */
extern char ktest_log[KTEST_LOG_SIZE];

int ktest_pre(struct kprobe *kp, struct pt_regs *regs);
void ktest_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags);
int ktest_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr);

struct ktest_probe *ktest_probe_alloc(struct kunit *test, void *addr);
void ktest_register(struct kunit *test, struct ktest_probe *p);
int ktest_try_register(struct kunit *test, struct ktest_probe *p);
void ktest_undo_at_end(struct kunit *test, struct ktest_probe *p);
void ktest_set_at_end(struct kunit *test, void (*fn)(void *), void *arg);

struct kprobe_point *ktest_point(struct ktest_probe *p);
enum kprobe_state ktest_state(struct ktest_probe *p);
void ktest_expect_reason(struct kunit *test, struct ktest_probe *p,
			 enum kprobe_nojump nojump);
unsigned char ktest_text(void *addr);
bool ktest_untouched(struct ktest_probe *p);
unsigned int ktest_points_at(void *addr);

/* The figures of a probe: calls of its handlers before and after, misses. */
#define KTEST_EXPECT_COUNTS(test, p, pre, post, miss)			\
	ktest_expect_counts(test, p, pre, post, miss, __LINE__)

void ktest_expect_counts(struct kunit *test, struct ktest_probe *p, int pre,
			 int post, int miss, int line);

void ktest_optimization(struct kunit *test, bool on);

/* Without them a function's first instruction is one like any other. */
static inline void ktest_need_ftrace(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		kunit_skip(test, "no probes through ftrace");
}

/**
 * struct ktest_caller - a thread that calls a function all the time
 * @fn: the function, which returns its argument plus one
 * @calls: how often it has
 * @wrong: how often the result was wrong
 * @task: the thread
 */
struct ktest_caller {
	int (*fn)(int x);
	unsigned long calls;
	unsigned long wrong;
	struct task_struct *task;
};

struct ktest_caller *ktest_caller_start(struct kunit *test, int (*fn)(int x));
void ktest_caller_stop(struct ktest_caller *c);

/*
 * Functions to probe: each returns its argument plus one. Where they are
 * probed, at their entry:
 */
int ktest_traced(int x);		/* through ftrace, where there is ftrace */
int ktest_traced2(int x);
int ktest_break(int x);		/* by a breakpoint, or what it becomes */
int ktest_break2(int x);
int ktest_break3(int x);
int ktest_fixed(int x);		/* by a breakpoint that no jump can replace */
int ktest_other(int x);		/* never probed; returns its argument plus 1000 */

#ifdef CONFIG_X86_64
/*
 * Reached by a jump in the end. It adds 1, adds 2, and takes 2 off again, by an
 * instruction of four bytes each.
 */
int ktest_plain(int x);
int ktest_plain2(int x);
int ktest_early(int x);			/* probed from the first initcalls on */
extern const u32 ktest_plain_mid;		/* where it adds 2 */
extern const u32 ktest_plain_last;	/* where it takes 2 off */
extern const u32 ktest_plain_end;		/* where it returns */
#define KTEST_PLAIN_LEN	4

/**
 * ktest_load() - read memory that may not be there
 * @p: the address
 *
 * The instruction at the entry is in the exception table.
 * Return: what is there, or -EFAULT.
 */
long ktest_load(const long *p);

/**
 * ktest_touch() - read memory that had better be there
 * @p: the address
 */
long ktest_touch(const long *p);

/* The instruction of ktest_touch() that reads. */
extern const u32 ktest_touch_insn;
#define KTEST_TOUCH_LEN	3

/**
 * ktest_inner() - likewise, by its second instruction
 * @p: the address
 *
 * The first three instructions are five bytes long, and a jump's region.
 */
long ktest_inner(const void *p);

/* The second one. */
extern const u32 ktest_inner_load;

/**
 * ktest_zeropad() - read memory that may end in the middle
 * @p: the address
 *
 * Return: what is there, and zeroes for what is behind the end.
 */
long ktest_zeropad(const void *p);

/* Returns, and does nothing else. */
void ktest_return(void);

/* Sets the direction flag, and clears it again. Returns its argument plus 1. */
int ktest_down(int x);
extern const u32 ktest_down_mid;		/* where the flag is set */

/* Sets the flag that opens the user's memory, and clears it. Likewise. */
int ktest_open(int x);
extern const u32 ktest_open_mid;		/* where the flag is set */

/* Is @a below @b? Compared before the probed place, answered after it. */
int ktest_below(unsigned int a, unsigned int b);
extern const u32 ktest_below_mid;

/* Many instructions of one byte each. Returns its argument plus 1. */
#define KTEST_NOPS	300
int ktest_nops(int x);
extern const u32 ktest_nops_first;

/* A part of it has been moved away; it has a branch, and is never run. */
int ktest_parted(int x);

/* Writes @val to @reg by the instruction at its entry. */
void ktest_write(u32 val, void *reg);

/* Never called. The one in the middle is marked with NOKPROBE_SYMBOL(). */
void ktest_before(void);
void ktest_black(void);
void ktest_after(void);

/* The flags, by an instruction that is emulated. */
unsigned long ktest_flags(void);
unsigned long ktest_flags_fixed(void);
#endif /* CONFIG_X86_64 */

#endif /* _KPROBES_TESTING_H */
