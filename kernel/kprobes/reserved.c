// SPDX-License-Identifier: GPL-2.0
/*
 * Instructions that belong to other subsystems: the sites of static keys and
 * static calls, which are rewritten, and those of BUG() and WARN(), which the
 * trap handler finds by their address.
 *
 * The tables of them are sorted by key, or not at all. So the sites are sorted by
 * address in a table of each text, see text.c.
 */
#include <linux/jump_label.h>
#include <linux/kprobes_debugger.h>
#include <linux/text_sites.h>

#include "internal.h"

/* The longest of these instructions. */
#define KPROBE_SITE_MAX		8

/* What is known of a site: its length, and an enum kprobe_site_owner. */
#define KPROBE_SITE_LEN_SHIFT	8
#define KPROBE_SITE_OWNER	GENMASK(KPROBE_SITE_LEN_SHIFT - 1, 0)

/* An architecture may have none of the subsystems below. */
static int __maybe_unused kprobe_site_add(struct kprobe_fill *f,
					  unsigned long addr, unsigned int len,
					  enum kprobe_site_owner owner)
{
	/* It may be in init text that is gone. */
	if (!kprobe_text_has(f->text, addr))
		return 0;
	return kprobe_fill_add(f, addr, len << KPROBE_SITE_LEN_SHIFT | owner);
}

#ifdef CONFIG_JUMP_LABEL
/* Text that is gone does not tell its length, nor does a debugger's breakpoint. */
static int kprobe_add_label(void *data, struct jump_entry *entry)
{
	unsigned long addr = jump_entry_code(entry);
	struct kprobe_fill *f = data;
	unsigned int len;

	if (!kprobe_text_has(f->text, addr))
		return 0;
	len = kprobe_debugged(addr) ? KPROBE_SITE_MAX : jump_entry_size(entry);
	return kprobe_site_add(f, addr, len, KPROBE_SITE_LABEL);
}

static int kprobe_fill_labels(struct kprobe_fill *f)
{
	return jump_label_for_each_entry(f->text->mod, kprobe_add_label, f);
}
#endif

#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
static int kprobe_add_call(void *data, unsigned long addr)
{
	return kprobe_site_add(data, addr, CALL_INSN_SIZE, KPROBE_SITE_CALL);
}

static int kprobe_fill_calls(struct kprobe_fill *f)
{
	return static_call_for_each_site(f->text->mod, kprobe_add_call, f);
}
#endif

#ifdef CONFIG_GENERIC_BUG
/* The trap handler finds it by the address of its first byte. */
static int kprobe_add_bug(void *data, unsigned long addr)
{
	return kprobe_site_add(data, addr, 1, KPROBE_SITE_BUG);
}

static int kprobe_fill_bugs(struct kprobe_fill *f)
{
	return bug_for_each_addr(f->text->mod, kprobe_add_bug, f);
}
#endif

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
