#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events on functions and on tracepoints: how often they were hit, beside how often
# their targets were called; and modules that come and go. MANY= says how many events
# are defined, switched and removed together.
# shellcheck disable=SC2016 # $ begins words of events
. "$(dirname "$(readlink -f "$0")")/lib.sh"

EVENTS=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
MANY=${MANY:-1000}
OUT=$(mktemp)

# define TEXT: adds events; says "ok" or which error that gave.
define() { append $EVENTS "$1"; }

# refused TEXT: the error, and the column that the log of errors points to.
refused() {
	local line

	: >$TRACEFS/error_log
	line=$(define "$1")
	printf '%s ' "$line"
	line=$(tail -n 1 $TRACEFS/error_log)
	echo "$((${#line} - 12))"
}

# switch GROUP/EVENT 0|1
switch() { put "$TRACEFS/events/$1/enable" "$2"; }

# clear: no event is left.
clear() {
	echo 0 >$TRACEFS/events/enable
	: >$EVENTS
	: >$TRACEFS/trace
}

hits() { awk -v name="$1" '$1 == name { print $2 }' $PROFILE; }
misses() { awk -v name="$1" '$1 == name { print $3 }' $PROFILE; }
sites() { sed -nE "s/^ +$1 .* sites=([0-9]+).*/\1/p" $PROFILE; }
armed() { grep -cE "$1" $TRACEFS/enabled_functions; }
records() { grep -cE " $1: \(" $TRACEFS/trace; }

# listed TEXT: defined alone, how it is listed.
listed() {
	clear
	printf '%s: %s' "$(define "$1")" "$(cat $EVENTS)"
}

arming() {
	local before

	clear
	before=$(wc -l <$TRACEFS/enabled_functions)
	check "an event is defined" "$(define 'f:e kt_entry')$(define 'f:x kt_entry%return')" okok
	check "it is not armed" "$(wc -l <$TRACEFS/enabled_functions)" "$before"
	call entry 10
	check "nor hit" "$(hits e) $(hits x)" "0 0"
	check "it is enabled" "$(switch fprobes 1)" ok
	check "and armed" "$(armed '^kt_entry ')" 1
	call entry 10
	check "hits" "$(hits e) $(hits x)" "10 10"
	check "records" "$(records e) $(records x)" "10 10"
	check "misses" "$(misses e) $(misses x)" "0 0"
	check "it is disabled" "$(switch fprobes 0)" ok
	call entry 10
	check "hits then" "$(hits e) $(hits x)" "10 10"
	check "it is not armed any more" "$(wc -l <$TRACEFS/enabled_functions)" "$before"
}

recursion() {
	clear
	define 'f1:one kt_recurse%return' >"$OUT"
	define 'f:all kt_recurse%return' >>"$OUT"
	switch fprobes 1 >>"$OUT"
	call recurse 9
	check "ten calls at a time, one followed" "$(hits one) $(misses one)" "1 9"
	check_match "the cause" "$(grep ' one ' $PROFILE)" '.* node=9 .*'
	check "all of ten calls" "$(hits all) $(misses all)" "10 0"
}

# perf EVENT [REGISTERS]: what perf has of ten calls with 0 to 9, and of the field a.
perf() {
	local event=$TRACEFS/events/fprobes/$1 place

	place=$(sed -nE 's/.* a;\toffset:([0-9]+);\tsize:([0-9]+);.*/\1 \2/p' "$event/format")
	# shellcheck disable=SC2086 # two words
	"$DIR/fprobe_perf" "$(cat "$event/id")" $TARGET/run "entry 10" $place ${2:+"$2"}
}

