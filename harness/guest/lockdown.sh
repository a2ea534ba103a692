#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# The kernel is locked down while there are events on functions. TAP on stdout.
cd /kselftest/kprobes && exec ./kprobe_flockdown.sh
