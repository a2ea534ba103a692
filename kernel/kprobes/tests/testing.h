/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTING_H
#define _KPROBES_TESTING_H
/*
 * What the suites share, also those of architectures: functions to probe, and
 * probes that count.
 */
#include <kunit/test.h>
#include <linux/atomic.h>

#include "../internal.h"

/* The kernel's tables of static calls and of BUG(), from the linker script. */
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
extern struct static_call_site __start_static_call_sites[];
extern struct static_call_site __stop_static_call_sites[];
#endif
#ifdef CONFIG_GENERIC_BUG
extern struct bug_entry __start___bug_table[], __stop___bug_table[];
#endif

/*
 * Functions that call a target through a pointer are __nocfi: targets made of
 * assembly have no type that kCFI could check.
 */

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

void *ktest_entry(void *fn);
struct ktest_probe *ktest_probe_alloc(struct kunit *test, void *addr);

/* One more than is armed at a time. */
#define KTEST_MANY	(KPROBE_CHUNK + 1)

/**
 * struct ktest_many - a batch that is larger than what is armed at a time
 * @kps: as the interface wants them
 * @p: the probes
 */
struct ktest_many {
	struct kprobe *kps[KTEST_MANY];
	struct ktest_probe *p;
};

struct ktest_many *ktest_many_alloc(struct kunit *test);

void ktest_register(struct kunit *test, struct ktest_probe *p);
int ktest_try_register(struct kunit *test, struct ktest_probe *p);
void ktest_undo_at_end(struct kunit *test, struct ktest_probe *p);
void ktest_set_at_end(struct kunit *test, void (*fn)(void *), void *arg);

struct kprobe_point *ktest_point(struct ktest_probe *p);
enum kprobe_state ktest_state(struct ktest_probe *p);
void ktest_assert_way(struct kunit *test, struct ktest_probe *p, void *fn, bool jump);
void ktest_expect_reason(struct kunit *test, struct ktest_probe *p,
			 enum kprobe_nojump nojump);
unsigned char ktest_text(void *addr);
bool ktest_untouched(struct ktest_probe *p);
unsigned int ktest_points_at(void *addr);
unsigned int ktest_count_points(void);
void ktest_assert_none_left(struct kunit *test);
void ktest_need_no_points(struct kunit *test);

/* The figures of a probe: calls of its handlers before and after, misses. */
#define KTEST_EXPECT_COUNTS(test, p, pre, post, miss)			\
	ktest_expect_counts(test, p, pre, post, miss, __LINE__)

void ktest_expect_counts(struct kunit *test, struct ktest_probe *p, int pre,
			 int post, int miss, int line);

void ktest_optimization(struct kunit *test, bool on);

bool ktest_on_ftrace(void *fn);
void ktest_need_ftrace(struct kunit *test);
void ktest_need_redirect(struct kunit *test, void *fn);

/* Without frames, there is one state of hits for all contexts of a CPU. */
#ifdef __ARCH_WANT_KPROBE_FRAMES
#define KTEST_FRAMES	true
#else
#define KTEST_FRAMES	false
#endif

/* @why: what is not so without frames, where the architecture's part is older. */
static inline void ktest_need_frames(struct kunit *test, const char *why)
{
	if (!KTEST_FRAMES)
		kunit_skip(test, "without frames %s", why);
}

/*
 * Only with frames do jumps go where a handler wants to. Without, a test of that
 * is about the other ways in which a point is reached.
 */
static inline void ktest_heed_path(struct kunit *test)
{
	if (!KTEST_FRAMES && IS_ENABLED(CONFIG_OPTPROBES))
		ktest_optimization(test, false);
}

/* Not every architecture's stack traces ask for the real return addresses. */
#define KTEST_EXACT_TRACES	IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE)

static inline void ktest_need_exact_traces(struct kunit *test)
{
	if (!KTEST_EXACT_TRACES)
		kunit_skip(test, "stack traces show the trampoline");
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

/**
 * struct ktest_held - a call whose handler keeps its CPU for a while
 * @fn: the function that is called, with 1
 * @task: the thread that calls it
 * @inside: it is in the handler
 * @go_on: the handler need not wait any longer
 * @gave_up: the handler did not wait until then
 */
struct ktest_held {
	int (*fn)(int x);
	struct task_struct *task;
	bool inside;
	bool go_on;
	bool gave_up;
};

#ifdef CONFIG_MODULES
struct kprobe_text *ktest_announce(struct kunit *test, struct module *mod);
#endif

bool ktest_traces_of_others(struct kunit *test);
int ktest_no_memory(struct ktest_probe *p, struct pt_regs *regs);
unsigned int ktest_said(struct kunit *test, const char *text);

int ktest_call_by_two(int (*fn)(void *arg), void *arg);
void ktest_wait_for_stop(void);
unsigned int ktest_keep_cpu(unsigned int *there);
struct ktest_caller *ktest_caller_start(struct kunit *test, int (*fn)(int x));
void ktest_caller_stop(struct ktest_caller *c);
void ktest_held_start(struct kunit *test, struct ktest_held *h, unsigned int cpu);
void ktest_held_wait(struct ktest_held *h);
int ktest_held_go(struct ktest_held *h);

/*
 * Functions to probe: each returns its argument plus one. Where they are
 * probed, at their entry:
 */
int ktest_traced(int x);		/* through ftrace, if its site is there */
int ktest_traced2(int x);
int ktest_break(int x);		/* by a breakpoint, or what it becomes */
int ktest_break2(int x);
int ktest_break3(int x);
int ktest_fixed(int x);		/* by a breakpoint that no jump can replace */
int ktest_plain(int x);		/* by a jump in the end, where there are jumps */
int ktest_plain2(int x);
int ktest_other(int x);		/* never probed; returns its argument plus 1000 */

#endif /* _KPROBES_TESTING_H */
