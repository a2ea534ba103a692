// SPDX-License-Identifier: GPL-2.0
/*
 * The function whose arguments an event has: its prototype, from the BTF of the
 * kernel or of the module that has it.
 */
#include <linux/btf.h>
#include <linux/errno.h>
#include <linux/kallsyms.h>
#include <linux/module.h>
#include <linux/preempt.h>
#include <linux/string.h>

#include "btf.h"
#include "fetch.h"

/*
 * The module of MODULE:NAME, or that has the function NAME. It may go at any time: its
 * address is all that BTF is found by.
 */
static const struct module *module_of(const char *name)
{
	unsigned long address = strchr(name, ':') ? 0 : kallsyms_lookup_name(name);

	guard(preempt)();
	return address ? __module_address(address) : traceprobe_find_module(name);
}

/* In one BTF. The context keeps its reference if the function is there. */
static int look_into(struct traceprobe_parse_context *ctx, struct btf *btf, const char *name)
{
	u32 type;
	int ret;

	if (IS_ERR_OR_NULL(btf))
		return -EOPNOTSUPP;
	ret = fetch_btf_func(btf, name, &type);
	if (ret) {
		btf_put(btf);
		return ret;
	}
	ctx->btf = btf;
	ctx->proto = btf_type_by_id(btf, btf_type_by_id(btf, type)->type);
	return 0;
}

static int look_into_module(struct traceprobe_parse_context *ctx, const char *name)
{
	const struct module *mod = module_of(ctx->funcname);

	return mod ? look_into(ctx, btf_get_module_btf(mod), name) : -ENOENT;
}

static int find_prototype(struct traceprobe_parse_context *ctx)
{
	const char *name = ctx->funcname, *colon = strchr(name, ':');
	int ret;

	if (colon)
		return look_into_module(ctx, colon + 1);
	ret = look_into(ctx, btf_get_module_btf(NULL), name);
	return ret == -ENOENT ? look_into_module(ctx, name) : ret;
}

/*
 * An fprobe on a name is on all functions that can be traced and have it, which may have
 * other parameters than one that cannot. A module may come with one more.
 */
static bool is_on_all(const struct traceprobe_parse_context *ctx)
{
	return ctx->flags & TPARG_FL_FPROBE && !(ctx->flags & TPARG_FL_TPOINT) &&
	       !strchr(ctx->funcname, ':');
}

static int find_on_all(struct traceprobe_parse_context *ctx)
{
	const struct module *owner;
	int nr = fetch_find_owners(ctx->funcname, &owner);

	if (nr < 0)
		return nr;
	ctx->changes = true;
	/* Several functions are what a pattern is for. */
	if (nr > 1) {
		ctx->pattern = ctx->funcname;
		return -ENOENT;
	}
	return nr ? look_into(ctx, btf_get_module_btf(owner), ctx->funcname) : find_prototype(ctx);
}

/**
 * fetch_find_function() - find the prototype of the function that an event is on
 * @ctx: of the event; gets BTF and prototype, for fetch_put_function() to let go
 *
 * The first parameter of a tracepoint's function is for the tracepoint alone.
 *
 * Context: may sleep.
 *
 * Return: 0, also if it was found before; %-EOPNOTSUPP if the event is on no function
 * or there is no BTF; %-EAGAIN if its module is not loaded; %-ENOENT if BTF does not have
 * it, or there are several, which @ctx has a pattern for then; %-ENOTUNIQ if functions of
 * that name have several prototypes; or %-ENOMEM.
 */
int fetch_find_function(struct traceprobe_parse_context *ctx)
{
	if (!ctx->funcname)
		return -EOPNOTSUPP;
	if (ctx->flags & TPARG_FL_ABSENT)
		return -EAGAIN;
	if (ctx->proto)
		return 0;
	if (ctx->pattern)
		return -ENOENT;
	return is_on_all(ctx) ? find_on_all(ctx) : find_prototype(ctx);
}

/**
 * fetch_find_types() - find types, of the event's function or of the kernel
 * @ctx: of the event; gets BTF as by fetch_find_function()
 *
 * Context: may sleep.
 *
 * Return: 0, %-EOPNOTSUPP if there is no BTF, or %-ENOMEM.
 */
int fetch_find_types(struct traceprobe_parse_context *ctx)
{
	int ret = ctx->btf ? 0 : fetch_find_function(ctx);
	struct btf *btf;

	if (ctx->btf || ret == -ENOMEM)
		return ret;
	btf = btf_get_module_btf(NULL);
	if (IS_ERR_OR_NULL(btf))
		return -EOPNOTSUPP;
	ctx->btf = btf;
	return 0;
}

/**
 * fetch_put_function() - let go of what fetch_find_function() has found
 * @ctx: of the event
 *
 * Context: may sleep.
 */
void fetch_put_function(struct traceprobe_parse_context *ctx)
{
	if (ctx->btf)
		btf_put(ctx->btf);
	ctx->btf = NULL;
	ctx->proto = NULL;
}

/**
 * fetch_function_parameters() - how many parameters the function of an event has
 * @ctx: of the event, with a function that was found
 *
 * Context: any.
 *
 * Return: their number, without the dots of a variadic function and without what a
 * tracepoint hides.
 */
unsigned int fetch_function_parameters(const struct traceprobe_parse_context *ctx)
{
	unsigned int nr = fetch_btf_parameters(ctx->proto);

	return nr - min(nr, fetch_hidden_parameters(ctx));
}

/**
 * fetch_parameter_name() - the name of a parameter
 * @ctx: of the event, with a function that was found
 * @n: which parameter, from 0 on
 *
 * Context: any.
 *
 * Return: its name, which may be empty.
 */
const char *fetch_parameter_name(const struct traceprobe_parse_context *ctx, unsigned int n)
{
	const struct btf_param *param = btf_params(ctx->proto) + fetch_hidden_parameters(ctx) + n;

	return btf_name_by_offset(ctx->btf, param->name_off) ?: "";
}
