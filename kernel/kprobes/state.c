// SPDX-License-Identifier: GPL-2.0
/*
 * The states of a probe point, and the moves between them.
 *
 *		to	DISARMED ARMED QUEUED OPTIMIZED GONE
 *  from DISARMED	   -	   x	 -	  -	 x
 *	 ARMED		   x	   -	 x	  -	 x
 *	 QUEUED		   -	   x	 -	  x	 -
 *	 OPTIMIZED	   -	   x	 -	  -	 -
 *	 GONE		   -	   -	 -	  -	 -
 *
 * A point that is queued or optimized is moved to ARMED first, whatever it is to
 * become: so there is one way to restore the text. If the text goes away, a point
 * is disarmed before it is GONE; only ftrace may fail to do that.
 */
#include <linux/bits.h>
#include <linux/bug.h>

#include "internal.h"

#define TO(state)	BIT(KPROBE_##state)

static const u8 kprobe_moves[KPROBE_NR_STATES] = {
	[KPROBE_DISARMED]	= TO(ARMED) | TO(GONE),
	[KPROBE_ARMED]		= TO(DISARMED) | TO(QUEUED) | TO(GONE),
	[KPROBE_QUEUED]		= TO(ARMED) | TO(OPTIMIZED),
	[KPROBE_OPTIMIZED]	= TO(ARMED),
	[KPROBE_GONE]		= 0,
};

static const char * const kprobe_state_names[KPROBE_NR_STATES] = {
	[KPROBE_DISARMED]	= "disarmed",
	[KPROBE_ARMED]		= "armed",
	[KPROBE_QUEUED]		= "queued",
	[KPROBE_OPTIMIZED]	= "optimized",
	[KPROBE_GONE]		= "gone",
};

/**
 * kprobe_state_allowed() - may a point move like this?
 * @from: the state it is in
 * @to: the state it would be in
 *
 * Return: whether it may.
 */
bool kprobe_state_allowed(enum kprobe_state from, enum kprobe_state to)
{
	return kprobe_moves[from] & BIT(to);
}

/**
 * kprobe_state_name() - a state in one word
 * @state: the state
 *
 * Return: the word.
 */
const char *kprobe_state_name(enum kprobe_state state)
{
	return kprobe_state_names[state];
}

/**
 * kprobe_set_state() - move a point
 * @pt: the point
 * @new: its new state
 *
 * Context: the holder of kprobe_mutex.
 */
void kprobe_set_state(struct kprobe_point *pt, enum kprobe_state new)
{
	lockdep_assert_held(&kprobe_mutex);
	WARN_ONCE(!kprobe_state_allowed(pt->state, new),
		  "kprobes: %pS moves from %s to %s\n", pt->probe.addr,
		  kprobe_state_name(pt->state), kprobe_state_name(new));
	WRITE_ONCE(pt->state, new);
}
