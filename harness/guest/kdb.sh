#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel full of probes stops in the debugger; see harness/kdb.py. TAP on stdout.
# shellcheck source=harness/guest/everywhere.sh
. /harness/everywhere.sh
bad=0

everywhere
before=$(hits)
echo g >/proc/sysrq-trigger
echo "ok - back from the debugger"
ls -R /proc/sys >/dev/null
check "probes are hit after it" "$(hits)" -gt "$before"
exit $bad
