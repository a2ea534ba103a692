// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the other parts that a function may have.
 *
 * The compiler moves code that is rarely executed into a part of its own, whose
 * name is that of the function with ".cold" behind it. Several functions of one
 * name may have such parts; all of these are taken, since it is not known which
 * belongs to which.
 *
 * To look up a name takes long, to go through all symbols longer still. But few
 * functions have such a part. So the parts are sorted by the name of the
 * function in a table of each text. They are sorted by a hash of the name only, so
 * that a part of another function may be taken as well, which does no harm.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/string.h>
#include <linux/stringhash.h>

#include "detour.h"
#include "func.h"

static u32 kprobe_part_hash(const char *name, size_t len)
{
	return full_name_hash(NULL, name, len);
}

/* The mark of a part: the hash of the function's name, and where it is. */
static int kprobe_fill_part(void *data, const char *name, unsigned long addr)
{
	const char *suffix = kprobe_part_suffix(name);
	struct kprobe_fill *f = data;

	if (!suffix)
		return 0;
	return kprobe_marks_add(f->marks, kprobe_part_hash(name, suffix - name),
				kprobe_text_key(f->text, addr));
}

static int kprobe_fill_parts(struct kprobe_fill *f)
{
	return kprobe_text_each_symbol(f->text, kprobe_fill_part, f);
}

static const kprobe_fill_fn kprobe_part_fills[] = {
	kprobe_fill_parts,
	NULL
};

static int kprobe_add_partner(struct kprobe_partners *ps, unsigned long addr)
{
	unsigned long offset;

	if (ps->nr == KPROBE_MAX_PARTNERS ||
	    !kallsyms_lookup_size_offset(addr, &ps->size[ps->nr], &offset) ||
	    offset)
		return -ENOSPC;
	ps->addr[ps->nr++] = addr;
	return 0;
}

/* Add the parts of the function @name that have been moved away. */
static int kprobe_add_parts(struct kprobe_partners *ps,
			    const struct kprobe_text *text, const char *name)
{
	const struct kprobe_marks *m = &text->parts;
	u32 hash = kprobe_part_hash(name, strlen(name));
	unsigned int i = kprobe_marks_find(m, hash);
	int ret = 0;

	for (; i < m->nr && kprobe_mark_key(m->mark[i]) == hash && !ret; i++) {
		unsigned long addr = text->base + (s32)m->mark[i];

		/* Init text may be gone. */
		if (kprobe_text_has(text, addr))
			ret = kprobe_add_partner(ps, addr);
	}
	return ret;
}

static int kprobe_match_whole(void *data, unsigned long addr)
{
	return kprobe_add_partner(data, addr);
}

static int kprobe_match_module_whole(void *data, const char *name,
				     unsigned long addr)
{
	struct kprobe_partners *ps = data;

	return strcmp(name, ps->name) ? 0 : kprobe_add_partner(ps, addr);
}

/* Add the functions that a part named @name with @suffix may belong to. */
static int kprobe_add_wholes(struct kprobe_partners *ps,
			     const struct kprobe_text *text, const char *name,
			     const char *suffix)
{
	strscpy(ps->name, name, suffix - name + 1);
	if (text->mod)
		return kprobe_text_each_symbol(text, kprobe_match_module_whole,
					       ps);
	return kallsyms_on_each_match_symbol(kprobe_match_whole, ps->name, ps);
}

static enum kprobe_nojump kprobe_look_for_partners(struct kprobe_partners *ps,
						   struct kprobe_text *text,
						   unsigned long addr)
{
	const char *name, *suffix = NULL;
	unsigned long start, end;
	int ret;

	if (kprobe_text_make(text, &text->parts, kprobe_part_fills))
		return KPROBE_NOJUMP_NO_MEMORY;
	/* Without such parts there is no need to look up the name. */
	if (!text->parts.nr)
		return KPROBE_NOJUMP_NONE;
	name = kprobe_symbol_bounds(addr, &start, &end);
	if (!name)
		return KPROBE_NOJUMP_NO_SYMBOL;
	suffix = kprobe_part_suffix(name);
	ret = suffix ? kprobe_add_wholes(ps, text, name, suffix) :
		       kprobe_add_parts(ps, text, name);
	return ret ? KPROBE_NOJUMP_PARTS : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_find_partners() - find the other parts of a function
 * @text: the text that it is in
 * @addr: an address in it
 * @ps: filled with the parts
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: why they could not be found, KPROBE_NOJUMP_NONE if they were.
 */
enum kprobe_nojump kprobe_find_partners(struct kprobe_text *text,
					unsigned long addr,
					struct kprobe_partners *ps)
{
	struct kprobe_func *f = kprobe_func_decoded(addr);
	enum kprobe_nojump nojump;

	ps->nr = 0;
	ps->known = false;
	/* The branches of the other parts have been noted already. */
	if (f && f->whole)
		return KPROBE_NOJUMP_NONE;
	nojump = kprobe_look_for_partners(ps, text, addr);
	ps->known = !nojump;
	return nojump;
}
