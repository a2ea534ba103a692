/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_DETOUR_TEMPLATE_H
#define _X86_KPROBES_DETOUR_TEMPLATE_H
/*
 * What the templates of a detour's entry are made of: detour_32.c has the one for
 * 32-bit kernels, detour_64.c the one for 64-bit kernels.
 *
 * A template is data, and executed only as a copy; its labels give the offsets of
 * what has to be filled in. It pushes what a trap would have pushed; the stack
 * pointer for that can only be pushed before the gap is made. No instruction
 * between TEST and JNZ changes the flags.
 */
#include <linux/stringify.h>

/*
 * An instruction of the template, and how many words have been pushed when it
 * is about to be executed, for the unwinder.
 */
#define T(words, insn)							\
	"771:	" insn "\n"						\
	"	.pushsection .rodata.kprobe_words, \"a\"\n"		\
	"	.byte	771b - kprobe_detour_entry, " #words "\n"	\
	"	.popsection\n"

/* A place in the template, for DETOUR_OFFSET(). */
#define T_LABEL(label)							\
	"	.globl	kprobe_detour_" #label "\n"			\
	"kprobe_detour_" #label ":\n"

#define TEMPLATE_BEGIN							\
	".pushsection .rodata.kprobe_words, \"a\"\n"			\
	T_LABEL(words)							\
	".popsection\n"							\
	".pushsection .rodata\n"					\
	".balign 16\n"							\
	T_LABEL(entry)

#define TEMPLATE_END							\
	T_LABEL(entry_end)						\
	".popsection\n"							\
	".pushsection .rodata.kprobe_words, \"a\"\n"			\
	T_LABEL(words_end)						\
	".popsection\n"

#endif /* _X86_KPROBES_DETOUR_TEMPLATE_H */
