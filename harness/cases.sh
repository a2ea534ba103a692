#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The tests that cases.list names are there. Says which are not.
. "$(dirname "$0")/lib.sh"

SELFTESTS=$TOP/tools/testing/selftests/kprobes
SUITES=$(mktemp)
trap 'rm -f "$SUITES"' EXIT

# SUITE.CASE of each file.
suites() {
	local f suite

	find "$TOP/kernel/trace" -name '*_kunit.c' | while read -r f; do
		suite=$(sed -nE 's/^\t\.name = "([a-z_]+)",$/\1/p' "$f")
		sed -nE "s/^\tKUNIT_CASE\(([a-z0-9_]+)\),$/$suite.\1/p" "$f"
	done
}

# exists TEST
exists() {
	local where=${1%%: *} text=${1#*: }

	case $1 in
	'-: '*) ;;
	*': '*)
		if [ -f "$SELFTESTS/$where.sh" ]; then
			grep -qF -- "$text" "$SELFTESTS/$where.sh"
		else
			grep -qxF -- "$text" "$SELFTESTS/events/$where.list"
		fi ;;
	*) grep -qxF -- "$1" "$SUITES" ;;
	esac
}

# Each number once, and none left out.
numbers() { grep -v '^#' "$HARNESS/cases.list" | cut -f 1; }

main() {
	local number tests test

	suites >"$SUITES"
	{ diff <(printf 'R%s\n' {1..55}; seq 72) <(numbers) || :; } |
		sed -n 's/^< \(.*\)/\1: no such line/p; s/^> \(.*\)/\1: one line too many/p'
	while IFS=$'\t' read -r number _ tests; do
		while [ -n "$tests" ]; do
			test=${tests%% | *}
			exists "$test" 2>&1 || echo "$number: there is no test '$test'"
			[ "$tests" != "$test" ] || break
			tests=${tests#* | }
		done
	done < <(grep -v '^#' "$HARNESS/cases.list")
}

main; exit
