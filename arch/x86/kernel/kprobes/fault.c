// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: faults in the copies of instructions and in handlers.
 */
#include <linux/kprobes.h>
#include <linux/preempt.h>

#include "core.h"
#include "detour.h"
#include "insn.h"

/* Where the instruction whose copy is executed at @ip stands. 0 if nowhere. */
static unsigned long kprobe_original_ip(unsigned long ip)
{
	struct kprobe *p = kprobe_slot_owner(&kprobe_insn_slots, ip);
	unsigned long at;

	if (!p || !p->ainsn.class)
		return 0;
	at = ip - (unsigned long)p->ainsn.insn;
	/* The jump back, or what follows it, cannot fault. */
	if (at && at != KPROBE_STEP_OFFSET)
		return 0;
	return (unsigned long)p->addr;
}

NOKPROBE_SYMBOL(kprobe_original_ip);

/*
 * A fault in a copy is a fault of the original: go back to that, as if the
 * instruction had just been reached, and let the fault be handled there. If
 * it is executed once more after that, it is hit once more, too.
 */
static struct kprobe *kprobe_leave_slot(struct pt_regs *regs)
{
	struct kprobe_frame *frame;
	unsigned long ip;
	struct kprobe *p = NULL;

	ip = kprobe_original_ip(regs->ip);
	frame = ip ? kprobe_stepping_at(regs->ip) : NULL;
	if (frame) {
		p = frame->kp;
		kprobe_unpin(p, regs, frame);
		kprobe_frame_pop();
	}
	if (ip)
		regs->ip = ip;
	return p;
}

NOKPROBE_SYMBOL(kprobe_leave_slot);

/*
 * Likewise in a detour. Only the table knows whether there is a fixup, and for
 * the first instruction, that it can be done again: with another hit. To the
 * others nobody can come back, where there is a jump now; those that need it
 * are not copied (see safety.c).
 */
static void kprobe_leave_detour(struct pt_regs *regs, bool comes_back)
{
	struct kprobe_place place;
	struct kprobe *p;

	preempt_disable_notrace();
	p = kprobe_detour_place(regs->ip, &place);
	if (p && place.in_copy &&
	    (!comes_back || place.ip == (unsigned long)p->addr)) {
		regs->ip = place.ip;
		regs->sp += place.words * sizeof(long);
	}
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_leave_detour);

/**
 * kprobe_fixup_slot() - see to a trap in the copy of an instruction
 * @regs: the registers at the trap
 * @trapnr: which trap
 *
 * Called before the exception table is searched, which knows the original
 * address only.
 *
 * Return: 1 when a fault handler dealt with it, else 0.
 */
int kprobe_fixup_slot(struct pt_regs *regs, int trapnr)
{
	struct kprobe *p;
	int ret;

	if (unlikely(is_kprobe_optinsn_slot(regs->ip)))
		kprobe_leave_detour(regs, false);
	if (likely(!is_kprobe_insn_slot(regs->ip)))
		return 0;
	preempt_disable_notrace();
	p = kprobe_leave_slot(regs);
	ret = p ? kprobe_dispatch_fault(p, regs, trapnr) : 0;
	preempt_enable_notrace();
	return ret;
}

NOKPROBE_SYMBOL(kprobe_fixup_slot);

/**
 * kprobe_fault_handler() - a fault in a handler
 * @regs: the registers at the fault
 * @trapnr: which trap
 *
 * Context: a handler is running on this CPU.
 * Return: 1 when a fault handler dealt with it, else 0.
 */
int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	struct kprobe *p = kprobe_running();

	return p ? kprobe_dispatch_fault(p, regs, trapnr) : 0;
}

NOKPROBE_SYMBOL(kprobe_fault_handler);

/**
 * kprobe_page_fault() - see to a page fault before anybody else
 * @regs: the registers at the fault
 * @trap: which trap
 *
 * An access to user memory may sleep in the fault, and must not come back into
 * a copy that may be freed meanwhile.
 *
 * Return: true when a fault handler dealt with it.
 */
bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap)
{
	if (user_mode(regs))
		return false;
	if (unlikely(is_kprobe_insn_slot(regs->ip)))
		return kprobe_fixup_slot(regs, trap);
	if (unlikely(is_kprobe_optinsn_slot(regs->ip)))
		kprobe_leave_detour(regs, true);
	if (preemptible())
		return false;
	return kprobe_fault_handler(regs, trap);
}

NOKPROBE_SYMBOL(kprobe_page_fault);
