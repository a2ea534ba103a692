/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_INTERNAL_H
#define _KPROBES_INTERNAL_H
/*
 * What the layers of the core share: the API in kprobes.c is on top of the
 * table, the blacklist and the checks, then there is arming, and then the
 * architecture. Hits (dispatch.c, lookup.c) only read.
 *
 * Functions are described in the file that is named above them.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/cpu.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/lockdep.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

/**
 * DOC: A point and its subscribers
 *
 * ::
 *
 *	kprobe_table[hash(addr)]        kprobe_points
 *	          |                          |
 *	          v next[]                   v all
 *	  +--------------------- struct kprobe_point ---------------------+
 *	  | probe (the point's kprobe: what the architecture sees)        |
 *	  |   addr, opcode, ainsn                                         |
 *	  |   pre_handler   = kprobe_dispatch_pre() or _off()             |
 *	  |   post_handler  = kprobe_dispatch_post() or NULL              |
 *	  |   fault_handler = kprobe_dispatch_fault() or NULL             |
 *	  | hot.pre_chain --------------------------+                     |
 *	  | hot.subs ---------+                     |  op: probe and the  |
 *	  | state, nojump, ...|                     |  detour, OPTPROBES  |
 *	  +-------------------|---------------------|---------------------+
 *	                      v                     v
 *	            +- newest subscriber -+   (first with a pre handler)
 *	            | list                |         |
 *	            | pre_handler         | <-------+
 *	            | hlist.next ---------------+
 *	            +---------------------+     |
 *	                      | list            |
 *	            +- older subscriber --+     |
 *	            | no pre handler      |     |
 *	            +---------------------+     |
 *	                      | list            |
 *	            +- oldest subscriber -+     |
 *	            | hlist.next = NULL   | <---+
 *	            +---------------------+
 *
 * The list has all subscribers, also those that are disabled; post and fault
 * handlers are found by it. The chain has those whose pre handlers are to be
 * called, and its low bits say how short the way to them is (KPROBE_CHAIN_*).
 * kprobe_update_handlers() keeps both in agreement.
 */

/**
 * DOC: The life of a point
 *
 * ::
 *
 *	register_kprobe() at an address without a point
 *	              |
 *	              v
 *	          DISARMED <---------------+
 *	              |                    |
 *	  wanted: arm |                    | not wanted: disarm
 *	              v                    |
 *	            ARMED -----------------+
 *	            ^   |
 *	     revert |   | the region is safe, and the detour is built
 *	            |   v
 *	            +- QUEUED
 *	            |   |
 *	     revert |   | a grace period of RCU tasks has passed
 *	            |   v
 *	            +- OPTIMIZED
 *
 *	DISARMED --(the text goes away)--> GONE
 *
 *	DISARMED or GONE, and no subscriber is left
 *	              |
 *	              v
 *	  in no table and no list: retired, and freed after a grace period of RCU
 *	  tasks, and a plain one
 *
 * A point whose text goes away is disarmed first; only if ftrace fails to forget a
 * site does its point become GONE from ARMED. GONE is final: a probe that is registered
 * at the address later gets another point. If ftrace fails when the last subscriber is
 * unregistered, the point stays ARMED, and counts hits as misses, until a worker has
 * succeeded, or another probe subscribes to it.
 *
 * A point is wanted if a subscriber is enabled and the knob
 * debugfs/kprobes/enabled is on. "Safe" means that nothing but the point leads into the
 * region. state.c has the table of the moves, arm.c and optimizer.c make them,
 * retire.c frees points.
 *
 * Why RCU tasks: a copy of an instruction runs like other kernel code, so a task
 * may be preempted in it and come back at any time. A grace period of RCU tasks
 * has passed when each task has slept of its own accord, been idle or in user space
 * since it began. Likewise a task may be preempted in the region that a jump is to
 * replace, behind its first instruction.
 */