# A perf event is a user of its own.
perf_users() {
	clear
	define 'f:e kt_entry a=$arg1' >"$OUT"
	define 'f:x kt_entry%return a=$retval' >>"$OUT"
	check "perf at entries" "$(perf e)" "10 10 45"
	check "nothing is armed after it" "$(armed '^kt_entry ')" 0
	switch fprobes 1 >>"$OUT"
	check "perf beside the trace" "$(perf e)" "10 10 45"
	check "hits of both" "$(hits e) $(records e)" "20 10"
	check "still armed for the trace" "$(armed '^kt_entry ')" 1
	check "at exits" "$(perf x)" "10 10 225"
	check "hits of all" "$(hits e) $(hits x) $(records x)" "30 20 20"
}

# Of an entry, ftrace has saved some registers. The others must not be what was on the
# stack.
perf_registers() {
	[ "$(uname -m)" = x86_64 ] || return 0
	clear
	define 'f:e kt_entry a=$arg1' >"$OUT"
	check "perf has no bx, ss, r10 to r15" "$(perf e 0xfc0802)" "10 10 45 0 0 0 0 0 0 0 0 0"
	check "nor flags" "$(perf e 0x200)" "10 10 45 0 2"
	check "the first argument" "$(perf e 0x20)" "10 10 45 0 f"
	check_match "stack and instruction pointer" "$(perf e 0x180)" \
		"10 10 45 0 ff[0-9a-f]{14} ff[0-9a-f]{14}"
}

# Two instances of the tracer, with an event each or both.
instances() {
	local other=$TRACEFS/instances/fevent

	clear
	define 'f:e kt_entry' >"$OUT"
	mkdir $other
	echo 1 >$other/events/fprobes/e/enable
	call entry 3
	check "records of one instance" "$(records e) $(grep -c ' e: (' $other/trace)" "0 3"
	switch fprobes 1 >>"$OUT"
	call entry 4
	check "records of two" "$(records e) $(grep -c ' e: (' $other/trace)" "4 7"
	rmdir $other
	call entry 5
	check "when one is gone" "$(records e) $(hits e)" "9 12"
	switch fprobes 0 >>"$OUT"
	check "when both are off" "$(armed '^kt_entry ')" 0
}

# Two functions in one event.
several() {
	clear
	define 'f:e kt_entry' >"$OUT"
	define 'f:e kt_entry2' >>"$OUT"
	switch fprobes/e 1 >>"$OUT"
	call entry 3
	call entry2 4
	check "records of two functions" "$(records e)" 7
	check "one of them goes while it is enabled" "$(define '-:e kt_entry')" ok
	call entry 3
	call entry2 4
	check "the other one stays" "$(records e) $(hits e)" "11 8"
	check "one more while it is enabled" "$(define 'f:e kt_entry')" ok
	call entry 3
	check "is armed" "$(records e)" 14
}

heads() {
	check "no limit" "$(listed 'f0:e vfs_read%return')" "ok: f:fprobes/e vfs_read%return"
	check "the largest limit" "$(listed 'f4096:e vfs_read%return')" \
		"ok: f4096:fprobes/e vfs_read%return"
	check "a larger one" "$(refused 'f4097:e vfs_read%return')" "EINVAL 1"
	check "a limit at the entry" "$(refused 'f5 vfs_read')" "EINVAL 1"
	check "words behind f" "$(refused 'fxyz:e vfs_read')" "EINVAL 1"
	check "words behind t" "$(refused 'tt kfree')" "EINVAL 1"
	check "all but one" "$(refused 'f:n !vfs_read')" "ENOENT 4"
	check "a number" "$(refused 'f:n 7')" "ENOENT 4"
	check "two percent signs" "$(listed 'f:e vfs_open%%return')" \
		"ok: f:fprobes/e vfs_open%return"
	check "another kind" "$(refused 'f:e vfs_read')" "EEXIST 0"
	check "the very same" "$(refused 'f:e vfs_open%return')" "EEXIST 0"
	check "other arguments" "$(refused 'f:e vfs_read%return a=\1')" "EEXIST 20"
}

# Where the kernel has no BTF, a parameter's name is refused with the reason.
without_btf() {
	! grep -q '<argname>' $TRACEFS/README || return
	clear
	check "a name without BTF" "$(refused 'f:e kt_entry a')" "EINVAL 13"
	check "the reason" "$(grep -c 'BTF is not available' $TRACEFS/error_log)" 1
}

