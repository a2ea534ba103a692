// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test: run a snippet, and hold what it leaves behind
 * against what it left when it ran bare.
 */
#include <linux/ptrace.h>
#include <linux/string.h>
#include <asm/asm.h>
#include <asm/fpu/api.h>
#include "diff.h"

static struct diff_result diff_now;

/* By its number in an instruction: a register's place, and its name. */
static const struct {
	const char name[4];
	unsigned char offset;
} diff_gpr[] = {
	[0] = { _ASM_AX, offsetof(struct pt_regs, ax) },
	[1] = { _ASM_CX, offsetof(struct pt_regs, cx) },
	[2] = { _ASM_DX, offsetof(struct pt_regs, dx) },
	[3] = { _ASM_BX, offsetof(struct pt_regs, bx) },
	[4] = { _ASM_SP, offsetof(struct pt_regs, sp) },
	[5] = { _ASM_BP, offsetof(struct pt_regs, bp) },
	[6] = { _ASM_SI, offsetof(struct pt_regs, si) },
	[7] = { _ASM_DI, offsetof(struct pt_regs, di) },
#ifdef CONFIG_X86_64
	[8] = { "r8", offsetof(struct pt_regs, r8) },
	[9] = { "r9", offsetof(struct pt_regs, r9) },
	[10] = { "r10", offsetof(struct pt_regs, r10) },
	[11] = { "r11", offsetof(struct pt_regs, r11) },
	[12] = { "r12", offsetof(struct pt_regs, r12) },
	[13] = { "r13", offsetof(struct pt_regs, r13) },
	[14] = { "r14", offsetof(struct pt_regs, r14) },
	[15] = { "r15", offsetof(struct pt_regs, r15) },
#endif
};

static const char * const diff_seg[DIFF_NR_SEG] = {
	[DS_ES] = "es", [DS_SS] = "ss", [DS_DS] = "ds", [DS_FS] = "fs", [DS_GS] = "gs",
};

/* Who differed, for the note. */
struct diff_where {
	struct diff_snap *sn;
	const struct diff_mode *mode;
	const struct diff_probe *dp;
	unsigned int run;
	const char *what;
};

static void diff_differs(const struct diff_where *w, const char *item,
			 unsigned int index, u64 want, u64 got)
{
	const char *insn = w->dp && w->dp->bound ? w->dp->bound->text : "(all)";
	unsigned int off = w->dp && w->dp->bound ? w->dp->bound->off : 0;

	diff_note(w->sn, "%s+0x%x \"%s\" mode=%s run=%u: %s%s[%u] want=%llx got=%llx",
		  w->sn->s->name, off, insn, w->mode->name, w->run, w->what,
		  item, index, want, got);
}

/*
 * Interrupts are on, as they are where probes are used; the FPU section keeps
 * the vector registers ours and the task on its CPU.
 */
noinline void diff_execute(const struct diff_snap *sn, unsigned int run)
{
	const struct diff_snippet *s = sn->s;

	kernel_fpu_begin();
	diff_make_input(s, sn->nr, run);
	diff_fn = s->code;
	diff_segment_on();
	diff_call();
	diff_segment_off();
	memcpy(diff_now.pcpu, *this_cpu_ptr(&diff_pcpu), sizeof(diff_now.pcpu));
	kernel_fpu_end();
	diff_now.regs = diff_out;
	memcpy(diff_now.arena, diff_arena, sizeof(diff_arena));
	diff_now.regs.flags &= ~(u64)s->undef;
}

static void diff_cmp_u64(const struct diff_where *w, const char *item,
			 const void *want, const void *got, unsigned int nr)
{
	const u64 *a = want, *b = got;
	unsigned int i;

	for (i = 0; i < nr; i++) {
		if (a[i] != b[i])
			diff_differs(w, item, i, a[i], b[i]);
	}
}

static void diff_cmp_result(const struct diff_where *w, const struct diff_result *bare)
{
	const struct diff_regs *a = &bare->regs, *b = &diff_now.regs;
	unsigned int i;

	if (!memcmp(bare, &diff_now, sizeof(*bare)))
		return;
	for (i = 0; i < ARRAY_SIZE(diff_gpr); i++) {
		if (a->gpr[i] != b->gpr[i])
			diff_differs(w, diff_gpr[i].name, i, a->gpr[i], b->gpr[i]);
	}
	for (i = 0; i < DIFF_NR_SEG; i++) {
		if (a->seg[i] != b->seg[i])
			diff_differs(w, diff_seg[i], i, a->seg[i], b->seg[i]);
	}
	if (a->flags != b->flags)
		diff_differs(w, "flags", 0, a->flags, b->flags);
	if (a->mxcsr != b->mxcsr)
		diff_differs(w, "mxcsr", 0, a->mxcsr, b->mxcsr);
	diff_cmp_u64(w, "vec", a->vec, b->vec, sizeof(a->vec) / 8);
	diff_cmp_u64(w, "stack", a->window, b->window, DIFF_WINDOW / 8);
	diff_cmp_u64(w, "arena", bare->arena, diff_now.arena, DIFF_ARENA / 8);
	diff_cmp_u64(w, "pcpu", bare->pcpu, diff_now.pcpu, DIFF_PCPU);
}

