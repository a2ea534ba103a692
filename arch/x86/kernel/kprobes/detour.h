/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_DETOUR_H
#define _X86_KPROBES_DETOUR_H

#include <linux/kallsyms.h>
#include <linux/kprobes.h>
#include <linux/types.h>

struct exception_table_entry;
struct insn;
struct kprobe_insn_class;
struct optimized_kprobe;

/**
 * DOC: A slot on x86
 *
 * ::
 *
 *	  the text                      the slot
 *
 *	point: [insn]  --int3-->   +0   [insn][jmp back]      boosted
 *	       [next ]  <----------------------'
 *	                           +20  [insn][int3   ]       stepped
 *
 * Both copies of a slot are made when the point is registered. The breakpoint
 * handler goes to the first one if no handler is to be called after the
 * instruction, and to the second one if the second trap is needed.
 */

/**
 * DOC: A detour on x86 and its stack
 *
 * ::
 *
 *	  the text                       the detour buffer
 *
 *	point: [jmp detour] ------>   entry: save the registers
 *	       [  region  ]                  call kprobe_detour_before()
 *	       [          ]                  restore the registers; jnz exit
 *	next:  [insn      ] <---+     copy of the region
 *	                        +---- jmp next
 *	                              exit:  popf; pop %rsp; ret
 *
 * While the handlers run, the stack holds what a trap would have pushed, as
 * struct pt_regs::
 *
 *	the probed code's stack    <-- regs->sp
 *	8 words: the stack pointer as it was, and room for what a handler pushes
 *	below regs->sp
 *	ss, sp, flags, cs, ip, orig_ax, ...		<-- struct pt_regs
 *	the return address of the call
 *
 * On 32 bit, struct pt_regs has DS, ES and FS as they are. They are not loaded from
 * there again: a change of them in a handler has no effect in a detour.
 *
 * When a handler has changed the path, kprobe_detour_leave() puts the new address
 * below regs->sp, and the exit takes it from there with its return.
 */

/**
 * struct kprobe_region - the bytes a jump would replace
 * @text: the text that they are in
 * @start: the point
 * @end: behind the last instruction of the region
 * @func_end: where its function ends
 * @past_end: an instruction in it never goes on behind itself, and more than
 *	padding follows
 */
struct kprobe_region {
	struct kprobe_text *text;
	unsigned long start;
	unsigned long end;
	unsigned long func_end;
	bool past_end;
};

/* If there are more functions of one name with cold parts, there is no jump. */
#define KPROBE_MAX_PARTNERS	8

/**
 * struct kprobe_partners - other parts that a function may have
 * @nr: how many there are
 * @known: whether they have been looked for
 * @addr: where they begin
 * @size: how long they are
 * @name: what they are called
 */
struct kprobe_partners {
	unsigned int nr;
	bool known;
	unsigned long addr[KPROBE_MAX_PARTNERS];
	unsigned long size[KPROBE_MAX_PARTNERS];
	char name[KSYM_NAME_LEN];
};

/* safety.c */
enum kprobe_nojump kprobe_region_check(const struct kprobe_region *r,
				       const struct kprobe_partners *ps);
bool kprobe_segments_kept(unsigned long addr);

/* partners.c */
enum kprobe_nojump kprobe_find_partners(struct kprobe_text *text,
					unsigned long addr,
					struct kprobe_partners *ps);

/* The kernel's exception table, from the linker script. */
extern const struct exception_table_entry __start___ex_table[];
extern const struct exception_table_entry __stop___ex_table[];

/* implicit.c */
int kprobe_implicit_init(struct kprobe_text *text);
enum kprobe_nojump kprobe_implicit_check(const struct kprobe_region *r);

/**
 * struct kprobe_copy - a copy of instructions that is being made
 * @buf: where it is made
 * @len: how long it is
 * @room: how long it may become
 * @ip: where @buf will stand
 * @ended: nothing that comes behind would be reached
 * @past: more than padding came behind
 * @pushed: the offset from which on the stack holds one word more than at the
 *	original instruction; 0 for nowhere
 */
struct kprobe_copy {
	u8 *buf;
	size_t len;
	size_t room;
	unsigned long ip;
	bool ended;
	bool past;
	u8 pushed;
};

/* relocate.c */
bool kprobe_is_padding(struct insn *insn);
enum kprobe_nojump kprobe_relocate(struct kprobe_copy *c, const u8 *bytes,
				   struct insn *insn, unsigned long from,
				   const struct kprobe_insn_class *class);

/* The longest copy of a region, which relocated branches make longer. */
#define DETOUR_COPY_MAX		40

/* The size of the template, with a frame pointer or without; checked at boot. */
#ifdef CONFIG_X86_64
#define DETOUR_ENTRY_MAX	(IS_ENABLED(CONFIG_FRAME_POINTER) ? 110 : 105)
#else
#define DETOUR_ENTRY_MAX	(IS_ENABLED(CONFIG_FRAME_POINTER) ? 80 : 72)
#endif

/* A detour buffer: see detour.c. The exit is two instructions and a return. */
#define DETOUR_SIZE		ALIGN(DETOUR_ENTRY_MAX + DETOUR_COPY_MAX + \
				      3 * JMP32_INSN_SIZE, 16)

/* The entry of a detour as a template, and the places in it: see detour_64.c. */
extern const u8 kprobe_detour_entry[];
extern const u8 kprobe_detour_clac[];
extern const u8 kprobe_detour_pushed_ip[];
extern const u8 kprobe_detour_point[];
extern const u8 kprobe_detour_call[];
extern const u8 kprobe_detour_jnz[];
extern const u8 kprobe_detour_entry_end[];

