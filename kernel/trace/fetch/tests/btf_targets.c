// SPDX-License-Identifier: GPL-2.0
/*
 * They do nothing, and are called from another file: the compiler keeps the rules.
 */
#include <linux/compiler.h>

#include "btf_targets.h"

noinline void fetch_t_scalars(u8 a, s16 b, bool c, enum fetch_t_enum d, u64 e, void *f, int g,
			      u64 h)
{
	barrier();
}

noinline void fetch_t_structs(struct fetch_t_4 a, struct fetch_t_12 b, union fetch_t_union c,
			      int d)
{
	barrier();
}

noinline void fetch_t_pair(int a, struct fetch_t_16 b, int c)
{
	barrier();
}

noinline void fetch_t_large(int a, struct fetch_t_24 b, int c)
{
	barrier();
}

noinline void fetch_t_late(int a, int b, int c, int d, int e, struct fetch_t_16 f, int g)
{
	barrier();
}

noinline void fetch_t_packs(int a, struct fetch_t_packed b, int c)
{
	barrier();
}

noinline void fetch_t_empty(int a, struct fetch_t_none b, int c)
{
	barrier();
}

noinline void fetch_t_dots(int a, u64 b, int c, ...)
{
	barrier();
}

noinline struct fetch_t_24 fetch_t_gives_24(int a, int b)
{
	return (struct fetch_t_24){ .a = a, .b = b };
}

noinline struct fetch_t_16 fetch_t_gives_16(int a, int b)
{
	return (struct fetch_t_16){ .a = a, .b = b };
}

noinline struct fetch_t_12 fetch_t_gives_12(int a, int b)
{
	return (struct fetch_t_12){ .a = a, .b = b };
}

noinline struct fetch_t_pair fetch_t_gives_pair(int a)
{
	return (struct fetch_t_pair){ .a = a };
}

noinline struct fetch_t_five fetch_t_gives_five(int a)
{
	return (struct fetch_t_five){ .a = a };
}

noinline void fetch_t_members(struct fetch_t_deep *a, struct fetch_t_bits *b)
{
	barrier();
}

noinline void fetch_t_nine(int a, int b, int c, int d, int e, int f, int g, int h, int i)
{
	barrier();
}

#ifdef CONFIG_ARCH_SUPPORTS_INT128
noinline void fetch_t_int128(int a, u128 b, u64 c, u64 d, int e, int f, u128 g)
{
	barrier();
}
#endif
