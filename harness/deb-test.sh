#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Install packages that deb.sh makes in a Debian of their own and use them there: a disk
# image with Debian's user space, a boot that installs packages and boot loader, and
# a boot by that boot loader, in which perf, bpftrace and modprobe do their work.
# TAP on stdout; the last line is "N passed, N failed".
#
# Usage: deb-test.sh
#   CONFIG=   deb (default) or stock-deb, see deb.sh
#   KCONFIG=  as there, but not a distributor's: the boot that installs has no initrd, and
#             needs its disk, and the directory that it shares, built in
#   LOCALVERSION=  as there
#   SMP=2  MEM=2G  TIMEOUT=1800 (seconds, for each boot)  ACCEL=tcg or kvm
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"

CONFIG=${CONFIG:-deb}
ROOT=$BUILD/debian-root
RUN=$BUILD/runs/$CONFIG
# Not in a directory of make deb, whose packages are left alone.
DEBS=$BUILD/$CONFIG-test-packages
TREE=$BUILD/linux
case $CONFIG in stock*) TREE=$BUILD/linux-stock ;; esac
SUITE=bookworm
PACKAGES=systemd-sysv,dbus,kmod,zstd,initramfs-tools,grub-pc,linux-perf,bpftrace,gcc,make,libc6-dev
# What of the disk is before the file system, for the boot loader; and the latter.
BEFORE=1 MEGABYTES=2500

make_root() {
	as_root rm -rf "$ROOT" "$ROOT.new"
	as_root debootstrap --variant=minbase "--include=$PACKAGES" $SUITE "$ROOT.new"
	as_root chroot "$ROOT.new" apt-get clean
	as_root cp -r "$HARNESS/deb-root/." "$ROOT.new/"
	as_root ln -s ../harness.service \
		"$ROOT.new/etc/systemd/system/multi-user.target.wants/harness.service"
	as_root mv "$ROOT.new" "$ROOT"
}

user_space() {
	local id

	id=$({ echo "$SUITE $PACKAGES"; find "$HARNESS/deb-root" -type f -exec cat {} +; } | sha256sum)
	stamp_ok "$ROOT.stamp" "$id" && [ -d "$ROOT" ] && return
	step "Debian's user space" "$LOGS/debootstrap.log" make_root
	stamp_set "$ROOT.stamp" "$id"
}

make_disk() {
	rm -f "$RUN/disk"
	truncate -s $((BEFORE + MEGABYTES))M "$RUN/disk"
	echo "start=${BEFORE}MiB, type=83, bootable" | sfdisk -q "$RUN/disk"
	as_root mke2fs -q -t ext4 -E "offset=$((BEFORE << 20))" -d "$ROOT" "$RUN/disk" ${MEGABYTES}M
}

emulator() {
	local cpu=${CPU:-max} accel=${ACCEL:-tcg,thread=single}

	[ "${ACCEL:-tcg}" = tcg ] || cpu=host
	timeout --foreground -k 10 "${TIMEOUT:-1800}" qemu-system-x86_64 -M q35 -nodefaults -no-user-config \
		-display none -no-reboot -accel "$accel" -cpu "$cpu" -smp "${SMP:-2}" -m "${MEM:-2G}" \
		-drive "file=$RUN/disk,if=virtio,format=raw" \
		-virtfs "local,path=$RUN/out,mount_tag=out,security_model=none" \
		-serial "file:$RUN/console.log" "$@" </dev/null
}

# boot JOB ARGUMENTS...: what the job says is in out/log. (A command of "||" does not stop
# at what fails, nor do the functions that it calls.)
boot() {
	local job=$1

	shift
	rm -f "$RUN/out/rc"
	: >"$RUN/out/log"
	cp "$HARNESS/guest/deb-$job.sh" "$RUN/out/job"
	emulator "$@" || return
	[ "$(cat "$RUN/out/rc")" = 0 ]
}

# The packages' own kernel starts the system that has no boot loader yet.
install_packages() {
	cp "$DEBS"/linux-{image,headers}-*.deb "$RUN/out/" || return
	rm -f "$RUN/out"/*-dbg_*
	boot install -kernel "$(realpath "$BUILD/$CONFIG")/arch/x86/boot/bzImage" \
		-append "root=/dev/vda1 rw init=/harness/init console=ttyS0 panic=-1" || return
	rm "$RUN/out"/*.deb
}

main() {
	local rc=0

	CONFIG=$CONFIG "$HARNESS/deb.sh" "$DEBS" >&2
	user_space
	rm -rf "$RUN"
	mkdir -p "$RUN/out"
	step "a disk with it" "$LOGS/$CONFIG-disk.log" make_disk
	step "install the packages" "$LOGS/$CONFIG-install.log" install_packages || rc=$?
	report $rc "install image and headers, update-initramfs, grub-install"
	[ $rc -eq 0 ] || { tail -n 20 "$RUN/out/log"; report_sum; return 1; }
	mv "$RUN/console.log" "$RUN/console-install.log"
	mkdir "$RUN/out/samples"
	cp -r "$TREE"/samples/{kprobes,fprobe} "$RUN/out/samples/"
	step "boot by the boot loader, and test" "$LOGS/$CONFIG-test.log" boot use || rc=$?
	report $rc "boots, comes to its end and switches off"
	report_file < <("$HARNESS/ktap.py" "" "$RUN/out/log")
	check_console "$CONFIG"
	report_sum
}

case $CONFIG in deb | stock-deb) ;; *) die "CONFIG=$CONFIG: there are deb stock-deb" ;; esac
refuse_kconfig VIRTIO_PCI VIRTIO_BLK EXT4_FS NET_9P NET_9P_VIRTIO 9P_FS
refuse_localversion
refuse_machine
ready debootstrap fdisk e2fsprogs
with_lock "test-$CONFIG" main; exit
