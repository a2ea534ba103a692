// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of return probes: what is called, how often, and with what.
 * Registration, stacks and tasks have files of their own beside this one.
 */
#include <kunit/test.h>
#include <linux/delay.h>
#include <linux/irq_work.h>
#include <linux/kallsyms.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/string.h>

#include "../kretprobe.h"
#include "testing.h"

#define KRET_CALLS	100

/* What the handlers have seen. */
static struct {
	atomic_t entries;
	atomic_t returns;
	unsigned long arg;
	unsigned long ret_val;
	unsigned long entry_sp;
	unsigned long ret_sp;
	unsigned long ret_ip;
	unsigned long ret_addr;
	unsigned long accessor;
	struct kretprobe *rp;
	struct kretprobe *owner;
	struct kprobe *running;
	struct task_struct *task;
	bool preemptible;
	bool bad_regs;
	bool bad_data;
	char order[16];
} kret;

/*
 * The functions that are probed. The barriers keep the compiler from finding
 * out what they do, and from leaving through a jump.
 */
static noinline __noclone int kret_double(int x)
{
	barrier();
	return 2 * x;
}

static noinline __noclone int kret_triple(int x)
{
	barrier();
	return 3 * x;
}

static noinline __noclone int kret_outer(int x)
{
	x = kret_double(x);
	barrier();
	return x + 1;
}

static noinline __noclone int kret_recurse(int depth)
{
	int below = depth ? kret_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

static noinline __noclone int kret_caller(int x)
{
	x = kret_double(x);
	barrier();
	return x;
}

static void kret_note(char c)
{
	size_t len = strlen(kret.order);

	if (len < sizeof(kret.order) - 1)
		kret.order[len] = c;
}

static int kret_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kret.entries);
	kret.preemptible |= preemptible();
	kret.entry_sp = kernel_stack_pointer(regs);
	return 0;
}

static int kret_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	atomic_inc(&kret.returns);
	kret.preemptible |= preemptible();
	kret.ret_val = regs_return_value(regs);
	kret.ret_sp = kernel_stack_pointer(regs);
	kret.ret_ip = instruction_pointer(regs);
	kret.ret_addr = (unsigned long)ri->ret_addr;
	kret.accessor = get_kretprobe_retaddr(ri);
	kret.rp = ri->rp;
	kret.owner = get_kretprobe(ri);
	kret.running = kprobe_running();
	kret.task = ri->task;
	return 0;
}

static void kret_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

/* Register, and see to it that it is undone, also if the test is aborted. */
static void kret_register(struct kunit *test, struct kretprobe *rp, void *func)
{
	int ret;

	rp->kp.addr = ktest_entry(func);
	ret = register_kretprobe(rp);
	KUNIT_ASSERT_EQ(test, 0, ret);
	ret = kunit_add_action_or_reset(test, kret_unregister, rp);
	KUNIT_ASSERT_EQ(test, 0, ret);
}

static struct kretprobe *kret_alloc(struct kunit *test)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->entry_handler = kret_entry;
	rp->handler = kret_return;
	return rp;
}

static int kret_init(struct kunit *test)
{
	memset(&kret, 0, sizeof(kret));
	return 0;
}

/* Each call is seen once on the way in and once on the way out. */
static void kret_hits(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);
	int i;

	kret_register(test, rp, kret_double);
	for (i = 0; i < KRET_CALLS; i++) {
		KUNIT_ASSERT_EQ(test, 2 * i, kret_double(i));
		KUNIT_ASSERT_EQ(test, 2 * i, (int)kret.ret_val);
	}
	KUNIT_EXPECT_EQ(test, KRET_CALLS, atomic_read(&kret.entries));
	KUNIT_EXPECT_EQ(test, KRET_CALLS, atomic_read(&kret.returns));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_EQ(test, 0, (int)rp->kp.nmissed);
	KUNIT_EXPECT_FALSE(test, kret.preemptible);

	unregister_kretprobe(rp);
	kret_double(1);
	KUNIT_EXPECT_EQ(test, KRET_CALLS, atomic_read(&kret.entries));
	KUNIT_EXPECT_EQ(test, KRET_CALLS, atomic_read(&kret.returns));
}

