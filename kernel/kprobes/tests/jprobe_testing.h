/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_JPROBE_TESTING_H
#define _KPROBES_TESTS_JPROBE_TESTING_H
/*
 * What the suites of jprobes share: jprobes at functions of testing.h, whose handler
 * notes what it has found.
 */
#include <linux/kprobes.h>

#include "ways.h"

/**
 * struct jp_seen - what handlers have found
 * @hits: how often they were called
 * @arg: the argument of the last call, or the sum of some
 * @back: how often something else was so, mostly what should not be
 * @faults: how often a fault handler was called
 * @then: what the usual handler does besides
 */
struct jp_seen {
	unsigned int hits;
	int arg;
	unsigned int back;
	unsigned int faults;
	void (*then)(int x);
};

extern struct jp_seen jp_seen;

/* Written by jp_note_irqs(). */
extern bool jp_irqs_on;

const void *jp_ways_gen(const void *prev, char *desc);
int jp_handler(int x);
void jp_note_irqs(int x);
struct jprobe *jp_alloc(struct kunit *test, void *fn, void *handler);
void jp_register(struct kunit *test, struct jprobe *jp);

#endif /* _KPROBES_TESTS_JPROBE_TESTING_H */
