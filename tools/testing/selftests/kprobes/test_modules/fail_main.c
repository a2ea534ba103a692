// SPDX-License-Identifier: GPL-2.0
/*
 * Registration under allocation failures, one attempt at a time:
 *
 *	echo "OPERATION N" >/sys/module/kprobe_fail/parameters/attempt
 *	cat /sys/module/kprobe_fail/parameters/result
 *
 * lets the Nth allocation fail that the operation makes, and says
 *
 *	ERRNO INJECTED WRONG
 *
 * what the operation returned, whether it made so many allocations at all, and
 * what was wrong afterwards (- for nothing): a probe that was hit and should
 * not have been, or the other way round; text that is not what it was.
 */
#include <linux/delay.h>
#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "inject.h"
#include "kprobe_fail.h"
#include "kprobe_target.h"

#define MAX_PROBES	200
#define CALLS		3
#define TEXT_SIZE	48
/* A function's ftrace site lies within; another function does not. */
#define SITE_SIZE	16

#ifndef CONFIG_X86
noinline unsigned long __noclone fail_many(unsigned long a, unsigned long b)
{
	barrier();
	return 3 * a + b;
}

const unsigned int fail_many_first, fail_many_size, fail_many_count = 1;
#endif

struct fail_probe {
	struct kretprobe rp;
	atomic_t hits;
	kt_fn fn;
};

static struct fail_probe probes[MAX_PROBES], bystander, first;
static struct kprobe *kps[MAX_PROBES];
static struct kretprobe *rps[MAX_PROBES];

enum act { REGISTER, ENABLE, DISABLE, UNREGISTER };

/* Where: an instruction within, the ftrace site, or many instructions. */
enum place { MIDDLE, ENTRY, MANY, FUNCTIONS };

static const struct operation {
	const char *name;
	enum act act;
	enum place place;
	unsigned int nr;
	bool ret;
	bool post;
	/* The point is armed for another first, so IPMODIFY is claimed later. */
	bool later;
	/* A probe of this function is there all the time, and must be hit. */
	kt_fn bystander;
} operations[] = {
	{ "register_middle", REGISTER, MIDDLE, 1 },
	{ "register_entry", REGISTER, ENTRY, 1 },
	{ "register_another_entry", REGISTER, ENTRY, 1, .bystander = kt_entry2 },
	{ "register_post", REGISTER, ENTRY, 1, .post = true, .bystander = kt_entry },
	{ "register_32", REGISTER, MANY, 32 },
	{ "register_200", REGISTER, MANY, 200 },
	{ "register_functions", REGISTER, FUNCTIONS, 4 },
	{ "register_return", REGISTER, ENTRY, 1, .ret = true },
	{ "register_returns", REGISTER, FUNCTIONS, 4, .ret = true },
	{ "enable_middle", ENABLE, MIDDLE, 1 },
	{ "enable_entry", ENABLE, ENTRY, 1 },
	{ "enable_another_entry", ENABLE, ENTRY, 1, .bystander = kt_entry2 },
	{ "disable_middle", DISABLE, MIDDLE, 1 },
	{ "disable_entry", DISABLE, ENTRY, 1 },
	{ "disable_another_entry", DISABLE, ENTRY, 1, .bystander = kt_entry2 },
	{ "disable_claimed_entry", DISABLE, ENTRY, 1, .post = true, .later = true,
	  .bystander = kt_entry2 },
	{ "unregister_entry", UNREGISTER, ENTRY, 1 },
	{ "unregister_another_entry", UNREGISTER, ENTRY, 1, .bystander = kt_entry2 },
	{ "unregister_32", UNREGISTER, MANY, 32 },
	{ "unregister_returns", UNREGISTER, FUNCTIONS, 4, .ret = true },
};

static const kt_fn functions[] = {
	kt_plain, kt_entry, kt_plain2, kt_entry2, kt_asm, fail_many,
};

static u8 text[2][ARRAY_SIZE(functions)][TEXT_SIZE];

static int result;
static bool injected;
static char wrong[128];

static void is_wrong(const char *what)
{
	if (!strstr(wrong, what)) {
		strlcat(wrong, what, sizeof(wrong));
		strlcat(wrong, ",", sizeof(wrong));
	}
}

static void read_text(int which)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++)
		memcpy(text[which][i], functions[i], TEXT_SIZE);
}

