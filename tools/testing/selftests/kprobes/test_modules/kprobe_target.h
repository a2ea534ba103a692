/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_TARGET_H
#define KPROBE_TARGET_H
/* Functions to be probed; all of this kind return 3 * a + b. */

typedef unsigned long (*kt_fn)(unsigned long a, unsigned long b);

/* Ordinary functions. With the function tracer they are ftrace sites. */
unsigned long kt_entry(unsigned long a, unsigned long b);
unsigned long kt_entry2(unsigned long a, unsigned long b);

/* Never ftrace sites: probed by a breakpoint. */
unsigned long kt_plain(unsigned long a, unsigned long b);
unsigned long kt_plain2(unsigned long a, unsigned long b);

/* Not to be probed at all. */
unsigned long kt_nokprobe(unsigned long a, unsigned long b);

/* Calls kt_plain() and kt_entry(), the latter with the former's result. */
unsigned long kt_outer(unsigned long a, unsigned long b);

/* 1 + 2 + ... + @depth, @depth + 1 calls deep. */
unsigned long kt_recurse(unsigned long depth);

/*
 * Assembly, with the offsets of all its instructions in kt_asm_insns and its
 * size behind them. Without such a function for the architecture kt_asm_count
 * is 0.
 */
unsigned long kt_asm(unsigned long a, unsigned long b);
extern const unsigned int kt_asm_insns[];
extern const unsigned int kt_asm_count;

/*
 * Only where there is a kt_asm(): one that returns and changes no register,
 * and one that reads *@addr with its very first instruction, with an exception
 * table entry that makes it return -1 for what cannot be read.
 */
void kt_just_return(void);
long kt_read(const void *addr);

/* Both sleep until kt_wake(). The outer one calls the inner one. */
unsigned long kt_sleep_outer(unsigned long a, unsigned long b);
unsigned long kt_sleep(unsigned long a, unsigned long b);
void kt_wake(void);
void kt_wake_reset(void);
int kt_sleeping(void);

/* What a live patch has seen that it should not, see kprobe_patch.c. */
void kt_count_mixed(void);

/* Ends the kernel thread that calls it. */
void kt_exit(void);

/*
 * Stops a kernel thread, of which the caller has a reference, and drops that
 * when the thread has given back the instances that it never returned from.
 */
struct task_struct;
void kt_reap(struct task_struct *t);

#endif /* KPROBE_TARGET_H */
