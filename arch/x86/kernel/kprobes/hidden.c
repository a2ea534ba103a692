// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: places that are reached though no branch in the text
 * leads there now. These are the fixups of exceptions, and what static keys
 * that are off would jump to.
 *
 * The tables are sorted by where one comes from, not by where one goes. They do
 * not change any more, so where they lead is sorted once, for the kernel and for
 * the last module in which a point was checked: a check costs a binary search
 * however many entries there are.
 *
 * A table of the kernel was linked before there was any module, and one of a
 * module refers to the kernel by symbols only, that is to the beginning of a
 * function, which no region holds behind its first byte. So only the tables of
 * the kernel, or those of the one module, matter to a region.
 */
#include <linux/extable.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <asm/extable.h>
#include <asm/sections.h>

#include "detour.h"

/* The distance of the place from the base, and its kind. */
#define HIDDEN_FIXUP	0
#define HIDDEN_LABEL	1

/**
 * struct kprobe_hidden - where the tables of the kernel lead, or a module's
 * @mod: the module
 * @base: an address in its text, or in the kernel's
 * @settled: the tables were not being sorted, nor cut, when they were read
 * @nr: how many keys there are
 * @key: sorted; NULL when they are not known
 */
struct kprobe_hidden {
	struct module *mod;
	unsigned long base;
	bool settled;
	unsigned int nr;
	u32 *key;
};

/* Under kprobe_mutex. The first is constant once made. */
static struct kprobe_hidden kprobe_hidden_kernel, kprobe_hidden_module;

static u32 kprobe_hidden_key(const struct kprobe_hidden *h, unsigned long addr,
			     u32 kind)
{
	return (u32)(addr - h->base) << 1 | kind;
}

#ifdef CONFIG_MODULES
/* When its init text goes, a module's table is cut at the front. */
static const struct exception_table_entry *
kprobe_module_fixups(struct module *mod, unsigned int *nr)
{
	const struct exception_table_entry *e;

	do {
		*nr = READ_ONCE(mod->num_exentries);
		e = READ_ONCE(mod->extable);
		/* Both are still as they were, or once more. */
		smp_rmb();
	} while (*nr != READ_ONCE(mod->num_exentries) ||
		 e != READ_ONCE(mod->extable));
	return e;
}
#else
static const struct exception_table_entry *
kprobe_module_fixups(struct module *mod, unsigned int *nr)
{
	*nr = 0;
	return NULL;
}
#endif

static const struct exception_table_entry *kprobe_fixups(struct module *mod,
							 unsigned int *nr)
{
	if (mod)
		return kprobe_module_fixups(mod, nr);
	*nr = __stop___ex_table - __start___ex_table;
	return __start___ex_table;
}

static unsigned long kprobe_fixup_of(const struct exception_table_entry *e)
{
	return (unsigned long)&e->fixup + e->fixup;
}

#ifdef CONFIG_JUMP_LABEL
static unsigned int kprobe_nr_labels(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_jump_entries,
			       __stop___jump_table - __start___jump_table);
}

static unsigned long kprobe_label(struct module *mod, unsigned int i)
{
	return jump_entry_target(KPROBE_TABLE_OF(mod, jump_entries,
						 __start___jump_table) + i);
}
#else
static unsigned int kprobe_nr_labels(struct module *mod)
{
	return 0;
}

static unsigned long kprobe_label(struct module *mod, unsigned int i)
{
	return 0;
}
#endif /* CONFIG_JUMP_LABEL */

static int kprobe_hidden_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

static void kprobe_hidden_add(struct kprobe_hidden *h, unsigned long addr,
			      u32 kind)
{
	h->key[h->nr++] = kprobe_hidden_key(h, addr, kind);
}

static int kprobe_hidden_make(struct kprobe_hidden *h, struct module *mod)
{
	unsigned int fixups, labels = kprobe_nr_labels(mod), i;
	const struct exception_table_entry *e = kprobe_fixups(mod, &fixups);

	kvfree(h->key);
	h->mod = mod;
	h->base = (unsigned long)KPROBE_TABLE_OF(mod, mem[MOD_TEXT].base,
						 (void *)_text);
	h->settled = KPROBE_TABLE_OF(mod, state == MODULE_STATE_LIVE, true);
	h->nr = 0;
	h->key = kvmalloc_array(fixups + labels + 1, sizeof(*h->key),
				GFP_KERNEL);
	if (!h->key)
		return -ENOMEM;
	for (i = 0; i < fixups; i++)
		kprobe_hidden_add(h, kprobe_fixup_of(&e[i]), HIDDEN_FIXUP);
	/* Those of a module are sorted while it is coming. */
	jump_label_lock();
	for (i = 0; i < labels; i++)
		kprobe_hidden_add(h, kprobe_label(mod, i), HIDDEN_LABEL);
	jump_label_unlock();
	sort(h->key, h->nr, sizeof(*h->key), kprobe_hidden_cmp, NULL);
	return 0;
}

/**
 * kprobe_hidden_init() - sort what leads to places in the kernel, or a module
 * @addr: where one will be asked about; its text cannot go away
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_hidden_init(unsigned long addr)
{
	struct module *mod = kprobe_module_of(addr);
	struct kprobe_hidden *h = mod ? &kprobe_hidden_module :
					&kprobe_hidden_kernel;

	if (h->key && h->mod == mod && h->settled)
		return 0;
	return kprobe_hidden_make(h, mod);
}

/**
 * kprobe_hidden_forget() - text goes away
 *
 * Context: kprobe_mutex held.
 */
void kprobe_hidden_forget(void)
{
	kvfree(kprobe_hidden_module.key);
	kprobe_hidden_module.key = NULL;
}

/* The first key that is not below @key, or their number. */
static unsigned int kprobe_hidden_find(const struct kprobe_hidden *h, u32 key)
{
	unsigned int low = 0, high = h->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (h->key[mid] < key)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/**
 * kprobe_hidden_check() - does a fixup or a static key lead into a region?
 * @r: the region
 *
 * Context: kprobe_mutex held, since kprobe_hidden_init() for the same text.
 * Return: what does, KPROBE_UNOPT_NONE if nothing.
 */
enum kprobe_unopt kprobe_hidden_check(const struct kprobe_region *r)
{
	struct module *mod = kprobe_module_of(r->start);
	struct kprobe_hidden *h = mod ? &kprobe_hidden_module :
					&kprobe_hidden_kernel;
	u32 first = kprobe_hidden_key(h, r->start + 1, HIDDEN_FIXUP);
	u32 behind = kprobe_hidden_key(h, r->end, HIDDEN_FIXUP);
	unsigned int i;

	/* Nobody is ready for the question: then better not. */
	if (WARN_ON_ONCE(!h->key || h->mod != mod))
		return KPROBE_UNOPT_FIXUP;
	i = kprobe_hidden_find(h, first);
	if (i == h->nr || h->key[i] >= behind)
		return KPROBE_UNOPT_NONE;
	return h->key[i] & HIDDEN_LABEL ? KPROBE_UNOPT_LABEL :
					  KPROBE_UNOPT_FIXUP;
}
