// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: what an address in a detour stands for, for faults and
 * for unwinders. detour.c says what a detour is made of.
 */
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"

/* How many words have been pushed when a template is at offset @at. */
static unsigned int kprobe_words_at(unsigned long at)
{
	const struct kprobe_detour_word *w = kprobe_detour_words_end;

	while (--w > kprobe_detour_words && w->at > at)
		;
	return w->words;
}

NOKPROBE_SYMBOL(kprobe_words_at);

static void kprobe_pc_in_entry(struct kprobe_detour_pc *pc, unsigned long at)
{
	pc->words = kprobe_words_at(at);
	pc->in_handler = at == DETOUR_OFFSET(call);
}

NOKPROBE_SYMBOL(kprobe_pc_in_entry);

/* @at is counted from the jump behind the copies: the jump, or the exit. */
static void kprobe_pc_at_end(struct kprobe_detour_pc *pc, unsigned long at)
{
	if (at < JMP32_INSN_SIZE)
		return;
	/* In the exit: POPF and POP take one word each, of one byte. */
	pc->leaving = true;
	pc->words = 2 - min(at - JMP32_INSN_SIZE, 2UL);
}

NOKPROBE_SYMBOL(kprobe_pc_at_end);

static void kprobe_pc_in_copy(struct optimized_kprobe *op, unsigned long at,
			      struct kprobe_detour_pc *pc)
{
	pc->in_copy = true;
	if (op->optinsn.pushed && at >= op->optinsn.pushed)
		pc->words = 1;
}

NOKPROBE_SYMBOL(kprobe_pc_in_copy);

static void kprobe_pc_in_first(struct optimized_kprobe *op, unsigned long at,
			       struct kprobe_detour_pc *pc)
{
	const struct arch_optimized_insn *oi = &op->optinsn;
	unsigned int i;

	if (at < oi->piece[0].at) {
		kprobe_pc_in_entry(pc, at);
		pc->regs_ip = pc->ip + INT3_INSN_SIZE;
		return;
	}
	for (i = oi->nr; i && oi->piece[i].at > at; i--)
		;
	pc->ip += oi->piece[i].from;
	if (i == oi->nr)
		kprobe_pc_at_end(pc, at - oi->piece[i].at);
	else
		kprobe_pc_in_copy(op, at, pc);
}

NOKPROBE_SYMBOL(kprobe_pc_in_first);

static void kprobe_pc_in_second(struct optimized_kprobe *op, unsigned long at,
				struct kprobe_detour_pc *pc)
{
	u8 len = op->kp.ainsn.class->len;

	pc->in_copy = at < len;
	if (pc->in_copy)
		return;
	at -= len;
	pc->ip += len;
	pc->regs_ip = pc->ip;
	if (at < DETOUR_OFFSET(entry_end))
		kprobe_pc_in_entry(pc, at);
	else
		kprobe_pc_at_end(pc, at - DETOUR_OFFSET(entry_end));
}

NOKPROBE_SYMBOL(kprobe_pc_in_second);

/**
 * kprobe_resolve_detour_pc() - what an address in a detour stands for
 * @ip: the address
 * @pc: filled in
 *
 * Context: any, with preemption disabled.
 * Return: the point whose detour it is, NULL if there is none.
 */
struct kprobe *kprobe_resolve_detour_pc(unsigned long ip,
					struct kprobe_detour_pc *pc)
{
	struct kprobe *p = kprobe_slot_owner(&kprobe_optinsn_slots, ip);
	struct optimized_kprobe *op;
	unsigned long first, second, stub;

	if (!p)
		return NULL;
	op = kprobe_op_of(p);
	first = (unsigned long)op->optinsn.insn;
	second = (unsigned long)op->optinsn.after;
	stub = (unsigned long)op->optinsn.stub;
	*pc = (struct kprobe_detour_pc){ .ip = (unsigned long)p->addr };
	if (first && ip - first < DETOUR_SIZE)
		kprobe_pc_in_first(op, ip - first, pc);
	else if (second && ip - second < DETOUR_SIZE)
		kprobe_pc_in_second(op, ip - second, pc);
	else if (stub && ip - stub < DETOUR_SIZE)
		kprobe_pc_in_second(op, ip - stub, pc);
	else
		return NULL;
	return p;
}

NOKPROBE_SYMBOL(kprobe_resolve_detour_pc);
