/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TESTS_FAULT_KINDS_H
#define _X86_KPROBES_TESTS_FAULT_KINDS_H
/*
 * Each fault that an instruction of the kernel can take, by a function of its own; and
 * what a fault handler does about it. For the suites that have them in each place where
 * a fault may come.
 */
#include <linux/types.h>

#include "kprobes/tests/testing.h"

/**
 * struct fault_kind - a function whose one instruction faults, if it is told to
 * @name: what to call it
 * @trapnr: the trap; that of an alignment check never comes
 * @fn: the function
 * @at: the offset of the instruction
 * @next: the offset of the one behind it
 * @bad: the argument with which it faults
 * @good: the argument with which it does not; 0 if it always does
 * @value: what the function returns then
 * @fixed: there is an entry in the exception table, and then it returns -EFAULT
 */
struct fault_kind {
	const char *name;
	int trapnr;
	long (*fn)(const void *arg);
	const u32 *at;
	const u32 *next;
	const void *bad;
	const void *good;
	long value;
	bool fixed;
};

#define FAULT_TARGET(name)						\
	long name(const void *arg);					\
	extern const u32 name##_at, name##_next

FAULT_TARGET(ktest_fault_read);
FAULT_TARGET(ktest_fault_read_fixed);
FAULT_TARGET(ktest_fault_user_fixed);
#ifdef CONFIG_X86_32
FAULT_TARGET(ktest_fault_selector);
FAULT_TARGET(ktest_fault_selector_fixed);
#endif
FAULT_TARGET(ktest_fault_divide);
FAULT_TARGET(ktest_fault_divide_fixed);
FAULT_TARGET(ktest_fault_opcode);
FAULT_TARGET(ktest_fault_opcode_fixed);
FAULT_TARGET(ktest_fault_align);

/* The last one has no name. */
extern const struct fault_kind fault_kinds[];

/* What a fault handler does. */
enum fault_answer {
	FAULT_REPAIRS,	/* gives the instruction another operand, and says 1 */
	FAULT_SKIPS,	/* goes on behind the instruction, and says 1 */
	FAULT_LOOKS,	/* says 0 */
	FAULT_ANSWERS,
};

extern const char * const fault_answers[];

/* What the function returns if the instruction is skipped. */
#define FAULT_SKIPPED	77L

/**
 * struct fault_seen - a kind, an answer, and what has been seen of them
 * @kind: the kind of fault that is to come
 * @answer: what the fault handler does
 * @asked: how often the fault handler was called
 * @wrong: how often its registers, trap or kprobe were not what they should be
 * @died: how often the kernel would have died: see fault_watch_death()
 * @by: the kprobe that the fault handler must get
 * @value: what the function returned when it was called in a handler
 */
struct fault_seen {
	const struct fault_kind *kind;
	enum fault_answer answer;
	int asked;
	int wrong;
	int died;
	struct kprobe *by;
	long value;
};

extern struct fault_seen fault_seen;

bool fault_never(const struct fault_kind *kind);
bool fault_can_answer(const struct fault_kind *kind, enum fault_answer answer);
bool fault_kills(const struct fault_kind *kind);
long fault_expected(const struct fault_kind *kind, enum fault_answer answer);
int fault_answer(struct kprobe *kp, struct pt_regs *regs, int trapnr);
void fault_commit(void);
void fault_watch_death(struct kunit *test);

#endif /* _X86_KPROBES_TESTS_FAULT_KINDS_H */
