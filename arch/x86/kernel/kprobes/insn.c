// SPDX-License-Identifier: GPL-2.0
/*
 * How each x86 instruction is carried out under a probe: one table, searched
 * by opcode map and opcode, and the little that surrounds it.
 *
 * "SDM" is Intel's Software Developer's Manual, "APM" is AMD's Architecture
 * Programmer's Manual.
 */
#include <linux/bits.h>
#include <linux/cache.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "insn.h"

/*
 * An opcode byte means something only together with the map it is looked up
 * in: 0xe8 is CALL in the legacy map and VPSUBSB behind a VEX prefix.
 */
enum insn_map {
	MAP_LEGACY,
	MAP_0F,
	MAP_0F38,
	MAP_0F3A,
	MAP_VEX,
	MAP_EVEX,
	MAP_REX2,
};

/* The two kernels; a row without one is for both. */
#define X32		BIT(0)
#define X64		BIT(1)

/* The prefix that picks among the instructions of an opcode. */
#define NONE		BIT(0)
#define P66		BIT(1)
#define PF3		BIT(2)
#define PF2		BIT(3)

/* What the ModRM byte says of its r/m operand. */
#define IN_MEMORY	BIT(0)
#define IN_REGISTER	BIT(1)

/**
 * struct insn_row - instructions that have something in common
 * @map: the opcode map
 * @first: the first opcode of a range
 * @last: the last one
 * @mode: set of kernels, X32 or X64
 * @prefix: set of prefixes, NONE to PF2
 * @mod: set of operand places, IN_MEMORY or IN_REGISTER
 * @reg: set of values of ModRM.reg, by bit
 * @rm: set of values of ModRM.rm, by bit
 * @how: what the row decides
 * @kind: where these instructions take the control flow
 * @may_fault: the emulation can meet a fault
 * @error: errno of a refusal
 * @fn: the emulation
 * @reason: why it must be so
 *
 * A set that is left out (0) stands for all.
 */
struct insn_row {
	u8 map;
	u8 first;
	u8 last;
	u8 mode;
	u8 prefix;
	u8 mod;
	u8 reg;
	u8 rm;
	u8 how;
	u8 kind;
	bool may_fault;
	int error;
	kprobe_emulate_fn fn;
	const char *reason;
};

#define MEM(n)		.mod = IN_MEMORY, .reg = BIT(n)
#define REG(n)		.mod = IN_REGISTER, .reg = BIT(n)
#define REGRM(n, from, to) \
			.mod = IN_REGISTER, .reg = BIT(n), .rm = GENMASK(to, from)
#define GROUP(from, to)	.reg = GENMASK(to, from)

