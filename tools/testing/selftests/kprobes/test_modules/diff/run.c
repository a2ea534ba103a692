// SPDX-License-Identifier: GPL-2.0
/*
 * Differential instruction test: which probes sit where and when.
 *
 * Probes come in waves: boundary n of every snippet at once, since snippets do
 * not touch each other, and registering one by one would mostly wait.
 */
#include <linux/cpufeature.h>
#include <linux/delay.h>
#include <linux/errno.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <asm/ibt.h>
#include "diff.h"

/*
 * The bare run, and one that compares it with itself: what is not the same
 * without any probe cannot be compared.
 */
static const struct diff_mode diff_mode_bare = { .name = "bare", .keep = true };
static const struct diff_mode diff_mode_again = { .name = "again" };

/*
 * A mode is a row here. Those of kind DIFF_OPT are not chosen by default: they
 * want the optimizer on, all others want it off.
 */
static const struct diff_mode diff_mode[] = {
	{ .name = "pre", .pre = true, .each = true },
	{ .name = "pre+post", .pre = true, .post = true, .step = true, .each = true },
	{ .name = "return", .ret = true },
	{ .name = "path", .pre = true, .path = true, .each = true },
	{ .name = "all", .pre = true, .post = true, .all = true },
	{ .name = "all+post", .post = true, .all = true },
	{ .name = "all+return", .ret = true, .pre = true, .all = true },
	{ .name = "opt", .kind = DIFF_OPT, .pre = true, .each = true },
	{ .name = "opt+post", .kind = DIFF_OPT, .pre = true, .post = true, .each = true },
	{ .name = "opt+path", .kind = DIFF_OPT, .pre = true, .path = true, .each = true },
	{ .name = "opt+next", .kind = DIFF_OPT, .pre = true, .each = true, .next = true },
	{ .name = "opt+all", .kind = DIFF_OPT, .pre = true, .all = true },
	{ .name = "opt+return", .kind = DIFF_OPT, .pre = true, .ret = true, .each = true },
	{ .name = "stub", .pre = true, .post = true, .each = true },
};

static struct diff_snap *diff_snap;
static unsigned int diff_nr_snap;
static struct diff_wave diff_wave;

static const unsigned short diff_feature[N_NR] = {
	[N_MOVBE] = X86_FEATURE_MOVBE,
	[N_ADX] = X86_FEATURE_ADX,
	[N_BMI1] = X86_FEATURE_BMI1,
	[N_BMI2] = X86_FEATURE_BMI2,
	[N_POPCNT] = X86_FEATURE_POPCNT,
	[N_ABM] = X86_FEATURE_ABM,
	[N_CX16] = X86_FEATURE_CX16,
	[N_SSE41] = X86_FEATURE_XMM4_1,
	[N_SSE42] = X86_FEATURE_XMM4_2,
	[N_AES] = X86_FEATURE_AES,
	[N_AVX] = X86_FEATURE_AVX,
	[N_AVX2] = X86_FEATURE_AVX2,
	[N_FMA] = X86_FEATURE_FMA,
	[N_AVX512] = X86_FEATURE_AVX512VL,
	[N_SMAP] = X86_FEATURE_SMAP,
	[N_FSGSBASE] = X86_FEATURE_FSGSBASE,
	[N_RDTSCP] = X86_FEATURE_RDTSCP,
	[N_SSSE3] = X86_FEATURE_SSSE3,
	[N_F16C] = X86_FEATURE_F16C,
	[N_XSAVE] = X86_FEATURE_XSAVE,
	[N_XSAVEC] = X86_FEATURE_XSAVEC,
	[N_XSAVES] = X86_FEATURE_XSAVES,
};

static bool diff_cpu_has(u16 need)
{
	return need == N_NONE || boot_cpu_has(diff_feature[need]);
}

#define LIST_SEPARATORS	"\n ,"

static bool diff_list_empty(const char *list)
{
	return !list[strspn(list, LIST_SEPARATORS)];
}

static bool diff_in_list(const char *list, const char *name)
{
	size_t len = strlen(name), n;

	for (; *list; list += n) {
		list += strspn(list, LIST_SEPARATORS);
		n = strcspn(list, LIST_SEPARATORS);
		if (n == len && !strncmp(list, name, len))
			return true;
	}
	return false;
}

static bool diff_selected(const struct diff_snippet *s)
{
	if (diff_in_list(diff_skip, s->name))
		return false;
	return diff_list_empty(diff_only) || diff_in_list(diff_only, s->name) ||
	       diff_in_list(diff_only, diff_class_name[s->class]);
}

static unsigned int diff_nr_bounds(const struct diff_snippet *s)
{
	return s->bound_bytes / sizeof(struct diff_bound);
}

