#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Write to dynamic_events what a list says, and print what the kernel makes of
# it: one line for each step.
#
# Usage: probe_events_record.sh LIST
#
# A line of the list is a case. It starts with no event, no error and an empty
# trace. What follows "+ " is a further step of the case before it. A step is
#
#   TEXT          is written to dynamic_events
#   > FILE TEXT   is written to this file of tracefs
#   < EVENT       what is in the trace of this event
#   ! WORD...     something is done, see below
#
# {N} in a text is N constants, one argument each. Lines with "#" are comments.
#
# A line of the record: the step; the error number; of a refusal which command
# refused, the column of the caret ("none" if it is out of the text), and the
# message; otherwise all events as they are listed, and of the last one the fields
# (type, name, offset, size, signed) and the print format. Columns are separated by
# tabs, "-" is none.
TRACEFS=${TRACEFS:-/sys/kernel/tracing}
ERRORS=$(mktemp)
trap 'rm -f "$ERRORS"' EXIT

# errno TEXT: the name of the error that a message of the shell ends with.
errno() {
	case $1 in
	*"Invalid argument")                   echo EINVAL ;;
	*"No such file or directory")          echo ENOENT ;;
	*"No such device")                     echo ENODEV ;;
	*"Argument list too long")             echo E2BIG ;;
	*"File exists")                        echo EEXIST ;;
	*"Device or resource busy")            echo EBUSY ;;
	*"Invalid or incomplete multibyte"*)   echo EILSEQ ;;
	*"Numerical result out of range")      echo ERANGE ;;
	*"Cannot assign requested address")    echo EADDRNOTAVAIL ;;
	*"Operation not supported")            echo EOPNOTSUPP ;;
	*"Cannot allocate memory")             echo ENOMEM ;;
	*"File name too long")                 echo ENAMETOOLONG ;;
	*"Value too large for defined"*)       echo EOVERFLOW ;;
	*"Bad address")                        echo EFAULT ;;
	*)                                     echo "${1##*: }" ;;
	esac
}

# put FILE TEXT: in one write; sets ERRNO.
put() {
	local message

	ERRNO=ok
	{ printf '%s' "$2" >>"$TRACEFS/$1"; } 2>"$ERRORS" && return
	IFS= read -r message <"$ERRORS"
	ERRNO=$(errno "$message")
}

# expand TEXT: sets TEXT, in which {N} is N constants.
expand() {
	local n constants=

	TEXT=$1
	while [[ $TEXT =~ \{([0-9]+)\} ]]; do
		for ((n = 0; n < BASH_REMATCH[1]; n++)); do constants+=' \1'; done
		TEXT=${TEXT/"${BASH_REMATCH[0]}"/"${constants# }"}
	done
}

