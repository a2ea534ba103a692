#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# In an installed Debian: what people use kprobes by does its work with the kernel of
# the packages. TAP on stdout.
FILE=/etc/debian_version
KERNEL=$(uname -r)
N=0

# result NAME COMMAND...
result() {
	local name=$1 word="not ok"

	shift
	"$@" >/tmp/said 2>&1 && word=ok
	N=$((N + 1))
	[ "$word" = ok ] || sed 's/^/# /' /tmp/said
	echo "$word $N $name"
}

# same NAME GOT WANT
same() { result "$1: $2, as it must be $3" [ "$2" = "$3" ]; }

# A program that opens the file as often as it is told.
cat >/tmp/opens <<'EOT'
i=0
while [ $i -lt $1 ]; do : <$2; i=$((i + 1)); done
EOT
# And one that forks for each, and does not mind when there is none.
cat >/tmp/forks <<'EOT'
i=0
while [ $i -lt $1 ]; do (: <$2) 2>/dev/null; i=$((i + 1)); done
EOT

# How often an event of perf was there while the program ran.
events() { perf stat -x, -o /tmp/stat -e "$1" sh /tmp/opens "$2" $FILE && sed -nE 's/^([0-9]+),.*/\1/p' /tmp/stat; }

# The program itself opens some files; they are as many each time.
more_events() { echo $(($(events "$1" 150) - $(events "$1" 50))); }

perf_probe() {
	local entry=probe:do_sys_openat2 exit=probe:do_sys_openat2__return

	result "perf probe: add an entry" perf probe -q --add do_sys_openat2
	result "perf probe: add a return" perf probe -q --add 'do_sys_openat2%return $retval'
	same "perf probe: list" "$(perf probe --list 2>/dev/null | grep -c do_sys_openat2)" 2
	same "perf stat: entries of 100 more calls" "$(more_events $entry)" 100
	same "perf stat: returns of 100 more calls" "$(more_events $exit)" 100
	perf record -q -o /tmp/data -e $exit sh /tmp/opens 70 $FILE 2>/dev/null
	result "perf script: at least 70 samples with a value" \
		[ "$(perf script -i /tmp/data 2>/dev/null | grep -c arg1=0x)" -ge 70 ]
	result "perf probe: remove them" perf probe -q --del 'do_sys_openat2*'
}

function_event() {
	local event=functions:opened dynamic=/sys/kernel/tracing/dynamic_events

	echo "f:${event/://} do_sys_openat2%return \$retval" >>$dynamic
	same "perf stat: hits of an event on a function, of 100 more calls" "$(more_events $event)" 100
	perf record -q -o /tmp/data -e $event sh /tmp/opens 70 $FILE 2>/dev/null
	result "perf script: at least 70 of its samples with a value" \
		[ "$(perf script -i /tmp/data 2>/dev/null | grep -cE 'arg1=[0-9]')" -ge 70 ]
	result "it is removed" sh -c "echo '-:${event/://}' >>$dynamic"
}

# counted PROBE: hits while the file is opened 100 times.
counted() {
	bpftrace -q -c "/bin/sh /tmp/opens 100 $FILE" -e "$1" >/tmp/bpftrace 2>&1
	sed -nE 's/^@: ([0-9]+)$/\1/p' /tmp/bpftrace
}

bpf_trace() {
	local this="/str(uptr(arg1)) == \"$FILE\"/"

	same "bpftrace: kprobe" "$(counted "kprobe:do_sys_openat2 $this { @ = count(); }")" 100
	same "bpftrace: kretprobe" "$(counted "kprobe:do_sys_openat2 $this { @in[tid] = 1; }
		kretprobe:do_sys_openat2 /@in[tid]/ { @ = count(); delete(@in[tid]); }")" 100
	result "bpftrace: many kprobes" [ "$(counted 'kprobe:vfs_* { @ = count(); }')" -ge 100 ]
}

# A program that makes some system calls 1,000 times.
make_calls() {
	cat >/tmp/calls.c <<-'EOT'
		#include <sys/stat.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int main(void)
		{
			for (int i = 0; i < 1000; i++) {
				syscall(SYS_getsid, 0);
				umask(022);
			}
			return 0;
		}
	EOT
	gcc -O2 -o /tmp/calls /tmp/calls.c
}

