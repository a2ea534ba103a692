// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: a function that holds probes. Where its instructions
 * begin, and where its branches lead.
 *
 * For that, all of the function has to be decoded. Often the next probe is in
 * the function of the last one, so that is kept. It stays valid for as long as
 * the text exists: what is rewritten (by static keys, static calls, ftrace,
 * probes) is replaced by instructions that end at the same byte, and no caller
 * asks for what is inside of such a site.
 */
#include <linux/bitmap.h>
#include <linux/err.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/mm.h>
#include <linux/string.h>
#include <asm/insn.h>

#include "detour.h"
#include "func.h"
#include "insn.h"
#include "scan.h"
#include "text.h"

/* How much is read at a time. */
#define FUNC_WINDOW	128

/* The last function; none when @end is 0. Under kprobe_mutex. */
static struct kprobe_func kprobe_last_func;

/* How many bytes of a function its bitmaps have room for. */
static unsigned long kprobe_func_room;

/* Drop the function, see linux/kprobes_arch.h. */
void arch_forget_kprobe_text(void)
{
	kprobe_last_func.end = 0;
}

static bool kprobe_func_make_room(struct kprobe_func *f, unsigned long size)
{
	unsigned long room = roundup(size, PAGE_SIZE);
	unsigned long *maps;

	if (size > kprobe_func_room) {
		maps = kvmalloc_array(3 * BITS_TO_LONGS(room), sizeof(*maps),
				      GFP_KERNEL);
		if (!maps)
			return false;
		kvfree(f->begins);
		f->begins = maps;
		f->targets = maps + BITS_TO_LONGS(room);
		f->named = maps + 2 * BITS_TO_LONGS(room);
		kprobe_func_room = room;
	}
	bitmap_zero(f->begins, size);
	bitmap_zero(f->targets, size);
	bitmap_zero(f->named, size);
	return true;
}

/**
 * struct kprobe_reader - reads the instructions of a function
 * @len: the length of the last instruction
 * @scanned: the last instruction, if kprobe_scan_insn() was enough
 * @decoded: the last instruction, if it had to be decoded
 */
struct kprobe_reader {
	u8 len;
	struct insn scanned;
	struct insn decoded;
};

/* Returns the instruction at @bytes, NULL if it is dull, or an ERR_PTR(). */
static struct insn *kprobe_read_insn(struct kprobe_reader *r, const u8 *bytes)
{
	enum kprobe_scan found = kprobe_scan_insn(&r->scanned, bytes);

	if (found != KPROBE_SCAN_UNKNOWN) {
		r->len = r->scanned.length;
		return found == KPROBE_SCAN_DULL ? NULL : &r->scanned;
	}
	if (insn_decode_kernel(&r->decoded, bytes) ||
	    kprobe_insn_kind_of(&r->decoded) == KPROBE_INSN_UNKNOWN)
		return ERR_PTR(-EILSEQ);
	r->len = r->decoded.length;
	return &r->decoded;
}

/**
 * kprobe_each_insn() - decode the instructions of a range, as they were
 * @at: the first
 * @end: the byte after the last
 * @fn: called for each, with NULL for an instruction that leads nowhere and has
 *	no operand that may be an address
 * @data: for @fn
 *
 * Context: kprobe_mutex and text_mutex held.
 * Return: where that ended; if it is before @end, what stands there does not
 * decode, has an end that is not known, or belongs to a debugger.
 */
unsigned long kprobe_each_insn(unsigned long at, unsigned long end,
			       kprobe_insn_fn fn, void *data)
{
	u8 buf[FUNC_WINDOW], *bytes;
	unsigned long from = at, got = 0;
	struct kprobe_reader r;
	struct insn *insn;

	kprobe_scan_init(&r.scanned);
	for (; at < end; at += r.len) {
		if (at + MAX_INSN_SIZE > from + got) {
			from = at;
			got = sizeof(buf);
			if (!kprobe_read_original(buf, at, sizeof(buf)))
				break;
		}
		bytes = buf + (at - from);
		insn = kprobe_read_insn(&r, bytes);
		if (IS_ERR(insn) ||
		    (*bytes == INT3_INSN_OPCODE && kprobe_debugged(at)))
			break;
		fn(insn, at, data);
	}
	return at;
}

