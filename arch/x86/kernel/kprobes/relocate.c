// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: copies of instructions for a detour.
 *
 * Most instructions are copied unchanged, also those that are emulated at a
 * breakpoint because of the interrupt flag. Branches that are relative to their
 * own address get a displacement of 32 bits.
 *
 * A call has to push the address behind the original, and not one in the
 * detour: the callee may sleep, and RCU tasks would not wait for it to return.
 * So a call can only be the last instruction of a region, or it would return
 * into the jump. It becomes
 *
 *		call	1f
 *		int3
 *	1:	mov	$address, (%rsp)	or (%esp), a whole word
 *		jmp	callee
 *
 * because a plain push would make the CPU's return stack buffer one entry
 * short, and the returns of all callers would be mispredicted; this way only
 * the return of the callee is.
 *
 * With the mitigation of indirect target selection (ITS), the kernel's text has
 * returns and indirect branches without a thunk where their last byte is in the
 * upper half of a cache line. A copy may be in the lower half: then the return
 * becomes a jump to the thunk, and the indirect branch cannot be copied.
 */
#include <linux/cpufeature.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"

/* LEA from a register to itself, with a displacement of zero. */
static bool kprobe_lea_is_nop(struct insn *insn)
{
	u8 modrm = insn->modrm.bytes[0], sib = insn->sib.bytes[0];
	u8 base = X86_MODRM_RM(modrm);

	if (X86_MODRM_MOD(modrm) == 0 || insn->displacement.value)
		return false;
	if (insn->sib.nbytes) {
		/* Index 4 is none. */
		if (X86_SIB_INDEX(sib) != 4)
			return false;
		base = X86_SIB_BASE(sib);
	}
	return base == X86_MODRM_REG(modrm);
}

/* What assemblers use on 32 bit, where not every CPU has NOPs of several bytes. */
static bool kprobe_is_padding_32(struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	if (op[0] == 0x8d)
		return insn->addr_bytes == 4 && kprobe_lea_is_nop(insn);
	/* MOV of ESI or EDI to itself */
	return op[0] == 0x89 && (insn->modrm.bytes[0] == 0xf6 ||
				 insn->modrm.bytes[0] == 0xff);
}

/**
 * kprobe_is_padding() - may an instruction fill the space behind a function's end?
 * @insn: the instruction, fully decoded
 *
 * Other instructions behind a jump or a return are there to be executed,
 * perhaps by a branch that the safety check cannot find.
 *
 * Return: whether it is one that assemblers and compilers put there.
 */
bool kprobe_is_padding(struct insn *insn)
{
	const u8 *op = insn->opcode.bytes;

	/* The opcode behind these prefixes may be one of another map. */
	if (insn_is_avx(insn) || insn_is_rex2(insn))
		return false;
	switch (op[0]) {
	case INT3_INSN_OPCODE:
		return true;
	case 0x90:
		/* Neither PAUSE nor, with a REX prefix, an exchange with R8. */
		return !insn->rex_prefix.nbytes &&
		       insn_last_prefix_id(insn) != INAT_PFX_REPE;
	case 0x0f:
		return op[1] == 0x1f;
	default:
		return !insn->x86_64 && kprobe_is_padding_32(insn);
	}
}

static enum kprobe_nojump kprobe_emit(struct kprobe_copy *c, const void *bytes,
				      size_t len)
{
	if (c->len + len > c->room)
		return KPROBE_NOJUMP_INSN;
	memcpy(c->buf + c->len, bytes, len);
	c->len += len;
	return KPROBE_NOJUMP_NONE;
}

/* Append an opcode and the displacement to @target. */
static enum kprobe_nojump kprobe_emit_branch(struct kprobe_copy *c,
					     const u8 *opcode, size_t len,
					     unsigned long target)
{
	long disp = target - (c->ip + c->len + len + DISP32_SIZE);
	enum kprobe_nojump nojump;
	s32 disp32 = disp;

	if (disp != disp32)
		return KPROBE_NOJUMP_REACH;
	nojump = kprobe_emit(c, opcode, len);
	return nojump ?: kprobe_emit(c, &disp32, sizeof(disp32));
}

