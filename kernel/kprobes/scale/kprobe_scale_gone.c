// SPDX-License-Identifier: GPL-2.0
/*
 * kprobe-scale-gone.ko: text for kprobe-scale.ko to probe, to be unloaded while
 * the probes are there. It is never executed.
 */
#include <linux/compiler.h>
#include <linux/module.h>

#include "kprobe_scale.h"
#include "kprobe_scale_text.h"

asm(SCALE_WIDE_TEXT(scale_gone));

#define ENTRY(n)	static __used noinline void scale_gone_at_##n(void) { barrier(); }

THOUSAND(ENTRY)

MODULE_DESCRIPTION("Text that goes away with probes in it");
MODULE_LICENSE("GPL");