/* What a handler finds out about the call. */
static void kret_fields(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);
	unsigned long offset = 0;

	kret_register(test, rp, kret_double);
	KUNIT_EXPECT_EQ(test, 14, kret_caller(7));
	KUNIT_EXPECT_PTR_EQ(test, rp, kret.rp);
	KUNIT_EXPECT_PTR_EQ(test, rp, kret.owner);
	KUNIT_EXPECT_PTR_EQ(test, &rp->kp, kret.running);
	KUNIT_EXPECT_PTR_EQ(test, current, kret.task);
	KUNIT_EXPECT_TRUE(test, rp->kp.flags & KPROBE_FLAG_ON_FUNC_ENTRY);

	KUNIT_ASSERT_TRUE(test, kallsyms_lookup_size_offset(kret.ret_addr, NULL,
							    &offset));
	KUNIT_EXPECT_EQ(test, (unsigned long)kret_caller,
			kret.ret_addr - offset);
	KUNIT_EXPECT_EQ(test, kret.ret_addr, kret.accessor);
	KUNIT_EXPECT_EQ(test, kret.ret_addr, kret.ret_ip);
	if (IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_EQ(test, kret.entry_sp + sizeof(long),
				kret.ret_sp);
}

/* A kretprobe without handlers is of little use, and no harm. */
static void kret_null_handlers(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);

	rp->entry_handler = NULL;
	rp->handler = NULL;
	rp->maxactive = 1;
	kret_register(test, rp, kret_double);
	KUNIT_EXPECT_EQ(test, 2, kret_double(1));
	KUNIT_EXPECT_EQ(test, 4, kret_double(2));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
}

/*
 * Not every architecture has regs_set_return_value(), but each has
 * regs_return_value(), which tells which of the saved words it is.
 */
static int kret_set_42(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long *word = (unsigned long *)regs, *end = (unsigned long *)(regs + 1);
	unsigned long old;

	for (; word < end; word++) {
		old = *word;
		*word = 42;
		if (regs_return_value(regs) == 42)
			break;
		*word = old;
	}
	return 0;
}

/* A return handler may change what the caller gets. */
static void kret_change_value(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);

	rp->handler = kret_set_42;
	kret_register(test, rp, kret_double);
	KUNIT_EXPECT_EQ(test, 42, kret_caller(7));
	KUNIT_EXPECT_EQ(test, 43, kret_outer(7));
}

#ifdef CONFIG_HAVE_FUNCTION_ARG_ACCESS_API
static bool kret_arg_is(struct pt_regs *regs, unsigned long x)
{
	return (u32)regs_get_kernel_argument(regs, 0) == x;
}
#else
/* Which of the calls it is cannot be read from the registers here. */
static bool kret_arg_is(struct pt_regs *regs, unsigned long x)
{
	return true;
}
#endif

/*
 * For tests that call kret_double() with 1, 2, 3 and so on: the number of entries
 * is the argument of this call, and the registers must say so, too.
 */
static unsigned long kret_entry_arg(struct pt_regs *regs)
{
	unsigned long x = atomic_inc_return(&kret.entries);
	unsigned long offset = 0, ip = instruction_pointer(regs);

	kret.bad_regs |= !kallsyms_lookup_size_offset(ip, NULL, &offset) ||
			 ip - offset != (unsigned long)kret_double ||
			 !kret_arg_is(regs, x);
	return x;
}

static int kret_fill(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	memset(ri->data, (int)kret_entry_arg(regs), ri->rp->data_size);
	return 0;
}

static int kret_verify(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	unsigned long arg = regs_return_value(regs) / 2;

	kret.bad_data |= memchr_inv(ri->data, (int)arg & 0xff,
				    ri->rp->data_size) != NULL;
	atomic_inc(&kret.returns);
	return 0;
}

/* Private data gets from the entry to the return, whatever its size. */
static void kret_data(struct kunit *test)
{
	static const size_t sizes[] = { 0, 1, 8, 13, KRETPROBE_MAX_DATA_SIZE };
	struct kretprobe *rp = kret_alloc(test);
	int i, x = 0;

	rp->entry_handler = kret_fill;
	rp->handler = kret_verify;
	for (i = 0; i < ARRAY_SIZE(sizes); i++) {
		rp->kp.addr = ktest_entry(kret_double);
		rp->data_size = sizes[i];
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
		while (x < 20 * (i + 1))
			kret_double(++x);
		unregister_kretprobe(rp);
		KUNIT_EXPECT_EQ(test, x, atomic_read(&kret.returns));
	}
	KUNIT_EXPECT_FALSE(test, kret.bad_data);
	KUNIT_EXPECT_FALSE(test, kret.bad_regs);
	KUNIT_EXPECT_EQ(test, x, atomic_read(&kret.entries));
}

