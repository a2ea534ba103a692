// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: faults in the copies of instructions and in handlers.
 *
 * A fault in a copy is one of the original instruction, whose address is in the
 * exception table. To find the original does not change the registers: the
 * fault may be resolved by code that never looks at the instruction pointer
 * (KFENCE), and then the copy has to go on. A task leaves the copy only for a
 * fixup, a fault handler, or an access to memory of the user, during which it
 * may sleep.
 *
 * This file is in hit-path of the Makefile: it is compiled without calls of ftrace and of
 * sanitizers. What a hit calls stands in such a file, and has NOKPROBE_SYMBOL().
 */
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/preempt.h>
#include <asm/trapnr.h>

#include "core.h"
#include "detour.h"
#include "insn.h"

/**
 * struct kprobe_copied - the original of a copy
 * @p: the kprobe of its point, NULL if there is no copy
 * @ip: the address of the original
 * @words: how many words more are on the stack than the original would find
 */
struct kprobe_copied {
	struct kprobe *p;
	unsigned long ip;
	unsigned int words;
};

static struct kprobe_copied kprobe_copied_slot(unsigned long ip)
{
	struct kprobe *p = kprobe_slot_owner(&kprobe_insn_slots, ip);
	unsigned long at;

	if (!p)
		return (struct kprobe_copied){};
	at = ip - (unsigned long)p->ainsn.insn;
	/* Only the two copies can fault, not the jump or the breakpoints. */
	if (at && at != KPROBE_STEP_OFFSET)
		return (struct kprobe_copied){};
	return (struct kprobe_copied){ .p = p, .ip = (unsigned long)p->addr };
}

NOKPROBE_SYMBOL(kprobe_copied_slot);

static struct kprobe_copied kprobe_copied_detour(unsigned long ip)
{
	struct kprobe_detour_pc pc;
	struct kprobe *p = kprobe_resolve_detour_pc(ip, &pc);

	if (!p || !pc.in_copy)
		return (struct kprobe_copied){};
	return (struct kprobe_copied){
		.p = p, .ip = pc.ip, .words = pc.words,
	};
}

NOKPROBE_SYMBOL(kprobe_copied_detour);

static __always_inline bool kprobe_may_be_copy(unsigned long ip)
{
	return is_kprobe_insn_slot(ip) || is_kprobe_optinsn_slot(ip);
}

/* Which instruction's copy is executed at @ip? Preemption is disabled. */
static struct kprobe_copied kprobe_copied_at(unsigned long ip)
{
	return is_kprobe_insn_slot(ip) ? kprobe_copied_slot(ip) :
					 kprobe_copied_detour(ip);
}

NOKPROBE_SYMBOL(kprobe_copied_at);

/**
 * kprobe_text_ip() - the instruction whose copy is executed at an address
 * @ip: where a fault or a machine check came
 *
 * Context: any, NMI too.
 * Return: the address of the original; @ip if there is no copy.
 */
unsigned long kprobe_text_ip(unsigned long ip)
{
	struct kprobe_copied c;

	if (likely(!kprobe_may_be_copy(ip)))
		return ip;
	preempt_disable_notrace();
	c = kprobe_copied_at(ip);
	preempt_enable_notrace();
	return c.p ? c.ip : ip;
}

NOKPROBE_SYMBOL(kprobe_text_ip);

/**
 * kprobe_first_byte() - the original first byte of an instruction
 * @addr: its address, not behind the first byte of a jump
 *
 * Context: any.
 * Return: the byte.
 */
u8 kprobe_first_byte(unsigned long addr)
{
	unsigned long flags;
	struct kprobe *p;
	u8 byte;

	/* After a breakpoint is taken away, all CPUs are waited for: the point is there. */
	raw_local_irq_save(flags);
	byte = *(u8 *)addr;
	p = get_kprobe((void *)addr);
	if (p && !kprobe_ftrace(p))
		byte = p->opcode;
	raw_local_irq_restore(flags);
	return byte;
}

NOKPROBE_SYMBOL(kprobe_first_byte);

/*
 * Move @regs from the copy to its original, as if that had just been reached.
 */