/* NEVER: a probe would break the code there. NOTYET: it is not implemented. */
#define NEVER(_map, _first, _last, _kind, _reason, ...)			\
	{ .map = _map, .first = _first, .last = _last,			\
	  .how = KPROBE_INSN_REFUSE, .error = -EINVAL,			\
	  .kind = KPROBE_INSN_##_kind, .reason = _reason, ##__VA_ARGS__ }
#define NOTYET(_map, _first, _last, _kind, _reason, ...)		\
	{ .map = _map, .first = _first, .last = _last,			\
	  .how = KPROBE_INSN_REFUSE, .error = -EOPNOTSUPP,		\
	  .kind = KPROBE_INSN_##_kind, .reason = _reason, ##__VA_ARGS__ }
#define EMULATE(_map, _first, _last, _fn, _kind, _reason, ...)		\
	{ .map = _map, .first = _first, .last = _last,			\
	  .how = KPROBE_INSN_EMULATE, .fn = kprobe_emulate_##_fn,	\
	  .kind = KPROBE_INSN_##_kind, .reason = _reason, ##__VA_ARGS__ }
#define BOOST(_map, _first, _last, _reason, ...)			\
	{ .map = _map, .first = _first, .last = _last,			\
	  .how = KPROBE_INSN_BOOST, .kind = KPROBE_INSN_PLAIN,		\
	  .reason = _reason, ##__VA_ARGS__ }
#define MAY_FAULT	.may_fault = true

static const char not_an_insn[] = "no such instruction";
static const char bad_prefixes[] = "prefixes in an order that is not decoded";
static const char relative[] = "goes relative to its own address";
static const char far[] = "far transfer, loads CS";
static const char trap[] = "the trap handlers look for it at its own address";
static const char flag_if[] = "a breakpoint saves and restores the interrupt flag";
static const char half_flags[] = "stores or loads half of the flags register";
static const char sets_ss[] = "holds off debug exceptions for one instruction";
static const char gs_base[] = "the per-CPU base is not the kernel's around it";
static const char sleeps[] = "a wake-up before it would be lost";
static const char to_user[] = "returns to user space";
static const char vmx_svm[] = "switches to or from a virtual machine";
static const char enclave[] = "switches to or from a protected environment";
static const char tsx[] = "a breakpoint aborts its transaction";

/* The first row that matches decides; without one a copy runs as it is. */
static const struct insn_row rows[] = {
	/*
	 * Behind a VEX or EVEX prefix there is no branch and nothing that
	 * reads the flags register as a whole or the instruction pointer,
	 * but for an operand relative to it (SDM 2A 2.3, 2.7).
	 */
	BOOST(MAP_VEX, 0x00, 0xff, "no control flow"),
	BOOST(MAP_EVEX, 0x00, 0xff, "no control flow"),
	/*
	 * JMPABS is REX2 A1, and CALL and JMP reach registers that pt_regs
	 * does not hold. The kind is the worst one that may hide here.
	 */
	NOTYET(MAP_REX2, 0x00, 0xff, INDIRECT_JUMP, "APX instruction"),

	/* The decoder stops at what it takes for an opcode; a CPU does not. */
	NEVER(MAP_LEGACY, 0x26, 0x26, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0x2e, 0x2e, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0x36, 0x36, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0x3e, 0x3e, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0x40, 0x4f, UNKNOWN, bad_prefixes, .mode = X64),
	NEVER(MAP_LEGACY, 0x64, 0x67, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0xf0, 0xf0, UNKNOWN, bad_prefixes),
	NEVER(MAP_LEGACY, 0xf2, 0xf3, UNKNOWN, bad_prefixes),

	/* SDM 3A 7.8.3, "Masking Exceptions and Interrupts When Switching Stacks" */
	NEVER(MAP_LEGACY, 0x17, 0x17, PLAIN, sets_ss, .mode = X32),
	NEVER(MAP_LEGACY, 0x8e, 0x8e, PLAIN, sets_ss, GROUP(2, 2)),
	NEVER(MAP_0F, 0xb2, 0xb2, PLAIN, sets_ss),

	/* In the kernel these stand between two SWAPGS, if anywhere. */
	NEVER(MAP_LEGACY, 0x8e, 0x8e, PLAIN, gs_base, GROUP(5, 5), .mode = X64),
	NEVER(MAP_0F, 0x01, 0x01, PLAIN, gs_base, REGRM(7, 0, 0), .mode = X64),
	NEVER(MAP_0F, 0xa9, 0xa9, PLAIN, gs_base, .mode = X64),
	NEVER(MAP_0F, 0xae, 0xae, PLAIN, gs_base, REG(3), .prefix = PF3),
	NEVER(MAP_0F, 0xb5, 0xb5, PLAIN, gs_base, .mode = X64),

	/* SDM 2D, opcode map of 64-bit mode: these raise #UD there. */
	NEVER(MAP_LEGACY, 0x06, 0x07, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x0e, 0x0e, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x16, 0x17, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x1e, 0x1f, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x27, 0x27, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x2f, 0x2f, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x37, 0x37, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x3f, 0x3f, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x60, 0x61, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0x82, 0x82, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0xd4, 0xd4, PLAIN, not_an_insn, .mode = X64),
	NEVER(MAP_LEGACY, 0xd6, 0xd6, PLAIN, not_an_insn),
	NEVER(MAP_0F, 0x01, 0x01, PLAIN, not_an_insn, REGRM(7, 0, 0), .mode = X32),
	NEVER(MAP_LEGACY, 0xfe, 0xfe, PLAIN, not_an_insn, GROUP(2, 7)),
	NEVER(MAP_LEGACY, 0xff, 0xff, PLAIN, not_an_insn, GROUP(7, 7)),
	NEVER(MAP_LEGACY, 0x8e, 0x8e, PLAIN, not_an_insn, GROUP(1, 1)),
	NEVER(MAP_LEGACY, 0x8e, 0x8e, PLAIN, not_an_insn, GROUP(6, 7)),
	/* XOP (APM 3 1.2.5) looks like POP with ModRM.reg >= 1; its length is not known. */
	NOTYET(MAP_LEGACY, 0x8f, 0x8f, UNKNOWN, "XOP instruction", GROUP(1, 7)),

	/* A copy would go to, and push, addresses near the copy. */
	EMULATE(MAP_LEGACY, 0x70, 0x7f, jcc, RELATIVE, relative),
	EMULATE(MAP_0F, 0x80, 0x8f, jcc, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xe0, 0xe2, loop, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xe3, 0xe3, jcxz, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xe8, 0xe8, call, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xe9, 0xe9, jmp, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xeb, 0xeb, jmp, RELATIVE, relative),
	EMULATE(MAP_LEGACY, 0xff, 0xff, call_reg, INDIRECT_CALL, "pushes its own address",
		REG(2), MAY_FAULT),
	EMULATE(MAP_LEGACY, 0xff, 0xff, call_mem, INDIRECT_CALL, "pushes its own address",
		MEM(2), MAY_FAULT),
	/* A copy would serve, but what follows it is never reached. */
	EMULATE(MAP_LEGACY, 0xff, 0xff, jmp_reg, INDIRECT_JUMP, "leaves the copy",
		REG(4), MAY_FAULT),
	EMULATE(MAP_LEGACY, 0xff, 0xff, jmp_mem, INDIRECT_JUMP, "leaves the copy",
		MEM(4), MAY_FAULT),
	EMULATE(MAP_LEGACY, 0xc2, 0xc3, ret, RETURN, "leaves the copy", MAY_FAULT),

	/*
	 * A copy may run with interrupts off where they are on at the original,
	 * and an interrupt could come between the copy and the jump back.
	 */
	NOTYET(MAP_LEGACY, 0x9c, 0x9d, PLAIN, half_flags, .prefix = P66),
	EMULATE(MAP_LEGACY, 0x9c, 0x9c, pushf, PLAIN, flag_if),
	EMULATE(MAP_LEGACY, 0x9d, 0x9d, popf, PLAIN, flag_if, MAY_FAULT),
	EMULATE(MAP_LEGACY, 0xfa, 0xfa, cli, PLAIN, flag_if),
	EMULATE(MAP_LEGACY, 0xfb, 0xfb, sti, STI, flag_if),

	/* CS is not ours to load from C code. */
	NOTYET(MAP_LEGACY, 0x9a, 0x9a, LEAVES, far),
	NOTYET(MAP_LEGACY, 0xca, 0xcb, LEAVES, far),
	NOTYET(MAP_LEGACY, 0xea, 0xea, LEAVES, far),
	NOTYET(MAP_LEGACY, 0xff, 0xff, LEAVES, far, GROUP(3, 3)),
	NOTYET(MAP_LEGACY, 0xff, 0xff, LEAVES, far, GROUP(5, 5)),
	/* It ends the blocking of NMIs, which the breakpoint has ended already. */
	NOTYET(MAP_LEGACY, 0xcf, 0xcf, LEAVES, "return from an interrupt"),

	/*
	 * BUG, WARN, kgdb, static calls and text poking all go by the address. The
	 * trap of INTO (0xce) gives the one behind the copy; and in 64-bit mode, it
	 * is no instruction.
	 */
	NOTYET(MAP_LEGACY, 0xcc, 0xcc, LEAVES, trap),
	NEVER(MAP_LEGACY, 0xcd, 0xce, LEAVES, trap),
	NEVER(MAP_LEGACY, 0xf1, 0xf1, LEAVES, trap),
	NEVER(MAP_0F, 0x0b, 0x0b, LEAVES, trap),
	NEVER(MAP_0F, 0xb9, 0xb9, LEAVES, trap),
	NEVER(MAP_0F, 0xff, 0xff, LEAVES, trap),

	/*
	 * The return from the breakpoint ends the shadow of an STI and takes
	 * the interrupt which the instruction was meant to wait for.
	 */
	NOTYET(MAP_LEGACY, 0xf4, 0xf4, WAIT, sleeps),
	NOTYET(MAP_0F, 0x01, 0x01, WAIT, sleeps, REGRM(1, 0, 1)),
	NOTYET(MAP_0F, 0x01, 0x01, WAIT, sleeps, REGRM(7, 2, 3)),
	NOTYET(MAP_0F, 0xae, 0xae, WAIT, sleeps, REG(6), .prefix = PF2 | PF3),

	/* RCX or the MSRs hold where it goes; it does not come back to a slot. */
	NEVER(MAP_0F, 0x05, 0x05, LEAVES, "system call"),
	NEVER(MAP_0F, 0x34, 0x34, LEAVES, "system call"),
	NOTYET(MAP_0F, 0x07, 0x07, LEAVES, to_user),
	NOTYET(MAP_0F, 0x35, 0x35, LEAVES, to_user),
	NOTYET(MAP_0F, 0x01, 0x01, LEAVES, to_user, REGRM(1, 2, 2), .prefix = PF2 | PF3),
	NOTYET(MAP_0F, 0x01, 0x01, LEAVES, to_user, REGRM(5, 4, 4), .prefix = PF3),

	/*
	 * ENCLV, VMCALL, VMLAUNCH, VMRESUME, VMXOFF; VMFUNC; VMRUN to
	 * INVLPGA. What is on the other side looks at the address, skips or
	 * patches the instruction there, or comes back with other registers.
	 */
	NEVER(MAP_0F, 0x01, 0x01, LEAVES, vmx_svm, REGRM(0, 0, 4)),
	NEVER(MAP_0F, 0x01, 0x01, LEAVES, vmx_svm, REGRM(2, 4, 4)),
	NEVER(MAP_0F, 0x01, 0x01, LEAVES, vmx_svm, REGRM(3, 0, 7)),
	/* TDCALL, SEAMRET, SEAMOPS, SEAMCALL, ENCLS; ENCLU; GETSEC; RSM */
	NEVER(MAP_0F, 0x01, 0x01, LEAVES, enclave, REGRM(1, 4, 7)),
	NEVER(MAP_0F, 0x01, 0x01, LEAVES, enclave, REGRM(2, 7, 7)),
	NEVER(MAP_0F, 0x37, 0x37, LEAVES, enclave),
	NEVER(MAP_0F, 0xaa, 0xaa, LEAVES, enclave),

	/* SDM 1 16.3.8.2: any exception, so the breakpoint too, aborts. */
	NOTYET(MAP_LEGACY, 0xc6, 0xc6, LEAVES, tsx, REGRM(7, 0, 0)),
	NOTYET(MAP_LEGACY, 0xc7, 0xc7, RELATIVE, "its abort goes relative to its own address",
	       REGRM(7, 0, 0)),
	NOTYET(MAP_0F, 0x01, 0x01, PLAIN, tsx, REGRM(2, 5, 5)),
	NEVER(MAP_LEGACY, 0xc6, 0xc7, PLAIN, not_an_insn, GROUP(1, 7)),

	/* What the handlers have written would be lost with the cache. */
	NEVER(MAP_0F, 0x08, 0x08, PLAIN, "drops modified cache lines"),

	/* MOV to and from control registers: a CPU ignores ModRM.mod here. */
	NEVER(MAP_0F, 0x20, 0x23, UNKNOWN, "encoding that is not decoded", .mod = IN_MEMORY),
};

/* The decoder finds no ModRM byte where there must be one: the length is not known. */
static const struct insn_row unassigned =
	NEVER(MAP_0F38, 0x00, 0xff, UNKNOWN, not_an_insn);

/* The opcodes of MAP_0F without a ModRM byte: by the high digit, a bit for the low one. */
static const u16 bare_opcodes[16] = {
	[0x0] = GENMASK(9, 5) | BIT(0xb) | BIT(0xe),	/* SYSCALL to WBINVD, UD2, FEMMS */
	[0x3] = GENMASK(5, 0) | BIT(7),			/* WRMSR to SYSEXIT, GETSEC */
	[0x7] = BIT(7),					/* EMMS */
	[0x8] = GENMASK(0xf, 0),			/* Jcc */
	[0xa] = GENMASK(2, 0) | GENMASK(0xa, 8),	/* PUSH, POP, CPUID, RSM */
	[0xc] = GENMASK(0xf, 8),			/* BSWAP */
};

/* An instruction as the rows see it: each set has one bit, prefix maybe two. */
struct insn_key {
	u8 map;
	u8 opcode;
	u8 mode;
	u8 prefix;
	u8 mod;
	u8 reg;
	u8 rm;
};

static enum insn_map insn_map_of(struct insn *insn)
{
	if (insn_is_rex2(insn))
		return MAP_REX2;
	if (insn_is_evex(insn))
		return MAP_EVEX;
	if (insn_is_avx(insn))
		return MAP_VEX;

	switch (insn->opcode.nbytes) {
	case 1:
		return MAP_LEGACY;
	case 2:
		return MAP_0F;
	default:
		return insn->opcode.bytes[1] == 0x38 ? MAP_0F38 : MAP_0F3A;
	}
}

/*
 * F2 and F3 win over 66. Which of the two wins depends on their order, and
 * no assembler writes both: such an instruction is taken for either.
 */
static u8 insn_prefix_set(struct insn *insn)
{
	u8 set = 0;
	int i, byte;

	for_each_insn_prefix(insn, i, byte) {
		if (byte == 0xf2)
			set |= PF2;
		else if (byte == 0xf3)
			set |= PF3;
		else if (byte == 0x66)
			set |= P66;
	}

	if (set & (PF2 | PF3))
		return set & ~P66;
	return set ?: NONE;
}

static void insn_make_key(struct insn *insn, struct insn_key *key)
{
	u8 modrm = insn->modrm.bytes[0];

	memset(key, 0, sizeof(*key));
	key->map = insn_map_of(insn);
	key->opcode = insn->opcode.bytes[insn->opcode.nbytes - 1];
	key->mode = insn->x86_64 ? X64 : X32;
	key->prefix = insn_prefix_set(insn);
	if (!insn->modrm.nbytes)
		return;

	key->mod = X86_MODRM_MOD(modrm) == 3 ? IN_REGISTER : IN_MEMORY;
	key->reg = BIT(X86_MODRM_REG(modrm));
	key->rm = BIT(X86_MODRM_RM(modrm));
}

static bool in_set(u8 set, u8 bit)
{
	return !set || (set & bit);
}

static bool row_matches(const struct insn_row *row, const struct insn_key *key)
{
	return row->map == key->map &&
	       row->first <= key->opcode && key->opcode <= row->last &&
	       in_set(row->mode, key->mode) &&
	       in_set(row->prefix, key->prefix) &&
	       in_set(row->mod, key->mod) &&
	       in_set(row->reg, key->reg) &&
	       in_set(row->rm, key->rm);
}

/*
 * The first row of each opcode in the two large maps, filled at boot. Functions
 * are decoded whole, and most opcodes have no row: so the search is short.
 */
static u16 first_row[MAP_0F + 1][256] __ro_after_init;

static u16 __init find_first_row(u8 map, u8 opcode)
{
	u16 i;

	for (i = 0; i < ARRAY_SIZE(rows); i++) {
		if (rows[i].map == map && rows[i].first <= opcode &&
		    opcode <= rows[i].last)
			break;
	}
	return i;
}

/**
 * kprobe_insn_init() - make the index of the table
 *
 * Context: boot, before the first registration.
 */
void __init kprobe_insn_init(void)
{
	unsigned int map, opcode;

	for (map = MAP_LEGACY; map <= MAP_0F; map++) {
		for (opcode = 0; opcode < 256; opcode++)
			first_row[map][opcode] = find_first_row(map, opcode);
	}
}

static bool lacks_modrm(const struct insn_key *key)
{
	return key->map == MAP_0F && !key->mod &&
	       !(bare_opcodes[key->opcode >> 4] & BIT(key->opcode & 0xf));
}

static const struct insn_row *kprobe_insn_find_row(struct insn *insn)
{
	struct insn_key key;
	int i;

	insn_make_key(insn, &key);
	if (key.map == MAP_0F38 || key.map == MAP_0F3A)
		return key.mod ? NULL : &unassigned;

	i = key.map <= MAP_0F ? first_row[key.map][key.opcode] : 0;
	for (; i < ARRAY_SIZE(rows); i++) {
		if (row_matches(&rows[i], &key))
			return &rows[i];
	}
	return lacks_modrm(&key) ? &unassigned : NULL;
}

static int kprobe_insn_refuse(struct kprobe_insn_class *out, int error,
			      const char *reason)
{
	out->how = KPROBE_INSN_REFUSE;
	out->error = error;
	out->reason = reason;
	return error;
}

static bool is_rep_string(struct insn *insn)
{
	u8 op = insn->opcode.bytes[0];

	if (insn_map_of(insn) != MAP_LEGACY || !(insn_prefix_set(insn) & (PF2 | PF3)))
		return false;
	return (op >= 0x6c && op <= 0x6f) ||	/* INS, OUTS */
	       (op >= 0xa4 && op <= 0xa7) ||	/* MOVS, CMPS */
	       (op >= 0xaa && op <= 0xaf);	/* STOS, LODS, SCAS */
}

/*
 * STI lets interrupts in only after the instruction behind it. The return from
 * the breakpoint cannot do that, it lets them in at once. That is harmless,
 * unless the code relies on being asleep by then.
 */
static const char *sti_refusal(const u8 *bytes, size_t avail)
{
	struct insn next;

	if (insn_decode(&next, bytes, avail, INSN_MODE_KERN))
		return "what follows STI cannot be decoded";
	switch (kprobe_insn_kind_of(&next)) {
	case KPROBE_INSN_WAIT:
		return "STI must hold off interrupts until the CPU sleeps";
	case KPROBE_INSN_LEAVES:
		return "STI must hold off interrupts until the kernel is left";
	default:
		return NULL;
	}
}

static const char *prepare_emulation(struct kprobe_insn_class *out, struct insn *insn,
				     const u8 *bytes, size_t avail, unsigned long ip)
{
	if (out->kind == KPROBE_INSN_STI) {
		const char *reason = sti_refusal(bytes + out->len, avail - out->len);

		if (reason)
			return reason;
	}
	return kprobe_emulation_prepare(&out->em, insn, ip);
}

static int apply_row(const struct insn_row *row, struct kprobe_insn_class *out)
{
	out->kind = row->kind;
	out->how = row->how;
	if (row->how == KPROBE_INSN_REFUSE)
		return kprobe_insn_refuse(out, row->error, row->reason);
	if (row->how == KPROBE_INSN_EMULATE) {
		out->reason = row->reason;
		out->needs_slot = row->may_fault;
		out->em.fn = row->fn;
	}
	return 0;
}

/**
 * kprobe_insn_classify() - find out how an instruction can be carried out
 * @bytes: a copy of the original bytes, without any breakpoint
 * @avail: how many; KPROBE_INSN_WINDOW where there are as many
 * @ip: where they stand in the kernel
 * @out: the answer
 *
 * Return: 0 if the instruction can be probed, or the error in @out.
 */
int kprobe_insn_classify(const u8 *bytes, size_t avail, unsigned long ip,
			 struct kprobe_insn_class *out)
{
	const struct insn_row *row;
	struct insn insn;
	const char *reason;
	int ret;

	memset(out, 0, sizeof(*out));
	avail = min_t(size_t, avail, KPROBE_INSN_WINDOW);
	if (insn_decode(&insn, bytes, avail, INSN_MODE_KERN))
		return kprobe_insn_refuse(out, -EINVAL, "cannot be decoded");

	out->len = insn.length;
	/* The hypervisor takes UD2 and the instruction behind it for one. */
	if (insn_has_emulate_prefix(&insn))
		return kprobe_insn_refuse(out, -EINVAL,
					  "emulated by the hypervisor");

	out->rip_relative = insn_rip_relative(&insn);
	out->rep_string = is_rep_string(&insn);
	out->how = KPROBE_INSN_BOOST;
	row = kprobe_insn_find_row(&insn);
	if (row) {
		ret = apply_row(row, out);
		if (ret)
			return ret;
	}
	if (out->how != KPROBE_INSN_EMULATE) {
		out->needs_slot = true;
		return 0;
	}

	reason = prepare_emulation(out, &insn, bytes, avail, ip);
	return reason ? kprobe_insn_refuse(out, -EOPNOTSUPP, reason) : 0;
}

/**
 * kprobe_insn_kind_of() - where does an instruction take the control flow?
 * @insn: the instruction, fully decoded
 *
 * Return: its kind, which for an instruction that is refused may matter too.
 */
enum kprobe_insn_kind kprobe_insn_kind_of(struct insn *insn)
{
	const struct insn_row *row = kprobe_insn_find_row(insn);

	return row ? row->kind : KPROBE_INSN_PLAIN;
}

/**
 * kprobe_insn_target() - where does a relative branch go?
 * @insn: the instruction, of kind KPROBE_INSN_RELATIVE, fully decoded
 * @ip: where it stands
 *
 * Return: the address.
 */
unsigned long kprobe_insn_target(struct insn *insn, unsigned long ip)
{
	return ip + insn->length + insn->immediate.value;
}

/**
 * kprobe_insn_copy() - copy an instruction to where it will run
 * @dst: the buffer, of at least @insn->length bytes
 * @src: the instruction's bytes
 * @insn: the instruction, fully decoded
 * @from_ip: where it stands in the kernel
 * @to_ip: where the bytes in @dst will run
 *
 * An operand relative to the instruction pointer refers to the memory that the
 * original refers to. With several instructions in one buffer, each has its own
 * @to_ip.
 *
 * Return: the length, or -ERANGE if the operand is out of reach from @to_ip.
 */
int kprobe_insn_copy(u8 *dst, const u8 *src, struct insn *insn,
		     unsigned long from_ip, unsigned long to_ip)
{
	s64 disp;

	memcpy(dst, src, insn->length);
	if (!insn_rip_relative(insn))
		return insn->length;

	disp = (s64)insn->displacement.value + (s64)(from_ip - to_ip);
	if (disp != (s32)disp)
		return -ERANGE;

	put_unaligned((s32)disp, (s32 *)(dst + insn_offset_displacement(insn)));
	return insn->length;
}
