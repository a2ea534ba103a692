/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The function that an event is on, as BTF has it, and what arguments have in common.
 */
#ifndef _KERNEL_TRACE_FETCH_FETCH_H
#define _KERNEL_TRACE_FETCH_FETCH_H

#include "../trace_probe.h"

/* The first parameter of a tracepoint's function is the tracepoint's own. */
static inline unsigned int fetch_hidden_parameters(const struct traceprobe_parse_context *ctx)
{
	return ctx->flags & TPARG_FL_TPOINT ? 1 : 0;
}

bool fetch_is_recorded_alike(const struct probe_arg *a, const struct probe_arg *b);

#ifdef CONFIG_PROBE_EVENTS_BTF_ARGS
int fetch_find_function(struct traceprobe_parse_context *ctx);
int fetch_find_types(struct traceprobe_parse_context *ctx);
int fetch_find_owners(const char *name, const struct module **owner);
void fetch_put_function(struct traceprobe_parse_context *ctx);
unsigned int fetch_function_parameters(const struct traceprobe_parse_context *ctx);
const char *fetch_parameter_name(const struct traceprobe_parse_context *ctx, unsigned int n);
#else
static inline int fetch_find_function(struct traceprobe_parse_context *ctx)
{
	return -EOPNOTSUPP;
}

static inline void fetch_put_function(struct traceprobe_parse_context *ctx)
{
}

static inline unsigned int
fetch_function_parameters(const struct traceprobe_parse_context *ctx)
{
	return 0;
}

static inline const char *
fetch_parameter_name(const struct traceprobe_parse_context *ctx, unsigned int n)
{
	return "";
}
#endif

#endif
