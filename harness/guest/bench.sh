#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guest part of make bench: have the module measure, and collect what it says
# in /out/figures: FIGURE OTHERS VALUE, a line each.
#
# Usage: bench.sh icount OTHERS... | bench.sh smp | bench.sh cpus |
#        bench.sh fprobe EVENTS... | bench.sh fprobe-smp | bench.sh fprobe-cpus
par=/sys/module/kprobe_scale/parameters
opt=/proc/sys/debug/kprobes-optimization
list=/sys/kernel/debug/kprobes/list
enabled=/sys/kernel/debug/kprobes/enabled
tracing=/sys/kernel/tracing
# In memory: to write to the host keeps tasks busy that others then wait for.
figures=/tmp/figures

collect() {
	dmesg -c | tee -a /out/dmesg |
		sed -nE 's/.*kprobe_scale: ([a-z0-9.]+ [0-9]+ [0-9]+)$/\1/p' >>$figures
}

# run WHAT...: measurements of the module.
run() {
	local r

	for r in "$@"; do
		echo "bench: $r, $(cat $par/others) others"
		echo "$r" >$par/run || { echo "bench: $r failed"; exit 1; }
		collect
	done
}

# since FIGURE START: nanoseconds that have passed, with $AMONG others.
since() {
	local end=$EPOCHREALTIME

	echo "$1 ${AMONG:-0} $(((${end/./} - ${2/./}) * 1000))" >>$figures
}

# clock FIGURE COMMAND...: nanoseconds that it takes.
clock() {
	local figure=$1 start=$EPOCHREALTIME

	shift
	"$@" || return
	since "$figure" "$start"
}

optimization() { echo "$1" >$opt; }
all() { echo "$1" >$enabled; }
read_list() { dd if=$list of=/dev/null bs=64k 2>/dev/null; }

# How many lines of the list have a lower address than the line before.
sorted() {
	awk '{ if ($1 "" < last) bad++; last = $1 "" } END { print bad + 0 }' $list
}

# Sets $used: kilobytes that the kernel has taken for itself, when what only waits
# to be freed has been.
count_memory() {
	local what kb

	sleep 20
	used=0
	while read -r what kb _; do
		case $what in
		Slab: | VmallocUsed: | Percpu:) used=$((used + kb)) ;;
		esac
	done </proc/meminfo
}

# memory FIGURE COMMAND...: what each of 10,000 probes takes that it places, or of
# $PER. The user's structures are there before.
memory() {
	local figure=$1 before per=${PER:-10000}

	shift
	count_memory
	before=$used
	"$@"
	count_memory
	echo "$figure 0 $(((used - before) * 1024 / per))" >>$figures
}

# 10,000 places that jumps fit at.
wide() {
	local start

	memory memory.jumps run wide settle
	clock list read_list
	echo "list.unsorted 0 $(sorted)" >>$figures
	# The wait for all tasks takes 100 ms longer when one of them happens to
	# be awake.
	for _ in 1 2 3 4 5; do
		sleep 1
		clock sysctl.off optimization 0
		start=$EPOCHREALTIME
		clock sysctl.on optimization 1
		echo settle >$par/run
		since sysctl.again "$start"
	done
	run patch
	optimization 0
	optimization 1
	run settle patch-off
	clock knob.off all 0
	clock knob.on all 1
	run settle wide-off
}

# Bytes that all return hooks have; the base does not say.
hook_bytes() { cat /sys/module/rethook/parameters/bytes 2>/dev/null || echo 0; }

# deep FIGURE RUN: what each of 20,000 calls takes of which 2,000 tasks have not
# returned; and what of it has not been given back some time later, of the hooks,
# and of the whole kernel, where others take and give, too.
deep() {
	local start hooks

	run deep-tasks
	count_memory
	start=$used
	hooks=$(hook_bytes)
	run "$2"
	count_memory
	echo "$1 0 $(((used - start) * 1024 / 20000))" >>$figures
	run deep-wake
	sleep 80
	count_memory
	echo "$1.later 0 $(((used - start) * 1024 / 20000))" >>$figures
	echo "$1.kept 0 $((($(hook_bytes) - hooks) / 20000))" >>$figures
	run deep-off
}

# A module that goes away with probes in it, and with none.
gone() {
	insmod /out/kprobe-scale-gone.ko || exit 1
	clock unload.bare rmmod kprobe-scale-gone || exit 1
	insmod /out/kprobe-scale-gone.ko || exit 1
	run gone
	clock unload rmmod kprobe-scale-gone || exit 1
	run gone-off
}

# 10,000 functions of the kernel: two of three that can be traced. As many
# addresses in a line as fit into one write.
cold() {
	local line

	while read -r line; do
		echo "$line" >$par/cold || exit 1
	done < <(awk '!/\[/ && NR % 3 { print $1 }' \
		$tracing/available_filter_functions_addrs |
		head -n 14000 | xargs -n 200)
	run cold-find
	optimization 1
	run cold cold-off
}

icount() {
	local n

	run loop
	optimization 0
	# What is made once; and then at once, before there is room in the caches.
	run some some-off
	memory memory run wide
	run wide-off mixed switch entries returns
	cold
	optimization 0
	gone
	optimization 1
	wide
	for n in "$@"; do
		optimization 0
		echo "$n" >$par/others || exit 1
		run traps
		optimization 1
		run jumps single
	done
	echo 0 >$par/others
	run sleepers
	deep memory.calls deep-sleep
	deep memory.calls.max deep-sleep-max
}

# How often the registration of 1,000 calls other CPUs, all that are wanted at a
# time. Others do so, too, meanwhile.
smp() {
	local event=$tracing/events/kprobes/bench_syncs

	optimization 0
	run some some-off
	echo 'p:bench_syncs smp_call_function_many_cond' >$tracing/kprobe_events
	echo "common_pid == $$" >"$event/filter"
	echo 1 >"$event/enable"
	echo >$tracing/trace
	echo some >$par/run
	echo 0 >$tracing/tracing_on
	echo "syncs 0 $(grep -c bench_syncs: $tracing/trace)" >>$figures
	run some-off
	echo 0 >"$event/enable"
	echo >$tracing/kprobe_events
	run sleepers
	PER=1000 memory memory.returns run returns-on
	run returns-off
}

cpus() { run cpus cpus cpus cpus cpus cpus cpus cpus cpus; }

. /harness/bench-events.sh

insmod /out/kprobe-scale.ko || exit 1
dmesg -c >/out/dmesg.boot
"$@"
collect
rmmod kprobe_scale
collect
cp "$figures" /out/figures
exit 0