# many PROGRAM LINE: what LINE of the output says, and in a comment how long it took.
many() {
	local start=$EPOCHREALTIME

	BPFTRACE_MAX_PROBES=30000 BPFTRACE_MAP_KEYS_MAX=60000 \
		bpftrace -q -c /tmp/calls -e "$1" >/tmp/bpftrace 2>&1
	echo "# $1: $start to $EPOCHREALTIME" >>/tmp/times
	grep -F "$2: " /tmp/bpftrace | sed 's/.*: //' | grep . || sed 's/^/# /' /tmp/bpftrace >&2
}

# By one link with all functions that can be traced.
bpf_trace_all() {
	local in='@[__x64_sys_getsid]'

	result "bpftrace: a program that calls" make_calls
	same "functions that can be traced, 10,000 and more" \
		"$(($(wc -l </sys/kernel/tracing/available_filter_functions) >= 10000))" 1
	same "bpftrace: entries of all functions" "$(many 'kprobe:* /pid == cpid/ { @[func] = count(); }' "$in")" 1000
	same "bpftrace: returns of two" \
		"$(many 'kretprobe:__x64_sys_getsid,kretprobe:__x64_sys_umask /pid == cpid/ { @ = count(); }' @)" 2000
	same "bpftrace: entries, with returns of all functions" \
		"$(many 'kprobe:* /pid == cpid/ { @[func] = count(); } kretprobe:* /pid == cpid/ { @r = count(); }' "$in")" 1000
	result "bpftrace: returns of all functions" [ "$(sed -n 's/^@r: //p' /tmp/bpftrace)" -ge 2000 ]
	cat /tmp/times
}

# Modules that are not the kernel's, built as DKMS would.
build_samples() {
	local updates=/lib/modules/$KERNEL/updates dir

	cp -r /out/samples /tmp/
	mkdir -p "$updates"
	for dir in /tmp/samples/*; do
		make -C "/lib/modules/$KERNEL/build" M="$dir" CONFIG_SAMPLE_KPROBES=m \
			CONFIG_SAMPLE_KRETPROBES=m CONFIG_SAMPLE_FPROBE=m modules || return
		cp "$dir"/*.ko "$updates/" || return
	done
	depmod
}

# prints FILE PATTERN MODULE PARAMETER...: a line, at least, for each of 20 opens of FILE.
prints() {
	local file=$1 pattern=$2

	shift 2
	dmesg -C
	modprobe "$@" && sh /tmp/forks 20 "$file" && modprobe -r "$1" || return
	dmesg | tail -n 5
	[ "$(dmesg | grep -cE "$pattern")" -ge 20 ]
}

# off_console COMMAND...: for what dumps stacks, each of which is an alarm on the console.
off_console() {
	local ignore=/sys/module/printk/parameters/ignore_loglevel rc=0

	echo N >$ignore
	dmesg -n 1
	"$@" || rc=$?
	dmesg -n 7
	echo Y >$ignore
	[ "$rc" -eq 0 ] && ! dmesg | grep -E 'WARNING:|BUG:|BUG |Oops'
}

# sample FILE PATTERN MODULE PARAMETER...: the base has the sources of fewer of them.
sample() {
	! compgen -G "/tmp/samples/*/$3.c" >/dev/null || result "samples: $3" ${WHERE:-} prints "$@"
}

samples() {
	local f=do_sys_openat2

	result "samples: build against the headers" build_samples
	sample $FILE $f kprobe_example symbol=$f
	sample $FILE $f kretprobe_example func=$f
	sample $FILE $f fprobe_example symbol=$f
	sample /nowhere 'failed: (-2|-ENOENT)' kretprobe_open max_prints=1000
	WHERE=off_console sample $FILE 'kprobe_fork: .* kernel_clone' kprobe_fork max_prints=1000
}

result "the kernel is that of the package" dpkg -S "/boot/vmlinuz-$KERNEL"
result "types of the kernel are there" test -s /sys/kernel/btf/vmlinux
perf_probe
function_event
bpf_trace
bpf_trace_all
samples
echo "1..$N"
