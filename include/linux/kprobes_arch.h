/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_ARCH_H
#define _LINUX_KPROBES_ARCH_H
/*
 * The contract between the core of kprobes and an architecture. Include
 * linux/kprobes.h, which includes this.
 *
 * The core shows each probe point to the architecture as one struct kprobe,
 * the *point's kprobe*. Its address and instruction copy are the point's, its
 * handlers call the subscribers, and a post or fault handler that no subscriber
 * has is NULL in it, so that the architecture may take a shorter way. The pre
 * handler is always there, and counts the hit; so call it once for each hit,
 * best by kprobe_call_pre().
 *
 * Between the breakpoint and the recursion guard, no function may be called
 * that can be probed. get_kprobe() and linux/kprobes_frame.h keep that rule.
 */

#ifndef _LINUX_KPROBES_H
#error "include linux/kprobes.h"
#endif

#ifdef CONFIG_KPROBES
#include <linux/hash.h>
#include <linux/preempt.h>

struct notifier_block;

/*
 * Bits of &kprobe.pre_chain in a point's kprobe; it is never 0 there:
 *
 * SINGLE	the subscriber's pre handler is the only handler to call
 * SLOW		there are post or fault handlers, or there is no pre handler:
 *		take the slow path
 * TRAP		a breakpoint calls the subscriber's pre handler, and no other pre
 *		handler; post handlers may be there, fault handlers not. Never set
 *		for a point on an ftrace site
 *
 * With neither SINGLE nor SLOW, the subscriber is the head of a chain of two or
 * more, and only pre handlers are to be called.
 */
#define KPROBE_CHAIN_SINGLE	1UL
#define KPROBE_CHAIN_SLOW	2UL
#define KPROBE_CHAIN_TRAP	4UL
#define KPROBE_CHAIN_BITS	7UL

/* What an architecture without __ARCH_WANT_KPROBE_FRAMES keeps per CPU. */
#define KPROBE_HIT_ACTIVE	0x00000001
#define KPROBE_HIT_SS		0x00000002
#define KPROBE_REENTER		0x00000004
#define KPROBE_HIT_SSDONE	0x00000008

/*
 * To be provided by the architecture.
 *
 * arch_prepare_kprobe() returns -EILSEQ if the address is no instruction
 * boundary, -EINVAL or -EOPNOTSUPP if the instruction cannot be probed, -ENOMEM
 * or -ERANGE if no copy can be made. Arming and disarming cannot fail, and are
 * complete on all CPUs when they return.
 *
 * arch_remove_kprobe() undoes arch_prepare_kprobe(), after the point has been
 * disarmed. With __ARCH_WANT_KPROBE_FRAMES it is called later, by a worker, when
 * no task can be inside of the copy any more. It must not touch the probed text
 * then: at the address there may be another point, other text, or none.
 * Without, it is called after a grace period, before anything else can be
 * there: it may write to the text, and free_insn_slot() keeps the slot until no
 * task is inside. The architecture declares it, since some have it as a macro.
 *
 * arch_init_kprobes() may register probes. arch_trampoline_kprobe() returns
 * whether a point is that of the return trampoline. Such a point stays armed
 * when all others are disarmed, since calls under way return there.
 */
int arch_prepare_kprobe(struct kprobe *p);
void arch_arm_kprobe(struct kprobe *p);
void arch_disarm_kprobe(struct kprobe *p);
int arch_init_kprobes(void);
bool arch_within_kprobe_blacklist(unsigned long addr);
int arch_populate_kprobe_blacklist(void);
int arch_trampoline_kprobe(struct kprobe *p);
kprobe_opcode_t *arch_adjust_kprobe_addr(unsigned long addr,
					 unsigned long offset,
					 bool *on_func_entry);

/*
 * Many points at once: @probes are the kprobes of @num points, all of them text
 * points. The defaults call the functions for one point. In either form, and
 * when jumps are put in or taken out, cpus_read_lock() is held.
 */
void arch_arm_kprobes(struct kprobe **probes, unsigned int num);
void arch_disarm_kprobes(struct kprobe **probes, unsigned int num);

