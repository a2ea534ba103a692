#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# CPUs go and come while the torture test runs. TAP on stdout.
seconds=${1:-60}
moves=0 failed=0

torture() {
	cd /kselftest/kprobes && TORTURE_SECONDS=$seconds CPUS_GO=1 ./kprobe_torture.sh
}

cpus() { ls -d /sys/devices/system/cpu/cpu[1-9]*; }

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
[ $moves -ge $((seconds / 10)) ] && [ $failed = 0 ] && echo "ok - torture while CPUs go and come" && exit 0
echo "not ok - torture while CPUs go and come"
exit 1
