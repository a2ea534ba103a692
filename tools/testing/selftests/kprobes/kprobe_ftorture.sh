#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Torture of events on functions and tracepoints: several writers define, enable,
# disable and remove them at random, in the trace, in instances and with perf, while the
# targets are called on all CPUs and count that themselves, a module with targets comes
# and goes, and other tracers are switched. TORTURE_SECONDS= says how long.
#
# Figures must be exact for what stays enabled all the time, for fprobes as well as for
# events, and for events that a judge defines, while the callers stand still, and reads,
# while they stand still again. All others must not have more hits than calls.
# shellcheck disable=SC2016 # $ begins words of events
. "$(dirname "$(readlink -f "$0")")/lib.sh"
. "$DIR/torture.sh"

EVENTS=$TRACEFS/dynamic_events
PROFILE=$TRACEFS/fprobe_profile
TORTURE=/sys/module/fprobe_torture/parameters
FPROBES=$DEBUGFS/fprobes
FPROBER=$DEBUGFS/fprobe_prober
WRITERS=${WRITERS:-3}

# attempt FILE TEXT REGEXP: append a line; an error must match.
attempt() {
	local error

	{ printf '%s\n' "$2" >>"$1"; } 2>"$dir/error.$BASHPID" && return
	read -r error <"$dir/error.$BASHPID"
	error=${error##*: }
	[[ $error =~ ^($3)$ ]] || complain "$2 >>$1: $error"
	return 1
}

# must FILE TEXT
must() { attempt "$1" "$2" none; }

# Targets: functions that are there all the time, lists and patterns of such.
ON=(ktf_plain ktf_other ktf_outer ktf_recurse ktf_sleep ktf_irq
	'ktf_plain,ktf_sleep' 'ktf_*' 'ktf_*,!ktf_irq,!ktf_sleep')
ARGS=('' 'a=$arg1' 'a=$arg1:u8 p=$arg2' 's=+0($arg1):string' 'c=$comm b=$arg1:b4@2/32'
	'a=$arg1 b=@jiffies c=\1 x=+0(+0($arg1)):x8[4]')
EXIT_ARGS=('' 'r=$retval' 'a=$arg1 r=$retval' "e=\$entry(\$arg1)$ELAPSED"
	'k=$entry(+0($arg2)) r=$retval' 'r=$retval:u8 s=$stack0')
VISITOR=(fprobe_visitor:ktv_one fprobe_visitor:ktv_two fprobe_visitor:ktv_init_text
	'fprobe_visitor:ktv_*' ktv_one 'ktv_*')

# pick VARIABLE WORD...: one of them.
pick() { local n=$((2 + RANDOM % ($# - 1))); printf -v "$1" %s "${!n}"; }

# any_line NAME: sets line to a definition with that name; of functions that are there
# all the time, and target to what it is on.
any_line() {
	local args

	pick target "${ON[@]}" ktf_tick
	case $((RANDOM % 3)):$target in
	*:ktf_tick) pick args "${ARGS[@]}"; line="t:$1 ktf_tick $args" ;;
	0:*)        pick args "${EXIT_ARGS[@]}"; line="f:$1 $target%return $args" ;;
	1:*[*,]*)   pick args "${EXIT_ARGS[@]}"; line="f:$1 $target%return $args" ;;
	1:*)        pick args "${EXIT_ARGS[@]}"
		    line="f$((1 + RANDOM % 4)):$1 $target%return $args" ;;
	*)          pick args "${ARGS[@]}"; line="f:$1 $target $args" ;;
	esac
}

# other_line NAME: of what comes and goes, and of other kinds.
other_line() {
	local args

	case $((RANDOM % 6)) in
	0)  pick target "${VISITOR[@]}"; line="f:$1 $target" ;;
	1)  pick target "${VISITOR[@]}"; line="f:$1 $target%return" ;;
	2)  line="t:$1 ktv_tick" ;;
	3)  line="f:$1 fprobe_visitor:no_such_function" ;;
	4)  pick target "${ON[@]:0:6}"; line="p:$1 $target" ;;
	5)  pick target "${ON[@]:0:6}"; line="r:$1 $target" ;;
	esac
}

# some_name WRITER: sets group and name; of the writer's own group, or that of all.
some_name() {
	pick group "w$1" "w$1" all
	name=$group/e$((RANDOM % 8))
}

GONE='No such file or directory|No such device'

defines() {
	if [ $((RANDOM % 3)) = 0 ]; then other_line "$name"; else any_line "$name"; fi
	attempt $EVENTS "$line" "File exists|$GONE|Device or resource busy" &&
		defined=$((defined + 1))
}

