/* SPDX-License-Identifier: GPL-2.0 */
/*
 * An argument of a probe event, as the text says it: a tree of nodes that know
 * their columns. What the names in it mean is not known here: that depends on
 * the event, and is found by what reads the tree.
 */
#ifndef _KERNEL_TRACE_FETCH_TREE_H
#define _KERNEL_TRACE_FETCH_TREE_H

#include <linux/types.h>

#include "error.h"

/* Each level of parentheses costs a frame of the parser's. */
#define FETCH_MAX_DEREF		13
#define FETCH_MAX_NESTED	4
#define FETCH_MAX_NAME		32
#define FETCH_MAX_TEXT		63
#define FETCH_MAX_PATH		255
#define FETCH_MAX_ARRAY		64

/**
 * enum fetch_where - what kind of event an argument is of
 * @FETCH_IN_KERNEL: on an instruction or a function of the kernel, or a tracepoint
 * @FETCH_IN_PROCESS: in the text of a process: ``@+NUMBER`` is for it, ``@NAME`` and
 *		      symbols are not
 * @FETCH_IN_EVENT: on another event, whose fields are variables
 */
enum fetch_where {
	FETCH_IN_KERNEL,
	FETCH_IN_PROCESS,
	FETCH_IN_EVENT,
};

/**
 * struct fetch_text - a part of the text of an argument
 * @s: its first character, in the caller's string; not terminated
 * @len: number of characters
 * @at: column of the first one, from the start of the argument
 */
struct fetch_text {
	const char *s;
	u16 len;
	u16 at;
};

/**
 * enum fetch_kind - what a node is
 * @FETCH_VARIABLE: ``$NAME``; @name is what follows the dollar
 * @FETCH_REGISTER: ``%NAME``
 * @FETCH_PARAMETER: ``NAME``, of a parameter of the function
 * @FETCH_ADDRESS: ``@NUMBER``; @number is where the memory is
 * @FETCH_SYMBOL: ``@NAME``, ``@NAME+NUMBER``; @number is the offset
 * @FETCH_FILE: ``@+NUMBER``; @number is an offset in the file of a uprobe
 * @FETCH_NUMBER: ``\NUMBER``; @number is the value
 * @FETCH_STRING: ``\"TEXT"``; @name is what is in the quotes
 * @FETCH_DEREF: ``+NUMBER(...)``; @number is the offset, @of gives the address
 * @FETCH_UDEREF: ``+uNUMBER(...)``, in the memory of the user
 * @FETCH_ENTRY: ``$entry(...)``: @of, when the function was entered
 * @FETCH_CAST: ``(NAME)...``: @of points to that structure
 * @FETCH_CONTAINER: ``(NAME,MEMBER)...``: @of points to that member of it
 * @FETCH_CPU_POINTER: ``this_cpu_ptr(...)``
 * @FETCH_CPU_READ: ``this_cpu_read(...)``: what that points to
 * @FETCH_ARROW: ``...->NAME``; @of points to the structure
 * @FETCH_DOT: ``....NAME``; @of is the structure
 * @FETCH_INDEX: ``...[NUMBER]``; @of is the array, or points to its first element
 */
enum fetch_kind {
	FETCH_VARIABLE,
	FETCH_REGISTER,
	FETCH_PARAMETER,
	FETCH_ADDRESS,
	FETCH_SYMBOL,
	FETCH_FILE,
	FETCH_NUMBER,
	FETCH_STRING,
	FETCH_DEREF,
	FETCH_UDEREF,
	FETCH_ENTRY,
	FETCH_CAST,
	FETCH_CONTAINER,
	FETCH_CPU_POINTER,
	FETCH_CPU_READ,
	FETCH_ARROW,
	FETCH_DOT,
	FETCH_INDEX,
};

/**
 * struct fetch_node - a node of the tree
 * @kind: what it is
 * @at: column of its first character; that of the name for a field
 * @name: see &enum fetch_kind; empty where a kind has none
 * @member: of %FETCH_CONTAINER
 * @number: see &enum fetch_kind; sign-extended where it is an offset
 * @of: operand, or NULL
 * @by: the node that this one is the operand of, or NULL
 */
