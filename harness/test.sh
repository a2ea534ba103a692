#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build a kernel, boot it and run the tests in it. TAP on stdout; the last line
# is "N passed, N failed", with ", N skipped" when some were.
#
# CONFIG=   x86_64 (default), debug, preempt, ...; stock for the base's own
# ONLY=     some of: kunit kselftest foreign. Default all; without foreign for
#           every CONFIG but x86_64, and kunit alone for stock
# TEST=     some tests by their names: a KUnit suite or one of its cases
#           (kprobes_table, kprobes_table.table_growth, kprobes_opt*), all suites
#           (kunit), kselftests (kprobe_api) or one case of a module
#           (kprobe_api.leave_function). Default all
# PREEMPT=  preemption models to boot, for kernels that can choose; default
#           "full voluntary none" for x86_64, "full" for others, with TEST= and
#           on bochs
# APPEND=   more kernel parameters
# RUN_AS=   what the runs are called; default CONFIG
# MACHINE=  qemu (default) or bochs, where indirect branch tracking is enforced
#
# kunit      every KUnit suite of the kernel, the base's for kprobes and fprobe
#            among them
# kselftest  tools/testing/selftests/kprobes through the kernel's own runner
# foreign    the base's ftracetest, on stock and on ours: a result that differs
#            is a failure; for stock, foreign-stock.tap serves where it was made
#            in the same way. In the environment, STOCK=kept lets it serve for another
#            base, compiler or emulator, too: to build and boot stock takes long
# Each boot adds one test: a console without a warning.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/names.sh"

CONFIG=${CONFIG:-x86_64}
MACHINE=${MACHINE:-qemu}
[ "$MACHINE" = qemu ] || RUN_AS=${RUN_AS:-$MACHINE-$CONFIG}
RUN_AS=${RUN_AS:-$CONFIG}
RESULTS=$BUILD/results-$RUN_AS
REASONS=$RESULTS.why
STOCK_TAP=$BUILD/foreign-stock.tap
KEPT=$HARNESS/foreign-stock.tap
SHARES=1

defaults() {
	if [ "$MACHINE" = bochs ]; then
		ONLY=${ONLY:-kunit kselftest} PREEMPT=${PREEMPT:-full} TIMEOUT=${TIMEOUT:-7200}
		export MACHINE
	fi
	[ -z "${TEST:-}" ] || PREEMPT=${PREEMPT:-full}
	case $CONFIG in
	x86_64) ONLY=${ONLY:-kunit kselftest foreign} PREEMPT=${PREEMPT:-full voluntary none} ;;
	stock*) ONLY=${ONLY:-kunit} PREEMPT=${PREEMPT:-full} ;;
	*debug) ONLY=${ONLY:-kunit kselftest} PREEMPT=${PREEMPT:-full} TIMEOUT=${TIMEOUT:-2400} SHARES=2 ;;
	*)      ONLY=${ONLY:-kunit kselftest} PREEMPT=${PREEMPT:-full} ;;
	esac
	# Each share has at least one of the kselftests that are named.
	[ -z "$KSELFTESTS" ] || [ "$(wc -w <<<"$KSELFTESTS")" -ge "$SHARES" ] || SHARES=1
	has PREEMPT_DYNAMIC || PREEMPT=fixed
	! has KUNIT && ONLY=${ONLY//kunit/}
	return 0
}

wants() { case " $ONLY " in *" $1 "*) ;; *) return 1 ;; esac; }

# boot NAME CONFIG APPEND COMMAND...: one boot; its exit code in a file.
boot() {
	local name=$1 config=$2 append=$3 rc=0

	shift 3
	NAME=$name APPEND="$append" QUIET=1 TIMEOUT=${TIMEOUT:-1800} \
		step "boot $name: $*" "$LOGS/boot-$name.log" \
		"$HARNESS/boot.sh" "$config" -- "$@" || rc=$?
	echo "$rc" >"$LOGS/boot-$name.rc"
}

check_boot() {
	local rc

	# None: it was killed.
	rc=$(cat "$LOGS/boot-$1.rc" 2>/dev/null) || rc=killed
	[ "$rc" = 0 ] ||
		report "not ok" "$1: the guest ran to its end (exit $rc, $LOGS/boot-$1.log)"
}

