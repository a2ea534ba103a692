// SPDX-License-Identifier: GPL-2.0
/*
 * Functions to probe which end where the region of a jump would not, have labels that
 * no branch names, many other parts, or a static call.
 */
#include <linux/objtool.h>
#include <linux/static_call.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>

#include "kprobes/tests/testing.h"
#include "targets.h"

/* Tell objtool: something leads here. */
#define LED_TO		UNWIND_HINT(UNWIND_HINT_TYPE_FUNC, 0, 0, 0)

/* What stands behind the jump may be led to by a table. */
asm(KTEST_BEGIN(ktest_end_jmp)
	"1:	jmp	3f\n"
	"2:	" LED_TO
	"	lea	7(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	"3:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_end_jmp));

asm(KTEST_BEGIN(ktest_end_reg)
	"	mov	$ktest_end_reg_to, " KR_DX "\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	jmp	*" KR_DX "\n"
	"2:	" LED_TO
	"	lea	7(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_end_reg)
	KTEST_BEGIN(ktest_end_reg_to)
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_END(ktest_end_reg_to));

/* The jump is the second instruction. */
asm(KTEST_BEGIN(ktest_end_late)
	"1:	xchg	%ax, %ax\n"
	"2:	jmp	3f\n"
	LED_TO
	"	lea	7(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	"3:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_end_late));

/* What aligns the place behind it is nothing to go to. */
asm(KTEST_BEGIN(ktest_end_nops)
	"1:	jmp	3f\n"
	"2:	nop\n"
	"	.byte " __stringify(BYTES_NOP8) "\n"
	"3:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_end_nops));

/* Goes around until a handler sends it back to where it is led to. */
asm(KTEST_BEGIN(ktest_spin)
	"	jmp	1f\n"
	"3:	" LED_TO
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	"1:	jmp	1b\n"
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	KTEST_TARGET_END(ktest_spin)
	KTEST_OFFSET(ktest_spin_out, 3b, ktest_spin));

/* A table of unknown length; the tests do not use it. */
asm(KTEST_BEGIN(ktest_scaled)
	"	cmp	$3, " KR_ARG1 "\n"
	"	ja	3f\n"
	"1:	nop\n"
	"2:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	"3:	" ANNOTATE_RETPOLINE_SAFE
	"	jmp	*ktest_scaled_table(, " KR_ARG1 ", " KR_WORD ")\n"
	KTEST_TARGET_END(ktest_scaled)
	".pushsection .data\n"
	_ASM_ALIGN "\n"
	"ktest_scaled_table:" _ASM_PTR "ktest_scaled, ktest_callee\n"
	".popsection\n");

/* A label whose address is in read-only data only. */
asm(KTEST_BEGIN(ktest_goto)
	"1:	nop\n"
	"2:	" ANNOTATE_NOENDBR
	"	lea	1(" KR_ARG1 "), " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_goto)
	".pushsection .rodata\n"
	_ASM_ALIGN "\n"
	_ASM_PTR "ktest_goto, 2b\n"
	".popsection\n");

/* More parts than are looked at; no branch to one of them is ever taken. */
#define SPLIT_PARTS	".irp part, 0, 1, 2, 3, 4, 5, 6, 7, 8\n"

asm(KTEST_BEGIN(ktest_split)
	"1:	nop\n"
	"2:	lea	1(" KR_ARG1 "), " KR_AX "\n"
	"	test	" KR_AX ", " KR_AX "\n"
	SPLIT_PARTS
	"	jo	ktest_split.cold.\\part\n"
	".endr\n"
	ASM_RET
	KTEST_TARGET_END(ktest_split)
	".pushsection .text.unlikely, \"ax\", @progbits\n"
	SPLIT_PARTS
	".type ktest_split.cold.\\part, @function\n"
	"ktest_split.cold.\\part:\n"
	"	nop\n"
	ASM_RET
	".size ktest_split.cold.\\part, . - ktest_split.cold.\\part\n"
	".endr\n"
	".popsection\n");

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
/* As ktest_call_late(), but the call may be written anew. */
DEFINE_STATIC_CALL(ktest_static_to, ktest_callee);

asm(KTEST_BEGIN(ktest_static)
	"1:	add	$2, " KR_ARG1 "\n"
	"2:	call	" STATIC_CALL_TRAMP_STR(ktest_static_to) "\n"
	"	add	$1, " KR_AX "\n"
	ASM_RET
	KTEST_TARGET_END(ktest_static));

STACK_FRAME_NON_STANDARD_FP(ktest_static);
#endif
