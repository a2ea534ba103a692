// SPDX-License-Identifier: GPL-2.0
/*
 * What becomes of an instruction under a probe: the cases of insn_cases.h,
 * and whole opcode maps against an account of the branches that is kept here
 * apart from the table.
 */
#include <kunit/test.h>
#include <linux/errno.h>
#include <linux/string.h>
#include <linux/unaligned.h>

#include "insn_cases.h"

#ifdef CONFIG_X86_64
#define IP	0xffffffff81234567UL
#else
#define IP	0xc1234567UL
#endif
#define NOP	0x90

static int classify(const struct insn_case *c, struct kprobe_insn_class *out)
{
	u8 window[KPROBE_INSN_WINDOW];

	memset(window, NOP, sizeof(window));
	memcpy(window, c->bytes, c->len);
	return kprobe_insn_classify(window, sizeof(window), IP, out);
}

static void case_name(const struct insn_case *c, char *desc)
{
	strscpy(desc, c->name, KUNIT_PARAM_DESC_SIZE);
}

KUNIT_ARRAY_PARAM(emulated, emulated_cases, case_name);
KUNIT_ARRAY_PARAM(boosted, boosted_cases, case_name);
KUNIT_ARRAY_PARAM(refused, refused_cases, case_name);
/* Those of one mode only. */
KUNIT_ARRAY_PARAM(emulated_word, emulated_word_cases, case_name);
KUNIT_ARRAY_PARAM(boosted_word, boosted_word_cases, case_name);
KUNIT_ARRAY_PARAM(refused_word, refused_word_cases, case_name);

static void run_case(struct kunit *test)
{
	const struct insn_case *c = test->param_value;
	struct kprobe_insn_class class;

	KUNIT_EXPECT_EQ(test, classify(c, &class), c->error);
	KUNIT_EXPECT_EQ(test, class.error, c->error);
	KUNIT_EXPECT_EQ(test, class.how, c->how);
	KUNIT_EXPECT_EQ(test, !!class.reason, c->how != KPROBE_INSN_BOOST);
	if (c->error)
		return;

	KUNIT_EXPECT_EQ(test, class.len, c->len);
	KUNIT_EXPECT_EQ(test, class.needs_slot, c->slot);
	KUNIT_EXPECT_EQ(test, class.rip_relative, c->rip_relative);
	KUNIT_EXPECT_EQ(test, class.rep_string, c->rep_string);
	KUNIT_EXPECT_EQ(test, !!class.em.fn, c->how == KPROBE_INSN_EMULATE);
}

static void insn_emulated(struct kunit *test)
{
	run_case(test);
}

static void insn_boosted(struct kunit *test)
{
	run_case(test);
}

static void insn_refused(struct kunit *test)
{
	run_case(test);
}

/*
 * A 16-bit PUSHF or POPF means one thing to all CPUs, unlike a 16-bit branch:
 * the log must not say otherwise.
 */
static void insn_half_flags(struct kunit *test)
{
	static const u8 bytes[][2] = { { 0x66, 0x9c }, { 0x66, 0x9d } };
	struct kprobe_insn_class class;
	int i, ret;

	for (i = 0; i < ARRAY_SIZE(bytes); i++) {
		ret = kprobe_insn_classify(bytes[i], 2, IP, &class);
		KUNIT_EXPECT_EQ(test, -EOPNOTSUPP, ret);
		KUNIT_EXPECT_EQ(test, KPROBE_INSN_PLAIN, class.kind);
		KUNIT_ASSERT_NOT_NULL(test, class.reason);
		KUNIT_EXPECT_NOT_NULL(test, strstr(class.reason, "flags"));
		KUNIT_EXPECT_NULL(test, strstr(class.reason, "CPUs differ"));
	}
}

static void truncate_one(struct kunit *test, const struct insn_case *c)
{
	struct kprobe_insn_class class;
	int avail, ret;

	for (avail = 0; avail < c->len; avail++) {
		ret = kprobe_insn_classify(c->bytes, avail, IP, &class);
		KUNIT_EXPECT_LT_MSG(test, ret, 0, "%s, %d bytes", c->name, avail);
	}
	ret = kprobe_insn_classify(c->bytes, c->len, IP, &class);
	KUNIT_EXPECT_EQ_MSG(test, ret, 0, "%s", c->name);
}