# An instance is removed with what is enabled in it.
in_instance() {
	local instance=$TRACEFS/instances/$group.$1

	mkdir "$instance"
	[ ! -e "$instance/events/$name" ] || attempt "$instance/events/$name/enable" 1 "$GONE"
	any_line "$name"
	attempt $EVENTS "$line" "File exists|$GONE|Device or resource busy"
	switch_group "$instance/events/$group/enable" 1
	nap 0 2
	rmdir "$instance" || complain "$instance stays"
}

# Perf has the event until its program ends.
with_perf() {
	local id

	read -r id 2>"$dir/error.$BASHPID" <"$TRACEFS/events/$name/id" || return
	"$DIR/fprobe_perf" "$id" "$dir/nothing" "" 0 >"$dir/perf.$BASHPID" 2>&1
}

looks() {
	local lines

	mapfile -t lines <$EVENTS
	mapfile -t lines <$PROFILE
	mapfile -t lines <$FPROBES/list
	mapfile -t lines <$FPROBES/stats
	mapfile -t lines <$TRACEFS/enabled_functions
	{ mapfile -t lines <"$TRACEFS/events/$name/format"; } 2>"$dir/error.$BASHPID"
}

# For a group whose events have all gone since it was opened, the tracer says EINVAL.
switch_group() { [ ! -e "$1" ] || attempt "$1" "$2" "$GONE|Invalid argument"; }

# act WRITER: one thing by chance. A file may go before it is written to.
act() {
	local switch group name line target

	some_name "$1"
	switch=$TRACEFS/events/$name/enable
	case $((RANDOM % 40)) in
	[0-9] | 1[0-2]) defines ;;
	1[3-9] | 2[0-2]) [ ! -e "$switch" ] || attempt "$switch" 1 "$GONE" ;;
	2[3-7]) [ ! -e "$switch" ] || attempt "$switch" 0 "$GONE" ;;
	2[89] | 3[0-2]) attempt $EVENTS "-:$name" "$GONE|Device or resource busy" &&
		removed=$((removed + 1)) ;;
	33) switch_group "${switch%/*/*}/enable" 1 ;;
	34) switch_group "${switch%/*/*}/enable" 0 ;;
	35) in_instance "$1" ;;
	36) with_perf ;;
	37) looks ;;
	38) "$clears" "${switch%/*/*}" ;;
	39) nap 0 2 ;;
	esac
	acts=$((acts + 1))
}

# Without those that stay enabled, all can go by one write.
clears_all() {
	attempt $TRACEFS/events/enable 0 "$GONE"
	{ : >$EVENTS; } 2>"$dir/error.$BASHPID" && count cleared
}

# While others stay, a filter comes instead.
clears_none() {
	[ ! -e "$1/filter" ] || attempt "$1/filter" 'common_pid != 0' "$GONE|Invalid argument"
}

writer() {
	local acts=0 defined=0 removed=0

	RANDOM=$((SEED + $1))
	while running; do
		act "$1"
	done
	echo "$acts $defined $removed" >"$dir/writer.$1"
}

# The engine without events: fprobes come and go on the functions.
engine() {
	local kind target

	while running; do
		pick kind e x a
		pick target "${ON[@]}" 'fprobe_visitor:ktv_*'
		attempt $FPROBER "now $kind coming $target" "$GONE" || continue
		nap 0 3
		must $FPROBER "remove - coming -"
		count fprobes
	done
}

# With another tracer on a function, ftrace calls all through one that walks over them.
tracers() {
	local tracer

	echo 'ktf_*' >$TRACEFS/set_ftrace_filter
	while running; do
		for tracer in function nop function_graph nop; do
			grep -qw $tracer $TRACEFS/available_tracers || continue
			must $TRACEFS/current_tracer $tracer
			nap 2 10
		done
		count traces
	done
	echo >$TRACEFS/set_ftrace_filter
}

# To define an event on its tracepoint holds the module for a moment.
lives() {
	local n

	while running; do
		insmod "$DIR/test_modules/fprobe_visitor.ko" ||
			complain "fprobe_visitor does not load"
		nap 0 4
		for n in {1..100}; do
			rmmod fprobe_visitor 2>"$dir/error.$BASHPID" && break
			[ "$n" -lt 100 ] || complain "fprobe_visitor cannot be unloaded"
			sleep 0.1
		done
		count lives
		nap 0 3
	done
}

go() { echo "$1" >$TORTURE/go; }

# calls_of TARGET: since the module of callers was loaded.
calls_of() {
	awk -v target="$1" '
	BEGIN { n = split(target, words, ",") }
	{ calls[$1] = $2 }
	END {
		for (name in calls) {
			is = 0
			for (i = 1; i <= n; i++) {
				w = words[i]
				out = sub(/^!/, "", w)
				if (w == name || (w == "ktf_*" && name != "ktf_tick"))
					is = out ? -99 : is + 1
			}
			if (is > 0)
				sum += calls[name]
		}
		print sum + 0
	}' $TORTURE/calls
}

