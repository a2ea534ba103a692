#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot a kernel of another architecture, which probes itself: arches/init.c. TAP
# on stdout; the last line is "N passed, N failed".
#
# Usage: arch-test.sh CONFIG
#   CONFIG  a name of arches.list; stock-NAME for the base's own kprobes
#   SMP=2 MEM=1G TIMEOUT=1200 APPEND=  as for boot.sh
# In build/runs/CONFIG/: console.log, results, command.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"

CONFIG=${1:?CONFIG}
OBJ=$BUILD/$CONFIG
RUN=$BUILD/runs/$CONFIG
# shellcheck disable=SC2034 # of tap.sh
RESULTS=$BUILD/results-$CONFIG
SRC=$HARNESS/arches

read -r DEBIAN _ TRIPLE IMAGE PACKAGE CONSOLE BOARD <<<"$(arch_row "${CONFIG#stock-}")"

packages() { "$HARNESS/packages.sh" "libc6-dev-$DEBIAN-cross" "$PACKAGE"; }

# Debian 12 has packages for these; for the others, compilers alone.
RELEASED="arm64 armhf ppc64el s390x"

# The kselftests need a shell.
selftests() {
	local root=$BUILD/debian-$DEBIAN p

	case $CONFIG in stock*) return ;; esac
	case " $RELEASED " in *" $DEBIAN "*) ;; *) return ;; esac
	for p in busybox-static bash-static; do
		"$SRC/download.sh" "$DEBIAN" "$p" "$root/$p"
	done
	install "$root/busybox-static/bin/busybox" "$1/bin/busybox"
	install "$root/bash-static/bin/bash-static" "$1/bin/bash"
	install -D -t "$1/harness" "$SRC/selftests.sh" "$HARNESS/guest/kselftest.sh"
	"$HARNESS/kselftest.sh" "$CONFIG" "$1/kselftest"
	find "$1/kselftest" -name '*.ko' -exec "$TRIPLE-strip" --strip-debug {} +
}

make_image() {
	local root=$OBJ/initramfs

	rm -rf "$root"
	mkdir -p "$root"/{dev,proc,sys,tmp,modules,bin}
	selftests "$root"
	"$TRIPLE-gcc" -static -O1 -Wall -o "$root/init" "$SRC/init.c"
	find "$OBJ/samples/kprobes" "$OBJ/lib" -name '*.ko' -exec cp {} "$root/modules/" \;
	"$TRIPLE-strip" --strip-debug "$root"/modules/*.ko
	mknod "$root/dev/console" c 5 1 2>/dev/null || :
	pack "$root" >"$OBJ/initramfs.img"
}

boot() {
	local args w board=() words=()

	rm -rf "$RUN"
	mkdir -p "$RUN"
	for w in $BOARD; do
		case $w in
		+*) words+=("${w#+}") ;;
		*)  board+=("$w") ;;
		esac
	done
	# What the board says comes last, and wins: of -smp, for one.
	args=("${board[0]}" -nodefaults -no-reboot -display none -m "${MEM:-1G}"
		-smp "${SMP:-$(cpus)}" "${board[@]:1}"
		-accel "tcg,thread=${TCG_THREAD:-single}" -kernel "$OBJ/$IMAGE" -initrd "$OBJ/initramfs.img"
		-serial "file:$RUN/console.log"
		-append "console=$CONSOLE panic=-1 ignore_loglevel log_buf_len=1M rcupdate.rcu_cpu_stall_timeout=120 ${words[*]} ${APPEND:-}")
	echo "${args[*]}" >"$RUN/command"
	# No shell is left that an interrupt would end instead.
	exec timeout -k 10 "${TIMEOUT:-1200}" "${args[@]}" </dev/null >"$RUN/emulator.log" 2>&1
}

cpus() { if grep -q '^CONFIG_SMP=y' "$OBJ/.config"; then echo 2; else echo 1; fi; }

# What lies between the marks on the console, without the mark of each line.
results() {
	tr -d '\r' <"$RUN/console.log" |
		sed -n '/^@begin/,/^@done/{s/^@ //p}' >"$RUN/results"
	tr -d '\r' <"$RUN/console.log" | grep -q '^@done'
}

# The suites' reports stand in the results between marks of their own.
split_results() {
	awk -v dir="$RUN" '
		/^@suite / { file = dir "/" $2 ".ktap"; next }
		/^@end/ { close(file); file = ""; next }
		{ print >(file ? file : dir "/init.tap") }' "$RUN/results"
}

# Each report has to be one: what is garbled or missing is no success.
judge() {
	local f suites=0

	for f in "$RUN"/*.ktap; do
		case $f in */\*.ktap | */kselftest.ktap) continue ;; esac
		suites=$((suites + 1))
		report_file < <("$HARNESS/ktap.py" "$CONFIG: kunit: " "$f")
	done
	[ "$suites" -gt 0 ] || report "not ok" "$CONFIG: kunit: no suite has reported"
	f=$RUN/kselftest.ktap
	[ ! -s "$f" ] ||
		report_file < <("$HARNESS/ktap.py" --kselftest "$CONFIG: kselftest: " "$f")
	[ -f "$RUN/init.tap" ] || : >"$RUN/init.tap"
	report_file < <("$HARNESS/ktap.py" "$CONFIG: " "$RUN/init.tap")
}

main() {
	local rc=0

	# Empty, it says that there is no kernel.
	: >"$RESULTS"
	packages
	"$HARNESS/kernel.sh" "$CONFIG"
	step "initramfs $CONFIG" "$LOGS/initramfs-$CONFIG.log" make_image
	in_slot step "boot $CONFIG" "$LOGS/boot-$CONFIG.log" boot || rc=$?
	report "$rc" "$CONFIG: the guest switched itself off (exit $rc)"
	rc=0
	results || rc=1
	report "$rc" "$CONFIG: it said its results ($RUN/console.log)"
	split_results
	judge
	check_console "$CONFIG"
	report_sum || exit 1
}

refuse_numbers JOBS SMP TIMEOUT
main; exit
