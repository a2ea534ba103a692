// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: stack traces that pass through copies of instructions, by
 * an unwinder that finds its way without knowing where it is in the text: it follows
 * frame pointers, or guesses. Only the addresses that it finds are translated.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "detour.h"
#include "insn.h"

static unsigned long kprobe_trace_slot(unsigned long ip)
{
	struct kprobe *p = kprobe_slot_owner(&kprobe_insn_slots, ip);
	unsigned long at;

	if (!p || !p->ainsn.class)
		return ip;
	at = ip - (unsigned long)p->ainsn.insn;
	if (at >= KPROBE_STEP_OFFSET)
		at -= KPROBE_STEP_OFFSET;
	/* In the copy, or behind it. */
	ip = (unsigned long)p->addr;
	return at < p->ainsn.class->len ? ip : ip + p->ainsn.class->len;
}

NOKPROBE_SYMBOL(kprobe_trace_slot);

/*
 * At the exit of a detour, the address is on the stack. While a handler runs, it
 * comes next in the trace: it is in the registers that the detour has saved.
 */
static unsigned long kprobe_trace_detour(unsigned long ip)
{
	struct kprobe_detour_pc pc;

	if (!kprobe_resolve_detour_pc(ip, &pc) || pc.leaving || pc.in_handler)
		return ip;
	return pc.ip;
}

NOKPROBE_SYMBOL(kprobe_trace_detour);

/**
 * kprobe_trace_ip() - the place in the text that an address stands for
 * @ip: the address, which an unwinder has found
 *
 * Context: any.
 * Return: the address of the probed instruction or of what follows, if @ip is in a
 * copy of it; else @ip.
 */
unsigned long kprobe_trace_ip(unsigned long ip)
{
	preempt_disable_notrace();
	if (is_kprobe_insn_slot(ip))
		ip = kprobe_trace_slot(ip);
	else if (is_kprobe_optinsn_slot(ip))
		ip = kprobe_trace_detour(ip);
	preempt_enable_notrace();
	return ip;
}

NOKPROBE_SYMBOL(kprobe_trace_ip);
