// SPDX-License-Identifier: GPL-2.0
/*
 * What an architecture need not provide: the defaults of all functions of the
 * contract that have one. linux/kprobes_arch.h says what each has to do; this
 * file is the list of what a port may begin without.
 */
#include <linux/execmem.h>
#include <linux/init.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/notifier.h>
#include <asm/sections.h>

/* Where a probe goes, and where none may be. */

kprobe_opcode_t * __weak kprobe_lookup_name(const char *name,
					    unsigned int offset)
{
	return (kprobe_opcode_t *)kallsyms_lookup_name(name);
}

kprobe_opcode_t * __weak arch_adjust_kprobe_addr(unsigned long addr,
						 unsigned long offset,
						 bool *on_func_entry)
{
	*on_func_entry = !offset;
	return (kprobe_opcode_t *)(addr + offset);
}

bool __weak arch_within_kprobe_blacklist(unsigned long addr)
{
	return addr >= (unsigned long)__kprobes_text_start &&
	       addr < (unsigned long)__kprobes_text_end;
}

int __weak __init arch_populate_kprobe_blacklist(void)
{
	return 0;
}

void __weak arch_forget_kprobe_text(void)
{
}

/* Breakpoints. */

void __weak arch_arm_kprobes(struct kprobe **probes, unsigned int num)
{
	while (num--)
		arch_arm_kprobe(*probes++);
}

void __weak arch_disarm_kprobes(struct kprobe **probes, unsigned int num)
{
	while (num--)
		arch_disarm_kprobe(*probes++);
}

enum kprobe_way __weak arch_kprobe_way(struct kprobe *p)
{
	return KPROBE_WAY_STEPPED;
}

#ifdef __ARCH_WANT_KPROBES_INSN_SLOT
void * __weak alloc_insn_page(void)
{
	return execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);
}

void __weak free_insn_page(void *page)
{
	execmem_free(page);
}
#endif

/* Jumps. */

#ifdef CONFIG_OPTPROBES
void * __weak alloc_optinsn_page(void)
{
	return alloc_insn_page();
}

void __weak free_optinsn_page(void *page)
{
	free_insn_page(page);
}

int __weak arch_prepare_optimized_post(struct optimized_kprobe *op, bool in_use)
{
	return -EOPNOTSUPP;
}

void __weak arch_prepare_stub(struct optimized_kprobe *op)
{
}

void __weak arch_forget_redirects(void)
{
}
#endif /* CONFIG_OPTPROBES */

/* Returns. */

int __weak arch_trampoline_kprobe(struct kprobe *p)
{
	return 0;
}

/*
 * Only without frames, or without rethook: see linux/kprobes_legacy.h. These two
 * are the only ones here that run at a hit. As noinstr they can neither be probed
 * nor traced, and no sanitizer adds a call to them.
 */

#ifndef __ARCH_WANT_KPROBE_FRAMES
int __weak noinstr kprobe_exceptions_notify(struct notifier_block *nb,
					    unsigned long event, void *data)
{
	return NOTIFY_DONE;
}
#endif

#if defined(CONFIG_KRETPROBES) && !defined(CONFIG_KRETPROBE_ON_RETHOOK)
void __weak noinstr arch_kretprobe_fixup_return(struct pt_regs *regs,
						kprobe_opcode_t *correct_ret_addr)
{
}
#endif
