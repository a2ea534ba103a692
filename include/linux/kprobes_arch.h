/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_ARCH_H
#define _LINUX_KPROBES_ARCH_H
/*
 * The contract between the core of kprobes and an architecture. Include
 * linux/kprobes.h, which includes this. Three parts:
 *
 *	1. what the architecture provides; kernel/kprobes/arch_default.c has the
 *	   defaults of what it may leave out
 *	2. what it may call: linux/kprobes_core.h
 *	3. the way of a hit, with __ARCH_WANT_KPROBE_FRAMES: the recursion guard,
 *	   linux/kprobes_frame.h, and the calls of the handlers, linux/kprobes_hit.h.
 *	   Without, and without rethook, linux/kprobes_legacy.h
 *
 * Documentation/trace/kprobes-arch.rst tells in which order to port them. What
 * stands here without a description has it where it is defined, in kernel/kprobes/.
 *
 * The core shows each probe point to the architecture as one struct kprobe, the
 * *point's kprobe*. Its address and instruction copy are the point's, its handlers call
 * the subscribers, and, with frames, a post or fault handler that no subscriber has is
 * NULL in it, so that the architecture may take a shorter way. The pre handler is
 * always there, and counts the hit; so call it once for each hit, best by
 * kprobe_hit_any().
 *
 * NOKPROBE below says that a function runs where none may be probed: from the trap to
 * the handlers, or from the handlers back to the probed code.
 */

#ifndef _LINUX_KPROBES_H
#error "include linux/kprobes.h"
#endif

#ifdef CONFIG_KPROBES
#include <linux/kprobes_nojump.h>
#include <linux/preempt.h>

struct notifier_block;

/*
 * Part 1: what the architecture provides.
 *
 * asm/kprobes.h: kprobe_opcode_t, struct arch_specific_insn, MAX_INSN_SIZE;
 * with CONFIG_OPTPROBES struct arch_optimized_insn, MAX_OPTIMIZED_LENGTH,
 * MAX_OPTINSN_SIZE; and of the macros __ARCH_WANT_KPROBES_INSN_SLOT,
 * __ARCH_WANT_KPROBE_FRAMES and __ARCH_WANT_OPTIMIZED_POST those that apply;
 * CONFIG_OPTPROBES needs the first one. With frames also
 * arch_kprobe_preempt_count(), a preempt_count() that is cheap, and
 * arch_kprobe_is_zero(), whether an unsigned int of this CPU is 0, in as few
 * instructions as there are for it: each hit executes them. With CONFIG_KRETPROBES
 * also kretprobe_blacklist_size: 0, by a #define, if all returns can be hooked. Else
 * an int that is not 0, and kretprobe_blacklist[], which names the functions whose
 * returns cannot be, and ends with an entry whose name is NULL.
 *
 * Two contexts have a name here:
 *
 * preparing	process context, may sleep; kprobe_mutex held. Without frames also
 *		cpus_read_lock() and text_mutex
 * patching	process context, may sleep; kprobe_mutex and cpus_read_lock() held,
 *		so no CPU comes or goes. Without frames also text_mutex; with frames
 *		the architecture takes text_mutex itself
 */

/**
 * arch_prepare_kprobe() - look at the instruction of a new point
 * @p: the point's kprobe; @p->addr is set
 *
 * Set @p->opcode, and make a copy of the instruction if it needs one. The text is
 * only read. With frames, refuse an instruction that could only be stepped: a miss
 * is executed without a second trap. If this fails, it keeps nothing:
 * arch_remove_kprobe() is not called.
 *
 * Context: preparing.
 * Return: 0; -EILSEQ if @p->addr is no instruction boundary; -EBUSY if a breakpoint
 * of a debugger is in the way; -EINVAL or -EOPNOTSUPP if the instruction cannot be
 * probed; -ENOMEM; -ERANGE if no copy is in reach.
 */
int arch_prepare_kprobe(struct kprobe *p);

/*
 * arch_remove_kprobe() - undo arch_prepare_kprobe(), after the disarming.
 *
 * asm/kprobes.h declares it: in some architectures it is a macro.
 *
 * With frames, a worker calls it, later, without any lock, when no task can be
 * inside the copy. It must not touch the probed text: there may be another point,
 * other text, or none. Without frames, it is called with kprobe_mutex held, after
 * a grace period and before anything else can be at the address: it may write to
 * the text, and free_insn_slot() keeps the slot until no task is inside it.
 */

