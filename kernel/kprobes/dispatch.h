/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_DISPATCH_H
#define _KPROBES_DISPATCH_H

#include <linux/kprobes.h>

/*
 * dispatch.c: the handlers of a point's kprobe, which handlers.c chooses. _off() is the
 * pre handler where no subscriber is enabled: it only counts.
 */
int kprobe_dispatch_pre(struct kprobe *probe, struct pt_regs *regs);
int kprobe_dispatch_off(struct kprobe *probe, struct pt_regs *regs);
void kprobe_dispatch_post(struct kprobe *probe, struct pt_regs *regs,
			  unsigned long flags);
int kprobe_dispatch_fault(struct kprobe *probe, struct pt_regs *regs, int trapnr);

#endif /* _KPROBES_DISPATCH_H */
