// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: a quick look at an instruction.
 *
 * Functions are decoded whole, which takes most of the time of a registration.
 * Nine of ten instructions that a compiler makes have one of a few forms, whose
 * length follows from the tables here; and of most of them only the length
 * matters. Instructions that are not in the tables are left to the decoder, and
 * none is accepted that the decoder does not accept.
 */
#include <linux/unaligned.h>
#include <asm/insn.h>

#include "scan.h"

#define MODRM	0x01	/* a ModRM byte follows */
#define IMM8	0x02	/* an immediate operand of a byte */
#define IMMZ	0x04	/* one of four, or of two with an operand size prefix */
#define REL	0x08	/* the immediate is a distance to go */
#define REG0	0x10	/* only with ModRM.reg 0 */
#define PLAIN	0x20	/* none of these */
#define MOFFS	0x40	/* an address of four, which the decoder keeps as one */

/* The form of what is another instruction, or none, on 64 bit. */
#define ON_32(form)	(IS_ENABLED(CONFIG_X86_64) ? 0 : (form))

/* The prefix of the segment that the per-CPU area is in. */
#define PERCPU		(IS_ENABLED(CONFIG_X86_64) ? 0x65 : 0x64)

/* Opcodes of one byte; 0 for those that are rare, or may branch elsewhere. */
static const u8 scan_one[256] = {
	/* ADD, OR, ADC, SBB, AND, SUB, XOR, CMP */
	[0x00 ... 0x03] = MODRM, [0x04] = IMM8, [0x05] = IMMZ,
	[0x08 ... 0x0b] = MODRM, [0x0c] = IMM8, [0x0d] = IMMZ,
	[0x10 ... 0x13] = MODRM, [0x14] = IMM8, [0x15] = IMMZ,
	[0x18 ... 0x1b] = MODRM, [0x1c] = IMM8, [0x1d] = IMMZ,
	[0x20 ... 0x23] = MODRM, [0x24] = IMM8, [0x25] = IMMZ,
	[0x28 ... 0x2b] = MODRM, [0x2c] = IMM8, [0x2d] = IMMZ,
	[0x30 ... 0x33] = MODRM, [0x34] = IMM8, [0x35] = IMMZ,
	[0x38 ... 0x3b] = MODRM, [0x3c] = IMM8, [0x3d] = IMMZ,
	[0x40 ... 0x4f] = ON_32(PLAIN),		/* INC, DEC */
	[0x50 ... 0x5f] = PLAIN,		/* PUSH, POP */
	[0x63] = MODRM,				/* MOVSXD, or ARPL */
	[0x68] = IMMZ,				/* PUSH */
	[0x69] = MODRM | IMMZ,			/* IMUL */
	[0x6a] = IMM8,				/* PUSH */
	[0x6b] = MODRM | IMM8,			/* IMUL */
	[0x70 ... 0x7f] = IMM8 | REL,		/* Jcc */
	[0x80] = MODRM | IMM8,			/* ADD to CMP */
	[0x81] = MODRM | IMMZ,
	[0x83] = MODRM | IMM8,
	[0x84 ... 0x8b] = MODRM,		/* TEST, XCHG, MOV */
	[0x8d] = MODRM,				/* LEA */
	[0x90 ... 0x99] = PLAIN,		/* XCHG, CWDE, CDQ */
	[0xa0 ... 0xa3] = ON_32(MOFFS),		/* MOV */
	[0xa8] = IMM8,				/* TEST */
	[0xa9] = IMMZ,
	[0xb0 ... 0xb7] = IMM8,			/* MOV */
	[0xb8 ... 0xbf] = IMMZ,
	[0xc0 ... 0xc1] = MODRM | IMM8,		/* shifts */
	[0xc6] = MODRM | IMM8 | REG0,		/* MOV */
	[0xc7] = MODRM | IMMZ | REG0,
	[0xc9] = PLAIN,				/* LEAVE */
	[0xd0 ... 0xd3] = MODRM,		/* shifts */
	[0xe8 ... 0xe9] = IMMZ | REL,		/* CALL, JMP */
	[0xeb] = IMM8 | REL,			/* JMP */
	[0xf6] = MODRM | IMM8 | REG0,		/* TEST */
	[0xf7] = MODRM | IMMZ | REG0,
};

/* Opcodes of two bytes, the first of which is 0f. */
static const u8 scan_two[256] = {
	[0x1f] = MODRM,				/* NOP */
	[0x40 ... 0x4f] = MODRM,		/* CMOVcc */
	[0x80 ... 0x8f] = IMMZ | REL,		/* Jcc */
	[0x90 ... 0x9f] = MODRM,		/* SETcc */
	[0xa3] = MODRM,				/* BT */
	[0xa4] = MODRM | IMM8,			/* SHLD */
	[0xa5] = MODRM,
	[0xab] = MODRM,				/* BTS */
	[0xac] = MODRM | IMM8,			/* SHRD */
	[0xad] = MODRM,
	[0xaf] = MODRM,				/* IMUL */
	[0xb0 ... 0xb1] = MODRM,		/* CMPXCHG */
	[0xb3] = MODRM,				/* BTR */
	[0xb6 ... 0xb7] = MODRM,		/* MOVZX */
	[0xba] = MODRM | IMM8,			/* BT, BTS, BTR, BTC */
	[0xbb] = MODRM,				/* BTC */
	[0xbe ... 0xbf] = MODRM,		/* MOVSX */
	[0xc0 ... 0xc1] = MODRM,		/* XADD */
	[0xc8 ... 0xcf] = PLAIN,		/* BSWAP */
};

