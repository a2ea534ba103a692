/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _ASM_X86_KPROBES_H
#define _ASM_X86_KPROBES_H
/*
 * Kernel probes on x86: what linux/kprobes.h and linux/kprobes_arch.h need.
 */
#include <linux/types.h>
#include <asm-generic/kprobes.h>

struct unwind_state;

#ifdef CONFIG_KPROBES
#include <linux/percpu.h>
#include <linux/ptrace.h>
#include <asm/current.h>
#include <asm/ibt.h>
#include <asm/insn.h>
#include <asm/text-patching.h>

typedef u8 kprobe_opcode_t;

/* Hits nest per context: linux/kprobes_frame.h keeps a stack of them. */
#define __ARCH_WANT_KPROBE_FRAMES

/**
 * arch_kprobe_preempt_count() - like preempt_count(), but may have another bit
 *
 * It may have PREEMPT_NEED_RESCHED, which kprobe_context() masks off, and so
 * needs no masked load in the hit path.
 *
 * Return: the count.
 */
static __always_inline unsigned int arch_kprobe_preempt_count(void)
{
	return raw_cpu_read_4(pcpu_hot.preempt_count);
}

/* Is a variable of this CPU, an unsigned int, zero? Two instructions in all. */
#define arch_kprobe_is_zero(var)					\
({									\
	bool __zero;							\
									\
	asm volatile("cmpl $0, " __percpu_arg([v])			\
		     : "=@ccz" (__zero) : [v] "m" (__my_cpu_var(var)));	\
	__zero;								\
})

/*
 * A slot holds two copies of the instruction:
 *
 *	copy, jump back		runs without a second trap ("boosted")
 *	copy, breakpoint	runs if a second trap is needed ("stepped")
 */
#define __ARCH_WANT_KPROBES_INSN_SLOT
#define KPROBE_STEP_OFFSET	(MAX_INSN_SIZE + JMP32_INSN_SIZE)
#define KPROBE_SLOT_SIZE	40

struct kprobe;
struct kprobe_insn_class;

/**
 * struct arch_specific_insn - the probed instruction
 * @insn: the slot with its copies, NULL if none is needed
 * @class: how the table of insn.c classifies it; NULL on an ftrace site
 */
struct arch_specific_insn {
	kprobe_opcode_t *insn;
	const struct kprobe_insn_class *class;
};

/* The most instructions that the five bytes of a jump can touch. */
#define KPROBE_REGION_INSNS	5

/**
 * struct kprobe_piece - a copied instruction
 * @from: where it stands, counted from the point
 * @at: where its copy stands, counted from the beginning of the buffer
 */
struct kprobe_piece {
	u8 from;
	u8 at;
};

/**
 * struct arch_optimized_insn - the detour of an optimized point
 * @tail: the original bytes that the jump's displacement replaces
 * @size: the length of the region
 * @nr: how many instructions of it were copied
 * @pushed: from which offset in the buffer on a copied call has pushed
 *	something; 0 when there is none
 * @piece: the copies, and one more for what stands behind them
 * @insn: the detour buffer, NULL if there is none
 * @after: the second one, which calls the post handlers, NULL if there is none
 * @stub: likewise for a point that keeps its breakpoint, NULL if there is none
 */
struct arch_optimized_insn {
	kprobe_opcode_t tail[DISP32_SIZE];
	u8 size;
	u8 nr;
	u8 pushed;
	struct kprobe_piece piece[KPROBE_REGION_INSNS + 1];
	kprobe_opcode_t *insn;
	kprobe_opcode_t *after;
	kprobe_opcode_t *stub;
};

/* An optimized point may have post handlers. */
#define __ARCH_WANT_OPTIMIZED_POST

/* The longest region: a jump whose last byte is an instruction's first. */
#define MAX_OPTIMIZED_LENGTH	(MAX_INSN_SIZE + DISP32_SIZE)

/* The size of a detour buffer. */
extern const size_t kprobe_detour_size;
#define MAX_OPTINSN_SIZE	kprobe_detour_size

extern const int kretprobe_blacklist_size;

void arch_remove_kprobe(struct kprobe *p);
__noendbr int kprobe_int3_handler(struct pt_regs *regs);
int kprobe_fault_handler(struct pt_regs *regs, int trapnr);

/**
 * struct kprobe_left - the state of a task that has left a copy
 * @ip: in the copy; 0 if the task was in none
 * @sp: the stack pointer there
 * @p: the kprobe of the point whose frame was stepping, NULL if none was
 * @inside: from that frame
 * @outside: from that frame
 */
struct kprobe_left {
	unsigned long ip;
	unsigned long sp;
	struct kprobe *p;
	unsigned int inside;
	unsigned int outside;
};

/* fault.c, called where the kernel handles faults. */
unsigned long kprobe_text_ip(unsigned long ip);
u8 kprobe_first_byte(unsigned long addr);
int kprobe_fixup_trap(struct pt_regs *regs, int trapnr);
void kprobe_fixup_begin(struct kprobe_left *left, struct pt_regs *regs);
void kprobe_fixup_end(const struct kprobe_left *left, struct pt_regs *regs,
		      bool fixed);
void kprobe_fault_may_sleep(struct pt_regs *regs);

void kprobe_unwind(struct unwind_state *state);
unsigned long kprobe_trace_ip(unsigned long ip);

#else /* !CONFIG_KPROBES */

struct pt_regs;

struct kprobe_left { };

static inline unsigned long kprobe_text_ip(unsigned long ip)
{
	return ip;
}

static inline u8 kprobe_first_byte(unsigned long addr)
{
	return *(u8 *)addr;
}

static inline int kprobe_fixup_trap(struct pt_regs *regs, int trapnr)
{
	return 0;
}

static inline void kprobe_fixup_begin(struct kprobe_left *left,
				      struct pt_regs *regs)
{
}

static inline void kprobe_fixup_end(const struct kprobe_left *left,
				    struct pt_regs *regs, bool fixed)
{
}

static inline void kprobe_fault_may_sleep(struct pt_regs *regs) { }

static inline void kprobe_unwind(struct unwind_state *state) { }

static inline unsigned long kprobe_trace_ip(unsigned long ip)
{
	return ip;
}

#endif /* CONFIG_KPROBES */
#endif /* _ASM_X86_KPROBES_H */
