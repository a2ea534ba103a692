// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the detours of optimized points.
 *
 * A detour buffer holds
 *
 *	the entry	saves the registers as a trap would, calls
 *			kprobe_detour_before(), restores them
 *	the copy	of the region: what the jump replaces, made by relocate.c
 *	a jump		back behind the region
 *	the exit	taken instead when the path has changed: goes to the
 *			address that was put on the stack
 *
 * The region is the bytes from the point to the end of the instruction that
 * holds the jump's last byte.
 *
 * Post handlers are called after the first instruction. An instruction that is
 * emulated at a breakpoint is emulated here, too, and then they are called at
 * once. If not, the exit leads to a second buffer, which is made when the first
 * post handler is registered:
 *
 *	the copy	of the first instruction
 *	the entry	calls kprobe_detour_after()
 *	a jump		to the second instruction's copy in the first buffer
 *	the exit
 *
 * A point that has to keep its breakpoint has such a buffer, too, the stub,
 * which saves the second trap. Its jump leads into the text.
 *
 * The bytes of a jump cannot be executed as instructions: if a handler sets the
 * instruction pointer to an inner instruction of the region, execution goes on
 * at the copy of that instead.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpufeature.h>
#include <linux/kprobes.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"
#include "text.h"

static const u8 kprobe_clac[] = { 0x0f, 0x01, 0xca };
/* POPF; POP of the stack pointer; then a return */
static const u8 kprobe_detour_exit[] = { 0x9d, 0x5c };

/**
 * kprobe_detour_fits() - is the template no longer than it may be?
 *
 * Return: whether it is.
 */
bool kprobe_detour_fits(void)
{
	return DETOUR_OFFSET(entry_end) <= DETOUR_ENTRY_MAX;
}

/*
 * Generate a return at @ip, or the jump to a thunk that mitigations need; it must
 * not change the flags, see kprobe_count_return().
 */