static int diff_add_snippet(const struct diff_snippet *s, unsigned int nr)
{
	struct diff_snap *sn = &diff_snap[diff_nr_snap];

	if (!diff_selected(s))
		return 0;
	sn->s = s;
	sn->nr = nr;
	sn->skip = !diff_cpu_has(s->need);
	sn->boundaries = diff_nr_bounds(s);
	if (!sn->skip) {
		sn->bare = kvcalloc(diff_runs, sizeof(*sn->bare), GFP_KERNEL);
		if (!sn->bare)
			return -ENOMEM;
	}
	/* All boundaries and a return probe, or two boundaries and one. */
	sn->first = diff_wave.max;
	diff_wave.max += sn->boundaries + 2;
	diff_nr_snap++;
	return 0;
}

static int diff_setup(void)
{
	const struct diff_table *t;
	const struct diff_snippet *s;
	unsigned int nr = 0;
	int err;

	for (t = diff_tables; t < diff_tables_end; t++)
		nr += t->end - t->start;
	diff_snap = kvcalloc(nr, sizeof(*diff_snap), GFP_KERNEL);
	if (!diff_snap)
		return -ENOMEM;
	for (nr = 0, t = diff_tables; t < diff_tables_end; t++) {
		for (s = t->start; s < t->end; s++) {
			err = diff_add_snippet(s, nr++);
			if (err)
				return err;
		}
	}
	diff_wave.probe = kvcalloc(diff_wave.max, sizeof(*diff_wave.probe), GFP_KERNEL);
	diff_wave.kps = kvcalloc(diff_wave.max, sizeof(*diff_wave.kps), GFP_KERNEL);
	diff_wave.rps = kvcalloc(diff_wave.max, sizeof(*diff_wave.rps), GFP_KERNEL);
	if (!diff_wave.probe || !diff_wave.kps || !diff_wave.rps)
		return -ENOMEM;
	return 0;
}

static void diff_teardown(void)
{
	unsigned int i;

	for (i = 0; i < diff_nr_snap; i++)
		kvfree(diff_snap[i].bare);
	kvfree(diff_wave.probe);
	kvfree(diff_wave.kps);
	kvfree(diff_wave.rps);
	kvfree(diff_snap);
	memset(&diff_wave, 0, sizeof(diff_wave));
	diff_snap = NULL;
	diff_nr_snap = 0;
}

/* Refusing is right where the snippet says so, with one of these only. */
static void diff_check_refusal(struct diff_probe *dp, int err)
{
	u16 mark = dp->bound ? dp->bound->mark : 0;
	const char *text = dp->bound ? dp->bound->text : "(entry)";
	bool known = err == -EINVAL || err == -EOPNOTSUPP || err == -EILSEQ;

	if (!err && (mark & M_REFUSE))
		diff_note(dp->snap, "%s+0x%x \"%s\" mode=%s: accepted, must be refused",
			  dp->snap->s->name, dp->bound->off, text, dp->mode->name);
	if (!err)
		return;
	dp->snap->refused++;
	if (!(mark & (M_REFUSE | M_MAY)) || !known)
		diff_note(dp->snap, "%s+0x%x \"%s\" mode=%s: refused with %d",
			  dp->snap->s->name, dp->bound ? dp->bound->off : 0, text,
			  dp->mode->name, err);
}

static struct diff_probe *diff_new_probe(struct diff_snap *sn, const struct diff_mode *mode)
{
	struct diff_probe *dp = &sn->probe[sn->nr_probes++];

	dp->snap = sn;
	dp->mode = mode;
	diff_wave.nr++;
	return dp;
}

static bool diff_at_endbr(const struct diff_snippet *s, unsigned int n)
{
	return is_endbr(*(u32 *)(s->code + s->bound[n].off));
}

/*
 * A probe on the ENDBR of the entry sits behind it, at the next boundary. One
 * elsewhere would keep a CPU that checks indirect branches from landing.
 */
static void diff_arm_probe(struct diff_snap *sn, const struct diff_mode *mode,
			   unsigned int n)
{
	struct diff_probe *dp = diff_new_probe(sn, mode);
	bool endbr = diff_at_endbr(sn->s, n);

	if (n && endbr && boot_cpu_has(X86_FEATURE_IBT))
		return;
	dp->off = sn->s->bound[n].off;
	dp->bound = &sn->s->bound[!n && endbr ? 1 : n];
	diff_check_refusal(dp, diff_probe_add(dp));
}

static void diff_arm_return(struct diff_snap *sn, const struct diff_mode *mode)
{
	struct diff_probe *dp = diff_new_probe(sn, mode);

	dp->is_ret = true;
	diff_check_refusal(dp, diff_probe_add(dp));
}

