# SPDX-License-Identifier: GPL-2.0
# Sourced by bench.sh: what fprobes cost, and the events that stand on them. The
# figures are those of bench.sh; of many events, FIGURE NUMBER VALUE of each.
# shellcheck shell=bash disable=SC2016,SC2154 # par, tracing, figures are bench.sh's
dyn=$tracing/dynamic_events
# Functions of the kernel, for what is measured several times.
FUNCS="vfs_read vfs_write vfs_open vfs_statx kfree"

must() { "$@" || { echo "bench: $* failed" >&2; exit 1; }; }
define() { echo "$1" >>$dyn || { echo "bench: no event $1" >&2; return 1; }; }
switch() { must echo "$2" >"$tracing/events/$1/enable"; }
forget() { must echo >$dyn; }

# calls FIGURE: what a call of __wake_up() costs more than without an event.
calls() {
	echo "$1" >$par/figure
	run calls
	echo >$tracing/trace
}

# recorded FIGURE ARGUMENTS: an event at the entry that is recorded.
recorded() {
	run bare
	define "f:bench/hit __wake_up $2" || return 0
	[ "$1" != ev0 ] || calls off
	switch bench 1
	calls "$1"
	switch bench 0
	forget
}

event_hits() {
	local four='wq_head mode nr_exclusive key'

	[ -e /sys/kernel/btf/vmlinux ] || four='$arg1 $arg2:u32 $arg3:s32 $arg4'
	recorded ev0 ''
	recorded ev4 "$four"
	recorded evs 's=+0($arg4):string'
	run bare
	define 'f:bench/hit __wake_up%return $retval' || return 0
	switch bench 1
	calls evx
	switch bench 0
	forget
}

# One at a time.
event_single() {
	local f

	for f in $FUNCS; do
		clock def define "f:bench/one $f" || continue
		clock on1 switch bench 1
		clock off1 switch bench 0
		forget
		clock def.args define "f:bench/one $f \$arg*" || continue
		forget
	done
}

TYPES=$(seq -w 0 49)

# Fifty, which differ by their names.
modules_with_types() {
	local n

	for n in $TYPES; do
		LC_ALL=C sed "s/kprobe_scale_types00/kprobe_scale_types$n/g" \
			/out/kprobe-scale-types00.ko >/tmp/types.ko
		must insmod /tmp/types.ko
	done
	rm /tmp/types.ko
}

refuse() { ! echo "$1" >>$dyn 2>/dev/null; }

# type_of FIGURE FUNCTION PARAMETER: the types are searched for the name of a parameter, not
# for a word on the stack.
type_of() {
	clock "types.$1.without" define "p:bench/one $2 \$stack1" || return
	forget
	clock "types.$1" define "p:bench/one $2 $3" || return
	forget
}

# What a search of the types takes, the first one, too. A part that the compiler has made of
# a function has none.
event_types() {
	local f

	[ -e /sys/kernel/btf/kprobe_scale ] || return 0
	modules_with_types
	for f in vfs_read:file vfs_write:file vfs_open:path vfs_statx:dfd kfree:object; do
		type_of found "${f%:*}" "${f#*:}"
	done
	for f in 05 15 25 35 45; do
		type_of module "kprobe_scale_types$f:scale_types_sum" pair
	done
	awk 'NF == 3 && $2 == "t" && $3 ~ /\.(part|isra|constprop)\.0$/ { n[$3]++ }
		END { for (f in n) if (n[f] == 1) print f }' /proc/kallsyms | sort | head -n 5 >/tmp/parts
	while read -r f; do
		clock types.missing.without refuse "p:bench/one $f \$nothing"
		clock types.missing refuse "p:bench/one $f nothing"
	done </tmp/parts
	for f in $TYPES; do must rmmod "kprobe_scale_types$f"; done
	forget
	echo >$tracing/error_log
}