void diff_keep_run(struct diff_snap *sn, unsigned int run)
{
	sn->bare[run] = diff_now;
}

static u64 diff_pt_reg(const struct pt_regs *regs, unsigned int i)
{
	return *(const unsigned long *)((const char *)regs + diff_gpr[i].offset);
}

/* The registers a handler saw, against those of the stub at that moment. */
static void diff_cmp_seen(struct diff_where *w, const struct pt_regs *seen,
			  const struct diff_regs *real, u64 sp)
{
	u64 undef = w->sn->s->undef;
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(diff_gpr); i++) {
		u64 want = i == 4 ? sp : real->gpr[i];

		if (want != diff_pt_reg(seen, i))
			diff_differs(w, diff_gpr[i].name, i, want, diff_pt_reg(seen, i));
	}
	if ((real->flags ^ seen->flags) & ~undef & (F_ALL | F_IF | F_DF))
		diff_differs(w, "flags", 0, real->flags, seen->flags);
}

/* Only at the two ends of a snippet is it known what a handler must see. */
static void diff_check_seen(struct diff_where *w)
{
	const struct diff_probe *dp = w->dp;
	const struct diff_snippet *s = w->sn->s;
	u64 sp = diff_stub_sp - DIFF_WINDOW;
	u64 addr = (unsigned long)dp->kp.addr;
	bool first = addr == (unsigned long)s->code ||
		     (HAS_KERNEL_IBT && addr == (unsigned long)s->code + ENDBR_INSN_SIZE);

	if (first && dp->pre) {
		w->what = "pre handler saw ";
		diff_cmp_seen(w, &dp->pre_regs, &diff_in, sp - sizeof(long));
		if (dp->pre_regs.ip - addr > 1)
			diff_differs(w, "ip", 0, addr, dp->pre_regs.ip);
	}
	if ((dp->bound->mark & M_EXIT) && dp->post) {
		w->what = "post handler saw ";
		diff_cmp_seen(w, &dp->post_regs, &diff_out, sp);
	}
}

static unsigned int diff_expected(const struct diff_bound *b)
{
	if (b->hits >= H_COND)
		return diff_cond(b->hits - H_COND, diff_in.flags);
	return b->hits;
}

static void diff_check_probe(struct diff_where *w)
{
	const struct diff_probe *dp = w->dp;
	unsigned int want, post;

	if (dp->is_ret) {
		if (dp->entry != 1 || dp->ret != 1)
			diff_differs(w, "return probe hits", 0, 1, dp->ret);
		if (dp->rp.nmissed || dp->rp.kp.nmissed)
			diff_differs(w, "nmissed", 0, 0, dp->rp.nmissed + dp->rp.kp.nmissed);
		return;
	}
	want = diff_expected(dp->bound);
	post = dp->bound->mark & M_FAULT ? 0 : want;
	if (dp->mode->pre && dp->pre != want)
		diff_differs(w, "pre hits", 0, want, dp->pre);
	if (dp->mode->post && dp->post != post)
		diff_differs(w, "post hits", 0, post, dp->post);
	if (dp->kp.nmissed)
		diff_differs(w, "nmissed", 0, 0, dp->kp.nmissed);
	if (dp->trapped && dp->jump && diff_is_jump(dp))
		diff_differs(w, "hits by a trap", 0, 0, dp->trapped);
	diff_check_seen(w);
}

/*
 * One run is over: compare. Where boundaries are probed one by one, the notes
 * about the registers name the instruction, too.
 */
void diff_check_run(struct diff_snap *sn, const struct diff_mode *mode, unsigned int run)
{
	struct diff_where w = { .sn = sn, .mode = mode, .run = run, .what = "" };
	unsigned int i;

	if (mode->each && sn->nr_probes)
		w.dp = &sn->probe[mode->ret];
	diff_cmp_result(&w, &sn->bare[run]);
	for (i = 0; i < sn->nr_probes; i++) {
		struct diff_probe *dp = &sn->probe[i];

		if (!dp->armed)
			continue;
		w.dp = dp;
		w.what = "";
		diff_check_probe(&w);
		sn->hits += dp->pre + dp->ret;
		if (dp->jump && diff_is_jump(dp))
			sn->by_jump += dp->pre;
		dp->pre = 0;
		dp->post = 0;
		dp->entry = 0;
		dp->ret = 0;
		dp->trapped = 0;
		dp->diverted = false;
	}
	sn->runs++;
}
