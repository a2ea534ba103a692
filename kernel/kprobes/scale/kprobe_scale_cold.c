// SPDX-License-Identifier: GPL-2.0
/*
 * What it costs to place a batch of probes, each in another function of the
 * kernel: what is known of one function does not help the next.
 *
 * A script writes the ftrace sites of functions to the parameter "cold". Behind
 * a site there is an instruction. Of these places the measurement "cold-find"
 * keeps those at which a probe may be, and that registration itself does not
 * reach: hits would be measured as well.
 */
#include <linux/array_size.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/moduleparam.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kprobe_scale.h"

/* How many candidates there may be. */
#define SCALE_COLD_TRY	20000

/**
 * struct scale_cold - a place in a function of the kernel
 * @kp: the probe
 * @hit: whether it was hit while none should have been
 */
struct scale_cold {
	struct kprobe kp;
	bool hit;
};

static struct scale_cold *scale_cold;
static unsigned int scale_cold_nr;

static int scale_cold_pre(struct kprobe *kp, struct pt_regs *regs)
{
	container_of(kp, struct scale_cold, kp)->hit = true;
	return 0;
}

NOKPROBE_SYMBOL(scale_cold_pre);

static void scale_cold_set_addr(struct scale_cold *c, void *addr)
{
	*c = (struct scale_cold) {
		.kp.addr = addr,
		.kp.pre_handler = scale_cold_pre,
	};
}

static int scale_cold_add(char *words)
{
	unsigned long addr;
	char *word;
	int ret;

	while ((word = strsep(&words, "\n "))) {
		if (!*word)
			continue;
		if (scale_cold_nr == SCALE_COLD_TRY)
			return -ENOSPC;
		ret = kstrtoul(word, 16, &addr);
		if (ret)
			return ret;
		scale_cold_set_addr(&scale_cold[scale_cold_nr++],
				    (void *)addr + MCOUNT_INSN_SIZE);
	}
	return 0;
}

static int scale_set_cold(const char *val, const struct kernel_param *kp)
{
	char *words;
	int ret;

	if (!scale_cold)
		scale_cold = vzalloc(array_size(SCALE_COLD_TRY,
						sizeof(*scale_cold)));
	words = scale_cold ? kstrdup(val, GFP_KERNEL) : NULL;
	if (!words)
		return -ENOMEM;
	ret = scale_cold_add(words);
	kfree(words);
	return ret;
}

static const struct kernel_param_ops scale_cold_ops = {
	.set = scale_set_cold,
};

module_param_cb(cold, &scale_cold_ops, NULL, 0200);
MODULE_PARM_DESC(cold, "ftrace sites, hexadecimal, to be appended");

/* The first @nr of them. */
static struct kprobe **scale_cold_list(unsigned int nr)
{
	struct kprobe **list = kvmalloc_array(nr + 1, sizeof(*list), GFP_KERNEL);
	unsigned int i;

	for (i = 0; list && i < nr; i++)
		list[i] = &scale_cold[i].kp;
	return list;
}

static int scale_cold_off(const char *figure, unsigned int nr)
{
	struct kprobe **list = scale_cold_list(nr);
	u64 start = ktime_get_ns();
	unsigned int i;
	void *addr;

	if (!list)
		return -ENOMEM;
	unregister_kprobes(list, nr);
	scale_print(figure, div_u64(ktime_get_ns() - start, max(nr, 1U)));
	kvfree(list);
	for (i = 0; i < nr; i++) {
		bool hit = scale_cold[i].hit;

		addr = scale_cold[i].kp.addr;
		scale_cold_set_addr(&scale_cold[i], addr);
		scale_cold[i].hit = hit;
	}
	return 0;
}

/* Keep those at which a probe may be. */
static void scale_cold_try(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < scale_cold_nr; i++) {
		scale_cold_set_addr(&scale_cold[nr], scale_cold[i].kp.addr);
		if (!register_kprobe(&scale_cold[nr].kp))
			nr++;
	}
	scale_cold_nr = nr;
}

int scale_run_cold_find(void)
{
	unsigned int i, nr = 0;
	int ret;

	scale_cold_try();
	ret = scale_cold_off("unregister.try", scale_cold_nr);
	for (i = 0; i < scale_cold_nr && !ret; i++) {
		if (!scale_cold[i].hit)
			scale_cold_set_addr(&scale_cold[nr++],
					    scale_cold[i].kp.addr);
	}
	scale_cold_nr = nr;
	scale_print("cold.functions", nr);
	return ret ?: nr < SCALE_WIDE_MAX ? -ENOENT : 0;
}

int scale_run_cold(void)
{
	struct kprobe **list = scale_cold_list(SCALE_WIDE_MAX);
	int ret;

	if (!list || scale_cold_nr < SCALE_WIDE_MAX) {
		kvfree(list);
		return -ENOENT;
	}
	ret = scale_register_list("register.cold", list, SCALE_WIDE_MAX);
	kvfree(list);
	return ret;
}

int scale_run_cold_off(void)
{
	return scale_cold_off("unregister.cold", SCALE_WIDE_MAX);
}

void scale_cold_free(void)
{
	if (scale_cold)
		scale_cold_off("unregister.cold", scale_cold_nr);
	vfree(scale_cold);
}