/* As many bytes as the instruction has are enough, and one less is refused. */
static void insn_truncated(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(boosted_cases); i++)
		truncate_one(test, &boosted_cases[i]);
	for (i = 0; i < ARRAY_SIZE(boosted_word_cases); i++)
		truncate_one(test, &boosted_word_cases[i]);
}

static void sti_one(struct kunit *test, const struct sti_case *c)
{
	struct kprobe_insn_class class;
	int ret;

	ret = kprobe_insn_classify(c->bytes, c->len, IP, &class);
	KUNIT_EXPECT_EQ_MSG(test, ret, c->error, "%s", c->name);
	KUNIT_EXPECT_EQ_MSG(test, class.how, c->error ? KPROBE_INSN_REFUSE :
			    KPROBE_INSN_EMULATE, "%s", c->name);
}

static void insn_sti_shadow(struct kunit *test)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(sti_cases); i++)
		sti_one(test, &sti_cases[i]);
	for (i = 0; i < ARRAY_SIZE(sti_word_cases); i++)
		sti_one(test, &sti_word_cases[i]);
}

/* Nothing behind a VEX prefix is anything but plain, whatever its opcode byte. */
static void insn_vex_sweep(struct kunit *test)
{
	static const u8 modrms[] = { 0xc8, 0xd9, 0x05, 0x18 };
	struct kprobe_insn_class class;
	struct insn insn;
	int i, m, decoded = 0;

	/* Map (1 to 7), prefix and opcode, counted through in one number. */
	for (i = 1 << 10; i < 8 << 10; i++) {
		for (m = 0; m < ARRAY_SIZE(modrms); m++) {
			u8 b[MAX_INSN_SIZE] = { 0xc4, 0xe0 | i >> 10, 0x68 | (i >> 8 & 3),
						i & 0xff, modrms[m] };

			if (insn_decode(&insn, b, sizeof(b), INSN_MODE_KERN))
				continue;
			decoded++;
			kprobe_insn_classify(b, sizeof(b), IP, &class);
			KUNIT_EXPECT_EQ_MSG(test, class.how, KPROBE_INSN_BOOST, "%5ph", b);
			KUNIT_EXPECT_EQ_MSG(test, class.kind, KPROBE_INSN_PLAIN, "%5ph", b);
			/* VZEROUPPER has no ModRM byte. */
			KUNIT_EXPECT_EQ_MSG(test, class.rip_relative,
					    IS_ENABLED(CONFIG_X86_64) &&
					    modrms[m] == 0x05 && insn.modrm.nbytes, "%5ph", b);
		}
	}
	KUNIT_EXPECT_GT(test, decoded, 1500);
}

static void insn_evex_sweep(struct kunit *test)
{
	static const u8 modrms[] = { 0xc8, 0xd9, 0x05, 0x18 };
	struct kprobe_insn_class class;
	struct insn insn;
	int i, m, decoded = 0;

	for (i = 1 << 10; i < 8 << 10; i++) {
		for (m = 0; m < ARRAY_SIZE(modrms); m++) {
			u8 b[MAX_INSN_SIZE] = { 0x62, 0xf0 | i >> 10, 0x6c | (i >> 8 & 3),
						0x48, i & 0xff, modrms[m] };

			if (insn_decode(&insn, b, sizeof(b), INSN_MODE_KERN))
				continue;
			decoded++;
			kprobe_insn_classify(b, sizeof(b), IP, &class);
			KUNIT_EXPECT_EQ_MSG(test, class.how, KPROBE_INSN_BOOST, "%6ph", b);
			KUNIT_EXPECT_EQ_MSG(test, class.kind, KPROBE_INSN_PLAIN, "%6ph", b);
		}
	}
	KUNIT_EXPECT_GT(test, decoded, 1500);
}

/* The branches of the one-byte map, from the manual's opcode map. */
static bool branches_legacy(u8 op, u8 reg, u8 modrm)
{
	switch (op) {
	case 0x70 ... 0x7f:
	case 0x9a:
	case 0xc2 ... 0xc3:
	case 0xca ... 0xcf:
	case 0xe0 ... 0xe3:
	case 0xe8 ... 0xeb:
	case 0xf1:
		return true;
	case 0xc6:
	case 0xc7:
		return modrm == 0xf8;
	case 0xff:
		return reg >= 2 && reg <= 5;
	default:
		return false;
	}
}

static bool branches_0f01(u8 modrm, u8 prefix)
{
	switch (modrm) {
	case 0xc0 ... 0xc4:
	case 0xcc ... 0xcf:
	case 0xd4:
	case 0xd7 ... 0xdf:
		return true;
	case 0xca:
		return prefix == 0xf2 || prefix == 0xf3;
	case 0xec:
		return prefix == 0xf3;
	default:
		return false;
	}
}

