// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/fprobes: list, stats.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/seq_file.h>
#include <linux/string.h>

#include "nodes.h"

/**
 * struct fprobe_cursor - where a walk over the tables has come to
 * @way: the table
 * @pos: see fprobe_table_next()
 * @entry: the entry
 */
struct fprobe_cursor {
	enum fprobe_way way;
	unsigned int pos;
	struct fprobe_entry *entry;
};

static struct fprobe_cursor *fprobe_cursor_next(struct fprobe_cursor *c)
{
	while (c->way < FPROBE_NR_WAYS) {
		c->entry = fprobe_table_next(c->way, &c->pos);
		if (c->entry)
			return c;
		c->way++;
		c->pos = 0;
	}
	return NULL;
}

/* Tables may have changed since the last read, so count from the start. */
static void *fprobe_list_start(struct seq_file *m, loff_t *pos)
{
	struct fprobe_cursor *c = m->private;
	loff_t n;

	mutex_lock(&fprobe_mutex);
	memset(c, 0, sizeof(*c));
	for (n = 0; n <= *pos; n++) {
		if (!fprobe_cursor_next(c))
			return NULL;
	}
	return c;
}

static void *fprobe_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return fprobe_cursor_next(v);
}

static void fprobe_list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&fprobe_mutex);
}

static void fprobe_list_handlers(struct seq_file *m, const struct fprobe *fp)
{
	if (fp->entry_handler)
		seq_printf(m, " %ps", fp->entry_handler);
	if (fp->exit_handler)
		seq_printf(m, " <-%ps", fp->exit_handler);
	if (fp->flags & FPROBE_FL_DISABLED)
		seq_puts(m, "[DISABLED]");
}

static int fprobe_list_show(struct seq_file *m, void *v)
{
	struct fprobe_cursor *c = v;
	const struct fprobe_set *set = fprobe_entry_set(c->entry);
	unsigned long addr = c->entry->ip;
	unsigned int i;

	if (!kallsyms_show_value(m->file->f_cred))
		addr = 0;
	seq_printf(m, "%0*lx  %s  %u  %pS", 2 * (int)sizeof(addr), addr,
		   c->way == FPROBE_FULL ? "full" : "args", set->nr,
		   (void *)c->entry->ip);
	for (i = 0; i < set->nr; i++) {
		if (fprobe_alive(set->sub[i].slot, set->sub[i].generation))
			fprobe_list_handlers(m, set->sub[i].fp);
	}
	seq_putc(m, '\n');
	return 0;
}

static const struct seq_operations fprobe_list_sops = {
	.start	= fprobe_list_start,
	.next	= fprobe_list_next,
	.stop	= fprobe_list_stop,
	.show	= fprobe_list_show,
};

static int fprobe_list_open(struct inode *inode, struct file *file)
{
	return seq_open_private(file, &fprobe_list_sops,
				sizeof(struct fprobe_cursor));
}

static const struct file_operations fprobe_list_fops = {
	.open		= fprobe_list_open,
	.read		= seq_read,
	.llseek		= seq_lseek,
	.release	= seq_release_private,
};

static int fprobe_stats_show(struct seq_file *m, void *v)
{
	const struct rethook *rh;
	unsigned int i;

	guard(mutex)(&fprobe_mutex);
	for (i = 0; i < FPROBE_NR_WAYS; i++)
		seq_printf(m, "functions %s %u\n",
			   i == FPROBE_FULL ? "full" : "args",
			   fprobe_table_live(i));
	seq_printf(m, "sets %u\n", fprobe_set_count());
	seq_printf(m, "fprobes %zu\n", list_count_nodes(&fprobe_slots));
	seq_printf(m, "unwatched %ld\n", atomic_long_read(&fprobe_unwatched));
	for (i = 0; i < FPROBE_CLASSES; i++) {
		rh = fprobe_classes[i];
		if (rh)
			seq_printf(m, "nodes %u total %u used %u\n",
				   FPROBE_CLASS_MIN << i, READ_ONCE(rh->total),
				   fprobe_nodes_used(rh));
	}
	return 0;
}

DEFINE_SHOW_ATTRIBUTE(fprobe_stats);

static int __init fprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("fprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &fprobe_list_fops);
	debugfs_create_file("stats", 0400, dir, NULL, &fprobe_stats_fops);
	return 0;
}
late_initcall(fprobe_debugfs_init);