static int kret_refuse_odd(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return kret_entry_arg(regs) & 1;
}

static int kret_verify_even(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kret.bad_data |= regs_return_value(regs) / 2 & 1;
	return kret_return(ri, regs);
}

/* A call that the entry handler refuses is neither hooked nor missed. */
static void kret_entry_refuses(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);
	int i;

	rp->entry_handler = kret_refuse_odd;
	rp->handler = kret_verify_even;
	rp->maxactive = 1;
	kret_register(test, rp, kret_double);
	for (i = 1; i <= KRET_CALLS; i++)
		kret_double(i);
	KUNIT_EXPECT_EQ(test, KRET_CALLS, atomic_read(&kret.entries));
	KUNIT_EXPECT_EQ(test, KRET_CALLS / 2, atomic_read(&kret.returns));
	KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	KUNIT_EXPECT_FALSE(test, kret.bad_data);
	KUNIT_EXPECT_FALSE(test, kret.bad_regs);
}

static int kret_entry_a(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kret_note('A');
	return 0;
}

static int kret_return_a(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kret_note('a');
	return kret_return(ri, regs);
}

static int kret_entry_b(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kret_note('B');
	return 0;
}

static int kret_return_b(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kret_note('b');
	kret.arg = get_kretprobe_retaddr(ri);
	return 0;
}

/* Two on one function: the newest first, last in, first out; both know the caller. */
static void kret_two_on_one(struct kunit *test)
{
	struct kretprobe *a = kret_alloc(test), *b = kret_alloc(test);

	a->entry_handler = kret_entry_a;
	a->handler = kret_return_a;
	b->entry_handler = kret_entry_b;
	b->handler = kret_return_b;
	kret_register(test, a, kret_double);
	kret_register(test, b, kret_double);
	KUNIT_EXPECT_EQ(test, 6, kret_caller(3));
	KUNIT_EXPECT_STREQ(test, "BAab", kret.order);
	KUNIT_EXPECT_EQ(test, kret.ret_addr, kret.arg);
	KUNIT_EXPECT_FALSE(test, is_kretprobe_trampoline(kret.arg));

	/* The older one goes, the other is not disturbed. */
	unregister_kretprobe(a);
	KUNIT_EXPECT_EQ(test, 6, kret_caller(3));
	KUNIT_EXPECT_STREQ(test, "BAabBb", kret.order);
}

/* A hooked function that calls a hooked function. */
static void kret_nested(struct kunit *test)
{
	struct kretprobe *a = kret_alloc(test), *b = kret_alloc(test);

	a->entry_handler = kret_entry_a;
	a->handler = kret_return_a;
	b->entry_handler = kret_entry_b;
	b->handler = kret_return_b;
	kret_register(test, a, kret_outer);
	kret_register(test, b, kret_double);
	KUNIT_EXPECT_EQ(test, 7, kret_outer(3));
	KUNIT_EXPECT_STREQ(test, "ABba", kret.order);
}

/* Recursion beyond maxactive: the outer calls are hooked, the rest counted. */
static void kret_recursion(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);
	int round;

	rp->maxactive = 5;
	kret_register(test, rp, kret_recurse);
	for (round = 1; round <= 10; round++) {
		KUNIT_ASSERT_EQ(test, 21, kret_recurse(20));
		KUNIT_ASSERT_EQ(test, 5 * round, atomic_read(&kret.returns));
		KUNIT_ASSERT_EQ(test, 5 * round, atomic_read(&kret.entries));
		KUNIT_ASSERT_EQ(test, 16 * round, rp->nmissed);
	}
	KUNIT_EXPECT_EQ(test, 5, kret_recurse(4));
	KUNIT_EXPECT_EQ(test, 16 * 10, rp->nmissed);
}

static struct kretprobe *kret_owner_when_stopped;

static int kret_stop_and_ask(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	kretprobe_pool_stop(rp);
	kret_owner_when_stopped = get_kretprobe(ri);
	return 0;
}

