/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_FPROBE_H
#define _LINUX_FPROBE_H
/*
 * Function probes: call handlers at the entries and the exits of functions, of any
 * number of functions at a time. See Documentation/trace/fprobe.rst.
 *
 * Functions are described where they are defined, in kernel/trace/fprobe.c and in
 * kernel/trace/fprobe/.
 */
#include <linux/bits.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/ftrace.h>
#include <linux/rethook.h>
#include <linux/types.h>

struct fprobe;
struct fprobe_slot;
struct pt_regs;

/**
 * typedef fprobe_entry_cb - called at the entry of a function
 * @fp: the fprobe
 * @entry_ip: the ftrace site of the function
 * @ret_ip: where the function will return to. If the return is hooked already,
 *	that is the trampoline of the hook
 * @regs: the registers at the entry
 * @entry_data: memory for what the exit handler of this call is to find, aligned
 *	to a long; NULL unless there are both an exit handler and an
 *	&fprobe.entry_data_size
 *
 * Context: that of the function, preemption disabled.
 * Return: 0; anything else if the exit handler is not to be called for this call.
 */
typedef int (*fprobe_entry_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/**
 * typedef fprobe_exit_cb - called at the exit of a function
 * @fp: the fprobe
 * @entry_ip: what the entry handler was told
 * @ret_ip: where the function returns to
 * @regs: the registers at the exit
 * @entry_data: what the entry handler was given, with what it has left there
 *
 * Context: that of the function, preemption disabled.
 */
typedef void (*fprobe_exit_cb)(struct fprobe *fp, unsigned long entry_ip,
			       unsigned long ret_ip, struct pt_regs *regs,
			       void *entry_data);

/* Call no handler. May be set and cleared at any time. */
#define FPROBE_FL_DISABLED	BIT(0)
/*
 * The handlers share code with those of kprobes, which must not be entered twice:
 * calls from a handler of a kprobe are missed, and hits of kprobes in the handlers.
 * Set it before registration.
 */
#define FPROBE_FL_KPROBE_SHARED	BIT(1)
/*
 * At the entry, the registers that hold arguments, the stack pointer and the
 * instruction pointer are enough: a call costs less, where the architecture can save
 * just these. Set it before registration.
 */
#define FPROBE_FL_ARGS		BIT(2)

/**
 * enum fprobe_miss - why handlers were not called
 * @FPROBE_MISS_RECURSION: the function was called by a handler
 * @FPROBE_MISS_LIST: the function was called by a handler, and ftrace refused the call
 *	before it called any of its users
 * @FPROBE_MISS_KPROBE: the function was called by a handler of a kprobe, and the
 *	fprobe has FPROBE_FL_KPROBE_SHARED
 * @FPROBE_MISS_NODE: &fprobe.nr_maxactive calls were under way, or no memory was
 *	left to follow the call
 * @FPROBE_NR_MISSES: how many causes there are
 */
enum fprobe_miss {
	FPROBE_MISS_RECURSION,
	FPROBE_MISS_LIST,
	FPROBE_MISS_KPROBE,
	FPROBE_MISS_NODE,
	FPROBE_NR_MISSES,
};

/**
 * struct fprobe - a probe of functions
 * @nmissed: how many entries and exits the handlers were not called for. May be
 *	read at any time; registration clears it
 * @missed: the same number, for each cause. It is whole when unregister_fprobe() has
 *	returned; registration clears it
 * @flags: FPROBE_FL_*
 * @entry_data_size: bytes to keep for a call from its entry to its exit, at most
 *	FPROBE_MAX_DATA_SIZE
 * @nr_maxactive: how many calls are followed to their exits at a time, or 0 for no
 *	limit. A call beyond is missed
 * @entry_handler: called at the entry; may be NULL
 * @exit_handler: called at the exit; may be NULL
 *
 * All of it is the user's, zeroed before it is filled in. While the fprobe is
 * registered, no member may be changed but by enable_fprobe() and disable_fprobe().
 */
struct fprobe {
	unsigned long nmissed;
	unsigned long missed[FPROBE_NR_MISSES];
	unsigned int flags;
	size_t entry_data_size;
	int nr_maxactive;
	fprobe_entry_cb entry_handler;
	fprobe_exit_cb exit_handler;
	/* private: what the kernel keeps of a registered fprobe */
	struct fprobe_slot *slot;
};

#define FPROBE_MAX_DATA_SIZE	16384

/**
 * struct fprobe_stats - what is known of a registered fprobe
 * @missed: how often its handlers were not called, for each cause
 * @sites: how many functions it is armed on
 */
struct fprobe_stats {
	unsigned long missed[FPROBE_NR_MISSES];
	unsigned int sites;
};

#ifdef CONFIG_FPROBE

int register_fprobe(struct fprobe *fp, const char *filter,
		    const char *notfilter);
int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs, int num);
int register_fprobe_syms(struct fprobe *fp, const char **syms, int num);
int unregister_fprobe(struct fprobe *fp);
int register_fprobes(struct fprobe **fps, const char **filters, int num);
int unregister_fprobes(struct fprobe **fps, int num);
bool fprobe_is_registered(struct fprobe *fp);
int fprobe_read_stats(struct fprobe *fp, struct fprobe_stats *stats);
int fprobe_count_functions(const char *filter);
int fprobe_list_functions(const char *filter, unsigned long **ips);

