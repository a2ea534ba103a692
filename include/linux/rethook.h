/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_RETHOOK_H
#define _LINUX_RETHOOK_H
/*
 * Return hooks: call a handler when a function returns.
 *
 * Code that sees a function being entered (a kprobe, an ftrace callback) takes
 * a node and hooks the call: the return address is replaced by a trampoline and
 * kept in the node, and the node is put in a list of the task. The trampoline
 * calls the handler and returns to where the function would have returned.
 *
 * The header is included by the stack unwinders, so it includes little. Functions
 * are described where they are defined, in kernel/trace/rethook.c and rethook_chunk.c.
 */
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/llist.h>
#include <linux/types.h>

struct pt_regs;
struct rethook_chunk;
struct rethook_node;
struct rethook_set;
struct task_struct;

/**
 * typedef rethook_handler_t - called when a hooked function returns
 * @node: the node that hooked the call
 * @data: what was given to rethook_alloc()
 * @ret_addr: the address that the function returns to
 * @regs: the registers as the caller will see them. The handler may change
 *	those that hold the return value
 *
 * Context: that of the function, preemption disabled.
 */
typedef void (*rethook_handler_t)(struct rethook_node *node, void *data,
				  unsigned long ret_addr, struct pt_regs *regs);

/**
 * struct rethook - the hook of one user
 * @data: for the handler
 * @handler: the handler; NULL as soon as the hook is stopped
 * @cpu_cache: for each CPU, the node that it freed last, if still free
 * @root: where the search for a free node begins, see rethook_pool.h
 * @first: the chunk that was allocated with the hook
 * @size: bytes of a node
 * @stride: how many nodes apart two CPUs look for a free one at first
 * @total: how many nodes there are
 * @floor: how many there were at first; they stay
 * @reserve: a hit that finds fewer free asks for more; 0 if the number is
 *	fixed
 * @may_grow: whether nodes may be added
 * @blocked: there was no memory for more
 * @dead: the user has freed the hook, and a grace period has passed
 * @chunks: all chunks but the first, newest first
 * @list: links the hooks that the worker has to look at
 * @bytes: the memory of the hook, all of it
 * @grown_bytes: the memory of the chunks that were added since it was made
 * @nr_free: how many nodes are free and in no CPU's cache
 * @caches_empty_at: when the caches of all CPUs were found empty, in jiffies
 * @growth_pending: the hook waits for the worker to add nodes, or for memory
 * @grow_node: links the hooks that wait for the worker
 * @rcu: delays the release until no CPU can be putting nodes back
 * @dying_node: links the hooks that the user has freed, after that delay
 *
 * Calls may be under way when the user frees the hook, so its memory is freed
 * with the last of its nodes. The members from @nr_free on are written by slow
 * hits, and so lie in another cache line than those that each hit reads.
 */
struct rethook {
	void *data;
	rethook_handler_t handler;
	struct rethook_node * __percpu *cpu_cache;
	struct rethook_set *root;
	struct rethook_chunk *first;
	unsigned int size;
	unsigned int stride;
	unsigned int total;
	unsigned int floor;
	int reserve;
	bool may_grow;
	bool blocked;
	bool dead;
	struct list_head chunks;
	struct list_head list;
	size_t bytes;
	size_t grown_bytes;

	atomic_t nr_free ____cacheline_aligned_in_smp;
	unsigned int caches_empty_at;
	int growth_pending;
	struct llist_node grow_node;
	union {
		struct rcu_head rcu;
		struct llist_node dying_node;
	};
};

/**
 * struct rethook_node - a hooked call
 * @llist: links the hooked calls of a task, newest first
 * @rethook: the hook that the node belongs to
 * @chunk: the chunk that it is part of
 * @ret_addr: where the call will return to. This is the trampoline again when
 *	the call had been hooked before: then an older node has the real address
 * @frame: what distinguishes the call from others; the architecture chooses it
 *
 * A user puts it at the start of a larger structure of its own.
 */
struct rethook_node {
	struct llist_node llist;
	struct rethook *rethook;
	struct rethook_chunk *chunk;
	unsigned long ret_addr;
	unsigned long frame;
};

#ifdef CONFIG_RETHOOK

/* Process context, may sleep; without a lock. */
struct rethook *rethook_alloc(void *data, rethook_handler_t handler, int size,
			      int num);
struct rethook *rethook_alloc_growing(void *data, rethook_handler_t handler,
				      int size, int num);
int rethook_keep(struct rethook *rh, unsigned int num);

/*
 * rethook_stop() in any context, rethook_free() in any but NMI; without a lock. A
 * grace period after the first of them no handler runs any more. A worker frees the
 * memory, under rethook_mutex.
 */
void rethook_stop(struct rethook *rh);
void rethook_free(struct rethook *rh);

/* At a hit: any context, preemption disabled. NOKPROBE. */
struct rethook_node *rethook_try_get(struct rethook *rh);
void rethook_recycle(struct rethook_node *node);
void rethook_hook(struct rethook_node *node, struct pt_regs *regs, bool mcount);

/* For calls that do not return: any context, preemption disabled. NOKPROBE. */
struct llist_node *rethook_newest_call(void);
void rethook_forget_newer(struct llist_node *newest);

/* For unwinders, any context, NOKPROBE; and for the end of a task. */
unsigned long rethook_find_ret_addr(struct task_struct *tsk,
				    unsigned long frame,
				    struct llist_node **cur);
void rethook_flush_task(struct task_struct *tsk);

/* To be provided by the architecture, all of it NOKPROBE. */

/**
 * arch_rethook_prepare() - make a call return to the trampoline
 * @node: set its @ret_addr and @frame
 * @regs: the registers at the entry of the function
 * @mcount: do they come from ftrace?
 *
 * Only when @node is complete is the trampoline put in the place of the return
 * address, with a barrier() in between, for an unwinder in an NMI.
 *
 * Context: any, preemption disabled.
 */
void arch_rethook_prepare(struct rethook_node *node, struct pt_regs *regs,
			  bool mcount);

/*
 * The trampoline: saves the registers, calls rethook_trampoline_handler() with
 * the frame that arch_rethook_prepare() has chosen for the call, restores them,
 * and returns to the address that it was given.
 */
void arch_rethook_trampoline(void);

/*
 * If the trampoline wants to know the address earlier, so that the stack looks
 * right to unwinders; there is a default, which does nothing.
 */
void arch_rethook_fixup_return(struct pt_regs *regs, unsigned long ret_addr);

/* Offered to the trampoline. Disables preemption while handlers run. */
unsigned long rethook_trampoline_handler(struct pt_regs *regs,
					 unsigned long frame);

/**
 * is_rethook_trampoline() - does a return address lead to the trampoline?
 * @addr: the return address
 *
 * Return: true if it does, false if it is the real one.
 */
static __always_inline bool is_rethook_trampoline(unsigned long addr)
{
	return addr == (unsigned long)arch_rethook_trampoline;
}

#else /* !CONFIG_RETHOOK */

static __always_inline bool is_rethook_trampoline(unsigned long addr)
{
	return false;
}

static inline struct llist_node *rethook_newest_call(void)
{
	return NULL;
}

static inline void rethook_forget_newer(struct llist_node *newest) { }
static inline void rethook_flush_task(struct task_struct *tsk) { }

#endif /* CONFIG_RETHOOK */

#endif /* _LINUX_RETHOOK_H */
