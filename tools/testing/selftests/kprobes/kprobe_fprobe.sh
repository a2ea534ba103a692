#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Function probes on a module that comes and goes, and what debugfs shows of them:
# LIVES= says how often it comes and goes while fprobes do so, too.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FPROBES=$DEBUGFS/fprobes
# Read by probe() and field() of lib.sh.
# shellcheck disable=SC2034
PROBER=$DEBUGFS/fprobe_prober
LIVES=${LIVES:-20}
OUT=$(mktemp)

# armed PATTERN: how many functions ftrace calls out from.
armed() { grep -cE "$1" $TRACEFS/enabled_functions; }

# figures NAME: entries, exits, misses, functions.
figures() {
	echo "$(field "$1" hits) $(field "$1" exits) $(field "$1" missed)" \
		"$(field "$1" sites)"
}

counts() {
	place now x pair kprobe_target:kt_entry
	place now a args kprobe_target:kt_entry
	place now e entry 'kt_entr*'
	call entry 100
	check "with exits" "$(figures pair)" "100 100 0 1"
	check "content with arguments" "$(figures args)" "100 100 0 1"
	check "a pattern" "$(figures entry)" "100 0 0 2"
	check "lines of debugfs" "$(grep -c 'kt_entry' $FPROBES/list)" "$(ways 3 2)"
	check_match "the line of a function" "$(grep 'full.* kt_entry+' $FPROBES/list)" \
		'[0-9a-f]{8,16}  full  [23]  kt_entry\+.* on_entry .*<-on_exit.*'
	check "functions that are armed" "$(armed '^kt_')" 2
	remove pair
	remove args
	remove entry
	check "functions that are armed, without fprobes" "$(armed '^kt_')" 0
	check "lines of debugfs without fprobes" "$(grep -c kt_ $FPROBES/list)" 0
}

# ways A B: A if the architecture has a way for arguments only.
ways() { if grep -q 'functions args' $FPROBES/stats; then echo "$1"; else echo "$2"; fi; }

# Names in an array: of the kernel, of modules, and some twice.
names() {
	place syms e many kt_entry2,vfs_read,kt_entry,kprobe_target:kt_entry,kt_entry2
	check "names of the kernel and of a module" "$(field many sites)" 3
	call entry 10
	check_match "calls of them" "$(field many hits)" '[1-9][0-9]+'
	remove many
	check "one without a site among names" \
		"$(probe syms e many kt_entry2,kt_plain,vfs_read)" ENOENT
	check "one that is not there" "$(probe syms e many no_such,kt_entry,vfs_read)" ENOENT
	check "a pattern among names" "$(probe syms e many kt_entry,kt_entr?)" ENOENT
	check "functions that are armed after that" "$(armed '^kt_')" 0
}

refusals() {
	check "a function that has no site" "$(probe now x a kprobe_target:kt_plain)" ENOENT
	check "a module that is not there" "$(probe now x a no_such:kt_entry)" ENOENT
	check "a function of another module" "$(probe now x a fprobe_prober:kt_entry)" ENOENT
	check "a list with an empty word" "$(probe now x a kt_entry,)" ENOENT
	check "an empty one among names" "$(probe syms x a kt_entry,)" ENOENT
	check "a module behind the first word of a list" \
		"$(probe now x a kt_entry,kprobe_target:kt_entry2)" EINVAL
	place now x a kprobe_target:kt_entry,kt_entry2
	check "a module in the first word" "$(field a sites)" 2
	remove a
}

# What is loaded in the place of a module is not probed; what names it, is.
modules() {
	place now x bare kt_entry
	place now x named kprobe_target:kt_entry
	place now x init 'kprobe_target:kt_[ei]n[ti]*'
	call entry 5
	check "a name" "$(figures bare)" "5 5 0 1"
	check "a name with its module" "$(figures named)" "5 5 0 1"
	check "a pattern with the module" "$(figures init)" "5 5 0 2"
	unload kprobe_target
	check "functions of a module that is gone" "$(armed kt_)" 0
	check "without it" "$(field bare sites) $(field named sites) $(field init sites)" "0 0 0"
	load kprobe_target
	# It has called a function of its init text three times.
	check "calls before the module is up" "$(figures init)" "8 8 0 2"
	check "init text in the list, when it is gone" "$(grep -c kt_init_text $FPROBES/list)" 0
	call entry 7
	check "a name, when it is loaded again" "$(figures bare)" "5 5 0 0"
	check "with its module" "$(figures named)" "12 12 0 1"
	remove bare
	remove named
	remove init
	check "functions that are armed at the end" "$(armed kt_)" 0
}

