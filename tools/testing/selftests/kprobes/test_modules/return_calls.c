// SPDX-License-Identifier: GPL-2.0
/* What is counted, handed over and refused. */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/kprobes.h>
#include <linux/minmax.h>
#include <linux/ptrace.h>

#include "kprobe_return.h"

static const kt_fn places[] = { kt_entry, kt_plain, kt_asm };

static int missed(struct kt_return *r)
{
	return r->rp.nmissed + r->rp.kp.nmissed;
}

/* Entries, returns and the value, at each kind of place. */
static void returns(struct kt *t)
{
	struct kt_return r;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_return_init(&r, places[i]);
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 100);
		KT_EQ(t, atomic_read(&r.entries), 100);
		KT_EQ(t, atomic_read(&r.returns), 100);
		KT_EQ(t, r.last_value, 3 * 99 + 7);
		unregister_kretprobe(&r.rp);
		kt_call(t, places[i], 5);
		KT_EQ(t, atomic_read(&r.entries), 100);
		KT_EQ(t, atomic_read(&r.returns), 100);
		KT_EQ(t, missed(&r), 0);
	}
}

static void by_symbol(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, NULL);
	r.rp.kp.symbol_name = "kprobe_target:kt_plain";
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	kt_call(t, kt_plain, 5);
	unregister_kretprobe(&r.rp);
	KT_EQ(t, atomic_read(&r.returns), 5);
}

/* Either handler may be missing. */
static void one_handler(struct kt *t)
{
	struct kt_return r;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_return_init(&r, places[i]);
		r.rp.handler = NULL;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 6);
		unregister_kretprobe(&r.rp);
		KT_EQ(t, atomic_read(&r.entries), 6);

		kt_return_init(&r, places[i]);
		r.rp.entry_handler = NULL;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 6);
		unregister_kretprobe(&r.rp);
		KT_EQ(t, atomic_read(&r.returns), 6);
	}
}

/* An entry handler that says no, for every other call. */
static int odd_ones_only(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kt_return *r;

	r = container_of(get_kretprobe(ri), struct kt_return, rp);
	return !(atomic_inc_return(&r->entries) & 1);
}

/* Calls that are not followed give their instance back. */
static void not_followed(struct kt *t)
{
	struct kt_return r;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_return_init(&r, places[i]);
		r.rp.entry_handler = odd_ones_only;
		r.rp.maxactive = 1;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 40);
		unregister_kretprobe(&r.rp);
		KT_EQ(t, atomic_read(&r.entries), 40);
		KT_EQ(t, atomic_read(&r.returns), 20);
		KT_EQ(t, missed(&r), 0);
	}
}

/* The return handler may give the caller something else. */
static int return_77(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	regs_set_return_value(regs, 77);
	return kt_at_return(ri, regs);
}

static void changed_value(struct kt *t)
{
	struct kt_return r;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_return_init(&r, places[i]);
		r.rp.handler = return_77;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		KT_EQ(t, places[i](1, 1), 77);
		unregister_kretprobe(&r.rp);
		KT_EQ(t, places[i](1, 1), 4);
		KT_EQ(t, r.last_value, 77);
	}
}

/* Each call has data of its own: what was left there at the entry is back. */
#define DATA_SIZE	100

static int lost_data;

static unsigned char pattern(unsigned long depth, int i)
{
	return depth * 7 + i;
}

static atomic_t depth;

static int fill_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	int i, d = atomic_inc_return(&depth);

	for (i = 0; i < DATA_SIZE; i++)
		ri->data[i] = pattern(d, i);
	return kt_at_entry(ri, regs);
}

static int check_data(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	int i, d = atomic_fetch_dec(&depth);

	for (i = 0; i < DATA_SIZE; i++)
		lost_data += (unsigned char)ri->data[i] != pattern(d, i);
	return kt_at_return(ri, regs);
}

