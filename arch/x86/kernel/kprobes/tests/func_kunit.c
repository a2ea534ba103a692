// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of what x86 remembers of a function: compared with decoding it
 * instruction by instruction.
 */
#include <linux/bitops.h>
#include <linux/cleanup.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kgdb.h>
#include <linux/memory.h>
#include <linux/sched.h>
#include <linux/sched/task.h>
#include <linux/sizes.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/ibt.h>
#include <asm/insn.h>

#include "debug/debug_core.h"
#include "../func.h"
#include "../text.h"
#include "targets_plain.h"

/* No assertion while they are held: it would not let go of them. */
DEFINE_GUARD(func_text, struct mutex *, mutex_lock(_T); mutex_lock(&text_mutex),
	     mutex_unlock(&text_mutex); mutex_unlock(_T))

/* How many bytes are taken for the beginning of an instruction, or not, falsely. */
static unsigned int func_errors(const struct kprobe_func *f)
{
	unsigned long at, next = f->start;
	unsigned int errors = 0;
	struct insn insn;

	for (at = f->start; at < f->end; at++) {
		errors += !!test_bit(at - f->start, f->begins) != (at == next);
		if (at != next)
			continue;
		if (insn_decode_kernel(&insn, (void *)at))
			return errors + 1;
		next += insn.length;
	}
	return errors;
}

/* Large functions of the kernel, as they are without probes. */
static void func_begins(struct kunit *test)
{
	void *funcs[] = { schedule, kernel_clone, register_kprobe, kstrtoull, wake_up_process };
	unsigned int i, errors = 0, found = 0;

	guard(func_text)(&kprobe_mutex);
	for (i = 0; i < ARRAY_SIZE(funcs); i++) {
		unsigned long addr = (unsigned long)funcs[i];
		struct kprobe_func *f = kprobe_func_decode(addr);

		if (!f || f->start != (unsigned long)funcs[i])
			continue;
		found++;
		errors += func_errors(f) + (f->stop < f->end);
	}
	KUNIT_EXPECT_GE(test, found, 4);
	KUNIT_EXPECT_EQ(test, 0, errors);
}

/* Which bytes kprobe_check_boundary() accepts. */
static unsigned long func_boundaries(void *fn, bool forget)
{
	unsigned long found = 0;
	int i;

	guard(func_text)(&kprobe_mutex);
	if (forget)
		arch_forget_kprobe_text();
	for (i = 0; i < (int)ktest_plain_end; i++) {
		if (!kprobe_check_boundary((unsigned long)fn + i))
			found |= BIT(i);
	}
	return found;
}

/* Breakpoints and jumps of probes do not hide what was there. */
static void func_through_probes(struct kunit *test)
{
	struct ktest_probe *entry = ktest_probe_alloc(test, ktest_plain);
	struct ktest_probe *mid = ktest_probe_alloc(test,
						    (void *)ktest_plain + ktest_plain_mid);
	unsigned long all, seen;

	all = func_boundaries(ktest_plain, true);
	KUNIT_EXPECT_TRUE(test, all & BIT(ktest_plain_mid));
	KUNIT_EXPECT_TRUE(test, all & BIT(ktest_plain_last));
	KUNIT_EXPECT_FALSE(test, all & BIT(ktest_plain_mid + 1));

	ktest_register(test, mid);
	seen = func_boundaries(ktest_plain, true);
	KUNIT_EXPECT_EQ(test, all, seen);
	wait_for_kprobe_optimizer();
	seen = func_boundaries(ktest_plain, true);
	KUNIT_EXPECT_EQ(test, all, seen);
	ktest_register(test, entry);
	seen = func_boundaries(ktest_plain, true);
	KUNIT_EXPECT_EQ(test, all, seen);
	/* And not looked at again, either. */
	seen = func_boundaries(ktest_plain, false);
	KUNIT_EXPECT_EQ(test, all, seen);
}

/* The one branch of ktest_fixed() leads behind the first byte. */
static void func_targets(struct kunit *test)
{
	unsigned long start = (unsigned long)ktest_fixed, to;
	unsigned int targets = 0;
	bool there = false;

	to = IS_ENABLED(CONFIG_X86_KERNEL_IBT) ? ENDBR_INSN_SIZE + 1 : 1;
	scoped_guard(func_text, &kprobe_mutex) {
		struct kprobe_func *f = kprobe_func_decode(start);

		if (f) {
			targets = bitmap_weight(f->targets, f->end - f->start);
			there = test_bit(to, f->targets);
		}
	}
	KUNIT_EXPECT_EQ(test, 1, targets);
	KUNIT_EXPECT_TRUE(test, there);
}

