#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Events whose arguments name what only a module knows: they are defined before it is
# loaded, or stay when it goes, and it may come back with other structures. There are two
# builds of such a module, see test_modules/kprobe_moved.h; the second is given the name
# of the first.
# shellcheck disable=SC2016 # $ begins words of events
. "$(dirname "$(readlink -f "$0")")/lib.sh"

DYNAMIC=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
NAME=kprobe_moved1

# why: of the last error its text, and what is at its caret.
why() {
	awk '/: error: / { sub(/.*: error: /, ""); text = $0; next }
		/^  Command: / { command = $0; next }
		{ at = substr(command, index($0, "^")) }
		END { sub(/ .*/, "", at); if (text) print text " " at }' "$TRACEFS/error_log"
}

# define TEXT: adds an event; "ok", or how it was refused.
define() {
	: >"$TRACEFS/error_log"
	if { printf '%s\n' "$1" >>"$DYNAMIC"; } 2>/dev/null; then echo ok; else why; fi
}

clear() {
	echo 0 >"$TRACEFS/events/enable"
	: >"$DYNAMIC"
	: >"$TRACEFS/trace"
	: >"$TRACEFS/error_log"
}

switch() { put "$TRACEFS/events/$1/enable" "$2"; }
waiting() { grep -c waiting "$PROFILE"; }
hits() { awk -v name="$1" '$1 == name { print $2 }' "$PROFILE"; }

# values EVENT: what its records say, each text once.
values() { sed -n "s/^.* $1: ([^)]*) //p" "$TRACEFS/trace" | sort -u | xargs -d '\n'; }

first() { insmod "$DIR/test_modules/$NAME.ko"; }
second() { insmod "$OTHER"; }
again() {
	: >"$TRACEFS/trace"
	: >"$TRACEFS/error_log"
	unload $NAME
}

# Without a type it is not known what records look like.
refusals() {
	local text="The module is not loaded: this needs a type"

	clear
	check "a name" "$(define "f $NAME:kt_moved_call n")" "$text n"
	check "a field" "$(define "f $NAME:kt_moved_call x=node->value")" "$text node->value"
	check "an enumeration" "$(define "f $NAME:kt_moved_call x=n y=node->level:enum")" "$text n"
	check "its type" "$(define "f $NAME:kt_moved_call node->level:enum")" \
		"$text node->level:enum"
	check "what is returned" "$(define "f $NAME:kt_moved_call \$retval")" "$text \$retval"
	check "a structure" "$(define "f $NAME:kt_moved_call (kt_moved_node)\$arg1->value")" \
		"$text (kt_moved_node)\$arg1->value"
	check "of a tracepoint" "$(define "t kt_moved node->value")" "$text node->value"
	check "what was at the entry" \
		"$(define "f $NAME:kt_moved_call%return x=\$entry(node->value)")" \
		"$text \$entry(node->value)"
	check "bad text" "$(define "f $NAME:kt_moved_call node->value:u33")" \
		"Unknown type is specified u33"
	check "nothing is there" "$(cat "$DYNAMIC")" ""
}

