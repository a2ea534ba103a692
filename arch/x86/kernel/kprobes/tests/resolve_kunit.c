// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of faults in copies, and of what becomes of them: a fixup, which
 * the exception table has for the original; or nothing, and then the copy goes on
 * where it was, for KFENCE may have made the memory accessible.
 */
#include <linux/delay.h>
#include <linux/kfence.h>
#include <linux/mm.h>
#include <linux/ptrace.h>
#include <linux/string.h>
#include <linux/vmalloc.h>
#include <asm/extable.h>
#include <asm/processor-flags.h>
#include <asm/trapnr.h>
#include <trace/events/error_report.h>

#include "targets_plain.h"

/**
 * struct res_way - how the instruction that faults is probed
 * @name: what to call it
 * @offset: the offset of the point in ktest_inner(), NULL for its entry
 * @jump: there is a jump
 * @post: the probe has a post handler
 * @fault: it has a fault handler, that leaves the fault to the kernel
 */
struct res_way {
	const char *name;
	const u32 *offset;
	bool jump;
	bool post;
	bool fault;
};

static const struct res_way res_ways[] = {
	{ "inner of a jump", NULL, .jump = true },
	{ "inner of a jump, post", NULL, .jump = true, .post = true },
	{ "first of a jump", &ktest_inner_load, .jump = true },
	{ "first of a jump, post", &ktest_inner_load, .jump = true, .post = true },
	{ "slot", &ktest_inner_load },
	{ "stub", &ktest_inner_load, .post = true },
	{ "stepped", &ktest_inner_load, .fault = true },
	{ "stepped, post", &ktest_inner_load, .post = true, .fault = true },
};

KUNIT_ARRAY_PARAM_DESC(res, res_ways, name);

static struct ktest_probe *res_probe(struct kunit *test, void *addr,
				     const struct res_way *way)
{
	struct ktest_probe *p = ktest_probe_alloc(test, addr);

	ktest_optimization(test, way->jump);
	p->kp.post_handler = way->post ? ktest_post : NULL;
	p->kp.fault_handler = way->fault ? ktest_fault : NULL;
	ktest_register(test, p);
	wait_for_kprobe_optimizer();
	if (way->jump)
		ktest_expect_reason(test, p, KPROBE_NOJUMP_NONE);
	return p;
}

/* No entry of the exception table, or of no use: not a register may change. */
static void res_expect_same(struct kunit *test, unsigned long ip,
			    unsigned long text)
{
	struct pt_regs regs = { .cs = __KERNEL_CS, .ip = ip, .sp = 0x1000 };
	struct pt_regs old = regs;

	KUNIT_EXPECT_EQ(test, text, kprobe_text_ip(ip));
	KUNIT_EXPECT_EQ(test, 0, fixup_exception(&regs, X86_TRAP_PF, 0, 0));
	KUNIT_EXPECT_MEMEQ(test, &old, &regs, sizeof(regs));
	KUNIT_EXPECT_EQ(test, 0, fixup_exception(&regs, X86_TRAP_GP, 0, 0));
	KUNIT_EXPECT_MEMEQ(test, &old, &regs, sizeof(regs));
	KUNIT_EXPECT_FALSE(test, kprobe_page_fault(&regs, X86_TRAP_PF));
	KUNIT_EXPECT_MEMEQ(test, &old, &regs, sizeof(regs));
}

static void res_same_in_detour(struct kunit *test)
{
	const struct res_way way = { .jump = true, .post = true };
	struct ktest_probe *p = res_probe(test, ktest_inner, &way);
	struct arch_optimized_insn *oi = &ktest_point(p)->op.optinsn;
	unsigned long addr = (unsigned long)p->kp.addr;
	unsigned int i;

	KUNIT_ASSERT_EQ(test, 3, oi->nr);
	for (i = 0; i < oi->nr; i++)
		res_expect_same(test, (unsigned long)oi->insn + oi->piece[i].at,
				addr + oi->piece[i].from);
	KUNIT_ASSERT_NOT_NULL(test, oi->after);
	res_expect_same(test, (unsigned long)oi->after, addr);
	res_expect_same(test, (unsigned long)oi->insn, (unsigned long)oi->insn);
}

