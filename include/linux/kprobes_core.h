/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_CORE_H
#define _LINUX_KPROBES_CORE_H
/*
 * What the core of kprobes offers to an architecture: part 2 of the contract, see
 * linux/kprobes_arch.h. Include linux/kprobes.h, which includes this. A function
 * is described where it is defined.
 */

#ifndef _LINUX_KPROBES_ARCH_H
#error "include linux/kprobes.h"
#endif

#include <linux/hash.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/string.h>

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

/**
 * struct kprobe_marks - a table that is sorted once and searched often
 * @nr: how many marks there are
 * @room: for how many there is memory
 * @sorted: it is complete; before, it can only be added to
 * @mark: the marks: a key in the upper half, a value in the lower one
 */
struct kprobe_marks {
	unsigned int nr;
	unsigned int room;
	bool sorted;
	u64 *mark;
};

/**
 * kprobe_mark() - make a mark
 * @key: what it is found by
 * @value: what is known
 *
 * Return: the mark.
 */
static inline u64 kprobe_mark(u32 key, u32 value)
{
	return (u64)key << 32 | value;
}

/**
 * kprobe_mark_key() - what a mark is found by
 * @mark: the mark
 *
 * Return: its key; what is known is (u32)@mark.
 */
static inline u32 kprobe_mark_key(u64 mark)
{
	return mark >> 32;
}

/* marks.c. _sort() and _clear() are for the core, which fills and drops the tables. */
int kprobe_marks_add(struct kprobe_marks *m, u32 key, u32 value);
void kprobe_marks_sort(struct kprobe_marks *m);
void kprobe_marks_clear(struct kprobe_marks *m);
unsigned int kprobe_marks_find(const struct kprobe_marks *m, u32 key);

struct kprobe_symbol;

/**
 * struct kprobe_text - the text of the kernel or of a module
 * @mod: the module; NULL for the kernel
 * @base: an address in it. The key of a mark for an address is the distance from
 *	there
 * @final: init has ended: there is no init text any more, and what is known does
 *	not change
 * @sites: what other subsystems patch or look up, see kprobe_text_owner()
 * @targets: for the architecture: where a branch may lead that no instruction
 *	shows
 * @parts: for the architecture: parts of functions that stand elsewhere, by the
 *	hash of their names
 * @symbol: the function that was looked up last, or NULL
 * @list: links the modules
 *
 * All of it is under kprobe_mutex. The tables are made by kprobe_text_make(), and
 * dropped by the core: a table that is not sorted has to be made.
 */
struct kprobe_text {
	struct module *mod;
	unsigned long base;
	bool final;
	struct kprobe_marks sites;
	struct kprobe_marks targets;
	struct kprobe_marks parts;
	struct kprobe_symbol *symbol;
	struct list_head list;
};

/**
 * kprobe_text_key() - by what key a mark for an address is found
 * @text: the text
 * @addr: the address
 *
 * Return: the key.
 */
static inline u32 kprobe_text_key(const struct kprobe_text *text,
				  unsigned long addr)
{
	return addr - text->base;
}

/**
 * struct kprobe_fill - a table that is being made
 * @text: the text that it tells of
 * @marks: the table
 */
struct kprobe_fill {
	struct kprobe_text *text;
	struct kprobe_marks *marks;
};

typedef int (*kprobe_fill_fn)(struct kprobe_fill *f);

struct kprobe_text *kprobe_text_at(unsigned long addr);
bool kprobe_text_has(const struct kprobe_text *text, unsigned long addr);
int kprobe_text_make(struct kprobe_text *text, struct kprobe_marks *marks,
		     const kprobe_fill_fn *fns);
int kprobe_fill_add(struct kprobe_fill *f, unsigned long addr, u32 value);
int kprobe_text_each_symbol(const struct kprobe_text *text,
			    int (*fn)(void *data, const char *name,
				      unsigned long addr), void *data);

/**
 * kprobe_part_suffix() - is this the name of a part of a function?
 * @name: a symbol's name
 *
 * The compiler moves unlikely code to another section, as "name.cold" or
 * "name.cold.N". It is jumped to, so there is no return address on the stack, and
 * no argument in its register. Most names have no dot at all.
 *
 * Return: where the suffix begins; NULL if it is a whole function.
 */
static inline const char *kprobe_part_suffix(const char *name)
{
	const char *dot = strchr(name, '.');

	return dot ? strstr(dot, ".cold") : NULL;
}

const char *kprobe_symbol_bounds(unsigned long addr, unsigned long *start,
				 unsigned long *end);
enum kprobe_site_owner kprobe_text_owner(const struct kprobe_text *text,
					 unsigned long start, unsigned long end);
unsigned long kprobe_ftrace_site(unsigned long start, unsigned long end);
struct kprobe *get_kprobe(void *addr);
void kprobes_inc_nmissed_count(struct kprobe *p);
void kprobe_post_missed(struct kprobe *p);
void kprobe_path_changed(struct kprobe *probe, struct kprobe *by);
int kprobe_call_fault(struct kprobe *p, struct pt_regs *regs, int trapnr);
int kprobe_add_ksym_blacklist(unsigned long entry);
int kprobe_add_area_blacklist(unsigned long start, unsigned long end);

#ifdef CONFIG_KPROBES_ON_FTRACE
/* Set for good by kprobe_ftrace_kill(); read by kprobe_ftrace_handler(). */
extern bool kprobe_ftrace_disabled;

/*
 * ftrace_hit.c, called by ftrace: when it finds its text in disorder; and when
 * several users share a site, and its guard against recursion has refused the call
 * of all of them.
 */
