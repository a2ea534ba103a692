#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# What kprobes cost: ours beside stock. The last line is "N passed, N failed";
# each target of bench.py is a test.
#
# CONFIG=  x86_64 (default) or i386, each beside stock of its kind
#
# Each kernel is booted for kprobes, and as often for fprobes and the events on them:
# with one CPU whose clock counts instructions, with four, and five times with four
# that really run at a time. The modules that measure are in kernel/kprobes/scale/,
# one source for both kernels.
#
# OTHERS=  how many other probes there are, while hits and single registrations
#          are measured; default "0 100 1000 10000 50000"
# STOCK_OTHERS=
#          the same for stock; default "0 100 1000 10000": it would spend hours
#          with 50000
# EVENTS=  how many events are set at a time; default "20 1000"
# STOCK_EVENTS=
#          the same for stock; default "20": it would take an hour for 1000
# RUN=     some of: build ours stock cpus fprobe-ours fprobe-stock fprobe-cpus table
#          fprobe-table; default all but the last, which is the table of fprobes alone
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-x86_64}
STOCK=$(stock_of "$CONFIG")
OTHERS=${OTHERS:-0 100 1000 10000 50000}
STOCK_OTHERS=${STOCK_OTHERS:-0 100 1000 10000}
EVENTS=${EVENTS:-20 1000}
STOCK_EVENTS=${STOCK_EVENTS:-20}
DIR=$(beside_stock bench "$CONFIG")

# The modules, built against one kernel.
module() {
	local dir=$DIR/module-$1

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$TOP"/kernel/kprobes/scale/* "$dir/"
	make -C "$(realpath "$BUILD/$1")" M="$dir" CONFIG_KPROBE_SCALE_TEST=m $ARCH modules
	[ -n "$ARCH" ] ||
		gcc -O2 -static -o "$dir/fprobe_bpf" "$TOP/tools/testing/selftests/kprobes/fprobe_bpf.c"
}

build() {
	local k

	for k in "$CONFIG" "$STOCK"; do
		"$HARNESS/kernel.sh" "$k"
		step "bench module ($k)" "$LOGS/bench-$k.log" module "$k"
	done
}

# boot KERNEL KIND ARGUMENTS...
boot() {
	local kernel=$1 kind=$2 name=bench-$1-$2

	shift 2
	rm -rf "$DIR/in"
	mkdir -p "$DIR/in"
	cp "$DIR/module-$kernel"/*.ko "$DIR/in/"
	[ -n "$ARCH" ] || cp "$DIR/module-$kernel/fprobe_bpf" "$DIR/in/"
	# Suites that have run leave caches behind them in which there is room.
	NAME=$name IN=$DIR/in QUIET=1 TIMEOUT=${TIMEOUT:-5400} \
		APPEND="kunit.enable=0 ${APPEND:-}" \
		step "measure $kernel ($kind)" "$LOGS/boot-$name.log" \
		"$HARNESS/boot.sh" "$kernel" -- /harness/bench.sh "$kind" "$@" || return
	"$HARNESS/console.sh" "$BUILD/runs/$name/console.log" ||
		say "the kernel complained; full log: $BUILD/runs/$name/console.log"
	cp "$BUILD/runs/$name/out/figures" "$DIR/$kernel-$kind"
}

# measure KERNEL OTHERS...
measure() {
	local kernel=$1

	shift
	ICOUNT=1 boot "$kernel" icount "$@"
	SMP=4 boot "$kernel" smp
}

# measure_fprobes KERNEL EVENTS...
measure_fprobes() {
	local kernel=$1

	shift
	ICOUNT=1 boot "$kernel" fprobe "$@"
	SMP=4 boot "$kernel" fprobe-smp
}

# boot_cpus KERNEL KIND: the module patches nothing that is being executed, but a kernel
# does in its boot, and may die of it, see boot.sh. If it has measured nothing yet, it is
# booted once more, and what is left of it is kept.
boot_cpus() {
	local run=$BUILD/runs/bench-$1-$2

	if SMP=4 TCG_THREAD=multi TIMEOUT=${TIMEOUT:-900} boot "$1" "$2"; then return; fi
	! grep -qs '^bench:' "$run/result.log" || return 1
	rm -rf "$run-died"
	mv "$run" "$run-died"
	say "it is booted once more; the first boot: $run-died"
	STEP_FAILED=
	SMP=4 TCG_THREAD=multi TIMEOUT=${TIMEOUT:-900} boot "$1" "$2"
}

# measure_cpus KIND: the clock is the host's here, which has other work as well. The
# kernels take turns, so that it disturbs both.
measure_cpus() {
	local k n

	rm -f "$DIR"/{"$STOCK","$CONFIG"}-"$1"-all
	for n in 1 2 3 4 5; do
		for k in "$STOCK" "$CONFIG"; do
			boot_cpus "$k" "$1"
			cat "$DIR/$k-$1" >>"$DIR/$k-$1-all"
		done
	done
}

# The targets are x86-64's; another word size has its ratios to stock for some.
# table NAME: of all, or of fprobes.
table() {
	local ratios=$BUILD/bench/$1.csv

	[ "$CONFIG" != x86_64 ] || ratios=
	[ -z "$ratios" ] || [ -f "$ratios" ] ||
		die "no $ratios: make bench first, without CONFIG="
	"$HARNESS/$1.py" "$DIR" "$STOCK" "$CONFIG" ${ratios:+"$ratios"}
}

main() {
	local r

	mkdir -p "$DIR"
	# shellcheck disable=SC2086 # lists of numbers
	for r in ${RUN:-build ours stock cpus fprobe-ours fprobe-stock fprobe-cpus table}; do
		case $r in
		build) build ;;
		ours) measure "$CONFIG" $OTHERS ;;
		stock) measure "$STOCK" $STOCK_OTHERS ;;
		cpus | fprobe-cpus) measure_cpus "$r" ;;
		fprobe-ours) measure_fprobes "$CONFIG" $EVENTS ;;
		fprobe-stock) measure_fprobes "$STOCK" $STOCK_EVENTS ;;
		table) table bench ;;
		fprobe-table) table bench_fprobe ;;
		esac
	done
}

refuse_words RUN build ours stock cpus fprobe-ours fprobe-stock fprobe-cpus table fprobe-table
refuse_numbers TIMEOUT
refuse_measured "$CONFIG"
choose_emulator "$CONFIG"
case $OTHERS$STOCK_OTHERS in *[!0-9\ ]*) die "OTHERS=$OTHERS STOCK_OTHERS=$STOCK_OTHERS: not numbers" ;; esac
refuse_lists EVENTS STOCK_EVENTS
ready gnuplot-nox
main; exit