/**
 * arch_arm_kprobe() - put in a breakpoint
 * @p: the point's kprobe
 *
 * Cannot fail. All CPUs execute the breakpoint when it returns.
 *
 * Context: patching.
 */
void arch_arm_kprobe(struct kprobe *p);

/**
 * arch_disarm_kprobe() - take a breakpoint out
 * @p: the point's kprobe
 *
 * Cannot fail. No CPU runs into the breakpoint any more when it returns. The point may
 * be in the kernel's init text, at the end of the boot, in SYSTEM_FREEING_INITMEM:
 * core_kernel_text() is false for it by then.
 *
 * Context: patching.
 */
void arch_disarm_kprobe(struct kprobe *p);

/**
 * arch_arm_kprobes() - put in the breakpoints of several points
 * @probes: the points' kprobes, at most 256
 * @num: the number of them
 *
 * For an architecture that synchronizes its CPUs once for all of them. The default
 * calls arch_arm_kprobe() for each.
 *
 * Context: patching.
 */
void arch_arm_kprobes(struct kprobe **probes, unsigned int num);

/**
 * arch_disarm_kprobes() - take out the breakpoints of several points
 * @probes: the points' kprobes, at most 256
 * @num: the number of them
 *
 * The default calls arch_disarm_kprobe() for each.
 *
 * Context: patching.
 */
void arch_disarm_kprobes(struct kprobe **probes, unsigned int num);

/*
 * Fault handlers: with frames, the architecture calls them, see kprobe_page_fault(). It
 * need not without, and none of the backends does. A probe that has one can be
 * registered all the same, so that a module need not know the architecture: its fault
 * handler is never called. The core says so in the log, at the first such probe, and
 * debugfs' stats has the number of them at each point; in all else they are treated as
 * if they had no fault handler.
 */
#ifdef __ARCH_WANT_KPROBE_FRAMES
#define KPROBE_FAULT_HANDLERS	true
#else
#define KPROBE_FAULT_HANDLERS	false
#endif

/**
 * kprobe_has_fault_handler() - is there a fault handler that will be called?
 * @kp: the user's kprobe
 *
 * Return: whether there is.
 */
static inline bool kprobe_has_fault_handler(const struct kprobe *kp)
{
	return KPROBE_FAULT_HANDLERS && kp->fault_handler;
}

/**
 * arch_init_kprobes() - set up at boot
 *
 * May register probes.
 *
 * Context: an early initcall; may sleep.
 * Return: 0 or an error; then no probe can be registered.
 */
int arch_init_kprobes(void);

/**
 * arch_trampoline_kprobe() - is this point the return trampoline?
 * @p: the point's kprobe
 *
 * For architectures whose return trampoline is a probed instruction: that point
 * stays armed when the knob disarms all others, because calls under way return
 * there. The default says no.
 *
 * Context: process context, kprobe_mutex held.
 * Return: non-zero if it is.
 */
int arch_trampoline_kprobe(struct kprobe *p);

/**
 * kprobe_lookup_name() - find the address that a symbol name means
 * @name: "symbol" or "module:symbol"
 * @offset: the offset that the user gave, for architectures with two entries
 *
 * The default is kallsyms_lookup_name().
 *
 * Context: any, also without kprobe_mutex; must not sleep, or take a lock.
 * Return: the address or NULL.
 */
kprobe_opcode_t *kprobe_lookup_name(const char *name, unsigned int offset);

/**
 * arch_adjust_kprobe_addr() - step over what must stay first in a function
 * @addr: the address of the function's symbol
 * @offset: bytes from there to the location that a user asked for
 * @on_func_entry: set to whether that is the function's entry, as callers see it
 *
 * The default knows no landing pads: it adds the two. The address moves by less than 16
 * bytes: two probes whose addresses are farther apart are not on one point, so
 * kprobe_sort_batch() leaves them as they are.
 *
 * Context: process context, also without kprobe_mutex; must not sleep.
 * Return: the address to probe.
 */
kprobe_opcode_t *arch_adjust_kprobe_addr(unsigned long addr,
					 unsigned long offset,
					 bool *on_func_entry);

