// SPDX-License-Identifier: GPL-2.0
/*
 * Sorted tables of marks: what is known about many addresses of some text, or
 * about many names.
 *
 * The tables of others are sorted by something else than by what kprobes asks
 * for, or not at all, and they may be long. So what kprobes asks for is collected
 * and sorted once, and each question is a binary search.
 */
#include <linux/mm.h>
#include <linux/slab.h>
#include <linux/sort.h>

#include "internal.h"

/**
 * kprobe_marks_add() - add a mark to a table that is being made
 * @m: the table
 * @key: what it will be found by
 * @value: what is known
 *
 * Context: process context, may sleep.
 * Return: 0 or -ENOMEM.
 */
int kprobe_marks_add(struct kprobe_marks *m, u32 key, u32 value)
{
	unsigned int room = max(64U, 2 * m->room);
	u64 *bigger;

	if (m->nr == m->room) {
		bigger = kvrealloc(m->mark, array_size(room, sizeof(*bigger)),
				   GFP_KERNEL);
		if (!bigger)
			return -ENOMEM;
		m->mark = bigger;
		m->room = room;
	}
	m->mark[m->nr++] = kprobe_mark(key, value);
	return 0;
}

static int kprobe_mark_cmp(const void *a, const void *b)
{
	u64 x = *(const u64 *)a, y = *(const u64 *)b;

	return x < y ? -1 : x > y;
}

/* Give back the memory for marks that did not come. */
static void kprobe_marks_trim(struct kprobe_marks *m)
{
	u64 *smaller;

	if (m->nr == m->room)
		return;
	smaller = kvmalloc_array(m->nr, sizeof(*smaller), GFP_KERNEL);
	if (!smaller)
		return;
	memcpy(smaller, m->mark, m->nr * sizeof(*smaller));
	kvfree(m->mark);
	m->mark = smaller;
	m->room = m->nr;
}

/**
 * kprobe_marks_sort() - end the making of a table
 * @m: the table, to which no mark is added any more
 *
 * Equal marks are dropped but for one: many pointers may lead to one function.
 *
 * Context: process context, may sleep.
 */
void kprobe_marks_sort(struct kprobe_marks *m)
{
	unsigned int i, kept = 0;

	sort(m->mark, m->nr, sizeof(*m->mark), kprobe_mark_cmp, NULL);
	for (i = 0; i < m->nr; i++) {
		if (!kept || m->mark[i] != m->mark[kept - 1])
			m->mark[kept++] = m->mark[i];
	}
	m->nr = kept;
	if (kept)
		kprobe_marks_trim(m);
	m->sorted = true;
}

/**
 * kprobe_marks_clear() - drop all marks of a table
 * @m: the table
 *
 * Context: process context, may sleep.
 */
void kprobe_marks_clear(struct kprobe_marks *m)
{
	kvfree(m->mark);
	*m = (struct kprobe_marks){ };
}

static __always_inline bool kprobe_mark_before(const void *marks, unsigned int i,
					       u64 mark)
{
	return ((const u64 *)marks)[i] < mark;
}

/**
 * kprobe_marks_find() - find the marks with a key
 * @m: a table that has been sorted
 * @key: the key
 *
 * Return: the index of the first mark whose key is not below @key, or the number
 * of marks.
 */
unsigned int kprobe_marks_find(const struct kprobe_marks *m, u32 key)
{
	return kprobe_count_before(m->mark, m->nr, kprobe_mark(key, 0),
				   kprobe_mark_before);
}
