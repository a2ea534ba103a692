// SPDX-License-Identifier: GPL-2.0
/*
 * The words of the command that makes an event: the names of group and event, the
 * symbol with its offset, and what a word may stand for: $arg* for all parameters of
 * a function, $argN for one of them, %pd and %pD for the name of a file.
 */
#include <linux/ctype.h>
#include <linux/dcache.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/overflow.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace_probe.h"
#include "fetch.h"
#include "log.h"

/* At a column of the current word. */
static int refuse(int ret, int at, enum fetch_error error)
{
	trace_probe_log_error(at, error);
	return ret;
}

/**
 * traceprobe_split_symbol_offset() - read SYMBOL+OFFSET or SYMBOL-OFFSET
 * @symbol: the text; is cut off where the offset begins
 * @offset: gets the offset; 0 if there is none
 *
 * Context: any.
 *
 * Return: 0, %-EINVAL or %-ERANGE; on error @symbol is left as it is.
 */
int traceprobe_split_symbol_offset(char *symbol, long *offset)
{
	char *sign;
	int ret;

	if (!symbol)
		return -EINVAL;
	*offset = 0;
	sign = strpbrk(symbol, "+-");
	if (!sign)
		return 0;
	ret = kstrtol(sign, 0, offset);
	if (!ret)
		*sign = '\0';
	return ret;
}

#ifdef CONFIG_MODULES
/**
 * traceprobe_find_module() - the module of MODULE:NAME
 * @symbol: the text
 *
 * No reference is taken: the loader frees a module whose init function fails even if
 * there are any.
 *
 * Context: preemption disabled, for as long as the module is looked into.
 *
 * Return: the module, in any state but unformed; NULL if the text names none, or it is not there.
 */
struct module *traceprobe_find_module(const char *symbol)
{
	const char *colon = strchr(symbol, ':');
	char name[MODULE_NAME_LEN];

	if (!colon || colon - symbol >= sizeof(name))
		return NULL;
	strscpy(name, symbol, colon - symbol + 1);
	return find_module(name);
}
#endif

static int check_group(const char *group, size_t len, char *buf, int at)
{
	if (!len)
		return refuse(-EINVAL, at, FETCH_E_NO_GROUP_NAME);
	if (len >= MAX_EVENT_NAME_LEN)
		return refuse(-EINVAL, at, FETCH_E_GROUP_TOO_LONG);
	memcpy(buf, group, len);
	buf[len] = '\0';
	if (!is_good_system_name(buf))
		return refuse(-EINVAL, at, FETCH_E_BAD_GROUP_NAME);
	return 0;
}

static int check_event(const char *event, int at)
{
	if (strlen(event) >= MAX_EVENT_NAME_LEN)
		return refuse(-EINVAL, at, FETCH_E_EVENT_TOO_LONG);
	if (!is_good_name(event))
		return refuse(-EINVAL, at, FETCH_E_BAD_EVENT_NAME);
	return 0;
}

/**
 * traceprobe_parse_event_name() - read GROUP/EVENT, GROUP.EVENT, GROUP/ or EVENT
 * @pevent: the text; gets the name of the event, or NULL if there is none
 * @pgroup: gets the name of the group, if there is one
 * @buf: for the name of the group: %MAX_EVENT_NAME_LEN bytes
 * @offset: column of the text in its word
 *
 * What is wrong with the names is logged.
 *
 * Context: may sleep, dyn_event_ops_mutex is held.
 *
 * Return: 0 or %-EINVAL.
 */
int traceprobe_parse_event_name(const char **pevent, const char **pgroup, char *buf, int offset)
{
	const char *text = *pevent, *event = text;
	const char *separator = strchr(text, '/') ?: strchr(text, '.');
	int ret;

	if (separator) {
		ret = check_group(text, separator - text, buf, offset);
		if (ret)
			return ret;
		*pgroup = buf;
		event = separator + 1;
		if (!*event) {
			*pevent = NULL;
			return 0;
		}
	}
	if (!*event)
		return refuse(-EINVAL, offset, FETCH_E_NO_EVENT_NAME);
	*pevent = event;
	return check_event(event, offset + (event - text));
}

