#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The main job on a live kernel, in readable lines: samples/kprobes loaded into
# it, the same function probed through tracefs, and the figures compared with
# the number of calls made.
#
# FUNC=    the kernel function to probe; default do_sys_openat2
# CONFIG=  x86_64 (default)
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-x86_64}

main() {
	"$HARNESS/kernel.sh" "$CONFIG"
	"$HARNESS/initramfs.sh" "$CONFIG"
	say "  .... booting $CONFIG in QEMU"
	NAME=demo TIMEOUT=${TIMEOUT:-300} "$HARNESS/boot.sh" "$CONFIG" -- \
		/harness/demo.sh "${FUNC:-do_sys_openat2}" ||
		die "the demo failed; full logs: $BUILD/runs/demo/"
	"$HARNESS/console.sh" "$BUILD/runs/demo/console.log" ||
		die "the kernel complained (above); full log: $BUILD/runs/demo/console.log"
	echo "the kernel's console was silent; $SECONDS s in all"
}

refuse_config_to_boot "$CONFIG"
refuse_machine
ready
main; exit
