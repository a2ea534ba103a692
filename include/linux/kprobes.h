/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_H
#define _LINUX_KPROBES_H
/*
 * Kprobes: call a function of yours whenever the kernel reaches an
 * instruction of your choice.
 *
 * This is the interface for users. Documentation/trace/kprobes.rst is their
 * manual; what an architecture has to provide, and may use, is in
 * linux/kprobes_arch.h. Functions are described where they are defined, in
 * kernel/kprobes.c and kernel/kprobes/.
 */

#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/linkage.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <linux/smp.h>
#include <linux/spinlock.h>
#include <linux/types.h>
#include <asm/kprobes.h>

/**
 * DOC: Terms
 *
 * probe point, or point
 *	An address that is probed. There is one point for each address, and the
 *	core owns it, however many probes are registered there.
 *
 * kprobe
 *	What a user registers: a struct kprobe with an address or a symbol, and
 *	handlers. It is a *subscriber* of the point at that address. Any number of
 *	kprobes may subscribe to one point.
 *
 * kretprobe
 *	A kprobe at the entry of a function that hooks the return, too.
 *
 * instance
 *	One call of a function with a kretprobe that has not returned yet.
 *
 * hit
 *	A CPU has reached a point. The pre handlers of its subscribers are called,
 *	those of the newest first, or the hit is a miss.
 *
 * miss
 *	A hit, or the call of a function with a kretprobe, for which a handler that
 *	should run does not: &kprobe.nmissed and &kretprobe.nmissed count that. A
 *	point without an enabled subscriber may still be hit until it is disarmed:
 *	only the point's own statistics count that as a miss.
 *
 * to change the path
 *	What a pre handler does that sets the instruction pointer and returns
 *	non-zero: execution goes on there.
 *
 * batch
 *	Several probes that are registered or unregistered by one call.
 *
 * knob
 *	The file debugfs/kprobes/enabled. Where 0 is written to it, all points but
 *	arch_trampoline_kprobe() are disarmed, until 1 is written.
 *
 * ::
 *
 *	struct kprobe a ----+
 *	struct kprobe b ----+--> the point at 0xffffffff81234567
 *	struct kretprobe c -+         |
 *	                              v
 *	        in the text: a breakpoint, a jump, or the call of an ftrace site
 *
 * A CPU that comes to the point calls the pre handlers of c, b and a, executes
 * the instruction, and calls their post handlers. How it comes to the handlers:
 *
 * by a breakpoint
 *	It replaces the first byte, or unit, of the instruction. Any instruction that
 *	can be probed can have one, but for the site of ftrace.
 *
 * optimized
 *	The point is reached by a jump, which is several times faster. The jump
 *	replaces a *region* of whole instructions and leads to a *detour*, a buffer
 *	that calls the handlers, executes a copy of the region and goes back behind
 *	it. Whether that is possible is found out for each point.
 *
 * through ftrace
 *	The point is where a function can be traced: ftrace calls the handlers.
 *
 * And how the instruction takes effect where there is a breakpoint:
 *
 * emulated
 *	C code changes the saved registers as the instruction would.
 *
 * boosted
 *	A copy of the instruction runs, and a jump behind it leads back.
 *
 * stub
 *	A copy runs, and code behind it calls the post handlers and leads back.
 *
 * stepped
 *	A copy runs, and a second trap behind it leads back.
 *
 * Two more words for the inside: a *slot* is a piece of executable memory for
 * copies; a *frame* says which probe a CPU is processing, and what of it.
 */

struct kprobe;
struct kretprobe;
struct kretprobe_instance;

#ifndef CONFIG_KPROBES
/* Users may embed a struct kprobe even where probes are not configured. */
typedef u8 kprobe_opcode_t;
struct arch_specific_insn {
	int unused;
};
#endif

/**
 * typedef kprobe_pre_handler_t - called before the probed instruction
 * @kp: the kprobe
 * @regs: the registers at the probed instruction
 *
 * Return: 0 to go on with the probed instruction. Any other value says that the
 * handler has set the instruction pointer in the registers, and what belongs to
 * it: the probed instruction and the post handlers are skipped.
 */
typedef int (*kprobe_pre_handler_t)(struct kprobe *kp, struct pt_regs *regs);

/**
 * typedef kprobe_post_handler_t - called after the probed instruction
 * @kp: the kprobe
 * @regs: the registers after the probed instruction
 * @flags: reserved, 0
 */
typedef void (*kprobe_post_handler_t)(struct kprobe *kp, struct pt_regs *regs,
				      unsigned long flags);

