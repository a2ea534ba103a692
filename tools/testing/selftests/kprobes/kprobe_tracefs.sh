#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Probe events of tracefs on functions whose calls are known.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EVENTS=$TRACEFS/kprobe_events

# profile EVENT: hits and misses as kprobe_profile counts them.
profile() { awk -v e="$1" '$1 == e { print $2, $3 }' $TRACEFS/kprobe_profile; }

switch() { echo "$2" >"$TRACEFS/events/kt/$1/enable"; }

# seen EVENT: how often it is in the trace.
seen() { grep -cE ": $1: |: $1: \(" $TRACEFS/trace; }

# values EVENT FIELD: those in the trace, in one line.
values() {
	grep -E ": $1: " $TRACEFS/trace | grep -oE " $2=[^ ]+" | cut -d= -f2 | paste -sd' '
}

define() {
	check "define $1" "$(append $EVENTS "$1")" ok
}

clear_trace() { echo >$TRACEFS/trace; }

# event NAME FUNCTION: hits, in the profile and in the trace, and its switch.
event() {
	clear_trace
	switch "$1" 1
	call "$2" 50
	check "$1: profile" "$(profile "$1")" "50 0"
	check "$1: lines in the trace" "$(seen "$1")" 50
	switch "$1" 0
	call "$2" 50
	check "$1: profile when off" "$(profile "$1")" "50 0"
	check "$1: lines when off" "$(seen "$1")" 50
	switch "$1" 1
	call "$2" 50
	check "$1: profile when on again" "$(profile "$1")" "100 0"
	switch "$1" 0
}

arguments() {
	local e

	clear_trace
	for e in site inside back; do
		switch $e 1
	done
	call entry 3
	for e in site inside back; do
		switch $e 0
	done
	check "first argument at an ftrace site" "$(values site a)" "0 1 2"
	check "second argument at an ftrace site" "$(values site b)" "9 9 9"
	check "first argument at a breakpoint" "$(values inside a)" "0 1 2"
	check "second argument at a breakpoint" "$(values inside b)" "9 9 9"
	check "return values" "$(values back ret)" "9 12 15"
}

together() {
	local e

	clear_trace
	for e in site inside back outback; do
		switch $e 1
	done
	call outer 25
	check "events of nested calls" \
		"$(seen site) $(seen inside) $(seen back) $(seen outback)" "25 25 25 25"
	check "misses" "$(awk '{ n += $3 } END { print n }' $TRACEFS/kprobe_profile)" 0
	for e in site inside back outback; do
		switch $e 0
	done
}

# The instruction behind the ftrace site, where the arguments are still in
# their registers: the site has 5 bytes, and a landing pad before it has 4.
behind_the_site() {
	switch site 1
	if grep -q 'kt_entry+0x4 ' $KPROBES/list; then
		echo 0x9
	else
		echo 0x5
	fi
	switch site 0
}

busy() {
	switch site 1
	check "an event in use is not removed" "$(append $EVENTS '-:kt/site')" EBUSY
	switch site 0
	check "an event not in use is" "$(append $EVENTS '-:kt/site')" ok
	check "and has gone" "$(grep -c 'kt/site ' $EVENTS)" 0
}

# To those who read the log of errors, too, the ftrace site is one instruction.
in_the_site() {
	local place

	place=$(printf 'kprobe_target:kt_entry+0x%x' $((BEHIND - 4)))
	echo >$TRACEFS/error_log
	check "an event inside of an ftrace site" "$(append $EVENTS "p:kt/bad $place")" EILSEQ
	check "why, says the log" \
		"$(grep -c 'not an instruction boundary' $TRACEFS/error_log)" 1
}

refused() {
	local inside=kprobe_target:kt_entry+$((BEHIND - 3))

	check "an event inside of an instruction" "$(append $EVENTS "p:kt/bad $inside")" EILSEQ
	check "an event at a blacklisted function" \
		"$(append $EVENTS 'p:kt/bad kprobe_target:kt_nokprobe')" EINVAL
	check "a return event inside of a function" \
		"$(append $EVENTS 'r:kt/bad kprobe_target:kt_entry+0x9')" EINVAL
	check "none of them is there" "$(grep -c kt/bad $EVENTS)" 0
}

