// SPDX-License-Identifier: GPL-2.0
/* Handlers that change registers, or where execution goes on. */
#include <linux/delay.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>

#include "kprobe_api.h"

#ifdef CONFIG_X86
#include <asm/text-patching.h>

static const kt_fn places[] = { kt_entry, kt_plain, kt_asm };

/* With a probe whose handler is @pre, @fn(@a, n) is @sum + n. */
static void changes_sum(struct kt *t, kt_fn fn, kprobe_pre_handler_t pre,
			unsigned long a, unsigned long sum)
{
	struct kt_probe p;
	int n;

	kt_probe_addr(&p, fn);
	p.kp.pre_handler = pre;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	for (n = 0; n < 5; n++)
		KT_EQ(t, fn(a, n), sum + n);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 5);
	KT_EQ(t, fn(1, 2), 5);
}

/* The first argument becomes 100. */
static int change_argument(struct kprobe *p, struct pt_regs *regs)
{
	*(IS_ENABLED(CONFIG_X86_64) ? &regs->di : &regs->ax) = 100;
	return kt_pre(p, regs);
}

static void argument(struct kt *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		changes_sum(t, places[i], change_argument, 1, 300);
}

/* kt_asm() has its sum in ax when it comes to instruction 2. */
static int change_result(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax += 1000;
	return kt_pre(p, regs);
}

static void change_result_late(struct kprobe *p, struct pt_regs *regs,
			       unsigned long unused)
{
	regs->ax += 1000;
}

static void result(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, (void *)kt_asm + kt_asm_insns[2]);
	p.kp.pre_handler = change_result;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, kt_asm(2, 3), 1009);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_asm(2, 3), 9);

	kt_probe_addr(&p, (void *)kt_asm + kt_asm_insns[1]);
	p.kp.post_handler = change_result_late;
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, kt_asm(2, 3), 1009);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_asm(2, 3), 9);
}

/* Flags: kt_asm() takes the jump at 5 when the zero flag says so. */
static int change_flags(struct kprobe *p, struct pt_regs *regs)
{
	regs->flags ^= X86_EFLAGS_ZF;
	return kt_pre(p, regs);
}

static void flags(struct kt *t)
{
	struct kt_probe branch, behind;
	int i;

	kt_probe_addr(&branch, (void *)kt_asm + kt_asm_insns[5]);
	branch.kp.pre_handler = change_flags;
	kt_probe_addr(&behind, (void *)kt_asm + kt_asm_insns[6]);
	KT_EQ(t, register_kprobe(&branch.kp), 0);
	KT_EQ(t, register_kprobe(&behind.kp), 0);
	for (i = 0; i < 10; i++)
		KT_EQ(t, kt_asm(2, i), 6 + i);
	KT_EQ(t, kt_hits(&behind), 10);
	for (i = 0; i < 10; i++)
		KT_EQ(t, kt_asm(3, i), 9 + i);
	KT_EQ(t, kt_hits(&behind), 10);
	KT_EQ(t, kt_hits(&branch), 20);
	unregister_kprobe(&branch.kp);
	unregister_kprobe(&behind.kp);
}

/* The function is left at once, with 4711 as its result. */
static int leave(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 4711;
	regs->ip = (unsigned long)kt_just_return;
	kt_pre(p, regs);
	return 1;
}

/* The same by hand. */
static int pop_and_leave(struct kprobe *p, struct pt_regs *regs)
{
	regs->ax = 4711;
	regs->ip = *(unsigned long *)regs->sp;
	regs->sp += sizeof(long);
	kt_pre(p, regs);
	return 1;
}

/* The probed function is left early, from each place but the first @skip ones. */
static void leave_each(struct kt *t, int skip, kprobe_pre_handler_t pre,
		       kprobe_post_handler_t post)
{
	struct kt_probe p;
	int i, n;

	for (i = skip; i < ARRAY_SIZE(places); i++) {
		kt_probe_addr(&p, places[i]);
		p.kp.pre_handler = pre;
		p.kp.post_handler = post;
		KT_EQ(t, register_kprobe(&p.kp), 0);
		for (n = 0; n < 5; n++)
			KT_EQ(t, places[i](1, n), 4711);
		unregister_kprobe(&p.kp);
		KT_EQ(t, kt_hits(&p), 5);
		KT_EQ(t, atomic_read(&p.post), 0);
		KT_EQ(t, places[i](1, 2), 5);
	}
}

static void leave_function(struct kt *t)
{
	leave_each(t, 0, leave, kt_post);
}

static void leave_without_post(struct kt *t)
{
	leave_each(t, 0, leave, NULL);
}

/* Not behind an ftrace site: there the stack pointer stays as it is. */
static void leave_by_the_stack(struct kt *t)
{
	leave_each(t, 1, pop_and_leave, kt_post);
}

static noinline unsigned long elsewhere(unsigned long a, unsigned long b)
{
	barrier();
	return a * 1000 + b;
}

static int divert(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = (unsigned long)elsewhere;
	kt_pre(p, regs);
	return 1;
}