/**
 * DOC: Locks
 *
 * A lock is taken inside of those above it that it is indented from::
 *
 *	kretprobe_register_mutex       return probes that are being registered
 *	`-- kprobe_mutex               points, subscribers, states, the table; what
 *	    |                          is kept about text; the knob
 *	    |-- regex_lock             of an ftrace_ops: ftrace takes it to change its filter,
 *	    |   |                      in direct_mutex if direct calls are told; only the
 *	    |   |                      latter to register an ftrace_ops, or to clean up
 *	    |   `-- ftrace_lock        ftrace takes it to arm or disarm sites,
 *	    |       `-- text_mutex     and this inside of it
 *	    |-- module_mutex           taken to go through all symbols of a module
 *	    |-- static_call_mutex      the tables of static calls
 *	    |-- cpus_read_lock()       keeps CPUs up or down while text changes
 *	    |   `-- jump_label_lock()  the tables of static keys
 *	    |       `-- text_mutex     the text
 *	    |           `-- slot mutex the slots of a cache, and their pages; with frames
 *	    |                          it is taken without those between
 *	    |-- kprobe_hits_mutex      the memory of the counters
 *	    `-- kprobe_retire_lock     the points that wait to be freed (a spinlock)
 *
 *	kprobe_blacklist_mutex         the making of a new blacklist
 *	rethook_mutex                  chunks and directories of return hooks
 *
 * The last two are never held together with another lock of this list. Each of
 * the others may also be taken without those above it. Users may hold locks of
 * their own around the first two, such as event_mutex of the tracing events; but
 * none that is taken while a CPU is brought up or down.
 *
 * A hit takes no lock. It runs with preemption disabled where RCU watches, so it is a
 * reader of RCU. It finds the point in a table that is replaced as a whole (a jump has it
 * as a constant in its detour buffer, which RCU tasks keeps), the handlers in fields that
 * are read once each, and the subscribers by links that lead on until a grace period has
 * passed.
 */

/**
 * enum kprobe_state - what stands in the text at a probe point
 * @KPROBE_DISARMED: the original instruction
 * @KPROBE_ARMED: a breakpoint, or a call from the ftrace site
 * @KPROBE_QUEUED: a breakpoint; the optimizer will replace it by a jump
 * @KPROBE_OPTIMIZED: a jump to the detour buffer; only the holder of kprobe_mutex may
 *	find a breakpoint, while it puts the jump in, or takes it out
 * @KPROBE_GONE: the text goes away or is gone; the point is in no table
 * @KPROBE_NR_STATES: number of states
 *
 * Only the holder of kprobe_mutex moves a point, along the table in state.c.
 */
enum kprobe_state {
	KPROBE_DISARMED,
	KPROBE_ARMED,
	KPROBE_QUEUED,
	KPROBE_OPTIMIZED,
	KPROBE_GONE,
	KPROBE_NR_STATES,
} __packed;

/**
 * enum kprobe_miss - why handlers did not run, as debugfs/kprobes/stats lists it
 * @KPROBE_MISS_RECURSION: a handler was running in the same context
 * @KPROBE_MISS_FTRACE: ftrace's guard against recursion refused the call
 * @KPROBE_MISS_DISABLED: no subscriber was enabled, so no &kprobe.nmissed counts it
 * @KPROBE_MISS_INSTANCE: a return probe had no instance left
 * @KPROBE_MISS_PATH: another subscriber's handler had changed the path
 * @KPROBE_NR_MISSES: number of causes
 *
 * With the first three, no handler has run; the others are counted beside a hit.
 */
enum kprobe_miss {
	KPROBE_MISS_RECURSION,
	KPROBE_MISS_FTRACE,
	KPROBE_MISS_DISABLED,
	KPROBE_MISS_INSTANCE,
	KPROBE_MISS_PATH,
	KPROBE_NR_MISSES,
};

/**
 * struct kprobe_point - a probed address
 * @probe: the point's kprobe, which the architecture sees (linux/kprobes_arch.h)
 * @op: @probe with what the jump optimizer needs
 * @hot: the members of @probe that a hit reads, see struct kprobe_hot
 * @next: links the points of a chain of the table; two, see table.c
 * @state: what stands in the text now
 * @nojump: why there was no jump when that was last considered
 * @ipmodify: armed with the ftrace_ops that claims IPMODIFY, since there was a post
 *	handler. Only one ftrace_ops may change the instruction pointer of a function
 * @filtered: the site is in the filter of that ftrace_ops
 * @ipmodify_claimed: IPMODIFY was claimed for the point after it had been armed
 * @prepared: the architecture holds resources for the point
 * @posts: an active subscriber has a post handler; false when the text goes away
 * @never_jump: the architecture refused a jump for good
 * @served: hits have been sent to the detour, so a task may be in it
 * @missed: how often handlers did not run, by cause; modulo 2^32
 * @all: links all points, GONE ones too; under kprobe_mutex
 * @todo: links the points that an operation has to change; under kprobe_mutex
 * @end: links a point that ends: under kprobe_mutex; in retire.c, under its lock
 */
