// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the slots that probes have: for a copy of the instruction, and for
 * a detour.
 */
#include <linux/kallsyms.h>
#include <linux/mm.h>
#include <linux/pgtable.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "kprobes/slots.h"
#include "targets_plain.h"

/* A probe's copy is in a slot of its own, which names the probe's point. */
static void slots_of_probe(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	unsigned int before, after;
	unsigned long slot;

	kprobe_retire_flush();
	before = kprobe_slots_used(&kprobe_insn_slots);
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, before + 1, kprobe_slots_used(&kprobe_insn_slots));
	slot = (unsigned long)ktest_point(p)->probe.ainsn.insn;
	KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(slot));
	scoped_guard(preempt)
		KUNIT_EXPECT_PTR_EQ(test, get_kprobe(p->kp.addr),
				    kprobe_slot_owner(&kprobe_insn_slots, slot));
	unregister_kprobe(&p->kp);
	kprobe_retire_flush();
	after = kprobe_slots_used(&kprobe_insn_slots);
	KUNIT_EXPECT_EQ(test, before, after);
}

#ifdef CONFIG_OPTPROBES
/* A detour comes on top, and goes with the point. */
static void slots_detour(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	unsigned int before;
	unsigned long detour;

	kprobe_retire_flush();
	before = kprobe_slots_used(&kprobe_optinsn_slots);
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, before + 1,
			kprobe_slots_used(&kprobe_optinsn_slots));
	detour = (unsigned long)ktest_point(p)->op.optinsn.insn;
	KUNIT_EXPECT_TRUE(test, is_kprobe_optinsn_slot(detour));
	KUNIT_EXPECT_FALSE(test, is_kprobe_insn_slot(detour));
	unregister_kprobe(&p->kp);
	kprobe_retire_flush();
	KUNIT_EXPECT_EQ(test, before, kprobe_slots_used(&kprobe_optinsn_slots));
}

/* What can be executed cannot be written. */
static void slots_protection(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_plain);
	unsigned long at[2];
	unsigned int level, i;
	pte_t *pte;

	ktest_register(test, p);
	at[0] = (unsigned long)ktest_point(p)->probe.ainsn.insn;
	at[1] = (unsigned long)ktest_point(p)->op.optinsn.insn;
	for (i = 0; i < ARRAY_SIZE(at); i++) {
		KUNIT_ASSERT_NE(test, 0, at[i]);
		pte = lookup_address(at[i], &level);
		KUNIT_ASSERT_NOT_NULL(test, pte);
		KUNIT_EXPECT_TRUE(test, pte_flags(*pte) & _PAGE_PRESENT);
		KUNIT_EXPECT_TRUE(test, pte_exec(*pte));
		KUNIT_EXPECT_FALSE(test, pte_write(*pte));
	}
}
#endif /* CONFIG_OPTPROBES */

/* What /proc/kallsyms and perf show of the pages. */
static void slots_kallsyms(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_fixed);
	char name[KSYM_NAME_LEN], type;
	unsigned long value;
	unsigned int i, own = 0;

	ktest_register(test, p);
	for (i = 0; !kprobe_get_kallsym(i, &value, &type, name); i++) {
		KUNIT_EXPECT_EQ(test, 't', type);
		KUNIT_EXPECT_TRUE(test, is_kprobe_insn_slot(value) ||
				  is_kprobe_optinsn_slot(value));
		KUNIT_EXPECT_EQ(test, is_kprobe_insn_slot(value),
				!strcmp(name, "kprobe_insn_page"));
		KUNIT_EXPECT_EQ(test, is_kprobe_optinsn_slot(value),
				!strcmp(name, "kprobe_optinsn_page"));
		own += value == ((unsigned long)ktest_point(p)->probe.ainsn.insn &
				 PAGE_MASK);
	}
	KUNIT_EXPECT_EQ(test, 1, own);
}

static struct kunit_case slots_use_cases[] = {
	KUNIT_CASE(slots_of_probe),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(slots_detour),
	KUNIT_CASE(slots_protection),
#endif
	KUNIT_CASE(slots_kallsyms),
	{}
};

static struct kunit_suite slots_use_suite = {
	.name = "x86_kprobes_slots",
	.test_cases = slots_use_cases,
};

kunit_test_suite(slots_use_suite);
