#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Function probes and their events beside all others that use a function: kprobes, live
# patches, the tracer of calls. And what is built on events: filters, triggers, snapshots.
# What those say of an event on a function is compared with what they say of one on a
# kprobe there.
# shellcheck disable=SC2016 # $ begins words of events
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EVENTS=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
KPROBER=$PROBER
FPROBER=$DEBUGFS/fprobe_prober

# define TEXT: adds an event.
define() { printf '%s\n' "$1" >>$EVENTS; }

# clear: no event is left, and nothing is recorded.
clear() {
	echo nop >$TRACEFS/current_tracer
	: >$TRACEFS/set_ftrace_filter
	echo 0 >$TRACEFS/events/enable
	: >$EVENTS
	: >$TRACEFS/trace
	echo 0 >$TRACEFS/snapshot
}

hits() { awk -v name="$1" '$1 == name { print $2, $3 }' $PROFILE; }
armed() { grep -cE "$1" $TRACEFS/enabled_functions; }
records() { grep -cE " $1: \(" $TRACEFS/trace; }

# of PROBER NAME FIELDS...: what one of the probers says of a probe.
of() {
	local PROBER=$1 name=$2 f

	shift 2
	for f in "$@"; do field "$name" "$f"; done | xargs
}

place_all() {
	PROBER=$KPROBER place now p kp kprobe_target:kt_entry
	PROBER=$KPROBER place now r krp kprobe_target:kt_entry
	PROBER=$FPROBER place now x full kprobe_target:kt_entry
	PROBER=$FPROBER place now a args kprobe_target:kt_entry
	clear
	define 'f:e kprobe_target:kt_entry'
	define 'f:x kprobe_target:kt_entry%return $retval'
	echo 1 >$TRACEFS/events/fprobes/enable
	echo kt_entry >$TRACEFS/set_ftrace_filter
	echo function_graph >$TRACEFS/current_tracer
}

remove_all() {
	clear
	PROBER=$KPROBER remove kp
	PROBER=$KPROBER remove krp
	PROBER=$FPROBER remove full
	PROBER=$FPROBER remove args
}

# counted WHERE N: all of them have seen N calls, and missed none.
counted() {
	check "$1: kprobe, its misses" "$(of $KPROBER kp hits missed)" "$2 0"
	check "$1: kretprobe" "$(of $KPROBER krp hits missed)" "$2 0"
	check "$1: fprobe" "$(of $FPROBER full hits exits missed)" "$2 $2 0"
	check "$1: fprobe with arguments" "$(of $FPROBER args hits exits missed)" "$2 $2 0"
	check "$1: events" "$(hits e), $(hits x)" "$2 0, $2 0"
}

graphed() { grep -cE '\| +kt_entry[ (]' $TRACEFS/trace; }

# The patch has reached all tasks: it tries once a second.
settled() {
	for _ in $(seq 600); do
		[ "$(cat /sys/kernel/livepatch/kprobe_patch/transition)" = 1 ] || return 0
		sleep 0.1
	done
}

patched() {
	load kprobe_patch
	settled
	call entry 100
	counted "with a live patch" 200
	check "with a live patch: the tracer of calls" "$(graphed)" 200
	check "the new function is called" "$(armed '^new_entry|^kt_entry.* I')" 1
}

# All on one function: each has seen all calls.
one_function() {
	place_all
	call entry 100
	counted "on one function" 100
	check "on one function: the tracer of calls" "$(graphed)" 100
	[ ! -d /sys/kernel/livepatch ] || patched
	remove_all
	unload_patch kprobe_patch
	check "nothing is armed when all have gone" "$(armed '^kt_')" 0
}

# traced CALLER: of ten calls through kt_outer, in how many traces from the exit the
# caller is behind the trampoline that has called the handler, and in how many there is
# another trampoline, or nothing that is known.
traced() {
	: >$TRACEFS/trace
	call outer 10
	echo "$(grep -A 1 '^ => .*rethook_trampoline' $TRACEFS/trace | grep -cE "^ => $1( |$)")" \
		"$(grep -cE '^ => .*(unknown|return_to_handler)' $TRACEFS/trace)"
}

