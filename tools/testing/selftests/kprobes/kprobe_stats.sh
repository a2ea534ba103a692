#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What /sys/kernel/debug/kprobes/stats says of points, against known numbers of
# calls.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

STATS=$KPROBES/stats
COLUMNS='address symbol+offset module mode hits recursion ftrace disabled instance path'
COLUMNS+=' uncalled reason'
FORM='[0-9a-f]{8,16} [^ ]+\+0x[0-9a-f]+ (kprobe_target|-) [a-z]+ +([0-9]+ ){7}[^ ].*'

# stat_of SYMBOL[+OFFSET] COLUMN...: of the line of the one point there. A function
# that calls itself may have a second name there, SYMBOL.localalias.
stat_of() {
	local symbol=$1

	shift
	awk -v symbol="$symbol" -v columns="$*" '
		NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next }
		{ sub(/\.localalias/, "", $2) }
		index($2 "+", symbol "+") == 1 {
			n = split(columns, c, " ")
			for (i = 1; i <= n; i++)
				printf "%s%s", $at[c[i]], i < n ? " " : "\n"
		}' $STATS
}

# figures SYMBOL[+OFFSET]: hits and misses.
figures() { stat_of "$1" hits recursion ftrace disabled instance; }

form() {
	check "mode of the file" "$(stat -c %a $STATS)" 400
	check "the first line" "$(head -n 1 $STATS | xargs)" "$COLUMNS"
	place now p site kprobe_target:kt_entry
	place off p off kprobe_target:kt_plain2
	place now p core do_sys_openat2
	place now p core2 do_sys_openat2
	check "lines of another form" "$(tail -n +2 $STATS | grep -cvE "^$FORM\$")" 0
	check "a line for each point" \
		"$(grep -cE ' (kt_|do_sys_openat2)' $STATS)" 3
	check "the module" "$(stat_of kt_entry module)" kprobe_target
	check "no module" "$(stat_of do_sys_openat2 module)" -
	check "the address is that of the list" "$(stat_of kt_entry address)" \
		"$(awk '/  kt_entry\+/ { print $1 }' $KPROBES/list)"
	remove core
	remove core2
}

addresses() {
	local restrict=/proc/sys/kernel/kptr_restrict old

	old=$(cat $restrict)
	echo 2 >$restrict
	check "addresses shown when they are hidden" \
		"$(tail -n +2 $STATS | grep -cvE '^0{8,16} ')" 0
	echo "$old" >$restrict
}

# Calls, and nothing else, are counted; from the registration on.
counts() {
	check "at first" "$(figures kt_entry)" "0 0 0 0 0"
	call entry 100
	check "after 100 calls" "$(figures kt_entry)" "100 0 0 0 0"
	place now p second kprobe_target:kt_entry
	call entry 10
	check "with a second probe" "$(figures kt_entry)" "110 0 0 0 0"
	remove second
	call entry 1
	check "when that has gone" "$(figures kt_entry)" "111 0 0 0 0"
	remove site
	check "unregistered" "$(figures kt_entry)" ""
	place now p site kprobe_target:kt_entry
	check "registered again" "$(figures kt_entry)" "0 0 0 0 0"
}

jprobe() {
	if ! grep -q ' register_jprobe$' /proc/kallsyms; then
		ktap_test_skip "no jprobes in this kernel"
		return
	fi
	place now j jprobe kprobe_target:kt_plain
	call plain 20
	check "calls with a jprobe" "$(figures kt_plain)" "20 0 0 0 0"
	remove jprobe
	check "without it" "$(figures kt_plain)" ""
}

switches() {
	check "mode of a disabled one" "$(stat_of kt_plain2 mode)" disabled
	call plain2 10
	place enable - off -
	call plain2 5
	check "calls before it was enabled" "$(figures kt_plain2)" "5 0 0 0 0"
	place disable - off -
	call plain2 10
	check "calls after it was disabled" "$(figures kt_plain2)" "5 0 0 0 0"
	place enable - off -
	put $KPROBES/enabled 0 >/dev/null
	check "mode when all are off" "$(stat_of kt_plain2 mode)" disarmed
	call plain2 10
	put $KPROBES/enabled 1 >/dev/null
	check "calls while all were off" "$(figures kt_plain2)" "5 0 0 0 0"
}

# mode SYMBOL WANTED: the optimizer takes a moment.
mode() {
	local i

	for ((i = 0; i < 50; i++)); do
		[ "$(stat_of "$1" mode)" != "$2" ] || break
		sleep 0.1
	done
	stat_of "$1" mode
}

# A function of the compiler's: how its first instruction takes effect is up to
# the architecture.
modes_of_plain() {
	local jumps=

	[ ! -e $SYSCTL ] || jumps=1
	[ -z "$jumps" ] || put $SYSCTL 0 >/dev/null
	place now p plain kprobe_target:kt_plain
	check_match "a breakpoint" "$(stat_of kt_plain mode)" '(stepped|boosted|emulated)'
	call plain 20
	check "hits of a breakpoint" "$(figures kt_plain)" "20 0 0 0 0"
	[ -z "$jumps" ] || put $SYSCTL 1 >/dev/null
	if no_module_jumps kt_plain; then
		ktap_test_skip "optimized"
	elif [ "$jumps" ]; then
		check "optimized" "$(mode kt_plain optimized)" optimized
		check "its reason" "$(stat_of kt_plain reason)" -
		call plain 20
		check "hits of an optimized one" "$(figures kt_plain)" "40 0 0 0 0"
	fi
	remove plain
}

