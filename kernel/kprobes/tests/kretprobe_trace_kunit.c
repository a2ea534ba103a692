// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of return probes: what stack traces show of hooked calls, also
 * of those that outlive their probe.
 */
#include <kunit/test.h>
#include <linux/completion.h>
#include <linux/fprobe.h>
#include <linux/ftrace.h>
#include <linux/hrtimer.h>
#include <linux/jiffies.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/preempt.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/stacktrace.h>
#include <linux/string.h>

#include "../kretprobe.h"
#include "testing.h"

#define KSTACK_MAX	64

struct kstack_trace {
	unsigned long entry[KSTACK_MAX];
	unsigned int nr;
};

/* Taken in a function that is called by the hooked ones, and in handlers. */
static struct {
	struct kstack_trace leaf;
	struct kstack_trace handler;
	struct kstack_trace regs;
	unsigned long ret_addr;
	atomic_t returns;
	bool in_leaf;
} kstack;

static noinline __noclone int kstack_leaf(int x)
{
	if (kstack.in_leaf)
		kstack.leaf.nr = stack_trace_save(kstack.leaf.entry,
						  KSTACK_MAX, 0);
	barrier();
	return x + 1;
}

static noinline __noclone int kstack_mid(int x)
{
	x = kstack_leaf(x);
	barrier();
	return x + 1;
}

static noinline __noclone int kstack_top(int x)
{
	x = kstack_mid(x);
	barrier();
	return x + 1;
}

static int kstack_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kstack_trace *t = &kstack.handler;

	atomic_inc(&kstack.returns);
	/* Traces that show the trampoline cannot all start from registers. */
	if (!KTEST_EXACT_TRACES)
		return 0;
	kstack.ret_addr = get_kretprobe_retaddr(ri);
	t->nr = stack_trace_save(t->entry, KSTACK_MAX, 0);
	t = &kstack.regs;
	t->nr = stack_trace_save_regs(regs, t->entry, KSTACK_MAX, 0);
	return 0;
}

static bool kstack_inside(unsigned long addr, void *func)
{
	unsigned long offset;

	return kallsyms_lookup_size_offset(addr, NULL, &offset) &&
	       addr - offset == (unsigned long)func;
}

/* The functions are there, callee before caller, one after the other. */
static void kstack_expect(struct kunit *test, struct kstack_trace *t,
			  void *const *funcs, unsigned int num)
{
	unsigned int i, first = 0;

	for (i = 0; i < t->nr; i++)
		KUNIT_EXPECT_FALSE(test, is_kretprobe_trampoline(t->entry[i]));
	while (first < t->nr && !kstack_inside(t->entry[first], funcs[0]))
		first++;
	KUNIT_ASSERT_LE(test, first + num, t->nr);
	for (i = 0; i < num; i++)
		KUNIT_EXPECT_TRUE_MSG(test, kstack_inside(t->entry[first + i], funcs[i]),
				      "%pS instead of %pS",
				      (void *)t->entry[first + i], funcs[i]);
}

static void kstack_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

static struct kretprobe *kstack_hook(struct kunit *test, void *func, int maxactive)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);
	int ret;

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->kp.addr = ktest_entry(func);
	rp->handler = kstack_return;
	rp->maxactive = maxactive;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ret = kunit_add_action_or_reset(test, kstack_unregister, rp);
	KUNIT_ASSERT_EQ(test, 0, ret);
	return rp;
}

static int kstack_init(struct kunit *test)
{
	memset(&kstack, 0, sizeof(kstack));
	return 0;
}

/* In a function called by a hooked one, and in one that is hooked itself. */
static void kstack_in_callee(struct kunit *test)
{
	void *const chain[] = { kstack_leaf, kstack_mid, kstack_top,
				kstack_in_callee };

	ktest_need_exact_traces(test);
	kstack.in_leaf = true;
	kstack_hook(test, kstack_mid, 0);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	kstack_expect(test, &kstack.leaf, chain, ARRAY_SIZE(chain));

	kstack_hook(test, kstack_leaf, 0);
	kstack_hook(test, kstack_top, 0);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	kstack_expect(test, &kstack.leaf, chain, ARRAY_SIZE(chain));
	KUNIT_EXPECT_EQ(test, 1 + 3, atomic_read(&kstack.returns));
}

