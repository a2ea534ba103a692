/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_RETURN_H
#define KPROBE_RETURN_H
#include "kt.h"

/* A kretprobe that counts. */
struct kt_return {
	struct kretprobe rp;
	atomic_t entries;
	atomic_t returns;
	long last_value;
};

int kt_at_entry(struct kretprobe_instance *ri, struct pt_regs *regs);
int kt_at_return(struct kretprobe_instance *ri, struct pt_regs *regs);
void kt_return_init(struct kt_return *r, void *fn);

extern const struct kt_case kt_calls_cases[];
extern const struct kt_case kt_stack_cases[];

#endif /* KPROBE_RETURN_H */
