#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Each allocation is made to fail in turn that is made to register an fprobe, to define,
# enable, disable and remove events on functions and tracepoints, and as a module comes
# that they wait for (there only each STEP=, 3 by default): there must be an errno, or what
# was asked for; else nothing is armed or defined, nothing leaks, and afterwards it works.
# shellcheck disable=SC2016 # $ begins words of events
. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$DIR/fail.sh"

EVENTS=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
SWITCH=$TRACEFS/events/ff
# Read by field() of lib.sh, too.
PROBER=$DEBUGFS/fprobe_prober
TPOINT=/sys/module/fprobe_tpoint/parameters
TRACE=$TRACEFS/instances/kprobe_ffail
OUT=$(mktemp)
STEP=${STEP:-3}

# What is defined, each on something that call_all() calls three times.
COMMANDS=('f:ff/e kt_entry'
	'f:ff/e kt_entry%return a=$arg1 r=$retval $comm'
	"f4:ff/e kt_entry%return e=\$entry(+0(\$arg1))$ELAPSED"
	'f:ff/e kt_entry*,!kt_entry2 a=$arg1:u8'
	'f:ff/e kprobe_target:kt_entry s=+0($arg1):string t=+0(+0($arg2)):x8[4] j=@jiffies'
	't:ff/e kt_tick a=$arg1 s=+0($arg2):string')
BTF_COMMANDS=('f:ff/e kt_entry $arg*' 'f:ff/e kt_entry%return $arg* $retval'
	't:ff/e kt_tick $arg*' 'f:ff/e kt_entry d=(file)a->f_path.dentry->d_name.name:string')
# Their modules are not there.
AWAY=('f:ff/e no_such:kt_entry $arg1' 't:ff/e no_such_tick $arg1')

call_all() { call entry 3; echo 3 >$TPOINT/run; }

