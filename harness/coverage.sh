#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Which instruction boundaries of the running kernel can be probed, and which
# of those without a trap? Ours beside stock, over the same functions.
#
# CONFIG=     x86_64 (default) or i386, each beside stock of its kind
# FUNCTIONS=  how many functions; default 2200
# AHEAD=      by how many percentage points ours must have more optimized;
#             default 15
# LEAST=      percent of all that ours must have optimized; default 92, and 85 on i386
# BATCHES=    of places that one boot measures; default 14
# RUN=        some of: plan ours stock table; default all
#
# What is measured is kept in build/coverage/CONFIG/, or build/coverage-i386/CONFIG/,
# and measured again only when the kernel or the places are others.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"

CONFIG=${CONFIG:-x86_64}
STOCK=$(stock_of "$CONFIG")
FUNCTIONS=${FUNCTIONS:-2200}
BATCHES=${BATCHES:-14}
DIR=$(beside_stock coverage "$CONFIG")

# The test module, built against one kernel; it goes along with the batches.
module() {
	local dir=$DIR/module-$1 src=$TOP/tools/testing/selftests/kprobes/test_modules

	rm -rf "$dir"
	mkdir -p "$dir"
	cp "$src/kprobe_coverage.c" "$dir/"
	echo 'obj-m := kprobe_coverage.o' >"$dir/Makefile"
	make -C "$(realpath "$BUILD/$1")" M="$dir" $ARCH modules
}

plan() {
	"$HARNESS/kernel.sh" "$CONFIG"
	"$HARNESS/kernel.sh" "$STOCK"
	rm -rf "$DIR/batches"
	mkdir -p "$DIR/batches"
	"$HARNESS/coverage.py" plan "$FUNCTIONS" "$DIR/batches" \
		"$BUILD/$CONFIG/vmlinux" "$BUILD/$STOCK/vmlinux"
}

# forget CONFIG: what was measured of another kernel, or of other places.
forget() {
	local id

	id=$(cat "$BUILD/$1/vmlinux" "$DIR"/batches/* "$HARNESS/guest/coverage.sh" \
		"$TOP/tools/testing/selftests/kprobes/test_modules/kprobe_coverage.c" |
		sha256sum)
	id+=" $BATCHES"
	stamp_ok "$DIR/$1.stamp" "$id" && return
	rm -rf "${DIR:?}/$1"
	stamp_set "$DIR/$1.stamp" "$id"
}

# boot CONFIG FIRST: measure some batches. One CPU: with more the kernel asks
# all the others at each change of text, and they are emulated in turns. What is
# measured becomes a result when it is complete.
boot() {
	local name=coverage-$1-$2 to=$DIR/$1 run

	[ ! -e "$to/done-$2" ] || return 0
	run=$BUILD/runs/$name
	rm -rf "$DIR/in"
	mkdir "$DIR/in"
	find "$DIR/batches" -name 'batch-*' | sort |
		sed -n "$2,$(($2 + BATCHES - 1))p" | xargs cp -t "$DIR/in"
	cp "$DIR/module-$1/kprobe_coverage.ko" "$DIR/in/"
	NAME=$name IN=$DIR/in SMP=1 APPEND=kunit.enable=0 TIMEOUT=${TIMEOUT:-1800} \
		"$HARNESS/boot.sh" "$1" -- /harness/coverage.sh >&2 ||
		die "the guest failed; full logs: $run"
	"$HARNESS/console.sh" "$run/console.log" ||
		say "the kernel complained; full log: $run/console.log"
	mkdir -p "$to/out"
	cp "$run"/out/*-[0-9]* "$to/out/"
	touch "$to/done-$2"
}

run() {
	local start=$SECONDS n i

	forget "$1"
	step "coverage module ($1)" "$LOGS/coverage-$1.log" module "$1"
	n=$(find "$DIR/batches" -name 'batch-*' | wc -l)
	say "  .... coverage of $1"
	for ((i = 1; i <= n; i += BATCHES)); do
		boot "$1" "$i"
	done
	say "  done coverage of $1 ($((SECONDS - start)) s)"
}

table() {
	local least=92

	[ "$CONFIG" != i386 ] || least=85
	"$HARNESS/coverage.py" table --ahead "${AHEAD:-15}" --least "${LEAST:-$least}" \
		"$DIR/$CONFIG" "$DIR/$STOCK" "$BUILD/$CONFIG/vmlinux" | tee "$DIR/table.txt"
}

main() {
	local r

	for r in ${RUN:-plan ours stock table}; do
		case $r in
		plan | table) "$r" ;;
		ours) run "$CONFIG" ;;
		stock) run "$STOCK" ;;
		esac
	done
}

refuse_words RUN plan ours stock table
refuse_numbers FUNCTIONS AHEAD LEAST BATCHES TIMEOUT
refuse_measured "$CONFIG"
choose_emulator "$CONFIG"
ready
main; exit
