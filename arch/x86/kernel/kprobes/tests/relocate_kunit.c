// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what an instruction becomes in a detour, byte by byte. That
 * it then does the same is tested by running it (detour_kunit.c).
 */
#include <kunit/test.h>
#include <linux/cpufeature.h>
#include <linux/string.h>
#include <linux/unaligned.h>
#include <asm/alternative.h>
#include <asm/nospec-branch.h>
#include <asm/text-patching.h>

#include "../detour.h"
#include "../insn.h"

/* The text, the detour, and how far away another detour is. */
#ifdef CONFIG_X86_64
#define FROM		0xffffffff81000000UL
#define TO		0xffffffffa0000000UL
#define FAR		0x100000000UL
#else
#define FROM		0x81000000UL
#define TO		0xa0000000UL
#define FAR		0x80000000UL
#endif
#define ROOM		40

/* How a call pushes; the address it returns to, and a jump, come behind. */
#ifdef CONFIG_X86_64
#define PUSH		"\xe8\1\0\0\0\xcc\x48\xc7\x04\x24"
#else
#define PUSH		"\xe8\1\0\0\0\xcc\xc7\x04\x24"
#endif
/* With @n bytes more. */
#define PUSH_LEN(n)	(sizeof(PUSH) - 1 + (n))

/**
 * struct reloc_case - an instruction and its copy
 * @name: the instruction
 * @bytes: its bytes
 * @copy: the bytes of the copy, without the distance at the end
 * @len: how many these are
 * @target: what the distance leads to, counted from the instruction; 0 if there
 *	is none
 * @pushed: where in the copy a word has been pushed
 * @ended: it does not go on behind
 */
struct reloc_case {
	const char *name;
	u8 bytes[MAX_INSN_SIZE];
	u8 copy[ROOM];
	u8 len;
	unsigned int target;
	u8 pushed;
	bool ended;
};

static const struct reloc_case reloc_cases[] = {
	{ "nop", { 0x90 }, { 0x90 }, 1 },
	{ "pushf", { 0x9c }, { 0x9c }, 1 },
	{ "sti", { 0xfb, 0x90 }, { 0xfb }, 1 },
	{ "ret", { 0xc3 }, { 0xc3 }, 1, .ended = true },
	{ "ret imm", { 0xc2, 8, 0 }, { 0xc2, 8, 0 }, 3, .ended = true },
	{ "jmp short", { 0xeb, 0x10 }, { 0xe9 }, 1, .target = 0x12,
	  .ended = true },
	{ "jmp near", { 0xe9, 0, 1, 0, 0 }, { 0xe9 }, 1, .target = 0x105,
	  .ended = true },
	{ "jz short", { 0x74, 0x10 }, { 0x0f, 0x84 }, 2, .target = 0x12 },
	{ "jg near", { 0x0f, 0x8f, 0x10, 0, 0, 0 }, { 0x0f, 0x8f }, 2,
	  .target = 0x16 },
	{ "loop", { 0xe2, 0x10 }, { 0xe2, 2, 0xeb, 5, 0xe9 }, 5,
	  .target = 0x12 },
	{ "loopne", { 0xe0, 0x10 }, { 0xe0, 2, 0xeb, 5, 0xe9 }, 5,
	  .target = 0x12 },
	{ "jrcxz", { 0xe3, 0x10 }, { 0xe3, 2, 0xeb, 5, 0xe9 }, 5,
	  .target = 0x12 },
	{ "jecxz", { 0x67, 0xe3, 0x10 }, { 0x67, 0xe3, 2, 0xeb, 5, 0xe9 }, 6,
	  .target = 0x13 },
	{ "call", { 0xe8, 0, 1, 0, 0 }, PUSH "\x05\0\0\x81\xe9",
	  PUSH_LEN(5), .target = 0x105, .pushed = 6, .ended = true },
	{ "call reg", { 0xff, 0xd2 }, PUSH "\x02\0\0\x81\xff\xe2",
	  PUSH_LEN(6), .pushed = 6, .ended = true },
	{ "call mem", { 0xff, 0x50, 0x08 }, PUSH "\x03\0\0\x81\xff\x60\x08",
	  PUSH_LEN(7), .pushed = 6, .ended = true },
	{ "jmp reg", { 0xff, 0xe0 }, { 0xff, 0xe0 }, 2, .ended = true },
#ifdef CONFIG_X86_64
	{ "load", { 0x48, 0x8b, 0x05, 0x20, 0, 0, 0 }, { 0x48, 0x8b, 0x05 }, 3,
	  .target = 0x27 },
	{ "call high reg", { 0x41, 0xff, 0xd5 }, PUSH "\x03\0\0\x81\x41\xff\xe5",
	  PUSH_LEN(7), .pushed = 6, .ended = true },
	{ "call rip", { 0xff, 0x15, 0x10, 0, 0, 0 }, PUSH "\x06\0\0\x81\xff\x25",
	  PUSH_LEN(6), .target = 0x16, .pushed = 6, .ended = true },
	{ "jmp rip", { 0xff, 0x25, 0x10, 0, 0, 0 }, { 0xff, 0x25 }, 2,
	  .target = 0x16, .ended = true },
#else
	/* Addresses do not count from the instruction: the copies are equal. */
	{ "load", { 0x8b, 0x15, 0x20, 0, 0, 0 }, { 0x8b, 0x15, 0x20 }, 6 },
	{ "call abs", { 0xff, 0x15, 0x10, 0, 0, 0 },
	  PUSH "\x06\0\0\x81\xff\x25\x10\0\0\0", PUSH_LEN(10),
	  .pushed = 6, .ended = true },
	{ "call per-CPU", { 0x64, 0xff, 0x15, 0x10, 0, 0, 0 },
	  PUSH "\x07\0\0\x81\x64\xff\x25\x10\0\0\0", PUSH_LEN(11),
	  .pushed = 6, .ended = true },
	{ "jmp abs", { 0xff, 0x25, 0x10, 0, 0, 0 }, { 0xff, 0x25, 0x10 }, 6,
	  .ended = true },
	{ "jmp table", { 0xff, 0x24, 0x85, 0x10, 0, 0, 0 },
	  { 0xff, 0x24, 0x85, 0x10 }, 7, .ended = true },
	{ "pusha", { 0x60 }, { 0x60 }, 1 },
	{ "enter", { 0xc8, 8, 0, 0 }, { 0xc8, 8, 0, 0 }, 4 },
	{ "push es", { 0x06 }, { 0x06 }, 1 },
	{ "lds", { 0xc5, 0x10 }, { 0xc5, 0x10 }, 2 },
#endif
};

