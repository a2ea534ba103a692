// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the engine for return probes of architectures without rethook:
 * how many instances calls take, when they come back, and which of a task's
 * instances belong to a call.
 */
#include <linux/completion.h>
#include <linux/ctype.h>
#include <linux/kallsyms.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "kretprobe_stack.h"

/**
 * struct keng_probe - a return probe that keeps an account
 * @rp: the return probe
 * @name: the letter that keng.log gets: small at the call, capital at the return
 * @entries: how often the entry handler ran
 * @returns: how often the return handler ran
 * @refuse: the entry handler wants no return to be hooked
 */
struct keng_probe {
	struct kretprobe rp;
	char name;
	int entries;
	int returns;
	bool refuse;
};

/**
 * struct keng_data - what an instance carries from the call to the return
 * @depth: how many calls were hooked before
 */
struct keng_data {
	int depth;
};

/* What handlers and probed functions have seen, in order. */
static struct {
	struct kunit *test;
	void (*inside)(struct kunit *test);
	char log[KENG_MAX];
	int depth[KENG_MAX];
	unsigned int free[KENG_MAX];
	unsigned long ret_addr[KENG_MAX];
	unsigned int nr;
} keng;

/*
 * The functions that are probed. The barriers keep the compiler from finding out
 * what they do, and from leaving through a jump.
 */
static noinline __noclone int keng_leaf(int x)
{
	if (keng.inside)
		keng.inside(keng.test);
	barrier();
	return x + 1;
}

static noinline __noclone int keng_mid(int x)
{
	x = keng_leaf(x);
	barrier();
	return x + 1;
}

static noinline __noclone int keng_top(int x)
{
	x = keng_mid(x);
	barrier();
	return x + 1;
}

static noinline __noclone int keng_recurse(int depth)
{
	int below = 0;

	if (depth)
		below = keng_recurse(depth - 1);
	else if (keng.inside)
		keng.inside(keng.test);
	barrier();
	return below + 1;
}

static int keng_init(struct kunit *test)
{
	memset(&keng, 0, sizeof(keng));
	keng.test = test;
	return 0;
}

static void keng_note(char c)
{
	size_t len = strlen(keng.log);

	if (len < sizeof(keng.log) - 1)
		keng.log[len] = c;
}

/* How many instances this task holds. */
static unsigned int keng_count_hooks(void)
{
	struct llist_node *pos;
	unsigned int n = 0;

	for (pos = current->kretprobe_instances.first; pos; pos = pos->next)
		n++;
	return n;
}

static int keng_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct keng_probe *p = container_of(get_kretprobe(ri), struct keng_probe, rp);
	struct keng_data *data = (void *)ri->data;

	data->depth = keng_count_hooks();
	p->entries++;
	keng_note(p->name);
	return p->refuse;
}

static int keng_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct keng_probe *p = container_of(get_kretprobe(ri), struct keng_probe, rp);
	struct keng_data *data = (void *)ri->data;

	p->returns++;
	keng_note(toupper(p->name));
	if (keng.nr == KENG_MAX)
		return 0;
	keng.depth[keng.nr] = data->depth;
	keng.ret_addr[keng.nr] = get_kretprobe_retaddr(ri);
	keng.free[keng.nr++] = keng_count_free(&p->rp);
	return 0;
}

static struct keng_probe *keng_alloc(struct kunit *test, char name, int maxactive)
{
	struct keng_probe *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->name = name;
	p->rp.entry_handler = keng_entry;
	p->rp.handler = keng_return;
	p->rp.maxactive = maxactive;
	p->rp.data_size = sizeof(struct keng_data);
	return p;
}

static void keng_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

static struct keng_probe *keng_hook(struct kunit *test, void *func, char name,
				    int maxactive)
{
	struct keng_probe *p = keng_alloc(test, name, maxactive);

	p->rp.kp.addr = func;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(&p->rp));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, keng_unregister, &p->rp));
	return p;
}

