#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Jprobes that a module leaves registered when it goes, at functions of another
# module or of the kernel: they are unregistered for it. LIVES= says how often the
# module comes and goes while these functions are called.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

PLACES="plain entry asm"
AT=kprobe_target:kt_plain,kprobe_target:kt_entry,kprobe_target:kt_asm
LEFT=/sys/module/kprobe_leave/parameters
LIVES=${LIVES:-10}

# jprobes: how many the list has.
jprobes() { grep -cE '^[0-9a-f]+  j  ' $KPROBES/list; }

# said N: how often the log says that the module has left N jprobes.
said() { dmesg | grep -c "kprobe_leave goes, and has left $1 jprobes registered"; }

# leave N: it goes, the log says so once more, and no jprobe is left.
leave() {
	local before

	before=$(said "$1")
	check "the module goes" "$(rmmod kprobe_leave && echo ok)" ok
	check "it is said to have left $1" $(($(said "$1") - before)) 1
	check "no jprobe is left" "$(jprobes)" 0
}

# Other probes at these functions stay, and miss nothing.
at_another_module() {
	local f

	for f in $PLACES; do place now p "$f" "kprobe_target:kt_$f"; done
	load kprobe_leave at=$AT
	check "a handler in init text" "$(cat $LEFT/init_text)" -22
	check "jprobes" "$(jprobes)" 3
	for f in $PLACES; do check "hits beside it, at kt_$f()" "$(hits_of "$f" "$f" 20)" 20; done
	check "hits of the jprobes" "$(cat $LEFT/hits)" 60
	leave 3
	for f in $PLACES; do check "hits without it, at kt_$f()" "$(hits_of "$f" "$f" 20)" 20; done
	for f in $PLACES; do remove "$f"; done
}

# Two at a function that other tasks call, too.
at_the_kernel() {
	local hits

	load kprobe_leave at=do_sys_openat2,do_sys_openat2
	check "jprobes" "$(jprobes)" 2
	for _ in $(seq 20); do : </proc/version; done
	hits=$(cat $LEFT/hits)
	check "at least two hits for each file that was opened" $((hits >= 40)) 1
	leave 2
	for _ in $(seq 20); do : </proc/version; done
}

# The function has gone before it.
at_what_is_gone() {
	load kprobe_leave at=kprobe_target:kt_plain
	place now j stays kprobe_target:kt_plain
	unload kprobe_target
	check "both are gone" "$(grep -cE '^[0-9a-f]+  j  .*\[GONE\]' $KPROBES/list)" 2
	check "the module goes" "$(rmmod kprobe_leave && echo ok)" ok
	check "the other one is left" "$(jprobes)" 1
	check "it knows that it is gone" "$(field stays gone)" 1
	remove stays
	check "no jprobe is left" "$(jprobes)" 0
	load kprobe_target
}

# call_on STOP CALLS: call the functions until there is a file STOP, and write how
# often each was called.
call_on() {
	local f n=0

	while [ ! -e "$1" ] && loaded kprobe_target; do
		for f in $PLACES; do call "$f" 500; done
		n=$((n + 500))
	done
	echo $n >"$2"
}

# A CPU is in the handlers while the module goes. No call is lost.
while_called() {
	local dir f before

	dir=$(mktemp -d)
	for f in $PLACES; do place now p "$f" "kprobe_target:kt_$f"; done
	before=$(said 3)
	call_on "$dir/stop" "$dir/calls" &
	for _ in $(seq "$LIVES"); do
		load kprobe_leave at=$AT
		while [ "$(cat $LEFT/hits)" -lt 100 ]; do sleep 0.1; done
		rmmod kprobe_leave
	done
	touch "$dir/stop"
	wait
	check "it is said each time" $(($(said 3) - before)) "$LIVES"
	check "no jprobe is left" "$(jprobes)" 0
	for f in $PLACES; do
		check "hits of another probe at kt_$f()" "$(field "$f" hits)" "$(cat "$dir/calls")"
		remove "$f"
	done
	rm -r "$dir"
}

begin
grep -q ' register_jprobe$' /proc/kallsyms || skip_all "no jprobes in this kernel"
load kprobe_target
load kprobe_prober
check "no jprobe to begin with" "$(jprobes)" 0
at_another_module
at_the_kernel
at_what_is_gone
while_called
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
