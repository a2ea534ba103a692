/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_MAIN_H
#define KT_MAIN_H
/* What runs the cases; to be included by one file of a module. See kt.h. */
#include <linux/debugfs.h>
#include <linux/module.h>
#include <linux/seq_buf.h>
#include <linux/seq_file.h>
#include <linux/string.h>
#include <linux/vmalloc.h>

#include "kt.h"

#define KT_LOG_SIZE	65536
/* Of a case that fails again and again, so many notes will do. */
#define KT_NOTES	20

struct kt {
	const char *name;
	bool failed;
	bool skipped;
	unsigned int cases;
	unsigned int checks;
	unsigned int notes;
	struct seq_buf log;
};

static struct kt kt_state;
static struct dentry *kt_file;

static char *only;
module_param(only, charp, 0444);
MODULE_PARM_DESC(only, "the one case to run");

static char *leave_out;
module_param(leave_out, charp, 0444);
MODULE_PARM_DESC(leave_out, "cases not to run, each name in colons, as :a:b:");

void kt_check(struct kt *t, const char *what, int line, long got, long want)
{
	t->checks++;
	if (got == want)
		return;
	t->failed = true;
	if (t->notes++ >= KT_NOTES)
		return;
	seq_buf_printf(&t->log, "# %s:%d: %s is %ld, must be %ld\n", t->name,
		       line, what, got, want);
}

void kt_skip(struct kt *t, const char *why)
{
	t->skipped = true;
	seq_buf_printf(&t->log, "skip %s %s\n", t->name, why);
}

void kt_note(struct kt *t, const char *fmt, ...)
{
	char line[128];
	va_list args;

	va_start(args, fmt);
	vsnprintf(line, sizeof(line), fmt, args);
	va_end(args);
	seq_buf_printf(&t->log, "# %s: %s\n", t->name, line);
}

static int kt_show(struct seq_file *m, void *unused)
{
	seq_printf(m, "cases %u\n", kt_state.cases);
	seq_write(m, kt_state.log.buffer, seq_buf_used(&kt_state.log));
	seq_printf(m, "checks %u\n", kt_state.checks);
	return 0;
}
DEFINE_SHOW_ATTRIBUTE(kt);

static bool kt_wanted(const char *name)
{
	char word[48];

	if (only)
		return !strcmp(only, name);
	snprintf(word, sizeof(word), ":%s:", name);
	return !leave_out || !strstr(leave_out, word);
}

static void kt_run_case(struct kt *t, const struct kt_case *c)
{
	t->name = c->name;
	t->failed = false;
	t->skipped = false;
	t->notes = 0;
	t->cases++;
	c->run(t);
	if (t->failed)
		seq_buf_printf(&t->log, "not ok %s\n", t->name);
	else if (!t->skipped)
		seq_buf_printf(&t->log, "ok %s\n", t->name);
}

/* @groups: lists of cases, each ended by KT_END; ended by NULL itself. */
static int kt_run(const struct kt_case *const *groups)
{
	const struct kt_case *c;
	char *buf;

	buf = vzalloc(KT_LOG_SIZE);
	if (!buf)
		return -ENOMEM;
	seq_buf_init(&kt_state.log, buf, KT_LOG_SIZE);

	for (; *groups; groups++) {
		for (c = *groups; c->name; c++) {
			if (kt_wanted(c->name))
				kt_run_case(&kt_state, c);
		}
	}
	kt_file = debugfs_create_file(KBUILD_MODNAME "_results", 0400, NULL,
				      NULL, &kt_fops);
	return 0;
}

static void kt_end(void)
{
	debugfs_remove(kt_file);
	vfree(kt_state.log.buffer);
}

#endif /* KT_MAIN_H */