# A trace of the stack, from a handler at the exit, shows who has called.
callers() {
	if [ "$(cat $TARGET/exact_traces)" != Y ]; then
		ktap_test_skip "traces are guessed"
		return
	fi
	place_all
	echo stacktrace >$TRACEFS/events/fprobes/x/trigger
	echo nop >$TRACEFS/current_tracer
	check "the caller in traces from an exit" "$(traced kt_outer)" "10 0"
	echo function_graph >$TRACEFS/current_tracer
	check "with the tracer of calls" "$(traced kt_outer)" "10 0"
	if [ -d /sys/kernel/livepatch ]; then
		load kprobe_patch
		settled
		check "with a live patch" "$(traced new_outer)" "10 0"
	fi
	echo '!stacktrace' >$TRACEFS/events/fprobes/x/trigger
	remove_all
	unload_patch kprobe_patch
}

# on_both TEXT: events on the function and on a kprobe there, with one argument.
on_both() {
	clear
	define "f:both/f kt_entry $1"
	define "p:both/p kprobe_target:kt_entry $1"
}

# trigger TEXT: of both; "!" before it takes it away.
trigger() {
	echo "$1" >$TRACEFS/events/both/f/trigger
	echo "$1" >$TRACEFS/events/both/p/trigger
}

# Rows and total of a histogram; what stands over it names the event.
histogram() { grep -v '^#' "$TRACEFS/events/both/$1/hist" | grep .; }

histograms() {
	on_both 'a=$arg1 c=$comm'
	trigger 'hist:keys=a'
	check "a histogram arms the event" "$(armed '^kt_entry .*')" 1
	call entry 10
	check "rows of a histogram" "$(histogram f | grep -cE '\{ a: +[0-9] \} hitcount: +1$')" 10
	check "the total" "$(histogram f | sed -n 's/ *Hits: //p')" 10
	check "as of a kprobe" "$(histogram f)" "$(histogram p)"
	check "it records nothing" "$(records f) $(records p)" "0 0"
	trigger '!hist:keys=a'
	trigger 'hist:keys=c:vals=a'
	call entry 10
	check "by a string, with sums" "$(histogram f | head -n 1 | xargs)" \
		"{ c: kprobe_fusers.s } hitcount: 10 a: 45"
	check "as of a kprobe, by a string" "$(histogram f)" "$(histogram p)"
	trigger '!hist:keys=c:vals=a'
	check "without one, nothing is armed" "$(armed '^kt_entry ')" 0
}

filters() {
	on_both 'a=$arg1'
	echo 'a >= 7' >$TRACEFS/events/both/f/filter
	echo 'a >= 7' >$TRACEFS/events/both/p/filter
	echo 1 >$TRACEFS/events/both/enable
	call entry 10
	check "records that pass a filter" "$(records f) $(records p)" "3 3"
	check "hits of all" "$(hits f)" "10 0"
}

# What a CPU is not to record is not lost.
cpus() {
	local all

	if [ ! -d /sys/devices/system/cpu/cpu1 ]; then
		ktap_test_skip "there is one CPU"
		return
	fi
	clear
	define 'f:e kt_entry'
	all=$(cat $TRACEFS/tracing_cpumask)
	echo 1 >$TRACEFS/tracing_cpumask
	echo 1 >$TRACEFS/events/fprobes/enable
	taskset -c 1 bash -c "echo entry 100 >$TARGET/run"
	check "hits on a CPU that does not record" "$(hits e) $(records e)" "100 0 0"
	check "none is lost" "$(grep -o 'record=[0-9]*' $PROFILE)" record=0
	taskset -c 0 bash -c "echo entry 100 >$TARGET/run"
	check "on one that does" "$(hits e) $(records e)" "200 0 100"
	echo "$all" >$TRACEFS/tracing_cpumask
	taskset -c 1 bash -c "echo entry 100 >$TARGET/run"
	check "when all do" "$(hits e) $(records e)" "300 0 200"
}

# A trigger that switches another event on and off.
switches() {
	on_both 'a=$arg1'
	define 'f:after kt_entry2'
	trigger 'enable_event:fprobes:after if a == 5'
	call entry2 3
	check "an event that waits for another" "$(records after)" 0
	call entry 10
	call entry2 3
	check "is enabled by it" "$(records after)" 3
	trigger '!enable_event:fprobes:after'
	trigger 'disable_event:fprobes:after if a == 5'
	call entry 10
	call entry2 3
	check "and disabled" "$(records after)" 3
	trigger '!disable_event:fprobes:after'
}