static enum kprobe_nojump kprobe_emit_jump(struct kprobe_copy *c,
					   unsigned long target)
{
	static const u8 jmp32[] = { JMP32_INSN_OPCODE };

	return kprobe_emit_branch(c, jmp32, sizeof(jmp32), target);
}

static enum kprobe_nojump kprobe_relocate_plain(struct kprobe_copy *c,
						const u8 *bytes,
						struct insn *insn,
						unsigned long from)
{
	if (c->len + insn->length > c->room)
		return KPROBE_NOJUMP_INSN;
	if (kprobe_insn_copy(c->buf + c->len, bytes, insn, from,
			     c->ip + c->len) < 0)
		return KPROBE_NOJUMP_REACH;
	c->len += insn->length;
	return KPROBE_NOJUMP_NONE;
}

static enum kprobe_nojump kprobe_relocate_jmp(struct kprobe_copy *c,
					      unsigned long target)
{
	c->ended = true;
	return kprobe_emit_jump(c, target);
}

/* @from: the original. If it has no thunk although it should, the copy needs none. */
static enum kprobe_nojump kprobe_relocate_return(struct kprobe_copy *c,
						 const u8 *bytes,
						 struct insn *insn,
						 unsigned long from)
{
	unsigned int last = insn->length - 1;

	c->ended = true;
	if (!cpu_wants_rethunk_at((void *)(c->ip + c->len + last)) ||
	    cpu_wants_rethunk_at((void *)(from + last)))
		return kprobe_relocate_plain(c, bytes, insn, from);
	/* The thunk drops no arguments. */
	if (insn->immediate.nbytes)
		return KPROBE_NOJUMP_INSN;
	return kprobe_emit_jump(c, (unsigned long)x86_return_thunk);
}

static bool kprobe_its_allows(unsigned long last)
{
	return !cpu_feature_enabled(X86_FEATURE_INDIRECT_THUNK_ITS) ||
	       last & 0x20;
}

static enum kprobe_nojump kprobe_relocate_indirect(struct kprobe_copy *c,
						   const u8 *bytes,
						   struct insn *insn,
						   unsigned long from)
{
	unsigned int last = insn->length - 1;

	c->ended = true;
	if (!kprobe_its_allows(c->ip + c->len + last) &&
	    kprobe_its_allows(from + last))
		return KPROBE_NOJUMP_INSN;
	return kprobe_relocate_plain(c, bytes, insn, from);
}

static enum kprobe_nojump kprobe_relocate_jcc(struct kprobe_copy *c, u8 cc,
					      unsigned long target)
{
	u8 opcode[] = { 0x0f, 0x80 | cc };

	return kprobe_emit_branch(c, opcode, sizeof(opcode), target);
}

/* LOOPcc and JrCXZ have 8 bits only: let them lead to a jump of 32 bits. */
static enum kprobe_nojump kprobe_relocate_loop(struct kprobe_copy *c,
					       const u8 *bytes,
					       struct insn *insn,
					       unsigned long target)
{
	static const u8 over[] = { 2, JMP8_INSN_OPCODE, JMP32_INSN_SIZE };

	return kprobe_emit(c, bytes, insn->length - 1) ?:
	       kprobe_emit(c, over, sizeof(over)) ?:
	       kprobe_emit_jump(c, target);
}

/* MOV of 32 bits, which come behind, to the word that was pushed last. */
#ifdef CONFIG_X86_64
static const u8 mov_to_top[] = { 0x48, 0xc7, 0x04, 0x24 };
#else
static const u8 mov_to_top[] = { 0xc7, 0x04, 0x24 };
#endif

