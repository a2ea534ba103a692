// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of faults of probed instructions: each kind of fault, in each place where
 * the instruction may be executed.
 */
#include <linux/mman.h>
#include <linux/string.h>
#include <asm/extable.h>
#include <asm/trapnr.h>

#include "fault_kinds.h"
#include "targets.h"
#include "targets_plain.h"

#define FAULT_CALLS	3

/**
 * struct fault_copy - where the instruction is executed
 * @name: what to call it
 * @way: what the core calls it
 * @post: there is a post handler
 * @fault: there is a fault handler, which forbids a jump
 * @jumps: jumps are allowed
 * @missed: it is hit in a handler of another probe, which has the fault handler
 */
struct fault_copy {
	const char *name;
	enum kprobe_way way;
	bool post;
	bool fault;
	bool jumps;
	bool missed;
};

static const struct fault_copy fault_copies[] = {
	{ "stepped", KPROBE_WAY_STEPPED, .fault = true },
	{ "stepped, post", KPROBE_WAY_STEPPED, .fault = true, .post = true },
	{ "stepped, no jump", KPROBE_WAY_STEPPED, .fault = true, .jumps = true },
	{ "boosted", KPROBE_WAY_BOOSTED },
	{ "boosted, missed", KPROBE_WAY_BOOSTED, .missed = true },
#ifdef CONFIG_OPTPROBES
	{ "stub", KPROBE_WAY_STUB, .post = true },
	{ "stub, missed", KPROBE_WAY_STUB, .post = true, .missed = true },
	{ "detour", KPROBE_WAY_DETOUR, .jumps = true },
	{ "detour, post", KPROBE_WAY_DETOUR, .jumps = true, .post = true },
	{ "detour, missed", KPROBE_WAY_DETOUR, .jumps = true, .missed = true },
#endif
};

KUNIT_ARRAY_PARAM_DESC(fault_copies, fault_copies, name);

/* The probe at the instruction; and, if that is to be missed, the one around it. */
static struct {
	const struct fault_copy *copy;
	struct ktest_probe *p;
	struct ktest_probe *outer;
	const void *arg;
} fault_at;

/* A handler of the outer probe. */
static __nocfi int fault_call_missed(struct ktest_probe *p, struct pt_regs *regs)
{
	fault_seen.value = fault_seen.kind->fn(fault_at.arg);
	return 0;
}

static __nocfi long fault_call(struct kunit *test, const void *arg)
{
	if (!fault_at.copy->missed)
		return fault_seen.kind->fn(arg);
	fault_at.arg = arg;
	KUNIT_EXPECT_EQ(test, 8, ktest_fixed(7));
	return fault_seen.value;
}

static enum kprobe_way fault_way(struct ktest_probe *p)
{
	struct kprobe *probe = &ktest_point(p)->probe;

	guard(mutex)(&kprobe_mutex);
	return arch_kprobe_way(probe);
}

/* Asked by machine checks, of the address where the fault was: in a copy, too. */
static void fault_expect_type(struct kunit *test, const struct fault_kind *kind)
{
	struct kprobe *probe = &ktest_point(fault_at.p)->probe;
	unsigned long text = (unsigned long)probe->addr;
	unsigned long slot = (unsigned long)probe->ainsn.insn;

	KUNIT_EXPECT_EQ_MSG(test, kind->fixed, ex_get_fixup_type(text) != EX_TYPE_NONE,
			    "%s", kind->name);
	KUNIT_EXPECT_EQ(test, ex_get_fixup_type(text), ex_get_fixup_type(slot));
	KUNIT_EXPECT_EQ(test, ex_get_fixup_type(text),
			ex_get_fixup_type(slot + KPROBE_STEP_OFFSET));
}

static void fault_place(struct kunit *test, const struct fault_kind *kind)
{
	const struct fault_copy *copy = fault_at.copy;
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)kind->fn + *kind->at);

	fault_at.p = p;
	if (copy->post)
		p->kp.post_handler = ktest_post;
	if (copy->fault)
		p->kp.fault_handler = fault_answer;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ_MSG(test, copy->way, fault_way(p), "%s", kind->name);
	fault_expect_type(test, kind);
}

static void fault_place_outer(struct kunit *test)
{
	fault_at.outer = ktest_probe_alloc(test, ktest_fixed);
	fault_at.outer->then = fault_call_missed;
	fault_at.outer->kp.fault_handler = fault_answer;
	ktest_register(test, fault_at.outer);
}

