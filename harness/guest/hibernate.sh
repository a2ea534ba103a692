#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A kernel full of probes is hibernated and resumed from its image, at once. TAP
# on stdout. The 9p file system cannot be taken along, so it goes meanwhile.
# shellcheck source=harness/guest/everywhere.sh
. /harness/everywhere.sh
bad=0
driver=/sys/bus/virtio/drivers/9pnet_virtio

# Results are kept here as long as /out is away.
exec 3>&1 >/tmp/tap
everywhere
busybox mkswap /dev/vda >/dev/null
busybox swapon /dev/vda
cat /sys/block/vda/dev >/sys/power/resume
echo test_resume >/sys/power/disk
device=$(basename "$(echo $driver/virtio*)")
cd /
umount /out
echo "$device" >$driver/unbind
before=$(hits)
rc=0
echo disk >/sys/power/state || rc=1
check "hibernated and resumed (exit)" $rc -eq 0
echo "$device" >$driver/bind
mount -t 9p -o trans=virtio,version=9p2000.L,msize=262144 out /out
# The image was made before it was loaded, and knows nothing of that.
check "the image was made" "$(dmesg | grep -c 'hibernation: Need to copy')" -gt 0
check "it is the image that runs" "$(dmesg | grep -c 'Image loading done')" -eq 0
ls -R /proc/sys >/dev/null
check "probes are hit again" "$(hits)" -gt "$before"
echo 0 >$trace/events/everywhere/enable
echo >$trace/kprobe_events
check "and all can go" "$(wc -l </sys/kernel/debug/kprobes/list)" -eq 0
cat /tmp/tap >&3
exit $bad