/* The last function is known without a look, until text goes away. */
static void func_decoded(struct kunit *test)
{
	unsigned long addr = (unsigned long)ktest_plain;
	struct kprobe_func *at = NULL, *known = NULL, *other, *gone;

	scoped_guard(func_text, &kprobe_mutex) {
		at = kprobe_func_decode(addr);
		known = kprobe_func_decoded(addr + ktest_plain_last);
		other = kprobe_func_decoded(addr - 1);
		kprobe_text_forget(&kprobe_kernel_text);
		gone = kprobe_func_decoded(addr);
	}
	KUNIT_EXPECT_NOT_NULL(test, at);
	KUNIT_EXPECT_PTR_EQ(test, at, known);
	KUNIT_EXPECT_NULL(test, other);
	KUNIT_EXPECT_NULL(test, gone);
}

/* A NOP, and instructions of which the decoder does not find where they end. */
static const u8 func_endless[][MAX_INSN_SIZE] = {
	{ 0x90, 0x8f, 0xe9, 0x78, 0x80, 0xd1 },		/* XOP: VFRCZPS */
	{ 0x90, 0x0f, 0x20, 0x05 },			/* MOV from CR0, with ModRM.mod 0 */
#ifdef CONFIG_X86_64
	{ 0x90, 0x48, 0x66, 0x90 },			/* 66 behind REX */
#endif
	{ 0x90, 0x0f, 0x04 },				/* no such opcode */
	{ 0x90, 0x0f, 0x38, 0x40 },
};

static void func_count(struct insn *insn, unsigned long at, void *data)
{
	++*(unsigned int *)data;
}

/* Where the next one begins is not known, either. */
static void func_lengths(struct kunit *test)
{
	unsigned int i, nr, walked;

	for (i = 0; i < ARRAY_SIZE(func_endless); i++) {
		unsigned long at = (unsigned long)func_endless[i];

		nr = 0;
		scoped_guard(func_text, &kprobe_mutex)
			walked = kprobe_each_insn(at, at + 7, func_count, &nr) - at;
		KUNIT_EXPECT_EQ_MSG(test, 1, walked, "%*ph", 7, func_endless[i]);
		KUNIT_EXPECT_EQ_MSG(test, 1, nr, "%*ph", 7, func_endless[i]);
	}
}

/* Such an instruction is refused with its own error, and what is behind as no boundary. */
static void func_behind_xop(struct kunit *test)
{
	void *xop = (void *)ktest_xop + ktest_xop_at, *at;

	/* The compiler would make ktest_xop + 5 of it, which objtool warns of. */
	OPTIMIZER_HIDE_VAR(xop);
	for (at = xop; at <= xop + 5; at++)
		KUNIT_EXPECT_EQ_MSG(test, at == xop ? -EOPNOTSUPP : -EILSEQ,
				    ktest_try_register(test, ktest_probe_alloc(test, at)),
				    "%pS", at);
	KUNIT_EXPECT_EQ(test, 0, ktest_try_register(test, ktest_probe_alloc(test, xop - 1)));
}

/* Behind the end of mapped memory are breakpoints. */
static void func_read_end(struct kunit *test)
{
	u8 buf[2][MAX_INSN_SIZE] = {}, expected[2][MAX_INSN_SIZE];
	u8 *page = vmalloc(PAGE_SIZE);
	size_t got[2];

	KUNIT_ASSERT_NOT_NULL(test, page);
	memset(page, 0x90, PAGE_SIZE);
	memset(expected, INT3_INSN_OPCODE, sizeof(expected));
	memset(expected[0], 0x90, 3);
	scoped_guard(mutex, &kprobe_mutex) {
		unsigned long end = (unsigned long)page + PAGE_SIZE;

		got[0] = kprobe_read_original(buf[0], end - 3, MAX_INSN_SIZE);
		got[1] = kprobe_read_original(buf[1], end, MAX_INSN_SIZE);
	}
	vfree(page);
	KUNIT_EXPECT_EQ(test, 3, got[0]);
	KUNIT_EXPECT_EQ(test, 0, got[1]);
	KUNIT_EXPECT_MEMEQ(test, expected, buf, sizeof(buf));
}

