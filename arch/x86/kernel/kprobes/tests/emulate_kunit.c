// SPDX-License-Identifier: GPL-2.0
/*
 * Emulated instructions against the CPU, where it can be asked, and against
 * the manual elsewhere: flags, relative branches, counters and returns.
 */
#include <linux/bits.h>
#include <linux/kernel.h>

#include "machine.h"

/* ---- conditions ---------------------------------------------------------- */

static unsigned long native_flags(void)
{
	unsigned long flags;

	asm volatile("pushf\n\tpop %0" : "=r" (flags));
	return flags;
}

#define SETCC(cond, flags)						\
({									\
	u8 _is;								\
									\
	asm volatile("push %1\n\tpopf\n\tset" cond " %0"		\
		     : "=q" (_is) : "r" (flags) : "cc", "memory");	\
	_is;								\
})

static bool native_condition(int cc, unsigned long flags)
{
	switch (cc) {
	case 0x0: return SETCC("o", flags);
	case 0x1: return SETCC("no", flags);
	case 0x2: return SETCC("b", flags);
	case 0x3: return SETCC("ae", flags);
	case 0x4: return SETCC("e", flags);
	case 0x5: return SETCC("ne", flags);
	case 0x6: return SETCC("be", flags);
	case 0x7: return SETCC("a", flags);
	case 0x8: return SETCC("s", flags);
	case 0x9: return SETCC("ns", flags);
	case 0xa: return SETCC("p", flags);
	case 0xb: return SETCC("np", flags);
	case 0xc: return SETCC("l", flags);
	case 0xd: return SETCC("ge", flags);
	case 0xe: return SETCC("le", flags);
	default:  return SETCC("g", flags);
	}
}

/* The @nr'th of the 64 combinations of the status flags. */
static unsigned long status_flags(int nr)
{
	static const unsigned long flag[] = {
		X86_EFLAGS_CF, X86_EFLAGS_PF, X86_EFLAGS_AF,
		X86_EFLAGS_ZF, X86_EFLAGS_SF, X86_EFLAGS_OF,
	};
	unsigned long flags = 0;
	int i;

	for (i = 0; i < ARRAY_SIZE(flag); i++)
		flags |= nr & BIT(i) ? flag[i] : 0;
	return flags;
}

static void check_jcc(struct kunit *test, int cc, struct code code, long distance)
{
	struct km *m;
	unsigned long flags;
	int nr;

	for (nr = 0; nr < 64; nr++) {
		m = km_init(test, code);
		flags = (native_flags() & ~KM_STATUS) | status_flags(nr);
		m->regs.flags = flags;
		km_expect(m);
		if (native_condition(cc, flags))
			m->want.ip += distance;
		km_run(m, "jcc");
	}
}

static void emulate_jcc(struct kunit *test)
{
	int cc;

	for (cc = 0; cc < 16; cc++) {
		check_jcc(test, cc, CODE(0x70 | cc, 0x7f), 127);
		check_jcc(test, cc, CODE(0x70 | cc, 0x80), -128);
		check_jcc(test, cc, CODE(0x0f, 0x80 | cc, 0x67, 0x45, 0x23, 0x01), 0x1234567);
		check_jcc(test, cc, CODE(0x0f, 0x80 | cc, 0x00, 0xff, 0xff, 0xff), -256);
		check_jcc(test, cc, CODE(0x2e, 0x70 | cc, 0x10), 16);
	}
}

/* ---- counters ------------------------------------------------------------ */

#define NATIVE_COUNT(insn, flags, count)				\
({									\
	unsigned long _taken;						\
									\
	asm volatile("push %[fl]\n\tpopf\n\t"				\
		     "mov $1, %k[taken]\n\t"				\
		     insn " 1f\n\t"					\
		     "mov $0, %k[taken]\n"				\
		     "1:"						\
		     : [taken] "=&r" (_taken), "+c" (count)		\
		     : [fl] "r" (flags) : "cc", "memory");		\
	_taken;								\
})

