// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: jump optimization.
 *
 * A detour buffer holds
 *
 *	the entry	saves the registers as a trap would, calls
 *			kprobe_detour_hit(), restores them
 *	the copy	of the region: the instructions that the jump replaces
 *	a jump		back behind the region
 *	the exit	taken instead when a handler changed the path: goes to the
 *			address that it put on the stack
 *
 * The region is the bytes from the point to the end of the instruction that
 * holds the jump's last byte.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpufeature.h>
#include <linux/jump_label.h>
#include <linux/kprobes.h>
#include <linux/memory.h>
#include <linux/perf_event.h>
#include <linux/slab.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"
#include "text.h"

/* What a handler may push below the probed function's stack pointer. */
#define DETOUR_GAP	64

/*
 * The entry. It is data here, and executed only as a copy; the offsets of what
 * has to be filled in are taken from its labels. The stack pointer that is
 * saved is too low by the gap and one word, which kprobe_detour_hit() mends.
 * Nothing between TEST and JNZ touches the flags.
 */
asm(".pushsection .rodata\n"
	".balign 16\n"
	"kprobe_detour_entry:\n"
#ifdef CONFIG_X86_64
	"	lea	-" __stringify(DETOUR_GAP) "(%rsp), %rsp\n"
	"	pushq	$" __stringify(__KERNEL_DS) "\n"
	"	pushq	%rsp\n"
	"	pushfq\n"
	"kprobe_detour_clac:\n"
	"	.byte	0x0f, 0x1f, 0x00\n"
	"	cld\n"
	"	pushq	$" __stringify(__KERNEL_CS) "\n"
	"	pushq	$0\n"
	"	pushq	$-1\n"
	"	pushq	%rdi\n"
	"	pushq	%rsi\n"
	"	pushq	%rdx\n"
	"	pushq	%rcx\n"
	"	pushq	%rax\n"
	"	pushq	%r8\n"
	"	pushq	%r9\n"
	"	pushq	%r10\n"
	"	pushq	%r11\n"
	"	pushq	%rbx\n"
	"	pushq	%rbp\n"
	"	pushq	%r12\n"
	"	pushq	%r13\n"
	"	pushq	%r14\n"
	"	pushq	%r15\n"
	"	movabsq	$0, %rdi\n"
	"kprobe_detour_point:\n"
	"	movq	%rsp, %rsi\n"
	"	.byte	0xe8; .long 0\n"
	"kprobe_detour_call:\n"
	"	testl	%eax, %eax\n"
	"	popq	%r15\n"
	"	popq	%r14\n"
	"	popq	%r13\n"
	"	popq	%r12\n"
	"	popq	%rbp\n"
	"	popq	%rbx\n"
	"	popq	%r11\n"
	"	popq	%r10\n"
	"	popq	%r9\n"
	"	popq	%r8\n"
	"	popq	%rax\n"
	"	popq	%rcx\n"
	"	popq	%rdx\n"
	"	popq	%rsi\n"
	"	popq	%rdi\n"
	"	lea	24(%rsp), %rsp\n"
	"	.byte	0x0f, 0x85; .long 0\n"
	"kprobe_detour_jnz:\n"
	"	popfq\n"
	"	popq	%rsp\n"
#endif
	"kprobe_detour_entry_end:\n"
	".popsection\n");

#define DETOUR_OFFSET(label)	(kprobe_detour_##label - kprobe_detour_entry)

static const u8 kprobe_clac[] = { 0x0f, 0x01, 0xca };
/* popfq; popq %rsp; then a return */
static const u8 kprobe_detour_exit[] = { 0x9d, 0x5c };

#define DETOUR_ENTRY_MAX	128
#define DETOUR_SIZE		(DETOUR_ENTRY_MAX + MAX_OPTIMIZED_LENGTH + \
				 JMP32_INSN_SIZE + \
				 sizeof(kprobe_detour_exit) + JMP32_INSN_SIZE)

