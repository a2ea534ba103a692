#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build and boot our kprobes on the other architectures of arches.list, and the
# base's own beside them. What has passed, and was made from what there is now,
# is not done again, so an interrupted run goes on where it stopped. A table at
# the end; the last line is "N passed, N failed", in architectures.
#
# ARCHES=  some of them; default all. TIMEOUT= JOBS= as elsewhere
# In build/arches/: NAME.log, stock-NAME.log.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/rows.sh"

OUT=$BUILD/arches
ARCHES=${ARCHES:-$(arch_names)}
GROUPS_OF_TESTS="kunit events inside samples module knob jumps kselftest"

# row_id NAME: the kernel, and how it is booted. Of ours, what is x86's alone is
# nothing to it; the base's is made from the base alone.
row_id() {
	(
		configuration "$1"
		arch_row "${1#stock-}"
		declare -f test_row
		cat "$BUILD/base.stamp" "$HARNESS"/{arch-test,console,kernel,kselftest,tap}.sh \
			"$HARNESS/ktap.py" "$HARNESS/guest/kselftest.sh" "$HARNESS"/arches/*
		case $1 in stock-*) exit ;; esac
		made_from '^arch/x86/'
	) | id_of_stdin
}

# The base's may fail at what it shows: the table says at what. On parisc it never ends, and
# where it does it takes two minutes.
test_row() {
	case $1 in
	stock-*) TIMEOUT=${TIMEOUT:-400} "$HARNESS/arch-test.sh" "$1" || [ -s "$BUILD/results-$1" ] ;;
	*)       "$HARNESS/arch-test.sh" "$1" ;;
	esac
}

# no_base NAME: the base itself does not compile, so there is nothing to show.
no_base() {
	[ ! -s "$BUILD/results-stock-$1" ] && grep -qs 'error: ' "$LOGS/kernel-stock-$1.log"
}

run_row() {
	local id

	id=$(row_id "$1") || return
	# make test CONFIG=$1 may have been interrupted since.
	[ -s "$BUILD/results-$1" ] || rm -f "$OUT/$1.stamp"
	once "$1" "$id" "$1" test_row "$1"
}

# cell NAME GROUP: how many of its tests have passed, and how many have not.
cell() {
	awk -F '\t' -v group="$1: $2: " '
		index($2, group) == 1 { n[$1]++; all++ }
		END {
			if (!all) print "-"
			else if (n["skip"] == all) print "none"
			else print n["ok"] + 0 (n["not ok"] ? ", " n["not ok"] " failed" : "")
		}' "$BUILD/results-$1"
}

state() {
	local results=$BUILD/results-$1

	if [ ! -s "$results" ]; then echo "does not build"
	elif grep -q '^not ok.*it said its results' "$results"; then echo "does not run to its end"
	else echo "runs"
	fi
}

engine() { if grep -q '^CONFIG_KRETPROBE_ON_RETHOOK=y' "$BUILD/$1/.config"; then echo rethook; else echo stack; fi; }

table() {
	local arch name group

	printf '| architecture | kprobes | state | return probes |'
	# shellcheck disable=SC2086 # words
	printf ' %s |' $GROUPS_OF_TESTS
	echo
	for arch in $ARCHES; do
		for name in "$arch" "stock-$arch"; do
			printf '| %s | %s | %s | %s |' "$arch" \
				"$(case $name in stock-*) echo base ;; *) echo ours ;; esac)" \
				"$(state "$name")" "$(engine "$name")"
			for group in $GROUPS_OF_TESTS; do printf ' %s |' "$(cell "$name" "$group")"; done
			echo
		done
	done
}

main() {
	local name rc
	declare -A results

	mkdir -p "$OUT"
	# Ours first: an interrupted run has told what is ours.
	for name in $ARCHES; do
		run_row "$name" && rc=0 || rc=$?
		results[$name]=$rc
	done
	for name in $ARCHES; do
		run_row "stock-$name" || :
		rc=${results[$name]}
		if [ ! -s "$BUILD/results-$name" ] && no_base "$name"; then rc=skip; fi
		report "$rc" "$name ($OUT/$name.log)"
	done
	table | column -t -s '|' -o '|' | tee "$OUT/table"
	report_sum || exit 1
}

# shellcheck disable=SC2046 # words
refuse_words ARCHES $(arch_names)
refuse_stamped "make arches"
ready
"$HARNESS/tree.sh"
with_lock arches main; exit
