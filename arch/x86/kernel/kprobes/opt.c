// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: jump optimization, as the core calls for it. detour.c
 * makes the detours, safety.c checks whether a jump is safe.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpu.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "func.h"
#include "text.h"

const size_t kprobe_detour_size = DETOUR_SIZE;

/*
 * The locks keep other subsystems from patching the function while it is read,
 * since it would not decode then. They may patch it afterwards, which changes
 * none of the findings: static keys and the like stay where they are.
 */
static enum kprobe_nojump
kprobe_check_and_generate(struct optimized_kprobe *op, u8 *buf,
			  unsigned long slot, const struct kprobe_partners *ps,
			  struct kprobe_region *r)
{
	enum kprobe_nojump nojump;
	struct kprobe_func *f;

	jump_label_lock();
	mutex_lock(&text_mutex);
	f = kprobe_func_decode(r->start);
	if (!IS_ERR(f)) {
		r->func_end = f->end;
		nojump = kprobe_gen_detour(buf, op, slot, r) ?:
			kprobe_region_check(r, ps);
	} else {
		nojump = PTR_ERR(f) == -ENOMEM ? KPROBE_NOJUMP_NO_MEMORY :
						KPROBE_NOJUMP_NO_SYMBOL;
	}
	kprobe_read_original(op->optinsn.tail, r->start + 1, DISP32_SIZE);
	mutex_unlock(&text_mutex);
	jump_label_unlock();
	return nojump;
}

static enum kprobe_nojump kprobe_fill_detour(struct optimized_kprobe *op,
					     struct kprobe_text *text,
					     kprobe_opcode_t *slot,
					     struct kprobe_partners *ps)
{
	unsigned long addr = (unsigned long)op->kp.addr;
	struct kprobe_region r = { .text = text, .start = addr };
	enum kprobe_nojump nojump;
	u8 buf[DETOUR_SIZE];

	if (!kprobe_in_reach(addr, (unsigned long)slot, DETOUR_SIZE))
		return KPROBE_NOJUMP_REACH;
	memset(buf, INT3_INSN_OPCODE, sizeof(buf));
	nojump = kprobe_find_partners(text, addr, ps) ?:
		kprobe_check_and_generate(op, buf, (unsigned long)slot, ps, &r);
	if (!nojump)
		kprobe_write_copy(slot, buf, sizeof(buf));
	return nojump;
}

/*
 * A slot has been written. A return does not make a CPU discard what it may have fetched of
 * the slot before, nor does ERETS, unlike IRET. @at_once: CPUs may come by a return. By
 * ERETS they come to the slots of a point that is armed.
 */
static void kprobe_announce_slot(struct optimized_kprobe *op, bool at_once)
{
	bool armed = *op->kp.addr == INT3_INSN_OPCODE;

	if (at_once || (armed && cpu_feature_enabled(X86_FEATURE_FRED)))
		text_poke_sync();
}

static int kprobe_make_detour(struct optimized_kprobe *op,
			      struct kprobe_text *text,
			      struct kprobe_partners *ps)
{
	kprobe_opcode_t *slot = get_optinsn_slot();

	if (!slot)
		return -ENOMEM;
	op->nojump = kprobe_fill_detour(op, text, slot, ps);
	if (op->nojump) {
		free_optinsn_slot(slot, 0);
		op->optinsn.size = 0;
		return op->nojump == KPROBE_NOJUMP_NO_MEMORY ? -ENOMEM :
							     -EOPNOTSUPP;
	}
	kprobe_announce_slot(op, false);
	op->optinsn.insn = slot;
	kprobe_set_slot_owner(&kprobe_optinsn_slots, slot, &op->kp);
	return 0;
}

/* Does a debugger have a breakpoint in the @size bytes from @op on, but for the first? */
static bool kprobe_region_debugged(struct optimized_kprobe *op, size_t size)
{
	size_t i;

	for (i = 1; i < size; i++) {
		if (kprobe_debugged((unsigned long)op->kp.addr + i))
			return true;
	}
	return false;
}

/*
 * Is there another point in the @size bytes from @op on, or the breakpoint of a
 * debugger? A point that is disabled is no obstacle, but for its jump, if that is
 * still in the text: a detour that ends in the middle of it would go on there. The
 * points of a batch are disabled first, and disarmed later.
 */
static bool kprobe_has_neighbour(struct optimized_kprobe *op, size_t size)
{
	size_t i;

	for (i = 1; i < size; i++) {
		struct kprobe *p = get_kprobe(op->kp.addr + i);

		if (p && (!kprobe_disabled(p) || kprobe_optimized(p)))
			return true;
	}
	return kprobe_region_debugged(op, size);
}