const size_t kprobe_detour_size = ALIGN(DETOUR_SIZE, 16);

static bool kprobe_detour_handlers(struct kprobe *p, struct pt_regs *regs)
{
	kprobe_pre_handler_t pre = READ_ONCE(p->pre_handler);
	bool changed;

	if (!kprobe_frame_enter(p, kprobe_context(preempt_count()))) {
		kprobes_inc_nmissed_count(p);
		return false;
	}
	changed = pre && pre(p, regs);
	kprobe_frame_pop();
	return changed;
}

NOKPROBE_SYMBOL(kprobe_detour_handlers);

/*
 * Called by the detours. Returns whether to leave by the exit, which takes
 * the address to go to from below the stack pointer that is restored.
 */
static __used int kprobe_detour_hit(struct optimized_kprobe *op,
				    struct pt_regs *regs)
{
	bool changed = false;

	regs->sp += DETOUR_GAP + sizeof(long);
	regs->ip = (unsigned long)op->kp.addr + INT3_INSN_SIZE;
	preempt_disable_notrace();
	/* The jump may be there for a moment longer than it is wanted. */
	if (likely(!kprobe_disabled(&op->kp)))
		changed = kprobe_detour_handlers(&op->kp, regs);
	preempt_enable_notrace();
	if (unlikely(changed)) {
		regs->sp -= sizeof(long);
		*(unsigned long *)regs->sp = regs->ip;
	}
	return changed;
}

NOKPROBE_SYMBOL(kprobe_detour_hit);

/* Copy the instruction at @from. Sets *@len to its length. */
static enum kprobe_unopt kprobe_copy_insn(u8 *dst, unsigned long from,
					  unsigned long to, u8 *len)
{
	u8 bytes[KPROBE_INSN_WINDOW];
	struct kprobe_insn_class class;
	struct insn insn;
	size_t avail;

	avail = kprobe_read_original(bytes, from, sizeof(bytes));
	if (insn_decode_kernel(&insn, bytes))
		return KPROBE_UNOPT_DECODE;
	kprobe_insn_classify(bytes, avail, from, &class);
	if (class.how == KPROBE_INSN_REFUSE && class.kind == KPROBE_INSN_LEAVES)
		return KPROBE_UNOPT_TRAP;
	if (class.how != KPROBE_INSN_BOOST)
		return KPROBE_UNOPT_INSN;
	if (kprobe_insn_copy(dst, bytes, &insn, from, to) < 0)
		return KPROBE_UNOPT_REACH;
	*len = class.len;
	return KPROBE_UNOPT_NONE;
}

/* Copy instructions until the jump has room. Sets *@size to the bytes taken. */
static enum kprobe_unopt kprobe_copy_region(u8 *dst, unsigned long from,
					    unsigned long to, size_t *size)
{
	enum kprobe_unopt unopt = KPROBE_UNOPT_NONE;
	size_t done;
	u8 len;

	for (done = 0; done < JMP32_INSN_SIZE && !unopt; done += len) {
		len = 0;
		unopt = kprobe_copy_insn(dst + done, from + done, to + done,
					 &len);
	}
	*size = done;
	return unopt;
}

/* What goes where a return is meant, at @ip. */
static void kprobe_gen_return(u8 *buf, unsigned long ip)
{
	if (cpu_feature_enabled(X86_FEATURE_RETHUNK))
		__text_gen_insn(buf, JMP32_INSN_OPCODE, (void *)ip,
				x86_return_thunk, JMP32_INSN_SIZE);
	else
		buf[0] = RET_INSN_OPCODE;
}

