/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_NOJUMP_H
#define _LINUX_KPROBES_NOJUMP_H
/*
 * Why a point is not reached by a jump. The core knows some of the reasons, and
 * an architecture names the others in &optimized_kprobe.nojump. The texts that a
 * user reads are in kernel/kprobes/nojump.c.
 */
#include <linux/compiler.h>

/**
 * enum kprobe_nojump - why a point is not reached by a jump
 * @KPROBE_NOJUMP_NONE: it is
 * @KPROBE_NOJUMP_FTRACE: it stands on an ftrace site
 * @KPROBE_NOJUMP_OFF: the sysctl is off
 * @KPROBE_NOJUMP_KNOB: the knob is off
 * @KPROBE_NOJUMP_DISABLED: all its probes are disabled
 * @KPROBE_NOJUMP_GONE: its text is gone
 * @KPROBE_NOJUMP_FAULT_HANDLER: it has a fault handler, which a detour cannot
 *	call
 * @KPROBE_NOJUMP_POST_HANDLER: it has a post handler, which the architecture
 *	cannot call from a detour
 * @KPROBE_NOJUMP_WAITING: the jump will be put in when no task can be in the
 *	region any more
 * @KPROBE_NOJUMP_NEIGHBOUR: another probe stands in the region
 * @KPROBE_NOJUMP_NO_MEMORY: no memory; tried again when the point changes
 * @KPROBE_NOJUMP_ARCH: the architecture gave no reason
 * @KPROBE_NOJUMP_REACH: an operand is out of reach from the detour, or the
 *	detour from the point
 * @KPROBE_NOJUMP_NO_SYMBOL: no symbol says where the function begins and ends
 * @KPROBE_NOJUMP_SHORT: the function ends in the region
 * @KPROBE_NOJUMP_END: an instruction in the region never goes on behind itself,
 *	and what follows is no padding
 * @KPROBE_NOJUMP_DECODE: not all of the function could be decoded
 * @KPROBE_NOJUMP_PARTS: there are too many functions of this name to look at
 * @KPROBE_NOJUMP_INSN: an instruction of the region cannot run elsewhere
 * @KPROBE_NOJUMP_TRAP: an instruction of the region traps or leaves the
 *	kernel's code, and is found by its address then
 * @KPROBE_NOJUMP_BRANCH: a branch leads into the region
 * @KPROBE_NOJUMP_JUMP_TABLE: a jump table may lead into the region
 * @KPROBE_NOJUMP_SEGMENT: its function loads a segment register, which the handlers
 *	rely on
 * @KPROBE_NOJUMP_FIXUP: an exception fixup leads into the region
 * @KPROBE_NOJUMP_LABEL: a static key, when on, leads into the region
 * @KPROBE_NOJUMP_ADDRESS: the address of an inner instruction is taken
 * @KPROBE_NOJUMP_ENDBR: an indirect branch may land in the region
 * @KPROBE_NOJUMP_CALL: a call in the region returns into it
 * @KPROBE_NOJUMP_FAULT: a task may sleep in the region, in a page fault
 * @KPROBE_NOJUMP_FTRACE_SITE: an ftrace site lies in the region
 * @KPROBE_NOJUMP_JUMP_LABEL: a jump label lies in the region
 * @KPROBE_NOJUMP_STATIC_CALL: a static call lies in the region
 * @KPROBE_NOJUMP_ALTERNATIVE: an alternative in the region may still be patched
 * @KPROBE_NOJUMP_LIVEPATCH: it stands in a live patch, whose text may be relocated
 * @KPROBE_NR_NOJUMPS: number of reasons
 *
 * The region is the instructions that the jump would replace; "into the region"
 * means behind its first byte.
 */
enum kprobe_nojump {
	KPROBE_NOJUMP_NONE,
	KPROBE_NOJUMP_FTRACE,
	KPROBE_NOJUMP_OFF,
	KPROBE_NOJUMP_KNOB,
	KPROBE_NOJUMP_DISABLED,
	KPROBE_NOJUMP_GONE,
	KPROBE_NOJUMP_FAULT_HANDLER,
	KPROBE_NOJUMP_POST_HANDLER,
	KPROBE_NOJUMP_WAITING,
	KPROBE_NOJUMP_NEIGHBOUR,
	KPROBE_NOJUMP_NO_MEMORY,
	KPROBE_NOJUMP_ARCH,
	KPROBE_NOJUMP_REACH,
	KPROBE_NOJUMP_NO_SYMBOL,
	KPROBE_NOJUMP_SHORT,
	KPROBE_NOJUMP_END,
	KPROBE_NOJUMP_DECODE,
	KPROBE_NOJUMP_PARTS,
	KPROBE_NOJUMP_INSN,
	KPROBE_NOJUMP_TRAP,
	KPROBE_NOJUMP_BRANCH,
	KPROBE_NOJUMP_JUMP_TABLE,
	KPROBE_NOJUMP_SEGMENT,
	KPROBE_NOJUMP_FIXUP,
	KPROBE_NOJUMP_LABEL,
	KPROBE_NOJUMP_ADDRESS,
	KPROBE_NOJUMP_ENDBR,
	KPROBE_NOJUMP_CALL,
	KPROBE_NOJUMP_FAULT,
	KPROBE_NOJUMP_FTRACE_SITE,
	KPROBE_NOJUMP_JUMP_LABEL,
	KPROBE_NOJUMP_STATIC_CALL,
	KPROBE_NOJUMP_ALTERNATIVE,
	KPROBE_NOJUMP_LIVEPATCH,
	KPROBE_NR_NOJUMPS,
} __packed;

#endif /* _LINUX_KPROBES_NOJUMP_H */