/**
 * struct expansion - the words that take the place of those of a command
 * @ctx: the event
 * @words: the words; NULL while their room is measured
 * @text: what of them is new, one behind the other
 * @len: bytes of that
 * @nr: number of words
 * @word: number of the word of the command that is being looked at
 * @changed: there is a new one
 * @all: so far, $arg* was among them
 * @asked: the function has been looked for
 * @found: 0 if it is there, or an error
 */
struct expansion {
	struct traceprobe_parse_context *ctx;
	const char **words;
	char *text;
	size_t len;
	int nr;
	int word;
	bool changed;
	bool all;
	bool asked;
	int found;
};

/* Look once: expand_words() measures first and fills then, and both need one answer. */
static int find_function(struct expansion *e)
{
	if (!e->asked)
		e->found = fetch_find_function(e->ctx);
	e->asked = true;
	return e->found;
}

static void keep_word(struct expansion *e, const char *word)
{
	if (e->words) {
		e->words[e->nr] = word;
		fetch_log_expand(e->nr, e->word, false);
	}
	e->nr++;
}

static void put_name(struct expansion *e, const char *name, const char *behind)
{
	size_t len = strlen(name) + strlen(behind) + 1;

	if (e->words) {
		snprintf(e->text + e->len, len, "%s%s", name, behind);
		e->words[e->nr] = e->text + e->len;
		fetch_log_expand(e->nr, e->word, true);
	}
	e->len += len;
	e->nr++;
}

/* A parameter without a name in the source has none in BTF: it is $argN. */
static void put_parameter(struct expansion *e, unsigned int n, const char *behind)
{
	const char *name = fetch_parameter_name(e->ctx, n);
	char number[sizeof("$arg") + 10];

	if (!*name) {
		snprintf(number, sizeof(number), "$arg%u", n + 1);
		name = number;
	}
	put_name(e, name, behind);
	e->changed = true;
}

static bool is_at_function(const struct traceprobe_parse_context *ctx)
{
	return ctx->flags & (TPARG_FL_FENTRY | TPARG_FL_RETURN | TPARG_FL_TPOINT);
}

/* What is behind $arg* in its word has always been passed over. */
static int expand_all(struct expansion *e)
{
	unsigned int n;
	int ret;

	if (!is_at_function(e->ctx))
		return refuse(-EINVAL, 0, FETCH_E_NOFENTRY_ARGS);
	if (e->all)
		return refuse(-EINVAL, 0, FETCH_E_BAD_VAR_ARGS);
	ret = find_function(e);
	if (ret == -ENOMEM)
		return ret;
	if (ret)
		return refuse(-EOPNOTSUPP, 0, FETCH_E_NOSUP_BTFARG);
	for (n = 0; n < fetch_function_parameters(e->ctx); n++)
		put_parameter(e, n, "");
	e->all = true;
	e->changed = true;
	return 0;
}

/* A number that is too large for any function is one more than all of them have. */
static unsigned int read_number(const char *digits, const char **behind)
{
	unsigned int number = 0;

	for (; isdigit(*digits); digits++)
		number = min(number * 10 + (*digits - '0'), U16_MAX);
	*behind = digits;
	return number;
}

/* $argN or $argN:TYPE becomes NAME or NAME:TYPE, if BTF has names. */
static int expand_one(struct expansion *e, const char *word)
{
	const char *behind;
	unsigned int n, nr;
	int ret;

	ret = is_at_function(e->ctx) ? find_function(e) : -ENOENT;
	if (ret == -ENOMEM)
		return ret;
	nr = ret ? 0 : fetch_function_parameters(e->ctx);
	n = read_number(word + strlen("$arg"), &behind);
	if (nr && *behind && *behind != ':')
		return refuse(-ENOENT, 0, FETCH_E_BAD_VAR);
	if (nr && n > nr)
		return refuse(-ENOENT, 0, FETCH_E_NO_BTFARG);
	if (nr && n)
		put_parameter(e, n - 1, behind);
	else
		keep_word(e, word);
	return 0;
}

static int expand_word(struct expansion *e, const char *word)
{
	if (str_has_prefix(word, "$arg*"))
		return expand_all(e);
	if (str_has_prefix(word, "$arg") && isdigit(word[4]))
		return expand_one(e, word);
	keep_word(e, word);
	return 0;
}

static int expand_words(struct expansion *e, int argc, const char *const *argv)
{
	int i, ret;

	for (i = 0; i < argc; i++) {
		e->word = i + FETCH_FIRST_ARGUMENT;
		trace_probe_log_set_index(e->word);
		ret = expand_word(e, argv[i]);
		if (ret)
			return ret;
	}
	return 0;
}