static void kprobe_func_mark(struct kprobe_func *f, unsigned long *map,
			     unsigned long addr)
{
	if (addr >= f->start && addr < f->end)
		__set_bit(addr - f->start, map);
}

/*
 * A displacement of 32 bits is a whole address on 32 bit, as LEA takes it. What adds
 * registers to an address in the function may work out where a jump goes.
 */
static void kprobe_func_note_disp(struct kprobe_func *f, struct insn *insn)
{
	unsigned long addr = (u32)insn->displacement.value;
	/* SDM 2A, table 2-2: a displacement without a register. */
	bool bare = (insn->modrm.bytes[0] & 0xc7) == 0x05;

	kprobe_func_mark(f, f->named, addr);
	f->scaled |= !bare && addr >= f->start && addr < f->end;
}

/* Note the addresses that the operands of an instruction hold, or may hold. */
static void kprobe_func_note_names(struct kprobe_func *f, struct insn *insn,
				   unsigned long at)
{
	unsigned long value = (long)insn->immediate.value;

	if (insn_rip_relative(insn))
		kprobe_func_mark(f, f->named,
				 at + insn->length + insn->displacement.value);
	if (IS_ENABLED(CONFIG_X86_32) && insn->displacement.nbytes == 4)
		kprobe_func_note_disp(f, insn);
	if (insn->immediate2.nbytes == 4)
		value = (u32)value | (u64)insn->immediate2.value << 32;
	if (insn->immediate.nbytes == 4)
		kprobe_func_mark(f, f->named, value);
}

/*
 * Does a jump take its target from a table? The length of the table is not
 * known. Compilers that guard indirect branches make none, hand-written code
 * does.
 */
static bool kprobe_jump_is_scaled(struct insn *insn)
{
	if (!insn->sib.nbytes)
		return false;
	/* SDM 2A, table 2-3: there is no index 4 without REX.X. */
	return X86_SIB_INDEX(insn->sib.bytes[0]) != 4 ||
	       X86_REX_X(insn->rex_prefix.value) || insn_is_rex2(insn);
}

/* DS, ES and FS: the numbers that ModRM.reg has for them. */
#define SEGMENTS_OF_C	(BIT(0) | BIT(3) | BIT(4))

/*
 * Does an instruction load DS, ES or FS? On 32 bit, C code relies on them, and
 * behind the instruction the handlers may find others.
 */
static bool kprobe_loads_segment(struct insn *insn)
{
	static const u8 loads[] = { 0x07, 0x1f, 0xc4, 0xc5 };	/* POP, LES, LDS */
	static const u8 loads_0f[] = { 0xa1, 0xb4 };		/* POP FS, LFS */
	const u8 *op = insn->opcode.bytes;

	if (insn_is_avx(insn))
		return false;
	if (op[0] == 0x8e)
		return BIT(X86_MODRM_REG(insn->modrm.bytes[0])) & SEGMENTS_OF_C;
	if (op[0] == 0x0f)
		return memchr(loads_0f, op[1], sizeof(loads_0f));
	return memchr(loads, op[0], sizeof(loads));
}

/**
 * kprobe_func_note_paths() - note where an instruction leads, or may lead
 * @insn: the instruction, or NULL for one that leads nowhere
 * @at: where it stands
 * @data: the function
 */
void kprobe_func_note_paths(struct insn *insn, unsigned long at, void *data)
{
	struct kprobe_func *f = data;
	enum kprobe_insn_kind kind;

	if (!insn)
		return;
	kind = kprobe_insn_kind_of(insn);
	if (kind == KPROBE_INSN_RELATIVE) {
		kprobe_func_mark(f, f->targets,
				 kprobe_insn_target(insn, at));
		return;
	}
	kprobe_func_note_names(f, insn, at);
	if (IS_ENABLED(CONFIG_X86_32))
		f->segment |= kprobe_loads_segment(insn);
	if (kind != KPROBE_INSN_INDIRECT_JUMP)
		return;
	f->indirect = true;
	f->scaled |= kprobe_jump_is_scaled(insn);
}