/* Those with an address-size prefix count in half a register. */
enum counter {
	LOOPNE, LOOPE, LOOP, JCXZ, LOOPNE_HALF, LOOPE_HALF, LOOP_HALF, JCXZ_HALF,
};

#ifdef CONFIG_X86_64
#define JCXZ_WORD	"jrcxz"
#define JCXZ_SHORTER	"jecxz"
#else
#define JCXZ_WORD	"jecxz"
#define JCXZ_SHORTER	"jcxz"
#endif

static bool native_count(enum counter insn, unsigned long flags, unsigned long *count)
{
	unsigned long cx = *count, taken = 0;

	switch (insn) {
	case LOOPNE:
		taken = NATIVE_COUNT("loopne", flags, cx);
		break;
	case LOOPE:
		taken = NATIVE_COUNT("loope", flags, cx);
		break;
	case LOOP:
		taken = NATIVE_COUNT("loop", flags, cx);
		break;
	case JCXZ:
		taken = NATIVE_COUNT(JCXZ_WORD, flags, cx);
		break;
	case LOOPNE_HALF:
		taken = NATIVE_COUNT(".byte 0x67\n\tloopne", flags, cx);
		break;
	case LOOPE_HALF:
		taken = NATIVE_COUNT(".byte 0x67\n\tloope", flags, cx);
		break;
	case LOOP_HALF:
		taken = NATIVE_COUNT(".byte 0x67\n\tloop", flags, cx);
		break;
	case JCXZ_HALF:
		taken = NATIVE_COUNT(JCXZ_SHORTER, flags, cx);
		break;
	}
	*count = cx;
	return taken;
}

static void check_counter(struct kunit *test, enum counter insn, unsigned long count,
			  struct code code)
{
	struct km *m;
	unsigned long flags;
	int nr;

	for (nr = 0; nr < 64; nr++) {
		m = km_init(test, code);
		flags = (native_flags() & ~KM_STATUS) | status_flags(nr);
		m->regs.flags = flags;
		m->regs.cx = count;
		km_expect(m);
		if (native_count(insn, flags, &m->want.cx))
			m->want.ip -= 16;
		km_run(m, "counter");
	}
}

/* One more than what half a register holds. */
#define HALF	BIT(BITS_PER_LONG / 2)

static void emulate_counters(struct kunit *test)
{
	static const unsigned long counts[] = {
		0, 1, 2, 3, HALF - 1, HALF, HALF + 1, HALF + 2, -HALF, -HALF + 1, ~0UL,
	};
	int i, insn;

	for (i = 0; i < ARRAY_SIZE(counts); i++) {
		for (insn = LOOPNE; insn <= JCXZ; insn++)
			check_counter(test, insn, counts[i], CODE(0xe0 | insn, 0xf0));
		for (insn = LOOPNE_HALF; insn <= JCXZ_HALF; insn++)
			check_counter(test, insn, counts[i],
				      CODE(0x67, 0xe0 | (insn - LOOPNE_HALF), 0xf0));
	}
}

/* ---- flags --------------------------------------------------------------- */

static void check_pushf(struct kunit *test, unsigned long flags, unsigned long stored)
{
	struct km *m;

	m = km_init(test, CODE(0x9c));
	m->regs.flags = flags;
	km_expect(m);
	km_push(m, stored);
	km_run(m, "pushf");
}

static void emulate_pushf(struct kunit *test)
{
	unsigned long flags = native_flags();
	int nr;

	check_pushf(test, flags, flags);
	check_pushf(test, flags & ~X86_EFLAGS_IF, flags & ~X86_EFLAGS_IF);
	check_pushf(test, flags | X86_EFLAGS_DF, flags | X86_EFLAGS_DF);
	check_pushf(test, flags | X86_EFLAGS_TF, flags | X86_EFLAGS_TF);
	check_pushf(test, flags | X86_EFLAGS_RF | X86_EFLAGS_VM, flags);
	for (nr = 0; nr < 64; nr++) {
		unsigned long f = (flags & ~KM_STATUS) | status_flags(nr);

		check_pushf(test, f, f);
	}
}

