// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions for which a copy cannot be executed: they are emulated, on the
 * registers that the breakpoint or the entry of a detour has saved. operand.c has
 * resolved their operands.
 *
 * All functions here run in the breakpoint handler or a detour, in any context: they
 * must not be probed or traced, and must not sleep.
 *
 * Faults. The stack below regs->sp may be written: the CPU has just put the
 * breakpoint's frame there, or a detour struct pt_regs, and each leaves a gap. Loads go
 * through the exception table, because a fault in here would be blamed on
 * this file, and keep away from user space, where the table does not help.
 * If a load cannot be done, or a branch would leave the canonical addresses
 * (the return from the breakpoint would then fault in the entry code), the
 * registers stay as they are and the copy in the slot takes the fault the way
 * the CPU does; in a detour, the copy of the region. If there is no fault after all,
 * because the memory was just changed, a jump leaves the slot for good; but a call
 * returns to the slot, and has to do so before the slot is freed: see "Why slots and
 * detours wait for RCU tasks" in Documentation/trace/kprobes-inside.rst.
 *
 * Not carried over is what IRET cannot load: the one-instruction shadow of
 * STI (the table refuses it where it matters), and the demand for an ENDBR at
 * the target of an indirect branch, which an emulated one does not make.
 */
#include <linux/bits.h>
#include <linux/kernel.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/pgtable.h>

#include <asm/asm.h>
#include <asm/page.h>
#include <asm/processor-flags.h>
#include <asm/text-patching.h>
#include <asm/vsyscall.h>

#include "insn.h"

static __always_inline unsigned long get_reg(const struct pt_regs *regs, u8 offset)
{
	return *(const unsigned long *)((const u8 *)regs + offset);
}

static __always_inline unsigned long addr_mask(const struct kprobe_emulation *em)
{
	return ~0UL >> (BITS_PER_LONG - 8 * em->addr_bytes);
}

/* The per-CPU area does not change: the handler runs on the probed CPU. */
static __always_inline unsigned long operand_address(const struct kprobe_emulation *em,
						     const struct pt_regs *regs)
{
	unsigned long addr = em->disp;

	if (em->base != KPROBE_INSN_NO_REG)
		addr += get_reg(regs, em->base);
	if (em->index != KPROBE_INSN_NO_REG)
		addr += get_reg(regs, em->index) << em->shift;
	addr &= addr_mask(em);
	if (em->percpu)
		addr = (unsigned long)raw_cpu_ptr((void __percpu *)addr);
	return addr;
}

/* Elsewhere the page fault handler does not look at the exception table. */
static __always_inline bool can_load(unsigned long addr)
{
	if (IS_ENABLED(CONFIG_X86_64) && is_vsyscall_vaddr(addr))
		return false;
	return addr >= TASK_SIZE_MAX + PAGE_SIZE;
}

static bool kprobe_em_load(unsigned long addr, unsigned long *val)
{
	unsigned int failed = 1;

	if (!can_load(addr))
		return false;

	/* On a fault the XOR is skipped, and what it would clear stays set. */
	asm volatile("1: mov (%[addr]), %[val]\n"
		     "   xor %[failed], %[failed]\n"
		     "2:\n"
		     _ASM_EXTABLE(1b, 2b)
		     : [val] "=&r" (*val), [failed] "+&r" (failed)
		     : [addr] "r" (addr)
		     : "memory", "cc");
	return !failed;
}

NOKPROBE_SYMBOL(kprobe_em_load);

#ifdef CONFIG_X86_64
static __always_inline bool can_branch_to(unsigned long ip)
{
	long top = (long)ip >> __VIRTUAL_MASK_SHIFT;

	return top == 0 || top == -1;
}
#else
static __always_inline bool can_branch_to(unsigned long ip)
{
	return true;
}
#endif

static bool kprobe_em_jump(struct pt_regs *regs, unsigned long ip)
{
	if (!can_branch_to(ip))
		return false;
	int3_emulate_jmp(regs, ip);
	return true;
}

NOKPROBE_SYMBOL(kprobe_em_jump);

/* int3_emulate_call() takes every call for five bytes; a prefixed one is not. */
static bool kprobe_em_call(const struct kprobe_emulation *em,
			   struct pt_regs *regs, unsigned long ip)
{
	if (!can_branch_to(ip))
		return false;
	int3_emulate_push(regs, em->next);
	int3_emulate_jmp(regs, ip);
	return true;
}

NOKPROBE_SYMBOL(kprobe_em_call);

/**
 * kprobe_emulate_pushf() - emulate PUSHF
 * @em: the operands
 * @regs: the registers
 *
 * What a breakpoint saves has RF and VM clear, as PUSHF stores them.
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_pushf(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	int3_emulate_push(regs, regs->flags & ~(X86_EFLAGS_RF | X86_EFLAGS_VM));
	int3_emulate_jmp(regs, em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_pushf);

/* The flags that POPF loads in the kernel; of the others it clears RF. */
#define POPF_LOADS	(X86_EFLAGS_CF | X86_EFLAGS_PF | X86_EFLAGS_AF |	\
			 X86_EFLAGS_ZF | X86_EFLAGS_SF | X86_EFLAGS_TF |	\
			 X86_EFLAGS_IF | X86_EFLAGS_DF | X86_EFLAGS_OF |	\
			 X86_EFLAGS_IOPL | X86_EFLAGS_NT | X86_EFLAGS_AC |	\
			 X86_EFLAGS_ID)

