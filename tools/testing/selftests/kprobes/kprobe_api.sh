#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The kprobe API, tested by a module.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

begin
load kprobe_target
cases kprobe_api
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
check "no probe is left" "$(grep -c kt_ $KPROBES/list)" 0
finish
