/* SPDX-License-Identifier: GPL-2.0 */
/*
 * How events in the kernel read memory, and the strings in it, where nothing may
 * sleep or fault. Where the kernel and processes share addresses, an address of a
 * process is read as one.
 */
#ifndef _KERNEL_TRACE_PROBE_KERNEL_H
#define _KERNEL_TRACE_PROBE_KERNEL_H

#include <linux/uaccess.h>
#include <linux/unaligned.h>
#include <asm/word-at-a-time.h>

#define FAULT_STRING	"(fault)"

/* A string is read by as much as is in a cache line: that is on one page. */
#define PROBE_STRING_CHUNK	64

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

/* Bytes of a chunk before the first null; @size if there is none. */
static nokprobe_inline int probe_chunk_len(const char *chunk, int size)
{
	const struct word_at_a_time constants = WORD_AT_A_TIME_CONSTANTS;
	unsigned long word, bits;
	int at;

	for (at = 0; at + (int)sizeof(word) <= size; at += sizeof(word)) {
		word = get_unaligned((const unsigned long *)(chunk + at));
		if (has_zero(word, &bits, &constants)) {
			bits = prep_zero_mask(word, bits, &constants);
			return at + find_zero(create_zero_mask(bits));
		}
	}
	while (at < size && chunk[at])
		at++;
	return at;
}

/*
 * Copy a string to @dest, or only go over it if that is NULL. Return: its length with
 * the null, which is @max if it is longer, or -EFAULT.
 */
static nokprobe_inline int probe_walk_string(char *dest, unsigned long addr, int max)
{
	char chunk[PROBE_STRING_CHUNK], *to;
	int done, size, len;

	for (done = 0; done < max; done += size) {
		size = PROBE_STRING_CHUNK - ((addr + done) & (PROBE_STRING_CHUNK - 1));
		size = min(size, max - done);
		to = dest ? dest + done : chunk;
		if (copy_from_kernel_nofault(to, (void *)(addr + done), size))
			return -EFAULT;
		len = probe_chunk_len(to, size);
		if (len < size)
			return done + len + 1;
	}
	if (dest)
		dest[max - 1] = '\0';
	return max;
}

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
	return max(probe_walk_string(NULL, addr, MAX_STRING_SIZE), 0);
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
	return probe_end_string(probe_walk_string(get_loc_data(dest, base), addr, max), dest);
}

#endif