/**
 * arch_within_kprobe_blacklist() - does the architecture forbid an address?
 * @addr: an address in kernel text
 *
 * The default forbids the section of __kprobes
 * functions; an architecture that has its own says so for that section, too.
 *
 * Context: any.
 * Return: whether no probe may be there.
 */
bool arch_within_kprobe_blacklist(unsigned long addr);

/**
 * arch_populate_kprobe_blacklist() - forbid areas for good
 *
 * Calls kprobe_add_area_blacklist() and kprobe_add_ksym_blacklist(), so that users
 * see the areas in debugfs. The default forbids none.
 *
 * Context: boot, may sleep.
 * Return: 0 or their error.
 */
int arch_populate_kprobe_blacklist(void);

/**
 * arch_forget_kprobe_text() - text goes away, or has changed
 *
 * Text of the kernel or of a module goes, and other text may come to its place.
 * For an architecture that remembers what it has read there, but for the tables of
 * struct kprobe_text, which the core drops. The default does nothing.
 *
 * Context: process context, kprobe_mutex held.
 */
void arch_forget_kprobe_text(void);

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
/**
 * alloc_insn_page() - a page for copies of instructions
 *
 * The default takes one of EXECMEM_KPROBES.
 *
 * Context: process context, may sleep.
 * Return: a page that can be executed, in reach of the text; or NULL.
 */
void *alloc_insn_page(void);

/**
 * free_insn_page() - undo alloc_insn_page()
 * @page: the page
 *
 * Context: process context, may sleep.
 */
void free_insn_page(void *page);
#endif

/**
 * enum kprobe_way - how the instruction of a point with a breakpoint takes effect
 * @KPROBE_WAY_STEPPED: by a copy that ends in a second trap
 * @KPROBE_WAY_BOOSTED: by a copy that jumps back
 * @KPROBE_WAY_STUB: by a copy that calls the post handlers, and jumps back
 * @KPROBE_WAY_EMULATED: by code that changes the registers
 * @KPROBE_WAY_DETOUR: by the copy of a region, for which a jump is being put in or
 *	taken out. The pre handlers run in the trap
 *
 * Documentation/trace/kprobes.rst describes them to users.
 */
enum kprobe_way {
	KPROBE_WAY_STEPPED,
	KPROBE_WAY_BOOSTED,
	KPROBE_WAY_STUB,
	KPROBE_WAY_EMULATED,
	KPROBE_WAY_DETOUR,
};

/**
 * arch_kprobe_way() - how the instruction of a point takes effect now
 * @p: the kprobe of a point with a breakpoint
 *
 * Only shown in debugfs' stats. The default says KPROBE_WAY_STEPPED; an architecture
 * that has other ways provides it.
 *
 * Context: process context, kprobe_mutex held.
 * Return: the way.
 */
enum kprobe_way arch_kprobe_way(struct kprobe *p);

#ifdef CONFIG_OPTPROBES
/**
 * struct optimized_kprobe - a point as the jump optimizer shows it
 * @kp: the point's kprobe
 * @list: links the point in one list at a time: the queue of the optimizer, the batch
 *	of its worker, or the points that are being reverted. Under kprobe_mutex. Empty
 *	otherwise, which the core tests: so list_del_init() has to take points off
 * @nojump: set by arch_prepare_optimized_kprobe() and arch_optimize_kprobes() if they know
 * @optinsn: the detour buffer
 */
struct optimized_kprobe {
	struct kprobe kp;
	struct list_head list;
	enum kprobe_nojump nojump;
	struct arch_optimized_insn optinsn;
};

/**
 * alloc_optinsn_page() - a page for detour buffers
 *
 * The default is alloc_insn_page().
 *
 * Context: process context, may sleep.
 * Return: a page that can be executed, in reach of the text; or NULL.
 */
void *alloc_optinsn_page(void);

/**
 * free_optinsn_page() - undo alloc_optinsn_page()
 * @page: the page
 *
 * Context: process context, may sleep.
 */
void free_optinsn_page(void *page);

/**
 * arch_prepare_optimized_kprobe() - check a point and build its detour buffer
 * @op: the point; @op->kp is prepared
 * @orig: &op->kp
 *
 * Finds out whether the bytes that the jump would replace, the *region*, can be
 * executed elsewhere, and whether nothing else leads into them. Sets @op->nojump
 * to the reason when it refuses.
 *
 * Context: preparing.
 * Return: 0; -ENOMEM, and it is asked again when the point changes; -EEXIST if
 * another point is too near, and it is asked again when that one goes; any other
 * error is final.
 */
