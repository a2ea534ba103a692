// SPDX-License-Identifier: GPL-2.0
/*
 * The kprobe API, as a module sees it. Only what is exported is used, so the
 * module also runs on a kernel with other kprobes; where the figures of
 * Linux 6.12's own are known to differ, the case says so ("6.12:").
 */
#include <linux/module.h>

#include "kt_main.h"
#include "kprobe_api.h"

static const struct kt_case *const groups[] = {
	kt_place_cases, kt_refuse_cases, kt_state_cases, kt_batch_cases,
	kt_path_cases, kt_fault_cases, kt_nested_cases, kt_context_cases,
	kt_storm_cases, NULL
};

static int __init kprobe_api_init(void)
{
	return kt_run(groups);
}

static void __exit kprobe_api_exit(void)
{
	kt_end();
}

module_init(kprobe_api_init);
module_exit(kprobe_api_exit);

MODULE_DESCRIPTION("Tests of the kprobe API");
MODULE_LICENSE("GPL");