collect_kunit() {
	local out=$BUILD/runs/$1/out/kunit f

	if ! compgen -G "$out/*.ktap" >/dev/null; then
		report "not ok" "$1: kunit: no suite has reported"
		return
	fi
	for f in "$out"/*.ktap; do
		keep_reasons "$f"
		report_file < <("$HARNESS/ktap.py" "$1: kunit: " "$f")
	done
	# This kernel has them all.
	[ "$CONFIG" = x86_64 ] && [ -z "$KUNIT_FILTER" ] || return 0
	for f in $(missing_suites "$out"); do report "not ok" "$1: kunit: $f has reported"; done
}

collect_kselftest() {
	local f=$BUILD/runs/$1/out/kprobes.tap

	if [ ! -s "$f" ]; then
		report "not ok" "$1: kselftest: nothing has reported"
		return
	fi
	keep_reasons "$f"
	report_file < <("$HARNESS/ktap.py" --kselftest "$1: kselftest: " "$f")
}

# The lines before a failure say why: they go out as comments, at the end.
keep_reasons() {
	grep -qE '^[# ]*not ok' "$1" || return 0
	grep -E -B 12 '^[# ]*not ok' "$1" | sed 's/^[# ]*/# /; 61,$d' >>"$REASONS"
}

has() { grep -q "^CONFIG_$1=y" "$BUILD/$CONFIG/.config"; }
# They are made of modules.
has_kselftests() { has MODULES && [ -f "$(realpath "$BUILD/$CONFIG")/../tools/testing/selftests/kprobes/Makefile" ]; }

# The emulated machine is slow, and slower with all checks: one boot has it all,
# the others less of what takes long (see kprobe_diff.sh, kprobe_torture.sh,
# kprobe_module.sh, kprobe_livepatch.sh, kprobe_events.sh).
effort() {
	echo "TESTS=${KSELFTESTS# }" | tr ' ' ,
	case $1 in
	x86_64-full) ;;
	*) echo "RUNS=${RUNS:-2} MODES=${MODES:-0x21ff} TORTURE_SECONDS=${TORTURE_SECONDS:-20} LIVES=${LIVES:-3} ROUNDS=${ROUNDS:-1} EVENT_LISTS=${EVENT_LISTS:-trace}" ;;
	esac
}

# boots: a line for each: name, preemption model, share of the kselftests, parts.
# With all checks on a boot takes long: then several share the kselftests.
boots() {
	local model share parts

	for model in $PREEMPT; do
		for share in $(seq "$SHARES"); do
			parts=
			wants kunit && [ "$share" = 1 ] && parts+=" kunit"
			wants kselftest && has_kselftests && parts+=" kselftest"
			[ -z "$parts" ] ||
				echo "$RUN_AS-$model$([ "$SHARES" = 1 ] || echo "-$share")" \
					"$model" "$share/$SHARES" "$parts"
		done
	done
}

# parameters MODEL PARTS: of the kernel, which runs its KUnit suites as it boots.
parameters() {
	local kunit=0

	case " $2 " in *" kunit "*) kunit=1 ;; esac
	[ "$1" = fixed ] || printf 'preempt=%s ' "$1"
	echo "kunit.enable=$kunit${KUNIT_FILTER:+ kunit.filter_glob=$KUNIT_FILTER}${APPEND:+ $APPEND}"
}

start_own() {
	local name model share parts

	while read -r name model share parts; do
		rm -rf "$LOGS/boot-$name.rc" "$BUILD/runs/$name"
		# shellcheck disable=SC2046,SC2086 # words
		in_slot boot "$name" "$CONFIG" "$(parameters "$model" "$parts")" \
			env SHARE="$share" $(effort "$name") /harness/probes.sh $parts &
	done < <(boots)
}

judge_own() {
	local name model share parts

	while read -r name model share parts; do
		check_boot "$name"
		case " $parts " in *" kunit "*) collect_kunit "$name" ;; esac
		case " $parts " in *" kselftest "*) collect_kselftest "$name" ;; esac
		check_console "$name"
		[ "$MACHINE" = qemu ] || check_ibt "$name"
	done < <(boots)
}

# This machine is for that.
check_ibt() {
	local rc=0

	grep -q 'Indirect Branch Tracking enabled' "$BUILD/runs/$1/console.log" || rc=1
	report "$rc" "$1: indirect branches are tracked"
}

foreign() {
	step "ftracetest on $1" "$LOGS/foreign-$1.log" \
		"$HARNESS/foreign.sh" "$1" "$BUILD/foreign-$1.tap"
}

has_id() { [ -f "$1" ] && [ "$(grep '^#' "$1")" = "$2" ]; }

# kept_serves ID: the header of the kept results is ID; with STOCK=kept, its last line is,
# which has the configuration and the scripts.
kept_serves() {
	has_id "$KEPT" "$1" && return
	[ "${STOCK:-}" = kept ] && [ "$(grep '^#' "$KEPT" | tail -n 1)" = "$(tail -n 1 <<<"$1")" ]
}

