/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_FTRACE_H
#define _KPROBES_FTRACE_H

struct ftrace_ops;
struct ftrace_regs;
struct kprobe_point;

/* ftrace.c */
#ifdef CONFIG_KPROBES_ON_FTRACE
void kprobe_forget_ftrace(struct kprobe_point *pt);
#else
static inline void kprobe_forget_ftrace(struct kprobe_point *pt) { }
#endif

/* ftrace_hit.c: for the ftrace_ops that only claims IPMODIFY, see ftrace.c. */
void kprobe_ftrace_no_handler(unsigned long ip, unsigned long parent_ip,
			      struct ftrace_ops *ops, struct ftrace_regs *fregs);

#endif /* _KPROBES_FTRACE_H */
