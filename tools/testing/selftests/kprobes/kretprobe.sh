#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Return probes: a module's cases, and the stacks of tasks in hooked functions.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# stack PID: the names of the functions on a sleeping task's stack.
stack() { sed -e 's/^\[<[^>]*>\] //' -e 's/+0x.*//' "/proc/$1/stack"; }

threads() { grep -l '^kt_thread' /proc/[0-9]*/comm | cut -d/ -f3; }

# all_stacks: that of the threads, each followed by an empty line.
all_stacks() {
	local pid try s

	for pid in $(threads); do
		# It says that it is inside before it falls asleep.
		for try in {1..50}; do
			s=$(stack "$pid")
			[[ $s != kt_sleep* ]] || break
			[ "$try" -lt 50 ] && sleep 0.1
		done
		echo "$s"
		echo
	done
}

# check_stacks TEST STACK WANTED: not every architecture's stack traces ask for the
# real return addresses.
check_stacks() {
	if [ "$(cat $TARGET/exact_traces)" = N ]; then
		ktap_test_skip "$1"
		return
	fi
	check "$1" "$2" "$3"
	check "$1: no trampoline" "$(grep -ciE 'trampoline|rethook' <<<"$2")" 0
}

sleeping_threads() {
	local free

	call sleep 10
	free=$(all_stacks)
	call wake 0
	check "stacks of threads, not hooked: kt_sleep" \
		"$(grep -c '^kt_sleep$' <<<"$free")" 10

	place now r inner kprobe_target:kt_sleep
	place now r outer kprobe_target:kt_sleep_outer
	call sleep 10
	check_stacks "the same in hooked functions" "$(all_stacks)" "$free"
	check "hits while they sleep" "$(field inner hits) $(field outer hits)" "0 0"
	call wake 0
	check "hits when they have returned" \
		"$(field inner hits) $(field outer hits)" "10 10"

	# Hooked on the way in, not hooked any more on the way out.
	call sleep 10
	remove inner
	check_stacks "the same when the probe has gone" "$(all_stacks)" "$free"
	call wake 0
	remove outer
}

# sleep(1) in a system call that is hooked twice.
sleeping_process() {
	local free hooked pid

	sleep 1000 &
	pid=$!
	wait_for_sleep $pid
	free=$(stack $pid)
	kill -9 $pid
	wait $pid 2>/dev/null

	place now r one hrtimer_nanosleep
	place now r two common_nsleep
	sleep 1000 &
	pid=$!
	wait_for_sleep $pid
	hooked=$(stack $pid)
	check_match "the stack of a process" "$free" "(.*[[:space:]])?hrtimer_nanosleep.*"
	check_stacks "the same in hooked functions" "$hooked" "$free"
	kill -9 $pid
	wait $pid 2>/dev/null
	check "hits when it was killed" "$(field one hits)" $((1 + polls))
	check "misses" "$(field one missed)" 0
	remove one
	remove two
}

# Waiting is sleeping too: $polls says how often.
wait_for_sleep() {
	polls=0
	while ! grep -q nanosleep "/proc/$1/stack"; do
		kill -0 "$1" || return
		sleep 0.1
		polls=$((polls + 1))
	done
}

# Not every architecture shows what other tasks sleep in: arm does not with SMP.
stacks() {
	if ! grep -q . /proc/1/stack; then
		ktap_test_skip "stacks of sleeping tasks"
		return
	fi
	sleeping_threads
	sleeping_process
}

# Threads that end in a hooked function, more of them than instances.
exiting_threads() {
	local n

	place now r exit kprobe_target:kt_exit
	for n in 50 50 50 50; do
		call exit $n
	done
	check "200 threads that never return are hooked" "$(field exit entries)" 200
	check "misses of 200 threads that never return" "$(field exit missed)" 0
	check "hits of threads that never return" "$(field exit hits)" 0
	remove exit
}

counts() {
	local f

	for f in entry plain asm; do
		place now r $f kprobe_target:kt_$f
		check "hits at kt_$f()" "$(hits_of $f $f 1000)" 1000
		place disable - $f -
		check "hits at kt_$f(), disabled" "$(hits_of $f $f 100)" 0
		place enable - $f -
		check "hits at kt_$f(), enabled again" "$(hits_of $f $f 100)" 100
		check "misses at kt_$f()" "$(field $f missed)" 0
		remove "$f"
	done
}

begin
load kprobe_target
cases kprobe_return
load kprobe_prober
counts
stacks
exiting_threads
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