# To build and boot stock takes long; its results are those that were kept, when nothing
# that they depend on has changed.
foreign_stock() {
	local id

	id=$("$HARNESS/stock-id.sh")
	has_id "$STOCK_TAP" "$id" && return
	rm -f "$STOCK_TAP"
	if kept_serves "$id"; then
		cp "$KEPT" "$STOCK_TAP"
		return
	fi
	build stock && in_slot foreign stock || return
	printf '%s\n' "$id" | cat - "$STOCK_TAP" >"$STOCK_TAP.new"
	mv "$STOCK_TAP.new" "$STOCK_TAP"
	say "  results of stock for ${KEPT#"$TOP"/}: $STOCK_TAP"
}

# What does not come to its end leaves no results.
start_foreign() {
	rm -f "$BUILD/foreign-$CONFIG.tap"
	with_lock foreign-stock foreign_stock &
	[ "$CONFIG" = stock ] || in_slot foreign "$CONFIG" &
}

base_of() { grep '^# base: '; }

# compare_foreign OURS: and what of this machine stock's results are not of.
compare_foreign() {
	local id other=''

	id=$("$HARNESS/stock-id.sh")
	{ diff <(grep '^#' "$STOCK_TAP") - <<<"$id" || :; } |
		sed -n "s/^< # /# stock's results are of /p; s/^> # /# and not of /p"
	[ "$(base_of <"$STOCK_TAP")" = "$(base_of <<<"$id")" ] || other=1
	OTHER_BASE=$other "$HARNESS/compare.sh" "$STOCK_TAP" "$1" >"$BUILD/foreign.txt" || :
}

# A console is judged when the boot came to its end; a crash of ours is a result, and
# no good one.
judge_foreign() {
	local ours=$BUILD/foreign-$CONFIG.tap run tap

	for tap in "$ours" "$STOCK_TAP"; do
		[ -f "$tap" ] && continue
		report "not ok" "foreign: no results (${tap##*/})"
		return
	done
	for run in "$BUILD/runs/$CONFIG-foreign-"*/; do
		[ -e "$run/out/current" ] || check_console "$(basename "$run")"
	done
	compare_foreign "$ours"
	grep '^#' "$BUILD/foreign.txt" || :
	echo "# logs of what did not pass: $BUILD/runs/*-foreign-*/out/logs"
	report_file < <(grep -v '^#' "$BUILD/foreign.txt")
}

# What may be skipped where all is as usual: skips.known.
known_skips() {
	[ "$MACHINE" = qemu ] && [ -z "${APPEND:-}${CPU:-}${SMP:-}${ICOUNT:-}${ACCEL:-}" ] || return 0
	# shellcheck disable=SC2034 # of tap.sh
	SKIPS=$(sed -nE "s,^$CONFIG(|/([a-z]+)) (.*) : .*,*\2: *: \3,p" "$HARNESS/skips.known")
}

build() { "$HARNESS/kernel.sh" "$1" && "$HARNESS/initramfs.sh" "$1"; }

main() {
	build "$CONFIG"
	defaults
	: >"$RESULTS"
	: >"$REASONS"
	known_skips
	if wants foreign; then start_foreign; fi
	start_own
	wait
	judge_own
	if wants foreign; then judge_foreign; fi
	[ "$N" -gt 0 ] || die "ONLY=$ONLY: no such tests"
	say "  in $SECONDS s"
	if [ "$FAILED" -gt 0 ]; then
		cat "$REASONS"
		grep -P '^not ok\t' "$RESULTS" | sed 's/^/# failed: /'
	fi
	report_sum || exit 1
}

# Who is stopped takes along what waits for its turn.
trap 'kill $(jobs -p) 2>/dev/null || :' EXIT
refuse_config_to_boot "$CONFIG"
if is_arch "$CONFIG"; then
	[ "$MACHINE" != qemu ] || MACHINE=
	refuse_given "CONFIG=$CONFIG" TEST ONLY PREEMPT MACHINE ACCEL CPU
	exec "$HARNESS/arch-test.sh" "$CONFIG"
fi
refuse_machine
refuse_words ONLY kunit kselftest foreign
refuse_words PREEMPT full voluntary none
refuse_numbers RUNS TORTURE_SECONDS LIVES ROUNDS
choose_emulator "$CONFIG"
choose_tests
ready
# Another make test of the same kernel would write over this one's results.
with_lock "test-$RUN_AS" main; exit
