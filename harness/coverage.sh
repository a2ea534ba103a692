#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which instruction boundaries of the running kernel can be probed, and which
# of those without a trap? Ours beside stock, over the same functions.
#
# FUNCTIONS=  how many functions; default 2200
# AHEAD=      by how many percentage points ours must have more optimized;
#             default 15
# RUN=        some of: plan ours stock table; default all
. "$(dirname "$0")/lib.sh"

FUNCTIONS=${FUNCTIONS:-2200}
DIR=$BUILD/coverage

# The test module, built against one kernel; it goes along with the batches.
module() {
	local dir=$DIR/module-$1 src=$TOP/tools/testing/selftests/kprobes/test_modules

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$src/kprobe_coverage.c" "$dir/"
	echo 'obj-m := kprobe_coverage.o' >"$dir/Makefile"
	make -C "$(realpath "$BUILD/$1")" M="$dir" modules
}

plan() {
	"$HARNESS/kernel.sh" x86_64
	"$HARNESS/kernel.sh" stock
	rm -rf "$DIR"
	mkdir -p "$DIR/batches"
	"$HARNESS/coverage.py" plan "$FUNCTIONS" "$DIR/batches" \
		"$BUILD/x86_64/vmlinux" "$BUILD/stock/vmlinux"
}

run() {
	step "coverage module ($1)" "$LOGS/coverage-$1.log" module "$1"
	rm -rf "$DIR/in"
	cp -r "$DIR/batches" "$DIR/in"
	cp "$DIR/module-$1/kprobe_coverage.ko" "$DIR/in/"
	say "  .... coverage of $1"
	NAME=coverage-$1 IN=$DIR/in TIMEOUT=${TIMEOUT:-3600} \
		"$HARNESS/boot.sh" "$1" -- /harness/coverage.sh >"$DIR/$1.log" ||
		die "the guest failed; full logs: $DIR/$1.log $BUILD/runs/coverage-$1"
	"$HARNESS/console.sh" "$BUILD/runs/coverage-$1/console.log" ||
		say "the kernel complained; full log: $BUILD/runs/coverage-$1/console.log"
}

table() {
	"$HARNESS/coverage.py" table --ahead "${AHEAD:-15}" "$BUILD/runs/coverage-x86_64" \
		"$BUILD/runs/coverage-stock" "$BUILD/x86_64/vmlinux"
}

main() {
	local r

	for r in ${RUN:-plan ours stock table}; do
		case $r in
		plan | table) "$r" ;;
		ours) run x86_64 ;;
		stock) run stock ;;
		*) die "RUN=$r?" ;;
		esac
	done
}

main; exit
