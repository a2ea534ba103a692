// SPDX-License-Identifier: GPL-2.0
/*
 * Registration of function probes: what is accepted and what is refused, and that
 * refusals leave nothing behind.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/string.h>

#include "testing.h"

/* Nothing of an fprobe that was never registered is touched. */
static void reg_never(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	struct fptest_probe before = *p;

	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(&p->fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(NULL));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(&p->fp));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(NULL));
	KUNIT_EXPECT_EQ(test, 0, memcmp(p, &before, sizeof(before)));
}

/* The memory of an fprobe that is not registered may have any content. */
static void reg_garbage(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	p->fp.slot = (void *)p;
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(&p->fp));
	fptest_register(test, p, "fptest_double");
	KUNIT_EXPECT_EQ(test, 4, fptest_double(2));
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->entries));
}

/* A second registration is refused, and the first goes on. */
static void reg_twice(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	int i;

	fptest_register(test, p, "fptest_double");
	for (i = 0; i < FPTEST_CALLS; i++) {
		KUNIT_EXPECT_EQ(test, -EBUSY,
				register_fprobe(&p->fp, "fptest_triple", NULL));
		KUNIT_EXPECT_EQ(test, 2 * i, fptest_double(i));
		fptest_triple(i);
	}
	KUNIT_EXPECT_TRUE(test, fprobe_is_registered(&p->fp));
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, FPTEST_CALLS, atomic_read(&p->exits));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
	KUNIT_EXPECT_FALSE(test, p->preemptible);
}

/* What the user has done to the fprobe must not reach what is registered. */
static void reg_overwritten(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned int live = fptest_live();
	struct fprobe_stats stats;

	fptest_register(test, p, "fptest_double");
	p->fp.slot = NULL;
	KUNIT_EXPECT_EQ(test, -EBUSY, register_fprobe(&p->fp, "fptest_double", NULL));
	KUNIT_EXPECT_EQ(test, 0, fprobe_read_stats(&p->fp, &stats));
	KUNIT_EXPECT_EQ(test, 1U, stats.sites);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&p->fp));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
}

static void reg_unregister_twice(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned int live = fptest_live();

	fptest_register(test, p, "fptest_double");
	KUNIT_EXPECT_EQ(test, live + 1, fptest_live());
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&p->fp));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobe(&p->fp));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->entries));
	/* And it can be registered again. */
	fptest_register(test, p, "fptest_double");
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->exits));
}

static void reg_refusals(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned long addr = (unsigned long)fptest_double;
	const char *syms[2] = { "fptest_double", NULL };
	unsigned int live = fptest_live();
	struct fprobe *fp = &p->fp;

	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe(fp, "no_such_*", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe(fp, "", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe(fp, "!vfs_read", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe(fp, "7", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			register_fprobe(fp, "no_such:fptest_double", NULL));
	KUNIT_EXPECT_EQ(test, -ENOENT,
			register_fprobe(fp, "fptest_double", "fptest_*"));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, NULL, NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(NULL, "vfs_read", NULL));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, &addr, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, &addr, -1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(fp, NULL, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_syms(fp, syms, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_syms(fp, NULL, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_syms(fp, syms, 2));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobes(&fp, syms, 0));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobes(&fp, 0));
	fp->entry_data_size = FPROBE_MAX_DATA_SIZE + 1;
	KUNIT_EXPECT_EQ(test, -E2BIG, register_fprobe(fp, syms[0], NULL));
	fp->entry_data_size = 0;
	fp->nr_maxactive = -1;
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe(fp, syms[0], NULL));
	KUNIT_EXPECT_FALSE(test, fprobe_is_registered(fp));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
}

/* All addresses are good, or no function is armed. */
static void reg_ips_bad(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned long addrs[] = { (unsigned long)fptest_double,
				  (unsigned long)&fptest_log };
	unsigned int live = fptest_live();

	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&p->fp, addrs, 2));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&p->entries));
}

/* What is in a function, but not where it begins, is none; nor what has no site. */
static void reg_ips_inside(struct kunit *test)
{
	unsigned long site = ftrace_location((unsigned long)fptest_double);
	unsigned long inside = site + MCOUNT_INSN_SIZE;
	unsigned long plain = (unsigned long)fptest_plain;
	unsigned long plain_too = (unsigned long)fptest_plain_too;
	struct fptest_probe *p = fptest_alloc(test, 0);

	KUNIT_ASSERT_NE(test, 0UL, site);
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&p->fp, &inside, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&p->fp, &plain, 1));
	KUNIT_EXPECT_EQ(test, -EINVAL, register_fprobe_ips(&p->fp, &plain_too, 1));
}