/* Push the address that the callee returns to. */
static enum kprobe_nojump kprobe_emit_push(struct kprobe_copy *c,
					   unsigned long address)
{
	static const u8 call_over_int3[] = { CALL_INSN_OPCODE, 1, 0, 0, 0,
					     INT3_INSN_OPCODE };
	s32 imm = address;

	if ((long)address != imm)
		return KPROBE_NOJUMP_REACH;
	c->pushed = c->len + sizeof(call_over_int3);
	c->ended = true;
	return kprobe_emit(c, call_over_int3, sizeof(call_over_int3)) ?:
	       kprobe_emit(c, mov_to_top, sizeof(mov_to_top)) ?:
	       kprobe_emit(c, &imm, sizeof(imm));
}

static enum kprobe_nojump kprobe_relocate_call(struct kprobe_copy *c,
					       unsigned long next,
					       unsigned long target)
{
	return kprobe_emit_push(c, next) ?: kprobe_emit_jump(c, target);
}

/* A call through a register or memory: /2 becomes the jump /4. */
static enum kprobe_nojump
kprobe_relocate_indirect_call(struct kprobe_copy *c, const u8 *bytes,
			      struct insn *insn,
			      const struct kprobe_insn_class *class)
{
	u8 sp = offsetof(struct pt_regs, sp);
	enum kprobe_nojump nojump;
	size_t modrm;

	/* The push has changed the stack pointer when the operand is read. */
	if (class->em.base == sp || class->em.reg == sp)
		return KPROBE_NOJUMP_INSN;
	nojump = kprobe_emit_push(c, class->em.next);
	if (nojump)
		return nojump;
	modrm = c->len + insn_offset_modrm(insn);
	nojump = kprobe_relocate_indirect(c, bytes, insn, class->em.ip);
	if (!nojump)
		c->buf[modrm] = (c->buf[modrm] & ~0x38) | 4 << 3;
	return nojump;
}

static enum kprobe_nojump
kprobe_relocate_relative(struct kprobe_copy *c, const u8 *bytes,
			 struct insn *insn, const struct kprobe_insn_class *class)
{
	unsigned long target = class->em.target;

	switch (insn->opcode.bytes[0]) {
	case 0x0f:
	case 0x70 ... 0x7f:
		return kprobe_relocate_jcc(c, class->em.cc, target);
	case 0xe0 ... 0xe3:
		return kprobe_relocate_loop(c, bytes, insn, target);
	case CALL_INSN_OPCODE:
		return kprobe_relocate_call(c, class->em.next, target);
	case JMP32_INSN_OPCODE:
	case JMP8_INSN_OPCODE:
		return kprobe_relocate_jmp(c, target);
	default:
		return KPROBE_NOJUMP_INSN;
	}
}

/**
 * kprobe_relocate() - append an instruction to a copy
 * @c: the copy
 * @bytes: the instruction
 * @insn: the instruction, decoded
 * @from: where it stands in the text
 * @class: what is known about it; it can be probed
 *
 * Return: why it cannot be done, KPROBE_NOJUMP_NONE if it was.
 */
enum kprobe_nojump kprobe_relocate(struct kprobe_copy *c, const u8 *bytes,
				   struct insn *insn, unsigned long from,
				   const struct kprobe_insn_class *class)
{
	switch (class->kind) {
	case KPROBE_INSN_INDIRECT_JUMP:
		return kprobe_relocate_indirect(c, bytes, insn, from);
	case KPROBE_INSN_RETURN:
		return kprobe_relocate_return(c, bytes, insn, from);
	case KPROBE_INSN_PLAIN:
	case KPROBE_INSN_STI:
		return kprobe_relocate_plain(c, bytes, insn, from);
	case KPROBE_INSN_RELATIVE:
		return kprobe_relocate_relative(c, bytes, insn, class);
	case KPROBE_INSN_INDIRECT_CALL:
		return kprobe_relocate_indirect_call(c, bytes, insn, class);
	default:
		return KPROBE_NOJUMP_INSN;
	}
}