/**
 * struct kprobe_scanner - an instruction that is being looked at
 * @at: the next byte
 * @rex: the REX prefix, or 0
 * @size: there is an operand size prefix
 * @other: there is a prefix that does not matter to a dull instruction
 * @leads: it is more than dull
 */
struct kprobe_scanner {
	const u8 *at;
	u8 rex;
	bool size;
	bool other;
	bool leads;
};

/* Per-CPU area, operand size, LOCK: two at most, so that @bytes is long enough. */
static __always_inline void scan_prefixes(struct kprobe_scanner *s)
{
	unsigned int i;

	for (i = 0; i < 2; i++) {
		if (likely(*s->at != PERCPU && *s->at != 0x66 && *s->at != 0xf0))
			break;
		s->size |= *s->at == 0x66;
		s->other = true;
		s->at++;
	}
	if (IS_ENABLED(CONFIG_X86_64) && (*s->at & 0xf0) == 0x40)
		s->rex = *s->at++;
}

static __always_inline u8 scan_opcode(struct kprobe_scanner *s,
				      struct insn *insn)
{
	insn->opcode.value = *s->at;
	insn->opcode.nbytes = 1;
	if (*s->at++ != 0x0f)
		return scan_one[s->at[-1]];
	insn->opcode.bytes[1] = *s->at;
	insn->opcode.nbytes = 2;
	return scan_two[*s->at++];
}

/* What may be an address of text: 64-bit code counts it from its own. */
static __always_inline void scan_disp32(struct kprobe_scanner *s,
					struct insn *insn)
{
	insn->displacement.value = get_unaligned((s32 *)s->at);
	if (IS_ENABLED(CONFIG_X86_32))
		insn->displacement.nbytes = 4;
	s->leads = true;
	s->at += 4;
}

/* The operand in memory, or false: an address without a register. */
static __always_inline bool scan_modrm(struct kprobe_scanner *s,
				       struct insn *insn)
{
	u8 modrm = *s->at++, mod = modrm >> 6, rm = modrm & 7;

	insn->modrm.value = modrm;
	if (mod == 3)
		return true;
	if (mod == 0 && rm == 5) {
		scan_disp32(s, insn);
		return true;
	}
	if (rm == 4 && (*s->at++ & 7) == 5 && !mod)
		return false;
	if (IS_ENABLED(CONFIG_X86_32) && mod == 2)
		scan_disp32(s, insn);
	else
		s->at += mod == 1 ? 1 : mod == 2 ? 4 : 0;
	return true;
}

static __always_inline void scan_immediate(struct kprobe_scanner *s, u8 form,
					   struct insn *insn)
{
	insn->immediate.nbytes = 0;
	if (form & IMM8) {
		insn->immediate.value = (s8)*s->at++;
		insn->immediate.nbytes = 1;
	} else if (form & IMMZ && s->size) {
		s->at += 2;
	} else if (form & (IMMZ | MOFFS)) {
		insn->immediate.value = get_unaligned((s32 *)s->at);
		insn->immediate.nbytes = 4;
		s->leads = true;
		s->at += 4;
	}
}

/* Is the size of the immediate operand another one than the tables say? */
static __always_inline bool scan_wide(const struct kprobe_scanner *s, u8 form,
				      u8 opcode)
{
	if (!(form & IMMZ) || !X86_REX_W(s->rex))
		return false;
	/* MOV of eight bytes */
	return s->size || opcode >> 3 == 0xb8 >> 3;
}

/**
 * kprobe_scan_init() - prepare a struct insn for kprobe_scan_insn()
 * @insn: the struct insn
 */
void kprobe_scan_init(struct insn *insn)
{
	insn_init(insn, NULL, 0, IS_ENABLED(CONFIG_X86_64));
	insn->prefixes.got = 1;
	insn->opcode.got = 1;
	insn->modrm.got = 1;
}

/**
 * kprobe_scan_insn() - find the length of an instruction quickly
 * @insn: for the result; prepared by kprobe_scan_init(), and used here only
 * @bytes: MAX_INSN_SIZE bytes that begin with the instruction
 *
 * Return: what was found. With KPROBE_SCAN_DULL, the length in @insn is right.
 * With KPROBE_SCAN_LEADS, the opcode, ModRM, displacement (if it is relative to
 * the instruction pointer, or of 32 bits on 32 bit) and immediate are, too.
 */
enum kprobe_scan kprobe_scan_insn(struct insn *insn, const u8 *bytes)
{
	struct kprobe_scanner s = { .at = bytes };
	u8 form;

	if (IS_ENABLED(CONFIG_X86_32))
		insn->displacement.nbytes = 0;
	scan_prefixes(&s);
	form = scan_opcode(&s, insn);
	if (!form || scan_wide(&s, form, insn->opcode.bytes[0]))
		return KPROBE_SCAN_UNKNOWN;
	insn->modrm.nbytes = form & MODRM;
	if (form & REG0 && X86_MODRM_REG(*s.at))
		return KPROBE_SCAN_UNKNOWN;
	if (form & MODRM && !scan_modrm(&s, insn))
		return KPROBE_SCAN_UNKNOWN;
	scan_immediate(&s, form, insn);
	insn->length = s.at - bytes;
	if (!(form & REL) && !s.leads)
		return KPROBE_SCAN_DULL;
	return s.other ? KPROBE_SCAN_UNKNOWN : KPROBE_SCAN_LEADS;
}
