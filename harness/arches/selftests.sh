#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest of another architecture: the kselftests that need nothing but a
# shell and busybox. Their results, as the kernel's runner prints them, are in
# /tmp/kselftest.tap.
export PATH=/bin HOME=/tmp LC_ALL=C

/bin/busybox --install -s /bin 2>/dev/null
ln -sf /proc/self/fd /dev/fd
ln -sf /proc/self/fd/1 /dev/stdout
ln -sf /proc/self/fd/2 /dev/stderr
mkdir -p /var/tmp /run
cd /kselftest || exit 1
for name in kprobe_api kretprobe kprobe_debugfs kprobe_stats kprobe_tracefs; do
	tests="$tests -t kprobes:$name.sh"
done
# Through a pipe: the runner opens /dev/stdout again and again, which would
# write over the start of a file.
# shellcheck disable=SC2086 # options
RUNS=1 ./run_kselftest.sh $tests -o 900 2>&1 | cat >/tmp/kselftest.tap
