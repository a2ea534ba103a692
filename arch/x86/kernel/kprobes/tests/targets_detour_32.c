// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose probed instructions have something to distinguish a copy from
 * the original: they go relative to themselves, fault, or are led to. Those for
 * 64-bit kernels are in targets_detour_64.c.
 *
 * The argument and the result are in EAX.
 */
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <asm/extable.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>

#include "targets_detour.h"

/*
 * Label 1 is the probed instruction, label 2 the one behind it. What is called
 * adds 5, and keeps all registers but EAX.
 */
#define TARGET_END(name)	KTEST_TARGET_END(name)

asm(KTEST_BEGIN(ktest_callee)
	"	lea	5(%eax), %eax\n"
	ASM_RET
	KTEST_END(ktest_callee)
	".pushsection .data\n"
	".balign 4\n"
	"ktest_callee_pointer: .long ktest_callee\n"
	".popsection\n");

asm(KTEST_BEGIN(ktest_call)
	"1:	call	ktest_callee\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call));

asm(KTEST_BEGIN(ktest_call_late)
	"1:	add	$2, %eax\n"
	"2:	call	ktest_callee\n"
	"	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call_late));

asm(KTEST_BEGIN(ktest_call_reg)
	"	mov	$ktest_callee, %edx\n"
	"1:	add	$1, %eax\n"
	"2:	call	*%edx\n"
	"	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call_reg));

asm(KTEST_BEGIN(ktest_call_mem)
	"1:	call	*ktest_callee_pointer\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call_mem));

asm(KTEST_BEGIN(ktest_call_sib)
	"	lea	ktest_callee_pointer-8, %edx\n"
	"	mov	$1, %ecx\n"
	"1:	call	*4(%edx, %ecx, 4)\n"
	"2:	nop\n"
	"	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call_sib));

asm(KTEST_BEGIN(ktest_jcc)
	"	mov	%eax, %edx\n"
	"	mov	$7, %eax\n"
	"	test	%edx, %edx\n"
	"1:	jz	3f\n"
	"2:	add	%edx, %eax\n"
	"	add	$2, %eax\n"
	"3:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_jcc));

asm(KTEST_BEGIN(ktest_jcc_late)
	"	mov	%eax, %edx\n"
	"	mov	$7, %eax\n"
	"1:	cmp	$1, %edx\n"
	"2:	ja	3f\n"
	"	add	$2, %eax\n"
	"3:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_jcc_late));

asm(KTEST_BEGIN(ktest_jcc_twice)
	"	mov	%eax, %edx\n"
	"	mov	$7, %eax\n"
	"	cmp	$1, %edx\n"
	"1:	je	3f\n"
	"2:	ja	4f\n"
	"	add	$2, %eax\n"
	"3:	add	$1, %eax\n"
	"4:	add	$16, %eax\n"
	ASM_RET
	TARGET_END(ktest_jcc_twice));

asm(KTEST_BEGIN(ktest_jmp)
	"1:	jmp	3f\n"
	/* Not reached, and no place to be at. */
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	"3:	lea	1(%eax), %eax\n"
	ASM_RET
	TARGET_END(ktest_jmp));

asm(KTEST_BEGIN(ktest_jmp_far)
	"1:	jmp	3f\n"
	"2:	.fill	200, 1, 0xcc\n"
	"3:	lea	1(%eax), %eax\n"
	ASM_RET
	TARGET_END(ktest_jmp_far));

asm(KTEST_BEGIN(ktest_jmp_back)
	"	jmp	4f\n"
	"3:	lea	9(%eax), %eax\n"
	ASM_RET
	"4:	add	$1, %eax\n"
	"1:	jmp	3b\n"
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_jmp_back));

asm(KTEST_BEGIN(ktest_jmp_reg)
	"	mov	$ktest_callee, %edx\n"
	"1:	jmp	*%edx\n"
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_jmp_reg));

asm(KTEST_BEGIN(ktest_jmp_mem)
	"1:	jmp	*ktest_callee_pointer\n"
	"2:	int3\n"
	TARGET_END(ktest_jmp_mem));

asm(KTEST_BEGIN(ktest_loop)
	"	lea	1(%eax), %ecx\n"
	"	xor	%eax, %eax\n"
	"3:	add	$3, %eax\n"
	"1:	loop	3b\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_loop));

/* A counter of a whole word. */
asm(KTEST_BEGIN(ktest_jrcxz)
	"	mov	%eax, %ecx\n"
	"	xor	%eax, %eax\n"
	"1:	jecxz	3f\n"
	"2:	add	$1, %eax\n"
	"3:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_jrcxz));

/* A counter of half a word; the other half is never zero. */
asm(KTEST_BEGIN(ktest_jcxz)
	"	lea	0x10000(%eax), %ecx\n"
	"	xor	%eax, %eax\n"
	"1:	jcxz	3f\n"
	"2:	add	$1, %eax\n"
	"3:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_jcxz));

asm(KTEST_BEGIN(ktest_back)
	"	lea	1(%eax), %eax\n"
	"1:" ASM_RET
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_back));

asm(KTEST_BEGIN(ktest_pushf)
	"	cmp	$2, %eax\n"
	"1:	pushfl\n"
	"2:	popl	%eax\n"
	"	and	$0x8d5, %eax\n"
	ASM_RET
	TARGET_END(ktest_pushf));

asm(KTEST_BEGIN(ktest_popf)
	"	mov	%eax, %edx\n"
	"	cmp	$2, %edx\n"
	"	pushfl\n"
	"	xor	%eax, %eax\n"
	"1:	popfl\n"
	"2:	sbb	%eax, %eax\n"
	"	add	%edx, %eax\n"
	ASM_RET
	TARGET_END(ktest_popf));

/* The interrupt flag as it was between CLI and STI, and behind. */
asm(KTEST_BEGIN(ktest_cli)
	"1:	cli\n"
	"2:	pushfl\n"
	"	sti\n"
	"	nop\n"
	"	nop\n"
	"	pushfl\n"
	"	popl	%eax\n"
	"	popl	%edx\n"
	"	shl	$2, %edx\n"
	"	or	%edx, %eax\n"
	"	and	$0xa00, %eax\n"
	ASM_RET
	TARGET_END(ktest_cli));

/* Adds 1 to EAX where it has been pushed: the last of eight registers. */
asm(KTEST_BEGIN(ktest_pusha)
	"1:	pusha\n"
	"2:	addl	$1, 28(%esp)\n"
	"	popa\n"
	ASM_RET
	TARGET_END(ktest_pusha));

/* The exception table has an entry for another instruction. */
asm(KTEST_BEGIN(ktest_table)
	"1:	add	$1, %eax\n"
	"2:	add	$1, %eax\n"
	"	mov	ktest_callee_pointer, %edx\n"
	"3:	mov	(%edx), %edx\n"
	"4:\n"
	ASM_RET
	_ASM_EXTABLE_UA(3b, 4b)
	TARGET_END(ktest_table));

/* Where there can be no jump. */
asm(KTEST_BEGIN(ktest_sleeps)
	"	mov	ktest_callee_pointer, %edx\n"
	"1:	lea	1(%eax), %eax\n"
	"2:	mov	(%edx), %edx\n"
	"	nop\n"
	"3:\n"
	ASM_RET
	_ASM_EXTABLE_UA(2b, 3b)
	TARGET_END(ktest_sleeps));

asm(KTEST_BEGIN(ktest_fixup)
	"	mov	ktest_callee_pointer, %edx\n"
	"3:	mov	(%edx), %edx\n"
	"1:	lea	1(%eax), %eax\n"
	"2:	nop\n"
	"	nop\n"
	ASM_RET
	_ASM_EXTABLE_UA(3b, 2b)
	TARGET_END(ktest_fixup));

/* The fixup decodes the instruction: no jump, though it goes on behind the region. */
asm(KTEST_BEGIN(ktest_pad_first)
	"	lea	1(%eax), %eax\n"
	"1:	mov	ktest_callee_pointer, %edx\n"
	"2:	nop\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZEROPAD)
	TARGET_END(ktest_pad_first));

asm(KTEST_BEGIN(ktest_pad_late)
	"1:	lea	1(%eax), %eax\n"
	"2:	mov	ktest_callee_pointer, %edx\n"
	"3:	nop\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(2b, 3b, EX_TYPE_ZEROPAD)
	TARGET_END(ktest_pad_late));

asm(KTEST_BEGIN(ktest_label)
	"3:	.byte " __stringify(BYTES_NOP5) "\n"
	"1:	lea	1(%eax), %eax\n"
	"2:	nop\n"
	"	nop\n"
	ASM_RET
	".pushsection __jump_table, \"aw\"\n"
	".balign 4\n"
	".long	3b - ., 2b - .\n"
	".long	ktest_target_key - .\n"
	".popsection\n"
	TARGET_END(ktest_label));

asm(KTEST_BEGIN(ktest_site)
	"1:	lea	1(%eax), %eax\n"
	"2:	.byte " __stringify(BYTES_NOP5) "\n"
	"3:	nop\n"
	ASM_RET
	".pushsection __jump_table, \"aw\"\n"
	".balign 4\n"
	".long	2b - ., 3b - .\n"
	".long	ktest_target_key - .\n"
	".popsection\n"
	TARGET_END(ktest_site));

asm(KTEST_BEGIN(ktest_branch_in)
	"	mov	%eax, %edx\n"
	"	mov	$1, %eax\n"
	"	test	%edx, %edx\n"
	"	jz	2f\n"
	"1:	add	%edx, %eax\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_branch_in));

asm(KTEST_BEGIN(ktest_loop_in)
	"	lea	1(%eax), %ecx\n"
	"	xor	%eax, %eax\n"
	"1:	add	$1, %eax\n"
	"2:	add	$3, %eax\n"
	"	loop	2b\n"
	ASM_RET
	TARGET_END(ktest_loop_in));

/* The handlers might find the segment that the function has loaded. */
asm(KTEST_BEGIN(ktest_segment)
	"	push	%es\n"
	"1:	lea	1(%eax), %eax\n"
	"2:	nop\n"
	"	nop\n"
	"	pop	%es\n"
	ASM_RET
	TARGET_END(ktest_segment));

asm(KTEST_BEGIN(ktest_trap)
	"	lea	1(%eax), %eax\n"
	"	test	%eax, %eax\n"
	"1:	jnz	3f\n"
	"2:	ud2\n"
	"	nop\n"
	"3:\n"
	ASM_RET
	TARGET_END(ktest_trap));

asm(KTEST_BEGIN(ktest_call_inside)
	"	mov	$ktest_callee, %edx\n"
	"1:	call	*%edx\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_call_inside));

asm(KTEST_BEGIN(ktest_call_stack)
	"	push	ktest_callee_pointer\n"
	"1:	call	*(%esp)\n"
	"2:	pop	%edx\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_call_stack));

asm(KTEST_BEGIN(ktest_short)
	"3:	lea	1(%eax), %eax\n"
	"	test	%eax, %eax\n"
	"	js	1f\n"
	ASM_RET
	"1:	jmp	3b\n"
	"2:\n"
	TARGET_END(ktest_short));

/* There are symbols but no sizes in kallsyms: this one ends ktest_short(). */
asm(".pushsection .text, \"ax\", @progbits\n"
	".type	ktest_behind_short, @function\n"
	"ktest_behind_short:\n"
	"	nop\n"
	ASM_RET
	".size	ktest_behind_short, . - ktest_behind_short\n"
	".popsection\n");

/* For what may fault at 1: -EFAULT is returned then. */
#define RET_OR_EFAULT							\
	"3:\n"								\
	ASM_RET								\
	"4:	mov	$-14, %eax\n"					\
	"	jmp	3b\n"						\
	_ASM_EXTABLE(1b, 4b)

asm(KTEST_BEGIN(ktest_first)
	"1:	mov	(%eax), %eax\n"
	"2:	nop\n"
	"	nop\n"
	"	nop\n"
	RET_OR_EFAULT
	TARGET_END(ktest_first));

asm(KTEST_BEGIN(ktest_call_where)
	"	mov	%eax, %ecx\n"
	"1:	call	*0x1000(%ecx)\n"
	"2:	nop\n"
	"	nop\n"
	"	nop\n"
	RET_OR_EFAULT
	TARGET_END(ktest_call_where));

asm(KTEST_BEGIN(ktest_late_msr)
	"1:	lea	1(%eax), %eax\n"
	"2:	mov	-1(%eax), %eax\n"
	"3:\n"
	ASM_RET
	_ASM_EXTABLE_TYPE_REG(2b, 3b, EX_TYPE_RDMSR_SAFE, %%eax)
	TARGET_END(ktest_late_msr));

/* Where the unwinder follows the frame pointer, that has to be one. */
#ifdef CONFIG_FRAME_POINTER
#define SET_BP	"	mov	%esp, %ebp\n"
#define SPOIL_BP
#else
#define SET_BP
#define SPOIL_BP	"	mov	$0x666, %ebp\n"
#endif

#define SAVE_ALL							\
	"	push	%ebp\n"						\
	SET_BP								\
	"	push	%ebx\n"						\
	"	push	%esi\n"						\
	"	push	%edi\n"

#define RESTORE_ALL							\
	"	pop	%edi\n"						\
	"	pop	%esi\n"						\
	"	pop	%ebx\n"						\
	"	pop	%ebp\n"

/* The function is called through ECX. */
#define SET_ALL								\
	"	mov	%eax, %ecx\n"					\
	"	mov	%edx, %eax\n"					\
	"	mov	$0x111, %ebx\n"					\
	"	mov	$0x333, %edx\n"					\
	"	mov	$0x444, %esi\n"					\
	"	mov	$0x555, %edi\n"					\
	SPOIL_BP							\
	"	cmp	%ecx, %ecx\n"

asm(KTEST_BEGIN(ktest_call_clean)
	SAVE_ALL
	SET_ALL
	"	call	*%ecx\n"
	RESTORE_ALL
	ASM_RET
	KTEST_END(ktest_call_clean));

/* POPF sets the trap flag; the trap comes behind the instruction after it. */
asm(KTEST_BEGIN(ktest_call_stepped)
	SAVE_ALL
	SET_ALL
	"	pushfl\n"
	"	orl	$0x100, (%esp)\n"
	"	popfl\n"
	"	call	*%ecx\n"
	"	pushfl\n"
	"	andl	$~0x100, (%esp)\n"
	"	popfl\n"
	RESTORE_ALL
	ASM_RET
	KTEST_END(ktest_call_stepped));

/* The first instruction is one byte long, and moves the stack pointer. */
asm(KTEST_BEGIN(ktest_push)
	"1:	push	%ebx\n"
	"2:	lea	1(%eax), %eax\n"
	"	nop\n"
	"	pop	%ebx\n"
	ASM_RET
	TARGET_END(ktest_push));

/* Likewise, the other way. */
asm(KTEST_BEGIN(ktest_pop)
	"	push	%ebx\n"
	"	lea	1(%eax), %eax\n"
	"1:	pop	%ebx\n"
	"2:	lea	1(%eax), %eax\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_pop));

/* The instructions are of one length, and the argument says how many are executed. */
asm(KTEST_BEGIN(ktest_computed)
	"	mov	%eax, %edx\n"
	"	not	%edx\n"
	"	lea	4f(%edx, %edx, 2), %edx\n"
	"	jmp	*%edx\n"
	"	lea	1(%eax), %eax\n"
	"1:	lea	1(%eax), %eax\n"
	"2:	lea	1(%eax), %eax\n"
	"	lea	1(%eax), %eax\n"
	"4:\n"
	ASM_RET
	TARGET_END(ktest_computed));

/* Code that has the address of an instruction may branch there. */
asm(KTEST_BEGIN(ktest_named)
	"	lea	2f, %edx\n"
	"1:	nop\n"
	"2:	lea	1(%eax), %eax\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_named));
