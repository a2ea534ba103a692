// SPDX-License-Identifier: GPL-2.0
/*
 * The messages of the errors, as they have always been.
 */
#include <linux/stddef.h>

#include "error.h"

static const char * const texts[FETCH_NR_ERRORS] = {
	[FETCH_E_NO_ARG_NAME] = "Argument name is not specified",
	[FETCH_E_ARG_NAME_TOO_LONG] = "Argument name is too long",
	[FETCH_E_BAD_ARG_NAME] = "Argument name must follow the same rules as C identifiers",
	[FETCH_E_NO_ARG_BODY] = "No argument expression",
	[FETCH_E_ARG_TOO_LONG] = "Argument expression is too long",
	[FETCH_E_BAD_FETCH_ARG] = "Invalid fetch argument",
	[FETCH_E_BAD_MEM_ADDR] = "Invalid memory address",
	[FETCH_E_FILE_ON_KPROBE] = "File offset is not available with kprobe",
	[FETCH_E_BAD_FILE_OFFS] = "Invalid file offset value",
	[FETCH_E_SYM_ON_UPROBE] = "Symbol is not available with uprobe",
	[FETCH_E_BAD_IMM] = "Invalid immediate value",
	[FETCH_E_IMMSTR_NO_CLOSE] = "String is not closed with '\"'",
	[FETCH_E_DEREF_NEED_BRACE] = "Dereference needs a brace",
	[FETCH_E_BAD_DEREF_OFFS] = "Invalid dereference offset",
	[FETCH_E_DEREF_OPEN_BRACE] = "Dereference brace is not closed",
	[FETCH_E_TOO_MANY_OPS] = "Dereference is too much nested",
	[FETCH_E_BAD_HYPHEN] = "Failed to parse single hyphen. Forgot '>'?",
	[FETCH_E_ARRAY_NO_CLOSE] = "Array is not closed",
	[FETCH_E_BAD_ARRAY_SUFFIX] = "Array has wrong suffix",
	[FETCH_E_BAD_ARRAY_NUM] = "Invalid array size",
	[FETCH_E_ARRAY_TOO_BIG] = "Array number is too big",
	[FETCH_E_BAD_TYPE] = "Unknown type is specified",
	[FETCH_E_NEED_STRING_TYPE] = "$comm and immediate-string only accepts string type",
	[FETCH_E_BAD_BITFIELD] = "Invalid bitfield",
};

/**
 * fetch_error_text() - the message of an error
 * @error: of a &struct fetch_failure
 *
 * Context: any.
 *
 * Return: what the error_log file says of it; NULL if it is no error.
 */
const char *fetch_error_text(enum fetch_error error)
{
	return error < FETCH_NR_ERRORS ? texts[error] : NULL;
}