/* The deepest call returns first, and finds its own. */
static void recursion(struct kt *t)
{
	struct kt_return r;
	int round;

	kt_return_init(&r, kt_recurse);
	r.rp.entry_handler = fill_data;
	r.rp.handler = check_data;
	r.rp.data_size = DATA_SIZE;
	r.rp.maxactive = 16;
	lost_data = 0;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	for (round = 1; round <= 10; round++) {
		KT_EQ(t, kt_recurse(14), 105);
		KT_EQ(t, atomic_read(&r.entries), 15 * round);
		KT_EQ(t, atomic_read(&r.returns), 15 * round);
	}
	unregister_kretprobe(&r.rp);
	KT_EQ(t, lost_data, 0);
	KT_EQ(t, atomic_read(&depth), 0);
	KT_EQ(t, missed(&r), 0);
}

/* No instance left: the innermost calls are missed, each counted once. */
static void too_deep(struct kt *t)
{
	struct kt_return r;
	int limit;

	for (limit = 1; limit <= 12; limit++) {
		kt_return_init(&r, kt_recurse);
		r.rp.maxactive = limit;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		KT_EQ(t, r.rp.maxactive, limit);
		KT_EQ(t, kt_recurse(14), 105);
		KT_EQ(t, kt_recurse(14), 105);
		KT_EQ(t, atomic_read(&r.entries), 2 * limit);
		KT_EQ(t, atomic_read(&r.returns), 2 * limit);
		KT_EQ(t, r.rp.nmissed, 2 * (15 - limit));
		unregister_kretprobe(&r.rp);
	}
}

static void default_limit(struct kt *t)
{
	struct kt_return r;
	int asked;

	for (asked = 0; asked >= -1; asked--) {
		kt_return_init(&r, kt_plain);
		r.rp.maxactive = asked;
		r.rp.nmissed = 33;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		KT_EQ(t, r.rp.maxactive, max(10U, 2 * num_possible_cpus()));
		KT_EQ(t, r.rp.nmissed, 0);
		unregister_kretprobe(&r.rp);
	}
}

/* Several on one function: the newest is entered first, and left last. */
static long order;

static int note_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	order = order * 10 + get_kretprobe(ri)->data_size / sizeof(long);
	return kt_at_entry(ri, regs);
}

static int note_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	order = order * 10 + get_kretprobe(ri)->data_size / sizeof(long);
	return kt_at_return(ri, regs);
}

static void several(struct kt *t)
{
	static struct kt_return r[3];
	int i, n;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (n = 0; n < 3; n++) {
			kt_return_init(&r[n], places[i]);
			r[n].rp.entry_handler = note_entry;
			r[n].rp.handler = note_return;
			r[n].rp.data_size = (n + 1) * sizeof(long);
			KT_EQ(t, register_kretprobe(&r[n].rp), 0);
		}
		order = 0;
		kt_call(t, places[i], 1);
		KT_EQ(t, order, 321123);
		kt_call(t, places[i], 9);
		for (n = 0; n < 3; n++) {
			KT_EQ(t, atomic_read(&r[n].returns), 10);
			KT_EQ(t, r[n].last_value, 3 * 8 + 7);
			unregister_kretprobe(&r[n].rp);
		}
	}
}

/* A hooked function that calls hooked functions, with kprobes on them too. */
static void nested(struct kt *t)
{
	static const kt_fn fns[] = { kt_outer, kt_plain, kt_entry };
	static struct kt_return r[3];
	static struct kt_probe p[3];
	int n;

	for (n = 0; n < 3; n++) {
		kt_return_init(&r[n], fns[n]);
		kt_probe_addr(&p[n], fns[n]);
		KT_EQ(t, register_kretprobe(&r[n].rp), 0);
		KT_EQ(t, register_kprobe(&p[n].kp), 0);
	}
	kt_call(t, kt_outer, 50);
	for (n = 0; n < 3; n++) {
		KT_EQ(t, atomic_read(&r[n].returns), 50);
		KT_EQ(t, kt_hits(&p[n]), 50);
		KT_EQ(t, missed(&r[n]) + p[n].kp.nmissed, 0);
		unregister_kretprobe(&r[n].rp);
		unregister_kprobe(&p[n].kp);
	}
}

