#!/bin/bash
# SPDX-License-Identifier: GPL-2.0
# Style and static checks, on our own files only. Each is one test; the last
# line is "N passed, N failed".
#
# ONLY=  some of: checkpatch scripts w1 sparse kerneldoc manual docs layers maintainers
#        originality length shell harness cases older matrix reach; and, for which
#        Coccinelle is installed, cocci
# ROWS=  of the matrix, some of the rows that say "objects"; default all
# In the environment:
# UNTIL= when no more of these rows are begun, see matrix.sh
. "$(dirname "$0")/lib.sh"
. "$(dirname "$0")/tap.sh"
. "$(dirname "$0")/words.sh"
. "$(dirname "$0")/ours.sh"
. "$(dirname "$0")/style.sh"

ALL="checkpatch scripts w1 sparse kerneldoc manual docs layers maintainers originality length shell harness cases older matrix reach"
ONLY=${ONLY:-$ALL}
# Takes minutes, and finds little.
MORE=cocci
OUT=$BUILD/checks
MAX_LINES=600
MAX_FUNCTION=40

# complain NAME FILE: the check's output must be empty.
complain() {
	if [ -s "$2" ]; then
		head -n 60 "$2" | sed 's/^/# /'
		report 1 "$1 ($(wc -l <"$2") lines, all in $2)"
	else
		report 0 "$1"
	fi
}

# --no-tree: our files are judged one by one, not as a patch. What checkpatch
# asks of whole patches (MAINTAINERS) is judged with the series.
check_checkpatch() {
	local out=$OUT/checkpatch.txt files=$OUT/checkpatch.files

	ours '\.([chS]|sh|rst)$|Kconfig$|Makefile$|Kbuild$' >"$files"
	style_root "$BUILD/linux" "$OUT/style"
	# As many at a time as there are cores; what one says comes out as one piece.
	(cd "$BUILD/linux" && xargs -P "$JOBS" -I '{}' sh -c 'out=$(perl scripts/checkpatch.pl --root="$2" \
		--strict --terse --no-summary --show-types --file "$1" 2>&1); echo "$out"' - '{}' "$OUT/style") \
		<"$files" | grep -v '^$' |
		grep -vE -f <(grep -v '^#' "$HARNESS/checkpatch.allow") | sort >"$out" || :
	complain "checkpatch --strict, $(wc -l <"$files") files" "$out"
}

# The bodies of jprobe_bodies.h are there for two kinds of targets, one after the other.
check_scripts() {
	local out=$OUT/scripts.txt files=$OUT/scripts.files

	ours '\.[ch]$' >"$files"
	(cd "$BUILD/linux" && for w in includes declares version; do
		xargs -a "$files" perl "scripts/check$w.pl" 2>&1
	done) | grep -vxF "No duplicate struct declares found." |
		grep -vxF "kernel/kprobes/tests/jprobe_targets.c: jprobe_bodies.h is included more than once." \
		>"$out" || :
	complain "checkincludes, checkdeclares and checkversion, $(wc -l <"$files") files" "$out"
}

# Our objects compiled with WORD...: in an object directory of their own, since
# other flags would make the next make kernel build them again.
extra_build() {
	local what f

	mapfile -t what < <(targets)
	sources | while read -r f; do rm -f "$BUILD/check/${f%.c}.o"; done
	# ccache keeps what the compiler said and says it again.
	"$HARNESS/kernel.sh" check "$@" "${what[@]}" || return
	cat "$LOGS/kernel-check.log"
}

check_build() {
	local name=$1 log=$OUT/$2.log rc=0

	shift 2
	extra_build "$@" >"$log" 2>&1 || rc=$?
	about_ours "$log" >"$log.ours"
	if [ "$rc" -ne 0 ]; then
		tail -n 20 "$log" | sed 's/^/# /'
		report 1 "$name: the build failed; full log: $log"
	else
		complain "$name" "$log.ours"
	fi
}

# The test modules, with those words; modpost cannot know the symbols of a kernel
# that is not built.
modules_build() {
	local src=$BUILD/linux/tools/testing/selftests/kprobes/test_modules
	local dir=$BUILD/check/test_modules

	"$HARNESS/kernel.sh" check modules_prepare >/dev/null || return
	rm -rf "$dir"
	cp -r "$src" "$dir"
	make -C "$BUILD/check" M="$(realpath "$dir")" \
		KBUILD_MODPOST_WARN=1 "$@" modules
}