static void fault_expect(struct kunit *test, const char *what, long want, long got)
{
	KUNIT_EXPECT_EQ_MSG(test, want, got, "%s, %s: %s", fault_seen.kind->name,
			    fault_answers[fault_seen.answer], what);
}

/* What is counted: @hits of the instruction, which was done @done times. */
static void fault_expect_counts(struct kunit *test, int hits, int done)
{
	const struct fault_copy *copy = fault_at.copy;
	struct ktest_probe *p = fault_at.p;

	fault_expect(test, "pre", copy->missed ? 0 : hits, atomic_xchg(&p->pre, 0));
	fault_expect(test, "post", copy->post && !copy->missed ? done : 0,
		     atomic_xchg(&p->post, 0));
	fault_expect(test, "missed", copy->missed ? hits : 0, p->kp.nmissed);
	p->kp.nmissed = 0;
}

static void fault_expect_clean(struct kunit *test)
{
	KUNIT_EXPECT_NULL(test, kprobe_running());
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, 0, preempt_count());
}

static void fault_see(const struct fault_kind *kind, enum fault_answer answer)
{
	struct ktest_probe *by = fault_at.copy->missed ? fault_at.outer : fault_at.p;

	fault_seen = (struct fault_seen){
		.kind = kind, .answer = answer, .by = by ? &by->kp : NULL,
	};
}

/*
 * The instruction faults. If a fault handler repairs, it is reached once more. If that
 * skips it, or there is a fixup, it has not been done. Where only a notifier prevents
 * the death of the kernel, the copy goes on.
 */
static void fault_calls(struct kunit *test, const struct fault_kind *kind,
			enum fault_answer answer)
{
	bool asks = fault_at.copy->fault || fault_at.copy->missed;
	bool dies = fault_kills(kind) && answer == FAULT_LOOKS;
	bool again = asks && answer == FAULT_REPAIRS && !fault_never(kind);
	bool done = again || dies || fault_never(kind);
	int i;

	fault_see(kind, answer);
	for (i = 0; i < FAULT_CALLS; i++)
		fault_expect(test, "value", fault_expected(kind, answer),
			     fault_call(test, kind->bad));
	fault_expect(test, "asked", asks && !fault_never(kind) ? FAULT_CALLS : 0,
		     fault_seen.asked);
	fault_expect(test, "wrong", 0, fault_seen.wrong);
	fault_expect(test, "died", dies ? FAULT_CALLS : 0, fault_seen.died);
	fault_expect_counts(test, again ? 2 * FAULT_CALLS : FAULT_CALLS,
			    done ? FAULT_CALLS : 0);
	fault_expect_clean(test);
}

/* And when it does not, all is as it was. */
static void fault_calls_good(struct kunit *test, const struct fault_kind *kind)
{
	int i;

	if (!kind->good)
		return;
	fault_see(kind, FAULT_LOOKS);
	for (i = 0; i < FAULT_CALLS; i++)
		fault_expect(test, "value", kind->value, fault_call(test, kind->good));
	fault_expect(test, "asked", 0, fault_seen.asked);
	fault_expect_counts(test, FAULT_CALLS, FAULT_CALLS);
}

static void fault_kind_in_copy(struct kunit *test, const struct fault_kind *kind)
{
	const struct fault_copy *copy = fault_at.copy;
	int answer;

	fault_place(test, kind);
	for (answer = 0; answer < FAULT_ANSWERS; answer++) {
		/* If no fault handler is asked, that is as if one only looks. */
		if (answer != FAULT_LOOKS && !copy->fault && !copy->missed)
			continue;
		if (fault_can_answer(kind, answer))
			fault_calls(test, kind, answer);
		fault_calls_good(test, kind);
	}
	unregister_kprobe(&fault_at.p->kp);
}

static void fault_begin(struct kunit *test, const struct fault_copy *copy)
{
	memset(&fault_at, 0, sizeof(fault_at));
	fault_at.copy = copy;
	if (IS_ENABLED(CONFIG_OPTPROBES))
		ktest_optimization(test, copy->jumps);
	if (copy->missed)
		fault_place_outer(test);
	fault_watch_death(test);
}

static void fault_each(struct kunit *test)
{
	const struct fault_kind *kind;

	fault_begin(test, test->param_value);
	for (kind = fault_kinds; kind->name; kind++)
		fault_kind_in_copy(test, kind);
}

static noinline long fault_callee(void)
{
	return 4711;
}

static long (*const fault_called)(void) = fault_callee;