/* Each is taken once, and then there is none; that is no miss by itself. */
static void keng_take(struct kunit *test)
{
	struct keng_probe *p = keng_hook(test, keng_leaf, 'a', 5);
	struct kretprobe_instance *ri[6] = {};
	unsigned int n, i, j;

	KUNIT_EXPECT_EQ(test, 5, p->rp.rph->pool.nr_objs);
	n = keng_take_all(&p->rp, ri, 6);
	keng_give_back(ri, n);
	KUNIT_ASSERT_EQ(test, 5, n);
	for (i = 0; i < n; i++) {
		KUNIT_EXPECT_PTR_EQ(test, p->rp.rph, ri[i]->rph);
		KUNIT_EXPECT_PTR_EQ(test, &p->rp, get_kretprobe(ri[i]));
		for (j = 0; j < i; j++)
			KUNIT_EXPECT_PTR_NE(test, ri[i], ri[j]);
	}
	KUNIT_EXPECT_EQ(test, 5, keng_count_free(&p->rp));
	KUNIT_EXPECT_EQ(test, 0, p->rp.nmissed);
}

static struct keng_probe *keng_counted;

static void keng_inside_counts(struct kunit *test)
{
	KUNIT_EXPECT_EQ(test, 2, keng_count_free(&keng_counted->rp));
	KUNIT_EXPECT_EQ(test, 4, keng_count_hooks());
}

/* A call has an instance until its return handler is through. */
static void keng_calls_take(struct kunit *test)
{
	static const unsigned int free[] = { 2, 3, 4, 5 };

	keng_counted = keng_hook(test, keng_recurse, 'a', 6);
	keng.inside = keng_inside_counts;
	KUNIT_EXPECT_EQ(test, 4, keng_recurse(3));
	KUNIT_EXPECT_STREQ(test, "aaaaAAAA", keng.log);
	KUNIT_EXPECT_MEMEQ(test, free, keng.free, sizeof(free));
	KUNIT_EXPECT_EQ(test, 6, keng_count_free(&keng_counted->rp));
	KUNIT_EXPECT_EQ(test, 0, keng_count_hooks());
	KUNIT_EXPECT_EQ(test, 0, keng_counted->rp.nmissed);
}

/* The calls that find none are counted; the outer ones return in order. */
static void keng_exhausted(struct kunit *test)
{
	struct keng_probe *p = keng_hook(test, keng_recurse, 'a', 3);
	static const int depth[] = { 2, 1, 0 };
	int i;

	for (i = 1; i <= 3; i++) {
		keng.nr = 0;
		KUNIT_EXPECT_EQ(test, 10, keng_recurse(9));
		KUNIT_EXPECT_EQ(test, 7 * i, p->rp.nmissed);
		KUNIT_EXPECT_EQ(test, 3 * i, p->entries);
		KUNIT_EXPECT_EQ(test, 3 * i, p->returns);
		KUNIT_EXPECT_MEMEQ(test, depth, keng.depth, sizeof(depth));
		KUNIT_EXPECT_EQ(test, 3, keng_count_free(&p->rp));
	}
	/* The probe on the entry was hit each time. */
	KUNIT_EXPECT_EQ(test, 0, (int)p->rp.kp.nmissed);
}

/* The entry handler is called with an instance, which is free again at once. */
static void keng_refused(struct kunit *test)
{
	struct keng_probe *p = keng_hook(test, keng_recurse, 'a', 1);

	p->refuse = true;
	KUNIT_EXPECT_EQ(test, 5, keng_recurse(4));
	KUNIT_EXPECT_STREQ(test, "aaaaa", keng.log);
	KUNIT_EXPECT_EQ(test, 0, p->rp.nmissed);
	KUNIT_EXPECT_EQ(test, 1, keng_count_free(&p->rp));
	p->refuse = false;
	KUNIT_EXPECT_EQ(test, 5, keng_recurse(4));
	KUNIT_EXPECT_STREQ(test, "aaaaaaA", keng.log);
	KUNIT_EXPECT_EQ(test, 4, p->rp.nmissed);
}

