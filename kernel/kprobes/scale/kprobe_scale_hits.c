// SPDX-License-Identifier: GPL-2.0
/*
 * What a hit costs: a function is called with the probe and without.
 */
#define pr_fmt(fmt) KBUILD_MODNAME ": " fmt

#include <linux/array_size.h>
#include <linux/delay.h>
#include <linux/irqflags.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/printk.h>
#include <linux/timex.h>
#include <asm/text-patching.h>

#include "kprobe_scale.h"

#define SCALE_SUBS	4
/* How many bytes a probe on a function lies behind its first byte. */
#define SCALE_PAD	(IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 4 : 0)

enum scale_kind {
	SCALE_PROBE, SCALE_POST, SCALE_PATH, SCALE_PATH_POST,
	SCALE_RETURN, SCALE_DATA, SCALE_BOTH
};

/**
 * struct scale_case - a way to hit a probe
 * @name: the figure
 * @fn: what is called; the probe is at its entry
 * @kind: what is placed there
 * @subs: how many of them
 */
struct scale_case {
	const char *name;
	scale_fn fn;
	enum scale_kind kind;
	unsigned int subs;
};

/* With the optimizer switched off. */
static const struct scale_case scale_traps[] = {
	{ "b", scale_plain, SCALE_PROBE, 1 },
	{ "b4", scale_plain, SCALE_PROBE, 4 },
	{ "k", scale_plain, SCALE_POST, 1 },
	{ "k4", scale_plain, SCALE_POST, 4 },
	{ "b.path", scale_plain, SCALE_PATH, 1 },
	{ "k.path", scale_plain, SCALE_PATH_POST, 1 },
	{ "jmp", scale_jmp, SCALE_PROBE, 1 },
	{ "jcc", scale_jcc, SCALE_PROBE, 1 },
	{ "call", scale_call, SCALE_PROBE, 1 },
	{ "ret", scale_ret, SCALE_PROBE, 1 },
	{ "r", scale_slow_entry, SCALE_RETURN, 1 },
	{ "r.data", scale_slow_entry, SCALE_DATA, 1 },
	{ "rb", scale_plain, SCALE_RETURN, 1 },
	{ "rb.data", scale_plain, SCALE_DATA, 1 },
	{ "rb.kprobe", scale_plain, SCALE_BOTH, 1 },
	{ "f", scale_traced, SCALE_PROBE, 1 },
	{ "f4", scale_traced, SCALE_PROBE, 4 },
	{ "f.post", scale_traced, SCALE_POST, 1 },
	{ "f.path", scale_traced, SCALE_PATH, 1 },
	{ "rf", scale_traced, SCALE_RETURN, 1 },
	{ "rf.data", scale_traced, SCALE_DATA, 1 },
	{ "rf.kprobe", scale_traced, SCALE_BOTH, 1 },
};

/* With the optimizer switched on. */
static const struct scale_case scale_jumps[] = {
	{ "o", scale_plain, SCALE_PROBE, 1 },
	{ "o4", scale_plain, SCALE_PROBE, 4 },
	{ "o.post", scale_plain, SCALE_POST, 1 },
	{ "o.path", scale_plain, SCALE_PATH, 1 },
	{ "ro", scale_plain, SCALE_RETURN, 1 },
	{ "ro.data", scale_plain, SCALE_DATA, 1 },
	{ "ro.kprobe", scale_plain, SCALE_BOTH, 1 },
};

static struct kprobe scale_case_kps[SCALE_SUBS];
static struct kretprobe scale_case_rp;

/* Does the pre handler change the path? Then no post handler is called. */
static bool scale_case_changes(const struct scale_case *c)
{
	return c->kind == SCALE_PATH || c->kind == SCALE_PATH_POST;
}

static int scale_case_kprobes(const struct scale_case *c)
{
	struct kprobe *kps[SCALE_SUBS];
	unsigned int i;

	for (i = 0; i < c->subs; i++) {
		scale_case_kps[i] = (struct kprobe) {
			.addr = (void *)c->fn,
			.pre_handler = scale_case_changes(c) ? scale_path : scale_pre,
			.post_handler = c->kind == SCALE_POST ||
					c->kind == SCALE_PATH_POST ? scale_post : NULL,
		};
		kps[i] = &scale_case_kps[i];
	}
	return register_kprobes(kps, c->subs);
}

/* A return probe with default limits, perhaps with an entry handler and data. */
void scale_make_return(struct kretprobe *rp, scale_fn fn, bool data)
{
	*rp = (struct kretprobe) {
		.kp.addr = (void *)fn,
		.handler = scale_return,
		.entry_handler = data ? scale_enter : NULL,
		.data_size = data ? 16 : 0,
	};
}