KUNIT_ARRAY_PARAM_DESC(reloc_cases, reloc_cases, name);

/* Relocate into @c, as if the bytes stood at @from. */
static enum kprobe_nojump reloc_do(struct kunit *test, struct kprobe_copy *c,
				   const u8 *bytes, unsigned long from)
{
	struct kprobe_insn_class class;
	struct insn insn;

	KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, bytes));
	KUNIT_ASSERT_EQ(test, 0, kprobe_insn_classify(bytes, MAX_INSN_SIZE, from,
						      &class));
	return kprobe_relocate(c, bytes, &insn, from, &class);
}

static void reloc_bytes(struct kunit *test)
{
	const struct reloc_case *t = test->param_value;
	struct kprobe_copy c = { .room = ROOM, .ip = TO };
	u8 buf[ROOM] = {};

	c.buf = buf;
	KUNIT_ASSERT_EQ(test, KPROBE_NOJUMP_NONE,
			reloc_do(test, &c, t->bytes, FROM));
	KUNIT_EXPECT_EQ(test, t->len + (t->target ? 4 : 0), c.len);
	KUNIT_EXPECT_MEMEQ(test, t->copy, buf, t->len);
	if (t->target)
		KUNIT_EXPECT_EQ(test, FROM + t->target,
				TO + c.len +
				(s32)get_unaligned((s32 *)(buf + t->len)));
	KUNIT_EXPECT_EQ(test, t->pushed, c.pushed);
	KUNIT_EXPECT_EQ(test, t->ended, c.ended);
}

/* With all the room that is needed, and with a byte less. */
static void reloc_room(struct kunit *test)
{
	const struct reloc_case *t = test->param_value;
	size_t need = t->len + (t->target ? 4 : 0);
	struct kprobe_copy c = { .room = need, .ip = TO };
	u8 buf[ROOM] = {};

	c.buf = buf;
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_NONE,
			reloc_do(test, &c, t->bytes, FROM));
	c = (struct kprobe_copy){ .buf = buf, .room = need - 1, .ip = TO };
	KUNIT_EXPECT_EQ(test, KPROBE_NOJUMP_INSN,
			reloc_do(test, &c, t->bytes, FROM));
}

