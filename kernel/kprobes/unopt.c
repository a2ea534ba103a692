// SPDX-License-Identifier: GPL-2.0
/*
 * Why a point is not reached by a jump, in words.
 */
#include "internal.h"

static const char * const kprobe_unopt_texts[KPROBE_NR_UNOPTS] = {
	[KPROBE_UNOPT_FTRACE]		= "on an ftrace site",
	[KPROBE_UNOPT_OFF]		= "optimization is switched off",
	[KPROBE_UNOPT_KNOB]		= "all probes are disarmed",
	[KPROBE_UNOPT_DISABLED]		= "disabled",
	[KPROBE_UNOPT_GONE]		= "its text is gone",
	[KPROBE_UNOPT_FAULT_HANDLER]	= "has a fault handler",
	[KPROBE_UNOPT_POST_HANDLER]	= "has a post handler",
	[KPROBE_UNOPT_WAITING]		= "waits for tasks to leave the region",
	[KPROBE_UNOPT_NEIGHBOUR]	= "another probe in the region",
	[KPROBE_UNOPT_NO_MEMORY]	= "no memory for a detour",
	[KPROBE_UNOPT_ARCH]		= "not possible on this architecture",
	[KPROBE_UNOPT_REACH]		= "an operand is out of reach of a detour",
	[KPROBE_UNOPT_NO_SYMBOL]	= "the extent of the function is not known",
	[KPROBE_UNOPT_SHORT]		= "the function ends in the region",
	[KPROBE_UNOPT_END]		= "code behind a jump or a return in the region",
	[KPROBE_UNOPT_DECODE]		= "the function does not decode",
	[KPROBE_UNOPT_PARTS]		= "too many functions of this name",
	[KPROBE_UNOPT_INSN]		= "an instruction in the region cannot run elsewhere",
	[KPROBE_UNOPT_TRAP]		= "a trap or the like in the region",
	[KPROBE_UNOPT_BRANCH]		= "a branch leads into the region",
	[KPROBE_UNOPT_JUMP_TABLE]	= "a jump table may lead into the region",
	[KPROBE_UNOPT_FIXUP]		= "an exception fixup leads into the region",
	[KPROBE_UNOPT_LABEL]		= "a static key leads into the region",
	[KPROBE_UNOPT_ADDRESS]		= "the address of an inner instruction is taken",
	[KPROBE_UNOPT_ENDBR]		= "an indirect branch may land in the region",
	[KPROBE_UNOPT_CALL]		= "a call in the region returns into it",
	[KPROBE_UNOPT_FAULT]		= "a task may sleep in the region, in a page fault",
	[KPROBE_UNOPT_FTRACE_SITE]	= "an ftrace site in the region",
	[KPROBE_UNOPT_JUMP_LABEL]	= "a jump label in the region",
	[KPROBE_UNOPT_STATIC_CALL]	= "a static call in the region",
	[KPROBE_UNOPT_ALTERNATIVE]	= "an alternative in the region",
};

/**
 * kprobe_unopt_text() - a reason in words
 * @unopt: the reason
 *
 * Return: the words; NULL for none.
 */
const char *kprobe_unopt_text(enum kprobe_unopt unopt)
{
	return kprobe_unopt_texts[unopt];
}