static void scale_case_end(const struct scale_case *c)
{
	unsigned int i;

	if (c->kind >= SCALE_RETURN)
		unregister_kretprobe(&scale_case_rp);
	if (c->kind == SCALE_RETURN || c->kind == SCALE_DATA)
		return;
	for (i = 0; i < c->subs; i++)
		unregister_kprobe(&scale_case_kps[i]);
}

static int scale_case_begin(const struct scale_case *c)
{
	struct scale_case probe = { .fn = c->fn, .subs = 1 };
	int ret;

	if (c->kind < SCALE_RETURN)
		return scale_case_kprobes(c);
	scale_make_return(&scale_case_rp, c->fn, c->kind == SCALE_DATA);
	ret = register_kretprobe(&scale_case_rp);
	if (ret || c->kind != SCALE_BOTH)
		return ret;
	ret = scale_case_kprobes(&probe);
	if (ret)
		unregister_kretprobe(&scale_case_rp);
	return ret;
}

/* Cycles of a round of calls, without interrupts. */
static u64 scale_round(scale_fn fn)
{
	unsigned long flags;
	u64 start, cycles;
	unsigned int i;

	/* Do not let the compiler know what is called. */
	OPTIMIZER_HIDE_VAR(fn);
	local_irq_save(flags);
	start = get_cycles();
	for (i = 0; i < SCALE_CALLS; i++)
		fn();
	cycles = get_cycles() - start;
	local_irq_restore(flags);
	return cycles;
}

/* Cycles of SCALE_CALLS calls, at best. */
u64 scale_best_round(scale_fn fn)
{
	u64 best = U64_MAX;
	unsigned int i;

	for (i = 0; i < SCALE_ROUNDS; i++)
		best = min(best, scale_round(fn));
	return best;
}

/* What a call costs with a probe. Tenths, so that instructions are not rounded away. */
void scale_print_call(const char *figure, u64 bare, u64 with)
{
	scale_print(figure, div_u64((max(with, bare) - bare) * 10, SCALE_CALLS));
}

/* Is there a jump, as the text shows? */
bool scale_jumps_at(void *addr)
{
	return *(u8 *)addr == JMP32_INSN_OPCODE;
}

/* Wait until there is one, or none, but not for ever. */
bool scale_await_jump(void *addr, bool jump)
{
	unsigned int tries = 100;

	while (scale_jumps_at(addr) != jump && --tries)
		msleep(20);
	return tries;
}

static void *scale_case_addr(const struct scale_case *c)
{
	return c->kind < SCALE_RETURN ? scale_case_kps[0].addr :
					scale_case_rp.kp.addr;
}

static int scale_run_case(const struct scale_case *c, bool jump)
{
	/* Two handlers of each are called. */
	unsigned int each = c->kind == SCALE_PROBE || scale_case_changes(c) ||
			    c->kind == SCALE_RETURN ? c->subs : 2 * c->subs;
	unsigned long hits;
	u64 before, with;
	int ret;

	/* The probe before may not have been removed yet. */
	if (!scale_await_jump((void *)c->fn + SCALE_PAD, false))
		return -EBUSY;
	before = scale_best_round(c->fn);
	ret = scale_case_begin(c);
	if (ret)
		return ret;
	if (jump && !scale_await_jump(scale_case_addr(c), true))
		pr_info("%s is not optimized\n", c->name);
	hits = scale_sum_hits();
	with = scale_best_round(c->fn);
	scale_print_lost(hits, each * SCALE_CALLS * SCALE_ROUNDS);
	scale_case_end(c);
	scale_print_call(c->name, before, with);
	return 0;
}

static int scale_run_cases(const struct scale_case *c, unsigned int nr,
			   bool jump)
{
	int ret = 0;

	while (nr-- && !ret)
		ret = scale_run_case(c++, jump);
	return ret;
}

/* The figures are tenths of cycles. */
int scale_run_traps(void)
{
	return scale_run_cases(scale_traps, ARRAY_SIZE(scale_traps), false);
}

int scale_run_jumps(void)
{
	return scale_run_cases(scale_jumps, ARRAY_SIZE(scale_jumps), true);
}

/* A loop of a million instructions. */
int scale_run_loop(void)
{
	unsigned long flags;
	u64 start, ns;

	local_irq_save(flags);
	ns = ktime_get_ns();
	start = get_cycles();
	asm volatile("mov $500000, %%ecx\n1: dec %%ecx\n jnz 1b\n" : : : "ecx", "cc");
	start = get_cycles() - start;
	ns = ktime_get_ns() - ns;
	local_irq_restore(flags);
	scale_print("loop.cycles", start);
	scale_print("loop.ns", ns);
	return 0;
}
