# SPDX-License-Identifier: GPL-2.0
# Sourced by selftest.sh: tests of how the base's own tests on ours are compared with those
# on stock, and of the results of stock that are kept.
# shellcheck shell=bash

# Functions of test.sh: for which headers its kept results serve.
test_kept() {
	local KEPT=$DIR/kept

	# shellcheck source=/dev/null
	. <(sed -n '/^has_id()/p; /^kept_serves()/,/^}/p' "$HARNESS/test.sh")
	printf '# base: a\n# scripts: b\nok 1 x\n' >"$KEPT"
	is "results that are kept serve where nothing differs" kept_serves $'# base: a\n# scripts: b'
	isnt "not on another base" kept_serves $'# base: c\n# scripts: b'
	STOCK=kept is "unless that is asked for" kept_serves $'# base: c\n# scripts: b'
	STOCK=kept isnt "for other scripts they never do" kept_serves $'# base: a\n# scripts: c'
}

# other_base BASE: what test.sh says of results of base a, after test_kept.
other_base() (
	set -Eeuo pipefail
	mkdir -p "$DIR/other"
	printf '#!/bin/sh\nprintf "# base: %s\\n# scripts: b\\n"\n' "$1" >"$DIR/other/stock-id.sh"
	printf '#!/bin/sh\necho "other=$OTHER_BASE"\n' >"$DIR/other/compare.sh"
	chmod +x "$DIR"/other/*.sh
	# shellcheck disable=SC2034 # of the function
	HARNESS=$DIR/other BUILD=$DIR/other STOCK_TAP=$DIR/kept
	compare_foreign "$DIR/y"
	cat "$DIR/other/foreign.txt"
)

test_other_base() {
	# shellcheck source=/dev/null
	. <(sed -n '/^base_of()/p; /^compare_foreign()/,/^}/p' "$HARNESS/test.sh")
	is "nothing is said of equal bases" same "$(other_base a)" "other="
	is "of another one, what it is" same "$(other_base c | tr '\n' ,)" \
		"# stock's results are of base: a,# and not of base: c,other=1,"
}

test_compare() {
	local known

	known=$(sed -n '/^#/!s/ : .*//p' "$HARNESS/foreign.known" | head -n 1)
	is "the results of stock that are kept are of today's configuration and scripts" same \
		"$("$HARNESS/stock-id.sh" | tail -n 1)" "$(sed -n 4p "$HARNESS/foreign-stock.tap")"
	test_kept
	test_other_base
	printf 'ok 1 a\nnot ok 2 b\n' >"$DIR/x"
	printf 'ok 1 a\nok 2 b\nok 3 c\n' >"$DIR/y"
	"$HARNESS/compare.sh" "$DIR/x" "$DIR/y" >"$DIR/z"
	is "a better result differs too" has "$DIR/z" "b (stock fail, ours pass)"
	is "so does a missing one" has "$DIR/z" "c (stock missing, ours pass)"
	is "equal is equal" "$HARNESS/compare.sh" "$DIR/y" "$DIR/y"
	isnt "of another base, too, what differs does" env OTHER_BASE=1 "$HARNESS/compare.sh" "$DIR/x" "$DIR/y"
	printf 'ok 1 a\nok 2 c\n' >"$DIR/x"
	isnt "a missing one is judged" "$HARNESS/compare.sh" "$DIR/x" "$DIR/y"
	is "unless it is of another base" same "$(OTHER_BASE=1 "$HARNESS/compare.sh" "$DIR/x" "$DIR/y" | grep -c '^ok')" 2
	printf 'ok 1 a\nnot ok 2 b\n' >"$DIR/x"
	isnt "to fail as stock does needs a reason" "$HARNESS/compare.sh" "$DIR/x" "$DIR/x"
	printf 'ok 1 a\nnot ok 2 %s\n' "$known" >"$DIR/v"
	is "and has one" "$HARNESS/compare.sh" "$DIR/v" "$DIR/v"
	printf 'ok 1 a\nnot ok 0 b # CRASH\n' >"$DIR/w"
	printf 'ok 1 a\nok 2 b\n' >"$DIR/y"
	is "to pass where stock crashes is good" "$HARNESS/compare.sh" "$DIR/w" "$DIR/y"
	isnt "to crash where stock passes is not" "$HARNESS/compare.sh" "$DIR/y" "$DIR/w"
	isnt "nor is to crash as stock does" "$HARNESS/compare.sh" "$DIR/w" "$DIR/w"
	printf 'ok 1 a\nnot ok 2 b # UNRESOLVED\n' >"$DIR/v"
	isnt "or what cannot be judged on either" "$HARNESS/compare.sh" "$DIR/v" "$DIR/v"
}
