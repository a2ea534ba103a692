/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_JPROBE_H
#define _KPROBES_JPROBE_H
/*
 * Jprobes, as other layers see them. The functions are in jprobe_hit.c; and
 * jprobe_forget_module(), with modules, is in jprobe.c.
 */
#include <linux/kprobes.h>

struct module;

#ifdef CONFIG_JPROBES
int jprobe_pre_handler(struct kprobe *p, struct pt_regs *regs);
void jprobe_flush_calls(void);
unsigned int jprobe_forget_module(struct module *mod);

/**
 * kprobe_is_jprobe() - is a kprobe that of a jprobe?
 * @kp: a subscriber
 *
 * Return: whether it is.
 */
static inline bool kprobe_is_jprobe(struct kprobe *kp)
{
	return kp->pre_handler == jprobe_pre_handler;
}
#else
static inline void jprobe_flush_calls(void) { }

static inline bool kprobe_is_jprobe(struct kprobe *kp)
{
	return false;
}
#endif /* CONFIG_JPROBES */

#endif /* _KPROBES_JPROBE_H */
