/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_LEGACY_H
#define _LINUX_KPROBES_LEGACY_H
/*
 * For the architectures that have not taken up the newer parts of the contract:
 * the state of a hit without __ARCH_WANT_KPROBE_FRAMES, and the return of a
 * function without rethook. Include linux/kprobes.h, which includes this. A new
 * port needs none of it. What stands here without a description has it where it is
 * defined: in kernel/kprobes/dispatch.c and kretprobe_stack.c.
 */

#ifndef _LINUX_KPROBES_ARCH_H
#error "include linux/kprobes.h"
#endif

#ifndef __ARCH_WANT_KPROBE_FRAMES
/* The states of a hit, for &kprobe_ctlblk.kprobe_status of the architecture. */
#define KPROBE_HIT_ACTIVE	0x00000001
#define KPROBE_HIT_SS		0x00000002
#define KPROBE_REENTER		0x00000004
#define KPROBE_HIT_SSDONE	0x00000008

/* The architecture defines struct kprobe_ctlblk, and writes both. */
DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);
DECLARE_PER_CPU(struct kprobe *, current_kprobe);

/**
 * get_kprobe_ctlblk() - what the architecture keeps of the hit on this CPU
 *
 * Context: preemption disabled.
 * Return: the state.
 */
static inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return this_cpu_ptr(&kprobe_ctlblk);
}

/**
 * reset_current_kprobe() - no probe is being processed on this CPU any more
 *
 * Context: preemption disabled.
 */
static inline void reset_current_kprobe(void)
{
	__this_cpu_write(current_kprobe, NULL);
}

/**
 * kprobe_running() - the probe that is being processed on this CPU
 *
 * Context: preemption disabled.
 * Return: the point's kprobe or NULL.
 */
static inline struct kprobe *kprobe_running(void)
{
	return __this_cpu_read(current_kprobe);
}

/**
 * kprobe_flush_frames() - a task that dies leaves the probe that is being processed
 *
 * A hit does not leave its CPU, so what is processed there is the task's.
 *
 * Context: task context, of a task that will not go on.
 */
static inline void kprobe_flush_frames(void)
{
	preempt_disable_notrace();
	reset_current_kprobe();
	preempt_enable_notrace();
}

/**
 * kprobe_exceptions_notify() - take a breakpoint that comes as a die notification
 * @nb: the notifier
 * @event: the event, DIE_BPT for instance
 * @data: a struct die_args
 *
 * The default takes none: most architectures call their handler directly.
 *
 * Context: that of the trap. NOKPROBE.
 * Return: NOTIFY_STOP or NOTIFY_DONE.
 */
int kprobe_exceptions_notify(struct notifier_block *nb, unsigned long event,
			     void *data);

/* For the log, before the architecture stops: any context. */
void dump_kprobe(struct kprobe *kp);

/**
 * kprobe_page_fault() - offer a fault to the probe that is being processed
 * @regs: the registers at the fault
 * @trap: the number of the trap
 *
 * The architecture declares kprobe_fault_handler() itself, since the types
 * differ.
 *
 * Context: that of the trap. NOKPROBE.
 * Return: whether the fault has been dealt with.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	return kprobe_fault_handler(regs, trap);
}
#endif /* !__ARCH_WANT_KPROBE_FRAMES */

#ifdef CONFIG_OPTPROBES
/* For detours that ignore a change of the path. Preemption disabled. */
void opt_pre_handler(struct kprobe *p, struct pt_regs *regs);

/* Not called by the core: arm and powerpc define it, and call it themselves. */
void arch_unoptimize_kprobe(struct optimized_kprobe *op);
#endif

#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
/* The architecture's trampoline, which calls kretprobe_trampoline_handler(). */
void __kretprobe_trampoline(void);

/**
 * arch_prepare_kretprobe() - make a call return to the trampoline
 * @ri: the instance of the call; set its @ret_addr and @fp
 * @regs: the registers at the entry of the function
 *
 * Context: that of the hit. NOKPROBE.
 */
void arch_prepare_kretprobe(struct kretprobe_instance *ri,
			    struct pt_regs *regs);

/**
 * arch_kretprobe_fixup_return() - tell the trampoline where to return to
 * @regs: the registers that the trampoline saved
 * @correct_ret_addr: the real return address
 *
 * The default does nothing, for trampolines that use what
 * kretprobe_trampoline_handler() returns.
 *
 * Context: that of the return. NOKPROBE.
 */
void arch_kretprobe_fixup_return(struct pt_regs *regs,
				 kprobe_opcode_t *correct_ret_addr);

/* Called by kretprobe_trampoline_handler(), unwinders, and when a task ends. */
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs, void *fp);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
void kprobe_flush_task(struct task_struct *tk);

/**
 * get_kretprobe_retaddr() - where the hooked call will return to
 * @ri: the instance
 *
 * Return: the address.
 */
static nokprobe_inline
unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

/**
 * is_kretprobe_trampoline() - is an address that of the trampoline?
 * @addr: an address, as a return address on a stack
 *
 * Return: whether it is.
 */
static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	void *trampoline;

	trampoline = dereference_kernel_function_descriptor(__kretprobe_trampoline);
	return addr == (unsigned long)trampoline;
}

/**
 * kretprobe_trampoline_handler() - a hooked call returns
 * @regs: the registers that the trampoline saved
 * @fp: the frame of the call, as in &kretprobe_instance.fp
 *
 * Calls the handlers, the newest instance first. Interrupts stay as they are.
 *
 * Context: the trampoline; preemption may be enabled. NOKPROBE.
 * Return: the real return address.
 */
static nokprobe_inline
unsigned long kretprobe_trampoline_handler(struct pt_regs *regs, void *fp)
{
	return __kretprobe_trampoline_handler(regs, fp);
}
#endif /* CONFIG_KRETPROBES && !CONFIG_KRETPROBE_ON_RETHOOK */

#endif /* _LINUX_KPROBES_LEGACY_H */