/* What the CPU makes of @popped. */
static unsigned long native_popf(unsigned long popped)
{
	unsigned long flags, saved;

	asm volatile("pushf\n\tpop %[saved]\n\t"
		     "push %[popped]\n\tpopf\n\t"
		     "pushf\n\tpop %[flags]\n\t"
		     "push %[saved]\n\tpopf"
		     : [flags] "=&r" (flags), [saved] "=&r" (saved)
		     : [popped] "r" (popped) : "cc", "memory");
	return flags;
}

static void check_popf(struct kunit *test, unsigned long before, unsigned long popped,
		       unsigned long after)
{
	struct km *m;

	m = km_init(test, CODE(0x9d));
	m->regs.flags = before;
	m->stack[KM_TOP] = popped;
	km_expect(m);
	m->want.sp += sizeof(long);
	m->want.flags = after;
	km_run(m, "popf");
}

/* Reserved and read-only bits are among those tried. */
static void emulate_popf_native(struct kunit *test)
{
	unsigned long tried = KM_STATUS | X86_EFLAGS_DF | X86_EFLAGS_ID | X86_EFLAGS_RF |
			      X86_EFLAGS_FIXED | BIT(3) | BIT(5) | BIT(15) | BIT(22) |
			      ~(unsigned long)U32_MAX;
	unsigned long flags, popped;
	int i;

	for (i = 0; i < 500; i++) {
		flags = native_flags();
		popped = flags ^ (km_random() & tried);
		check_popf(test, flags, popped, native_popf(popped));
	}
}

/* Flags that cannot be tried out here. SDM 2B, POPF, at privilege level 0. */
static void emulate_popf(struct kunit *test)
{
	static const unsigned long loaded[] = {
		X86_EFLAGS_IF, X86_EFLAGS_TF, X86_EFLAGS_NT, X86_EFLAGS_IOPL, X86_EFLAGS_AC,
	};
	static const unsigned long kept[] = {
		X86_EFLAGS_VM, X86_EFLAGS_VIF, X86_EFLAGS_VIP,
	};
	unsigned long base = X86_EFLAGS_FIXED | X86_EFLAGS_CF;
	int i;

	for (i = 0; i < ARRAY_SIZE(loaded); i++) {
		check_popf(test, base, base | loaded[i], base | loaded[i]);
		check_popf(test, base | loaded[i], base, base);
	}
	for (i = 0; i < ARRAY_SIZE(kept); i++) {
		check_popf(test, base, base | kept[i], base);
		check_popf(test, base | kept[i], base, base | kept[i]);
	}
	check_popf(test, base | X86_EFLAGS_RF, base | X86_EFLAGS_RF, base);
}

static void check_if(struct kunit *test, u8 opcode, unsigned long set)
{
	struct km *m;
	int i;

	for (i = 0; i < 2; i++) {
		m = km_init(test, CODE(opcode));
		m->regs.flags &= ~X86_EFLAGS_IF;
		m->regs.flags |= i ? X86_EFLAGS_IF : 0;
		km_expect(m);
		m->want.flags &= ~X86_EFLAGS_IF;
		m->want.flags |= set;
		km_run(m, set ? "sti" : "cli");
	}
}

static void emulate_cli_sti(struct kunit *test)
{
	check_if(test, 0xfa, 0);
	check_if(test, 0xfb, X86_EFLAGS_IF);
}

/* ---- relative branches --------------------------------------------------- */

static void check_jmp(struct kunit *test, unsigned long target, struct code code)
{
	struct km *m;

	m = km_init(test, code);
	km_expect(m);
	m->want.ip = target;
	km_run(m, "jmp");
}

