#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Kprobe events on a function whose calls are known, by tracefs alone: for kernels without
# modules, debugfs or the menu of tests, where the kselftests cannot run. TAP on stdout.
# shellcheck source=harness/guest/everywhere.sh
. /harness/everywhere.sh
bad=0
FUNC=do_mkdirat
KPROBES=/sys/kernel/debug/kprobes

# 20 calls, of which 5 find that the directory is there.
# shellcheck disable=SC2046 # words
calls() { mkdir $(seq 15) $(seq 5) 2>/dev/null; rmdir $(seq 15); }

define() { echo "$1" >>$trace/kprobe_events; }
switch() { echo "$1" >$trace/events/k/enable; }
profile() { awk -v name="$1" '$1 == name { print $2, $3 }' $trace/kprobe_profile; }
records() { grep -cE " $1: \(.*$2\$" $trace/trace; }

# An instruction behind the call of ftrace, which is at 0 or at 4.
inside() {
	local offset

	for offset in $(seq 9 24); do
		define "p:k/inside $FUNC+$offset" 2>/dev/null && break
	done
}

# The two files of debugfs, while both addresses are probed.
files() {
	check "the lines of kprobes/list" "$(grep -c " $FUNC+" $KPROBES/list)" = 3
	check "the hits in kprobes/stats" \
		"$(awk -v f="$FUNC+" 'index($2, f) == 1 { print $5 }' $KPROBES/stats | xargs)" = "20 20"
}

mkdir /tmp/events && cd /tmp/events || exit 1
define "p:k/site $FUNC"
# shellcheck disable=SC2016 # $ begins a word of an event
define "r:k/back $FUNC"' ret=$retval:s32'
inside
check "the events are listed" "$(grep -c " $FUNC" $trace/kprobe_events)" = 3
switch 1
calls
check "hits and misses at the entry" "$(profile site)" = "20 0"
check "hits and misses inside" "$(profile inside)" = "20 0"
check "hits and misses at the return" "$(profile back)" = "20 0"
check "records of the entry" "$(records site)" = 20
check "records of the return, with success" "$(records back ' ret=0')" = 15
check "records of the return, with EEXIST" "$(records back ' ret=-17')" = 5
if grep -qw debugfs /proc/filesystems; then files; else echo "# no debugfs"; fi
switch 0
calls
check "hits when they are off" "$(profile site) $(profile inside)" = "20 0 20 0"
echo >$trace/kprobe_events
check "no event is left" "$(wc -l <$trace/kprobe_events)" = 0
exit $bad
