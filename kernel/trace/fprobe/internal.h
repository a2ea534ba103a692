/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_INTERNAL_H
#define _TRACE_FPROBE_INTERNAL_H
/*
 * Function probes, the inside.
 *
 * A table leads from the ftrace site of a function to a set: the fprobes on that
 * function. A set does not change once a hit can find it, and functions with equal
 * fprobes share one. So a hit costs one look-up and a walk over neighbours in
 * memory.
 *
 * Each registered fprobe has a slot, and a set names it by its slot and the slot's
 * generation. To unregister is to advance the generation: from then on no hit and
 * no call that returns finds the fprobe alive, whatever refers to it. All the rest,
 * to take it out of sets, table and the filter of ftrace, is only tidying, which
 * need not succeed.
 */
#include <linux/ftrace.h>
#include <linux/fprobe.h>
#include <linux/hash.h>
#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/rethook.h>
#include <asm/fprobe.h>

/* Where ftrace saves less than all registers in a struct pt_regs. */
#if defined(CONFIG_DYNAMIC_FTRACE_WITH_ARGS) && defined(arch_fprobe_saved_regs)
#define FPROBE_HAS_ARGS
#endif

/*
 * Guards all that registration changes: slots, sets, tables and filters. Taken
 * inside of event_mutex, outside of module_mutex and of ftrace's own locks.
 */
extern struct mutex fprobe_mutex;

/**
 * enum fprobe_way - how calls get from a site to the callback
 * @FPROBE_FULL: with all registers
 * @FPROBE_ARGS: with those that FPROBE_FL_ARGS is about
 * @FPROBE_NR_WAYS: how many ways there are
 *
 * Each has a table and an ftrace_ops of its own. A function may be in both.
 */
enum fprobe_way {
	FPROBE_FULL,
#ifdef FPROBE_HAS_ARGS
	FPROBE_ARGS,
#endif
	FPROBE_NR_WAYS,
};

/**
 * struct fprobe_slot - what the kernel keeps of an fprobe
 * @fp: the fprobe; stays for a grace period after @generation has advanced
 * @generation: changes when the fprobe is unregistered
 * @way: which way its functions are armed
 * @order: which registration it was. Handlers are called in this order
 * @own: the nodes of an fprobe with a limit, see exit.c; else NULL
 * @filter: the filter that names a module, so that its functions are armed again
 *	when the module comes back; else NULL
 * @notfilter: what goes with it, or NULL
 * @list: links the slots in use, or those that are free
 * @hash: links those in use by their fprobes, see fprobe_slot_of()
 *
 * Slots are never freed: calls under way may refer to one for any time.
 */
struct fprobe_slot {
	struct fprobe *fp;
	u32 generation;
	enum fprobe_way way;
	u64 order;
	struct rethook *own;
	char *filter;
	char *notfilter;
	struct list_head list;
	struct hlist_node hash;
};

/**
 * struct fprobe_sub - an fprobe in a set
 * @fp: the fprobe; valid if the generations are equal
 * @slot: its slot
 * @own: the nodes that only this fprobe takes; NULL if it uses the set's
 * @generation: that of @slot when the fprobe was registered
 * @data: where in the node the entry data are, from its start; 0 if there are none
 */
struct fprobe_sub {
	struct fprobe *fp;
	struct fprobe_slot *slot;
	struct rethook *own;
	u32 generation;
	u32 data;
};

/**
 * struct fprobe_set - fprobes that are on the same function
 * @nodes: from where a call of the function gets the node that its exit handlers
 *	share; NULL if none of them does
 * @nr: how many fprobes there are, at least one
 * @users: how many entries of the table lead here
 * @heir: for fprobe_change_tidy(): the set that replaces this one, without fprobes
 *	that are no longer registered; NULL if none is left
 * @hash: links the sets that fprobe_set_intern() has to look at
 * @rcu: delays the release until no hit can use the set
 * @sub: the fprobes, in the order of their registration
 */