/*
 * How the instruction of a point with a breakpoint takes effect: "stepped"
 * (the default), "boosted" or "emulated".
 */
const char *arch_kprobe_mode(struct kprobe *p);

/*
 * Text of the kernel or of a module is about to be freed; other text may be
 * loaded at its addresses. Called with kprobe_mutex held.
 */
void arch_forget_kprobe_text(void);

/**
 * enum kprobe_site_owner - what else rewrites an instruction, or reads it
 * @KPROBE_SITE_FREE: nothing else
 * @KPROBE_SITE_LABEL: a static key
 * @KPROBE_SITE_CALL: a static call
 * @KPROBE_SITE_BUG: the handler of BUG() and WARN()
 */
enum kprobe_site_owner {
	KPROBE_SITE_FREE,
	KPROBE_SITE_LABEL,
	KPROBE_SITE_CALL,
	KPROBE_SITE_BUG,
};

/* The table of a module, or the kernel's: @member is one of struct module. */
#ifdef CONFIG_MODULES
#define KPROBE_TABLE_OF(mod, member, kernel)	((mod) ? (mod)->member : (kernel))
#else
#define KPROBE_TABLE_OF(mod, member, kernel)	(kernel)
#endif

/* Offered to the architecture by the core. */
const char *kprobe_symbol_bounds(unsigned long addr, unsigned long *start,
				 unsigned long *end);
enum kprobe_site_owner kprobe_text_owner(unsigned long start, unsigned long end);
unsigned long kprobe_ftrace_site(unsigned long start, unsigned long end);
struct kprobe *get_kprobe(void *addr);
void kprobes_inc_nmissed_count(struct kprobe *p);
void kprobe_path_changed(struct kprobe *probe, struct kprobe *by);
int kprobe_call_fault(struct kprobe *p, struct pt_regs *regs, int trapnr);
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);
int kprobe_exceptions_notify(struct notifier_block *nb, unsigned long event,
			     void *data);

/**
 * struct kprobe_table - from addresses to points: see kernel/kprobes/table.c
 * @rcu: delays the release
 * @shift: right shift that reduces a hash to the index of a chain
 * @next: offset in a point of the link that this table uses
 * @head: the chains of the points' kprobes. Each ends with a point at an
 *	address that no CPU executes, whose link is NULL
 */
struct kprobe_table {
	struct rcu_head rcu;
	unsigned int shift;
	unsigned int next;
	struct kprobe *head[];
};

extern struct kprobe_table __rcu *kprobe_table;

/**
 * kprobe_hash() - the index of an address in a table
 * @t: the table
 * @addr: the address
 *
 * The hash is that of hash_long().
 *
 * Return: the index of the chain.
 */
static __always_inline unsigned long kprobe_hash(const struct kprobe_table *t,
						 const void *addr)
{
	/* As hash_long() does it. */
	return (unsigned long)addr * GOLDEN_RATIO_PRIME >> t->shift;
}

/**
 * kprobe_table_lookup() - get_kprobe() for an address that has been executed
 * @addr: the address
 *
 * Inline, since it runs at every hit.
 *
 * Context: as get_kprobe().
 * Return: the point's kprobe or NULL.
 */
static __always_inline struct kprobe *kprobe_table_lookup(const void *addr)
{
	struct kprobe_table *t = rcu_dereference_raw(kprobe_table);
	struct kprobe *p = rcu_dereference_raw(t->head[kprobe_hash(t, addr)]);

	while (unlikely(p->addr != addr)) {
		p = rcu_dereference_raw(*(struct kprobe **)((void *)p + t->next));
		if (!p)
			return NULL;
	}
	/*
	 * p->addr has been read: so that callers' checks for NULL are dropped.
	 */
	if (!p)
		__builtin_unreachable();
	return p;
}

/* Count a hit: by one instruction, so that no interrupt can lose it. */
#ifdef CONFIG_KPROBE_STATS
/**
 * kprobe_count_hit() - count a hit
 * @p: the point's kprobe
 *
 * By one instruction, so that no interrupt can lose a hit.
 *
 * Context: any.
 */
