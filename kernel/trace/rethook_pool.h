/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TRACE_RETHOOK_POOL_H
#define _TRACE_RETHOOK_POOL_H
/*
 * The nodes of a return hook that are not in use.
 *
 * Nodes are allocated in chunks of at most BITS_PER_LONG. A chunk has a word
 * with a bit for each of its nodes that is free. Above the chunks there are as
 * many levels of directories as it takes to reach them all. A directory has a
 * word, too, with a bit for each chunk or directory below that may have a free
 * node. So a node is found in a few steps, however many there are, and a word
 * of zeros at the top says that there is none.
 *
 * rethook_pool.c takes nodes and puts them back, in any context, NMI included,
 * with atomic operations on these words alone. In process context, rethook_chunk.c
 * adds and removes chunks, and rethook_dir.c directories; rethook_grow.c decides
 * when.
 *
 * Why none of the kernel's pools: objpool needs an array of as many pointers as
 * there are nodes for each possible CPU, and can neither grow nor shrink.
 * gen_pool grows, but walks all of its chunks in functions that can be probed,
 * and cannot shrink; sbitmap cannot either, and takes locks as well.
 */
#include <linux/atomic.h>
#include <linux/bits.h>
#include <linux/llist.h>
#include <linux/rethook.h>
#include <linux/types.h>

struct rethook_dir;

/**
 * struct rethook_set - what chunks and directories have in common
 * @free: a bit for each free node; in a directory: for each child that may have
 *	one. A bit may be set without a free node. It is clear in spite of one
 *	only while rethook_hide() runs
 * @up: the directory above, NULL at the top
 * @index: which of its children this is
 * @level: 0 for a chunk, or how many levels there are below
 */
struct rethook_set {
	atomic_long_t free;
	struct rethook_dir *up;
	u8 index;
	u8 level;
};

/**
 * struct rethook_chunk - nodes that were allocated together
 * @set: which of them are free
 * @used: whether a node has been taken since the worker has looked last
 * @num: how many there are
 * @bytes: the memory of the chunk
 * @since: when the worker has found it used last, in jiffies
 * @list: links the chunks of a hook
 * @rcu: delays the release until no CPU can be looking at a node
 * @nodes: the nodes
 */
struct rethook_chunk {
	struct rethook_set set;
	bool used;
	unsigned int num;
	unsigned int bytes;
	unsigned long since;
	union {
		struct list_head list;
		struct rcu_head rcu;
	};
	char nodes[] __aligned(sizeof(long));
};

/* With these a directory takes no more than 512 bytes. */
#define RETHOOK_FAN	(BITS_PER_LONG - 8)

/**
 * struct rethook_dir - a directory of chunks, or of directories
 * @set: which of the children may have free nodes
 * @full: which of the children have no room for another chunk
 * @count: how many children there are
 * @rcu: delays the release until no CPU can be looking at the directory
 * @child: the children, NULL for those that are not there
 */
struct rethook_dir {
	struct rethook_set set;
	unsigned long full;
	unsigned int count;
	struct rcu_head rcu;
	struct rethook_set *child[RETHOOK_FAN];
};

/**
 * rethook_dir_of() - the directory of a set
 * @set: a set whose level is not 0
 *
 * Return: the directory.
 */
static __always_inline struct rethook_dir *rethook_dir_of(struct rethook_set *set)
{
	return container_of(set, struct rethook_dir, set);
}

/**
 * rethook_chunk_of() - the chunk of a set
 * @set: a set whose level is 0
 *
 * Return: the chunk.
 */
static __always_inline
struct rethook_chunk *rethook_chunk_of(struct rethook_set *set)
{
	return container_of(set, struct rethook_chunk, set);
}

/**
 * rethook_all_of() - the nodes of a chunk as &rethook_set.free has them
 * @chunk: the chunk
 *
 * Return: a word with a bit for each.
 */
static inline unsigned long rethook_all_of(const struct rethook_chunk *chunk)
{
	return GENMASK(chunk->num - 1, 0);
}

/* rethook_pool.c */
struct rethook_node *rethook_get_slow(struct rethook *rh);
void rethook_show(struct rethook_set *set);
void rethook_hide(struct rethook_dir *dir, unsigned int index);
int rethook_put_node(struct rethook_node *node);

/* rethook_dir.c; rethook_grow.c has the lock */
size_t rethook_size_of(size_t bytes);
void *rethook_zalloc(size_t bytes, gfp_t gfp);
void rethook_account(struct rethook *rh, long bytes);
struct rethook_dir *rethook_make_room(struct rethook *rh, gfp_t gfp);
void rethook_attach(struct rethook_dir *dir, unsigned int index,
		    struct rethook_set *set);
void rethook_detach(struct rethook *rh, struct rethook_set *set);
void rethook_lower(struct rethook *rh);

/* rethook_chunk.c; likewise */
extern unsigned long rethook_grown_bytes;
unsigned int rethook_chunk_num(size_t size);
size_t rethook_chunk_bytes(struct rethook *rh, unsigned int num);
unsigned int rethook_step(struct rethook *rh);
unsigned int rethook_reserve(struct rethook *rh, unsigned int total);
struct rethook_chunk *rethook_add(struct rethook *rh, unsigned int num,
				  gfp_t gfp);
bool rethook_claim(struct rethook_chunk *chunk);
void rethook_retire(struct rethook *rh, struct rethook_chunk *chunk);
void rethook_retire_all(struct rethook *rh);
void rethook_free_memory(struct rethook *rh);
struct rethook *rethook_new(void *data, rethook_handler_t handler, int size,
			    int num, bool may_grow);

/* rethook_grow.c */
void rethook_let_go(struct rethook *rh);
void rethook_wake_worker(void);
extern struct llist_head rethook_grow_list;

/* For tests as well. */
extern unsigned long rethook_max_bytes;
unsigned long rethook_all_bytes(void);
unsigned int rethook_set_idle_ms(unsigned int ms);

#endif /* _TRACE_RETHOOK_POOL_H */
