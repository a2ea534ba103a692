#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# ftrace stops for good while there are function probes. TAP on stdout.
cd /kselftest/kprobes && exec ./kprobe_fkill.sh
