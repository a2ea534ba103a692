// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes at the command of a script, through debugfs/fprobe_prober:
 *
 *	now KIND NAME FILTER	register an fprobe. KIND: e, with an entry handler,
 *				x, with an exit handler too, a, as x, content with
 *				arguments
 *	syms KIND NAME LIST	likewise, for a list of names with "," between them
 *	ips KIND NAME LIST	for a list of addresses in hexadecimal
 *	remove - NAME -
 *
 * A command's errno is the write's. Reading gives one line an fprobe:
 *
 *	NAME KIND hits=N exits=N missed=N sites=N
 */
#include <linux/atomic.h>
#include <linux/debugfs.h>
#include <linux/fprobe.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "command.h"

#define MAX_LIST	8

struct fprober {
	struct list_head list;
	char name[16];
	char kind;
	atomic_long_t hits;
	atomic_long_t exits;
	struct fprobe fp;
};

static LIST_HEAD(fprobers);
static DEFINE_MUTEX(fprobers_lock);
static struct dentry *file;

static int on_entry(struct fprobe *fp, unsigned long entry_ip,
		    unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	atomic_long_inc(&container_of(fp, struct fprober, fp)->hits);
	return 0;
}

static void on_exit(struct fprobe *fp, unsigned long entry_ip,
		    unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	atomic_long_inc(&container_of(fp, struct fprober, fp)->exits);
}

static int register_syms(struct fprobe *fp, char *list)
{
	const char *syms[MAX_LIST];
	int n = 0;

	while (list && n < MAX_LIST)
		syms[n++] = strsep(&list, ",");
	return register_fprobe_syms(fp, syms, n);
}

static int register_ips(struct fprobe *fp, char *list)
{
	unsigned long ips[MAX_LIST];
	int n = 0;

	while (list && n < MAX_LIST) {
		if (kstrtoul(strsep(&list, ","), 16, &ips[n++]))
			return -EBADRQC;
	}
	return register_fprobe_ips(fp, ips, n);
}

static int register_as(const char *word, struct fprobe *fp, char *filter)
{
	if (!strcmp(word, "syms"))
		return register_syms(fp, filter);
	if (!strcmp(word, "ips"))
		return register_ips(fp, filter);
	return strcmp(word, "now") ? -EBADRQC : register_fprobe(fp, filter, NULL);
}

static int add(const char *word, char kind, const char *name, char *filter)
{
	struct fprober *p;
	int err;

	if (!strchr("exa", kind))
		return -EBADRQC;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	strscpy(p->name, name);
	p->kind = kind;
	p->fp.entry_handler = on_entry;
	if (kind != 'e')
		p->fp.exit_handler = on_exit;
	if (kind == 'a')
		p->fp.flags = FPROBE_FL_ARGS;
	err = register_as(word, &p->fp, filter);
	if (err)
		kfree(p);
	else
		list_add_tail(&p->list, &fprobers);
	return err;
}

static int take_away(struct fprober *p)
{
	int err = unregister_fprobe(&p->fp);

	list_del(&p->list);
	kfree(p);
	return err;
}

static int take_away_name(const char *name)
{
	struct fprober *p;

	list_for_each_entry(p, &fprobers, list) {
		if (!strcmp(p->name, name))
			return take_away(p);
	}
	return -ENODEV;
}

static int command(char *line)
{
	char word[16], name[16], filter[64], kind;

	if (sscanf(line, "%15s %c %15s %63s", word, &kind, name, filter) != 4)
		return -EBADRQC;
	if (!strcmp(word, "remove"))
		return take_away_name(name);
	return add(word, kind, name, filter);
}

static ssize_t fprober_write(struct file *f, const char __user *buf, size_t len,
			     loff_t *pos)
{
	char line[128];
	int err;

	err = copy_command(line, sizeof(line), buf, len);
	if (err)
		return err;

	mutex_lock(&fprobers_lock);
	err = command(line);
	mutex_unlock(&fprobers_lock);
	return err ?: len;
}

static int fprober_show(struct seq_file *m, void *unused)
{
	struct fprobe_stats stats = {};
	struct fprober *p;

	mutex_lock(&fprobers_lock);
	list_for_each_entry(p, &fprobers, list) {
		fprobe_read_stats(&p->fp, &stats);
		seq_printf(m, "%s %c hits=%ld exits=%ld missed=%lu sites=%u\n",
			   p->name, p->kind, atomic_long_read(&p->hits),
			   atomic_long_read(&p->exits), p->fp.nmissed,
			   stats.sites);
	}
	mutex_unlock(&fprobers_lock);
	return 0;
}

static int fprober_open(struct inode *inode, struct file *f)
{
	return single_open(f, fprober_show, NULL);
}

static const struct file_operations fprober_fops = {
	.owner = THIS_MODULE,
	.open = fprober_open,
	.read = seq_read,
	.write = fprober_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int __init fprobe_prober_init(void)
{
	file = debugfs_create_file("fprobe_prober", 0600, NULL, NULL,
				   &fprober_fops);
	return 0;
}

static void __exit fprobe_prober_exit(void)
{
	struct fprober *p, *next;

	debugfs_remove(file);
	list_for_each_entry_safe(p, next, &fprobers, list)
		take_away(p);
}

module_init(fprobe_prober_init);
module_exit(fprobe_prober_exit);

MODULE_DESCRIPTION("Function probes at the command of a script");
MODULE_LICENSE("GPL");