struct fetch_node {
	enum fetch_kind kind;
	u16 at;
	struct fetch_text name;
	struct fetch_text member;
	u64 number;
	struct fetch_node *of;
	const struct fetch_node *by;
};

/**
 * struct fetch_type - a type that values are recorded with
 * @name: its name
 * @recorded: what the format file says of a field; NULL for a string
 * @format: how it is printed, in the text of a string of C
 * @size: bytes; 0 for a string, whose length is known when it is recorded
 * @is_signed: it has a sign
 * @kernel_only: it makes no sense of a value of a process
 * @enumeration: it stands for the integer that BTF says an enumeration is, whose names
 *		 are printed
 */
struct fetch_type {
	const char *name;
	const char *recorded;
	const char *format;
	u8 size;
	bool is_signed : 1;
	bool kernel_only : 1;
	bool enumeration : 1;
};

/**
 * struct fetch_cast - the type that the text gives a value
 * @name: its name, without what makes it an array; @len is 0 if there is none
 * @type: the type of that name, or what a bit field lies in; NULL if there is none
 * @count: number of elements; 0 if it is no array
 * @bits: width of a bit field; 0 if it is none
 * @bit: its first bit
 */
struct fetch_cast {
	struct fetch_text name;
	const struct fetch_type *type;
	u16 count;
	u16 bits;
	u16 bit;
};

/**
 * struct fetch_tree - an argument
 * @label: the name that the text gives it; @len is 0 if there is none
 * @body: the text of the value, without name and type
 * @ignored: what stands behind the last parenthesis, where nothing may stand; it
 *	     has always been passed over
 * @cast: the type that the text gives it
 * @top: the node whose value is recorded
 * @nr_nodes: number of nodes in use
 * @nodes: all nodes
 */
struct fetch_tree {
	struct fetch_text label;
	struct fetch_text body;
	struct fetch_text ignored;
	struct fetch_cast cast;
	struct fetch_node *top;
	unsigned int nr_nodes;
	struct fetch_node nodes[];
};

/**
 * enum fetch_variable - the variables that every event has
 * @FETCH_VAR_OTHER: none of them: a field of the event, or nothing
 * @FETCH_VAR_STACK: ``$stack``, the stack pointer
 * @FETCH_VAR_STACK_WORD: ``$stackN``
 * @FETCH_VAR_ARG: ``$argN``
 * @FETCH_VAR_ARGS: ``$arg*``
 * @FETCH_VAR_RETVAL: ``$retval``
 * @FETCH_VAR_COMM: ``$comm``, ``$COMM``
 * @FETCH_VAR_CURRENT: ``$current``, the task
 * @FETCH_VAR_ELAPSED: ``$elapsed``, nanoseconds since the function was entered
 * @FETCH_VAR_BAD_STACK: ``$stack`` with something else behind it
 * @FETCH_VAR_BAD_ARG: ``$arg`` with something else behind it
 */
enum fetch_variable {
	FETCH_VAR_OTHER,
	FETCH_VAR_STACK,
	FETCH_VAR_STACK_WORD,
	FETCH_VAR_ARG,
	FETCH_VAR_ARGS,
	FETCH_VAR_RETVAL,
	FETCH_VAR_COMM,
	FETCH_VAR_CURRENT,
	FETCH_VAR_ELAPSED,
	FETCH_VAR_BAD_STACK,
	FETCH_VAR_BAD_ARG,
};

struct fetch_tree *fetch_parse(const char *text, enum fetch_where where,
			       struct fetch_failure *failure);
void fetch_free(struct fetch_tree *tree);
bool fetch_is_path(const struct fetch_node *node);
const struct fetch_type *fetch_find_type(const struct fetch_text *name,
					 enum fetch_where where);
const struct fetch_type *fetch_default_type(void);
const struct fetch_type *fetch_number_type(unsigned int size, bool is_signed);
const struct fetch_type *fetch_string_type(void);
enum fetch_variable fetch_find_variable(const struct fetch_text *name, unsigned long *number);

#endif
