// SPDX-License-Identifier: GPL-2.0
/*
 * Why a point is not reached by a jump, in words.
 */
#include "internal.h"

static const char * const kprobe_nojump_texts[KPROBE_NR_NOJUMPS] = {
	[KPROBE_NOJUMP_FTRACE]		= "on an ftrace site",
	[KPROBE_NOJUMP_OFF]		= "optimization is switched off",
	[KPROBE_NOJUMP_KNOB]		= "all probes are disarmed",
	[KPROBE_NOJUMP_DISABLED]	= "disabled",
	[KPROBE_NOJUMP_GONE]		= "its text is gone",
	[KPROBE_NOJUMP_FAULT_HANDLER]	= "has a fault handler",
	[KPROBE_NOJUMP_POST_HANDLER]	= "has a post handler",
	[KPROBE_NOJUMP_WAITING]		= "waits for tasks to leave the region",
	[KPROBE_NOJUMP_NEIGHBOUR]	= "another probe in the region",
	[KPROBE_NOJUMP_NO_MEMORY]	= "no memory for a detour",
	[KPROBE_NOJUMP_ARCH]		= "not possible on this architecture",
	[KPROBE_NOJUMP_REACH]		= "an operand is out of reach of a detour",
	[KPROBE_NOJUMP_NO_SYMBOL]	= "the extent of the function is not known",
	[KPROBE_NOJUMP_SHORT]		= "the function ends in the region",
	[KPROBE_NOJUMP_END]		= "code behind a jump or a return in the region",
	[KPROBE_NOJUMP_DECODE]		= "the function does not decode",
	[KPROBE_NOJUMP_PARTS]		= "too many functions of this name",
	[KPROBE_NOJUMP_INSN]		= "an instruction in the region cannot run elsewhere",
	[KPROBE_NOJUMP_TRAP]		= "a trap or the like in the region",
	[KPROBE_NOJUMP_BRANCH]		= "a branch leads into the region",
	[KPROBE_NOJUMP_JUMP_TABLE]	= "a jump table may lead into the region",
	[KPROBE_NOJUMP_SEGMENT]		= "the function loads a segment register",
	[KPROBE_NOJUMP_FIXUP]		= "an exception fixup leads into the region",
	[KPROBE_NOJUMP_LABEL]		= "a static key leads into the region",
	[KPROBE_NOJUMP_ADDRESS]		= "the address of an inner instruction is taken",
	[KPROBE_NOJUMP_ENDBR]		= "an indirect branch may land in the region",
	[KPROBE_NOJUMP_CALL]		= "a call in the region returns into it",
	[KPROBE_NOJUMP_FAULT]		= "a task may sleep in the region, in a page fault",
	[KPROBE_NOJUMP_FTRACE_SITE]	= "an ftrace site in the region",
	[KPROBE_NOJUMP_JUMP_LABEL]	= "a jump label in the region",
	[KPROBE_NOJUMP_STATIC_CALL]	= "a static call in the region",
	[KPROBE_NOJUMP_ALTERNATIVE]	= "an alternative in the region",
	[KPROBE_NOJUMP_LIVEPATCH]	= "in the text of a live patch",
};

/**
 * kprobe_nojump_text() - a reason in words
 * @nojump: the reason
 *
 * Return: the words; NULL for none.
 */
const char *kprobe_nojump_text(enum kprobe_nojump nojump)
{
	return kprobe_nojump_texts[nojump];
}
