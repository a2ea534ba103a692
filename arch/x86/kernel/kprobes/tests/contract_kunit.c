// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what other architectures rely on, played through on this one:
 * points of their own, arch_remove_kprobe() that writes to the text, and points'
 * kprobes that come back as if they were a user's probes.
 */
#include <linux/atomic.h>
#include <linux/ftrace.h>
#include <linux/string.h>

#include "kprobes/slots.h"
#include "kprobes/stats.h"
#include "targets_plain.h"

/* What arch_trampoline_kprobe() says yes to. */
static void *contract_trampoline;

int arch_trampoline_kprobe(struct kprobe *p)
{
	return contract_trampoline && p->addr == contract_trampoline;
}

static void contract_all_armed(void *unused)
{
	contract_trampoline = NULL;
	kprobe_set_all_disarmed(false);
}

/* A return trampoline that is a probe: calls under way still return there. */
static void contract_knob(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	struct ktest_probe *q = ktest_probe_alloc(test, ktest_fixed);

	ktest_register(test, p);
	ktest_register(test, q);
	contract_trampoline = p->kp.addr;
	ktest_set_at_end(test, contract_all_armed, NULL);
	KUNIT_ASSERT_EQ(test, 0, kprobe_set_all_disarmed(true));
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, q, 0, 0, 0);
	/* It gets its jump meanwhile, or keeps it. */
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, IS_ENABLED(CONFIG_OPTPROBES) ?
			KPROBE_OPTIMIZED : KPROBE_ARMED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KTEST_EXPECT_COUNTS(test, p, 2, 0, 0);
	KUNIT_ASSERT_EQ(test, 0, kprobe_set_all_disarmed(false));
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p, 3, 0, 0);
	KTEST_EXPECT_COUNTS(test, q, 1, 0, 0);
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static const char contract_refused_text[] = "1 of 2 probe points could not be disarmed (-12)";

/* ftrace does not forget its one site. That a trampoline stays armed is not told. */
static void contract_knob_refused(struct kunit *test)
{
	struct ktest_probe *refuse = ktest_probe_alloc(test, unregister_ftrace_function);
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_traced);
	unsigned int said = ktest_said(test, contract_refused_text);

	ktest_need_ftrace(test);
	ktest_need_no_points(test);
	ktest_register(test, refuse);
	ktest_register(test, p);
	ktest_register(test, ktest_probe_alloc(test, ktest_fixed));
	contract_trampoline = refuse->kp.addr;
	ktest_set_at_end(test, contract_all_armed, NULL);
	refuse->then = ktest_no_memory;
	KUNIT_EXPECT_EQ(test, -ENOMEM, kprobe_set_all_disarmed(true));
	refuse->then = NULL;
	KTEST_EXPECT_COUNTS(test, refuse, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, KPROBE_ARMED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, said + 1, ktest_said(test, contract_refused_text));
}
#endif /* CONFIG_KPROBES_ON_FTRACE */

/* Calls of arch_remove_kprobe(). */
static struct ktest_probe *contract_removals(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, arch_remove_kprobe);

	kprobe_retire_flush();
	ktest_register(test, p);
	return p;
}

static void contract_late(void *unused)
{
	kprobe_removes_early = false;
	kprobe_retire_flush();
}

/* As on the architectures without frames. */
static void contract_early(struct kunit *test)
{
	ktest_set_at_end(test, contract_late, NULL);
	kprobe_removes_early = true;
}

/* Points that arch_remove_kprobe() was called for while a trap could find them. */
static atomic_t contract_found;

static int contract_find(struct ktest_probe *p, struct pt_regs *regs)
{
	struct kprobe *removed = (void *)regs_get_kernel_argument(regs, 0);

	if (get_kprobe(removed->addr))
		atomic_inc(&contract_found);
	return 0;
}

/* While the mutex is held, and before another point can be there. */
static void contract_remove(struct kunit *test)
{
	struct ktest_probe *removals = contract_removals(test);
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *q = ktest_probe_alloc(test, ktest_traced);
	unsigned int used;

	ktest_need_ftrace(test);
	contract_early(test);
	atomic_set(&contract_found, 0);
	removals->then = contract_find;
	used = kprobe_slots_used(&kprobe_insn_slots);
	ktest_register(test, p);
	ktest_register(test, q);
	ktest_fixed(1);
	KUNIT_EXPECT_EQ(test, used + 1, kprobe_slots_used(&kprobe_insn_slots));
	unregister_kprobe(&p->kp);
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&contract_found));
	/* What was never prepared is not removed. */
	unregister_kprobe(&q->kp);
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
	kprobe_retire_flush();
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
	KUNIT_EXPECT_EQ(test, used, kprobe_slots_used(&kprobe_insn_slots));
	KUNIT_EXPECT_EQ(test, 0, register_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p, 2, 0, 0);
}

/* While the text is still there; then not again. */
static void contract_remove_gone(struct kunit *test)
{
	struct ktest_probe *removals = contract_removals(test);
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	unsigned long addr;

	contract_early(test);
	ktest_register(test, p);
	addr = (unsigned long)p->kp.addr;
	kprobe_kill_range(addr, addr + 1);
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
	KUNIT_EXPECT_TRUE(test, kprobe_gone(&p->kp));
	unregister_kprobe(&p->kp);
	kprobe_retire_flush();
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
}

/* Here, it is called when no task can be in the copy any more. */
static void contract_remove_late(struct kunit *test)
{
	struct ktest_probe *removals = contract_removals(test);
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);

	if (kprobe_removes_early)
		kunit_skip(test, "no frames");
	ktest_register(test, p);
	unregister_kprobe(&p->kp);
	kprobe_retire_flush();
	KTEST_EXPECT_COUNTS(test, removals, 1, 0, 0);
}

/* sh unregisters what get_kprobe() gave it. */
static void contract_point_kprobe(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	struct ktest_probe *q = ktest_probe_alloc(test, ktest_fixed);
	struct kprobe *probe;

	ktest_register(test, p);
	ktest_register(test, q);
	probe = &ktest_point(p)->probe;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_kprobe(probe));
	KUNIT_EXPECT_EQ(test, -EINVAL, disable_kprobe(probe));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	unregister_kprobe(probe);
	KUNIT_EXPECT_PTR_EQ(test, p->kp.addr, probe->addr);
	KUNIT_EXPECT_TRUE(test, ktest_untouched(p));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, q, 1, 0, 0);
	/* Their owners still have them. */
	KUNIT_EXPECT_TRUE(test, kprobe_disabled(&p->kp));
	KUNIT_EXPECT_EQ(test, 0, enable_kprobe(&p->kp));
	KUNIT_EXPECT_EQ(test, 2, ktest_fixed(1));
	KTEST_EXPECT_COUNTS(test, p, 2, 0, 0);
	unregister_kprobe(&p->kp);
	unregister_kprobe(&q->kp);
	KUNIT_EXPECT_EQ(test, 0, ktest_points_at(p->kp.addr));
}

static struct kunit_case contract_cases[] = {
	KUNIT_CASE(contract_knob),
#ifdef CONFIG_KPROBES_ON_FTRACE
	KUNIT_CASE(contract_knob_refused),
#endif
	KUNIT_CASE(contract_remove),
	KUNIT_CASE(contract_remove_gone),
	KUNIT_CASE(contract_remove_late),
	KUNIT_CASE(contract_point_kprobe),
	{}
};

static struct kunit_suite contract_suite = {
	.name = "kprobes_contract",
	.test_cases = contract_cases,
};

kunit_test_suite(contract_suite);
