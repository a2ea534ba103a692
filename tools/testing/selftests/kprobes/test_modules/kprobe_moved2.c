// SPDX-License-Identifier: GPL-2.0
/*
 * The module kprobe_moved1 as it is after a change: see kprobe_moved.h. The test gives it
 * that name.
 */
#include <linux/types.h>

#define MOVED_BEFORE		5
#define MOVED_VALUE		s32
#define MOVED_LEVEL		MOVED_SECOND
#define MOVED_ARGS(node, n)	n, node

#include "kprobe_moved.h"
