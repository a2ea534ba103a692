/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_JPROBE_H
#define _LINUX_KPROBES_JPROBE_H
/*
 * Jprobes: a handler with the prototype of the probed function, which is called with
 * the arguments of each call. An old interface, kept for the modules that use it; for
 * new code, the help text of CONFIG_JPROBES names better ones. Include
 * linux/kprobes.h, which includes this. Functions are described where they are
 * defined, in kernel/kprobes/jprobe.c and jprobe_hit.c.
 */

#ifndef _LINUX_KPROBES_H
#error "include linux/kprobes.h"
#endif

/**
 * struct jprobe - a probe whose handler has the arguments of the probed function
 * @kp: the probe at the entry of the function. Set its @addr or @symbol_name; it may
 *	have a post handler and a fault handler, and KPROBE_FLAG_DISABLED. The pre
 *	handler belongs to the jprobe: leave it NULL
 * @entry: the handler, as JPROBE_ENTRY() gives it. It has the prototype of the probed
 *	function, and ends with a call of jprobe_return()
 *
 * The memory must stay in place as that of a kprobe. The handler runs as a pre handler
 * does: with preemption disabled, in any context, and it must not sleep.
 */
struct jprobe {
	struct kprobe kp;
	void *entry;
};

/**
 * JPROBE_ENTRY() - a handler, for &jprobe.entry
 * @handler: the function
 */
#define JPROBE_ENTRY(handler)	((void *)(handler))

#ifdef CONFIG_JPROBES
/* kernel/kprobes/jprobe.c. Context and locks as for kprobes. */
int register_jprobe(struct jprobe *jp);
void unregister_jprobe(struct jprobe *jp);
int register_jprobes(struct jprobe **jps, int num);
void unregister_jprobes(struct jprobe **jps, int num);

/* kernel/kprobes/jprobe_hit.c. In a handler. NOKPROBE. */
void jprobe_return(void);

/**
 * disable_jprobe() - stop calling the handler of a jprobe
 * @jp: a registered jprobe
 *
 * Context: as disable_kprobe().
 * Return: as disable_kprobe().
 */
static inline int disable_jprobe(struct jprobe *jp)
{
	return disable_kprobe(&jp->kp);
}

/**
 * enable_jprobe() - call the handler of a jprobe again
 * @jp: a registered jprobe
 *
 * Context: as enable_kprobe().
 * Return: as enable_kprobe().
 */
static inline int enable_jprobe(struct jprobe *jp)
{
	return enable_kprobe(&jp->kp);
}

/*
 * What an architecture provides that selects HAVE_JPROBES. It needs
 * __ARCH_WANT_KPROBE_FRAMES.
 */

/**
 * struct jprobe_call - a handler that runs
 * @outer: the handler that it has interrupted on its CPU, NULL if there is none
 * @context: the context that it runs in, see kprobe_context()
 * @depth: how many frames of kprobes its CPU has then
 * @sp: set by arch_jprobe_call() before the handler is entered: what lies below is
 *	free when the handler ends
 * @bp: for the architecture
 */
struct jprobe_call {
	struct jprobe_call *outer;
	unsigned int context;
	unsigned int depth;
	unsigned long sp;
	unsigned long bp;
};

/**
 * arch_jprobe_call() - call a function with the arguments of another call
 * @entry: the function, as &jprobe.entry has it
 * @regs: the registers at the entry of the function that was called
 * @call: where arch_jprobe_return() will find what it needs
 *
 * All registers that may have arguments are loaded, and a piece of the stack is
 * copied, whose size the architecture defines: the prototype is not known. Whatever
 * the function does to them, @regs and the stack behind them stay as they are.
 *
 * Comes back when the function returns, or arch_jprobe_return() is called.
 *
 * Context: any, preemption disabled. NOKPROBE.
 */
void arch_jprobe_call(void *entry, struct pt_regs *regs, struct jprobe_call *call);

/**
 * arch_jprobe_return() - let arch_jprobe_call() come back
 * @call: the innermost call of this CPU
 *
 * Does not come back itself. Not declared so: for the compiler, jprobe_return() is a
 * function that returns.
 *
 * Context: the function that arch_jprobe_call() has called, or what that has called.
 * NOKPROBE.
 */
void arch_jprobe_return(const struct jprobe_call *call);

#else /* !CONFIG_JPROBES */

static inline void unregister_jprobe(struct jprobe *jp) { }
static inline void unregister_jprobes(struct jprobe **jps, int num) { }
static inline void jprobe_return(void) { }

static inline int register_jprobes(struct jprobe **jps, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_jprobe(struct jprobe *jp)
{
	return register_jprobes(&jp, 1);
}

static inline int disable_jprobe(struct jprobe *jp)
{
	return -EOPNOTSUPP;
}

static inline int enable_jprobe(struct jprobe *jp)
{
	return -EOPNOTSUPP;
}

#endif /* CONFIG_JPROBES */

#endif /* _LINUX_KPROBES_JPROBE_H */
