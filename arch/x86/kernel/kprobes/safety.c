// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the safety check of jump optimization. Execution must
 * not enter the region behind its first byte, by a branch or by a fixup; no
 * other subsystem may patch it; and its function has to go on behind it.
 */
#include <linux/bitmap.h>
#include <linux/ftrace.h>
#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/module.h>
#include <linux/string.h>
#include <asm/extable.h>
#include <asm/ibt.h>

#include "detour.h"
#include "func.h"
#include "insn.h"
#include "text.h"

/* Does another subsystem patch a byte of the region? */
static enum kprobe_nojump kprobe_region_reserved(const struct kprobe_region *r)
{
	if (kprobe_ftrace_site(r->start, r->end))
		return KPROBE_NOJUMP_FTRACE_SITE;
	switch (kprobe_text_owner(r->text, r->start, r->end)) {
	case KPROBE_SITE_LABEL:
		return KPROBE_NOJUMP_JUMP_LABEL;
	case KPROBE_SITE_CALL:
		return KPROBE_NOJUMP_STATIC_CALL;
	default:
		break;
	}
	if (kprobe_lock_reserved(r->start, r->end))
		return KPROBE_NOJUMP_ALTERNATIVE;
	return KPROBE_NOJUMP_NONE;
}

/*
 * An instruction in the exception table may fault, and the task may sleep until
 * the fault is resolved, and then come back to the instruction. RCU tasks does
 * not wait for that: a task that sleeps counts as being elsewhere. At the first
 * byte of the region it will find the jump; behind it, it would find the jump's
 * inner bytes. Instructions that do not access the user's memory do not sleep.
 * And there are fixups which decode the instruction, and go on behind it.
 */
static enum kprobe_nojump kprobe_extable_check(const struct kprobe_region *r,
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
		return KPROBE_NOJUMP_NONE;
	case EX_TYPE_ZEROPAD:
		return KPROBE_NOJUMP_FIXUP;
	case EX_TYPE_DEFAULT:
	case EX_TYPE_FAULT:
	case EX_TYPE_UACCESS:
	case EX_TYPE_BPF:
	case EX_TYPE_DEFAULT_MCE_SAFE:
	case EX_TYPE_FAULT_MCE_SAFE:
	case EX_TYPE_IMM_REG:
	case EX_TYPE_FAULT_SGX:
	case EX_TYPE_UCOPY_LEN:
	case EX_TYPE_ERETU:
		return at == r->start ? KPROBE_NOJUMP_NONE :
					KPROBE_NOJUMP_FAULT;
	default:
		/* A type that is unknown here. */
		return KPROBE_NOJUMP_FIXUP;
	}
}

/*
 * If the compiler makes jump tables, any indirect jump may go anywhere in the
 * function.
 */
static bool kprobe_jump_tables_possible(void)
{
	return !IS_ENABLED(CONFIG_MITIGATION_RETPOLINE) &&
	       !IS_ENABLED(CONFIG_X86_KERNEL_IBT);
}

/* The instructions of the region itself. */
static enum kprobe_nojump kprobe_insns_check(const struct kprobe_region *r)
{
	unsigned long at;
	enum kprobe_nojump nojump;
	u8 buf[MAX_INSN_SIZE];
	struct insn insn;

	for (at = r->start; at < r->end; at += insn.length) {
		nojump = kprobe_extable_check(r, at);
		if (nojump)
			return nojump;
		if (!kprobe_read_original(buf, at, sizeof(buf)) ||
		    insn_decode_kernel(&insn, buf))
			return KPROBE_NOJUMP_DECODE;
		/* Indirect branches may land here. */
		if (at != r->start && is_endbr(*(u32 *)buf))
			return KPROBE_NOJUMP_ENDBR;
		if (kprobe_starts_cfi_check(at, buf))
			return KPROBE_NOJUMP_TRAP;
	}
	return KPROBE_NOJUMP_NONE;
}

/*
 * Note where the branches of the function's other parts lead, if not done yet.
 */
static bool kprobe_func_complete(struct kprobe_func *f,
				 const struct kprobe_partners *ps)
{
	unsigned int i;

	/*
	 * @f has been decoded anew since the other parts were found needless.
	 */
	if (!f->whole && !ps->known)
		return false;
	for (i = 0; i < ps->nr && !f->whole; i++) {
		unsigned long end = ps->addr[i] + ps->size[i];

		if (kprobe_each_insn(ps->addr[i], end, kprobe_func_note_paths,
				     f) < end)
			return false;
	}
	f->whole = true;
	return f->stop >= f->end;
}

/* Is one of the bytes behind the region's first in @map? */
static bool kprobe_region_meets(const struct kprobe_region *r,
				const struct kprobe_func *f,
				const unsigned long *map)
{
	unsigned long end = r->end - f->start;

	return find_next_bit(map, end, r->start + 1 - f->start) < end;
}

/*
 * Does anything in the function lead into the region, behind its first byte?
 * Code that takes an address may go there without a branch, for example by
 * pushing it and returning. And does it load a segment register that a trap would
 * load for the handlers, while a detour does not?
 */
static enum kprobe_nojump
kprobe_func_check(const struct kprobe_region *r,
		  const struct kprobe_partners *ps)
{
	struct kprobe_func *f = kprobe_func_decode(r->start);

	if (IS_ERR(f) || !kprobe_func_complete(f, ps))
		return KPROBE_NOJUMP_DECODE;
	if (kprobe_region_meets(r, f, f->targets))
		return KPROBE_NOJUMP_BRANCH;
	if (kprobe_region_meets(r, f, f->named))
		return KPROBE_NOJUMP_ADDRESS;
	if (f->scaled || (f->indirect && kprobe_jump_tables_possible()))
		return KPROBE_NOJUMP_JUMP_TABLE;
	return f->segment ? KPROBE_NOJUMP_SEGMENT : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_segments_kept() - does a function leave the segments to C code?
 * @addr: an address in it
 *
 * Context: process context, kprobe_mutex held. May sleep.
 * Return: whether it does. On 64 bit, C code needs none.
 */
bool kprobe_segments_kept(unsigned long addr)
{
	struct kprobe_func *f;

	if (IS_ENABLED(CONFIG_X86_64))
		return true;
	guard(mutex)(&text_mutex);
	f = kprobe_func_decode(addr);
	return !IS_ERR(f) && f->stop >= f->end && !f->segment;
}

/**
 * kprobe_region_check() - may a jump replace the bytes of a region?
 * @r: the region, from kprobe_gen_detour()
 * @ps: the other parts of its function
 *
 * Context: process context, kprobe_mutex, jump_label_lock() and text_mutex held.
 * Return: why not, KPROBE_NOJUMP_NONE if it may.
 */
enum kprobe_nojump kprobe_region_check(const struct kprobe_region *r,
				       const struct kprobe_partners *ps)
{
	lockdep_assert_held(&text_mutex);
	if (kprobe_in_livepatch(r->text))
		return KPROBE_NOJUMP_LIVEPATCH;
	return kprobe_implicit_check(r) ?:
	       kprobe_region_reserved(r) ?:
	       kprobe_insns_check(r) ?:
	       kprobe_func_check(r, ps) ?:
	       (r->past_end ? KPROBE_NOJUMP_END : KPROBE_NOJUMP_NONE);
}
