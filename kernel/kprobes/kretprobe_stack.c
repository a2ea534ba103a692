// SPDX-License-Identifier: GPL-2.0
/*
 * Return probes for architectures without rethook: they bring a trampoline
 * that calls kretprobe_trampoline_handler(), and arch_prepare_kretprobe() to
 * put it in place of the return address.
 *
 * A task's instances form a list, newest first. Only the task itself and the
 * interrupts on its stack change the list, and interrupts restore it before
 * they return, so that no lock is needed. Other CPUs may read it while the task
 * sleeps. Nothing here may be probed. kretprobe_stack_pool.c has what the instances
 * are made of.
 */
#include <linux/bug.h>
#include <linux/export.h>
#include <linux/irq_work.h>
#include <linux/objpool.h>
#include <linux/preempt.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/sched/task.h>
#include <asm/sections.h>

#include "kretprobe.h"

static __always_inline
struct kretprobe_instance *kretprobe_instance_of(struct llist_node *n)
{
	return container_of(n, struct kretprobe_instance, llist);
}

/*
 * From an irq_work, since call_rcu() may not be called in any context. A CPU that goes
 * down would lose the interrupt that it sends itself: the next drop makes up for it.
 */
static noinline void kretprobe_drop(struct kretprobe_instance *ri)
{
	llist_add(&ri->llist, &kretprobe_dropped);
	if (cpu_online(raw_smp_processor_id()))
		irq_work_queue(&kretprobe_drop_irq_work);
}

NOKPROBE_SYMBOL(kretprobe_drop);

/**
 * kretprobe_get() - take an instance
 * @rp: the kretprobe
 *
 * Context: any, preemption disabled.
 * Return: an instance, or NULL if none is left or the kretprobe is stopped.
 */
__flatten struct kretprobe_instance *kretprobe_get(struct kretprobe *rp)
{
	if (unlikely(!READ_ONCE(rp->rph->rp) || !rcu_is_watching()))
		return NULL;
	return objpool_pop(&rp->rph->pool);
}

NOKPROBE_SYMBOL(kretprobe_get);

/**
 * kretprobe_stopped() - was kretprobe_pool_stop() called?
 * @rp: the kretprobe
 *
 * Context: any, preemption disabled.
 * Return: whether it was.
 */
bool kretprobe_stopped(struct kretprobe *rp)
{
	return !READ_ONCE(rp->rph->rp);
}

NOKPROBE_SYMBOL(kretprobe_stopped);

/**
 * kretprobe_put() - put an instance back
 * @ri: an instance that hooks no call
 *
 * Context: any, preemption disabled.
 */
__flatten void kretprobe_put(struct kretprobe_instance *ri)
{
	struct kretprobe_holder *rph = ri->rph;

	if (likely(READ_ONCE(rph->rp)))
		objpool_push(ri, &rph->pool);
	else
		kretprobe_drop(ri);
}

NOKPROBE_SYMBOL(kretprobe_put);

/**
 * kretprobe_hook() - hook the return of a call
 * @ri: the instance
 * @regs: the registers at the entry of the function
 * @mcount: do they come from ftrace?
 *
 * Context: any, preemption disabled.
 */
void kretprobe_hook(struct kretprobe_instance *ri, struct pt_regs *regs,
		    bool mcount)
{
	struct llist_head *hooks = &current->kretprobe_instances;
	void *trampoline = __kretprobe_trampoline;

	/*
	 * In the list before the trampoline is in place, and passed over until
	 * the return address is known: an NMI may unwind the stack in between.
	 */
	ri->ret_addr = dereference_kernel_function_descriptor(trampoline);
	ri->llist.next = hooks->first;
	/*
	 * Pairs with the address dependency from READ_ONCE() of the first one
	 * in kretprobe_resume(), on another CPU: the instance it finds is
	 * linked.
	 */
	smp_store_release(&hooks->first, &ri->llist);
	/*
	 * Pairs with program order in an unwinder in an NMI: if it finds the
	 * trampoline on the stack, it finds the instance in the list.
	 */
	barrier();
	arch_prepare_kretprobe(ri, regs);
}

NOKPROBE_SYMBOL(kretprobe_hook);

/* Of several instances for one call, the oldest has the real address. */
static struct kretprobe_instance *kretprobe_find_last(struct llist_node *pos,
						      void *fp)
{
	struct kretprobe_instance *ri;
	unsigned long ret_addr;

	for (; pos; pos = READ_ONCE(pos->next)) {
		ri = kretprobe_instance_of(pos);
		ret_addr = (unsigned long)READ_ONCE(ri->ret_addr);
		if (READ_ONCE(ri->fp) == fp && !is_kretprobe_trampoline(ret_addr))
			return ri;
	}
	return NULL;
}

NOKPROBE_SYMBOL(kretprobe_find_last);

/*
 * Instances of other frames in between belong to calls that will never return:
 * their stack frames have been skipped, as longjmp() does it.
 */
static void kretprobe_call_handlers(struct llist_node *pos,
				    struct kretprobe_instance *last,
				    struct pt_regs *regs)
{
	kprobe_opcode_t *ret_addr = last->ret_addr;
	struct kretprobe_instance *ri;
	struct kretprobe *rp;

