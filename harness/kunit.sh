#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot build/CONFIG without a user space, on an x86 machine that need not have PCI:
# its KUnit suites run as it boots, report on the console, and restart it, which
# ends the emulator. TAP on stdout; the last line is "N passed, N failed".
# Which suites are in does not matter, but one has to be: lean.config has the base's.
#
# Usage: kunit.sh CONFIG; NAME= CPU= SMP= MEM=512M APPEND= TIMEOUT= as for boot.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"

CONFIG=${1:?CONFIG}
NAME=${NAME:-kunit-$CONFIG}
RUN=$BUILD/runs/$NAME

boot() {
	local args words

	rm -rf "$RUN"
	mkdir -p "$RUN"
	words="console=ttyS0 panic=-1 oops=panic ignore_loglevel log_buf_len=1M"
	words+=" rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60"
	words+=" kunit.enable=1 kunit_shutdown=reboot"
	args=("${QEMU:-qemu-system-x86_64}" -M q35 -nodefaults -no-user-config -display none
		-no-reboot -m "${MEM:-512M}" -accel "tcg,thread=single" -cpu "${CPU:-max}" -smp "${SMP:-2}"
		-kernel "$BUILD/$CONFIG/arch/x86/boot/bzImage" -serial "file:$RUN/console.log"
		-append "$words ${APPEND:-}")
	echo "${args[*]}" >"$RUN/command"
	# No shell is left that an interrupt would end instead.
	exec timeout -k 10 "${TIMEOUT:-900}" "${args[@]}" </dev/null >"$RUN/emulator.log" 2>&1
}

# What the suites said, without the times before each line.
report_lines() {
	tr -d '\r' <"$RUN/console.log" | sed -nE 's/^\[[^]]*\] ?//; /^KTAP version/,$p' |
		{ grep -E '^ *(KTAP|1\.\.|ok|not ok|#)' || :; }
}

main() {
	local rc=0

	choose_emulator "$CONFIG"
	in_slot step "boot $NAME" "$LOGS/boot-$NAME.log" boot || rc=$?
	report "$rc" "$NAME: it came to its end (exit $rc)"
	report_lines >"$RUN/kunit.ktap"
	report_file < <("$HARNESS/ktap.py" "$NAME: kunit: " "$RUN/kunit.ktap")
	check_console "$NAME"
	report_sum || exit 1
}

main; exit