# attempt FD TEXT N: writes while allocation N fails. Sets errno, injected. What fails
# in this process itself, a page fault perhaps, was none of the write's.
attempt() {
	local nth left=0

	exec {nth}<>/proc/self/fail-nth
	{
		echo "$3" >&"$nth"
		printf '%s\n' "$2" >&"$1"
		read -r -u "$nth" left
		echo 0 >&"$nth"
	} 2>"$OUT"
	exec {nth}>&-
	read -r errno <"$OUT"
	errno=${errno##*: }
	injected=$((left == 0))
}

is_wrong() { wrong[$1]=$((${wrong[$1]:-0} + 1)); }

# Sets state: what is armed.
see_state() {
	local lines line

	mapfile -t lines <$TRACEFS/enabled_functions
	state=${#lines[@]}
	mapfile -t lines <$DEBUGFS/fprobes/stats
	for line in "${lines[@]}"; do
		[[ ! $line =~ ^(functions|sets|fprobes) ]] || state+=" $line"
	done
}

expect_nothing_armed() {
	see_state
	[ "$state" = "$nothing" ] || is_wrong "armed: $state"
}

expect_defined() {
	local lines

	mapfile -t lines <$EVENTS
	[ "${#lines[@]}" = "$1" ] || is_wrong "${#lines[@]} lines of events"
}

# Sets hits and flag: of the events all together, and what the last one's row ends with.
see_hits() {
	local lines line words

	mapfile -t lines <$PROFILE
	hits=0
	for line in "${lines[@]}"; do
		read -ra words <<<"$line"
		hits=$((hits + words[1]))
		flag=${words[-1]}
	done
}

# expect_hits N: more than there are, by the calls.
expect_hits() {
	local before

	see_hits
	before=$hits
	call_all
	see_hits
	[ $((hits - before)) = "$1" ] || is_wrong "$((hits - before)) hits, not $1"
}

# tell: what came of an attempt.
tell() {
	attempts=$((attempts + 1))
	[ -z "$errno" ] || errnos[$errno]=1
}

# sweep FUNCTION ARGUMENTS: calls it with each allocation, until there are no more; it
# calls attempt(). With step=N it is each Nth only.
sweep() {
	local n=1 step=${step:-1}

	while "$@" "$n"; tell; [ "$injected" = 1 ] && [ "$n" -lt 2000 ]; do
		n=$((n + step))
	done
	[ -z "$errno" ] || is_wrong "without a failure: $errno"
}

remove_all() { echo "-:ff/" >>$EVENTS; }

# once_defined LINE N. Where there was no memory for its directory, the tracer goes on
# without.
once_defined() {
	attempt "$dynamic" "$1" "$2"
	if [ -n "$errno" ]; then
		expect_defined 0
	else
		if [ -e $SWITCH/enable ] && [[ $1 != *no_such* ]]; then
			echo 1 >$SWITCH/enable
			expect_hits 3
			echo 0 >$SWITCH/enable
		fi
		expect_defined 1
		remove_all
	fi
	expect_nothing_armed
}

# A second target of an event that is enabled.
once_appended() {
	echo 'f:ff/e kt_entry2' >>$EVENTS
	echo 1 >$SWITCH/enable
	attempt "$dynamic" 'f:ff/e kt_entry' "$1"
	expect_defined $((1 + !${#errno}))
	expect_hits $((3 * !${#errno}))
	echo 0 >$SWITCH/enable
	remove_all
	expect_nothing_armed
}

# once_enabled FILE HITS N: of what is defined.
once_enabled() {
	local fd

	exec {fd}>"$1"
	attempt "$fd" 1 "$3"
	exec {fd}>&-
	if [ -z "$errno" ]; then
		expect_hits "$2"
	elif [[ $1 == */e/enable ]]; then
		read -r flag <"$1"
		[ "$flag" = 0 ] || is_wrong "enable is $flag after an error"
		expect_nothing_armed
	fi
	echo 0 >$SWITCH/enable
	expect_nothing_armed
}

# once_disabled FILE HITS N
once_disabled() {
	local fd

	echo 1 >$SWITCH/enable
	expect_hits "$2"
	exec {fd}>"$1"
	attempt "$fd" 0 "$3"
	exec {fd}>&-
	read -r flag <"$1"
	[ "$flag" = 0 ] || is_wrong "enable is $flag after 0"
	expect_hits 0
}

# once_removed LINE N
once_removed() {
	echo "$1" >>$EVENTS
	attempt "$dynamic" "-:ff/e" "$2"
	if [ -n "$errno" ]; then
		expect_defined 1
		remove_all
	fi
	expect_defined 0
	expect_nothing_armed
}

# once_registered COMMAND N: an fprobe.
once_registered() {
	local fprobes

	attempt "$prober" "$1" "$2"
	mapfile -t fprobes <$PROBER
	if [ -n "$errno" ]; then
		[ "${#fprobes[@]}" = 0 ] || is_wrong "registered: ${fprobes[*]}"
	else
		call entry 3
		[ "$(field p hits)" = 3 ] || is_wrong "$(field p hits) entries, not 3"
		[[ $1 == *" e "* ]] || [ "$(field p exits)" = 3 ] || is_wrong "exits, not 3"
		echo "remove - p -" >$PROBER
	fi
	expect_nothing_armed
}

# Sets failed: of the events, which are enabled all, how many cannot be hit.
expect_told() {
	local told

	failed=$(grep -cE 'failed$|waiting$' $PROFILE)
	told=$(grep -c ': error: ' $TRACEFS/error_log)
	[ "$failed" = "$told" ] || is_wrong "$failed are not armed, $told are told"
	[ "$injected" = 1 ] || [ "$failed" = 0 ] || is_wrong "$failed not armed, without failure"
	failures=$((failures + failed))
}

# expect_next MODULE HITS: when it comes the next time.
expect_next() {
	local before

	see_hits
	before=$hits
	load "$1"
	see_hits
	[ $((hits - before)) = "$2" ] || is_wrong "$((hits - before)) hits the next time, not $2"
	rmmod "$1"
}

# once_comes MODULE HITS N: with events that wait for the module, of which all that are
# not armed then must say so.
once_comes() {
	: >$TRACEFS/error_log
	echo "$1 $3" >/sys/module/fprobe_fail/parameters/attempt
	errno=$(insmod "$DIR/test_modules/$1.ko" 2>&1)
	read -r injected </sys/module/fprobe_fail/parameters/injected
	injected=$([ "$injected" = Y ] && echo 1 || echo 0)
	errno=${errno##*: }
	if [ -z "$errno" ]; then
		expect_told
		rmmod "$1"
		[ "$failed" = 0 ] || expect_next "$1" "$2"
	fi
	[ "$(grep -c 'waiting$' $PROFILE)" = 4 ] || is_wrong "not all wait"
	expect_nothing_armed
}

# sweeps WHAT COMMAND ARGUMENTS: a test.
sweeps() {
	local what=$1 attempts=0 text=
	local -A errnos=() wrong=()

	shift
	sweep "$@"
	total=$((total + attempts))
	[ "$verbose" = 1 ] || [ "${#wrong[@]}" != 0 ] || return
	for key in "${!wrong[@]}"; do text+="$key (${wrong[$key]} times) "; done
	ktap_print_msg "$what: $attempts attempts; $SECONDS s"
	case $what in
	disable*) check "$what: errnos" "${!errnos[*]}" "" ;;
	come)     check_match "$what: errnos" "${!errnos[*]}" "(Cannot allocate memory)?" ;;
	*)        check "$what: errnos" "${!errnos[*]}" "Cannot allocate memory" ;;
	esac
	check "$what: what was wrong" "$text" ""
}

definitions() {
	local line

	for line in "${COMMANDS[@]}" "${AWAY[@]}"; do
		sweeps "define $line" once_defined "$line"
	done
	sweeps "define a second target" once_appended
	sweeps "remove" once_removed "${COMMANDS[0]}"
}

switches() {
	local line

	for line in "${COMMANDS[@]}"; do
		echo "$line" >>$EVENTS
		sweeps "enable $line" once_enabled $SWITCH/e/enable 3
		remove_all
	done
	printf '%s\n' 'f:ff/e kt_entry' 'f:ff/x kt_entry%return r=$retval' 't:ff/t kt_tick' \
		>>$EVENTS
	sweeps "enable several" once_enabled $SWITCH/enable 9
	sweeps "disable several" once_disabled $SWITCH/enable 9
	remove_all
}

registrations() {
	local addresses command

	addresses=$(awk '$3 ~ /^kt_(entry|entry2|recurse)$/ { print $1 }' /proc/kallsyms |
		paste -sd,)
	for command in 'now e p kt_entry' 'now x p kt_entry*' 'now a p kprobe_target:kt_[er]n*' \
		'syms x p kt_entry,kt_entry2,kt_recurse' "ips x p $addresses" \
		'batch x p kt_entry,kt_entry2,kprobe_target:kt_recurse'; do
		sweeps "register ${command%% p *}" once_registered "$command"
	done
}

# Where the module may be refused, too. It takes seconds to come and go.
comings() {
	local failed failures=0

	unload fprobe_visitor
	printf '%s\n' 'f:ff/e fprobe_visitor:ktv_one $arg1' 't:ff/t ktv_tick $arg1' \
		'f:ff/x fprobe_visitor:ktv_*%return $retval' 't:ff/u ktv_tick' >>$EVENTS
	echo 1 >$SWITCH/enable
	step=$STEP sweeps "come" once_comes fprobe_visitor 60
	[ "$verbose" != 1 ] || check "some events could not be armed" $((failures > 0)) 1
	echo 0 >$SWITCH/enable
	remove_all
}

all() {
	definitions
	switches
	registrations
}

# settle FILE: what is alive, once nothing has more than one, or after half a minute. What
# waits for a grace period, and then for a worker, takes some seconds.
settle() {
	for _ in $(seq 5); do
		sleep 6
		alive >"$1"
		[ -n "$(awk '$2 > 1' "$1")" ] || break
	done
}

# What is made once has been made before this. So what has not been freed leaks, and does
# so again when all is done again: what has come by chance does not.
leaks() {
	local dir leaked='' verbose=0 COMMANDS=("${COMMANDS[1]}" "${COMMANDS[3]}" "${COMMANDS[5]}")

	dir=$(mktemp -d)
	follow
	all
	: >$TRACEFS/error_log
	settle "$dir/1"
	ktap_print_msg "alive: $(xargs <"$dir/1"); $(grep entries-in "$TRACE/trace"); $SECONDS s"
	if [ -n "$(awk '$2 > 1' "$dir/1")" ]; then
		all
		: >$TRACEFS/error_log
		settle "$dir/2"
		ktap_print_msg "alive after another round: $(xargs <"$dir/2"); $SECONDS s"
		leaked=$(awk 'NR == FNR { n[$1] = $2; next }
			$2 - n[$1] > 1 { print $1, n[$1], $2 }' "$dir/1" "$dir/2")
	fi
	rmdir "$TRACE"
	rm -r "$dir"
	check "memory leaked" "$leaked" ""
}

begin
[ -e $PROFILE ] || missing FPROBE_EVENTS "events on functions"
for injection in /proc/self/fail-nth $DEBUGFS/failslab $DEBUGFS/fail_page_alloc; do
	[ -e "$injection" ] || skip_all "no failslab and fail_page_alloc in this kernel"
done
trap 'rmdir "$TRACE" 2>/dev/null; echo 1 >$TRACEFS/options/record-cmd; put_back' EXIT
for module in kprobe_target fprobe_tpoint fprobe_prober fprobe_fail; do load $module; done
prepare
# Without memory the tracer warns of what it does to know the names of tasks.
echo 0 >$TRACEFS/options/record-cmd
# What is given to kfree_rcu() can be freed without an event. Sets are counted by
# expect_nothing_armed().
UNSEEN='^(kernfs_fop_open|eventfs_set_attr|tracepoint_add_func|trace_probe_add_file|'
UNSEEN+='fprobe_(set_alloc|table_reserve)|'
# Here, tables have the name of the function by which fprobe_table_reserve() allocates them.
[ "$(uname -m)" = x86_64 ] || UNSEEN+='__kvmalloc_node_noprof|'
UNSEEN+="$STACKS)[+]"
if [ -e /sys/kernel/btf/kprobe_target ] && grep -q '<argname>' $TRACEFS/README; then
	COMMANDS+=("${BTF_COMMANDS[@]}")
fi
exec {dynamic}>>$EVENTS {prober}>$PROBER
see_state
nothing=$state
total=0 verbose=1
all
[ ! -d "$TRACEFS/events/kmem/kmalloc" ] || leaks
comings
ktap_print_msg "$total attempts"
exec {dynamic}>&- {prober}>&-
rm "$OUT"
check "the modules go" \
	"$(unload fprobe_fail fprobe_prober fprobe_tpoint kprobe_target && echo ok)" ok
finish