	do {
		ri = kretprobe_instance_of(pos);
		pos = pos->next;
		if (ri->fp != last->fp)
			continue;
		WRITE_ONCE(ri->ret_addr, ret_addr);
		rp = get_kretprobe(ri);
		if (rp)
			kretprobe_call_handler(rp, ri, regs);
	} while (ri != last);
}

NOKPROBE_SYMBOL(kretprobe_call_handlers);

/* An instance may be in use again as soon as it is given back. */
static void kretprobe_put_list(struct llist_node *pos, struct llist_node *end)
{
	struct llist_node *next;

	for (; pos != end; pos = next) {
		next = pos->next;
		kretprobe_put(kretprobe_instance_of(pos));
	}
}

NOKPROBE_SYMBOL(kretprobe_put_list);

/* There is no address to go to, so the task ends here. */
static void __noreturn kretprobe_lost(void *fp)
{
	struct llist_node *first = current->kretprobe_instances.first;
	struct kretprobe_instance *ri;

	ri = first ? kretprobe_instance_of(first) : NULL;
	WARN(1, "kretprobe BUG!: Processing kretprobe %p @ %pS: frame %p is not hooked\n",
	     ri ? ri->rp : NULL, ri ? ri->ret_addr : NULL, fp);
	make_task_dead(SIGSEGV);
}

NOKPROBE_SYMBOL(kretprobe_lost);

/**
 * __kretprobe_trampoline_handler() - the part of the trampoline that is common
 * @regs: the registers at the return of the function
 * @fp: what arch_prepare_kretprobe() would have set for the call
 *
 * Calls the handlers of the call, the newest first.
 *
 * Context: that of the function; called by the architecture's trampoline.
 * Return: the address to return to.
 */
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs, void *fp)
{
	struct llist_head *hooks = &current->kretprobe_instances;
	struct llist_node *first, *rest;
	struct kretprobe_instance *last;
	kprobe_opcode_t *ret_addr;

	/* Keeps the holders from being freed, and the handlers on one CPU. */
	preempt_disable_notrace();
	first = READ_ONCE(hooks->first);
	last = kretprobe_find_last(first, fp);
	if (unlikely(!last))
		kretprobe_lost(fp);
	ret_addr = last->ret_addr;

	/* Stack traces find the address in the list while handlers run. */
	instruction_pointer_set(regs, (unsigned long)ret_addr);
	kretprobe_call_handlers(first, last, regs);
	arch_kretprobe_fixup_return(regs, ret_addr);
	/*
	 * Pairs with program order in an unwinder in an NMI: if it does not
	 * find the instance in the list, it finds the address on the stack.
	 */
	barrier();
	rest = last->llist.next;
	WRITE_ONCE(hooks->first, rest);
	kretprobe_put_list(first, rest);
	preempt_enable_notrace();

	return (unsigned long)ret_addr;
}

NOKPROBE_SYMBOL(__kretprobe_trampoline_handler);

/* Where to go on looking, after the instance that was found the last time. */
static struct llist_node *kretprobe_resume(struct task_struct *tsk,
					   struct llist_node *last)
{
	struct llist_node *pos = READ_ONCE(tsk->kretprobe_instances.first);

	if (!last)
		return pos;
	if (tsk == current)
		return last->next;
	/* The task may have run since, and @last may be in use elsewhere. */
	while (pos && pos != last)
		pos = READ_ONCE(pos->next);
	return pos ? READ_ONCE(pos->next) : NULL;
}

NOKPROBE_SYMBOL(kretprobe_resume);

/**
 * kretprobe_find_ret_addr() - where does a hooked call really return to?
 * @tsk: the task whose stack is unwound; if not current, it should be asleep
 * @fp: what arch_prepare_kretprobe() would have set for the call
 * @cur: what to pass along from one call to the next of the same walk,
 *	initialised to NULL. The walk goes from the newest call to the oldest
 *
 * Context: any.
 * Return: the address, or 0 if no call is hooked there.
 */
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	struct kretprobe_instance *ri;
	unsigned long ret_addr = 0;

	if (WARN_ON_ONCE(!cur))
		return 0;

	/* Instances are freed, not recycled, only after a grace period. */
	preempt_disable_notrace();
	ri = kretprobe_find_last(kretprobe_resume(tsk, *cur), fp);
	if (ri) {
		*cur = &ri->llist;
		ret_addr = (unsigned long)READ_ONCE(ri->ret_addr);
	}
	preempt_enable_notrace();

	return ret_addr;
}

NOKPROBE_SYMBOL(kretprobe_find_ret_addr);

/**
 * kprobe_flush_task() - give back the instances of calls that never return
 * @tk: a task that has run for the last time, or the idle task of a CPU that is off,
 *	which begins anew
 *
 * Context: any; the stack of the task is not unwound any more.
 */
void kprobe_flush_task(struct task_struct *tk)
{
	struct llist_node *first = tk->kretprobe_instances.first;

	if (likely(!first))
		return;
	tk->kretprobe_instances.first = NULL;
	preempt_disable_notrace();
	kretprobe_put_list(first, NULL);
	preempt_enable_notrace();
}

NOKPROBE_SYMBOL(kprobe_flush_task);

/* Documented with its declaration. */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri)
{
	return READ_ONCE(ri->rph->rp);
}
EXPORT_SYMBOL_GPL(get_kretprobe);
NOKPROBE_SYMBOL(get_kretprobe);
