#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot a kernel and run the torture test of kprobes in it, or that of events on
# functions and tracepoints. TAP on stdout; the last line is "N passed, N failed".
#
# CONFIG=   x86_64 (default), debug, ...
# MINUTES=  how long to torture; default 30
# EVENTS=1  events, and the fprobes below them, instead of kprobes
# SEED=     of what the events' writers do by chance; the test says which it was
# SMP=      virtual CPUs; default 4
# PREEMPT=  the preemption model, for kernels that can choose; default full
# The console must stay silent, too.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"

CONFIG=${CONFIG:-x86_64}
MINUTES=${MINUTES:-30}
EVENTS=${EVENTS:-}
TEST=kprobe_${EVENTS:+f}torture
NAME=torture-${EVENTS:+events-}$CONFIG
RUN=$BUILD/runs/$NAME

# A minute is given for the boot, and as long again as the test should take:
# emulated CPUs may have to wait for real ones.
guest() {
	NAME=$NAME SMP=${SMP:-4} QUIET=1 TIMEOUT=${TIMEOUT:-$((MINUTES * 120 + 240))} \
		APPEND="preempt=${PREEMPT:-full} kunit.enable=0 ${APPEND:-}" \
		"$HARNESS/boot.sh" "$CONFIG" -- /harness/torture.sh "$TEST" $((MINUTES * 60)) ${SEED:+"$SEED"}
}

main() {
	local rc=0

	"$HARNESS/kernel.sh" "$CONFIG"
	step "torture $CONFIG for $MINUTES minutes, ${SMP:-4} CPUs" \
		"$LOGS/$NAME.log" guest || rc=$?
	if [ -s "$RUN/out/torture.tap" ]; then
		grep '^#' "$RUN/out/torture.tap" || :
		report_file < <("$HARNESS/ktap.py" "" "$RUN/out/torture.tap")
	else
		report "not ok" "the test has reported"
	fi
	# A test that has failed says so by its exit code, too.
	[ "$rc" -eq 0 ] || [ "$FAILED" -gt 0 ] || report "not ok" "the guest ran to its end (exit $rc, $RUN)"
	check_console "$NAME"
	report_sum || exit 1
}

refuse_config_to_boot "$CONFIG"
refuse_arch "$CONFIG" test
refuse_machine
refuse_numbers MINUTES SEED
refuse_words EVENTS 1
refuse_words PREEMPT full voluntary none
choose_emulator "$CONFIG"
ready
with_lock "$NAME" main; exit
