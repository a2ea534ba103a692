// SPDX-License-Identifier: GPL-2.0
/*
 * Kernel probes on x86: the detours of optimized points.
 *
 * A detour buffer holds
 *
 *	the entry	saves the registers as a trap would, calls
 *			kprobe_detour_before(), restores them
 *	the copy	of the region: what the jump replaces, made by relocate.c
 *	a jump		back behind the region
 *	the exit	taken instead when the path has changed: goes to the
 *			address that was put on the stack
 *
 * The region is the bytes from the point to the end of the instruction that
 * holds the jump's last byte.
 *
 * Post handlers are called after the first instruction. An instruction that is
 * emulated at a breakpoint is emulated here, too, and then they are called at
 * once. If not, the exit leads to a second buffer, which is made when the first
 * post handler is registered:
 *
 *	the copy	of the first instruction
 *	the entry	calls kprobe_detour_after()
 *	a jump		to the second instruction's copy in the first buffer
 *	the exit
 *
 * A point that has to keep its breakpoint has such a buffer, too, the stub,
 * which saves the second trap. Its jump leads into the text.
 *
 * The bytes of a jump cannot be executed as instructions: if a handler sets the
 * instruction pointer to an inner instruction of the region, execution goes on
 * at the copy of that instead.
 */
#define pr_fmt(fmt) "kprobes: " fmt

#include <linux/cpufeature.h>
#include <linux/kprobes.h>
#include <asm/nospec-branch.h>
#include <asm/segment.h>
#include <asm/text-patching.h>

#include "detour.h"
#include "insn.h"
#include "text.h"

/* What a handler may push below the probed function's stack pointer. */
#define DETOUR_GAP	64

/* Tell objtool that the address of @fn is only used to make direct calls. */
#define DETOUR_CALLS(fn)						\
	asm(".pushsection .discard.noendbr\n"				\
	    "	.long	" #fn "\n"					\
	    "	.popsection\n")

/*
 * An instruction of the template, and how many words have been pushed when it
 * is about to be executed, for the unwinder.
 */
#define T(words, insn)							\
	"771:	" insn "\n"						\
	"	.pushsection .rodata.kprobe_words, \"a\"\n"		\
	"	.byte	771b - kprobe_detour_entry, " #words "\n"	\
	"	.popsection\n"

/*
 * The frame pointer that the called function saves says that there are
 * registers on the stack, as ENCODE_FRAME_POINTER of a trap's entry does. The
 * unwinder goes on from those, and its reliable variant gives up.
 */
#ifdef CONFIG_FRAME_POINTER
#define T_ENCODE_FRAME_POINTER	T(29, "lea	1(%rsp), %rbp")
#else
#define T_ENCODE_FRAME_POINTER
#endif

/*
 * The entry. It is data here, and executed only as a copy; the labels give the
 * offsets of what has to be filled in. It pushes what a trap would have pushed;
 * the stack pointer for that can only be pushed before the gap is made. No
 * instruction between TEST and JNZ changes the flags.
 */
asm(".globl kprobe_detour_entry, kprobe_detour_entry_end\n"
	".globl kprobe_detour_call\n"
	".globl kprobe_detour_words, kprobe_detour_words_end\n"
	".pushsection .rodata.kprobe_words, \"a\"\n"
	"kprobe_detour_words:\n"
	".popsection\n"
	".pushsection .rodata\n"
	".balign 16\n"
	"kprobe_detour_entry:\n"
#ifdef CONFIG_X86_64
	T(0,	"pushq	%rsp")
	T(1,	"lea	8-" __stringify(DETOUR_GAP) "(%rsp), %rsp")
	T(8,	"pushq	$" __stringify(__KERNEL_DS))
	T(9,	"pushq	" __stringify(DETOUR_GAP) "(%rsp)")
	T(10,	"pushfq")
	"kprobe_detour_clac:\n"
	T(11,	".byte	0x0f, 0x1f, 0x00")
	T(11,	"cld")
	T(11,	"pushq	$" __stringify(__KERNEL_CS))
	T(12,	".byte	0x68; .long 0")
	"kprobe_detour_pushed_ip:\n"
	T(13,	"pushq	$-1")
	T(14,	"pushq	%rdi")
	T(15,	"pushq	%rsi")
	T(16,	"pushq	%rdx")
	T(17,	"pushq	%rcx")
	T(18,	"pushq	%rax")
	T(19,	"pushq	%r8")
	T(20,	"pushq	%r9")
	T(21,	"pushq	%r10")
	T(22,	"pushq	%r11")
	T(23,	"pushq	%rbx")
	T(24,	"pushq	%rbp")
	T(25,	"pushq	%r12")
	T(26,	"pushq	%r13")
	T(27,	"pushq	%r14")
	T(28,	"pushq	%r15")
	T(29,	"movabsq	$0, %rdi")
	"kprobe_detour_point:\n"
	T(29,	"movq	%rsp, %rsi")
	T_ENCODE_FRAME_POINTER
	T(29,	".byte	0xe8; .long 0")
	"kprobe_detour_call:\n"
	T(29,	"testl	%eax, %eax")
	T(29,	"popq	%r15")
	T(28,	"popq	%r14")
	T(27,	"popq	%r13")
	T(26,	"popq	%r12")
	T(25,	"popq	%rbp")
	T(24,	"popq	%rbx")
	T(23,	"popq	%r11")
	T(22,	"popq	%r10")
	T(21,	"popq	%r9")
	T(20,	"popq	%r8")
	T(19,	"popq	%rax")
	T(18,	"popq	%rcx")
	T(17,	"popq	%rdx")
	T(16,	"popq	%rsi")
	T(15,	"popq	%rdi")
	T(14,	"lea	24(%rsp), %rsp")
	T(11,	".byte	0x0f, 0x85; .long 0")
	"kprobe_detour_jnz:\n"
	T(11,	"popfq")
	T(10,	"popq	%rsp")
#endif
	"kprobe_detour_entry_end:\n"
	".popsection\n"
	".pushsection .rodata.kprobe_words, \"a\"\n"
	"kprobe_detour_words_end:\n"
	".popsection\n");

