// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that belong to other subsystems: the sites of static keys and
 * static calls, which are rewritten, and those of BUG() and WARN(), which the
 * trap handler finds by their address.
 *
 * The tables of them are sorted by key, or not at all, and they may be long.
 * They do not change any more, but for the init text, which cannot be probed
 * when it is gone. So the sites are sorted by address once, for the kernel and
 * for the last module that was looked up, and a check is a binary search.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "internal.h"

/* The longest of these instructions. */
#define KPROBE_SITE_MAX		8

/**
 * struct kprobe_site - an instruction that belongs to another subsystem
 * @at: its distance from the base
 * @len: its length
 * @owner: an enum kprobe_site_owner
 */
struct kprobe_site {
	s32 at;
	u8 len;
	u8 owner;
};

/**
 * struct kprobe_sites - the sites of the kernel, or of a module
 * @mod: the module
 * @base: an address in its text, or in the kernel's
 * @settled: the tables were not being sorted when they were read
 * @nr: how many there are
 * @site: sorted; NULL when they are not known
 */
struct kprobe_sites {
	struct module *mod;
	unsigned long base;
	bool settled;
	unsigned int nr;
	struct kprobe_site *site;
};

/* Under kprobe_mutex. The first is constant once made. */
static struct kprobe_sites kprobe_kernel_sites, kprobe_module_sites;

#ifdef CONFIG_JUMP_LABEL
static unsigned int kprobe_nr_jump_entries(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_jump_entries,
			       __stop___jump_table - __start___jump_table);
}

static struct jump_entry *kprobe_jump_entry(struct module *mod, unsigned int i)
{
	return KPROBE_TABLE_OF(mod, jump_entries, __start___jump_table) + i;
}

static unsigned long kprobe_jump_entry_addr(struct module *mod, unsigned int i)
{
	return jump_entry_code(kprobe_jump_entry(mod, i));
}

static unsigned int kprobe_jump_entry_len(struct module *mod, unsigned int i)
{
	return jump_entry_size(kprobe_jump_entry(mod, i));
}
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static unsigned int kprobe_nr_calls(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_static_call_sites,
			       __stop_static_call_sites -
			       __start_static_call_sites);
}

static unsigned long kprobe_call_addr(struct module *mod, unsigned int i)
{
	struct static_call_site *site;

	site = KPROBE_TABLE_OF(mod, static_call_sites,
			       __start_static_call_sites) + i;
	return (unsigned long)&site->addr + site->addr;
}

static unsigned int kprobe_call_len(struct module *mod, unsigned int i)
{
	return CALL_INSN_SIZE;
}
#endif /* CONFIG_HAVE_STATIC_CALL_INLINE */

#ifdef CONFIG_GENERIC_BUG
static unsigned int kprobe_nr_bugs(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_bugs,
			       __stop___bug_table - __start___bug_table);
}

