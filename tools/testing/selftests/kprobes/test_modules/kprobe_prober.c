// SPDX-License-Identifier: GPL-2.0
/*
 * Probes at the command of a script, through debugfs/kprobe_prober:
 *
 *	WHEN KIND NAME SYMBOL	place a probe. SYMBOL may be MODULE:SYMBOL+0xOFFSET
 *				KIND: p, with a pre handler, P, with a post
 *				handler too, f, with a fault handler instead,
 *				d, with a pre handler that has another function
 *				called instead, r, on the return, j, a jprobe.
 *				WHEN: now, off (placed but disabled), coming or
 *				going: when the state of module kprobe_target
 *				becomes that
 *	enable - NAME -		and disable, remove
 *
 * A command's errno is the write's. Reading gives one line a probe:
 *
 *	NAME KIND placed=ERRNO hits=N post=N missed=N gone=N disabled=N entries=N
 *
 * The hits of jprobes are those of all jprobes: the handler does not know of which.
 *
 * With refuse=1 module kprobe_target is turned away when it comes.
 */
#include <linux/debugfs.h>
#include <linux/fs.h>
#include <linux/kprobes.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/mutex.h>
#include <linux/ptrace.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "command.h"

enum when { NOW, OFF, COMING, GOING };

static const char *const when_names[] = { "now", "off", "coming", "going" };

struct prober {
	struct list_head list;
	char name[16];
	char symbol[64];
	char kind;
	enum when when;
	bool placed;
	int err;
	atomic_long_t hits;
	atomic_long_t post;
	atomic_long_t entries;
	union {
		struct kretprobe rp;
		struct jprobe jp;
	};
};

static bool refuse;
module_param(refuse, bool, 0600);
MODULE_PARM_DESC(refuse, "turn module kprobe_target away");

static LIST_HEAD(probers);
static DEFINE_MUTEX(probers_lock);
static struct dentry *file;

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic_long_inc(&container_of(p, struct prober, rp.kp)->hits);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long unused)
{
	atomic_long_inc(&container_of(p, struct prober, rp.kp)->post);
}

static int on_fault(struct kprobe *p, struct pt_regs *regs, int trapnr)
{
	return 0;
}

/* What the functions of kprobe_target do that have two arguments. */
static noinline unsigned long elsewhere(unsigned long a, unsigned long b)
{
	barrier();
	return 3 * a + b;
}

static int divert(struct kprobe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)elsewhere);
	on_hit(p, regs);
	return 1;
}

static int on_entry(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		atomic_long_inc(&container_of(rp, struct prober, rp)->entries);
	return 0;
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		atomic_long_inc(&container_of(rp, struct prober, rp)->hits);
	return 0;
}

static atomic_long_t jprobe_hits;

/* For functions with any arguments. */
static void on_call(void)
{
	atomic_long_inc(&jprobe_hits);
	jprobe_return();
}

static int place(struct prober *p)
{
	struct kprobe *kp = &p->rp.kp;

	kp->symbol_name = p->symbol;
	if (p->when == OFF)
		kp->flags = KPROBE_FLAG_DISABLED;
	if (p->kind == 'r') {
		p->rp.handler = on_return;
		p->rp.entry_handler = on_entry;
		p->rp.maxactive = 64;
		p->err = register_kretprobe(&p->rp);
	} else if (p->kind == 'j') {
		p->jp.entry = JPROBE_ENTRY(on_call);
		p->err = register_jprobe(&p->jp);
	} else {
		kp->pre_handler = p->kind == 'd' ? divert : on_hit;
		if (p->kind == 'P')
			kp->post_handler = on_post;
		if (p->kind == 'f')
			kp->fault_handler = on_fault;
		p->err = register_kprobe(kp);
	}
	p->placed = !p->err;
	return p->err;
}

static void take_away(struct prober *p)
{
	if (!p->placed)
		return;
	if (p->kind == 'r')
		unregister_kretprobe(&p->rp);
	else if (p->kind == 'j')
		unregister_jprobe(&p->jp);
	else
		unregister_kprobe(&p->rp.kp);
	p->placed = false;
}

static int add(enum when when, char kind, const char *name, const char *symbol)
{
	struct prober *p;
	char *plus;
	int err = 0;

	p = kzalloc(sizeof(*p), GFP_KERNEL);
	if (!p)
		return -ENOMEM;
	strscpy(p->name, name);
	strscpy(p->symbol, symbol);
	plus = strchr(p->symbol, '+');
	if (plus) {
		*plus = '\0';
		err = kstrtouint(plus + 1, 0, &p->rp.kp.offset);
	}
	p->kind = kind;
	p->when = when;
	if (!err && (when == NOW || when == OFF))
		err = place(p);
	if (err)
		kfree(p);
	else
		list_add_tail(&p->list, &probers);
	return err;
}

