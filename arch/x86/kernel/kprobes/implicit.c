// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: implicit branch targets. No branch in the text leads
 * there now. They are the fixups of exceptions, the targets of static keys that
 * are off, and labels whose addresses are in read-only data: a computed goto, or
 * the table of a hand-written jump.
 *
 * The tables are sorted by the source of the branch, not by its target. They do
 * not change any more, so the targets are sorted once, for the kernel and for
 * the last module in which a point was checked: a check is a binary search,
 * however many entries there are.
 *
 * A label is an aligned word of the read-only data that points into the text.
 * Most of these words are pointers to functions. These lie behind the first
 * byte of no region, so it is cheaper to keep them than to filter them out.
 * Tables of distances (bugs, unwinding, symbols) hold no such words. A label
 * whose address is only in writable data is not found.
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

/* The code of a target: its distance from the base, then its kind. */
#define TARGET_FIXUP	0
#define TARGET_KEY	1
#define TARGET_WORD	2
#define TARGET_SHIFT	2
#define TARGET_KIND	GENMASK(TARGET_SHIFT - 1, 0)

/**
 * struct kprobe_targets - the implicit targets of the kernel, or of a module
 * @mod: the module
 * @base: an address in its text, or in the kernel's
 * @settled: the tables were final when they were read: not being sorted, nor
 *	cut
 * @nr: how many targets there are
 * @room: how many there is memory for
 * @code: their codes, sorted; NULL when they are not known
 */
struct kprobe_targets {
	struct module *mod;
	unsigned long base;
	bool settled;
	unsigned int nr;
	unsigned int room;
	u32 *code;
};

/* Under kprobe_mutex. The first is constant once made. */
static struct kprobe_targets kprobe_kernel_targets, kprobe_module_targets;

static u32 kprobe_target_code(const struct kprobe_targets *t,
			      unsigned long addr, u32 kind)
{
	return (u32)(addr - t->base) << TARGET_SHIFT | kind;
}

static void kprobe_targets_add(struct kprobe_targets *t, unsigned long addr,
			       u32 kind)
{
	if (t->nr < t->room)
		t->code[t->nr] = kprobe_target_code(t, addr, kind);
	t->nr++;
}

