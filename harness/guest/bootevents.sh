#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Events are defined on the kernel's command line. TAP on stdout.
cd /kselftest/kprobes && exec ./kprobe_fboot.sh
