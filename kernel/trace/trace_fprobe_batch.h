/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_BATCH_H
#define _TRACE_FPROBE_BATCH_H
/*
 * For trace_events.c: several events are switched, and those on functions are to be
 * armed at once; or one is enabled that could not be armed then.
 */

struct trace_event_call;

#ifdef CONFIG_FPROBE_EVENTS
void trace_fprobe_batch_begin(void);
int trace_fprobe_batch_end(void);
int trace_fprobe_enable_again(struct trace_event_call *call);
#else
static inline void trace_fprobe_batch_begin(void) { }
static inline int trace_fprobe_batch_end(void) { return 0; }
static inline int trace_fprobe_enable_again(struct trace_event_call *call) { return 0; }
#endif

#endif /* _TRACE_FPROBE_BATCH_H */