static void kprobe_gen_entry(u8 *buf, struct optimized_kprobe *op,
			     unsigned long slot, unsigned long exit)
{
	unsigned long val = (unsigned long)op;

	memcpy(buf, kprobe_detour_entry, DETOUR_OFFSET(entry_end));
	if (cpu_feature_enabled(X86_FEATURE_SMAP))
		memcpy(buf + DETOUR_OFFSET(clac), kprobe_clac, 3);
	memcpy(buf + DETOUR_OFFSET(point) - sizeof(val), &val, sizeof(val));
	__text_gen_insn(buf + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			CALL_INSN_OPCODE,
			(void *)slot + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			kprobe_detour_hit, CALL_INSN_SIZE);
	*(s32 *)(buf + DETOUR_OFFSET(jnz) - DISP32_SIZE) =
		exit - (slot + DETOUR_OFFSET(jnz));
}

/* Fill @buf with a detour that will stand at @slot. */
static enum kprobe_unopt kprobe_gen_detour(u8 *buf, struct optimized_kprobe *op,
					   unsigned long slot)
{
	unsigned long addr = (unsigned long)op->kp.addr;
	size_t at = DETOUR_OFFSET(entry_end);
	enum kprobe_unopt unopt;

	unopt = kprobe_copy_region(buf + at, addr, slot + at, &op->optinsn.size);
	if (unopt)
		return unopt;
	op->optinsn.copy = at;
	at += op->optinsn.size;
	__text_gen_insn(buf + at, JMP32_INSN_OPCODE, (void *)slot + at,
			(void *)addr + op->optinsn.size, JMP32_INSN_SIZE);
	at += JMP32_INSN_SIZE;
	kprobe_gen_entry(buf, op, slot, slot + at);
	memcpy(buf + at, kprobe_detour_exit, sizeof(kprobe_detour_exit));
	at += sizeof(kprobe_detour_exit);
	kprobe_gen_return(buf + at, slot + at);
	return KPROBE_UNOPT_NONE;
}

/*
 * Nobody else may poke into the function while it is read: it would not decode.
 * Nothing is taken for granted afterwards, but that static keys and the like
 * stay where they are.
 */
static enum kprobe_unopt
kprobe_check_and_generate(struct optimized_kprobe *op, u8 *buf,
			  unsigned long slot, const struct kprobe_partners *ps)
{
	struct kprobe_region r = { .start = (unsigned long)op->kp.addr };
	enum kprobe_unopt unopt;

	jump_label_lock();
	mutex_lock(&text_mutex);
	unopt = kprobe_gen_detour(buf, op, slot);
	r.end = r.start + op->optinsn.size;
	if (!unopt)
		unopt = kprobe_region_check(&r, ps);
	kprobe_read_original(op->optinsn.tail, r.start + 1, DISP32_SIZE);
	mutex_unlock(&text_mutex);
	jump_label_unlock();
	return unopt;
}

static enum kprobe_unopt kprobe_fill_detour(struct optimized_kprobe *op,
					    kprobe_opcode_t *slot,
					    struct kprobe_partners *ps)
{
	unsigned long addr = (unsigned long)op->kp.addr;
	long distance = (long)slot - (long)addr - JMP32_INSN_SIZE;
	u8 buf[ALIGN(DETOUR_SIZE, 16)];
	enum kprobe_unopt unopt;

	BUILD_BUG_ON(sizeof(buf) > 256);
	if (distance != (s32)distance)
		return KPROBE_UNOPT_REACH;
	memset(buf, INT3_INSN_OPCODE, sizeof(buf));
	unopt = kprobe_find_partners(addr, ps) ?:
		kprobe_check_and_generate(op, buf, (unsigned long)slot, ps);
	if (!unopt)
		text_poke_copy(slot, buf, sizeof(buf));
	return unopt;
}

static int kprobe_make_detour(struct optimized_kprobe *op,
			      struct kprobe_partners *ps)
{
	kprobe_opcode_t *slot = get_optinsn_slot();

	if (!slot)
		return -ENOMEM;
	op->unopt = kprobe_fill_detour(op, slot, ps);
	if (op->unopt) {
		free_optinsn_slot(slot, 0);
		op->optinsn.size = 0;
		return -EOPNOTSUPP;
	}
	op->optinsn.insn = slot;
	return 0;
}

