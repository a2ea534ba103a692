// SPDX-License-Identifier: GPL-2.0
/*
 * What the suites share: functions to probe, and probes that count.
 */
#include <linux/ctype.h>
#include <linux/delay.h>
#include <linux/fs.h>
#include <linux/ftrace.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/kmsg_dump.h>
#include <linux/kthread.h>
#include <linux/mount.h>
#include <linux/sched.h>
#include <linux/stacktrace.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "testing.h"

/*
 * The barriers keep the compiler from finding out what the functions do, and
 * the attributes from having them more than once.
 */
noinline __noclone int ktest_traced(int x)
{
	barrier();
	return x + 1;
}

noinline __noclone int ktest_traced2(int x)
{
	barrier();
	return x + 1;
}

/* What ftrace does not know is reached by a breakpoint. */
noinline __noclone notrace int ktest_break(int x)
{
	barrier();
	return x + 1;
}

noinline __noclone notrace int ktest_break2(int x)
{
	barrier();
	return x + 1;
}

noinline __noclone notrace int ktest_break3(int x)
{
	barrier();
	return x + 1;
}

noinline __noclone notrace int ktest_other(int x)
{
	barrier();
	return x + 1000;
}

static noinline __noclone int ktest_enomem(void)
{
	barrier();
	return -ENOMEM;
}

/**
 * ktest_no_memory() - have a function return -ENOMEM in the place of what it does
 * @p: the probe at its entry, whose &ktest_probe.then this is
 * @regs: the registers there
 *
 * Return: 1, since the path is changed.
 */
int ktest_no_memory(struct ktest_probe *p, struct pt_regs *regs)
{
	instruction_pointer_set(regs, (unsigned long)ktest_enomem);
	return 1;
}

/* For architectures without jumps. The others bring some of their own. */
__weak noinline __noclone notrace int ktest_fixed(int x)
{
	barrier();
	return x + 1;
}

__weak noinline __noclone notrace int ktest_plain(int x)
{
	barrier();
	return x + 1;
}

__weak noinline __noclone notrace int ktest_plain2(int x)
{
	barrier();
	return x + 1;
}

char ktest_log[KTEST_LOG_SIZE];

static void ktest_note(char c)
{
	size_t len = strlen(ktest_log);

	if (c && len < sizeof(ktest_log) - 1)
		ktest_log[len] = c;
}

int ktest_pre(struct kprobe *kp, struct pt_regs *regs)
{
	struct ktest_probe *p = ktest_probe_of(kp);

	atomic_inc(&p->pre);
	ktest_note(p->name);
	p->running = kprobe_running();
	return p->then ? p->then(p, regs) : 0;
}

void ktest_post(struct kprobe *kp, struct pt_regs *regs, unsigned long flags)
{
	struct ktest_probe *p = ktest_probe_of(kp);

	atomic_inc(&p->post);
	ktest_note(toupper(p->name));
}

int ktest_fault(struct kprobe *kp, struct pt_regs *regs, int trapnr)
{
	atomic_inc(&ktest_probe_of(kp)->fault);
	return 0;
}

/**
 * ktest_entry() - where each call of a function comes by
 * @fn: a pointer to the function, or any other address
 *
 * A function may have one entry for calls through a pointer, and another one
 * further on for calls from near by, as in version 2 of the ABI of 64-bit PowerPC.
 * Registration by address takes the address as it is; registration by name asks the
 * architecture. So does this.
 *
 * Return: the address to probe; @fn if it is not the first byte of a function.
 */
void *ktest_entry(void *fn)
{
	unsigned long addr = (unsigned long)dereference_symbol_descriptor(fn);
	unsigned long entry, size, offset;
	char name[KSYM_NAME_LEN];

	if (!kallsyms_lookup_size_offset(addr, &size, &offset) || offset ||
	    lookup_symbol_name(addr, name))
		return fn;
	entry = (unsigned long)kprobe_lookup_name(name, 0);
	/* There may be other functions of that name. */
	return entry - addr < size ? (void *)entry : fn;
}

/**
 * ktest_on_ftrace() - is a function's entry reached through ftrace?
 * @fn: the function
 *
 * The site of ftrace need not be the first instruction: on 32-bit PowerPC it is the
 * second.
 */
