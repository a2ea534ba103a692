// SPDX-License-Identifier: GPL-2.0
/*
 * The programs of the arguments of an event, made anew from their texts: each time that a
 * module is loaded, its structures may be others.
 */
#include <linux/err.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "build.h"
#include "fetch.h"

static int rebuild_from(const char *text, struct trace_probe *tp, const struct probe_arg *arg,
			struct probe_arg *fresh, struct traceprobe_parse_context *ctx,
			struct fetch_failure *failure)
{
	struct fetch_tree *tree = fetch_parse(text, FETCH_IN_KERNEL, failure);
	int ret;

	if (IS_ERR(tree))
		return PTR_ERR(tree);
	ret = fetch_build(tp, fresh, tree, ctx, failure);
	/* What users were told of records holds as long as the event is there. */
	if (!ret && !fetch_is_recorded_alike(arg, fresh)) {
		failure->error = FETCH_E_OTHER_TYPE;
		failure->at = tree->body.at;
		ret = -EINVAL;
	}
	fetch_free(tree);
	return ret;
}

/* Put "NAME=" in front: else what is before a "=" in the text would be taken for it. */
static int rebuild(struct trace_probe *tp, const struct probe_arg *arg, struct probe_arg *fresh,
		   struct traceprobe_parse_context *ctx, struct fetch_failure *failure)
{
	char *text = kasprintf(GFP_KERNEL, "%s=%s", arg->name, arg->comm);
	int ret;

	if (!text)
		return -ENOMEM;
	ret = rebuild_from(text, tp, arg, fresh, ctx, failure);
	kfree(text);
	return ret;
}

static void exchange(struct trace_probe *tp, struct probe_arg *fresh)
{
	unsigned int n;

	for (n = 0; n < tp->nr_args; n++) {
		swap(tp->args[n].code, fresh[n].code);
		swap(tp->args[n].by_words, fresh[n].by_words);
	}
}

static void free_fresh(struct probe_arg *fresh, unsigned int nr)
{
	unsigned int n;

	for (n = 0; n < nr; n++) {
		fetch_free_code(fresh[n].code);
		kfree(fresh[n].names);
	}
	kfree(fresh);
}

/**
 * traceprobe_rebuild_args() - make the programs of all arguments anew
 * @tp: the probe, which is not hit; also what it keeps of entries is other than before
 * @ctx: what the event is, without %TPARG_FL_ABSENT
 * @failure: gets the reason of an error, and the column in NAME=VALUE of the argument
 * @n: gets the number of the argument that cannot be had
 *
 * Nothing changes if there is one that cannot be had, or that would be recorded in another
 * way than before.
 *
 * Context: may sleep.
 *
 * Return: 0, or an error, of which @failure has the reason; without one it is %-ENOMEM.
 */
int traceprobe_rebuild_args(struct trace_probe *tp, struct traceprobe_parse_context *ctx,
			    struct fetch_failure *failure, unsigned int *n)
{
	struct probe_arg *fresh = kcalloc(tp->nr_args, sizeof(*fresh), GFP_KERNEL);
	struct probe_entry_arg *entry_arg = NULL;
	int ret = 0;

	*n = 0;
	if (!fresh)
		return -ENOMEM;
	swap(tp->entry_arg, entry_arg);
	while (*n < tp->nr_args) {
		ret = rebuild(tp, &tp->args[*n], &fresh[*n], ctx, failure);
		if (ret)
			break;
		++*n;
	}
	if (ret)
		swap(tp->entry_arg, entry_arg);
	else
		exchange(tp, fresh);
	kfree(entry_arg);
	free_fresh(fresh, tp->nr_args);
	return ret;
}
