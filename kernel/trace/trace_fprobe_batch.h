/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_BATCH_H
#define _TRACE_FPROBE_BATCH_H
/*
 * For trace_events.c: several events are switched, and those on functions are to be
 * armed at once.
 */

#ifdef CONFIG_FPROBE_EVENTS
void trace_fprobe_batch_begin(void);
int trace_fprobe_batch_end(void);
#else
static inline void trace_fprobe_batch_begin(void) { }
static inline int trace_fprobe_batch_end(void) { return 0; }
#endif

#endif /* _TRACE_FPROBE_BATCH_H */
