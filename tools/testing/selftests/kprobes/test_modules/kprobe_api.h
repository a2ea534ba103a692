/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KPROBE_API_H
#define KPROBE_API_H
#include "kt.h"

extern const struct kt_case kt_place_cases[];
extern const struct kt_case kt_refuse_cases[];
extern const struct kt_case kt_state_cases[];
extern const struct kt_case kt_batch_cases[];
extern const struct kt_case kt_path_cases[];
extern const struct kt_case kt_fault_cases[];
extern const struct kt_case kt_nested_cases[];
extern const struct kt_case kt_context_cases[];
extern const struct kt_case kt_storm_cases[];

#endif /* KPROBE_API_H */