static __always_inline void kprobe_count_hit(struct kprobe *p)
{
	this_cpu_inc(*p->hit_counts);
}
#else
static __always_inline void kprobe_count_hit(struct kprobe *p) { }
#endif

#ifdef __ARCH_WANT_KPROBE_FRAMES
#include <linux/kprobes_frame.h>

bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap);
void kprobe_flush_frames(void);

#else /* !__ARCH_WANT_KPROBE_FRAMES */

static inline void kprobe_flush_frames(void) { }

DECLARE_PER_CPU(struct kprobe_ctlblk, kprobe_ctlblk);
DECLARE_PER_CPU(struct kprobe *, current_kprobe);

static inline struct kprobe_ctlblk *get_kprobe_ctlblk(void)
{
	return this_cpu_ptr(&kprobe_ctlblk);
}

/**
 * reset_current_kprobe() - no kprobe is being processed on this CPU any more
 *
 * Context: preemption disabled.
 */
static inline void reset_current_kprobe(void)
{
	__this_cpu_write(current_kprobe, NULL);
}

static inline struct kprobe *kprobe_running(void)
{
	return __this_cpu_read(current_kprobe);
}

void dump_kprobe(struct kprobe *kp);

/*
 * Let the kprobe that is being processed on this CPU see the fault first. The
 * architecture declares kprobe_fault_handler() itself, since its type differs.
 */
static nokprobe_inline bool kprobe_page_fault(struct pt_regs *regs,
					      unsigned int trap)
{
	if (user_mode(regs) || preemptible() || !kprobe_running())
		return false;
	return kprobe_fault_handler(regs, trap);
}

#endif /* __ARCH_WANT_KPROBE_FRAMES */

/*
 * Slots: pieces of executable memory for the copies of instructions. A slot is
 * taken and given back in process context. In arch_remove_kprobe() and
 * arch_remove_optimized_kprobe(), @dirty does not matter: the core knows
 * whether it has waited, or has to wait now, until no task can be inside.
 *
 * KPROBE_SLOT_SIZE is in bytes. MAX_INSN_SIZE and MAX_OPTINSN_SIZE are in units of
 * kprobe_opcode_t, so the defaults multiply. (On arm, MAX_OPTINSN_SIZE is in bytes
 * nevertheless, and three fourths of a detour's slot are wasted.)
 */
struct kprobe_slot_cache;

/* Points are removed as soon as they are disarmed, see arch_remove_kprobe(). */
extern bool kprobe_removes_early;

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
#ifndef KPROBE_SLOT_SIZE
#define KPROBE_SLOT_SIZE	(MAX_INSN_SIZE * sizeof(kprobe_opcode_t))
#endif

extern struct kprobe_slot_cache kprobe_insn_slots;

kprobe_opcode_t *kprobe_get_slot(struct kprobe_slot_cache *c);
void kprobe_free_slot_late(struct kprobe_slot_cache *c, kprobe_opcode_t *slot);
void kprobe_free_slot(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
		      int dirty);
bool kprobe_slot_cache_has(struct kprobe_slot_cache *c, unsigned long addr);
struct kprobe *kprobe_slot_owner(struct kprobe_slot_cache *c,
				 unsigned long addr);
void kprobe_set_slot_owner(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
			   struct kprobe *p);

void *alloc_insn_page(void);
void free_insn_page(void *page);

/**
 * get_insn_slot() - take a slot for the copies of an instruction
 *
 * Context: process context, may sleep.
 * Return: the slot, or NULL without memory.
 */
static inline kprobe_opcode_t *get_insn_slot(void)
{
	return kprobe_get_slot(&kprobe_insn_slots);
}

/**
 * free_insn_slot() - give back the slot of get_insn_slot()
 * @slot: the slot
 * @dirty: of no consequence, see above
 *
 * Context: process context, may sleep.
 */
static inline void free_insn_slot(kprobe_opcode_t *slot, int dirty)
{
	if (kprobe_removes_early)
		kprobe_free_slot_late(&kprobe_insn_slots, slot);
	else
		kprobe_free_slot(&kprobe_insn_slots, slot, dirty);
}