static void kprobe_leave_copy(struct kprobe_left *left, struct pt_regs *regs,
			      const struct kprobe_copied *c)
{
	struct kprobe_frame *frame = kprobe_stepping_at(regs->ip);

	*left = (struct kprobe_left){ .ip = regs->ip, .sp = regs->sp };
	if (frame) {
		left->p = frame->kp;
		left->inside = frame->inside;
		left->outside = frame->outside;
		kprobe_unpin(left->p, regs, frame);
		kprobe_frame_pop();
	}
	regs->ip = c->ip;
	regs->sp += c->words * sizeof(long);
}

NOKPROBE_SYMBOL(kprobe_leave_copy);

/* Undo kprobe_leave_copy(). Preemption has not been enabled since. */
static void kprobe_resume_copy(const struct kprobe_left *left,
			       struct pt_regs *regs)
{
	struct kprobe_frame *frame;

	regs->ip = left->ip;
	regs->sp = left->sp;
	if (!left->p)
		return;
	frame = kprobe_frame_of(kprobe_frame_push(left->p));
	/* The contexts of the breakpoint's trap, not those of the fault. */
	frame->inside = left->inside;
	frame->outside = left->outside;
	kprobe_pin(left->p, regs, frame);
	/* Pairs with program order in kprobe_frame_covers(), in an NMI. */
	barrier();
	WRITE_ONCE(frame->status, KPROBE_FRAME_STEPPING);
}

NOKPROBE_SYMBOL(kprobe_resume_copy);

/**
 * kprobe_fixup_begin() - leave a copy to try a fixup
 * @left: filled in for kprobe_fixup_end()
 * @regs: the registers at the fault; they go to the original, if they are in
 *	a copy
 *
 * Called when an entry of the exception table was found. If the registers were
 * in a copy, preemption is disabled until kprobe_fixup_end().
 */
void kprobe_fixup_begin(struct kprobe_left *left, struct pt_regs *regs)
{
	struct kprobe_copied c;

	left->ip = 0;
	if (likely(!kprobe_may_be_copy(regs->ip)))
		return;
	preempt_disable_notrace();
	c = kprobe_copied_at(regs->ip);
	if (c.p)
		kprobe_leave_copy(left, regs, &c);
	else
		preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_fixup_begin);

/**
 * kprobe_fixup_end() - go back to the copy, if the fixup did not apply
 * @left: from kprobe_fixup_begin()
 * @regs: the registers; they go back to the copy if @fixed is false
 * @fixed: whether the fixup has been applied
 */
void kprobe_fixup_end(const struct kprobe_left *left, struct pt_regs *regs,
		      bool fixed)
{
	if (likely(!left->ip))
		return;
	if (!fixed)
		kprobe_resume_copy(left, regs);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_fixup_end);

/*
 * Ask the fault handlers of @p. If one deals with the fault, execution goes on at regs->ip,
 * where there may be a jump.
 */
static int kprobe_ask_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	int ret = kprobe_call_fault(p, regs, trapnr);

	if (ret)
		regs->ip = kprobe_redirect_find(regs->ip);
	return ret;
}

NOKPROBE_SYMBOL(kprobe_ask_fault);

/*
 * Move @regs from the copy to the original, and ask fault handlers. @p is the kprobe of
 * the running handler, if that has come to the copy by a miss. If the copy is stepped, @p
 * is NULL: no handler runs, so kprobe_leave_copy() drops the frame, and the fault
 * handlers of the stepped point are asked. If none deals with the fault, @regs go back to
 * the copy.
 */
static int kprobe_fault_in_copy(struct kprobe *p, struct pt_regs *regs, int trapnr,
				const struct kprobe_copied *c)
{
	struct kprobe_left left;
	int ret;

	kprobe_leave_copy(&left, regs, c);
	ret = kprobe_ask_fault(p ?: left.p, regs, trapnr);
	if (!ret)
		kprobe_resume_copy(&left, regs);
	return ret;
}

NOKPROBE_SYMBOL(kprobe_fault_in_copy);

