/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What BTF says of functions and structures, as arguments of probe events need it.
 */
#ifndef _KERNEL_TRACE_FETCH_BTF_H
#define _KERNEL_TRACE_FETCH_BTF_H

#include <linux/btf.h>
#include <linux/types.h>

/**
 * struct fetch_member - where a member of a structure is
 * @type: number of its type, as it was declared: it may be a typedef
 * @bit: its first bit, from the start of the structure that was searched
 * @bits: width of a bit field; 0 if it is none
 */
struct fetch_member {
	u32 type;
	u32 bit;
	u32 bits;
};

int fetch_btf_member(const struct btf *btf, const struct btf_type *type,
		     const char *name, size_t len, struct fetch_member *member);

/**
 * struct fetch_convention - how functions are called
 * @word: bytes of a register, and of a word of the stack
 * @registers: how many words may be passed in registers
 * @in_registers: bytes of the largest argument that may be in them
 * @returned: bytes of the largest structure that is returned in registers
 * @powers_returned: of structures only those of 1, 2, 4, 8, ... bytes are
 * @in_order: what does not fit into the registers that are left ends their use
 * @variadic_on_stack: all arguments of a variadic function are on the stack
 * @aligned: what must be aligned to more than a word is so on the stack
 * @packed_on_stack: a structure with a misaligned member is on the stack
 */
struct fetch_convention {
	u8 word;
	u8 registers;
	u8 in_registers;
	u8 returned;
	bool powers_returned : 1;
	bool in_order : 1;
	bool variadic_on_stack : 1;
	bool aligned : 1;
	bool packed_on_stack : 1;
};

/**
 * struct fetch_place - where an argument is, at the first instruction of a function
 * @size: its bytes
 * @nr_registers: how many registers it takes; 0 if it is on the stack
 * @first_register: the first of them, counted from 0; the others follow
 * @stack: bytes from what the stack pointer points to
 */
struct fetch_place {
	u32 size;
	u8 nr_registers;
	u8 first_register;
	u32 stack;
};

extern const struct fetch_convention fetch_convention_x86_64;
extern const struct fetch_convention fetch_convention_i386;

int fetch_btf_place(const struct btf *btf, const struct btf_type *proto,
		    const struct fetch_convention *convention, unsigned int n,
		    struct fetch_place *place);
unsigned int fetch_btf_parameters(const struct btf_type *proto);

int fetch_btf_func(const struct btf *btf, const char *name, u32 *type);
unsigned int fetch_btf_indexes(void);
unsigned int fetch_btf_drop(unsigned int nr);

#endif
