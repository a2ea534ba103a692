// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of faults in handlers: each kind of fault, in each handler, with a fault
 * handler that repairs, skips, or only looks.
 */
#include <linux/string.h>
#include <linux/uaccess.h>
#include <asm/text-patching.h>

#include "fault_kinds.h"
#include "targets_plain.h"

#define FAULT_CALLS	3

/* The handlers of which one faults. */
enum fault_handler_of {
	FAULT_PRE,
	FAULT_POST,
	FAULT_ENTRY,
	FAULT_RETURN,
};

/**
 * struct fault_place - where a handler runs
 * @name: what to call it
 * @fn: the function whose calls are hits; it returns its argument plus one
 * @at: where to probe, if that is not the entry of @fn
 * @handler: the handler
 * @ftrace: it is called through ftrace
 */
struct fault_place {
	const char *name;
	int (*fn)(int x);
	void *at;
	enum fault_handler_of handler;
	bool ftrace;
};

/* The flags are read by an instruction that is emulated. */
static int fault_flags(int x)
{
	return ktest_flags_fixed() ? x + 1 : 0;
}

static const struct fault_place fault_places[] = {
	{ "pre, stepped", ktest_fixed, NULL, FAULT_PRE },
	{ "pre, emulated", fault_flags, ktest_flags_fixed, FAULT_PRE },
	{ "post, stepped", ktest_fixed, NULL, FAULT_POST },
	{ "post, emulated", fault_flags, ktest_flags_fixed, FAULT_POST },
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "pre, ftrace", ktest_traced, NULL, FAULT_PRE, .ftrace = true },
	{ "post, ftrace", ktest_traced, NULL, FAULT_POST, .ftrace = true },
#endif
#ifdef CONFIG_KRETPROBES
	{ "entry", ktest_plain, NULL, FAULT_ENTRY },
	{ "return", ktest_plain, NULL, FAULT_RETURN },
#ifdef CONFIG_KPROBES_ON_FTRACE
	{ "return, ftrace", ktest_traced, NULL, FAULT_RETURN, .ftrace = true },
#endif
#endif
};

KUNIT_ARRAY_PARAM_DESC(fault_places, fault_places, name);

/* One of the two is registered, with handlers that count. */
static struct {
	const struct fault_place *place;
	struct kprobe kp;
	struct kretprobe rp;
	int count[FAULT_RETURN + 1];
} fault_probe;

static int fault_ran(enum fault_handler_of handler)
{
	fault_probe.count[handler]++;
	if (fault_probe.place->handler == handler)
		fault_commit();
	return 0;
}

static int fault_pre(struct kprobe *kp, struct pt_regs *regs)
{
	return fault_ran(FAULT_PRE);
}

static void fault_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	fault_ran(FAULT_POST);
}

static bool fault_is_return(const struct fault_place *place)
{
	return place->handler == FAULT_ENTRY || place->handler == FAULT_RETURN;
}

static void fault_unregister(void *unused)
{
	unregister_kprobe(&fault_probe.kp);
}

static void fault_place_kprobe(struct kunit *test, kprobe_fault_handler_t fault)
{
	struct kprobe *kp = &fault_probe.kp;

	kp->addr = fault_probe.place->at ?: ktest_entry(fault_probe.place->fn);
	kp->pre_handler = fault_pre;
	kp->post_handler = fault_probe.place->handler == FAULT_POST ? fault_post : NULL;
	kp->fault_handler = fault;
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(kp));
	ktest_set_at_end(test, fault_unregister, NULL);
	fault_seen.by = kp;
}

#ifdef CONFIG_KRETPROBES
static int fault_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return fault_ran(FAULT_ENTRY);
}

static int fault_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	return fault_ran(FAULT_RETURN);
}

static void fault_unregister_return(void *unused)
{
	unregister_kretprobe(&fault_probe.rp);
}

static void fault_place_kretprobe(struct kunit *test, kprobe_fault_handler_t fault)
{
	struct kretprobe *rp = &fault_probe.rp;

	rp->kp.addr = ktest_entry(fault_probe.place->fn);
	rp->entry_handler = fault_entry;
	rp->handler = fault_return;
	rp->kp.fault_handler = fault;
	KUNIT_ASSERT_EQ(test, 0, register_kretprobe(rp));
	ktest_set_at_end(test, fault_unregister_return, NULL);
	fault_seen.by = &rp->kp;
}
#else
static void fault_place_kretprobe(struct kunit *test, kprobe_fault_handler_t fault) { }
#endif

static void fault_place(struct kunit *test, kprobe_fault_handler_t fault)
{
	memset(&fault_probe, 0, sizeof(fault_probe));
	fault_probe.place = test->param_value;
	if (fault_probe.place->ftrace)
		ktest_need_ftrace(test);
	if (fault_is_return(fault_probe.place))
		fault_place_kretprobe(test, fault);
	else
		fault_place_kprobe(test, fault);
	wait_for_kprobe_optimizer();
	fault_watch_death(test);
}

static __nocfi void fault_calls(struct kunit *test)
{
	int x;

	for (x = 0; x < FAULT_CALLS; x++) {
		fault_seen.value = 0;
		KUNIT_EXPECT_EQ(test, x + 1, fault_probe.place->fn(x));
		KUNIT_EXPECT_EQ_MSG(test, fault_expected(fault_seen.kind, fault_seen.answer),
				    fault_seen.value, "%s, %s", fault_seen.kind->name,
				    fault_answers[fault_seen.answer]);
	}
}

