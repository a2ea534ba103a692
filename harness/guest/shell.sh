#!/bin/sh
# SPDX-License-Identifier: GPL-2.0
# make shell: this machine's files as the root, with a writable layer on top.
mkdir -p /host /layer
mount -t 9p -o ro,trans=virtio,version=9p2000.L,msize=262144,cache=loose host /host || exit 1
mount -t tmpfs tmpfs /layer
mkdir -p /layer/up /layer/work
mount -t overlay -o lowerdir=/host,upperdir=/layer/up,workdir=/layer/work \
	overlay /newroot || exit 1
for dir in dev proc sys tmp run; do
	mkdir -p "/newroot/$dir"
	mount --rbind "/$dir" "/newroot/$dir"
done
mkdir -p /newroot/lib/modules
cp -r /usr/lib/modules/* /newroot/lib/modules/ 2>/dev/null
mkdir -p /newroot/run/harness
cp -r /harness /kselftest /newroot/run/harness/ 2>/dev/null
command=$(cat /out/command)
# A 32-bit kernel runs no 64-bit program: its root is what it began with.
chroot=chroot root=/newroot
chroot /newroot /bin/true 2>/dev/null || chroot='' root=''
if [ -n "$command" ]; then
	$chroot $root /bin/bash -lc "$command"
	exit
fi
stty sane rows "$(cut -d' ' -f1 /out/size)" cols "$(cut -d' ' -f2 /out/size)"
echo "$(uname -r): probes in /sys/kernel/tracing and /sys/kernel/debug/kprobes"
exec $chroot $root /bin/bash -c 'cd /root; export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin; PS1="(guest) \w\$ " exec bash --norc -i'
