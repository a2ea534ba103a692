# SPDX-License-Identifier: GPL-2.0
# Sourced by guest scripts that do something unusual to a kernel full of probes.
# shellcheck shell=bash
trace=/sys/kernel/tracing

# Each fourth function has a probe at its entry, each fourth of them a return probe.
# Each 20th has one behind the call of ftrace, the only kind that needs a slot. To have
# probes in all functions takes half an hour.
everywhere() {
	awk '$1 !~ /[.:]/ && NR % 4 == 0 {
		n++
		printf "%s:everywhere/f%d %s\n", n % 4 ? "p" : "r", n, $1
	}
	$1 !~ /[.:]/ && NR % 20 == 10 {
		printf "p:everywhere/i%d %s+5\n", NR, $1
	}' $trace/available_filter_functions >/tmp/places
	while read -r place; do
		echo "$place" >>$trace/kprobe_events
	done </tmp/places 2>/dev/null
	for place in $trace/events/everywhere/*/enable; do
		echo 1 >"$place"
	done 2>/dev/null
	echo "# $(wc -l </sys/kernel/debug/kprobes/list) probes"
}

hits() { awk '{ n += $2 } END { print n + 0 }' $trace/kprobe_profile; }

# check WHAT NUMBER COMPARISON NUMBER: one test.
check() {
	if test "$2" "$3" "$4"; then
		echo "ok - $1"
	else
		echo "not ok - $1 ($2 $3 $4)"
		# shellcheck disable=SC2034 # what the script exits with
		bad=1
	fi
}
