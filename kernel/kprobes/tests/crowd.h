/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_CROWD_H
#define _KPROBES_TESTS_CROWD_H

/* More functions to probe than points are armed at a time, all in one object. */
#define KTEST_CROWD	257

/* The one with number n returns its argument plus 1 plus n. */
extern int (* const ktest_crowd[KTEST_CROWD])(int x);

#endif /* _KPROBES_TESTS_CROWD_H */
