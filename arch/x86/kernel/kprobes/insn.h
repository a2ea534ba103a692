/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What kprobes on x86 knows about instructions.
 *
 * insn.c has the table of how probed instructions are carried out, emulate.c
 * emulates those for which a copy cannot be executed. None of this reads or
 * writes kernel text: callers pass a copy of the original bytes, so all of it
 * can be tested on byte strings.
 */
#ifndef _X86_KPROBES_INSN_H
#define _X86_KPROBES_INSN_H

#include <linux/compiler_attributes.h>
#include <linux/types.h>
#include <asm/insn.h>
#include <asm/ptrace.h>

/*
 * The bytes that kprobe_insn_classify() needs: the instruction, and the one
 * behind it, on which it depends whether an STI may be probed.
 */
#define KPROBE_INSN_WINDOW	(2 * MAX_INSN_SIZE)

/**
 * enum kprobe_insn_how - how a probed instruction is carried out
 * @KPROBE_INSN_REFUSE: it cannot be done right, so it is not probed
 * @KPROBE_INSN_EMULATE: C code does it on pt_regs, no copy runs
 * @KPROBE_INSN_BOOST: a copy runs, followed by a jump back, or by a breakpoint
 *	if a second trap is needed
 */
enum kprobe_insn_how {
	KPROBE_INSN_REFUSE,
	KPROBE_INSN_EMULATE,
	KPROBE_INSN_BOOST,
} __packed;

/**
 * enum kprobe_insn_kind - where an instruction takes the control flow
 * @KPROBE_INSN_PLAIN: on to the next instruction
 * @KPROBE_INSN_RELATIVE: maybe to a fixed distance from its own end: JMP,
 *	Jcc, CALL, LOOPcc, JrCXZ, and XBEGIN, whose abort goes there
 * @KPROBE_INSN_INDIRECT_JUMP: to an address found in a register or memory
 * @KPROBE_INSN_INDIRECT_CALL: likewise, with a return address pushed
 * @KPROBE_INSN_RETURN: to the near address on the stack
 * @KPROBE_INSN_LEAVES: out of this kernel's plain control flow: far
 *	transfers, traps, system calls, virtual machine entries
 * @KPROBE_INSN_STI: on, with interrupts held off for one more instruction
 * @KPROBE_INSN_WAIT: on, after sleeping until an event
 * @KPROBE_INSN_UNKNOWN: not known, nor is where it ends: the decoder takes it for
 *	another one
 */
enum kprobe_insn_kind {
	KPROBE_INSN_PLAIN,
	KPROBE_INSN_RELATIVE,
	KPROBE_INSN_INDIRECT_JUMP,
	KPROBE_INSN_INDIRECT_CALL,
	KPROBE_INSN_RETURN,
	KPROBE_INSN_LEAVES,
	KPROBE_INSN_STI,
	KPROBE_INSN_WAIT,
	KPROBE_INSN_UNKNOWN,
} __packed;

/* No base, index or target register: no offset in pt_regs is this large. */
#define KPROBE_INSN_NO_REG	0xff

struct kprobe_emulation;

/**
 * typedef kprobe_emulate_fn - carry out one instruction on saved registers
 * @em: the operands
 * @regs: the registers at the point, with regs->ip == em->ip
 *
 * Runs in the breakpoint handler or between the entry and the exit of a detour, in any
 * context.
 *
 * Return: true when @regs are as after the instruction. False when the
 * instruction would fault: then @regs are untouched, and the caller lets the copy in
 * the slot or the detour run, which takes the fault the way the hardware takes it.
 */
typedef bool (*kprobe_emulate_fn)(const struct kprobe_emulation *em,
				  struct pt_regs *regs);

/**
 * struct kprobe_emulation - an emulated instruction, its operands resolved
 * @fn: carries it out
 * @ip: where the instruction stands
 * @next: where the following one stands, and the return address of a call
 * @target: where a relative branch goes
 * @disp: the displacement of the memory operand, which a relative branch does
 *	not have; plus @next if it is relative to the instruction pointer
 * @imm: what RET imm16 drops from the stack
 * @cc: the condition of a Jcc or LOOPcc, as the low four opcode bits have it
 * @reg: pt_regs offset of the register that holds a branch target
 * @base: pt_regs offset of the operand's base register, KPROBE_INSN_NO_REG
 *	for none
 * @index: likewise of the index register
 * @shift: by how much the index is shifted
 * @addr_bytes: the address size, which is also the counter's in LOOP and JCXZ
 * @percpu: the memory operand is relative to the per-CPU area
 *
 * All of it is decoded at registration, so that a hit only computes.
 */
struct kprobe_emulation {
	kprobe_emulate_fn fn;
	unsigned long ip;
	unsigned long next;
	union {
		unsigned long target;
		long disp;
	};
	u16 imm;
	u8 cc;
	u8 reg;
	u8 base;
	u8 index;
	u8 shift;
	u8 addr_bytes;
	bool percpu;
};

/**
 * struct kprobe_insn_class - the result of kprobe_insn_classify()
 * @how: how the instruction is carried out
 * @kind: where it takes the control flow
 * @error: 0, or for a refusal -EINVAL (may never be probed) or -EOPNOTSUPP
 *	(could be, is not)
 * @len: its length
 * @needs_slot: a copy is needed: always for @KPROBE_INSN_BOOST, and for those
 *	emulations that can return false
 * @rep_string: a string instruction with a repeat prefix, which runs for long
 * @rip_relative: its operand is relative to the instruction pointer, so a
 *	copy must be made with kprobe_insn_copy()
 * @reason: why it is refused or emulated, as text; NULL otherwise
 * @em: for @KPROBE_INSN_EMULATE
 *
 * Each point has one, so it is to be small.
 */
struct kprobe_insn_class {
	enum kprobe_insn_how how;
	enum kprobe_insn_kind kind;
	s16 error;
	u8 len;
	bool needs_slot;
	bool rep_string;
	bool rip_relative;
	const char *reason;
	struct kprobe_emulation em;
};

void kprobe_insn_init(void);
int kprobe_insn_classify(const u8 *bytes, size_t avail, unsigned long ip,
			 struct kprobe_insn_class *out);
enum kprobe_insn_kind kprobe_insn_kind_of(struct insn *insn);
unsigned long kprobe_insn_target(struct insn *insn, unsigned long ip);
int kprobe_insn_copy(u8 *dst, const u8 *src, struct insn *insn,
		     unsigned long from_ip, unsigned long to_ip);

/* operand.c */
const char *kprobe_emulation_prepare(struct kprobe_emulation *em,
				     struct insn *insn, unsigned long ip);

/* emulate.c: what the rows of the table name. */
bool kprobe_emulate_pushf(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_popf(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_cli(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_sti(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_jmp(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_jmp_reg(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_jmp_mem(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_call(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_call_reg(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_call_mem(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_ret(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_jcc(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_loop(const struct kprobe_emulation *em, struct pt_regs *regs);
bool kprobe_emulate_jcxz(const struct kprobe_emulation *em, struct pt_regs *regs);

#endif /* _X86_KPROBES_INSN_H */