/* From how far away a jump comes to a copy of 100 bytes, and another one back. */
static void func_reach(struct kunit *test)
{
	unsigned long from = IS_ENABLED(CONFIG_X86_64) ? 1UL << 40 : 1UL << 20;
	bool all = IS_ENABLED(CONFIG_X86_32);
	unsigned long low = from + JMP32_INSN_SIZE - SZ_2G, high = from + SZ_2G - 100;

	KUNIT_EXPECT_TRUE(test, kprobe_in_reach(from, from, 100));
	KUNIT_EXPECT_TRUE(test, kprobe_in_reach(from, low, 100));
	KUNIT_EXPECT_EQ(test, all, kprobe_in_reach(from, low - 1, 100));
	KUNIT_EXPECT_TRUE(test, kprobe_in_reach(from, high, 100));
	KUNIT_EXPECT_EQ(test, all, kprobe_in_reach(from, high + 1, 100));
}

#ifdef CONFIG_KGDB
/* How often it is tried to come before the optimizer. */
#define FUNC_TRIES	20

/* Without an I/O driver, kgdb is not asked for its breakpoints. */
static struct kgdb_io func_line = { .name = "kprobes_func" };

static void func_debug_end(void *addr)
{
	dbg_deactivate_sw_breakpoints();
	dbg_remove_sw_break((unsigned long)addr);
	if (dbg_io_ops == &func_line)
		dbg_io_ops = NULL;
	/* Whatever came out, the other tests shall not notice. */
	guard(mutex)(&kprobe_mutex);
	kprobe_text_forget(&kprobe_kernel_text);
}

static void func_debug_begin(struct kunit *test, void *addr)
{
	if (!dbg_io_ops)
		dbg_io_ops = &func_line;
	ktest_set_at_end(test, func_debug_end, addr);
}

static int func_debug_put(void *addr)
{
	return dbg_set_sw_break((unsigned long)addr) ?: dbg_activate_sw_breakpoints();
}

/* Put in the breakpoint of a debugger. */
static void func_debug(struct kunit *test, void *addr)
{
	func_debug_begin(test, addr);
	KUNIT_ASSERT_EQ(test, 0, func_debug_put(addr));
}

/* Read while a debugger hides an instruction, and asked about after it. */
static void func_kgdb(struct kunit *test)
{
	void *hidden = (void *)ktest_plain + ktest_plain_mid;
	struct ktest_probe *at = ktest_probe_alloc(test, hidden);
	struct ktest_probe *behind = ktest_probe_alloc(test,
						       (void *)ktest_plain + ktest_plain_last);

	func_debug(test, hidden);
	scoped_guard(mutex, &kprobe_mutex)
		arch_forget_kprobe_text();
	KUNIT_EXPECT_EQ(test, -EBUSY, ktest_try_register(test, behind));
	KUNIT_EXPECT_EQ(test, -EBUSY, ktest_try_register(test, at));
	KUNIT_ASSERT_EQ(test, 0, dbg_deactivate_sw_breakpoints());
	KUNIT_EXPECT_EQ(test, 0, ktest_try_register(test, behind));
	KUNIT_EXPECT_EQ(test, 0, ktest_try_register(test, at));
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KTEST_EXPECT_COUNTS(test, at, 1, 0, 0);
	KTEST_EXPECT_COUNTS(test, behind, 1, 0, 0);
}

/* Read before a debugger hides an instruction. */
static void func_kgdb_later(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, ktest_break3);
	void *addr;

	ktest_register(test, p);
	addr = p->kp.addr;
	unregister_kprobe(&p->kp);
	func_debug(test, addr);
	KUNIT_ASSERT_NE(test, p->kp.opcode, *(kprobe_opcode_t *)addr);
	KUNIT_EXPECT_EQ(test, -EBUSY,
			ktest_try_register(test,
					   ktest_probe_alloc(test, addr)));
	KUNIT_ASSERT_EQ(test, 0, dbg_deactivate_sw_breakpoints());
	KUNIT_EXPECT_EQ(test, 0,
			ktest_try_register(test,
					   ktest_probe_alloc(test, addr)));
}