/* Boundary n of every snippet, or all of them. */
static void diff_arm_wave(const struct diff_mode *mode, unsigned int n)
{
	unsigned int i, k;

	diff_wave.nr = 0;
	memset(diff_wave.probe, 0, diff_wave.max * sizeof(*diff_wave.probe));
	for (i = 0; i < diff_nr_snap; i++) {
		struct diff_snap *sn = &diff_snap[i];

		sn->probe = &diff_wave.probe[sn->first];
		sn->nr_probes = 0;
		if (n >= sn->boundaries)
			continue;
		if (mode->ret)
			diff_arm_return(sn, mode);
		if (mode->each)
			diff_arm_probe(sn, mode, n);
		for (k = 0; mode->all && k < sn->boundaries; k++)
			diff_arm_probe(sn, mode, k);
		cond_resched();
	}
}

/*
 * Into the bytes that a jump may cover by now: what is there must give way, or
 * take the new probe in.
 */
static void diff_arm_next(const struct diff_mode *mode, unsigned int n)
{
	unsigned int i;

	for (i = 0; i < diff_nr_snap; i++) {
		struct diff_snap *sn = &diff_snap[i];

		if (sn->nr_probes && n + 1 < sn->boundaries)
			diff_arm_probe(sn, mode, n + 1);
	}
}

/* Jumps come when the optimizer is done; not every probe becomes one. */
static unsigned int diff_count_jumps(void)
{
	unsigned int i, nr = 0;

	for (i = 0; i < diff_wave.max; i++)
		nr += diff_is_jump(&diff_wave.probe[i]);
	return nr;
}

/* They come together; for the first ones, tasks have to be waited for. */
static unsigned int diff_wait_jumps(void)
{
	unsigned int last = 0, now, quiet = 0;

	while (quiet < (last ? 3 : 10)) {
		msleep(50);
		now = diff_count_jumps();
		quiet = now == last ? quiet + 1 : 0;
		last = now;
	}
	return last;
}

/* A jump that comes later than the hit does not tell how that came. */
static void diff_note_jumps(struct diff_snap *sn)
{
	unsigned int i;

	for (i = 0; i < sn->nr_probes; i++)
		sn->probe[i].jump = diff_is_jump(&sn->probe[i]);
}

/*
 * All runs go through here, the bare ones too: the stub is to find the stack
 * pointer at the same place every time.
 */
static noinline void diff_run_wave(const struct diff_mode *mode)
{
	unsigned int i, run;

	for (i = 0; i < diff_nr_snap && !diff_should_stop(); i++) {
		struct diff_snap *sn = &diff_snap[i];

		/* What this CPU cannot run is registered only. */
		if (sn->skip || (diff_wave.nr && !sn->nr_probes))
			continue;
		for (run = 0; run < diff_runs; run++) {
			diff_note_jumps(sn);
			diff_execute(sn, run);
			if (mode->keep)
				diff_keep_run(sn, run);
			else
				diff_check_run(sn, mode, run);
		}
		cond_resched();
	}
}

static unsigned int diff_nr_waves(const struct diff_mode *mode)
{
	unsigned int i, nr = 0;

	if (!mode->each)
		return 1;
	for (i = 0; i < diff_nr_snap; i++)
		nr = max(nr, diff_snap[i].boundaries);
	return nr;
}

static void diff_run_mode(const struct diff_mode *mode)
{
	unsigned int n, probes = 0, jumps = 0;

	diff_untrapped = 0;
	for (n = 0; n < diff_nr_waves(mode) && !diff_should_stop(); n++) {
		diff_arm_wave(mode, n);
		if (mode->kind == DIFF_OPT)
			jumps += diff_wait_jumps();
		if (mode->next) {
			diff_arm_next(mode, n);
			diff_wait_jumps();
		}
		diff_run_wave(mode);
		diff_probe_del(&diff_wave);
		probes += diff_wave.nr;
	}
	diff_report_mode(mode, probes, jumps);
}

int diff_run(void)
{
	unsigned int i;
	int err;

	diff_have_avx = boot_cpu_has(X86_FEATURE_AVX);
	diff_have_avx512 = boot_cpu_has(X86_FEATURE_AVX512VL);
	diff_report_begin();
	err = diff_setup();
	if (!err) {
		diff_run_wave(&diff_mode_bare);
		diff_run_wave(&diff_mode_again);
		for (i = 0; i < ARRAY_SIZE(diff_mode); i++) {
			if (diff_modes & BIT(i))
				diff_run_mode(&diff_mode[i]);
		}
		diff_report_end(diff_snap, diff_nr_snap);
	}
	diff_teardown();
	if (!err && diff_should_stop())
		err = -EINTR;
	return err;
}