# Each way to reach a point: what it is called, that it counts, and whether
# there is a reason why it is not a jump.
modes() {
	local lea jz

	if [ "$(cat $TARGET/asm_insns)" = 0 ]; then
		modes_of_plain
		return
	fi
	if [ ! -e $SYSCTL ]; then
		ktap_test_skip "modes"
		return
	fi
	put $SYSCTL 0 >/dev/null
	lea=$(insn 0)
	jz=$(insn 5)
	place now p boosted "kprobe_target:$lea"
	place now P after kprobe_target:kt_plain
	place now p emulated "kprobe_target:$jz"
	check "boosted" "$(mode "$lea" boosted)" boosted
	check "with a post handler" "$(mode kt_plain stub)" stub
	check "emulated" "$(mode "$jz" emulated)" emulated
	check "points without a reason" "$(awk 'NR > 1 && $NF == "-"' $STATS | wc -l)" 0
	call asm 20
	call plain 20
	check "hits of a boosted one" "$(figures "$lea")" "20 0 0 0 0"
	check "hits with a post handler" "$(figures kt_plain)" "20 0 0 0 0"
	check "hits of an emulated one" "$(figures "$jz")" "20 0 0 0 0"
	put $SYSCTL 1 >/dev/null
	check "optimized" "$(mode "$lea" optimized)" optimized
	check "its reason" "$(stat_of "$lea" reason)" -
	call asm 20
	check "hits of an optimized one" "$(figures "$lea")" "40 0 0 0 0"
	remove boosted
	remove after
	remove emulated
	# The module's read-only data holds the address of a label.
	place now p label kprobe_target:kt_goto
	check "a label in the region" \
		"$(grep ' kt_goto+' $STATS | grep -c 'address of an inner instruction')" 1
	remove label
}

ftrace_mode() {
	if [[ $(grep ' kt_entry+' $KPROBES/list) != *FTRACE* ]]; then
		ktap_test_skip "ftrace"
		return
	fi
	check "ftrace" "$(stat_of kt_entry mode)" ftrace
}

# each FIELD: of the three.
each() { for name in newest newer older; do field "$name" "$1"; done | xargs; }

# The newest of three goes elsewhere: each of the other two misses the hit. Where kprobes
# are not called like this, KUnit shows what is counted.
paths() {
	local f name

	check "hits that ended early" "$(awk 'NR > 1 && $10' $STATS | wc -l)" 0
	case $(uname -m) in
	x86_64 | i?86) ;;
	*)
		ktap_test_skip "a path that is changed"
		return ;;
	esac
	for f in entry2 plain; do
		place now p older kprobe_target:kt_$f
		place now P newer kprobe_target:kt_$f
		place now d newest kprobe_target:kt_$f
		call $f 20
		check "hits of kt_$f() whose path was changed" "$(stat_of kt_$f hits path)" "20 40"
		check "they are missed" "$(each missed)" "0 20 20"
		check "and not counted as anything else" "$(figures kt_$f)" "20 0 0 0 0"
		place disable - newest -
		call $f 10
		check "and those whose path was not" "$(stat_of kt_$f hits path)" "30 40"
		check "which are seen" "$(each hits)" "20 10 10"
		for name in newest newer older; do remove "$name"; done
	done
}

# The prober has 64 instances.
instances() {
	place now r deep kprobe_target:kt_recurse
	call recurse 100
	check "a return probe without instances" "$(figures kt_recurse)" \
		"101 0 0 0 37"
	check "as it says itself" "$(field deep missed)" 37
	call recurse 63
	check "with enough of them" "$(figures kt_recurse)" "165 0 0 0 37"
	remove deep
}

# Where the architecture calls no fault handlers, those that are there are counted. The
# hits are as ever.
uncalled() {
	local each=1

	case $(uname -m) in x86_64 | i?86) each=0 ;; esac
	place now p none kprobe_target:kt_plain
	check "without a fault handler" "$(stat_of kt_plain uncalled)" 0
	place now f one kprobe_target:kt_plain
	place off f two kprobe_target:kt_plain
	check "with two fault handlers" "$(stat_of kt_plain uncalled)" $((2 * each))
	call plain 20
	check "hits with a fault handler" "$(figures kt_plain)" "20 0 0 0 0"
	[ $each != 0 ] || check "nothing is said" "$(dmesg | grep -c 'calls no fault handlers')" 0
	remove one
	check "with one" "$(stat_of kt_plain uncalled)" $each
	remove two
	check "with none" "$(stat_of kt_plain uncalled)" 0
	remove none
}

gone() {
	place now p gone kprobe_target:kt_plain
	call plain 7
	unload kprobe_target
	check "a point whose text is gone" \
		"$(awk '$4 == "gone" && $5 == 7' $STATS | wc -l)" 1
	load kprobe_target
}

begin
load kprobe_target
load kprobe_prober
[ -e $STATS ] || missing KPROBE_STATS kprobes/stats
form
addresses
counts
jprobe
switches
modes
ftrace_mode
paths
instances
uncalled
gone
check "all calls gave the right result" "$(cat $TARGET/wrong_results)" 0
finish
