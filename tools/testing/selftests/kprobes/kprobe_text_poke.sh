#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What perf hears of the text that probes change: a decoder of traces has to know
# the bytes of all that runs, and when they came and went.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

OUT=$(mktemp)

# The records in the order of their times. A clock may be so coarse that several have
# one time: then as each CPU has recorded them.
in_order() { sort -n -s -k 1,1 "$OUT"; }

# events ADDRESS: what was recorded, in order, in words: the text at the address
# is poked (OLD>NEW, of LENGTH), and copies come (new) and go (free).
events() {
	in_order | awk -v addr="$1" '
		NF != 6 { next }
		$2 == addr { printf "%s>%s:%d, ", substr($5, 1, 2), substr($6, 1, 2), $3; next }
		$3 == 0 { printf "new, "; next }
		$4 == 0 { printf "free, " }'
}

# column N CONDITION: of the records, in order.
column() { in_order | awk "NF == 6 && ($2) { print \$$1 }"; }

# An entry is probed behind its landing pad.
address_of() { awk -v name="$1+" 'index($3, name) == 1 { print $1 }' $KPROBES/list; }

# Copies go when no task can be in them, which takes its time.
wait_for() {
	for _ in $(seq 200); do
		[ "$(grep -c "$1" "$OUT")" -lt "$2" ] || return
		sleep 0.1
	done
}

record() { helper_start "$OUT" "$DIR/text_poke_record"; }

# one_life KIND COPIES: a probe comes, is hit and goes; as many copies go with it.
one_life() {
	record || skip_all "perf cannot record changes of text"
	place now "$1" poked kprobe_target:kt_plain
	PLAIN=$(address_of kt_plain)
	[ "$(cat $SYSCTL 2>/dev/null)" != 1 ] || wait_for ' 5 5 ' 1
	call plain 5
	check "hits" "$(field poked hits)" 5
	[ "$1" = p ] || check "calls of the post handler" "$(field poked post)" 5
	remove poked
	wait_for ' 0 [0-9a-f]* -$' "$2"
	helper_stop
	INSN=$(column 5 '$3 == 1' | head -n 1)
}

# Of the slot, and of what comes last. A detour begins with its entry.
first_bytes() {
	check "copies begin as the text does" \
		"$(column 6 '$3 == 0' | sed -n '1p;$p' | cut -c 1-2 | uniq)" "$INSN"
}

all_copies_go() {
	check "what goes is what came" "$(column 5 '$4 == 0' | sort)" \
		"$(column 6 '$3 == 0' | sort)"
	check "where it came" "$(column 2 '$4 == 0' | sort)" "$(column 2 '$3 == 0' | sort)"
}

tail_is_put_back() {
	check "the tail is put back" "$(column 6 '$3 == 5' | tail -n 1)" \
		"$(column 5 '$3 == 5' | head -n 1)"
}

breakpoint() {
	[ ! -e $SYSCTL ] || echo 0 >$SYSCTL
	one_life p 1
	check "a breakpoint" "$(events "$PLAIN")" \
		"new, $INSN>cc:1, cc>$INSN:1, free, "
	first_bytes
	all_copies_go
}

jump() {
	echo 1 >$SYSCTL
	one_life p 2
	check "a jump" "$(events "$PLAIN")" \
		"new, new, $INSN>cc:1, cc>e9:5, e9>cc:5, cc>$INSN:1, free, free, "
	tail_is_put_back
	all_copies_go
}

# A copy that calls the post handler comes when the breakpoint stands.
stub() {
	echo 0 >$SYSCTL
	one_life P 2
	check "a stub" "$(events "$PLAIN")" \
		"new, $INSN>cc:1, new, cc>$INSN:1, free, free, "
	first_bytes
	all_copies_go
}

# Likewise with a jump, whose detour goes on there.
second_buffer() {
	echo 1 >$SYSCTL
	one_life P 3
	check "a second buffer" "$(events "$PLAIN")" \
		"new, new, $INSN>cc:1, new, cc>e9:5, e9>cc:5, cc>$INSN:1, free, free, free, "
	first_bytes
	tail_is_put_back
	all_copies_go
}

begin
load kprobe_target
load kprobe_prober
breakpoint
if [ -e $SYSCTL ]; then
	jump
	stub
	second_buffer
else
	ktap_test_skip "stubs, and what has jumps"
fi
rm -f "$OUT"
finish