/* For ftrace, in any context: its guard has kept a call from its users. */
void fprobe_ftrace_missed(unsigned long ip);

/* At boot, before the kernel's init text is freed. May sleep. */
void fprobe_free_init_mem(void);

#else /* !CONFIG_FPROBE */

static inline int unregister_fprobe(struct fprobe *fp)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobes(struct fprobe **fps, const char **filters,
				   int num)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe(struct fprobe *fp, const char *filter,
				  const char *notfilter)
{
	return -EOPNOTSUPP;
}

static inline int unregister_fprobes(struct fprobe **fps, int num)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_syms(struct fprobe *fp, const char **syms,
				       int num)
{
	return -EOPNOTSUPP;
}

static inline int fprobe_read_stats(struct fprobe *fp,
				    struct fprobe_stats *stats)
{
	return -EOPNOTSUPP;
}

static inline int register_fprobe_ips(struct fprobe *fp, unsigned long *addrs,
				      int num)
{
	return -EOPNOTSUPP;
}

static inline int fprobe_count_functions(const char *filter)
{
	return -EOPNOTSUPP;
}

static inline int fprobe_list_functions(const char *filter, unsigned long **ips)
{
	return -EOPNOTSUPP;
}

static inline bool fprobe_is_registered(struct fprobe *fp)
{
	return false;
}

static inline void fprobe_ftrace_missed(unsigned long ip) { }
static inline void fprobe_free_init_mem(void) { }

#endif /* CONFIG_FPROBE */

/**
 * fprobe_disabled() - is an fprobe disabled?
 * @fp: the fprobe, or NULL
 *
 * Context: any.
 * Return: whether it is; false for NULL.
 */
static inline bool fprobe_disabled(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_DISABLED;
}

/**
 * fprobe_shared_with_kprobes() - does an fprobe share its handlers with kprobes?
 * @fp: the fprobe, or NULL
 *
 * Context: any.
 * Return: whether it does; false for NULL.
 */
static inline bool fprobe_shared_with_kprobes(struct fprobe *fp)
{
	return fp && READ_ONCE(fp->flags) & FPROBE_FL_KPROBE_SHARED;
}

/**
 * disable_fprobe() - have the handlers of an fprobe called no more
 * @fp: the fprobe, or NULL
 *
 * The functions stay armed. A handler may still run on another CPU when this
 * returns. The exit handler is not called for calls that return while the fprobe
 * is disabled, whenever they began.
 *
 * Context: any. Two that change the flags of one fprobe must not race.
 */
static inline void disable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags | FPROBE_FL_DISABLED);
}

/**
 * enable_fprobe() - have the handlers of an fprobe called again
 * @fp: the fprobe, or NULL
 *
 * Context: as disable_fprobe().
 */
static inline void enable_fprobe(struct fprobe *fp)
{
	if (fp)
		WRITE_ONCE(fp->flags, fp->flags & ~FPROBE_FL_DISABLED);
}

#endif /* _LINUX_FPROBE_H */
