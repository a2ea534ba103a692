// SPDX-License-Identifier: GPL-2.0
/*
 * /sys/kernel/debug/kprobes: list, stats, enabled, blacklist.
 *
 * Scripts parse these, so their formats are fixed. New facts go into stats,
 * whose first line names the columns.
 */
#include <linux/debugfs.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kstrtox.h>
#include <linux/list_sort.h>
#include <linux/module.h>
#include <linux/seq_file.h>
#include <linux/uaccess.h>

#include "jprobe.h"
#include "stats.h"

/*
 * Print an address, all digits and no prefix; zeros if the file was opened by a
 * task that may not see addresses in /proc/kallsyms.
 */
static void kprobe_show_addr(struct seq_file *m, unsigned long addr)
{
	if (!kallsyms_show_value(m->file->f_cred))
		addr = 0;
	seq_printf(m, "%0*lx", 2 * (int)sizeof(addr), addr);
}

static int kprobe_point_cmp(void *priv, const struct list_head *a,
			    const struct list_head *b)
{
	struct kprobe_point *x = list_entry(a, struct kprobe_point, all);
	struct kprobe_point *y = list_entry(b, struct kprobe_point, all);

	return x->probe.addr > y->probe.addr;
}

/* By address: easier to read, and each function is looked up but once. */
static void kprobe_sort_points(void)
{
	if (!kprobe_points_sorted)
		list_sort(NULL, &kprobe_points, kprobe_point_cmp);
	kprobe_points_sorted = true;
}

static void *kprobe_list_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&kprobe_mutex);
	kprobe_sort_points();
	return seq_list_start(&kprobe_points, *pos);
}

static void *kprobe_list_next(struct seq_file *m, void *v, loff_t *pos)
{
	return seq_list_next(v, &kprobe_points, pos);
}

static void kprobe_list_stop(struct seq_file *m, void *v)
{
	mutex_unlock(&kprobe_mutex);
}

static char kprobe_list_type(struct kprobe *kp)
{
	if (kprobe_is_jprobe(kp))
		return 'j';
	return kprobe_is_return(kp) ? 'r' : 'k';
}

/* There is no symbol if the text of the point is gone. */
static void kprobe_list_location(struct seq_file *m, struct kprobe *kp)
{
	unsigned long addr = (unsigned long)kp->addr;
	const struct kprobe_symbol *sym;

	kprobe_show_addr(m, addr);
	seq_printf(m, "  %c  ", kprobe_list_type(kp));
	sym = kprobe_symbol_at(addr);
	if (sym)
		seq_printf(m, "%s+0x%lx  %s ", sym->name, addr - sym->start,
			   *sym->module ? sym->module : " ");
	else
		seq_printf(m, "%pS ", kallsyms_show_value(m->file->f_cred) ?
				      kp->addr : NULL);
}

static void kprobe_list_flags(struct seq_file *m, struct kprobe_point *pt,
			      struct kprobe *kp)
{
	bool gone = kprobe_gone(kp);

	seq_printf(m, "%s%s%s%s\n", gone ? "[GONE]" : "",
		   kprobe_disabled(kp) && !gone ? "[DISABLED]" : "",
		   kprobe_optimized(&pt->probe) ? "[OPTIMIZED]" : "",
		   kprobe_ftrace(&pt->probe) ? "[FTRACE]" : "");
}

static int kprobe_list_show(struct seq_file *m, void *v)
{
	struct kprobe_point *pt = list_entry(v, struct kprobe_point, all);
	struct kprobe *kp;

	list_for_each_entry(kp, &pt->hot.subs, list) {
		kprobe_list_location(m, kp);
		kprobe_list_flags(m, pt, kp);
	}
	return 0;
}

static const struct seq_operations kprobe_list_sops = {
	.start	= kprobe_list_start,
	.next	= kprobe_list_next,
	.stop	= kprobe_list_stop,
	.show	= kprobe_list_show,
};

DEFINE_SEQ_ATTRIBUTE(kprobe_list);