static void emulate_jmp(struct kunit *test)
{
	check_jmp(test, KM_IP, CODE(0xeb, 0xfe));
	check_jmp(test, KM_IP + 2, CODE(0xeb, 0x00));
	check_jmp(test, KM_IP + 2 - 128, CODE(0xeb, 0x80));
	check_jmp(test, KM_IP + 5 + 0x123456, CODE(0xe9, 0x56, 0x34, 0x12, 0x00));
	check_jmp(test, KM_IP + 5 - 0x1000, CODE(0xe9, 0x00, 0xf0, 0xff, 0xff));
	check_jmp(test, KM_IP + 6 + 0x10, CODE(0xf2, 0xe9, 0x10, 0x00, 0x00, 0x00));
	check_jmp(test, KM_IP + 7 + 0x10, CODE(0x2e, 0x2e, 0xe9, 0x10, 0x00, 0x00, 0x00));
	if (IS_ENABLED(CONFIG_X86_64))
		check_jmp(test, KM_IP + 3 + 0x10, CODE(0x48, 0xeb, 0x10));
}

static void check_call(struct kunit *test, unsigned long target, struct code code)
{
	struct km *m;

	m = km_init(test, code);
	km_expect(m);
	km_push(m, KM_IP + code.len);
	m->want.ip = target;
	km_run(m, "call");
}

/* The return address is behind the prefixes too; call .+5 finds its own. */
static void emulate_call(struct kunit *test)
{
	check_call(test, KM_IP + 5, CODE(0xe8, 0x00, 0x00, 0x00, 0x00));
	check_call(test, KM_IP + 5 - 0x1000, CODE(0xe8, 0x00, 0xf0, 0xff, 0xff));
	check_call(test, KM_IP + 6 + 0x100, CODE(0x2e, 0xe8, 0x00, 0x01, 0x00, 0x00));
	check_call(test, KM_IP + 6 + 0x100, CODE(0x67, 0xe8, 0x00, 0x01, 0x00, 0x00));
	check_call(test, KM_IP + 7 + 0x100, CODE(0xf2, 0x2e, 0xe8, 0x00, 0x01, 0x00, 0x00));
	if (IS_ENABLED(CONFIG_X86_64))
		check_call(test, KM_IP + 6 + 0x100,
			   CODE(0x48, 0xe8, 0x00, 0x01, 0x00, 0x00));
}

/* ---- returns ------------------------------------------------------------- */

static void check_ret(struct kunit *test, unsigned int dropped, struct code code)
{
	struct km *m;

	m = km_init(test, code);
	km_expect(m);
	m->want.ip = KM_TARGET + KM_TOP;
	m->want.sp += sizeof(long) + dropped;
	km_run(m, "ret");
}

static void emulate_ret(struct kunit *test)
{
	check_ret(test, 0, CODE(0xc3));
	check_ret(test, 0, CODE(0xf3, 0xc3));
	check_ret(test, 0, CODE(0xf2, 0xc3));
	check_ret(test, 0, CODE(0xc2, 0x00, 0x00));
	check_ret(test, 8, CODE(0xc2, 0x08, 0x00));
	check_ret(test, 0x1234, CODE(0xc2, 0x34, 0x12));
	/* The immediate has no sign. */
	check_ret(test, 0xfff8, CODE(0xc2, 0xf8, 0xff));
	if (IS_ENABLED(CONFIG_X86_64))
		check_ret(test, 0, CODE(0x48, 0xc3));
}

static struct kunit_case emulate_test_cases[] = {
	KUNIT_CASE(emulate_jcc),
	KUNIT_CASE(emulate_counters),
	KUNIT_CASE(emulate_pushf),
	KUNIT_CASE(emulate_popf_native),
	KUNIT_CASE(emulate_popf),
	KUNIT_CASE(emulate_cli_sti),
	KUNIT_CASE(emulate_jmp),
	KUNIT_CASE(emulate_call),
	KUNIT_CASE(emulate_ret),
	{}
};

static struct kunit_suite emulate_suite = {
	.name = "x86_kprobes_emulate",
	.test_cases = emulate_test_cases,
};

kunit_test_suite(emulate_suite);

MODULE_DESCRIPTION("KUnit tests of the instructions kprobes emulates");
MODULE_LICENSE("GPL");
