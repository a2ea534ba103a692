/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How events in the kernel read memory, and the strings in it, where nothing may
 * sleep or fault. Where the kernel and processes share addresses, an address of a
 * process is read as one.
 */
#ifndef _KERNEL_TRACE_PROBE_KERNEL_H
#define _KERNEL_TRACE_PROBE_KERNEL_H

#include <linux/kprobes.h>
#include <linux/mm.h>
#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/word-at-a-time.h>

#define FAULT_STRING	"(fault)"

/*
 * A string is read by words, wherever it starts, where the architecture can do that, and
 * where bytes behind the string cannot have tags of their own, as with KASAN_HW_TAGS.
 */
#define PROBE_STRING_WORDS	(IS_ENABLED(CONFIG_HAVE_EFFICIENT_UNALIGNED_ACCESS) && \
				 !IS_ENABLED(CONFIG_KASAN_HW_TAGS))

static nokprobe_inline bool probe_is_user_address(unsigned long addr)
{
	return IS_ENABLED(CONFIG_ARCH_HAS_NON_OVERLAPPING_ADDRESS_SPACE) && addr < TASK_SIZE;
}

static nokprobe_inline int probe_mem_read_user(void *dest, void *src, size_t size)
{
	return copy_from_user_nofault(dest, (const void __force __user *)src, size);
}

static nokprobe_inline int probe_mem_read(void *dest, void *src, size_t size)
{
	if (probe_is_user_address((unsigned long)src))
		return probe_mem_read_user(dest, src, size);
	return copy_from_kernel_nofault(dest, src, size);
}

/*
 * Go over @size bytes at @from, all on one page, up to the first null, and copy them to
 * @to if @copy: maybe some behind the null, never more than @size. Return: how many bytes
 * are before the null, @size if there is none, or -EFAULT.
 */
static nokprobe_inline int probe_walk_bytes(char *to, const void *from, long size, bool copy)
{
	long at;
	char byte;

	for (at = 0; at < size; at++) {
		__get_kernel_nofault(&byte, from + at, char, fault);
		if (copy)
			to[at] = byte;
		if (!byte)
			break;
	}
	return at;
fault:
	return -EFAULT;
}

/* As probe_walk_bytes(), of the bytes of a word. */
static nokprobe_inline int probe_walk_word(char *to, const void *from, bool copy)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;

	__get_kernel_nofault(&word, from, unsigned long, fault);
	if (copy)
		put_unaligned(word, (unsigned long *)to);
	if (!has_zero(word, &bits, &constants))
		return sizeof(word);
	bits = prep_zero_mask(word, bits, &constants);
	return find_zero(create_zero_mask(bits));
fault:
	return -EFAULT;
}

/* As probe_walk_bytes(). There are at least as many as in a word. */
static nokprobe_inline int probe_walk_words(char *to, const void *from, long size, bool copy)
{
	const long last = size - sizeof(long);
	long at;
	int len;

	for (at = 0; at < last; at += sizeof(long)) {
		len = probe_walk_word(to + at, from + at, copy);
		if (len != sizeof(long))
			return len < 0 ? len : at + len;
	}
	/* This word may have bytes of the one before it. */
	len = probe_walk_word(to + last, from + last, copy);
	return len < 0 ? len : last + len;
}

static nokprobe_inline int probe_walk_part(char *to, const void *from, long size, bool copy)
{
	if (PROBE_STRING_WORDS && size >= (long)sizeof(long))
		return probe_walk_words(to, from, size, copy);
	return probe_walk_bytes(to, from, size, copy);
}

/*
 * The whole of a string. Return: its length with the null, which is @max if it is longer,
 * or -EFAULT.
 */
static nokprobe_inline int probe_walk_string(char *to, unsigned long addr, int max, bool copy)
{
	int done, size, len;

	for (done = 0; done < max; done += size) {
		const void *from = (const void *)(addr + done);

		size = min_t(int, max - done, PAGE_SIZE - offset_in_page(from));
		if (!copy_from_kernel_nofault_allowed(from, size))
			return -EFAULT;
		pagefault_disable();
		len = probe_walk_part(to + done, from, size, copy);
		pagefault_enable();
		if (len < 0)
			return len;
		if (len < size)
			return done + len + 1;
	}
	return max;
}

static noinline int probe_string_len(unsigned long addr)
{
	return probe_walk_string(NULL, addr, MAX_STRING_SIZE, false);
}

NOKPROBE_SYMBOL(probe_string_len)

/* @max: above 0. */
static noinline int probe_copy_string(char *to, unsigned long addr, int max)
{
	int len = probe_walk_string(to, addr, max, true);

	if (len == max)
		to[max - 1] = '\0';
	return len;
}

NOKPROBE_SYMBOL(probe_copy_string)

/* Length of a string of a process, with the null; 0 if it cannot be read. */
static nokprobe_inline int fetch_store_strlen_user(unsigned long addr)
{
	return strnlen_user_nofault((const void __force __user *)addr, MAX_STRING_SIZE);
}

/* Length of a string, with the null; 0 if it cannot be read. */
static nokprobe_inline int fetch_store_strlen(unsigned long addr)
{
	if (probe_is_user_address(addr))
		return fetch_store_strlen_user(addr);
	return max(probe_string_len(addr), 0);
}

/* @dest says where there is room, and gets how much of it was used. */
static nokprobe_inline int probe_end_string(int len, void *dest)
{
	write_data_loc(dest, max(len, 0), get_loc_offs(read_data_loc(dest)));
	return len;
}

/* The room is for all strings that follow, too. */
static nokprobe_inline int probe_string_room(void *dest)
{
	return min_t(int, get_loc_len(read_data_loc(dest)), MAX_STRING_SIZE);
}

/* Record a string of a process. */
static nokprobe_inline int fetch_store_string_user(unsigned long addr, void *dest, void *base)
{
	int max = probe_string_room(dest), len;

	if (unlikely(!max))
		return -ENOMEM;
	len = strncpy_from_user_nofault(get_loc_data(dest, base),
					(const void __force __user *)addr, max);
	/* Of an empty one the null is not counted. */
	return probe_end_string(len ?: 1, dest);
}

/* Record a string. */
static nokprobe_inline int fetch_store_string(unsigned long addr, void *dest, void *base)
{
	int max = probe_string_room(dest);

	if (probe_is_user_address(addr))
		return fetch_store_string_user(addr, dest, base);
	if (unlikely(!max))
		return -ENOMEM;
	return probe_end_string(probe_copy_string(get_loc_data(dest, base), addr, max), dest);
}

#endif
