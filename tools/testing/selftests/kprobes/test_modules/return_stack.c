// SPDX-License-Identifier: GPL-2.0
/*
 * Hooked calls that last: who is the caller, who sleeps, who never returns.
 * Stacks of sleeping tasks as /proc shows them are looked at by kretprobe.sh.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/kthread.h>
#include <linux/rcupdate.h>
#include <linux/stacktrace.h>

#include "kprobe_return.h"

#define SLEEPERS	20

static unsigned long trace[16];
static unsigned int trace_len;
static unsigned long ret_addr;

static int save_trace(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	trace_len = stack_trace_save(trace, ARRAY_SIZE(trace), 0);
	ret_addr = get_kretprobe_retaddr(ri);
	return kt_at_return(ri, regs);
}

/* Where the caller of kt_outer() is, by its own word. */
static noinline unsigned long outer_caller(unsigned long a, unsigned long b)
{
	unsigned long sum = kt_outer(a, b);

	barrier();
	return sum;
}

static bool within(unsigned long addr, void *fn, unsigned long size)
{
	return addr >= (unsigned long)fn && addr < (unsigned long)fn + size;
}

/* Is there an address of @fn in the trace, which is one of a short function? */
static bool traced(void *fn)
{
	unsigned int i;

	for (i = 0; i < trace_len; i++) {
		if (within(trace[i], fn, 64))
			return true;
	}
	return false;
}

static void caller(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_outer);
	r.rp.handler = save_trace;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	KT_EQ(t, outer_caller(2, 1), 7);
	unregister_kretprobe(&r.rp);
	KT_TRUE(t, within(ret_addr, outer_caller, 64));
}

/* Two functions are hooked, and a handler of the inner one takes a trace. */
static void trace_inner(struct kt *t, kretprobe_handler_t on_entry,
			kretprobe_handler_t on_return)
{
	struct kt_return outer, inner;

	if (!IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE))
		return kt_skip(t, "stack traces show the trampoline");
	kt_return_init(&outer, kt_outer);
	kt_return_init(&inner, kt_plain);
	if (on_entry)
		inner.rp.entry_handler = on_entry;
	if (on_return)
		inner.rp.handler = on_return;
	KT_EQ(t, register_kretprobe(&outer.rp), 0);
	KT_EQ(t, register_kretprobe(&inner.rp), 0);
	trace_len = 0;
	KT_EQ(t, outer_caller(2, 1), 7);
	unregister_kretprobe(&inner.rp);
	unregister_kretprobe(&outer.rp);
	KT_TRUE(t, traced(outer_caller));
}

/* In a return handler, the callers that are still there are all shown. */
static void trace_in_return_handler(struct kt *t)
{
	trace_inner(t, NULL, save_trace);
	if (IS_ENABLED(CONFIG_ARCH_CORRECT_STACKTRACE_ON_KRETPROBE))
		KT_TRUE(t, traced(kt_outer));
}

/* In a handler at the entry likewise, the return being hooked or not. */
static void trace_in_entry_handler(struct kt *t)
{
	trace_inner(t, save_trace, NULL);
}

static int sleeper(void *result)
{
	*(unsigned long *)result = kt_sleep_outer(3, 4);
	return 0;
}

static unsigned long results[SLEEPERS];
static struct task_struct *threads[SLEEPERS];

static int start_sleepers(struct kt *t)
{
	int i;

	for (i = 0; i < SLEEPERS; i++) {
		results[i] = 0;
		threads[i] = kthread_create(sleeper, &results[i], "kt_sleeper");
		if (IS_ERR(threads[i])) {
			kt_skip(t, "no threads");
			return -ENOMEM;
		}
		get_task_struct(threads[i]);
		wake_up_process(threads[i]);
	}
	while (kt_sleeping() < SLEEPERS)
		usleep_range(500, 1000);
	return 0;
}

static void end_sleepers(struct kt *t)
{
	int i;

	kt_wake();
	for (i = 0; i < SLEEPERS; i++) {
		kthread_stop(threads[i]);
		put_task_struct(threads[i]);
		KT_EQ(t, results[i], 13);
	}
	kt_wake_reset();
}

