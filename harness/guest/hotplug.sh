#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPUs go and come: what fprobes keep of the calls that never return, and while the
# torture test runs. TAP on stdout.
seconds=${1:-60}
moves=0 failed=0 bad=0
FPROBES=/sys/kernel/debug/fprobes
PROBER=/sys/kernel/debug/fprobe_prober
CYCLES=20

torture() {
	cd /kselftest/kprobes && TORTURE_SECONDS=$seconds CPUS_GO=1 ./kprobe_torture.sh
}

cpus() { ls -d /sys/devices/system/cpu/cpu[1-9]*; }

# used: how many calls under way are followed to their exits.
used() { awk '$1 == "nodes" { n += $6 } END { print n + 0 }' $FPROBES/stats; }

cycle() {
	local cpu=/sys/devices/system/cpu/cpu1 i

	for ((i = 0; i < CYCLES; i++)); do
		echo 0 >$cpu/online && echo 1 >$cpu/online || return
	done
}

# The last call of a CPU that goes: it is followed until the CPU comes back.
idle() {
	local before after probe

	before=$(used)
	cycle || return
	after=$(used)
	probe=$(cat $PROBER)
	echo "# $probe, used: $before before, $after after"
	[ "$before" = "$after" ] &&
		[[ $probe = "idle x hits=$CYCLES exits=0 missed=0 sites=1" ]]
}

probe_idle() {
	local rc

	[ -d $FPROBES ] || mount -t debugfs none /sys/kernel/debug
	insmod /kselftest/kprobes/test_modules/fprobe_prober.ko &&
		echo now x idle arch_cpu_idle_dead >$PROBER || return
	idle
	rc=$?
	rmmod fprobe_prober
	return $rc
}

if probe_idle; then
	echo "ok - CPUs that go and come keep no calls"
else
	echo "not ok - CPUs that go and come keep no calls"
	bad=1
fi

torture >/out/torture.tap 2>&1 &
pid=$!
while kill -0 $pid 2>/dev/null; do
	for cpu in $(cpus); do
		for state in 0 1; do
			# It is refused while another CPU goes: that is no failure.
			echo $state >"$cpu/online" 2>/dev/null && moves=$((moves + 1))
			sleep 0.1
		done
	done
done
wait $pid || failed=1
grep -E '^ *(ok|not ok)' /out/torture.tap | sed 's/^ *//'
for cpu in $(cpus); do echo 1 >"$cpu/online" 2>/dev/null; done
echo "# $moves times a CPU went or came"
[ $moves -ge $((seconds / 10)) ] && [ $failed = 0 ] && echo "ok - torture while CPUs go and come" && exit $bad
echo "not ok - torture while CPUs go and come"
exit 1