static void fault_expect(struct kunit *test, const char *what, int want, int got)
{
	KUNIT_EXPECT_EQ_MSG(test, want, got, "%s, %s: %s", fault_seen.kind->name,
			    fault_answers[fault_seen.answer], what);
}

/* Each handler that there is ran at each call, also behind the one that faulted. */
static void fault_expect_calls(struct kunit *test)
{
	bool ret = fault_is_return(fault_probe.place);

	fault_expect(test, "pre", ret ? 0 : FAULT_CALLS, fault_probe.count[FAULT_PRE]);
	fault_expect(test, "post", fault_probe.kp.post_handler ? FAULT_CALLS : 0,
		     fault_probe.count[FAULT_POST]);
	fault_expect(test, "entry", ret ? FAULT_CALLS : 0,
		     fault_probe.count[FAULT_ENTRY]);
	fault_expect(test, "return", ret ? FAULT_CALLS : 0,
		     fault_probe.count[FAULT_RETURN]);
	fault_expect(test, "missed", 0, fault_probe.kp.nmissed + fault_probe.rp.nmissed +
		     fault_probe.rp.kp.nmissed);
}

static void fault_one(struct kunit *test, const struct fault_kind *kind,
		      enum fault_answer answer)
{
	bool dies = fault_kills(kind) && answer == FAULT_LOOKS;

	memset(fault_probe.count, 0, sizeof(fault_probe.count));
	fault_seen = (struct fault_seen){
		.kind = kind, .answer = answer, .by = fault_seen.by,
	};
	fault_calls(test);
	fault_expect(test, "asked", fault_never(kind) ? 0 : FAULT_CALLS, fault_seen.asked);
	fault_expect(test, "wrong", 0, fault_seen.wrong);
	fault_expect(test, "died", dies ? FAULT_CALLS : 0, fault_seen.died);
	fault_expect_calls(test);
	KUNIT_EXPECT_NULL(test, kprobe_running());
	KUNIT_EXPECT_FALSE(test, irqs_disabled());
	KUNIT_EXPECT_EQ(test, 0, preempt_count());
}

static void fault_each(struct kunit *test)
{
	const struct fault_kind *kind;
	int answer;

	fault_place(test, fault_answer);
	for (kind = fault_kinds; kind->name; kind++) {
		for (answer = 0; answer < FAULT_ANSWERS; answer++) {
			if (fault_can_answer(kind, answer))
				fault_one(test, kind, answer);
		}
	}
}

static struct {
	int calls;
	int nofault;
	int inner;
} fault_nested;

/* Faults itself, by itself and through a probed function; and then deals with it. */
static int fault_in_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	const void *bad = fault_seen.kind->bad;
	long word;

	fault_nested.calls++;
	fault_nested.nofault += copy_from_kernel_nofault(&word, bad, sizeof(word)) == -EFAULT;
	fault_nested.inner += ktest_load(bad) == -EFAULT;
	return fault_answer(kp, regs, trapnr);
}

/*
 * What a fault handler meets is a fault like any other: it must not be asked about that,
 * and again about the next. A probe that it hits is a miss, as in any handler.
 */
static void fault_in_fault_handler(struct kunit *test)
{
	struct ktest_probe *inner = ktest_probe_alloc(test, ktest_load);

	fault_place(test, fault_in_fault);
	inner->kp.fault_handler = ktest_fault;
	ktest_register(test, inner);
	memset(&fault_nested, 0, sizeof(fault_nested));
	fault_one(test, &fault_kinds[0], FAULT_SKIPS);
	KUNIT_EXPECT_EQ(test, FAULT_CALLS, fault_nested.calls);
	KUNIT_EXPECT_EQ(test, FAULT_CALLS, fault_nested.nofault);
	KUNIT_EXPECT_EQ(test, FAULT_CALLS, fault_nested.inner);
	KTEST_EXPECT_COUNTS(test, inner, 0, 0, FAULT_CALLS);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&inner->fault));
}

/*
 * Go on where ktest_plain() takes 2 off, and then returns in the place of what has faulted;
 * if that is what faults, where it returns.
 */
static int fault_elsewhere(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	int ret = fault_answer(kp, regs, trapnr);
	u32 to = fault_seen.wrong ? ktest_plain_end : ktest_plain_last;

	regs->ax += 2;
	instruction_pointer_set(regs, (unsigned long)ktest_plain + to);
	return ret;
}

/* A fault handler goes on at an instruction which a jump covers: its copy is executed. */
static void fault_into_jump(struct kunit *test)
{
	struct ktest_probe *to = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);

	fault_place(test, fault_elsewhere);
	ktest_register(test, to);
	wait_for_kprobe_optimizer();
	if (IS_ENABLED(CONFIG_OPTPROBES))
		KUNIT_ASSERT_EQ(test, JMP32_INSN_OPCODE, ktest_text(to->kp.addr));
	fault_one(test, &fault_kinds[0], FAULT_SKIPS);
	KTEST_EXPECT_COUNTS(test, to, fault_probe.place->fn == ktest_plain ? FAULT_CALLS : 0, 0, 0);
}

static struct kunit_case fault_cases[] = {
	KUNIT_CASE_PARAM(fault_each, fault_places_gen_params),
	KUNIT_CASE_PARAM(fault_in_fault_handler, fault_places_gen_params),
	KUNIT_CASE_PARAM(fault_into_jump, fault_places_gen_params),
	{}
};

static struct kunit_suite fault_suite = {
	.name = "kprobes_fault_handlers",
	.test_cases = fault_cases,
};

kunit_test_suite(fault_suite);
