// SPDX-License-Identifier: GPL-2.0
/*
 * A machine for emulated instructions to work on.
 */
#include <linux/stddef.h>
#include <linux/string.h>

#include "machine.h"

#define KM_REG(name)	offsetof(struct pt_regs, name)

/* Where each general register is kept, by the number that instructions have for it. */
static const u8 km_regs[KM_REGS] = {
	KM_REG(ax), KM_REG(cx), KM_REG(dx), KM_REG(bx),
	KM_REG(sp), KM_REG(bp), KM_REG(si), KM_REG(di),
#ifdef CONFIG_X86_64
	KM_REG(r8), KM_REG(r9), KM_REG(r10), KM_REG(r11),
	KM_REG(r12), KM_REG(r13), KM_REG(r14), KM_REG(r15),
#endif
};

/**
 * km_reg() - a general register
 * @m: the machine
 * @nr: its number, below KM_REGS
 *
 * Return: where it is kept.
 */
unsigned long *km_reg(struct km *m, int nr)
{
	return (void *)&m->regs + km_regs[nr];
}

/**
 * km_random() - a number out of a sequence that is long enough
 *
 * Return: the next number; the sequence does not differ between runs.
 */
u64 km_random(void)
{
	static u64 seed;

	seed = seed * 6364136223846793005ULL + 1442695040888963407ULL;
	return seed ^ seed >> 29;
}

/**
 * km_fill() - set everything up for one more run
 * @m: the machine
 *
 * What a test wants otherwise it sets after this.
 */
void km_fill(struct km *m)
{
	unsigned long *regs = (unsigned long *)&m->regs;
	int i;

	for (i = 0; i < sizeof(m->regs) / sizeof(*regs); i++)
		regs[i] = km_random();
	for (i = 0; i < ARRAY_SIZE(m->stack); i++)
		m->stack[i] = KM_TARGET + i;
	m->regs.ip = m->ip;
	m->regs.sp = (unsigned long)&m->stack[KM_TOP];
	m->regs.flags = X86_EFLAGS_FIXED | X86_EFLAGS_IF | (km_random() & KM_STATUS);
}

/**
 * km_init_at() - a filled machine, and an instruction that is to be emulated
 * @test: the test
 * @ip: where the instruction stands
 * @code: the instruction
 *
 * Return: the machine. There is one only.
 */
struct km *km_init_at(struct kunit *test, unsigned long ip, struct code code)
{
	/* Too large for the stack of functions that are inlined into each other. */
	static struct km machine;
	struct km *m = &machine;
	u8 window[KPROBE_INSN_WINDOW];

	memset(window, 0x90, sizeof(window));
	memcpy(window, code.bytes, code.len);
	m->test = test;
	m->ip = ip;
	KUNIT_ASSERT_EQ(test, 0, kprobe_insn_classify(window, sizeof(window), ip, &m->class));
	KUNIT_ASSERT_EQ(test, m->class.how, KPROBE_INSN_EMULATE);
	KUNIT_ASSERT_EQ(test, m->class.len, code.len);
	km_fill(m);
	return m;
}

/**
 * km_init() - likewise, with the instruction at KM_IP
 * @test: the test
 * @code: the instruction
 *
 * Return: the machine.
 */
struct km *km_init(struct kunit *test, struct code code)
{
	return km_init_at(test, KM_IP, code);
}

/**
 * km_expect() - start the account of what shall become
 * @m: the machine
 *
 * To begin with, nothing but to go on behind the instruction.
 */
void km_expect(struct km *m)
{
	m->want = m->regs;
	m->want.ip = m->ip + m->class.len;
	memcpy(m->want_stack, m->stack, sizeof(m->stack));
}

/**
 * km_push() - expect a push
 * @m: the machine
 * @value: what shall be pushed
 */
void km_push(struct km *m, unsigned long value)
{
	m->want.sp -= sizeof(value);
	m->want_stack[KM_TOP - 1] = value;
}

static void km_compare(struct km *m, const char *what)
{
	KUNIT_EXPECT_EQ_MSG(m->test, m->regs.ip, m->want.ip, "%s: ip", what);
	KUNIT_EXPECT_EQ_MSG(m->test, m->regs.sp, m->want.sp, "%s: sp", what);
	KUNIT_EXPECT_EQ_MSG(m->test, m->regs.cx, m->want.cx, "%s: cx", what);
	KUNIT_EXPECT_EQ_MSG(m->test, m->regs.flags, m->want.flags, "%s: flags", what);
	KUNIT_EXPECT_EQ_MSG(m->test, memcmp(&m->regs, &m->want, sizeof(m->regs)), 0,
			    "%s: registers", what);
	KUNIT_EXPECT_EQ_MSG(m->test, memcmp(m->stack, m->want_stack, sizeof(m->stack)), 0,
			    "%s: stack", what);
}

/**
 * km_run() - run the instruction and compare
 * @m: the machine
 * @what: the instruction's name
 */
void km_run(struct km *m, const char *what)
{
	bool done = m->class.em.fn(&m->class.em, &m->regs);

	KUNIT_EXPECT_TRUE_MSG(m->test, done, "%s", what);
	km_compare(m, what);
}

/**
 * km_run_to_fault() - run an instruction which faults
 * @m: the machine
 * @what: the instruction's name
 *
 * The emulation shall leave it to the slot, and everything as it is.
 */
void km_run_to_fault(struct km *m, const char *what)
{
	bool done;

	km_expect(m);
	m->want.ip = m->ip;
	done = m->class.em.fn(&m->class.em, &m->regs);
	KUNIT_EXPECT_FALSE_MSG(m->test, done, "%s", what);
	KUNIT_EXPECT_TRUE_MSG(m->test, m->class.needs_slot, "%s", what);
	km_compare(m, what);
}
