#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guest part of make demo. Usage: demo.sh FUNCTION
func=$1
calls=20
trace=/sys/kernel/tracing
counter=$trace/instances/counter
kp=/sys/kernel/debug/kprobes
bad=0

title() { printf '\n== %s\n' "$*"; }
indent() { sed 's/^/   /'; }
fail() { echo "   WRONG: $*"; bad=1; }
expect() {
	if [ "$2" = "$3" ]; then
		echo "   $1: $2, as it must be"
	else
		fail "$1: $2, must be $3"
	fi
}

# The workload: $calls opens of a file by this very shell, without a fork. For
# another function of the user's choice: a mix that calls a bit of everything.
workload() {
	local i

	if [ "$func" = do_sys_openat2 ]; then
		for ((i = 0; i < calls; i++)); do : </etc/hosts; done
	else
		for ((i = 0; i < calls; i++)); do ls -l / >/dev/null; done
	fi
}

# Calls are counted by somebody else: the function tracer in a trace instance
# of its own. It is switched by a descriptor opened before, so that it sees the
# workload only.
count_start() {
	mkdir -p $counter
	echo "$func" >$counter/set_ftrace_filter || fail "ftrace does not know $func"
	echo 0 >$counter/tracing_on
	echo function >$counter/current_tracer
	echo >$counter/trace
	exec 3>$counter/tracing_on
	echo 1 >&3
}

count_stop() {
	echo 0 >&3
	exec 3>&-
	made=$(grep -cE ": $func(\..*)? <-" $counter/trace)
	echo nop >$counter/current_tracer
	rmdir $counter
}

# Marks in the kernel's log and in the trace, written through open descriptors,
# tell what the workload caused from what this script does around it.
counted_workload() {
	count_start
	mark begin
	workload
	mark end
	count_stop
	dmesg | between >/tmp/log
	grep -v '^#' $trace/trace | between >/tmp/trace
	if [ "$func" = do_sys_openat2 ]; then
		expect "calls of $func by the workload" "$made" $calls
	else
		echo "   calls of $func by the workload: $made"
	fi
}

mark() { echo "demo: $1" >&4; echo "demo: $1" >&5; }

# What stands between the last two marks.
between() {
	awk '/demo: begin/ { s = ""; on = 1; next } /demo: end/ { on = 0 }
		on { s = s $0 "\n" } END { printf "%s", s }'
}

sample() {
	local mod=$1 param=$2 word=$3 hits

	title "samples/kprobes/$mod.ko on $func"
	modprobe "$mod" "$param=$func" || { fail "modprobe $mod"; return; }
	echo "   $kp/list:"
	indent <$kp/list
	counted_workload
	grep "$func" /tmp/log | head -n 4 | indent
	hits=$(grep -cE "$word" /tmp/log)
	expect "hits seen by the handler" "$hits" "$made"
	rmmod "$mod" || fail "rmmod $mod"
	dmesg | tail -n 2 | indent
	expect "probes left after unloading" "$(wc -l <$kp/list)" 0
}

# Lines of one event that the workload has put into the trace.
lines() { grep -c " $1: (" /tmp/trace; }

add_event() { echo "$*" >>$trace/kprobe_events; }

# The arguments: for the default function with their types, for any other as
# BTF names them, or by number where the kernel has no BTF for it.
events() {
	local type=

	title "kprobe events on $func, with its arguments and its return value"
	if [ "$func" = do_sys_openat2 ]; then
		type=:s32
		add_event "p:demo/call $func dfd=%di:s32 file=+0(%si):ustring flags=+0(%dx):x64"
	else
		add_event "p:demo/call $func \$arg*" 2>/dev/null ||
			add_event "p:demo/call $func arg1=\$arg1 arg2=\$arg2"
	fi
	add_event "r:demo/back $func ret=\$retval$type"
	indent <$trace/kprobe_events
	echo 1 >$trace/events/demo/enable
	echo "   $kp/list:"
	indent <$kp/list
	counted_workload
	grep -E ' (call|back): ' /tmp/trace | head -n 4 | indent
	expect "calls in the trace" "$(lines call)" "$made"
	expect "returns in the trace" "$(lines back)" "$made"
	echo "   $trace/kprobe_profile (hits since the start, misses):"
	indent <$trace/kprobe_profile
}

knobs() {
	title "the switch: $kp/enabled"
	echo 0 >$kp/enabled
	echo "   enabled = $(cat $kp/enabled)"
	indent <$kp/list
	counted_workload
	expect "hits while enabled is 0" "$(lines call)" 0
	echo 1 >$kp/enabled
	echo "   enabled = $(cat $kp/enabled)"
	counted_workload
	expect "hits when enabled is 1 again" "$(lines call)" "$made"
	title "the switch: sysctl debug.kprobes-optimization"
	if [ ! -e /proc/sys/debug/kprobes-optimization ]; then
		echo "   this kernel has none"
		return
	fi
	optimized
}

# A probe behind the entry: ftrace cannot serve it, a breakpoint or, when
# optimized, a jump does. The first instruction boundaries are tried in turn.
optimized() {
	local off sw

	for off in 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		add_event "p:demo/inside $func+$off" 2>/dev/null || continue
		echo 1 2>/dev/null >$trace/events/demo/inside/enable && break
		echo "-:demo/inside" >>$trace/kprobe_events
	done
	for sw in 1 0 1; do
		echo $sw >/proc/sys/debug/kprobes-optimization
		sleep 1
		echo "   kprobes-optimization = $sw, $func+$off is listed as"
		grep -E '\+0x[1-9a-f]' $kp/list | indent
		counted_workload
		expect "hits" "$(lines inside)" "$made"
	done
}

cleanup() {
	title "everything off again"
	echo 0 >$trace/events/enable
	echo >$trace/kprobe_events || fail "kprobe_events not cleared"
	expect "probes left" "$(wc -l <$kp/list)" 0
}

exec 4>/dev/kmsg 5>$trace/trace_marker
title "$(uname -sr), $(nproc) CPUs, probing $func"
sample kprobe_example symbol 'pre_handler|handler_pre'
sample kretprobe_example func returned
events
knobs
cleanup
verdict="all figures are right"
[ $bad -eq 0 ] || verdict="something is WRONG, see above"
title "$verdict"
exit $bad
