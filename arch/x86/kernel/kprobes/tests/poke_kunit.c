// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the order in which text is written, the CPUs are synchronised, and perf
 * is told. A decoder of traces takes the new text from the time of the event on, so that
 * comes while all CPUs run into a breakpoint there: text_poke_bp_batch() says more.
 */
#include <linux/atomic.h>
#include <linux/minmax.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <asm/text-patching.h>

#include "targets.h"
#include "targets_plain.h"

#define POKE_TURNS	32

/**
 * struct poke_turn - a call that has been seen
 * @task: its task
 * @what: 's' for a synchronisation, 'S' for one while hits go through the detour of the
 *	place, 'l' for one that is too late, 'p' for an event of perf about the place
 * @text: what stood there at the call: 'i' for the instruction, 'b' for a breakpoint, 'j'
 *	for a jump
 */
struct poke_turn {
	struct task_struct *task;
	char what;
	char text;
};

/**
 * struct poke_seen - what has been seen of changes of the text
 * @place: an address
 * @slot: where the address of a slot is written, which must not be before the CPUs are
 *	synchronised; NULL if there is none
 * @nr: how many calls
 * @turn: the first of them, in order
 * @words: @what and @text of those that were about the place, for comparison
 */
static struct poke_seen {
	kprobe_opcode_t *place;
	kprobe_opcode_t **slot;
	atomic_t nr;
	struct poke_turn turn[POKE_TURNS];
	char words[3 * POKE_TURNS + 1];
} poke_seen;

static char poke_text(const kprobe_opcode_t *place)
{
	switch (READ_ONCE(*place)) {
	case INT3_INSN_OPCODE:
		return 'b';
	case JMP32_INSN_OPCODE:
		return 'j';
	default:
		return 'i';
	}
}

static void poke_note(const kprobe_opcode_t *place, char what)
{
	int i = atomic_fetch_inc(&poke_seen.nr);
	struct poke_turn *t = &poke_seen.turn[i];

	if (i >= POKE_TURNS)
		return;
	t->what = what;
	t->text = poke_text(place);
	/* Pairs with smp_load_acquire() in poke_task(). */
	smp_store_release(&t->task, current);
}

static bool poke_in_detour(kprobe_opcode_t *place)
{
	struct kprobe *p = get_kprobe(place);

	return p && kprobe_optimized(p);
}

static int poke_on_sync(struct ktest_probe *p, struct pt_regs *regs)
{
	kprobe_opcode_t *place = READ_ONCE(poke_seen.place);
	kprobe_opcode_t **slot = READ_ONCE(poke_seen.slot);

	if (place && slot && READ_ONCE(*slot))
		poke_note(place, 'l');
	else if (place)
		poke_note(place, poke_in_detour(place) ? 'S' : 's');
	return 0;
}

static int poke_on_event(struct ktest_probe *p, struct pt_regs *regs)
{
	kprobe_opcode_t *place = READ_ONCE(poke_seen.place);

	if (place && regs->KTEST_REGS_ARG1 == (unsigned long)place)
		poke_note(place, 'p');
	return 0;
}

static void poke_begin(kprobe_opcode_t *place)
{
	memset(&poke_seen, 0, sizeof(poke_seen));
	WRITE_ONCE(poke_seen.place, place);
}

static void poke_end(void *unused)
{
	WRITE_ONCE(poke_seen.place, NULL);
	WRITE_ONCE(poke_seen.slot, NULL);
}

/* See the calls of kprobes that are about @p from now on. */
static void poke_watch(struct kunit *test, struct ktest_probe *p)
{
	struct ktest_probe *sync = ktest_probe_alloc(test, text_poke_sync);
	struct ktest_probe *event = ktest_probe_alloc(test, perf_event_text_poke);

	sync->then = poke_on_sync;
	event->then = poke_on_event;
	ktest_register(test, sync);
	ktest_register(test, event);
	/* They must not be changed when the calls are counted. */
	wait_for_kprobe_optimizer();
	ktest_set_at_end(test, poke_end, NULL);
	poke_begin(p->kp.addr);
}

/* NULL while the turn is being noted, which then is another task's. */
static struct task_struct *poke_task(unsigned int i)
{
	/* Pairs with smp_store_release() in poke_note(). */
	return smp_load_acquire(&poke_seen.turn[i].task);
}

/* Other tasks change other text, and then do not tell perf of the place. */
static bool poke_is_ours(const struct task_struct *task, unsigned int nr)
{
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (task && poke_task(i) == task && poke_seen.turn[i].what == 'p')
			return true;
	}
	return task == current;
}

/* The calls since the last time, as "sb,pb," for a synchronisation and an event. */
static const char *poke_words(void)
{
	unsigned int nr = min(atomic_read(&poke_seen.nr), POKE_TURNS), i;
	char *to = poke_seen.words;

	for (i = 0; i < nr; i++) {
		const struct poke_turn *t = &poke_seen.turn[i];

		if (!poke_is_ours(poke_task(i), nr))
			continue;
		*to++ = t->what;
		*to++ = t->text;
		*to++ = ',';
	}
	*to = '\0';
	memset(poke_seen.turn, 0, sizeof(poke_seen.turn));
	atomic_set(&poke_seen.nr, 0);
	return poke_seen.words;
}

/* The event comes when no CPU executes the instruction any more, and before one does. */
static void poke_breakpoint(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_branch_in +
							ktest_branch_in_at);

	poke_watch(test, p);
	ktest_register(test, p);
	KUNIT_EXPECT_STREQ(test, "sb,pb,", poke_words());
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_STREQ(test, "pb,si,", poke_words());
}

#ifdef CONFIG_OPTPROBES
/*
 * A jump's event comes while the breakpoint stands, and all CPUs run into that. As long as
 * there may be bytes of the jump in the text, their hits go through the detour.
 */
static void poke_jump(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);

	poke_watch(test, p);
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_STREQ(test, "sb,pb,pb,Sb,Sj,", poke_words());
	unregister_kprobe(&p->kp);
	KUNIT_EXPECT_STREQ(test, "Sb,pb,Sb,pb,si,", poke_words());
}

/* A detour in use goes to its second buffer by a return: no CPU may come too early. */
static void poke_second_buffer(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	struct ktest_probe *post = ktest_probe_alloc(test, p->kp.addr);
	struct ktest_probe *more = ktest_probe_alloc(test, p->kp.addr);

	post->kp.post_handler = ktest_post;
	more->kp.post_handler = ktest_post;
	ktest_register(test, p);
	poke_watch(test, p);
	KUNIT_ASSERT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	poke_seen.slot = &ktest_point(p)->op.optinsn.after;
	KUNIT_EXPECT_NULL(test, *poke_seen.slot);
	ktest_register(test, post);
	KUNIT_EXPECT_STREQ(test, "Sj,", poke_words());
	KUNIT_EXPECT_NOT_NULL(test, *poke_seen.slot);
	/* It serves the next one as well. */
	ktest_register(test, more);
	KUNIT_EXPECT_STREQ(test, "", poke_words());
	KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, 1, ktest_plain(0));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, post, 1, 1, 0);
	KTEST_EXPECT_COUNTS(test, more, 1, 1, 0);
}
#endif

static struct kunit_case poke_cases[] = {
	KUNIT_CASE(poke_breakpoint),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(poke_jump),
	KUNIT_CASE(poke_second_buffer),
#endif
	{}
};

static struct kunit_suite poke_suite = {
	.name = "x86_kprobes_poke",
	.test_cases = poke_cases,
};

kunit_test_suite(poke_suite);
