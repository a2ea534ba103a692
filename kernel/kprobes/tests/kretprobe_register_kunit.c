// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the registration of return probes: what is refused, batches, and
 * how many instances there are.
 */
#include <kunit/test.h>
#include <linux/cpumask.h>
#include <linux/kprobes.h>
#include <linux/limits.h>
#include <linux/minmax.h>

#include "testing.h"

/* How often the handlers of all probes were called. */
static int kreg_entries, kreg_returns;

/*
 * The functions that are probed. The barriers keep the compiler from finding
 * out what they do, and from leaving through a jump.
 */
static noinline __noclone int kreg_double(int x)
{
	barrier();
	return 2 * x;
}

static noinline __noclone int kreg_triple(int x)
{
	barrier();
	return 3 * x;
}

static noinline __noclone int kreg_outer(int x)
{
	x = kreg_double(x);
	barrier();
	return x + 1;
}

/* Returns how deep it went, counting itself. */
static noinline __noclone int kreg_recurse(int depth)
{
	int below = depth ? kreg_recurse(depth - 1) : 0;

	barrier();
	return below + 1;
}

static int kreg_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kreg_entries++;
	return 0;
}

static int kreg_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	kreg_returns++;
	return 0;
}

static struct kretprobe *kreg_alloc(struct kunit *test)
{
	struct kretprobe *rp = kunit_kzalloc(test, sizeof(*rp), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, rp);
	rp->entry_handler = kreg_entry;
	rp->handler = kreg_return;
	return rp;
}

static void kreg_unregister(void *rp)
{
	unregister_kretprobe(rp);
}

/* Register, and see to it that it is undone, also if the test is aborted. */
static void kreg_register(struct kunit *test, struct kretprobe *rp, void *func)
{
	rp->kp.addr = ktest_entry(func);
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	KUNIT_ASSERT_EQ(test, 0,
			kunit_add_action_or_reset(test, kreg_unregister, rp));
}

static int kreg_init(struct kunit *test)
{
	kreg_entries = 0;
	kreg_returns = 0;
	return 0;
}

static void kret_default_maxactive(struct kunit *test)
{
	static const int given[] = { 0, -1, INT_MIN, 1, 17 };
	/* The engine without rethook has a fixed number, which is then set. */
	const bool grows = IS_ENABLED(CONFIG_KRETPROBE_ON_RETHOOK);
	int dflt = max(10, 2 * (int)num_possible_cpus());
	struct kretprobe *rp = kreg_alloc(test);
	int i, calls, limit;

	for (i = 0; i < ARRAY_SIZE(given); i++) {
		limit = given[i] > 0 ? given[i] : dflt;
		/* There may be more from the beginning: how many hangs on the number of CPUs. */
		calls = grows && given[i] <= 0 ? dflt : dflt + 5;
		rp->kp.addr = ktest_entry(kreg_recurse);
		rp->maxactive = given[i];
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
		KUNIT_EXPECT_EQ(test, given[i] > 0 ? given[i] : dflt,
				rp->maxactive);
		KUNIT_EXPECT_EQ(test, calls, kreg_recurse(calls - 1));
		KUNIT_EXPECT_EQ(test, max(0, calls - limit), rp->nmissed);
		unregister_kretprobe(rp);
		KUNIT_EXPECT_EQ(test, given[i] > 0 ? given[i] : grows ? 0 : dflt,
				rp->maxactive);
	}
}

static int kreg_try(struct kretprobe *rp, void *addr, const char *symbol,
		    unsigned int offset)
{
	int ret;

	rp->kp.addr = addr;
	rp->kp.symbol_name = symbol;
	rp->kp.offset = offset;
	ret = register_kretprobe(rp);
	if (!ret)
		unregister_kretprobe(rp);
	return ret;
}