/* As kprobe_list_start(), with a header line before the first point. */
static void *kprobe_stats_start(struct seq_file *m, loff_t *pos)
{
	mutex_lock(&kprobe_mutex);
	kprobe_sort_points();
	return seq_list_start_head(&kprobe_points, *pos);
}

/* Three words, none of them empty: address, symbol and offset, module. */
static void kprobe_stats_location(struct seq_file *m, struct kprobe *kp)
{
	unsigned long addr = (unsigned long)kp->addr;
	const struct kprobe_symbol *sym;

	kprobe_show_addr(m, addr);
	sym = kprobe_symbol_at(addr);
	if (sym)
		seq_printf(m, " %s+0x%lx %s", sym->name, addr - sym->start,
			   *sym->module ? sym->module : "-");
	else
		seq_puts(m, " - -");
}

static int kprobe_stats_show(struct seq_file *m, void *v)
{
	struct kprobe_point *pt = list_entry(v, struct kprobe_point, all);

	if (v == &kprobe_points) {
		seq_puts(m, "address symbol+offset module");
		kprobe_stats_print_head(m);
	} else {
		kprobe_stats_location(m, &pt->probe);
		kprobe_stats_print(m, pt);
	}
	return 0;
}

static const struct seq_operations kprobe_stats_sops = {
	.start	= kprobe_stats_start,
	.next	= kprobe_list_next,
	.stop	= kprobe_list_stop,
	.show	= kprobe_stats_show,
};

DEFINE_SEQ_ATTRIBUTE(kprobe_stats);

static void *kprobe_blacklist_start(struct seq_file *m, loff_t *pos)
{
	unsigned long start, end;

	return kprobe_blacklist_range(*pos, &start, &end) ? pos : NULL;
}

static void *kprobe_blacklist_next(struct seq_file *m, void *v, loff_t *pos)
{
	++*pos;
	return kprobe_blacklist_start(m, pos);
}

static void kprobe_blacklist_stop(struct seq_file *m, void *v)
{
}

static int kprobe_blacklist_show(struct seq_file *m, void *v)
{
	unsigned long start, end;

	if (!kprobe_blacklist_range(*(loff_t *)v, &start, &end))
		return SEQ_SKIP;
	seq_puts(m, "0x");
	kprobe_show_addr(m, start);
	seq_puts(m, "-0x");
	kprobe_show_addr(m, end);
	seq_printf(m, "\t%ps\n", (void *)start);
	return 0;
}

static const struct seq_operations kprobe_blacklist_sops = {
	.start	= kprobe_blacklist_start,
	.next	= kprobe_blacklist_next,
	.stop	= kprobe_blacklist_stop,
	.show	= kprobe_blacklist_show,
};

DEFINE_SEQ_ATTRIBUTE(kprobe_blacklist);

static ssize_t kprobe_enabled_read(struct file *file, char __user *to,
				   size_t count, loff_t *pos)
{
	char text[] = "1\n";

	if (READ_ONCE(kprobes_all_disarmed))
		text[0] = '0';
	return simple_read_from_buffer(to, count, pos, text, 2);
}

static ssize_t kprobe_enabled_write(struct file *file, const char __user *from,
				    size_t count, loff_t *pos)
{
	bool enable;
	int ret;

	ret = kstrtobool_from_user(from, count, &enable);
	if (!ret)
		ret = kprobe_set_all_disarmed(!enable);
	return ret ?: count;
}

static const struct file_operations kprobe_enabled_fops = {
	.read	= kprobe_enabled_read,
	.write	= kprobe_enabled_write,
	.llseek	= default_llseek,
};

static int __init kprobe_debugfs_init(void)
{
	struct dentry *dir = debugfs_create_dir("kprobes", NULL);

	debugfs_create_file("list", 0400, dir, NULL, &kprobe_list_fops);
	debugfs_create_file("enabled", 0600, dir, NULL, &kprobe_enabled_fops);
	debugfs_create_file("blacklist", 0400, dir, NULL,
			    &kprobe_blacklist_fops);
	if (IS_ENABLED(CONFIG_KPROBE_STATS))
		debugfs_create_file("stats", 0400, dir, NULL,
				    &kprobe_stats_fops);
	return 0;
}
late_initcall(kprobe_debugfs_init);
