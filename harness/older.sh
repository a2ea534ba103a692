#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The examples of the older document, as it prints them, compile as modules with
# -DCONFIG_JPROBES and with no changes but those in older.list. Prints the warnings;
# exit code 1 if one of them does not compile.
#
# Usage: older.sh DOCUMENT OBJ	compile them against the kernel in OBJ
#        older.sh DOCUMENT DIR -	only write them into DIR, changed
. "$(dirname "$0")/lib.sh"

DOCUMENT=$1 LIST=$HARNESS/older.list

# The page has a number in front of each line, blanks that do not break, and no tabs.
text() { sed -E 's/\xc2\xa0/ /g; s/^[0-9]+ ?//; s/^ {8}/\t/' "$DOCUMENT"; }

# examples DIR: each into a file of the name in its first comment; Makefile has none.
examples() {
	text | awk -v dir="$1" '
		/^----- cut here -----$/ { inside = !inside; file = ""; next }
		!inside { next }
		file == "" {
			file = "Makefile"
			if (match($0, /[a-z_-]+\.c/)) file = substr($0, RSTART, RLENGTH)
			gsub("_", "-", file)
		}
		{ print > (dir "/" file) }'
}

commands() { grep -vE '^(#|$)' "$LIST" | sed 's/ : .*//'; }

# change DIR: each command by itself, so that one without effect is found.
change() {
	local command before rc=0

	while read -r command; do
		before=$(cat "$1"/*.c "$1/Makefile" | cksum)
		sed -i -- "$command" "$1"/*.c "$1/Makefile"
		[ "$before" != "$(cat "$1"/*.c "$1/Makefile" | cksum)" ] || {
			echo "changes nothing: $command"
			rc=1
		}
	done < <(commands)
	return $rc
}

# By the Makefile that the document has for the first, for all of them.
compile() {
	local obj=$1 dir=$2 modpost=1

	# shellcheck disable=SC2086 # words
	sed -i "s/^obj-m := .*/obj-m := $(printf '%s.o ' $3)/" "$dir/Makefile"
	# Which functions there are is known only if the kernel has jprobes.
	! grep -q '^CONFIG_JPROBES=y' "$obj/.config" || modpost=
	make -C "$dir" KDIR="$obj" KCFLAGS=-DCONFIG_JPROBES KBUILD_MODPOST_WARN=$modpost
}

main() {
	local obj dir names f rc=0

	obj=$(realpath "$2") dir=$obj/older
	[ -z "${3:-}" ] || dir=$obj
	rm -rf "$obj/older"
	mkdir -p "$dir"
	examples "$dir"
	change "$dir" || exit 1
	[ -z "${3:-}" ] || exit 0
	names=$(cd "$dir" && printf '%s\n' *.c | sed 's/\.c$//')
	compile "$obj" "$dir" "$names" >"$LOGS/older.log" 2>&1 || rc=1
	grep -E '(warning|error|WARNING|ERROR)[: ]' "$LOGS/older.log" || :
	for f in $names; do
		[ -f "$dir/$f.ko" ] || { echo "not compiled: $f"; rc=1; }
	done
	exit $rc
}

main "$@"
