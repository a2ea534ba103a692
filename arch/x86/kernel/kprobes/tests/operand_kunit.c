// SPDX-License-Identifier: GPL-2.0
/*
 * Emulated calls and jumps through every register and every kind of memory
 * operand, and those whose operand cannot be used.
 */
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/preempt.h>
#include <linux/smp.h>
#include <linux/unaligned.h>

#include "machine.h"

/* ---- branches through registers ------------------------------------------ */

static void check_register(struct kunit *test, int nr, bool call, struct code code)
{
	struct km *m;

	m = km_init(test, code);
	if (nr != 4)
		*km_reg(m, nr) = KM_TARGET + 0x1000 * nr;
	km_expect(m);
	m->want.ip = *km_reg(m, nr);
	if (call)
		km_push(m, KM_IP + code.len);
	km_run(m, call ? "call *reg" : "jmp *reg");
}

/* Through the stack pointer (4) a call goes where that pointed before the push. */
static void operand_registers(struct kunit *test)
{
	int nr;

	for (nr = 0; nr < 8; nr++) {
		check_register(test, nr, true, CODE(0xff, 0xd0 | nr));
		check_register(test, nr, false, CODE(0xff, 0xe0 | nr));
		check_register(test, nr, false, CODE(0x3e, 0xff, 0xe0 | nr));
	}
}

#ifdef CONFIG_X86_64
static void operand_registers_rex(struct kunit *test)
{
	int nr;

	for (nr = 0; nr < 8; nr++) {
		check_register(test, nr, true, CODE(0x48, 0xff, 0xd0 | nr));
		check_register(test, nr + 8, true, CODE(0x41, 0xff, 0xd0 | nr));
		check_register(test, nr + 8, false, CODE(0x41, 0xff, 0xe0 | nr));
		check_register(test, nr + 8, true, CODE(0x2e, 0x41, 0xff, 0xd0 | nr));
		/* REX.R and REX.X extend nothing that is there. */
		check_register(test, nr, true, CODE(0x46, 0xff, 0xd0 | nr));
	}
}
#endif /* CONFIG_X86_64 */

/* ---- branches through memory --------------------------------------------- */

/**
 * struct operand - a memory operand
 * @sib: whether it is written with a SIB byte
 * @base: number of the base register, NONE for none
 * @index: likewise
 * @shift: of the index
 * @mod: ModRM.mod: 0 no displacement, 1 one byte, 2 four bytes
 * @disp: displacement
 * @rex: REX bits that shall mean nothing
 */
struct operand {
	bool sib;
	int base;
	int index;
	int shift;
	int mod;
	int disp;
	u8 rex;
};

#define NONE	-1

/* CALL (ModRM.reg 2) or JMP (4) through @op. */
static struct code encode(int reg, const struct operand *op)
{
	struct code code = { 0 };
	u8 rex = 0x40 | op->rex, *p = code.bytes;

	rex |= op->base >= 8 ? 1 : 0;
	rex |= op->index >= 8 ? 2 : 0;
	if (rex != 0x40)
		*p++ = rex;
	*p++ = 0xff;
	*p++ = op->mod << 6 | reg << 3 | (op->sib ? 4 : op->base & 7);
	if (op->sib)
		*p++ = op->shift << 6 | (op->index == NONE ? 4 : op->index & 7) << 3 |
		       (op->base == NONE ? 5 : op->base & 7);
	if (op->mod == 1) {
		*p++ = op->disp;
	} else if (op->mod == 2 || op->base == NONE) {
		put_unaligned(op->disp, (s32 *)p);
		p += 4;
	}
	code.len = p - code.bytes;
	return code;
}

/* Set the registers of @op so that it is @address, if that can be. */
static bool aim(struct km *m, const struct operand *op, unsigned long address)
{
	unsigned long rest = address - op->disp;
	int factor = 1 + (1 << op->shift);

	if (op->base == op->index && op->base != NONE) {
		if (rest % factor)
			return false;
		*km_reg(m, op->base) = rest / factor;
	} else if (op->base == NONE || op->base == 4) {
		/* RSP is where it is; the index makes up for it. */
		rest -= op->base == 4 ? m->regs.sp : 0;
		if (op->index == NONE)
			return !rest;
		if (rest & (BIT(op->shift) - 1))
			return false;
		*km_reg(m, op->index) = (long)rest >> op->shift;
	} else {
		if (op->index != NONE)
			rest -= *km_reg(m, op->index) << op->shift;
		*km_reg(m, op->base) = rest;
	}
	return true;
}

