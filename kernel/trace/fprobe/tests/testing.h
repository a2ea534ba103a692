/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _FPROBE_TESTING_H
#define _FPROBE_TESTING_H
/*
 * What the suites share: functions to probe, and fprobes that count.
 */
#include <kunit/test.h>
#include <linux/atomic.h>

#include "../nodes.h"

#define FPTEST_CALLS	100

/**
 * struct fptest_probe - an fprobe that counts
 * @fp: the fprobe
 * @name: the letter that fptest_log gets: small at the entry, capital at the exit
 * @entries: how often the entry handler was called
 * @exits: how often the exit handler was called
 * @refuse: the entry handler refuses the exit
 * @then: what the entry handler does besides
 * @at_exit: what the exit handler does besides
 * @entry_ip: what the entry handler was told
 * @ret_ip: likewise
 * @exit_ip: what the exit handler was told as the site
 * @exit_ret_ip: and as the address to return to
 * @value: the return value that the exit handler saw
 * @bad_data: the entry data were not what they had to be
 * @preemptible: a handler was called with preemption enabled
 */
struct fptest_probe {
	struct fprobe fp;
	char name;
	atomic_t entries;
	atomic_t exits;
	bool refuse;
	void (*then)(struct fptest_probe *p, struct pt_regs *regs);
	void (*at_exit)(struct fptest_probe *p, struct pt_regs *regs);
	unsigned long entry_ip;
	unsigned long ret_ip;
	unsigned long exit_ip;
	unsigned long exit_ret_ip;
	unsigned long value;
	bool bad_data;
	bool preemptible;
};

#define FPTEST_LOG_SIZE	64

/* The fprobes whose handlers were called, in order. */
extern char fptest_log[FPTEST_LOG_SIZE];

/* To be called through, so that the compiler does not look into the functions. */
int fptest_double(int x);
int fptest_triple(int x);
int fptest_double_too(int x);
int fptest_alias(int x);
int fptest_recurse(int depth);
int fptest_sum(int a, int b, int c, int d, int e, int f);
int fptest_overridden(int x);

/* Without sites: see overridden.c. */
int fptest_plain(int x);
int fptest_plain_too(int x);

/* What a kernel thread executes: see there. */
int fptest_sleeper(void *data);
int fptest_killed(void *data);

/* For fptest_sleeper(). */
extern atomic_t fptest_asleep;
extern struct completion fptest_wake;

struct fptest_probe *fptest_alloc(struct kunit *test, char name);
void fptest_register(struct kunit *test, struct fptest_probe *p, const char *filter);
void fptest_guard(struct kunit *test, struct fptest_probe *p);
unsigned int fptest_sites(struct fptest_probe *p);
unsigned int fptest_live(void);
unsigned long fptest_missed(struct fptest_probe *p, enum fprobe_miss cause);
int fptest_init(struct kunit *test);

#endif /* _FPROBE_TESTING_H */
