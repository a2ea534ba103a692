// SPDX-License-Identifier: GPL-2.0
/*
 * Faults, and fault handlers: see fault_kinds.h.
 */
#include <linux/kdebug.h>
#include <linux/linkage.h>
#include <linux/sched.h>
#include <asm/segment.h>
#include <asm/trapnr.h>

#include "fault_kinds.h"
#include "targets.h"

/*
 * @insn faults, behind @before, if the argument, which is in CX then, is bad. At the nops
 * there is room for a jump: what the fixup leads back to is behind them.
 */
#define FAULT_BODY(before, insn, after)					\
	"	mov	" KR_ARG1 ", " KR_CX "\n"			\
	before								\
	"1:	" insn "\n"						\
	"2:	nop\n"							\
	"	nop\n"							\
	"	nop\n"							\
	"3:\n"								\
	after								\
	ASM_RET

#define FAULT_FIXUP							\
	"4:	mov	$-14, " KR_AX "\n"				\
	"	jmp	3b\n"						\
	_ASM_EXTABLE(1b, 4b)

/* As between STAC and CLAC, which are not there on every CPU. */
#define FAULT_AC_ON							\
	"	pushf\n"						\
	"	pushf\n"						\
	"	orl	$0x40000, (" KR_SP ")\n"			\
	"	popf\n"
#define FAULT_AC_OFF							\
	"	popf\n"

#define FAULT_LOAD	KR_LOAD " (" KR_CX "), " KR_AX
#define FAULT_DIVIDE	"div " KR_CX
/* The kernel of 32 bit does not use this segment. */
#define FAULT_SELECTOR	"mov " KR_CX ", %gs"
#define FAULT_OPCODE	"vmread " KR_CX ", " KR_AX

#define FAULT_DIVIDEND							\
	"	mov	$84, %eax\n"					\
	"	xor	%edx, %edx\n"

#define FAULT_NUMBER	"	mov	$4711, %eax\n"

asm(KTEST_BEGIN(ktest_fault_read)
	FAULT_BODY("", FAULT_LOAD, "")
	KTEST_TARGET_END(ktest_fault_read));

asm(KTEST_BEGIN(ktest_fault_read_fixed)
	FAULT_BODY("", FAULT_LOAD, "")
	FAULT_FIXUP
	KTEST_TARGET_END(ktest_fault_read_fixed));

asm(KTEST_BEGIN(ktest_fault_user_fixed)
	FAULT_BODY(FAULT_AC_ON, FAULT_LOAD, FAULT_AC_OFF)
	FAULT_FIXUP
	KTEST_TARGET_END(ktest_fault_user_fixed));

#ifdef CONFIG_X86_32
asm(KTEST_BEGIN(ktest_fault_selector)
	FAULT_BODY(FAULT_NUMBER, FAULT_SELECTOR, "")
	KTEST_TARGET_END(ktest_fault_selector));

asm(KTEST_BEGIN(ktest_fault_selector_fixed)
	FAULT_BODY(FAULT_NUMBER, FAULT_SELECTOR, "")
	FAULT_FIXUP
	KTEST_TARGET_END(ktest_fault_selector_fixed));
#endif

asm(KTEST_BEGIN(ktest_fault_divide)
	FAULT_BODY(FAULT_DIVIDEND, FAULT_DIVIDE, "")
	KTEST_TARGET_END(ktest_fault_divide));

asm(KTEST_BEGIN(ktest_fault_divide_fixed)
	FAULT_BODY(FAULT_DIVIDEND, FAULT_DIVIDE, "")
	FAULT_FIXUP
	KTEST_TARGET_END(ktest_fault_divide_fixed));

/* No such instruction outside of VMX operation, nor on other CPUs. */
asm(KTEST_BEGIN(ktest_fault_opcode)
	FAULT_BODY("", FAULT_OPCODE, "")
	KTEST_TARGET_END(ktest_fault_opcode));

asm(KTEST_BEGIN(ktest_fault_opcode_fixed)
	FAULT_BODY("", FAULT_OPCODE, "")
	FAULT_FIXUP
	KTEST_TARGET_END(ktest_fault_opcode_fixed));

/* Alignment is checked at CPL 3 only, though the flag and CR0.AM ask for it. */
asm(KTEST_BEGIN(ktest_fault_align)
	FAULT_BODY(FAULT_AC_ON, FAULT_LOAD, FAULT_AC_OFF)
	KTEST_TARGET_END(ktest_fault_align));

#define FAULT_GOOD	4711L

static const long fault_good = FAULT_GOOD;

/* Not aligned, and at the address behind it stands FAULT_GOOD. */
static const struct {
	u8 pad;
	long value;
} __packed __aligned(8) fault_odd = { .value = FAULT_GOOD };

/* In the last page of the address space, which is never mapped. */
#define BAD_KERNEL	((const void *)-4080L)
/* In the first ones, where no program has any. */
#define BAD_USER	((const void *)4096L)
/* A descriptor behind the end of the table. */
#define BAD_SELECTOR	((const void *)0xfff8L)
/* Neither half of the address space, of which there are two with 64 bits. */
#define BAD_BOTH	((const void *)BIT(62))