# taken EVENT: with a snapshot at its fourth hit, how many records are in that, and how
# many in the trace. The snapshot is of all events, so one is enabled at a time.
taken() {
	local n

	: >$TRACEFS/trace
	echo 1 >$TRACEFS/snapshot
	echo 2 >$TRACEFS/snapshot
	echo 'snapshot:1 if a == 3' >"$TRACEFS/events/both/$1/trigger"
	echo 1 >"$TRACEFS/events/both/$1/enable"
	call entry 10
	echo 0 >"$TRACEFS/events/both/$1/enable"
	# The buffers are exchanged by a CPU of its own accord, a moment later.
	for _ in $(seq 50); do
		n=$(grep -c " $1: (" $TRACEFS/snapshot)
		[ "$n" = 0 ] || break
		sleep 0.1
	done
	echo '!snapshot' >"$TRACEFS/events/both/$1/trigger"
	echo "$n $(records "$1")"
}

snapshots() {
	[ -e $TRACEFS/snapshot ] || return
	on_both 'a=$arg1'
	check "records before a snapshot, and behind" "$(taken f)" "4 6"
	check "as of a kprobe, in a snapshot" "$(taken p)" "4 6"
}

# What stands before the arguments in a line of the trace.
lines() {
	clear
	define 'f:e kprobe_target:kt_entry a=$arg1'
	define 'f:x kprobe_target:kt_entry%return $retval'
	echo 1 >$TRACEFS/events/fprobes/enable
	call entry 1
	check_match "the line of an entry" "$(grep -o ' e: .*' $TRACEFS/trace)" \
		' e: \(kt_entry\+0x[0-9a-f]+/0x[0-9a-f]+ \[kprobe_target\]\) a=(0x0|0)'
	check_match "the line of an exit" "$(grep -o ' x: .*' $TRACEFS/trace)" \
		' x: \([a-z_]+\+0x[0-9a-f/x]+ \[kprobe_target\] <- kt_entry\) arg1=(0x)?9'
}

# The event of a tracepoint that the kernel has, and one of a line.
tracepoint() {
	clear
	[ -e $TRACEFS/events/task/task_newtask ] || return
	define 't:born task_newtask $arg2'
	echo 1 >$TRACEFS/events/tracepoints/enable
	echo 1 >$TRACEFS/events/task/task_newtask/enable
	for _ in $(seq 10); do (:); done
	# Each process that is born writes to both, or to none.
	echo 0 >$TRACEFS/tracing_on
	echo 0 >$TRACEFS/events/enable
	echo 1 >$TRACEFS/tracing_on
	check "hits beside the trace event" "$(($(records born) >= 10))" 1
	check "as many as that has" "$(records born)" \
		"$(grep -c ' task_newtask: pid' $TRACEFS/trace)"
}

# A call takes as long as its threads sleep. A time does not fit into a word of 32 bits.
elapsed() {
	if [ -z "$ELAPSED" ]; then
		check "no times" refused \
			"$(define 'f:slow kt_sleep%return $elapsed' 2>/dev/null || echo refused)"
		return
	fi
	clear
	define 'f:slow kt_sleep%return ns=$elapsed'
	echo 1 >$TRACEFS/events/fprobes/enable
	call sleep 5
	sleep 0.2
	call wake 0
	check "calls that sleep" "$(hits slow)" "5 0"
	check "each for so long" "$(sed -n 's/.* ns=//p' $TRACEFS/trace |
		awk '$1 >= 200000000 && $1 < 60000000000' | wc -l)" 5
}

# The module of samples/fprobe: what it prints and counts.
sample() {
	local log

	if ! modprobe -n fprobe_example 2>/dev/null; then
		ktap_test_skip "fprobe_example is not built"
		return
	fi
	dmesg -C
	modprobe fprobe_example symbol=kt_entry,kt_entry2 max_prints=3
	call entry 20
	call entry2 5
	rmmod fprobe_example
	log=$(dmesg | sed -n 's/.*fprobe_example: //p')
	check "calls that the sample prints" \
		"$(grep -c '^[0-9]*: kt_entry .* returned' <<<"$log")" 3
	check "calls that it counts" \
		"$(sed -nE 's/.*: (.* exits), .* average, (.*)/\1, \2/p' <<<"$log")" \
		"25 entries, 25 exits, 0 missed"
}

begin
[ -e $PROFILE ] || missing FPROBE_EVENTS "events on functions"
load kprobe_target
load kprobe_prober
load fprobe_prober
one_function
callers
filters
[ ! -e $TRACEFS/events/sched/sched_switch/hist ] || histograms
cpus
switches
snapshots
lines
tracepoint
elapsed
sample
clear
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
