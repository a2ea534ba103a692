#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Guest part of make coverage: register the places of each /out/batch-*, wait
# until no more of them become optimized, and note what came out.
kp=/sys/kernel/debug/kprobes
cov=/sys/kernel/debug/kprobe_coverage
knob=/proc/sys/debug/kprobes-optimization
quiet=6		# times without a change

# The list of both kernels says so of a place that is still to be optimized; the
# stats say what it is now.
optimized() {
	if [ -e $kp/stats ]; then
		awk '$4 == "optimized"' $kp/stats | wc -l
	else
		grep -c '\[OPTIMIZED\]' $kp/list
	fi
}

waiting() { [ -e $kp/stats ] && grep -q 'waits for tasks' $kp/stats; }

settle() {
	local now before=-1 same=0

	while [ $same -lt $quiet ]; do
		now=$(optimized)
		if [ "$now" = "$before" ] && ! waiting; then
			same=$((same + 1))
		else
			same=0
		fi
		before=$now
		sleep 0.3
	done
	echo "$now"
}

insmod /out/kprobe_coverage.ko || exit 1
cat $kp/blacklist >/out/blacklist
for batch in /out/batch-*; do
	n=${batch##*-}
	echo "harness: batch $n" >/dev/kmsg
	# In one write: the module takes whole lines only.
	dd if="$batch" of=$cov/places bs=1M 2>/dev/null || exit 1
	# While it works, the optimizer may hold up registration, probe by probe.
	echo 0 >$knob
	echo 1 >$cov/run
	echo 1 >$knob
	now=$(settle)
	cat $cov/places >/out/places-"$n"
	cat $kp/list >/out/list-"$n"
	[ ! -e $kp/stats ] || cat $kp/stats >/out/stats-"$n"
	echo 0 >$knob
	echo 0 >$cov/run
	echo "batch $n: $(wc -l <"$batch") places, $(awk '$3 == 0' /out/places-"$n" | wc -l) probed, $now optimized"
done
rmmod kprobe_coverage
exit 0
