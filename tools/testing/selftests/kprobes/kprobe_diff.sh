#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Differential instruction test: snippets run bare and probed, see
# test_modules/diff/main.c. In the environment: SEED and RUNS; ONLY, classes or
# snippets; MODES, a mask of rows of the table in run.c; LEAVE_OUT, as in
# :SNIPPET:SNIPPET:, for a kernel that would not survive them.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PARAM=/sys/module/kprobe_diff/parameters
DIFF=$DEBUGFS/kprobe_diff
# The rows of the table that want the optimizer off, and on.
PLAIN=0x207f
JUMPS=0x1f80
MODES=${MODES:-$((PLAIN | JUMPS))}
# In the order of enum diff_plant.
PLANTS=(none register flag vector memory per-CPU stack pre-hit post-hit
	seen-register)

param() { echo "$2" >"$PARAM/$1"; }

optimization() { [ ! -e $SYSCTL ] || echo "$1" >$SYSCTL; }

# some_jumps: in each of their modes, and hits by way of them. Single snippets may have none.
some_jumps() {
	[ -e $SYSCTL ] && [ -z "${ONLY:-}" ] || return 0
	check "- diff: modes without a jump" "$(grep -c '^# mode opt.* jumps=0' "$DIFF/results")" 0
	check "- diff: hits by way of jumps" \
		"$(grep -cE '^(not )?ok .* total .* by_jump=[1-9]' "$DIFF/results")" 1
}

# lacking: the classes of the report for which the CPU has no instruction.
lacking() {
	local f

	for f in bmi1:bmi avx512vl:evex xsave:xsave; do
		grep -qw "${f%:*}" /proc/cpuinfo || grep -o "diff: ${f#*:} " "$DIFF/results"
	done
}

# all_ran: something of each class that the CPU has.
all_ran() {
	local idle

	[ -z "${ONLY:-}" ] || return 0
	idle=$(grep -E ' - diff: .* runs=0 ' "$DIFF/results" | grep -o 'diff: [^ ]* ')
	check "- diff: classes that did not run" "$idle" "$(lacking)"
}

# results: what the module says, with our numbers.
results() {
	local line first=$KTAP_TESTNO plan=

	while read -r line; do
		case $line in
		1..*)       plan=${line#1..} ;;
		"ok "*)     ktap_test_pass "${line#ok * }" ;;
		"not ok "*) ktap_test_fail "${line#not ok * }" ;;
		"# "*)      echo "$line" ;;
		esac
	done <"$DIFF/results"
	check "- diff: the report has all classes" $((KTAP_TESTNO - first)) "$plan"
}

# compare OPTIMIZATION MODES: those of them that are wanted.
compare() {
	local modes=$((MODES & $2))

	[ "$modes" -ne 0 ] || return 0
	optimization "$1"
	param plant 0
	param only "${ONLY:-}"
	param modes "$modes"
	if echo 1 >"$DIFF/run"; then
		results
		all_ran
		[ "$1" = 0 ] || some_jumps
	else
		ktap_test_fail "- diff: the run came to its end"
	fi
}

# A comparison that finds nothing is worth something only if it finds what is
# there: every kind of difference, made by the pre handler.
self_check() {
	local plant name

	optimization 0
	for ((plant = 1; plant < ${#PLANTS[@]}; plant++)); do
		name="- diff: comparison notices a planted difference: ${PLANTS[plant]}"
		param plant "$plant"
		param only nop
		param modes 2
		echo 1 >"$DIFF/run"
		if grep -q '^ok .* - diff: total .* differences=[1-9]' "$DIFF/results"; then
			ktap_test_pass "$name"
		else
			ktap_test_fail "$name"
		fi
	done
}

begin
case $(uname -m) in
x86_64 | i?86) ;;
*) skip_all "the snippets are for x86" ;;
esac
load kprobe_diff seed="${SEED:-1}" runs="${RUNS:-8}" skip="${LEAVE_OUT//:/,}"
# A probe that turned into a jump is another test.
compare 0 $PLAIN
self_check
compare 1 $JUMPS
finish
