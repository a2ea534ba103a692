#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events on functions and tracepoints when the kernel is locked down for confidentiality:
# through files that were open before, none is defined, and none enabled. Nor are events on
# kprobes defined. In a boot of its own: there is no way back.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EVENTS=$TRACEFS/dynamic_events
FPROBES=$TRACEFS/events/fprobes
TPOINTS=$TRACEFS/events/tracepoints
LOCKDOWN=/sys/kernel/security/lockdown

# said COMMAND...: "ok", or what the shell says of the error.
said() {
	local out

	if out=$("$@" 2>&1); then echo ok; else echo "${out##*: }"; fi
}

write() { printf '%s\n' "$2" >&"$1"; }

EPERM="Operation not permitted"

open_files() {
	exec 3>>$EVENTS 4>$FPROBES/off/enable 5>$FPROBES/on/enable
	exec 6>$TPOINTS/tick/enable
	exec 7<$TRACEFS/enabled_functions 8<$TRACEFS/fprobe_profile 9<$EVENTS
	exec 10<$KPROBES/list
}

before() {
	for event in 'f:off kt_entry' 'f:on kt_entry2' 't:tick sched_switch' \
		'p:old kt_outer'; do
		echo "$event" >>$EVENTS
	done
	echo 1 >$FPROBES/on/enable
	open_files
	check "an event is defined before" "$(said write 3 'f:last kt_recurse')" ok
	call entry2 3
}

# The lists are made when they are read, not when they are opened.
after() {
	check "no event is defined" "$(said write 3 'f:new kt_entry')" "$EPERM"
	check "nor on a tracepoint" "$(said write 3 't:new sched_wakeup')" "$EPERM"
	check "nor beside another of the same name" "$(said write 3 'f:on kt_entry')" "$EPERM"
	check "nor on a kprobe" "$(said write 3 'p:new kt_entry')" "$EPERM"
	check "nor on a return" "$(said write 3 'r:back kt_recurse')" "$EPERM"
	check "kprobes that are there" "$(grep -oE 'kt_[a-z0-9]+' <&10 | xargs)" kt_outer
	check "none is enabled" "$(said write 4 1)" "$EPERM"
	check "nor on a tracepoint, which is there" "$(said write 6 1)" "$EPERM"
	check "no file is opened" "$(said cat $EVENTS)" "$EPERM"
	call entry 5
	call entry2 4
	check "functions that are armed" "$(grep -cE '^(kt_|__probestub_)' <&7)" 1
	check "what was enabled before is hit" \
		"$(awk '{ printf "%s ", $1 " " $2 }' <&8)" "off 0 on 7 tick 0 last 0 "
	check "the list" "$(cut -d ' ' -f 1 <&9 | xargs)" \
		"f:fprobes/off f:fprobes/on t:tracepoints/tick p:kprobes/old f:fprobes/last"
	check "it is disabled" "$(said write 5 0)" ok
}

begin
[ -e $TRACEFS/fprobe_profile ] || missing FPROBE_EVENTS "events on functions"
[ -e $LOCKDOWN ] || mount -t securityfs none /sys/kernel/security
[ -e $LOCKDOWN ] || skip_all "this kernel cannot be locked down"
load kprobe_target
before
echo confidentiality >$LOCKDOWN
check_match "it is locked down" "$(cat $LOCKDOWN)" '.*\[confidentiality\].*'
after
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