/* A function twice, by its address and by that of its site: one hit a call. */
static void reg_ips_twice(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned long site = ftrace_location((unsigned long)fptest_double);
	unsigned long addrs[] = { (unsigned long)fptest_triple, site,
				  (unsigned long)fptest_double, site };
	unsigned long before[ARRAY_SIZE(addrs)];

	memcpy(before, addrs, sizeof(addrs));
	KUNIT_ASSERT_NE(test, 0UL, site);
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_ips(&p->fp, addrs, 4));
	fptest_guard(test, p);
	KUNIT_EXPECT_EQ(test, 2U, fptest_sites(p));
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&p->entries));
	KUNIT_EXPECT_EQ(test, site, p->entry_ip);
	KUNIT_EXPECT_EQ(test, site, p->exit_ip);
	/* The array is the user's. */
	KUNIT_EXPECT_EQ(test, 0, memcmp(before, addrs, sizeof(addrs)));
}

static void reg_syms(struct kunit *test)
{
	const char *syms[2] = { "fptest_triple", "fptest_double" };
	const char *bad[2] = { "fptest_triple", "no_such_function" };
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned int live = fptest_live();

	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe_syms(&p->fp, bad, 2));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_syms(&p->fp, syms, 2));
	fptest_guard(test, p);
	KUNIT_EXPECT_STREQ(test, "fptest_triple", syms[0]);
	KUNIT_EXPECT_STREQ(test, "fptest_double", syms[1]);
	fptest_double(1);
	fptest_triple(1);
	fptest_double_too(1);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&p->entries));
}

/* One that is named twice is found once, and one that is not found is an error. */
static void reg_syms_together(struct kunit *test)
{
	const char *syms[6] = { "fptest_triple", "fptest_alias", "fptest_double",
				"fptest_triple", "fptest_double_too", "fptest_triple" };
	static const char * const bad[] = { "no_such_function", "fptest_plain", "",
					    "no_such:fptest_double", "fptest_doubl?" };
	struct fptest_probe *p = fptest_alloc(test, 0);
	unsigned int live = fptest_live();
	const char *good;
	int i;

	for (i = 0; i < ARRAY_SIZE(syms) * ARRAY_SIZE(bad); i++) {
		good = syms[i % ARRAY_SIZE(syms)];
		syms[i % ARRAY_SIZE(syms)] = bad[i / ARRAY_SIZE(syms)];
		KUNIT_EXPECT_EQ(test, -ENOENT,
				register_fprobe_syms(&p->fp, syms, ARRAY_SIZE(syms)));
		syms[i % ARRAY_SIZE(syms)] = good;
	}
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	KUNIT_ASSERT_EQ(test, 0, register_fprobe_syms(&p->fp, syms, ARRAY_SIZE(syms)));
	fptest_guard(test, p);
	KUNIT_EXPECT_EQ(test, 3U, fptest_sites(p));
	fptest_double(1);
	fptest_double_too(1);
	fptest_triple(1);
	KUNIT_EXPECT_EQ(test, 3, atomic_read(&p->entries));
}

/*
 * What returns in another task than it was called in has no site, also where the function
 * graph tracer is not there to be in trouble with it.
 */
static void reg_switch_to(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	if (!IS_ENABLED(CONFIG_X86))
		kunit_skip(test, "elsewhere it returns in the task that has called it");
	/* If it were accepted, and enabled, the next switch of tasks would be the last. */
	p->fp.flags = FPROBE_FL_DISABLED;
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe(&p->fp, "__switch_to", NULL));
	fptest_guard(test, p);
}

/* In array elements of names, signs of patterns mean themselves. */
static void reg_syms_no_pattern(struct kunit *test)
{
	const char *syms[1] = { "fptest_*" };
	struct fptest_probe *p = fptest_alloc(test, 0);

	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobe_syms(&p->fp, syms, 1));
}

struct reg_filter {
	const char *filter;
	const char *notfilter;
	unsigned int sites;
	int hits;	/* of double, double_too and triple, a digit each */
	int error;	/* if there are no sites; 0 is -ENOENT */
};

