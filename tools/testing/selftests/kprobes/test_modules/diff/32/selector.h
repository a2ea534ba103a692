/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_DIFF_SELECTOR_H
#define KPROBE_DIFF_SELECTOR_H
/* Selectors for snippets: what GS is to begin with, and a null one. */
#include <asm/segment.h>

#define DIFF_SELECTOR	(GDT_ENTRY_TLS_MIN * 8 + 3)
#define DIFF_NULL	0

#endif /* KPROBE_DIFF_SELECTOR_H */
