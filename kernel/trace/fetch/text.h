/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Parts of a text that know their columns: see struct fetch_text.
 */
#ifndef _KERNEL_TRACE_FETCH_TEXT_H
#define _KERNEL_TRACE_FETCH_TEXT_H

#include <linux/ctype.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "tree.h"

/* The column behind its last character. */
static inline unsigned int text_end(const struct fetch_text *t)
{
	return t->at + t->len;
}

/* A character of it; behind the last one a null. */
static inline char text_char(const struct fetch_text *t, unsigned int n)
{
	return n < t->len ? t->s[n] : '\0';
}

/* What begins at character @from, which is in it or behind it, and has up to @len. */
static inline struct fetch_text text_part(const struct fetch_text *t, unsigned int from,
					  unsigned int len)
{
	struct fetch_text part = { .s = t->s + from, .at = t->at + from };

	part.len = min(len, t->len - from);
	return part;
}

static inline struct fetch_text text_rest(const struct fetch_text *t, unsigned int from)
{
	return text_part(t, from, t->len);
}

/* Index of the first @c, or -1. */
static inline int text_find(const struct fetch_text *t, char c)
{
	const char *found = memchr(t->s, c, t->len);

	return found ? found - t->s : -1;
}

/* Index of the last @c, or -1. */
static inline int text_find_last(const struct fetch_text *t, char c)
{
	int n;

	for (n = t->len - 1; n >= 0; n--) {
		if (t->s[n] == c)
			return n;
	}
	return -1;
}

static inline bool text_equals(const struct fetch_text *t, const char *word)
{
	return t->len == strlen(word) && !memcmp(t->s, word, t->len);
}

static inline bool text_starts_with(const struct fetch_text *t, const char *word)
{
	return t->len >= strlen(word) && !memcmp(t->s, word, strlen(word));
}

static inline bool text_ends_with(const struct fetch_text *t, const char *word)
{
	size_t len = strlen(word);

	return t->len >= len && !memcmp(t->s + t->len - len, word, len);
}

/* Is it a name of C? */
static inline bool text_is_name(const struct fetch_text *t)
{
	unsigned int n;

	if (!isalpha(text_char(t, 0)) && text_char(t, 0) != '_')
		return false;
	for (n = 1; n < t->len; n++) {
		if (!isalnum(t->s[n]) && t->s[n] != '_')
			return false;
	}
	return true;
}

/* What kstrto*() reads must end with a null. */
static inline int text_terminated(const struct fetch_text *t, char *buffer, size_t size)
{
	if (!t->len || t->len >= size)
		return -EINVAL;
	memcpy(buffer, t->s, t->len);
	buffer[t->len] = '\0';
	return 0;
}

/* Read a number, as kstrtol() does. */
static inline int text_long(const struct fetch_text *t, long *number)
{
	char buffer[FETCH_MAX_TEXT + 1];

	return text_terminated(t, buffer, sizeof(buffer)) ?: kstrtol(buffer, 0, number);
}

/* Read a number, as kstrtoul() does. */
static inline int text_ulong(const struct fetch_text *t, unsigned int base, unsigned long *number)
{
	char buffer[FETCH_MAX_TEXT + 1];

	return text_terminated(t, buffer, sizeof(buffer)) ?: kstrtoul(buffer, base, number);
}

#endif
