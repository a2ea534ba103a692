# SPDX-License-Identifier: GPL-2.0
# Sourced by the tests: modules, the files of kprobes, and TAP.
# shellcheck shell=bash

DIR=$(dirname "$(readlink -f "$0")")
. "$DIR"/../kselftest/ktap_helpers.sh

DEBUGFS=/sys/kernel/debug
KPROBES=$DEBUGFS/kprobes
SYSCTL=/proc/sys/debug/kprobes-optimization
# shellcheck disable=SC2034
TRACEFS=/sys/kernel/tracing
TARGET=/sys/module/kprobe_target/parameters
PROBER=$DEBUGFS/kprobe_prober
# By which lines of its log a kernel complains.
# shellcheck disable=SC2034 # some tests ask
ALARM='WARNING:|BUG:|Oops|possible .* detected|suspicious RCU|KASAN:|UBSAN:|rcu:.*stall'

skip_all() {
	ktap_skip_all "$*"
	exit "$KSFT_SKIP"
}

# configured OPTION: does the kernel say that it has it?
configured() { zcat /proc/config.gz 2>/dev/null | grep -q "^CONFIG_$1="; }

# missing OPTION WHAT: what the kernel has with that option is not there.
missing() {
	! configured "$1" ||
		ktap_exit_fail_msg "no $2, in spite of CONFIG_$1"
	skip_all "no $2 in this kernel"
}

begin() {
	ktap_print_header
	[ "$(id -u)" = 0 ] || skip_all "must be root"
	grep -qw debugfs /proc/filesystems || skip_all "no debugfs in this kernel"
	[ -d "$KPROBES" ] || mount -t debugfs none "$DEBUGFS"
	[ -d "$KPROBES" ] || missing KPROBES kprobes
	SWITCHES=$(grep -s . $SYSCTL $KPROBES/enabled)
	trap put_back EXIT
}

# A live patch goes when no task is in what it patches, and a moment later the
# module may go, too.
unload_patch() {
	local enabled=/sys/kernel/livepatch/$1/enabled

	loaded "$1" || return 0
	[ ! -f "$enabled" ] || echo 0 >"$enabled"
	for _ in $(seq 100); do
		[ "$(cat "/sys/module/$1/refcnt")" != 0 ] || break
		sleep 0.1
	done
	unload "$1"
}

# For events at exits: a time does not fit into a word of 32 bits.
# shellcheck disable=SC2016,SC2034 # $ begins a word of an event; some tests use it
case $(uname -m) in
*64* | s390x) ELAPSED=' d=$elapsed' ;;
*) ELAPSED= ;;
esac

# What is left in the trace may keep modules.
reset_trace() {
	[ -e $TRACEFS/current_tracer ] || return 0
	echo nop >$TRACEFS/current_tracer
	echo 0 >$TRACEFS/events/enable
	put $TRACEFS/dynamic_events "" >/dev/null
	put $TRACEFS/set_ftrace_filter "" >/dev/null
	echo 1 >$TRACEFS/tracing_on
}

# A test that bails out, and so has no plan, would fail the next ones by what it leaves.
put_back() {
	local file value

	[ "$KTAP_TESTNO" = 1 ] || [ "$KSFT_NUM_TESTS" != 0 ] || reset_trace
	while IFS=: read -r file value; do
		echo "$value" >"$file"
	done <<<"$SWITCHES"
	unload_all
}

# Users go before those they use.
unload_all() {
	unload_patch kprobe_early
	unload_patch kprobe_patch
	unload kprobe_patched kprobe_torture kprobe_api kprobe_return kprobe_stress \
		kprobe_leave kprobe_prober fprobe_prober fprobe_tpoint fprobe_hasty \
		fprobe_torture fprobe_visitor fprobe_fail kprobe_moved1 kprobe_moved2 \
		kprobe_async kprobe_fargs kprobe_coverage kprobe_diff kprobe_fail kprobe_victim \
		kprobe_target
}

# load MODULE [PARAMETER=VALUE...]: from here, or else an installed one.
load() {
	local module=$1 command=(insmod "$DIR/test_modules/$1.ko")

	shift
	[ -e /proc/modules ] || skip_all "no modules in this kernel"
	if [ ! -f "${command[1]}" ]; then
		modprobe -n -q "$module" || skip_all "there is no module $module"
		command=(modprobe "$module")
	fi
	"${command[@]}" "$@" || ktap_exit_fail_msg "module $module does not load"
}

loaded() { [ -d "/sys/module/$1" ]; }

unload() {
	local module

	for module in "$@"; do
		! loaded "$module" || rmmod "$module" || exit "$KSFT_FAIL"
	done
}

# finish: print the plan and the totals, and exit.
finish() {
	ktap_set_plan $((KTAP_TESTNO - 1))
	ktap_finished
}

# check WHAT GOT WANTED: one test.
check() {
	if [ "$2" = "$3" ]; then
		ktap_test_pass "$1"
	else
		ktap_print_msg "$1: got '$2', wanted '$3'"
		ktap_test_fail "$1"
	fi
}

