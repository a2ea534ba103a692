// SPDX-License-Identifier: GPL-2.0
/*
 * Which places of the kernel can be probed? A script writes places into a
 * file, has a probe registered on each of them, and reads what came out. The
 * rest it reads from the list of kprobes meanwhile.
 *
 *	/sys/kernel/debug/kprobe_coverage/places
 *		write: lines "symbol offset"; read: the same with the errno
 *		and the address
 *	/sys/kernel/debug/kprobe_coverage/run
 *		write 1: register all; 0: unregister and forget all
 *
 * Only what every kernel with kprobes offers to modules is used, so that the
 * same source measures any of them.
 */
#include <linux/debugfs.h>
#include <linux/kprobes.h>
#include <linux/kstrtox.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/seq_file.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#define MAX_WRITE	(1024 * 1024)

struct place {
	struct list_head list;
	struct kprobe kp;
	unsigned int offset;
	int err;
	bool registered;
	char symbol[];
};

/* All of these under the mutex. */
static DEFINE_MUTEX(places_mutex);
static LIST_HEAD(places);
static unsigned int places_nr;

static int place_hit(struct kprobe *kp, struct pt_regs *regs)
{
	return 0;
}

NOKPROBE_SYMBOL(place_hit);

static int place_add(char *line)
{
	char *offset = strchr(line, ' ');
	struct place *p;
	int ret;

	if (!offset)
		return -EINVAL;
	*offset++ = '\0';
	p = kzalloc(struct_size(p, symbol, strlen(line) + 1), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	strscpy(p->symbol, line, strlen(line) + 1);
	ret = kstrtouint(offset, 0, &p->offset);
	if (ret) {
		kfree(p);
		return ret;
	}
	list_add_tail(&p->list, &places);
	places_nr++;
	return 0;
}

/* A write holds whole lines. */
static ssize_t places_write(struct file *file, const char __user *buf,
			    size_t count, loff_t *pos)
{
	char *text, *rest, *line;
	int ret = 0;

	if (count > MAX_WRITE)
		return -E2BIG;
	text = memdup_user_nul(buf, count);
	if (IS_ERR(text))
		return PTR_ERR(text);
	rest = text;
	mutex_lock(&places_mutex);
	while (!ret && (line = strsep(&rest, "\n"))) {
		if (*line)
			ret = place_add(line);
	}
	mutex_unlock(&places_mutex);
	kfree(text);
	return ret ?: count;
}

static int places_show(struct seq_file *m, void *v)
{
	struct place *p;

	mutex_lock(&places_mutex);
	list_for_each_entry(p, &places, list)
		seq_printf(m, "%s %u %d %lx\n", p->symbol, p->offset, p->err,
			   p->registered ? (unsigned long)p->kp.addr : 0);
	mutex_unlock(&places_mutex);
	return 0;
}

static int places_open(struct inode *inode, struct file *file)
{
	return single_open(file, places_show, NULL);
}

static const struct file_operations places_fops = {
	.owner = THIS_MODULE,
	.open = places_open,
	.read = seq_read,
	.write = places_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static void places_register(void)
{
	struct place *p;

	list_for_each_entry(p, &places, list) {
		if (p->registered)
			continue;
		p->kp.symbol_name = p->symbol;
		p->kp.offset = p->offset;
		p->kp.pre_handler = place_hit;
		p->err = register_kprobe(&p->kp);
		p->registered = !p->err;
		/* The optimizer waits for this task, too. */
		cond_resched_tasks_rcu_qs();
	}
}

static void places_unregister(void)
{
	struct kprobe **kps = kcalloc(places_nr, sizeof(*kps), GFP_KERNEL);
	struct place *p, *next;
	int n = 0;

	list_for_each_entry(p, &places, list) {
		if (!p->registered)
			continue;
		if (kps)
			kps[n++] = &p->kp;
		else
			unregister_kprobe(&p->kp);
	}
	if (n)
		unregister_kprobes(kps, n);
	kfree(kps);
	list_for_each_entry_safe(p, next, &places, list)
		kfree(p);
	INIT_LIST_HEAD(&places);
	places_nr = 0;
}

static int run_set(void *data, u64 on)
{
	mutex_lock(&places_mutex);
	if (on)
		places_register();
	else
		places_unregister();
	mutex_unlock(&places_mutex);
	return 0;
}

DEFINE_DEBUGFS_ATTRIBUTE(run_fops, NULL, run_set, "%llu\n");

static struct dentry *coverage_dir;

static int __init coverage_init(void)
{
	coverage_dir = debugfs_create_dir("kprobe_coverage", NULL);
	debugfs_create_file("places", 0600, coverage_dir, NULL, &places_fops);
	debugfs_create_file_unsafe("run", 0200, coverage_dir, NULL, &run_fops);
	return 0;
}
module_init(coverage_init);

static void __exit coverage_exit(void)
{
	debugfs_remove(coverage_dir);
	places_unregister();
}
module_exit(coverage_exit);

MODULE_DESCRIPTION("Which places of the kernel can be probed");
MODULE_LICENSE("GPL");