static bool branches_0f(u8 op, u8 modrm, u8 prefix)
{
	switch (op) {
	case 0x01:
		return branches_0f01(modrm, prefix);
	case 0x05:
	case 0x07:
	case 0x0b:
	case 0x34 ... 0x35:
	case 0x37:
	case 0x80 ... 0x8f:
	case 0xaa:
	case 0xb9:
	case 0xff:
		return true;
	default:
		return false;
	}
}

/* Build an instruction; false if what comes out is not of the opcode asked for. */
static bool build(u8 *b, struct insn *insn, u8 prefix, int map, u8 op, u8 modrm)
{
	u8 *p = b;

	memset(b, 0, MAX_INSN_SIZE);
	if (prefix)
		*p++ = prefix;
	if (map)
		*p++ = 0x0f;
	if (map > 1)
		*p++ = map == 2 ? 0x38 : 0x3a;
	*p++ = op;
	*p = modrm;

	if (insn_decode(insn, b, MAX_INSN_SIZE, INSN_MODE_KERN))
		return false;
	return insn->opcode.nbytes == min(map + 1, 3) && !insn_is_avx(insn) &&
	       !insn_is_rex2(insn) && insn->opcode.bytes[insn->opcode.nbytes - 1] == op &&
	       !inat_is_legacy_prefix(insn->attr) && !inat_is_rex_prefix(insn->attr);
}

/* May @insn go on elsewhere than behind itself? */
static bool is_branch(struct insn *insn)
{
	switch (kprobe_insn_kind_of(insn)) {
	case KPROBE_INSN_PLAIN:
	case KPROBE_INSN_STI:
	case KPROBE_INSN_WAIT:
	case KPROBE_INSN_UNKNOWN:
		return false;
	default:
		return true;
	}
}

static void sweep_one(struct kunit *test, u8 prefix, int map, u8 op, u8 modrm)
{
	struct kprobe_insn_class class;
	bool want = false, branch;
	struct insn insn;
	u8 b[MAX_INSN_SIZE];

	if (!build(b, &insn, prefix, map, op, modrm))
		return;
	if (map == 0)
		want = branches_legacy(op, X86_MODRM_REG(modrm), modrm);
	else if (map == 1)
		want = branches_0f(op, modrm, prefix);

	branch = is_branch(&insn);
	if (branch != want)
		KUNIT_FAIL(test, "%6ph is%s a branch", b, want ? "" : " not");
	kprobe_insn_classify(b, sizeof(b), IP, &class);
	if (want && class.how == KPROBE_INSN_BOOST)
		KUNIT_FAIL(test, "%6ph is a branch and boosted", b);
}

/* Every opcode with enough ModRM bytes to meet each row of each group. */
static void insn_branch_sweep(struct kunit *test)
{
	static const u8 prefixes[] = { 0, 0x66, 0xf3, 0xf2 };
	int i, modrm;

	for (i = 0; i < 4 * 4 * 256; i++) {
		u8 prefix = prefixes[i >> 10];
		int map = i >> 8 & 3;

		for (modrm = 0x00; modrm < 0x40; modrm += 8)
			sweep_one(test, prefix, map, i & 0xff, modrm);
		/* Operands in registers tell instructions apart where r/m does. */
		for (modrm = 0xc0; modrm <= 0xff; modrm++)
			sweep_one(test, prefix, map, i & 0xff, modrm);
	}
}

struct target_case {
	const char *name;
	long distance;		/* from the start; 0: no relative branch */
	u8 bytes[7];
	u8 len;
};

