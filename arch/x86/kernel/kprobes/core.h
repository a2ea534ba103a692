/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_CORE_H
#define _X86_KPROBES_CORE_H

#include <linux/kprobes.h>

/* core.c, for a fault that ends a step early, or does not. */
void kprobe_pin(struct kprobe *p, struct pt_regs *regs,
		struct kprobe_frame *frame);
void kprobe_unpin(struct kprobe *p, struct pt_regs *regs,
		  struct kprobe_frame *frame);
struct kprobe_frame *kprobe_stepping_at(unsigned long ip);

#endif /* _X86_KPROBES_CORE_H */
