// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: where a handler that has changed the path goes on.
 *
 * The address that it has chosen may be behind the first byte of a jump, of any point, or
 * of one that is being put in or taken out: then execution goes on at the copy of that
 * instruction in the detour. To find that out takes a look at four addresses. Handlers
 * mostly choose few addresses, which lie in no region: each CPU remembers some, until the
 * detour of another point begins to serve.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/sync_core.h>
#include <asm/text-patching.h>

#include "detour.h"

DEFINE_PER_CPU(struct kprobe_clear, kprobe_clear[KPROBE_CLEAR_NR]);

/**
 * kprobe_detour_ip() - where to go on for an address in the text
 * @op: an optimized point
 * @ip: the address
 *
 * Return: the copy of the instruction at @ip if the jump of @op covers that,
 * else @ip. The point itself is not covered.
 */
unsigned long kprobe_detour_ip(struct optimized_kprobe *op, unsigned long ip)
{
	struct arch_optimized_insn *oi = &op->optinsn;
	unsigned long from = ip - (unsigned long)op->kp.addr;
	unsigned int i;

	if (likely(!from || from >= oi->size))
		return ip;
	for (i = 1; i < oi->nr; i++) {
		if (oi->piece[i].from == from)
			return (unsigned long)oi->insn + oi->piece[i].at;
	}
	return ip;
}

NOKPROBE_SYMBOL(kprobe_detour_ip);

/**
 * kprobe_redirect_find() - look up where to go on for an address that a handler has chosen
 * @ip: the address
 *
 * To a detour that has just begun to serve, CPUs come by the IRET of a trap, and by a
 * jump when all CPUs have been synchronised. From here it may be by a return, which does
 * not make the CPU discard what it may have fetched of the slot before the detour was
 * written.
 *
 * Context: any, preemption disabled.
 * Return: @ip, or the copy of its instruction in a detour if a jump covers that.
 */
unsigned long kprobe_redirect_find(unsigned long ip)
{
	struct kprobe *other;
	unsigned long at;

	for (at = ip - DISP32_SIZE; at != ip; at++) {
		other = get_kprobe((void *)at);
		if (other && kprobe_optimized(other)) {
			sync_core();
			return kprobe_detour_ip(kprobe_op_of(other), ip);
		}
	}
	return ip;
}

NOKPROBE_SYMBOL(kprobe_redirect_find);

/*
 * As kprobe_redirect_find(), and remember an address without a jump. In the first frame of
 * the CPU: what interrupts this has another one.
 */
static noinline unsigned long kprobe_redirect_remember(unsigned long ip)
{
	struct kprobe_clear *c = kprobe_clear_of(ip);
	unsigned long begun, to;

	/*
	 * Pairs with smp_store_release() in kprobe_begin_detour(): if the detour is counted,
	 * its flag is seen.
	 */
	begun = smp_load_acquire(&kprobe_detours_begun);
	to = kprobe_redirect_find(ip);
	if (to == ip) {
		c->ip = ip;
		c->begun = begun;
	}
	return to;
}

NOKPROBE_SYMBOL(kprobe_redirect_remember);

/**
 * kprobe_redirect_ip() - where to go on for an address that a handler has chosen
 * @ip: the address
 *
 * Context: any, preemption disabled, in the frame of the hit.
 * Return: @ip, or the copy of its instruction in a detour if a jump covers that.
 */
unsigned long kprobe_redirect_ip(unsigned long ip)
{
	if (raw_cpu_read(kprobe_ctlblk.depth) != 1)
		return kprobe_redirect_find(ip);
	return kprobe_is_clear(ip) ? ip : kprobe_redirect_remember(ip);
}

NOKPROBE_SYMBOL(kprobe_redirect_ip);
