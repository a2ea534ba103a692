// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: places that are reached though no branch in the text
 * leads there now. These are the fixups of exceptions, what static keys that
 * are off would jump to, and labels whose addresses are in read-only data: a
 * computed goto, or the table of a hand-written jump.
 *
 * The tables are sorted by where one comes from, not by where one goes. They do
 * not change any more, so where they lead is sorted once, for the kernel and for
 * the last module in which a point was checked: a check costs a binary search
 * however many entries there are.
 *
 * A label is an aligned word of the read-only data that points into the text.
 * Most of these words are pointers to functions. They are no label behind the
 * first byte of a region, so it is cheaper to keep them than to tell them apart.
 * Tables of distances (bugs, unwinding, symbols) hold no such words. Not found
 * is a label that only writable data knows.
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

/* A key: the distance of the place from the base, then its kind. */
#define HIDDEN_FIXUP	0
#define HIDDEN_LABEL	1
#define HIDDEN_WORD	2
#define HIDDEN_SHIFT	2
#define HIDDEN_KIND	GENMASK(HIDDEN_SHIFT - 1, 0)

/**
 * struct kprobe_hidden - where the tables of the kernel lead, or a module's
 * @mod: the module
 * @base: an address in its text, or in the kernel's
 * @settled: the tables were not being sorted, nor cut, when they were read
 * @nr: how many keys there are
 * @room: how many there is memory for
 * @key: sorted; NULL when they are not known
 */
struct kprobe_hidden {
	struct module *mod;
	unsigned long base;
	bool settled;
	unsigned int nr;
	unsigned int room;
	u32 *key;
};

/* Under kprobe_mutex. The first is constant once made. */
static struct kprobe_hidden kprobe_hidden_kernel, kprobe_hidden_module;

static u32 kprobe_hidden_key(const struct kprobe_hidden *h, unsigned long addr,
			     u32 kind)
{
	return (u32)(addr - h->base) << HIDDEN_SHIFT | kind;
}

static void kprobe_hidden_add(struct kprobe_hidden *h, unsigned long addr,
			      u32 kind)
{
	if (h->nr < h->room)
		h->key[h->nr] = kprobe_hidden_key(h, addr, kind);
	h->nr++;
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

#ifdef CONFIG_MODULES
static bool kprobe_module_word(struct module *mod, unsigned long word)
{
	return within_module_mem_type(word, mod, MOD_TEXT) ||
	       within_module_mem_type(word, mod, MOD_INIT_TEXT);
}
#else
static bool kprobe_module_word(struct module *mod, unsigned long word)
{
	return false;
}
#endif

/*
 * Is it the address of text in the kernel, or in a module? The kernel's init
 * text is asked about while it is there.
 */
static bool kprobe_text_word(struct module *mod, unsigned long word)
{
	if (mod)
		return kprobe_module_word(mod, word);
	return is_kernel_text(word) || is_kernel_inittext(word);
}

/* Note the labels in some data, or count them when there are no keys yet. */
static unsigned int kprobe_each_word(struct kprobe_hidden *h,
				     const void *start, const void *end)
{
	const unsigned long *at = PTR_ALIGN(start, sizeof(*at));
	unsigned int nr = 0;

	for (; (void *)(at + 1) <= end; at++) {
		/* KASAN has put zones around the variables there. */
		unsigned long word = READ_ONCE_NOCHECK(*at);

		if (!kprobe_text_word(h->mod, word))
			continue;
		if (h->key)
			kprobe_hidden_add(h, word, HIDDEN_WORD);
		nr++;
	}
	return nr;
}

#ifdef CONFIG_MODULES
static unsigned int kprobe_each_module_word(struct kprobe_hidden *h)
{
	static const enum mod_mem_type types[] = {
		MOD_RODATA, MOD_RO_AFTER_INIT,
	};
	unsigned int nr = 0, i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const struct module_memory *mem = &h->mod->mem[types[i]];

		nr += kprobe_each_word(h, mem->base, mem->base + mem->size);
	}
	return nr;
}
#else
static unsigned int kprobe_each_module_word(struct kprobe_hidden *h)
{
	return 0;
}
#endif

static unsigned int kprobe_each_label(struct kprobe_hidden *h)
{
	if (h->mod)
		return kprobe_each_module_word(h);
	return kprobe_each_word(h, __start_rodata, __end_rodata);
}

static int kprobe_hidden_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Many functions are pointed to more than once. */
static void kprobe_hidden_sort(struct kprobe_hidden *h)
{
	unsigned int i, kept = 0;

	sort(h->key, h->nr, sizeof(*h->key), kprobe_hidden_cmp, NULL);
	for (i = 0; i < h->nr; i++) {
		if (!kept || h->key[i] != h->key[kept - 1])
			h->key[kept++] = h->key[i];
	}
	h->nr = kept;
}

static void kprobe_hidden_fill(struct kprobe_hidden *h,
			       const struct exception_table_entry *e,
			       unsigned int fixups, unsigned int labels)
{
	unsigned int i;

	for (i = 0; i < fixups; i++)
		kprobe_hidden_add(h, kprobe_fixup_of(&e[i]), HIDDEN_FIXUP);
	/* Those of a module are sorted while it is coming. */
	jump_label_lock();
	for (i = 0; i < labels; i++)
		kprobe_hidden_add(h, kprobe_label(h->mod, i), HIDDEN_LABEL);
	jump_label_unlock();
	kprobe_each_label(h);
}

/*
 * While the kernel boots, or a module comes, what is to be read-only is written:
 * there may be more words in it than there were a moment ago.
 */
static int kprobe_hidden_read(struct kprobe_hidden *h)
{
	unsigned int fixups, labels = kprobe_nr_labels(h->mod);
	const struct exception_table_entry *e = kprobe_fixups(h->mod, &fixups);

	do {
		kvfree(h->key);
		h->key = NULL;
		h->nr = 0;
		h->room = fixups + labels + kprobe_each_label(h) + 1;
		h->key = kvmalloc_array(h->room, sizeof(*h->key), GFP_KERNEL);
		if (!h->key)
			return -ENOMEM;
		kprobe_hidden_fill(h, e, fixups, labels);
	} while (h->nr > h->room);
	return 0;
}

static int kprobe_hidden_make(struct kprobe_hidden *h, struct module *mod)
{
	int ret;

	h->mod = mod;
	h->base = (unsigned long)KPROBE_TABLE_OF(mod, mem[MOD_TEXT].base,
						 (void *)_text);
	h->settled = KPROBE_TABLE_OF(mod, state == MODULE_STATE_LIVE, true);
	ret = kprobe_hidden_read(h);
	if (!ret)
		kprobe_hidden_sort(h);
	return ret;
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

/* What each kind of key means for a region. */
static const enum kprobe_unopt kprobe_hidden_unopts[] = {
	[HIDDEN_FIXUP]	= KPROBE_UNOPT_FIXUP,
	[HIDDEN_LABEL]	= KPROBE_UNOPT_LABEL,
	[HIDDEN_WORD]	= KPROBE_UNOPT_ADDRESS,
};

/**
 * kprobe_hidden_check() - does one of the tables lead into a region?
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
	return kprobe_hidden_unopts[h->key[i] & HIDDEN_KIND];
}