/* Unregistration stops the hook first: handlers under way still get an answer. */
static void kret_owner_stays(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);

	if (!IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK))
		kunit_skip(test, "no rethook");
	rp->entry_handler = kret_stop_and_ask;
	kret_register(test, rp, kret_double);
	KUNIT_EXPECT_EQ(test, 6, kret_caller(3));
	KUNIT_EXPECT_PTR_EQ(test, rp, kret_owner_when_stopped);
}

static void kret_disable(struct kunit *test)
{
	struct kretprobe *rp = kret_alloc(test);

	rp->kp.flags = KPROBE_FLAG_DISABLED;
	kret_register(test, rp, kret_double);
	kret_double(1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kret.entries));
	KUNIT_EXPECT_EQ(test, 0, enable_kretprobe(rp));
	kret_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kret.returns));
	KUNIT_EXPECT_EQ(test, 0, disable_kretprobe(rp));
	kret_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kret.entries));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kret.returns));
}

static int kret_calls_triple(struct kretprobe_instance *ri,
			     struct pt_regs *regs)
{
	kret.ret_val = kret_triple(5);
	return 0;
}

/* A probe that a return handler hits is missed, and is counted. */
static void kret_hit_in_handler(struct kunit *test)
{
	struct kretprobe *outer = kret_alloc(test), *inner = kret_alloc(test);

	outer->handler = kret_calls_triple;
	kret_register(test, inner, kret_triple);
	kret_register(test, outer, kret_double);
	KUNIT_EXPECT_EQ(test, 2, kret_double(1));
	KUNIT_EXPECT_EQ(test, 15UL, kret.ret_val);
	KUNIT_EXPECT_EQ(test, 1, (int)inner->kp.nmissed);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&kret.returns));
	kret_triple(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&kret.returns));
}

static void kret_irq_func(struct irq_work *work)
{
	kret.arg = kret_triple(7);
}

static DEFINE_IRQ_WORK(kret_irq_work, kret_irq_func);

static int kret_waits_for_irq(struct kretprobe_instance *ri,
			      struct pt_regs *regs)
{
	int i;

	irq_work_queue(&kret_irq_work);
	for (i = 0; i < 20000 && !READ_ONCE(kret.arg); i++)
		udelay(5);
	kret_note(irqs_disabled() ? '0' : '1');
	return 0;
}

/*
 * A call from an interrupt that comes during a return handler is hooked, with
 * frames; else it is missed, and counted. Where the handler runs with interrupts
 * off, the interrupt comes behind it.
 */
static void kret_irq_in_handler(struct kunit *test)
{
	struct kretprobe *task = kret_alloc(test), *irq = kret_alloc(test);
	bool hooked;

	task->handler = kret_waits_for_irq;
	irq->entry_handler = NULL;
	kret_register(test, irq, kret_triple);
	kret_register(test, task, kret_double);
	KUNIT_EXPECT_EQ(test, 18, kret_double(9));
	irq_work_sync(&kret_irq_work);
	hooked = KTEST_FRAMES || !strcmp(kret.order, "0");
	KUNIT_EXPECT_EQ(test, 21UL, kret.arg);
	KUNIT_EXPECT_EQ(test, hooked ? 21UL : 0, kret.ret_val);
	KUNIT_EXPECT_EQ(test, hooked, atomic_read(&kret.returns));
	KUNIT_EXPECT_EQ(test, !hooked, (int)irq->kp.nmissed);
	if (IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_STREQ(test, "1", kret.order);
}

static struct kunit_case kretprobe_cases[] = {
	KUNIT_CASE(kret_hits),
	KUNIT_CASE(kret_fields),
	KUNIT_CASE(kret_null_handlers),
	KUNIT_CASE(kret_change_value),
	KUNIT_CASE(kret_data),
	KUNIT_CASE(kret_entry_refuses),
	KUNIT_CASE(kret_two_on_one),
	KUNIT_CASE(kret_nested),
	KUNIT_CASE(kret_recursion),
	KUNIT_CASE(kret_owner_stays),
	KUNIT_CASE(kret_disable),
	KUNIT_CASE(kret_hit_in_handler),
	KUNIT_CASE(kret_irq_in_handler),
	{}
};

static struct kunit_suite kretprobe_suite = {
	.name = "kretprobe",
	.init = kret_init,
	.test_cases = kretprobe_cases,
};

kunit_test_suite(kretprobe_suite);

MODULE_DESCRIPTION("KUnit tests of return probes");
MODULE_LICENSE("GPL");