static const struct target_case target_cases[] = {
	{ "je +2", 4, { 0x74, 0x02 }, 2 },
	{ "je -128", -126, { 0x74, 0x80 }, 2 },
	{ "je +127", 129, { 0x74, 0x7f }, 2 },
	{ "je near, back", 6 - 0x1000, { 0x0f, 0x84, 0x00, 0xf0, 0xff, 0xff }, 6 },
	{ "jmp +16", 18, { 0xeb, 0x10 }, 2 },
	{ "jmp near", 5 + 0x12345678, { 0xe9, 0x78, 0x56, 0x34, 0x12 }, 5 },
	{ "jmp near, 2 GB back", 5 - 0x80000000L, { 0xe9, 0, 0, 0, 0x80 }, 5 },
	{ "cs call", 6 + 0x100, { 0x2e, 0xe8, 0x00, 0x01, 0x00, 0x00 }, 6 },
	{ "loop", 2 - 4, { 0xe2, 0xfc }, 2 },
	{ "loope", 2 - 4, { 0xe1, 0xfc }, 2 },
	{ "loopne", 2 - 4, { 0xe0, 0xfc }, 2 },
	{ "jrcxz", 2 + 4, { 0xe3, 0x04 }, 2 },
	{ "jecxz", 3 + 4, { 0x67, 0xe3, 0x04 }, 3 },
	{ "xbegin", 6 + 0x10, { 0xc7, 0xf8, 0x10, 0x00, 0x00, 0x00 }, 6 },
	{ "ret", 0, { 0xc3 }, 1 },
	{ "jmp *%rax", 0, { 0xff, 0xe0 }, 2 },
	{ "call *disp(%rip)", 0, { 0xff, 0x15, 0x10, 0x00, 0x00, 0x00 }, 6 },
	{ "mov $imm,%eax", 0, { 0xb8, 0x10, 0x00, 0x00, 0x00 }, 5 },
	{ "movl $imm,%eax by group 11", 0, { 0xc7, 0xc0, 0x10, 0x00, 0x00, 0x00 }, 6 },
	{ "vpshufd (70)", 0, { 0xc5, 0xfd, 0x70, 0xd1, 0x4e }, 5 },
	{ "vpor (eb)", 0, { 0xc5, 0xed, 0xeb, 0xd9 }, 4 },
};

static void insn_branch_targets(struct kunit *test)
{
	struct insn insn;
	bool relative;
	int i;

	for (i = 0; i < ARRAY_SIZE(target_cases); i++) {
		const struct target_case *c = &target_cases[i];

		KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, c->bytes, c->len, INSN_MODE_KERN));
		relative = kprobe_insn_kind_of(&insn) == KPROBE_INSN_RELATIVE;
		KUNIT_EXPECT_EQ_MSG(test, relative, c->distance != 0, "%s", c->name);
		if (relative)
			KUNIT_EXPECT_EQ_MSG(test, kprobe_insn_target(&insn, IP),
					    IP + c->distance, "%s", c->name);
	}
}

static void expect_indirect(struct kunit *test, bool want, const u8 *bytes)
{
	struct insn insn;

	KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, bytes));
	KUNIT_EXPECT_EQ_MSG(test, want,
			    kprobe_insn_kind_of(&insn) == KPROBE_INSN_INDIRECT_JUMP,
			    "%4ph", bytes);
}

static void insn_indirect_jumps(struct kunit *test)
{
	static const u8 jmp_reg[MAX_INSN_SIZE] = { 0xff, 0xe3 };
	static const u8 jmp_high_reg[MAX_INSN_SIZE] = { 0x41, 0xff, 0xe3 };
	static const u8 jmp_table[MAX_INSN_SIZE] = { 0xff, 0x24, 0xc5 };
	static const u8 jmp_abs[MAX_INSN_SIZE] = { 0xd5, 0x00, 0xa1 };
	static const u8 call_reg[MAX_INSN_SIZE] = { 0xff, 0xd0 };
	static const u8 jmp[MAX_INSN_SIZE] = { 0xe9 };
	static const u8 push_mem[MAX_INSN_SIZE] = { 0xff, 0x30 };

	expect_indirect(test, true, jmp_reg);
	expect_indirect(test, true, jmp_table);
	/* INC and AAD to a 32-bit kernel. */
	expect_indirect(test, IS_ENABLED(CONFIG_X86_64), jmp_high_reg);
	expect_indirect(test, IS_ENABLED(CONFIG_X86_64), jmp_abs);
	expect_indirect(test, false, call_reg);
	expect_indirect(test, false, jmp);
	expect_indirect(test, false, push_mem);
}

/* Copy @c from @from to @to and find out what its operand refers to there. */
static int copy_operand(struct kunit *test, const struct insn_case *c, unsigned long from,
			unsigned long to, unsigned long *operand)
{
	u8 buf[MAX_INSN_SIZE] = { 0 };
	struct insn insn, copy;
	int ret, at;

	KUNIT_ASSERT_EQ(test, 0, insn_decode(&insn, c->bytes, c->len, INSN_MODE_KERN));
	ret = kprobe_insn_copy(buf, c->bytes, &insn, from, to);
	if (ret < 0)
		return ret;

	KUNIT_ASSERT_EQ(test, 0, insn_decode(&copy, buf, ret, INSN_MODE_KERN));
	*operand = to + copy.length + copy.displacement.value;

	/* But for the displacement nothing has changed. */
	at = insn_offset_displacement(&insn);
	memcpy(buf + at, c->bytes + at, insn.displacement.nbytes);
	KUNIT_EXPECT_EQ(test, memcmp(buf, c->bytes, c->len), 0);
	return ret;
}

