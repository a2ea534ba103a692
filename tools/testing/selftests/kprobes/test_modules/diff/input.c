// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test: what a snippet is given to work on. The same
 * seed, snippet and run make the same input, bare and probed.
 */
#include <linux/minmax.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include "diff.h"

/* Reached by snippets through pointers and relative to %rip. */
u8 diff_arena[DIFF_ARENA] __aligned(64);
DEFINE_PER_CPU(u64 [DIFF_PCPU], diff_pcpu);

/* Room on both sides of every pointer, for string operations either way. */
#define ARENA_FIRST	256
#define ARENA_STEP	32

/* Carries, signs and zeroes show up at the edges, random values miss them. */
static u64 diff_value(struct rnd_state *rnd)
{
	static const u64 edge[] = {
		0, 1, ~0ULL, 0x7f, 0x80, 0xffff, 0x80000000,
		0x7fffffffffffffff, 0x8000000000000000,
	};
	u64 v = prandom_u32_state(rnd);

	v = v << 32 | prandom_u32_state(rnd);
	switch (v >> 61) {
	case 0:
		return edge[(u32)v % ARRAY_SIZE(edge)];
	case 1:
		return (s64)(s32)v;
	default:
		return v;
	}
}

/* Edges are at the upper end of a word. */
static u64 diff_word(u64 v)
{
	return BITS_PER_LONG == 64 || v <= U32_MAX ? v : v >> 32;
}

/* On 32 bit, the segment's base is where the data is: see 32/descriptor.c. */
static u64 diff_segment_pointer(void)
{
	return IS_ENABLED(CONFIG_X86_64) ? (__force unsigned long)&diff_pcpu : 0;
}

static void diff_make_gpr(const struct diff_snippet *s, struct rnd_state *rnd)
{
	unsigned int i;

	for (i = 0; i < (IS_ENABLED(CONFIG_X86_64) ? 16 : 8); i++) {
		u64 v = diff_word(diff_value(rnd));

		if (s->ptr & BIT(i))
			v = (unsigned long)&diff_arena[ARENA_FIRST + ARENA_STEP * i];
		else if (s->gs & BIT(i))
			v = diff_segment_pointer();
		else if (s->idx & BIT(i))
			v &= 7;
		diff_in.gpr[i] = v;
	}
}

/*
 * A run with an odd number has the flags of the one before it inverted: both
 * ways of every branch on one flag are gone, whatever the seed.
 */
static u64 diff_make_flags(const struct diff_snippet *s, struct rnd_state *rnd,
			   unsigned int run)
{
	u64 mask = F_ALL | (s->opt & O_DF ? F_DF : 0);
	u64 flags = prandom_u32_state(rnd);

	if (run & 1)
		flags = ~flags;
	return (flags & mask) | F_IF;
}

void diff_make_input(const struct diff_snippet *s, unsigned int nr, unsigned int run)
{
	struct rnd_state rnd;

	prandom_seed_state(&rnd, (u64)diff_seed << 32 ^ nr << 12 ^ run >> 1);
	memset(&diff_in, 0, sizeof(diff_in));
	diff_in.flags = diff_make_flags(s, &rnd, run);

	/* All but the flags differs between the two runs of a pair, too. */
	if (run & 1)
		prandom_seed_state(&rnd, (u64)~diff_seed << 32 ^ nr << 12 ^ run);
	diff_make_gpr(s, &rnd);
	diff_in.mxcsr = 0x1f80;
	prandom_bytes_state(&rnd, diff_in.vec, sizeof(diff_in.vec));
	prandom_bytes_state(&rnd, diff_in.window, sizeof(diff_in.window));
	prandom_bytes_state(&rnd, diff_arena, sizeof(diff_arena));
	prandom_bytes_state(&rnd, *this_cpu_ptr(&diff_pcpu), sizeof(diff_pcpu));
	memset(&diff_out, 0, sizeof(diff_out));
}

/* What the condition code of a jump, set or move means for these flags. */
bool diff_cond(unsigned int cc, u64 flags)
{
	bool cf = flags & F_CF, zf = flags & F_ZF;
	bool sf = flags & F_SF, of = flags & F_OF;
	bool yes = false;

	switch (cc >> 1) {
	case 0:
		yes = of;
		break;
	case 1:
		yes = cf;
		break;
	case 2:
		yes = zf;
		break;
	case 3:
		yes = cf || zf;
		break;
	case 4:
		yes = sf;
		break;
	case 5:
		yes = flags & F_PF;
		break;
	case 6:
		yes = sf != of;
		break;
	case 7:
		yes = zf || sf != of;
		break;
	}
	return yes != (cc & 1);
}