# seen NAME: hits and misses of an event, without records that were lost.
seen() {
	awk -v name="$1" '$1 == name {
		n += $2 + $3
		for (i = 4; i <= NF; i++)
			if (sub(/^record=/, "", $i)) n -= $i
		found = 1
	} END { print found ? n : "no event" }' $PROFILE
}

# verdict: of events that are new and were enabled between two stands of the callers.
verdict() {
	local i got want

	for i in 1 2 3; do
		got=$(seen "judge$i")
		want=$(($(calls_of "${targets[i]}") - before[i]))
		[ "$got" = "$want" ] || complain "${lines[i]}: $got hits and misses, $want calls"
		[ "$want" -gt 0 ] || complain "${lines[i]}: no calls"
	done
	count verdicts
}

judge() {
	local i line target lines targets before

	while running; do
		go 0
		for i in 1 2 3; do
			any_line "judge/judge$i"
			lines[i]=$line targets[i]=$target
			must $EVENTS "$line"
			before[i]=$(calls_of "$target")
		done
		must $TRACEFS/events/judge/enable 1
		go 1
		nap 2 8
		go 0
		verdict
		must $TRACEFS/events/judge/enable 0
		for i in 1 2 3; do must $EVENTS "-:judge/judge$i"; done
		go 1
		nap 2 8
	done
}

# Those that stay: NAME, DEFINITION, and what is called, by name or for each life of the
# visitor.
STAY=('entry|f:stay/entry ktf_plain a=$arg1 s=+0($arg2):string|ktf_plain'
	'exit|f:stay/exit ktf_plain%return a=$arg1:u64 r=$retval:u64|ktf_plain'
	'all|f:stay/all ktf_*|ktf_*'
	'list|f:stay/list ktf_plain,ktf_other%return $retval|ktf_plain,ktf_other'
	"limit|f1:stay/limit ktf_sleep%return e=\$entry(\$arg1)$ELAPSED|ktf_sleep"
	'deep|f:stay/deep ktf_recurse%return a=$arg1|ktf_recurse'
	'irq|f:stay/irq ktf_irq%return r=$retval|ktf_irq'
	'tick|t:stay/tick ktf_tick a=$arg1 s=+0($arg2):string|ktf_tick'
	'tock|t:stay/tock ktf_tick|ktf_tick'
	'one|f:stay/one fprobe_visitor:ktv_one a=$arg1|20'
	'back|f:stay/back fprobe_visitor:ktv_one%return $retval:s64|20'
	'both|f:stay/both fprobe_visitor:ktv_[ot]*|40'
	'init|f:stay/init fprobe_visitor:ktv_init_text|10'
	'visit|t:stay/visit ktv_tick s=+0($arg2):string|20')

stay() {
	local row definition

	for row in "${STAY[@]}"; do
		IFS='|' read -r _ definition _ <<<"$row"
		must $EVENTS "$definition"
	done
	must $TRACEFS/events/stay/enable 1
	for row in e x a; do must $FPROBER "now $row stay_$row ktf_plain"; done
}

fprober_is() { awk -v name="stay_$1" -v f="$2" '$1 == name {
	n = 0
	for (i = 3; i <= NF; i++)
		if (split($i, w, "=") && (w[1] == f || w[1] == "missed")) n += w[2]
	print n }' $FPROBER; }

judge_stay() {
	local row name target want

	for row in "${STAY[@]}"; do
		IFS='|' read -r name _ target <<<"$row"
		case $target in
		[0-9]*) want=$((target * $(counted lives))) ;;
		*)      want=$(calls_of "$target") ;;
		esac
		check "stays enabled: $name: hits and misses" "$(seen "$name")" "$want"
	done
	want=$(calls_of ktf_plain)
	check "stay registered: hits" "$(for row in e x a; do fprober_is $row hits; done | xargs)" \
		"$want $want $want"
	check "exits" "$(for row in x a; do fprober_is $row exits; done | xargs)" "$want $want"
}

# What is in the records is what the call was given: 3 * a + 't' is returned.
judge_records() {
	check "records with wrong values" "$(awk '/ exit: \(/ {
		split($(NF - 1), a, "=")
		split($NF, r, "=")
		wrong += r[2] != 3 * a[2] + 116
		n++
	} END { print wrong, (n > 0) }' $TRACEFS/trace)" "0 1"
	check "records with wrong texts" "$(grep -E ' entry: \(' $TRACEFS/trace |
		grep -vc 's="torture"')" 0
}