struct kprobe_point {
	union {
		struct kprobe probe;
#ifdef CONFIG_OPTPROBES
		struct optimized_kprobe op;
#endif
		struct kprobe_hot hot;
	};
	struct kprobe *next[2];
	enum kprobe_state state;
	enum kprobe_nojump nojump;
	bool filtered;	/* no bit: hits read it */
	bool ipmodify : 1;
	bool ipmodify_claimed : 1;
	bool prepared : 1;
	bool posts : 1;
	bool never_jump : 1;
	bool served : 1;
#ifdef CONFIG_KPROBE_STATS
	atomic_t missed[KPROBE_NR_MISSES];
#endif
	struct list_head all;
	struct list_head todo;
	struct list_head end;
};

/*
 * The subscriber is on the list of its point, but its registration may still
 * fail: its handlers are not called.
 */
#define KPROBE_FLAG_PENDING		BIT(31)

/*
 * The registration mutex: guards the table against writers, the lists of points and
 * subscribers, the states, and the enabled knob. See "Locks" for what is taken inside of
 * it. It is held over a grace period only when the table grows twice in a short time, on
 * architectures without frames to remove points, and where there is no memory.
 */
extern struct mutex kprobe_mutex;

/* All points, also those whose text is gone. Under kprobe_mutex. */
extern struct list_head kprobe_points;

/* kprobe_points is sorted by address. Under kprobe_mutex. */
extern bool kprobe_points_sorted;

/* The points whose text is gone, which are in no table. Under kprobe_mutex. */
extern struct list_head kprobe_gone_points;

/* The knob "enabled" is 0: nothing may be armed. Under kprobe_mutex. */
extern bool kprobes_all_disarmed;

/**
 * kprobe_point_of() - the point of a point's kprobe
 * @probe: the kprobe
 *
 * Return: the point.
 */
static __always_inline
struct kprobe_point *kprobe_point_of(struct kprobe *probe)
{
	return container_of(probe, struct kprobe_point, probe);
}

/**
 * kprobe_sub_active() - may the handlers of a subscriber run?
 * @kp: the subscriber
 *
 * Return: whether they may.
 */
static __always_inline bool kprobe_sub_active(struct kprobe *kp)
{
	return !(READ_ONCE(kp->flags) & (KPROBE_FLAG_DISABLED |
					 KPROBE_FLAG_GONE |
					 KPROBE_FLAG_PENDING));
}

typedef bool (*kprobe_before_fn)(const void *array, unsigned int i, u64 key);

/**
 * kprobe_count_before() - the binary search of all sorted tables
 * @array: the table
 * @nr: how many elements it has
 * @key: what is looked for
 * @before: whether an element comes before @key; inlined
 *
 * Not bsearch(): that finds an element which is equal, or nothing.
 *
 * Return: how many elements come before @key.
 */