/**
 * is_kprobe_insn_slot() - does an address lie in a slot page?
 * @addr: any address
 *
 * Context: any, NMI too.
 * Return: whether it does.
 */
static inline bool is_kprobe_insn_slot(unsigned long addr)
{
	return kprobe_slot_cache_has(&kprobe_insn_slots, addr);
}
#else
static inline bool is_kprobe_insn_slot(unsigned long addr)
{
	return false;
}
#endif /* __ARCH_WANT_KPROBES_INSN_SLOT */

/**
 * enum kprobe_nojump - why a point is not reached by a jump
 * @KPROBE_NOJUMP_NONE: it is
 * @KPROBE_NOJUMP_FTRACE: it stands on an ftrace site
 * @KPROBE_NOJUMP_OFF: the sysctl is off
 * @KPROBE_NOJUMP_KNOB: the knob is off
 * @KPROBE_NOJUMP_DISABLED: all its probes are disabled
 * @KPROBE_NOJUMP_GONE: its text is gone
 * @KPROBE_NOJUMP_FAULT_HANDLER: it has a fault handler, which a detour cannot
 *	call
 * @KPROBE_NOJUMP_POST_HANDLER: it has a post handler, which the architecture
 *	cannot call from a detour
 * @KPROBE_NOJUMP_WAITING: the jump will be put in when no task can be in the
 *	region any more
 * @KPROBE_NOJUMP_NEIGHBOUR: another probe stands in the region
 * @KPROBE_NOJUMP_NO_MEMORY: no memory; tried again when the point changes
 * @KPROBE_NOJUMP_ARCH: the architecture gave no reason
 * @KPROBE_NOJUMP_REACH: an operand is out of reach from the detour, or the
 *	detour from the point
 * @KPROBE_NOJUMP_NO_SYMBOL: no symbol says where the function begins and ends
 * @KPROBE_NOJUMP_SHORT: the function ends in the region
 * @KPROBE_NOJUMP_END: an instruction in the region never goes on behind itself,
 *	and what follows is no padding
 * @KPROBE_NOJUMP_DECODE: not all of the function could be decoded
 * @KPROBE_NOJUMP_PARTS: there are too many functions of this name to look at
 * @KPROBE_NOJUMP_INSN: an instruction of the region cannot run elsewhere
 * @KPROBE_NOJUMP_TRAP: an instruction of the region traps or leaves the
 *	kernel's code, and is found by its address then
 * @KPROBE_NOJUMP_BRANCH: a branch leads into the region
 * @KPROBE_NOJUMP_JUMP_TABLE: a jump table may lead into the region
 * @KPROBE_NOJUMP_FIXUP: an exception fixup leads into the region
 * @KPROBE_NOJUMP_LABEL: a static key, when on, leads into the region
 * @KPROBE_NOJUMP_ADDRESS: the address of an inner instruction is taken
 * @KPROBE_NOJUMP_ENDBR: an indirect branch may land in the region
 * @KPROBE_NOJUMP_CALL: a call in the region returns into it
 * @KPROBE_NOJUMP_FAULT: a task may sleep in the region, in a page fault
 * @KPROBE_NOJUMP_FTRACE_SITE: an ftrace site lies in the region
 * @KPROBE_NOJUMP_JUMP_LABEL: a jump label lies in the region
 * @KPROBE_NOJUMP_STATIC_CALL: a static call lies in the region
 * @KPROBE_NOJUMP_ALTERNATIVE: an alternative in the region may still be patched
 * @KPROBE_NR_NOJUMPS: number of reasons
 *
 * The region is the instructions that the jump would replace; "into the region"
 * means behind its first byte.
 */