#define DETOUR_OFFSET(label)	(kprobe_detour_##label - kprobe_detour_entry)

/**
 * struct kprobe_detour_word - the words on the stack at an instruction
 * @at: the offset of the instruction in the template
 * @words: how many words have been pushed when it is executed
 */
struct kprobe_detour_word {
	u8 at;
	u8 words;
};

extern const struct kprobe_detour_word kprobe_detour_words[];
extern const struct kprobe_detour_word kprobe_detour_words_end[];

/**
 * struct kprobe_detour_pc - what an instruction pointer in a detour stands for
 * @ip: the address in the text
 * @regs_ip: what a handler finds as the instruction pointer, if @in_handler
 * @words: how many words more are on the stack than would be there
 * @in_copy: it is in the copy of the instruction at @ip
 * @in_handler: a handler runs, and the stack pointer is that of its pt_regs
 * @leaving: the address is on the stack, see kprobe_detour_exit
 */
struct kprobe_detour_pc {
	unsigned long ip;
	unsigned long regs_ip;
	unsigned int words;
	bool in_copy;
	bool in_handler;
	bool leaving;
};

/* detour.c */
bool kprobe_detour_fits(void);
enum kprobe_nojump kprobe_gen_detour(u8 *buf, struct optimized_kprobe *op,
				     unsigned long slot,
				     struct kprobe_region *r);
bool kprobe_detour_needs_after(struct optimized_kprobe *op);
int kprobe_gen_after(u8 *buf, struct optimized_kprobe *op, unsigned long slot,
		     bool stub);

/* detour_hit.c */
__noendbr int kprobe_detour_before(struct optimized_kprobe *op,
				   struct pt_regs *regs);
__noendbr int kprobe_detour_after(struct optimized_kprobe *op,
				  struct pt_regs *regs);
bool kprobe_detour_post(struct optimized_kprobe *op, struct pt_regs *regs,
			struct kprobe_frame *frame);

#ifdef CONFIG_OPTPROBES
/* redirect.c */
unsigned long kprobe_detour_ip(struct optimized_kprobe *op, unsigned long ip);
unsigned long kprobe_redirect_find(unsigned long ip);
unsigned long kprobe_redirect_ip(unsigned long ip);

/* detour_pc.c */
struct kprobe *kprobe_resolve_detour_pc(unsigned long ip,
					struct kprobe_detour_pc *pc);

/**
 * kprobe_op_of() - the optimizer's view of a point
 * @p: the point's kprobe
 *
 * Return: the struct optimized_kprobe that it is part of.
 */
static __always_inline struct optimized_kprobe *kprobe_op_of(struct kprobe *p)
{
	return container_of(p, struct optimized_kprobe, kp);
}

/**
 * kprobe_resume_ip() - where to go on for an address
 * @op: the point that was hit
 * @ip: the address
 *
 * A jump may be at the point, or is being put in or taken out.
 *
 * Return: @ip, or the copy in the detour if the jump covers @ip.
 */
static __always_inline unsigned long
kprobe_resume_ip(struct optimized_kprobe *op, unsigned long ip)
{
	return kprobe_optimized(&op->kp) ? kprobe_detour_ip(op, ip) : ip;
}

/**
 * kprobe_detour_copy() - the copy of the region in a detour
 * @op: a point with a detour
 *
 * Return: its address.
 */
static __always_inline unsigned long
kprobe_detour_copy(const struct optimized_kprobe *op)
{
	return (unsigned long)op->optinsn.insn + op->optinsn.piece[0].at;
}

/* How many addresses a CPU can remember. */
#define KPROBE_CLEAR_NR		32

/* The addresses that a CPU remembers: no jump covers them. */
DECLARE_PER_CPU(unsigned long, kprobe_clear[KPROBE_CLEAR_NR]);

/*
 * Where in kprobe_clear an address is remembered. Functions mostly begin at multiples of 16;
 * but 8 is the size of an element on 64 bit, so that the offset takes no shift.
 */
static __always_inline unsigned int kprobe_clear_index(unsigned long ip)
{
	return ip / 8 % KPROBE_CLEAR_NR;
}

/**
 * kprobe_is_clear() - does this CPU remember that no jump covers an address?
 * @ip: the address
 *
 * False does not mean that there is a jump. If true, the task may go on there, even if the
 * detour of a point around it has begun to serve: before the jump is put in, the CPUs are
 * made to forget the address, and then each task has been seen elsewhere.
 *
 * Context: any, preemption disabled, in the first frame of the CPU.
 * Return: whether it does.
 */
static __always_inline bool kprobe_is_clear(unsigned long ip)
{
	/* Written by kprobe_redirect_remember() and, on any CPU, arch_forget_redirects(). */
	return likely(raw_cpu_read(kprobe_clear[kprobe_clear_index(ip)]) == ip);
}
#else
static inline unsigned long kprobe_redirect_find(unsigned long ip)
{
	return ip;
}

static inline unsigned long kprobe_redirect_ip(unsigned long ip)
{
	return ip;
}

static inline bool kprobe_is_clear(unsigned long ip)
{
	return true;
}

static inline
struct kprobe *kprobe_resolve_detour_pc(unsigned long ip,
					struct kprobe_detour_pc *pc)
{
	return NULL;
}
#endif /* CONFIG_OPTPROBES */

#endif /* _X86_KPROBES_DETOUR_H */