static __always_inline unsigned int
kprobe_count_before(const void *array, unsigned int nr, u64 key,
		    kprobe_before_fn before)
{
	unsigned int low = 0, high = nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (before(array, mid, key))
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* state.c */
void kprobe_set_state(struct kprobe_point *pt, enum kprobe_state new);
bool kprobe_state_allowed(enum kprobe_state from, enum kprobe_state to);
const char *kprobe_state_name(enum kprobe_state state);

/**
 * kprobe_point_armed() - does a CPU that comes to a point notice it?
 * @pt: the point
 *
 * Return: whether the point is armed, by a breakpoint, a jump or through
 * ftrace.
 */
static inline bool kprobe_point_armed(const struct kprobe_point *pt)
{
	return pt->state != KPROBE_DISARMED && pt->state != KPROBE_GONE;
}

/* point.c */
struct kprobe_point *kprobe_new_point(kprobe_opcode_t *addr, bool on_func_entry);
void kprobe_free_points(struct list_head *points);
void kprobe_points_init(void);

/* lookup.c */
struct kprobe_point *kprobe_table_find(void *addr);

/* table.c */
extern struct kprobe_point kprobe_no_point;
void kprobe_table_reserve(unsigned int more);
void kprobe_table_add(struct kprobe_point *pt);
void kprobe_table_del(struct kprobe_point *pt);
unsigned int kprobe_table_buckets(void);

/* text.c */
extern struct kprobe_text kprobe_kernel_text;

#ifdef CONFIG_MODULES
int kprobe_text_announce(struct module *mod);
void kprobe_text_remove(struct kprobe_text *text);
struct kprobe_text *kprobe_text_of(struct module *mod);
#endif
struct kprobe_text *kprobe_text_get(unsigned long addr);
void kprobe_text_put(struct kprobe_text *text);
void kprobe_text_finalize(struct kprobe_text *text);
void kprobe_text_forget(struct kprobe_text *text);

/* reserved.c */
struct kprobe_text *kprobe_text_with_sites(unsigned long addr);

/**
 * struct kprobe_symbol - a function that is probed
 * @start: its first byte
 * @end: the byte after its last
 * @reserved: not a function (__cfi_, __pfx_), or rewritten while the kernel
 *	runs (the trampoline of a static call)
 * @forbidden: it is a copy of a function that is blacklisted
 * @part: a part of a function that the compiler moved elsewhere (.cold)
 * @module: the module that it is in; empty if it is the kernel's
 * @name: its name
 */
struct kprobe_symbol {
	unsigned long start;
	unsigned long end;
	bool reserved;
	bool forbidden;
	bool part;
	char module[MODULE_NAME_LEN];
	char name[KSYM_NAME_LEN];
};

/* symbol.c */
const struct kprobe_symbol *kprobe_symbol_at(unsigned long addr);
bool kprobe_name_forbidden(char *name);

/* check.c */
int kprobe_resolve(struct kprobe *kp, kprobe_opcode_t **addr,
		   bool *on_func_entry);
int kprobe_check_text(kprobe_opcode_t *addr, bool *ftrace);

/* order.c */
struct kprobe **kprobe_sort_batch(struct kprobe **kps, int num);

/**
 * kprobe_point_is_trampoline() - does a point have to stay armed?
 * @pt: the point
 *
 * The point of a return trampoline stays armed when all others are disarmed:
 * without its breakpoint, a call under way would return to nowhere.
 *
 * Return: whether it is such a point.
 */
static inline bool kprobe_point_is_trampoline(struct kprobe_point *pt)
{
	return arch_trampoline_kprobe(&pt->probe);
}

/* handlers.c */
void kprobe_update_handlers(struct kprobe_point *pt);

/* arm.c: how many points are changed at a time. */
#define KPROBE_CHUNK	256

int kprobe_sync_points(struct list_head *todo);
void kprobe_kill_points(struct list_head *todo);

/*
 * kprobe_poke_lock() keeps CPUs from being brought up or down while text is
 * changed: a CPU that is not online executes text, but is not reached by the
 * synchronisation of the others. kprobe_text_lock() is for the preparation of a
 * point. Architectures without frames expect text_mutex to be held as well in
 * both cases, but not when something is removed. The others take what they
 * need.
 *
 * kprobe_mutex is taken outside of cpus_read_lock(), see "Locks" above. So a
 * function that may be called while a CPU is brought up or down, such as
 * kprobe_on_func_entry(), must not take kprobe_mutex.
 */
#ifdef __ARCH_WANT_KPROBE_FRAMES
/**
 * kprobe_text_lock() - lock what arch_prepare_kprobe() expects to be held
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
static inline void kprobe_text_lock(void) { }

/**
 * kprobe_text_unlock() - undo kprobe_text_lock()
 */
static inline void kprobe_text_unlock(void) { }

/**
 * kprobe_poke_lock() - lock what changes of the text expect to be held
 *
 * Context: process context, kprobe_mutex held. May sleep.
 */
static inline void kprobe_poke_lock(void)
{
	cpus_read_lock();
}

/**
 * kprobe_poke_unlock() - undo kprobe_poke_lock()
 */
static inline void kprobe_poke_unlock(void)
{
	cpus_read_unlock();
}
#else
static inline void kprobe_text_lock(void)
{
	cpus_read_lock();
	mutex_lock(&text_mutex);
}

static inline void kprobe_text_unlock(void)
{
	mutex_unlock(&text_mutex);
	cpus_read_unlock();
}

static inline void kprobe_poke_lock(void)
{
	kprobe_text_lock();
}

static inline void kprobe_poke_unlock(void)
{
	kprobe_text_unlock();
}
#endif

/* ftrace.c */
#ifdef CONFIG_KPROBES_ON_FTRACE
int kprobe_arm_ftrace(struct kprobe_point **pts, unsigned int num);
int kprobe_disarm_ftrace(struct kprobe_point **pts, unsigned int num);
int kprobe_claim_ipmodify(struct kprobe_point **pts, unsigned int num);
#else
static inline int kprobe_arm_ftrace(struct kprobe_point **pts, unsigned int num)
{
	return -ENODEV;
}

static inline int kprobe_disarm_ftrace(struct kprobe_point **pts,
				       unsigned int num)
{
	return -ENODEV;
}

static inline int kprobe_claim_ipmodify(struct kprobe_point **pts,
					unsigned int num)
{
	return -ENODEV;
}
#endif

/* retire.c */
void kprobe_wait_for_handlers(void);
void kprobe_remove_early(struct list_head *points);
void kprobe_retire_wake(void);
void kprobe_retire_point(struct kprobe_point *pt);
void kprobe_retire_flush(void);
void kprobe_retire_throttle(void);
unsigned int kprobe_retire_waiting(void);
extern unsigned int kprobe_retire_limit;

/* Where NOKPROBE_SYMBOL() puts its addresses, from the linker script. */
extern unsigned long __start_kprobe_blacklist[];
extern unsigned long __stop_kprobe_blacklist[];

/* blacklist.c */
int kprobe_blacklist_init(void);
int kprobe_blacklist_add_module(struct module *mod);
void kprobe_blacklist_del_init(struct module *mod);
void kprobe_blacklist_del_module(struct module *mod);
bool kprobe_in_blacklist(unsigned long addr);
bool kprobe_blacklist_range(loff_t nr, unsigned long *start, unsigned long *end);

/* optimizer.c */
#ifdef CONFIG_OPTPROBES
void kprobe_optimizer_prebuild(struct kprobe_point *pt, kprobe_opcode_t *next);
void kprobe_optimizer_consider(struct kprobe_point *pt);
void kprobe_optimizer_consider_around(kprobe_opcode_t *addr);
void kprobe_optimizer_revert(struct kprobe_point **pts, unsigned int num);
void kprobe_optimizer_revert_around(struct kprobe **probes, unsigned int num);
void kprobe_optimizer_release(struct kprobe_point *pt);
const char *kprobe_optimizer_reason(struct kprobe_point *pt);
void kprobe_optimizer_init_slots(void);
int kprobe_optimizer_init(void);
#else
static inline void kprobe_optimizer_prebuild(struct kprobe_point *pt,
					     kprobe_opcode_t *next) { }
static inline void kprobe_optimizer_consider(struct kprobe_point *pt) { }
static inline void kprobe_optimizer_consider_around(kprobe_opcode_t *addr) { }
static inline void kprobe_optimizer_revert(struct kprobe_point **pts,
					   unsigned int num) { }
static inline void kprobe_optimizer_revert_around(struct kprobe **probes,
						  unsigned int num) { }
static inline void kprobe_optimizer_release(struct kprobe_point *pt) { }
static inline const char *kprobe_optimizer_reason(struct kprobe_point *pt)
{
	return "this kernel has no jump optimization";
}

static inline void kprobe_optimizer_init_slots(void) { }
static inline int kprobe_optimizer_init(void) { return 0; }
#endif

/* nojump.c */
const char *kprobe_nojump_text(enum kprobe_nojump nojump);

/* module.c */
#ifdef CONFIG_MODULES
int kprobe_module_init(void);
#else
static inline int kprobe_module_init(void) { return 0; }
#endif
void kprobe_kill_range(unsigned long start, unsigned long end);

/* kretprobe_hit.c */
int kretprobe_pre_handler(struct kprobe *p, struct pt_regs *regs);

/**
 * kprobe_is_return() - is a kprobe that of a kretprobe?
 * @kp: a subscriber
 *
 * Return: whether it is.
 */
static inline bool kprobe_is_return(struct kprobe *kp)
{
	return IS_ENABLED(CONFIG_KRETPROBES) &&
	       kp->pre_handler == kretprobe_pre_handler;
}

/* registered.c */
struct kprobe_point *kprobe_find_registered(struct kprobe *kp);
bool kprobe_left_registered(struct kprobe *kp);
struct kprobe_point *kprobe_own_point(struct kprobe *kp);
int kprobe_refuse_twice(struct kprobe *kp);
int kprobe_refuse_registered(struct kprobe *kp, kprobe_opcode_t *addr);

/* kprobes.c */
void kprobe_unsubscribe_all(struct kprobe **kps, int num);
int kprobe_set_all_disarmed(bool disarmed);

#endif /* _KPROBES_INTERNAL_H */