# A live patch is asked before any notifier, and says no: nobody will hear that the text
# of the module goes.
too_early() {
	[ -f "$DIR/test_modules/kprobe_early.ko" ] || return
	unload kprobe_target
	load kprobe_early
	check "a module that a live patch turns away" \
		"$(insmod "$DIR/test_modules/kprobe_target.ko" 2>/dev/null && echo ok)" ""
	check "an fprobe in it before that" "$(cat /sys/module/kprobe_early/parameters/fplaced)" -2
	check "functions of it that are left" "$(grep -c . $FPROBES/list)" 0
	unload_patch kprobe_early
	load kprobe_target
}

come_and_go() {
	local i

	for ((i = 0; i < LIVES; i++)); do
		insmod "$DIR/test_modules/kprobe_target.ko" 2>/dev/null ||
			modprobe kprobe_target
		rmmod kprobe_target
	done
}

race() {
	local pid both

	unload kprobe_target
	come_and_go &
	pid=$!
	while kill -0 $pid 2>/dev/null; do
		probe now x one kprobe_target:kt_entry
		probe now a two 'kt_entry*'
		probe remove - one -
		probe remove - two -
	done >"$OUT"
	wait $pid
	# What placing each has said, and removing it.
	both=$(paste - - - - <"$OUT" | awk '{ print $1, $3; print $2, $4 }' | sort | uniq -c)
	ktap_print_msg "$both"
	check "some are placed, and some not, for there is no module" \
		"$(awk '{ print $2, $3 }' <<<"$both" | paste -sd,)" "ENOENT ENODEV,ok ok"
	check "functions that are armed after the race" "$(armed kt_)" 0
	check "the table after the race" "$(grep -c kt_ $FPROBES/list)" 0
	check "the module can be loaded" "$(load kprobe_target && echo ok)" ok
	place now x last kprobe_target:kt_entry
	call entry 10
	check "and counts" "$(figures last)" "10 10 0 1"
	remove last
}

# bpf KIND FUNCTIONS COMMAND: what a program says that is attached to the functions while
# the command runs. On a busy machine it may take long to be so.
bpf() {
	# shellcheck disable=SC2086 # words
	"$DIR/fprobe_bpf" "$1" $2 >"$OUT" 2>&1 &
	for _ in $(seq 600); do
		! grep -q . "$OUT" || break
		sleep 0.1
	done
	"$3"
	kill -TERM $! 2>/dev/null
	wait $!
	tr '\n' ' ' <"$OUT"
}

# The second in the list a hundred times, the first once.
call_two() { call entry 100; call entry2 1; }
bpf_of_two() { bpf "$1" "kt_entry2 kt_entry" call_two; }

call_nested() { probe call - 50 - >/dev/null; }

# The handler beside the program's calls the function that both are on. That call is seen,
# one that it makes from there is missed.
misses_of_program() {
	place now n nest fprobe_prober:fprober_nested
	check "calls of a program, cookies, and misses of its link" \
		"$(bpf entry fprober_nested call_nested)" "ready 100 100 50 "
	check "the fprobe beside it has as many" "$(figures nest)" "100 0 50 1"
	remove nest
}

# A program sees each call, with the cookie of the function, and may refuse a return.
programs() {
	# BPF has it where an address has 64 bits.
	grep -qE '^[0-9a-f]{16} .* bpf_kprobe_multi_link_attach$' /proc/kallsyms || return
	check "calls of a program, and their cookies" "$(bpf_of_two entry)" "ready 101 201 0 "
	check "at returns" "$(bpf_of_two return)" "ready 101 201 0 "
	check "of a session" "$(bpf_of_two session)" "ready 202 402 0 "
	check "of one that refuses returns" "$(bpf_of_two refuse)" "ready 101 201 0 "
	misses_of_program
	check "functions that are armed, without programs" "$(armed '^kt_')" 0
}

begin
[ -d $FPROBES ] || missing FPROBE fprobes
load kprobe_target
load fprobe_prober
counts
names
refusals
programs
modules
too_early
race
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
unload fprobe_prober
finish
