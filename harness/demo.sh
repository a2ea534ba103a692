#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The main job on a live kernel, in readable lines: samples/kprobes loaded into
# it, the same function probed through tracefs, and the figures compared with
# the number of calls made.
#
# FUNC=    what to probe: a function, module:function or function+offset;
#          default do_sys_openat2
# CONFIG=  demo (default), or another one that has the samples
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-demo}
FUNC=${FUNC:-do_sys_openat2}
VMLINUX=$BUILD/$CONFIG/vmlinux
# Of the first make demo: gigabytes in build/, and minutes on two idle cores.
DISK=3
MINUTES_FIRST=9

# What it takes, before it is taken.
announce() {
	local free

	if [ -f "$VMLINUX" ]; then
		say "make demo: about a minute, if little has changed since CONFIG=$CONFIG was built"
		return
	fi
	free=$(($(stat -f -c '%a * %S' "$BUILD") >> 30))
	say "make demo: the first time, $MINUTES_FIRST minutes on two cores and $DISK GB in ${BUILD#"$TOP"/}/ ($free GB are free); then a minute"
	[ "$free" -ge "$DISK" ] || die "$DISK GB are needed in $BUILD, $free GB are free"
}

# When a build began that went well: what was changed since may be built anew.
BUILT=$BUILD/demo-$CONFIG.built

up_to_date() {
	[ -f "$VMLINUX" ] && [ -f "$BUILT" ] && [ -z "$(cd "$TOP" && find include kernel arch \
		samples glue harness/configs -newer "$BUILT" -print -quit)" ]
}

build() {
	touch "$BUILT.new"
	"$HARNESS/kernel.sh" "$CONFIG"
	mv "$BUILT.new" "$BUILT"
}

check_func() { "$HARNESS/func.py" "$BUILD/$CONFIG" "$FUNC" || exit; }

main() {
	announce
	build
	check_func
	"$HARNESS/initramfs.sh" "$CONFIG"
	say "  .... booting $CONFIG in QEMU"
	NAME=demo TIMEOUT=${TIMEOUT:-300} APPEND="kunit.enable=0 ${APPEND:-}" \
		"$HARNESS/boot.sh" "$CONFIG" -- /harness/demo.sh "$FUNC" ||
		die "the demo failed; full logs: $BUILD/runs/demo/"
	"$HARNESS/console.sh" "$BUILD/runs/demo/console.log" ||
		die "the kernel complained (above); full log: $BUILD/runs/demo/console.log"
	echo "the kernel's console was silent; $SECONDS s in all"
}

refuse_config_to_boot "$CONFIG"
refuse_arch "$CONFIG" test
refuse_machine
[[ $FUNC =~ ^([A-Za-z0-9_-]+:)?[A-Za-z_][A-Za-z0-9_.]*(\+(0x[0-9a-fA-F]+|[0-9]+))?$ ]] ||
	die "FUNC=$FUNC: give a function, module:function or function+offset"
if up_to_date; then check_func; fi
choose_emulator "$CONFIG"
ready
main; exit