# column COMMAND LINE: that of the caret in LINE, "none" if it is far behind COMMAND.
column() {
	local at=$((${#2} - 12))

	if [ "$at" -le $((${#1} + 1)) ]; then printf '%s' "$at"; else printf 'none'; fi
}

# refusals TEXT: what the log of errors has: command, column, message. The line
# that it shows is told where it is not the one that was written.
refusals() {
	local line head='' all='' shown=''

	while IFS= read -r line; do
		case $line in
		'['*)         head=${line#*] } ;;
		'  Command: '*)
			shown=${line#  Command: }
			[ "$shown" = "$1" ] || head+=" (of: $shown)" ;;
		'           '*^)
			all+="${all:+ ; }${head%%:*}"$'\t'"$(column "$shown" "$line")"$'\t'
			all+=${head#*: error: } ;;
		*)            all+=" ?$line" ;;
		esac
	done <"$TRACEFS/error_log"
	printf '%s' "${all:-"-"$'\t-\t-'}"
}

# listing: sets LISTING, and EVENT to the last one's group and name.
listing() {
	local line

	LISTING='' EVENT=''
	while IFS= read -r line; do
		LISTING+="${LISTING:+ ; }$line"
		EVENT=${line%% *}
		EVENT=${EVENT#*:}
	done <"$TRACEFS/dynamic_events"
	short "$LISTING"
}

# short TEXT: prints it, or only how long it is and its sum.
short() {
	local sum

	if [ "${#1}" -gt 2000 ]; then
		sum=$(md5sum <<<"$1")
		printf '%s' "${#1} characters ${sum%% *}"
	else
		printf '%s' "${1:--}"
	fi
}

FIELD=$'^\tfield:([^;]*);\toffset:([0-9]+);\tsize:([0-9]+);\tsigned:([01]);$'

# form GROUP/EVENT: what its format file says, but for what each event has. What
# does not look as it must is told with a "?".
form() {
	local line fields='' print=''

	while IFS= read -r line; do
		case $line in
		"name: ${1#*/}" | 'ID: '[0-9]* | format: | '') ;;
		$'\tfield:'*' common_'*) ;;
		'print fmt: '*) print=${line#print fmt: } ;;
		*)
			if [[ $line =~ $FIELD ]]; then
				fields+="${fields:+; }${BASH_REMATCH[*]:1}"
			else
				fields+="?$line"
			fi ;;
		esac
	done <"$TRACEFS/events/$1/format"
	short "$fields"
	printf '\t'
	short "$print"
}

# write_step FILE TEXT
write_step() {
	: >"$TRACEFS/error_log"
	expand "$2"
	put "$1" "$TEXT"
	printf '%s\t' "$ERRNO"
	if [ "$ERRNO" != ok ]; then
		refusals "$TEXT"
		return
	fi
	listing
	case $2 in [-!0-9]*) EVENT= ;; esac
	[ -z "$EVENT" ] || { printf '\t'; form "$EVENT"; }
}

# mask TEXT: sets TEXT without what another build or boot changes.
mask() {
	TEXT=$1
	while [[ $TEXT =~ 0xffff[0-9a-f]{12} ]]; do TEXT=${TEXT/"${BASH_REMATCH[0]}"/ADDRESS}; done
	while [[ $TEXT =~ (\+0x[0-9a-f]+)/0x[0-9a-f]+ ]]; do
		TEXT=${TEXT/"${BASH_REMATCH[0]}"/"${BASH_REMATCH[1]}/SIZE"}
	done
}

# trace_step EVENT: how often it is there, and its arguments.
trace_step() {
	local line n=0 all=''

	while IFS= read -r line; do
		case $line in *": $1: ("*) ;; *) continue ;; esac
		n=$((n + 1))
		mask "${line#*": $1: ("*)}"
		all+=" ;$TEXT"
	done <"$TRACEFS/trace"
	printf '%s times' "$n"
	short "${all# ;}"
}

# do_step WORD...: what this shell does is in the trace, and nothing else.
do_step() {
	case $1 in
	on)      echo 1 >"$TRACEFS/events/$2/enable" ;;
	off)     echo 0 >"$TRACEFS/events/$2/enable" ;;
	fork)    ( : ) ;;
	read)    read -r _ <"$2" ;;
	load)    modprobe "$2" ;;
	unload)  rmmod "$2" ;;
	wait)    sleep "$2" ;;
	warned)  printf '%s warnings, ' "$(dmesg | grep -cE 'WARNING:|BUG:')" ;;
	sites)   printf '%s sites, ' "$(wc -l <"$TRACEFS/enabled_functions")" ;;
	*)       echo "no deed $1" >&2; exit 1 ;;
	esac 2>"$ERRORS" || { printf '%s' "$(errno "$(tail -n 1 "$ERRORS")")"; return; }
	printf 'ok'
}

step() {
	local word=$1 words

	printf '%s\t' "$word"
	case $word in
	'> '*) word=${word#> }; write_step "${word%% *}" "${word#* }" ;;
	'< '*) trace_step "${word#< }" ;;
	'! '*) read -r -a words <<<"${word#! }"; do_step "${words[@]}" ;;
	*)     write_step dynamic_events "$word" ;;
	esac
	printf '\n'
}

# An event that another one is on goes after that: the last one first.
clear_all() {
	local lines n event

	echo 0 >"$TRACEFS/events/enable"
	mapfile -t lines <"$TRACEFS/dynamic_events"
	for ((n = ${#lines[@]} - 1; n >= 0; n--)); do
		event=${lines[n]%% *}
		put dynamic_events "-:${event#*:}"
	done
	: >"$TRACEFS/trace"
}

main() {
	local line

	echo 1 >"$TRACEFS/tracing_on"
	echo $$ >"$TRACEFS/set_event_pid"
	while IFS= read -r line; do
		case $line in
		'' | '#'*) ;;
		'+ '*)     printf '+ '; step "${line#+ }" ;;
		*)         clear_all; step "$line" ;;
		esac
	done <"$1"
	clear_all
	: >"$TRACEFS/set_event_pid"
	: >"$TRACEFS/error_log"
}

main "$@"
