// SPDX-License-Identifier: GPL-2.0
/*
 * Probes hit by probes' handlers. In one context handlers do not nest: every
 * such hit is a miss of the inner probe, no more and no less.
 */
#include <linux/kprobes.h>

#include "kprobe_api.h"

#define CALLS	50

static const struct {
	kt_fn outer;
	kt_fn inner;
} pairs[] = {
	{ kt_plain, kt_plain2 },
	{ kt_plain, kt_entry2 },
	{ kt_entry, kt_plain2 },
	{ kt_entry, kt_entry2 },
};

/* What the outer handlers call. */
static kt_fn inner_fn;
static atomic_t outer_hits;
static atomic_t wrong;

static void call_inner(void)
{
	atomic_inc(&outer_hits);
	if (inner_fn(2, 3) != 9)
		atomic_inc(&wrong);
}

static int outer_pre(struct kprobe *p, struct pt_regs *regs)
{
	call_inner();
	return 0;
}

static void outer_post(struct kprobe *p, struct pt_regs *regs,
		       unsigned long unused)
{
	call_inner();
}

static int outer_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	call_inner();
	return 0;
}

static void begin(kt_fn fn)
{
	inner_fn = fn;
	atomic_set(&outer_hits, 0);
	atomic_set(&wrong, 0);
}

/* Call the outer function: two probes wait at the inner one, in vain. */
static void expect_missed(struct kt *t, kt_fn outer, kt_fn inner)
{
	struct kt_probe one, two;

	kt_probe_addr(&one, inner);
	kt_probe_addr(&two, inner);
	KT_EQ(t, register_kprobe(&one.kp), 0);
	KT_EQ(t, register_kprobe(&two.kp), 0);
	kt_call(t, outer, CALLS);
	KT_EQ(t, atomic_read(&outer_hits), CALLS);
	KT_EQ(t, atomic_read(&wrong), 0);
	KT_EQ(t, kt_hits(&one), 0);
	KT_EQ(t, one.kp.nmissed, CALLS);
	KT_EQ(t, kt_hits(&two), 0);
	KT_EQ(t, two.kp.nmissed, CALLS);

	/* Called by anybody else, it is hit as ever. */
	kt_call(t, inner, 10);
	KT_EQ(t, kt_hits(&one), 10);
	KT_EQ(t, kt_hits(&two), 10);
	KT_EQ(t, one.kp.nmissed, CALLS);
	unregister_kprobe(&one.kp);
	unregister_kprobe(&two.kp);
}

static void in_handlers(struct kt *t, kprobe_pre_handler_t pre,
			kprobe_post_handler_t post)
{
	struct kprobe outer;
	int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		begin(pairs[i].inner);
		outer = (struct kprobe) {
			.addr = (kprobe_opcode_t *)pairs[i].outer,
			.pre_handler = pre,
			.post_handler = post,
		};
		KT_EQ(t, register_kprobe(&outer), 0);
		expect_missed(t, pairs[i].outer, pairs[i].inner);
		KT_EQ(t, outer.nmissed, 0);
		unregister_kprobe(&outer);
	}
}

static void in_pre_handler(struct kt *t)
{
	in_handlers(t, outer_pre, NULL);
}

static void in_post_handler(struct kt *t)
{
	in_handlers(t, NULL, outer_post);
}

static void in_kretprobe_handlers(struct kt *t, kretprobe_handler_t entry,
				  kretprobe_handler_t ret)
{
	struct kretprobe outer;
	int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		begin(pairs[i].inner);
		outer = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)pairs[i].outer,
			.entry_handler = entry,
			.handler = ret,
		};
		KT_EQ(t, register_kretprobe(&outer), 0);
		expect_missed(t, pairs[i].outer, pairs[i].inner);
		KT_EQ(t, outer.kp.nmissed + outer.nmissed, 0);
		unregister_kretprobe(&outer);
	}
}

static void in_entry_handler(struct kt *t)
{
	in_kretprobe_handlers(t, outer_return, NULL);
}

static void in_return_handler(struct kt *t)
{
	in_kretprobe_handlers(t, NULL, outer_return);
}

/* The handler calls what it is on. */
static void on_itself(struct kt *t)
{
	static const kt_fn fns[] = { kt_plain, kt_entry, kt_asm };
	struct kprobe kp;
	int i;

	for (i = 0; i < ARRAY_SIZE(fns); i++) {
		begin(fns[i]);
		kp = (struct kprobe) {
			.addr = (kprobe_opcode_t *)fns[i],
			.pre_handler = outer_pre,
		};
		KT_EQ(t, register_kprobe(&kp), 0);
		kt_call(t, fns[i], CALLS);
		KT_EQ(t, atomic_read(&outer_hits), CALLS);
		KT_EQ(t, atomic_read(&wrong), 0);
		KT_EQ(t, kp.nmissed, CALLS);
		unregister_kprobe(&kp);
	}
}

/* Every instruction of the inner function is probed, and all are missed. */
static void many_in_one_handler(struct kt *t)
{
	static struct kt_probe inner[16];
	struct kprobe outer = {
		.addr = (kprobe_opcode_t *)kt_plain,
		.pre_handler = outer_pre,
	};
	unsigned int i;

	begin(kt_asm);
	KT_EQ(t, register_kprobe(&outer), 0);
	for (i = 0; i < kt_asm_count; i++) {
		kt_probe_addr(&inner[i], (void *)kt_asm + kt_asm_insns[i]);
		KT_EQ(t, register_kprobe(&inner[i].kp), 0);
	}
	kt_call(t, kt_plain, CALLS);
	KT_EQ(t, atomic_read(&outer_hits), CALLS);
	KT_EQ(t, atomic_read(&wrong), 0);
	for (i = 0; i < kt_asm_count; i++) {
		/* The first argument is even there: number 6 is jumped over. */
		KT_EQ(t, inner[i].kp.nmissed, i == 6 ? 0 : CALLS);
		KT_EQ(t, kt_hits(&inner[i]), 0);
		unregister_kprobe(&inner[i].kp);
	}
	unregister_kprobe(&outer);
}

/* A return probe is missed where it would have been set up: at the entry. */
static void missed_kretprobe(struct kt *t)
{
	struct kprobe outer;
	struct kretprobe rp;
	int i;

	for (i = 0; i < ARRAY_SIZE(pairs); i++) {
		begin(pairs[i].inner);
		outer = (struct kprobe) {
			.addr = (kprobe_opcode_t *)pairs[i].outer,
			.pre_handler = outer_pre,
		};
		rp = (struct kretprobe) {
			.kp.addr = (kprobe_opcode_t *)pairs[i].inner,
			.handler = outer_return,
		};
		KT_EQ(t, register_kprobe(&outer), 0);
		KT_EQ(t, register_kretprobe(&rp), 0);
		kt_call(t, pairs[i].outer, CALLS);
		KT_EQ(t, atomic_read(&outer_hits), CALLS);
		KT_EQ(t, rp.kp.nmissed + rp.nmissed, CALLS);
		unregister_kretprobe(&rp);
		unregister_kprobe(&outer);
	}
}

const struct kt_case kt_nested_cases[] = {
	{ "in_pre_handler", in_pre_handler },
	{ "in_post_handler", in_post_handler },
	{ "in_entry_handler", in_entry_handler },
	{ "in_return_handler", in_return_handler },
	{ "on_itself", on_itself },
	{ "many_in_one_handler", many_in_one_handler },
	{ "missed_kretprobe", missed_kretprobe },
	KT_END
};
