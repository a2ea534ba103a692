/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How the error_log file shows a command, and where its caret stands.
 */
#ifndef _KERNEL_TRACE_FETCH_LOG_H
#define _KERNEL_TRACE_FETCH_LOG_H

#include <linux/types.h>

#include "error.h"

/* Of the words of a command, an argument is the third. */
#define FETCH_FIRST_ARGUMENT	2

char *fetch_log_command(int argc, const char *const *argv);
u16 fetch_log_column(int argc, const char *const *argv, int index, int offset);
void fetch_log_expand(int n, int index, bool replaced);
void fetch_log_replace(int n);
int fetch_log_word(int index, int *offset);
void fetch_log_failure(struct fetch_failure *failure);

#endif
