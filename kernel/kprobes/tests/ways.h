/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_WAYS_H
#define _KPROBES_TESTS_WAYS_H
/*
 * The ways in which a point is reached: what is counted, and what handlers may do,
 * is equal in each of them. Those that every architecture has are in ways.c; an
 * architecture with more of them has a table of its own.
 */
#include "testing.h"

/**
 * struct ktest_way - a way in which a point is reached
 * @name: what it is called
 * @mode: what kprobe_stats_mode() calls it, or NULL if that depends
 * @fn: a function to call, which returns its argument plus one
 * @at: where to probe, if that is not the entry of @fn
 * @post: it takes a post handler
 * @fault: it takes a fault handler
 */
struct ktest_way {
	const char *name;
	const char *mode;
	int (*fn)(int x);
	void *at;
	bool post;
	bool fault;
};

/* The last one has no name. */
extern const struct ktest_way ktest_ways[];

#endif /* _KPROBES_TESTS_WAYS_H */
