/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_GENERIC_FPROBE_H
#define _ASM_GENERIC_FPROBE_H
/*
 * Function probes: what an architecture knows of the registers at an entry.
 *
 * Where ftrace can save the registers of arguments alone in a struct pt_regs, an
 * asm/fprobe.h has arch_fprobe_saved_regs(), which copies those, and a macro of that
 * name. Here all registers are saved.
 */
#endif /* _ASM_GENERIC_FPROBE_H */
