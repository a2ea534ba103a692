// SPDX-License-Identifier: GPL-2.0
/*
 * Arrays of ftrace sites, and what a site has to be to get into one.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/minmax.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

/* How far behind the address of a function its site may be. */
#ifdef FTRACE_MCOUNT_MAX_OFFSET
#define FPROBE_MAX_OFFSET	((unsigned long)FTRACE_MCOUNT_MAX_OFFSET)
#else
/* s390, loongarch: the site is what the function begins with. */
#define FPROBE_MAX_OFFSET	0UL
#endif

static int fprobe_sites_grow(struct fprobe_sites *sites)
{
	unsigned int room = max(2 * sites->room, 8U);
	unsigned long *ips;

	ips = kvmalloc_array(room, sizeof(*ips), GFP_KERNEL | __GFP_NOWARN);
	if (!ips)
		return -ENOMEM;
	if (sites->nr)
		memcpy(ips, sites->ips, sites->nr * sizeof(*ips));
	kvfree(sites->ips);
	sites->ips = ips;
	sites->room = room;
	return 0;
}

/**
 * fprobe_sites_add() - append a site
 * @sites: the array
 * @ip: the site
 *
 * Context: process context. May sleep.
 * Return: 0 or -ENOMEM.
 */
int fprobe_sites_add(struct fprobe_sites *sites, unsigned long ip)
{
	int ret = sites->nr < sites->room ? 0 : fprobe_sites_grow(sites);

	if (!ret)
		sites->ips[sites->nr++] = ip;
	return ret;
}

/**
 * fprobe_sites_free() - free the memory of sites
 * @sites: the array; it is empty then
 *
 * Context: process context.
 */
void fprobe_sites_free(struct fprobe_sites *sites)
{
	kvfree(sites->ips);
	memset(sites, 0, sizeof(*sites));
}

static int fprobe_site_cmp(const void *a, const void *b)
{
	unsigned long x = *(const unsigned long *)a;
	unsigned long y = *(const unsigned long *)b;

	return (x > y) - (x < y);
}

/**
 * fprobe_sites_unique() - put sites in order, each once
 * @sites: the array
 *
 * Names have aliases, and users name functions twice.
 *
 * Context: process context.
 */
void fprobe_sites_unique(struct fprobe_sites *sites)
{
	unsigned int i, nr = 0;

	sort(sites->ips, sites->nr, sizeof(*sites->ips), fprobe_site_cmp, NULL);
	for (i = 0; i < sites->nr; i++) {
		if (!nr || sites->ips[i] != sites->ips[nr - 1])
			sites->ips[nr++] = sites->ips[i];
	}
	sites->nr = nr;
}

/**
 * fprobe_sites_subtract() - leave out those of another array
 * @sites: the array, in order
 * @except: what is left out, in order, too
 *
 * Context: process context.
 */
void fprobe_sites_subtract(struct fprobe_sites *sites,
			   const struct fprobe_sites *except)
{
	unsigned int i, e = 0, nr = 0;

	for (i = 0; i < sites->nr; i++) {
		while (e < except->nr && except->ips[e] < sites->ips[i])
			e++;
		if (e == except->nr || except->ips[e] != sites->ips[i])
			sites->ips[nr++] = sites->ips[i];
	}
	sites->nr = nr;
}

#ifdef CONFIG_MODULES
/*
 * May a site be armed? Before its text is freed it has to be disarmed. Text of the
 * kernel: fprobe_free_init_mem() disarms what is in init text. Of a module that is live:
 * the notifier in module.c disarms it; its init text is not armed. Of a module that is
 * coming: only if the notifier has been called for it, see coming.c. Of one that is
 * going: no.
 */
static bool fprobe_site_stays(unsigned long ip)
{
	struct module *mod;
	enum module_state state;

	guard(preempt)();
	mod = __module_address(ip);
	/* It may be in a module that is not known yet, and may never be. */
	if (!mod)
		return core_kernel_text(ip);
	state = READ_ONCE(mod->state);
	if (state == MODULE_STATE_COMING)
		return fprobe_coming_is_known(mod);
	return state == MODULE_STATE_LIVE && !within_module_init(ip, mod);
}
#else
static bool fprobe_site_stays(unsigned long ip)
{
	return core_kernel_text(ip);
}
#endif

/*
 * The site of the function at @addr, or the one that is there itself; 0 if there is
 * none. Not any that comes before the next symbol, as ftrace_location() has it: that of
 * a weak function which was overridden is still there, without a symbol, and is never
 * reached.
 */
static unsigned long fprobe_site_of(unsigned long addr)
{
	unsigned long ip = ftrace_location_range(addr, addr);
	unsigned long size, offset;

	if (ip || !FPROBE_MAX_OFFSET)
		return ip;
	if (!kallsyms_lookup_size_offset(addr, &size, &offset) || offset)
		return 0;
	return ftrace_location_range(addr, addr + min(size - 1, FPROBE_MAX_OFFSET));
}

/**
 * fprobe_sites_add_func() - append the site of a function, if it has one
 * @sites: the array
 * @addr: the address of the function
 *
 * Context: process context, fprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int fprobe_sites_add_func(struct fprobe_sites *sites, unsigned long addr)
{
	unsigned long ip = fprobe_site_of(addr);

	if (!ip || !fprobe_site_stays(ip))
		return 0;
	return fprobe_sites_add(sites, ip);
}

/**
 * fprobe_resolve_ips() - the sites of functions by their addresses
 * @sites: filled with the sites, in order, each once
 * @addrs: addresses of functions, or of their sites
 * @num: how many there are
 *
 * Context: as fprobe_resolve_filter().
 * Return: 0, -EINVAL if one is neither, or -ENOMEM.
 */
int fprobe_resolve_ips(struct fprobe_sites *sites, const unsigned long *addrs,
		       unsigned int num)
{
	unsigned long ip;
	unsigned int i;
	int ret;

	lockdep_assert_held(&fprobe_mutex);
	for (i = 0; i < num; i++) {
		ip = fprobe_site_of(addrs[i]);
		if (!ip || !fprobe_site_stays(ip))
			return -EINVAL;
		ret = fprobe_sites_add(sites, ip);
		if (ret)
			return ret;
		cond_resched();
	}
	fprobe_sites_unique(sites);
	return 0;
}