void kprobe_ftrace_kill(void);
void kprobe_ftrace_missed(unsigned long ip);
#else
static inline void kprobe_ftrace_kill(void) { }
static inline void kprobe_ftrace_missed(unsigned long ip) { }
#endif

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

/*
 * slots.c and lookup.c; get_insn_slot() and the like call them. A port names the
 * owner of a slot if it wants to find the point by an address in a copy: for faults
 * and stack traces.
 */
kprobe_opcode_t *kprobe_get_slot(struct kprobe_slot_cache *c);
void kprobe_free_slot_late(struct kprobe_slot_cache *c, kprobe_opcode_t *slot);
void kprobe_free_slot(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
		      int dirty);
bool kprobe_slot_cache_has(struct kprobe_slot_cache *c, unsigned long addr);
struct kprobe *kprobe_slot_owner(struct kprobe_slot_cache *c,
				 unsigned long addr);
void kprobe_set_slot_owner(struct kprobe_slot_cache *c, kprobe_opcode_t *slot,
			   struct kprobe *p);

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

#ifdef CONFIG_OPTPROBES
/* Need not be constant: some measure a template. */
#ifndef KPROBE_OPTSLOT_SIZE
#define KPROBE_OPTSLOT_SIZE	(MAX_OPTINSN_SIZE * sizeof(kprobe_opcode_t))
#endif

extern struct kprobe_slot_cache kprobe_optinsn_slots;

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
	return (unsigned long)addr * GOLDEN_RATIO_PRIME >> t->shift;
}

/**
 * kprobe_table_lookup() - find the point of an address that a CPU has executed
 * @addr: the address
 *
 * Inline, since it runs at every hit. For any other address there is get_kprobe(): the
 * chains end with kprobe_no_point, whose address is that of the variable. For that
 * address, kprobe_table_lookup() returns the end mark, and get_kprobe() returns NULL.
 *
 * Context: as get_kprobe().
 * Return: the point's kprobe or NULL.
 */
static __always_inline struct kprobe *kprobe_table_lookup(const void *addr)
{
	/* Pairs with rcu_assign_pointer() in kprobe_table_publish(). */
	struct kprobe_table *t = rcu_dereference_raw(kprobe_table);
	/* Here and below, pairs with smp_store_release() in kprobe_table_link(). */
	struct kprobe *p = rcu_dereference_raw(t->head[kprobe_hash(t, addr)]);

	while (unlikely(p->addr != addr)) {
		p = rcu_dereference_raw(*(struct kprobe **)((void *)p + t->next));
		if (!p)
			return NULL;
	}
	/*
	 * The loop has read p->addr, so @p is not NULL. As that is said here, the
	 * compiler drops the callers' checks.
	 */
	if (!p)
		__builtin_unreachable();
	return p;
}

/**
 * struct kprobe_hot - what a hit reads of a point
 * @pre_chain: the first subscriber with a pre handler, if any, and bits of
 *	KPROBE_CHAIN_*
 * @hit_counts: the hits that each CPU has counted
 * @subs: the subscribers, the newest first; read under RCU, changed under
 *	kprobe_mutex
 * @only_post: the subscriber with a post handler, if there is exactly one
 *
 * It lies over the members of the point's kprobe that are for subscribers, in the
 * cache line of &kprobe.addr, which a hit reads as well.
 */
struct kprobe_hot {
	unsigned long pre_chain;
	unsigned long __percpu *hit_counts;
	struct list_head subs;
	struct kprobe *only_post;
};

static_assert(offsetof(struct kprobe_hot, subs) == offsetof(struct kprobe, list));
static_assert(sizeof(struct kprobe_hot) == offsetof(struct kprobe, addr));

/**
 * kprobe_hot_of() - what a hit reads of a point
 * @probe: the point's kprobe
 *
 * Return: that part of it.
 */
static __always_inline struct kprobe_hot *kprobe_hot_of(struct kprobe *probe)
{
	return (struct kprobe_hot *)probe;
}

/**
 * kprobe_next_pre() - the subscriber whose pre handler is called next
 * @kp: a subscriber
 *
 * Its &kprobe.hlist is used for that; the second word has to stay 0, so that it
 * looks unlinked. READ_ONCE() pairs with smp_store_release() in
 * kprobe_link_chain(): the subscriber is linked.
 *
 * Return: the subscriber, or NULL.
 */
static __always_inline struct kprobe *kprobe_next_pre(const struct kprobe *kp)
{
	return (struct kprobe *)READ_ONCE(kp->hlist.next);
}

/*
 * Bits of &kprobe_hot.pre_chain; it is never 0:
 *
 * SINGLE	the subscriber's pre handler is the only handler to call
 * SLOW		there are post or fault handlers, or there is no pre handler:
 *		take the slow path
 * TRAP		one subscriber has a pre handler. If there is a post handler, it is of
 *		that subscriber, so no other one misses a hit whose path is changed.
 *		There is no fault handler. So a breakpoint may go its short way. Never
 *		set for a point on an ftrace site; for others, whenever SINGLE is:
 *		kprobe_chain_single() subtracts both
 *
 * With neither SINGLE nor SLOW, the subscriber is the head of a chain of two or
 * more, and only pre handlers are to be called.
 */
#define KPROBE_CHAIN_SINGLE	1UL
#define KPROBE_CHAIN_SLOW	2UL
#define KPROBE_CHAIN_TRAP	4UL
#define KPROBE_CHAIN_BITS	7UL

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
	this_cpu_inc(*kprobe_hot_of(p)->hit_counts);
}
#else
static __always_inline void kprobe_count_hit(struct kprobe *p) { }
#endif

#endif /* _LINUX_KPROBES_CORE_H */
