/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Reading the text of an argument: what its two files share.
 */
#ifndef _KERNEL_TRACE_FETCH_PARSE_H
#define _KERNEL_TRACE_FETCH_PARSE_H

#include <linux/ctype.h>
#include <linux/errno.h>

#include "text.h"
#include "tree.h"

/**
 * struct parser - the text of an argument that is being read
 * @tree: what it gives
 * @failure: on error what is wrong, and where
 * @where: what kind of event it is of
 * @depth: parentheses that are open, but for those of dereferences
 */
struct parser {
	struct fetch_tree *tree;
	struct fetch_failure *failure;
	enum fetch_where where;
	unsigned int depth;
};

static inline int refuse_with(struct parser *p, int ret, enum fetch_error error, unsigned int at)
{
	p->failure->error = error;
	p->failure->at = at;
	return ret;
}

static inline int refuse(struct parser *p, enum fetch_error error, unsigned int at)
{
	return refuse_with(p, -EINVAL, error, at);
}

int fetch_parse_value(struct parser *p, struct fetch_text t, struct fetch_node **link);

/* The first character of what has a name. */
static inline bool is_start(const struct fetch_text *t)
{
	char c = text_char(t, 0);

	return isalpha(c) || c == '_' || c == '$';
}

#endif
