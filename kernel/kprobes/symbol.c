// SPDX-License-Identifier: GPL-2.0
/*
 * The functions that are probed, as the symbol table knows them.
 *
 * To look up a symbol takes thousands of instructions, in a module hundreds of
 * thousands. But most probes are in the function of the probe that was
 * registered before. So the last function of each text is kept.
 */
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/slab.h>
#include <linux/static_call.h>
#include <linux/string.h>

#include "internal.h"

/*
 * The hash in front of a function is data of kCFI, though it decodes; and
 * static_call_update() rewrites the trampolines of static calls.
 */
static bool kprobe_name_reserved(const char *name)
{
	return str_has_prefix(name, "__cfi_") ||
	       str_has_prefix(name, "__pfx_") ||
	       str_has_prefix(name, STATIC_CALL_TRAMP_PREFIX_STR);
}

/**
 * kprobe_name_forbidden() - is a function a copy of one that was marked?
 * @name: the name of a function; what follows a dot in it is cut off
 *
 * A copy that the compiler made ("name.isra.0") is forbidden as the function
 * is.
 *
 * Context: any.
 * Return: whether it is.
 */
bool kprobe_name_forbidden(char *name)
{
	char *dot = strchr(name, '.');
	unsigned long addr;

	if (!dot || dot == name)
		return false;
	*dot = '\0';
	addr = (unsigned long)kprobe_lookup_name(name, 0);
	return addr && kprobe_in_blacklist(addr);
}

static bool kprobe_symbol_lookup(struct kprobe_symbol *sym, unsigned long addr)
{
	unsigned long size, offset;
	char *module = NULL, name[KSYM_NAME_LEN];

	/* The name is in the memory of a module that may fail to load. */
	scoped_guard(preempt) {
		if (!kallsyms_lookup(addr, &size, &offset, &module, sym->name))
			return false;
		strscpy(sym->module, module ?: "");
	}
	sym->start = addr - offset;
	sym->end = sym->start + size;
	strscpy(name, sym->name);
	sym->reserved = kprobe_name_reserved(name);
	/* Cuts off what follows a dot in the name. */
	sym->forbidden = kprobe_name_forbidden(name);
	sym->part = kprobe_part_suffix(sym->name);
	return true;
}

/* Where to keep a function of @text; NULL if that is impossible. */
static struct kprobe_symbol *kprobe_symbol_memory(struct kprobe_text *text)
{
	if (text && !text->symbol)
		text->symbol = kzalloc(sizeof(*text->symbol), GFP_KERNEL);
	return text ? text->symbol : NULL;
}

/**
 * kprobe_symbol_at() - the function at an address
 * @addr: any address
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: the function, until the next call, or NULL.
 */
const struct kprobe_symbol *kprobe_symbol_at(unsigned long addr)
{
	struct kprobe_text *text = kprobe_text_at(addr);
	static struct kprobe_symbol other;
	struct kprobe_symbol *sym;

	if (text && text->symbol && addr >= text->symbol->start &&
	    addr < text->symbol->end)
		return text->symbol;
	/* No notifier says when text goes away that is not announced. */
	sym = kprobe_symbol_memory(text) ?: &other;
	sym->end = 0;
	return kprobe_symbol_lookup(sym, addr) ? sym : NULL;
}

/**
 * kprobe_symbol_bounds() - which function is an address in?
 * @addr: the address
 * @start: filled with the function's first byte
 * @end: filled with the byte after its last
 *
 * Context: process context, kprobe_mutex held.
 * Return: its name, until the next call, or NULL.
 */
const char *kprobe_symbol_bounds(unsigned long addr, unsigned long *start,
				 unsigned long *end)
{
	const struct kprobe_symbol *sym = kprobe_symbol_at(addr);

	if (!sym)
		return NULL;
	*start = sym->start;
	*end = sym->end;
	return sym->name;
}
