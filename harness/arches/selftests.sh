#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In the guest of another architecture: the kselftests that need nothing but a
# shell and busybox. Their results, as the kernel's runner prints them, are in
# /out/kprobes.tap.
export PATH=/bin HOME=/tmp LC_ALL=C

/bin/busybox --install -s /bin 2>/dev/null
ln -sf /proc/self/fd /dev/fd
ln -sf /proc/self/fd/1 /dev/stdout
ln -sf /proc/self/fd/2 /dev/stderr
mkdir -p /var/tmp /run /out
RUNS=1 TESTS=kprobe_api,kretprobe,kprobe_debugfs,kprobe_stats,kprobe_module,kprobe_stress,kprobe_samples \
	sh /harness/kselftest.sh kprobes
