#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run test cases of the base's ftracetest one by one: when one of them takes
# the kernel down, /out/current says which, and the results before it are safe.
# Usage: ftracetest.sh TEST.tc...
cd /kselftest/ftrace || exit 1
mkdir -p /out/logs
for tc in "$@"; do
	echo "$tc" >/out/current
	echo "harness: $tc" >/dev/kmsg
	./ftracetest -K -l /tmp/ftracelogs "$tc" >/tmp/tap 2>&1
	grep -E '^(not )?ok ' /tmp/tap >>/out/ftracetest.tap ||
		echo "not ok 0 $tc" >>/out/ftracetest.tap
	# Logs are kept for what did not pass.
	cp /tmp/ftracelogs/*-log.* /out/logs/ 2>/dev/null
	rm -rf /tmp/ftracelogs
done
rm -f /out/current
# A failing test is a result, not a failure of this script.
exit 0