/**
 * traceprobe_expand_meta_args() - put parameters of the function in place of $arg*, $argN
 * @argc: number of arguments
 * @argv: the arguments
 * @new_argc: gets the number of those that are returned
 * @buf: not used any more
 * @bufsize: not used any more
 * @ctx: the event; finds its function, if it has not
 *
 * Only a word that is nothing but the variable, and its type, stands for a parameter.
 * A function without parameters has nothing to put for $arg*. If BTF does not have the
 * function, $argN is left as it is. What is wrong is logged.
 *
 * Context: may sleep, dyn_event_ops_mutex is held.
 *
 * Return: the arguments, to be freed with kfree() and before @argv is; NULL if they are
 * those of @argv; or an error pointer: %-EINVAL, %-ENOENT, %-EOPNOTSUPP or %-ENOMEM.
 */
const char **traceprobe_expand_meta_args(int argc, const char *argv[], int *new_argc,
					 char *buf, int bufsize,
					 struct traceprobe_parse_context *ctx)
{
	struct expansion needed = { .ctx = ctx }, made = { .ctx = ctx };
	int ret;

	ret = expand_words(&needed, argc, argv);
	if (ret)
		return ERR_PTR(ret);
	if (!needed.changed)
		return NULL;
	/* One more, for the closing NULL: NULL is returned only if nothing was replaced. */
	made.words = kmalloc(size_add(array_size(needed.nr + 1, sizeof(*made.words)), needed.len),
			     GFP_KERNEL);
	if (!made.words)
		return ERR_PTR(-ENOMEM);
	made.text = (char *)(made.words + needed.nr + 1);
	made.asked = needed.asked;
	made.found = needed.found;
	ret = expand_words(&made, argc, argv);
	if (ret) {
		kfree(made.words);
		return ERR_PTR(ret);
	}
	made.words[made.nr] = NULL;
	*new_argc = made.nr;
	return made.words;
}

/* The type of a value that is the address of an entry of a directory, or of a file. */
static bool is_dentry(const char *word, const char *type)
{
	size_t len = strlen(word);

	return len >= strlen(type) && !strcmp(word + len - strlen(type), type);
}

/* As snprintf(). What is put in place of [NAME=]VALUE:TYPE reads the name of the file. */
static int show_dentry(char *out, size_t room, const char *word)
{
	const char *equal = strchr(word, '=');
	int label = equal ? equal + 1 - word : 0;
	int len = strlen(word) - strlen(":%pd") - label;
	size_t name = offsetof(struct dentry, d_name.name);

	if (is_dentry(word, ":%pd"))
		return snprintf(out, room, "%.*s+0x0(+0x%zx(%.*s)):string",
				label, word, name, len, word + label);
	return snprintf(out, room, "%.*s+0x0(+0x%zx(+0x%zx(%.*s))):string", label, word, name,
			offsetof(struct file, f_path.dentry), len, word + label);
}

static size_t expand_dentries(int argc, const char **argv, char *text)
{
	size_t len = 0;
	int i;

	for (i = 0; i < argc; i++) {
		const char *word = argv[i];

		if (!is_dentry(word, ":%pd") && !is_dentry(word, ":%pD"))
			continue;
		if (text) {
			argv[i] = text + len;
			fetch_log_replace(i);
		}
		len += show_dentry(text ? text + len : NULL, text ? INT_MAX : 0, word) + 1;
	}
	return len;
}

/**
 * traceprobe_expand_dentry_args() - put the name of a file in place of %pd and %pD
 * @argc: number of arguments
 * @argv: the arguments; those of these types are replaced
 * @buf: gets their text, to be freed with kfree() when @argv is not used any more; is
 *	 left as it is if there is none
 *
 * Context: may sleep.
 *
 * Return: 0 or %-ENOMEM.
 */
int traceprobe_expand_dentry_args(int argc, const char *argv[], char **buf)
{
	size_t len = expand_dentries(argc, argv, NULL);
	char *text;

	if (!len)
		return 0;
	text = kmalloc(len, GFP_KERNEL);
	if (!text)
		return -ENOMEM;
	expand_dentries(argc, argv, text);
	*buf = text;
	return 0;
}