#ifdef CONFIG_MODULES
/* When a module's init text is freed, the front of the table is cut off. */
static const struct exception_table_entry *
kprobe_module_fixups(struct module *mod, unsigned int *nr)
{
	const struct exception_table_entry *e;

	do {
		*nr = READ_ONCE(mod->num_exentries);
		e = READ_ONCE(mod->extable);
		/*
		 * Read both again, in order, until neither has changed. There
		 * is no barrier to pair with: trim_init_extable() stores the
		 * two fields one after the other.
		 */
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
static unsigned int kprobe_nr_key_targets(struct module *mod)
{
	return KPROBE_TABLE_OF(mod, num_jump_entries,
			       __stop___jump_table - __start___jump_table);
}

static unsigned long kprobe_key_target(struct module *mod, unsigned int i)
{
	return jump_entry_target(KPROBE_TABLE_OF(mod, jump_entries,
						 __start___jump_table) + i);
}
#else
static unsigned int kprobe_nr_key_targets(struct module *mod)
{
	return 0;
}

static unsigned long kprobe_key_target(struct module *mod, unsigned int i)
{
	return 0;
}
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_MODULES
static bool kprobe_is_module_text(struct module *mod, unsigned long word)
{
	return within_module_mem_type(word, mod, MOD_TEXT) ||
	       within_module_mem_type(word, mod, MOD_INIT_TEXT);
}
#else
static bool kprobe_is_module_text(struct module *mod, unsigned long word)
{
	return false;
}
#endif

/*
 * Is a word the address of text in the kernel, or in @mod? The kernel's init
 * text may be probed, too, as long as it exists.
 */
static bool kprobe_is_text(struct module *mod, unsigned long word)
{
	if (mod)
		return kprobe_is_module_text(mod, word);
	return is_kernel_text(word) || is_kernel_inittext(word);
}

/* Note the labels in some data, or count them while there is no memory yet. */
static unsigned int kprobe_targets_note(struct kprobe_targets *t,
					const void *start, const void *end)
{
	const unsigned long *at = PTR_ALIGN(start, sizeof(*at));
	unsigned int nr = 0;

	for (; (void *)(at + 1) <= end; at++) {
		/* Between the variables there are redzones of KASAN. */
		unsigned long word = READ_ONCE_NOCHECK(*at);

		if (!kprobe_is_text(t->mod, word))
			continue;
		if (t->code)
			kprobe_targets_add(t, word, TARGET_WORD);
		nr++;
	}
	return nr;
}

#ifdef CONFIG_MODULES
static unsigned int kprobe_targets_note_module(struct kprobe_targets *t)
{
	static const enum mod_mem_type types[] = {
		MOD_RODATA, MOD_RO_AFTER_INIT,
	};
	unsigned int nr = 0, i;

	for (i = 0; i < ARRAY_SIZE(types); i++) {
		const struct module_memory *mem = &t->mod->mem[types[i]];

		nr += kprobe_targets_note(t, mem->base, mem->base + mem->size);
	}
	return nr;
}
#else
static unsigned int kprobe_targets_note_module(struct kprobe_targets *t)
{
	return 0;
}
#endif

static unsigned int kprobe_targets_note_all(struct kprobe_targets *t)
{
	if (t->mod)
		return kprobe_targets_note_module(t);
	return kprobe_targets_note(t, __start_rodata, __end_rodata);
}

static int kprobe_targets_cmp(const void *a, const void *b)
{
	u32 x = *(const u32 *)a, y = *(const u32 *)b;

	return x < y ? -1 : x > y;
}

/* Sort the targets, and drop duplicates: many pointers to one function. */
static void kprobe_targets_sort(struct kprobe_targets *t)
{
	unsigned int i, kept = 0;

	sort(t->code, t->nr, sizeof(*t->code), kprobe_targets_cmp, NULL);
	for (i = 0; i < t->nr; i++) {
		if (!kept || t->code[i] != t->code[kept - 1])
			t->code[kept++] = t->code[i];
	}
	t->nr = kept;
}

static void kprobe_targets_fill(struct kprobe_targets *t,
				const struct exception_table_entry *e,
				unsigned int fixups, unsigned int labels)
{
	unsigned int i;

	for (i = 0; i < fixups; i++)
		kprobe_targets_add(t, kprobe_fixup_of(&e[i]), TARGET_FIXUP);
	/* The table of a module is sorted under this lock. */
	jump_label_lock();
	for (i = 0; i < labels; i++)
		kprobe_targets_add(t, kprobe_key_target(t->mod, i), TARGET_KEY);
	jump_label_unlock();
	kprobe_targets_note_all(t);
}

/*
 * While the kernel boots, or a module is coming, data that will be read-only is
 * still written: there may be more such words than when they were counted.
 */
static int kprobe_targets_read(struct kprobe_targets *t)
{
	unsigned int fixups, labels = kprobe_nr_key_targets(t->mod);
	const struct exception_table_entry *e = kprobe_fixups(t->mod, &fixups);

	do {
		kvfree(t->code);
		t->code = NULL;
		t->nr = 0;
		t->room = fixups + labels + kprobe_targets_note_all(t) + 1;
		t->code = kvmalloc_array(t->room, sizeof(*t->code), GFP_KERNEL);
		if (!t->code)
			return -ENOMEM;
		kprobe_targets_fill(t, e, fixups, labels);
	} while (t->nr > t->room);
	return 0;
}

static int kprobe_targets_make(struct kprobe_targets *t, struct module *mod)
{
	int ret;

	t->mod = mod;
	t->base = (unsigned long)KPROBE_TABLE_OF(mod, mem[MOD_TEXT].base,
						 (void *)_text);
	t->settled = KPROBE_TABLE_OF(mod, state == MODULE_STATE_LIVE, true);
	ret = kprobe_targets_read(t);
	if (!ret)
		kprobe_targets_sort(t);
	return ret;
}

/**
 * kprobe_implicit_init() - collect and sort the targets in some text
 * @addr: an address in that text, which cannot go away
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_implicit_init(unsigned long addr)
{
	struct module *mod = kprobe_text_module(addr);
	struct kprobe_targets *t = mod ? &kprobe_module_targets :
					&kprobe_kernel_targets;

	if (t->code && t->mod == mod && t->settled)
		return 0;
	return kprobe_targets_make(t, mod);
}

/**
 * kprobe_implicit_forget() - drop the targets in the module, which may go away
 *
 * Context: kprobe_mutex held.
 */
void kprobe_implicit_forget(void)
{
	kvfree(kprobe_module_targets.code);
	kprobe_module_targets.code = NULL;
}

/* The first target that is not below @code, or their number. */
static unsigned int kprobe_targets_find(const struct kprobe_targets *t,
					u32 code)
{
	unsigned int low = 0, high = t->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (t->code[mid] < code)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* What each kind of target means for a region. */
static const enum kprobe_nojump kprobe_target_nojumps[] = {
	[TARGET_FIXUP]	= KPROBE_NOJUMP_FIXUP,
	[TARGET_KEY]	= KPROBE_NOJUMP_LABEL,
	[TARGET_WORD]	= KPROBE_NOJUMP_ADDRESS,
};

/**
 * kprobe_implicit_check() - is there an implicit target in a region?
 * @r: the region
 *
 * Context: kprobe_mutex held, since kprobe_implicit_init() for the same text.
 * Return: the kind of target, KPROBE_NOJUMP_NONE if there is none.
 */
enum kprobe_nojump kprobe_implicit_check(const struct kprobe_region *r)
{
	struct module *mod = kprobe_text_module(r->start);
	struct kprobe_targets *t = mod ? &kprobe_module_targets :
					&kprobe_kernel_targets;
	u32 first = kprobe_target_code(t, r->start + 1, TARGET_FIXUP);
	u32 behind = kprobe_target_code(t, r->end, TARGET_FIXUP);
	unsigned int i;

	/* kprobe_implicit_init() was not called, which is a bug: refuse. */
	if (WARN_ON_ONCE(!t->code || t->mod != mod))
		return KPROBE_NOJUMP_FIXUP;
	i = kprobe_targets_find(t, first);
	if (i == t->nr || t->code[i] >= behind)
		return KPROBE_NOJUMP_NONE;
	return kprobe_target_nojumps[t->code[i] & TARGET_KIND];
}