# check_match WHAT GOT EXTENDED-REGEXP: one test; all of GOT must match.
check_match() {
	if [[ $2 =~ ^$3$ ]]; then
		ktap_test_pass "$1"
	else
		ktap_print_msg "$1: got '$2', wanted a match of '$3'"
		ktap_test_fail "$1"
	fi
}

# put FILE TEXT: write it, and say "ok" or which error it gave.
put() { name_error "$({ printf '%s\n' "$2" >"$1"; } 2>&1)"; }

# append FILE TEXT: likewise, but the file is not emptied first.
append() { name_error "$({ printf '%s\n' "$2" >>"$1"; } 2>&1)"; }

name_error() {
	case $1 in
	"")                              echo ok ;;
	*"Device or resource busy"*)     echo EBUSY ;;
	*"File exists"*)                 echo EEXIST ;;
	*"Invalid argument"*)            echo EINVAL ;;
	*"No such file or directory"*)   echo ENOENT ;;
	*"No such device"*)              echo ENODEV ;;
	*"Illegal byte sequence"* | *"Invalid or incomplete"*) echo EILSEQ ;;
	*"Numerical result"*)            echo ERANGE ;;
	*"Permission denied"*)           echo EACCES ;;
	*"Operation not supported"*)     echo EOPNOTSUPP ;;
	*)                               echo "$1" ;;
	esac
}

# cases MODULE [PARAMETERS...]: the results of a module's cases, and whether there is one
# of each, see test_modules/kt.h. On a kernel that some of them would crash,
# LEAVE_OUT=:CASE:CASE: leaves them out. ONLY_CASE=CASE is the only one to run.
cases() {
	local word rest first=$KTAP_TESTNO wanted=

	load "$@" ${LEAVE_OUT:+"leave_out=$LEAVE_OUT"} ${ONLY_CASE:+"only=$ONLY_CASE"}
	while read -r word rest; do
		case $word in
		cases)  wanted=$rest ;;
		ok)     ktap_test_pass "$rest" ;;
		not)    ktap_test_fail "${rest#ok }" ;;
		skip)   ktap_print_msg "$rest"; ktap_test_skip "${rest%% *}" ;;
		checks) ktap_print_msg "$1: $rest checks" ;;
		*)      ktap_print_msg "${rest}" ;;
		esac
	done <"$DEBUGFS/$1_results"
	check "$1: cases that have a result" $((KTAP_TESTNO - first)) "$wanted"
	unload "$1"
}

# The prober, see test_modules/kprobe_prober.c.
probe() { put "$PROBER" "$*"; }

place() { [ "$(probe "$@")" = ok ] || ktap_exit_fail_msg "no probe: $*"; }
remove() { place remove - "$1" -; }

# field NAME FIELD: of what the prober says of a probe.
field() {
	awk -v name="$1" -v field="$2" '$1 == name {
		for (i = 3; i <= NF; i++)
			if (split($i, w, "=") && w[1] == field) print w[2]
	}' "$PROBER"
}

# line SYMBOL[+OFFSET]: of the list of probes
line() { grep -E "  ${1/+/\\+}(\\+0x[0-9a-f]+)?  " $KPROBES/list; }

# flag SYMBOL NUMBER: is the one probe there marked [OPTIMIZED]? Waits a
# little for the answer NUMBER, prints the last one.
flag() {
	local i

	for ((i = 0; i < 50; i++)); do
		[ "$(line "$1" | grep -c OPTIMIZED)" != "$2" ] || break
		sleep 0.1
	done
	line "$1" | grep -c OPTIMIZED
}

# no_module_jumps FUNCTION: PowerPC has jumps, but none in modules.
no_module_jumps() {
	[[ $(uname -m) = ppc* ]] &&
		grep -q " $1+.*not possible on this architecture" $KPROBES/stats
}

# helper_start FILE PROGRAM...: in the background, with its output in the file. It has said
# "ready" when this returns, or, if this is false, has ended or is ended.
helper_start() {
	: >"$1"
	"${@:2}" >"$1" 2>&1 &
	HELPER=$!
	for _ in $(seq 50); do
		! grep -q ready "$1" || return 0
		kill -0 $HELPER 2>/dev/null || return 1
		sleep 0.1
	done
	helper_stop
	return 1
}

helper_stop() {
	kill -TERM $HELPER
	wait $HELPER 2>/dev/null
}

# insn N: an instruction of kt_asm(), from 0 on, where asm_insns is not 0.
insn() { printf 'kt_asm+0x%x\n' "$(cut -d ' ' -f $(($1 + 1)) $TARGET/asm_offsets)"; }

# call FUNCTION NUMBER: see test_modules/target_main.c.
call() { echo "$1 $2" >$TARGET/run; }

# hits_of NAME FUNCTION NUMBER: how often the probe is hit by that many calls.
hits_of() {
	local before

	before=$(field "$1" hits)
	call "$2" "$3"
	echo $(($(field "$1" hits) - before))
}
