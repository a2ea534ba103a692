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

#ifndef __ARCH_WANT_KPROBE_FRAMES
/*
 * Let @kp be the running kprobe of this CPU. An interrupt that is hit trusts the status
 * if there is one, and leaves another behind if it comes before there is. To keep
 * interrupts out is a call on some architectures, of a function that can be probed.
 */
static __always_inline void kprobe_set_running(struct kprobe *kp)
{
	struct kprobe_ctlblk *kcb = get_kprobe_ctlblk();

	kcb->kprobe_status = KPROBE_HIT_ACTIVE;
	barrier();
	__this_cpu_write(current_kprobe, kp);
	barrier();
	kcb->kprobe_status = KPROBE_HIT_ACTIVE;
}
#endif

#endif /* _KPROBES_DISPATCH_H */
