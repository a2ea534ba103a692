#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guest part of make demo. Usage: demo.sh [MODULE:]FUNCTION[+OFFSET]
func=${1%+*}
name=${func#*:}
filter=$name
offset=0
case $1 in *+*) offset=$((${1##*+})) ;; esac
calls=20
rounds=$calls
# As many calls the handlers can print, and the buffers hold.
most=1000
# What the first arguments of a function are in.
case $(uname -m) in
x86_64) args=(%di %si %dx) ;;
*)      args=(%ax %dx %cx) ;;
esac
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

	if [ "$name" = do_sys_openat2 ]; then
		for ((i = 0; i < rounds; i++)); do : </etc/hosts; done
	else
		for ((i = 0; i < rounds; i++)); do ls -l / >/dev/null; done
	fi
}

# What is called often is called by fewer rounds.
choose_rounds() {
	[ "$name" != do_sys_openat2 ] || return 0
	rounds=1
	count_start
	workload
	count_stop
	if [ "$made" -gt $most ]; then
		echo "   one \"ls -l /\" calls it $made times: too often to print each hit"
		exit 1
	fi
	rounds=$((made > 0 ? most / made : calls))
	[ $rounds -lt $calls ] || rounds=$calls
	echo "   the workload is \"ls -l /\", $rounds times"
}

# Calls are counted by somebody else: the function tracer in a trace instance
# of its own. It is switched by a descriptor opened before, so that it sees the
# workload only.
count_start() {
	mkdir -p $counter
	echo "$filter" >$counter/set_ftrace_filter || fail "ftrace does not know $filter"
	echo 0 >$counter/tracing_on
	echo function >$counter/current_tracer
	echo >$counter/trace
	exec 3>$counter/tracing_on
	echo 1 >&3
}

count_stop() {
	echo 0 >&3
	exec 3>&-
	made=$(grep -cv '^#' $counter/trace)
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
	log | between >/tmp/log
	grep -v '^#' $trace/trace | between >/tmp/trace
	if [ "$func" = do_sys_openat2 ]; then
		expect "calls of $func by the workload" "$made" $calls
	else
		echo "   calls of $func by the workload: $made"
	fi
	if [ $offset != 0 ]; then
		made=$(lines beside)
		echo "   of the instruction at +$offset: $made, counted by an event that stays there"
	fi
	most_made=$((made > most_made ? made : most_made))
}

mark() { echo "demo: $1" >&4; echo "demo: $1" >&5; }

# As one piece: to read the log line by line would fill it for ever, with a probe
# on what reads.
log() { dmesg -S; }

# What stands between the last two marks.
between() {
	awk '/demo: begin/ { s = ""; on = 1; next } /demo: end/ { on = 0 }
		on { s = s $0 "\n" } END { printf "%s", s }'
}

sample() {
	local mod=$1 param=$2 word=$3 hits

	title "samples/kprobes/$mod.ko on $func"
	modprobe "$mod" "$param=$func" max_prints=1000000 ${4:+"$4"} ||
		{ fail "modprobe $mod"; return; }
	echo "   $kp/list:"
	indent <$kp/list
	counted_workload
	grep "$func" /tmp/log | head -n 4 | indent
	hits=$(grep -cE "$word" /tmp/log)
	expect "hits seen by the handler" "$hits" "$made"
	rmmod "$mod" || fail "rmmod $mod"
	log | tail -n 2 | indent
	expect "probes left after unloading" "$(wc -l <$kp/list)" "$beside"
}

# Lines of one event that the workload has put into the trace.
lines() { grep -c " $1: (" /tmp/trace; }

add_event() { echo "$*" >>$trace/kprobe_events; }

# The arguments: for the default function with their types, for any other as
# BTF names them, or by number where the kernel has no BTF for it.
events() {
	local type=

	if [ $offset != 0 ]; then
		title "a kprobe event on $func+$offset"
		add_event "p:demo/call $func+$offset ax=%ax:x64 di=%di:x64"
		watch call
		return
	fi
	title "kprobe events on $func, with its arguments and its return value"
	if [ "$name" = do_sys_openat2 ]; then
		type=:s32
		add_event "p:demo/call $func dfd=${args[0]}:s32 file=+0(${args[1]}):ustring flags=+0(${args[2]}):x64"
	else
		add_event "p:demo/call $func \$arg*" 2>/dev/null ||
			add_event "p:demo/call $func arg1=\$arg1 arg2=\$arg2"
	fi
	add_event "r:demo/back $func ret=\$retval$type"
	watch call back
}

