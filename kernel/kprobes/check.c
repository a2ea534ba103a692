// SPDX-License-Identifier: GPL-2.0
/*
 * Which address a probe is for, and whether it may be there. All of this is
 * checked before anything is changed.
 */
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/module.h>

#include "internal.h"

/* Find what (@addr or @sym) + @offset is. */
static int kprobe_locate(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset, unsigned long *location)
{
	if (!addr == !sym)
		return -EINVAL;
	if (sym) {
		addr = kprobe_lookup_name(sym, offset);
		if (!addr)
			return -ENOENT;
	}
	*location = (unsigned long)addr + offset;
	return 0;
}

/**
 * kprobe_resolve() - find the address that a user asks for
 * @kp: the user's kprobe
 * @addr: filled with the address of the point
 * @on_func_entry: filled with whether a function starts there
 *
 * Context: process context, kprobe_mutex held.
 * Return: 0, -EINVAL (both or neither of address and symbol), -ENOENT (no such
 * symbol, or no symbol covers the address).
 */
int kprobe_resolve(struct kprobe *kp, kprobe_opcode_t **addr,
		   bool *on_func_entry)
{
	const struct kprobe_symbol *symbol;
	unsigned long location;
	int ret;

	ret = kprobe_locate(kp->addr, kp->symbol_name, kp->offset, &location);
	if (ret)
		return ret;
	symbol = kprobe_symbol_at(location);
	if (!symbol)
		return -ENOENT;
	*addr = arch_adjust_kprobe_addr(symbol->start, location - symbol->start,
					on_func_entry);
	if (symbol->part)
		*on_func_entry = false;
	return *addr ? 0 : -EINVAL;
}

static bool kprobe_in_part(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	return !lookup_symbol_name(addr, name) && kprobe_part_suffix(name);
}

/**
 * kprobe_on_func_entry() - is a location the entry of a function?
 * @addr: an address, or NULL
 * @sym: a symbol's name, or NULL; exactly one of the two is given
 * @offset: bytes to add
 *
 * Takes no lock: perf calls this with the mutex of a CPU's events held, which
 * CPU hotplug takes inside of its own lock, and kprobe_mutex is taken outside
 * of that. So the symbol that symbol.c keeps under kprobe_mutex cannot be used
 * here.
 *
 * Context: process context.
 * Return: 0 if it is, -EINVAL if it is not, -ENOENT if there is no such symbol.
 */
int kprobe_on_func_entry(kprobe_opcode_t *addr, const char *sym,
			 unsigned long offset)
{
	unsigned long location, size, inside;
	bool on_func_entry;
	int ret;

	ret = kprobe_locate(addr, sym, offset, &location);
	if (ret)
		return ret;
	if (!kallsyms_lookup_size_offset(location, &size, &inside))
		return -ENOENT;
	if (!arch_adjust_kprobe_addr(location - inside, inside, &on_func_entry))
		return -EINVAL;
	return on_func_entry && !kprobe_in_part(location) ? 0 : -EINVAL;
}

#ifdef CONFIG_DYNAMIC_FTRACE
static unsigned long kprobe_ftrace_range(unsigned long start, unsigned long last)
{
	return ftrace_location_range(start, last);
}
#else
static unsigned long kprobe_ftrace_range(unsigned long start, unsigned long last)
{
	return 0;
}
#endif

/**
 * kprobe_ftrace_site() - find an ftrace site
 * @start: where to look
 * @end: behind the last byte to look at
 *
 * Return: the address of one that has a byte there, 0 if there is none.
 */
unsigned long kprobe_ftrace_site(unsigned long start, unsigned long end)
{
	return kprobe_ftrace_range(start, end - 1);
}

/*
 * An ftrace site is probed through ftrace, and only at its first byte: ftrace
 * rewrites all of it at any time, as one instruction.
 */
static int kprobe_check_ftrace(unsigned long addr, bool *ftrace)
{
	unsigned long site = kprobe_ftrace_site(addr, addr + 1);

	*ftrace = false;
	if (!site)
		return 0;
	if (addr != site)
		return -EILSEQ;
	if (!IS_ENABLED(CONFIG_KPROBES_ON_FTRACE))
		return -EINVAL;
	*ftrace = true;
	return 0;
}

/**
 * within_kprobe_blacklist() - is it forbidden to probe an address?
 * @addr: an address in kernel text
 *
 * Context: any.
 * Return: whether it is.
 */
bool within_kprobe_blacklist(unsigned long addr)
{
	char name[KSYM_NAME_LEN];

	if (kprobe_in_blacklist(addr))
		return true;
	return !lookup_symbol_name(addr, name) && kprobe_name_forbidden(name);
}

/* Does another subsystem patch this byte, or a trap handler look it up? */
static int kprobe_check_owner(unsigned long addr)
{
	struct kprobe_text *text = kprobe_text_with_sites(addr);

	if (IS_ERR(text))
		return PTR_ERR(text);
	return kprobe_text_owner(text, addr, addr + 1) ? -EINVAL : 0;
}

/**
 * kprobe_check_text() - may there be a probe point here at all?
 * @addr: an address in text that cannot go away now
 * @ftrace: filled with whether the address is an ftrace site
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: 0, -EINVAL, -EILSEQ, -ENOENT or -ENOMEM.
 */
int kprobe_check_text(kprobe_opcode_t *addr, bool *ftrace)
{
	unsigned long a = (unsigned long)addr;
	const struct kprobe_symbol *sym;
	int ret;

	ret = kprobe_check_ftrace(a, ftrace);
	if (ret)
		return ret;
	if (kprobe_in_blacklist(a))
		return -EINVAL;
	sym = kprobe_symbol_at(a);
	if (sym && (sym->reserved || sym->forbidden))
		return -EINVAL;
	return kprobe_check_owner(a);
}