bool ktest_on_ftrace(void *fn)
{
	unsigned long addr = (unsigned long)fn;
	bool on_func_entry;

	addr = (unsigned long)arch_adjust_kprobe_addr(addr, ktest_entry(fn) - fn,
						      &on_func_entry);
	/* The function that the core asks is under test. */
	return IS_ENABLED(CONFIG_KPROBES_ON_FTRACE) && ftrace_location(addr) == addr;
}

/**
 * ktest_need_ftrace() - skip a test where ktest_traced() is not reached through ftrace
 * @test: the test
 *
 * There, a function's first instruction is one like any other.
 */
void ktest_need_ftrace(struct kunit *test)
{
	if (!ktest_on_ftrace(ktest_traced))
		kunit_skip(test, "no probes through ftrace at the entry");
}

/**
 * ktest_need_redirect() - skip a test where a handler cannot change the path
 * @test: the test
 * @fn: the function that has the handler
 *
 * ftrace may go on behind its site, whatever a handler has written: on parisc. So
 * such an architecture has no error injection into functions, either.
 */
void ktest_need_redirect(struct kunit *test, void *fn)
{
	if (ktest_on_ftrace(fn) && !IS_ENABLED(CONFIG_HAVE_FUNCTION_ERROR_INJECTION))
		kunit_skip(test, "ftrace does not go where a handler wants to");
}

/**
 * ktest_probe_alloc() - make a probe that counts in its pre handler
 * @test: the test, at whose end the probe is freed
 * @addr: where to probe: a function, another address, or NULL
 */
struct ktest_probe *ktest_probe_alloc(struct kunit *test, void *addr)
{
	struct ktest_probe *p = kunit_kzalloc(test, sizeof(*p), GFP_KERNEL);

	KUNIT_ASSERT_NOT_NULL(test, p);
	memset(ktest_log, 0, sizeof(ktest_log));
	p->kp.addr = ktest_entry(addr);
	p->kp.pre_handler = ktest_pre;
	return p;
}

/* A test may have unregistered it already: once more does no harm. */
static void ktest_unregister(void *p)
{
	unregister_kprobe(&((struct ktest_probe *)p)->kp);
}

/**
 * ktest_set_at_end() - see to it that something is undone, whatever happens
 * @test: the test
 * @fn: what to call at its end
 * @arg: with what
 */
void ktest_set_at_end(struct kunit *test, void (*fn)(void *), void *arg)
{
	KUNIT_ASSERT_EQ(test, 0, kunit_add_action_or_reset(test, fn, arg));
}

/**
 * ktest_undo_at_end() - unregister a probe at the end of the test
 * @test: the test
 * @p: the probe
 */
void ktest_undo_at_end(struct kunit *test, struct ktest_probe *p)
{
	ktest_set_at_end(test, ktest_unregister, p);
}

/**
 * ktest_try_register() - register a probe until the end of the test
 * @test: the test
 * @p: the probe
 *
 * Return: what register_kprobe() says.
 */
int ktest_try_register(struct kunit *test, struct ktest_probe *p)
{
	int ret = register_kprobe(&p->kp);

	if (!ret)
		ktest_undo_at_end(test, p);
	return ret;
}

/**
 * ktest_register() - register a probe until the end of the test
 * @test: the test
 * @p: the probe, with which nothing is wrong
 */
void ktest_register(struct kunit *test, struct ktest_probe *p)
{
	KUNIT_ASSERT_EQ(test, 0, ktest_try_register(test, p));
}

/**
 * ktest_point() - the point that a probe subscribes to
 * @p: a registered probe, which keeps the point in place
 */
struct kprobe_point *ktest_point(struct ktest_probe *p)
{
	guard(mutex)(&kprobe_mutex);
	return kprobe_table_find(p->kp.addr);
}

/**
 * ktest_state() - the state of a probe's point
 * @p: a registered probe
 */
enum kprobe_state ktest_state(struct ktest_probe *p)
{
	return READ_ONCE(ktest_point(p)->state);
}

/**
 * ktest_assert_way() - a point is reached as it is meant to be
 * @test: the test
 * @p: a probe for whose point the optimizer has done what it can
 * @fn: the function at whose entry it is
 * @jump: it has a jump, where jumps are for all handlers
 */
void ktest_assert_way(struct kunit *test, struct ktest_probe *p, void *fn, bool jump)
{
	KUNIT_ASSERT_EQ(test, ktest_on_ftrace(fn), kprobe_ftrace(&p->kp));
	if (KTEST_FRAMES && IS_ENABLED(CONFIG_OPTPROBES))
		KUNIT_ASSERT_EQ(test, jump, ktest_state(p) == KPROBE_OPTIMIZED);
}

