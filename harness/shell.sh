#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# A shell in build/CONFIG, on this terminal: this machine's file system is its
# root, read-only over 9p, with a layer in memory on top so that /tmp, /run and
# even /etc can be written; all of that is gone when the guest stops. Modules
# of the kernel are found by modprobe. Leave with exit or Ctrl-D, kill with
# Ctrl-A X. Where the kernel cannot run this machine's programs, the guest's tools
# are the root, and this machine's files are in /host.
#
# Usage: shell.sh [CONFIG] [COMMAND]; ACCEL= SMP= MEM= APPEND= as for boot.sh
#   PORT=  stop before the first instruction, until gdb comes to this TCP port
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${1:-x86_64}
OBJ=$BUILD/$CONFIG
RUN=$BUILD/runs/shell

main() {
	local cpu=${CPU:-max} log

	"$HARNESS/kernel.sh" "$CONFIG"
	"$HARNESS/initramfs.sh" "$CONFIG"
	mkdir -p "$RUN/out"
	rm -f "$RUN/out"/*
	log=$RUN/console.log
	printf '%s\n' "${2:-}" >"$RUN/out/command"
	stty size >"$RUN/out/size" 2>/dev/null || echo '24 80' >"$RUN/out/size"
	[ "${ACCEL:-tcg}" = tcg ] || cpu=host
	say "  booting $CONFIG; the kernel's console goes to $log"
	"${QEMU:-qemu-system-x86_64}" -M q35 -nodefaults -no-user-config -display none -no-reboot \
		-accel "${ACCEL:-tcg}" -cpu $cpu -smp "${SMP:-2}" -m "${MEM:-2G}" \
		-kernel "$OBJ/arch/x86/boot/bzImage" -initrd "$OBJ/initramfs.img" \
		-chardev "file,id=con,path=$log" -serial chardev:con \
		-chardev stdio,id=term,mux=on,signal=off -serial chardev:term \
		-mon chardev=term \
		-virtfs "local,path=$RUN/out,mount_tag=out,security_model=none" \
		-virtfs local,path=/,mount_tag=host,security_model=none,readonly=on,multidevs=remap \
		${PORT:+-S -gdb "tcp:127.0.0.1:$PORT"} \
		-append "console=ttyS0 panic=-1 oops=panic harness=shell TERM=${TERM:-dumb} ${APPEND:-}"
	[ -s "$RUN/out/rc" ] || die "the kernel died; its console: $log"
	exit "$(cat "$RUN/out/rc")"
}

refuse_config_to_boot "$CONFIG"
refuse_arch "$CONFIG" test
refuse_machine
choose_emulator "$CONFIG"
ready
main "$@"; exit
