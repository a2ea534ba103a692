# SPDX-License-Identifier: GPL-2.0
# Sourced by what gives its results in TAP: a line for each, and their sum.
# shellcheck shell=bash

N=0 PASSED=0 FAILED=0 SKIPPED=0
# Gets the results once more, to be searched.
RESULTS=${RESULTS:-/dev/null}

# Names of tests that may be skipped, one a line as patterns; any may where this is unset.
SKIPS=

may_skip() {
	local glob

	[ -n "$SKIPS" ] || return 0
	while read -r glob; do
		# shellcheck disable=SC2254 # a glob
		case $1 in $glob) return 0 ;; esac
	done <<<"$SKIPS"
	return 1
}

# report RESULT NAME: one line, counted. RESULT is an exit code, or a word.
report() {
	local word=$1

	[ "$1" != skip ] || may_skip "$2" ||
		set -- "not ok" "$2: is skipped, for no reason that is known"
	N=$((N + 1))
	case $1 in
	0 | ok) word=ok; PASSED=$((PASSED + 1)); echo "ok $N - $2" ;;
	skip)   SKIPPED=$((SKIPPED + 1)); echo "ok $N - $2 # SKIP" ;;
	*)      word="not ok"; FAILED=$((FAILED + 1)); echo "not ok $N - $2" ;;
	esac
	printf '%s\t%s\n' "$word" "$2" >>"$RESULTS"
}

# What ktap.py prints, on stdin.
report_file() {
	local result name

	while IFS=$'\t' read -r result name; do
		report "$result" "$name"
	done
}

# check_console RUN: the kernel had nothing to complain about.
check_console() {
	local log=$BUILD/runs/$1/console.log

	if "$HARNESS/console.sh" "$log" >"$BUILD/runs/$1/console.bad"; then
		report ok "$1: silent console"
		return
	fi
	head -n 20 "$BUILD/runs/$1/console.bad" | sed 's/^/# /'
	report "not ok" "$1: silent console ($log)"
}

# The last line. False if anything has failed.
report_sum() {
	echo "$PASSED passed, $FAILED failed$([ "$SKIPPED" -eq 0 ] || echo ", $SKIPPED skipped")"
	[ "$FAILED" -eq 0 ]
}
