// SPDX-License-Identifier: GPL-2.0
/*
 * What the error_log file says of a command that is refused: the command, with a
 * caret below of what is wrong with it.
 *
 * A command is known by its words. Blanks between two words are told as one.
 */
#include <linux/build_bug.h>
#include <linux/kernel.h>
#include <linux/limits.h>
#include <linux/slab.h>
#include <linux/string.h>

#include "../trace_probe.h"
#include "log.h"

/**
 * struct logged_command - the command that is being read
 * @subsystem: which events it is for
 * @argv: its words; NULL while there is no command
 * @argc: how many
 * @index: the word that is being read
 *
 * Guarded by dyn_event_ops_mutex, which is held while an event is created.
 */
struct logged_command {
	const char *subsystem;
	const char **argv;
	int argc;
	int index;
};

static struct logged_command logged;

/**
 * struct logged_word - the word of the command that an argument comes from
 * @index: which
 * @replaced: the argument is not that word
 */
struct logged_word {
	u16 index;
	bool replaced;
};

/*
 * The word of the command that argument n was made from, if one word has been replaced,
 * as $arg* by several. Then the first @nr_expanded entries are valid; one is for the
 * argument that is too many. If no word was replaced, @nr_expanded is 0, and argument n
 * is word FETCH_FIRST_ARGUMENT + n. Guarded as @logged.
 */
static struct logged_word expanded[MAX_TRACE_ARGS + 1];
static int nr_expanded;

/**
 * fetch_log_command() - put the words of a command together
 * @argc: number of words
 * @argv: the words
 *
 * Context: may sleep.
 *
 * Return: the command, to be freed with kfree(), or NULL if memory is short.
 */
char *fetch_log_command(int argc, const char *const *argv)
{
	size_t len = 1, at = 0;
	char *command;
	int i;

	for (i = 0; i < argc; i++)
		len += strlen(argv[i]) + 1;
	command = kmalloc(len, GFP_KERNEL);
	if (!command)
		return NULL;
	*command = '\0';
	for (i = 0; i < argc; i++)
		at += scnprintf(command + at, len - at, "%s%s", i ? " " : "", argv[i]);
	return command;
}

/**
 * fetch_log_column() - where the caret stands
 * @argc: number of words
 * @argv: the words
 * @index: which of them is wrong
 * @offset: and which of its characters
 *
 * A word that is missing is wrong where it would begin.
 *
 * Context: any.
 *
 * Return: characters of the command that are left of the caret.
 */
u16 fetch_log_column(int argc, const char *const *argv, int index, int offset)
{
	size_t column = offset;
	int i;

	for (i = 0; i < min(index, argc); i++)
		column += strlen(argv[i]) + 1;
	return min_t(size_t, column, U16_MAX);
}

/**
 * fetch_log_expand() - an argument takes the place of a word of the command
 * @n: number of the argument, from 0 on; they are told in their order
 * @index: the word
 * @replaced: the argument is not that word: what is wrong in it is wrong with the word
 *
 * Context: dyn_event_ops_mutex is held.
 */
void fetch_log_expand(int n, int index, bool replaced)
{
	if (n >= ARRAY_SIZE(expanded))
		return;
	expanded[n] = (struct logged_word){ .index = index, .replaced = replaced };
	nr_expanded = n + 1;
}

/**
 * fetch_log_replace() - an argument takes the place of the word that it was
 * @n: number of the argument, from 0 on
 *
 * Context: dyn_event_ops_mutex is held.
 */
void fetch_log_replace(int n)
{
	if (n < nr_expanded)
		expanded[n].replaced = true;
}

/**
 * fetch_log_word() - find the word of the command that an argument was made from
 * @index: which word; arguments begin with %FETCH_FIRST_ARGUMENT
 * @offset: which of its characters; 0 afterwards if the argument replaces the word
 *
 * Context: dyn_event_ops_mutex is held.
 *
 * Return: which word of the command.
 */
int fetch_log_word(int index, int *offset)
{
	int n = index - FETCH_FIRST_ARGUMENT;

	if (!nr_expanded || n < 0)
		return index;
	if (n >= nr_expanded)
		return logged.argc;
	if (expanded[n].replaced)
		*offset = 0;
	return expanded[n].index;
}

/**
 * trace_probe_log_init() - begin to read a command
 * @subsystem: which events it is for
 * @argc: number of its words
 * @argv: the words; a word that is replaced is told as it is then. They must be there
 *	  until trace_probe_log_clear(), which trace_probe_create() calls, too
 *
 * Context: dyn_event_ops_mutex is held.
 */
void trace_probe_log_init(const char *subsystem, int argc, const char **argv)
{
	logged = (struct logged_command){
		.subsystem = subsystem,
		.argv = argv,
		.argc = argc,
	};
	nr_expanded = 0;
}

/**
 * trace_probe_log_set_index() - go on to another word of the command
 * @index: which
 *
 * Context: dyn_event_ops_mutex is held.
 */
void trace_probe_log_set_index(int index)
{
	logged.index = index;
}

/**
 * trace_probe_log_clear() - no command is read any more
 *
 * Context: dyn_event_ops_mutex is held.
 */
void trace_probe_log_clear(void)
{
	logged = (struct logged_command){ };
	nr_expanded = 0;
}

/**
 * fetch_log_failure() - tell what is wrong with the command
 * @failure: what is wrong, and with which character of the current word
 *
 * Does nothing if no command is being read, and if memory is short.
 *
 * Context: may sleep, dyn_event_ops_mutex is held.
 */
void fetch_log_failure(struct fetch_failure *failure)
{
	int offset = failure->at, index = fetch_log_word(logged.index, &offset);
	const char **texts;
	char *command;
	u8 n;

	/* The log keeps the number of the message in a byte. */
	static_assert(ARRAY_SIZE(fetch_error_texts) <= U8_MAX + 1);
	if (!logged.argv)
		return;
	command = fetch_log_command(logged.argc, logged.argv);
	if (!command)
		return;
	texts = fetch_error_texts_of(failure, &n);
	tracing_log_err(NULL, logged.subsystem, command, texts, n,
			fetch_log_column(logged.argc, logged.argv, index, offset));
	kfree(command);
}

/**
 * trace_probe_log_error() - tell what is wrong with the command
 * @offset: character of the current word, from its start
 * @error: what is wrong
 *
 * Context: as fetch_log_failure().
 */
void trace_probe_log_error(int offset, enum fetch_error error)
{
	struct fetch_failure failure = { .error = error, .at = offset };

	fetch_log_failure(&failure);
}

/**
 * trace_probe_log_too_many_args() - tell that there are more than %MAX_TRACE_ARGS arguments
 *
 * What is wrong is the first that is too many.
 *
 * Context: as fetch_log_failure().
 *
 * Return: %-E2BIG.
 */
int trace_probe_log_too_many_args(void)
{
	trace_probe_log_set_index(FETCH_FIRST_ARGUMENT + MAX_TRACE_ARGS);
	trace_probe_log_err(0, TOO_MANY_ARGS);
	return -E2BIG;
}
