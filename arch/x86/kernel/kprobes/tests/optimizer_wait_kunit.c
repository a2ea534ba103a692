// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the optimizer: while it waits for tasks to leave the regions,
 * it keeps no other subsystem from patching text; and it does not wait for a task
 * that goes on registering, or disabling.
 */
#include <linux/cpumask.h>
#include <linux/delay.h>
#include <linux/jiffies.h>
#include <linux/jump_label.h>
#include <linux/kthread.h>
#include <linux/ktime.h>
#include <linux/string.h>
#include <linux/stringify.h>
#include <asm/nops.h>

#include "kprobes/tests/testing.h"
#include "targets.h"

/* How many points are optimized at a time: 40 functions of 25. */
#define WAIT_SITES	1000

/* How often a static key is switched while they wait, and how long that may take. */
#define WAIT_FLIPS	20
#define WAIT_MS		60000

/* How long a task is busy after each that it registers or disables one by one. */
#define WAIT_BUSY_MS	50

/* How often it begins anew if it has slept, as it may where the host has other work. */
#define WAIT_TRIES	20

/*
 * With kCFI, the kernel clears the hash that it expects 16 bytes before a landing pad
 * to which no pointer leads: there must be room.
 */
asm(".pushsection .rodata.ktest_many, \"a\"\n"
	".balign 4\n"
	"ktest_many_sites:\n"
	".popsection\n"
	".pushsection .text, \"ax\", @progbits\n"
	".irp	ten, 0, 1, 2, 3\n"
	".irp	one, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9\n"
	".balign 16\n"
	".skip	16, 0xcc\n"
	".type ktest_many_\\ten\\one, @function\n"
	"ktest_many_\\ten\\one:\n"
	ASM_ENDBR
	".rept	25\n"
	"771:	.byte	" __stringify(BYTES_NOP5) "\n"
	"	nop\n"
	".pushsection .rodata.ktest_many, \"a\"\n"
	".long	771b - ktest_many_00\n"
	".popsection\n"
	".endr\n"
	ASM_RET
	".size ktest_many_\\ten\\one, . - ktest_many_\\ten\\one\n"
	".endr\n"
	".endr\n"
	".popsection\n");

static DEFINE_STATIC_KEY_FALSE(wait_key);

/**
 * struct wait_flips - what became of a static key
 * @flips: how often it was switched
 * @longest: the longest time that one took, in nanoseconds
 */
struct wait_flips {
	unsigned int flips;
	u64 longest;
};

static int wait_flip_fn(void *arg)
{
	struct wait_flips *f = arg;
	bool on = false;
	u64 start;

	while (!kthread_should_stop()) {
		on = !on;
		start = ktime_get_ns();
		if (on)
			static_branch_enable(&wait_key);
		else
			static_branch_disable(&wait_key);
		f->longest = max(f->longest, ktime_get_ns() - start);
		WRITE_ONCE(f->flips, f->flips + 1);
		usleep_range(500, 1000);
	}
	static_branch_disable(&wait_key);
	return 0;
}

static void wait_stop(void *task)
{
	kthread_stop(task);
}

/*
 * A task that is nowhere else keeps the optimizer waiting. Without preemption, all that
 * wants this CPU waits, too, and the test perhaps for that: so there is an end to it.
 */
static int wait_hold_fn(void *arg)
{
	unsigned long end = jiffies + 60 * HZ;

	while (!kthread_should_stop() && time_before(jiffies, end))
		cpu_relax();
	ktest_wait_for_stop();
	return 0;
}

/* On 32 bit, bytes of the kernel's data happen to be the address of an instruction. */
static bool wait_is_named(struct kprobe_point *pt)
{
	return kprobe_optimizer_reason(pt) == kprobe_nojump_text(KPROBE_NOJUMP_ADDRESS);
}

/* How many are in a state, those counted that cannot have a jump. */
static unsigned int wait_count(struct kprobe *kps, enum kprobe_state state)
{
	unsigned int i, nr = 0;
	struct kprobe_point *pt;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < WAIT_SITES; i++) {
		pt = kprobe_table_find(kps[i].addr);
		nr += pt->state == state || wait_is_named(pt);
	}
	return nr;
}

