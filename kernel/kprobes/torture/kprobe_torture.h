/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBE_TORTURE_H
#define _KPROBE_TORTURE_H
/*
 * What the parts of the torture test share:
 *
 *	kprobe_torture.c	parameters, threads, the verdict
 *	kprobe_torture_call.c	the probed functions, their callers, counts of
 *	calls kprobe_torture_resident.c	the residents
 *	kprobe_torture_churn.c	the transients
 */
#include <linux/atomic.h>
#include <linux/kprobes.h>
#include <linux/torture.h>

/* The functions that are called, and probed. */
enum kpt_target { KPT_ENTRY, KPT_PLAIN, KPT_KEYED, KPT_CALLING, KPT_TARGETS };

/**
 * struct kpt_site - a place for probes
 * @kp: a probe that can be registered there; used by the survey only
 * @target: the function that it is in
 * @hits: what the survey has counted
 * @entry: whether it is where the function begins
 * @always: whether each call runs through it once
 */
struct kpt_site {
	struct kprobe kp;
	enum kpt_target target;
	unsigned int hits;
	bool entry;
	bool always;
};

/**
 * struct kpt_bounds - what a probe has to count
 * @lower: least number of hits: calls that began and ended while it was
 *	registered
 * @upper: greatest number of hits: calls that may have met it
 * @first: by caller, the calls that had ended before it was registered
 * @open: by caller, the calls that had begun when it was registered
 */
struct kpt_bounds {
	unsigned long lower[KPT_TARGETS];
	unsigned long upper[KPT_TARGETS];
	unsigned long (*first)[KPT_TARGETS];
	unsigned long (*open)[KPT_TARGETS];
};

/* kprobe_torture.c */
extern char kpt_type[];
extern atomic_t kpt_errors;
extern bool exact;
extern bool cpus_go;
extern int irq_us;

/* Only the first failures are logged; their number is in the last line. */
#define KPT_MAX_MESSAGES	20

#define kpt_fail(fmt, ...)						\
do {									\
	if (atomic_inc_return(&kpt_errors) <= KPT_MAX_MESSAGES)		\
		pr_alert("%s" TORTURE_FLAG "!!! " fmt "\n", kpt_type,	\
			 ##__VA_ARGS__);				\
} while (0)

/* kprobe_torture_call.c */
extern struct kpt_site *kpt_sites;
extern unsigned int kpt_nr_sites;

int kpt_survey(void);
void kpt_flip_key(bool on);
int kpt_callers_start(void);
void kpt_callers_stop(void);
void kpt_callers_free(void);
unsigned long kpt_calls_on(unsigned int cpu, enum kpt_target target);
unsigned long kpt_calls(void);
int kpt_bounds_init(struct kpt_bounds *b);
void kpt_bounds_free(struct kpt_bounds *b);
void kpt_bounds_start(struct kpt_bounds *b);
void kpt_bounds_open(struct kpt_bounds *b);
void kpt_bounds_close(struct kpt_bounds *b);
void kpt_bounds_end(struct kpt_bounds *b);
bool kpt_bounds_allow(const struct kpt_bounds *b, enum kpt_target target,
		      bool always, unsigned long hits);

/* kprobe_torture_resident.c */
int kpt_residents_register(void);
void kpt_residents_judge(void);
void kpt_residents_unregister(void);
unsigned long kpt_residents_hits(void);
unsigned long kpt_residents_jumps(void);

/* kprobe_torture_churn.c */
extern atomic_long_t kpt_rounds;
extern atomic_long_t kpt_transients;
extern atomic_long_t kpt_transient_hits;
extern atomic_long_t kpt_module_probes;
extern char *module_symbols[];
extern int nr_module_symbols;

int kpt_churner(void *unused);

#endif /* _KPROBE_TORTURE_H */
