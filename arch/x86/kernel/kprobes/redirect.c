// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: where a handler that has changed the path goes on.
 *
 * The address that it has chosen may be behind the first byte of a jump, of any point, or
 * of one that will be put in or is taken out: then execution goes on at the copy of that
 * instruction in the detour. To find that out takes a look at four addresses. Handlers
 * mostly choose few addresses, which lie in no region: each CPU remembers some, until jumps
 * of more points are to be put in.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/sync_core.h>
#include <asm/text-patching.h>

#include "detour.h"

DEFINE_PER_CPU(unsigned long, kprobe_clear[KPROBE_CLEAR_NR]);

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
	unsigned long to = kprobe_redirect_find(ip);

	if (to == ip)
		raw_cpu_write(kprobe_clear[kprobe_clear_index(ip)], ip);
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

/**
 * arch_forget_redirects() - forget which addresses lie in no region
 *
 * A hit disables preemption, where RCU watches. After a grace period of RCU, the hits have
 * ended that may not have seen KPROBE_FLAG_OPTIMIZED of the points that get their jumps next:
 * what they have remembered is cleared here. For the hits that have read that before, the
 * core waits next. RCU does not wait for a CPU that is on its way down or up: this does.
 *
 * Context: a worker, no locks. May sleep.
 */
void arch_forget_redirects(void)
{
	unsigned int i;
	int cpu;

	cpus_read_lock();
	cpus_read_unlock();
	synchronize_rcu();
	for_each_possible_cpu(cpu) {
		for (i = 0; i < KPROBE_CLEAR_NR; i++)
			WRITE_ONCE(per_cpu(kprobe_clear[i], cpu), 0);
	}
}