check_modules() {
	local name="$1 of the test modules" log=$OUT/modules-$2.log rc=0

	[ -d "$BUILD/linux/tools/testing/selftests/kprobes/test_modules" ] || return 0
	shift 2
	step "$name" "$log" modules_build "$@" || rc=$?
	grep -vE 'modpost|Symbol version dump|Skipping BTF' "$log" |
		grep -E '(warning|error)[: ]' >"$log.ours" || :
	if [ "$rc" -ne 0 ]; then
		report 1 "$name: the build failed; full log: $log"
	else
		complain "$name" "$log.ours"
	fi
}

# check_compiled NAME FILE WORD...: what the build says with these words.
check_compiled() {
	check_build "$@"
	check_modules "$1" "${@:2}"
}

# Where both are asked for, one build is for both.
SPARSE=(C=2 CF=-D__CHECK_ENDIAN__)

check_w1() {
	case " $ONLY " in
	*" sparse "*) check_compiled "W=1, sparse (C=2)" w1 W=1 "${SPARSE[@]}" ;;
	*)            check_compiled W=1 w1 W=1 ;;
	esac
}

check_sparse() {
	case " $ONLY " in *" w1 "*) return ;; esac
	check_compiled "sparse (C=2)" sparse "${SPARSE[@]}"
}

check_kerneldoc() {
	local out=$OUT/kerneldoc.txt

	(cd "$BUILD/linux" && ours '\.[ch]$' | grep -v '/tests/' |
		xargs -r perl scripts/kernel-doc -none -Wall) >"$out" 2>&1 || :
	complain "kernel-doc" "$out"
	check_documented
}

# Test modules export for other test modules.
check_documented() {
	local out=$OUT/documented.txt

	(cd "$BUILD/linux" && ours '\.[ch]$' | grep -vE '/tests/|^tools/' |
		xargs -r "$HARNESS/documented.py" "$HARNESS/documented.list") >"$out" 2>&1 || :
	complain "each public function and structure has kernel-doc" "$out"
}

check_manual() {
	local out=$OUT/manual.txt

	"$HARNESS/manual.sh" >"$out"
	complain "the manual lists what the code has" "$out"
}

check_docs() {
	local out=$OUT/docs.txt rc=0

	"$HARNESS/docs.sh" >"$out" || rc=1
	[ "$rc" -eq 0 ] || head -n 60 "$out" | sed 's/^/# /'
	report "$rc" "our documents in HTML, without a warning"
}

# Calls go down, from layer to layer: see layers.py.
check_layers() {
	local out=$OUT/layers.txt rc=0

	"$HARNESS/layers.py" "$TOP" >"$out" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || head -n 60 "$out" | sed 's/^/# /'
	report "$rc" "layers ($(tail -n 1 "$out"))"
}

# What git has, or would take; that it has nothing is no good news.
in_repo() {
	local files

	files=$(git -C "$TOP" ls-files -co --exclude-standard "$@")
	[ -n "$files" ] || die "git has no files ${*:-of ours}"
	while read -r f; do [ ! -f "$TOP/$f" ] || echo "$f"; done <<<"$files"
}

check_length() {
	local out=$OUT/length.txt

	in_repo | grep -vE '^(spec/|COPYING)' | (cd "$TOP" && while read -r f; do
		n=$(wc -l <"$f")
		[ "$n" -lt $MAX_LINES ] || echo "$f: $n lines, $MAX_LINES or more"
	done) >"$out" 2>&1 || echo "not all files were read" >>"$out"
	complain "files shorter than $MAX_LINES lines" "$out"
	check_functions
}

