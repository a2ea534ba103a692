// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what must not wait for a lock: its callers hold locks that
 * kprobe_mutex is taken outside of, or have stopped the machine.
 */
#include <linux/completion.h>
#include <linux/err.h>
#include <linux/kthread.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "../slots.h"
#include "testing.h"

/* A call that is through takes microseconds; this only ends one that waits. */
#define LOCK_PATIENCE	(5 * HZ)

/**
 * struct lock_try - a call made by another thread
 * @fn: what it calls
 * @done: it has returned
 */
struct lock_try {
	void (*fn)(void);
	struct completion done;
};

static __nocfi int lock_try_fn(void *arg)
{
	struct lock_try *try = arg;

	try->fn();
	complete(&try->done);
	return 0;
}

/* Does @fn, called by another thread, return while this one holds @mutex? */
static bool lock_not_needed(struct kunit *test, struct mutex *mutex,
			    void (*fn)(void))
{
	struct lock_try try = { .fn = fn };
	struct task_struct *task;
	bool through = false;

	init_completion(&try.done);
	mutex_lock(mutex);
	task = kthread_run(lock_try_fn, &try, "kprobes_lock");
	if (!IS_ERR(task))
		through = wait_for_completion_timeout(&try.done, LOCK_PATIENCE);
	mutex_unlock(mutex);
	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	if (!through)
		wait_for_completion(&try.done);
	return through;
}

static int lock_entry[4];

static void lock_on_func_entry(void)
{
	lock_entry[0] = kprobe_on_func_entry((void *)ktest_break, NULL, 0);
	lock_entry[1] = kprobe_on_func_entry(NULL, "ktest_break", 0);
	lock_entry[2] = kprobe_on_func_entry((void *)schedule, NULL, 20);
	lock_entry[3] = kprobe_on_func_entry(NULL, "ktest_no_such_function", 0);
}

/* perf asks with the mutex of a CPU's events held. */
static void lock_func_entry(struct kunit *test)
{
	memset(lock_entry, 0x55, sizeof(lock_entry));
	KUNIT_EXPECT_TRUE(test, lock_not_needed(test, &kprobe_mutex,
						lock_on_func_entry));
	KUNIT_EXPECT_EQ(test, 0, lock_entry[0]);
	KUNIT_EXPECT_EQ(test, 0, lock_entry[1]);
	KUNIT_EXPECT_EQ(test, -EINVAL, lock_entry[2]);
	KUNIT_EXPECT_EQ(test, -ENOENT, lock_entry[3]);
}

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
static unsigned int lock_pages;

static void lock_count_pages(void)
{
	char name[KSYM_NAME_LEN], type;
	unsigned long value;

	lock_pages = 0;
	guard(preempt)();
	while (!kprobe_get_kallsym(lock_pages, &value, &type, name))
		lock_pages++;
}

/* How many kinds of slots are in use: there is a page of each, at least. */
static unsigned int lock_kinds(void)
{
	unsigned int kinds = kprobe_slots_used(&kprobe_insn_slots) > 0;

#ifdef CONFIG_OPTPROBES
	kinds += kprobe_slots_used(&kprobe_optinsn_slots) > 0;
#endif
	return kinds;
}

static void lock_expect_pages(struct kunit *test, struct mutex *mutex)
{
	lock_pages = 0;
	KUNIT_EXPECT_TRUE(test, lock_not_needed(test, mutex, lock_count_pages));
	KUNIT_EXPECT_GE(test, lock_pages, lock_kinds());
}

/* kdb asks with all other CPUs stopped, wherever they are. */
static void lock_kallsym(struct kunit *test)
{
	ktest_register(test, ktest_probe_alloc(test, ktest_plain));
	if (!lock_kinds())
		kunit_skip(test, "the instruction is not copied");
	lock_expect_pages(test, &kprobe_insn_slots.mutex);
#ifdef CONFIG_OPTPROBES
	lock_expect_pages(test, &kprobe_optinsn_slots.mutex);
#endif
}
#endif /* __ARCH_WANT_KPROBES_INSN_SLOT */

static struct kunit_case lock_cases[] = {
	KUNIT_CASE(lock_func_entry),
#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
	KUNIT_CASE(lock_kallsym),
#endif
	{}
};

static struct kunit_suite lock_suite = {
	.name = "kprobes_lock",
	.test_cases = lock_cases,
};

kunit_test_suite(lock_suite);
