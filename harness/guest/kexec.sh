#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel full of probes starts another one, which finishes the job. TAP on
# stdout. The kernel and the initramfs are in /out.
# shellcheck source=harness/guest/everywhere.sh
. /harness/everywhere.sh
bad=0

if grep -q harness=second /proc/cmdline; then
	everywhere
	check "the second kernel takes probes" "$(wc -l </sys/kernel/debug/kprobes/list)" -gt 100
	check "and they are hit" "$(hits)" -gt 1000
	exit $bad
fi
everywhere
check "many probes are hit" "$(hits)" -gt 1000
kexec -c -l /out/kernel --initrd=/out/initrd --append="$(cat /proc/cmdline) harness=second" || exit 1
echo "# on to the second kernel"
sync
kexec -e
echo "not ok - the second kernel starts"
exit 1
