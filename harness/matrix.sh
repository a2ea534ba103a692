#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Build and boot the rows of matrix.list. What has passed, and was made from what
# there is now, is not done again, so an interrupted run goes on where it stopped.
# TAP on stdout, then a table; the last line is "N passed, N failed", in rows.
#
# ROWS=  names of rows; default all
# DO=    which kinds of rows: objects link boot kunit guest; default all of them
# TIMEOUT= JOBS= as elsewhere. What else there is for tests and boots, a row says itself.
# In the environment, for CI:
# UNTIL= seconds since 1970: a row that has not begun by then is skipped, if it has not
#        passed before
# In build/matrix/: ROW.log and, for what was booted, build/runs/matrix-ROW-*.
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/rows.sh"
. "$(dirname "$0")/ours.sh"
. "$(dirname "$0")/words.sh"

OUT=$BUILD/matrix
KINDS="objects link boot kunit guest"
DO=${DO:-$KINDS}
LIST=$HARNESS/matrix.list

row() { awk -v n="$1" '$1 == "row" && $2 == n { $1 = $2 = ""; sub(/^ +/, ""); print }' "$LIST"; }

refuse_rows() {
	local r

	for r in $ROWS; do
		[ -n "$(row "$r")" ] || die "ROWS: no row $r; there are $(matrix_rows | xargs)"
	done
	# shellcheck disable=SC2086 # words
	refuse_words DO $KINDS
}

# Those that a row may run: of a name that is not known here, it may.
guest_scripts() {
	local f

	for f in "$HARNESS"/guest/*; do
		case ${f##*/} in deb-*.sh | demo.sh) ;; *) cat "$f" ;; esac
	done
}

# row_id KERNEL WORDS...: the row, and what it is done and judged by; of the two scripts
# that know of much else, the functions.
row_id() {
	(
		echo "$MADE_FROM $*" "$(matrix_kernel "$1")" "$(arch_row "$1")"
		configuration "$1"
		declare -f "do_$2" arch_targets
		case $2 in objects) cat "$HARNESS/ours.sh" ;; esac
		case $2 in objects | link) exit ;; esac
		echo "$SHORT"
		declare -f words needed runs choose_emulator is_i386
		cat "$HARNESS"/{boot,console,debian,initramfs,kselftest,kunit,names,tap,test}.sh \
			"$HARNESS"/{kdb,ktap}.py "$HARNESS"/guest.{packages,tools}
		guest_scripts
	) | id_of_stdin
}

# arch_targets OBJ: kprobes of the architecture that are the base's, and call our core.
arch_targets() {
	local f

	(cd "$1/source" && find arch -path '*probes*.c' ! -name 'uprobes*') | while read -r f; do
		if ! grep -qxF "$f" "$BUILD/ours.list" && configured "$1" "${f%.c}.o"; then
			echo "${f%.c}.o"
		fi
	done
}

# An object directory for each architecture: all rows use it in turn, so that
# what the build needs first, objtool above all, is built once.
do_objects() {
	local name obj

	name=objects-$(matrix_kernel "$1" | cut -d ' ' -f 1)
	OBJECTS=$name "$HARNESS/kernel.sh" "$1" prepare || return
	obj=$BUILD/$name
	sources | while read -r f; do rm -f "$obj/${f%.c}.o"; done
	# shellcheck disable=SC2046 # words
	OBJECTS=$name "$HARNESS/kernel.sh" "$1" -k $(configured_targets "$obj") \
		$(arch_targets "$obj") || return
	built_sources "$obj" >"$OUT/$ROW.built"
	about_ours "$LOGS/kernel-$name.log" >"$OUT/$ROW.about"
	if [ -s "$OUT/$ROW.about" ]; then cat "$OUT/$ROW.about"; return 1; fi
	echo "$(wc -l <"$OUT/$ROW.built") of our files compiled"
}

do_link() { "$HARNESS/kernel.sh" "$1" && echo "linked"; }

# The kselftests of a boot: the rest of them is for make test.
SHORT="kunit kprobe_api kretprobe kprobe_stats"

# words WORDS...: sort them.
words() {
	local w

	APPEND='' CPU='' SMP=2 PREEMPT=full NEED='' SCRIPT='' TEST=$SHORT DISK='' KEXEC='' KEYS=''
	for w in "$@"; do
		case $w in
		cpu=*)     CPU=${w#*=} ;;
		smp=*)     SMP=${w#*=} ;;
		preempt=*) PREEMPT=${w#*=} ;;
		need=*)    NEED=${w#*=} ;;
		run=*)     SCRIPT=${w#*=} ;;
		test=*)    TEST=${w#*=} ;;
		disk=*)    DISK=${w#*=} ;;
		kexec=*)   KEXEC=${w#*=} ;;
		keys=*)    KEYS=$HARNESS/${w#*=} ;;
		*)         APPEND+=" $w" ;;
		esac
	done
	export APPEND CPU SMP PREEMPT DISK KEXEC KEYS
}

# needed RUN...: the boot was one of what the row is about.
needed() {
	[ -z "$NEED" ] || grep -qsE "$NEED" "${@/%//console.log}" ||
		{ echo "# failed: nothing on the console matches $NEED"; return 1; }
}

