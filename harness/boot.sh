#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Boot build/CONFIG in an emulator, run a command in the guest, give its output
# and its exit code.
#
# Usage: boot.sh CONFIG -- COMMAND [ARGUMENTS...]
#   COMMAND runs in the guest; harness/guest/* are in /harness there, the
#   kselftests in /kselftest. What it writes into /out is in RUN/out after.
#   NAME=     of the run; default CONFIG. RUN is build/runs/NAME: console.log
#             (the kernel's), result.log (the command's), out/
#   MACHINE=  qemu (default) or bochs, see bochs.sh: ACCEL, CPU, ICOUNT are QEMU's
#   CPU=      the emulated CPU; default max
#   ACCEL=    tcg (default) or kvm     SMP=2  MEM=2G  TIMEOUT=900 (seconds)
#   APPEND=   more kernel parameters
#   ICOUNT=1  count instructions: one CPU, time is the number of them
#   QEMU=     the emulator; default qemu-system-x86_64
#   TCG_THREAD=single (default) or multi: a host's thread for each CPU; faster,
#             but see below
#   IN=       a directory; what is in it is in /out
#   KEXEC=1   the kernel and its initramfs are in /out, too
#   DISK=     the size of an empty disk, /dev/vda
#   KEYS=     a program that types at the console: it gets the path of a socket
#   QUIET=1   do not copy the command's output to stdout
# Exit code: the command's; 124 when time ran out; 125 when the guest died.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/bochs.sh"

CONFIG=${1:?CONFIG}
[ "${2:-}" = -- ] || die "usage: boot.sh CONFIG -- COMMAND [ARGUMENTS...]"
shift 2
QEMU=${QEMU:-qemu-system-x86_64}
MACHINE=${MACHINE:-qemu}
case $MACHINE in qemu | bochs) ;; *) die "no MACHINE=$MACHINE; there are qemu bochs" ;; esac
OBJ=$BUILD/$CONFIG
RUN=$BUILD/runs/${NAME:-$CONFIG}

job() {
	local w

	echo '#!/bin/sh'
	printf 'exec'
	for w in "$@"; do printf " '%s'" "${w//\'/\'\\\'\'}"; done
	echo
}

console_device() {
	if [ -n "${KEYS:-}" ]; then
		echo "socket,id=con,path=$RUN/console,server=on,wait=off,logfile=$RUN/console.log"
	else
		echo "file,id=con,path=$RUN/console.log"
	fi
}

qemu_args() {
	local accel=${ACCEL:-tcg}

	ARGS=("$QEMU" -M q35 -nodefaults -no-user-config -display none
		-no-reboot -m "${MEM:-2G}"
		-kernel "$OBJ/arch/x86/boot/bzImage" -initrd "$OBJ/initramfs.img"
		-chardev "$(console_device)"
		-serial chardev:con
		-chardev "file,id=res,path=$RUN/result.log"
		-serial chardev:res
		-virtfs "local,path=$RUN/out,mount_tag=out,security_model=none")
	if [ -n "${ICOUNT:-}" ]; then
		ARGS+=(-accel tcg -cpu "${CPU:-max}" -smp 1 -icount "shift=0,sleep=off")
	elif [ "$accel" = tcg ]; then
		# With a thread for each CPU, QEMU drops the translation of text
		# first and writes to it then. Another CPU that translates it in
		# between executes the old bytes for ever: a breakpoint that has
		# gone is met again and again, or one that has come is not met.
		ARGS+=(-accel "tcg,thread=${TCG_THREAD:-single}" -cpu "${CPU:-max}" -smp "${SMP:-2}")
	else
		ARGS+=(-accel "$accel" -cpu host -smp "${SMP:-2}")
	fi
	if [ -n "${DISK:-}" ]; then
		truncate -s "$DISK" "$RUN/disk"
		ARGS+=(-drive "file=$RUN/disk,if=virtio,format=raw")
	fi
	ARGS+=(-append "console=ttyS0 $PARAMETERS")
}

# An emulated CPU may wait long for its turn on a busy machine: the kernel is told
# not to call that a stall so soon, nor a timer that does not work.
PARAMETERS="panic=-1 oops=panic ignore_loglevel log_buf_len=4M no_timer_check \
rcupdate.rcu_cpu_stall_timeout=120 watchdog_thresh=60 ${APPEND:-}"

died() {
	say "  FAIL $1"
	say "  last lines of the console:"
	tail -n 30 "$RUN/console.log" | sed 's/^/    | /' >&2
	say "  full logs: $RUN/console.log $RUN/result.log"
	exit "$2"
}

run_emulator() {
	local rc=0 pid tailpid=

	timeout -k 10 "${TIMEOUT:-900}" "${ARGS[@]}" </dev/null >"$RUN/emulator.log" 2>&1 &
	pid=$!
	trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
	if [ -z "${QUIET:-}" ]; then
		tail -n +1 -f --pid="$pid" -s 0.2 "$RUN/result.log" &
		tailpid=$!
	fi
	wait "$pid" || rc=$?
	trap - INT TERM
	[ -z "$tailpid" ] || wait "$tailpid" || :
	return "$rc"
}

main() {
	local rc=0

	[ -f "$OBJ/arch/x86/boot/bzImage" ] ||
		die "CONFIG=$CONFIG is not built (make kernel CONFIG=$CONFIG)"
	"$HARNESS/initramfs.sh" "$CONFIG"
	rm -rf "$RUN"
	mkdir -p "$RUN/out"
	[ -z "${IN:-}" ] || cp -r "$IN/." "$RUN/out/"
	if [ -n "${KEXEC:-}" ]; then
		cp "$OBJ/arch/x86/boot/bzImage" "$RUN/out/kernel"
		cp "$OBJ/initramfs.img" "$RUN/out/initrd"
	fi
	: >"$RUN/result.log"
	: >"$RUN/console.log"
	job "$@" >"$RUN/out/job"
	chmod +x "$RUN/out/job"
	"${MACHINE}_args"
	echo "${ARGS[*]}" >"$RUN/command"
	[ -z "${KEYS:-}" ] || "$KEYS" "$RUN/console" >"$RUN/keys.log" 2>&1 &
	run_emulator || rc=$?
	# Bochs exits with 1, or crashes, when the guest switches itself off.
	if [ "$MACHINE" = bochs ]; then
		bochs_collect
		! grep -q 'soft power off' "$RUN/emulator.log" || rc=0
	fi
	if [ "$rc" -eq 124 ] || [ "$rc" -eq 137 ]; then
		died "guest ($*): time ran out after ${TIMEOUT:-900} s" 124
	elif [ "$rc" -ne 0 ]; then
		cat "$RUN/emulator.log" >&2
		died "$MACHINE (exit $rc)" 125
	elif [ ! -s "$RUN/out/rc" ]; then
		died "guest ($*): the kernel died" 125
	fi
	exit "$(cat "$RUN/out/rc")"
}

main "$@"; exit
