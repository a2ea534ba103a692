// SPDX-License-Identifier: GPL-2.0
/*
 * Function probes at the command of a script, through debugfs/fprobe_prober:
 *
 *	now KIND NAME FILTER	register an fprobe. KIND: e, with an entry handler,
 *				x, with an exit handler too, a, as x, content with
 *				arguments; n, with an entry handler that calls
 *				fprober_nested(), which is to be probed
 *	syms KIND NAME LIST	likewise, for a list of names with "," between them
 *	ips KIND NAME LIST	for a list of addresses in hexadecimal
 *	batch KIND NAME LIST	an array of fprobes, one for each name of a list
 *	remove - NAME -		the fprobe, or the array
 *	call - NUMBER -		fprober_nested(), so often
 *
 * A command's errno is the write's. Reading gives one line an fprobe:
 *
 *	NAME KIND hits=N exits=N missed=N sites=N
 *
 * Of an array, that is the first; the others do nothing.
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
	struct fprobe others[MAX_LIST - 1];
	int nr_others;
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

static noinline void fprober_nested(void)
{
	barrier();
}

static int on_nested_entry(struct fprobe *fp, unsigned long entry_ip,
			   unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	atomic_long_inc(&container_of(fp, struct fprober, fp)->hits);
	fprober_nested();
	return 0;
}

static int on_other_entry(struct fprobe *fp, unsigned long entry_ip,
			  unsigned long ret_ip, struct pt_regs *regs, void *data)
{
	return 0;
}

/* Returns how many there are. */
static int words_of(char *list, const char **words)
{
	int n = 0;

	while (list && n < MAX_LIST)
		words[n++] = strsep(&list, ",");
	return n;
}

static int register_syms(struct fprobe *fp, char *list)
{
	const char *syms[MAX_LIST];

	return register_fprobe_syms(fp, syms, words_of(list, syms));
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

/* Likewise. */
static int array_of(struct fprober *p, struct fprobe **fps)
{
	int i;

	fps[0] = &p->fp;
	for (i = 0; i < p->nr_others; i++)
		fps[i + 1] = &p->others[i];
	return p->nr_others + 1;
}

static int register_batch(struct fprober *p, char *list)
{
	struct fprobe *fps[MAX_LIST];
	const char *names[MAX_LIST];
	int n = words_of(list, names);

	for (p->nr_others = 0; p->nr_others < n - 1; p->nr_others++)
		p->others[p->nr_others].entry_handler = on_other_entry;
	return register_fprobes(fps, names, array_of(p, fps));
}

static int register_as(const char *word, struct fprober *p, char *filter)
{
	struct fprobe *fp = &p->fp;

	if (!strcmp(word, "batch"))
		return register_batch(p, filter);
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

	if (!strchr("exan", kind))
		return -EBADRQC;
	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	strscpy(p->name, name);
	p->kind = kind;
	p->fp.entry_handler = kind == 'n' ? on_nested_entry : on_entry;
	if (kind != 'e' && kind != 'n')
		p->fp.exit_handler = on_exit;
	if (kind == 'a')
		p->fp.flags = FPROBE_FL_ARGS;
	err = register_as(word, p, filter);
	if (err)
		kfree(p);
	else
		list_add_tail(&p->list, &fprobers);
	return err;
}

static int take_away(struct fprober *p)
{
	struct fprobe *fps[MAX_LIST];
	int err = unregister_fprobes(fps, array_of(p, fps));

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

static int call_nested(const char *number)
{
	unsigned int n;
	int err = kstrtouint(number, 10, &n);

	if (err)
		return err;
	while (n--)
		fprober_nested();
	return 0;
}

static int command(char *line)
{
	char word[16], name[16], filter[64], kind;

	if (sscanf(line, "%15s %c %15s %63s", word, &kind, name, filter) != 4)
		return -EBADRQC;
	if (!strcmp(word, "remove"))
		return take_away_name(name);
	if (!strcmp(word, "call"))
		return call_nested(name);
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
