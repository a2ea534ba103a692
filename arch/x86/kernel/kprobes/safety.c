// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the safety check of jump optimization. Nothing may
 * lead into the region behind its first byte: no branch, no fixup, no other
 * patcher of text, and its function has to go on behind it.
 */
#include <linux/ftrace.h>
#include <linux/jump_label.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/string.h>
#include <asm/alternative.h>
#include <asm/extable.h>
#include <asm/ibt.h>

#include "detour.h"
#include "insn.h"
#include "text.h"

static bool kprobe_region_inside(const struct kprobe_region *r,
				 unsigned long addr)
{
	return addr > r->start && addr < r->end;
}

/* What others patch, and read by its address. */
static enum kprobe_unopt kprobe_region_reserved(const struct kprobe_region *r)
{
	void *start = (void *)r->start, *end = (void *)r->end - 1;

	if (ftrace_text_reserved(start, end))
		return KPROBE_UNOPT_FTRACE_SITE;
	if (jump_label_text_reserved(start, end))
		return KPROBE_UNOPT_JUMP_LABEL;
	if (static_call_text_reserved(start, end))
		return KPROBE_UNOPT_STATIC_CALL;
	if (alternatives_text_reserved(start, end))
		return KPROBE_UNOPT_ALTERNATIVE;
	return KPROBE_UNOPT_NONE;
}

/*
 * A fault of an instruction that is in the exception table may be resolved by
 * a task that sleeps, and comes back to the instruction: nobody knows when, for
 * who sleeps counts as being elsewhere. At the first byte of the region there
 * will be something to come back to; behind it, there will not. Only those that
 * do not access the user's memory do not sleep. And there are fixups which
 * decode the instruction, and go on behind it.
 */
static enum kprobe_unopt kprobe_extable_check(const struct kprobe_region *r,
					      unsigned long at)
{
	switch (ex_get_fixup_type(at)) {
	case EX_TYPE_NONE:
	case EX_TYPE_CLEAR_FS:
	case EX_TYPE_FPU_RESTORE:
	case EX_TYPE_WRMSR:
	case EX_TYPE_RDMSR:
	case EX_TYPE_WRMSR_SAFE:
	case EX_TYPE_RDMSR_SAFE:
	case EX_TYPE_WRMSR_IN_MCE:
	case EX_TYPE_RDMSR_IN_MCE:
	case EX_TYPE_POP_REG:
		return KPROBE_UNOPT_NONE;
	case EX_TYPE_ZEROPAD:
		return KPROBE_UNOPT_FIXUP;
	default:
		return at == r->start ? KPROBE_UNOPT_NONE : KPROBE_UNOPT_FAULT;
	}
}

/* With jump tables, an indirect jump could go anywhere in the function. */
static bool kprobe_jump_tables_possible(void)
{
	return !IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) &&
	       !IS_ENABLED(CONFIG_X86_KERNEL_IBT);
}

/*
 * Who takes the address of a place may go there in a way that no look at
 * branches tells, for example by pushing it and returning.
 */
static bool kprobe_insn_names_inside(const struct kprobe_region *r,
				     struct insn *insn, unsigned long at)
{
	unsigned long value = (long)insn->immediate.value;

	if (insn_rip_relative(insn) &&
	    kprobe_region_inside(r, at + insn->length + insn->displacement.value))
		return true;
	if (insn->immediate2.nbytes == 4)
		value = (u32)value | (unsigned long)insn->immediate2.value << 32;
	return insn->immediate.nbytes == 4 && kprobe_region_inside(r, value);
}

static enum kprobe_unopt kprobe_insn_check(const struct kprobe_region *r,
					   struct insn *insn, unsigned long at)
{
	enum kprobe_unopt unopt = KPROBE_UNOPT_NONE;
	unsigned long target;

	if (at >= r->start && at < r->end)
		unopt = kprobe_extable_check(r, at);
	if (unopt)
		return unopt;
	/* Indirect branches may land here. */
	if (kprobe_region_inside(r, at) && is_endbr(*(u32 *)insn->kaddr))
		return KPROBE_UNOPT_ENDBR;
	if (kprobe_insn_branch_target(insn, at, &target))
		return kprobe_region_inside(r, target) ? KPROBE_UNOPT_BRANCH :
							 KPROBE_UNOPT_NONE;
	if (kprobe_insn_names_inside(r, insn, at))
		return KPROBE_UNOPT_ADDRESS;
	if (kprobe_insn_is_indirect_jump(insn) && kprobe_jump_tables_possible())
		return KPROBE_UNOPT_JUMP_TABLE;
	return KPROBE_UNOPT_NONE;
}