int arch_prepare_optimized_kprobe(struct optimized_kprobe *op,
				  struct kprobe *orig);

/**
 * arch_prepared_optinsn() - is there a detour buffer?
 * @optinsn: the architecture's part of a point
 *
 * Context: process context, kprobe_mutex held.
 * Return: non-zero if there is.
 */
int arch_prepared_optinsn(struct arch_optimized_insn *optinsn);

/**
 * arch_check_optimized_kprobe() - is no other point in the region?
 * @op: a point with a detour buffer
 *
 * A disabled point is no obstacle, unless kprobe_optimized() says that its jump is
 * in the text: the points of a batch are disabled before they are disarmed.
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0 or an error.
 */
int arch_check_optimized_kprobe(struct optimized_kprobe *op);

/**
 * arch_within_optimized_kprobe() - is an address in the region of a point?
 * @op: a point with a detour buffer
 * @addr: an address
 *
 * Context: process context, kprobe_mutex held.
 * Return: non-zero if it is.
 */
int arch_within_optimized_kprobe(struct optimized_kprobe *op,
				 kprobe_opcode_t *addr);

/**
 * arch_prepare_optimized_post() - make the detour buffer call post handlers
 * @op: a point with a detour buffer
 * @in_use: false if no CPU has ever been sent to the detour buffer
 *
 * Asked only where __ARCH_WANT_OPTIMIZED_POST is defined: elsewhere points with
 * post handlers keep their breakpoint.
 *
 * Context: process context, kprobe_mutex held, may sleep.
 * Return: 0; -ENOMEM; any other error if it cannot be done.
 */
int arch_prepare_optimized_post(struct optimized_kprobe *op, bool in_use);

/**
 * arch_prepare_stub() - a post handler is at a point that keeps its breakpoint
 * @op: the point
 *
 * An architecture may make a copy that calls the post handlers without a second
 * trap. The default does nothing.
 *
 * Context: process context, kprobe_mutex held, may sleep.
 */
void arch_prepare_stub(struct optimized_kprobe *op);

/**
 * arch_remove_optimized_kprobe() - free the detour buffer and what belongs to it
 * @op: a point that is in no table any more
 *
 * Context: a worker, no locks, when no task can be inside the buffer.
 */
void arch_remove_optimized_kprobe(struct optimized_kprobe *op);

/**
 * arch_forget_redirects() - forget which addresses were in no point's region
 *
 * KPROBE_FLAG_OPTIMIZED of the points that get their jumps next is set. No hit that begins
 * after the return may rely on what an earlier hit has seen. Then the core waits, for the
 * other hits, too, until no task is in a region. The default does nothing.
 *
 * Context: a worker, no locks. May sleep.
 */
void arch_forget_redirects(void);

/**
 * arch_optimize_kprobes() - put in jumps
 * @oplist: points, linked by &optimized_kprobe.list. No task is inside their
 *	regions, and hits at their breakpoints go on in the detour buffers
 *
 * Takes the points that have their jump off the list, by list_del_init(): the core takes
 * an optimized point that is still in a list for one that is being reverted. What is left
 * on the list keeps its breakpoint, for the reason in &optimized_kprobe.nojump.
 *
 * Context: patching.
 */
void arch_optimize_kprobes(struct list_head *oplist);

/**
 * arch_unoptimize_kprobes() - put breakpoints in the place of jumps
 * @oplist: points, linked by &optimized_kprobe.list
 * @done_list: where to move them
 *
 * Cannot fail. A task that is inside a detour buffer comes back behind the region.
 *
 * Context: patching.
 */
void arch_unoptimize_kprobes(struct list_head *oplist,
			     struct list_head *done_list);
#endif /* CONFIG_OPTPROBES */

#ifdef CONFIG_KPROBES_ON_FTRACE
/**
 * arch_prepare_kprobe_ftrace() - get ready for a point on an ftrace site
 * @p: the point's kprobe
 *
 * Context: process context, kprobe_mutex held; may sleep.
 * Return: 0 or an error.
 */
int arch_prepare_kprobe_ftrace(struct kprobe *p);

