// SPDX-License-Identifier: GPL-2.0
/*
 * Return hooks on x86: the return address lies on the stack, the trampoline
 * takes its place there.
 */
#include <linux/compiler.h>
#include <linux/kprobes.h>
#include <linux/linkage.h>
#include <linux/objtool.h>
#include <linux/rethook_hit.h>
#include <linux/stringify.h>
#include <asm/frame.h>
#include <asm/ptrace.h>
#include <asm/segment.h>
#include <asm/unwind_hints.h>

void __noendbr x86_rethook_return(struct pt_regs *regs);

/*
 * What happens here:
 *
 * The function's RET has taken the trampoline's address off the stack. The
 * first thing is to push it again: the slot is what tells this call from
 * others, what unwinders look at, and what this code's own RET will take. From
 * there on the stack looks like that of a function called from where the
 * hooked one was called. (Should an interrupt come before, the unwinder knows
 * the case by its instruction pointer, which is the very address.)
 *
 * Below the slot a struct pt_regs is built. Its stack pointer and instruction
 * pointer are filled in by the C code. On the way out, everything is restored
 * from there but segments, the stack and the instruction pointer. The flags are
 * the last to be restored, so nothing after it may change them: the stack
 * pointer is moved by LEA.
 */
#ifdef CONFIG_X86_64
asm(".pushsection .text, \"ax\", @progbits\n"
	".p2align 4\n"
	".globl arch_rethook_trampoline\n"
	".type arch_rethook_trampoline, @function\n"
	"arch_rethook_trampoline:\n"
	ANNOTATE_NOENDBR
	"	pushq	$arch_rethook_trampoline\n"
	UNWIND_HINT_FUNC
	"	pushq	$" __stringify(__KERNEL_DS) "\n"
	"	pushq	%rsp\n"
	"	pushfq\n"
	"	pushq	$" __stringify(__KERNEL_CS) "\n"
	"	pushq	$.Lrethook_called\n"
	"	pushq	$-1\n"
	"	pushq	%rdi\n"
	"	pushq	%rsi\n"
	"	pushq	%rdx\n"
	"	pushq	%rcx\n"
	"	pushq	%rax\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%r10\n"
	"	pushq	%r11\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	ENCODE_FRAME_POINTER
	"	movq	%rsp, %rdi\n"
	"	call	x86_rethook_return\n"
	".Lrethook_called:\n"
	ANNOTATE_NOENDBR
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbp\n"
	"	popq	%rbx\n"
	"	popq	%r11\n"
	"	popq	%r10\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rax\n"
	"	popq	%rcx\n"
	"	popq	%rdx\n"
	"	popq	%rsi\n"
	"	popq	%rdi\n"
	/* orig_ax, ip, cs */
	"	leaq	3*8(%rsp), %rsp\n"
	"	popfq\n"
	/* sp, ss */
	"	leaq	2*8(%rsp), %rsp\n"
	ASM_RET
	".size arch_rethook_trampoline, . - arch_rethook_trampoline\n"
	".popsection\n");
#else
asm(".pushsection .text, \"ax\", @progbits\n"
	".p2align 4\n"
	".globl arch_rethook_trampoline\n"
	".type arch_rethook_trampoline, @function\n"
	"arch_rethook_trampoline:\n"
	"	pushl	$arch_rethook_trampoline\n"
	"	pushl	$" __stringify(__KERNEL_DS) "\n"
	"	pushl	%esp\n"
	"	pushfl\n"
	"	pushl	$" __stringify(__KERNEL_CS) "\n"
	"	pushl	$.Lrethook_called\n"
	"	pushl	$-1\n"
	"	pushl	$0\n"
	"	pushl	%fs\n"
	"	pushl	%es\n"
	"	pushl	%ds\n"
	"	pushl	%eax\n"
	"	pushl	%ebp\n"
	"	pushl	%edi\n"
	"	pushl	%esi\n"
	"	pushl	%edx\n"
	"	pushl	%ecx\n"
	"	pushl	%ebx\n"
	ENCODE_FRAME_POINTER
	"	movl	%esp, %eax\n"
	"	call	x86_rethook_return\n"
	".Lrethook_called:\n"
	"	popl	%ebx\n"
	"	popl	%ecx\n"
	"	popl	%edx\n"
	"	popl	%esi\n"
	"	popl	%edi\n"
	"	popl	%ebp\n"
	"	popl	%eax\n"
	/* ds, es, fs, gs, orig_ax, ip, cs */
	"	leal	7*4(%esp), %esp\n"
	"	popfl\n"
	/* sp, ss */
	"	leal	2*4(%esp), %esp\n"
	ASM_RET
	".size arch_rethook_trampoline, . - arch_rethook_trampoline\n"
	".popsection\n");
#endif
NOKPROBE_SYMBOL(arch_rethook_trampoline);

/* Its frame pointer leads to the registers instead of to a caller's frame. */
STACK_FRAME_NON_STANDARD_FP(arch_rethook_trampoline);

/* The slot lies right above the registers that the trampoline has saved. */
static __always_inline unsigned long *rethook_slot(struct pt_regs *regs)
{
	return (unsigned long *)(regs + 1);
}

/**
 * arch_rethook_fixup_return() - put the real return address on the stack
 * @regs: the registers that the trampoline saved
 * @ret_addr: the address
 *
 * Context: any.
 */
void arch_rethook_fixup_return(struct pt_regs *regs, unsigned long ret_addr)
{
	WRITE_ONCE(*rethook_slot(regs), ret_addr);
}

NOKPROBE_SYMBOL(arch_rethook_fixup_return);

/**
 * x86_rethook_return() - call the handlers of a hooked call
 * @regs: the registers that the trampoline has saved
 *
 * Called by the trampoline. The handlers see what the caller of the function
 * will see: the slot of the return address is off the stack.
 *
 * Context: that of the function.
 */
__used __visible void __noendbr x86_rethook_return(struct pt_regs *regs)
{
	unsigned long *slot = rethook_slot(regs);

	regs->sp = (unsigned long)(slot + 1);
	__rethook_trampoline_handler(regs, (unsigned long)slot);
}

NOKPROBE_SYMBOL(x86_rethook_return);

/**
 * arch_rethook_prepare() - replace the return address of a call
 * @node: filled with the address and where it was
 * @regs: the registers at the entry of the function; the stack pointer is at
 *	the return address
 * @mcount: unused, ftrace calls out at the entry too
 *
 * Context: any.
 */
void arch_rethook_prepare(struct rethook_node *node, struct pt_regs *regs,
			  bool mcount)
{
	unsigned long *slot = (unsigned long *)regs->sp;

	WRITE_ONCE(node->frame, regs->sp);
	WRITE_ONCE(node->ret_addr, *slot);
	/*
	 * Pairs with program order in rethook_find_last(), in an NMI: an
	 * unwinder that finds the trampoline on the stack finds the address in
	 * the node.
	 */
	barrier();
	WRITE_ONCE(*slot, (unsigned long)arch_rethook_trampoline);
}

NOKPROBE_SYMBOL(arch_rethook_prepare);