/* Three functions, called by each other: the newest call returns first. */
static void keng_nested(struct kunit *test)
{
	static const int depth[] = { 2, 1, 0 };

	keng_hook(test, keng_top, 't', 1);
	keng_hook(test, keng_leaf, 'l', 1);
	keng_hook(test, keng_mid, 'm', 1);
	KUNIT_EXPECT_EQ(test, 3, keng_top(0));
	KUNIT_EXPECT_STREQ(test, "tmlLMT", keng.log);
	KUNIT_EXPECT_MEMEQ(test, depth, keng.depth, sizeof(depth));
}

static bool keng_inside_func(unsigned long addr, void *func)
{
	unsigned long offset;

	func = dereference_kernel_function_descriptor(func);
	return kallsyms_lookup_size_offset(addr, NULL, &offset) &&
	       addr - offset == (unsigned long)func;
}

/* One call, two instances: the older one has the address, both are passed it. */
static void keng_inside_two(struct kunit *test)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe_instance *newer, *older;

	KUNIT_EXPECT_EQ(test, 2, keng_count_hooks());
	newer = llist_entry(first, struct kretprobe_instance, llist);
	older = llist_entry(first->next, struct kretprobe_instance, llist);
	KUNIT_EXPECT_PTR_EQ(test, newer->fp, older->fp);
	KUNIT_EXPECT_TRUE(test, is_kretprobe_trampoline((unsigned long)newer->ret_addr));
	KUNIT_EXPECT_TRUE(test, keng_inside_func((unsigned long)older->ret_addr,
						 keng_mid));
}

static void keng_two_on_one(struct kunit *test)
{
	struct keng_probe *a = keng_hook(test, keng_leaf, 'a', 1);
	struct keng_probe *b = keng_hook(test, keng_leaf, 'b', 2);

	keng.inside = keng_inside_two;
	KUNIT_EXPECT_EQ(test, 2, keng_mid(0));
	/* The newest probe is called first, so the older one's instance is newer. */
	KUNIT_EXPECT_STREQ(test, "baAB", keng.log);
	KUNIT_EXPECT_EQ(test, keng.ret_addr[0], keng.ret_addr[1]);
	KUNIT_EXPECT_TRUE(test, keng_inside_func(keng.ret_addr[0], keng_mid));
	/* Neither is free while a handler of the call runs. */
	KUNIT_EXPECT_EQ(test, 0, keng.free[0]);
	KUNIT_EXPECT_EQ(test, 1, keng.free[1]);
	KUNIT_EXPECT_EQ(test, 1, keng_count_free(&a->rp));
	KUNIT_EXPECT_EQ(test, 2, keng_count_free(&b->rp));
}

/* One of them has instances for some of the calls only. */
static void keng_one_exhausted(struct kunit *test)
{
	struct keng_probe *a = keng_hook(test, keng_recurse, 'a', 1);
	struct keng_probe *b = keng_hook(test, keng_recurse, 'b', 3);

	KUNIT_EXPECT_EQ(test, 4, keng_recurse(3));
	KUNIT_EXPECT_STREQ(test, "babbBBAB", keng.log);
	KUNIT_EXPECT_EQ(test, 3, a->rp.nmissed);
	KUNIT_EXPECT_EQ(test, 1, b->rp.nmissed);
}

/* As an unwinder does it: from the newest call to the oldest. */
static void keng_walk(struct kunit *test, struct task_struct *tsk,
		      void *const *callers, unsigned int num)
{
	struct llist_node *pos = tsk->kretprobe_instances.first, *cur = NULL;
	struct kretprobe_instance *ri;
	unsigned long addr;
	unsigned int i = 0;
	void *fp = NULL;

	for (; pos; pos = pos->next) {
		ri = llist_entry(pos, struct kretprobe_instance, llist);
		fp = ri->fp;
		/* Of several for one call, the last one is found. */
		if (is_kretprobe_trampoline((unsigned long)ri->ret_addr))
			continue;
		addr = kretprobe_find_ret_addr(tsk, fp, &cur);
		KUNIT_EXPECT_PTR_EQ(test, pos, cur);
		KUNIT_EXPECT_EQ(test, (unsigned long)ri->ret_addr, addr);
		KUNIT_EXPECT_TRUE(test, i < num && keng_inside_func(addr, callers[i]));
		i++;
	}
	KUNIT_EXPECT_EQ(test, num, i);
	/* Behind the oldest one there is no other. */
	KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(tsk, fp, &cur));
	cur = NULL;
	KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(tsk, &cur, &cur));
	KUNIT_EXPECT_NULL(test, cur);
}