/* In a return handler, with and without its registers. */
static void kstack_in_handler(struct kunit *test)
{
	void *const chain[] = { kstack_mid, kstack_top, kstack_in_handler };

	ktest_need_exact_traces(test);
	kstack_hook(test, kstack_leaf, 0);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	kstack_expect(test, &kstack.handler, chain, ARRAY_SIZE(chain));
	kstack_expect(test, &kstack.regs, chain, ARRAY_SIZE(chain));
	KUNIT_EXPECT_EQ(test, kstack.ret_addr, kstack.regs.entry[0]);
}

/* The callers of the hooked function are hooked, too; and it twice. */
static void kstack_in_handler_of_many(struct kunit *test)
{
	void *const chain[] = { kstack_mid, kstack_top,
				kstack_in_handler_of_many };

	ktest_need_exact_traces(test);
	kstack_hook(test, kstack_top, 0)->handler = NULL;
	kstack_hook(test, kstack_mid, 0)->handler = NULL;
	kstack_hook(test, kstack_leaf, 0);
	kstack_hook(test, kstack_leaf, 0);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&kstack.returns));
	kstack_expect(test, &kstack.handler, chain, ARRAY_SIZE(chain));
	kstack_expect(test, &kstack.regs, chain, ARRAY_SIZE(chain));
}

#ifdef CONFIG_FUNCTION_GRAPH_TRACER
static unsigned long kstack_site(void *func)
{
	return ftrace_location((unsigned long)func);
}

static int kstack_graph_entry(struct ftrace_graph_ent *ent,
			      struct fgraph_ops *gops)
{
	return 1;
}

static void kstack_graph_return(struct ftrace_graph_ret *ret,
				struct fgraph_ops *gops)
{
	atomic_add(100, &kstack.returns);
}

static struct fgraph_ops kstack_graph = {
	.entryfunc = kstack_graph_entry,
	.retfunc = kstack_graph_return,
};

static void kstack_graph_stop(void *unused)
{
	unregister_ftrace_graph(&kstack_graph);
	ftrace_free_filter(&kstack_graph.ops);
	/* That leaves pointers behind. */
	memset(&kstack_graph.ops, 0, sizeof(kstack_graph.ops));
}

static void kstack_graph_start(struct kunit *test)
{
	void *const funcs[] = { kstack_leaf, kstack_mid, kstack_top };
	int i;

	for (i = 0; i < ARRAY_SIZE(funcs); i++)
		KUNIT_ASSERT_EQ(test, 0, ftrace_set_filter_ip(&kstack_graph.ops,
							      kstack_site(funcs[i]), 0, 0));
	KUNIT_ASSERT_EQ(test, 0, register_ftrace_graph(&kstack_graph));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, kstack_graph_stop, NULL));
}

static noinline void kstack_check_graph(struct kunit *test)
{
	void *const chain[] = { kstack_leaf, kstack_mid, kstack_top,
				kstack_check_graph };

	kstack.in_leaf = true;
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	KUNIT_EXPECT_EQ(test, 302, atomic_read(&kstack.returns));
	kstack_expect(test, &kstack.leaf, chain, ARRAY_SIZE(chain));
}

/* The graph tracer hooks these calls, too, registered before and after. */
static void kstack_graph_first(struct kunit *test)
{
	kstack_graph_start(test);
	kstack_hook(test, kstack_mid, 0);
	kstack_hook(test, kstack_leaf, 0);
	kstack_check_graph(test);
}

static void kstack_graph_last(struct kunit *test)
{
	kstack_hook(test, kstack_mid, 0);
	kstack_hook(test, kstack_leaf, 0);
	kstack_graph_start(test);
	kstack_check_graph(test);
}

#ifdef CONFIG_FPROBE
static void kstack_fprobe_exit(struct fprobe *fp, unsigned long ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *data)
{
	atomic_add(10000, &kstack.returns);
}