static bool text_is(int which)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(functions); i++) {
		if (memcmp(text[which][i], functions[i], TEXT_SIZE))
			return false;
	}
	return true;
}

static int on_hit(struct kprobe *p, struct pt_regs *regs)
{
	atomic_inc(&container_of(p, struct fail_probe, rp.kp)->hits);
	return 0;
}

static void on_post(struct kprobe *p, struct pt_regs *regs, unsigned long unused)
{
}

static int on_return(struct kretprobe_instance *ri, struct pt_regs *regs)
{
	struct kretprobe *rp = get_kretprobe(ri);

	if (rp)
		atomic_inc(&container_of(rp, struct fail_probe, rp)->hits);
	return 0;
}

static void *address(const struct operation *op, unsigned int i, kt_fn *fn)
{
	switch (op->place) {
	case MIDDLE:
		*fn = kt_asm;
		return (void *)kt_asm + (kt_asm_count ? kt_asm_insns[3] : 0);
	case MANY:
		*fn = fail_many;
		return (void *)fail_many + fail_many_first +
		       i % fail_many_count * fail_many_size;
	case ENTRY:
		*fn = kt_entry;
		return kt_entry;
	default:
		*fn = functions[i];
		return functions[i];
	}
}

static void set_up(struct fail_probe *p, void *addr, kt_fn fn,
		   const struct operation *op)
{
	memset(p, 0, sizeof(*p));
	p->fn = fn;
	p->rp.kp.addr = addr;
	p->rp.kp.pre_handler = on_hit;
	if (op->post)
		p->rp.kp.post_handler = on_post;
	if (op->act == ENABLE)
		p->rp.kp.flags = KPROBE_FLAG_DISABLED;
	p->rp.handler = on_return;
	p->rp.maxactive = 8;
}

static int register_all(const struct operation *op)
{
	return op->ret ? register_kretprobes(rps, op->nr) :
			 register_kprobes(kps, op->nr);
}

static void unregister_all(const struct operation *op)
{
	if (op->ret)
		unregister_kretprobes(rps, op->nr);
	else
		unregister_kprobes(kps, op->nr);
}

static void register_plain(struct fail_probe *p, kt_fn fn)
{
	static const struct operation plain;

	set_up(p, fn, fn, &plain);
	if (register_kprobe(&p->rp.kp))
		is_wrong("bystander");
}

#ifdef CONFIG_KPROBES_ON_FTRACE
static void not_called(unsigned long ip, unsigned long parent_ip, struct ftrace_ops *ops,
		       struct ftrace_regs *fregs)
{
}

static struct ftrace_ops other_ops = {
	.func = not_called,
	.flags = FTRACE_OPS_FL_SAVE_REGS | FTRACE_OPS_FL_IPMODIFY,
};

/* Is the right to change the instruction pointer at the point refused to others? */
static bool is_claimed(struct kprobe *kp)
{
	int ret;

	if (!kprobe_ftrace(kp))
		return true;
	ret = ftrace_set_filter_ip(&other_ops, (unsigned long)kp->addr, 0, 1);
	if (ret)
		return false;
	ret = register_ftrace_function(&other_ops);
	if (!ret)
		unregister_ftrace_function(&other_ops);
	return ret == -EBUSY;
}

/* Once: ops whose filter was freed cannot be given another. */
static void forget_claims(void)
{
	ftrace_free_filter(&other_ops);
}
#else
static bool is_claimed(struct kprobe *kp)
{
	return true;
}

static void forget_claims(void)
{
}
#endif

static void prepare(const struct operation *op)
{
	unsigned int i;
	void *addr;
	kt_fn fn;

	for (i = 0; i < op->nr; i++) {
		addr = address(op, i, &fn);
		set_up(&probes[i], addr, fn, op);
		kps[i] = &probes[i].rp.kp;
		rps[i] = &probes[i].rp;
	}
	if (op->bystander)
		register_plain(&bystander, op->bystander);
	if (op->later)
		register_plain(&first, kt_entry);
	if (op->act != REGISTER && register_all(op))
		is_wrong("preparation");
	if (op->later)
		unregister_kprobe(&first.rp.kp);
}

static int act(const struct operation *op)
{
	switch (op->act) {
	case REGISTER:
		return register_all(op);
	case ENABLE:
		return enable_kprobe(kps[0]);
	case DISABLE:
		return disable_kprobe(kps[0]);
	default:
		unregister_all(op);
		return 0;
	}
}