# Each has a type, and each is right at once, and with the other build.
offsets() {
	local form args

	clear
	args="v=node->value:u32 s=node->name:string t=node->text:string n:s32"
	check "at an entry" "$(define "f:e $NAME:kt_moved_call $args")" ok
	args="v=node->value:u32 o=\$entry(node->value):u64 n:s16 r=\$retval:s32"
	check "at an exit" "$(define "f:x $NAME:kt_moved_call%return $args")" ok
	check "a cast" "$(define "f:c $NAME:kt_moved_call k=(kt_moved_node)node->value:x32")" ok
	check "at a tracepoint" "$(define "t:p kt_moved v=node->value:u32 n:s32")" ok
	check "they wait" "$(waiting)" 4
	check "they are enabled" "$(switch fprobes 1)$(switch tracepoints 1)" okok
	form=$(cat "$TRACEFS/events/fprobes/x/format")
	first
	check "none waits" "$(waiting)" 0
	check "the init function's call" "$(values e) $(values x)" \
		'v=40 s="name" t="text" n=-1 v=41 o=40 n=-1 r=0'
	check "its cast and tracepoint" "$(values c) $(values p)" 'k=0x28 v=41 n=-1'
	again
	check "they wait again" "$(waiting)" 4
	second
	check "the other build" "$(values e) $(values x)" \
		'v=40 s="name" t="text" n=-1 v=41 o=40 n=-1 r=0'
	check "its cast and tracepoint, too" "$(values c) $(values p)" 'k=0x28 v=41 n=-1'
	echo 3 >/sys/module/$NAME/parameters/run
	check "hits" "$(hits e) $(hits x) $(hits c) $(hits p)" "5 5 5 5"
	check "values when it is up" "$(values p)" 'v=41 n=-1 v=41 n=0 v=41 n=1 v=41 n=2'
	check "the format is as before" "$(cat "$TRACEFS/events/fprobes/x/format")" "$form"
	check "nothing is told" "$(why)" ""
	again
}

# What was found when the line was written must not become something else.
changes() {
	local other="In the module that was loaded this has another type"

	clear
	first
	check "types of the module" "$(define "f:e $NAME:kt_moved_call n node->value")" ok
	check "names of the module" "$(define "f:l $NAME:kt_moved_call node->level:enum")" ok
	check "types of its tracepoint" "$(define "t:p kt_moved node->value")" ok
	check "what both builds have" "$(define "f:b $NAME:kt_moved_call n node->text")" ok
	check "are enabled" "$(switch fprobes 1)$(switch tracepoints 1)" okok
	again
	first
	check "the very same module" "$(waiting) $(values e) $(values b)" \
		'0 n=-1 value=40 n=-1 text="text"'
	check "with names" "$(values l)" level=MOVED_FIRST
	again
	second
	check "the other one" "$(waiting) $(values e)$(values l)$(values p) $(values b)" \
		'3  n=-1 text="text"'
	check "it is told" "$(grep -c "error: $other" "$TRACEFS/error_log")" 3
	check "what is told last" "$(why)" "$other node->level:enum"
	check "they can be disabled" "$(switch fprobes 0)$(switch tracepoints 0)" okok
	check "and enabled" "$(switch fprobes 1)$(switch tracepoints 1)" okok
	again
	first
	check "the first one again" "$(waiting) $(values e) $(values l) $(values p)" \
		'0 n=-1 value=40 level=MOVED_FIRST value=41'
	again
}

# What the module does not have is told when it comes.
absent() {
	clear
	check "a field that is not there" "$(define "f:e $NAME:kt_moved_call x=node->absent:u8")" ok
	check "a string that is none" "$(define "f:s $NAME:kt_moved_call x=n:string")" ok
	check "a variable that is not there" "$(define "t:p kt_moved y=\1 absent:u8")" ok
	check "are enabled, all of them" "$(switch fprobes 1)$(switch tracepoints 1)" okok
	first
	check "still wait" "$(waiting)" 3
	check "a field, told" "$(grep -c 'This field is not found' "$TRACEFS/error_log")" 1
	check "a string, told" "$(grep -c 'does not fit for string' "$TRACEFS/error_log")" 1
	check "a variable, told" "$(grep -c 'is not found at this probe point' \
		"$TRACEFS/error_log")" 1
	check "where it is" "$(grep -A 1 'f:fprobes/e' "$TRACEFS/error_log" | tail -n 1 | wc -c)" \
		$((12 + $(printf '%s' "f:fprobes/e $NAME:kt_moved_call x=node->" | wc -c) + 1))
	check "none is hit" "$(hits e) $(hits s) $(hits p)" "0 0 0"
	again
	clear
	check "all can be removed" "$(cat "$DYNAMIC")" ""
}