/**
 * typedef kprobe_fault_handler_t - called when a handler or the copy faults
 * @kp: the kprobe
 * @regs: the registers at the fault
 * @trapnr: the architecture's number of the trap
 *
 * It is called before the exception table is searched, and never for a fault of a fault
 * handler. Only architectures with __ARCH_WANT_KPROBE_FRAMES, such as x86, call it. For
 * a fault in the copy of the instruction, @regs show the original instruction; if
 * execution goes on there, the point is hit once more.
 *
 * Return: 1 if the handler has dealt with the fault and execution is to go on
 * at the instruction pointer in the registers, 0 to let the kernel handle it.
 */
typedef int (*kprobe_fault_handler_t)(struct kprobe *kp, struct pt_regs *regs,
				      int trapnr);

/**
 * typedef kprobe_break_handler_t - never called
 * @kp: the kprobe
 * @regs: the registers
 *
 * See &kprobe.break_handler.
 *
 * Return: not used.
 */
typedef int (*kprobe_break_handler_t)(struct kprobe *kp, struct pt_regs *regs);

/**
 * typedef kretprobe_handler_t - called at the entry or return of a function
 * @ri: the instance of this call
 * @regs: the registers at the entry, or as the caller will see them
 *
 * Return: for an entry handler, non-zero to leave this call unhooked; for a
 * return handler, the value is ignored.
 */
typedef int (*kretprobe_handler_t)(struct kretprobe_instance *ri,
				   struct pt_regs *regs);

/**
 * struct kprobe - a subscriber on a probe point
 * @hlist: for the core (internal), which uses its first word only: if the caller
 *	has cleared it, hlist_unhashed() is true always
 * @list: links the subscribers of one point; not empty while registered
 * @nmissed: how many hits of the point were misses for this kprobe; set to 0 by
 *	registration
 * @addr: where the point is. Set by the user, or found from @symbol_name
 * @symbol_name: the name to probe, "symbol" or "module:symbol"; exclusive with
 *	@addr
 * @offset: bytes to add to @addr or to the symbol's address
 * @flags: KPROBE_FLAG_*; a user sets none but KPROBE_FLAG_DISABLED
 * @pre_handler: called before the probed instruction; may be NULL
 * @post_handler: called after the probed instruction; may be NULL
 * @fault_handler: called when a handler takes a fault, or the copy of an
 *	instruction that is stepped; may be NULL
 * @opcode: the first unit of the probed instruction, as it was before
 * @ainsn: the copy of the instruction, for the architecture; only in a point's
 *	kprobe
 * @break_handler: never called, and never read: it is there so that old users
 *	compile which set it. Jprobes needed it when they had a second breakpoint
 *
 * The memory belongs to the user and must stay in place from registration
 * until unregister_kprobe() returns. Handlers run with preemption disabled, in
 * whatever context the probed instruction runs in, and must not sleep.
 */
struct kprobe {
	struct hlist_node hlist;
	struct list_head list;
	unsigned long nmissed;
	kprobe_opcode_t *addr;
	const char *symbol_name;
	unsigned int offset;
	u32 flags;
	kprobe_pre_handler_t pre_handler;
	kprobe_post_handler_t post_handler;
	kprobe_fault_handler_t fault_handler;
	kprobe_opcode_t opcode;
	union {
		struct arch_specific_insn ainsn;
		kprobe_break_handler_t break_handler;
	};
} __aligned(8);	/* for KPROBE_CHAIN_BITS in &kprobe_hot.pre_chain */

/* The probed text is gone (module unloaded, init text freed). */
#define KPROBE_FLAG_GONE		1
/* Registered, but its handlers are not called. */
#define KPROBE_FLAG_DISABLED		2
/*
 * A point's kprobe: its detour serves. Set from when the jump is queued until the last
 * byte of the jump is gone; in the text there is a breakpoint or the jump meanwhile.
 */
#define KPROBE_FLAG_OPTIMIZED		4
/* The point is an ftrace site and is reached through ftrace. */
#define KPROBE_FLAG_FTRACE		8
/* The point is where a function starts, as its callers see it. */
#define KPROBE_FLAG_ON_FUNC_ENTRY	16

/**
 * kprobe_ftrace() - is the point reached through ftrace?
 * @kp: a registered kprobe
 *
 * Return: whether it is.
 */
static inline bool kprobe_ftrace(struct kprobe *kp)
{
	return kp->flags & KPROBE_FLAG_FTRACE;
}

/**
 * kprobe_optimized() - does the detour of a point serve?
 * @kp: a point's kprobe
 *
 * It does so also while the breakpoint is still, or again, in the text: a hit there goes
 * on in the detour, not in the region behind its first instruction.
 *
 * Return: whether it does.
 */
