/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TEXT_H
#define _X86_KPROBES_TEXT_H

#include <linux/kprobes.h>
#include <linux/kprobes_debugger.h>
#include <linux/module.h>
#include <linux/types.h>
#include <asm/text-patching.h>

/*
 * Reading text as it is without probes, and writing copies of it.
 */
size_t kprobe_read_original(u8 *buf, unsigned long addr, size_t len);
bool kprobe_lock_reserved(unsigned long start, unsigned long end);
void kprobe_write_copy(kprobe_opcode_t *to, const u8 *buf, size_t len);
void kprobe_erase_copy(kprobe_opcode_t *at, size_t len);
bool kprobe_refuse(unsigned long addr, const char *reason);

/* Can a jump at @from go to a copy of @size bytes at @to, and one in the copy come back? */
static inline bool kprobe_in_reach(unsigned long from, unsigned long to, size_t size)
{
	long there = to - (from + JMP32_INSN_SIZE), back = from - (to + size);

	return there == (s32)there && back == (s32)back;
}

/* prepare.c */
bool kprobe_starts_cfi_check(unsigned long addr, const u8 *bytes);

#ifdef CONFIG_LIVEPATCH
/* Late relocations are applied to the text of a live patch while it is in use. */
static inline bool kprobe_in_livepatch(const struct kprobe_text *text)
{
	return text && text->mod && is_livepatch_module(text->mod);
}
#else
static inline bool kprobe_in_livepatch(const struct kprobe_text *text)
{
	return false;
}
#endif

/* poke.c */
void kprobe_poke_queue(void *addr, const u8 *bytes, size_t len);
void kprobe_poke_flush(void);

#endif /* _X86_KPROBES_TEXT_H */
