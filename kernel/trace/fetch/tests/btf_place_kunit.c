// SPDX-License-Identifier: GPL-2.0
/*
 * KUnit tests of where arguments are: functions are called with known values, and
 * a kprobe at their first instruction finds these where BTF and the rules say.
 */
#include <linux/bpf.h>
#include <linux/kprobes.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include <kunit/test.h>

#include "../btf.h"
#include "btf_targets.h"

#define STACK_BYTES	128

/* What a call found, at its entry. */
static struct {
	struct pt_regs regs;
	u8 stack[STACK_BYTES];
	unsigned int hits;
} seen;

static int place_hit(struct kprobe *kp, struct pt_regs *regs)
{
	seen.regs = *regs;
	/* What is not initialized there may not be read in another way. */
	if (copy_from_kernel_nofault(seen.stack, (void *)kernel_stack_pointer(regs), STACK_BYTES))
		return 0;
	seen.hits++;
	return 0;
}

NOKPROBE_SYMBOL(place_hit);

static const struct fetch_convention *convention(void)
{
	return IS_ENABLED(CONFIG_X86_64) ? &fetch_convention_x86_64 : &fetch_convention_i386;
}

static const struct btf_type *place_prototype(struct kunit *test, const char *function)
{
	struct btf *btf = bpf_get_btf_vmlinux();
	u32 type = 0;

	KUNIT_ASSERT_EQ_MSG(test, 0, fetch_btf_func(btf, function, &type), "%s", function);
	return btf_type_by_id(btf, btf_type_by_id(btf, type)->type);
}

/* Calls the function with a probe at its start. */
static void place_call(struct kunit *test, const char *function, void (*call)(void))
{
	struct kprobe kp = { .symbol_name = function, .pre_handler = place_hit };

	memset(&seen, 0, sizeof(seen));
	KUNIT_ASSERT_EQ(test, 0, register_kprobe(&kp));
	call();
	unregister_kprobe(&kp);
	KUNIT_ASSERT_EQ_MSG(test, 1, seen.hits, "%s", function);
}

static void from_registers(const struct fetch_place *place, u8 *value)
{
	unsigned long word;
	unsigned int n;

	for (n = 0; n < place->nr_registers; n++) {
		word = regs_get_kernel_argument(&seen.regs, place->first_register + n);
		memcpy(value + n * sizeof(word), &word, sizeof(word));
	}
}

/* Argument @n has the @size bytes of @wanted. */
static void place_is(struct kunit *test, const char *function, unsigned int n,
		     const void *wanted, size_t size)
{
	const struct btf_type *proto = place_prototype(test, function);
	struct fetch_place place;
	u8 value[32] = { };

	KUNIT_ASSERT_EQ_MSG(test, 0, fetch_btf_place(bpf_get_btf_vmlinux(), proto, convention(),
						     n, &place),
			    "%s argument %u", function, n);
	KUNIT_EXPECT_EQ_MSG(test, size, place.size, "%s argument %u", function, n);
	KUNIT_ASSERT_LE(test, place.size, sizeof(value));
	KUNIT_ASSERT_LE(test, place.stack + place.size, STACK_BYTES);
	if (place.nr_registers)
		from_registers(&place, value);
	else
		memcpy(value, seen.stack + place.stack, place.size);
	KUNIT_EXPECT_MEMEQ_MSG(test, wanted, value, size, "%s argument %u", function, n);
}

#define PLACE_IS(test, function, n, wanted) \
	place_is(test, function, n, &(wanted), sizeof(wanted))

static const u8 byte = 0xf1;
static const s16 half = -0x1234;
static const bool yes = true;
static const enum fetch_t_enum high = FETCH_T_HIGH;
static const u64 wide = 0x1122334455667788;
static const u64 other = 0x99aabbccddeeff01;
static void * const pointer = &seen;
static const int num = -77;
static const int last = 0x13572468;
static const struct fetch_t_4 s4 = { 0x41424344 };
static const struct fetch_t_12 s12 = { 0x51525354, 0x61626364, 0x71727374 };
static const struct fetch_t_16 s16s = { 0x0102030405060708, 0x1112131415161718 };
static const struct fetch_t_24 s24 = { 0x2122232425262728, 0x3132333435363738, 0x41 };
static const struct fetch_t_packed packed = { 0x77, 0x01020304 };
static const union fetch_t_union onion = { .a = 0x8182838485868788 };

static void call_scalars(void)
{
	fetch_t_scalars(byte, half, yes, high, wide, pointer, num, other);
}

static void place_scalars(struct kunit *test)
{
	place_call(test, "fetch_t_scalars", call_scalars);
	PLACE_IS(test, "fetch_t_scalars", 0, byte);
	PLACE_IS(test, "fetch_t_scalars", 1, half);
	PLACE_IS(test, "fetch_t_scalars", 2, yes);
	PLACE_IS(test, "fetch_t_scalars", 3, high);
	PLACE_IS(test, "fetch_t_scalars", 4, wide);
	PLACE_IS(test, "fetch_t_scalars", 5, pointer);
	PLACE_IS(test, "fetch_t_scalars", 6, num);
	PLACE_IS(test, "fetch_t_scalars", 7, other);
}

static void call_structs(void)
{
	fetch_t_structs(s4, s12, onion, num);
}