/* A call or jump through memory is emulated, but where it faults it is executed. */
static void fault_emulated(struct kunit *test)
{
	static const struct fault_copy emulated = { .fault = true, .post = true };
	struct fault_kind kind = {
		.name = "call", .trapnr = X86_TRAP_PF, .fn = (void *)ktest_call_where,
		.at = &ktest_call_where_at, .next = &ktest_call_where_next,
		.bad = (void *)-8192L, .fixed = true,
		.good = (const void *)&fault_called - 0x1000, .value = 4711,
	};
	struct ktest_probe *p;
	int answer;

	fault_begin(test, &emulated);
	p = ktest_probe_alloc(test, (void *)kind.fn + *kind.at);
	fault_at.p = p;
	p->kp.post_handler = ktest_post;
	p->kp.fault_handler = fault_answer;
	ktest_register(test, p);
	KUNIT_EXPECT_EQ(test, KPROBE_WAY_EMULATED, fault_way(p));
	for (answer = 0; answer < FAULT_ANSWERS; answer++)
		fault_calls(test, &kind, answer);
	fault_calls_good(test, &kind);
	/* An address in neither half of the address space. */
	kind.trapnr = X86_TRAP_GP;
	kind.bad = (void *)(unsigned long)BIT_ULL(62);
	for (answer = 0; IS_ENABLED(CONFIG_X86_64) && answer < FAULT_ANSWERS; answer++)
		fault_calls(test, &kind, answer);
	fault_seen.kind = NULL;
}

static int fault_again;

/* Comes to the instruction once more: that is a miss, and fixed. */
static __nocfi int fault_recurse(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	fault_again += fault_seen.kind->fn(fault_seen.kind->bad) == -EFAULT;
	return fault_answer(kp, regs, trapnr);
}

static __nocfi void fault_in_fault_handler(struct kunit *test)
{
	const struct fault_kind *kind;
	struct ktest_probe *p;
	int i;

	for (kind = fault_kinds; kind->name; kind++) {
		if (!kind->fixed)
			continue;
		p = ktest_probe_alloc(test, (void *)kind->fn + *kind->at);
		p->kp.fault_handler = fault_recurse;
		ktest_register(test, p);
		fault_again = 0;
		fault_seen = (struct fault_seen){
			.kind = kind, .answer = FAULT_LOOKS, .by = &p->kp,
		};
		for (i = 0; i < FAULT_CALLS; i++)
			fault_expect(test, "value", -EFAULT, kind->fn(kind->bad));
		fault_expect(test, "asked", FAULT_CALLS, fault_seen.asked);
		fault_expect(test, "again", FAULT_CALLS, fault_again);
		KTEST_EXPECT_COUNTS(test, p, FAULT_CALLS, 0, FAULT_CALLS);
		fault_expect_clean(test);
		unregister_kprobe(&p->kp);
	}
	fault_seen.kind = NULL;
}

/* A page of a program that is not there yet: it comes, and the point is hit once more. */
static __nocfi void fault_user_page(struct kunit *test)
{
	static const struct fault_copy stepped = { .fault = true, .way = KPROBE_WAY_STEPPED };
	const struct fault_kind *of = fault_kinds;
	struct fault_kind kind;
	unsigned long page;

	while (strcmp(of->name, "#PF user, fixup"))
		of++;
	page = kunit_vm_mmap(test, NULL, 0, PAGE_SIZE, PROT_READ, MAP_ANONYMOUS | MAP_PRIVATE, 0);
	KUNIT_ASSERT_FALSE(test, IS_ERR_VALUE(page) || !page);
	kind = *of;
	kind.bad = (void *)page;
	fault_begin(test, &stepped);
	fault_place(test, &kind);
	fault_see(&kind, FAULT_LOOKS);
	fault_expect(test, "value", 0, kind.fn(kind.bad));
	fault_expect(test, "asked", 1, fault_seen.asked);
	fault_expect(test, "wrong", 0, fault_seen.wrong);
	fault_expect_counts(test, 2, 0);
	fault_expect(test, "value", 0, kind.fn(kind.bad));
	fault_expect(test, "asked", 1, fault_seen.asked);
	fault_expect_counts(test, 1, 0);
	fault_expect_clean(test);
	fault_seen.kind = NULL;
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(fault_each, fault_copies_gen_params),
	KUNIT_CASE(fault_emulated),
	KUNIT_CASE(fault_in_fault_handler),
	KUNIT_CASE(fault_user_page),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_fault_copies",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
