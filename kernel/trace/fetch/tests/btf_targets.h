/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Functions with all kinds of parameters, and structures with all kinds of
 * members, for the tests of what BTF is read for.
 */
#ifndef _KERNEL_TRACE_FETCH_BTF_TARGETS_H
#define _KERNEL_TRACE_FETCH_BTF_TARGETS_H

#include <linux/types.h>

enum fetch_t_enum {
	FETCH_T_ZERO,
	FETCH_T_HIGH = 0x80000001,
};

struct fetch_t_4 {
	u32 a;
};

struct fetch_t_pair {
	u16 a, b;
};

struct fetch_t_five {
	u32 a : 5;
};

struct fetch_t_12 {
	u32 a, b, c;
};

struct fetch_t_16 {
	u64 a, b;
};

struct fetch_t_24 {
	u64 a, b, c;
};

struct fetch_t_packed {
	u8 a;
	u32 b;
} __packed;

struct fetch_t_none {
};

union fetch_t_union {
	u64 a;
	u8 b[8];
};

/* Six members without names, one in the other, and a name among the outer ones. */
struct fetch_t_deep {
	u32 outer;
	union {
		u64 first;
		struct {
			u8 pad;
			struct {
				u16 third;
				union {
					u32 fourth;
					struct {
						u32 skipped;
						union {
							u16 deepest;
							u8 alias;
						};
					};
				};
			};
		};
	};
	u32 last;
	const struct fetch_t_16 inner;
	s64 below;
};

struct fetch_t_bits {
	u32 plain;
	u32 one : 1, seven : 7, eight : 8;
	s32 three : 3;
	u64 wide : 33;
	struct {
		u32 hidden : 5;
	};
};

void fetch_t_scalars(u8 a, s16 b, bool c, enum fetch_t_enum d, u64 e, void *f, int g, u64 h);
void fetch_t_structs(struct fetch_t_4 a, struct fetch_t_12 b, union fetch_t_union c, int d);
void fetch_t_pair(int a, struct fetch_t_16 b, int c);
void fetch_t_large(int a, struct fetch_t_24 b, int c);
void fetch_t_late(int a, int b, int c, int d, int e, struct fetch_t_16 f, int g);
void fetch_t_packs(int a, struct fetch_t_packed b, int c);
void fetch_t_empty(int a, struct fetch_t_none b, int c);
void fetch_t_dots(int a, u64 b, int c, ...);
struct fetch_t_24 fetch_t_gives_24(int a, int b);
struct fetch_t_16 fetch_t_gives_16(int a, int b);
struct fetch_t_12 fetch_t_gives_12(int a, int b);
struct fetch_t_pair fetch_t_gives_pair(int a);
struct fetch_t_five fetch_t_gives_five(int a);
void fetch_t_members(struct fetch_t_deep *a, struct fetch_t_bits *b);
void fetch_t_nine(int a, int b, int c, int d, int e, int f, int g, int h, int i);
#ifdef CONFIG_ARCH_SUPPORTS_INT128
void fetch_t_int128(int a, u128 b, u64 c, u64 d, int e, int f, u128 g);
#endif

#endif