static void kret_bad_input(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);

	KUNIT_EXPECT_EQ(test, -EINVAL, kreg_try(rp, NULL, NULL, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			kreg_try(rp, kreg_double, "kreg_double", 0));
	KUNIT_EXPECT_EQ(test, -ENOENT, kreg_try(rp, NULL, "kreg_none", 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, kreg_try(rp, NULL, "schedule", 40));
	/* Neither an entry nor an instruction, on any architecture. */
	KUNIT_EXPECT_EQ(test, -EINVAL,
			kreg_try(rp, (char *)kreg_recurse + 21, NULL, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			kreg_try(rp, NULL, "kretprobe_pre_handler", 0));
	if (IS_ENABLED(CONFIG_X86_64))
		KUNIT_EXPECT_EQ(test, -EINVAL,
				kreg_try(rp, NULL, "__switch_to", 0));
	if (IS_ENABLED(CONFIG_X86))
		KUNIT_EXPECT_EQ(test, -EINVAL, kreg_try(rp, NULL, "ret_from_fork", 0));
	if (IS_ENABLED(CONFIG_X86) && IS_ENABLED(CONFIG_HIBERNATION))
		KUNIT_EXPECT_EQ(test, -EINVAL,
				kreg_try(rp, NULL, "swsusp_arch_suspend", 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(&rp, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(&rp, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(NULL, 1));
	/* None of it left anything behind. */
	KUNIT_EXPECT_EQ(test, 0, kreg_try(rp, kreg_double, NULL, 0));
	KUNIT_EXPECT_EQ(test, 0, kreg_try(rp, NULL, "schedule", 0));
}

static void kret_bad_size(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);

	rp->data_size = KRETPROBE_MAX_DATA_SIZE + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, kreg_try(rp, kreg_double, NULL, 0));
	rp->data_size = SIZE_MAX;
	KUNIT_EXPECT_EQ(test, -E2BIG, kreg_try(rp, kreg_double, NULL, 0));
	rp->data_size = 0;
	rp->maxactive = INT_MAX;
	KUNIT_EXPECT_EQ(test, -EINVAL, kreg_try(rp, kreg_double, NULL, 0));
	rp->maxactive = 0;
	KUNIT_EXPECT_EQ(test, 0, kreg_try(rp, kreg_double, NULL, 0));
}

/* A second registration fails and leaves the first as it was. */
static void kret_registered_twice(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);
	struct kretprobe *pair[] = { rp, rp };

	rp->kp.addr = ktest_entry(kreg_double);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobes(pair, 2));

	kreg_register(test, rp, kreg_double);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(rp));
	kreg_double(1);
	KUNIT_EXPECT_EQ(test, 1, kreg_returns);
	unregister_kretprobe(rp);

	/* Nor does it hurt to unregister twice, or too early. */
	unregister_kretprobe(rp);
	KUNIT_EXPECT_PTR_EQ(test, NULL, (void *)rp->kp.addr);
	unregister_kretprobe(kreg_alloc(test));
}

static void kreg_refuse(struct kunit *test, struct kretprobe *rp, void *addr,
			const char *symbol)
{
	rp->kp.addr = addr;
	rp->kp.symbol_name = symbol;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kretprobe(rp));
	kreg_double(1);
}

/* Nor if its user has changed the address; it can be unregistered by the right one. */
static void kret_registered_changed(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);
	kprobe_opcode_t *addr;

	kreg_register(test, rp, kreg_double);
	addr = rp->kp.addr;
	kreg_refuse(test, rp, NULL, "kreg_double");
	kreg_refuse(test, rp, ktest_entry(kreg_double), NULL);
	KUNIT_EXPECT_EQ(test, 2, kreg_returns);
	rp->kp.addr = NULL;
	unregister_kretprobe(rp);
	KUNIT_EXPECT_EQ(test, 2, kreg_double(1));
	KUNIT_EXPECT_EQ(test, 2, kreg_returns);
	KUNIT_EXPECT_EQ(test, 1, ktest_points_at(addr));
	rp->kp.addr = addr;
	unregister_kretprobe(rp);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(addr));
	KUNIT_EXPECT_EQ(test, 0, kreg_try(rp, addr, NULL, 0));
}

static int kreg_register_fn(void *rp)
{
	return register_kretprobe(rp);
}