struct fprobe_set {
	struct rethook *nodes;
	unsigned int nr;
	unsigned int users;
	struct fprobe_set *heir;
	struct hlist_node hash;
	struct rcu_head rcu;
	struct fprobe_sub sub[] __counted_by(nr);
};

/**
 * struct fprobe_entry - an entry of the table
 * @ip: the site; 0 if the entry was never used
 * @set: the fprobes there; NULL if they are gone
 */
struct fprobe_entry {
	unsigned long ip;
	struct fprobe_set __rcu *set;
};

/**
 * struct fprobe_table - from a site to its set
 * @shift: a hash is shifted by this to get the index of an entry
 * @mask: the number of entries less one; that is a power of two
 * @rcu: delays the release until no hit can use the table
 * @entry: the entries. That of a site is the one at its hash, or follows without a
 *	gap. At least one was never used
 */
struct fprobe_table {
	unsigned int shift;
	unsigned int mask;
	struct rcu_head rcu;
	struct fprobe_entry entry[];
};

/**
 * struct fprobe_exit - an fprobe that waits for a call to return
 * @slot: its slot
 * @generation: that of the slot when the call began
 * @data: where in the node the entry data are; 0 if there are none
 */
struct fprobe_exit {
	struct fprobe_slot *slot;
	u32 generation;
	u32 data;
};

/**
 * struct fprobe_node - a call whose return is hooked
 * @node: for rethook; the first member
 * @entry_ip: the site
 * @nr: how many fprobes wait
 * @exit: which, and behind them their entry data
 */
struct fprobe_node {
	struct rethook_node node;
	unsigned long entry_ip;
	unsigned int nr;
	struct fprobe_exit exit[];
};

/**
 * struct fprobe_sites - a growing array of ftrace sites
 * @ips: the sites
 * @nr: how many there are
 * @room: how many there is memory for
 */
struct fprobe_sites {
	unsigned long *ips;
	unsigned int nr;
	unsigned int room;
};

/**
 * fprobe_alive() - is an fprobe still registered?
 * @slot: its slot
 * @generation: the slot's generation as it was
 *
 * Context: any, preemption disabled for as long as the fprobe is used.
 * Return: whether it is; then it stays valid, since unregister_fprobe() waits.
 */
static __always_inline bool fprobe_alive(const struct fprobe_slot *slot,
					 u32 generation)
{
	return READ_ONCE(slot->generation) == generation;
}

/* The tables, one for each way. Written under fprobe_mutex. */
extern struct fprobe_table __rcu *fprobe_tables[FPROBE_NR_WAYS];

/* The index of the entry at the hash of a site. */
static __always_inline unsigned int
fprobe_table_hash(const struct fprobe_table *t, unsigned long ip)
{
	return (ip * GOLDEN_RATIO_PRIME) >> t->shift;
}

/**
 * fprobe_table_find() - look up the set of a site
 * @way: the way that calls of it take
 * @ip: the site
 *
 * Loads only, so that it may be called where a probe would recurse.
 *
 * Context: any, preemption disabled, where RCU watches; or fprobe_mutex held.
 * Return: the set, valid until preemption is enabled; NULL if there is none.
 */
static __always_inline struct fprobe_set *
fprobe_table_find(enum fprobe_way way, unsigned long ip)
{
	/* Pairs with rcu_assign_pointer() in fprobe_table_publish(). */
	const struct fprobe_table *t = rcu_dereference_raw(fprobe_tables[way]);
	const struct fprobe_entry *e = &t->entry[fprobe_table_hash(t, ip)];
	unsigned long found;

	for (;;) {
		/* Pairs with smp_store_release() in fprobe_table_put(). */
		found = smp_load_acquire(&e->ip);
		if (likely(found == ip))
			return rcu_dereference_raw(e->set);
		if (!found)
			return NULL;
		if (++e > &t->entry[t->mask])
			e = t->entry;
	}
}

