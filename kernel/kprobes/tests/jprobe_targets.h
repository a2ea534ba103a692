/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _KPROBES_TESTS_JPROBE_TARGETS_H
#define _KPROBES_TESTS_JPROBE_TARGETS_H
/*
 * Functions with arguments of many kinds, to be probed by jprobes: in registers and on
 * the stack, as the architecture has it. Each gives a figure that depends on each of
 * its arguments and their order.
 *
 * There are two of each kind, since a traced function is probed through ftrace:
 * jt_NAME() is not traced, jt_traced_NAME() is.
 */
#include <linux/linkage.h>
#include <linux/types.h>

struct jt_pair {
	long a;
	long b;
};

struct jt_bytes {
	char c[3];
};

struct jt_big {
	long v[5];
};

/* Arguments fill the copy of the stack, of 256 bytes on x86, to the last byte. */
struct jt_huge {
	u8 byte[256];
};

u64 jt_sum(const u64 *v, unsigned int n);
u64 jt_sum_bytes(const u8 *b, unsigned int n);
void jt_spoil(void *arg, unsigned int size);

#define JT_SUM(...)							\
	jt_sum((const u64 []){ __VA_ARGS__ },				\
	       sizeof((const u64 []){ __VA_ARGS__ }) / sizeof(u64))

/* For each kind, the declaration of a function. */
#define JT_ONE(f)	u64 f(long a)
#define JT_SIX(f)	u64 f(long a, long b, long c, long d, long e, long g)
#define JT_SEVEN(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h)
#define JT_EIGHT(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h, long i)
#define JT_NINE(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h, long i, long j)
#define JT_TEN(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h, long i, long j, long k)
#define JT_ELEVEN(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h, long i, long j, long k, long l)
#define JT_TWELVE(f)	u64 f(long a, long b, long c, long d, long e, long g, \
			      long h, long i, long j, long k, long l, long m)
#define JT_SMALL(f)	u64 f(char a, short b, bool c, u8 d, u16 e, int g,    \
			      char h, short i, bool j)
#define JT_WIDE(f)	u64 f(int a, u64 b, u64 c, int d, u64 e, char g, u64 h)
#define JT_ASM(f)	asmlinkage u64 f(int a, u64 b, long c, long d, long e, \
					 long g, long h, long i)
#define JT_PAIR(f)	u64 f(int a, struct jt_pair p, long b, struct jt_pair q)
#define JT_BIG(f)	u64 f(struct jt_bytes s, long a, struct jt_big big,   \
			      struct jt_pair p, long b)
#define JT_HUGE(f)	u64 f(struct jt_huge huge)
#define JT_VARIADIC(f)	u64 f(unsigned int n, ...)
#define JT_STRUCT(f)	struct jt_big f(long a, long b)

JT_ONE(jt_one);
JT_SIX(jt_six);
JT_SEVEN(jt_seven);
JT_EIGHT(jt_eight);
JT_NINE(jt_nine);
JT_TEN(jt_ten);
JT_ELEVEN(jt_eleven);
JT_TWELVE(jt_twelve);
JT_SMALL(jt_small);
JT_WIDE(jt_wide);
JT_ASM(jt_asm);
JT_PAIR(jt_pair);
JT_BIG(jt_big);
JT_HUGE(jt_huge);
JT_VARIADIC(jt_variadic);
JT_STRUCT(jt_struct);

JT_ONE(jt_traced_one);
JT_SIX(jt_traced_six);
JT_SEVEN(jt_traced_seven);
JT_EIGHT(jt_traced_eight);
JT_NINE(jt_traced_nine);
JT_TEN(jt_traced_ten);
JT_ELEVEN(jt_traced_eleven);
JT_TWELVE(jt_traced_twelve);
JT_SMALL(jt_traced_small);
JT_WIDE(jt_traced_wide);
JT_ASM(jt_traced_asm);
JT_PAIR(jt_traced_pair);
JT_BIG(jt_traced_big);
JT_HUGE(jt_traced_huge);
JT_VARIADIC(jt_traced_variadic);
JT_STRUCT(jt_traced_struct);

#endif /* _KPROBES_TESTS_JPROBE_TARGETS_H */