/* Go through @op to where some entry of the stack says; false if none can be hit. */
static bool check_operand(struct kunit *test, int reg, const struct operand *op)
{
	struct km *m = km_init(test, encode(reg, op));
	int i = KM_TOP;

	while (!aim(m, op, (unsigned long)&m->stack[i])) {
		if (++i == 2 * KM_TOP)
			return false;
	}

	km_expect(m);
	m->want.ip = m->stack[i];
	if (reg == 2)
		km_push(m, KM_IP + m->class.len);
	km_run(m, reg == 2 ? "call *mem" : "jmp *mem");
	return true;
}

/* The operand with every kind of displacement that its base allows. */
static void check_operands(struct kunit *test, struct operand op)
{
	static const int disps[] = { 0, 5 * sizeof(long), 9 * sizeof(long) };
	bool fixed = op.base == 4 && op.index == NONE;

	for (op.mod = 0; op.mod <= 2; op.mod++) {
		/* With ModRM.mod 0, base 5 and 13 mean others. */
		if (op.mod == 0 && (op.base & 7) == 5)
			continue;
		op.disp = disps[op.mod];
		KUNIT_EXPECT_TRUE(test, check_operand(test, 2, &op));
		KUNIT_EXPECT_TRUE(test, check_operand(test, 4, &op));

		/* Nothing can be expected below the stack pointer. */
		if (fixed)
			continue;
		op.disp = op.mod == 2 ? -0x7654328 : -op.disp;
		KUNIT_EXPECT_TRUE(test, check_operand(test, 2, &op));
		KUNIT_EXPECT_TRUE(test, check_operand(test, 4, &op));
	}
}

static void operand_base(struct kunit *test)
{
	struct operand op = { .index = NONE };

	for (op.base = 0; op.base < KM_REGS; op.base++) {
		/* R/m 4 is the SIB byte, so RSP and R12 need one. */
		op.sib = (op.base & 7) == 4;
		check_operands(test, op);
		op.sib = true;
		check_operands(test, op);
	}
}

static void operand_index(struct kunit *test)
{
	struct operand op = { .sib = true };

	for (op.base = 0; op.base < KM_REGS; op.base++) {
		for (op.index = 0; op.index < KM_REGS; op.index++) {
			for (op.shift = 0; op.shift < 4; op.shift++) {
				/* RSP cannot be an index. */
				if (op.index != 4)
					check_operands(test, op);
			}
		}
	}
}

/* No base: an index and four bytes of displacement. */
static void operand_table(struct kunit *test)
{
	struct operand op = { .sib = true, .base = NONE, .disp = -0x1234568 };

	for (op.index = 0; op.index < KM_REGS; op.index++) {
		for (op.shift = 0; op.shift < 4; op.shift++) {
			if (op.index == 4)
				continue;
			/* Base 5 is none here, also if REX.B makes 13 of it. */
			op.rex = 0;
			KUNIT_EXPECT_TRUE(test, check_operand(test, 2, &op));
			op.rex = KM_REGS > 8;
			KUNIT_EXPECT_TRUE(test, check_operand(test, 4, &op));
		}
	}
}

#ifdef CONFIG_X86_64
/* @code ends in a displacement, which shall lead to the stack from @distance away. */
static void check_rip(struct kunit *test, long distance, struct code code)
{
	struct km *m = km_init(test, code);
	unsigned long ip = (unsigned long)&m->stack[KM_TOP + 3] - distance - code.len;

	put_unaligned(distance, (s32 *)(code.bytes + code.len - 4));
	m = km_init_at(test, ip, code);
	KUNIT_EXPECT_TRUE(test, m->class.rip_relative);
	km_expect(m);
	m->want.ip = m->stack[KM_TOP + 3];
	if (X86_MODRM_REG(code.bytes[code.len - 5]) == 2)
		km_push(m, ip + code.len);
	km_run(m, "rip-relative");
}