/* table.c: with fprobe_mutex held, may sleep */
int fprobe_table_reserve(enum fprobe_way way, unsigned int more);
void fprobe_table_put(enum fprobe_way way, unsigned long ip,
		      struct fprobe_set *set);
unsigned int fprobe_table_live(enum fprobe_way way);
struct fprobe_entry *fprobe_table_next(enum fprobe_way way, unsigned int *pos);
struct fprobe_set *fprobe_entry_set(const struct fprobe_entry *e);
void fprobe_table_settle(enum fprobe_way way);

/* set.c: likewise */
struct fprobe_set *fprobe_set_with(struct fprobe_set *old,
				   struct fprobe_slot *slot);
void fprobe_set_find_heirs(void);
void fprobe_set_collect(void);
bool fprobe_set_has(const struct fprobe_set *set,
		    const struct fprobe_slot *slot);
unsigned int fprobe_set_count(void);

/* slot.c: likewise */
extern struct list_head fprobe_slots;
struct fprobe_slot *fprobe_slot_of(const struct fprobe *fp);
struct fprobe_slot *fprobe_slot_take(struct fprobe *fp);
void fprobe_slot_drop(struct fprobe_slot *slot, struct list_head *dropped);
void fprobe_slot_free(struct fprobe_slot *slot);

/* nodes.c: likewise */
int fprobe_nodes_class(size_t bytes, struct rethook **nodes);
int fprobe_nodes_own(struct fprobe *fp, struct rethook **nodes);

/* sites.c: likewise */
int fprobe_sites_add(struct fprobe_sites *sites, unsigned long ip);
int fprobe_sites_add_func(struct fprobe_sites *sites, unsigned long addr);
void fprobe_sites_unique(struct fprobe_sites *sites);
void fprobe_sites_subtract(struct fprobe_sites *sites,
			   const struct fprobe_sites *except);
void fprobe_sites_free(struct fprobe_sites *sites);
int fprobe_resolve_ips(struct fprobe_sites *sites, const unsigned long *addrs,
		       unsigned int num);

/* resolve.c: likewise */
int fprobe_resolve_filter(struct fprobe_sites *sites, const char *filter,
			  const char *notfilter);
int fprobe_resolve_filters(struct fprobe_sites *sites, const char **filters,
			   const char *notfilter, unsigned int num);
int fprobe_resolve_syms(struct fprobe_sites *sites, const char **syms,
			unsigned int num);
size_t fprobe_filter_module(const char *filter);

/* coming.c: likewise */
int fprobe_coming_add(const struct module *mod);
void fprobe_coming_del(const struct module *mod);
bool fprobe_coming_is_known(const struct module *mod);

/* arm.c: likewise */
int fprobe_arm(enum fprobe_way way, struct fprobe_sites *sites);
void fprobe_disarm(enum fprobe_way way, struct fprobe_sites *sites);

/* change.c: likewise */
int fprobe_change_add(struct fprobe_slot **slots, struct fprobe_sites *sites,
		      unsigned int num);
void fprobe_change_tidy(void);
void fprobe_change_forget(unsigned long start, unsigned long end);
unsigned int fprobe_change_sites(const struct fprobe_slot *slot);

/* entry.c: the callbacks of ftrace */
void fprobe_full_callback(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs);
void fprobe_args_callback(unsigned long ip, unsigned long parent_ip,
			  struct ftrace_ops *ops, struct ftrace_regs *fregs);
extern atomic_long_t fprobe_unwatched;

/* exit.c: the handler for rethook, and what both need; any context */
void fprobe_return(struct rethook_node *node, void *data,
		   unsigned long ret_ip, struct pt_regs *regs);
void fprobe_missed(struct fprobe_slot *slot, enum fprobe_miss cause);
bool fprobe_enter_shared(struct fprobe_slot *slot, unsigned int flags);
void fprobe_leave_shared(void);

#endif /* _TRACE_FPROBE_INTERNAL_H */
