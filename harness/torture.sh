#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot a kernel and run the torture test of kprobes in it. TAP on stdout; the
# last line is "N passed, N failed".
#
# CONFIG=   x86_64 (default), debug, ...
# MINUTES=  how long to torture; default 30
# SMP=      virtual CPUs; default 4
# PREEMPT=  the preemption model, for kernels that can choose; default full
# The console must stay silent, too.
. "$(dirname "$0")/lib.sh"

CONFIG=${CONFIG:-x86_64}
MINUTES=${MINUTES:-30}
NAME=torture-$CONFIG
RUN=$BUILD/runs/$NAME
N=0 PASSED=0 FAILED=0

report() {
	N=$((N + 1))
	case $1 in
	ok) PASSED=$((PASSED + 1)); echo "ok $N - $2" ;;
	*)  FAILED=$((FAILED + 1)); echo "not ok $N - $2" ;;
	esac
}

# A minute is given for the boot, and as long again as the test should take:
# emulated CPUs may have to wait for real ones.
guest() {
	NAME=$NAME SMP=${SMP:-4} QUIET=1 TIMEOUT=${TIMEOUT:-$((MINUTES * 120 + 240))} \
		APPEND="preempt=${PREEMPT:-full}" \
		"$HARNESS/boot.sh" "$CONFIG" -- /harness/torture.sh $((MINUTES * 60))
}

main() {
	local rc=0 result name

	"$HARNESS/kernel.sh" "$CONFIG"
	step "torture $CONFIG for $MINUTES minutes, ${SMP:-4} CPUs" \
		"$LOGS/$NAME.log" guest || rc=$?
	[ "$rc" -eq 0 ] || report "not ok" "the guest ran to its end (exit $rc, $RUN)"
	if [ -s "$RUN/out/torture.tap" ]; then
		grep '^#' "$RUN/out/torture.tap" || :
		while IFS=$'\t' read -r result name; do
			report "$result" "$name"
		done < <("$HARNESS/ktap.py" "" "$RUN/out/torture.tap")
	else
		report "not ok" "the test has reported"
	fi
	if "$HARNESS/console.sh" "$RUN/console.log" >"$RUN/console.bad"; then
		report ok "silent console"
	else
		head -n 20 "$RUN/console.bad" | sed 's/^/# /'
		report "not ok" "silent console ($RUN/console.log)"
	fi
	echo "$PASSED passed, $FAILED failed"
	[ "$FAILED" -eq 0 ] || exit 1
}

with_lock "torture-$CONFIG" main; exit