# A function that the pattern means, too, comes after the line was checked.
pattern() {
	clear
	first
	check "a pattern" "$(define "f:e kt_moved_cal? n")" ok
	insmod "$DIR/test_modules/kprobe_moved2.ko"
	check "with one that differs" "$(switch fprobes/e 1)" EINVAL
	check "it is told of it" "$(grep -c 'Not all functions .*: kprobe_moved.:kt_moved_call$' \
		"$TRACEFS/error_log")" 1
	unload kprobe_moved2
	check "without that" "$(switch fprobes/e 1)" ok
	echo 2 >/sys/module/$NAME/parameters/run
	check "its hits" "$(hits e) $(values e)" "2 n=0 n=1"
	clear
	again
}

# Without a module's name, too, arguments are those of the function that is there.
bare() {
	clear
	first
	check "what both builds have" "$(define "f:e kt_moved_call n node->text")" ok
	check "what they have not" "$(define "f:o kt_moved_call node->value")" ok
	again
	check "without a module" "$(switch fprobes/e 1)" ENOENT
	second
	check "with the other one" "$(switch fprobes/e 1)" ok
	echo 2 >/sys/module/$NAME/parameters/run
	check "its values" "$(hits e) $(values e)" '2 n=0 text="text" n=1 text="text"'
	check "what is another type" "$(switch fprobes/o 1)" EINVAL
	check "it is told of it" "$(why)" \
		"In the module that was loaded this has another type node->value"
	clear
	again
}

# Two modules have a function of that name.
twins() {
	local text="Not all functions have this parameter at one place, of one type" told

	clear
	first
	insmod "$DIR/test_modules/kprobe_moved2.ko"
	told=$(define "f:e kt_moved_call n")
	check "one name, two functions" "${told/kprobe_moved[12]:/M:}" "$text: M:kt_moved_call n"
	check "all parameters" "$(define "f:e kt_moved_call \$arg*")" \
		"BTF is not available or not supported \$arg*"
	check "one of them" "$(define "f:e kprobe_moved2:kt_moved_call n")" ok
	check "no parameter" "$(define "f:x kt_moved_call y=\1:u8")" ok
	check "are enabled" "$(switch fprobes 1)" ok
	echo 2 >/sys/module/$NAME/parameters/run
	echo 1 >/sys/module/kprobe_moved2/parameters/run
	check "their hits" "$(hits e) $(values e) $(hits x)" "1 n=0 3"
	clear
	unload kprobe_moved2
	again
}

# The kernel has functions and a structure of these names, too.
namesakes() {
	clear
	check "the kernel's" "$(define "f:k module_flags mod")" ok
	first
	check "and a module's" "$(switch fprobes/k 1)" EINVAL
	check "it is told of it" "$(grep -c 'Not all functions .*: kprobe_moved.:module_flags$' \
		"$TRACEFS/error_log")" 1
	check "the one that can be probed" \
		"$(define "f:i flush_buffer n done->ret k=(cpu_stop_done)\$arg1->ret")" ok
	check "is enabled" "$(switch fprobes/i 1)" ok
	echo 2 >/sys/module/$NAME/parameters/run
	check "its values" "$(values i)" 'n=0 ret=7 k=7 n=1 ret=7 k=7'
	again
	check "the kernel's alone" "$(switch fprobes/k 1)" ok
	clear
}

# It is enabled when the module's function can be armed, and its types are not known.
hasty() {
	clear
	insmod "$DIR/test_modules/fprobe_hasty.ko" module=$NAME event=k
	check "the kernel's, once more" "$(define "f:k module_flags mod")" ok
	first
	check "enabled as a module comes" "$(cat /sys/module/fprobe_hasty/parameters/result)" -22
	again
	unload fprobe_hasty
	check "and without it" "$(switch fprobes/k 1)" ok
	clear
}