names() {
	local long=kvm_a_symbol_of_seventy_characters_that_no_module_in_the_world_has_xy

	clear
	check "long names" "$(define "f no_such:$long")$(define "f no_such:$long%return")" okok
	check "long names that begin alike" "$(define "f no_such:${long}z")" ok
	check "different events" "$(grep -o '/[^ ]*' $EVENTS | sort -u | wc -l)" 3
	check "none longer than 63" "$(grep -oE '/[^ ]{64}' $EVENTS | wc -l)" 0
}

patterns() {
	local before

	clear
	before=$(wc -l <$TRACEFS/enabled_functions)
	check "a list" "$(define 'f:l kt_entry*,kt_recurse,!kt_entry2')" ok
	check "two patterns" "$(define 'f:q kt_entr?')$(define 'f:r kt_[er]*,!kt_e*2')" okok
	check "a pattern for nothing" "$(refused 'f:n kt_entry,no_such_*')" "ENOENT 4"
	check "a list with a module" "$(refused 'f:n kt_entry,kprobe_target:kt_plain')" "EINVAL 26"
	check "a list, as it is listed" "$(head -n 1 $EVENTS)" \
		"f:fprobes/l kt_entry*,kt_recurse,!kt_entry2"
	switch fprobes 1 >"$OUT"
	check "functions of each" "$(sites l) $(sites q)" "2 1"
	call entry 5
	call entry2 5
	call recurse 0
	check "hits of each" "$(hits l) $(hits q) $(hits r)" "6 5 6"
	clear
	check "all functions" "$(define 'f:all *')" ok
	check "are enabled, all" "$(switch fprobes 1)" ok
	check "thousands are armed" "$(($(sites all) > 5000))" 1
	call entry 3
	check "and disabled" "$(switch fprobes 0)" ok
	check "many calls were hit" "$(($(hits all) > 1000))" 1
	check "nothing is armed of all" "$(wc -l <$TRACEFS/enabled_functions)" "$before"
}

# of_suffix: a function that the compiler has made another of, under a name with a suffix,
# and that is not there without it.
of_suffix() {
	local name

	sed -nE 's/^([a-z_0-9]+)\.(isra|constprop|part)\.0( .*)?$/\1/p' \
		$TRACEFS/available_filter_functions | while read -r name; do
		grep -q " $name$" /proc/kallsyms || { echo "$name"; break; }
	done
}

suffixes() {
	local name full

	clear
	name=$(of_suffix)
	[ -n "$name" ] || return 0
	full=$(grep -oE "^$name\.[^ ]+" $TRACEFS/available_filter_functions | head -n 1)
	check "$full, by its name in the source" "$(refused "f:n $name")" "ENOENT 4"
	check "by its own name" "$(define "f $full")" ok
	check "by a pattern" "$(define "f:s $name.*")$(switch fprobes/s 1)" okok
	check "is armed" "$(armed "^$name\.") $(($(sites s) >= 1))" "$(sites s) 1"
}

removal() {
	clear
	define 'f:e vfs_read%return a=$retval' >"$OUT"
	check "by the line" "$(define '-:fprobes/e vfs_read%return a=$retval')" ok
	define 'f:e vfs_read' >>"$OUT"
	check "by the name" "$(define '-:e')" ok
	define 'f:e vfs_read' >>"$OUT"
	check "by group and name" "$(define '-:fprobes/e')" ok
	check "nothing is left" "$(cat $EVENTS)" ""
	define 'f:e vfs_read' >>"$OUT"
	switch fprobes/e 1 >>"$OUT"
	check "while it is enabled" "$(define '-:e')" EBUSY
}