static void kprobe_func_note(struct insn *insn, unsigned long at, void *data)
{
	struct kprobe_func *f = data;

	__set_bit(at - f->start, f->begins);
	kprobe_func_note_paths(insn, at, data);
}

static int kprobe_func_read(struct kprobe_func *f, unsigned long addr)
{
	unsigned long start, end;

	f->end = 0;
	if (!kprobe_symbol_bounds(addr, &start, &end))
		return -ENOENT;
	if (!kprobe_func_make_room(f, end - start))
		return -ENOMEM;
	f->start = start;
	f->end = end;
	f->indirect = false;
	f->scaled = false;
	f->segment = false;
	f->whole = false;
	f->stop = kprobe_each_insn(start, end, kprobe_func_note, f);
	f->debugged = f->stop < end && kprobe_debugged(f->stop);
	return 0;
}

/**
 * kprobe_func_decoded() - a function that has been decoded already
 * @addr: an address
 *
 * Context: kprobe_mutex held.
 * Return: the function that holds @addr if it is the last one, else NULL.
 */
struct kprobe_func *kprobe_func_decoded(unsigned long addr)
{
	struct kprobe_func *f = &kprobe_last_func;

	return addr >= f->start && addr < f->end ? f : NULL;
}

/**
 * kprobe_func_decode() - decode a function, if that is not done yet
 * @addr: an address in it
 *
 * Context: kprobe_mutex and text_mutex held. May sleep.
 * Return: the function, until this is called for another one; ERR_PTR(-ENOENT)
 * when there is no symbol, ERR_PTR(-ENOMEM) when there is no memory.
 */
struct kprobe_func *kprobe_func_decode(unsigned long addr)
{
	struct kprobe_func *f = kprobe_func_decoded(addr);
	int ret;

	lockdep_assert_held(&text_mutex);
	/* The debugger may have removed its breakpoint since: try again. */
	if (f && !f->debugged)
		return f;
	ret = kprobe_func_read(&kprobe_last_func, addr);
	return ret ? ERR_PTR(ret) : &kprobe_last_func;
}

/* The length of the instruction at @addr as it decodes, or an error if it does not. */
static int kprobe_insn_length(unsigned long addr)
{
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;
	int ret;

	if (!kprobe_read_original(buf, addr, sizeof(buf)))
		return -EILSEQ;
	ret = insn_decode_kernel(&insn, buf);
	if (ret < 0)
		return -EILSEQ;
	if (insn.opcode.bytes[0] == INT3_INSN_OPCODE && kprobe_debugged(addr))
		return -EBUSY;
	return insn.length;
}

/**
 * kprobe_check_boundary() - does an instruction begin here?
 * @addr: an address in a function
 *
 * The function is decoded from its first byte. Padding in it (breakpoints
 * after a return or an indirect jump) is instructions, too. Behind one whose end is
 * not known, it is not known where the next one begins.
 *
 * Context: kprobe_mutex and text_mutex held.
 * Return: 0, -EILSEQ (no), -EBUSY (a debugger's breakpoint stands there).
 */
int kprobe_check_boundary(unsigned long addr)
{
	struct kprobe_func *f = kprobe_func_decode(addr);
	int len;

	if (IS_ERR(f))
		return PTR_ERR(f) == -ENOMEM ? -ENOMEM : -EILSEQ;
	if (f->stop > addr && !test_bit(addr - f->start, f->begins))
		return -EILSEQ;
	len = kprobe_insn_length(min(addr, f->stop));
	if (len < 0)
		return len;
	return f->stop >= addr ? 0 : -EILSEQ;
}
