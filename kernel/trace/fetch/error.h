/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Why the command of an event is refused. By these names the files of the events
 * report what is wrong with theirs; the messages are part of the interface of the
 * error_log file.
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
 * @FETCH_E_NO_BTFARG: the function has no such parameter
 * @FETCH_E_EVENT_TOO_BIG: all arguments together do not fit into a record
 * @FETCH_E_NO_STRUCT: BTF has no structure of that name
 * @FETCH_E_NO_ARRAY: what has an index is neither an array nor a pointer
 * @FETCH_E_BAD_INDEX: the array has not as many elements
 * @FETCH_E_NO_BTF_ENTRY: BTF does not have the function
 * @FETCH_E_NOSUP_BTFARG: the event is on no function, or there is no BTF
 * @FETCH_E_NO_BTF_FIELD: the structure has no such field
 * @FETCH_E_NO_PTR_STRCT: what is left of an arrow does not point to a structure
 * @FETCH_E_NOSUP_DAT_ARG: a structure that is passed by value has no fields here
 * @FETCH_E_BAD_BTF_TID: BTF does not say what the type is
 * @FETCH_E_BAD_TYPE4STR: it is neither text nor points to text
 * @FETCH_E_NO_ENUM: it is no enumeration
 * @FETCH_E_NEED_TYPE: it is no number, and the text does not say what to make of it
 * @FETCH_E_NOT_LOADED: only the module that is not loaded says what it is
 * @FETCH_E_OTHER_TYPE: it is another type than when the line was written
 * @FETCH_E_NOT_ALL: of the functions of an event, one does not have such a parameter
 * @FETCH_E_BAD_VAR: there is no such variable
 * @FETCH_E_BAD_VAR_ARGS: ``$arg*`` is there twice
 * @FETCH_E_NOFENTRY_ARGS: parameters are known only where a function begins or ends
 * @FETCH_E_RETVAL_ON_PROBE: nothing is returned where the event is
 * @FETCH_E_NO_RETVAL: the function returns nothing
 * @FETCH_E_BAD_STACK_NUM: the stack does not have that many words
 * @FETCH_E_BAD_ARG_NUM: arguments are counted from 1
 * @FETCH_E_BAD_REG_NAME: there is no such register
 * @FETCH_E_BAD_STRING: a string or an array is in memory
 * @FETCH_E_BAD_SYMSTRING: a name of a symbol is made of an address
 * @FETCH_E_COMM_CANT_DEREF: text is no address
 * @FETCH_E_USED_ARG_NAME: another argument, or the record's head, has the name
 * @FETCH_E_TOO_MANY_ARGS: there are too many arguments
 * @FETCH_E_NO_GROUP_NAME: there is nothing before the slash
 * @FETCH_E_GROUP_TOO_LONG: the group's name is too long
 * @FETCH_E_BAD_GROUP_NAME: the group's name is none of C, hyphens aside
 * @FETCH_E_NO_EVENT_NAME: there is nothing behind the colon
 * @FETCH_E_EVENT_TOO_LONG: the event's name is too long
 * @FETCH_E_BAD_EVENT_NAME: the event's name is none of C
 * @FETCH_E_EVENT_EXIST: there is such an event, which is of another kind
 * @FETCH_E_DIFF_PROBE_TYPE: one probe of the event is on entries, the other on exits
 * @FETCH_E_DIFF_ARG_TYPE: the probes of the event would record different arguments
 * @FETCH_E_SAME_PROBE: the event has this probe
 * @FETCH_E_BAD_MAXACT_TYPE: calls are counted only for exits
 * @FETCH_E_BAD_MAXACT: the number of calls is none
 * @FETCH_E_MAXACT_TOO_BIG: the number of calls is too large
 * @FETCH_E_BAD_PROBE_ADDR: there is no such place
 * @FETCH_E_NON_UNIQ_SYMBOL: several functions have the name
 * @FETCH_E_BAD_ADDR_SUFFIX: only ``%return`` may stand behind the place
 * @FETCH_E_BAD_RETPROBE: exits are those of a function, not of one of its instructions
 * @FETCH_E_BAD_INSN_BNDRY: no instruction begins there
 * @FETCH_E_FAIL_REG_PROBE: the probe could not be registered
 * @FETCH_E_BAD_TP_NAME: the tracepoint's name is none of C
 * @FETCH_E_FILE_NOT_FOUND: there is no such file
 * @FETCH_E_NO_REGULAR_FILE: it is no file that has a program
 * @FETCH_E_BAD_UPROBE_OFFS: the place in the file is no number
 * @FETCH_E_BAD_REFCNT: where the counter is, is no number
 * @FETCH_E_REFCNT_OPEN_BRACE: the parenthesis of the counter is not closed
 * @FETCH_E_BAD_REFCNT_SUFFIX: something is behind that parenthesis
 * @FETCH_E_NO_EVENT_INFO: the event to be on needs a group and a name
 * @FETCH_E_BAD_ATTACH_EVENT: the event to be on is not there
 * @FETCH_E_NO_EP_FILTER: there is nothing behind ``if``
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
	FETCH_E_NO_BTFARG,
	FETCH_E_NO_STRUCT,
	FETCH_E_EVENT_TOO_BIG,
	FETCH_E_NO_ARRAY,
	FETCH_E_BAD_INDEX,
	FETCH_E_NO_BTF_ENTRY,
	FETCH_E_NOSUP_BTFARG,
	FETCH_E_NO_BTF_FIELD,
	FETCH_E_NO_PTR_STRCT,
	FETCH_E_NOSUP_DAT_ARG,
	FETCH_E_BAD_BTF_TID,
	FETCH_E_BAD_TYPE4STR,
	FETCH_E_NO_ENUM,
	FETCH_E_NEED_TYPE,
	FETCH_E_NOT_LOADED,
	FETCH_E_OTHER_TYPE,
	FETCH_E_NOT_ALL,
	FETCH_E_BAD_VAR,
	FETCH_E_BAD_VAR_ARGS,
	FETCH_E_NOFENTRY_ARGS,
	FETCH_E_RETVAL_ON_PROBE,
	FETCH_E_NO_RETVAL,
	FETCH_E_BAD_STACK_NUM,
	FETCH_E_BAD_ARG_NUM,
	FETCH_E_BAD_REG_NAME,
	FETCH_E_BAD_STRING,
	FETCH_E_BAD_SYMSTRING,
	FETCH_E_COMM_CANT_DEREF,
	FETCH_E_USED_ARG_NAME,
	FETCH_E_TOO_MANY_ARGS,
	FETCH_E_NO_GROUP_NAME,
	FETCH_E_GROUP_TOO_LONG,
	FETCH_E_BAD_GROUP_NAME,
	FETCH_E_NO_EVENT_NAME,
	FETCH_E_EVENT_TOO_LONG,
	FETCH_E_BAD_EVENT_NAME,
	FETCH_E_EVENT_EXIST,
	FETCH_E_DIFF_PROBE_TYPE,
	FETCH_E_DIFF_ARG_TYPE,
	FETCH_E_SAME_PROBE,
	FETCH_E_BAD_MAXACT_TYPE,
	FETCH_E_BAD_MAXACT,
	FETCH_E_MAXACT_TOO_BIG,
	FETCH_E_BAD_PROBE_ADDR,
	FETCH_E_NON_UNIQ_SYMBOL,
	FETCH_E_BAD_ADDR_SUFFIX,
	FETCH_E_BAD_RETPROBE,
	FETCH_E_BAD_INSN_BNDRY,
	FETCH_E_FAIL_REG_PROBE,
	FETCH_E_BAD_TP_NAME,
	FETCH_E_FILE_NOT_FOUND,
	FETCH_E_NO_REGULAR_FILE,
	FETCH_E_BAD_UPROBE_OFFS,
	FETCH_E_BAD_REFCNT,
	FETCH_E_REFCNT_OPEN_BRACE,
	FETCH_E_BAD_REFCNT_SUFFIX,
	FETCH_E_NO_EVENT_INFO,
	FETCH_E_BAD_ATTACH_EVENT,
	FETCH_E_NO_EP_FILTER,
	FETCH_NR_ERRORS
};

/**
 * struct fetch_failure - what is wrong, and where
 * @error: what
 * @at: column, from the start of the argument
 * @of: the function that it is about, which may be cut; or ""
 */
struct fetch_failure {
	enum fetch_error error;
	u16 at;
	char of[64];
};

/* The messages, for what reads them as long as the kernel runs. */
extern const char *fetch_error_texts[FETCH_NR_ERRORS];

const char **fetch_error_texts_of(struct fetch_failure *failure, u8 *n);
const char *fetch_error_text(enum fetch_error error);

#endif
