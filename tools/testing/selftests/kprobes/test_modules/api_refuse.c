// SPDX-License-Identifier: GPL-2.0
/*
 * What must not be probed, and what the caller is told. The module's own
 * tables say where its jump label, static call and WARN sites are.
 */
#include <linux/bug.h>
#include <linux/errno.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/module.h>
#include <linux/static_call.h>
#include <linux/vmalloc.h>

#include "kprobe_api.h"

/* The errno of a registration that is undone when there is none. */
static int try(struct kprobe *kp)
{
	int err = register_kprobe(kp);

	if (!err)
		unregister_kprobe(kp);
	return err;
}

static int try_addr(unsigned long addr)
{
	struct kprobe kp = { .addr = (kprobe_opcode_t *)addr };

	return try(&kp);
}

static int try_symbol(const char *symbol, unsigned int offset)
{
	struct kprobe kp = { .symbol_name = symbol, .offset = offset };

	return try(&kp);
}

static void symbol_and_address(struct kt *t)
{
	struct kprobe kp = {
		.symbol_name = "kt_plain",
		.addr = (kprobe_opcode_t *)kt_plain,
	};

	KT_EQ(t, try(&kp), -EINVAL);
}

static void neither_symbol_nor_address(struct kt *t)
{
	KT_EQ(t, try_addr(0), -EINVAL);
}

static void unknown_symbol(struct kt *t)
{
	KT_EQ(t, try_symbol("kt_there_is_no_such_function", 0), -ENOENT);
	KT_EQ(t, try_symbol("no_such_module:kt_plain", 0), -ENOENT);
	KT_EQ(t, try_symbol("kprobe_api:kt_plain", 0), -ENOENT);
}

static bool is_boundary(unsigned int offset)
{
	unsigned int i;

	for (i = 0; i < kt_asm_count; i++) {
		if (kt_asm_insns[i] == offset)
			return true;
	}
	return false;
}

static void inside_an_instruction(struct kt *t)
{
	unsigned int offset, tried = 0;

	if (!kt_asm_count)
		return kt_skip(t, "no kt_asm() for this architecture");
	for (offset = kt_asm_insns[0]; offset < kt_asm_insns[9]; offset++) {
		if (is_boundary(offset))
			continue;
		KT_EQ(t, try_symbol("kt_asm", offset), -EILSEQ);
		KT_EQ(t, try_addr((unsigned long)kt_asm + offset), -EILSEQ);
		tried++;
	}
	KT_EQ(t, tried, kt_asm_insns[9] - kt_asm_insns[0] - 9);
	kt_call(t, kt_asm, 4);
}

/* No byte of it is one of an ftrace site, where another errno would be right. */
static noinline notrace int kt_nokprobe_plain(int x)
{
	barrier();
	return x + 1;
}

NOKPROBE_SYMBOL(kt_nokprobe_plain);

static void nokprobe_functions(struct kt *t)
{
	KT_EQ(t, try_symbol("kt_nokprobe", 0), -EINVAL);
	KT_EQ(t, try_addr((unsigned long)kt_nokprobe), -EINVAL);
	kt_call(t, kt_nokprobe, 4);
	KT_EQ(t, kt_nokprobe_plain(1), 2);
	KT_EQ(t, try_addr((unsigned long)kt_nokprobe_plain), -EINVAL);
	KT_EQ(t, try_addr((unsigned long)kt_nokprobe_plain + 1), -EINVAL);
}

static noinstr void kt_noinstr(void)
{
	barrier();
}

/* Drivers of idle states are modules, too, and RCU does not watch in them. */
static __cpuidle void kt_cpuidle(void)
{
	barrier();
}

static void noinstr_functions(struct kt *t)
{
	kt_noinstr();
	KT_EQ(t, try_addr((unsigned long)kt_noinstr), -EINVAL);
	kt_cpuidle();
	KT_EQ(t, try_addr((unsigned long)kt_cpuidle), -EINVAL);
#ifdef CONFIG_X86
	KT_EQ(t, try_symbol("exc_int3", 0), -EINVAL);
	KT_EQ(t, try_symbol("exc_nmi", 0), -EINVAL);
	KT_EQ(t, try_symbol("exc_page_fault", 0), -EINVAL);
	KT_EQ(t, try_symbol("irqentry_nmi_enter", 0), -EINVAL);
#endif
}

