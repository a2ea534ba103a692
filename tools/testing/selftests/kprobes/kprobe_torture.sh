#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The torture test (kernel/kprobes/torture/), while the knobs are turned,
# modules come and go, and functions are traced. TORTURE_SECONDS= says how long;
# a third of it with the switch for all probes turned, too. CPUS_GO=1 says that CPUs
# go offline meanwhile.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$DIR/torture.sh"

# turn FILE FROM TO: off for a moment, and on for so many tenths of a second.
turn() {
	[ -e "$1" ] || return 0
	while running; do
		echo 0 >"$1" || complain "$1: cannot be turned off"
		nap 1 4
		cat $KPROBES/list >/dev/null
		echo 1 >"$1" || complain "$1: cannot be turned on"
		count turns
		nap "$2" "$3"
	done
}

trace() {
	local tracer

	[ -e $TRACEFS/set_ftrace_filter ] || return 0
	echo kpt_entry >$TRACEFS/set_ftrace_filter || complain "kpt_entry is no ftrace site"
	while running; do
		for tracer in function nop function_graph nop; do
			grep -qw $tracer $TRACEFS/available_tracers || continue
			echo $tracer >$TRACEFS/current_tracer || complain "no $tracer tracer"
			nap 1 15
		done
		count traces
	done
	echo >$TRACEFS/set_ftrace_filter
}

# life EXACT: of the module of targets. Three probes are placed as it comes,
# and count all calls.
life() {
	local exact=$1 f hits

	for f in entry plain asm; do
		place coming "$([ $f = asm ] && echo r || echo P)" $f kprobe_target:kt_$f
	done
	load kprobe_target
	for f in entry plain asm; do
		hits=$(hits_of $f $f 300)
		[ "$hits" = 300 ] || { [ "$exact" = 0 ] && [ "$hits" -lt 300 ]; } ||
			complain "kt_$f(): $hits hits of 300 calls"
		hits=$(field $f missed)
		[ "$hits" = 0 ] || complain "kt_$f(): $hits misses"
	done
	nap 3 10
	# Who is about to place a probe in it holds it for a moment.
	for f in {1..50}; do
		rmmod kprobe_target 2>/dev/null && break
		[ "$f" -lt 50 ] || complain "kprobe_target cannot be unloaded"
		sleep 0.1
	done
	for f in entry plain asm; do
		[ "$(field $f gone)" = 1 ] || complain "$f is not gone"
		remove $f
	done
	count lives
}

lives() {
	while running; do
		life "$1"
		nap 0 5
	done
}

# figure NAME: from the line that tells the end of the test.
figure() { sed -nE "s/.* $1=(-?[0-9]+).*/\1/p" "$dir/end"; }

check_some() {
	local f

	for f in "$@"; do
		check "$what: some $f" "$(($(figure "$f") > 0))" 1
	done
}

judge() {
	dmesg | grep 'kprobe-torture:' >"$dir/log"
	grep 'End of test' "$dir/log" | tail -n 1 >"$dir/end"
	while read -r line; do
		ktap_print_msg "${line#*kprobe-torture:}"
	done < <(grep -E '!!!|sites' "$dir/log"; cat "$dir/end")
	check "$what: end of test" "$(grep -oE 'SUCCESS|FAILURE' "$dir/end")" SUCCESS
	# There may be some behind that, too.
	check "$what: failures in the log" "$(grep -c '!!!' "$dir/log")" 0
	check_some calls hits rounds transients transient_hits module_probes key_flips
	[ ! -e $TRACEFS/set_ftrace_filter ] || check_some trace_flips
	[ ! -e $SYSCTL ] || check_some jumps
	[ ! -e "$dir/complaints" ] || sed 's/^/# /' "$dir/complaints"
	check "$what: complaints" "$(counted complaints)" 0
	check "$what: some lives of a module" $(($(counted lives) > 0)) 1
	ktap_print_msg "$what: $(counted lives) lives of a module, $(counted turns) turns" \
		"of a knob, $(counted traces) rounds of tracing"
	check "$what: no probe is left" "$(grep -cE 'kpt_|kt_' $KPROBES/list)" 0
}

# Whoever is just placing a probe in the module holds a reference to it.
stop() {
	local tries=0

	until rmmod kprobe_torture 2>/dev/null; do
		[ $((tries++)) -lt 50 ] || return
		sleep 0.1
	done
	echo ok
}

# torture SECONDS EXACT: one run.
torture() {
	local pid module_symbols=kprobe_target:kt_plain,kprobe_target:kt_entry,kprobe_target:kt_asm

	rm -f "$dir"/*
	dmesg -c >/dev/null
	load kprobe_prober
	modprobe kprobe-torture exact="$2" cpus_go="${CPUS_GO:-0}" \
		stat_interval="${STAT_INTERVAL:-30}" module_symbols=$module_symbols || {
		dmesg | grep 'kprobe-torture:' | sed 's/^/# /'
		unload kprobe_prober
		check "$what: the test starts" no yes
		return
	}
	turn $SYSCTL 10 80 &
	trace &
	lives "$2" &
	pid=$!
	[ "$2" = 1 ] || turn $KPROBES/enabled 2 20 &
	sleep "$1"
	touch "$dir/stop"
	wait "$pid" || complain "lives of a module: ended early"
	wait
	check "$what: the test can be stopped" "$(stop)" ok
	unload kprobe_prober
	judge
}

begin
modprobe -n -q kprobe-torture || skip_all "no kprobe-torture module"
dir=$(mktemp -d)
seconds=${TORTURE_SECONDS:-45}
what=exact
torture $((seconds * 2 / 3)) 1
what=switched
torture $((seconds / 3)) 0
rm -rf "$dir"
check "enabled in the end" "$(cat $KPROBES/enabled)" 1
[ ! -e $SYSCTL ] || check "optimization on in the end" "$(cat $SYSCTL)" 1
finish