/**
 * kprobe_emulate_popf() - emulate POPF
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_popf(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	unsigned long flags;

	if (!kprobe_em_load(regs->sp, &flags))
		return false;
	regs->sp += sizeof(flags);
	regs->flags &= ~(POPF_LOADS | X86_EFLAGS_RF);
	regs->flags |= flags & POPF_LOADS;
	int3_emulate_jmp(regs, em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_popf);

/**
 * kprobe_emulate_cli() - emulate CLI
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_cli(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	regs->flags &= ~X86_EFLAGS_IF;
	int3_emulate_jmp(regs, em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_cli);

/**
 * kprobe_emulate_sti() - emulate STI
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_sti(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	regs->flags |= X86_EFLAGS_IF;
	int3_emulate_jmp(regs, em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_sti);

/**
 * kprobe_emulate_jmp() - emulate JMP to a relative address
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_jmp(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	int3_emulate_jmp(regs, em->target);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_jmp);

/**
 * kprobe_emulate_jmp_reg() - emulate JMP through a register
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_jmp_reg(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	return kprobe_em_jump(regs, get_reg(regs, em->reg));
}

NOKPROBE_SYMBOL(kprobe_emulate_jmp_reg);

/**
 * kprobe_emulate_jmp_mem() - emulate JMP through memory
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_jmp_mem(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	unsigned long target;

	return kprobe_em_load(operand_address(em, regs), &target) &&
	       kprobe_em_jump(regs, target);
}

NOKPROBE_SYMBOL(kprobe_emulate_jmp_mem);

/**
 * kprobe_emulate_call() - emulate CALL of a relative address
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_call(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	return kprobe_em_call(em, regs, em->target);
}

NOKPROBE_SYMBOL(kprobe_emulate_call);

/**
 * kprobe_emulate_call_reg() - emulate CALL through a register
 * @em: the operands
 * @regs: the registers
 *
 * The target is read before the push: a call through SP takes the old one.
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_call_reg(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	return kprobe_em_call(em, regs, get_reg(regs, em->reg));
}

NOKPROBE_SYMBOL(kprobe_emulate_call_reg);

/**
 * kprobe_emulate_call_mem() - emulate CALL through memory
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_call_mem(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	unsigned long target;

	return kprobe_em_load(operand_address(em, regs), &target) &&
	       kprobe_em_call(em, regs, target);
}

NOKPROBE_SYMBOL(kprobe_emulate_call_mem);

/**
 * kprobe_emulate_ret() - emulate RET, with or without an immediate
 * @em: the operands
 * @regs: the registers
 *
 * A plain RET has no immediate, which the decoder leaves 0.
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_ret(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	unsigned long target;

	if (!kprobe_em_load(regs->sp, &target) || !kprobe_em_jump(regs, target))
		return false;
	regs->sp += sizeof(target) + em->imm;
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_ret);

/**
 * kprobe_emulate_jcc() - emulate Jcc
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_jcc(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	int3_emulate_jcc(regs, em->cc, em->next, em->target - em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_jcc);

static __always_inline bool loop_goes_on(const struct kprobe_emulation *em,
					 const struct pt_regs *regs)
{
	bool zf = regs->flags & X86_EFLAGS_ZF;

	switch (em->cc) {
	case 0:			/* LOOPNE */
		return !zf;
	case 1:			/* LOOPE */
		return zf;
	default:
		return true;
	}
}

/* A 32-bit counter clears the upper half of RCX, a 16-bit one leaves it. */
static __always_inline void set_counter(const struct kprobe_emulation *em,
					struct pt_regs *regs, unsigned long count)
{
	if (em->addr_bytes == 2)
		count |= regs->cx & ~0xffffUL;
	regs->cx = count;
}

/**
 * kprobe_emulate_loop() - emulate LOOP, LOOPE and LOOPNE
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_loop(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	unsigned long count = (regs->cx - 1) & addr_mask(em);

	set_counter(em, regs, count);
	int3_emulate_jmp(regs, count && loop_goes_on(em, regs) ? em->target : em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_loop);

/**
 * kprobe_emulate_jcxz() - emulate JCXZ, JECXZ and JRCXZ
 * @em: the operands
 * @regs: the registers
 *
 * Return: as kprobe_emulate_fn.
 */
bool kprobe_emulate_jcxz(const struct kprobe_emulation *em, struct pt_regs *regs)
{
	bool zero = !(regs->cx & addr_mask(em));

	int3_emulate_jmp(regs, zero ? em->target : em->next);
	return true;
}

NOKPROBE_SYMBOL(kprobe_emulate_jcxz);