static void entry_text(struct kt *t)
{
#ifdef CONFIG_X86
	if (IS_ENABLED(CONFIG_X86_64))
		KT_EQ(t, try_symbol("entry_SYSCALL_64", 0), -EINVAL);
	else
		KT_EQ(t, try_symbol("entry_INT80_32", 0), -EINVAL);
	KT_EQ(t, try_symbol("asm_exc_int3", 0), -EINVAL);
	KT_EQ(t, try_symbol("asm_exc_page_fault", 0), -EINVAL);
#else
	kt_skip(t, "no names known for this architecture");
#endif
}

static void own_text(struct kt *t)
{
	KT_EQ(t, try_symbol("get_kprobe", 0), -EINVAL);
	KT_EQ(t, try_symbol("kprobe_fault_handler", 0), -EINVAL);
#ifdef CONFIG_X86
	KT_EQ(t, try_symbol("kprobe_int3_handler", 0), -EINVAL);
	KT_EQ(t, try_symbol("poke_int3_handler", 0), -EINVAL);
#endif
}

static unsigned long kt_data[4];

/* Data has a symbol, so it is found, and refused for not being text. */
static void no_text(struct kt *t)
{
	KT_EQ(t, try_addr((unsigned long)kt_data), -EINVAL);
	KT_EQ(t, try_symbol("kt_asm_insns", 0), -EINVAL);
	KT_EQ(t, try_symbol("jiffies", 0), -EINVAL);
}

/*
 * Not even a symbol is there. What is not from vmalloc() may be in memory of the kernel's
 * image that was freed, and that has symbols.
 */
static void no_symbol_covers_it(struct kt *t)
{
	void *mapped = vmalloc(PAGE_SIZE);

	KT_EQ(t, try_addr((unsigned long)mapped), -ENOENT);
	KT_EQ(t, try_addr(8), -ENOENT);
	KT_EQ(t, try_addr(0x400000), -ENOENT);
	KT_EQ(t, try_addr(-8UL), -ENOENT);
#ifdef CONFIG_X86_64
	/* Not even an address. */
	KT_EQ(t, try_addr(0x8000000000001000), -ENOENT);
#endif
	vfree(mapped);
}

/* Bytes of an ftrace site other than the first. */
static void inside_an_ftrace_site(struct kt *t)
{
	struct kprobe kp = { .symbol_name = "kt_entry" };
	unsigned long i, addr;

	KT_EQ(t, register_kprobe(&kp), 0);
	addr = (unsigned long)kp.addr;
	if (!IS_ENABLED(CONFIG_X86) || !kprobe_ftrace(&kp)) {
		unregister_kprobe(&kp);
		return kt_skip(t, "no ftrace site of a known size");
	}
	unregister_kprobe(&kp);
	for (i = 1; i < 5; i++)
		KT_EQ(t, try_addr(addr + i), -EILSEQ);
	kt_call(t, kt_entry, 3);
}

static DEFINE_STATIC_KEY_FALSE(kt_key);

static noinline bool kt_jump_label_user(void)
{
	return static_branch_unlikely(&kt_key);
}

static void jump_label_sites(struct kt *t)
{
#if defined(CONFIG_JUMP_LABEL) && defined(CONFIG_HAVE_ARCH_JUMP_LABEL_RELATIVE)
	unsigned int i, tried = 0;

	KT_EQ(t, kt_jump_label_user(), 0);
	for (i = 0; i < THIS_MODULE->num_jump_entries; i++) {
		struct jump_entry *e = &THIS_MODULE->jump_entries[i];

		if (jump_entry_is_init(e))
			continue;
		KT_EQ(t, try_addr(jump_entry_code(e)), -EINVAL);
		tried++;
	}
	KT_TRUE(t, tried > 0);
#else
	kt_skip(t, "no jump labels");
#endif
}

static noinline int kt_five(void)
{
	return 5;
}

DEFINE_STATIC_CALL(kt_static_call, kt_five);

static void static_call_sites(struct kt *t)
{
#ifdef CONFIG_HAVE_STATIC_CALL_INLINE
	int i;

	KT_EQ(t, static_call(kt_static_call)(), 5);
	for (i = 0; i < THIS_MODULE->num_static_call_sites; i++) {
		struct static_call_site *s = &THIS_MODULE->static_call_sites[i];

		KT_EQ(t, try_addr((long)s->addr + (long)&s->addr), -EINVAL);
	}
	KT_TRUE(t, i > 0);
	KT_EQ(t, static_call(kt_static_call)(), 5);
#else
	kt_skip(t, "no static call sites");
#endif
}

