#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Run the base's own tests of what is built on kprobes on one kernel: all of
# ftracetest's test.d/kprobe and test.d/dynevent, and every other test of it
# that speaks of a kprobe or an fprobe. A test that takes the kernel down is
# noted as CRASH and the rest is run in another boot.
#
# Usage: foreign.sh CONFIG OUT.TAP
. "$(dirname "$0")/lib.sh"

CONFIG=$1
OUT=$2
MAX_BOOTS=8

list_tests() {
	cd "$(realpath "$BUILD/$CONFIG")/../tools/testing/selftests/ftrace" || exit
	find test.d/kprobe test.d/dynevent -name '*.tc' | sort
	find test.d -name '*.tc' ! -path 'test.d/kprobe/*' ! -path 'test.d/dynevent/*' \
		-print0 | xargs -0 grep -lE 'k(ret)?probe|fprobe' | sort
}

# The tests that are still to run go into TESTS, the results into OUT.
one_boot() {
	local name=$CONFIG-foreign-$1 run rc=0 current

	run=$BUILD/runs/$name
	NAME=$name APPEND=preempt=full QUIET=1 TIMEOUT=${TIMEOUT:-1800} \
		"$HARNESS/boot.sh" "$CONFIG" -- /harness/ftracetest.sh "${TESTS[@]}" \
		>"$run.log" 2>&1 || rc=$?
	[ ! -f "$run/out/ftracetest.tap" ] || cat "$run/out/ftracetest.tap" >>"$OUT.new"
	if [ "$rc" -eq 0 ]; then
		TESTS=()
		return
	fi
	cat "$run.log"
	[ -s "$run/out/current" ] || die "the guest died before the first test; full log: $run.log"
	current=$(cat "$run/out/current")
	echo "not ok 0 $current # CRASH" >>"$OUT.new"
	while [ "${TESTS[0]}" != "$current" ]; do TESTS=("${TESTS[@]:1}"); done
	TESTS=("${TESTS[@]:1}")
}

main() {
	local boot

	: >"$OUT.new"
	rm -rf "$BUILD/runs/$CONFIG-foreign-"*
	mkdir -p "$BUILD/runs"
	mapfile -t TESTS < <(list_tests)
	for ((boot = 1; boot <= MAX_BOOTS && ${#TESTS[@]} > 0; boot++)); do
		one_boot "$boot"
	done
	for t in ${TESTS[@]+"${TESTS[@]}"}; do
		echo "not ok 0 $t # not run, too many crashes" >>"$OUT.new"
	done
	mv "$OUT.new" "$OUT"
}

main; exit
