#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A live patch comes and goes, under load, for functions that are probed. It needs
# to know in which functions a task is that is preempted in a handler.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PATCH=/sys/kernel/livepatch/kprobe_patch

# settled: has the patch reached all tasks? It tries once a second.
settled() {
	local i

	for ((i = 0; i < ${PATIENCE:-600}; i++)); do
		[ "$(cat $PATCH/transition)" = 1 ] || return 0
		sleep 0.1
	done
	return 1
}

# rounds NUMBER: how often the patch has come and gone.
rounds() {
	local i done=0

	for ((i = 0; i < $1; i++)); do
		load kprobe_patch
		settled || break
		sleep 0.2
		unload_patch kprobe_patch
		! loaded kprobe_patch || break
		done=$((done + 1))
	done
	echo $done
}

# How many there are, which takes the optimizer a grace period.
await_jumps() {
	local jumps

	for _ in $(seq 100); do
		jumps=$(grep -c 'kt_outer.*OPTIMIZED' $KPROBES/list)
		[ -e $SYSCTL ] && [ "$jumps" = 0 ] || break
		sleep 0.1
	done
	echo "$jumps"
}

# patched NAME GAP [FAULTS]: with probes that far from each other, and with fault
# handlers, or without.
patched() {
	local params=/sys/module/kprobe_patched/parameters jumps

	load kprobe_patched gap="$2" faults="${3:-0}"
	jumps=$(await_jumps)
	ktap_print_msg "$(cat $params/probes) probes, $jumps of them jumps"
	check "$1: there are some probes" "$(($(cat $params/probes) > 3))" 1
	[ ! -e $SYSCTL ] || check "$1: there are some jumps" $((jumps > 0)) 1
	check "$1: the patch comes and goes" "$(rounds "${ROUNDS:-5}")" "${ROUNDS:-5}"
	check "$1: there are calls and hits" \
		"$(($(cat $params/calls) > 0)) $(($(cat $params/hits) > 0))" "1 1"
	check "$1: an fprobe has seen exits, if there are fprobes" \
		"$(($(cat $params/exits) > 0))" "$(grep -c ' register_fprobe_ips$' /proc/kallsyms)"
	check "$1: all calls are right" "$(cat $params/wrong)" 0
	unload kprobe_patched
	check "$1: no old function calls a new one" "$(cat $TARGET/mixed)" 0
}

# On x86: in the text of the patch itself, where relocations may still be written.
relocated() {
	local at refused=0 probed=0

	load kprobe_prober
	load kprobe_patch
	settled
	for ((at = 0; at < 64; at++)); do
		case $(probe now p "live$at" "$(printf 'kprobe_patch:new_outer+0x%x' $at)") in
		ok)         probed=$((probed + 1)) ;;
		EOPNOTSUPP) refused=$((refused + 1)) ;;
		esac
	done
	sleep 0.5
	check "in the patch: calls are not probed" "$((refused > 0))" 1
	check "in the patch: there are probes" "$((probed > 1))" 1
	check "in the patch: none is a jump" "$(grep -c 'new_outer.*OPTIMIZED' $KPROBES/list)" 0
	unload_patch kprobe_patch
	unload kprobe_prober
}

begin
[ -d /sys/kernel/livepatch ] || missing LIVEPATCH "live patching"
load kprobe_target
patched "gap 12" 12
patched "gap 1" 1
patched "fault handlers" 4 1
[ "$(uname -m)" != x86_64 ] || relocated
finish