static inline bool kprobe_optimized(struct kprobe *kp)
{
	return kp->flags & KPROBE_FLAG_OPTIMIZED;
}

/**
 * kprobe_gone() - has the probed text disappeared?
 * @kp: a registered kprobe
 *
 * Return: whether it has.
 */
static inline bool kprobe_gone(struct kprobe *kp)
{
	return kp->flags & KPROBE_FLAG_GONE;
}

/**
 * kprobe_disabled() - is this probe disabled, or its text gone?
 * @kp: a registered kprobe
 *
 * Return: whether it is.
 */
static inline bool kprobe_disabled(struct kprobe *kp)
{
	return kp->flags & (KPROBE_FLAG_GONE | KPROBE_FLAG_DISABLED);
}

/**
 * struct kretprobe - a probe on the return of a function
 * @kp: the probe on the function's entry; set its @addr or @symbol_name.
 *	Registration sets its pre handler, and clears its post handler
 * @handler: called when the function returns; may be NULL
 * @entry_handler: called when the function is entered; may be NULL
 * @maxactive: how many calls may be under way at a time. If it is not positive,
 *	instances are added as they are needed, and while registered it reads as
 *	max(10, 2 * number of possible CPUs). Without CONFIG_KRETPROBE_ON_RETHOOK
 *	that is the limit, and no instances are added
 * @nmissed: calls that found no free instance; set to 0 by registration
 * @data_size: bytes of private data in each instance, at most
 *	KRETPROBE_MAX_DATA_SIZE
 * @rh: the return hook behind it (internal)
 * @rph: owner of the instances, on architectures without rethook (internal)
 */
struct kretprobe {
	struct kprobe kp;
	kretprobe_handler_t handler;
	kretprobe_handler_t entry_handler;
	int maxactive;
	int nmissed;
	size_t data_size;
#ifdef CONFIG_KRETPROBE_ON_RETHOOK
	struct rethook *rh;
#else
	struct kretprobe_holder *rph;
#endif
};

#define KRETPROBE_MAX_DATA_SIZE	4096

#ifdef CONFIG_KRETPROBE_ON_RETHOOK
/**
 * struct kretprobe_instance - a call that has not returned yet
 * @node: the return hook that carries the instance (internal)
 * @ret_addr: the address the function will return to; set behind the entry handler
 * @rp: the kretprobe. Valid in its handlers: elsewhere it may have been
 *	unregistered, and freed, since the function was entered
 * @task: the task that made the call
 * @data: the private data, &kretprobe.data_size bytes
 */
struct kretprobe_instance {
	union {
		struct rethook_node node;
		struct {
			/* private: what lies before it in the node */
			char __before[offsetof(struct rethook_node, ret_addr)];
			/* public: */
			kprobe_opcode_t *ret_addr;
		};
	};
	struct kretprobe *rp;
	struct task_struct *task;
	char data[];
};
#else
struct kretprobe_holder;

/**
 * struct kretprobe_instance - a call that has not returned yet
 * @llist: links the instances of a task, newest first (internal)
 * @rph: the owner of the instance (internal)
 * @ret_addr: the address the function will return to; set behind the entry handler
 * @fp: the stack frame by which the instance is found again
 * @rp: the kretprobe, as it was when the function was entered
 * @task: the task that made the call
 * @rcu: delays the release of the instance (internal)
 * @data: the private data, &kretprobe.data_size bytes
 */
struct kretprobe_instance {
	struct llist_node llist;
	struct kretprobe_holder *rph;
	kprobe_opcode_t *ret_addr;
	void *fp;
	struct kretprobe *rp;
	struct task_struct *task;
	struct rcu_head rcu;
	char data[];
};
#endif /* CONFIG_KRETPROBE_ON_RETHOOK */

/**
 * struct kretprobe_blackpoint - a function whose return cannot be hooked
 * @name: the function's name
 * @addr: its address, filled in at boot
 */
struct kretprobe_blackpoint {
	const char *name;
	void *addr;
};

#ifdef CONFIG_KPROBES
/* The architecture's, with kretprobe_blacklist_size: see linux/kprobes_arch.h. */
extern struct kretprobe_blackpoint kretprobe_blacklist[];

/*
 * kernel/kprobes.c. Process context, may sleep: they take kprobe_mutex, and inside
 * of it cpus_read_lock() and text_mutex, or what ftrace takes. So no lock may be held
 * that is taken while a CPU is brought up or down. unregister_*() waits for a grace
 * period.
 */
