/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBE_SCALE_TEXT_H
#define _KPROBE_SCALE_TEXT_H
/*
 * Text that is there twice: in kprobe-scale.ko, and in kprobe-scale-gone.ko,
 * which is unloaded with probes in it.
 */
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/stringify.h>

/* Two instructions that a jump can replace, of four bytes each. */
#ifdef CONFIG_X86_64
#define SCALE_LEA	"	lea	1(%rax), %rax\n"
#else
/* lea 1(%eax), %eax, with a SIB byte that has no index: assemblers leave it out. */
#define SCALE_LEA	"	.byte	0x8d, 0x44, 0x20, 0x01\n"
#endif
#define SCALE_PLAIN	SCALE_LEA SCALE_LEA

/*
 * The places SCALE_WIDE_*, from @name_start on. The macro counts its uses, which
 * makes the names of the functions; the alignment gives them all an equal
 * distance.
 */
#define SCALE_WIDE_TEXT(name)						\
	".pushsection .text, \"ax\", @progbits\n"			\
	".macro " #name "_func\n"					\
	".balign 16\n"							\
	".type " #name "_\\@, @function\n"				\
	#name "_\\@:\n"						\
	".rept " __stringify(SCALE_WIDE_PLACES) " + 1\n"		\
	SCALE_PLAIN							\
	".endr\n"							\
	ASM_RET								\
	".size " #name "_\\@, . - " #name "_\\@\n"			\
	".endm\n"							\
	".balign 16\n"							\
	".globl " #name "_start\n"					\
	#name "_start:\n"						\
	ANNOTATE_NOENDBR						\
	".rept " __stringify(SCALE_WIDE_FUNCS) "\n"			\
	"	" #name "_func\n"					\
	".endr\n"							\
	".popsection\n"

/* @what for each number of three digits. */
#define TEN(what, n)	what(n##0) what(n##1) what(n##2) what(n##3) what(n##4) \
			what(n##5) what(n##6) what(n##7) what(n##8) what(n##9)
#define HUNDRED(what, n) TEN(what, n##0) TEN(what, n##1) TEN(what, n##2)      \
			 TEN(what, n##3) TEN(what, n##4) TEN(what, n##5)      \
			 TEN(what, n##6) TEN(what, n##7) TEN(what, n##8)      \
			 TEN(what, n##9)
#define THOUSAND(what)	HUNDRED(what, 0) HUNDRED(what, 1) HUNDRED(what, 2)    \
			HUNDRED(what, 3) HUNDRED(what, 4) HUNDRED(what, 5)    \
			HUNDRED(what, 6) HUNDRED(what, 7) HUNDRED(what, 8)    \
			HUNDRED(what, 9)

#endif /* _KPROBE_SCALE_TEXT_H */