/* Also with REX.B, which does not make R13 of it. */
static void operand_rip(struct kunit *test)
{
	static const long distances[] = { 0x1000, -0x1000, 0x7fffff00, -0x80000000L };
	int i;

	for (i = 0; i < ARRAY_SIZE(distances); i++) {
		check_rip(test, distances[i], CODE(0xff, 0x15, 0, 0, 0, 0));
		check_rip(test, distances[i], CODE(0xff, 0x25, 0, 0, 0, 0));
		check_rip(test, distances[i], CODE(0x41, 0xff, 0x15, 0, 0, 0, 0));
		check_rip(test, distances[i], CODE(0x2e, 0xff, 0x25, 0, 0, 0, 0));
	}
}
#else
/* The encoding means an absolute address. @code ends in it. */
static void check_absolute(struct kunit *test, struct code code)
{
	struct km *m = km_init(test, code);

	put_unaligned((unsigned long)&m->stack[KM_TOP + 3],
		      (unsigned long *)(code.bytes + code.len - 4));
	m = km_init(test, code);
	KUNIT_EXPECT_FALSE(test, m->class.rip_relative);
	km_expect(m);
	m->want.ip = m->stack[KM_TOP + 3];
	if (X86_MODRM_REG(code.bytes[code.len - 5]) == 2)
		km_push(m, KM_IP + code.len);
	km_run(m, "absolute");
}

/* Also with the segment registers whose base is zero. */
static void operand_absolute(struct kunit *test)
{
	check_absolute(test, CODE(0xff, 0x15, 0, 0, 0, 0));
	check_absolute(test, CODE(0xff, 0x25, 0, 0, 0, 0));
	check_absolute(test, CODE(0x26, 0xff, 0x15, 0, 0, 0, 0));
	check_absolute(test, CODE(0x36, 0xff, 0x25, 0, 0, 0, 0));
}
#endif /* CONFIG_X86_64 */

static DEFINE_PER_CPU(unsigned long, percpu_target);

/*
 * A function, since pahole 1.24 takes a local variable that holds the address
 * for another per-CPU variable, and the kernel refuses the BTF then.
 */
static noinline unsigned long percpu_target_offset(void)
{
	return (unsigned long)&percpu_target;
}

/* The prefix of the segment that holds the per-CPU variables. */
#define SEG	(IS_ENABLED(CONFIG_X86_64) ? 0x65 : 0x64)

/* Through percpu_target, its offset in @code if there is room, else in AX. */
static void check_percpu(struct kunit *test, bool call, struct code code)
{
	unsigned long offset = percpu_target_offset();
	struct km *m;

	if (code.len > 4)
		put_unaligned(offset, (s32 *)(code.bytes + code.len - 4));
	m = km_init(test, code);
	if (code.len <= 4)
		m->regs.ax = offset;
	/* A 32-bit address leaves out the upper half. */
	if (code.bytes[0] == 0x67)
		m->regs.ax |= 0xdead000000000000ULL;
	km_expect(m);
	m->want.ip = KM_TARGET + raw_smp_processor_id();
	if (call)
		km_push(m, KM_IP + code.len);
	km_run(m, "per-CPU");
}

static void operand_percpu(struct kunit *test)
{
	if (!IS_ENABLED(CONFIG_SMP))
		kunit_skip(test, "a kernel for one CPU has no per-CPU segment");
	if (IS_ENABLED(CONFIG_X86_64))
		KUNIT_ASSERT_LT(test, percpu_target_offset(), 0x80000000UL);

	preempt_disable();
	this_cpu_write(percpu_target, KM_TARGET + raw_smp_processor_id());
	check_percpu(test, true, CODE(SEG, 0xff, 0x14, 0x25, 0, 0, 0, 0));
	check_percpu(test, false, CODE(SEG, 0xff, 0x24, 0x25, 0, 0, 0, 0));
	check_percpu(test, true, CODE(SEG, 0xff, 0x10));
	check_percpu(test, false, CODE(0xf2, SEG, 0xff, 0x20));
	if (IS_ENABLED(CONFIG_X86_64)) {
		check_percpu(test, false, CODE(0x67, SEG, 0xff, 0x20));
		check_percpu(test, true, CODE(0x67, SEG, 0xff, 0x10));
	}
	preempt_enable();
}

/* ---- what faults --------------------------------------------------------- */

#ifdef CONFIG_X86_64
#define NOT_CANONICAL	0x8000000000000000UL

/* User space, no address at all, no page, and the page of vsyscalls. */
static const unsigned long bad_addresses[] = {
	0, 8, 0x7ffffffff000, NOT_CANONICAL, -4096UL, -10UL << 20,
};
#else
/* User space, and no page. */
static const unsigned long bad_addresses[] = {
	0, 8, TASK_SIZE_MAX - 8, -4096UL,
};
#endif