#define KIND(_name, _trap, _fn, ...)					\
	{ .name = _name, .trapnr = X86_TRAP_##_trap, .fn = _fn,		\
	  .at = &_fn##_at, .next = &_fn##_next, ##__VA_ARGS__ }
#define READS(_bad)	.bad = _bad, .good = &fault_good, .value = FAULT_GOOD
#define SELECTS		.bad = BAD_SELECTOR, .good = (const void *)__USER_DS, .value = FAULT_GOOD
#define DIVIDES		.good = (const void *)2, .value = 42
#define FIXED		.fixed = true

const struct fault_kind fault_kinds[] = {
	KIND("#PF kernel", PF, ktest_fault_read, READS(BAD_KERNEL)),
	KIND("#PF kernel, fixup", PF, ktest_fault_read_fixed, READS(BAD_KERNEL), FIXED),
	KIND("#PF user", PF, ktest_fault_read, READS(BAD_USER)),
	KIND("#PF user, fixup", PF, ktest_fault_user_fixed, READS(BAD_USER), FIXED),
#ifdef CONFIG_X86_64
	KIND("#GP", GP, ktest_fault_read, READS(BAD_BOTH)),
	KIND("#GP, fixup", GP, ktest_fault_read_fixed, READS(BAD_BOTH), FIXED),
#else
	KIND("#GP", GP, ktest_fault_selector, SELECTS),
	KIND("#GP, fixup", GP, ktest_fault_selector_fixed, SELECTS, FIXED),
#endif
	KIND("#UD", UD, ktest_fault_opcode),
	KIND("#UD, fixup", UD, ktest_fault_opcode_fixed, FIXED),
	KIND("#DE", DE, ktest_fault_divide, DIVIDES),
	KIND("#DE, fixup", DE, ktest_fault_divide_fixed, DIVIDES, FIXED),
	KIND("#AC", AC, ktest_fault_align, READS(&fault_odd.value)),
	{}
};

const char * const fault_answers[] = {
	[FAULT_REPAIRS]	= "repairs",
	[FAULT_SKIPS]	= "skips",
	[FAULT_LOOKS]	= "looks",
};

struct fault_seen fault_seen;

/**
 * fault_never() - does a kind never come?
 * @kind: the kind
 */
bool fault_never(const struct fault_kind *kind)
{
	return kind->trapnr == X86_TRAP_AC;
}

/**
 * fault_kills() - does the kernel die of a kind, unless a fault handler helps?
 * @kind: the kind
 */
bool fault_kills(const struct fault_kind *kind)
{
	return !kind->fixed && !fault_never(kind);
}

/**
 * fault_can_answer() - can the answer be given, and the kernel go on?
 * @kind: the kind
 * @answer: the answer
 *
 * Of a general protection fault, a die notifier hears, which may say that it is none. Of
 * the others, when it is too late.
 */
bool fault_can_answer(const struct fault_kind *kind, enum fault_answer answer)
{
	switch (answer) {
	case FAULT_REPAIRS:
		return kind->good;
	case FAULT_LOOKS:
		return !fault_kills(kind) || kind->trapnr == X86_TRAP_GP;
	default:
		return true;
	}
}

/**
 * fault_expected() - what does the function return after a fault?
 * @kind: the kind
 * @answer: what the fault handler does about it
 */
long fault_expected(const struct fault_kind *kind, enum fault_answer answer)
{
	if (fault_never(kind) || answer == FAULT_REPAIRS)
		return kind->value;
	if (answer == FAULT_SKIPS)
		return FAULT_SKIPPED;
	/* Without a fixup, fault_die() repairs. */
	return kind->fixed ? -EFAULT : kind->value;
}

/**
 * fault_answer() - a fault handler that gives the answer of &fault_seen
 * @kp: the kprobe
 * @regs: the registers
 * @trapnr: the trap
 *
 * It sees the instruction itself, wherever that is executed.
 */
int fault_answer(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	const struct fault_kind *kind = fault_seen.kind;

	fault_seen.asked++;
	fault_seen.wrong += trapnr != kind->trapnr || kp != fault_seen.by ||
			    regs->ip != (unsigned long)kind->fn + *kind->at ||
			    regs->cx != (unsigned long)kind->bad;
	switch (fault_seen.answer) {
	case FAULT_REPAIRS:
		regs->cx = (unsigned long)kind->good;
		return 1;
	case FAULT_SKIPS:
		regs->ip += *kind->next - *kind->at;
		regs->ax = FAULT_SKIPPED;
		return 1;
	default:
		return 0;
	}
}

/**
 * fault_commit() - fault, in a handler
 */
__nocfi void fault_commit(void)
{
	fault_seen.value = fault_seen.kind->fn(fault_seen.kind->bad);
}

/* No fault handler, and no fixup: the last that is asked, while the task can go on. */
static int fault_die(struct notifier_block *nb, unsigned long val, void *data)
{
	const struct fault_kind *kind = fault_seen.kind;
	struct die_args *args = data;

	if (val != DIE_GPF || !kind || args->regs->cx != (unsigned long)kind->bad)
		return NOTIFY_DONE;
	fault_seen.died++;
	args->regs->cx = (unsigned long)kind->good;
	return NOTIFY_STOP;
}

static struct notifier_block fault_die_nb = {
	.notifier_call = fault_die,
};

static void fault_unwatch(void *unused)
{
	unregister_die_notifier(&fault_die_nb);
	fault_seen.kind = NULL;
}

/**
 * fault_watch_death() - count the deaths of the kernel, and prevent them
 * @test: the test, at whose end that ends, too
 */
void fault_watch_death(struct kunit *test)
{
	KUNIT_ASSERT_EQ(test, 0, register_die_notifier(&fault_die_nb));
	ktest_set_at_end(test, fault_unwatch, NULL);
}
