// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: implicit branch targets. No branch in the text leads
 * there now. They are the fixups of exceptions, the targets of static keys that
 * are off, and labels whose addresses are in read-only data: a computed goto, or
 * the table of a hand-written jump.
 *
 * The tables are sorted by the source of the branch, not by its target. So the
 * targets are sorted in a table of each text, whose marks have the reason against
 * a jump: a check is a binary search, however many entries there are.
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
#include <linux/module.h>
#include <linux/text_sites.h>
#include <asm/extable.h>
#include <asm/sections.h>

#include "detour.h"

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

static int kprobe_fill_fixups(struct kprobe_fill *f)
{
	const struct exception_table_entry *e;
	unsigned int nr;
	int ret = 0;

	for (e = kprobe_fixups(f->text->mod, &nr); nr && !ret; nr--, e++)
		ret = kprobe_fill_add(f, (unsigned long)&e->fixup + e->fixup,
				      KPROBE_NOJUMP_FIXUP);
	return ret;
}

#ifdef CONFIG_JUMP_LABEL
static int kprobe_add_key(void *data, struct jump_entry *entry)
{
	return kprobe_fill_add(data, jump_entry_target(entry),
			       KPROBE_NOJUMP_LABEL);
}

static int kprobe_fill_keys(struct kprobe_fill *f)
{
	return jump_label_for_each_entry(f->text->mod, kprobe_add_key, f);
}
#endif

/*
 * Is a word the address of text of @text? The kernel's init text may be probed,
 * too, as long as it exists.
 */
static bool kprobe_is_label(const struct kprobe_text *text, unsigned long word)
{
	if (text->mod)
		return kprobe_text_has(text, word);
	return is_kernel_text(word) || is_kernel_inittext(word);
}

static int kprobe_fill_words(struct kprobe_fill *f, const void *start,
			     const void *end)
{
	const unsigned long *at = PTR_ALIGN(start, sizeof(*at));
	int ret = 0;

	for (; (void *)(at + 1) <= end && !ret; at++) {
		/* Between the variables there are redzones of KASAN. */
		unsigned long word = READ_ONCE_NOCHECK(*at);

		if (kprobe_is_label(f->text, word))
			ret = kprobe_fill_add(f, word, KPROBE_NOJUMP_ADDRESS);
	}
	return ret;
}

#ifdef CONFIG_MODULES
static int kprobe_fill_module_words(struct kprobe_fill *f,
				    enum mod_mem_type type)
{
	const struct module_memory *mem = &f->text->mod->mem[type];

	return kprobe_fill_words(f, mem->base, mem->base + mem->size);
}

static int kprobe_fill_addresses(struct kprobe_fill *f)
{
	if (f->text->mod)
		return kprobe_fill_module_words(f, MOD_RODATA) ?:
		       kprobe_fill_module_words(f, MOD_RO_AFTER_INIT);
	return kprobe_fill_words(f, __start_rodata, __end_rodata);
}
#else
static int kprobe_fill_addresses(struct kprobe_fill *f)
{
	return kprobe_fill_words(f, __start_rodata, __end_rodata);
}
#endif

static const kprobe_fill_fn kprobe_target_fills[] = {
	kprobe_fill_fixups,
#ifdef CONFIG_JUMP_LABEL
	kprobe_fill_keys,
#endif
	kprobe_fill_addresses,
	NULL
};

/**
 * kprobe_implicit_init() - collect and sort the targets in some text
 * @text: the text
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_implicit_init(struct kprobe_text *text)
{
	return kprobe_text_make(text, &text->targets, kprobe_target_fills);
}

/**
 * kprobe_implicit_check() - is there an implicit target in a region?
 * @r: the region
 *
 * Context: kprobe_mutex held, since kprobe_implicit_init() for its text.
 * Return: the kind of target, KPROBE_NOJUMP_NONE if there is none.
 */
enum kprobe_nojump kprobe_implicit_check(const struct kprobe_region *r)
{
	const struct kprobe_marks *m = &r->text->targets;
	unsigned int i;

	/* kprobe_implicit_init() was not called, which is a bug: refuse. */
	if (WARN_ON_ONCE(!m->sorted))
		return KPROBE_NOJUMP_FIXUP;
	i = kprobe_marks_find(m, kprobe_text_key(r->text, r->start + 1));
	if (i == m->nr ||
	    kprobe_mark_key(m->mark[i]) >= kprobe_text_key(r->text, r->end))
		return KPROBE_NOJUMP_NONE;
	return (u32)m->mark[i];
}
