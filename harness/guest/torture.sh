#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The torture test of kprobes for so many seconds. Usage: torture.sh SECONDS
cd /kselftest/kprobes || exit 1
TORTURE_SECONDS=$1 ./kprobe_torture.sh 2>&1 | tee /out/torture.tap
