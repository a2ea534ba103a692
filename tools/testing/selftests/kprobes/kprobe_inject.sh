#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Users that have a function return an error in the place of what it does: fail_function
# in debugfs, and BPF. Both redirect by a kprobe at the entry, on an ftrace site and where
# there is none.
. "$(dirname "$(readlink -f "$0")")/lib.sh"

FAIL=$DEBUGFS/fail_function
VICTIM=/sys/module/kprobe_victim/parameters
OUT=$(mktemp)
ENOMEM=12
EIO=5

# fails WHAT CALLS: how many of the calls have failed, and the last error.
fails() {
	echo "$1 $2" >$VICTIM/run
	echo "$(cat $VICTIM/failed) $(cat $VICTIM/error)"
}

probes() { grep -c ' kv_' $KPROBES/list; }

# inject WHAT ERRNO
inject() {
	echo "kv_$1" >$FAIL/inject || return
	printf '%#x\n' "-$2" >"$FAIL/kv_$1/retval"
}

inject_no_more() { echo "!kv_$1" >$FAIL/inject; }

# by_function WHAT
by_function() {
	check "$1: is injectable" "$(grep -c "kv_$1" "$DEBUGFS/error_injection/list")" 1
	check "$1: no call fails before" "$(fails "$1" 10)" "0 0"
	check "$1: fail_function takes it" "$(inject "$1" $ENOMEM; echo $?)" 0
	check "$1: each call fails" "$(fails "$1" 10)" "10 -$ENOMEM"
	# Where a post handler keeps a breakpoint, and where it does not keep a jump.
	sleep 1
	check "$1: and later, too" "$(fails "$1" 1000)" "1000 -$ENOMEM"
	echo 3 >$FAIL/times
	check "$1: three times" "$(fails "$1" 10)" "3 -$ENOMEM"
	echo -1 >$FAIL/times
	check "$1: is taken off" "$(inject_no_more "$1"; echo $?)" 0
	check "$1: no call fails after" "$(fails "$1" 10)" "0 0"
	check "$1: no probe is left" "$(probes)" 0
}

# beside WHAT: one that has come before does not see these calls, which it counts.
beside() {
	place now p older "kprobe_victim:kv_$1"
	inject "$1" $EIO
	place now p newer "kprobe_victim:kv_$1"
	check "$1: each call fails, of two that watch" "$(fails "$1" 10)" "10 -$EIO"
	check "$1: the newer one has seen them" "$(field newer hits) $(field newer missed)" "10 0"
	check "$1: the older one has missed them" "$(field older hits) $(field older missed)" "0 10"
	remove newer
	remove older
	inject_no_more "$1"
	check "$1: no call fails then" "$(fails "$1" 10)" "0 0"
}

# override FUNCTION ERRNO
override() { helper_start "$OUT" "$DIR/kprobe_override" "$1" "$2"; }

# Is there the helper of BPF that does it? Then it is the function that is not there.
bpf_can() {
	configured BPF_KPROBE_OVERRIDE && return
	"$DIR/kprobe_override" kv_none $EIO 2>&1 | grep -q 'kprobe on'
}

# by_bpf WHAT
by_bpf() {
	override "kv_$1" $EIO
	check "$1: BPF takes it" "$?: $(xargs <"$OUT")" "0: ready"
	check "$1: BPF has each call fail" "$(fails "$1" 1000)" "1000 -$EIO"
	helper_stop
	check "$1: no call fails without it" "$(fails "$1" 10)" "0 0"
	check "$1: BPF leaves no probe" "$(probes)" 0
}

bpf_refuses() {
	override "$2" $EIO
	check "BPF: $1" "$?: $(grep -c "$3" "$OUT")" "1: 1"
}

refused() {
	check "a function that is not there" "$(put $FAIL/inject kv_none)" EINVAL
	check "a function that is not injectable" "$(put $FAIL/inject vfs_read)" ERANGE
}

refused_by_bpf() {
	bpf_refuses "a function that is not there" kv_none "No such file"
	bpf_refuses "a function that is not injectable" vfs_read "Invalid argument"
	# Events, and what perf makes, may not be where nothing is traced.
	bpf_refuses "a function without a site" kv_plain "Invalid argument"
}

begin
load kprobe_victim
[ -e $FAIL/inject ] || missing FAIL_FUNCTION fail_function
load kprobe_prober
echo 100 >$FAIL/probability
echo -1 >$FAIL/times
echo 0 >$FAIL/verbose
for what in traced plain; do
	# A breakpoint is an NMI to lockdep, and chance is drawn under a lock that tasks take, too.
	[ $what = traced ] || ! configured PROVE_LOCKING || continue
	by_function $what
	beside $what
done
refused
if bpf_can; then
	by_bpf traced
	refused_by_bpf
else
	ktap_test_skip "BPF: no overriding in this kernel"
fi
echo 0 >$FAIL/probability
rm -f "$OUT"
finish
