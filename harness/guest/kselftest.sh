#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# Run one collection of kselftests with the kernel's own runner.
# Usage: kselftest.sh COLLECTION
cd /kselftest || exit 1
# Through a pipe: the runner opens /dev/stdout again and again, which would
# write over the start of a file.
./run_kselftest.sh -c "$1" -o "${KSELFTEST_TIMEOUT:-900}" 2>&1 | cat >"/out/$1.tap"