static void other_function(struct kt *t)
{
	int i;

	for (i = 0; i < ARRAY_SIZE(places); i++)
		changes_sum(t, places[i], divert, 7, 7000);
}

/* Into kt_asm(), at 1, with a sum of 1000 and the second argument. */
static int divert_into_jump(struct kprobe *p, struct pt_regs *regs)
{
	regs->ip = (unsigned long)kt_asm + kt_asm_insns[1];
	regs->ax = 1000;
	regs->cx = 1000;
	kt_pre(p, regs);
	return 1;
}

static bool has_jump(struct kt_probe *p)
{
	return READ_ONCE(*(u8 *)p->kp.addr) == JMP32_INSN_OPCODE;
}

/*
 * The jump of a probe in kprobe_target covers where the handler of another one there
 * goes on. 6.12: crashes.
 */
static void into_jump(struct kt *t)
{
	struct kt_probe jump;
	int i;

	if (!IS_ENABLED(CONFIG_OPTPROBES))
		return kt_skip(t, "no jumps");
	kt_probe_addr(&jump, kt_asm);
	KT_EQ(t, register_kprobe(&jump.kp), 0);
	for (i = 0; i < 100 && !has_jump(&jump); i++)
		msleep(50);
	for (i = 0; i < 2; i++) {
		KT_TRUE(t, has_jump(&jump));
		changes_sum(t, places[i], divert_into_jump, 7, 1000);
	}
	unregister_kprobe(&jump.kp);
	KT_EQ(t, kt_hits(&jump), 0);
}

/*
 * One of three leaves the function: its neighbours' post handlers have nothing
 * to look at, and who has had its turn by then counts the hit.
 * 6.12: crashes, as with many_leave.
 */
static void leave_among_others(struct kt *t)
{
	struct kt_probe p[3];
	int i, n, others;

	for (i = 0; i < ARRAY_SIZE(places); i++) {
		for (n = 0; n < 3; n++) {
			kt_probe_addr(&p[n], places[i]);
			p[n].kp.post_handler = kt_post;
		}
		p[1].kp.pre_handler = leave;
		for (n = 0; n < 3; n++)
			KT_EQ(t, register_kprobe(&p[n].kp), 0);
		for (n = 0; n < 5; n++)
			KT_EQ(t, places[i](1, n), 4711);
		KT_EQ(t, kt_hits(&p[1]), 5);
		others = kt_hits(&p[0]) + kt_hits(&p[2]);
		KT_TRUE(t, others == 5);
		for (n = 0; n < 3; n++)
			KT_EQ(t, atomic_read(&p[n].post), 0);
		KT_EQ(t, disable_kprobe(&p[1].kp), 0);
		kt_call(t, places[i], 4);
		KT_EQ(t, kt_hits(&p[0]) + kt_hits(&p[2]), others + 8);
		for (n = 0; n < 3; n++)
			unregister_kprobe(&p[n].kp);
	}
}

/* Handlers are shown where they are, and the caller's registers. */
static struct pt_regs seen, seen_post;

static int look(struct kprobe *p, struct pt_regs *regs)
{
	seen = *regs;
	return kt_pre(p, regs);
}

static void look_post(struct kprobe *p, struct pt_regs *regs,
		      unsigned long unused)
{
	seen_post = *regs;
}

static void registers(struct kt *t)
{
	struct kt_probe p;
	unsigned int i;

	for (i = 0; i < 3; i++) {
		kt_probe_addr(&p, (void *)kt_asm + kt_asm_insns[i]);
		p.kp.pre_handler = look;
		p.kp.post_handler = look_post;
		KT_EQ(t, register_kprobe(&p.kp), 0);
		KT_EQ(t, kt_asm(11, 22), 55);
		/* On 32 bit, the sum takes the place of the first. */
		if (IS_ENABLED(CONFIG_X86_64) || i < 2)
			KT_EQ(t, regs_get_kernel_argument(&seen, 0), 11);
		KT_EQ(t, regs_get_kernel_argument(&seen, 1), 22);
		KT_TRUE(t, !user_mode(&seen));
		KT_EQ(t, seen_post.ip - (unsigned long)kt_asm,
		      kt_asm_insns[i + 1]);
		KT_EQ(t, seen.flags & X86_EFLAGS_IF, X86_EFLAGS_IF);
		KT_EQ(t, seen_post.flags & X86_EFLAGS_IF, X86_EFLAGS_IF);
		KT_EQ(t, seen.flags & X86_EFLAGS_TF, 0);
		unregister_kprobe(&p.kp);
	}
	KT_EQ(t, seen.ax, 55);
	KT_EQ(t, seen.sp - seen_post.sp, sizeof(long));
}

const struct kt_case kt_path_cases[] = {
	{ "argument", argument },
	{ "result", result },
	{ "flags", flags },
	{ "leave_function", leave_function },
	{ "leave_without_post", leave_without_post },
	{ "leave_by_the_stack", leave_by_the_stack },
	{ "other_function", other_function },
	{ "into_jump", into_jump },
	{ "leave_among_others", leave_among_others },
	{ "registers", registers },
	KT_END
};
#else
const struct kt_case kt_path_cases[] = { KT_END };
#endif