#ifdef CONFIG_OPTPROBES
/* A jump that comes back would cover the breakpoint that a debugger has put in since. */
static void func_kgdb_jump(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	void *covered = (void *)ktest_plain + ktest_plain_last;

	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	ktest_optimization(test, false);
	func_debug(test, covered);
	ktest_optimization(test, true);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, INT3_INSN_OPCODE, ktest_text(covered));
	KUNIT_ASSERT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, KPROBE_NOJUMP_NEIGHBOUR);
	KUNIT_ASSERT_EQ(test, 0, dbg_deactivate_sw_breakpoints());
	ktest_optimization(test, false);
	ktest_optimization(test, true);
	wait_for_kprobe_optimizer();
	KUNIT_EXPECT_EQ(test, KPROBE_OPTIMIZED, ktest_state(p));
	KUNIT_EXPECT_EQ(test, 2, ktest_plain(1));
	KTEST_EXPECT_COUNTS(test, p, 1, 0, 0);
}

static int func_debug_if_queued(struct ktest_probe *p, void *addr)
{
	guard(mutex)(&kprobe_mutex);
	if (kprobe_table_find(p->kp.addr)->state != KPROBE_QUEUED)
		return -EAGAIN;
	return func_debug_put(addr);
}

/* One that comes while the jump is queued keeps it out, too. */
static void func_kgdb_queued(struct kunit *test)
{
	struct ktest_probe *p = ktest_probe_alloc(test, (void *)ktest_plain + ktest_plain_mid);
	void *covered = (void *)ktest_plain + ktest_plain_last;
	int ret, tries = FUNC_TRIES;

	func_debug_begin(test, covered);
	ktest_register(test, p);
	do {
		ktest_optimization(test, false);
		ktest_optimization(test, true);
		ret = func_debug_if_queued(p, covered);
	} while (ret == -EAGAIN && --tries);
	KUNIT_ASSERT_EQ(test, 0, ret);
	wait_for_kprobe_optimizer();
	KUNIT_ASSERT_EQ(test, KPROBE_ARMED, ktest_state(p));
	ktest_expect_reason(test, p, KPROBE_NOJUMP_NEIGHBOUR);
}
#endif

#ifdef CONFIG_JUMP_LABEL
static DEFINE_STATIC_KEY_FALSE(func_key);

/* Not called: no debugger waits for its breakpoint. */
static noinline int func_label(int x)
{
	return static_branch_unlikely(&func_key) ? ktest_other(x) : x;
}

static void *func_label_site(void)
{
	void *site = func_label, *found = NULL;
	int i;

	jump_label_lock();
	for (i = 0; i < 64 && !found; i++, site++)
		found = jump_label_text_reserved(site, site) ? site : NULL;
	jump_label_unlock();
	return found;
}

/* A breakpoint on a static key's site does not tell how long the site is. */
static void func_kgdb_label(struct kunit *test)
{
	void *site = func_label_site();

	KUNIT_ASSERT_NOT_NULL(test, site);
	func_debug(test, site);
	scoped_guard(mutex, &kprobe_mutex)
		kprobe_text_forget(&kprobe_kernel_text);
	KUNIT_EXPECT_EQ(test, 0,
			ktest_try_register(test, ktest_probe_alloc(test, ktest_break3)));
	KUNIT_EXPECT_EQ(test, -EINVAL,
			ktest_try_register(test, ktest_probe_alloc(test, site)));
}
#endif
#endif /* CONFIG_KGDB */

static struct kunit_case func_cases[] = {
	KUNIT_CASE(func_begins),
	KUNIT_CASE(func_through_probes),
	KUNIT_CASE(func_targets),
	KUNIT_CASE(func_decoded),
	KUNIT_CASE(func_lengths),
	KUNIT_CASE(func_behind_xop),
	KUNIT_CASE(func_read_end),
	KUNIT_CASE(func_reach),
#ifdef CONFIG_KGDB
	KUNIT_CASE(func_kgdb),
	KUNIT_CASE(func_kgdb_later),
#ifdef CONFIG_OPTPROBES
	KUNIT_CASE(func_kgdb_jump),
	KUNIT_CASE(func_kgdb_queued),
#endif
#ifdef CONFIG_JUMP_LABEL
	KUNIT_CASE(func_kgdb_label),
#endif
#endif
	{}
};

static struct kunit_suite func_suite = {
	.name = "kprobes_func",
	.test_cases = func_cases,
};

kunit_test_suite(func_suite);
