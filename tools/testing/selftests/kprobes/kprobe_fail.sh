#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each allocation that a registration makes is made to fail in turn: there must
# be an errno, nothing armed, and nothing leaked.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FAIL=/sys/module/kprobe_fail/parameters
SLABS=/sys/kernel/slab
ROUNDS=${ROUNDS:-2}

# knob FILE VALUE: of one of the fault injections.
knob() { [ ! -e "$DEBUGFS/$1" ] || echo "$2" >"$DEBUGFS/$1"; }

# All allocations that may sleep are ours to fail; nothing is said about it.
prepare() {
	local f

	for f in failslab fail_page_alloc; do
		knob $f/ignore-gfp-wait N
		knob $f/ignore-gfp-highmem N
		knob $f/min-order 0
		knob $f/verbose 0
	done
}

# attempt OPERATION N: sets errno, injected, wrong.
attempt() {
	echo "$1 $2" >$FAIL/attempt
	read -r errno injected wrong <$FAIL/result
}

listed() { grep -cE 'kt_|fail_' $KPROBES/list; }

# step OPERATION N: which one is next. Of the many allocations of the largest
# batch not all need be tried.
step() {
	case $1 in
	*_200) echo $(($2 + ($2 < 12 ? 1 : 37))) ;;
	*)     echo $(($2 + 1)) ;;
	esac
}

# sweep OPERATION: all its allocations, until there are no more.
sweep() {
	local n=1

	failed=0 survived=0 errnos='' wrongs='' left=0
	while attempt "$1" "$n"; [ "$injected" = 1 ]; do
		if [ "$errno" = 0 ]; then
			survived=$((survived + 1))
		else
			failed=$((failed + 1))
			[[ $errnos == *" $errno "* ]] || errnos+=" $errno "
		fi
		[ "$wrong" = - ] || wrongs+="allocation $n (errno $errno): $wrong "
		[ "$(listed)" = 0 ] || left=$((left + 1))
		n=$(step "$1" "$n")
	done
	allocations=$((n - 1))
}

# What operations that cannot fail do with a failure is up to them.
sweep_checked() {
	sweep "$1"
	ktap_print_msg "$1: $allocations allocations; $failed attempts failed," \
		"$survived were made without"
	case $1 in
	register_* | enable_*entry)
		check "$1: errnos" "$errnos" " -12 " ;;
	*)	check_match "$1: errnos" "$errnos" "( -12 )?" ;;
	esac
	check "$1: hits, text and bystanders" "$wrongs" ""
	check "$1: probes left in the list" "$left" 0
	check "$1: without a failure" "$errno $wrong" "0 -"
}

# objects: how many there are, in the caches that we allocate from.
objects() {
	local cache n sum=0

	for cache in "$SLABS"/kmalloc-* "$SLABS"/vmap_area; do
		[ -e "$cache/shrink" ] || continue
		echo 1 >"$cache/shrink"
		read -r n _ <"$cache/objects"
		sum=$((sum + n))
	done
	echo $sum
}

# What is freed by workers and after grace periods takes a while to go.
settled_objects() {
	local last=0 now tries=0

	while [ $((tries++)) -lt 10 ]; do
		sleep 1
		now=$(objects)
		[ $((now - last)) -gt 8 ] || [ $((last - now)) -gt 8 ] || break
		last=$now
	done
	echo "$now"
}

# mappings: of pages for copies and detours, and of what vmalloc() gave.
mappings() { wc -l </proc/vmallocinfo; }

leaks() {
	local op round before after maps attempts=0

	before=$(settled_objects)
	maps=$(mappings)
	for ((round = 0; round < ROUNDS; round++)); do
		while read -r op; do
			case $op in *_32 | *_200) continue ;; esac
			sweep "$op"
			attempts=$((attempts + failed + survived))
		done <$FAIL/operations
	done
	after=$(settled_objects)
	ktap_print_msg "$attempts failures: $before objects before, $after after;" \
		"$maps and $(mappings) mappings"
	# Each allocation was made to fail $ROUNDS times.
	check "objects leaked" $((after - before >= 2 * ROUNDS)) 0
	check "mappings leaked" $(($(mappings) - maps >= ROUNDS)) 0
}

begin
trap 'unload kprobe_fail kprobe_target' EXIT
load kprobe_target
load kprobe_fail
prepare
[ "$(cat $FAIL/works)" = 1 ] || skip_all "no failslab and fail_page_alloc in this kernel"
while read -r op; do
	sweep_checked "$op"
done <$FAIL/operations
if [ -e "$SLABS/kmalloc-64/objects" ]; then
	leaks
else
	ktap_print_msg "no counts of objects in this kernel"
	ktap_test_skip "leaks"
fi
check "the module can be unloaded" "$(rmmod kprobe_fail && rmmod kprobe_target && echo ok)" ok
check "no probe is left" "$(listed)" 0
finish
