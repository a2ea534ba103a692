#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probes come and go on all CPUs, while the knobs are turned and read.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# turn FILE...: off and on again, until the file $stop is there.
turn() {
	while [ ! -e "$stop" ]; do
		for knob in "$@"; do
			[ ! -e "$knob" ] || echo 0 >"$knob"
			sleep 0.1
			cat $KPROBES/list $KPROBES/blacklist >/dev/null
			[ ! -e "$knob" ] || echo 1 >"$knob"
			sleep 0.1
		done
	done
}

# stress PARAMETERS... -- FILE...: the module, with these knobs turned.
stress() {
	local params=()

	while [ "$1" != -- ]; do
		params+=("$1")
		shift
	done
	shift
	rm -f "$stop"
	turn "$@" &
	cases kprobe_stress "${params[@]}"
	touch "$stop"
	wait
}

begin
stop=$(mktemp -u)
load kprobe_target
# shellcheck disable=SC2086
stress seconds="${SECONDS_EACH:-3}" $STRESS -- $SYSCTL
# shellcheck disable=SC2086
stress seconds="${SECONDS_EACH:-3}" $STRESS exact=0 -- $SYSCTL $KPROBES/enabled
rm -f "$stop"
check "enabled in the end" "$(cat $KPROBES/enabled)" 1
check "no probe is left" "$(grep -c kt_ $KPROBES/list)" 0
call entry 100
call plain 100
call asm 100
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
