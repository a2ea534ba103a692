// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that belong to other subsystems: the sites of static keys and
 * static calls, which are rewritten, and those of BUG() and WARN(), which the
 * trap handler finds by their address.
 *
 * The tables of them are sorted by key, or not at all. So the sites are sorted by
 * address in a table of each text, see text.c.
 */
#include <linux/bug.h>
#include <linux/jump_label.h>
#include <linux/module.h>
#include <linux/static_call.h>

#include "internal.h"

/* The longest of these instructions. */
#define KPROBE_SITE_MAX		8

/*
 * What is known of a site: its length, and an enum kprobe_site_owner. It may be in
 * init text that is gone, and its length cannot be read then.
 */
#define KPROBE_SITE_LEN_SHIFT	8
#define KPROBE_SITE_OWNER	GENMASK(KPROBE_SITE_LEN_SHIFT - 1, 0)

static int kprobe_site_add(struct kprobe_fill *f, unsigned long addr,
			   unsigned int len, enum kprobe_site_owner owner)
{
	return kprobe_fill_add(f, addr, len << KPROBE_SITE_LEN_SHIFT | owner);
}

#ifdef CONFIG_JUMP_LABEL
static int kprobe_fill_labels(struct kprobe_fill *f)
{
	struct jump_entry *e = KPROBE_TABLE_OF(f->text->mod, jump_entries,
					       __start___jump_table);
	unsigned int nr = KPROBE_TABLE_OF(f->text->mod, num_jump_entries,
					  __stop___jump_table -
					  __start___jump_table);
	int ret = 0;

	/*
	 * The table of a module is sorted under this lock; and the length of
	 * some is read from the text, which may be changing.
	 */
	jump_label_lock();
	for (; nr && !ret; nr--, e++) {
		if (kprobe_text_has(f->text, jump_entry_code(e)))
			ret = kprobe_site_add(f, jump_entry_code(e),
					      jump_entry_size(e),
					      KPROBE_SITE_LABEL);
	}
	jump_label_unlock();
	return ret;
}
#endif /* CONFIG_JUMP_LABEL */

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static int kprobe_fill_calls(struct kprobe_fill *f)
{
	struct static_call_site *site;
	unsigned int nr = KPROBE_TABLE_OF(f->text->mod, num_static_call_sites,
					  __stop_static_call_sites -
					  __start_static_call_sites);
	int ret = 0;

	site = KPROBE_TABLE_OF(f->text->mod, static_call_sites,
			       __start_static_call_sites);
	for (; nr && !ret; nr--, site++) {
		unsigned long addr = (unsigned long)&site->addr + site->addr;

		if (kprobe_text_has(f->text, addr))
			ret = kprobe_site_add(f, addr, CALL_INSN_SIZE,
					      KPROBE_SITE_CALL);
	}
	return ret;
}
#endif /* CONFIG_HAVE_STATIC_CALL_INLINE */

#ifdef CONFIG_GENERIC_BUG
static unsigned long kprobe_bug_addr(const struct bug_entry *bug)
{
#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
	return (unsigned long)&bug->bug_addr_disp + bug->bug_addr_disp;
#else
	return bug->bug_addr;
#endif
}

/* The trap handler finds them by the address of their first byte. */
static int kprobe_fill_bugs(struct kprobe_fill *f)
{
	const struct bug_entry *bug = KPROBE_TABLE_OF(f->text->mod, bug_table,
						      __start___bug_table);
	unsigned int nr = KPROBE_TABLE_OF(f->text->mod, num_bugs,
					  __stop___bug_table -
					  __start___bug_table);
	int ret = 0;

	for (; nr && !ret; nr--, bug++) {
		unsigned long addr = kprobe_bug_addr(bug);

		if (kprobe_text_has(f->text, addr))
			ret = kprobe_site_add(f, addr, 1, KPROBE_SITE_BUG);
	}
	return ret;
}
#endif /* CONFIG_GENERIC_BUG */

static const kprobe_fill_fn kprobe_site_fills[] = {
#ifdef CONFIG_JUMP_LABEL
	kprobe_fill_labels,
#endif
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	kprobe_fill_calls,
#endif
#ifdef CONFIG_GENERIC_BUG
	kprobe_fill_bugs,
#endif
	NULL
};

/**
 * kprobe_text_with_sites() - the text at an address, whose sites are known
 * @addr: the address
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: the text; -ENOENT if it may not be probed any more, -ENOMEM.
 */
struct kprobe_text *kprobe_text_with_sites(unsigned long addr)
{
	struct kprobe_text *text = kprobe_text_at(addr);
	int ret = -ENOENT;

	if (text)
		ret = kprobe_text_make(text, &text->sites, kprobe_site_fills);
	return ret ? ERR_PTR(ret) : text;
}

/* Does an instruction of @len bytes at @at reach @from, or come behind? */
static bool kprobe_site_reaches(u32 at, u32 len, u32 from)
{
	return at >= from || from - at < len;
}

/**
 * kprobe_text_owner() - which subsystem do some instructions belong to?
 * @text: the text that they are in
 * @start: the first byte
 * @end: the byte after the last
 *
 * Context: kprobe_mutex held, since the core has prepared the point at @start, or
 * asked for its jump.
 * Return: the owner of any byte of them, else KPROBE_SITE_FREE; KPROBE_SITE_BUG
 * only if none of them is rewritten.
 */
enum kprobe_site_owner kprobe_text_owner(const struct kprobe_text *text,
					 unsigned long start, unsigned long end)
{
	const struct kprobe_marks *m = &text->sites;
	enum kprobe_site_owner found = KPROBE_SITE_FREE;
	u32 from = kprobe_text_key(text, start);
	unsigned int i;

	/* kprobe_text_with_sites() was not called, which is a bug: refuse. */
	if (WARN_ON_ONCE(!m->sorted))
		return KPROBE_SITE_LABEL;
	i = kprobe_marks_find(m, kprobe_text_key(text, end));
	while (i--) {
		u32 at = kprobe_mark_key(m->mark[i]), site = m->mark[i];

		if (!kprobe_site_reaches(at, KPROBE_SITE_MAX, from))
			break;
		if (!kprobe_site_reaches(at, site >> KPROBE_SITE_LEN_SHIFT, from))
			continue;
		found = site & KPROBE_SITE_OWNER;
		/* Look for a site that is rewritten: that matters more. */
		if (found != KPROBE_SITE_BUG)
			break;
	}
	return found;
}
