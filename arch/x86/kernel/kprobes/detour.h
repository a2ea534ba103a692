/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_DETOUR_H
#define _X86_KPROBES_DETOUR_H

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/types.h>

/**
 * struct kprobe_region - the bytes a jump would replace
 * @start: the point
 * @end: behind the last instruction of the region
 */
struct kprobe_region {
	unsigned long start;
	unsigned long end;
};

/* More functions of one name with cold parts are not looked at: no jump. */
#define KPROBE_MAX_PARTNERS	8

/**
 * struct kprobe_partners - other parts that a function may have
 * @nr: how many there are
 * @addr: where they begin
 * @size: how long they are
 * @name: what they are called
 */
struct kprobe_partners {
	unsigned int nr;
	unsigned long addr[KPROBE_MAX_PARTNERS];
	unsigned long size[KPROBE_MAX_PARTNERS];
	char name[KSYM_NAME_LEN];
};

/* safety.c */
enum kprobe_unopt kprobe_find_partners(unsigned long addr,
				       struct kprobe_partners *ps);
enum kprobe_unopt kprobe_region_check(const struct kprobe_region *r,
				      const struct kprobe_partners *ps);

/* The entry of a detour as a template, and the places in it: see opt.c. */
extern const u8 kprobe_detour_entry[];
extern const u8 kprobe_detour_clac[];
extern const u8 kprobe_detour_point[];
extern const u8 kprobe_detour_call[];
extern const u8 kprobe_detour_jnz[];
extern const u8 kprobe_detour_entry_end[];

#endif /* _X86_KPROBES_DETOUR_H */