static const struct reg_filter reg_filters[] = {
	{ "fptest_double", NULL, 1, 100 },
	{ "fptest_double*", NULL, 2, 110 },
	{ "fptest_double*", "fptest_double_too", 1, 100 },
	{ "fptest_double*", "fptest_*too", 1, 100 },
	{ "*est_triple", NULL, 1, 1 },
	{ "*ptest_tripl*", NULL, 1, 1 },
	{ "fpt*_too", NULL, 1, 10 },
	{ "fptest_[dt]??????", NULL, 0, 0 },
	{ "fptest_[dt]?????", NULL, 2, 101 },
	{ "fptest_double*", "no_such_*", 2, 110 },
	{ "fptest_double*", "no_such:*", 2, 110 },
	/* What is left out is a function, whatever its names. */
	{ "fptest_alias", NULL, 1, 10 },
	{ "fptest_double*", "fptest_alias", 1, 100 },
	{ "fptest_[at][lr]i*", "fptest_double_too", 1, 1 },
	{ "fptest_double_too", "fptest_alias", 0, 0 },
	{ "fptest_double,fptest_triple", NULL, 2, 101 },
	{ "fptest_triple,fptest_double*,fptest_triple", NULL, 3, 111 },
	{ "fptest_[dt]?????,fptest_double_too,!fptest_alias", NULL, 2, 101 },
	{ "!fptest_triple,fptest_[!a-ce-su-z]?????", NULL, 1, 100 },
	{ "fptest_double*,!fptest_triple", "*too", 1, 100 },
	{ "fptest_double,no_such", NULL, 0, 0 },
	{ "fptest_double,!no_such_*", NULL, 0, 0 },
	{ "fptest_double,", NULL, 0, 0 },
	{ "!fptest_double", NULL, 0, 0 },
	{ "fptest_double,!fptest_double", NULL, 0, 0 },
	/* What is left out is no list, and only the first of a list names a module. */
	{ "fptest_double*", "fptest_alias,fptest_triple", 0, 0, -EINVAL },
	{ "no_such", ",", 0, 0, -EINVAL },
	{ "fptest_double,no_such:fptest_triple", NULL, 0, 0, -EINVAL },
	{ "fptest_double,!no_such:*", NULL, 0, 0, -EINVAL },
	{ "fptest_double,fptest_triple,:", NULL, 0, 0, -EINVAL },
	{ "no_such:fptest_double,fptest_triple", NULL, 0, 0 },
	/* The site that follows is that of a function without a name. */
	{ "fptest_plain", NULL, 0, 0 },
	{ "fptest_plain_too", NULL, 0, 0 },
	{ "fptest_plain*", NULL, 0, 0 },
	{ "fptest_overridden", NULL, 1, 0 },
	/* The linker's, at the address of the first function there. */
	{ "__softirqentry_text_start", NULL, 0, 0 },
	{ "__softirqentry_text*", NULL, 0, 0 },
};

static void reg_filter(struct kunit *test)
{
	const struct reg_filter *f;
	struct fptest_probe *p;
	int error, ret;

	for (f = reg_filters; f < reg_filters + ARRAY_SIZE(reg_filters); f++) {
		p = fptest_alloc(test, 0);
		ret = register_fprobe(&p->fp, f->filter, f->notfilter);
		error = f->error ?: -ENOENT;
		if (!f->notfilter)
			KUNIT_EXPECT_EQ_MSG(test, (int)f->sites ?: error,
					    fprobe_count_functions(f->filter),
					    "%s", f->filter);
		KUNIT_EXPECT_EQ_MSG(test, f->sites ? 0 : error, ret, "%s", f->filter);
		if (ret)
			continue;
		KUNIT_EXPECT_EQ_MSG(test, f->sites, fptest_sites(p), "%s",
				    f->filter);
		fptest_double(1);
		ret = 100 * atomic_xchg(&p->entries, 0);
		fptest_double_too(1);
		ret += 10 * atomic_xchg(&p->entries, 0);
		fptest_triple(1);
		ret += atomic_read(&p->entries);
		KUNIT_EXPECT_EQ_MSG(test, f->hits, ret, "%s", f->filter);
		KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&p->fp));
	}
}

/* Without limits on what a batch has; one that is bad undoes all. */
#define REG_MANY	1000