static const u8 kprobe_clac[] = { 0x0f, 0x01, 0xca };
/* popfq; popq %rsp; then a return */
static const u8 kprobe_detour_exit[] = { 0x9d, 0x5c };

/**
 * kprobe_detour_fits() - is the template no longer than it may be?
 *
 * Return: whether it is.
 */
bool kprobe_detour_fits(void)
{
	return DETOUR_OFFSET(entry_end) <= DETOUR_ENTRY_MAX;
}

/**
 * kprobe_detour_ip() - where to go on for an address in the text
 * @op: an optimized point
 * @ip: the address
 *
 * Return: the copy of the instruction at @ip if the jump of @op covers that,
 * else @ip. The point itself is not covered.
 */
unsigned long kprobe_detour_ip(struct optimized_kprobe *op, unsigned long ip)
{
	struct arch_optimized_insn *oi = &op->optinsn;
	unsigned long from = ip - (unsigned long)op->kp.addr;
	unsigned int i;

	if (likely(!from || from >= oi->size))
		return ip;
	for (i = 1; i < oi->nr; i++) {
		if (oi->piece[i].from == from)
			return (unsigned long)oi->insn + oi->piece[i].at;
	}
	return ip;
}

NOKPROBE_SYMBOL(kprobe_detour_ip);

/* Emulate the instruction as at a breakpoint, and call the post handlers. */
static bool kprobe_detour_emulate(struct optimized_kprobe *op,
				  struct pt_regs *regs,
				  struct kprobe_frame *frame)
{
	const struct kprobe_emulation *em = &op->kp.ainsn.class->em;
	unsigned long ip = regs->ip;
	bool done;

	/* Any context does: the emulation cannot be probed. */
	frame->outside = kprobe_context(frame->inside);
	/* Pairs with program order in kprobe_frame_covers(), in an NMI. */
	barrier();
	WRITE_ONCE(frame->status, KPROBE_FRAME_STEPPING);
	regs->ip = em->ip;
	done = em->fn(em, regs);
	WRITE_ONCE(frame->status, KPROBE_FRAME_AFTER);
	/* If the emulation would fault, execute the copy, which does fault. */
	if (done)
		kprobe_call_post(&op->kp, regs);
	else
		regs->ip = ip;
	return done;
}

NOKPROBE_SYMBOL(kprobe_detour_emulate);

/**
 * kprobe_detour_post() - let the post handlers of an optimized point be called
 * @op: the point; its pre handlers have been called
 * @regs: the registers
 * @frame: the frame of this hit
 *
 * Context: any, with preemption disabled.
 * Return: whether @regs say where to go on; if not, at the copy of the region.
 */
bool kprobe_detour_post(struct optimized_kprobe *op, struct pt_regs *regs,
			struct kprobe_frame *frame)
{
	kprobe_opcode_t *after;

	if (likely(!READ_ONCE(op->kp.post_handler)))
		return false;
	if (op->kp.ainsn.class->how == KPROBE_INSN_EMULATE)
		return kprobe_detour_emulate(op, regs, frame);
	/* The registration of the post handler has not made it yet. */
	after = READ_ONCE(op->optinsn.after);
	if (!after)
		return false;
	regs->ip = (unsigned long)after;
	return true;
}