/**
 * kprobe_ftrace_handler() - the callback of ftrace
 * @ip: the address of the site
 * @parent_ip: the address that the function returns to
 * @ops: the ftrace_ops
 * @fregs: the registers
 *
 * Runs the point at @ip as the trap handler would, and does nothing when there is
 * none, or kprobe_ftrace_disabled is set. Must keep out recursion: by the frames, or
 * without them by ftrace_test_recursion_trylock(). Must disable preemption while it
 * uses the point.
 *
 * The pre handlers find the instruction pointer as a breakpoint at @ip would show it,
 * the post handlers behind the site. After KPROBE_REDIRECTED it stays as the handler
 * has set it, otherwise it is at the end what it was at the beginning.
 *
 * Context: any, NOKPROBE; preemption may be enabled.
 */
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs);
#else
static inline int arch_prepare_kprobe_ftrace(struct kprobe *p)
{
	return -EINVAL;
}
#endif /* CONFIG_KPROBES_ON_FTRACE */

/*
 * The trap handlers: find the point by get_kprobe(), or kprobe_table_lookup(), call
 * kprobe_hit_any(), see to it that the instruction takes effect, call
 * kprobe_call_post(), and leave the frame. All of it is NOKPROBE.
 *
 * Returns: arch_rethook_prepare() and arch_rethook_trampoline(), see
 * linux/rethook.h; without rethook, see linux/kprobes_legacy.h.
 *
 * Jprobes: see linux/kprobes_jprobe.h.
 */

/* Part 2: what it may call. Part 3: the way of a hit. */
#include <linux/kprobes_core.h>
#ifdef __ARCH_WANT_KPROBE_FRAMES
#include <linux/kprobes_frame.h>
#include <linux/kprobes_hit.h>

/**
 * kprobe_page_fault() - offer a page fault to the probe that is being processed
 * @regs: the registers at the fault
 * @trap: the number of the trap
 *
 * The architecture provides it, and calls it before the exception table is searched
 * and before the task may sleep; only what needs no look at @regs may come first. In a
 * copy that is stepped, which is tested first, it drops the frame, moves @regs to the
 * original and calls kprobe_call_fault(), and undoes that if it returns false. Else, in
 * a handler (kprobe_running()), it calls kprobe_call_fault(). Other traps are the
 * architecture's to offer likewise.
 *
 * Context: that of the trap. NOKPROBE.
 * Return: whether the fault has been dealt with.
 */
bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap);

/* dispatch.c, called by make_task_dead() for what the task has left. */
void kprobe_flush_frames(void);
#endif /* __ARCH_WANT_KPROBE_FRAMES */

#include <linux/kprobes_legacy.h>

/*
 * Return probes. With rethook the return hook itself lies outside of kprobes;
 * without, it is in linux/kprobes_legacy.h.
 */
#ifdef CONFIG_KRETPROBES
/**
 * get_kretprobe() - the kretprobe of an instance
 * @ri: the instance
 *
 * Context: a handler of the kretprobe.
 * Return: the kretprobe, never NULL; without rethook, NULL when it is being
 * unregistered.
 */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri);

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/* For unwinders that know the name of other engines: see rethook_find_ret_addr(). */
static nokprobe_inline
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	return rethook_find_ret_addr(tsk, (unsigned long)fp, cur);
}

/**
 * get_kretprobe_retaddr() - where the hooked call will return to
 * @ri: the instance; not in the entry handler, behind which this is set
 *
 * Return: the address.
 */
static nokprobe_inline
unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return ri->node.ret_addr;
}

/**
 * is_kretprobe_trampoline() - does a return address lead to the trampoline?
 * @addr: the return address
 *
 * Return: true if it does, false if it is the real one.
 */
static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return is_rethook_trampoline(addr);
}

/* rethook_flush_task() does it. */
static inline void kprobe_flush_task(struct task_struct *tk) { }
#endif /* CONFIG_KRETPROBE_ON_RETHOOK */

#else /* !CONFIG_KRETPROBES */
static inline void kprobe_flush_task(struct task_struct *tk) { }
#endif /* CONFIG_KRETPROBES */

#endif /* CONFIG_KPROBES */

#if !defined(CONFIG_KRETPROBES)
static nokprobe_inline
unsigned long kretprobe_find_ret_addr(struct task_struct *task, void *frame,
				      struct llist_node **cur)
{
	return 0;
}

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	return false;
}
#endif

#endif /* _LINUX_KPROBES_ARCH_H */
