// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the preparation of a point. Which address is meant,
 * whether a probe may be there, and the copies of the instruction.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cfi.h>
#include <linux/cpufeature.h>
#include <linux/execmem.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/set_memory.h>
#include <linux/slab.h>
#include <linux/uaccess.h>
#include <asm/ibt.h>
#include <asm/text-patching.h>

#include "func.h"
#include "insn.h"
#include "text.h"

#ifdef CONFIG_X86_KERNEL_IBT
static bool kprobe_endbr_at(unsigned long addr)
{
	u32 word;

	if (copy_from_kernel_nofault(&word, (void *)addr, sizeof(word)))
		return false;
	return is_endbr(word);
}
#else
static bool kprobe_endbr_at(unsigned long addr)
{
	return false;
}
#endif

/*
 * The landing pad of an indirect branch must not be changed: step over it. The
 * address behind it is the function's entry, too, whether a user has asked for
 * the function or for the ftrace site that follows.
 */
kprobe_opcode_t *arch_adjust_kprobe_addr(unsigned long addr,
					 unsigned long offset,
					 bool *on_func_entry)
{
	bool endbr = kprobe_endbr_at(addr);

	*on_func_entry = !offset || (endbr && offset == ENDBR_INSN_SIZE);
	if (endbr && !offset)
		offset = ENDBR_INSN_SIZE;
	return (kprobe_opcode_t *)(addr + offset);
}

/*
 * The trap of a failed kCFI check is explained by decoding the two
 * instructions in front of it, so those must stay as they are:
 *	movl $-hash, %r10d (6 bytes); addl -4(%reg), %r10d (4); je +2 (2); ud2
 */
static bool kprobe_in_cfi_check(unsigned long addr)
{
	return is_cfi_trap(addr + 12) || is_cfi_trap(addr + 6);
}

/**
 * kprobe_starts_cfi_check() - does a kCFI check begin here?
 * @addr: the address of an instruction
 * @bytes: the instruction
 *
 * Return: whether it is the first one that is decoded when the check fails.
 */
bool kprobe_starts_cfi_check(unsigned long addr, const u8 *bytes)
{
	/* To look up the trap takes long, so first: movl $imm32, %r10d. */
	return bytes[0] == 0x41 && bytes[1] == 0xba && is_cfi_trap(addr + 12);
}

static const char *kprobe_addr_taken(unsigned long addr)
{
	if (kprobe_lock_reserved(addr, addr + 1))
		return "its lock prefix may be patched";
	if (kprobe_in_cfi_check(addr))
		return "it is decoded when a CFI check fails";
	if (cpu_feature_enabled(X86_FEATURE_IBT) && kprobe_endbr_at(addr))
		return "indirect branches have to land on it";
	return NULL;
}

/*
 * Check the address, and read the instruction there. Other subsystems patch
 * text under text_mutex, so with it held all of the text decodes.
 */
static int kprobe_check_addr(unsigned long addr, u8 *bytes, size_t *avail)
{
	const char *taken;
	int ret;

	guard(mutex)(&text_mutex);
	ret = kprobe_check_boundary(addr);
	if (ret)
		return ret;
	taken = kprobe_addr_taken(addr);
	if (taken && kprobe_refuse(addr, taken))
		return -EINVAL;
	*avail = kprobe_read_original(bytes, addr, *avail);
	return 0;
}

/* Make a copy of the instruction in @buf, to run at @at. Returns its length. */
static int kprobe_make_copy(u8 *buf, const u8 *bytes, unsigned long from,
			    unsigned long at, u8 len)
{
	struct insn insn;

	if (insn_decode_kernel(&insn, bytes))
		return -EILSEQ;
	memset(buf, INT3_INSN_OPCODE, KPROBE_STEP_OFFSET);
	return kprobe_insn_copy(buf, bytes, &insn, from, at);
}

static int kprobe_fill_slot(struct kprobe *p, const u8 *bytes)
{
	const struct kprobe_insn_class *class = p->ainsn.class;
	unsigned long from = (unsigned long)p->addr;
	unsigned long slot = (unsigned long)p->ainsn.insn;
	u8 buf[KPROBE_SLOT_SIZE];
	int ret;

	if (!kprobe_in_reach(from, slot, sizeof(buf)))
		return -ERANGE;
	memset(buf, INT3_INSN_OPCODE, sizeof(buf));
	ret = kprobe_make_copy(buf, bytes, from, slot, class->len);
	if (ret < 0)
		return ret;
	__text_gen_insn(buf + class->len, JMP32_INSN_OPCODE,
			(void *)(slot + class->len), (void *)(from + class->len),
			JMP32_INSN_SIZE);
	ret = kprobe_make_copy(buf + KPROBE_STEP_OFFSET, bytes, from,
			       slot + KPROBE_STEP_OFFSET, class->len);
	if (ret < 0)
		return ret;
	kprobe_write_copy(p->ainsn.insn, buf, sizeof(buf));
	return 0;
}

