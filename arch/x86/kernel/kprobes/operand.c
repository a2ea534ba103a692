// SPDX-License-Identifier: GPL-2.0
/*
 * The operands of instructions that are emulated (emulate.c): resolved once, when
 * a probe is prepared.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include <asm/insn-eval.h>

#include "insn.h"

/* Where pt_regs keeps the register of a ModRM or SIB field, which REX extends. */
static u8 reg_slot(u8 nr, bool extended)
{
	return pt_regs_offset(NULL, nr + (extended ? 8 : 0));
}

static void prepare_sib(struct kprobe_emulation *em, struct insn *insn)
{
	u8 sib = insn->sib.bytes[0];
	u8 rex = insn->rex_prefix.bytes[0];
	bool no_base = X86_SIB_BASE(sib) == 5 &&
		       X86_MODRM_MOD(insn->modrm.bytes[0]) == 0;

	em->shift = X86_SIB_SCALE(sib);
	/* Index 4 means none, but with REX.X it is R12. */
	if (X86_SIB_INDEX(sib) != 4 || X86_REX_X(rex))
		em->index = reg_slot(X86_SIB_INDEX(sib), X86_REX_X(rex));
	if (!no_base)
		em->base = reg_slot(X86_SIB_BASE(sib), X86_REX_B(rex));
}

static void prepare_address(struct kprobe_emulation *em, struct insn *insn)
{
	u8 modrm = insn->modrm.bytes[0];

	em->disp = insn->displacement.value;
	if (insn->sib.nbytes)
		prepare_sib(em, insn);
	else if (insn_rip_relative(insn))
		em->disp += em->next;
	else if (X86_MODRM_MOD(modrm) != 0 || X86_MODRM_RM(modrm) != 5)
		em->base = reg_slot(X86_MODRM_RM(modrm),
				    X86_REX_B(insn->rex_prefix.bytes[0]));
}

/* The segment prefixes of an instruction, as a set of INAT_PFX_CS and so on. */
static unsigned int segment_prefixes(struct insn *insn)
{
	unsigned int set = 0;
	int i, prefix, id;

	for_each_insn_prefix(insn, i, prefix) {
		id = inat_get_opcode_attribute(prefix) & INAT_PFX_MASK;
		if (id >= INAT_PFX_CS && id <= INAT_PFX_SS)
			set |= BIT(id);
	}
	return set;
}

/* The segment register that the kernel uses itself: the per-CPU area. */
#define PERCPU_PREFIX	(IS_ENABLED(CONFIG_X86_64) ? INAT_PFX_GS : INAT_PFX_FS)

static const char *prepare_segment(struct kprobe_emulation *em, struct insn *insn)
{
	unsigned int set = segment_prefixes(insn);

	/* The bases of the others are zero. */
	if (!(set & (BIT(INAT_PFX_FS) | BIT(INAT_PFX_GS))))
		return NULL;
	/* The manuals leave open which of several counts: one alone will do. */
	if (!IS_ENABLED(CONFIG_SMP) || set != BIT(PERCPU_PREFIX))
		return "relative to a segment that is not the per-CPU one";
	em->percpu = true;
	return NULL;
}

static const char *prepare_memory(struct kprobe_emulation *em, struct insn *insn)
{
	if (insn->addr_bytes == 2)
		return "16-bit address";

	prepare_address(em, insn);
	return prepare_segment(em, insn);
}

/* In 64-bit mode, Intel ignores the prefix on branches, AMD cuts RIP to 16 bits. */
#ifdef CONFIG_X86_64
static const char half_target[] = "operand-size prefix, which CPUs differ on";
#else
static const char half_target[] = "operand-size prefix, which cuts off the target";
#endif

/*
 * Why an emulated instruction with its prefixes is refused; NULL if it is not.
 */
static const char *prefix_refusal(struct insn *insn)
{
	int i, prefix;

	for_each_insn_prefix(insn, i, prefix) {
		if (prefix == 0x66)
			return half_target;
		if (prefix == 0xf0)
			return "lock prefix, which is not allowed there";
	}
	return NULL;
}

/**
 * kprobe_emulation_prepare() - resolve the operands of an emulated instruction
 * @em: the emulation, its function chosen already
 * @insn: the instruction, fully decoded
 * @ip: where it stands
 *
 * Which of the fields mean anything depends on the instruction.
 *
 * Return: NULL, or the reason why it cannot be emulated.
 */
const char *kprobe_emulation_prepare(struct kprobe_emulation *em,
				     struct insn *insn, unsigned long ip)
{
	u8 modrm = insn->modrm.bytes[0];

	em->ip = ip;
	em->next = ip + insn->length;
	em->target = em->next + insn->immediate.value;
	em->imm = insn->immediate.value;
	em->cc = insn->opcode.bytes[insn->opcode.nbytes - 1] & 0xf;
	em->addr_bytes = insn->addr_bytes;
	em->reg = KPROBE_INSN_NO_REG;
	em->base = KPROBE_INSN_NO_REG;
	em->index = KPROBE_INSN_NO_REG;

	if (insn->modrm.nbytes && X86_MODRM_MOD(modrm) != 3) {
		const char *reason = prepare_memory(em, insn);

		if (reason)
			return reason;
	} else if (insn->modrm.nbytes) {
		em->reg = reg_slot(X86_MODRM_RM(modrm),
				   X86_REX_B(insn->rex_prefix.bytes[0]));
	}
	return prefix_refusal(insn);
}