# Those of the writers that are left may not have more hits than calls.
judge_rest() {
	local wrong

	wrong=$(awk -v most="$(calls_of 'ktf_*,ktf_tick')" '$1 ~ /^e[0-9]$/ && $2 > most' $PROFILE)
	check "more hits than calls" "$wrong" ""
}

state() {
	grep -cE 'ktf_|ktv_' $TRACEFS/enabled_functions
	wc -l <$TRACEFS/enabled_functions
	wc -l <$FPROBES/list
	grep -E '^(functions|sets|fprobes) ' $FPROBES/stats
	sed -nE 's/^nodes ([0-9]+) .* used /used of \1: /p' $FPROBES/stats | grep -v ' 0$'
}

# kilobytes: what the kernel has, after what waits for grace periods has gone.
kilobytes() {
	sleep 2
	awk '$1 ~ /^(Slab|Percpu|VmallocUsed|KernelStack|PageTables):/ { n += $2 }
		END { print n }' /proc/meminfo
}

check_some() {
	local what=$1 f

	shift
	for f in "$@"; do
		check "$what: some $f" $(($(counted "$f") > 0)) 1
	done
}

# report PHASE COUNTED...: what all phases have to say, and what there must be some of.
report() {
	local line

	[ ! -e "$dir/complaints" ] || sort "$dir/complaints" | uniq -c | head -n 30 | sed 's/^/# /'
	check "$1: complaints" "$(counted complaints)" 0
	line=$(cat "$dir"/writer.* | awk '{ a += $1; d += $2; r += $3 } END {
		print a " acts of writers, " d " definitions, " r " removals" }')
	ktap_print_msg "$1: $line; $(counted fprobes) fprobes, $(counted lives) lives of a" \
		"module, $(counted traces) rounds of tracing, $(counted verdicts) verdicts," \
		"$(counted cleared) times all cleared, $(xargs <$TORTURE/calls)"
	check_some "$1" "${@:2}" lives fprobes
}

# All that is left goes.
clear() {
	local n

	echo 0 >$TRACEFS/events/enable
	: >$EVENTS
	: >$TRACEFS/trace
	! loaded fprobe_visitor || rmmod fprobe_visitor
	echo nop >$TRACEFS/current_tracer
}

# leave PHASE: all of it is over.
leave() {
	check "$1: all calls gave the right result" "$(cat $TORTURE/wrong_results)" 0
	clear
	check "$1: what is left" "$(cat $EVENTS)$(state)" "$nothing"
	check "$1: the module of callers goes" "$(unload fprobe_torture && echo ok)" ok
}

# start: all but the judge.
start() {
	local n

	rm -f "$dir"/*
	: >"$dir/nothing"
	for ((n = 0; n < WRITERS; n++)); do writer $n & done
	engine &
	tracers &
	lives &
}

# exact SECONDS: with those that stay.
exact() {
	clears=clears_none
	load fprobe_torture
	stay
	start
	judge &
	sleep "$1"
	touch "$dir/stop"
	wait
	go 0
	report exact verdicts
	judge_stay
	judge_records
	judge_rest
	for n in e x a; do must $FPROBER "remove - stay_$n -"; done
	leave exact
}

# cleared SECONDS: when all is cleared now and then, no figure is to be exact.
cleared() {
	clears=clears_all
	load fprobe_torture
	go 1
	start
	sleep "$1"
	# A machine may be so slow that no writer has come to it. An event may be in use.
	for _ in $(seq 50); do
		[ "$(counted cleared)" = 0 ] || break
		clears_all
	done
	touch "$dir/stop"
	wait
	go 0
	judge_rest
	report cleared cleared
	leave cleared
}

# growth FROM TO: more memory than that of a few slabs, by kilobytes. KASAN holds back
# what was freed.
growth() {
	ktap_print_msg "memory of the kernel: $1 kB, and $2 kB later"
	if grep -q ' kasan_save_free_info$' /proc/kallsyms; then
		ktap_test_skip "no growth of memory"
	else
		check "no growth of memory" $(($2 - $1 > 4096)) 0
	fi
}

begin
[ -e $PROFILE ] || missing FPROBE_EVENTS "events on functions"
[ -d "$TRACEFS/instances" ] || skip_all "no instances of the trace in this kernel"
SEED=${SEED:-$RANDOM}
seconds=${TORTURE_SECONDS:-20}
ktap_print_msg "SEED=$SEED, $WRITERS writers, $(nproc) CPUs, $seconds s"
dir=$(mktemp -d)
clear
load fprobe_prober
nothing=$(state)
exact $((seconds / 3))
memory=$(kilobytes)
exact $((seconds / 3))
cleared $((seconds / 3))
growth "$memory" "$(kilobytes)"
check "the module of fprobes goes" "$(unload fprobe_prober && echo ok)" ok
rm -rf "$dir"
finish