static void copy_one(struct kunit *test, const struct insn_case *c, long distance)
{
	long moved = c->rip_relative ? 0 : distance;
	unsigned long here, there;

	KUNIT_EXPECT_EQ(test, c->len, copy_operand(test, c, IP, IP, &here));
	KUNIT_EXPECT_EQ(test, c->len, copy_operand(test, c, IP, IP + distance, &there));
	KUNIT_EXPECT_EQ_MSG(test, there - here, moved, "%s", c->name);
}

static void copy_all(struct kunit *test, const struct insn_case *cases, int nr)
{
	int i;

	for (i = 0; i < nr; i++) {
		/* Some are refused on a kernel for one CPU. */
		if (cases[i].error)
			continue;
		copy_one(test, &cases[i], 0x1000000);
		copy_one(test, &cases[i], -0x1000001);
	}
}

static void insn_copies(struct kunit *test)
{
	copy_all(test, boosted_cases, ARRAY_SIZE(boosted_cases));
	copy_all(test, boosted_word_cases, ARRAY_SIZE(boosted_word_cases));
	copy_all(test, emulated_cases, ARRAY_SIZE(emulated_cases));
	copy_all(test, emulated_word_cases, ARRAY_SIZE(emulated_word_cases));
}

#ifdef CONFIG_X86_64
/* To the byte: what is just within 2 GB is copied, what is just beyond is not. */
static void insn_copy_range(struct kunit *test)
{
	static const struct insn_case lea[] = {
		BOOSTED_RIP("lea 0x10(%rip),%rdi", 0x48, 0x8d, 0x3d, 0x10, 0x00, 0x00, 0x00),
	};
	unsigned long want = IP + lea->len + 0x10, got;
	long down = 0x80000010L, up = 0x7fffffefL;

	KUNIT_EXPECT_EQ(test, lea->len, copy_operand(test, lea, IP, IP + down, &got));
	KUNIT_EXPECT_EQ(test, got, want);
	KUNIT_EXPECT_EQ(test, lea->len, copy_operand(test, lea, IP, IP - up, &got));
	KUNIT_EXPECT_EQ(test, got, want);
	KUNIT_EXPECT_EQ(test, -ERANGE, copy_operand(test, lea, IP, IP + down + 1, &got));
	KUNIT_EXPECT_EQ(test, -ERANGE, copy_operand(test, lea, IP, IP - up - 1, &got));
	KUNIT_EXPECT_EQ(test, -ERANGE, copy_operand(test, lea, IP, IP ^ BIT(40), &got));
}
#endif /* CONFIG_X86_64 */

static struct kunit_case insn_test_cases[] = {
	KUNIT_CASE_PARAM(insn_emulated, emulated_gen_params),
	KUNIT_CASE_PARAM(insn_boosted, boosted_gen_params),
	KUNIT_CASE_PARAM(insn_refused, refused_gen_params),
	KUNIT_CASE_PARAM(insn_emulated, emulated_word_gen_params),
	KUNIT_CASE_PARAM(insn_boosted, boosted_word_gen_params),
	KUNIT_CASE_PARAM(insn_refused, refused_word_gen_params),
	KUNIT_CASE(insn_half_flags),
	KUNIT_CASE(insn_truncated),
	KUNIT_CASE(insn_sti_shadow),
	KUNIT_CASE(insn_vex_sweep),
	KUNIT_CASE(insn_evex_sweep),
	KUNIT_CASE_SLOW(insn_branch_sweep),
	KUNIT_CASE(insn_branch_targets),
	KUNIT_CASE(insn_indirect_jumps),
	KUNIT_CASE(insn_copies),
#ifdef CONFIG_X86_64
	KUNIT_CASE(insn_copy_range),
#endif
	{}
};

static struct kunit_suite insn_suite = {
	.name = "x86_kprobes_insn",
	.test_cases = insn_test_cases,
};

kunit_test_suite(insn_suite);

MODULE_DESCRIPTION("KUnit tests of the instruction table of kprobes");
MODULE_LICENSE("GPL");