static void keng_find_calls(struct kunit *test);

static void keng_inside_walks(struct kunit *test)
{
	void *const callers[] = { keng_mid, keng_top, keng_find_calls };

	keng_walk(test, current, callers, ARRAY_SIZE(callers));
}

static void keng_find_calls(struct kunit *test)
{
	keng_hook(test, keng_leaf, 'l', 1);
	keng_hook(test, keng_leaf, 'l', 1);
	keng_hook(test, keng_mid, 'm', 1);
	keng_hook(test, keng_top, 't', 1);
	keng_hook(test, keng_top, 't', 1);
	keng_hook(test, keng_top, 't', 1);
	keng.inside = keng_inside_walks;
	KUNIT_EXPECT_EQ(test, 3, keng_top(0));
	KUNIT_EXPECT_STREQ(test, "tttmllLLMTTT", keng.log);
}

/* A call that was never made, in a frame that does not exist, to @addr. */
static struct kretprobe_instance *keng_pretend(struct keng_probe *p, long frame,
					       void *addr)
{
	struct kretprobe_instance *ri = kretprobe_get(&p->rp);
	struct pt_regs regs = {};

	if (!ri)
		return NULL;
	ri->rp = &p->rp;
	ri->task = current;
	((struct keng_data *)ri->data)->depth = frame;
	kretprobe_hook(ri, &regs, false);
	ri->fp = (void *)frame;
	ri->ret_addr = addr;
	return ri;
}

/* Return from it; what the trampoline would go to. */
static unsigned long keng_pretend_return(long frame)
{
	struct pt_regs regs = {};

	return __kretprobe_trampoline_handler(&regs, (void *)frame);
}

/*
 * Calls that were left by other means than a return have no handler called, and
 * give their instances back. The frames are numbers that no stack has.
 */
static void keng_skipped_frames(struct kunit *test)
{
	struct keng_probe *p = keng_hook(test, keng_leaf, 'a', 7);
	void *trampoline = dereference_kernel_function_descriptor(__kretprobe_trampoline);
	static const int frames[] = { 4, 2, 2, 1 };
	unsigned long to[3];
	unsigned int left[3];

	scoped_guard(preempt) {
		keng_pretend(p, 1, keng_top);
		keng_pretend(p, 2, keng_mid);
		keng_pretend(p, 3, keng_leaf);
		/* The call in frame 2 has two. */
		keng_pretend(p, 2, trampoline);
		keng_pretend(p, 3, trampoline);
		keng_pretend(p, 4, keng_leaf);
		to[0] = keng_pretend_return(4);
		left[0] = keng_count_hooks();
		to[1] = keng_pretend_return(2);
		left[1] = keng_count_hooks();
		to[2] = keng_pretend_return(1);
		left[2] = keng_count_hooks();
	}
	KUNIT_EXPECT_EQ(test, (unsigned long)keng_leaf, to[0]);
	KUNIT_EXPECT_EQ(test, (unsigned long)keng_mid, to[1]);
	KUNIT_EXPECT_EQ(test, (unsigned long)keng_top, to[2]);
	KUNIT_EXPECT_EQ(test, 5, left[0]);
	KUNIT_EXPECT_EQ(test, 1, left[1]);
	KUNIT_EXPECT_EQ(test, 0, left[2]);
	KUNIT_EXPECT_EQ(test, 4, p->returns);
	KUNIT_EXPECT_MEMEQ(test, frames, keng.depth, sizeof(frames));
	KUNIT_EXPECT_EQ(test, keng.ret_addr[1], keng.ret_addr[2]);
	KUNIT_EXPECT_EQ(test, 7, keng_count_free(&p->rp));
}