/**
 * arch_prepare_optimized_kprobe() - check a point and build its detour
 * @op: the point
 * @orig: its kprobe, which is @op's
 *
 * To decode its function takes long, and would be in vain where each
 * instruction is probed: with another point in the bytes of the jump itself
 * there can be no jump, so that is checked first.
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0, or an error when the point has to keep its breakpoint; -ENOMEM,
 * -EEXIST for a neighbour, or another one, for which the reason is in @op.
 */
int arch_prepare_optimized_kprobe(struct optimized_kprobe *op,
				  struct kprobe *orig)
{
	struct kprobe_text *text = kprobe_text_at((unsigned long)op->kp.addr);
	struct kprobe_partners *ps;
	int ret;

	if (WARN_ON_ONCE(!kprobe_detour_fits()))
		return -EOPNOTSUPP;
	if (kprobe_has_neighbour(op, JMP32_INSN_SIZE))
		return -EEXIST;
	ret = text ? kprobe_implicit_init(text) : -ENOENT;
	if (ret)
		return ret;
	ps = kmalloc(sizeof(*ps), GFP_KERNEL);
	if (!ps)
		return -ENOMEM;
	ret = kprobe_make_detour(op, text, ps);
	kfree(ps);
	return ret;
}

/*
 * Make a second buffer, or the stub. It stays, for the next post handler. @in_use: hits go
 * through the first buffer, which returns to the second one as soon as there is one.
 */
static int kprobe_make_after(struct optimized_kprobe *op,
			     kprobe_opcode_t **where, bool in_use)
{
	bool stub = where == &op->optinsn.stub;
	u8 buf[DETOUR_SIZE];
	kprobe_opcode_t *slot;
	int ret;

	if (*where || !kprobe_detour_needs_after(op))
		return 0;
	slot = get_optinsn_slot();
	if (!slot)
		return -ENOMEM;
	memset(buf, INT3_INSN_OPCODE, sizeof(buf));
	ret = kprobe_gen_after(buf, op, (unsigned long)slot, stub);
	if (ret) {
		free_optinsn_slot(slot, 0);
		return ret;
	}
	kprobe_write_copy(slot, buf, sizeof(buf));
	kprobe_set_slot_owner(&kprobe_optinsn_slots, slot, &op->kp);
	kprobe_announce_slot(op, in_use);
	/* Pairs with the address dependency from READ_ONCE() of the pointer at a hit. */
	smp_store_release(where, slot);
	return 0;
}

/**
 * arch_prepare_optimized_post() - let a detour call post handlers
 * @op: a point with a detour
 * @in_use: whether CPUs were sent to the detour
 *
 * The detour goes to the second buffer by a return. To a detour that is not in use,
 * CPUs come later: by the IRET of a trap, or by a jump, before which all are
 * synchronised.
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0, -ENOMEM or -ERANGE.
 */
int arch_prepare_optimized_post(struct optimized_kprobe *op, bool in_use)
{
	return kprobe_make_after(op, &op->optinsn.after, in_use);
}

/**
 * arch_prepare_stub() - let a point with a breakpoint call post handlers
 * @op: the point, which may be hit
 *
 * Without the stub there is a second trap. A CPU goes to it by the IRET of the first.
 *
 * Context: kprobe_mutex held. May sleep.
 */
void arch_prepare_stub(struct optimized_kprobe *op)
{
	if (kprobe_detour_fits() && kprobe_segments_kept((unsigned long)op->kp.addr))
		kprobe_make_after(op, &op->optinsn.stub, false);
}

/**
 * arch_prepared_optinsn() - is there a detour?
 * @optinsn: the part of a point that the architecture owns
 *
 * Return: whether there is.
 */
int arch_prepared_optinsn(struct arch_optimized_insn *optinsn)
{
	return !!optinsn->insn;
}

static void kprobe_free_detour(kprobe_opcode_t *slot)
{
	if (!slot)
		return;
	kprobe_erase_copy(slot, kprobe_detour_size);
	free_optinsn_slot(slot, 1);
}

/**
 * arch_remove_optimized_kprobe() - free the detour and the stub
 * @op: a point that no task can be in any more
 *
 * Context: process context. May sleep.
 */
void arch_remove_optimized_kprobe(struct optimized_kprobe *op)
{
	kprobe_free_detour(op->optinsn.stub);
	kprobe_free_detour(op->optinsn.after);
	kprobe_free_detour(op->optinsn.insn);
	op->optinsn.stub = NULL;
	op->optinsn.after = NULL;
	op->optinsn.insn = NULL;
	op->optinsn.size = 0;
}

/**
 * arch_check_optimized_kprobe() - are there other breakpoints in the region?
 * @op: a point with a detour
 *
 * The breakpoint of another point, or of a debugger, would be overwritten by the jump.
 *
 * Context: kprobe_mutex held.
 * Return: 0 or -EEXIST.
 */
