// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites share: functions to probe, and fprobes that count.
 */
#include <linux/completion.h>
#include <linux/ctype.h>
#include <linux/kthread.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/string.h>

#include "testing.h"

char fptest_log[FPTEST_LOG_SIZE];
atomic_t fptest_asleep;
struct completion fptest_wake;

/*
 * The barriers keep the compiler from finding out what the functions do, and from
 * leaving through a jump.
 */
noinline __noclone int fptest_double(int x)
{
	barrier();
	return 2 * x;
}

noinline __noclone int fptest_triple(int x)
{
	barrier();
	return 3 * x;
}

/* Not quite the code of fptest_double(), with which it would be merged. */
noinline __noclone int fptest_double_too(int x)
{
	barrier();
	barrier();
	return 2 * x;
}

/* Another name of it. */
int fptest_alias(int x) __alias(fptest_double_too);

noinline __noclone int fptest_recurse(int depth)
{
	int below = depth ? fptest_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

noinline __noclone int fptest_sum(int a, int b, int c, int d, int e, int f)
{
	barrier();
	return a + b + c + d + e + f;
}

/* In place of the one in overridden.c. */
noinline __noclone int fptest_overridden(int x)
{
	barrier();
	return x - 1;
}

/* Sleeps until fptest_wake is completed. */
noinline __noclone int fptest_sleeper(void *data)
{
	atomic_inc(&fptest_asleep);
	wait_for_completion(&fptest_wake);
	atomic_dec(&fptest_asleep);
	barrier();
	return 0;
}

/* A call that never returns: the thread ends in it. */
noinline __noclone int fptest_killed(void *data)
{
	kthread_exit(0);
	barrier();
	return 0;
}

static void fptest_note(char c)
{
	size_t len = strlen(fptest_log);

	if (c && len < sizeof(fptest_log) - 1)
		fptest_log[len] = c;
}

static struct fptest_probe *fptest_of(struct fprobe *fp)
{
	return container_of(fp, struct fptest_probe, fp);
}

/* What an fprobe leaves in the data of a call differs by call and by fprobe. */
static int fptest_pattern(struct fptest_probe *p, int call)
{
	return (p->name + call) & 0xff;
}

static bool fptest_bad_pointer(struct fprobe *fp, void *data)
{
	return !data != !(fp->exit_handler && fp->entry_data_size) ||
	       !IS_ALIGNED((unsigned long)data, sizeof(long));
}

static int fptest_entry(struct fprobe *fp, unsigned long entry_ip,
			unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	struct fptest_probe *p = fptest_of(fp);
	int call = atomic_inc_return(&p->entries);

	p->entry_ip = entry_ip;
	p->ret_ip = ret_ip;
	p->preemptible |= preemptible();
	p->bad_data |= fptest_bad_pointer(fp, data);
	fptest_note(p->name);
	if (data)
		memset(data, fptest_pattern(p, call), fp->entry_data_size);
	if (p->then)
		p->then(p, regs);
	return p->refuse;
}

/* Calls do not overlap where the data are looked at. */
static void fptest_exit(struct fprobe *fp, unsigned long entry_ip,
			unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	struct fptest_probe *p = fptest_of(fp);
	int call = atomic_inc_return(&p->exits);

	p->exit_ip = entry_ip;
	p->exit_ret_ip = ret_ip;
	p->value = regs_return_value(regs);
	p->preemptible |= preemptible();
	p->bad_data |= fptest_bad_pointer(fp, data);
	fptest_note(toupper(p->name));
	if (data && memchr_inv(data, fptest_pattern(p, call), fp->entry_data_size))
		p->bad_data = true;
	if (p->at_exit)
		p->at_exit(p, regs);
}

/**
 * fptest_alloc() - an fprobe with both handlers, not registered
 * @test: the test, which frees it
 * @name: its letter, or 0
 *
 * Return: the fprobe.
 */
struct fptest_probe *fptest_alloc(struct kunit *test, char name)
{
	struct fptest_probe *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	p->name = name;
	p->fp.entry_handler = fptest_entry;
	p->fp.exit_handler = fptest_exit;
	return p;
}

static void fptest_unregister(void *p)
{
	unregister_fprobe(&((struct fptest_probe *)p)->fp);
}

/**
 * fptest_guard() - unregister an fprobe at the end of the test, if it has not done so
 * @test: the test
 * @p: the fprobe
 */
void fptest_guard(struct kunit *test, struct fptest_probe *p)
{
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, fptest_unregister, p));
}

/**
 * fptest_register() - register an fprobe, at least until the end of the test
 * @test: the test
 * @p: the fprobe
 * @filter: for which functions
 */
void fptest_register(struct kunit *test, struct fptest_probe *p, const char *filter)
{
	KUNIT_ASSERT_EQ(test, 0, register_fprobe(&p->fp, filter, NULL));
	fptest_guard(test, p);
}

/**
 * fptest_sites() - how many functions is an fprobe armed on?
 * @p: the fprobe
 *
 * Return: the number; all ones if it is not registered.
 */
unsigned int fptest_sites(struct fptest_probe *p)
{
	struct fprobe_stats stats;

	return fprobe_read_stats(&p->fp, &stats) ? ~0U : stats.sites;
}

/**
 * fptest_missed() - how often was a handler not called for a cause?
 * @p: a registered fprobe
 * @cause: the cause
 *
 * Return: the number.
 */
unsigned long fptest_missed(struct fptest_probe *p, enum fprobe_miss cause)
{
	struct fprobe_stats stats = {};

	fprobe_read_stats(&p->fp, &stats);
	return stats.missed[cause];
}

/**
 * fptest_live() - how many functions are armed
 *
 * Return: the number, those of each way.
 */
unsigned int fptest_live(void)
{
	unsigned int way, nr = 0;

	guard(mutex)(&fprobe_mutex);
	for (way = 0; way < FPROBE_NR_WAYS; way++)
		nr += fprobe_table_live(way);
	return nr;
}

/**
 * fptest_init() - get ready for a test
 * @test: the test
 *
 * Return: 0.
 */
int fptest_init(struct kunit *test)
{
	memset(fptest_log, 0, sizeof(fptest_log));
	init_completion(&fptest_wake);
	return 0;
}

MODULE_DESCRIPTION("KUnit tests of function probes");
MODULE_LICENSE("GPL");
