/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_GENERIC_KPROBES_H
#define _ASM_GENERIC_KPROBES_H

/*
 * The markers by which code keeps itself out of the reach of probes. This
 * header is included nearly everywhere, so it holds nothing else.
 *
 * NOKPROBE_SYMBOL(fn)	put the address of @fn into the section the blacklist
 *			is built from; every instruction of @fn is refused.
 * __kprobes		put the function into .kprobes.text, refused as an area.
 * nokprobe_inline	inline without exception, so that no copy can be probed.
 */
#ifndef __ASSEMBLY__
#ifndef CONFIG_KPROBES
#define __kprobes
#define nokprobe_inline		inline
#define NOKPROBE_SYMBOL(...)
#else
#define nokprobe_inline		__always_inline
#define __kprobes		__section(".kprobes.text") notrace

/*
 * Two steps, so that a macro's argument is expanded before it is pasted. The
 * semicolon is in here because some users have none.
 */
#define NOKPROBE_SYMBOL(fname)	__NOKPROBE_SYMBOL(fname)
#define __NOKPROBE_SYMBOL(fname)				\
static unsigned long _kbl_addr_##fname				\
	__section("_kprobe_blacklist") __used =			\
	(unsigned long)fname;
#endif /* CONFIG_KPROBES */
#endif /* !__ASSEMBLY__ */

#endif /* _ASM_GENERIC_KPROBES_H */
