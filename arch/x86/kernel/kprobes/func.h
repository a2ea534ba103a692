/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_FUNC_H
#define _X86_KPROBES_FUNC_H

#include <linux/types.h>

struct insn;

/**
 * struct kprobe_func - a function that holds probes
 * @start: its first byte
 * @end: the byte after its last
 * @stop: where decoding it had to stop, at least @end if it did not
 * @begins: a bit for each byte: an instruction begins there
 * @targets: a bit for each byte: a branch leads there
 * @named: a bit for each byte: an operand holds its address
 * @indirect: there is an indirect jump
 * @scaled: there is an indirect jump through a table; on 32 bit, also: an operand
 *	adds registers to an address in the function
 * @segment: there is an instruction that loads a segment register which C code
 *	relies on; on 32 bit only
 * @debugged: decoding had to stop at the breakpoint of a debugger
 * @whole: the branches of its other parts have been noted, too
 */
struct kprobe_func {
	unsigned long start;
	unsigned long end;
	unsigned long stop;
	unsigned long *begins;
	unsigned long *targets;
	unsigned long *named;
	bool indirect;
	bool scaled;
	bool segment;
	bool debugged;
	bool whole;
};

typedef void (*kprobe_insn_fn)(struct insn *insn, unsigned long at, void *data);

struct kprobe_func *kprobe_func_decoded(unsigned long addr);
struct kprobe_func *kprobe_func_decode(unsigned long addr);
int kprobe_check_boundary(unsigned long addr);
unsigned long kprobe_each_insn(unsigned long at, unsigned long end,
			       kprobe_insn_fn fn, void *data);
void kprobe_func_note_paths(struct insn *insn, unsigned long at, void *data);

#endif /* _X86_KPROBES_FUNC_H */
