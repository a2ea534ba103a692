/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_FPROBE_NODES_H
#define _TRACE_FPROBE_NODES_H
/*
 * How large nodes are.
 */
#include <linux/align.h>
#include <linux/sizes.h>

#include "internal.h"

/* What fits behind a struct fprobe_node, in those of the first and the last class. */
#define FPROBE_CLASS_MIN	SZ_64
#define FPROBE_CLASSES		10
#define FPROBE_CLASS_MAX	(FPROBE_CLASS_MIN << (FPROBE_CLASSES - 1))

extern struct rethook *fprobe_classes[FPROBE_CLASSES];

unsigned int fprobe_nodes_used(const struct rethook *nodes);

/**
 * fprobe_data_bytes() - the entry data of an fprobe in a node
 * @fp: the fprobe
 *
 * Return: how many bytes they take.
 */
static inline size_t fprobe_data_bytes(const struct fprobe *fp)
{
	return fp->exit_handler ? ALIGN(fp->entry_data_size, sizeof(long)) : 0;
}

/**
 * fprobe_exit_bytes() - what an fprobe needs of a node
 * @fp: the fprobe
 *
 * Return: how many bytes; 0 if it does not wait for exits.
 */
static inline size_t fprobe_exit_bytes(const struct fprobe *fp)
{
	return fp->exit_handler ?
	       sizeof(struct fprobe_exit) + fprobe_data_bytes(fp) : 0;
}

#endif /* _TRACE_FPROBE_NODES_H */