/* Of two calls, one is refused, and leaves the instances of the other alone. */
static void kret_register_twice(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);
	int n, i;

	for (n = 1; n <= 20; n++) {
		rp->kp.addr = ktest_entry(kreg_double);
		KUNIT_ASSERT_EQ(test, -EINVAL, ktest_call_by_two(kreg_register_fn, rp));
		for (i = 0; i < 5; i++)
			KUNIT_EXPECT_EQ(test, 2 * i, kreg_double(i));
		unregister_kretprobe(rp);
		KUNIT_EXPECT_EQ(test, 5 * n, kreg_entries);
		KUNIT_EXPECT_EQ(test, 5 * n, kreg_returns);
		KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
	}
}

static void kreg_batch_init(struct kretprobe *rps, int num)
{
	void *const funcs[] = { kreg_double, kreg_triple, kreg_outer,
				kreg_recurse };
	int i;

	for (i = 0; i < num; i++) {
		rps[i].kp.addr = ktest_entry(funcs[i % ARRAY_SIZE(funcs)]);
		rps[i].entry_handler = kreg_entry;
		rps[i].handler = kreg_return;
	}
}

/* Six probes on four functions: three calls make five returns. */
static void kret_batch(struct kunit *test)
{
	struct kretprobe *rps, *list[6];
	int i;

	rps = kunit_kcalloc(test, ARRAY_SIZE(list), sizeof(*rps), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, rps);
	for (i = 0; i < ARRAY_SIZE(list); i++)
		list[i] = &rps[i];

	/* Any bad one, wherever it stands, and none is registered. */
	for (i = 0; i < ARRAY_SIZE(list); i++) {
		kreg_batch_init(rps, ARRAY_SIZE(list));
		rps[i].kp.addr = NULL;
		rps[i].kp.symbol_name = "kreg_none";
		KUNIT_EXPECT_EQ(test, -ENOENT, register_kretprobes(list, 6));
		kreg_outer(1);
		KUNIT_EXPECT_EQ(test, 0, kreg_entries);
		rps[i].kp.symbol_name = NULL;
	}

	kreg_batch_init(rps, ARRAY_SIZE(list));
	KUNIT_ASSERT_EQ(test, 0, register_kretprobes(list, 6));
	KUNIT_EXPECT_EQ(test, 4, kreg_double(2));
	KUNIT_EXPECT_EQ(test, 6, kreg_triple(2));
	KUNIT_EXPECT_EQ(test, 1, kreg_recurse(0));
	unregister_kretprobes(list, 6);
	KUNIT_EXPECT_EQ(test, 5, kreg_returns);
	KUNIT_EXPECT_EQ(test, 5, kreg_outer(2));
	KUNIT_EXPECT_EQ(test, 5, kreg_returns);
}

static void kret_again(struct kunit *test)
{
	struct kretprobe *rp = kreg_alloc(test);
	int round;

	rp->maxactive = 2;
	for (round = 1; round <= 10; round++) {
		rp->kp.addr = NULL;
		rp->kp.symbol_name = "kreg_recurse";
		KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
		KUNIT_EXPECT_EQ(test, 0, rp->nmissed);
		kreg_recurse(3);
		KUNIT_EXPECT_EQ(test, 2, rp->nmissed);
		KUNIT_EXPECT_EQ(test, 2 * round, kreg_returns);
		unregister_kretprobe(rp);
	}
}

static struct kunit_case kretprobe_register_cases[] = {
	KUNIT_CASE(kret_default_maxactive),
	KUNIT_CASE(kret_bad_input),
	KUNIT_CASE(kret_bad_size),
	KUNIT_CASE(kret_registered_twice),
	KUNIT_CASE(kret_registered_changed),
	KUNIT_CASE(kret_register_twice),
	KUNIT_CASE(kret_batch),
	KUNIT_CASE(kret_again),
	{}
};

static struct kunit_suite kretprobe_register_suite = {
	.name = "kretprobe_register",
	.init = kreg_init,
	.test_cases = kretprobe_register_cases,
};

kunit_test_suite(kretprobe_register_suite);