enum kprobe_nojump {
	KPROBE_NOJUMP_NONE,
	KPROBE_NOJUMP_FTRACE,
	KPROBE_NOJUMP_OFF,
	KPROBE_NOJUMP_KNOB,
	KPROBE_NOJUMP_DISABLED,
	KPROBE_NOJUMP_GONE,
	KPROBE_NOJUMP_FAULT_HANDLER,
	KPROBE_NOJUMP_POST_HANDLER,
	KPROBE_NOJUMP_WAITING,
	KPROBE_NOJUMP_NEIGHBOUR,
	KPROBE_NOJUMP_NO_MEMORY,
	KPROBE_NOJUMP_ARCH,
	KPROBE_NOJUMP_REACH,
	KPROBE_NOJUMP_NO_SYMBOL,
	KPROBE_NOJUMP_SHORT,
	KPROBE_NOJUMP_END,
	KPROBE_NOJUMP_DECODE,
	KPROBE_NOJUMP_PARTS,
	KPROBE_NOJUMP_INSN,
	KPROBE_NOJUMP_TRAP,
	KPROBE_NOJUMP_BRANCH,
	KPROBE_NOJUMP_JUMP_TABLE,
	KPROBE_NOJUMP_FIXUP,
	KPROBE_NOJUMP_LABEL,
	KPROBE_NOJUMP_ADDRESS,
	KPROBE_NOJUMP_ENDBR,
	KPROBE_NOJUMP_CALL,
	KPROBE_NOJUMP_FAULT,
	KPROBE_NOJUMP_FTRACE_SITE,
	KPROBE_NOJUMP_JUMP_LABEL,
	KPROBE_NOJUMP_STATIC_CALL,
	KPROBE_NOJUMP_ALTERNATIVE,
	KPROBE_NR_NOJUMPS,
} __packed;

#ifdef CONFIG_OPTPROBES
/**
 * struct optimized_kprobe - a point as the jump optimizer shows it
 * @kp: the point's kprobe
 * @list: for the lists handed to the architecture
 * @nojump: set by arch_prepare_optimized_kprobe() when it fails and knows why
 * @optinsn: the detour buffer
 */
struct optimized_kprobe {
	struct kprobe kp;
	struct list_head list;
	enum kprobe_nojump nojump;
	struct arch_optimized_insn optinsn;
};

/*
 * To be provided by the architecture.
 *
 * arch_prepare_optimized_kprobe() checks that a jump is safe and builds the
 * detour. Unless it returns -ENOMEM, or -EEXIST because another point is too
 * near, an error is final.
 * arch_prepare_optimized_post() adds to an optimized point what post handlers
 * need; it is called only where __ARCH_WANT_OPTIMIZED_POST is defined.
 * arch_prepare_stub() is called when a point with a post handler has to keep
 * its breakpoint; it may save the second trap.
 * arch_check_optimized_kprobe() returns non-zero if other points lie in the
 * region.
 * arch_optimize_kprobes() puts in the jumps of the points on the list, as far
 * as possible, and takes these off the list. arch_unoptimize_kprobes() puts the
 * breakpoints back and moves the points to @done_list.
 */
int arch_prepared_optinsn(struct arch_optimized_insn *optinsn);
int arch_check_optimized_kprobe(struct optimized_kprobe *op);
int arch_prepare_optimized_kprobe(struct optimized_kprobe *op,
				  struct kprobe *orig);
int arch_prepare_optimized_post(struct optimized_kprobe *op);
void arch_prepare_stub(struct optimized_kprobe *op);
void arch_remove_optimized_kprobe(struct optimized_kprobe *op);
void arch_optimize_kprobes(struct list_head *oplist);
void arch_unoptimize_kprobes(struct list_head *oplist,
			     struct list_head *done_list);
/* Not called by the core: arm and powerpc define it, and call it themselves. */
void arch_unoptimize_kprobe(struct optimized_kprobe *op);
int arch_within_optimized_kprobe(struct optimized_kprobe *op,
				 kprobe_opcode_t *addr);

void opt_pre_handler(struct kprobe *p, struct pt_regs *regs);

/* Need not be constant: some measure a template. */
#ifndef KPROBE_OPTSLOT_SIZE
#define KPROBE_OPTSLOT_SIZE	(MAX_OPTINSN_SIZE * sizeof(kprobe_opcode_t))
#endif

extern struct kprobe_slot_cache kprobe_optinsn_slots;