static struct prober *find(const char *name)
{
	struct prober *p;

	list_for_each_entry(p, &probers, list) {
		if (!strcmp(p->name, name))
			return p;
	}
	return NULL;
}

static int act(const char *what, const char *name)
{
	struct prober *p = find(name);

	if (!p)
		return -ENODEV;
	if (!strcmp(what, "enable"))
		return enable_kprobe(&p->rp.kp);
	if (!strcmp(what, "disable"))
		return disable_kprobe(&p->rp.kp);
	if (strcmp(what, "remove"))
		return -EBADRQC;
	take_away(p);
	list_del(&p->list);
	kfree(p);
	return 0;
}

static int command(char *line)
{
	char word[16], name[16], symbol[64], kind;
	int when;

	if (sscanf(line, "%15s %c %15s %63s", word, &kind, name, symbol) != 4)
		return -EBADRQC;
	when = match_string(when_names, ARRAY_SIZE(when_names), word);
	if (when < 0)
		return act(word, name);
	return add(when, kind, name, symbol);
}

static ssize_t prober_write(struct file *f, const char __user *buf, size_t len,
			    loff_t *pos)
{
	char line[128];
	int err;

	err = copy_command(line, sizeof(line), buf, len);
	if (err)
		return err;

	mutex_lock(&probers_lock);
	err = command(line);
	mutex_unlock(&probers_lock);
	return err ?: len;
}

static long hits_of(struct prober *p)
{
	return atomic_long_read(p->kind == 'j' ? &jprobe_hits : &p->hits);
}

static unsigned long missed_by(struct prober *p)
{
	return p->rp.kp.nmissed + (p->kind == 'r' ? p->rp.nmissed : 0);
}

static int prober_show(struct seq_file *m, void *unused)
{
	struct prober *p;

	mutex_lock(&probers_lock);
	list_for_each_entry(p, &probers, list)
		seq_printf(m, "%s %c placed=%d hits=%ld post=%ld missed=%lu gone=%d disabled=%d entries=%ld\n",
			   p->name, p->kind, p->placed ? 0 : p->err,
			   hits_of(p), atomic_long_read(&p->post), missed_by(p),
			   !!kprobe_gone(&p->rp.kp),
			   !!(p->rp.kp.flags & KPROBE_FLAG_DISABLED),
			   atomic_long_read(&p->entries));
	mutex_unlock(&probers_lock);
	return 0;
}

static int prober_open(struct inode *inode, struct file *f)
{
	return single_open(f, prober_show, NULL);
}

static const struct file_operations prober_fops = {
	.owner = THIS_MODULE,
	.open = prober_open,
	.read = seq_read,
	.write = prober_write,
	.llseek = seq_lseek,
	.release = single_release,
};

static int on_module(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;
	struct prober *p;
	enum when now;

	if (strcmp(mod->name, "kprobe_target"))
		return NOTIFY_DONE;
	if (state != MODULE_STATE_COMING && state != MODULE_STATE_GOING)
		return NOTIFY_DONE;
	now = state == MODULE_STATE_COMING ? COMING : GOING;

	mutex_lock(&probers_lock);
	list_for_each_entry(p, &probers, list) {
		if (p->when == now && !p->placed)
			place(p);
	}
	mutex_unlock(&probers_lock);
	return NOTIFY_OK;
}

static struct notifier_block module_nb = {
	.notifier_call = on_module,
};

/* Behind the other one, which hears of the end of what it saw coming. */
static int on_coming(struct notifier_block *nb, unsigned long state, void *data)
{
	struct module *mod = data;

	if (!refuse || state != MODULE_STATE_COMING ||
	    strcmp(mod->name, "kprobe_target"))
		return NOTIFY_DONE;
	return notifier_from_errno(-EPERM);
}

static struct notifier_block coming_nb = {
	.notifier_call = on_coming,
	.priority = -1,
};

static int __init kprobe_prober_init(void)
{
	int err = register_module_notifier(&module_nb);

	if (err)
		return err;
	err = register_module_notifier(&coming_nb);
	if (err) {
		unregister_module_notifier(&module_nb);
		return err;
	}
	file = debugfs_create_file("kprobe_prober", 0600, NULL, NULL,
				   &prober_fops);
	return 0;
}

static void __exit kprobe_prober_exit(void)
{
	struct prober *p, *next;

	debugfs_remove(file);
	unregister_module_notifier(&coming_nb);
	unregister_module_notifier(&module_nb);
	list_for_each_entry_safe(p, next, &probers, list) {
		take_away(p);
		kfree(p);
	}
}

module_init(kprobe_prober_init);
module_exit(kprobe_prober_exit);

MODULE_DESCRIPTION("Probes for the kprobes selftests' scripts");
MODULE_LICENSE("GPL");