static void operand_bad_operand(struct kunit *test)
{
	struct km *m;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_addresses); i++) {
		m = km_init(test, CODE(0xff, 0x10));
		m->regs.ax = bad_addresses[i];
		km_run_to_fault(m, "call *(%rax)");
		m = km_init(test, CODE(0xff, 0x20));
		m->regs.ax = bad_addresses[i];
		km_run_to_fault(m, "jmp *(%rax)");
	}
}

#ifdef CONFIG_X86_64
/* Cut to 32 bits, no address is the kernel's: these must not find the stack. */
static void operand_addr32(struct kunit *test)
{
	struct km *m;

	m = km_init(test, CODE(0x67, 0xff, 0x10));
	m->regs.ax = m->regs.sp;
	km_run_to_fault(m, "call *(%eax)");
	m = km_init(test, CODE(0x67, 0xff, 0x24, 0x24));
	km_run_to_fault(m, "jmp *(%esp)");
}
#endif /* CONFIG_X86_64 */

static void operand_bad_stack(struct kunit *test)
{
	struct km *m;
	int i;

	for (i = 0; i < ARRAY_SIZE(bad_addresses); i++) {
		m = km_init(test, CODE(0xc3));
		m->regs.sp = bad_addresses[i];
		km_run_to_fault(m, "ret");
		m = km_init(test, CODE(0x9d));
		m->regs.sp = bad_addresses[i];
		km_run_to_fault(m, "popf");
	}
}

#ifdef CONFIG_X86_64
static void operand_bad_target(struct kunit *test)
{
	struct km *m;

	m = km_init(test, CODE(0xff, 0xd0));
	m->regs.ax = NOT_CANONICAL;
	km_run_to_fault(m, "call *%rax");
	m = km_init(test, CODE(0xff, 0xe0));
	m->regs.ax = NOT_CANONICAL;
	km_run_to_fault(m, "jmp *%rax");
	m = km_init(test, CODE(0xff, 0x10));
	m->regs.ax = (unsigned long)&m->stack[KM_TOP];
	m->stack[KM_TOP] = NOT_CANONICAL;
	km_run_to_fault(m, "call *(%rax)");
	m = km_init(test, CODE(0xff, 0x20));
	m->regs.ax = (unsigned long)&m->stack[KM_TOP];
	m->stack[KM_TOP] = NOT_CANONICAL;
	km_run_to_fault(m, "jmp *(%rax)");
	m = km_init(test, CODE(0xc2, 0x10, 0x00));
	m->stack[KM_TOP] = NOT_CANONICAL;
	km_run_to_fault(m, "ret");
}

/* The ends of user space, of the kernel's, and no page at all. */
static const unsigned long wild_targets[] = {
	0, 0x1000, 0x00007fffffffffff, 0xffff800000000000, -1UL,
};
#else
static const unsigned long wild_targets[] = {
	0, 0x1000, TASK_SIZE_MAX - 1, TASK_SIZE_MAX, -1UL,
};
#endif /* CONFIG_X86_64 */

/* A branch to where nothing can be executed is done; the fault is at its end. */
static void operand_wild_target(struct kunit *test)
{
	struct km *m;
	int i;

	for (i = 0; i < ARRAY_SIZE(wild_targets); i++) {
		m = km_init(test, CODE(0xff, 0xd0));
		m->regs.ax = wild_targets[i];
		km_expect(m);
		km_push(m, KM_IP + 2);
		m->want.ip = wild_targets[i];
		km_run(m, "call to nowhere");
	}
}

static struct kunit_case operand_test_cases[] = {
	KUNIT_CASE(operand_registers),
	KUNIT_CASE(operand_base),
	KUNIT_CASE(operand_index),
	KUNIT_CASE(operand_table),
	KUNIT_CASE(operand_percpu),
	KUNIT_CASE(operand_bad_operand),
	KUNIT_CASE(operand_bad_stack),
	KUNIT_CASE(operand_wild_target),
#ifdef CONFIG_X86_64
	KUNIT_CASE(operand_registers_rex),
	KUNIT_CASE(operand_rip),
	KUNIT_CASE(operand_addr32),
	KUNIT_CASE(operand_bad_target),
#else
	KUNIT_CASE(operand_absolute),
#endif
	{}
};

static struct kunit_suite operand_suite = {
	.name = "x86_kprobes_operand",
	.test_cases = operand_test_cases,
};

kunit_test_suite(operand_suite);

MODULE_DESCRIPTION("KUnit tests of the operands of calls and jumps kprobes emulates");
MODULE_LICENSE("GPL");
