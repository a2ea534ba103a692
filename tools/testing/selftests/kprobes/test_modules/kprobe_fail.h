/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_FAIL_H
#define KPROBE_FAIL_H

/*
 * A function with fail_many_count instructions of fail_many_size bytes each,
 * from offset fail_many_first on.
 */
unsigned long fail_many(unsigned long a, unsigned long b);
extern const unsigned int fail_many_first;
extern const unsigned int fail_many_size;
extern const unsigned int fail_many_count;

#endif /* KPROBE_FAIL_H */