# runs: the boots of a row: a model, and of some kernels a share of the tests. Those of kcfi
# are not those of kcfi-only.
runs() { printf '%s\n' "$BUILD/runs/matrix-$ROW-"{"$PREEMPT",fixed}*; }

# do_boot KERNEL WORDS...: as make test does it, with less.
do_boot() {
	local rc=0

	words "${@:2}"
	runs | xargs rm -rf
	CONFIG=$1 RUN_AS=matrix-$ROW TEST=$TEST "$HARNESS/test.sh" || rc=$?
	# shellcheck disable=SC2046 # words
	needed $(runs) || rc=1
	tail -n 1 "$OUT/$ROW.log"
	return "$rc"
}

# do_kunit KERNEL WORDS...: without a user space.
do_kunit() {
	local rc=0

	words "${@:2}"
	"$HARNESS/kernel.sh" "$1" || return
	NAME=matrix-$ROW "$HARNESS/kunit.sh" "$1" || rc=$?
	needed "$BUILD/runs/matrix-$ROW" || rc=1
	tail -n 1 "$OUT/$ROW.log"
	return "$rc"
}

# do_guest KERNEL WORDS...: TAP of a script, and the console.
do_guest() {
	local name=matrix-$ROW rc=0

	words "${@:2}"
	"$HARNESS/kernel.sh" "$1" || return
	choose_emulator "$1"
	NAME=$name APPEND="preempt=$PREEMPT $APPEND kunit.enable=0" \
		"$HARNESS/boot.sh" "$1" -- "/harness/$SCRIPT" || rc=$?
	[ "$rc" -eq 0 ] || echo "# failed: the script (exit $rc)"
	"$HARNESS/console.sh" "$BUILD/runs/$name/console.log" >"$BUILD/runs/$name/console.bad" || rc=1
	sed 's/^/# failed: console: /' "$BUILD/runs/$name/console.bad"
	needed "$BUILD/runs/$name" || rc=1
	echo "$(grep -c '^ok' "$BUILD/runs/$name/result.log") passed"
	return "$rc"
}

# has_passed NAME KERNEL DO WORDS...: as it is now, and its figures are there.
has_passed() { [ -f "$OUT/$1.result" ] && stamp_ok "$OUT/$1.stamp" "$(row_id "${@:2}")"; }

# run_row NAME KERNEL DO WORDS...: the verdict, with its figures, in NAME.result.
run_row() {
	local kernel=$2 what=$3 result=ok id log

	ROW=$1
	log=$OUT/$ROW.log
	shift 3
	id=$(row_id "$kernel" "$what" "$@")
	# An interrupted run may have stamped it and not said so.
	[ -f "$OUT/$ROW.result" ] || rm -f "$OUT/$ROW.stamp"
	once "$ROW" "$id" "$what $ROW" "do_$what" "$kernel" "$@" || result="not ok"
	[ -n "$SPENT" ] || return 0
	printf '%s\t%s\t%s\t%s s\t%s\t%s\n' "$result" "$ROW" "$what $kernel" \
		"$SPENT" "$(tail -n 1 "$log")" "${log#"$TOP"/}" >"$OUT/$ROW.result"
}

# What the log of a row says of errors; that of the build, which it names, says more.
complaints() {
	local log

	log=$(sed -nE 's/^ *full log: //p' "$OUT/$1.log" | head -n 1)
	grep -hE '^# failed: |error: |warning: |undefined reference' ${log:+"$log"} "$OUT/$1.log" |
		grep -v '^ *|' || :
}

judge_row() {
	local result name what words log

	IFS=$'\t' read -r result name what _ words log <"$OUT/$1.result"
	if [ "$result" = ok ]; then
		report ok "$name: $what: $words"
		return
	fi
	complaints "$1" | sed 's/^/# /; 21,$d'
	report "not ok" "$name: $what ($TOP/$log)"
}

table() {
	local r

	for r in $CHOSEN; do
		sed 's/^/# /' "$OUT/$r.result"
	done | sed 's/not ok\t/FAIL\t/' | column -t -s $'\t' -o '  '
}

main() {
	local r words

	mkdir -p "$OUT"
	"$HARNESS/tree.sh"
	MADE_FROM=$(made_from | id_of_stdin)
	CHOSEN=
	for r in $ROWS; do
		read -ra words <<<"$(row "$r")"
		case " $DO " in *" ${words[1]} "*) ;; *) continue ;; esac
		if [ -n "${UNTIL:-}" ] && [ "$EPOCHSECONDS" -ge "$UNTIL" ] &&
			! has_passed "$r" "${words[@]}"; then
			report skip "$r: there was no time for it"
			continue
		fi
		CHOSEN+=" $r"
		run_row "$r" "${words[@]}"
		judge_row "$r"
	done
	table
	report_sum || exit 1
}

ROWS=${ROWS:-$(matrix_rows | xargs)}
refuse_rows
refuse_stamped "make matrix" DISK EVENT_LISTS ICOUNT IN KEXEC KEYS LIVES MODES QEMU ROUNDS RUNS \
	TORTURE_SECONDS
ready
with_lock matrix main; exit
