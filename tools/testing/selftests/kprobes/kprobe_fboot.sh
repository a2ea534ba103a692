#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events that the kernel's command line defines. In a boot of its own, with
#   fprobe_event=f:early/forks,kernel_clone%return,$retval;t:early/tasks,task_newtask
# and ";f:early/none,no_such_function" behind that.
# shellcheck disable=SC2016 # $retval is the event's
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EARLY=$TRACEFS/events/early

# Hits of both, without a fork.
read_hits() {
	local event hits

	while read -r event hits _; do
		case $event in
		forks) FORKS=$hits ;;
		tasks) TASKS=$hits ;;
		esac
	done <"$TRACEFS/fprobe_profile"
}

# A task returns from its fork when the new one may have ended: wait for that, too.
ten_forks() {
	local n

	for ((n = 0; n < 10; n++)); do (:); done
	read -r -t 0.5 <>"$OUT" || :
}

begin
grep -q 'fprobe_event=' /proc/cmdline || skip_all "no event on the command line of this kernel"
OUT=$(mktemp -u)
mkfifo "$OUT"
check "what is defined" "$(cut -d ' ' -f 1-3 "$TRACEFS/dynamic_events" | xargs)" \
	'f:early/forks kernel_clone%return arg1=$retval t:early/tasks task_newtask'
check "it is enabled" "$(cat "$EARLY/forks/enable" "$EARLY/tasks/enable" | xargs)" "1 1"
check_match "the first hit is the kernel's" "$(grep -m 1 ' forks: ' "$TRACEFS/trace")" \
	' *(swapper/0|kthreadd|kworker/.*)-[0-9]+ .*arg1=[0-9a-fx]+'
check_match "what is wrong is said" "$(dmesg | grep 'Failed to add event')" \
	'.*Failed to add event \(-2\): f:early/none no_such_function'
read_hits
forks=$FORKS tasks=$TASKS
ten_forks
read_hits
check "hits of ten forks, and as many tasks" "$((FORKS - forks >= 10)) $((FORKS - forks))" \
	"1 $((TASKS - tasks))"
echo 0 >"$EARLY/enable"
read_hits
forks=$FORKS tasks=$TASKS
ten_forks
read_hits
check "they can be disabled" "$((FORKS - forks)) $((TASKS - tasks))" "0 0"
check "and removed" "$(echo >"$TRACEFS/dynamic_events" && wc -l <"$TRACEFS/dynamic_events")" 0
rm -f "$OUT"
finish