# A trigger needs the event in soft mode. If that cannot be armed, nothing stays of it.
triggers() {
	local event=$TRACEFS/events/fprobes/e

	clear
	first
	check "a bare name" "$(define "f:e kt_moved_call n")" ok
	again
	check "a trigger without the function" "$(put "$event/trigger" stacktrace)" ENOENT
	check "that of another event" \
		"$(put "$TRACEFS/events/sched/sched_switch/trigger" enable_event:fprobes:e)" ENOENT
	check "is not in soft mode" "$(cat "$event/enable")" 0
	check "nor is it after a failure" "$(switch fprobes 1) $(cat "$event/enable")" "ENOENT 1"
	check "a trigger of it" "$(put "$event/trigger" stacktrace)" ok
	check "goes" "$(put "$event/trigger" '!stacktrace')" ok
	check "it can be disabled" "$(switch fprobes/e 0) $(cat "$event/enable")" "ok 0"
	first
	check "a trigger with the function" "$(put "$event/trigger" stacktrace)" ok
	check "in soft mode" "$(cat "$event/enable")" "0*"
	check "goes, too" "$(put "$event/trigger" '!stacktrace') $(cat "$event/enable")" "ok 0"
	clear
	check "nothing keeps the event" "$(cat "$DYNAMIC")" ""
	again
}

# An event on an event is armed by arming that.
sources() {
	local source=$TRACEFS/events/fprobes/e event=$TRACEFS/events/eprobes/p

	clear
	first
	check "a source" "$(define "f:e kt_moved_call n")" ok
	check "an event on it" "$(define 'e:p fprobes.e n=$n')" ok
	again
	check "its source cannot be armed" "$(switch eprobes/p 1)" ENOENT
	check "nor is it enabled, or the source" "$(cat "$event/enable" "$source/enable" | xargs)" \
		"0 0"
	check "nothing of it is left at the source" "$(put "$source/trigger" stacktrace)" ENOENT
	first
	check "its source can be armed" "$(switch eprobes/p 1)" ok
	check "both are, one in soft mode" "$(cat "$event/enable" "$source/enable" | xargs)" "1 0*"
	echo 2 >/sys/module/$NAME/parameters/run
	check "records of it alone" "$(hits e) $(values p) $(values e)" "2 n=0x0 n=0x1 "
	check "it is disabled" "$(switch eprobes/p 0)" ok
	check "and so is the source" "$(cat "$event/enable" "$source/enable" | xargs)" "0 0"
	check "it is removed, which the source is held by" "$(define -:eprobes/p)" ok
	clear
	check "nothing is left of both" "$(cat "$DYNAMIC")" ""
	again
}

# Enabled once more, what could not be armed is tried again.
retry() {
	clear
	first
	check "a bare name" "$(define "f:e kt_moved_call n")" ok
	check "an event beside it" "$(define "f:o vfs_fsync")" ok
	again
	check "which is not there" "$(switch fprobes 1)" ENOENT
	check "the event alone" "$(switch fprobes/e 1)" ENOENT
	first
	check "all of the group" "$(switch fprobes 1)" ok
	echo 2 >/sys/module/$NAME/parameters/run
	check "its hits" "$(hits e) $(values e)" "2 n=0 n=1"
	clear
	again
}

begin
[ -e "$PROFILE" ] || missing FPROBE_EVENTS "events on functions"
grep -q '<argname>' "$TRACEFS/README" || skip_all "no BTF arguments in this kernel"
load $NAME
[ -e /sys/kernel/btf/$NAME ] || skip_all "no BTF of modules in this kernel"
unload $NAME
echo 1 >"$TRACEFS/tracing_on"
OTHER=$(mktemp --suffix .ko)
LC_ALL=C sed "s/kprobe_moved2/$NAME/g" "$DIR/test_modules/kprobe_moved2.ko" >"$OTHER"
refusals
offsets
changes
absent
pattern
bare
twins
namesakes
hasty
triggers
sources
retry
rm -f "$OTHER"
finish
