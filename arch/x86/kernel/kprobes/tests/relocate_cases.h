/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _X86_KPROBES_TESTS_RELOCATE_CASES_H
#define _X86_KPROBES_TESTS_RELOCATE_CASES_H
/*
 * Instructions and what they become in a detour, for relocate_kunit.c. Those of one
 * kernel only are in RELOC_WORD_CASES.
 */
#include <linux/types.h>
#include <asm/insn.h>

/* The text, the detour, and how far away another detour is. */
#ifdef CONFIG_X86_64
#define FROM		0xffffffff81000000UL
#define TO		0xffffffffa0000000UL
#define FAR		0x100000000UL
#else
#define FROM		0x81000000UL
#define TO		0xa0000000UL
#define FAR		0x80000000UL
#endif
#define ROOM		40

/* How a call pushes; the address it returns to, and a jump, come behind. */
#ifdef CONFIG_X86_64
#define PUSH		"\xe8\1\0\0\0\xcc\x48\xc7\x04\x24"
#else
#define PUSH		"\xe8\1\0\0\0\xcc\xc7\x04\x24"
#endif
/* With @n bytes more. */
#define PUSH_LEN(n)	(sizeof(PUSH) - 1 + (n))

/**
 * struct reloc_case - an instruction and its copy
 * @name: the instruction
 * @bytes: its bytes
 * @copy: the bytes of the copy, without the distance at the end
 * @len: how many these are
 * @target: what the distance leads to, counted from the instruction; 0 if there
 *	is none
 * @pushed: where in the copy a word has been pushed
 * @ended: it does not go on behind
 */
struct reloc_case {
	const char *name;
	u8 bytes[MAX_INSN_SIZE];
	u8 copy[ROOM];
	u8 len;
	unsigned int target;
	u8 pushed;
	bool ended;
};

/**
 * struct reloc_padding - an instruction that fills the space behind a function
 * @bytes: its bytes
 * @padding: is it taken for one?
 */
struct reloc_padding {
	u8 bytes[MAX_INSN_SIZE];
	bool padding;
};

#ifdef CONFIG_X86_64
#define RELOC_WORD_CASES						\
	{ "load", { 0x48, 0x8b, 0x05, 0x20, 0, 0, 0 }, { 0x48, 0x8b, 0x05 }, 3,	\
	  .target = 0x27 },						\
	{ "call high reg", { 0x41, 0xff, 0xd5 }, PUSH "\x03\0\0\x81\x41\xff\xe5",	\
	  PUSH_LEN(7), .pushed = 6, .ended = true },			\
	{ "call rip", { 0xff, 0x15, 0x10, 0, 0, 0 }, PUSH "\x06\0\0\x81\xff\x25",	\
	  PUSH_LEN(6), .target = 0x16, .pushed = 6, .ended = true },	\
	{ "jmp rip", { 0xff, 0x25, 0x10, 0, 0, 0 }, { 0xff, 0x25 }, 2,	\
	  .target = 0x16, .ended = true },

/* LEA and MOV may be more than padding. */
#define RELOC_WORD_PADDING						\
	{ { 0x41, 0x90 }, false },					\
	{ { 0x8d, 0x76, 0x00 }, false },				\
	{ { 0x89, 0xf6 }, false },
#else
/* Addresses do not count from the instruction, so that the copies are equal. */
#define RELOC_WORD_CASES						\
	{ "load", { 0x8b, 0x15, 0x20, 0, 0, 0 }, { 0x8b, 0x15, 0x20 }, 6 },	\
	{ "call abs", { 0xff, 0x15, 0x10, 0, 0, 0 },			\
	  PUSH "\x06\0\0\x81\xff\x25\x10\0\0\0", PUSH_LEN(10),		\
	  .pushed = 6, .ended = true },					\
	{ "call per-CPU", { 0x64, 0xff, 0x15, 0x10, 0, 0, 0 },		\
	  PUSH "\x07\0\0\x81\x64\xff\x25\x10\0\0\0", PUSH_LEN(11),	\
	  .pushed = 6, .ended = true },					\
	{ "jmp abs", { 0xff, 0x25, 0x10, 0, 0, 0 }, { 0xff, 0x25, 0x10 }, 6,	\
	  .ended = true },						\
	{ "jmp table", { 0xff, 0x24, 0x85, 0x10, 0, 0, 0 },		\
	  { 0xff, 0x24, 0x85, 0x10 }, 7, .ended = true },		\
	{ "pusha", { 0x60 }, { 0x60 }, 1 },				\
	{ "enter", { 0xc8, 8, 0, 0 }, { 0xc8, 8, 0, 0 }, 4 },		\
	{ "push es", { 0x06 }, { 0x06 }, 1 },				\
	{ "lds", { 0xc5, 0x10 }, { 0xc5, 0x10 }, 2 },

#define RELOC_WORD_PADDING						\
	{ { 0x8d, 0x76, 0x00 }, true },					\
	{ { 0x8d, 0x74, 0x26, 0x00 }, true },				\
	{ { 0x3e, 0x8d, 0x74, 0x26, 0x00 }, true },			\
	{ { 0x8d, 0xb6, 0x00, 0x00, 0x00, 0x00 }, true },		\
	{ { 0x8d, 0xbc, 0x27, 0x00, 0x00, 0x00, 0x00 }, true },		\
	{ { 0x89, 0xf6 }, true },					\
	{ { 0x89, 0xff }, true },					\
	{ { 0x89, 0xfe }, false },					\
	{ { 0x8d, 0x36 }, false },					\
	{ { 0x8d, 0x76, 0x01 }, false },				\
	{ { 0x8d, 0x77, 0x00 }, false },				\
	{ { 0x8d, 0x74, 0x36, 0x00 }, false },				\
	{ { 0x8d, 0x74, 0x27, 0x00 }, false },				\
	{ { 0x67, 0x8d, 0x76, 0x00 }, false },
#endif

#endif /* _X86_KPROBES_TESTS_RELOCATE_CASES_H */
