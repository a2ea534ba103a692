/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_SCAN_H
#define _X86_KPROBES_SCAN_H

#include <linux/types.h>

struct insn;

/**
 * enum kprobe_scan - what kprobe_scan_insn() has found
 * @KPROBE_SCAN_UNKNOWN: nothing: the instruction has to be decoded
 * @KPROBE_SCAN_DULL: an instruction that does not branch, and whose operands
 *	hold no address of text: only its length matters
 * @KPROBE_SCAN_LEADS: a branch, or an instruction with such an operand
 */
enum kprobe_scan {
	KPROBE_SCAN_UNKNOWN,
	KPROBE_SCAN_DULL,
	KPROBE_SCAN_LEADS,
};

void kprobe_scan_init(struct insn *insn);
enum kprobe_scan kprobe_scan_insn(struct insn *insn, const u8 *bytes);

#endif /* _X86_KPROBES_SCAN_H */