/* Does anything in [@at, @end) lead into the region, behind its first byte? */
static enum kprobe_unopt kprobe_range_check(const struct kprobe_region *r,
					    unsigned long at, unsigned long end)
{
	enum kprobe_unopt unopt;
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	for (; at < end; at += insn.length) {
		if (!kprobe_read_original(buf, at, sizeof(buf)) ||
		    insn_decode_kernel(&insn, buf))
			return KPROBE_UNOPT_DECODE;
		unopt = kprobe_insn_check(r, &insn, at);
		if (unopt)
			return unopt;
	}
	return KPROBE_UNOPT_NONE;
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

static int kprobe_match_partner(void *data, unsigned long addr)
{
	return kprobe_add_partner(data, addr);
}

#ifdef CONFIG_MODULES
static int kprobe_match_module_partner(void *data, const char *name,
				       unsigned long addr)
{
	struct kprobe_partners *ps = data;

	return strcmp(name, ps->name) ? 0 : kprobe_add_partner(ps, addr);
}

static int kprobe_each_module_symbol(struct module *mod,
				     struct kprobe_partners *ps)
{
	return module_kallsyms_on_each_symbol(mod->name,
					      kprobe_match_module_partner, ps);
}
#else
static int kprobe_each_module_symbol(struct module *mod,
				     struct kprobe_partners *ps)
{
	return 0;
}
#endif

/* From a function to its cold part, or the other way. */
static bool kprobe_partner_name(unsigned long addr, char *name)
{
	char *cold;

	if (lookup_symbol_name(addr, name))
		return false;
	cold = strstr(name, ".cold");
	if (cold)
		*cold = '\0';
	else if (strlcat(name, ".cold", KSYM_NAME_LEN) >= KSYM_NAME_LEN)
		return false;
	return true;
}

static struct module *kprobe_module_of(unsigned long addr)
{
	guard(preempt)();
	return __module_text_address(addr);
}

/**
 * kprobe_find_partners() - find what else may be part of a function
 * @addr: an address in it
 * @ps: filled with the parts
 *
 * The compiler moves what is rarely executed into a part of its own, with a
 * name of its own. Functions of one name may have several; all of them are
 * taken, since nothing tells which belongs to which.
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: what hindered to find all of them, KPROBE_UNOPT_NONE if nothing.
 */
enum kprobe_unopt kprobe_find_partners(unsigned long addr,
				       struct kprobe_partners *ps)
{
	struct module *mod = kprobe_module_of(addr);
	int ret;

	ps->nr = 0;
	if (!kprobe_partner_name(addr, ps->name))
		return KPROBE_UNOPT_NO_SYMBOL;
	if (mod)
		ret = kprobe_each_module_symbol(mod, ps);
	else
		ret = kallsyms_on_each_match_symbol(kprobe_match_partner,
						    ps->name, ps);
	return ret ? KPROBE_UNOPT_PARTS : KPROBE_UNOPT_NONE;
}

/**
 * kprobe_region_check() - may a jump replace the bytes of a region?
 * @r: the region
 * @ps: the other parts of its function
 *
 * Context: process context, kprobe_mutex, jump_label_lock() and text_mutex held.
 * Return: why not, KPROBE_UNOPT_NONE if it may.
 */
enum kprobe_unopt kprobe_region_check(const struct kprobe_region *r,
				      const struct kprobe_partners *ps)
{
	enum kprobe_unopt unopt;
	unsigned int i;

	lockdep_assert_held(&text_mutex);
	unopt = kprobe_hidden_check(r) ?:
		kprobe_region_reserved(r) ?:
		kprobe_range_check(r, r->func, r->func_end);
	for (i = 0; i < ps->nr && !unopt; i++)
		unopt = kprobe_range_check(r, ps->addr[i],
					   ps->addr[i] + ps->size[i]);
	return unopt;
}