/* Are probes hit, if they have to be, and is the text as it was? */
static void check(const struct operation *op)
{
	bool on = op->act == DISABLE ? result : !result;
	unsigned int i, f, want;

	if (op->act == UNREGISTER)
		on = false;
	if (result && !text_is(1))
		is_wrong("text");
	for (i = 0; i < CALLS; i++) {
		for (f = 0; f < ARRAY_SIZE(functions); f++) {
			if (functions[f](i, 5) != 3 * i + 5)
				is_wrong("call");
		}
	}
	want = on ? CALLS : 0;
	for (i = 0; i < op->nr; i++) {
		if (atomic_read(&probes[i].hits) != want)
			is_wrong(on ? "hits-missing" : "hits");
	}
	if (op->later && result && !is_claimed(kps[0]))
		is_wrong("claim");
	if (op->bystander && atomic_read(&bystander.hits) != CALLS)
		is_wrong("bystander-hits");
}

/*
 * A site that nothing probes any more is not hooked when another is probed, also
 * if there was no memory to forget it.
 */
static void check_forgotten(void)
{
	u8 site[SITE_SIZE];

	memcpy(site, kt_entry, sizeof(site));
	register_plain(&bystander, kt_entry2);
	if (memcmp(site, kt_entry, sizeof(site)))
		is_wrong("hooked-again");
	unregister_kprobe(&bystander.rp.kp);
}

static void clean_up(const struct operation *op)
{
	unsigned int ms;

	if (op->act == ENABLE || op->act == DISABLE ||
	    (op->act == REGISTER && !result))
		unregister_all(op);
	if (op->bystander)
		unregister_kprobe(&bystander.rp.kp);
	/* Without memory ftrace may be slower to forget a site. */
	for (ms = 0; ms < 10000 && !text_is(0); ms += 50)
		msleep(50);
	if (!text_is(0))
		is_wrong("text-in-the-end");
	if (op->place == ENTRY)
		check_forgotten();
}

static void attempt(const struct operation *op, unsigned int n)
{
	wrong[0] = '\0';
	prepare(op);
	read_text(1);
	inject(n);
	result = act(op);
	injected = n && !still_to_come();
	inject(0);
	check(op);
	clean_up(op);
}

/* Can allocations of both kinds be made to fail? */
static bool works(void)
{
	struct page *page;
	void *mem;

	inject(1);
	mem = kmalloc(64, GFP_KERNEL);
	inject(1);
	page = alloc_page(GFP_KERNEL);
	inject(0);
	kfree(mem);
	if (page)
		__free_page(page);
	return !mem && !page;
}

static int attempt_set(const char *val, const struct kernel_param *kp)
{
	unsigned int n, i;
	char name[32];

	if (sscanf(val, "%31s %u", name, &n) != 2)
		return -EINVAL;
	for (i = 0; i < ARRAY_SIZE(operations); i++) {
		if (!strcmp(name, operations[i].name)) {
			attempt(&operations[i], n);
			return 0;
		}
	}
	return -ENOENT;
}

static int result_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d %d %s\n", result, injected,
			  *wrong ? wrong : "-");
}

static int works_get(char *buf, const struct kernel_param *kp)
{
	return sysfs_emit(buf, "%d\n", works());
}

static int operations_get(char *buf, const struct kernel_param *kp)
{
	unsigned int i;
	int len = 0;

	for (i = 0; i < ARRAY_SIZE(operations); i++)
		len += sysfs_emit_at(buf, len, "%s\n", operations[i].name);
	return len;
}

static const struct kernel_param_ops attempt_ops = { .set = attempt_set };
static const struct kernel_param_ops result_ops = { .get = result_get };
static const struct kernel_param_ops works_ops = { .get = works_get };
static const struct kernel_param_ops operations_ops = { .get = operations_get };

module_param_cb(attempt, &attempt_ops, NULL, 0200);
module_param_cb(result, &result_ops, NULL, 0400);
module_param_cb(works, &works_ops, NULL, 0400);
module_param_cb(operations, &operations_ops, NULL, 0400);

static int __init kprobe_fail_init(void)
{
	read_text(0);
	return 0;
}

static void __exit kprobe_fail_exit(void)
{
	forget_claims();
}

module_init(kprobe_fail_init);
module_exit(kprobe_fail_exit);

MODULE_DESCRIPTION("Registration of probes when allocations fail");
MODULE_LICENSE("GPL");