# perf_kprobe EVENT: count and samples of ten calls, or the error. The field is part of an
# address, whose sum is of no interest.
perf_kprobe() {
	"$DIR/fprobe_perf" "$1" $TARGET/run "entry 10" 8 4 2>&1 |
		sed -E 's/^([0-9]+ [0-9]+) [0-9]+$/\1/'
}

# Kprobes without an event in tracefs.
perf_kprobes() {
	local before

	[ -e /sys/bus/event_source/devices/kprobe/type ] || return 0
	before=$(grep -c kt_ $KPROBES/list)
	check "perf's own kprobe on a module's function" \
		"$(perf_kprobe kprobe_target:kt_entry)" "10 10"
	check "and on its return" "$(perf_kprobe kprobe_target:kt_entry%return)" "10 10"
	check "on a function of any module" "$(perf_kprobe kt_entry)" "10 10"
	check_match "of a module that is not there" "$(perf_kprobe no_such:kt_entry)" \
		".*No such file or directory"
	check_match "that it does not have" "$(perf_kprobe kprobe_target:no_such)" \
		".*No such file or directory"
	check "none is left" "$(grep -c kt_ $KPROBES/list)" "$before"
}

# can_return SYMBOL: by the lists of what is forbidden, and of what is traced.
can_return() {
	! grep -q "[[:space:]]$1$" $KPROBES/blacklist &&
		grep -qE "^$1( |$)" $TRACEFS/available_filter_functions
}

# What takes locks on all CPUs, for two seconds.
take_locks() {
	local n

	for ((n = 0; n < 2 * $(nproc); n++)); do
		timeout 2 sh -c 'while cat /proc/kallsyms >/dev/null; do :; done' &
	done
	wait
}

# return_of_lock SYMBOL LEAST: hits, unless kprobes refuse it. Those may be few where
# hits within hits are missed.
return_of_lock() {
	grep -qE " [Tt] $1$" /proc/kallsyms || return 0
	if ! can_return "$1"; then
		check "no event on the return of $1" "$(append $EVENTS "r:kt/$1 $1")" EINVAL
		return
	fi
	define "r:kt/$1 $1"
	switch "$1" 1
	take_locks
	switch "$1" 0
	ktap_print_msg "$1: hits and misses: $(profile "$1")"
	check "returns of $1" "$(($(profile "$1" | cut -d ' ' -f 1) >= $2))" 1
	check "it is removed" "$(append $EVENTS "-:kt/$1") $(grep -c "kt/$1 " $EVENTS)" "ok 0"
}

# Kprobes take such locks themselves, and so does what a hit calls.
returns_of_locks() {
	local before

	[ -e $TRACEFS/available_filter_functions ] || return 0
	before=$(dmesg | grep -cE "$ALARM")
	return_of_lock _raw_spin_lock 1000
	return_of_lock _raw_spin_unlock_irqrestore 100
	return_of_lock queued_spin_lock_slowpath 0
	return_of_lock native_queued_spin_lock_slowpath 0
	check "no warning" "$(dmesg | grep -cE "$ALARM")" "$before"
}

end() {
	echo >$EVENTS
	check "all events are gone" "$(wc -l <$EVENTS)" 0
	check "no probe is left" "$(grep -c kt_ $KPROBES/list)" 0
	call entry 10
}

begin
[ -e $EVENTS ] || mount -t tracefs none $TRACEFS
[ -e $EVENTS ] || missing KPROBE_EVENTS "probe events"
# What the two arguments of a function are in.
case $(uname -m) in
x86_64) A=%di B=%si ;;
i?86)   A=%ax B=%dx ;;
*)      skip_all "the register names are not known" ;;
esac
load kprobe_target
echo >$EVENTS
echo 1 >$TRACEFS/tracing_on
define "p:kt/site kprobe_target:kt_entry a=$A:u64 b=$B:u64"
BEHIND=$(behind_the_site)
define "p:kt/inside kprobe_target:kt_entry+$BEHIND a=$A:u64 b=$B:u64"
# shellcheck disable=SC2016
define 'r:kt/back kprobe_target:kt_entry ret=$retval:s64'
# shellcheck disable=SC2016
define 'r:kt/outback kprobe_target:kt_outer ret=$retval:s64'
event site entry
event inside entry
event back entry
event outback outer
arguments
together
busy
in_the_site
refused
perf_kprobes
returns_of_locks
end
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
