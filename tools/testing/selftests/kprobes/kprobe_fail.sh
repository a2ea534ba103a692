#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each allocation that a registration makes is made to fail in turn: there must
# be an errno, nothing armed, and nothing leaked.
. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$DIR/fail.sh"

FAIL=/sys/module/kprobe_fail/parameters
TRACE=$TRACEFS/instances/kprobe_fail

# attempt OPERATION N: sets errno, injected, wrong.
attempt() {
	echo "$1 $2" >$FAIL/attempt
	read -r errno injected wrong <$FAIL/result
}

# Is one of our probes in the list? A new process would take longer than the
# attempt.
listed() {
	local lines

	mapfile -t lines <$KPROBES/list
	[[ ${lines[*]} =~ (kt_|fail_) ]]
}

# next_allocation OPERATION: sets n. Of those of a batch not all need be tried:
# they are the same for each probe.
next_allocation() {
	local step=1

	case $1 in
	*_returns) [ "$n" -lt 24 ] || step=5 ;;
	*_32)      [ "$n" -lt 16 ] || step=7 ;;
	*_200)     [ "$n" -lt 4 ] || step=83 ;;
	esac
	n=$((n + step))
}

# sweep OPERATION: all its allocations, until there are no more.
sweep() {
	local n=1

	while attempt "$1" "$n"; [ "$injected" = 1 ]; do
		if [ "$errno" = 0 ]; then
			survived=$((survived + 1))
		else
			failed=$((failed + 1))
			[[ $errnos == *" $errno "* ]] || errnos+=" $errno "
		fi
		[ "$wrong" = - ] || wrongs+="allocation $n (errno $errno): $wrong "
		! listed || left=$((left + 1))
		next_allocation "$1"
	done
	allocations=$((n - 1))
}

# sweeps OPERATION: what is remembered of the text is allocated once only. What
# came after that when the sweep began comes earlier from then on, and would be
# passed over: so there is a second sweep of what is soon done.
sweeps() {
	failed=0 survived=0 errnos='' wrongs='' left=0
	sweep "$1"
	case $1 in *_middle | *_entry) sweep "$1" ;; esac
}

# What operations that cannot fail do with a failure is up to them.
sweep_checked() {
	sweeps "$1"
	ktap_print_msg "$1: $allocations allocations; $failed attempts failed," \
		"$survived were made without; $SECONDS s"
	case $1 in
	register_* | enable_*entry)
		check "$1: errnos" "$errnos" " -12 " ;;
	*)	check_match "$1: errnos" "$errnos" "( -12 )?" ;;
	esac
	check "$1: hits, text and bystanders" "$wrongs" ""
	check "$1: probes left in the list" "$left" 0
	check "$1: without a failure" "$errno $wrong" "0 -"
}

# What is given to kfree_rcu() can be freed without an event: open files of
# sysfs, pages of slots (the bitmap of such a page is still followed), and return
# hooks, which count their memory themselves. Of vmalloc() the mappings are counted.
UNSEEN="^(kernfs_fop_open|kprobe_slot_page_new|rethook_(new|add|zalloc)|$STACKS)[+]"

hooks() { cat /sys/module/rethook/parameters/bytes 2>/dev/null; }

# rounds NUMBER FILE: what is alive after so many sweeps of all operations.
rounds() {
	local round op

	follow
	for ((round = 0; round < $1; round++)); do
		while read -r op; do
			case $op in *_32 | *_200) continue ;; esac
			sweep "$op"
			attempts=$((attempts + failed + survived))
		done <$FAIL/operations
	done
	# Some of it is freed by workers and after grace periods.
	sleep 8
	alive >"$2"
	rmdir "$TRACE"
}

# mappings: of pages for copies and detours, and of what vmalloc() gave. Those
# that are gone are listed until all CPUs have forgotten them; and workers, which
# have a stack each, come and go.
mappings() { grep -vcE 'unpurged|kernel_clone|copy_process|dup_task_struct' /proc/vmallocinfo; }

# What stays is the same after one round and after three, unless it leaks: then
# it is two more, or a multiple of that.
leaks() {
	local dir maps bytes attempts=0

	dir=$(mktemp -d)
	rounds 1 "$dir/1"
	maps=$(mappings)
	bytes=$(hooks)
	rounds 3 "$dir/3"
	ktap_print_msg "$attempts attempts, and $(wc -l <"$dir/3") callers keep memory"
	check "memory leaked" "$(awk 'NR == FNR { n[$1] = $2; next }
		$2 - n[$1] > 1 { print $1, $2 - n[$1] }' "$dir/1" "$dir/3")" ""
	check "bytes of return hooks" "$(hooks)" "$bytes"
	ktap_print_msg "$maps mappings before, $(mappings) after; $SECONDS s"
	check "mappings leaked" $(($(mappings) - maps > 2)) 0
	rm -r "$dir"
}

begin
trap 'rmdir "$TRACE" 2>/dev/null; put_back' EXIT
load kprobe_target
load kprobe_fail
prepare
[ "$(cat $FAIL/works)" = 1 ] || skip_all "no failslab and fail_page_alloc in this kernel"
while read -r op; do
	sweep_checked "$op"
done <$FAIL/operations
if [ -d "$TRACEFS/events/kmem/kmalloc" ] && [ -d "$TRACEFS/instances" ]; then
	leaks
else
	ktap_print_msg "no trace events in this kernel"
	ktap_test_skip "leaks"
fi
check "the module can be unloaded" "$(rmmod kprobe_fail && rmmod kprobe_target && echo ok)" ok
check "no probe is left" "$(listed && echo some)" ""
finish
