// SPDX-License-Identifier: GPL-2.0
/*
 * tracing/fprobe_profile: how often events on functions and tracepoints were hit, and
 * how often that was missed, and why.
 */
#include <linux/cpumask.h>
#include <linux/fs.h>
#include <linux/init.h>
#include <linux/security.h>
#include <linux/seq_file.h>

#include "trace_fprobe.h"

static const char *const profile_causes[FPROBE_NR_MISSES] = {
	[FPROBE_MISS_RECURSION] = "recursion",
	[FPROBE_MISS_LIST] = "list",
	[FPROBE_MISS_KPROBE] = "kprobe",
	[FPROBE_MISS_NODE] = "node",
};

static unsigned long profile_hits(const struct trace_fprobe *tf)
{
	unsigned long hits = 0;
	int cpu;

	for_each_possible_cpu(cpu)
		hits += READ_ONCE(*per_cpu_ptr(tf->nhit, cpu));
	return hits;
}

/* Those of this registration, if there is one, and of all before. */
static void profile_misses(struct trace_fprobe *tf, struct fprobe_stats *stats)
{
	unsigned int i;

	memset(stats, 0, sizeof(*stats));
	if (tf->state == TRACE_FPROBE_ARMED)
		fprobe_read_stats(&tf->fp, stats);
	for (i = 0; i < FPROBE_NR_MISSES; i++)
		stats->missed[i] += tf->past[i];
}

/* What keeps it from being hit, but for being disabled. */
static const char *profile_state(const struct trace_fprobe *tf)
{
	switch (tf->state) {
	case TRACE_FPROBE_WAITING:
	case TRACE_FPROBE_OFF_ABSENT:
		return " waiting";
	case TRACE_FPROBE_FAILED:
		return " failed";
	default:
		return "";
	}
}

/* The first three columns are those of kprobe_profile. */
static int profile_show(struct seq_file *m, void *v)
{
	struct trace_fprobe *tf = trace_fprobe_of(v);
	struct fprobe_stats stats;
	unsigned long lost, missed;
	unsigned int i;

	if (!tf)
		return 0;
	profile_misses(tf, &stats);
	lost = atomic_long_read(&tf->lost);
	missed = lost;
	for (i = 0; i < FPROBE_NR_MISSES; i++)
		missed += stats.missed[i];
	seq_printf(m, "  %-44s %15lu %15lu", trace_probe_name(&tf->tp),
		   profile_hits(tf), missed);
	for (i = 0; i < FPROBE_NR_MISSES; i++)
		seq_printf(m, " %s=%lu", profile_causes[i], stats.missed[i]);
	seq_printf(m, " record=%lu faults=%lu sites=%u%s\n", lost,
		   atomic_long_read(&tf->faults), stats.sites, profile_state(tf));
	return 0;
}

static const struct seq_operations profile_seq_ops = {
	.start = dyn_event_seq_start,
	.next = dyn_event_seq_next,
	.stop = dyn_event_seq_stop,
	.show = profile_show,
};

static int profile_open(struct inode *inode, struct file *file)
{
	return security_locked_down(LOCKDOWN_TRACEFS) ?:
	       seq_open(file, &profile_seq_ops);
}

static const struct file_operations profile_fops = {
	.owner = THIS_MODULE,
	.open = profile_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = seq_release,
};

/**
 * trace_fprobe_profile_create() - make the file
 *
 * Context: at boot, when tracefs is there.
 */
void __init trace_fprobe_profile_create(void)
{
	trace_create_file("fprobe_profile", TRACE_MODE_READ, NULL, NULL,
			  &profile_fops);
}
