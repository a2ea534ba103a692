#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPUs go and come: what fprobes keep of the calls that never return, and while the
# torture test runs. TAP on stdout.
seconds=${1:-60}
moves=0 failed=0 bad=0
FPROBES=/sys/kernel/debug/fprobes
PROBER=/sys/kernel/debug/fprobe_prober
MAX=/sys/module/rethook/parameters/max_bytes
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

# missed NAME: how many exits of the probe's calls were not followed.
missed() { sed -n "s/^$1 .* missed=\([0-9]*\) .*/\1/p" $PROBER; }

sleepers() {
	local i

	for ((i = 0; i < $1; i++)); do sleep 1000 & done
}

# There is no memory for the last calls of a CPU that goes: it is not the CPU that asks
# for more, since what it leaves behind would keep others from it.
starved() {
	local max before

	max=$(cat $MAX)
	echo 0 >$MAX
	while [ "$(missed sleep)" = 0 ]; do sleepers 200; done
	# A request that was refused is forgotten meanwhile.
	sleep 1
	echo 0 >/sys/devices/system/cpu/cpu1/online || return
	echo "$max" >$MAX
	sleep 1
	sleepers 100
	before=$(missed sleep)
	sleep 1
	sleepers 400
	sleep 1
	echo "# $(grep -c . $PROBER) probes, missed: last $(missed last), sleep $before, then $(missed sleep)"
	[ "$(missed last)" = 1 ] && [ "$(missed sleep)" = "$before" ]
}

starve() {
	local rc

	starved
	rc=$?
	echo 1 >/sys/devices/system/cpu/cpu1/online
	# shellcheck disable=SC2046 # words
	kill $(jobs -p)
	wait
	return $rc
}

# with_probes TEXT COMMAND NAME=FUNCTION...: the command runs while these are probed.
with_probes() {
	local text=$1 command=$2 p rc=0

	shift 2
	insmod /kselftest/kprobes/test_modules/fprobe_prober.ko
	for p; do echo "now x ${p%=*} ${p#*=}" >$PROBER || rc=1; done
	[ $rc = 0 ] && $command || rc=1
	rmmod fprobe_prober
	if [ $rc = 0 ]; then
		echo "ok - $text"
	else
		echo "not ok - $text"
		bad=1
	fi
}

[ -d $FPROBES ] || mount -t debugfs none /sys/kernel/debug
with_probes "CPUs that go and come keep no calls" idle idle=arch_cpu_idle_dead
with_probes "a CPU that goes does not keep others from memory" starve \
	sleep=hrtimer_nanosleep last=rcutree_report_cpu_dead

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
