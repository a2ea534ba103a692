// SPDX-License-Identifier: GPL-2.0
/*
 * Functions with parameters of every shape. They do next to nothing; what they are
 * called with is known. Each is different to the compiler, which would make one of
 * those that are not.
 */
#include <linux/compiler.h>

#include "kprobe_fargs.h"

static __always_inline int fa_id(const int id)
{
	asm volatile("" : : "i" (id) : "memory");
	return id;
}

/* Its parameters are not what they were when it returns. */
noinline __noclone
long fa_scalars(u8 a, s16 b, bool c, enum fa_level d, u64 e, void *f, int g, u64 h)
{
	long sum = a + b + c + d + e + (long)f + g + h;
	int *on_stack = &g;
	u64 *last = &h;

	OPTIMIZER_HIDE_VAR(on_stack);
	OPTIMIZER_HIDE_VAR(last);
	*on_stack = 0;
	*last = 0;
	fa_id(1);
	return sum;
}

noinline __noclone int fa_struct4(int before, struct fa_4 s, int behind)
{
	return fa_id(2);
}

noinline __noclone int fa_struct8(int before, struct fa_8 s, int behind)
{
	return fa_id(3);
}

noinline __noclone int fa_struct12(int before, struct fa_12 s, int behind)
{
	return fa_id(4);
}

noinline __noclone int fa_struct16(int before, struct fa_16 s, int behind)
{
	return fa_id(5);
}

noinline __noclone int fa_struct24(int before, struct fa_24 s, int behind)
{
	return fa_id(6);
}

/* The structures are on the stack, @g has the last register. */
noinline __noclone
int fa_late(int a, int b, int c, int d, int e, struct fa_16 s, int g, struct fa_pair t)
{
	return fa_id(7);
}

noinline __noclone int fa_takes_union(int before, union fa_union u, int behind)
{
	return fa_id(8);
}

noinline __noclone int fa_takes_deep(struct fa_deep *d)
{
	return fa_id(9);
}

noinline __noclone int fa_takes_bits(const char *name, struct fa_bits *b)
{
	return fa_id(10);
}

noinline __noclone
int fa_takes_enums(enum fa_high high, enum fa_minus minus, enum fa_small small,
		   enum fa_huge huge, struct fa_enums *p)
{
	return fa_id(11);
}

noinline __noclone
int fa_takes_arrays(struct fa_arrays *p, char *text, u8 *bytes, int *numbers)
{
	return fa_id(12);
}

noinline __noclone int fa_strings(const char *one, const char *two, const char *three)
{
	return fa_id(13);
}

noinline __noclone int fa_nodes(struct fa_node *node, struct fa_node *none, struct fa_node *bad)
{
	return fa_id(14);
}

noinline __noclone
int fa_takes_user(const char __user *text, struct fa_user __user *u, u64 __user *edge)
{
	return fa_id(15);
}

noinline __noclone struct fa_node *fa_changes(int n, struct fa_node *node, char *text)
{
	node->value = n + 1;
	text[0] = 'n';
	n = fa_id(16);
	return node->next;
}

noinline __noclone s8 fa_gives_s8(int n)
{
	fa_id(17);
	return n;
}

noinline __noclone u16 fa_gives_u16(int n)
{
	fa_id(18);
	return n;
}

noinline __noclone int fa_gives_int(int n)
{
	fa_id(19);
	return n;
}

noinline __noclone bool fa_gives_bool(int n)
{
	fa_id(20);
	return n;
}

noinline __noclone void *fa_gives_pointer(void *p)
{
	fa_id(21);
	return p;
}

noinline __noclone struct fa_8 fa_gives_8(int n)
{
	fa_id(22);
	return (struct fa_8){ .a = n, .b = -2, .c = 3, .d = -4 };
}

noinline __noclone void fa_gives_nothing(int n)
{
	fa_id(23);
}

noinline __noclone int fa_long_name(int a_parameter_that_has_a_name_too_long_for_arguments)
{
	return fa_id(26);
}

noinline __noclone int fa_dots(int a, u64 b, ...)
{
	return fa_id(24);
}

static noinline __noclone int fa_twin(int n)
{
	return fa_id(25) + n;
}

int fa_twins(int n)
{
	return fa_twin(n);
}