# In the kernel's style a body's braces, and no others, are alone in the first column.
check_functions() {
	local out=$OUT/functions.txt

	in_repo '*.[ch]' | (cd "$TOP" && xargs awk -v most=$MAX_FUNCTION '
		/^{$/ { start = FNR }
		/^}$/ && FNR - start - 1 > most {
			print FILENAME ":" start ": " FNR - start - 1 " lines"
		}') >"$out" 2>&1 || echo "not all files were read" >>"$out"
	complain "functions of at most $MAX_FUNCTION lines" "$out"
}

check_shell() {
	local out=$OUT/shell.txt

	{ in_repo '*.sh' .ci/run harness/{guest/init,deb-root/harness/{init,job}} |
		(cd "$TOP" && xargs shellcheck -x -S warning); } >"$out" 2>&1 || :
	complain "shellcheck" "$out"
}

check_harness() {
	local out=$OUT/harness.txt rc=0

	"$HARNESS/selftest.sh" >"$out" 2>&1 || rc=1
	sed -n 's/^not ok/# &/p' "$out"
	report $rc "the harness's own tests ($(tail -n 1 "$out"))"
}

check_cases() {
	local out=$OUT/cases.txt

	"$HARNESS/cases.sh" >"$out"
	complain "each case of function probes has its tests" "$out"
}

# Modules as the older document prints them; it is outside of the repository.
check_older() {
	local document out=$OUT/older.txt rc=0

	document=$(compgen -G "$TOP/../shared/spec/002_*.txt") || {
		report skip "modules of the older document (no ../shared/spec)"
		return
	}
	"$HARNESS/kernel.sh" x86_64
	"$HARNESS/older.sh" "$document" "$BUILD/x86_64" >"$out" 2>&1 || rc=1
	sed 's/^/# /' "$out"
	report "$rc" "modules of the older document compile ($(grep -c 'warning:' "$out") warnings)"
}

# What the rows that are listed have compiled; others left theirs there, too.
matrix_built() {
	local r

	for r in $(matrix_rows objects); do
		[ ! -f "$BUILD/matrix/$r.built" ] || cat "$BUILD/matrix/$r.built"
	done
}

# The rows of the matrix that are soon done: our objects in other configurations
# and for other architectures. What none of all rows compiles is not checked at all.
check_matrix() {
	local out=$OUT/matrix.txt rc=0

	# ONLY= is ours.
	ONLY='' DO=objects "$HARNESS/matrix.sh" >"$out" || rc=1
	[ "$rc" -eq 0 ] || grep '^#' "$out" || :
	! grep -q '^0 passed, 0 failed, ' "$out" || rc=skip
	report $rc "our files compile in the matrix ($(tail -n 1 "$out"))"
	[ -z "${ROWS:-}" ] || return 0
	if grep -q '# SKIP$' "$out"; then
		report skip "each of our files is compiled somewhere: not all rows were"
		return
	fi
	matrix_built | sort -u |
		comm -23 <(compiled_sources | sort) - >"$out.never"
	complain "each of our files is compiled somewhere" "$out.never"
}

# Asked of our entries alone: those of the base would be given for any file.
check_maintainers() {
	local out=$OUT/maintainers.txt

	# shellcheck disable=SC2016 # for the shells below
	grep -vxF -f "$HARNESS/foreign.list" "$BUILD/ours.list" | (cd "$BUILD/linux" &&
		TOP=$TOP xargs -P "$JOBS" -I '{}' sh -c '[ -n "$(perl scripts/get_maintainer.pl \
			--no-git --no-git-fallback --mpath "$TOP/MAINTAINERS" -f "$1")" ] || echo "$1"' - '{}') \
		>"$out" 2>&1 || :
	complain "each of our $(wc -l <"$BUILD/ours.list") files has an owner" "$out"
}

# The tool and what it compares with are outside of the repository.
check_originality() {
	local tool=$TOP/../shared/tools/originality out=$OUT/originality.txt rc=0

	if [ ! -e "$tool" ]; then
		report skip "originality (no ../shared/tools/originality)"
		return
	fi
	(cd "$TOP" && "$tool" --base "$BUILD/base") >"$out" 2>&1 || rc=$?
	[ "$rc" -eq 0 ] || tail -n 30 "$out" | sed 's/^/# /'
	report "$rc" "originality"
}

# Was it made from what the tree says now?
up_to_date() {
	local f

	while read -r f; do
		[ ! "$BUILD/linux/$f" -nt "$1" ] || return 1
	done < <(grep -vE '^((tools|samples|Documentation)/|MAINTAINERS$)' "$BUILD/linux.manifest" || :)
}

# walk FILE WORD...: leaves what it says, and its exit code.
walk() {
	local out=$1 rc=0

	"$HARNESS/reach.py" "${@:2}" >"$out" 2>&1 || rc=$?
	echo "$rc" >"$out.rc"
}

# judge_walk NAME FILE
judge_walk() {
	local rc

	rc=$(cat "$2.rc")
	[ "$rc" -eq 0 ] || head -n 60 "$2" | sed 's/^/# /'
	report "$rc" "$1: $(tail -n 1 "$2")"
}

# What a breakpoint comes to before the recursion guard cannot be probed: see
# reach.py. Then the proof with a mark taken away, each one in turn.
reach_config() {
	local out=$OUT/reach-$1.txt

	walk "$out.planted" --plant all "$BUILD/$1/vmlinux" &
	walk "$out" "$BUILD/$1/vmlinux"
	wait
	judge_walk "what the way to the guard leads through, $1" "$out"
	judge_walk "planted there, $1" "$out.planted"
}

check_reach() {
	local c

	"$HARNESS/kernel.sh" x86_64
	reach_config x86_64
	# The instrumentation of the first adds calls; the second is 32 bit, with jumps; the
	# third has all that may be on the way. Too long to build here.
	for c in debug i386 tracers; do
		if [ ! -f "$BUILD/$c/vmlinux" ]; then
			report skip "build/$c is not there (make kernel CONFIG=$c)"
		elif up_to_date "$BUILD/$c/vmlinux"; then
			reach_config "$c"
		else
			report skip "build/$c is older than the sources (make kernel CONFIG=$c)"
		fi
	done
}

# The base's semantic patches, one by one; those in OCaml need its compiler.
semantic_patches() {
	(cd "$BUILD/linux" && grep -rlE '^virtual report' scripts/coccinelle --include='*.cocci' |
		xargs grep -L 'script:ocaml' | sort)
}

# One that does not run to its end is a report, too.
cocci_one() {
	local options name rc=0

	name=$(basename "$1")
	options=$(sed -nE 's,^// Options: *,,p' "$1" | head -n 1)
	# Within a repository, spatch would ask git which files to read: none of build/.
	# shellcheck disable=SC2086 # words
	spatch --use-coccigrep -D report --no-show-diff --very-quiet --cocci-file "$1" \
		$options --dir "$OUT/cocci" -I include -I arch/x86/include \
		--include include/linux/kconfig.h >"$OUT/cocci/$name.out" 2>"$OUT/cocci/$name.err" || rc=$?
	sed "s,$OUT/cocci/,,; s,\$, ($name)," "$OUT/cocci/$name.out"
	[ "$rc" -eq 0 ] || echo "$name: spatch ended with $rc; see $OUT/cocci/$name.err"
}

check_cocci() {
	local out=$OUT/cocci.txt rc

	"$HARNESS/packages.sh" coccinelle
	rm -rf "$OUT/cocci"
	mkdir -p "$OUT/cocci"
	(cd "$BUILD/linux" && ours '\.[ch]$' | xargs cp --parents -t "$OUT/cocci")
	# One of them has something to say of this, or none has been asked.
	echo 'void planted(void *p) { if (p) kfree(p); }' >"$OUT/cocci/planted.c"
	export -f cocci_one
	export OUT
	(cd "$BUILD/linux" && semantic_patches | xargs -P "$JOBS" -I '{}' bash -c 'cocci_one {}') | sort >"$out"
	grep -q '^planted\.c.*ifnullfree' "$out" && rc=0 || rc=$?
	report $rc "what is planted is found"
	sed -i '/^planted\.c/d' "$out"
	complain "$(semantic_patches | wc -l) semantic patches" "$out"
}

main() {
	local c start

	mkdir -p "$OUT"
	"$HARNESS/tree.sh"
	for c in $ONLY; do
		start=$SECONDS
		"check_$c"
		say "  done check $c ($((SECONDS - start)) s)"
	done
	report_sum || exit 1
}

# shellcheck disable=SC2086 # words
refuse_words ONLY $ALL $MORE
# shellcheck disable=SC2046 # words
refuse_words ROWS $(matrix_rows objects)
ready shellcheck
main; exit