#ifdef CONFIG_OPTPROBES
/**
 * ktest_expect_reason() - a point is not reached by a jump, and it is known why
 * @test: the test
 * @p: a registered probe
 * @nojump: the reason
 */
void ktest_expect_reason(struct kunit *test, struct ktest_probe *p,
			 enum kprobe_nojump nojump)
{
	guard(mutex)(&kprobe_mutex);
	KUNIT_EXPECT_STREQ(test, kprobe_nojump_text(nojump) ?: "none",
			   kprobe_optimizer_reason(kprobe_table_find(p->kp.addr)) ?: "none");
}
#endif /* CONFIG_OPTPROBES */

#ifdef CONFIG_MODULES
/**
 * ktest_announce() - announce a made-up module
 * @test: the test
 * @mod: the module
 *
 * Context: kprobe_mutex held.
 * Return: its text, or NULL without memory, which fails the test.
 */
struct kprobe_text *ktest_announce(struct kunit *test, struct module *mod)
{
	int ret = kprobe_text_announce(mod);

	KUNIT_EXPECT_EQ(test, 0, ret);
	return ret ? NULL : kprobe_text_of(mod);
}
#endif /* CONFIG_MODULES */

/**
 * ktest_expect_counts() - what KTEST_EXPECT_COUNTS() calls
 * @test: the test
 * @p: the probe
 * @pre: how often its pre handler has been called
 * @post: how often its post handler
 * @miss: how often it was missed
 * @line: where in the test
 */
void ktest_expect_counts(struct kunit *test, struct ktest_probe *p, int pre,
			 int post, int miss, int line)
{
	KUNIT_EXPECT_EQ_MSG(test, pre, atomic_read(&p->pre),
			    "line %d: pre", line);
	KUNIT_EXPECT_EQ_MSG(test, post, atomic_read(&p->post),
			    "line %d: post", line);
	KUNIT_EXPECT_EQ_MSG(test, miss, (int)p->kp.nmissed,
			    "line %d: missed", line);
}

/**
 * ktest_text() - a byte of text
 * @addr: its address
 */
unsigned char ktest_text(void *addr)
{
	unsigned char byte = 0;

	copy_from_kernel_nofault(&byte, addr, sizeof(byte));
	return byte;
}

/**
 * ktest_untouched() - does the original instruction stand at a probed place?
 * @p: a probe that is registered, or was
 */
bool ktest_untouched(struct ktest_probe *p)
{
	const u8 *opcode = (const u8 *)&p->kp.opcode;
	size_t size = sizeof(p->kp.opcode);
	u8 text[sizeof(p->kp.opcode)];

	/* Behind a short instruction: in the text the next one, here zeros. */
	while (size > 2 && !opcode[size - 1] && !opcode[size - 2])
		size -= 2;
	if (copy_from_kernel_nofault(text, p->kp.addr, size))
		return false;
	return !memcmp(text, opcode, size);
}

/**
 * ktest_points_at() - how many points there are for an address
 * @addr: the address
 */
unsigned int ktest_points_at(void *addr)
{
	struct kprobe_point *pt;
	unsigned int n = 0;

	guard(mutex)(&kprobe_mutex);
	list_for_each_entry(pt, &kprobe_points, all)
		n += pt->probe.addr == addr;
	return n;
}

/**
 * ktest_count_points() - how many points there are
 */
unsigned int ktest_count_points(void)
{
	guard(mutex)(&kprobe_mutex);
	return list_count_nodes(&kprobe_points);
}

/* Those before the first test: the kernel's parameters ask for some, or the architecture. */
static unsigned int ktest_boot_points;

static int __init ktest_count_at_boot(void)
{
	ktest_boot_points = ktest_count_points();
	return 0;
}
late_initcall_sync(ktest_count_at_boot);

/**
 * ktest_assert_none_left() - no other test has left a point behind
 * @test: the test
 *
 * When there is a user space, points may be from there.
 */
void ktest_assert_none_left(struct kunit *test)
{
	if (system_state < SYSTEM_FREEING_INITMEM)
		KUNIT_ASSERT_EQ(test, ktest_boot_points, ktest_count_points());
}

/**
 * ktest_need_no_points() - skip a test where there are points that no test has made
 * @test: the test
 */
void ktest_need_no_points(struct kunit *test)
{
	ktest_assert_none_left(test);
	if (ktest_count_points())
		kunit_skip(test, "there are other points");
}