/**
 * arch_prepare_optimized_kprobe() - check a point and build its detour
 * @op: the point
 * @orig: its face
 *
 * Context: kprobe_mutex held. May sleep.
 * Return: 0, or an error when the point has to keep its breakpoint, and why in
 * @op unless it is -ENOMEM.
 */
int arch_prepare_optimized_kprobe(struct optimized_kprobe *op,
				  struct kprobe *orig)
{
	struct kprobe_partners *ps;
	int ret;

	if (!IS_ENABLED(CONFIG_X86_64))
		return -EOPNOTSUPP;
	if (WARN_ON_ONCE(DETOUR_OFFSET(entry_end) > DETOUR_ENTRY_MAX))
		return -ENOSPC;
	ps = kmalloc(sizeof(*ps), GFP_KERNEL);
	if (!ps)
		return -ENOMEM;
	ret = kprobe_make_detour(op, ps);
	kfree(ps);
	return ret;
}

int arch_prepared_optinsn(struct arch_optimized_insn *optinsn)
{
	return !!optinsn->insn;
}

void arch_remove_optimized_kprobe(struct optimized_kprobe *op)
{
	text_poke_set(op->optinsn.insn, INT3_INSN_OPCODE, kprobe_detour_size);
	free_optinsn_slot(op->optinsn.insn, 1);
	op->optinsn.insn = NULL;
	op->optinsn.size = 0;
}

/* A breakpoint of another point in the region would be overwritten. */
int arch_check_optimized_kprobe(struct optimized_kprobe *op)
{
	size_t i;

	for (i = 1; i < op->optinsn.size; i++) {
		struct kprobe *p = get_kprobe(op->kp.addr + i);

		if (p && !kprobe_disabled(p))
			return -EEXIST;
	}
	return 0;
}

int arch_within_optimized_kprobe(struct optimized_kprobe *op,
				 kprobe_opcode_t *addr)
{
	return op->kp.addr <= addr && addr < op->kp.addr + op->optinsn.size;
}

void arch_optimize_kprobes(struct list_head *oplist)
{
	struct optimized_kprobe *op, *next;
	u8 jump[JMP32_INSN_SIZE];

	guard(mutex)(&text_mutex);
	list_for_each_entry_safe(op, next, oplist, list) {
		__text_gen_insn(jump, JMP32_INSN_OPCODE, op->kp.addr,
				op->optinsn.insn, JMP32_INSN_SIZE);
		text_poke_queue(op->kp.addr, jump, JMP32_INSN_SIZE, NULL);
		list_del_init(&op->list);
	}
	text_poke_finish();
}

/*
 * The breakpoint first: who comes now is sent through the copy. Only when no
 * CPU can have the old first byte any more do the others follow.
 */
void arch_unoptimize_kprobe(struct optimized_kprobe *op)
{
	u8 old[JMP32_INSN_SIZE], new[JMP32_INSN_SIZE];

	new[0] = INT3_INSN_OPCODE;
	memcpy(new + 1, op->optinsn.tail, DISP32_SIZE);
	guard(mutex)(&text_mutex);
	memcpy(old, op->kp.addr, JMP32_INSN_SIZE);
	text_poke(op->kp.addr, new, INT3_INSN_SIZE);
	text_poke_sync();
	text_poke(op->kp.addr + INT3_INSN_SIZE, new + INT3_INSN_SIZE,
		  DISP32_SIZE);
	text_poke_sync();
	perf_event_text_poke(op->kp.addr, old, JMP32_INSN_SIZE, new,
			     JMP32_INSN_SIZE);
}

void arch_unoptimize_kprobes(struct list_head *oplist,
			     struct list_head *done_list)
{
	struct optimized_kprobe *op, *next;

	list_for_each_entry_safe(op, next, oplist, list) {
		arch_unoptimize_kprobe(op);
		list_move(&op->list, done_list);
	}
}
