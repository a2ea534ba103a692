// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: put breakpoints into the text, and take them out.
 */
#include <linux/cpu.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <asm/text-patching.h>

#include "text.h"

/* Tell perf: decoders of traces need the text as it was at each time. */
static void kprobe_poke_event(struct kprobe *p, u8 old, u8 new)
{
	perf_event_text_poke(p->addr, &old, 1, &new, 1);
}

/*
 * One byte for each point, which is written atomically, and one synchronisation
 * of the CPUs for all. A trap shows in a trace by itself, an instruction does
 * not: so the event is written while every CPU that comes to the point runs
 * into the breakpoint, and none can execute the original instruction.
 */
void arch_arm_kprobes(struct kprobe **probes, unsigned int num)
{
	static const u8 int3 = INT3_INSN_OPCODE;
	unsigned int i;

	lockdep_assert_cpus_held();
	guard(mutex)(&text_mutex);
	for (i = 0; i < num; i++)
		kprobe_poke_queue(probes[i]->addr, &int3, INT3_INSN_SIZE);
	kprobe_poke_flush();
	text_poke_sync();
	for (i = 0; i < num; i++)
		kprobe_poke_event(probes[i], probes[i]->opcode,
				  INT3_INSN_OPCODE);
}

void arch_disarm_kprobes(struct kprobe **probes, unsigned int num)
{
	unsigned int i;

	lockdep_assert_cpus_held();
	guard(mutex)(&text_mutex);
	for (i = 0; i < num; i++)
		kprobe_poke_event(probes[i], INT3_INSN_OPCODE,
				  probes[i]->opcode);
	for (i = 0; i < num; i++)
		kprobe_poke_queue(probes[i]->addr, &probes[i]->opcode,
				  INT3_INSN_SIZE);
	kprobe_poke_flush();
	text_poke_sync();
}

/**
 * arch_arm_kprobe() - put in the breakpoint of a point
 * @p: the point's kprobe
 *
 * Context: cpus_read_lock() held. May sleep.
 */
void arch_arm_kprobe(struct kprobe *p)
{
	arch_arm_kprobes(&p, 1);
}

/**
 * arch_disarm_kprobe() - take out the breakpoint of a point
 * @p: the point's kprobe
 *
 * Context: cpus_read_lock() held. May sleep.
 */
void arch_disarm_kprobe(struct kprobe *p)
{
	arch_disarm_kprobes(&p, 1);
}