static void place_structs(struct kunit *test)
{
	place_call(test, "fetch_t_structs", call_structs);
	PLACE_IS(test, "fetch_t_structs", 0, s4);
	PLACE_IS(test, "fetch_t_structs", 1, s12);
	PLACE_IS(test, "fetch_t_structs", 2, onion);
	PLACE_IS(test, "fetch_t_structs", 3, num);
}

static void call_pair(void)
{
	fetch_t_pair(num, s16s, last);
}

static void place_pair(struct kunit *test)
{
	place_call(test, "fetch_t_pair", call_pair);
	PLACE_IS(test, "fetch_t_pair", 0, num);
	PLACE_IS(test, "fetch_t_pair", 1, s16s);
	PLACE_IS(test, "fetch_t_pair", 2, last);
}

static void call_large(void)
{
	fetch_t_large(num, s24, last);
}

static void place_large(struct kunit *test)
{
	place_call(test, "fetch_t_large", call_large);
	PLACE_IS(test, "fetch_t_large", 0, num);
	PLACE_IS(test, "fetch_t_large", 1, s24);
	PLACE_IS(test, "fetch_t_large", 2, last);
}

static void call_late(void)
{
	fetch_t_late(1, 2, 3, 4, num, s16s, last);
}

/* One register is left: the pair is on the stack, and the last argument is in it. */
static void place_late(struct kunit *test)
{
	place_call(test, "fetch_t_late", call_late);
	PLACE_IS(test, "fetch_t_late", 4, num);
	PLACE_IS(test, "fetch_t_late", 5, s16s);
	PLACE_IS(test, "fetch_t_late", 6, last);
}

static void call_packs(void)
{
	fetch_t_packs(num, packed, last);
}

static void place_packs(struct kunit *test)
{
	place_call(test, "fetch_t_packs", call_packs);
	PLACE_IS(test, "fetch_t_packs", 0, num);
	PLACE_IS(test, "fetch_t_packs", 1, packed);
	PLACE_IS(test, "fetch_t_packs", 2, last);
}

static void call_empty(void)
{
	fetch_t_empty(num, (struct fetch_t_none){ }, last);
}

static void place_empty(struct kunit *test)
{
	place_call(test, "fetch_t_empty", call_empty);
	PLACE_IS(test, "fetch_t_empty", 0, num);
	PLACE_IS(test, "fetch_t_empty", 2, last);
}

static void call_dots(void)
{
	fetch_t_dots(num, wide, last, 1, 2);
}

static void place_dots(struct kunit *test)
{
	struct fetch_place place;
	const struct btf_type *proto;

	place_call(test, "fetch_t_dots", call_dots);
	PLACE_IS(test, "fetch_t_dots", 0, num);
	PLACE_IS(test, "fetch_t_dots", 1, wide);
	PLACE_IS(test, "fetch_t_dots", 2, last);
	proto = place_prototype(test, "fetch_t_dots");
	KUNIT_EXPECT_EQ(test, 3, fetch_btf_parameters(proto));
	KUNIT_EXPECT_EQ(test, -ENOENT, fetch_btf_place(bpf_get_btf_vmlinux(), proto,
						       convention(), 3, &place));
}

static void call_gives(void)
{
	fetch_t_gives_24(num, last);
	fetch_t_gives_16(num, last);
	fetch_t_gives_12(num, last);
}

/* A structure that is returned in memory takes the first register. */
static void place_gives(struct kunit *test)
{
	static const char * const functions[] = {
		"fetch_t_gives_24", "fetch_t_gives_16", "fetch_t_gives_12",
	};
	unsigned int n;

	for (n = 0; n < ARRAY_SIZE(functions); n++) {
		place_call(test, functions[n], call_gives);
		PLACE_IS(test, functions[n], 0, num);
		PLACE_IS(test, functions[n], 1, last);
	}
}

#ifdef CONFIG_ARCH_SUPPORTS_INT128
static const u128 huge = ((u128)0x5152535455565758 << 64) | 0x6162636465666768;

static void call_int128(void)
{
	fetch_t_int128(num, huge, wide, other, 5, 6, huge);
}

static void place_int128(struct kunit *test)
{
	place_call(test, "fetch_t_int128", call_int128);
	PLACE_IS(test, "fetch_t_int128", 0, num);
	PLACE_IS(test, "fetch_t_int128", 1, huge);
	PLACE_IS(test, "fetch_t_int128", 2, wide);
	PLACE_IS(test, "fetch_t_int128", 3, other);
	PLACE_IS(test, "fetch_t_int128", 6, huge);
}
#endif

static struct kunit_case place_cases[] = {
	KUNIT_CASE(place_scalars),
	KUNIT_CASE(place_structs),
	KUNIT_CASE(place_pair),
	KUNIT_CASE(place_large),
	KUNIT_CASE(place_late),
	KUNIT_CASE(place_packs),
	KUNIT_CASE(place_empty),
	KUNIT_CASE(place_dots),
	KUNIT_CASE(place_gives),
#ifdef CONFIG_ARCH_SUPPORTS_INT128
	KUNIT_CASE(place_int128),
#endif
	{ }
};

static struct kunit_suite place_suite = {
	.name = "probe_events_btf_place",
	.test_cases = place_cases,
};

kunit_test_suite(place_suite);