static void reg_many(struct kunit *test)
{
	struct fptest_probe **p = kunit_kcalloc(test, REG_MANY, sizeof(*p), GFP_KERNEL);
	struct fprobe **fps = kunit_kcalloc(test, REG_MANY, sizeof(*fps), GFP_KERNEL);
	const char **names = kunit_kcalloc(test, REG_MANY, sizeof(*names), GFP_KERNEL);
	unsigned int live = fptest_live();
	int i, hits = 0;

	KUNIT_ASSERT_NOT_NULL(test, p);
	KUNIT_ASSERT_NOT_NULL(test, fps);
	KUNIT_ASSERT_NOT_NULL(test, names);
	for (i = 0; i < REG_MANY; i++) {
		p[i] = fptest_alloc(test, 0);
		fps[i] = &p[i]->fp;
		names[i] = i % 2 ? "fptest_double" : "fptest_triple";
	}
	names[REG_MANY - 1] = "no_such_function";
	KUNIT_EXPECT_EQ(test, -ENOENT, register_fprobes(fps, names, REG_MANY));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	/* One that is named twice is registered when its turn comes again. */
	names[REG_MANY - 1] = "fptest_double";
	fps[REG_MANY - 1] = fps[0];
	KUNIT_EXPECT_EQ(test, -EBUSY, register_fprobes(fps, names, REG_MANY));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
	fptest_double(1);
	fps[REG_MANY - 1] = &p[REG_MANY - 1]->fp;
	KUNIT_ASSERT_EQ(test, 0, register_fprobes(fps, names, REG_MANY));
	KUNIT_EXPECT_EQ(test, live + 2, fptest_live());
	fptest_double(1);
	for (i = 0; i < REG_MANY; i++)
		hits += atomic_read(&p[i]->entries) * (i % 2 ? 1 : REG_MANY);
	KUNIT_EXPECT_EQ(test, REG_MANY / 2, hits);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobes(fps, REG_MANY));
	KUNIT_EXPECT_EQ(test, -EINVAL, unregister_fprobes(fps, REG_MANY));
	KUNIT_EXPECT_EQ(test, live, fptest_live());
}

/* All functions of the kernel at once, to grow the table; and one of them again. */
static void reg_wide(struct kunit *test)
{
	struct fptest_probe *wide = fptest_alloc(test, 0);
	struct fptest_probe *one = fptest_alloc(test, 0);

	wide->fp.exit_handler = NULL;
	wide->fp.flags = FPROBE_FL_DISABLED;
	fptest_register(test, wide, "*");
	KUNIT_EXPECT_GT(test, fptest_sites(wide), 1000U);
	KUNIT_EXPECT_EQ(test, fptest_live(), fptest_sites(wide));
	fptest_register(test, one, "fptest_double");
	KUNIT_EXPECT_EQ(test, 1U, fptest_sites(one));
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 1, atomic_read(&one->exits));
	KUNIT_EXPECT_EQ(test, 0, atomic_read(&wide->entries));
	KUNIT_EXPECT_EQ(test, 0UL, wide->fp.nmissed);
	KUNIT_EXPECT_EQ(test, 0, unregister_fprobe(&wide->fp));
	fptest_double(1);
	KUNIT_EXPECT_EQ(test, 2, atomic_read(&one->exits));
}

/* Without handlers it is of little use, and no harm. */
static void reg_no_handlers(struct kunit *test)
{
	struct fptest_probe *p = fptest_alloc(test, 0);

	p->fp.entry_handler = NULL;
	p->fp.exit_handler = NULL;
	fptest_register(test, p, "fptest_double");
	KUNIT_EXPECT_EQ(test, 4, fptest_double(2));
	KUNIT_EXPECT_EQ(test, 0UL, p->fp.nmissed);
}

static struct kunit_case register_cases[] = {
	KUNIT_CASE(reg_never),
	KUNIT_CASE(reg_garbage),
	KUNIT_CASE(reg_twice),
	KUNIT_CASE(reg_overwritten),
	KUNIT_CASE(reg_unregister_twice),
	KUNIT_CASE(reg_refusals),
	KUNIT_CASE(reg_ips_bad),
	KUNIT_CASE(reg_ips_inside),
	KUNIT_CASE(reg_ips_twice),
	KUNIT_CASE(reg_syms),
	KUNIT_CASE(reg_syms_together),
	KUNIT_CASE(reg_syms_no_pattern),
	KUNIT_CASE(reg_filter),
	KUNIT_CASE(reg_switch_to),
	KUNIT_CASE(reg_many),
	KUNIT_CASE(reg_wide),
	KUNIT_CASE(reg_no_handlers),
	{}
};

static struct kunit_suite register_suite = {
	.name = "fprobe_register",
	.init = fptest_init,
	.test_cases = register_cases,
};

kunit_test_suite(register_suite);