static void kstack_fprobe_stop(void *fp)
{
	unregister_fprobe(fp);
}

static void kstack_fprobe_start(struct kunit *test, void *func)
{
	struct fprobe *fp = kunit_kzalloc(test, sizeof(*fp), GFP_KERNEL);
	unsigned long site = kstack_site(func);

	KUNIT_ASSERT_NOT_NULL(test, fp);
	fp->exit_handler = kstack_fprobe_exit;
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(fp, &site, 1));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, kstack_fprobe_stop, fp));
}

/* The graph tracer's hook lies between two of ours, in either order. */
static void kstack_graph_between(struct kunit *test)
{
	void *const chain[] = { kstack_leaf, kstack_mid, kstack_top,
				kstack_graph_between };

	kstack.in_leaf = true;
	kstack_fprobe_start(test, kstack_mid);
	kstack_graph_start(test);
	kstack_hook(test, kstack_mid, 0);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	KUNIT_EXPECT_EQ(test, 10301, atomic_read(&kstack.returns));
	kstack_expect(test, &kstack.leaf, chain, ARRAY_SIZE(chain));
}

static void kstack_graph_between_too(struct kunit *test)
{
	void *const chain[] = { kstack_leaf, kstack_mid, kstack_top,
				kstack_graph_between_too };

	kstack.in_leaf = true;
	kstack_hook(test, kstack_mid, 0);
	kstack_graph_start(test);
	kstack_fprobe_start(test, kstack_mid);
	KUNIT_EXPECT_EQ(test, 3, kstack_top(0));
	KUNIT_EXPECT_EQ(test, 10301, atomic_read(&kstack.returns));
	kstack_expect(test, &kstack.leaf, chain, ARRAY_SIZE(chain));
}
#endif /* CONFIG_FPROBE */
#endif /* CONFIG_FUNCTION_GRAPH_TRACER */

/* What a timer sees of the task that it interrupts. */
static struct {
	struct hrtimer timer;
	struct task_struct *task;
	unsigned long base;
	unsigned long size;
	unsigned int taken;
	unsigned int bad;
	unsigned int thunks;
	struct kstack_trace now;
	struct kstack_trace worst;
} ktimer;

/* The trace gets through to the function at the bottom. */
static bool kstack_trace_good(struct kstack_trace *t)
{
	bool found = false;
	unsigned int i;

	for (i = 0; i < t->nr; i++) {
		if (is_kretprobe_trampoline(t->entry[i]))
			return false;
		found |= t->entry[i] - ktimer.base < ktimer.size;
	}
	return found;
}

/*
 * In a retpoline, the base says of some instructions that it is not known what
 * is on the stack: so a trace ends there, also if the timer has interrupted an
 * interrupt of the retpoline.
 */
static bool kstack_in_thunk(const struct kstack_trace *t)
{
	char name[KSYM_NAME_LEN];

	return t->nr && !lookup_symbol_name(t->entry[t->nr - 1], name) &&
	       strstarts(name, "__x86_indirect_");
}

static enum hrtimer_restart kstack_timer_func(struct hrtimer *timer)
{
	struct kstack_trace *t = &ktimer.now;

	hrtimer_forward_now(timer, ns_to_ktime(50000));
	if (current != ktimer.task)
		return HRTIMER_RESTART;
	t->nr = stack_trace_save(t->entry, KSTACK_MAX, 0);
	ktimer.taken++;
	if (kstack_trace_good(t))
		return HRTIMER_RESTART;
	if (kstack_in_thunk(t)) {
		ktimer.thunks++;
	} else {
		ktimer.worst = *t;
		ktimer.bad++;
	}
	return HRTIMER_RESTART;
}

static int kstack_count(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kstack.returns);
	return 0;
}

static noinline int kstack_timed_calls(void)
{
	unsigned long end = jiffies + 2 * HZ;
	int calls = 0;

	migrate_disable();
	hrtimer_init(&ktimer.timer, CLOCK_MONOTONIC, HRTIMER_MODE_REL_PINNED_HARD);
	ktimer.timer.function = kstack_timer_func;
	hrtimer_start(&ktimer.timer, ns_to_ktime(50000), HRTIMER_MODE_REL_PINNED_HARD);
	while (time_before(jiffies, end)) {
		kstack_top(0);
		calls++;
	}
	hrtimer_cancel(&ktimer.timer);
	migrate_enable();

	return calls;
}

