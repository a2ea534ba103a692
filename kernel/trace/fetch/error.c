// SPDX-License-Identifier: GPL-2.0
/*
 * The messages of the errors, as they have always been.
 */
#include <linux/atomic.h>
#include <linux/sprintf.h>
#include <linux/stddef.h>

#include "error.h"

const char *fetch_error_texts[FETCH_NR_ERRORS] = {
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
	[FETCH_E_NO_BTFARG] = "This variable is not found at this probe point",
	[FETCH_E_EVENT_TOO_BIG] = "The arguments are too large for a record",
	[FETCH_E_NO_STRUCT] = "There is no structure of this name",
	[FETCH_E_NO_ARRAY] = "This is neither an array nor a pointer",
	[FETCH_E_BAD_INDEX] = "The array does not have as many elements",
	[FETCH_E_NO_BTF_ENTRY] = "No BTF entry for this probe point",
	[FETCH_E_NOSUP_BTFARG] = "BTF is not available or not supported",
	[FETCH_E_NO_BTF_FIELD] = "This field is not found.",
	[FETCH_E_NO_PTR_STRCT] = "This is not a pointer to union/structure.",
	[FETCH_E_NOSUP_DAT_ARG] = "Non pointer structure/union argument is not supported.",
	[FETCH_E_BAD_BTF_TID] = "Failed to get BTF type info.",
	[FETCH_E_BAD_TYPE4STR] = "This type does not fit for string.",
	[FETCH_E_NO_ENUM] = "This is not an enumeration",
	[FETCH_E_NEED_TYPE] = "This is not a number: give it a type, or name a part of it",
	[FETCH_E_NOT_LOADED] = "The module is not loaded: this needs a type",
	[FETCH_E_OTHER_TYPE] = "In the module that was loaded this has another type",
	[FETCH_E_NOT_ALL] = "Not all functions have this parameter at one place, of one type",
	[FETCH_E_BAD_VAR] = "Invalid $-variable specified",
	[FETCH_E_BAD_VAR_ARGS] = "$arg* can be used only once in the parameters",
	[FETCH_E_NOFENTRY_ARGS] = "$arg* can be used only on function entry or exit",
	[FETCH_E_RETVAL_ON_PROBE] = "$retval is not available on probe",
	[FETCH_E_NO_RETVAL] = "This function returns 'void' type",
	[FETCH_E_BAD_STACK_NUM] = "Invalid stack number",
	[FETCH_E_BAD_ARG_NUM] = "Invalid argument number",
	[FETCH_E_BAD_REG_NAME] = "Invalid register name",
	[FETCH_E_BAD_STRING] = "String accepts only memory argument",
	[FETCH_E_BAD_SYMSTRING] = "Symbol String doesn't accept data/userdata",
	[FETCH_E_COMM_CANT_DEREF] = "$comm can not be dereferenced",
	[FETCH_E_USED_ARG_NAME] = "This argument name is already used",
	[FETCH_E_TOO_MANY_ARGS] = "Too many arguments are specified",
	[FETCH_E_NO_GROUP_NAME] = "Group name is not specified",
	[FETCH_E_GROUP_TOO_LONG] = "Group name is too long",
	[FETCH_E_BAD_GROUP_NAME] = "Group name must follow the same rules as C identifiers",
	[FETCH_E_NO_EVENT_NAME] = "Event name is not specified",
	[FETCH_E_EVENT_TOO_LONG] = "Event name is too long",
	[FETCH_E_BAD_EVENT_NAME] = "Event name must follow the same rules as C identifiers",
	[FETCH_E_EVENT_EXIST] = "Given group/event name is already used by another event",
	[FETCH_E_DIFF_PROBE_TYPE] = "Probe type is different from existing probe",
	[FETCH_E_DIFF_ARG_TYPE] = "Argument type or name is different from existing probe",
	[FETCH_E_SAME_PROBE] = "There is already the exact same probe event",
	[FETCH_E_BAD_MAXACT_TYPE] = "Maxactive is only for function exit",
	[FETCH_E_BAD_MAXACT] = "Invalid maxactive number",
	[FETCH_E_MAXACT_TOO_BIG] = "Maxactive is too big",
	[FETCH_E_BAD_PROBE_ADDR] = "Invalid probed address or symbol",
	[FETCH_E_NON_UNIQ_SYMBOL] = "The symbol is not unique",
	[FETCH_E_BAD_ADDR_SUFFIX] = "Invalid probed address suffix",
	[FETCH_E_BAD_RETPROBE] = "Retprobe address must be an function entry",
	[FETCH_E_BAD_INSN_BNDRY] = "Probe point is not an instruction boundary",
	[FETCH_E_FAIL_REG_PROBE] = "Failed to register probe event",
	[FETCH_E_BAD_TP_NAME] = "Invalid character in tracepoint name",
	[FETCH_E_FILE_NOT_FOUND] = "Failed to find the given file",
	[FETCH_E_NO_REGULAR_FILE] = "Not a regular file",
	[FETCH_E_BAD_UPROBE_OFFS] = "Invalid uprobe offset",
	[FETCH_E_BAD_REFCNT] = "Invalid reference counter offset",
	[FETCH_E_REFCNT_OPEN_BRACE] = "Reference counter brace is not closed",
	[FETCH_E_BAD_REFCNT_SUFFIX] = "Reference counter has wrong suffix",
	[FETCH_E_NO_EVENT_INFO] = "This requires both group and event name to attach",
	[FETCH_E_BAD_ATTACH_EVENT] = "Attached event does not exist",
	[FETCH_E_NO_EP_FILTER] = "No filter rule after 'if'",
};

/* The log keeps eight errors, and refers to their texts. */
#define NR_TEXTS_OF	16

/**
 * fetch_error_texts_of() - the messages that the log of errors is to refer to
 * @failure: what is wrong
 * @n: gets the number of its message among them
 *
 * Context: any.
 *
 * Return: the messages. Where a function is to be named, one was made that does; it stays
 * for as long as the log can have it.
 */
const char **fetch_error_texts_of(struct fetch_failure *failure, u8 *n)
{
	static char texts[NR_TEXTS_OF][160];
	static const char *places[NR_TEXTS_OF];
	static atomic_t next;

	*n = failure->error;
	if (!*failure->of)
		return fetch_error_texts;
	*n = (unsigned int)atomic_inc_return(&next) % NR_TEXTS_OF;
	snprintf(texts[*n], sizeof(texts[*n]), "%s: %s", fetch_error_texts[failure->error],
		 failure->of);
	places[*n] = texts[*n];
	return places;
}

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
	return error < FETCH_NR_ERRORS ? fetch_error_texts[error] : NULL;
}