static void res_same_in_slot(struct kunit *test)
{
	const struct res_way way = { .post = true };
	struct ktest_probe *p = res_probe(test,
					  (void *)ktest_inner + ktest_inner_load,
					  &way);
	struct kprobe_point *pt = ktest_point(p);
	unsigned long slot = (unsigned long)pt->probe.ainsn.insn;
	unsigned long addr = (unsigned long)p->kp.addr;

	res_expect_same(test, slot, addr);
	res_expect_same(test, slot + KPROBE_STEP_OFFSET, addr);
	KUNIT_ASSERT_NOT_NULL(test, pt->op.optinsn.stub);
	res_expect_same(test, (unsigned long)pt->op.optinsn.stub, addr);
}

/*
 * A step that goes on has the frame that it had: in the context of its trap. Another
 * fault, while that one is dealt with, is not one of the step.
 */
static void res_same_frame(struct kunit *test)
{
	const struct res_way way = { .post = true, .fault = true };
	struct ktest_probe *p = res_probe(test,
					  (void *)ktest_inner + ktest_inner_load,
					  &way);
	struct kprobe *probe = &ktest_point(p)->probe;
	struct pt_regs regs = {
		.cs = __KERNEL_CS,
		.ip = (unsigned long)probe->ainsn.insn + KPROBE_STEP_OFFSET,
	};
	struct pt_regs other = {
		.cs = __KERNEL_CS,
		.ip = (unsigned long)kprobe_page_fault,
	};
	struct kprobe_frame *f, before, after;
	bool handled;

	preempt_disable();
	f = kprobe_frame_of(kprobe_frame_push(probe));
	f->inside |= NMI_OFFSET;
	f->outside = kprobe_context(preempt_count());
	f->flags = X86_EFLAGS_IF;
	WRITE_ONCE(f->status, KPROBE_FRAME_STEPPING);
	before = *f;
	handled = kprobe_page_fault(&regs, X86_TRAP_PF);
	handled |= kprobe_page_fault(&other, X86_TRAP_PF);
	after = *f;
	kprobe_frame_pop();
	preempt_enable();
	KUNIT_EXPECT_FALSE(test, handled);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->fault));
	KUNIT_EXPECT_PTR_EQ(test, before.kp, after.kp);
	KUNIT_EXPECT_EQ(test, before.inside, after.inside);
	KUNIT_EXPECT_EQ(test, before.outside, after.outside);
	KUNIT_EXPECT_EQ(test, before.status, after.status);
	KUNIT_EXPECT_EQ(test, before.flags, after.flags);
	KUNIT_EXPECT_EQ(test, 0, regs.flags);
}

/* There is an entry, and its handler says that it is not for this fault. */
static void res_same_after_failure(struct kunit *test)
{
	const struct res_way way = { .post = true };
	struct ktest_probe *p = res_probe(test, ktest_zeropad, &way);
	struct kprobe_point *pt = ktest_point(p);
	unsigned long addr = (unsigned long)p->kp.addr;

	res_expect_same(test, (unsigned long)pt->probe.ainsn.insn, addr);
	KUNIT_ASSERT_NOT_NULL(test, pt->op.optinsn.stub);
	res_expect_same(test, (unsigned long)pt->op.optinsn.stub, addr);
}

static void res_free(void *page)
{
	vfree(page);
}

/* A word of which each byte is 5a, but for @bits that the end of the page cuts off. */
#define RES_WORD(bits)	(~0UL / 0xff * 0x5a >> (bits))