static unsigned int wait_count_named(struct kprobe *kps)
{
	unsigned int i, nr = 0;

	guard(mutex)(&kprobe_mutex);
	for (i = 0; i < WAIT_SITES; i++)
		nr += wait_is_named(kprobe_table_find(kps[i].addr));
	return nr;
}

static void wait_place(struct kprobe *kp, unsigned int i)
{
	kp->addr = (kprobe_opcode_t *)ktest_many_00 + ktest_many_sites[i];
}

static void wait_register(struct kunit *test, struct kprobe *kps,
			  struct kprobe **ptrs)
{
	unsigned int i;

	for (i = 0; i < WAIT_SITES; i++) {
		wait_place(&kps[i], i);
		ptrs[i] = &kps[i];
	}
	KUNIT_ASSERT_EQ(test, 0, register_kprobes(ptrs, WAIT_SITES));
}

/* The key goes on being switched; the points wait, and get their jumps then. */
static void wait_static_key(struct kunit *test)
{
	struct kprobe *kps = kunit_kcalloc(test, WAIT_SITES, sizeof(*kps), GFP_KERNEL);
	struct kprobe **ptrs = kunit_kcalloc(test, WAIT_SITES, sizeof(*ptrs), GFP_KERNEL);
	struct wait_flips f = {};
	struct task_struct *hold, *flip;
	unsigned int i, flips;

	if (num_online_cpus() < 2)
		kunit_skip(test, "one CPU waits for itself");
	KUNIT_ASSERT_NOT_NULL(test, kps);
	KUNIT_ASSERT_NOT_NULL(test, ptrs);
	/* The other CPU may have no time for other tasks. */
	set_cpus_allowed_ptr(current, cpumask_of(0));
	hold = kthread_run_on_cpu(wait_hold_fn, NULL, 1, "ktest_hold/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(hold));
	/* Also if the test ends here: all that comes later would wait for the task. */
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, wait_stop, hold));
	wait_register(test, kps, ptrs);
	flip = kthread_run_on_cpu(wait_flip_fn, &f, 0, "ktest_flip/%u");
	KUNIT_ASSERT_FALSE(test, IS_ERR(flip));
	/* From then on, for as long as the one on the other CPU goes on. */
	for (i = 0; i < WAIT_MS && wait_count(kps, KPROBE_QUEUED) < WAIT_SITES; i++)
		usleep_range(1000, 2000);
	flips = READ_ONCE(f.flips);
	for (i = 0; i < WAIT_MS && READ_ONCE(f.flips) - flips < WAIT_FLIPS; i++)
		usleep_range(1000, 2000);
	KUNIT_EXPECT_GE(test, READ_ONCE(f.flips) - flips, WAIT_FLIPS);
	KUNIT_EXPECT_EQ(test, WAIT_SITES, wait_count(kps, KPROBE_QUEUED));
	kthread_stop(flip);
	kunit_release_action(test, wait_stop, hold);
	kunit_info(test, "%u flips while %u points waited, the longest took %llu us\n",
		   f.flips, WAIT_SITES, div_u64(f.longest, NSEC_PER_USEC));
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, WAIT_SITES, wait_count(kps, KPROBE_OPTIMIZED));
	KUNIT_EXPECT_LE(test, wait_count_named(kps), WAIT_SITES / 100);
	unregister_kprobes(ptrs, WAIT_SITES);
	set_cpus_allowed_ptr(current, cpu_possible_mask);
}

static bool wait_has_jump(struct kprobe *kp)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_table_find(kp->addr)->state == KPROBE_OPTIMIZED;
}

/**
 * struct wait_busy - what a task saw that did something again and again
 * @nr: how often it did
 * @ret: what came of the last time
 * @slept: how often the task had slept before: the last time it may have to, while
 *	   the jumps are put
 * @jump: whether one of the points was reached by a jump in the end
 */
struct wait_busy {
	unsigned int nr;
	int ret;
	unsigned long slept;
	bool jump;
};

