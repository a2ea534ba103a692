// SPDX-License-Identifier: GPL-2.0
/*
 * See kprobe_moved.h.
 */
#include <linux/types.h>

#define MOVED_BEFORE		0
#define MOVED_VALUE		u32
#define MOVED_LEVEL		MOVED_FIRST
#define MOVED_ARGS(node, n)	node, n

#include "kprobe_moved.h"
