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
 * function once, for the kernel and for the last module that was looked up.
 * They are sorted by a hash of the name only, so that a part of another
 * function may be taken as well, which does no harm.
 */
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/sort.h>
#include <linux/string.h>
#include <linux/stringhash.h>
#include <asm/sections.h>

#include "detour.h"
#include "func.h"

/**
 * struct kprobe_cold - a part of a function that has been moved away
 * @hash: of the name of the function
 * @at: the distance of the part from the base
 */
struct kprobe_cold {
	u32 hash;
	s32 at;
};

/**
 * struct kprobe_colds - all such parts of the kernel, or of a module
 * @mod: the module
 * @base: an address in its text, or in the kernel's
 * @nr: how many there are
 * @room: for how many there is memory allocated
 * @known: all symbols have been looked at
 * @cold: sorted
 */
struct kprobe_colds {
	struct module *mod;
	unsigned long base;
	unsigned int nr;
	unsigned int room;
	bool known;
	struct kprobe_cold *cold;
};

/* Under kprobe_mutex. The first is constant once made. */
static struct kprobe_colds kprobe_kernel_colds, kprobe_module_colds;

static u32 kprobe_cold_hash(const char *name, size_t len)
{
	return full_name_hash(NULL, name, len);
}

static bool kprobe_colds_grow(struct kprobe_colds *c)
{
	unsigned int room = max(2 * c->room, 64U);
	struct kprobe_cold *cold;

	if (c->nr < c->room)
		return true;
	cold = kvmalloc_array(room, sizeof(*cold), GFP_KERNEL);
	if (!cold)
		return false;
	memcpy(cold, c->cold, c->nr * sizeof(*cold));
	kvfree(c->cold);
	c->cold = cold;
	c->room = room;
	return true;
}

static int kprobe_colds_add(void *data, const char *name, unsigned long addr)
{
	const char *suffix = kprobe_part_suffix(name);
	struct kprobe_colds *c = data;

	if (!suffix)
		return 0;
	if (!kprobe_colds_grow(c))
		return -ENOMEM;
	c->cold[c->nr++] = (struct kprobe_cold){
		.hash = kprobe_cold_hash(name, suffix - name),
		.at = addr - c->base,
	};
	return 0;
}

static int kprobe_cold_cmp(const void *a, const void *b)
{
	const struct kprobe_cold *x = a, *y = b;

	return x->hash < y->hash ? -1 : x->hash > y->hash;
}

static int kprobe_colds_make(struct kprobe_colds *c, struct module *mod)
{
	int ret;

	c->mod = mod;
	c->base = (unsigned long)KPROBE_TABLE_OF(mod, mem[MOD_TEXT].base,
						 (void *)_text);
	c->nr = 0;
	c->known = false;
	if (mod)
		ret = module_kallsyms_on_each_symbol(KPROBE_TABLE_OF(mod, name, NULL),
						     kprobe_colds_add, c);
	else
		ret = kallsyms_on_each_symbol(kprobe_colds_add, c);
	if (ret)
		return ret;
	sort(c->cold, c->nr, sizeof(*c->cold), kprobe_cold_cmp, NULL);
	c->known = true;
	return 0;
}

/* The parts in the kernel, or in @mod; NULL without memory. */
static struct kprobe_colds *kprobe_colds_of(struct module *mod)
{
	struct kprobe_colds *c = mod ? &kprobe_module_colds :
				       &kprobe_kernel_colds;

	if (c->known && c->mod == mod)
		return c;
	return kprobe_colds_make(c, mod) ? NULL : c;
}

/**
 * kprobe_forget_partners() - drop the parts in the module, which may go away
 *
 * Context: kprobe_mutex held.
 */
void kprobe_forget_partners(void)
{
	kprobe_module_colds.known = false;
}

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

/* The first part whose hash is not below @hash, or the number of parts. */
static unsigned int kprobe_colds_find(const struct kprobe_colds *c, u32 hash)
{
	unsigned int low = 0, high = c->nr;

	while (low < high) {
		unsigned int mid = low + (high - low) / 2;

		if (c->cold[mid].hash < hash)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

/* Add the parts of the function @name that have been moved away. */
static int kprobe_add_colds(struct kprobe_partners *ps,
			    const struct kprobe_colds *c, const char *name)
{
	u32 hash = kprobe_cold_hash(name, strlen(name));
	unsigned int i = kprobe_colds_find(c, hash);
	int ret = 0;

	for (; i < c->nr && c->cold[i].hash == hash && !ret; i++) {
		unsigned long addr = c->base + c->cold[i].at;

		/* The kernel's init text is gone. */
		if (!c->mod && !core_kernel_text(addr))
			continue;
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
static int kprobe_add_wholes(struct kprobe_partners *ps, struct module *mod,
			     const char *name, const char *suffix)
{
	strscpy(ps->name, name, suffix - name + 1);
	if (mod)
		return module_kallsyms_on_each_symbol(KPROBE_TABLE_OF(mod, name, NULL),
						      kprobe_match_module_whole,
						      ps);
	return kallsyms_on_each_match_symbol(kprobe_match_whole, ps->name, ps);
}

static enum kprobe_nojump kprobe_look_for_partners(struct kprobe_partners *ps,
						   unsigned long addr)
{
	struct module *mod = kprobe_text_module(addr);
	struct kprobe_colds *c = kprobe_colds_of(mod);
	const char *name, *suffix = NULL;
	unsigned long start, end;
	int ret;

	if (!c)
		return KPROBE_NOJUMP_NO_MEMORY;
	/* Without such parts there is no need to look up the name. */
	if (!c->nr)
		return KPROBE_NOJUMP_NONE;
	name = kprobe_symbol_bounds(addr, &start, &end);
	if (!name)
		return KPROBE_NOJUMP_NO_SYMBOL;
	suffix = kprobe_part_suffix(name);
	ret = suffix ? kprobe_add_wholes(ps, mod, name, suffix) :
		       kprobe_add_colds(ps, c, name);
	return ret ? KPROBE_NOJUMP_PARTS : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_find_partners() - find the other parts of a function
 * @addr: an address in it
 * @ps: filled with the parts
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: why they could not be found, KPROBE_NOJUMP_NONE if they were.
 */
enum kprobe_nojump kprobe_find_partners(unsigned long addr,
					struct kprobe_partners *ps)
{
	struct kprobe_func *f = kprobe_func_decoded(addr);
	enum kprobe_nojump nojump;

	ps->nr = 0;
	ps->known = false;
	/* The branches of the other parts have been noted already. */
	if (f && f->whole)
		return KPROBE_NOJUMP_NONE;
	nojump = kprobe_look_for_partners(ps, addr);
	ps->known = !nojump;
	return nojump;
}
