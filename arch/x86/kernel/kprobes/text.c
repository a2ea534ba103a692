// SPDX-License-Identifier: GPL-2.0
/*
 * Reading text as it is without probes, and writing copies of instructions.
 *
 * The core's points have the first byte that they replaced, and the optimizer's
 * detours the four bytes behind it. What other subsystems patch (static keys,
 * ftrace, alternatives) is text like any other: it decodes whenever
 * kprobe_mutex and text_mutex are held.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/kprobes.h>
#include <linux/perf_event.h>
#include <linux/printk.h>
#include <linux/uaccess.h>
#include <asm/alternative.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

#include "text.h"

#ifdef CONFIG_OPTPROBES
static void kprobe_undo_jump(u8 *buf, unsigned long start, size_t len, struct kprobe *p)
{
	struct optimized_kprobe *op = container_of(p, struct optimized_kprobe, kp);
	unsigned int i;

	if (!kprobe_optimized(p))
		return;
	for (i = 0; i < DISP32_SIZE; i++) {
		unsigned long a = (unsigned long)p->addr + 1 + i;

		if (a >= start && a < start + len)
			buf[a - start] = op->optinsn.tail[i];
	}
}
#else
static void kprobe_undo_jump(u8 *buf, unsigned long start, size_t len, struct kprobe *p)
{
}
#endif

/*
 * Undo in @buf, which was read from @start, what the point at @addr has
 * changed.
 */
static void kprobe_undo_point(u8 *buf, unsigned long start, size_t len,
			      unsigned long addr)
{
	struct kprobe *p = get_kprobe((void *)addr);

	if (!p || kprobe_ftrace(p))
		return;
	if (addr >= start && addr < start + len)
		buf[addr - start] = p->opcode;
	kprobe_undo_jump(buf, start, len, p);
}

/* Is a byte one of those that a point puts in the text? */
static bool kprobe_may_be_point(u8 byte)
{
	return byte == INT3_INSN_OPCODE || byte == JMP32_INSN_OPCODE;
}

/**
 * kprobe_read_original() - read text without probes
 * @buf: where to
 * @addr: where from
 * @len: how many bytes
 *
 * Context: kprobe_mutex held.
 * Return: how many bytes could be read; @buf is filled up with breakpoints,
 * which decode as instructions of one byte.
 */
size_t kprobe_read_original(u8 *buf, unsigned long addr, size_t len)
{
	unsigned long a;
	size_t got = len;

	while (got && copy_from_kernel_nofault(buf, (void *)addr, got))
		got--;
	memset(buf + got, INT3_INSN_OPCODE, len - got);
	for (a = addr - DISP32_SIZE; a < addr; a++)
		kprobe_undo_point(buf, addr, got, a);
	/*
	 * Upwards: the tail of a jump never covers the first byte of a point.
	 */
	for (a = addr; a < addr + got; a++) {
		if (kprobe_may_be_point(buf[a - addr]))
			kprobe_undo_point(buf, addr, got, a);
	}
	return got;
}

/**
 * kprobe_lock_reserved() - may a lock prefix be rewritten?
 * @start: the first byte of some text
 * @end: the byte after its last, at most two instructions further on
 *
 * To go through the table of all lock prefixes takes long. So first look
 * whether there is one at all, or the prefix that replaces it on a
 * uniprocessor.
 *
 * Context: kprobe_mutex and text_mutex held.
 * Return: whether one of the bytes may.
 */
bool kprobe_lock_reserved(unsigned long start, unsigned long end)
{
	u8 buf[2 * MAX_INSN_SIZE];
	size_t i, len = min(end - start, sizeof(buf));

	kprobe_read_original(buf, start, len);
	for (i = 0; i < len; i++) {
		if (buf[i] == 0xf0 || buf[i] == 0x3e)
			return alternatives_text_reserved((void *)start,
							  (void *)end);
	}
	return false;
}

/**
 * kprobe_write_copy() - fill a slot or a detour buffer
 * @to: where it is; no CPU runs it yet
 * @buf: the instructions
 * @len: how many bytes
 *
 * Perf gets the event before a CPU can run them, so that a trace can be
 * decoded.
 */
void kprobe_write_copy(kprobe_opcode_t *to, const u8 *buf, size_t len)
{
	text_poke_copy(to, buf, len);
	perf_event_text_poke(to, NULL, 0, buf, len);
}

/**
 * kprobe_erase_copy() - undo kprobe_write_copy()
 * @at: where it is; no CPU runs it any more
 * @len: how many bytes
 *
 * Filled with breakpoints, for a task that comes there because of a bug.
 */
void kprobe_erase_copy(kprobe_opcode_t *at, size_t len)
{
	perf_event_text_poke(at, at, len, NULL, 0);
	text_poke_set(at, INT3_INSN_OPCODE, len);
}

/**
 * kprobe_refuse() - log why an address is not probed; the caller returns the error
 * @addr: the address
 * @reason: why, in words that follow "not probed: "
 *
 * Return: always true, for use in conditions.
 */
bool kprobe_refuse(unsigned long addr, const char *reason)
{
	pr_info_ratelimited("%pS not probed: %s\n", (void *)addr, reason);
	return true;
}