/* A hooked call may last for as long as it likes. */
static void sleeping(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_sleep);
	r.rp.maxactive = SLEEPERS;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	if (!start_sleepers(t)) {
		KT_EQ(t, atomic_read(&r.entries), SLEEPERS);
		KT_EQ(t, atomic_read(&r.returns), 0);
		end_sleepers(t);
	}
	KT_EQ(t, atomic_read(&r.returns), SLEEPERS);
	KT_EQ(t, r.rp.nmissed, 0);
	unregister_kretprobe(&r.rp);
}

/* One more sleeper than there are instances. */
static void sleeping_too_many(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_sleep);
	r.rp.maxactive = SLEEPERS - 3;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	if (!start_sleepers(t))
		end_sleepers(t);
	KT_EQ(t, atomic_read(&r.returns), SLEEPERS - 3);
	KT_EQ(t, r.rp.nmissed, 3);
	unregister_kretprobe(&r.rp);
}

/* The probe goes while they sleep. They return, and nobody is told. */
static void unregistered_meanwhile(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_sleep);
	r.rp.maxactive = SLEEPERS;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	if (start_sleepers(t))
		return;
	unregister_kretprobe(&r.rp);
	KT_EQ(t, atomic_read(&r.entries), SLEEPERS);
	memset(&r.rp, 0, sizeof(r.rp));
	end_sleepers(t);
	KT_EQ(t, atomic_read(&r.returns), 0);
}

/* The probe comes while they sleep: it has not seen them enter. */
static void registered_meanwhile(struct kt *t)
{
	struct kt_return r;

	if (start_sleepers(t))
		return;
	kt_return_init(&r, kt_sleep);
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	end_sleepers(t);
	unregister_kretprobe(&r.rp);
	KT_EQ(t, atomic_read(&r.entries) + atomic_read(&r.returns), 0);
}

/* Off while they sleep: who was hooked is told all the same. */
static void disabled_meanwhile(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_sleep);
	r.rp.maxactive = SLEEPERS;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	if (!start_sleepers(t)) {
		KT_EQ(t, disable_kretprobe(&r.rp), 0);
		end_sleepers(t);
	}
	KT_EQ(t, atomic_read(&r.returns), SLEEPERS);
	unregister_kretprobe(&r.rp);
}

static DECLARE_COMPLETION(exiting);

static int exiter(void *unused)
{
	complete(&exiting);
	kt_exit();
	return 0;
}

static void run_exiter(struct kt *t)
{
	struct task_struct *thread = kthread_create(exiter, NULL, "kt_exiter");

	if (IS_ERR(thread))
		return kt_skip(t, "no threads");
	get_task_struct(thread);
	wake_up_process(thread);
	wait_for_completion(&exiting);
	kt_reap(thread);
	/* Taken from the task, and given back when this is over. */
	synchronize_rcu();
}

/*
 * Threads that end inside of a hooked function: their instances come back, or
 * there would be one miss for all but the first.
 */
static void never_returns(struct kt *t)
{
	struct kt_return r;
	int i;

	kt_return_init(&r, kt_exit);
	r.rp.maxactive = 1;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	for (i = 0; i < 10; i++)
		run_exiter(t);
	KT_EQ(t, atomic_read(&r.entries), 10);
	KT_EQ(t, atomic_read(&r.returns), 0);
	KT_EQ(t, r.rp.nmissed, 0);
	unregister_kretprobe(&r.rp);
}

const struct kt_case kt_stack_cases[] = {
	{ "caller", caller },
	{ "trace_in_return_handler", trace_in_return_handler },
	{ "trace_in_entry_handler", trace_in_entry_handler },
	{ "sleeping", sleeping },
	{ "sleeping_too_many", sleeping_too_many },
	{ "unregistered_meanwhile", unregistered_meanwhile },
	{ "registered_meanwhile", registered_meanwhile },
	{ "disabled_meanwhile", disabled_meanwhile },
	{ "never_returns", never_returns },
	KT_END
};
