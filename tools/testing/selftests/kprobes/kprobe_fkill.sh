#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# ftrace stops for good while there are function probes, and calls under way: they can be
# unregistered, are not called then, and there are no new ones. So it is with kprobes at
# ftrace sites, and no others. In a boot of its own: nothing can be traced afterwards.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EVENTS=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
# Read by probe() and field() of lib.sh.
# shellcheck disable=SC2034
PROBER=$DEBUGFS/fprobe_prober

hits() { awk -v name="$1" '$1 == name { print $2 }' $PROFILE; }
entries() { grep -c . $DEBUGFS/fprobes/list; }

before() {
	place now x full kprobe_target:kt_entry
	place now a args kprobe_target:kt_entry
	place now x slow kprobe_target:kt_sleep
	for event in 'f:e kt_entry' 'f:x kt_entry%return' 'f:off kt_entry2' \
		't:t sched_switch'; do
		echo "$event" >>$EVENTS
	done
	for event in fprobes/e fprobes/x tracepoints/t; do
		echo 1 >$TRACEFS/events/$event/enable
	done
	call sleep 5
	call entry 10
	check "hits before" "$(field full exits) $(field args exits) $(hits e) $(hits x)" \
		"10 10 10 10"
	check "calls under way" "$(field slow hits) $(field slow exits)" "5 0"
}

# What is registered may still be called, or not.
unregister() {
	check "it is unregistered" "$(probe remove - full -)" ok
	check "another one" "$(probe remove - args -)" ok
	check "one with calls under way" "$(probe remove - slow -)" ok
	check "the second time" "$(probe remove - slow -)" ENODEV
	for event in fprobes/e fprobes/x tracepoints/t; do
		check "$event is disabled" "$(put $TRACEFS/events/$event/enable 0)" ok
	done
	check "fprobes that are left" "$(entries)" 0
}

silent() {
	local e x t

	e=$(hits e) x=$(hits x) t=$(hits t)
	call entry 10
	call wake 0
	sleep 0.1
	check "hits then" "$(hits e) $(hits x) $(hits t)" "$e $x $t"
}

refused() {
	check "a new one" "$(probe now x new kprobe_target:kt_entry)" ENODEV
	check "an old event" "$(put $TRACEFS/events/fprobes/e/enable 1)" ENODEV
	check "one that was never armed" "$(put $TRACEFS/events/fprobes/off/enable 1)" ENODEV
	check "one on a tracepoint" "$(put $TRACEFS/events/tracepoints/t/enable 1)" ENODEV
	check "they are disabled" \
		"$(cat $TRACEFS/events/{fprobes/{e,off},tracepoints/t}/enable | xargs)" "0 0 0"
	check "the table then" "$(entries)" 0
	check "events are removed" "$(put $EVENTS '')$(cat $EVENTS)" ok
}

# As probe() and field(), by kprobe_prober.
kprobe() { PROBER=$DEBUGFS/kprobe_prober probe "$@"; }
khits() { for name in "$@"; do PROBER=$DEBUGFS/kprobe_prober field "$name" hits; done | xargs; }
# How many points there are. One that no probe is left at has no line in the list.
points() {
	local file=$KPROBES/stats

	[ -e $file ] || file=$KPROBES/list
	grep -c ' kt_' $file
}

log() { dmesg | grep -cE 'kprobes: |WARNING: '; }

kprobes_before() {
	check "a kprobe" "$(kprobe now p pre kprobe_target:kt_entry)" ok
	check "one with a post handler" "$(kprobe now P post kprobe_target:kt_entry2)" ok
	check "a return probe" "$(kprobe now r ret kprobe_target:kt_recurse)" ok
	check "one that is disabled" "$(kprobe off p off kprobe_target:kt_outer)" ok
	check "one at a breakpoint" "$(kprobe now p break kprobe_target:kt_plain)" ok
	check "kprobes at ftrace sites" "$(grep -c 'kt_.*\[FTRACE\]' $KPROBES/list)" 4
	call entry 10
	call entry2 10
	call recurse 9
	call plain 10
	check "hits of kprobes before" "$(khits pre post ret off break)" "10 10 10 0 10"
	SAID=$(log)
}

# There is no point for those that were refused.
kprobes_refused() {
	check "a new kprobe" "$(kprobe now p new kprobe_target:kt_sleep_outer)" ENODEV
	check "a new return probe" "$(kprobe now r new kprobe_target:kt_sleep_outer)" ENODEV
	check "a kprobe that was never armed" "$(kprobe enable - off -)" ENODEV
	check "a kprobe is disabled" "$(kprobe disable - pre -)" ok
	check "and enabled again" "$(kprobe enable - pre -)" ENODEV
	check "a new breakpoint" "$(kprobe now p new kprobe_target:kt_plain2)" ok
	check "points then" "$(points)" 6
}

kprobes_silent() {
	call entry 10
	call entry2 10
	call recurse 9
	call plain 10
	call plain2 10
	check "hits of kprobes then" "$(khits pre post ret off break new)" "10 10 10 0 20 10"
}

kprobes_unregister() {
	for name in pre post ret off break new; do
		check "kprobe $name is unregistered" "$(kprobe remove - $name -)" ok
	done
	check "points that are left" "$(points)" 0
	check "nothing is said" "$(log)" "$SAID"
}

begin
[ -e $PROFILE ] || missing FPROBE_EVENTS "events on functions"
load kprobe_target
load fprobe_prober
load kprobe_prober
before
kprobes_before
load fprobe_kill
unregister
silent
refused
kprobes_refused
kprobes_silent
kprobes_unregister
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
unload kprobe_prober fprobe_prober kprobe_target
check "the module can be loaded again" "$(load kprobe_target && echo ok)" ok
call entry 10
finish