/* What is relative to itself has to be in reach; on 32 bit, everything is. */
static void reloc_reach(struct kunit *test)
{
	const struct reloc_case *t = test->param_value;
	struct kprobe_copy c = { .room = ROOM, .ip = TO - FAR };
	u8 buf[ROOM] = {};

	c.buf = buf;
	KUNIT_EXPECT_EQ(test, t->target && IS_ENABLED(CONFIG_X86_64) ?
				KPROBE_NOJUMP_REACH : KPROBE_NOJUMP_NONE,
			reloc_do(test, &c, t->bytes, FROM));
}

/* What a call would read relative to the stack pointer has moved. */
static void reloc_refused(struct kunit *test)
{
	static const u8 refused[][MAX_INSN_SIZE] = {
		{ 0xff, 0x14, 0x24 },			/* call *(%rsp) */
		{ 0xff, 0x54, 0x24, 0x08 },		/* call *8(%rsp) */
		{ 0xff, 0xd4 },				/* call *%rsp */
	};
	u8 buf[ROOM];
	int i;

	for (i = 0; i < ARRAY_SIZE(refused); i++) {
		struct kprobe_copy c = { .buf = buf, .room = ROOM, .ip = TO };

		KUNIT_EXPECT_EQ_MSG(test, KPROBE_NOJUMP_INSN,
				    reloc_do(test, &c, refused[i], FROM),
				    "%d", i);
		KUNIT_EXPECT_EQ(test, 0, c.len);
	}
}

/* Where in a cache line the last byte of an instruction is. */
enum reloc_half { LOWER = 0x1f, UPPER = 0x3f };

/* Where the mitigation of ITS is in use, and a thunk of another one is not. */
static bool reloc_its_return(void)
{
	return cpu_wants_rethunk_at((void *)LOWER) && !cpu_wants_rethunk_at((void *)UPPER);
}

/* @size: of the copy, up to the last byte of the branch. */
static enum kprobe_nojump reloc_half(struct kunit *test, struct kprobe_copy *c,
				     const u8 *bytes, enum reloc_half from,
				     enum reloc_half to, unsigned int size)
{
	struct insn insn;

	KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, bytes));
	c->ip = TO + to - (size - 1);
	return reloc_do(test, c, bytes, FROM + from - (insn.length - 1));
}

/* Expect that a branch is copied as it is, but by @moved from the upper half to the lower. */
static void reloc_halves(struct kunit *test, const u8 *bytes, unsigned int size,
			 enum kprobe_nojump moved)
{
	static const enum reloc_half halves[] = { LOWER, UPPER };
	int i;

	for (i = 0; i < 4; i++) {
		enum reloc_half from = halves[i / 2], to = halves[i % 2];
		u8 buf[ROOM] = {};
		struct kprobe_copy c = { .buf = buf, .room = ROOM };

		KUNIT_EXPECT_EQ_MSG(test, from == UPPER && to == LOWER ?
				    moved : KPROBE_NOJUMP_NONE,
				    reloc_half(test, &c, bytes, from, to, size),
				    "%*ph from %x to %x", 3, bytes, from, to);
	}
}

/* A mitigation lets returns and indirect branches end in the upper half only. */
static void reloc_its(struct kunit *test)
{
	static const u8 ret_imm[MAX_INSN_SIZE] = { 0xc2, 8, 0, INT3_INSN_OPCODE };
	static const u8 jmp_reg[MAX_INSN_SIZE] = { 0xff, 0xe0, INT3_INSN_OPCODE };
	static const u8 call_reg[MAX_INSN_SIZE] = { 0xff, 0xd0, INT3_INSN_OPCODE };
	enum kprobe_nojump its;

	its = reloc_its_return() ? KPROBE_NOJUMP_INSN : KPROBE_NOJUMP_NONE;
	reloc_halves(test, ret_imm, 3, its);
	its = cpu_feature_enabled(X86_FEATURE_INDIRECT_THUNK_ITS) ?
	      KPROBE_NOJUMP_INSN : KPROBE_NOJUMP_NONE;
	reloc_halves(test, jmp_reg, 2, its);
	reloc_halves(test, call_reg, PUSH_LEN(6), its);
}

