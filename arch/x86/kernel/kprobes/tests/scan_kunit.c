// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of the quick look at instructions: what it finds is what the
 * decoder finds.
 */
#include <kunit/test.h>
#include <linux/fs.h>
#include <linux/prandom.h>
#include <linux/string.h>
#include <asm/sections.h>

#include "../insn.h"
#include "../scan.h"

/* How much of the kernel's text is looked at. */
#define SCAN_TEXT	0x40000

/* May the displacement of @insn be an address, or lead to one? */
static bool scan_disp_leads(struct insn *insn)
{
	return insn_rip_relative(insn) ||
	       (IS_ENABLED(CONFIG_X86_32) && insn->displacement.nbytes == 4);
}

/* Does @insn, decoded, hold what may be an address, or a way to go? */
static bool scan_leads(struct insn *insn)
{
	return kprobe_insn_kind_of(insn) != KPROBE_INSN_PLAIN ||
	       scan_disp_leads(insn) || insn->immediate.nbytes == 4;
}

/* All that is used of an instruction that leads somewhere. */
static bool scan_equal(struct insn *a, struct insn *b)
{
	if (kprobe_insn_kind_of(a) != kprobe_insn_kind_of(b) ||
	    scan_disp_leads(a) != scan_disp_leads(b) ||
	    a->immediate.nbytes != b->immediate.nbytes ||
	    a->immediate2.nbytes != b->immediate2.nbytes ||
	    (a->immediate.nbytes && a->immediate.value != b->immediate.value))
		return false;
	return !scan_disp_leads(a) ||
	       a->displacement.value == b->displacement.value;
}

/* Does the quick look at @bytes contradict the decoder? */
static bool scan_wrong(struct insn *scanned, const u8 *bytes)
{
	enum kprobe_scan found = kprobe_scan_insn(scanned, bytes);
	struct insn insn;

	if (found == KPROBE_SCAN_UNKNOWN)
		return false;
	if (insn_decode_kernel(&insn, bytes) || scanned->length != insn.length)
		return true;
	if (found == KPROBE_SCAN_DULL)
		return scan_leads(&insn);
	return !scan_leads(&insn) || !scan_equal(scanned, &insn);
}

/* From each byte on, whether an instruction begins there or not. */
static void scan_text(struct kunit *test)
{
	const u8 *at = (u8 *)_stext;
	unsigned int wrong = 0;
	struct insn scanned;

	kprobe_scan_init(&scanned);
	for (; at < (u8 *)_stext + SCAN_TEXT; at++) {
		if (scan_wrong(&scanned, at) && !wrong++)
			kunit_info(test, "%*ph", MAX_INSN_SIZE, at);
		if (!((unsigned long)at % PAGE_SIZE))
			cond_resched();
	}
	KUNIT_EXPECT_EQ(test, 0, wrong);
}

struct scan_prefix {
	u8 len;
	u8 bytes[4];
};

static const struct scan_prefix scan_prefixes[] = {
	{ 0 }, { 1, { 0x48 } }, { 1, { 0x66 } }, { 2, { 0x66, 0x48 } },
	{ 1, { 0x65 } }, { 2, { 0x65, 0x4c } }, { 1, { 0x64 } }, { 1, { 0xf0 } },
	{ 2, { 0xf0, 0x41 } }, { 2, { 0x48, 0x66 } }, { 1, { 0xf3 } },
	{ 2, { 0x66, 0x66 } }, { 3, { 0x66, 0x66, 0x66 } }, { 1, { 0x2e } },
};

/* All opcodes of a map with all ModRM bytes; what is behind is random. */
static unsigned int scan_map(struct kunit *test, const struct scan_prefix *p,
			     bool two)
{
	unsigned int i, wrong = 0;
	struct rnd_state rnd;
	struct insn scanned;
	u8 bytes[32];

	kprobe_scan_init(&scanned);
	prandom_seed_state(&rnd, 1);
	for (i = 0; i < 0x10000; i++) {
		u8 *at = bytes + p->len;

		prandom_bytes_state(&rnd, bytes, sizeof(bytes));
		memcpy(bytes, p->bytes, p->len);
		if (two)
			*at++ = 0x0f;
		*at++ = i >> 8;
		*at = i;
		if (scan_wrong(&scanned, bytes) && !wrong++)
			kunit_info(test, "%*ph", MAX_INSN_SIZE, bytes);
	}
	cond_resched();
	return wrong;
}

static void scan_forms(struct kunit *test)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(scan_prefixes); i++) {
		KUNIT_EXPECT_EQ(test, 0, scan_map(test, &scan_prefixes[i], false));
		KUNIT_EXPECT_EQ(test, 0, scan_map(test, &scan_prefixes[i], true));
	}
}

/* Or it would be no use: nine of ten instructions are known. */
static void scan_share(struct kunit *test)
{
	const u8 *at = (u8 *)vfs_read, *end = at + SCAN_TEXT;
	unsigned int all = 0, known = 0;
	struct insn scanned, insn;

	kprobe_scan_init(&scanned);
	for (; at < end; at += insn.length, all++) {
		if (insn_decode_kernel(&insn, at))
			insn.length = 1;
		known += kprobe_scan_insn(&scanned, at) != KPROBE_SCAN_UNKNOWN;
	}
	kunit_info(test, "%u of %u instructions", known, all);
	KUNIT_EXPECT_GT(test, all, SCAN_TEXT / 16);
	KUNIT_EXPECT_GE(test, 100 * known, 85 * all);
}

static struct kunit_case scan_kunit_cases[] = {
	KUNIT_CASE(scan_text),
	KUNIT_CASE(scan_forms),
	KUNIT_CASE(scan_share),
	{}
};

static struct kunit_suite scan_suite = {
	.name = "x86_kprobes_scan",
	.test_cases = scan_kunit_cases,
};

kunit_test_suite(scan_suite);
