#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Collect what the built-in KUnit suites said at boot: one KTAP file a suite.
# Suites that are modules are loaded first.
kunit=/sys/kernel/debug/kunit

mkdir -p /out/kunit
find /usr/lib/modules -name '*kunit*.ko' |
while read -r mod; do
	modprobe "$(basename "$mod" .ko)"
done
# Without debugfs the log says it all, in one report.
if [ ! -d $kunit ]; then
	dmesg | sed -nE 's/^\[[^]]*\] ?//; /^KTAP version/,$p' | grep -E '^ *(KTAP|1\.\.|ok|not ok|#)' \
		>/out/kunit/all.ktap
fi
for suite in "$kunit"/*/; do
	[ -f "$suite/results" ] || continue
	cat "$suite/results" >"/out/kunit/$(basename "$suite").ktap"
done