/* What may sleep in a registration is done before. */
static void wait_prepare(struct wait_busy *b, struct kprobe *kps)
{
	memset(b, 0, sizeof(*b));
	memset(kps, 0, WAIT_SITES * sizeof(*kps));
	kprobe_retire_flush();
	guard(mutex)(&kprobe_mutex);
	kprobe_table_reserve(WAIT_SITES);
}

/* mdelay() is too short where a CPU counted few loops, since an emulator had no time for it. */
static void wait_keep_busy(void)
{
	unsigned long end = jiffies + msecs_to_jiffies(WAIT_BUSY_MS);

	while (time_before(jiffies, end))
		cpu_relax();
}

/* No @step comes to the point that is looked at. */
static void wait_busily(struct wait_busy *b, struct kprobe *kps,
			int (*step)(struct kprobe *kps, unsigned int i))
{
	unsigned long before = current->nvcsw;

	while (b->nr < WAIT_SITES / 2 && !b->jump) {
		b->slept = current->nvcsw - before;
		b->ret = step(kps, b->nr);
		if (b->ret)
			break;
		wait_keep_busy();
		b->jump = wait_has_jump(&kps[b->nr++ / 2]);
	}
}

/* The optimizer may have had its chance by that. */
static bool wait_has_slept(const struct wait_busy *b)
{
	return b->jump && b->slept;
}

static void wait_expect_jump(struct kunit *test, const struct wait_busy *b)
{
	KUNIT_EXPECT_EQ(test, 0, b->ret);
	KUNIT_EXPECT_TRUE(test, b->jump);
	kunit_info(test, "%s jump after %u times\n", b->jump ? "the first" : "no", b->nr);
	if (wait_has_slept(b))
		kunit_skip(test, "the task has slept %lu times", b->slept);
}

static int wait_register_one(struct kprobe *kps, unsigned int i)
{
	wait_place(&kps[i], i);
	return register_kprobe(&kps[i]);
}

/* A task that goes on registering, and never sleeps, gets its first jumps meanwhile. */
static void wait_registering(struct kunit *test)
{
	struct kprobe *kps = kunit_kcalloc(test, WAIT_SITES, sizeof(*kps), GFP_KERNEL);
	int tries = WAIT_TRIES;
	struct wait_busy b;
	unsigned int i;

	KUNIT_ASSERT_NOT_NULL(test, kps);
	do {
		wait_prepare(&b, kps);
		wait_busily(&b, kps, wait_register_one);
		for (i = 0; i < b.nr; i++)
			unregister_kprobe(&kps[i]);
	} while (wait_has_slept(&b) && --tries);
	wait_expect_jump(test, &b);
}

static int wait_disable_one(struct kprobe *kps, unsigned int i)
{
	return disable_kprobe(&kps[WAIT_SITES - 1 - i]);
}

/* So does one that goes on disabling. */
static void wait_disabling(struct kunit *test)
{
	struct kprobe *kps = kunit_kcalloc(test, WAIT_SITES, sizeof(*kps), GFP_KERNEL);
	struct kprobe **ptrs = kunit_kcalloc(test, WAIT_SITES, sizeof(*ptrs), GFP_KERNEL);
	int tries = WAIT_TRIES;
	struct wait_busy b;

	KUNIT_ASSERT_NOT_NULL(test, kps);
	KUNIT_ASSERT_NOT_NULL(test, ptrs);
	do {
		wait_prepare(&b, kps);
		wait_register(test, kps, ptrs);
		wait_busily(&b, kps, wait_disable_one);
		unregister_kprobes(ptrs, WAIT_SITES);
	} while (wait_has_slept(&b) && --tries);
	wait_expect_jump(test, &b);
}

static struct kunit_case wait_cases[] = {
	KUNIT_CASE_SLOW(wait_static_key),
	KUNIT_CASE_SLOW(wait_registering),
	KUNIT_CASE_SLOW(wait_disabling),
	{}
};

static struct kunit_suite wait_suite = {
	.name = "kprobes_optimizer_wait",
	.test_cases = wait_cases,
};

kunit_test_suite(wait_suite);