void *alloc_optinsn_page(void);
void free_optinsn_page(void *page);

/**
 * get_optinsn_slot() - take a slot for a detour
 *
 * Context: process context, may sleep.
 * Return: the slot, or NULL without memory.
 */
static inline kprobe_opcode_t *get_optinsn_slot(void)
{
	return kprobe_get_slot(&kprobe_optinsn_slots);
}

/**
 * free_optinsn_slot() - give back the slot of get_optinsn_slot()
 * @slot: the slot
 * @dirty: of no consequence, see above
 *
 * Context: process context, may sleep.
 */
static inline void free_optinsn_slot(kprobe_opcode_t *slot, int dirty)
{
	kprobe_free_slot(&kprobe_optinsn_slots, slot, dirty);
}

/**
 * is_kprobe_optinsn_slot() - does an address lie in a page of detours?
 * @addr: any address
 *
 * Context: any, NMI too.
 * Return: whether it does.
 */
static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return kprobe_slot_cache_has(&kprobe_optinsn_slots, addr);
}
#else
static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return false;
}
#endif /* CONFIG_OPTPROBES */

#ifdef CONFIG_KPROBES_ON_FTRACE
extern bool kprobe_ftrace_disabled;

/*
 * To be provided by the architecture: the ftrace callback, which runs the
 * point at @ip as the breakpoint handler would.
 */
void kprobe_ftrace_handler(unsigned long ip, unsigned long parent_ip,
			   struct ftrace_ops *ops, struct ftrace_regs *fregs);
int arch_prepare_kprobe_ftrace(struct kprobe *p);
void kprobe_ftrace_kill(void);
void kprobe_ftrace_missed(unsigned long ip);
#else
static inline int arch_prepare_kprobe_ftrace(struct kprobe *p)
{
	return -EINVAL;
}

static inline void kprobe_ftrace_kill(void) { }
static inline void kprobe_ftrace_missed(unsigned long ip) { }
#endif /* CONFIG_KPROBES_ON_FTRACE */

/*
 * Return probes. With rethook the return hook itself lies outside of kprobes;
 * without, the architecture provides a trampoline that calls
 * kretprobe_trampoline_handler().
 */
#ifdef CONFIG_KRETPROBES
/**
 * get_kretprobe() - the kretprobe of an instance
 * @ri: the instance
 *
 * Context: a handler of the kretprobe.
 * Return: the kretprobe; without rethook, NULL when it is being unregistered.
 */
struct kretprobe *get_kretprobe(struct kretprobe_instance *ri);

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
static nokprobe_inline
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur)
{
	return rethook_find_ret_addr(tsk, (unsigned long)fp, cur);
}

/**
 * get_kretprobe_retaddr() - where the hooked call will return to
 * @ri: the instance
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

static inline void kprobe_flush_task(struct task_struct *tk) { }
#else
void __kretprobe_trampoline(void);
void arch_prepare_kretprobe(struct kretprobe_instance *ri,
			    struct pt_regs *regs);
void arch_kretprobe_fixup_return(struct pt_regs *regs,
				 kprobe_opcode_t *correct_ret_addr);
unsigned long __kretprobe_trampoline_handler(struct pt_regs *regs, void *fp);
unsigned long kretprobe_find_ret_addr(struct task_struct *tsk, void *fp,
				      struct llist_node **cur);
void kprobe_flush_task(struct task_struct *tk);

static nokprobe_inline
unsigned long get_kretprobe_retaddr(struct kretprobe_instance *ri)
{
	return (unsigned long)ri->ret_addr;
}

static nokprobe_inline bool is_kretprobe_trampoline(unsigned long addr)
{
	void *trampoline;

	trampoline = dereference_kernel_function_descriptor(__kretprobe_trampoline);
	return addr == (unsigned long)trampoline;
}

static nokprobe_inline
unsigned long kretprobe_trampoline_handler(struct pt_regs *regs, void *fp)
{
	/* Must be called with preemption disabled, as the trampolines do. */
	return __kretprobe_trampoline_handler(regs, fp);
}
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