# lines NUMBER SUFFIX: definitions of so many events, each on another function that is
# not called meanwhile.
lines() {
	awk -v nr="$1" -v suffix="$2" '
		/\[/ || !/^(acpi|pci|tcp|inet|udp|raw)_[a-z0-9_]+$/ || done[$1]++ { next }
		nr-- > 0 { print "f:many/e" nr, $1 suffix }' $tracing/available_filter_functions
}

# share FIGURE NUMBER COMMAND...: nanoseconds that it takes, of one of so many.
share() {
	local figure=$1 nr=$2 start=$EPOCHREALTIME end

	shift 2
	"$@"
	end=$EPOCHREALTIME
	echo "$figure $nr $(((${end/./} - ${start/./}) * 1000 / nr))" >>$figures
}

define_lines() { must cat /tmp/lines >>$dyn; }
off_and_gone() { switch many 0; forget; }
arm_lines() { define_lines; switch many 1; }

event_many() {
	local start

	echo "bench: $1 events"
	lines "$1" '' >/tmp/lines
	start=$EPOCHREALTIME
	share events.def "$1" define_lines
	share events.on "$1" switch many 1
	share events.off "$1" switch many 0
	share events.gone "$1" forget
	AMONG=$1 since events.life "$start"
}

# event_memory FIGURE SUFFIX: of armed ones.
event_memory() {
	lines 200 "$2" >/tmp/lines
	PER=200 memory "$1" arm_lines
	off_and_gone
}

# What tracers attach to that are told to take all; but not to what BPF runs in. Those
# that are called a known number of times come first, see fprobe_bpf.c: their other
# names (__do_sys_getppid) are left out.
KNOWN="__x64_sys_getppid __x64_sys_getsid __x64_sys_umask"
names() {
	printf '%s\n' $KNOWN
	awk -v known=" $KNOWN " '
		!/\[/ && !/^(rcu_|default_idle|bpf_|__ftrace_|__do_sys_get)/ && !index(known, " " $1 " ") { c[$1]++ }
		END { for (f in c) if (c[f] == 1) print f }' $tracing/available_filter_functions |
		head -n 20000
}

# bpf KIND CALLS: a program on 20,000 functions, and how often it must be called.
bpf() {
	echo "bench: bpf $1"
	/out/fprobe_bpf "$1" @/tmp/names >/tmp/bpf || return
	awk -v kind="$1" -v calls="$2" -v known=" $KNOWN " '
		$1 != "calls" { print "bpf." kind "." $1, 0, $2 }
		$1 == "calls" && index(known, " " $3 " ") { n++; lost += $2 > calls ? $2 - calls : calls - $2 }
		END { print "lost", 0, lost + (3 - n) * calls }' /tmp/bpf >>$figures
}

bpf_all() {
	# There is none for 32 bit.
	[ -x /out/fprobe_bpf ] || return
	names >/tmp/names
	echo "bpf.functions 0 $(wc -l </tmp/names)" >>$figures
	bpf entry 1000
	bpf return 1000
	bpf session 2000
}

# What there is so far: the rest takes long, and may not come to its end.
keep() { cp "$figures" /out/figures; }

# fprobe NUMBER...: with one CPU, so many events at a time.
fprobe() {
	local n

	event_types
	run loop fprobes fprobe-sleepers
	event_hits
	event_single
	keep
	for n in "$@"; do event_many "$n"; done
	keep
	run fprobe-others fprobe-two fprobe-others-off
	run fprobe-all fprobe-two fprobe-all-off
	keep
	bpf_all
}

fprobe-smp() {
	run fprobe-sleepers
	# What is made once.
	lines 1 %return >/tmp/lines
	arm_lines
	off_and_gone
	event_memory mem.event ''
	event_memory mem.exit %return
	PER=1 memory mem.all run fprobe-all
	run fprobe-all-off
}

fprobe-cpus() { run fprobe-cpus fprobe-cpus fprobe-cpus fprobe-cpus fprobe-cpus; }