static void reloc_its_thunk(struct kunit *test)
{
	static const u8 ret[MAX_INSN_SIZE] = { RET_INSN_OPCODE, INT3_INSN_OPCODE };
	u8 buf[ROOM] = {};
	struct kprobe_copy c = { .buf = buf, .room = ROOM };

	if (!reloc_its_return())
		kunit_skip(test, "the mitigation of ITS is not in use");
	reloc_halves(test, ret, 1, KPROBE_NOJUMP_NONE);
	reloc_half(test, &c, ret, UPPER, LOWER, 1);
	KUNIT_EXPECT_EQ(test, JMP32_INSN_OPCODE, buf[0]);
	KUNIT_EXPECT_EQ(test, (unsigned long)x86_return_thunk, c.ip + JMP32_INSN_SIZE +
			(s32)get_unaligned((s32 *)(buf + 1)));
	KUNIT_EXPECT_TRUE(test, c.ended);
}

/**
 * struct reloc_padding - an instruction that fills the space behind a function
 * @bytes: its bytes
 * @padding: is it taken for one?
 */
struct reloc_padding {
	u8 bytes[MAX_INSN_SIZE];
	bool padding;
};

static const struct reloc_padding reloc_paddings[] = {
	{ { 0xcc }, true },			/* int3 */
	{ { 0x90 }, true },			/* nop */
	{ { 0x66, 0x90 }, true },
	{ { 0xf3, 0x90 }, false },		/* pause */
	{ { 0x0f, 0x1f, 0x00 }, true },		/* nopl */
	{ { 0x0f, 0x0b }, false },		/* ud2 */
	{ { 0xc3 }, false },			/* ret */
	{ { 0xc5, 0xf8, 0x90, 0xc8 }, false },	/* kmovw %k0, %k1 */
	{ { 0x62, 0xf2, 0x7d, 0x48, 0xcc, 0xc1 }, false },	/* vrsqrt28ps %zmm1, %zmm0 */
#ifdef CONFIG_X86_64
	/* LEA and MOV clear the upper half of the register. */
	{ { 0x41, 0x90 }, false },
	{ { 0xd5, 0x80, 0xcc }, false },	/* bswap %esp */
	{ { 0x8d, 0x76, 0x00 }, false },
	{ { 0x89, 0xf6 }, false },
#else
	{ { 0x8d, 0x76, 0x00 }, true },
	{ { 0x8d, 0x74, 0x26, 0x00 }, true },
	{ { 0x3e, 0x8d, 0x74, 0x26, 0x00 }, true },
	{ { 0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00 }, true },
	{ { 0x8d, 0xbc, 0x27, 0x00, 0x00, 0x00, 0x00 }, true },
	{ { 0x89, 0xf6 }, true },
	{ { 0x89, 0xff }, true },
	{ { 0x89, 0xfe }, false },
	{ { 0x8d, 0x36 }, false },
	{ { 0x8d, 0x76, 0x01 }, false },
	{ { 0x8d, 0x77, 0x00 }, false },
	{ { 0x8d, 0x74, 0x36, 0x00 }, false },
	{ { 0x8d, 0x74, 0x27, 0x00 }, false },
	{ { 0x67, 0x8d, 0x76, 0x00 }, false },
#endif
};

/* What stands behind a jump or a return may be led to, but for padding. */
static void reloc_is_padding(struct kunit *test)
{
	struct insn insn;
	int i;

	for (i = 0; i < ARRAY_SIZE(reloc_paddings); i++) {
		KUNIT_ASSERT_EQ(test, 0, insn_decode_kernel(&insn, reloc_paddings[i].bytes));
		KUNIT_EXPECT_EQ_MSG(test, reloc_paddings[i].padding,
				    kprobe_is_padding(&insn), "%*ph",
				    insn.length, reloc_paddings[i].bytes);
	}
}

static struct kunit_case reloc_kunit_cases[] = {
	KUNIT_CASE_PARAM(reloc_bytes, reloc_cases_gen_params),
	KUNIT_CASE_PARAM(reloc_room, reloc_cases_gen_params),
	KUNIT_CASE_PARAM(reloc_reach, reloc_cases_gen_params),
	KUNIT_CASE(reloc_refused),
	KUNIT_CASE(reloc_its),
	KUNIT_CASE(reloc_its_thunk),
	KUNIT_CASE(reloc_is_padding),
	{}
};

static struct kunit_suite reloc_suite = {
	.name = "x86_kprobes_relocate",
	.test_cases = reloc_kunit_cases,
};

kunit_test_suite(reloc_suite);
