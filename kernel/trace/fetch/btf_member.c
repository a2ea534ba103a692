// SPDX-License-Identifier: GPL-2.0
/*
 * Members of structures and unions by their names, those of members without a
 * name included, to any depth.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "btf.h"

/* A structure without a name that is still to be searched, and where it starts. */
struct unnamed {
	const struct btf_type *type;
	u32 bit;
};

/**
 * struct search - what is looked for
 * @btf: has the types
 * @name: of the member, not terminated
 * @len: its length
 * @found: where it is
 * @todo: structures without a name
 * @nr: how many they are
 * @room: how many @todo can have
 */
struct search {
	const struct btf *btf;
	const char *name;
	size_t len;
	struct fetch_member *found;
	struct unnamed *todo;
	unsigned int nr;
	unsigned int room;
};

static bool is_wanted(const struct search *s, const char *name)
{
	return !strncmp(name, s->name, s->len) && !name[s->len];
}

static int put_off(struct search *s, const struct btf_type *type, u32 bit)
{
	struct unnamed *more;

	if (s->nr == s->room) {
		more = krealloc_array(s->todo, s->room + 8, sizeof(*more), GFP_KERNEL);
		if (!more)
			return -ENOMEM;
		s->todo = more;
		s->room += 8;
	}
	s->todo[s->nr++] = (struct unnamed){ .type = type, .bit = bit };
	return 0;
}

/* Of a member without a name, only a structure or a union has members. */
static int look_into(struct search *s, const struct btf_member *member, u32 bit)
{
	const struct btf_type *type = btf_type_skip_modifiers(s->btf, member->type, NULL);

	return type && btf_type_is_struct(type) ? put_off(s, type, bit) : 0;
}

/* Return: 1 if it is there, 0 if it is not. */
static int look_at(struct search *s, const struct unnamed *in, unsigned int n)
{
	const struct btf_member *member = btf_type_member(in->type) + n;
	const char *name = btf_name_by_offset(s->btf, member->name_off);
	u32 bit = in->bit + __btf_member_bit_offset(in->type, member);

	if (!name || !*name)
		return look_into(s, member, bit);
	if (!is_wanted(s, name))
		return 0;
	s->found->type = member->type;
	s->found->bit = bit;
	s->found->bits = __btf_member_bitfield_size(in->type, member);
	return 1;
}

static int search(struct search *s, const struct btf_type *type)
{
	struct unnamed in;
	unsigned int n;
	int ret;

	ret = put_off(s, type, 0);
	while (!ret && s->nr) {
		in = s->todo[--s->nr];
		for (n = 0; !ret && n < btf_type_vlen(in.type); n++)
			ret = look_at(s, &in, n);
	}
	return ret;
}

/**
 * fetch_btf_member() - find a member of a structure or a union
 * @btf: has the types
 * @type: of the structure or union, without typedefs
 * @name: of the member; it need not be terminated
 * @len: its length
 * @member: gets where it is
 *
 * C has each name once in a structure, also where members have none, so the order
 * of the search does not matter.
 *
 * Context: may sleep, needs no lock.
 *
 * Return: 0, %-ENOENT if there is none of that name, %-EINVAL if @type is neither
 * structure nor union, or %-ENOMEM.
 */
int fetch_btf_member(const struct btf *btf, const struct btf_type *type,
		     const char *name, size_t len, struct fetch_member *member)
{
	struct search s = { .btf = btf, .name = name, .len = len, .found = member };
	int ret;

	if (!btf_type_is_struct(type))
		return -EINVAL;
	if (!len)
		return -ENOENT;
	ret = search(&s, type);
	kfree(s.todo);
	if (ret < 0)
		return ret;
	return ret ? 0 : -ENOENT;
}