/**
 * kprobe_fault_handler() - call the fault handlers for a fault in a handler
 * @regs: the registers at the fault
 * @trapnr: which trap
 *
 * The handler may have reached another point, whose hit is a miss. If the fault is in the
 * copy of that, the registers go to the original: the fault handlers need not know.
 *
 * Context: any, preemption disabled.
 * Return: 1 when a fault handler dealt with it; 0 if none did, or no handler runs.
 */
int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	struct kprobe *p = kprobe_running();
	struct kprobe_copied c;

	/*
	 * While a copy is stepped, no handler runs; kprobe_fault_in_slot() has asked the
	 * point's fault handlers.
	 */
	if (likely(!p) || kprobe_frame_top()->status == KPROBE_FRAME_STEPPING)
		return 0;
	if (kprobe_may_be_copy(regs->ip)) {
		c = kprobe_copied_at(regs->ip);
		if (c.p)
			return kprobe_fault_in_copy(p, regs, trapnr, &c);
	}
	return kprobe_ask_fault(p, regs, trapnr);
}

NOKPROBE_SYMBOL(kprobe_fault_handler);

/* In a slot: in a copy that is stepped, or that a handler has come to by a miss. */
static int kprobe_fault_in_slot(struct pt_regs *regs, int trapnr)
{
	struct kprobe_copied c;
	int ret = 0;

	preempt_disable_notrace();
	if (kprobe_stepping_at(regs->ip)) {
		c = kprobe_copied_at(regs->ip);
		if (c.p)
			ret = kprobe_fault_in_copy(NULL, regs, trapnr, &c);
	} else {
		ret = kprobe_fault_handler(regs, trapnr);
	}
	preempt_enable_notrace();
	return ret;
}

NOKPROBE_SYMBOL(kprobe_fault_in_slot);

/* A task that is not in a slot and can be preempted is in no handler. */
static int kprobe_offer_fault(struct pt_regs *regs, int trapnr)
{
	if (unlikely(is_kprobe_insn_slot(regs->ip)))
		return kprobe_fault_in_slot(regs, trapnr);
	if (preemptible())
		return 0;
	return kprobe_fault_handler(regs, trapnr);
}

NOKPROBE_SYMBOL(kprobe_offer_fault);

/**
 * kprobe_fixup_trap() - call the fault handlers for a trap of the kernel
 * @regs: the registers at the trap
 * @trapnr: which trap
 *
 * Called before the exception table is searched. Page faults are left to
 * kprobe_page_fault(), which was called before.
 *
 * Return: 1 if a fault handler dealt with it, else 0.
 */
int kprobe_fixup_trap(struct pt_regs *regs, int trapnr)
{
	return trapnr == X86_TRAP_PF ? 0 : kprobe_offer_fault(regs, trapnr);
}

NOKPROBE_SYMBOL(kprobe_fixup_trap);

/**
 * kprobe_page_fault() - call the fault handlers for a page fault
 * @regs: the registers at the fault
 * @trap: which trap
 *
 * Called where linux/kprobes_arch.h says.
 *
 * Return: true when a fault handler dealt with it.
 */
bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap)
{
	return !user_mode(regs) && kprobe_offer_fault(regs, trap);
}

NOKPROBE_SYMBOL(kprobe_page_fault);

/**
 * kprobe_fault_may_sleep() - leave the copy before the task may sleep
 * @regs: the registers at a fault of an access to memory of the user
 *
 * A copy may be freed while a task sleeps. So the task goes back to the point,
 * which is one more hit. It cannot go back to an inner instruction of a region,
 * where the bytes of a jump may be; such instructions are not copied if they
 * may sleep (safety.c).
 */
void kprobe_fault_may_sleep(struct pt_regs *regs)
{
	struct kprobe_left left;
	struct kprobe_copied c;

	if (user_mode(regs) || likely(!kprobe_may_be_copy(regs->ip)))
		return;
	preempt_disable_notrace();
	c = kprobe_copied_at(regs->ip);
	if (c.p && c.ip == (unsigned long)c.p->addr)
		kprobe_leave_copy(&left, regs, &c);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_fault_may_sleep);
