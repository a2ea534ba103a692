// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test: the results file, in TAP.
 */
#include <linux/mm.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include "diff.h"

#define DIFF_TEXT_SIZE	(256 * 1024)
/* One wrong instruction can differ in hundreds of places; some will do. */
#define DIFF_NOTES	12

static struct seq_buf diff_text;
static unsigned int diff_line;

struct diff_total {
	unsigned int snippets;
	unsigned int skipped;
	unsigned int boundaries;
	unsigned int refused;
	unsigned long runs;
	unsigned long hits;
	unsigned long by_jump;
	unsigned long differences;
};

int diff_report_init(void)
{
	char *mem = kvzalloc(DIFF_TEXT_SIZE, GFP_KERNEL);

	if (!mem)
		return -ENOMEM;
	seq_buf_init(&diff_text, mem, DIFF_TEXT_SIZE);
	return 0;
}

void diff_report_exit(void)
{
	kvfree(diff_text.buffer);
}

int diff_report_show(struct seq_file *m, void *v)
{
	seq_write(m, diff_text.buffer, seq_buf_used(&diff_text));
	if (seq_buf_has_overflowed(&diff_text))
		seq_puts(m, "# the report is cut here\n");
	return 0;
}

void diff_report_begin(void)
{
	seq_buf_clear(&diff_text);
	diff_line = 0;
	seq_buf_puts(&diff_text, "TAP version 13\n");
	seq_buf_printf(&diff_text, "# seed=%u runs=%u modes=%#x plant=%d\n",
		       diff_seed, diff_runs, diff_modes, diff_plant);
}

void diff_note(struct diff_snap *sn, const char *fmt, ...)
{
	struct va_format vaf;
	va_list args;

	if (sn->differences++ >= DIFF_NOTES)
		return;
	va_start(args, fmt);
	vaf.fmt = fmt;
	vaf.va = &args;
	seq_buf_printf(&diff_text, "# %s: %pV\n", diff_class_name[sn->s->class], &vaf);
	va_end(args);
}

void diff_report_mode(const struct diff_mode *mode, unsigned int probes,
		      unsigned int jumps)
{
	seq_buf_printf(&diff_text, "# mode %s: probes=%u", mode->name, probes);
	if (mode->kind == DIFF_OPT)
		seq_buf_printf(&diff_text, " jumps=%u", jumps);
	if (mode->post)
		seq_buf_printf(&diff_text, " untrapped=%lu", diff_untrapped);
	seq_buf_puts(&diff_text, "\n");
}

static void diff_add_total(struct diff_total *t, const struct diff_snap *sn)
{
	t->skipped += sn->skip;
	t->snippets++;
	t->boundaries += sn->boundaries;
	t->refused += sn->refused;
	t->runs += sn->runs;
	t->hits += sn->hits;
	t->by_jump += sn->by_jump;
	t->differences += sn->differences;
}

static void diff_print_total(const char *name, const struct diff_total *t)
{
	bool ok = !t->differences;

	/* The self-check is about differences that must be found. */
	if (diff_plant)
		ok = !ok;
	seq_buf_printf(&diff_text,
		       "%sok %u - diff: %s snippets=%u boundaries=%u runs=%lu hits=%lu by_jump=%lu refused=%u not_run=%u differences=%lu\n",
		       ok ? "" : "not ", ++diff_line, name, t->snippets, t->boundaries,
		       t->runs, t->hits, t->by_jump, t->refused, t->skipped, t->differences);
}

void diff_report_end(struct diff_snap *snap, unsigned int nr)
{
	struct diff_total all = {};
	unsigned int class, i;

	for (class = 0; class < C_NR; class++) {
		struct diff_total t = {};

		for (i = 0; i < nr; i++) {
			if (snap[i].s->class == class)
				diff_add_total(&t, &snap[i]);
		}
		if (t.snippets)
			diff_print_total(diff_class_name[class], &t);
	}
	for (i = 0; i < nr; i++)
		diff_add_total(&all, &snap[i]);
	diff_print_total("total", &all);
	seq_buf_printf(&diff_text, "1..%u\n", diff_line);
}
