/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A machine for emulated instructions to work on: registers and a stack that
 * are set up, and an account of what they shall become. What must not change
 * is compared as well.
 */
#ifndef _X86_KPROBES_TESTS_MACHINE_H
#define _X86_KPROBES_TESTS_MACHINE_H

#include <kunit/test.h>
#include <asm/processor-flags.h>

#include "../insn.h"

/*
 * Where the kernel is, the lower bits left out; and how many general registers
 * there are, which are numbered from 0 on.
 */
#ifdef CONFIG_X86_64
#define KM_TEXT		0xffffffff80000000UL
#define KM_REGS		16
#else
#define KM_TEXT		0xc0000000UL
#define KM_REGS		8
#endif

/* Where instructions stand, and what the machine is filled with to go to. */
#define KM_IP		(KM_TEXT + 0x1234560)
#define KM_TARGET	(KM_TEXT + 0x1abcde0)
/* The stack pointer starts at this entry of the stack. */
#define KM_TOP		16
#define KM_STATUS	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF | \
			 X86_EFLAGS_ZF | X86_EFLAGS_SF | X86_EFLAGS_OF)

/**
 * struct code - an instruction
 * @len: its length
 * @bytes: itself
 */
struct code {
	u8 len;
	u8 bytes[MAX_INSN_SIZE];
};

#define CODE(...) ((struct code) {					\
	.len = sizeof((const u8[]){ __VA_ARGS__ }),			\
	.bytes = { __VA_ARGS__ },					\
})

/**
 * struct km - the machine, and one instruction on it
 * @test: for the assertions
 * @class: what was made of the instruction
 * @ip: where the instruction stands
 * @regs: the registers
 * @want: the registers as they shall become
 * @stack: where regs.sp points to, at KM_TOP
 * @want_stack: the stack as it shall become
 */
struct km {
	struct kunit *test;
	struct kprobe_insn_class class;
	unsigned long ip;
	struct pt_regs regs;
	struct pt_regs want;
	unsigned long stack[2 * KM_TOP];
	unsigned long want_stack[2 * KM_TOP];
};

u64 km_random(void);
void km_fill(struct km *m);
struct km *km_init_at(struct kunit *test, unsigned long ip, struct code code);
struct km *km_init(struct kunit *test, struct code code);
unsigned long *km_reg(struct km *m, int nr);
void km_expect(struct km *m);
void km_push(struct km *m, unsigned long value);
void km_run(struct km *m, const char *what);
void km_run_to_fault(struct km *m, const char *what);

#endif /* _X86_KPROBES_TESTS_MACHINE_H */
