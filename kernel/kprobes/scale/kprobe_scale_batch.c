// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to place probes and to take them away, one at a time and many.
 */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "kprobe_scale.h"

#define SCALE_SINGLES	15	/* the one in the middle counts */
#define SCALE_SOME	1000

static struct kprobe **scale_list(struct kprobe *kps, unsigned int nr)
{
	struct kprobe **list = kvmalloc_array(nr, sizeof(*list), GFP_KERNEL);
	unsigned int i;

	for (i = 0; list && i < nr; i++)
		list[i] = &kps[i];
	return list;
}

/* Prints the time of each. */
int scale_register_list(const char *figure, struct kprobe **list,
			unsigned int nr)
{
	u64 start = ktime_get_ns();
	int ret = register_kprobes(list, nr);

	if (!ret)
		scale_print(figure, div_u64(ktime_get_ns() - start, nr));
	return ret;
}

int scale_register(const char *figure, struct kprobe *kps, unsigned int nr)
{
	struct kprobe **list = scale_list(kps, nr);
	int ret;

	if (!list)
		return -ENOMEM;
	ret = scale_register_list(figure, list, nr);
	kvfree(list);
	return ret;
}

int scale_unregister(const char *figure, struct kprobe *kps, unsigned int nr)
{
	struct kprobe **list = scale_list(kps, nr);
	u64 start = ktime_get_ns();
	unsigned int i;

	if (!list)
		return -ENOMEM;
	unregister_kprobes(list, nr);
	start = ktime_get_ns() - start;
	kvfree(list);
	/* As they were, for the next time. */
	for (i = 0; i < nr; i++)
		kps[i] = (struct kprobe) {
			.addr = kps[i].addr,
			.pre_handler = scale_pre,
		};
	scale_print(figure, div_u64(start, nr));
	return 0;
}