/* The last bytes of a page, and more of nothing: four of each on 64 bit. */
static void res_zeropad(struct kunit *test)
{
	static const struct res_way ways[] = {
		{ "slot" }, { "stub", .post = true },
		{ "stepped", .fault = true },
		{ "stepped", .post = true, .fault = true },
	};
	u8 *page = vmalloc(PAGE_SIZE), *end = page + PAGE_SIZE;
	struct ktest_probe *p;
	unsigned int i, k;

	KUNIT_ASSERT_NOT_NULL(test, page);
	ktest_set_at_end(test, res_free, page);
	memset(page, 0x5a, PAGE_SIZE);
	KUNIT_ASSERT_EQ(test, RES_WORD(BITS_PER_LONG / 2),
			ktest_zeropad(end - sizeof(long) / 2));
	for (i = 0; i < ARRAY_SIZE(ways); i++) {
		p = res_probe(test, ktest_zeropad, &ways[i]);
		for (k = 1; k < sizeof(long); k++)
			KUNIT_EXPECT_EQ_MSG(test, RES_WORD(8 * k),
					    ktest_zeropad(end - sizeof(long) + k),
					    "%s", ways[i].name);
		KTEST_EXPECT_COUNTS(test, p, sizeof(long) - 1, 0, 0);
		KUNIT_EXPECT_EQ(test, ways[i].fault ? sizeof(long) - 1 : 0,
				atomic_read(&p->fault));
		KUNIT_EXPECT_NULL(test, kprobe_running());
		unregister_kprobe(&p->kp);
	}
}

#if defined(CONFIG_KFENCE) && defined(CONFIG_TRACEPOINTS)
static unsigned int res_reports;

static void res_reported(void *data, enum error_detector by, unsigned long id)
{
	res_reports += by == ERROR_DETECTOR_KFENCE;
}

static void res_unhook(void *unused)
{
	unregister_trace_error_report_end(res_reported, NULL);
	tracepoint_synchronize_unregister();
}

static void res_kfree(void *obj)
{
	kfree(obj);
}

/* KFENCE takes one allocation a sample interval. */
static void *res_guarded(struct kunit *test)
{
	unsigned int i;
	void *obj;

	for (i = 0; i < 3000; i++) {
		obj = kmalloc(32, GFP_KERNEL);
		if (is_kfence_address(obj)) {
			ktest_set_at_end(test, res_kfree, obj);
			return obj;
		}
		kfree(obj);
		usleep_range(500, 1000);
	}
	return NULL;
}

static void *res_inner(const struct res_way *way)
{
	return (void *)ktest_inner + (way->offset ? *way->offset : 0);
}

/* Read behind the page of an object. */
static long res_read_behind(const void *obj)
{
	return ktest_inner(PTR_ALIGN_DOWN(obj, PAGE_SIZE) + PAGE_SIZE);
}

/* It is reported, and goes on. */
static void res_kfence(struct kunit *test)
{
	const struct res_way *way = test->param_value;
	struct ktest_probe *p;
	unsigned int i;
	void *obj;

	res_reports = 0;
	KUNIT_ASSERT_EQ(test, 0,
			register_trace_error_report_end(res_reported, NULL));
	ktest_set_at_end(test, res_unhook, NULL);
	p = res_probe(test, res_inner(way), way);
	for (i = 1; i <= 3; i++) {
		obj = res_guarded(test);
		if (!obj)
			kunit_skip(test, "no guarded allocation");
		res_read_behind(obj);
		KUNIT_EXPECT_EQ(test, i, res_reports);
		KTEST_EXPECT_COUNTS(test, p, i, way->post ? i : 0, 0);
		KUNIT_EXPECT_EQ(test, way->fault ? i : 0,
				atomic_read(&p->fault));
		KUNIT_EXPECT_NULL(test, kprobe_running());
	}
}
#else
static void res_kfence(struct kunit *test)
{
	kunit_skip(test, "needs KFENCE");
}
#endif

static struct kunit_case res_cases[] = {
	KUNIT_CASE(res_same_in_detour),
	KUNIT_CASE(res_same_in_slot),
	KUNIT_CASE(res_same_frame),
	KUNIT_CASE(res_same_after_failure),
	KUNIT_CASE(res_zeropad),
	KUNIT_CASE_PARAM(res_kfence, res_gen_params),
	{}
};

static struct kunit_suite res_suite = {
	.name = "kprobes_resolve",
	.test_cases = res_cases,
};

kunit_test_suite(res_suite);