/* Hooks and trampoline, interrupted anywhere, never hide the callers. */
static void kstack_interrupted(struct kunit *test)
{
	void *const funcs[] = { kstack_top, kstack_mid, kstack_leaf,
				kstack_leaf };
	unsigned int i;
	int calls;

	if (!IS_ENABLED(CONFIG_UNWINDER_ORC))
		kunit_skip(test, "only ORC unwinds from any instruction");
	for (i = 0; i < ARRAY_SIZE(funcs); i++)
		kstack_hook(test, funcs[i], 0)->handler = kstack_count;
	memset(&ktimer, 0, sizeof(ktimer));
	ktimer.task = current;
	ktimer.base = (unsigned long)kstack_timed_calls;
	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(ktimer.base,
							    &ktimer.size,
							    NULL));
	calls = kstack_timed_calls();
	KUNIT_EXPECT_EQ(test, 4 * calls, atomic_read(&kstack.returns));
	/* Most of them are of use. */
	KUNIT_EXPECT_GT(test, ktimer.taken, 2 * ktimer.thunks);
	KUNIT_EXPECT_EQ(test, ktimer.bad, 0U);
	kunit_info(test, "%u traces during %d calls, %u of them in retpolines\n",
		   ktimer.taken, calls, ktimer.thunks);
	for (i = 0; i < ktimer.worst.nr; i++)
		kunit_info(test, "%pS\n", (void *)ktimer.worst.entry[i]);
}

/* A task that sleeps inside of a function. */
struct kstack_sleeper {
	struct completion inside;
	struct completion go;
	struct completion done;
	struct task_struct *task;
	int value;
};

static noinline __noclone int kstack_sleep(struct kstack_sleeper *s)
{
	complete(&s->inside);
	wait_for_completion(&s->go);
	barrier();
	return 77;
}

static noinline __noclone int kstack_calls_sleep(struct kstack_sleeper *s)
{
	int value = kstack_sleep(s);

	barrier();
	return value + 1;
}

static int kstack_sleeper_func(void *data)
{
	struct kstack_sleeper *s = data;

	s->value = kstack_calls_sleep(s);
	complete(&s->done);
	return 0;
}

static void kstack_sleeper_start(struct kunit *test, struct kstack_sleeper *s)
{
	struct task_struct *task;

	init_completion(&s->inside);
	init_completion(&s->go);
	init_completion(&s->done);
	task = kthread_run(kstack_sleeper_func, s, "kstack_sleeper");
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	s->task = get_task_struct(task);
	wait_for_completion(&s->inside);
	/* It gives up on a task that has not gone to sleep yet. */
	while (!wait_task_inactive(task, TASK_UNINTERRUPTIBLE))
		schedule_timeout_uninterruptible(1);
}

static int kstack_sleeper_end(struct kstack_sleeper *s)
{
	complete(&s->go);
	wait_for_completion(&s->done);
	put_task_struct(s->task);
	return s->value;
}

/* Likewise of another task, where there are such traces. */
static void kstack_expect_other(struct kunit *test, struct kstack_trace *t,
				void *const *funcs, unsigned int num)
{
	if (KTEST_EXACT_TRACES && (t->nr || ktest_traces_of_others(test)))
		kstack_expect(test, t, funcs, num);
}

/* Seen from another task; hooked once, twice, and together with its caller. */
static void kstack_of_sleeper(struct kunit *test)
{
	void *const chain[] = { kstack_sleep, kstack_calls_sleep,
				kstack_sleeper_func };
	struct kstack_trace *t = &kstack.leaf;
	struct kstack_sleeper s = {};
	void *const hook[] = { kstack_sleep, kstack_sleep, kstack_calls_sleep };
	int i;

	for (i = 0; i < ARRAY_SIZE(hook); i++) {
		kstack_hook(test, hook[i], 0);
		kstack_sleeper_start(test, &s);
		t->nr = stack_trace_save_tsk(s.task, t->entry, KSTACK_MAX, 0);
		KUNIT_EXPECT_EQ(test, 78, kstack_sleeper_end(&s));
		kstack_expect_other(test, t, chain, ARRAY_SIZE(chain));
	}
	KUNIT_EXPECT_EQ(test, 1 + 2 + 3, atomic_read(&kstack.returns));
}

