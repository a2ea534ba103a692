#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# The modules of samples/kprobes that the manual's page on the older interface explains:
# what they print and count, against known numbers of calls.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

# Programs of this name are meant by comm=. It is this shell's, while it calls.
NAME=kprobe_samples_
CALLS=20
PRINTS=3

# as_meant COMMAND...: in a shell of that name.
as_meant() { (echo $NAME >/proc/$BASHPID/comm; "$@"); }

# A subshell is one fork().
forks() { local i; for ((i = 0; i < CALLS; i++)); do (:); done; }

# Opened by the shell itself, once each: every third is there.
opens() {
	local i

	for ((i = 0; i < 3 * CALLS; i++)); do
		if [ $((i % 3)) = 0 ]; then : </proc/version; else : <"/nowhere/$i"; fi
	done 2>/dev/null
}

# sample MODULE COMMAND: load it, call, unload; what it says is in LOG then.
sample() {
	local module=$1

	shift
	if ! modprobe -n "$module" 2>/dev/null; then
		ktap_test_skip "$module is not built"
		return 1
	fi
	dmesg -C
	check "$module is loaded" \
		"$(modprobe "$module" comm=$NAME max_prints=$PRINTS && echo ok)" ok
	as_meant "$@"
	"$@" 2>/dev/null
	check "$module is unloaded" "$(rmmod "$module" && echo ok)" ok
	LOG=$(dmesg)
	says "$module: complaints of the kernel" "$ALARM" 0
}

# says WHAT REGEXP LINES: in how many lines of the log it is.
says() { check "$1" "$(grep -cE "$2" <<<"$LOG")" "$3"; }

fork_dump() {
	local each="kprobe_fork: [0-9]+: $NAME\[[0-9]+\] at kernel_clone\+0x"
	local all="$CALLS calls, $CALLS behind the instruction, 0 faults, 0 missed"

	sample kprobe_fork forks || return
	says "calls printed" "$each" $PRINTS
	says "each with its registers" 'ip 0x[0-9a-f]+, sp 0x[0-9a-f]+$' $PRINTS
	says "and with a stack" 'Call [Tt]race:|Backtrace:' $PRINTS
	says "calls counted" "kprobe_fork: $all" 1
}

failed_opens() {
	local each="kretprobe_open: [0-9]+: open by $NAME\[[0-9]+\] failed: (-2|-ENOENT)$"
	local all="$((2 * CALLS)) of $((3 * CALLS + 1)) calls failed, 0 missed"

	sample kretprobe_open opens || return
	says "failures printed" "$each" $PRINTS
	says "failures counted" "kretprobe_open: $all" 1
}

# fork() of the C library asks for SIGCHLD, and for no stack of its own.
arguments() {
	local each="jprobe_example: [0-9]+: by $NAME\[[0-9]+\], flags 0x"

	sample jprobe_example forks || return
	says "calls printed" "$each" $PRINTS
	says "with their arguments" 'flags 0x1200000, signal 17, stack 0x0, stack size 0x0$' $PRINTS
	says "calls counted" "jprobe_example: $CALLS calls, 0 missed" 1
}

# A stack that was asked for is no alarm: the console is not told of it.
IGNORE=/sys/module/printk/parameters/ignore_loglevel
quiet() {
	LEVELS=$(cat /proc/sys/kernel/printk)
	IGNORED=$(cat $IGNORE)
	echo N >$IGNORE
	dmesg -n 1
	trap loud EXIT
}

loud() {
	echo "$LEVELS" >/proc/sys/kernel/printk
	echo "$IGNORED" >$IGNORE
	unload kprobe_fork kretprobe_open jprobe_example
	put_back
}

begin
quiet
fork_dump
failed_opens
arguments
finish