static noinline int kt_warner(int n)
{
	OPTIMIZER_HIDE_VAR(n);
	WARN_ON(n == 12345);
	return n;
}

#ifdef CONFIG_GENERIC_BUG_RELATIVE_POINTERS
static unsigned long kt_bug_addr(const struct bug_entry *b)
{
	return (unsigned long)&b->bug_addr_disp + b->bug_addr_disp;
}
#elif defined(CONFIG_GENERIC_BUG)
static unsigned long kt_bug_addr(const struct bug_entry *b)
{
	return b->bug_addr;
}
#endif

static void bug_sites(struct kt *t)
{
	/* Where a warning is a call, it is in no table. */
#if defined(CONFIG_GENERIC_BUG) && defined(__WARN_FLAGS)
	unsigned int i;

	KT_EQ(t, kt_warner(3), 3);
	for (i = 0; i < THIS_MODULE->num_bugs; i++)
		KT_EQ(t, try_addr(kt_bug_addr(&THIS_MODULE->bug_table[i])), -EINVAL);
	KT_TRUE(t, i > 0);
#else
	kt_skip(t, "no table that has WARN() sites");
#endif
}

/* A landing pad at its start, a probe on which goes behind it: never on it. */
static void landing_pad(struct kt *t)
{
#if defined(CONFIG_X86_KERNEL_IBT)
	struct kt_probe p;
	u32 before = *(u32 *)kt_asm;

	kt_probe_addr(&p, kt_asm);
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, (void *)p.kp.addr - (void *)kt_asm, 4);
	KT_EQ(t, *(u32 *)kt_asm, before);
	kt_call(t, kt_asm, 6);
	unregister_kprobe(&p.kp);
	KT_EQ(t, kt_hits(&p), 6);
#else
	kt_skip(t, "no landing pads");
#endif
}

/* 6.12: warns. */
static void registered_twice(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	KT_EQ(t, register_kprobe(&p.kp), 0);
	KT_EQ(t, register_kprobe(&p.kp), -EINVAL);
	kt_call(t, kt_plain, 5);
	KT_EQ(t, kt_hits(&p), 5);
	unregister_kprobe(&p.kp);
	kt_call(t, kt_plain, 5);
	KT_EQ(t, kt_hits(&p), 5);
}

/* Taking away what is not there says so by clearing the address. */
static void unregistered_unregistered(struct kt *t)
{
	struct kt_probe p, other;

	kt_probe_addr(&p, kt_plain);
	unregister_kprobe(&p.kp);
	KT_EQ(t, (long)p.kp.addr, 0);

	kt_probe_addr(&other, kt_plain);
	KT_EQ(t, register_kprobe(&other.kp), 0);
	kt_probe_addr(&p, kt_plain);
	unregister_kprobe(&p.kp);
	KT_EQ(t, (long)p.kp.addr, 0);
	kt_call(t, kt_plain, 3);
	KT_EQ(t, kt_hits(&other), 3);
	unregister_kprobe(&other.kp);
}

static void switched_unregistered(struct kt *t)
{
	struct kt_probe p;

	kt_probe_addr(&p, kt_plain);
	KT_EQ(t, enable_kprobe(&p.kp), -EINVAL);
	KT_EQ(t, disable_kprobe(&p.kp), -EINVAL);
}

const struct kt_case kt_refuse_cases[] = {
	{ "symbol_and_address", symbol_and_address },
	{ "neither_symbol_nor_address", neither_symbol_nor_address },
	{ "unknown_symbol", unknown_symbol },
	{ "inside_an_instruction", inside_an_instruction },
	{ "nokprobe_functions", nokprobe_functions },
	{ "noinstr_functions", noinstr_functions },
	{ "entry_text", entry_text },
	{ "own_text", own_text },
	{ "no_text", no_text },
	{ "no_symbol_covers_it", no_symbol_covers_it },
	{ "inside_an_ftrace_site", inside_an_ftrace_site },
	{ "jump_label_sites", jump_label_sites },
	{ "static_call_sites", static_call_sites },
	{ "bug_sites", bug_sites },
	{ "landing_pad", landing_pad },
	{ "registered_twice", registered_twice },
	{ "unregistered_unregistered", unregistered_unregistered },
	{ "switched_unregistered", switched_unregistered },
	KT_END
};
