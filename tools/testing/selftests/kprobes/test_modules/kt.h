/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_H
#define KT_H
/*
 * A test in a module: cases that run when the module is loaded and leave
 * their results in debugfs, in NAME_results, one line each:
 *
 *	cases NUMBER
 *	# CASE:LINE: EXPRESSION is 3, must be 4
 *	not ok CASE
 *	ok CASE
 *	skip CASE REASON
 *	checks NUMBER
 *
 * lib.sh makes TAP of it. A module's main file includes kt_main.h.
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/string.h>

#include "kprobe_target.h"

#define KT_END		{ }

/* 6.12: has no fault handlers. */
#if defined(CONFIG_X86) && defined(__ARCH_WANT_KPROBE_FRAMES)
#define KT_FAULT_HANDLERS
#endif

struct kt;

struct kt_case {
	const char *name;
	void (*run)(struct kt *t);
};

void kt_check(struct kt *t, const char *what, int line, long got, long want);
void kt_skip(struct kt *t, const char *why);
__printf(2, 3) void kt_note(struct kt *t, const char *fmt, ...);

/* Does expression @got have the value @want? Says so if it has not. */
#define KT_EQ(t, got, want) \
	kt_check(t, #got, __LINE__, (long)(got), (long)(want))
#define KT_TRUE(t, expr)	KT_EQ(t, !!(expr), 1)

/* A kprobe that counts how often each of its handlers has run. */
struct kt_probe {
	struct kprobe kp;
	atomic_t pre;
	atomic_t post;
};

static inline int kt_pre(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&container_of(p, struct kt_probe, kp)->pre);
	return 0;
}

static inline void kt_post(struct kprobe *p, struct pt_regs *regs,
			   unsigned long unused)
{
	atomic_inc(&container_of(p, struct kt_probe, kp)->post);
}

static inline void kt_probe_symbol(struct kt_probe *p, const char *symbol)
{
	memset(p, 0, sizeof(*p));
	p->kp.symbol_name = symbol;
	p->kp.pre_handler = kt_pre;
}

static inline void kt_probe_addr(struct kt_probe *p, void *addr)
{
	memset(p, 0, sizeof(*p));
	p->kp.addr = addr;
	p->kp.pre_handler = kt_pre;
}

static inline int kt_hits(struct kt_probe *p)
{
	return atomic_read(&p->pre);
}

/* Call @fn @n times, and look at each result. */
static inline void kt_call(struct kt *t, kt_fn fn, unsigned int n)
{
	unsigned long i, wrong = 0;

	for (i = 0; i < n; i++)
		wrong += fn(i, 7) != 3 * i + 7;
	KT_EQ(t, wrong, 0);
}

#endif /* KT_H */