static unsigned long kprobe_bug_addr(struct module *mod, unsigned int i)
{
	struct bug_entry *bug;

	bug = KPROBE_TABLE_OF(mod, bug_table, __start___bug_table) + i;
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

/* The trap handler finds it by the address of its first byte. */
static unsigned int kprobe_bug_len(struct module *mod, unsigned int i)
{
	return 1;
}
#endif /* CONFIG_GENERIC_BUG */

static const struct kprobe_site_table {
	enum kprobe_site_owner owner;
	unsigned int (*nr)(struct module *mod);
	unsigned long (*addr)(struct module *mod, unsigned int i);
	unsigned int (*len)(struct module *mod, unsigned int i);
} kprobe_site_tables[] = {
#ifdef CONFIG_JUMP_LABEL
	{ KPROBE_SITE_LABEL, kprobe_nr_jump_entries, kprobe_jump_entry_addr,
	  kprobe_jump_entry_len },
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	{ KPROBE_SITE_CALL, kprobe_nr_calls, kprobe_call_addr,
	  kprobe_call_len },
#endif
#ifdef CONFIG_GENERIC_BUG
	{ KPROBE_SITE_BUG, kprobe_nr_bugs, kprobe_bug_addr, kprobe_bug_len },
#endif
	{ }
};

static int kprobe_site_cmp(const void *a, const void *b)
{
	const struct kprobe_site *x = a, *y = b;

	return x->at < y->at ? -1 : x->at > y->at;
}

/* The site may be in init text that is gone, and its length cannot be read. */
static bool kprobe_site_there(struct module *mod, unsigned long addr)
{
	return mod ? kprobe_module_has_text(mod, addr) : core_kernel_text(addr);
}

static void kprobe_sites_add(struct kprobe_sites *s,
			     const struct kprobe_site_table *t)
{
	unsigned int i, nr = t->nr(s->mod);

	for (i = 0; i < nr; i++) {
		unsigned long addr = t->addr(s->mod, i);

		if (!kprobe_site_there(s->mod, addr))
			continue;
		s->site[s->nr++] = (struct kprobe_site){
			.at = addr - s->base,
			.len = t->len(s->mod, i),
			.owner = t->owner,
		};
	}
}

static int kprobe_sites_make(struct kprobe_sites *s, struct module *mod)
{
	const struct kprobe_site_table *t;
	unsigned int nr = 0;

	kvfree(s->site);
	s->mod = mod;
	s->base = (unsigned long)KPROBE_TABLE_OF(mod, mem[MOD_TEXT].base,
						 (void *)_text);
	/*
	 * The tables of a module are sorted while it is coming: read them
	 * again.
	 */
	s->settled = KPROBE_TABLE_OF(mod, state == MODULE_STATE_LIVE, true);
	s->nr = 0;
	for (t = kprobe_site_tables; t->owner; t++)
		nr += t->nr(mod);
	s->site = kvmalloc_array(nr + 1, sizeof(*s->site), GFP_KERNEL);
	if (!s->site)
		return -ENOMEM;
	/* The length of some is read from the text, which may be changing. */
	jump_label_lock();
	for (t = kprobe_site_tables; t->owner; t++)
		kprobe_sites_add(s, t);
	jump_label_unlock();
	sort(s->site, s->nr, sizeof(*s->site), kprobe_site_cmp, NULL);
	return 0;
}

/* The sites that @addr would be one of, read or not; their module in @mod. */
static struct kprobe_sites *kprobe_sites_of(unsigned long addr,
					    struct module **mod)
{
	*mod = NULL;
	if (core_kernel_text(addr))
		return &kprobe_kernel_sites;
	guard(preempt)();
	*mod = __module_text_address(addr);
	return *mod ? &kprobe_module_sites : NULL;
}

/**
 * kprobe_reserved_init() - read the sites of some text
 * @addr: an address in it; it cannot go away
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_reserved_init(unsigned long addr)
{
	struct module *mod;
	struct kprobe_sites *s = kprobe_sites_of(addr, &mod);

	lockdep_assert_held(&kprobe_mutex);
	if (!s || (s->site && s->mod == mod && s->settled))
		return 0;
	return kprobe_sites_make(s, mod);
}

/**
 * kprobe_reserved_forget() - drop the sites of the module, which may go away
 *
 * Context: kprobe_mutex held.
 */
void kprobe_reserved_forget(void)
{
	lockdep_assert_held(&kprobe_mutex);
	kvfree(kprobe_module_sites.site);
	kprobe_module_sites.site = NULL;
}

/* How many sites begin before @at. */
static unsigned int kprobe_sites_before(const struct kprobe_sites *s, s32 at)
{
	unsigned int low = 0, high = s->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (s->site[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * kprobe_text_owner() - which subsystem do some instructions belong to?
 * @start: the first byte
 * @end: the byte after the last
 *
 * Context: kprobe_mutex held, since kprobe_reserved_init() for the same text. It
 * cannot go away.
 * Return: the owner of any byte of them, else KPROBE_SITE_FREE; KPROBE_SITE_BUG
 * only if none of them is rewritten.
 */
enum kprobe_site_owner kprobe_text_owner(unsigned long start, unsigned long end)
{
	struct module *mod;
	struct kprobe_sites *s = kprobe_sites_of(start, &mod);
	enum kprobe_site_owner found = KPROBE_SITE_FREE;
	unsigned int i;
	s32 from;

	if (!s)
		return KPROBE_SITE_FREE;
	/* kprobe_reserved_init() was not called, which is a bug: refuse. */
	if (WARN_ON_ONCE(!s->site || s->mod != mod))
		return KPROBE_SITE_LABEL;
	from = start - s->base;
	i = kprobe_sites_before(s, end - s->base);
	while (i-- && s->site[i].at + KPROBE_SITE_MAX > from) {
		if (s->site[i].at + s->site[i].len <= from)
			continue;
		found = s->site[i].owner;
		/* Look for a site that is rewritten: that matters more. */
		if (found != KPROBE_SITE_BUG)
			break;
	}
	return found;
}