NOKPROBE_SYMBOL(kprobe_detour_post);

/*
 * The return thunk that tracks the depth of calls counts a return, which changes
 * the flags: but those in the exit are the probed code's. So the exit returns
 * without the thunk, and the return is counted here, by one instruction as there.
 * When the count is 0 then, the next thunk fills the return stack buffer, one
 * return late, for which there is room.
 */
#ifdef CONFIG_MITIGATION_CALL_DEPTH_TRACKING
static __always_inline void kprobe_count_return(void)
{
	if (cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		asm volatile("shlq	$5, " __percpu_arg([depth])
			     : [depth] "+m" (__my_cpu_var(pcpu_hot.call_depth))
			     : : "cc");
}
#else
static __always_inline void kprobe_count_return(void) { }
#endif

/*
 * Put the address where the exit takes it: below the stack pointer that it
 * restores. Until preemption is enabled again, no other task can unwind the
 * stack of this one: it finds either what the handlers found, or what the exit
 * will find.
 */
static void kprobe_detour_leave(struct optimized_kprobe *op,
				struct pt_regs *regs)
{
	unsigned long ip = kprobe_resume_ip(op, regs->ip);

	WRITE_ONCE(regs->ip, 0);
	/*
	 * Pairs with program order in kprobe_unwind_handler(), in an NMI: as
	 * long as it reads another address than 0, regs->sp has not been
	 * changed.
	 */
	barrier();
	regs->sp -= sizeof(long);
	*(unsigned long *)regs->sp = ip;
	kprobe_count_return();
}

NOKPROBE_SYMBOL(kprobe_detour_leave);

/* A hit that kprobe_hit_any() is for. The caller has disabled preemption. */
static noinline bool kprobe_detour_slow(struct optimized_kprobe *op,
					struct pt_regs *regs)
{
	enum kprobe_verdict verdict = kprobe_hit_any(&op->kp, regs, 0);
	bool leave = verdict == KPROBE_REDIRECTED;

	if (verdict == KPROBE_CONTINUE)
		leave = kprobe_detour_post(op, regs, kprobe_hit_frame());
	if (verdict != KPROBE_MISSED)
		kprobe_frame_leave();
	if (unlikely(leave))
		kprobe_detour_leave(op, regs);
	preempt_enable_notrace();
	return leave;
}

NOKPROBE_SYMBOL(kprobe_detour_slow);

/* A pre handler has changed the path, in the first frame. */
static noinline bool kprobe_detour_redirect(struct kprobe *p,
					    struct pt_regs *regs)
{
	kprobe_frame_leave_first();
	kprobe_detour_leave(kprobe_op_of(p), regs);
	preempt_enable_notrace();
	return true;
}

NOKPROBE_SYMBOL(kprobe_detour_redirect);

/* The end of a hit in the first frame. Returns whether to leave by the exit. */
static __always_inline bool kprobe_detour_finish(enum kprobe_verdict verdict)
{
	if (unlikely(verdict == KPROBE_REDIRECTED))
		return kprobe_detour_redirect(kprobe_hit_point(),
					      kprobe_hit_regs());
	kprobe_frame_leave_first();
	preempt_enable_notrace();
	return false;
}

/* Not one pre handler, but perhaps several, and no other handlers. */
static noinline __noendbr int kprobe_detour_chain(struct optimized_kprobe *op,
						  struct pt_regs *regs,
						  unsigned long chain)
{
	enum kprobe_verdict verdict = kprobe_hit_several(&op->kp, regs, chain);

	if (unlikely(verdict == KPROBE_UNUSUAL))
		return kprobe_detour_slow(op, regs);
	return kprobe_detour_finish(verdict);
}

NOKPROBE_SYMBOL(kprobe_detour_chain);

/* Called by the detours. Returns whether to leave by the exit. */
static __used __noendbr int kprobe_detour_before(struct optimized_kprobe *op,
						 struct pt_regs *regs)
{
	enum kprobe_verdict verdict;
	unsigned long chain;

	preempt_disable_notrace();
	chain = READ_ONCE(kprobe_hot_of(&op->kp)->pre_chain);
	verdict = kprobe_hit_usual(&op->kp, regs, chain, kprobe_chain_is_single,
				   kprobe_chain_single);
	if (unlikely(verdict == KPROBE_UNUSUAL))
		return kprobe_detour_chain(op, regs, chain);
	return kprobe_detour_finish(verdict);
}

NOKPROBE_SYMBOL(kprobe_detour_before);
DETOUR_CALLS(kprobe_detour_before);

/* Called behind the copy of the first instruction, which was a hit. */
static __used __noendbr int kprobe_detour_after(struct optimized_kprobe *op,
						struct pt_regs *regs)
{
	kprobe_opcode_t *next = op->kp.addr + op->kp.ainsn.class->len;

	preempt_disable_notrace();
	if (likely(kprobe_frame_enter(&op->kp, 0))) {
		WRITE_ONCE(kprobe_hit_frame()->status, KPROBE_FRAME_AFTER);
		kprobe_call_post(&op->kp, regs);
		kprobe_frame_leave();
	} else {
		/* The context is not that of the pre handlers any more. */
		kprobes_inc_nmissed_count(&op->kp);
	}
	if (likely(regs->ip == (unsigned long)next)) {
		preempt_enable_notrace();
		return false;
	}
	kprobe_detour_leave(op, regs);
	preempt_enable_notrace();
	return true;
}

NOKPROBE_SYMBOL(kprobe_detour_after);
DETOUR_CALLS(kprobe_detour_after);

/*
 * Generate a return at @ip, or the jump to a thunk that mitigations need; it must
 * not change the flags, see kprobe_count_return().
 */
static void kprobe_gen_return(u8 *buf, unsigned long ip)
{
	if (cpu_feature_enabled(X86_FEATURE_RETHUNK) &&
	    !cpu_feature_enabled(X86_FEATURE_CALL_DEPTH))
		__text_gen_insn(buf, JMP32_INSN_OPCODE, (void *)ip,
				x86_return_thunk, JMP32_INSN_SIZE);
	else
		buf[0] = RET_INSN_OPCODE;
}

/*
 * Generate the entry at @ip, which calls @fn, and whose exit is at @exit. The
 * handlers see @at as the instruction pointer.
 */
static void kprobe_gen_entry(u8 *buf, struct optimized_kprobe *op,
			     kprobe_opcode_t *at, unsigned long ip,
			     unsigned long exit, void *fn)
{
	unsigned long val = (unsigned long)op;

	memcpy(buf, kprobe_detour_entry, DETOUR_OFFSET(entry_end));
	if (cpu_feature_enabled(X86_FEATURE_SMAP))
		memcpy(buf + DETOUR_OFFSET(clac), kprobe_clac, 3);
	memcpy(buf + DETOUR_OFFSET(point) - sizeof(val), &val, sizeof(val));
	*(s32 *)(buf + DETOUR_OFFSET(pushed_ip) - sizeof(s32)) = (long)at;
	__text_gen_insn(buf + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			CALL_INSN_OPCODE,
			(void *)ip + DETOUR_OFFSET(call) - CALL_INSN_SIZE,
			fn, CALL_INSN_SIZE);
	*(s32 *)(buf + DETOUR_OFFSET(jnz) - DISP32_SIZE) =
		exit - (ip + DETOUR_OFFSET(jnz));
}

/* Generate the jump to @target and the exit behind it, from @buf + @at on. */
static void kprobe_gen_end(u8 *buf, size_t at, unsigned long slot,
			   unsigned long target)
{
	__text_gen_insn(buf + at, JMP32_INSN_OPCODE, (void *)slot + at,
			(void *)target, JMP32_INSN_SIZE);
	at += JMP32_INSN_SIZE;
	memcpy(buf + at, kprobe_detour_exit, sizeof(kprobe_detour_exit));
	at += sizeof(kprobe_detour_exit);
	kprobe_gen_return(buf + at, slot + at);
}

/* Append an instruction to the copy, unless the region ends in front of it. */
static enum kprobe_nojump kprobe_copy_insn(struct kprobe_copy *c, u8 *bytes,
					   size_t avail, struct insn *insn,
					   unsigned long from)
{
	struct kprobe_insn_class class;

	if (c->ended) {
		c->past |= !kprobe_is_padding(insn);
		return KPROBE_NOJUMP_NONE;
	}
	if (kprobe_insn_classify(bytes, avail, from, &class))
		return class.kind == KPROBE_INSN_LEAVES ? KPROBE_NOJUMP_TRAP :
							  KPROBE_NOJUMP_INSN;
	return kprobe_relocate(c, bytes, insn, from, &class);
}

static void kprobe_add_piece(struct arch_optimized_insn *oi, u8 from, u8 at)
{
	oi->piece[oi->nr].from = from;
	oi->piece[oi->nr++].at = at;
}

/* Copy the instruction at @from, and note where. Sets *@len to its length. */
static enum kprobe_nojump kprobe_copy_next(struct optimized_kprobe *op,
					   struct kprobe_copy *c,
					   const struct kprobe_region *r,
					   u8 *len)
{
	unsigned long from = r->start + op->optinsn.size;
	u8 bytes[KPROBE_INSN_WINDOW];
	struct insn insn;
	size_t avail;

	if (from >= r->func_end)
		return KPROBE_NOJUMP_SHORT;
	avail = kprobe_read_original(bytes, from, sizeof(bytes));
	if (insn_decode_kernel(&insn, bytes))
		return KPROBE_NOJUMP_DECODE;
	if (!c->ended)
		kprobe_add_piece(&op->optinsn, op->optinsn.size, c->len);
	*len = insn.length;
	return kprobe_copy_insn(c, bytes, avail, &insn, from);
}

/* Copy instructions until the jump has room. */
static enum kprobe_nojump kprobe_copy_region(struct optimized_kprobe *op,
					     struct kprobe_copy *c,
					     struct kprobe_region *r)
{
	struct arch_optimized_insn *oi = &op->optinsn;
	enum kprobe_nojump nojump;
	u8 len;

	oi->nr = 0;
	for (oi->size = 0; oi->size < JMP32_INSN_SIZE; oi->size += len) {
		/* A call that does not end the region returns into it. */
		if (c->pushed)
			return KPROBE_NOJUMP_CALL;
		nojump = kprobe_copy_next(op, c, r, &len);
		if (nojump)
			return nojump;
	}
	/* The end of the region, and of the copies. */
	oi->piece[oi->nr].from = oi->size;
	oi->piece[oi->nr].at = c->len;
	oi->pushed = c->pushed;
	r->past_end = c->past;
	r->end = r->start + oi->size;
	return r->end > r->func_end ? KPROBE_NOJUMP_SHORT : KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_gen_detour() - make a detour
 * @buf: where to, DETOUR_SIZE bytes
 * @op: the point
 * @slot: where it will stand
 * @r: the region; its end is filled in
 *
 * Context: kprobe_mutex and text_mutex held.
 * Return: why not, KPROBE_NOJUMP_NONE if it was done.
 */
enum kprobe_nojump kprobe_gen_detour(u8 *buf, struct optimized_kprobe *op,
				     unsigned long slot,
				     struct kprobe_region *r)
{
	struct kprobe_copy c = {
		.buf = buf,
		.len = DETOUR_OFFSET(entry_end),
		.room = DETOUR_OFFSET(entry_end) + DETOUR_COPY_MAX,
		.ip = slot,
	};
	enum kprobe_nojump nojump = kprobe_copy_region(op, &c, r);

	if (nojump)
		return nojump;
	kprobe_gen_entry(buf, op, op->kp.addr + INT3_INSN_SIZE, slot,
			 slot + c.len + JMP32_INSN_SIZE, kprobe_detour_before);
	kprobe_gen_end(buf, c.len, slot, r->end);
	return KPROBE_NOJUMP_NONE;
}

/**
 * kprobe_detour_needs_after() - do post handlers need the second buffer?
 * @op: a point
 *
 * Return: whether they do.
 */
bool kprobe_detour_needs_after(struct optimized_kprobe *op)
{
	return op->kp.ainsn.class->how != KPROBE_INSN_EMULATE;
}

/**
 * kprobe_gen_after() - make the second buffer, for post handlers, or the stub
 * @buf: where to, DETOUR_SIZE bytes
 * @op: a point whose instruction is not emulated
 * @slot: where it will stand
 * @stub: whether it is for when there is no jump
 *
 * Context: kprobe_mutex held.
 * Return: 0 or -ERANGE.
 */
int kprobe_gen_after(u8 *buf, struct optimized_kprobe *op, unsigned long slot,
		     bool stub)
{
	unsigned long addr = (unsigned long)op->kp.addr;
	u8 len = op->kp.ainsn.class->len;
	unsigned long next = addr + len;
	u8 bytes[MAX_INSN_SIZE];
	struct insn insn;
	size_t at;

	kprobe_read_original(bytes, addr, sizeof(bytes));
	if (insn_decode_kernel(&insn, bytes) ||
	    kprobe_insn_copy(buf, bytes, &insn, addr, slot) < 0)
		return -ERANGE;
	at = len + DETOUR_OFFSET(entry_end);
	kprobe_gen_entry(buf + len, op, (kprobe_opcode_t *)next, slot + len,
			 slot + at + JMP32_INSN_SIZE, kprobe_detour_after);
	kprobe_gen_end(buf, at, slot, stub ? next : kprobe_detour_ip(op, next));
	return 0;
}
