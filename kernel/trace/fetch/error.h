/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why the text of an argument is refused. The names are those by which the
 * commands of events report their own errors; the messages are part of the
 * interface of the error_log file.
 */
#ifndef _KERNEL_TRACE_FETCH_ERROR_H
#define _KERNEL_TRACE_FETCH_ERROR_H

#include <linux/types.h>

/**
 * enum fetch_error - what is wrong
 * @FETCH_E_NONE: nothing
 * @FETCH_E_NO_ARG_NAME: there is no name before the equals sign
 * @FETCH_E_ARG_NAME_TOO_LONG: the name is too long
 * @FETCH_E_BAD_ARG_NAME: the name is none of C
 * @FETCH_E_NO_ARG_BODY: there is nothing behind the equals sign
 * @FETCH_E_ARG_TOO_LONG: the value is too long
 * @FETCH_E_BAD_FETCH_ARG: no value begins so
 * @FETCH_E_BAD_MEM_ADDR: the address is no number
 * @FETCH_E_FILE_ON_KPROBE: the kernel has no file
 * @FETCH_E_BAD_FILE_OFFS: the offset in a file is no number
 * @FETCH_E_SYM_ON_UPROBE: a process has no symbols
 * @FETCH_E_BAD_IMM: the constant is no number
 * @FETCH_E_IMMSTR_NO_CLOSE: a string does not end
 * @FETCH_E_DEREF_NEED_BRACE: an offset has no parenthesis behind it
 * @FETCH_E_BAD_DEREF_OFFS: the offset is no number
 * @FETCH_E_DEREF_OPEN_BRACE: a parenthesis is not closed
 * @FETCH_E_TOO_MANY_OPS: there are too many of them in one another
 * @FETCH_E_BAD_HYPHEN: a hyphen is no arrow
 * @FETCH_E_ARRAY_NO_CLOSE: a bracket is not closed
 * @FETCH_E_BAD_ARRAY_SUFFIX: something is behind the bracket
 * @FETCH_E_BAD_ARRAY_NUM: the number of elements is none
 * @FETCH_E_ARRAY_TOO_BIG: there are too many elements
 * @FETCH_E_BAD_TYPE: there is no such type
 * @FETCH_E_NEED_STRING_TYPE: what is text has no other type
 * @FETCH_E_BAD_BITFIELD: the bit field is none, or not within what it lies in
 * @FETCH_NR_ERRORS: how many there are
 */
enum fetch_error {
	FETCH_E_NONE,
	FETCH_E_NO_ARG_NAME,
	FETCH_E_ARG_NAME_TOO_LONG,
	FETCH_E_BAD_ARG_NAME,
	FETCH_E_NO_ARG_BODY,
	FETCH_E_ARG_TOO_LONG,
	FETCH_E_BAD_FETCH_ARG,
	FETCH_E_BAD_MEM_ADDR,
	FETCH_E_FILE_ON_KPROBE,
	FETCH_E_BAD_FILE_OFFS,
	FETCH_E_SYM_ON_UPROBE,
	FETCH_E_BAD_IMM,
	FETCH_E_IMMSTR_NO_CLOSE,
	FETCH_E_DEREF_NEED_BRACE,
	FETCH_E_BAD_DEREF_OFFS,
	FETCH_E_DEREF_OPEN_BRACE,
	FETCH_E_TOO_MANY_OPS,
	FETCH_E_BAD_HYPHEN,
	FETCH_E_ARRAY_NO_CLOSE,
	FETCH_E_BAD_ARRAY_SUFFIX,
	FETCH_E_BAD_ARRAY_NUM,
	FETCH_E_ARRAY_TOO_BIG,
	FETCH_E_BAD_TYPE,
	FETCH_E_NEED_STRING_TYPE,
	FETCH_E_BAD_BITFIELD,
	FETCH_NR_ERRORS
};

/**
 * struct fetch_failure - what is wrong, and where
 * @error: what
 * @at: column, from the start of the argument
 */
struct fetch_failure {
	enum fetch_error error;
	u16 at;
};

const char *fetch_error_text(enum fetch_error error);

#endif
