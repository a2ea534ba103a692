// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that belong to others: the sites of static keys and static
 * calls, which are rewritten, and those of BUG() and WARN(), which the trap
 * handler finds by their address.
 *
 * The tables of them are sorted by who uses them, or not at all, and the
 * kernel's are long. They do not change any more, but for the init text that
 * nobody can probe later. So what they say is sorted by address once, when the
 * first probe is registered: a question costs a binary search. The tables of
 * a module are walked.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/static_call.h>
#include <asm/sections.h>

#include "internal.h"

/* No such instruction is longer. */
#define KPROBE_SITE_MAX		8

/**
 * struct kprobe_site - an instruction of the kernel that belongs to others
 * @at: its distance from the beginning of the kernel
 * @len: its length
 * @owner: an enum kprobe_site_owner
 */
struct kprobe_site {
	u32 at;
	u8 len;
	u8 owner;
};

/* Under kprobe_mutex, and constant once made. */
static struct kprobe_site *kprobe_sites;
static unsigned int kprobe_nr_sites;

/* The table of a module, or the kernel's. */
#ifdef CONFIG_MODULES
#define KPROBE_TABLE_OF(mod, its, kernels)	((mod) ? (mod)->its : (kernels))
#else
#define KPROBE_TABLE_OF(mod, its, kernels)	(kernels)
#endif

#ifdef CONFIG_JUMP_LABEL
static unsigned int kprobe_nr_labels(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_jump_entries,
			       __stop___jump_table - __start___jump_table);
}

static struct jump_entry *kprobe_label(struct module *mod, unsigned int i)
{
	return KPROBE_TABLE_OF(mod, jump_entries, __start___jump_table) + i;
}

static unsigned long kprobe_label_addr(struct module *mod, unsigned int i)
{
	return jump_entry_code(kprobe_label(mod, i));
}

static unsigned int kprobe_label_len(struct module *mod, unsigned int i)
{
	return jump_entry_size(kprobe_label(mod, i));
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

/* It is found by its first byte. */
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
	{ KPROBE_SITE_LABEL, kprobe_nr_labels, kprobe_label_addr,
	  kprobe_label_len },
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

/* The init text may be gone already: its length could not be read. */
static void kprobe_add_sites(const struct kprobe_site_table *t)
{
	unsigned int i, nr = t->nr(NULL);

	for (i = 0; i < nr; i++) {
		unsigned long addr = t->addr(NULL, i);

		if (!core_kernel_text(addr))
			continue;
		kprobe_sites[kprobe_nr_sites++] = (struct kprobe_site){
			.at = addr - (unsigned long)_text,
			.len = t->len(NULL, i),
			.owner = t->owner,
		};
	}
}

/**
 * kprobe_reserved_init() - sort the tables of the kernel
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_reserved_init(void)
{
	const struct kprobe_site_table *t;
	unsigned int nr = 0;

	lockdep_assert_held(&kprobe_mutex);
	if (kprobe_sites)
		return 0;
	for (t = kprobe_site_tables; t->owner; t++)
		nr += t->nr(NULL);
	kprobe_sites = kvmalloc_array(nr + 1, sizeof(*kprobe_sites), GFP_KERNEL);
	if (!kprobe_sites)
		return -ENOMEM;
	/* The length of some is in the text, which others may be writing. */
	jump_label_lock();
	for (t = kprobe_site_tables; t->owner; t++)
		kprobe_add_sites(t);
	jump_label_unlock();
	sort(kprobe_sites, kprobe_nr_sites, sizeof(*kprobe_sites),
	     kprobe_site_cmp, NULL);
	return 0;
}

/* How many sites of the kernel begin before @at. */
static unsigned int kprobe_sites_before(u32 at)
{
	unsigned int low = 0, high = kprobe_nr_sites;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (kprobe_sites[mid].at < at)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

static enum kprobe_site_owner kprobe_reserved_kernel(unsigned long start,
						     unsigned long end)
{
	u32 from = start - (unsigned long)_text;
	unsigned int i = kprobe_sites_before(end - (unsigned long)_text);

	while (i--) {
		const struct kprobe_site *s = &kprobe_sites[i];

		if (s->at + KPROBE_SITE_MAX <= from)
			break;
		if (s->at + s->len > from)
			return s->owner;
	}
	return KPROBE_SITE_FREE;
}

static enum kprobe_site_owner kprobe_reserved_module(struct module *mod,
						     unsigned long start,
						     unsigned long end)
{
	const struct kprobe_site_table *t;

	for (t = kprobe_site_tables; t->owner; t++) {
		unsigned int i, nr = t->nr(mod);

		for (i = 0; i < nr; i++) {
			unsigned long addr = t->addr(mod, i);

			/* The length may have to be read from the text. */
			if (addr < end && addr + KPROBE_SITE_MAX > start &&
			    addr + t->len(mod, i) > start)
				return t->owner;
		}
	}
	return KPROBE_SITE_FREE;
}

/**
 * kprobe_text_owner() - whose instructions are these?
 * @start: the first byte
 * @end: the byte after the last
 *
 * Context: kprobe_mutex and jump_label_lock() held, after
 * kprobe_reserved_init(). The text cannot go away.
 * Return: whose, if any byte of them belongs to others, else KPROBE_SITE_FREE.
 */
enum kprobe_site_owner kprobe_text_owner(unsigned long start, unsigned long end)
{
	struct module *mod;

	if (core_kernel_text(start))
		return kprobe_reserved_kernel(start, end);
	scoped_guard(preempt)
		mod = __module_text_address(start);
	return mod ? kprobe_reserved_module(mod, start, end) : KPROBE_SITE_FREE;
}
