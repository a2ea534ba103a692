// SPDX-License-Identifier: GPL-2.0
/*
 * Parameters of an event on several functions: all of them must have the parameter at one
 * place and of one type, for the event has one program.
 */
#include <linux/btf.h>
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/fprobe.h>
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build.h"
#include "text.h"

/* Of pointers to pointers. */
#define MAX_POINTERS	8

/**
 * struct one_function - one of the functions
 * @ctx: has its name, and gets what BTF has of it
 * @type: type of the parameter
 * @place: where it is
 */
struct one_function {
	struct traceprobe_parse_context ctx;
	u32 type;
	struct fetch_place place;
};

/* The name of the module is that of the module itself, which may go. */
static bool look_up(unsigned long ip, char *owner, char *name)
{
	unsigned long size, offset;
	char *module = NULL;

	guard(preempt)();
	if (!kallsyms_lookup(ip, &size, &offset, &module, name))
		return false;
	strscpy(owner, module ?: "", MODULE_NAME_LEN);
	return true;
}

/*
 * As MODULE:NAME where it is a module's, and a name that no function has if it is not
 * there any more; to be freed with kfree().
 */
static char *name_of(unsigned long ip)
{
	char *name = kmalloc(KSYM_NAME_LEN, GFP_KERNEL), *text;
	char owner[MODULE_NAME_LEN] = "";

	if (!name)
		return NULL;
	if (!look_up(ip, owner, name))
		strscpy(name, "?", KSYM_NAME_LEN);
	text = kasprintf(GFP_KERNEL, "%s%s%s", owner, *owner ? ":" : "", name);
	kfree(name);
	return text;
}

/* Return: %-EINVAL if the function does not have it. */
static int look_at(struct one_function *f, const struct fetch_text *name)
{
	int n, ret = fetch_find_function(&f->ctx);

	if (ret == -ENOMEM)
		return ret;
	n = ret ?: fetch_find_parameter(&f->ctx, name);
	if (n < 0)
		return -EINVAL;
	f->type = btf_params(f->ctx.proto)[n].type;
	return fetch_find_place(&f->ctx, n, &f->place) ? -EINVAL : 0;
}

static bool is_one_place(const struct fetch_place *a, const struct fetch_place *b)
{
	return a->size == b->size && a->nr_registers == b->nr_registers &&
	       a->first_register == b->first_register && a->stack == b->stack;
}

static bool is_one_number(const struct btf_type *a, const struct btf_type *b)
{
	return btf_type_is_int(a) && btf_type_is_int(b) && a->size == b->size &&
	       btf_int_encoding(a) == btf_int_encoding(b);
}

/*
 * The BTF of a module refers to the kernel's for types that both have, so these are one
 * object. Whether it is const makes no difference.
 */
static bool is_one_type(const struct one_function *a, const struct one_function *b)
{
	const struct btf_type *ta, *tb;
	u32 in_a = a->type, in_b = b->type;
	unsigned int n;

	for (n = 0; n < MAX_POINTERS; n++) {
		ta = btf_type_skip_modifiers(a->ctx.btf, in_a, NULL);
		tb = btf_type_skip_modifiers(b->ctx.btf, in_b, NULL);
		if (!ta || !tb || ta == tb || !btf_type_is_ptr(ta) || !btf_type_is_ptr(tb))
			break;
		in_a = ta->type;
		in_b = tb->type;
	}
	return ta && tb && (ta == tb || is_one_number(ta, tb));
}

static int refuse_function(struct fetch_build *b, const struct fetch_node *node, const char *name)
{
	strscpy(b->failure->of, name);
	return fetch_refuse(b, -EINVAL, FETCH_E_NOT_ALL, node->at);
}

/* Another one of them than the first. */
static int compare(struct fetch_build *b, const struct fetch_node *node,
		   const struct one_function *first, const char *name)
{
	struct one_function other = { .ctx.funcname = name };
	int ret = look_at(&other, &node->name);

	if (!ret && (!is_one_place(&first->place, &other.place) || !is_one_type(first, &other)))
		ret = -EINVAL;
	fetch_put_function(&other.ctx);
	return ret == -EINVAL ? refuse_function(b, node, name) : ret;
}

static int compare_all(struct fetch_build *b, const struct fetch_node *node,
		       const struct one_function *first, const unsigned long *ips, int nr)
{
	int n, ret = 0;
	char *name;

	for (n = 1; n < nr && !ret; n++) {
		name = name_of(ips[n]);
		ret = name ? compare(b, node, first, name) : -ENOMEM;
		kfree(name);
		cond_resched();
	}
	return ret;
}

/* A program begins with its parameter, so none of its types is of another BTF. */
static void take(struct fetch_build *b, struct one_function *first)
{
	swap(b->ctx->btf, first->ctx.btf);
	b->type = first->type;
	b->place = first->place;
	b->ctx->changes = true;
}

static int find_among(struct fetch_build *b, const struct fetch_node *node,
		      const unsigned long *ips, int nr)
{
	char *name = name_of(ips[0]);
	struct one_function first = { .ctx.funcname = name };
	int ret;

	if (!name)
		return -ENOMEM;
	ret = look_at(&first, &node->name);
	if (ret == -EINVAL)
		ret = refuse_function(b, node, name);
	if (!ret)
		ret = compare_all(b, node, &first, ips, nr);
	if (!ret)
		take(b, &first);
	fetch_put_function(&first.ctx);
	kfree(name);
	return ret;
}

static bool have_one_owner(const unsigned long *ips, int nr, const struct module **owner)
{
	int n;

	guard(preempt)();
	*owner = __module_address(ips[0]);
	for (n = 1; n < nr; n++) {
		if (__module_address(ips[n]) != *owner)
			return false;
	}
	return true;
}

/**
 * fetch_find_owners() - has more than one a function of that name: the kernel, and modules?
 * @name: the name, without a module
 * @owner: gets the module that has it if it is one, which may go at any time; NULL for
 *	   the kernel
 *
 * Context: may sleep; takes the mutex of fprobes.
 *
 * Return: 0 if none has one that can be traced, 1, or 2 if there are more; or %-ENOMEM.
 */
int fetch_find_owners(const char *name, const struct module **owner)
{
	unsigned long *ips;
	int ret, nr;

	nr = fprobe_list_functions(name, &ips);
	if (nr < 0)
		return nr == -ENOMEM ? nr : 0;
	ret = have_one_owner(ips, nr, owner) ? 1 : 2;
	kvfree(ips);
	return ret;
}

/**
 * fetch_find_common() - find a parameter that all functions of an event have
 * @b: the program, without instructions; gets type and place of the parameter
 * @node: has its name
 *
 * Context: may sleep; takes the mutex of fprobes.
 *
 * Return: 0, or an error, of which @b has the reason; without one it is %-ENOMEM.
 */
int fetch_find_common(struct fetch_build *b, const struct fetch_node *node)
{
	unsigned long *ips;
	int ret, nr;

	nr = fprobe_list_functions(b->ctx->pattern, &ips);
	if (nr == -ENOMEM)
		return nr;
	if (nr < 0)
		return fetch_refuse(b, nr, FETCH_E_NO_BTF_ENTRY, node->at);
	ret = find_among(b, node, ips, nr);
	kvfree(ips);
	return ret;
}
