/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions with parameters of every shape, and what they take: for events whose
 * arguments are known. See fargs_targets.c, and fargs_main.c for the values.
 */
#ifndef _KPROBE_FARGS_H
#define _KPROBE_FARGS_H

#include <linux/tracepoint.h>
#include <linux/types.h>

enum fa_level { FA_LOW, FA_MIDDLE, FA_TOP };
enum fa_high { FA_HIGH_ZERO, FA_HIGH_BIT = 0x80000000 };
enum fa_minus { FA_MINUS = -5, FA_MINUS_ZERO = 0 };
enum fa_small { FA_SMALL_ZERO, FA_SMALL_LAST = 0xfe } __packed;
enum fa_huge { FA_HUGE_ZERO, FA_HUGE_LAST = 0x8000000000000001ULL };

struct fa_4 {
	u32 val;
};

struct fa_pair {
	u16 x, y;
};

struct fa_8 {
	u32 a;
	s16 b;
	u8 c;
	s8 d;
};

struct fa_12 {
	u32 a, b;
	s32 c;
};

struct fa_16 {
	u64 a;
	s32 b;
	u16 c;
	s8 d;
	u8 e;
};

struct fa_24 {
	u64 a;
	u32 b;
	s32 c;
	u64 d;
};

union fa_union {
	u64 whole;
	u8 byte;
	struct {
		s16 low;
		s16 high;
	};
};

#define FA_IN_4(inner)		union { union { union { union { inner; }; }; }; }

/* Twenty unions without names, one in the other. */
struct fa_deep {
	u32 outer;

	FA_IN_4(FA_IN_4(FA_IN_4(FA_IN_4(FA_IN_4(struct { u32 skipped; s32 deepest; })))));

	u32 last;
};

struct fa_bits {
	u64 before;
	u32 u1 : 1, u7 : 7, u8 : 8, rest : 16;
	u32 pad8 : 8, u24 : 24;
	s32 s3 : 3, t3 : 3;
	u64 pad7 : 7, u33 : 33, tail : 24;
	u64 behind;
};

struct fa_enums {
	enum fa_high high;
	enum fa_minus minus;
	enum fa_small small, next;
	enum fa_huge huge;
	enum fa_small levels[3];
	enum fa_minus narrow : 4;
};

struct fa_arrays {
	int a[4];
	char n[16];
	u8 m[6];
	bool flags[2];
	s16 wide[3];
	u16 many[80];
	char *p;
	u8 *q;
	char *names[3];
	struct fa_pair pairs[2];
	struct fa_12 twelve;
	struct fa_pair pair;
	u32 behind;
	float real;
	char full[4], after[4];
};

struct fa_node {
	int value;
	struct fa_node *next;
	const char *name;
	void (*call)(void);
};

struct fa_user {
	u32 a;
	s32 b;
	char text[16];
	const char __user *p;
};

long fa_scalars(u8 a, s16 b, bool c, enum fa_level d, u64 e, void *f, int g, u64 h);
int fa_struct4(int before, struct fa_4 s, int behind);
int fa_struct8(int before, struct fa_8 s, int behind);
int fa_struct12(int before, struct fa_12 s, int behind);
int fa_struct16(int before, struct fa_16 s, int behind);
int fa_struct24(int before, struct fa_24 s, int behind);
int fa_late(int a, int b, int c, int d, int e, struct fa_16 s, int g, struct fa_pair t);
int fa_takes_union(int before, union fa_union u, int behind);
int fa_takes_deep(struct fa_deep *d);
int fa_takes_bits(const char *name, struct fa_bits *b);
int fa_takes_enums(enum fa_high high, enum fa_minus minus, enum fa_small small,
		   enum fa_huge huge, struct fa_enums *p);
int fa_takes_arrays(struct fa_arrays *p, char *text, u8 *bytes, int *numbers);
int fa_strings(const char *one, const char *two, const char *three);
int fa_nodes(struct fa_node *node, struct fa_node *none, struct fa_node *bad);
int fa_takes_user(const char __user *text, struct fa_user __user *u, u64 __user *edge);
struct fa_node *fa_changes(int n, struct fa_node *node, char *text);
s8 fa_gives_s8(int n);
u16 fa_gives_u16(int n);
int fa_gives_int(int n);
bool fa_gives_bool(int n);
void *fa_gives_pointer(void *p);
struct fa_8 fa_gives_8(int n);
void fa_gives_nothing(int n);
int fa_dots(int a, u64 b, ...);
int fa_long_name(int a_parameter_that_has_a_name_too_long_for_arguments);
int fa_twins(int n);
int fa_other_twins(int n);

DECLARE_TRACE(fa_point,
	      TP_PROTO(u8 a, s16 b, struct fa_16 s, struct fa_node *node, u64 late),
	      TP_ARGS(a, b, s, node, late));

#endif
