// SPDX-License-Identifier: GPL-2.0
/*
 * Functions whose probed instructions have something to distinguish a copy from
 * the original: they go relative to themselves, fault, or are led to. Those for
 * 32-bit kernels are in targets_detour_32.c.
 */
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/objtool.h>
#include <asm/extable.h>
#include <asm/nops.h>
#include <asm/nospec-branch.h>

#include "targets.h"

/*
 * Label 1 is the probed instruction, label 2 the one behind it. What is called
 * adds 5, and keeps all registers but RAX.
 */
#define TARGET_END(name)	KTEST_TARGET_END(name)

asm(KTEST_BEGIN(ktest_callee)
	"	lea	5(%rdi), %rax\n"
	ASM_RET
	KTEST_END(ktest_callee)
	".pushsection .data\n"
	".balign 8\n"
	"ktest_callee_pointer: .quad ktest_callee\n"
	".popsection\n");

asm(KTEST_BEGIN(ktest_call)
	"1:	call	ktest_callee\n"
	"2:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call));

asm(KTEST_BEGIN(ktest_call_late)
	"1:	add	$2, %rdi\n"
	"2:	call	ktest_callee\n"
	"	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call_late));

asm(KTEST_BEGIN(ktest_call_reg)
	"	mov	$ktest_callee, %rdx\n"
	"1:	add	$1, %rdi\n"
	"2:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*%rdx\n"
	"	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call_reg));

asm(KTEST_BEGIN(ktest_call_high_reg)
	"	push	%r13\n"
	"	mov	$ktest_callee, %r13\n"
	"1:	add	$1, %rdi\n"
	"2:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*%r13\n"
	"	pop	%r13\n"
	ASM_RET
	TARGET_END(ktest_call_high_reg));

asm(KTEST_BEGIN(ktest_call_mem)
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*ktest_callee_pointer(%rip)\n"
	"2:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call_mem));

asm(KTEST_BEGIN(ktest_call_sib)
	"	lea	ktest_callee_pointer-16(%rip), %rdx\n"
	"	mov	$1, %ecx\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*8(%rdx, %rcx, 8)\n"
	"2:	nop\n"
	"	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call_sib));

asm(KTEST_BEGIN(ktest_jcc)
	"	mov	$7, %eax\n"
	"	test	%edi, %edi\n"
	"1:	jz	3f\n"
	"2:	add	%rdi, %rax\n"
	"	add	$2, %rax\n"
	"3:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_jcc));

asm(KTEST_BEGIN(ktest_jcc_late)
	"	mov	$7, %eax\n"
	"1:	cmp	$1, %edi\n"
	"2:	ja	3f\n"
	"	add	$2, %rax\n"
	"3:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_jcc_late));

asm(KTEST_BEGIN(ktest_jcc_twice)
	"	mov	$7, %eax\n"
	"	cmp	$1, %edi\n"
	"1:	je	3f\n"
	"2:	ja	4f\n"
	"	add	$2, %rax\n"
	"3:	add	$1, %rax\n"
	"4:	add	$16, %rax\n"
	ASM_RET
	TARGET_END(ktest_jcc_twice));

asm(KTEST_BEGIN(ktest_jmp)
	"1:	jmp	3f\n"
	/* Not reached, and no place to be at. */
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	"3:	lea	1(%rdi), %rax\n"
	ASM_RET
	TARGET_END(ktest_jmp));

asm(KTEST_BEGIN(ktest_jmp_far)
	"1:	jmp	3f\n"
	"2:	.fill	200, 1, 0xcc\n"
	"3:	lea	1(%rdi), %rax\n"
	ASM_RET
	TARGET_END(ktest_jmp_far));

asm(KTEST_BEGIN(ktest_jmp_back)
	"	jmp	4f\n"
	"3:	lea	9(%rdi), %rax\n"
	ASM_RET
	"4:	add	$1, %rdi\n"
	"1:	jmp	3b\n"
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_jmp_back));

asm(KTEST_BEGIN(ktest_jmp_reg)
	"	mov	$ktest_callee, %rdx\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	jmp	*%rdx\n"
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_jmp_reg));

asm(KTEST_BEGIN(ktest_jmp_mem)
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	jmp	*ktest_callee_pointer(%rip)\n"
	"2:	int3\n"
	TARGET_END(ktest_jmp_mem));

asm(KTEST_BEGIN(ktest_loop)
	"	lea	1(%rdi), %ecx\n"
	"	xor	%eax, %eax\n"
	"3:	add	$3, %rax\n"
	"1:	loop	3b\n"
	"2:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_loop));

asm(KTEST_BEGIN(ktest_jrcxz)
	"	mov	%rdi, %rcx\n"
	"	xor	%eax, %eax\n"
	"1:	jrcxz	3f\n"
	"2:	add	$1, %rax\n"
	"3:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_jrcxz));

asm(KTEST_BEGIN(ktest_back)
	"	lea	1(%rdi), %rax\n"
	"1:" ASM_RET
	"2:	int3\n"
	"	int3\n"
	"	int3\n"
	"	int3\n"
	TARGET_END(ktest_back));

asm(KTEST_BEGIN(ktest_pushf)
	"	cmp	$2, %rdi\n"
	"1:	pushfq\n"
	"2:	popq	%rax\n"
	"	and	$0x8d5, %eax\n"
	ASM_RET
	TARGET_END(ktest_pushf));

asm(KTEST_BEGIN(ktest_popf)
	"	cmp	$2, %rdi\n"
	"	pushfq\n"
	"	xor	%eax, %eax\n"
	"1:	popfq\n"
	"2:	sbb	%eax, %eax\n"
	"	add	%edi, %eax\n"
	ASM_RET
	TARGET_END(ktest_popf));

/* The interrupt flag as it was between CLI and STI, and behind. */
asm(KTEST_BEGIN(ktest_cli)
	"1:	cli\n"
	"2:	pushfq\n"
	"	sti\n"
	"	nop\n"
	"	nop\n"
	"	pushfq\n"
	"	popq	%rax\n"
	"	popq	%rdx\n"
	"	shl	$2, %rdx\n"
	"	or	%rdx, %rax\n"
	"	and	$0xa00, %eax\n"
	ASM_RET
	TARGET_END(ktest_cli));

/* The exception table has an entry for another instruction. */
asm(KTEST_BEGIN(ktest_table)
	"1:	add	$1, %rdi\n"
	"2:	add	$1, %rdi\n"
	"	mov	ktest_callee_pointer(%rip), %rdx\n"
	"3:	mov	(%rdx), %rdx\n"
	"4:	mov	%rdi, %rax\n"
	ASM_RET
	_ASM_EXTABLE_UA(3b, 4b)
	TARGET_END(ktest_table));

/* Where there can be no jump. */
asm(KTEST_BEGIN(ktest_sleeps)
	"	mov	ktest_callee_pointer(%rip), %rdx\n"
	"1:	lea	1(%rdi), %rax\n"
	"2:	mov	(%rdx), %rdx\n"
	"	nop\n"
	"3:\n"
	ASM_RET
	_ASM_EXTABLE_UA(2b, 3b)
	TARGET_END(ktest_sleeps));

asm(KTEST_BEGIN(ktest_fixup)
	"	mov	ktest_callee_pointer(%rip), %rdx\n"
	"3:	mov	(%rdx), %rdx\n"
	"1:	lea	1(%rdi), %rax\n"
	"2:	nop\n"
	"	nop\n"
	ASM_RET
	_ASM_EXTABLE_UA(3b, 2b)
	TARGET_END(ktest_fixup));

/* The fixup decodes the instruction: no jump, though it goes on behind the region. */
asm(KTEST_BEGIN(ktest_pad_first)
	"	lea	1(%rdi), %rax\n"
	"1:	mov	ktest_callee_pointer(%rip), %rdx\n"
	"2:	nop\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(1b, 2b, EX_TYPE_ZEROPAD)
	TARGET_END(ktest_pad_first));

asm(KTEST_BEGIN(ktest_pad_late)
	"1:	lea	1(%rdi), %rax\n"
	"2:	mov	ktest_callee_pointer(%rip), %rdx\n"
	"3:	nop\n"
	ASM_RET
	_ASM_EXTABLE_TYPE(2b, 3b, EX_TYPE_ZEROPAD)
	TARGET_END(ktest_pad_late));

asm(KTEST_BEGIN(ktest_label)
	"3:	.byte " __stringify(BYTES_NOP5) "\n"
	"1:	lea	1(%rdi), %rax\n"
	"2:	nop\n"
	"	nop\n"
	ASM_RET
	".pushsection __jump_table, \"aw\"\n"
	".balign 8\n"
	".long	3b - ., 2b - .\n"
	".quad	ktest_target_key - .\n"
	".popsection\n"
	TARGET_END(ktest_label));

asm(KTEST_BEGIN(ktest_site)
	"1:	lea	1(%rdi), %rax\n"
	"2:	.byte " __stringify(BYTES_NOP5) "\n"
	"3:	nop\n"
	ASM_RET
	".pushsection __jump_table, \"aw\"\n"
	".balign 8\n"
	".long	2b - ., 3b - .\n"
	".quad	ktest_target_key - .\n"
	".popsection\n"
	TARGET_END(ktest_site));

asm(KTEST_BEGIN(ktest_branch_in)
	"	mov	$1, %eax\n"
	"	test	%edi, %edi\n"
	"	jz	2f\n"
	"1:	add	%edi, %eax\n"
	"2:	add	$1, %eax\n"
	ASM_RET
	TARGET_END(ktest_branch_in));

asm(KTEST_BEGIN(ktest_loop_in)
	"	lea	1(%rdi), %ecx\n"
	"	xor	%eax, %eax\n"
	"1:	add	$1, %eax\n"
	"2:	add	$3, %eax\n"
	"	loop	2b\n"
	ASM_RET
	TARGET_END(ktest_loop_in));

asm(KTEST_BEGIN(ktest_landing)
	"1:	lea	1(%rdi), %rax\n"
	"2:	endbr64\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_landing));

asm(KTEST_BEGIN(ktest_trap)
	"	lea	1(%rdi), %rax\n"
	"	test	%rax, %rax\n"
	"1:	jnz	3f\n"
	"2:	ud2\n"
	"	nop\n"
	"3:\n"
	ASM_RET
	TARGET_END(ktest_trap));

asm(KTEST_BEGIN(ktest_call_inside)
	"	mov	$ktest_callee, %rdx\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*%rdx\n"
	"2:	add	$1, %rax\n"
	ASM_RET
	TARGET_END(ktest_call_inside));

asm(KTEST_BEGIN(ktest_call_stack)
	"	push	ktest_callee_pointer(%rip)\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*(%rsp)\n"
	"2:	pop	%rdx\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_call_stack));

asm(KTEST_BEGIN(ktest_short)
	"3:	lea	1(%rdi), %rax\n"
	"	test	%edi, %edi\n"
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
	"4:	mov	$-14, %rax\n"					\
	"	jmp	3b\n"						\
	_ASM_EXTABLE(1b, 4b)

asm(KTEST_BEGIN(ktest_first)
	"1:	mov	(%rdi), %rax\n"
	"2:	nop\n"
	"	nop\n"
	RET_OR_EFAULT
	TARGET_END(ktest_first));

asm(KTEST_BEGIN(ktest_call_where)
	"	mov	%rdi, %rcx\n"
	"1:	" ANNOTATE_RETPOLINE_SAFE
	"	call	*0x1000(%rcx)\n"
	"2:	nop\n"
	"	nop\n"
	"	nop\n"
	RET_OR_EFAULT
	TARGET_END(ktest_call_where));

asm(KTEST_BEGIN(ktest_late_msr)
	"1:	lea	1(%rdi), %rax\n"
	"2:	mov	-1(%rax), %rax\n"
	"3:\n"
	ASM_RET
	_ASM_EXTABLE_TYPE_REG(2b, 3b, EX_TYPE_RDMSR_SAFE, %%eax)
	TARGET_END(ktest_late_msr));

/* Where the unwinder follows the frame pointer, that has to be one. */
#ifdef CONFIG_FRAME_POINTER
#define SET_BP	"	mov	%rsp, %rbp\n"
#define SPOIL_BP
#else
#define SET_BP
#define SPOIL_BP	"	mov	$0x555, %ebp\n"
#endif

#define SAVE_ALL							\
	"	push	%rbp\n"						\
	SET_BP								\
	"	push	%rbx\n"						\
	"	push	%r12\n"						\
	"	push	%r13\n"						\
	"	push	%r14\n"						\
	"	push	%r15\n"

#define RESTORE_ALL							\
	"	pop	%r15\n"						\
	"	pop	%r14\n"						\
	"	pop	%r13\n"						\
	"	pop	%r12\n"						\
	"	pop	%rbx\n"						\
	"	pop	%rbp\n"

#define SET_ALL								\
	"	mov	%rdi, %rax\n"						\
	"	mov	%rsi, %rdi\n"						\
	"	mov	$0x111, %ebx\n"					\
	"	mov	$0x222, %ecx\n"					\
	"	mov	$0x333, %edx\n"					\
	"	mov	$0x444, %esi\n"					\
	SPOIL_BP							\
	"	mov	$0x888, %r8d\n"					\
	"	mov	$0x999, %r9d\n"					\
	"	mov	$0xaaa, %r10d\n"				\
	"	mov	$0xbbb, %r11d\n"				\
	"	mov	$0xccc, %r12d\n"				\
	"	mov	$0xddd, %r13d\n"				\
	"	mov	$0xeee, %r14d\n"				\
	"	mov	$0xfff, %r15d\n"				\
	"	cmp	%eax, %eax\n"

asm(KTEST_BEGIN(ktest_call_clean)
	SAVE_ALL
	SET_ALL
	ANNOTATE_RETPOLINE_SAFE
	"	call	*%rax\n"
	RESTORE_ALL
	ASM_RET
	KTEST_END(ktest_call_clean));

/* POPF sets the trap flag; the trap comes behind the instruction after it. */
asm(KTEST_BEGIN(ktest_call_stepped)
	SAVE_ALL
	SET_ALL
	"	pushfq\n"
	"	orl	$0x100, (%rsp)\n"
	"	popfq\n"
	ANNOTATE_RETPOLINE_SAFE
	"	call	*%rax\n"
	"	pushfq\n"
	"	andl	$~0x100, (%rsp)\n"
	"	popfq\n"
	RESTORE_ALL
	ASM_RET
	KTEST_END(ktest_call_stepped));

/* The first instruction is one byte long, and moves the stack pointer. */
asm(KTEST_BEGIN(ktest_push)
	"1:	push	%rbx\n"
	"2:	lea	1(%rdi), %rax\n"
	"	nop\n"
	"	pop	%rbx\n"
	ASM_RET
	TARGET_END(ktest_push));

/* Likewise, the other way. */
asm(KTEST_BEGIN(ktest_pop)
	"	push	%rbx\n"
	"	lea	1(%rdi), %rax\n"
	"1:	pop	%rbx\n"
	"2:	lea	1(%rax), %rax\n"
	"	nop\n"
	ASM_RET
	TARGET_END(ktest_pop));

/* Code that has the address of an instruction may branch there. */
asm(KTEST_BEGIN(ktest_named)
	"	lea	2f(%rip), %rdx\n"
	"1:	nop\n"
	"2:	lea	1(%rdi), %rax\n"
	ASM_RET
	TARGET_END(ktest_named));

/* They call, and set up no frame pointer. */
STACK_FRAME_NON_STANDARD_FP(ktest_call);
STACK_FRAME_NON_STANDARD_FP(ktest_call_late);
STACK_FRAME_NON_STANDARD_FP(ktest_call_reg);
STACK_FRAME_NON_STANDARD_FP(ktest_call_high_reg);
STACK_FRAME_NON_STANDARD_FP(ktest_call_mem);
STACK_FRAME_NON_STANDARD_FP(ktest_call_sib);
STACK_FRAME_NON_STANDARD_FP(ktest_call_inside);
STACK_FRAME_NON_STANDARD_FP(ktest_call_stack);