/**
 * struct keng_sleeper - a task that sleeps in keng_leaf()
 * @inside: it is there
 * @go: it may go on
 * @done: all calls have returned
 * @value: what they returned
 */
struct keng_sleeper {
	struct completion inside;
	struct completion go;
	struct completion done;
	int value;
};

static struct keng_sleeper *keng_sleeper;

static void keng_inside_sleeps(struct kunit *test)
{
	complete(&keng_sleeper->inside);
	wait_for_completion(&keng_sleeper->go);
}

static int keng_sleeper_func(void *data)
{
	struct keng_sleeper *s = data;

	s->value = keng_top(0);
	complete(&s->done);
	while (!kthread_should_stop())
		schedule_timeout_interruptible(1);
	return 0;
}

static struct task_struct *keng_sleeper_start(struct keng_sleeper *s)
{
	struct task_struct *task;

	init_completion(&s->inside);
	init_completion(&s->go);
	init_completion(&s->done);
	keng_sleeper = s;
	keng.inside = keng_inside_sleeps;
	task = kthread_run(keng_sleeper_func, s, "keng_sleeper");
	if (IS_ERR(task))
		return task;
	wait_for_completion(&s->inside);
	while (!wait_task_inactive(task, TASK_UNINTERRUPTIBLE))
		schedule_timeout_uninterruptible(1);
	return task;
}

/*
 * The calls of another task, which sleeps; and when it has run meanwhile, where
 * the walk stood says nothing any more.
 */
static void keng_find_sleeper(struct kunit *test)
{
	void *const callers[] = { keng_mid, keng_top, keng_sleeper_func };
	struct kretprobe_instance *ri;
	struct llist_node *cur = NULL;
	struct keng_sleeper s = {};
	struct task_struct *task;
	void *fp;

	keng_hook(test, keng_leaf, 'l', 1);
	keng_hook(test, keng_mid, 'm', 1);
	keng_hook(test, keng_top, 't', 1);
	task = keng_sleeper_start(&s);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	KUNIT_EXPECT_EQ(test, 0, keng_count_hooks());
	keng_walk(test, task, callers, ARRAY_SIZE(callers));
	ri = llist_entry(task->kretprobe_instances.first, struct kretprobe_instance, llist);
	fp = ri->fp;
	KUNIT_EXPECT_NE(test, 0, kretprobe_find_ret_addr(task, fp, &cur));
	complete(&s.go);
	wait_for_completion(&s.done);
	KUNIT_EXPECT_EQ(test, 0, kretprobe_find_ret_addr(task, fp, &cur));
	KUNIT_EXPECT_EQ(test, 0, kthread_stop(task));
	KUNIT_EXPECT_EQ(test, 3, s.value);
	KUNIT_EXPECT_STREQ(test, "tmlLMT", keng.log);
}

static struct kunit_case kretprobe_stack_cases[] = {
	KUNIT_CASE(keng_take),
	KUNIT_CASE(keng_calls_take),
	KUNIT_CASE(keng_exhausted),
	KUNIT_CASE(keng_refused),
	KUNIT_CASE(keng_nested),
	KUNIT_CASE(keng_two_on_one),
	KUNIT_CASE(keng_one_exhausted),
	KUNIT_CASE(keng_skipped_frames),
	KUNIT_CASE(keng_find_calls),
	KUNIT_CASE(keng_find_sleeper),
	{}
};

static struct kunit_suite kretprobe_stack_suite = {
	.name = "kretprobe_stack",
	.init = keng_init,
	.test_cases = kretprobe_stack_cases,
};

kunit_test_suite(kretprobe_stack_suite);

MODULE_DESCRIPTION("KUnit tests of return probes without rethook: calls");
MODULE_LICENSE("GPL");
