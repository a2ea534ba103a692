// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: stack traces that pass through copies of instructions.
 *
 * ORC has no entries for slots and detours. But a task that runs in one stands
 * for an address in the text, with some words more on the stack while a detour
 * saves the registers or restores them. The unwinder is shown that address.
 */
#include <linux/kprobes.h>
#include <asm/stacktrace.h>
#include <asm/unwind.h>

#include "detour.h"
#include "insn.h"

/* The instruction pointer is in a slot: in a copy, or behind it. */
static void kprobe_unwind_slot(struct unwind_state *state)
{
	struct kprobe *p = kprobe_slot_owner(&kprobe_insn_slots, state->ip);
	unsigned long at;

	if (!p || !p->ainsn.class)
		return;
	at = state->ip - (unsigned long)p->ainsn.insn;
	if (at >= KPROBE_STEP_OFFSET)
		at -= KPROBE_STEP_OFFSET;
	state->ip = (unsigned long)p->addr;
	if (at >= p->ainsn.class->len)
		state->ip += p->ainsn.class->len;
	state->signal = true;
}

static unsigned long kprobe_unwind_word(struct unwind_state *state,
					unsigned long addr)
{
	if (!on_stack(&state->stack_info, (void *)addr, sizeof(long)))
		return 0;
	return READ_ONCE_NOCHECK(*(unsigned long *)addr);
}

static void kprobe_unwind_text(struct unwind_state *state,
			       const struct kprobe_detour_pc *pc)
{
	state->ip = pc->ip;
	state->sp += pc->words * sizeof(long);
	state->signal = true;
}

/* In the exit: the address is below the stack pointer that it restores. */
static void kprobe_unwind_exit(struct unwind_state *state, unsigned int words)
{
	unsigned long sp = state->sp;

	if (words)
		sp = kprobe_unwind_word(state, sp + (words - 1) * sizeof(long));
	state->ip = kprobe_unwind_word(state, sp);
	state->sp = sp + sizeof(long);
	state->signal = true;
}

/*
 * The path has changed, and the exit will find the new address at @sp. The
 * stack is still that of the probed instruction, with the new address instead
 * of the return address if a return was emulated. If more than that one word
 * was popped, the words above are not known.
 */
static void kprobe_unwind_changed(struct unwind_state *state,
				  const struct kprobe_detour_pc *pc,
				  unsigned long sp)
{
	kprobe_unwind_text(state, pc);
	if (sp > state->sp)
		state->error = true;
}

/*
 * A handler is running, or about to: unwind from the pt_regs that the entry of
 * the detour has built, as from a trap. It is not known whether a handler has
 * changed them yet. As the entry has built them, they point behind a
 * breakpoint, so the instruction has not been executed. If they differ, the
 * trace is not reliable, until the handler has returned that the path has
 * changed: kprobe_detour_leave() sets the instruction pointer to 0 then.
 */
static void kprobe_unwind_handler(struct unwind_state *state,
				  const struct kprobe_detour_pc *pc)
{
	struct pt_regs *regs = (struct pt_regs *)state->sp;
	unsigned long ip, sp;
	bool untouched;

	if (!on_stack(&state->stack_info, regs, sizeof(*regs))) {
		kprobe_unwind_text(state, pc);
		state->error = true;
		return;
	}
	ip = READ_ONCE_NOCHECK(regs->ip);
	sp = READ_ONCE_NOCHECK(regs->sp);
	if (!ip) {
		kprobe_unwind_changed(state, pc, sp);
		return;
	}
	untouched = ip == pc->regs_ip &&
		    sp == state->sp + pc->words * sizeof(long);
	if (!untouched)
		state->error = true;
	state->ip = ip;
	state->sp = sp;
	state->regs = regs;
	state->prev_regs = NULL;
	state->full_regs = true;
	state->signal = !untouched || ip == pc->ip;
}

static bool kprobe_unwind_detour(struct unwind_state *state)
{
	struct kprobe_detour_pc pc;

	if (!kprobe_resolve_detour_pc(state->ip, &pc))
		return false;
	if (pc.leaving)
		kprobe_unwind_exit(state, pc.words);
	else if (pc.in_handler && !state->regs)
		kprobe_unwind_handler(state, &pc);
	else
		kprobe_unwind_text(state, &pc);
	return true;
}

/* Does a pre handler run on this CPU for a trap at @addr? */
static bool kprobe_unwind_trapped(unsigned long addr)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();
	unsigned int i, depth = min(kcb->depth, KPROBE_MAX_FRAMES);

	for (i = 0; i < depth; i++) {
		struct kprobe *p = READ_ONCE(kcb->frame[i].kp);

		if (p && (unsigned long)p->addr == addr &&
		    kcb->frame[i].status == KPROBE_FRAME_HANDLER)
			return true;
	}
	return false;
}

/**
 * kprobe_unwind() - show the unwinder where it is in the text
 * @state: what it knows of a frame
 *
 * Context: any.
 */
void kprobe_unwind(struct unwind_state *state)
{
	preempt_disable_notrace();
	/* The exit may lead to a copy in a detour, but not to another exit. */
	if (is_kprobe_optinsn_slot(state->ip) && kprobe_unwind_detour(state) &&
	    is_kprobe_optinsn_slot(state->ip))
		kprobe_unwind_detour(state);
	if (is_kprobe_insn_slot(state->ip))
		kprobe_unwind_slot(state);
	/*
	 * The registers of a breakpoint point one byte behind its address. If
	 * the probed instruction is one byte long, ORC's entry there describes
	 * the stack after the instruction, which has not run: without @signal,
	 * the unwinder takes the entry of the byte before. A task is not
	 * preempted in the trap, so only traces of the CPU's own task come
	 * here, and none that must be reliable. An NMI just before the frame is
	 * in use gets the trace that it would get at any breakpoint.
	 */
	if (state->regs && state->signal && state->task == current &&
	    kprobe_unwind_trapped(state->ip - INT3_INSN_SIZE))
		state->signal = false;
	preempt_enable_notrace();
}
