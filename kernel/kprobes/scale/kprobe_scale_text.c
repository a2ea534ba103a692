// SPDX-License-Identifier: GPL-2.0
/*
 * Text for kprobe-scale.ko to probe: functions of certain instructions to be
 * called, and much that is never called, for the other probes there are.
 */
#include <linux/array_size.h>
#include <linux/build_bug.h>
#include <linux/completion.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/stringify.h>
#include <asm/ibt.h>

#include "kprobe_scale.h"
#include "kprobe_scale_text.h"

#define SCALE_BEGIN(name)						\
	".pushsection .text, \"ax\", @progbits\n"			\
	".balign 16\n"							\
	".globl " #name "\n"						\
	".type " #name ", @function\n"					\
	#name ":\n"							\
	ASM_ENDBR

#define SCALE_END(name)							\
	".size " #name ", . - " #name "\n"				\
	".popsection\n"

asm(SCALE_BEGIN(scale_plain)
	SCALE_PLAIN
	ASM_RET
	SCALE_END(scale_plain));

asm(SCALE_BEGIN(scale_plain_other)
	SCALE_PLAIN
	ASM_RET
	SCALE_END(scale_plain_other));

/* An instruction that few would let run without a second trap. */
asm(SCALE_BEGIN(scale_slow_entry)
	"	lfence\n"
	SCALE_PLAIN
	ASM_RET
	SCALE_END(scale_slow_entry));

asm(SCALE_BEGIN(scale_jmp)
	"	jmp	1f\n"
	"	nop\n"
	"1:\n"
	SCALE_PLAIN
	ASM_RET
	SCALE_END(scale_jmp));

/* The flags are those of the loop that calls. */
asm(SCALE_BEGIN(scale_jcc)
	"	jo	1f\n"
	"	nop\n"
	"1:\n"
	SCALE_PLAIN
	ASM_RET
	SCALE_END(scale_jcc));

asm(SCALE_BEGIN(scale_ret)
	ASM_RET
	SCALE_END(scale_ret));

asm(SCALE_BEGIN(scale_call)
	"	call	scale_ret\n"
	ASM_RET
	SCALE_END(scale_call));

noinline void scale_traced(void)
{
	barrier();
}

noinline void scale_traced_other(void)
{
	barrier();
}

DECLARE_COMPLETION(scale_wake);

noinline void scale_sleep(void)
{
	wait_for_completion(&scale_wake);
	barrier();
}

noinline __noclone void scale_deep(unsigned int calls)
{
	if (calls > 1)
		scale_deep(calls - 1);
	else
		wait_for_completion(&scale_wake);
	barrier();
}

asm(".pushsection .text, \"ax\", @progbits\n"
	/* It counts its uses, which makes the names. */
	".macro scale_dense_func\n"
	".balign 16\n"
	".type scale_dense_\\@, @function\n"
	"scale_dense_\\@:\n"
	"	.fill " __stringify(SCALE_DENSE_PLACES) " + 1, 1, 0x90\n"
	ASM_RET
	".size scale_dense_\\@, . - scale_dense_\\@\n"
	".endm\n"
	".balign 16\n"
	".globl scale_dense_start\n"
	"scale_dense_start:\n"
	ANNOTATE_NOENDBR
	".rept " __stringify(SCALE_DENSE_FUNCS) "\n"
	"	scale_dense_func\n"
	".endr\n"
	".popsection\n");

asm(SCALE_WIDE_TEXT(scale_wide));

#define ENTRY(n)	static noinline void scale_entry_##n(void) { barrier(); }
#define NAME(n)		scale_entry_##n,

THOUSAND(ENTRY)

const scale_fn scale_entries[] = { THOUSAND(NAME) };

static_assert(ARRAY_SIZE(scale_entries) == SCALE_ENTRY_MAX);
static_assert(SCALE_DENSE_FUNCS * SCALE_DENSE_PLACES >= SCALE_DENSE_MAX);
static_assert(SCALE_WIDE_FUNCS * SCALE_WIDE_PLACES >= SCALE_WIDE_MAX);
