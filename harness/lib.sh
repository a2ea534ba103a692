# SPDX-License-Identifier: GPL-2.0
# Sourced by the harness scripts: paths, progress lines, logs, stamps.
# shellcheck shell=bash

set -Eeuo pipefail
STEP_FAILED=
# No script may end without a word: what set -e stops at is named.
trap '[ -n "$STEP_FAILED" ] || echo "error: ${BASH_SOURCE[0]##*/}:$LINENO: $BASH_COMMAND" >&2' ERR

HARNESS=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
TOP=$(dirname "$HARNESS")
BUILD=${BUILD:-$TOP/build}
LOGS=$BUILD/logs
JOBS=${JOBS:-$(nproc)}
mkdir -p "$LOGS"
export LC_ALL=C
# The home of sfdisk and mke2fs, which on Debian is not in a user's PATH.
case :$PATH: in *:/usr/sbin:*) ;; *) PATH=$PATH:/usr/sbin:/sbin ;; esac

say() { printf '%s\n' "$*" >&2; }
die() { say "error: $*"; exit 1; }
case $TOP in *[[:space:]:]*) die "$TOP: the kernel is not built in a path with blanks or colons" ;; esac

# as_root COMMAND...: with files of other users, devices, the package manager.
as_root() { if [ "$(id -u)" -eq 0 ]; then "$@"; else sudo "$@"; fi; }

# step NAME LOGFILE COMMAND...: run a command with its output in a log file
# and one progress line on the terminal; the elapsed seconds are brought up to
# date in place when stderr is a terminal, and printed at the end otherwise.
# On failure the end of the log is shown and the file is named.
step() {
	local name=$1 log=$2 start=$SECONDS pid rc=0 ticker=
	shift 2

	mkdir -p "$(dirname "$log")"
	"$@" >"$log" 2>&1 </dev/null &
	pid=$!
	if [ -t 2 ]; then
		step_ticker "$name" "$start" "$log" "$pid" &
		ticker=$!
	else
		say "  .... $name"
	fi
	# An interrupted harness must not leave a compiler running behind.
	trap 'kill "$pid" 2>/dev/null; exit 130' INT TERM
	wait "$pid" || rc=$?
	trap - INT TERM
	if [ -n "$ticker" ]; then
		kill "$ticker" 2>/dev/null || :
		wait "$ticker" 2>/dev/null || :
		printf '\r\033[K' >&2
	fi
	if [ "$rc" -ne 0 ]; then
		say "  FAIL $name (exit $rc, $((SECONDS - start)) s)"
		tail -n 25 "$log" | sed 's/^/    | /' >&2
		say "  full log: $log"
		STEP_FAILED=1
		return "$rc"
	fi
	say "  done $name ($((SECONDS - start)) s)"
}

step_ticker() {
	local name=$1 start=$2 log=$3 pid=$4

	while kill -0 "$pid" 2>/dev/null; do
		printf '\r\033[K  .... %s (%d s, log: %s)' \
			"$name" $((SECONDS - start)) "${log#"$TOP"/}" >&2
		sleep 1
	done
}

# pack DIRECTORY: an archive that the kernel unpacks, on stdout.
pack() { (cd "$1" && find . | LC_ALL=C sort | cpio -o -H newc --quiet -R 0:0 | gzip -1); }

# A stamp tells what a result was made from; it is written last, in one move.
stamp_ok() { [ -f "$1" ] && [ "$(cat "$1")" = "$2" ]; }
stamp_set() { printf '%s\n' "$2" >"$1.tmp" && mv "$1.tmp" "$1"; }

# with_lock NAME COMMAND...: two harness commands may run at once in one
# checkout; what changes a tree takes its lock.
with_lock() {
	local name=$1

	shift
	exec 9>"$BUILD/.lock.$name"
	if ! flock -n 9; then
		say "  .... waiting for another harness command ($name)"
		flock 9
	fi
	"$@" 9>&-
	exec 9>&-
}

# in_slot COMMAND...: an emulator is one busy thread, and too many at once run
# into timeouts. As many as JOBS run at a time, over all the tests of this
# checkout; the others wait here.
in_slot() {
	local n rc=0

	while :; do
		for n in $(seq "$JOBS"); do
			exec 8>"$BUILD/.slot.$n"
			flock -n 8 || continue
			"$@" 8>&- || rc=$?
			exec 8>&-
			return "$rc"
		done
		sleep 1
	done
}