static int kprobe_make_slot(struct kprobe *p, const u8 *bytes)
{
	int ret;

	p->ainsn.insn = get_insn_slot();
	if (!p->ainsn.insn)
		return -ENOMEM;
	ret = kprobe_fill_slot(p, bytes);
	if (ret) {
		free_insn_slot(p->ainsn.insn, 0);
		p->ainsn.insn = NULL;
		return ret;
	}
	kprobe_set_slot_owner(&kprobe_insn_slots, p->ainsn.insn, p);
	return 0;
}

/*
 * Most instructions are copied and go on behind themselves. Their classes have
 * no other fields than these, so points share them. Indexed by rip_relative,
 * rep_string and len of struct kprobe_insn_class. Under kprobe_mutex.
 */
static const struct kprobe_insn_class *
kprobe_shared_classes[2][2][MAX_INSN_SIZE + 1];

static const struct kprobe_insn_class **
kprobe_shared_class(const struct kprobe_insn_class *class)
{
	if (class->how != KPROBE_INSN_BOOST || class->kind != KPROBE_INSN_PLAIN)
		return NULL;
	return &kprobe_shared_classes[class->rip_relative][class->rep_string]
				     [class->len];
}

/* Allocate the class of an instruction, or share one; NULL without memory. */
static const struct kprobe_insn_class *
kprobe_keep_class(const struct kprobe_insn_class *class)
{
	const struct kprobe_insn_class **shared = kprobe_shared_class(class);
	const struct kprobe_insn_class *kept = shared ? *shared : NULL;

	/* 64 bytes are a size of kmalloc(). */
	BUILD_BUG_ON(sizeof(*class) > 64);
	if (!kept)
		kept = kmemdup(class, sizeof(*class), GFP_KERNEL);
	if (shared)
		*shared = kept;
	return kept;
}

static void kprobe_drop_class(const struct kprobe_insn_class *class)
{
	/*
	 * The shared classes stay: there are not many. The others are freed
	 * after a grace period, as unwinders may use them: see retire.c.
	 */
	if (class && !kprobe_shared_class(class))
		kfree_rcu_mightsleep(class);
}

/* May a relocation still write an operand? Copies and emulations would not notice. */
static bool kprobe_may_be_relocated(unsigned long addr, const u8 *bytes)
{
	struct insn insn;

	if (!kprobe_in_livepatch(kprobe_text_at(addr)) ||
	    insn_decode_kernel(&insn, bytes))
		return false;
	return insn.displacement.nbytes == 4 || insn.immediate.nbytes == 4;
}

/* Find out what becomes of the instruction, or say why it is not probed. */
static int kprobe_classify(unsigned long addr, const u8 *bytes, size_t avail,
			   struct kprobe_insn_class *class)
{
	int ret = kprobe_insn_classify(bytes, avail, addr, class);

	if (ret) {
		kprobe_refuse(addr, class->reason ?: "it does not decode");
	} else if (kprobe_may_be_relocated(addr, bytes)) {
		kprobe_refuse(addr, "a relocation of the live patch may change it");
		ret = -EOPNOTSUPP;
	}
	return ret;
}

/**
 * arch_prepare_kprobe() - get ready to execute the instruction elsewhere
 * @p: the kprobe of a new point
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0, -EILSEQ, -EBUSY, -EINVAL, -EOPNOTSUPP, -ENOMEM, -ERANGE.
 */
int arch_prepare_kprobe(struct kprobe *p)
{
	unsigned long addr = (unsigned long)p->addr;
	u8 bytes[KPROBE_INSN_WINDOW];
	struct kprobe_insn_class class;
	size_t avail = sizeof(bytes);
	int ret;

	ret = kprobe_check_addr(addr, bytes, &avail);
	if (ret)
		return ret;
	ret = kprobe_classify(addr, bytes, avail, &class);
	if (ret)
		return ret;
	p->opcode = bytes[0];
	p->ainsn.class = kprobe_keep_class(&class);
	if (!p->ainsn.class)
		return -ENOMEM;
	ret = class.needs_slot ? kprobe_make_slot(p, bytes) : 0;
	if (ret) {
		kprobe_drop_class(p->ainsn.class);
		p->ainsn.class = NULL;
	}
	return ret;
}

/**
 * arch_remove_kprobe() - undo arch_prepare_kprobe()
 * @p: the kprobe of a point that no task can be in any more
 */
void arch_remove_kprobe(struct kprobe *p)
{
	if (p->ainsn.insn) {
		kprobe_erase_copy(p->ainsn.insn, KPROBE_SLOT_SIZE);
		free_insn_slot(p->ainsn.insn, 0);
		p->ainsn.insn = NULL;
	}
	kprobe_drop_class(p->ainsn.class);
}

/* Only text_poke() writes to the page: it is never writable and executable. */
void *alloc_insn_page(void)
{
	void *page = execmem_alloc(EXECMEM_KPROBES, PAGE_SIZE);

	if (!page)
		return NULL;
	memset(page, INT3_INSN_OPCODE, PAGE_SIZE);
	if (set_memory_rox((unsigned long)page, 1)) {
		execmem_free(page);
		return NULL;
	}
	return page;
}

/**
 * arch_init_kprobes() - get ready for the first probe
 *
 * Weak, so that the tests' version can register a probe, as on some
 * architectures.
 *
 * Context: boot.
 * Return: 0.
 */
int __weak __init arch_init_kprobes(void)
{
	kprobe_insn_init();
	return 0;
}
