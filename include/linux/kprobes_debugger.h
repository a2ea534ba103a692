/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _LINUX_KPROBES_DEBUGGER_H
#define _LINUX_KPROBES_DEBUGGER_H

#include <linux/kgdb.h>
#include <linux/types.h>

/**
 * kprobe_debugged() - is there a breakpoint of the kernel debugger?
 * @addr: an address of the kernel's text
 *
 * Functions end in breakpoints that are padding, and to go through all
 * breakpoints of kgdb takes thousands of instructions for each of them. So kgdb
 * is asked only while it has an I/O driver: without one no breakpoint can be
 * set, and a CPU that hits one that was left behind does not survive that.
 *
 * Context: any.
 * Return: whether there is, so that the original byte is not known.
 */
#ifdef CONFIG_KGDB
static inline bool kprobe_debugged(unsigned long addr)
{
	return dbg_io_ops && kgdb_has_hit_break(addr);
}
#else
static inline bool kprobe_debugged(unsigned long addr)
{
	return false;
}
#endif

#endif /* _LINUX_KPROBES_DEBUGGER_H */