/* The sysctl, while a test has it open. */
static struct file *ktest_knob;

static ssize_t ktest_knob_write(bool on)
{
	loff_t pos = 0;

	return kernel_write(ktest_knob, on ? "1" : "0", 1, &pos);
}

static void ktest_knob_close(void *unused)
{
	ktest_knob_write(true);
	filp_close(ktest_knob, NULL);
	ktest_knob = NULL;
}

/* Nothing is mounted yet. */
static struct file *ktest_knob_open(void)
{
	struct file_system_type *type = get_fs_type("proc");
	struct vfsmount *mnt;
	struct file *file;

	if (!type)
		return ERR_PTR(-ENODEV);
	mnt = kern_mount(type);
	put_filesystem(type);
	if (IS_ERR(mnt))
		return ERR_CAST(mnt);
	file = file_open_root_mnt(mnt, "sys/debug/kprobes-optimization", O_WRONLY, 0);
	kern_unmount(mnt);
	return file;
}

/**
 * ktest_optimization() - switch jumps on or off, as an administrator does it
 * @test: the test, at whose end they are on again
 * @on: what to do
 */
void ktest_optimization(struct kunit *test, bool on)
{
	struct file *file;

	if (!ktest_knob) {
		file = ktest_knob_open();
		if (IS_ERR(file))
			kunit_skip(test, "no sysctl");
		ktest_knob = file;
		ktest_set_at_end(test, ktest_knob_close, NULL);
	}
	KUNIT_ASSERT_EQ(test, 1, ktest_knob_write(on));
}

static void ktest_many_end(void *arg)
{
	struct ktest_many *m = arg;

	unregister_kprobes(m->kps, KTEST_MANY);
}

/**
 * ktest_many_alloc() - make many probes that count in their pre handlers
 * @test: the test, at whose end they are unregistered and freed
 *
 * Return: them; to give them their addresses is left to the caller.
 */
struct ktest_many *ktest_many_alloc(struct kunit *test)
{
	struct ktest_many *m = kunit_kzalloc(test, sizeof(*m), GFP_KERNEL);
	int i;

	KUNIT_ASSERT_NOT_NULL(test, m);
	m->p = kunit_kcalloc(test, KTEST_MANY, sizeof(*m->p), GFP_KERNEL);
	KUNIT_ASSERT_NOT_NULL(test, m->p);
	for (i = 0; i < KTEST_MANY; i++) {
		m->kps[i] = &m->p[i].kp;
		m->kps[i]->pre_handler = ktest_pre;
	}
	ktest_set_at_end(test, ktest_many_end, m);
	return m;
}

#ifdef CONFIG_STACKTRACE
static int ktest_never(void *unused)
{
	return 0;
}

/**
 * ktest_traces_of_others() - is there a trace of what another task sleeps in?
 * @test: the test
 *
 * Not on every architecture: with SMP, arm shows nothing.
 *
 * Return: whether there is, of a task that is not hooked.
 */
bool ktest_traces_of_others(struct kunit *test)
{
	struct task_struct *task = kthread_create(ktest_never, NULL, "ktest_never");
	unsigned long entry;
	unsigned int nr;

	KUNIT_ASSERT_FALSE(test, IS_ERR(task));
	/* It sleeps from the beginning. */
	wait_task_inactive(task, TASK_UNINTERRUPTIBLE);
	nr = stack_trace_save_tsk(task, &entry, 1, 0);
	kthread_stop(task);
	return nr;
}
#endif

/**
 * ktest_said() - how many messages with some text are in the kernel's log
 * @test: the test, which is skipped if the log has lost its beginning
 * @text: the text; not a macro, which a failed expectation would write to the log
 *
 * What is said once may have been said by any test before this one.
 *
 * Return: how many.
 */
unsigned int ktest_said(struct kunit *test, const char *text)
{
	struct kmsg_dump_iter iter;
	unsigned int said = 0;
	bool complete = false;
	char line[192];
	size_t len;

	kmsg_dump_rewind(&iter);
	while (kmsg_dump_get_line(&iter, false, line, sizeof(line), &len)) {
		line[min(len, sizeof(line) - 1)] = '\0';
		complete |= !!strstr(line, "Linux version ");
		said += !!strstr(line, text);
	}
	if (!complete)
		kunit_skip(test, "the log does not begin with the boot");
	return said;
}