lines() {
	local line

	clear
	for line in 'f vfs_read' 'f5:g/x vfs_read%return $retval' 'f:l vfs_*,!vfs_read*' \
		'f:a vfs_read $arg3' 'f:a vfs_write $arg3' 'f:m no_such:func' \
		't sched_switch' 't:k kfree $arg2' 't:n no_such_tracepoint $arg1'; do
		define "$line" >"$OUT"
	done
	cat $EVENTS >"$OUT"
	check "lines" "$(wc -l <"$OUT")" 9
	clear
	while IFS= read -r line; do printf '%s\n' "$line" >>$EVENTS; done <"$OUT"
	check "lines that are written back" "$(cat $EVENTS)" "$(cat "$OUT")"
}

seconds() { awk -v from="$1" -v to="$2" 'BEGIN { printf "%.1f", to - from }'; }
now() { cut -d ' ' -f 1 /proc/uptime; }

# All in one write each, and exact.
many() {
	local n before defined on off took waits

	clear
	define 'f:waits synchronize_*rcu*' >"$OUT"
	switch fprobes/waits 1 >>"$OUT"
	for ((n = 0; n < MANY; n++)); do echo "f:many/e$n kt_entry"; done >"$OUT"
	before=$(now)
	cat "$OUT" >>$EVENTS
	defined=$(now)
	check "many events" "$(grep -c many/ $EVENTS)" "$MANY"
	check "are enabled" "$(switch many 1)" ok
	on=$(now)
	call entry 3
	check "many hits" "$(awk '$1 ~ /^e[0-9]/ { n += $2 } END { print n }' $PROFILE)" \
		$((3 * MANY))
	took=$(seconds "$defined" "$on")
	before="$(seconds "$before" "$defined") to define, $took to enable"
	on=$(now)
	waits=$(hits waits)
	check "are disabled" "$(switch many 0)" ok
	off=$(now)
	waits=$(($(hits waits) - waits))
	check "not with a grace period of each" $((waits > 0 && waits < MANY / 10)) 1
	check "many are not armed any more" "$(armed '^kt_')" 0
	clear
	check "are gone" "$(cat $EVENTS)" ""
	ktap_print_msg "$MANY events: $before, $(seconds "$on" "$off") to disable" \
		"with $waits grace periods, $(seconds "$off" "$(now)") to remove"
}

# Functions of a module that is loaded again and again.
modules() {
	clear
	define 'f:bare kt_entry' >"$OUT"
	switch fprobes/bare 1 >>"$OUT"
	call entry 2
	unload kprobe_target
	check "a module that is waited for" "$(define 'f:e kprobe_target:kt_entry')" ok
	check "its exit, and init text" "$(define 'f:x kprobe_target:kt_entry%return')$(
		define 'f:i kprobe_target:kt_init_text')" okok
	check "in the list" "$(grep -c kprobe_target: $EVENTS)" 3
	check "they wait" "$(grep -c waiting $PROFILE)" 3
	check "they are enabled" "$(switch fprobes 1)" ok
	load kprobe_target
	check "calls before the module is up" "$(hits i)" 3
	check "its init text is not armed then" "$(armed kt_init_text)" 0
	call entry 5
	check "hits at once" "$(hits e) $(hits x) $(hits bare)" "5 5 2"
	unload kprobe_target
	check "it is gone" "$(armed '^kt_')" 0
	check "they wait again" "$(grep -c waiting $PROFILE)" 3
	load kprobe_target
	call entry 7
	check "when it is loaded again" "$(hits e) $(hits x) $(hits i) $(hits bare)" "12 12 6 2"
	check "records of all" "$(records e) $(records x) $(records i) $(records bare)" "12 12 6 2"
	check "they are switched" "$(switch fprobes 0)$(switch fprobes/e 1)" okok
	call entry 1
	check "one of them" "$(hits e) $(hits x)" "13 12"
	unload kprobe_target
	clear
	check "they can be removed without the module" "$(cat $EVENTS)" ""
	define 'f:w kprobe_target:no_such_function' >>"$OUT"
	switch fprobes 1 >>"$OUT"
	: >$TRACEFS/error_log
	load kprobe_target
	check "a function that the module does not have is told" \
		"$(grep -c 'has no such function' $TRACEFS/error_log)" 1
	check "and refused when the module is there" \
		"$(refused 'f:v kprobe_target:no_such_function')" "ENOENT 4"
}