static void on_and_off(struct kt *t)
{
	struct kt_return r;
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		kt_return_init(&r, places[i]);
		r.rp.kp.flags = KPROBE_FLAG_DISABLED;
		KT_EQ(t, register_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 3);
		KT_EQ(t, atomic_read(&r.returns), 0);
		KT_EQ(t, enable_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 3);
		KT_EQ(t, atomic_read(&r.returns), 3);
		KT_EQ(t, disable_kretprobe(&r.rp), 0);
		kt_call(t, places[i], 3);
		KT_EQ(t, atomic_read(&r.returns), 3);
		unregister_kretprobe(&r.rp);
	}
}

static int try(struct kt_return *r)
{
	int err = register_kretprobe(&r->rp);

	if (!err)
		unregister_kretprobe(&r->rp);
	return err;
}

static int try_symbol(const char *symbol, unsigned int offset)
{
	struct kt_return r;

	kt_return_init(&r, NULL);
	r.rp.kp.symbol_name = symbol;
	r.rp.kp.offset = offset;
	return try(&r);
}

static void refused(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_plain);
	r.rp.kp.symbol_name = "kt_plain";
	KT_EQ(t, try(&r), -EINVAL);
	kt_return_init(&r, NULL);
	KT_EQ(t, try(&r), -EINVAL);
	KT_EQ(t, try_symbol("kt_there_is_no_such_function", 0), -ENOENT);
	KT_EQ(t, try_symbol("kt_nokprobe", 0), -EINVAL);
	if (kt_asm_count)
		KT_EQ(t, try_symbol("kt_asm", kt_asm_insns[2]), -EINVAL);
#ifdef CONFIG_X86
	/*
	 * It returns on another stack than it was called on.
	 * 6.12: lets it pass where there are landing pads.
	 */
	KT_EQ(t, try_symbol("__switch_to", 0), -EINVAL);
#endif
}

static void data_limit(struct kt *t)
{
	struct kt_return r;

	kt_return_init(&r, kt_plain);
	r.rp.data_size = KRETPROBE_MAX_DATA_SIZE;
	KT_EQ(t, register_kretprobe(&r.rp), 0);
	kt_call(t, kt_plain, 5);
	unregister_kretprobe(&r.rp);
	KT_EQ(t, atomic_read(&r.returns), 5);

	kt_return_init(&r, kt_plain);
	r.rp.data_size = KRETPROBE_MAX_DATA_SIZE + 1;
	KT_EQ(t, try(&r), -E2BIG);
}

/* All or none, as with kprobes. */
static void batch(struct kt *t)
{
	static struct kt_return r[3];
	struct kretprobe *rps[3];
	int bad, n;

	for (bad = 0; bad <= 3; bad++) {
		for (n = 0; n < 3; n++) {
			kt_return_init(&r[n], places[n]);
			rps[n] = &r[n].rp;
		}
		if (bad < 3)
			r[bad].rp.kp.addr = (kprobe_opcode_t *)kt_nokprobe;
		KT_EQ(t, register_kretprobes(rps, 3), bad < 3 ? -EINVAL : 0);
		for (n = 0; n < 3; n++) {
			kt_call(t, places[n], 4);
			KT_EQ(t, atomic_read(&r[n].returns), bad < 3 ? 0 : 4);
		}
	}
	unregister_kretprobes(rps, 3);
	KT_EQ(t, register_kretprobes(rps, 0), -EINVAL);
	kt_call(t, kt_entry, 4);
	KT_EQ(t, atomic_read(&r[0].returns), 4);
}

const struct kt_case kt_calls_cases[] = {
	{ "returns", returns },
	{ "by_symbol", by_symbol },
	{ "one_handler", one_handler },
	{ "not_followed", not_followed },
	{ "changed_value", changed_value },
	{ "recursion", recursion },
	{ "too_deep", too_deep },
	{ "default_limit", default_limit },
	{ "several", several },
	{ "nested", nested },
	{ "on_and_off", on_and_off },
	{ "refused", refused },
	{ "data_limit", data_limit },
	{ "batch", batch },
	KT_END
};