int register_kprobe(struct kprobe *p);
void unregister_kprobe(struct kprobe *p);
int register_kprobes(struct kprobe **kps, int num);
void unregister_kprobes(struct kprobe **kps, int num);
int disable_kprobe(struct kprobe *kp);
int enable_kprobe(struct kprobe *kp);

/* kernel/kprobes/check.c. Process context, takes no lock. */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset);

/* kernel/kprobes/check.c, any context; slots.c, any but NMI, takes no lock. */
bool within_kprobe_blacklist(unsigned long addr);
int kprobe_get_kallsym(unsigned int symnum, unsigned long *value, char *type,
		       char *sym);

/* kernel/kprobes/dispatch.c. Any context; no sleep in between. */
void kprobe_busy_begin(void);
void kprobe_busy_end(void);

/* kernel/kprobes/module.c. At the end of the boot; takes kprobe_mutex. */
void kprobe_free_init_mem(void);

#ifdef CONFIG_OPTPROBES
/* kernel/kprobes/optimizer.c. Process context without kprobe_mutex; sleeps long. */
void wait_for_kprobe_optimizer(void);
#else
static inline void wait_for_kprobe_optimizer(void) { }
#endif

#else /* !CONFIG_KPROBES */

static inline void unregister_kprobe(struct kprobe *kp) { }
static inline void unregister_kprobes(struct kprobe **kps, int num) { }

static inline int register_kprobes(struct kprobe **kps, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_kprobe(struct kprobe *kp)
{
	return register_kprobes(&kp, 1);
}

static inline int disable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline int enable_kprobe(struct kprobe *kp)
{
	return -EOPNOTSUPP;
}

static inline struct kprobe *get_kprobe(void *addr)
{
	return NULL;
}

static inline struct kprobe *kprobe_running(void)
{
	return NULL;
}

static inline bool within_kprobe_blacklist(unsigned long addr)
{
	return true;
}

static inline int kprobe_get_kallsym(unsigned int symnum, unsigned long *value,
				     char *type, char *sym)
{
	return -ERANGE;
}

static inline bool is_kprobe_insn_slot(unsigned long addr)
{
	return false;
}

static inline bool is_kprobe_optinsn_slot(unsigned long addr)
{
	return false;
}

static inline int kprobe_fault_handler(struct pt_regs *regs, int trapnr)
{
	return 0;
}

static inline bool kprobe_page_fault(struct pt_regs *regs, unsigned int trap)
{
	return false;
}

static inline void kprobe_busy_begin(void) { }
static inline void kprobe_busy_end(void) { }
static inline void kprobe_flush_task(struct task_struct *tk) { }
static inline void kprobe_flush_frames(void) { }
static inline void kprobe_free_init_mem(void) { }
static inline void kprobe_ftrace_kill(void) { }
static inline void kprobe_ftrace_missed(unsigned long ip) { }

#endif /* CONFIG_KPROBES */

#ifdef CONFIG_KRETPROBES
/* kernel/kprobes/kretprobe.c. Context and locks as for kprobes. */
int register_kretprobe(struct kretprobe *rp);
void unregister_kretprobe(struct kretprobe *rp);
int register_kretprobes(struct kretprobe **rps, int num);
void unregister_kretprobes(struct kretprobe **rps, int num);
#else
static inline void unregister_kretprobe(struct kretprobe *rp) { }
static inline void unregister_kretprobes(struct kretprobe **rps, int num) { }

static inline int register_kretprobes(struct kretprobe **rps, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_kretprobe(struct kretprobe *rp)
{
	return register_kretprobes(&rp, 1);
}
#endif /* CONFIG_KRETPROBES */

/**
 * disable_kretprobe() - stop calling the handlers of a return probe
 * @rp: a registered kretprobe
 *
 * Calls that are already under way still return through the handler.
 * Context: as disable_kprobe().
 * Return: as disable_kprobe().
 */
static inline int disable_kretprobe(struct kretprobe *rp)
{
#ifdef CONFIG_KPROBES
	return disable_kprobe(&rp->kp);
#else
	return -EOPNOTSUPP;
#endif
}

/**
 * enable_kretprobe() - call the handlers of a return probe again
 * @rp: a registered kretprobe
 *
 * Context: as enable_kprobe().
 * Return: as enable_kprobe().
 */
static inline int enable_kretprobe(struct kretprobe *rp)
{
#ifdef CONFIG_KPROBES
	return enable_kprobe(&rp->kp);
#else
	return -EOPNOTSUPP;
#endif
}

#include <linux/kprobes_arch.h>
#include <linux/kprobes_jprobe.h>

#endif /* _LINUX_KPROBES_H */