pass() { echo "$1" >/sys/module/fprobe_tpoint/parameters/run; }

tracepoints() {
	clear
	check "three events on a tracepoint" \
		"$(define 't:a kt_tick')$(define 't:b kt_tick')$(
		define 't:c kt_tick x=$arg1 s=+0($arg2):string')" okokok
	check "are enabled, all three" "$(switch tracepoints 1)" ok
	pass 10
	check "hits of three" "$(hits a) $(hits b) $(hits c)" "10 10 10"
	check_match "what was passed" "$(grep -m 1 'x=0x9' $TRACEFS/trace)" \
		'.* c: \(__probestub_kt_tick\+0x[^ ]+ \[fprobe_tpoint\]\) x=0x9 s="tick"'
	check "one goes" "$(switch tracepoints/b 0)$(define '-:b')" okok
	pass 5
	# An event that was enabled empties the trace when it goes.
	check "the others stay" "$(hits a) $(hits c) $(records a) $(records c)" "15 15 5 5"
	check "one function is armed for them" "$(armed __probestub_kt_tick)" 1
	check "two on one of the scheduler" "$(define 't:s sched_switch')$(
		define 't:u sched_switch $arg4')" okok
	switch tracepoints 1 >"$OUT"
	sleep 0.2
	switch tracepoints 0 >>"$OUT"
	check "records of both" "$(records s) $(records u)" "$(hits s) $(hits u)"
	check "there were such" "$(($(hits s) > 0)) $(($(hits u) > 0))" "1 1"
}

tracepoint_modules() {
	clear
	define 't:away kt_tick' >"$OUT"
	switch tracepoints 1 >>"$OUT"
	pass 1
	unload fprobe_tpoint
	check "an event that waits" "$(define 't:a kt_tick s=+0($arg2):string')" ok
	check "and another one" "$(define 't:b kt_tick')" ok
	check "and one on another tracepoint" "$(define 't:o kt_tock')" ok
	check "are enabled, though it is not there" "$(switch tracepoints 1)" ok
	load fprobe_tpoint
	check "hits before the module is up" "$(hits a) $(hits b) $(hits o)" "3 3 3"
	pass 4
	check "hits when it is up" "$(hits a) $(hits b) $(hits o) $(hits away)" "7 7 7 8"
	check "arguments of all" "$(grep -c ' a: (.* s="tick"$' $TRACEFS/trace)" 7
	unload fprobe_tpoint
	check "its functions are gone" "$(armed __probestub_kt)" 0
	check "one is removed without it" "$(switch tracepoints/b 0)$(define '-:b')" okok
	load fprobe_tpoint
	pass 1
	check "hits after it has come back" "$(hits a) $(hits o)" "11 11"
	check "all are disabled" "$(switch tracepoints 0)" ok
	check "and not armed" "$(armed __probestub_kt)" 0
	pass 1
	check "hits of what is disabled" "$(hits a) $(hits o)" "11 11"
	unload fprobe_tpoint
	clear
	check "all can be removed" "$(cat $EVENTS)" ""
	load fprobe_tpoint
}

begin
[ -e $PROFILE ] || missing FPROBE_EVENTS "events on functions"
load kprobe_target
load fprobe_tpoint
arming
recursion
perf_users
perf_registers
instances
several
heads
without_btf
names
suffixes
removal
lines
modules
tracepoints
tracepoint_modules
patterns
many
clear
rm -f "$OUT"
check "fprobes that are left" "$(sed -n 's/^fprobes //p' $DEBUGFS/fprobes/stats)" 0
check "nodes in use that are left" "$(grep -c '^nodes .* used [^0]' $DEBUGFS/fprobes/stats)" 0
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
unload fprobe_tpoint
finish