# watch EVENT...: each is to be in the trace as often as the workload calls it.
watch() {
	local e

	indent <$trace/kprobe_events
	echo 1 >$trace/events/demo/enable
	echo "   $kp/list:"
	indent <$kp/list
	counted_workload
	grep -E ' (call|back): ' /tmp/trace | head -n 4 | indent
	for e in "$@"; do
		expect "${e/back/return}s in the trace" "$(lines "$e")" "$made"
	done
	echo "   $trace/kprobe_profile (hits since the start, misses):"
	indent <$trace/kprobe_profile
}

# Events on functions and tracepoints: parameters by their names, which BTF has.
add_named() { echo "$*" 2>/dev/null >>$trace/dynamic_events; }

functions() {
	local e

	[ $offset = 0 ] || return 0
	title "function events on $func: parameters by name, and what was at the entry"
	if [ "$name" = do_sys_openat2 ]; then
		add_named "f:named/enter $func dfd filename:ustring how->flags:x64"
		add_named "f:named/leave $func%return \$retval flags=\$entry(how->flags):x64 ns=\$elapsed"
	else
		add_named "f:named/enter $func \$arg*" || add_named "f:named/enter $func"
		add_named "f:named/leave $func%return \$retval ns=\$elapsed" ||
			add_named "f:named/leave $func%return"
	fi
	add_named "t:named/freed kmem_cache_free s->name:string \$current->pid"
	grep named/ $trace/dynamic_events | indent
	echo 1 >$trace/events/named/enable
	echo 1 >$trace/events/kmem/kmem_cache_free/enable
	counted_workload
	grep -E ' (enter|leave): ' /tmp/trace | head -n 4 | indent
	grep ' freed: ' /tmp/trace | head -n 1 | indent
	expect "entries in the trace" "$(lines enter)" "$made"
	expect "exits in the trace" "$(lines leave)" "$made"
	expect "hits of the tracepoint, which has an event of its own" "$(lines freed)" \
		"$(grep -c ' kmem_cache_free: ' /tmp/trace)"
	echo "   $trace/fprobe_profile (hits since the start, misses):"
	indent <$trace/fprobe_profile
	echo 0 >$trace/events/kmem/kmem_cache_free/enable
	echo 0 >$trace/events/named/enable
	for e in enter leave freed; do add_named "-:named/$e"; done
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

	if [ $offset != 0 ]; then
		switched "$offset" call
		return
	fi
	for off in 4 5 6 7 8 9 10 11 12 13 14 15 16; do
		add_event "p:demo/inside $func+$off" 2>/dev/null || continue
		echo 1 2>/dev/null >$trace/events/demo/inside/enable && break
		echo "-:demo/inside" >>$trace/kprobe_events
	done
	switched "$off" inside
}

# switched OFFSET EVENT: with a jump, without and with.
switched() {
	local sw

	for sw in 1 0 1; do
		echo $sw >/proc/sys/debug/kprobes-optimization
		sleep 1
		echo "   kprobes-optimization = $sw, $func+$1 is listed as"
		grep -E '\+0x[1-9a-f]' $kp/list | indent
		counted_workload
		expect "hits" "$(lines "$2")" "$made"
	done
}

# At an instruction inside of a function the function tracer counts nothing: an
# event that stays there is the measure of the others.
place_beside() {
	beside=0
	[ $offset != 0 ] || return 0
	add_event "p:demo/beside $func+$offset"
	echo 1 >$trace/events/demo/beside/enable
	beside=1
}

cleanup() {
	title "everything off again"
	echo 0 >$trace/events/enable
	echo >$trace/kprobe_events || fail "kprobe_events not cleared"
	expect "probes left" "$(wc -l <$kp/list)" 0
}

# What the samples print need not crawl through the serial port; a warning does.
echo N >/sys/module/printk/parameters/ignore_loglevel
dmesg -n 6
# Nor is the trace to grow by being read.
echo 1 >$trace/options/pause-on-trace
exec 4>/dev/kmsg 5>$trace/trace_marker
most_made=0
title "$(uname -sr), $(nproc) CPUs, probing $1"
case $func in *:*)
	modprobe "${func%:*}" || exit
	filter=$name:mod:${func%:*} ;;
esac
choose_rounds
place_beside
sample kprobe_example symbol pre_handler "offset=$offset"
[ $offset != 0 ] || sample kretprobe_example func returned
events
functions
knobs
cleanup
verdict="all figures are right"
[ $most_made -gt 0 ] || verdict="the workload never calls it: there was nothing to see"
[ $bad -eq 0 ] || verdict="something is WRONG, see above"
title "$verdict"
exit $bad