static int scale_cmp(const void *a, const void *b)
{
	const u64 *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

static u64 scale_median(u64 *ns)
{
	sort(ns, SCALE_SINGLES, sizeof(*ns), scale_cmp, NULL);
	return ns[SCALE_SINGLES / 2];
}

/* Functions of the kernel, of all sizes. */
static const char *const scale_functions[SCALE_SINGLES] = {
	"vfs_read", "vfs_write", "vfs_fsync", "vfs_rename", "vfs_unlink",
	"vfs_mkdir", "vfs_getattr", "filp_close", "kernel_read", "d_drop",
	"seq_read", "notify_change", "setattr_prepare", "file_update_time",
	"generic_file_llseek",
};

/* Behind the ftrace site of each. */
#define SCALE_BEHIND_SITE	(IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? 9 : 5)

static struct kprobe scale_single[SCALE_SINGLES];

/* By address, as all others: the first registration finds it out. */
static int scale_find_functions(void)
{
	unsigned int i;
	void *addr;
	int ret;

	for (i = 0; i < SCALE_SINGLES; i++) {
		scale_single[i] = (struct kprobe) {
			.symbol_name = scale_functions[i],
			.offset = SCALE_BEHIND_SITE,
		};
		ret = register_kprobe(&scale_single[i]);
		if (ret)
			return ret;
		addr = scale_single[i].addr;
		unregister_kprobe(&scale_single[i]);
		scale_single[i] = (struct kprobe) {
			.addr = addr,
			.pre_handler = scale_pre,
		};
	}
	return 0;
}

/* Each in another function: what is known of one does not help the next. */
static struct kprobe *scale_single_of(struct kprobe *kps, unsigned int i)
{
	return kps == scale_single ? &kps[i] : &kps[i * SCALE_WIDE_PLACES];
}

static int scale_singles(const char *in, const char *out, struct kprobe *kps)
{
	u64 ns[SCALE_SINGLES];
	int i, ret = 0;

	for (i = 0; i < SCALE_SINGLES && !ret; i++) {
		ns[i] = ktime_get_ns();
		ret = register_kprobe(scale_single_of(kps, i));
		ns[i] = ktime_get_ns() - ns[i];
	}
	if (!ret)
		scale_print(in, scale_median(ns));
	else
		i--;
	while (i--) {
		ns[i] = ktime_get_ns();
		unregister_kprobe(scale_single_of(kps, i));
		ns[i] = ktime_get_ns() - ns[i];
	}
	if (!ret)
		scale_print(out, scale_median(ns));
	return ret;
}

int scale_run_single(void)
{
	return scale_find_functions() ?:
	       scale_singles("register.one", "unregister.one", scale_single) ?:
	       scale_singles("register.module", "unregister.module", scale_wide) ?:
	       scale_singles("register.entry", "unregister.entry", scale_entry);
}

/* When the last of those began that are to be optimized. */
static u64 scale_wide_begun;

/* All of the places that can be optimized; they stay until "wide-off". */
int scale_run_wide(void)
{
	scale_wide_begun = ktime_get_ns();
	return scale_register("register.wide", scale_wide, SCALE_WIDE_MAX);
}

int scale_run_wide_off(void)
{
	return scale_unregister("unregister.wide", scale_wide, SCALE_WIDE_MAX);
}

/* A thousand of them, to count the interrupts between CPUs meanwhile. */
int scale_run_some(void)
{
	return scale_register("register.some", scale_wide, SCALE_SOME);
}

int scale_run_some_off(void)
{
	return scale_unregister("unregister.some", scale_wide, SCALE_SOME);
}

/* Likewise, but each in another function than the one before. */
int scale_run_mixed(void)
{
	struct kprobe **list = scale_list(scale_wide, SCALE_WIDE_MAX);
	unsigned int i, funcs = SCALE_WIDE_MAX / SCALE_WIDE_PLACES;
	int ret;

	if (!list)
		return -ENOMEM;
	for (i = 0; i < SCALE_SOME; i++)
		list[i] = &scale_wide[i % funcs * SCALE_WIDE_PLACES + i / funcs];
	ret = scale_register_list("register.mixed", list, SCALE_SOME);
	if (!ret)
		unregister_kprobes(list, SCALE_SOME);
	kvfree(list);
	scale_set_addrs();
	return ret;
}

/* How many of @kps are optimized? */
static unsigned int scale_count_jumps(struct kprobe *kps, unsigned int nr)
{
	unsigned int i, jumps = 0;

	for (i = 0; i < nr; i++)
		jumps += scale_jumps_at(kps[i].addr);
	return jumps;
}

/*
 * Until no more of them become optimized. The time is that since they began to
 * be registered, so it means something once.
 */
int scale_run_settle(void)
{
	unsigned int jumps = 0, now, quiet = 0;
	u64 last = ktime_get_ns();

	while (jumps < SCALE_WIDE_MAX && quiet++ < 800) {
		/*
		 * Not with the tick: RCU tasks waits for tasks that run then.
		 */
		usleep_range(5300, 5400);
		now = scale_count_jumps(scale_wide, SCALE_WIDE_MAX);
		if (now == jumps)
			continue;
		jumps = now;
		quiet = 0;
		last = ktime_get_ns();
	}
	scale_print("optimized.not", SCALE_WIDE_MAX - jumps);
	scale_print("optimized.ns", last - scale_wide_begun);
	return 0;
}

/* By name, for the text is another module's. */
static void scale_set_gone_addr(unsigned int i)
{
	static char names[SCALE_ENTRY_MAX][sizeof("scale_gone_at_000")];

	snprintf(names[i], sizeof(names[i]), "scale_gone_at_%03u", i);
	scale_entry[i] = (struct kprobe) {
		.symbol_name = names[i],
		.pre_handler = scale_pre,
	};
}

/* The places of "some" and "entries", but in kprobe-scale-gone.ko. */
int scale_run_gone(void)
{
	struct kprobe first = { .symbol_name = "scale_gone_start" };
	int ret = register_kprobe(&first);
	unsigned int i;
	long distance;

	if (ret)
		return ret;
	distance = (unsigned long)first.addr - (unsigned long)scale_wide_start;
	unregister_kprobe(&first);
	for (i = 0; i < SCALE_SOME; i++)
		scale_wide[i].addr += distance;
	for (i = 0; i < SCALE_ENTRY_MAX; i++)
		scale_set_gone_addr(i);
	return scale_register("register.gone", scale_wide, SCALE_SOME) ?:
	       scale_register("register.gone.entries", scale_entry,
			      SCALE_ENTRY_MAX);
}

/* After the module has been unloaded. */
int scale_run_gone_off(void)
{
	int ret = scale_unregister("unregister.gone", scale_wide, SCALE_SOME) ?:
		  scale_unregister("unregister.gone.entries", scale_entry,
				   SCALE_ENTRY_MAX);

	scale_set_addrs();
	return ret;
}

int scale_run_entries(void)
{
	return scale_register("register.entries", scale_entry, SCALE_ENTRY_MAX) ?:
	       scale_unregister("unregister.entries", scale_entry,
				SCALE_ENTRY_MAX);
}

int scale_run_returns(void)
{
	struct kretprobe **list;
	unsigned int i;
	u64 start;
	int ret;

	list = kvmalloc_array(SCALE_ENTRY_MAX, sizeof(*list), GFP_KERNEL);
	if (!list)
		return -ENOMEM;
	for (i = 0; i < SCALE_ENTRY_MAX; i++) {
		scale_make_return(&scale_returns[i], scale_entries[i], false);
		list[i] = &scale_returns[i];
	}
	start = ktime_get_ns();
	ret = register_kretprobes(list, SCALE_ENTRY_MAX);
	if (!ret) {
		scale_print("register.returns",
			    div_u64(ktime_get_ns() - start, SCALE_ENTRY_MAX));
		start = ktime_get_ns();
		unregister_kretprobes(list, SCALE_ENTRY_MAX);
		scale_print("unregister.returns",
			    div_u64(ktime_get_ns() - start, SCALE_ENTRY_MAX));
	}
	kvfree(list);
	return ret;
}

/* One after the other: there is no call for many. */
int scale_run_switch(void)
{
	unsigned int i, nr = SCALE_SOME;
	u64 start;
	int ret;

	ret = scale_register("register.some", scale_wide, nr);
	if (ret)
		return ret;
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		disable_kprobe(&scale_wide[i]);
	scale_print("disable", div_u64(ktime_get_ns() - start, nr));
	start = ktime_get_ns();
	for (i = 0; i < nr; i++)
		enable_kprobe(&scale_wide[i]);
	scale_print("enable", div_u64(ktime_get_ns() - start, nr));
	return scale_unregister("unregister.some", scale_wide, nr);
}