/* Twenty tasks asleep in the function at a time, and none is missed. */
static void kstack_many_sleepers(struct kunit *test)
{
	struct kretprobe *rp = kstack_hook(test, kstack_sleep, 20);
	struct kstack_sleeper *s;
	int i;

	s = kunit_kcalloc(test, 21, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	for (i = 0; i < 21; i++)
		kstack_sleeper_start(test, &s[i]);
	KUNIT_EXPECT_EQ(test, 1, rp->nmissed);
	for (i = 0; i < 21; i++)
		KUNIT_EXPECT_EQ(test, 78, kstack_sleeper_end(&s[i]));
	KUNIT_EXPECT_EQ(test, 20, atomic_read(&kstack.returns));
}

/*
 * The probe goes while calls are under way: they return undisturbed, no handler is
 * called, and the instances outlive the probe.
 */
static void kstack_unregister_inside(struct kunit *test)
{
	void *const chain[] = { kstack_sleep, kstack_calls_sleep,
				kstack_sleeper_func };
	struct kstack_trace *t = &kstack.leaf;
	struct kstack_sleeper *s;
	struct kretprobe *rp;
	int i;

	s = kunit_kcalloc(test, 4, sizeof(*s), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, s);
	rp = kstack_hook(test, kstack_sleep, 4);
	for (i = 0; i < 4; i++)
		kstack_sleeper_start(test, &s[i]);
	unregister_kretprobe(rp);
	memset(rp, 0x6b, sizeof(*rp));
	kunit_remove_action(test, kstack_unregister, rp);
	rcu_barrier();

	t->nr = stack_trace_save_tsk(s[0].task, t->entry, KSTACK_MAX, 0);
	kstack_expect_other(test, t, chain, ARRAY_SIZE(chain));
	for (i = 0; i < 4; i++)
		KUNIT_EXPECT_EQ(test, 78, kstack_sleeper_end(&s[i]));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kstack.returns));
	rcu_barrier();
}

/* A probe that comes while a call is under way has no part in it. */
static void kstack_register_inside(struct kunit *test)
{
	struct kstack_sleeper s = {};
	struct kretprobe *rp;

	kstack_sleeper_start(test, &s);
	rp = kstack_hook(test, kstack_sleep, 1);
	KUNIT_EXPECT_EQ(test, 78, kstack_sleeper_end(&s));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kstack.returns));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
}

static struct kunit_case kretprobe_trace_cases[] = {
	KUNIT_CASE(kstack_in_callee),
	KUNIT_CASE(kstack_in_handler),
	KUNIT_CASE(kstack_in_handler_of_many),
#ifdef CONFIG_FUNCTION_GRAPH_TRACER
	KUNIT_CASE(kstack_graph_first),
	KUNIT_CASE(kstack_graph_last),
#ifdef CONFIG_FPROBE
	KUNIT_CASE(kstack_graph_between),
	KUNIT_CASE(kstack_graph_between_too),
#endif
#endif
	KUNIT_CASE_SLOW(kstack_interrupted),
	KUNIT_CASE(kstack_of_sleeper),
	KUNIT_CASE(kstack_many_sleepers),
	KUNIT_CASE(kstack_unregister_inside),
	KUNIT_CASE(kstack_register_inside),
	{}
};

static struct kunit_suite kretprobe_trace_suite = {
	.name = "kretprobe_trace",
	.init = kstack_init,
	.test_cases = kretprobe_trace_cases,
};

kunit_test_suite(kretprobe_trace_suite);

MODULE_DESCRIPTION("KUnit tests of return probes and stack traces");
MODULE_LICENSE("GPL");
