#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# A torture test for so many seconds. Usage: torture.sh KSELFTEST SECONDS [SEED]
cd /kselftest/kprobes || exit 1
[ -z "$3" ] || export SEED="$3"
TORTURE_SECONDS=$2 exec "./$1.sh" >/out/torture.tap 2>&1