static void kprobe_gen_return(u8 *buf, unsigned long ip)
{
	if (cpu_feature_enabled(X86_FEATURE_RETHUNK) &&
	    !cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		__text_gen_insn(buf, JMP32_INSN_OPCODE, (void *)ip,
				x86_return_thunk, JMP32_INSN_SIZE);
	else
		buf[0] = RET_INSN_OPCODE;
}

/*
 * Generate the entry at @ip, which calls @fn, and whose exit is at @exit. The
 * handlers see @at as the instruction pointer.
 */
static void kprobe_gen_entry(u8 *buf, struct optimized_kprobe *op,
			     kprobe_opcode_t *at, unsigned long ip,
			     unsigned long exit, void *fn)
{
	unsigned long val = (unsigned long)op;

	memcpy(buf, kprobe_detour_entry, DETOUR_OFFSET(entry_end));
	if (cpu_feature_enabled(X86_FEATURE_SMAP))
		memcpy(buf + DETOUR_OFFSET(clac), kprobe_clac, 3);
	memcpy(buf + DETOUR_OFFSET(point) - sizeof(val), &val, sizeof(val));
	*(s32 *)(buf + DETOUR_OFFSET(pushed_ip) - sizeof(s32)) = (long)at;
	__text_gen_insn(buf + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			CALL_INSN_OPCODE,
			(void *)ip + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			fn, CALL_INSN_SIZE);
	*(s32 *)(buf + DETOUR_OFFSET(jnz) - DISP32_SIZE) =
		exit - (ip + DETOUR_OFFSET(jnz));
}

/* Generate the jump to @target and the exit behind it, from @buf + @at on. */
static void kprobe_gen_end(u8 *buf, size_t at, unsigned long slot,
			   unsigned long target)
{
	__text_gen_insn(buf + at, JMP32_INSN_OPCODE, (void *)slot + at,
			(void *)target, JMP32_INSN_SIZE);
	at += JMP32_INSN_SIZE;
	memcpy(buf + at, kprobe_detour_exit, sizeof(kprobe_detour_exit));
	at += sizeof(kprobe_detour_exit);
	kprobe_gen_return(buf + at, slot + at);
}

/* Append an instruction to the copy, unless the region ends in front of it. */
static enum kprobe_nojump kprobe_copy_insn(struct kprobe_copy *c, u8 *bytes,
					   size_t avail, struct insn *insn,
					   unsigned long from)
{
	struct kprobe_insn_class class;

	if (c->ended) {
		c->past |= !kprobe_is_padding(insn);
		return KPROBE_NOJUMP_NONE;
	}
	if (kprobe_insn_classify(bytes, avail, from, &class))
		return class.kind == KPROBE_INSN_LEAVES ? KPROBE_NOJUMP_TRAP :
							  KPROBE_NOJUMP_INSN;
	return kprobe_relocate(c, bytes, insn, from, &class);
}

static void kprobe_add_piece(struct arch_optimized_insn *oi, u8 from, u8 at)
{
	oi->piece[oi->nr].from = from;
	oi->piece[oi->nr++].at = at;
}

/* Copy the instruction at @from, and note where. Sets *@len to its length. */
static enum kprobe_nojump kprobe_copy_next(struct optimized_kprobe *op,
					   struct kprobe_copy *c,
					   const struct kprobe_region *r,
					   u8 *len)
{
	unsigned long from = r->start + op->optinsn.size;
	u8 bytes[KPROBE_INSN_WINDOW];
	struct insn insn;
	size_t avail;

	if (from >= r->func_end)
		return KPROBE_NOJUMP_SHORT;
	avail = kprobe_read_original(bytes, from, sizeof(bytes));
	if (insn_decode_kernel(&insn, bytes))
		return KPROBE_NOJUMP_DECODE;
	if (!c->ended)
		kprobe_add_piece(&op->optinsn, op->optinsn.size, c->len);
	*len = insn.length;
	return kprobe_copy_insn(c, bytes, avail, &insn, from);
}

/* Copy instructions until the jump has room. */
static enum kprobe_nojump kprobe_copy_region(struct optimized_kprobe *op,
					     struct kprobe_copy *c,
					     struct kprobe_region *r)
{
	struct arch_optimized_insn *oi = &op->optinsn;
	enum kprobe_nojump nojump;
	u8 len;

	oi->nr = 0;
	for (oi->size = 0; oi->size < JMP32_INSN_SIZE; oi->size += len) {
		/* A call that does not end the region returns into it. */
		if (c->pushed)
			return KPROBE_NOJUMP_CALL;
		nojump = kprobe_copy_next(op, c, r, &len);
		if (nojump)
			return nojump;
	}
	/* The end of the region, and of the copies. */
	oi->piece[oi->nr].from = oi->size;
	oi->piece[oi->nr].at = c->len;
	oi->pushed = c->pushed;
	r->past_end = c->past;
	r->end = r->start + oi->size;
	return r->end > r->func_end ? KPROBE_NOJUMP_SHORT : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_gen_detour() - make a detour
 * @buf: where to, DETOUR_SIZE bytes
 * @op: the point
 * @slot: where it will stand
 * @r: the region; @end and @past_end are filled in
 *
 * Context: kprobe_mutex and text_mutex held.
 * Return: why not, KPROBE_NOJUMP_NONE if it was done.
 */
enum kprobe_nojump kprobe_gen_detour(u8 *buf, struct optimized_kprobe *op,
				     unsigned long slot,
				     struct kprobe_region *r)
{
	struct kprobe_copy c = {
		.buf = buf,
		.len = DETOUR_OFFSET(entry_end),
		.room = DETOUR_OFFSET(entry_end) + DETOUR_COPY_MAX,
		.ip = slot,
	};
	enum kprobe_nojump nojump = kprobe_copy_region(op, &c, r);

	if (nojump)
		return nojump;
	kprobe_gen_entry(buf, op, op->kp.addr + INT3_INSN_SIZE, slot,
			 slot + c.len + JMP32_INSN_SIZE, kprobe_detour_before);
	kprobe_gen_end(buf, c.len, slot, r->end);
	return KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_detour_needs_after() - do post handlers need the second buffer?
 * @op: a point
 *
 * Return: whether they do.
 */
bool kprobe_detour_needs_after(struct optimized_kprobe *op)
{
	return op->kp.ainsn.class->how != KPROBE_INSN_EMULATE;
}

/**
 * kprobe_gen_after() - make the second buffer, for post handlers, or the stub
 * @buf: where to, DETOUR_SIZE bytes
 * @op: a point whose instruction is not emulated
 * @slot: where it will stand
 * @stub: whether it is for when there is no jump
 *
 * Context: kprobe_mutex held.
 * Return: 0 or -ERANGE.
 */
int kprobe_gen_after(u8 *buf, struct optimized_kprobe *op, unsigned long slot,
		     bool stub)
{
	unsigned long addr = (unsigned long)op->kp.addr;
	u8 len = op->kp.ainsn.class->len;
	unsigned long next = addr + len;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	size_t at;

	kprobe_read_original(bytes, addr, sizeof(bytes));
	if (!kprobe_in_reach(addr, slot, DETOUR_SIZE) || insn_decode_kernel(&insn, bytes) ||
	    kprobe_insn_copy(buf, bytes, &insn, addr, slot) < 0)
		return -ERANGE;
	at = len + DETOUR_OFFSET(entry_end);
	kprobe_gen_entry(buf + len, op, (kprobe_opcode_t *)next, slot + len,
			 slot + at + JMP32_INSN_SIZE, kprobe_detour_after);
	kprobe_gen_end(buf, at, slot, stub ? next : kprobe_detour_ip(op, next));
	return 0;
}