int arch_check_optimized_kprobe(struct optimized_kprobe *op)
{
	return kprobe_has_neighbour(op, op->optinsn.size) ? -EEXIST : 0;
}

/**
 * arch_within_optimized_kprobe() - is an address in the region?
 * @op: a point with a detour
 * @addr: the address
 *
 * Return: whether it is.
 */
int arch_within_optimized_kprobe(struct optimized_kprobe *op,
				 kprobe_opcode_t *addr)
{
	return op->kp.addr <= addr && addr < op->kp.addr + op->optinsn.size;
}

/*
 * Queue the bytes behind the breakpoint, as @old becomes @new. The event is
 * written first: every CPU that comes by runs into the breakpoint now.
 */
static void kprobe_queue_tail(struct optimized_kprobe *op, const u8 *old,
			      const u8 *new)
{
	perf_event_text_poke(op->kp.addr, old, JMP32_INSN_SIZE, new,
			     JMP32_INSN_SIZE);
	kprobe_poke_queue(op->kp.addr + INT3_INSN_SIZE, new + INT3_INSN_SIZE,
			  DISP32_SIZE);
}

/* Queue the displacement of the jump. */
static void kprobe_queue_jump(struct optimized_kprobe *op)
{
	u8 old[JMP32_INSN_SIZE], new[JMP32_INSN_SIZE];

	memcpy(old, op->kp.addr, JMP32_INSN_SIZE);
	__text_gen_insn(new, JMP32_INSN_OPCODE, op->kp.addr, op->optinsn.insn,
			JMP32_INSN_SIZE);
	kprobe_queue_tail(op, old, new);
}

/**
 * arch_optimize_kprobes() - put in the jumps of several points
 * @oplist: the points, which are taken off the list, but for those in whose region a
 *	debugger has set a breakpoint
 *
 * The breakpoints stand, every hit goes on in the detour, and the optimizer has
 * waited until no task is inside a region. So the displacements can be written
 * at once, and the opcodes as soon as all CPUs have seen the displacements. The
 * CPUs are synchronised twice, however many points there are.
 *
 * Context: cpus_read_lock() held. May sleep.
 */
void arch_optimize_kprobes(struct list_head *oplist)
{
	static const u8 jmp = JMP32_INSN_OPCODE;
	struct optimized_kprobe *op, *next;
	LIST_HEAD(jumps);

	lockdep_assert_cpus_held();
	guard(mutex)(&text_mutex);
	list_for_each_entry_safe(op, next, oplist, list) {
		/* The optimizer has waited since it was asked for that. */
		if (kprobe_region_debugged(op, op->optinsn.size)) {
			op->nojump = KPROBE_NOJUMP_NEIGHBOUR;
			continue;
		}
		kprobe_queue_jump(op);
		list_move_tail(&op->list, &jumps);
	}
	kprobe_poke_flush();
	text_poke_sync();
	list_for_each_entry_safe(op, next, &jumps, list) {
		kprobe_poke_queue(op->kp.addr, &jmp, INT3_INSN_SIZE);
		list_del_init(&op->list);
	}
	kprobe_poke_flush();
	text_poke_sync();
}

/* Queue the original bytes behind the breakpoint. */
static void kprobe_restore_tail(struct optimized_kprobe *op)
{
	u8 old[JMP32_INSN_SIZE], new[JMP32_INSN_SIZE];

	new[0] = INT3_INSN_OPCODE;
	memcpy(new + INT3_INSN_SIZE, op->optinsn.tail, DISP32_SIZE);
	memcpy(old, op->kp.addr, JMP32_INSN_SIZE);
	old[0] = JMP32_INSN_OPCODE;
	kprobe_queue_tail(op, old, new);
}

/**
 * arch_unoptimize_kprobes() - replace jumps by breakpoints
 * @oplist: the points
 * @done_list: where they are moved
 *
 * The breakpoints first: a CPU that comes now executes the copy in the detour.
 * When no CPU can have fetched the first byte of a jump any more, the other
 * bytes follow. The CPUs are synchronised twice, however many points there
 * are.
 *
 * Context: cpus_read_lock() held. May sleep.
 */
void arch_unoptimize_kprobes(struct list_head *oplist,
			     struct list_head *done_list)
{
	static const u8 int3 = INT3_INSN_OPCODE;
	struct optimized_kprobe *op;

	lockdep_assert_cpus_held();
	guard(mutex)(&text_mutex);
	list_for_each_entry(op, oplist, list)
		kprobe_poke_queue(op->kp.addr, &int3, INT3_INSN_SIZE);
	kprobe_poke_flush();
	text_poke_sync();
	list_for_each_entry(op, oplist, list)
		kprobe_restore_tail(op);
	kprobe_poke_flush();
	text_poke_sync();
	list_splice_init(oplist, done_list);
}
